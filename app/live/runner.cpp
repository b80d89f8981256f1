// Run control: one thread that owns the simulation. Commands are carried out between steps, in order; what the window
// sees are immutable snapshots, so no lock is ever held over a step.
#include "app/live/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "app/live/carry_over.h"

namespace mw::app {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kFrame{1.0 / 60};
constexpr Seconds kSlice{0.008};     // of stepping, before commands are looked at again
constexpr Seconds kLargestLag{0.1};  // what is owed beyond this is forgotten: no spiral of catching up
constexpr Seconds kSpeedWindow{0.5};
constexpr int kStepsPerSample = 8;  // of the energy plot

Clock::duration ticks(Seconds s) { return std::chrono::duration_cast<Clock::duration>(s); }

/// Live parameters with another value in the text of `to`, of two models with the same motion: slot, value.
std::vector<std::pair<std::size_t, double>> editedParameters(const Model& from, const Model& to) {
    std::vector<std::pair<std::size_t, double>> edits;
    for (const Parameter& now : to.parameters)
        for (const Parameter& before : from.parameters)
            if (now.live && before.live && now.name == before.name && now.value != before.value)
                edits.emplace_back(static_cast<std::size_t>(now.slot), now.value);
    return edits;
}

bool sized(const std::vector<double>& values, int n) { return values.size() == static_cast<std::size_t>(n); }

}  // namespace

struct Runner::Impl {
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
    Integrator integrator_ = Integrator::verlet;
    bool suggested_dt_ = true;
    bool suggest_due_ = false;
    double wanted_dt_ = 1e-3;
    std::string dt_why_;
    double speed_ = 1;
    bool running_ = false;
    int pending_steps_ = 0;
    std::optional<Inputs::Push> push_;
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

    void loop() {
        std::unique_lock lock(mutex_);
        for (;;) {
            const bool can_take = !queue_.empty() && pending_steps_ == 0;
            const bool flushing = waiting_ > 0 && published_ < completed_ && queue_.empty() && pending_steps_ == 0;
            if (quit_) return;
            if (can_take) {
                auto command = std::move(queue_.front());
                queue_.pop_front();
                pending_commands_ = !queue_.empty();
                lock.unlock();
                carryOut(command);
                lock.lock();
                continue;
            }
            const auto now = Clock::now();
            const bool due = changed_ && now >= last_publish_ + ticks(kFrame);
            if (flushing || due) {
                lock.unlock();
                publish();
                lock.lock();
                continue;
            }
            if (pending_steps_ > 0) {
                lock.unlock();
                guarded([&] { stepSlice(); });
                lock.lock();
                continue;
            }
            if (running_ && simulation_) {
                lock.unlock();
                auto next = Clock::now();
                guarded([&] { next = advance(); });
                lock.lock();
                if (next > Clock::now())
                    wake_.wait_until(lock, next, [&] { return quit_ || !queue_.empty() || waiting_ > 0; });
                continue;
            }
            const auto stir = [&] { return quit_ || !queue_.empty() || (waiting_ > 0 && published_ < completed_); };
            if (changed_) {
                wake_.wait_until(lock, last_publish_ + ticks(kFrame), stir);
            } else {
                wake_.wait(lock, stir);
            }
        }
    }

    void carryOut(const std::function<void()>& command) {
        problem_.clear();
        try {
            command();
        } catch (const std::exception& error) {
            problem_ = error.what();
        }
        changed_ = true;
        ++completed_;
    }

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

    void publish() {
        std::shared_ptr<Snapshot> snapshot;
        guarded([&] { snapshot = look(); });
        if (!snapshot) {
            // The last picture that could be made, and why there is no newer one.
            snapshot = std::make_shared<Snapshot>(*snapshot_);
            snapshot->serial = ++serial_;
            snapshot->run = RunState::paused;
            snapshot->problem = problem_;
        }
        changed_ = false;
        last_publish_ = Clock::now();
        {
            const std::lock_guard lock(mutex_);
            snapshot_ = std::move(snapshot);
            published_ = pending_steps_ > 0 ? completed_ - 1 : completed_;  // the last one is still under way
        }
        published_changed_.notify_all();
        if (owner_.on_change) owner_.on_change();
    }

