// Run control: one thread that owns the simulation. Commands are carried out between steps, in order; what the window
// sees are immutable snapshots, so no lock is ever held over a step.
#include "app/live/runner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "app/live/runner_impl.h"
#include "engine/base/largest.h"

namespace mw::app {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kFrame{1.0 / 60};
constexpr Seconds kSlice{0.008};     // of stepping, before commands are looked at again
constexpr Seconds kLargestLag{0.1};  // what is owed beyond this is forgotten: no spiral of catching up
constexpr Seconds kSpeedWindow{0.5};
constexpr int kStepsPerSample = 8;      // of the energy plot
constexpr double kSampleEvery = 0.008;  // s, where a look costs as much as some steps

Clock::duration ticks(Seconds s) { return std::chrono::duration_cast<Clock::duration>(s); }

}  // namespace

// ---- the thread

void Runner::Impl::loop() {
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

void Runner::Impl::carryOut(const std::function<void()>& command) {
    problem_.clear();
    try {
        command();
    } catch (const std::exception& error) {
        problem_ = error.what();
    }
    changed_ = true;
    ++completed_;
}

void Runner::Impl::publish() {
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

std::shared_ptr<Snapshot> Runner::Impl::look() {
    settleDt();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->model = model_;
    snapshot->serial = ++serial_;
    snapshot->wanted_speed = speed_;
    snapshot->integrator = model_ ? integratorOf(*model_) : chosen_integrator_.value_or(Integrator::verlet);
    snapshot->verlet_refused = verlet_refused_;
    snapshot->has_rows = !verlet_refused_.empty();
    snapshot->tendon_units = tendon_units_;
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
        snapshot->contact = s.contactSetup();
        snapshot->driven = s.driven();
        if (!in_past_) noteEnergy(snapshot->readings, s.state().t);
    }
    return snapshot;
}

void Runner::Impl::noteEnergy(const Readings& r, double t) {
    double loops = 0;
    for (const LoopReading& loop : r.loops) raise(loops, loop.worst());
    EnergySample sample{t,
                        r.energy.kinetic,
                        r.energy.gravity,
                        r.energy.elements(),
                        r.ledger.dissipated,
                        r.ledger.drives,
                        r.ledger.hand,
                        r.residual,
                        loops};
    sample.contacts = r.contact_energy.total() + r.brake_energy;
    sample.contact_dissipated = r.ledger.contact_dissipated;
    sample.brake_dissipated = r.ledger.brake_dissipated;
    sample.ramp = r.ledger.ramp;
    sample.ground = r.contact_totals.ground_force[2];
    sample.depth = std::max(r.contact_totals.deepest_pair, r.contact_totals.deepest_point);
    sample.tendons = r.tendon_energy;
    sample.tendon_dissipated = r.ledger.tendon_dissipated;
    sample.row_dissipated = r.ledger.row_dissipated;
    sample.injected = r.ledger.injected;
    sample.numerical = r.ledger.numerical;
    for (const BandTension& band : r.tensions) {
        raise(sample.tension, band.greatest);
        const bool first = &band == &r.tensions.front();
        sample.tension_least = first ? band.least : std::min(sample.tension_least, band.least);
    }
    const std::lock_guard lock(energy_mutex_);
    energies_.add(sample);
}

std::int64_t Runner::Impl::stepsPerSample() const {
    if (simulation_->contact().empty() || !(simulation_->dt() > 0)) return kStepsPerSample;
    return std::max<std::int64_t>(kStepsPerSample, std::llround(kSampleEvery / simulation_->dt()));
}

double Runner::Impl::reachedSpeed() {
    const auto now = Clock::now();
    progress_.emplace_back(now, simulation_->state().t);
    while (progress_.size() > 2 && progress_.front().first < now - ticks(kSpeedWindow)) progress_.pop_front();
    const double wall = Seconds(now - progress_.front().first).count();
    return wall > 0 ? (progress_.back().second - progress_.front().second) / wall : 0;
}

// ---- stepping

bool Runner::Impl::stepOnce() {
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
    if (s.state().step % stepsPerSample() == 0) noteEnergy(s.read(false), s.state().t);
    return true;
}

void Runner::Impl::noteCost(Clock::time_point begin, int steps) {
    if (steps == 0) return;
    const double cost = Seconds(Clock::now() - begin).count() / steps;
    step_cost_ = step_cost_ > 0 ? 0.9 * step_cost_ + 0.1 * cost : cost;
}

void Runner::Impl::stepSlice() {
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

Runner::Impl::Clock::time_point Runner::Impl::advance() {
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
    double target =
        flat_out ? std::numeric_limits<double>::infinity() : anchor_t_ + Seconds(now - anchor_wall_).count() * speed_;
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

void Runner::Impl::stopRunning() {
    running_ = false;
    anchored_ = false;
}

// ---- commands

void Runner::Impl::setRunning(bool on) {
    if (on && !running_ && simulation_) {
        leavePast();
        blow_up_.reset();
        running_ = true;
        anchored_ = false;
    } else if (!on) {
        stopRunning();
    }
}

// ---- the owner's side

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

void Runner::play() {
    impl_->send([i = impl_.get()] { i->setRunning(true); });
}

void Runner::pause() {
    impl_->interrupt([i = impl_.get()] { i->setRunning(false); });
}

void Runner::toggle() {
    impl_->interrupt([i = impl_.get()] { i->setRunning(!i->running_); });
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
        if (integrator == Integrator::verlet && !i->verlet_refused_.empty())
            throw std::invalid_argument(i->verlet_refused_);
        i->chosen_integrator_ = integrator;
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

void Runner::setDriving(std::vector<double> speeds) {
    impl_->send([i = impl_.get(), speeds = std::move(speeds)] {
        if (!i->simulation_) return;
        const auto finite = [](double x) { return std::isfinite(x); };
        if (!speeds.empty() &&
            (speeds.size() != i->simulation_->driven().size() || !std::all_of(speeds.begin(), speeds.end(), finite)))
            return;
        i->driving_ = speeds;
        if (!i->in_past_) i->simulation_->inputs().driving = speeds;
    });
}

void Runner::setBrake(bool on) {
    impl_->send([i = impl_.get(), on] {
        i->brake_ = on;
        if (i->simulation_ && !i->in_past_) i->simulation_->inputs().brake = on;
    });
}

void Runner::setContactSetup(Friction friction, double slope) {
    impl_->interrupt([i = impl_.get(), friction, slope] { i->setContactSetup(friction, slope); });
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

void Runner::setTendonCommand(int tendon, double newton) {
    impl_->send([i = impl_.get(), tendon, newton] {
        if (!i->model_ || tendon < 0 || static_cast<std::size_t>(tendon) >= i->model_->tendons.size() ||
            !std::isfinite(newton))
            return;
        i->touched();
        std::vector<double>& command = i->simulation_->inputs().tendon_command;
        command.resize(i->model_->tendons.size(), 0.0);
        command[static_cast<std::size_t>(tendon)] = newton;
    });
}

void Runner::setTendonOff(int tendon, bool off) {
    impl_->send([i = impl_.get(), tendon, off] {
        if (!i->model_ || tendon < 0 || static_cast<std::size_t>(tendon) >= i->model_->tendons.size()) return;
        i->touched();
        std::vector<char>& all = i->simulation_->inputs().tendon_off;
        all.resize(i->model_->tendons.size(), 0);
        all[static_cast<std::size_t>(tendon)] = off;
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
