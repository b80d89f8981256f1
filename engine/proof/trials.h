// The states that a proof looks at (docs/proof.md): random ones of a tree, closed ones with a small tear of a mechanism
// with loops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/dynamics/closure.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

struct Trial {
    std::vector<double> q, v, tau, fext, act, param;

    // Of mechanisms with loops: the closed pose that q was torn from, and velocities that keep it closed.
    std::vector<double> closed_q{}, closed_v{};
    /// How often the drawn live parameters were brought halfway to the declared ones until the loops could close.
    int halvings = 0;
    bool closes = true;  ///< false: not even with the declared parameters
};

/// The same seed and trial give the same numbers everywhere. Knows nothing of loops.
Trial randomTrial(const Model& model, const Layout& layout, std::uint64_t seed, int trial);

/// Trials of any model by their number; keeps what a walk has made. May be shared between threads. Holds on to the
/// model, which must outlive it.
class TrialSource {
public:
    TrialSource(const Model& model, std::uint64_t seed);
    ~TrialSource();
    /// Trees: randomTrial. Loops: near the closed poses, torn on purpose, so that what closes them has work to do.
    Trial at(int trial);
    /// States at which rows of the loops depend on each other; torn, for a mechanism's closed poses may have none. A
    /// few of them, none where none was found.
    std::vector<Trial> singular();
    /// Of the loops at a general pose, with the declared parameters; looked at once.
    LoopHealth health();
    /// Where motion may start: the declared parameters, and loops closed in position and velocity.
    Trial closed(int trial);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace mw