    std::shared_ptr<Snapshot> look() {
        settleDt();
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->model = model_;
        snapshot->serial = ++serial_;
        snapshot->wanted_speed = speed_;
        snapshot->integrator = integrator_;
        snapshot->problem = problem_;
        snapshot->blow_up = blow_up_;
        snapshot->trial = trial_;
        snapshot->run = running_ ? RunState::running : in_past_ ? RunState::replaying : RunState::paused;
        if (simulation_) {
            Simulation& s = *simulation_;
            recorder_.after(s);
            snapshot->state = s.state();
            snapshot->readings = s.read();
            snapshot->inputs = s.inputs();
            snapshot->integrator = s.integrator();
            snapshot->dt = s.dt();
            snapshot->dt_suggested = suggested_dt_;
            snapshot->dt_why = dt_why_;
            snapshot->reached_speed = running_ ? reachedSpeed() : 0;
            snapshot->possible_speed = step_cost_ > 0 ? s.dt() / step_cost_ : 0;
            const bool empty = recorder_.bytes() == 0;
            snapshot->history_begin = empty ? s.state().t : recorder_.timeOf(recorder_.firstStep());
            snapshot->history_end = empty ? s.state().t : recorder_.timeOf(recorder_.lastStep());
            snapshot->history_bytes = recorder_.bytes();
            snapshot->history_dropped = recorder_.dropped();
            snapshot->kernel = s.kernel().maker;
            if (!in_past_) noteEnergy(snapshot->readings, s.state().t);
        }
        return snapshot;
    }

    void noteEnergy(const Readings& r, double t) {
        double loops = 0;
        for (const LoopReading& loop : r.loops) loops = std::max(loops, loop.worst());
        const std::lock_guard lock(energy_mutex_);
        energies_.add({t, r.energy.kinetic, r.energy.gravity, r.energy.elements(), r.ledger.dissipated, r.ledger.drives,
                       r.ledger.hand, r.residual, loops});
    }

    double reachedSpeed() {
        const auto now = Clock::now();
        progress_.emplace_back(now, simulation_->state().t);
        while (progress_.size() > 2 && progress_.front().first < now - ticks(kSpeedWindow)) progress_.pop_front();
        const double wall = Seconds(now - progress_.front().first).count();
        return wall > 0 ? (progress_.back().second - progress_.front().second) / wall : 0;
    }

    // ---- stepping

    /// One step from the newest instant. False: it blew up, and the run is paused.
    bool stepOnce() {
        Simulation& s = *simulation_;
        recorder_.before(s);
        if (auto fault = s.step()) {
            blow_up_ = std::move(fault);
            stopRunning();
            pending_steps_ = 0;
            changed_ = true;
            return false;
        }
        blow_up_.reset();
        if (s.state().step % kStepsPerSample == 0) noteEnergy(s.read(), s.state().t);
        return true;
    }

    void noteCost(Clock::time_point begin, int steps) {
        if (steps == 0) return;
        const double cost = Seconds(Clock::now() - begin).count() / steps;
        step_cost_ = step_cost_ > 0 ? 0.9 * step_cost_ + 0.1 * cost : cost;
    }

    /// Steps between two looks at the clock.
    int batch() const { return step_cost_ > 0 ? static_cast<int>(std::clamp(2.5e-4 / step_cost_, 1.0, 256.0)) : 1; }

    void stepSlice() {
        settleDt();
        const auto begin = Clock::now();
        int done = 0;
        while (pending_steps_ > 0 && simulation_) {
            if (interrupts_ > 0) {
                pending_steps_ = 0;
                break;  // where it stands, be it in the past: what came after is still there
            }
            if (in_past_ && !past_changed_) {
                // Forward through what is recorded; nothing is computed anew that could differ.
                const std::int64_t now = simulation_->state().step;
                const std::int64_t to = std::min(now + pending_steps_, recorder_.lastStep());
                pending_steps_ -= static_cast<int>(to - now);
                show(to);
                continue;
            }
            leavePast();
            for (int i = batch(); i > 0 && pending_steps_ > 0; --i) {
                --pending_steps_;
                if (!stepOnce()) break;
                ++done;
            }
            if (Clock::now() - begin > kSlice) break;
        }
        if (!simulation_) pending_steps_ = 0;
        if (done > 0) recorder_.after(*simulation_);
        noteCost(begin, done);
        changed_ = true;
    }

