// The history of a run: keyframes of the state and everything that came from outside, so that any past step can be
// computed again bit for bit. A fixed number of bytes; the oldest keyframes are dropped first, and that is said.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/sim/simulation.h"

namespace mw {

class Recorder {
public:
    explicit Recorder(std::size_t byte_limit = 256u << 20, std::int64_t keyframe_every = 200);

    /// Call before every step with the simulation as it stands; notes a keyframe when one is due and any change of
    /// inputs, kernel, integrator, step size or contact setup. Another slope is another run: what was recorded on the
    /// one before is forgotten.
    void before(const Simulation& simulation);
    /// The state was moved by hand where it stands: the next `before` notes a keyframe there, whatever was due.
    void breakHere() { break_here_ = true; }
    /// Call after the last step of a batch: the newest step that can be asked for.
    void after(const Simulation& simulation);

    std::int64_t firstStep() const;  ///< oldest step that is still there
    std::int64_t lastStep() const;
    double timeOf(std::int64_t step) const;
    std::int64_t stepAt(double t) const;  ///< nearest recorded step
    bool dropped() const { return dropped_; }
    std::size_t bytes() const { return bytes_; }

    /// Puts `simulation` to a past step, exactly as it was: state, ledger, inputs, kernel, integrator and dt.
    void restore(Simulation& simulation, std::int64_t step) const;
    /// Forgets everything after a step: a run played on from the past replaces what came after.
    void truncateAfter(std::int64_t step);
    void clear();

private:
    struct Span {  // a stretch of steps under one regime
        std::int64_t first = 0;
        Inputs inputs;
        Kernel kernel;
        Integrator integrator{};
        double dt = 0;
        ContactSetup setup;
        bool predicts = true, accounts = true;
    };
    static bool goesOn(const Span& span, const Simulation& simulation);
    static void enter(Simulation& simulation, const Span& span);
    struct Keyframe {
        State state;
        Ledger ledger;
        bool moved = false;  ///< by hand: no step led to it
    };
    const Span& spanAt(std::int64_t step) const;
    void enforceLimit();

    std::size_t byte_limit_;
    std::int64_t keyframe_every_;
    std::deque<Span> spans_;
    std::deque<Keyframe> keyframes_;
    std::int64_t last_step_ = -1;
    double last_time_ = 0;
    std::size_t bytes_ = 0;
    bool dropped_ = false;
    bool break_here_ = false;
};

}  // namespace mw
