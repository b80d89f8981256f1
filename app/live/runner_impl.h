// The inside of the run control, shared by its two files: runner.cpp (thread, pace, steps) and runner_past.cpp (what
// the run stands at: history, poses by hand, other mechanisms).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "app/live/runner.h"

namespace mw::app {

struct Runner::Impl {
    using Clock = std::chrono::steady_clock;

    explicit Impl(Runner& owner) : owner_(owner) { snapshot_ = std::make_shared<const Snapshot>(); }

    // Shared with the owner's thread, under mutex_.
    mutable std::mutex mutex_;
    std::condition_variable wake_, published_changed_;
    std::deque<std::function<void()>> queue_;
    std::uint64_t submitted_ = 0;  // commands given
    std::uint64_t published_ = 0;  // commands whose outcome is in the snapshot
    int waiting_ = 0;              // threads in flush
    bool quit_ = false;
    std::shared_ptr<const Snapshot> snapshot_;
    std::atomic<bool> pending_commands_{false};
    std::atomic<int> interrupts_{0};  // commands given and not carried out yet that end steps under way

    mutable std::mutex energy_mutex_;
    EnergyHistory energies_;

    // The runner's thread alone.
    Runner& owner_;
    std::optional<Simulation> simulation_;
    std::shared_ptr<const Model> model_;
    Kernel best_kernel_;  // the one shown may be older while a past instant is looked at
    Recorder recorder_;
    std::optional<Integrator> chosen_integrator_;  // by the user; none: the model's default
    std::string verlet_refused_;                   // by the present model
    std::vector<Tendons::Units> tendon_units_;     // of the present model
    bool suggested_dt_ = true;
    bool suggest_due_ = false;
    double wanted_dt_ = 1e-3;
    std::string dt_why_;
    double speed_ = 1;
    bool running_ = false;
    int pending_steps_ = 0;
    std::optional<Inputs::Push> push_;
    std::vector<double> driving_;  // as the hand of now has it, like the push
    bool brake_ = false;
    std::optional<Friction> friction_;  // chosen for the run; none: the text's
    double slope_ = 0;
    std::optional<std::pair<std::vector<double>, std::vector<double>>> start_;  // moved by hand at t = 0
    bool in_past_ = false;
    bool trial_ = false;             // step 0 is a state that was only shown
    bool past_changed_ = false;      // inputs were touched there: what came after no longer follows
    std::optional<Inputs> present_;  // inputs of the newest instant, while a past one is shown
    std::vector<std::pair<std::size_t, double>> edited_;  // parameters that the text changed meanwhile: slot, value
    std::optional<BlowUp> blow_up_;
    std::string problem_;

    std::uint64_t completed_ = 0;
    std::uint64_t serial_ = 0;
    bool changed_ = false;
    Clock::time_point last_publish_{};
    bool anchored_ = false;
    Clock::time_point anchor_wall_{};
    double anchor_t_ = 0;
    double step_cost_ = 0;  // s
    std::deque<std::pair<Clock::time_point, double>> progress_;

    std::thread thread_;

    // ---- the owner's side

    void send(std::function<void()> command) {
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(command));
            ++submitted_;
            pending_commands_ = true;
        }
        wake_.notify_one();
    }
    /// A command that says where the run is to stand: steps before it that are still under way end.
    void interrupt(std::function<void()> command) {
        ++interrupts_;
        send([this, command = std::move(command)] {
            --interrupts_;
            command();
        });
    }

    // ---- the thread

    void loop();
    void carryOut(const std::function<void()>& command);
    /// What goes wrong while stepping or looking stops the run and is said.
    template <class Work>
    void guarded(Work&& work) {
        try {
            work();
        } catch (const std::exception& error) {
            problem_ = error.what();
            stopRunning();
            pending_steps_ = 0;
            changed_ = true;
        }
    }
    void publish();
    std::shared_ptr<Snapshot> look();
    void noteEnergy(const Readings& r, double t);
    std::int64_t stepsPerSample() const;
    double reachedSpeed();

    // ---- stepping

    /// One step from the newest instant. False: it blew up, and the run is paused.
    bool stepOnce();
    void noteCost(Clock::time_point begin, int steps);
    /// Steps between two looks at the clock.
    int batch() const { return step_cost_ > 0 ? static_cast<int>(std::clamp(2.5e-4 / step_cost_, 1.0, 256.0)) : 1; }
    void stepSlice();
    /// Runs up to where the clock wants the mechanism to be; returns when to look again.
    Clock::time_point advance();
    void stopRunning();

    // ---- the past

    /// Shows a recorded step; the newest one with the inputs and kernel that the next step will have.
    void show(std::int64_t step);
    /// From here on the run is computed anew: what came after is forgotten.
    void leavePast();
    void useWanted();
    void forgetHistory();
    /// The suggested step is found when it is next needed: a drag of a slider asks for it only once a picture.
    void suggestDt() { suggest_due_ = true; }
    void settleDt();
    /// While it runs the step changes only where the present one has become too coarse.
    void parameterMoved();
    /// Something from outside changed at the instant that is shown.
    void touched() {
        if (in_past_) past_changed_ = true;
    }
    /// The state is moved by hand: from here the run goes on from other values, which is work done by hand.
    void move(State state);
    void restart();
    /// A given state with fresh books, without a past.
    void showTrial(std::vector<double> q, std::vector<double> v, double t);
    ContactSetup wantedSetup(const Model& model) const;
    /// What a model steps with: as chosen where it can.
    Integrator integratorOf(const Model& model) const;
    void wantState(const std::vector<double>& q, const std::vector<double>& v) const;

    // ---- commands

    void setModel(const std::shared_ptr<const Model>& model, const Kernel& kernel, bool keep_state);
    void noteModel();
    void clear();
    void setKernel(const Kernel& kernel);
    void setRunning(bool on);
    void setContactSetup(Friction friction, double slope);
};

}  // namespace mw::app