    /// Runs up to where the clock wants the mechanism to be; returns when to look again.
    Clock::time_point advance() {
        settleDt();
        Simulation& s = *simulation_;
        auto now = Clock::now();
        if (!anchored_) {
            anchored_ = true;
            anchor_wall_ = now;
            anchor_t_ = s.state().t;
            progress_.clear();
        }
        const bool flat_out = std::isinf(speed_);
        double target = flat_out ? std::numeric_limits<double>::infinity()
                                 : anchor_t_ + Seconds(now - anchor_wall_).count() * speed_;
        const double lag = target - s.state().t;
        if (!flat_out && lag > std::max(kLargestLag.count() * speed_, 2 * s.dt())) {
            anchor_wall_ = now - ticks(kLargestLag);
            anchor_t_ = s.state().t;
            target = anchor_t_ + kLargestLag.count() * speed_;
        }
        const auto begin = now;
        int done = 0;
        const auto owed = [&] { return s.state().t + 0.5 * s.dt() <= target; };
        while (owed() && !pending_commands_ && running_ && now - begin < kSlice) {
            for (int i = batch(); i > 0 && owed(); --i) {
                if (!stepOnce()) break;
                ++done;
            }
            now = Clock::now();
        }
        noteCost(begin, done);
        if (done > 0) {
            recorder_.after(s);
            changed_ = true;
        }
        if (!running_ || owed()) return now;
        // Nothing is owed before the next step is due, and nobody looks before the next frame.
        const double until =
            std::min((s.state().t + 0.5 * s.dt() - anchor_t_) / speed_ - Seconds(now - anchor_wall_).count(), 0.1);
        const auto next_step = now + ticks(Seconds(std::max(until, 0.0)));
        return std::max(next_step, last_publish_ + ticks(kFrame));
    }

    void stopRunning() {
        running_ = false;
        anchored_ = false;
    }

    // ---- the past

    /// Shows a recorded step; the newest one with the inputs and kernel that the next step will have.
    void show(std::int64_t step) {
        Simulation& s = *simulation_;
        if (recorder_.bytes() == 0) return;
        step = std::clamp(step, recorder_.firstStep(), recorder_.lastStep());
        if (!in_past_) {
            if (step == s.state().step) return;
            present_ = s.inputs();
        }
        recorder_.restore(s, step);
        in_past_ = step < recorder_.lastStep();
        past_changed_ = false;
        blow_up_.reset();
        if (!in_past_) {
            if (present_) s.inputs() = *present_;
            present_.reset();
            edited_.clear();
            useWanted();
        }
    }

    /// From here on the run is computed anew: what came after is forgotten.
    void leavePast() {
        if (!in_past_) return;
        Simulation& s = *simulation_;
        recorder_.truncateAfter(s.state().step);
        {
            const std::lock_guard lock(energy_mutex_);
            energies_.truncateAfter(s.state().t);
        }
        in_past_ = past_changed_ = false;
        present_.reset();
        for (const auto& [slot, value] : edited_) s.inputs().param[slot] = value;
        edited_.clear();
        useWanted();
    }

    void useWanted() {
        Simulation& s = *simulation_;
        if (s.kernel().c != best_kernel_.c) s.setKernel(best_kernel_);
        s.setIntegrator(integrator_);
        s.setDt(wanted_dt_);
        s.inputs().push = push_;
    }

    void forgetHistory() {
        recorder_.clear();
        in_past_ = past_changed_ = trial_ = false;
        present_.reset();
        edited_.clear();
        const std::lock_guard lock(energy_mutex_);
        energies_.clear();
    }

    /// The suggested step is found when it is next needed: a drag of a slider asks for it only once a picture.
    void suggestDt() { suggest_due_ = true; }

    void settleDt() {
        if (!suggest_due_ || !simulation_) return;
        suggest_due_ = false;
        if (!suggested_dt_) return;
        wanted_dt_ = suggestedStep(*model_, simulation_->layout(), best_kernel_, simulation_->state(),
                                   simulation_->inputs().param, &dt_why_);
        if (!in_past_) simulation_->setDt(wanted_dt_);
    }

    /// While it runs the step changes only where the present one has become too coarse.
    void parameterMoved() {
        constexpr double kTurnAStep = 0.02;  // rad
        const Simulation& s = *simulation_;
        if (!running_ ||
            s.dt() * largestRate(*model_, s.layout(), s.kernel(), s.state(), s.inputs().param) > 2 * kTurnAStep)
            suggestDt();
    }

    /// Something from outside changed at the instant that is shown.
    void touched() {
        if (in_past_) past_changed_ = true;
    }

    /// The state is moved by hand: from here the run goes on from other values, which is work done by hand.
    void move(State state) {
        Simulation& s = *simulation_;
        leavePast();
        const double before = s.read().energy.total();
        Ledger ledger = s.ledger();
        state.blocks = s.state().blocks;
        s.setState(std::move(state), ledger);
        const Readings after = s.read();
        ledger.hand += after.energy.total() - before;
        state = s.state();
        state.block("vdot", after.vdot.size()) = after.vdot;
        s.setState(std::move(state), ledger);
        recorder_.breakHere();
        recorder_.before(s);
        blow_up_.reset();
    }

    void restart() {
        Simulation& s = *simulation_;
        forgetHistory();
        useWanted();
        s.reset();
        if (start_ && sized(start_->first, s.layout().nq) && sized(start_->second, s.layout().nv)) {
            State state = s.state();
            state.q = start_->first;
            state.v = start_->second;
            settle(s, std::move(state));
        }
        blow_up_.reset();
        suggestDt();
        anchored_ = false;
    }

    /// A given state with fresh books, without a past.
    void showTrial(std::vector<double> q, std::vector<double> v, double t) {
        forgetHistory();
        trial_ = true;
        useWanted();
        State shown;
        shown.q = std::move(q);
        shown.v = std::move(v);
        shown.t = t;
        settle(*simulation_, std::move(shown));
        blow_up_.reset();
        suggestDt();
    }

    void wantState(const std::vector<double>& q, const std::vector<double>& v) const {
        const Layout& layout = simulation_->layout();
        if (!sized(q, layout.nq) || !sized(v, layout.nv))
            throw std::invalid_argument("the state has not this mechanism's size");
        const auto finite = [](double x) { return std::isfinite(x); };
        if (!std::all_of(q.begin(), q.end(), finite) || !std::all_of(v.begin(), v.end(), finite))
            throw std::invalid_argument("a number of the state is not finite");
    }

    // ---- commands

    void setModel(const std::shared_ptr<const Model>& model, const Kernel& kernel, bool keep_state) {
        Simulation next(model, kernel, integrator_, wanted_dt_);  // throws before anything is changed
        start_.reset();
        const bool same_motion = simulation_ && keep_state && motionHash(*model_) == motionHash(*model);
        const bool started = simulation_ && (simulation_->state().step > 0 || in_past_);
        if (simulation_ && keep_state) carryInputs(*simulation_, next);
        if (same_motion && started) {
            // Only titles, shapes, the start state or comments: the run goes on as if nothing had happened, its past
            // included.
            next.setState(simulation_->state(), simulation_->ledger());
            next.setIntegrator(simulation_->integrator());
            next.setDt(simulation_->dt());
            next.inputs() = simulation_->inputs();
            const auto edits = editedParameters(*model_, *model);
            for (const auto& [slot, value] : edits) {
                // A past instant keeps what it was computed with; whatever comes next has the value of the text.
                (in_past_ ? *present_ : next.inputs()).param[slot] = value;
                if (in_past_) edited_.emplace_back(slot, value);
            }
            if (in_past_) next.setKernel(simulation_->kernel());
            simulation_.emplace(std::move(next));
            model_ = model;
            best_kernel_ = kernel;
            if (!edits.empty() && !in_past_) parameterMoved();
            return;
        }
        const bool carries = started && keep_state;
        if (carries) {
            carryState(*simulation_, next);
        } else {
            next.reset();
        }
        forgetHistory();
        push_.reset();
        simulation_.emplace(std::move(next));
        model_ = model;
        best_kernel_ = kernel;
        step_cost_ = 0;
        blow_up_.reset();
        anchored_ = false;
        suggestDt();
        useWanted();
    }

    void clear() {
        stopRunning();
        forgetHistory();
        simulation_.reset();
        model_.reset();
        best_kernel_ = {};
        start_.reset();
        push_.reset();
        blow_up_.reset();
        step_cost_ = 0;
        suggest_due_ = false;
        dt_why_.clear();
    }

    void setKernel(const Kernel& kernel) {
        if (!simulation_) return;
        if (in_past_) {
            if (!kernel || kernel.modelHash() != dynamicsHash(*model_))
                throw std::invalid_argument("this kernel belongs to another mechanism");
        } else {
            simulation_->setKernel(kernel);  // throws for another mechanism's
        }
        best_kernel_ = kernel;
        step_cost_ = 0;
    }

    void setRunning(bool on) {
        if (on && !running_ && simulation_) {
            leavePast();
            blow_up_.reset();
            running_ = true;
            anchored_ = false;
        } else if (!on) {
            stopRunning();
        }
    }
};

Runner::Runner() : impl_(std::make_unique<Impl>(*this)) {
    impl_->thread_ = std::thread([this] { impl_->loop(); });
}

Runner::~Runner() {
    {
        const std::lock_guard lock(impl_->mutex_);
        impl_->quit_ = true;
    }
    impl_->pending_commands_ = true;
    ++impl_->interrupts_;
    impl_->wake_.notify_one();
    impl_->thread_.join();
}

void Runner::setModel(std::shared_ptr<const Model> model, Kernel kernel, bool keep_state) {
    impl_->interrupt([i = impl_.get(), model = std::move(model), kernel = std::move(kernel), keep_state] {
        i->setModel(model, kernel, keep_state);
    });
}

void Runner::setKernel(Kernel kernel) {
    impl_->send([i = impl_.get(), kernel = std::move(kernel)] { i->setKernel(kernel); });
}

void Runner::clear() {
    impl_->interrupt([i = impl_.get()] { i->clear(); });
}

void Runner::play() {
    impl_->send([i = impl_.get()] { i->setRunning(true); });
}

void Runner::pause() {
    impl_->interrupt([i = impl_.get()] { i->setRunning(false); });
}

void Runner::toggle() {
    impl_->interrupt([i = impl_.get()] { i->setRunning(!i->running_); });
}

void Runner::step(int count) {
    impl_->send([i = impl_.get(), count] {
        if (!i->simulation_) return;
        i->stopRunning();
        if (count >= 0) {
            i->pending_steps_ = count;
        } else {
            i->show(i->simulation_->state().step + count);
        }
    });
}

void Runner::scrub(double t) {
    impl_->interrupt([i = impl_.get(), t] {
        if (!i->simulation_ || !std::isfinite(t)) return;
        i->stopRunning();
        i->show(i->recorder_.stepAt(t));
    });
}

void Runner::reset() {
    impl_->interrupt([i = impl_.get()] {
        i->stopRunning();
        if (i->simulation_) i->restart();
    });
}

void Runner::setSpeed(double times_real_time) {
    impl_->send([i = impl_.get(), times_real_time] {
        if (!(times_real_time > 0)) return;
        i->speed_ = std::max(times_real_time, 1e-6);
        i->anchored_ = false;
    });
}

void Runner::setIntegrator(Integrator integrator) {
    impl_->send([i = impl_.get(), integrator] {
        i->integrator_ = integrator;
        if (!i->simulation_) return;
        i->touched();
        i->simulation_->setIntegrator(integrator);
    });
}

void Runner::setDt(double dt) {
    impl_->send([i = impl_.get(), dt] {
        if (!(dt >= 0) || std::isinf(dt))
            throw std::invalid_argument("the step size must be a positive number of seconds");
        i->suggested_dt_ = dt == 0;
        if (dt > 0) {
            i->wanted_dt_ = dt;
            i->dt_why_.clear();
        }
        if (!i->simulation_) return;
        i->suggestDt();
        i->touched();
        i->simulation_->setDt(i->wanted_dt_);
        i->anchored_ = false;
    });
}

void Runner::setPush(std::optional<Inputs::Push> push) {
    impl_->send([i = impl_.get(), push] {
        if (!i->simulation_) return;
        if (push && (push->body < 0 || push->body >= i->simulation_->layout().nbody)) return;
        i->push_ = push;
        // A push belongs to the hand of now: in the past it takes part only once the run goes on from there.
        if (!i->in_past_) i->simulation_->inputs().push = push;
    });
}

void Runner::setParameter(int slot, double value) {
    impl_->send([i = impl_.get(), slot, value] {
        if (!i->simulation_ || slot < 0 || slot >= i->simulation_->layout().nparam || !std::isfinite(value)) return;
        i->touched();
        i->simulation_->inputs().param[static_cast<std::size_t>(slot)] = value;
        std::erase_if(i->edited_, [&](const auto& edit) { return edit.first == static_cast<std::size_t>(slot); });
        const State& state = i->simulation_->state();
        if (state.step == 0 && !i->in_past_ && !i->running_ && !i->trial_ && !i->start_) {
            // Before the run begins a start pose that depends on the parameter follows it.
            i->forgetHistory();
            i->simulation_->reset();
        }
        i->parameterMoved();
    });
}

void Runner::setTau(int velocity, double value) {
    impl_->send([i = impl_.get(), velocity, value] {
        if (!i->simulation_ || velocity < 0 || velocity >= i->simulation_->layout().nv || !std::isfinite(value)) return;
        i->touched();
        i->simulation_->inputs().tau[static_cast<std::size_t>(velocity)] = value;
    });
}

void Runner::setAct(int slot, double value) {
    impl_->send([i = impl_.get(), slot, value] {
        if (!i->simulation_ || slot < 0 || slot >= i->simulation_->layout().nact || !std::isfinite(value)) return;
        i->touched();
        i->simulation_->inputs().act[static_cast<std::size_t>(slot)] = value;
    });
}

void Runner::setStartState(std::vector<double> q, std::vector<double> v) {
    impl_->send([i = impl_.get(), q = std::move(q), v = std::move(v)] {
        if (!i->simulation_) return;
        i->wantState(q, v);
        const Layout& layout = i->simulation_->layout();
        i->stopRunning();
        State state = i->simulation_->state();
        if (state.step == 0 && !i->trial_) {
            i->start_ = {normalised(*i->model_, layout, q), v};
            i->restart();
        } else {
            state.q = normalised(*i->model_, layout, q);
            state.v = v;
            i->move(std::move(state));
        }
    });
}

void Runner::setPose(std::vector<double> q, std::vector<double> v) {
    impl_->send([i = impl_.get(), q = std::move(q), v = std::move(v)] {
        if (!i->simulation_) return;
        i->wantState(q, v);
        i->stopRunning();
        State state = i->simulation_->state();
        std::vector<double> pose = normalised(*i->model_, i->simulation_->layout(), q);
        const std::vector<double> start =
            i->start_ ? i->start_->first : startQ(*i->model_, i->simulation_->layout(), i->simulation_->inputs().param);
        if (state.step == 0 && !i->in_past_ && pose == start) {
            i->restart();  // put back
        } else if (state.step == 0 && !i->in_past_) {
            i->showTrial(std::move(pose), v, state.t);
        } else {
            state.q = std::move(pose);
            state.v = v;
            i->move(std::move(state));
        }
    });
}

void Runner::setTrial(const State& state) {
    impl_->send([i = impl_.get(), state] {
        if (!i->simulation_) return;
        const Layout& layout = i->simulation_->layout();
        if (!sized(state.q, layout.nq) || !sized(state.v, layout.nv))
            throw std::invalid_argument("the state has not this mechanism's size");
        i->stopRunning();
        i->showTrial(state.q, state.v, state.t);
    });
}

std::shared_ptr<const Snapshot> Runner::snapshot() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->snapshot_;
}

std::vector<EnergySample> Runner::energies(double from, double to, std::size_t at_most) const {
    const std::lock_guard lock(impl_->energy_mutex_);
    return impl_->energies_.between(from, to, at_most);
}

void Runner::flush() {
    std::unique_lock lock(impl_->mutex_);
    const std::uint64_t ticket = impl_->submitted_;
    ++impl_->waiting_;
    impl_->wake_.notify_one();
    impl_->published_changed_.wait(lock, [&] { return impl_->published_ >= ticket; });
    --impl_->waiting_;
}

}  // namespace mw::app
