// Keyframes and spans: enough to compute any past step again, bit for bit, with the kernel that made it.
#include "engine/sim/recorder.h"

#include <algorithm>
#include <cmath>

namespace mw {
namespace {

std::size_t sizeOf(const State& state, const Ledger& ledger) {
    std::size_t size =
        sizeof(State) + sizeof(Ledger) + (state.q.size() + state.v.size() + ledger.param.size()) * sizeof(double);
    for (const StateBlock& block : state.blocks) size += sizeof(StateBlock) + block.values.size() * sizeof(double);
    return size;
}
std::size_t sizeOf(const Inputs& inputs) {
    return 368 + inputs.tendon_off.size() +
           (inputs.tau.size() + inputs.act.size() + inputs.fext.size() + inputs.param.size() + inputs.driving.size() +
            inputs.tendon_command.size()) *
               sizeof(double);
}

}  // namespace

Recorder::Recorder(std::size_t byte_limit, std::int64_t keyframe_every)
    : byte_limit_(byte_limit), keyframe_every_(std::max<std::int64_t>(1, keyframe_every)) {}

bool Recorder::goesOn(const Span& span, const Simulation& simulation) {
    return span.kernel.c == simulation.kernel().c && span.dt == simulation.dt() &&
           span.integrator == simulation.integrator() && span.setup == simulation.contactSetup() &&
           span.predicts == simulation.predictsVelocity() && span.accounts == simulation.accounts() &&
           span.inputs == simulation.inputs();
}

void Recorder::enter(Simulation& simulation, const Span& span) {
    simulation.inputs() = span.inputs;
    if (simulation.kernel().c != span.kernel.c) simulation.setKernel(span.kernel);
    simulation.setIntegrator(span.integrator);
    simulation.setDt(span.dt);
    simulation.setContactSetup(span.setup);
    simulation.setPredictsVelocity(span.predicts);
    simulation.setAccounts(span.accounts);
}

void Recorder::before(const Simulation& simulation) {
    const std::int64_t step = simulation.state().step;
    if (!spans_.empty() && spans_.back().setup.slope != simulation.contactSetup().slope) clear();
    const bool regime_changed = spans_.empty() || !goesOn(spans_.back(), simulation);
    if (regime_changed) {
        Span span{step,
                  simulation.inputs(),
                  simulation.kernel(),
                  simulation.integrator(),
                  simulation.dt(),
                  simulation.contactSetup(),
                  simulation.predictsVelocity(),
                  simulation.accounts()};
        if (!spans_.empty() && spans_.back().first == step) {
            spans_.back() = std::move(span);  // nothing was stepped under the one before
        } else {
            bytes_ += sizeOf(span.inputs);
            spans_.push_back(std::move(span));
        }
    }
    // A new step size begins a keyframe too, so that times between keyframes are a multiple of one dt.
    const bool new_dt = regime_changed && spans_.size() > 1 && spans_[spans_.size() - 2].dt != simulation.dt();
    if (break_here_ && !keyframes_.empty() && keyframes_.back().state.step == step) {
        bytes_ -= sizeOf(keyframes_.back().state, keyframes_.back().ledger);
        keyframes_.pop_back();
    }
    const bool have = !keyframes_.empty() && keyframes_.back().state.step == step;
    const bool due =
        keyframes_.empty() || new_dt || break_here_ || step - keyframes_.back().state.step >= keyframe_every_;
    const bool moved = break_here_;
    break_here_ = false;
    if (!have && due) {
        keyframes_.push_back({simulation.state(), simulation.ledger(), moved});
        bytes_ += sizeOf(simulation.state(), simulation.ledger());
        enforceLimit();
    }
    after(simulation);
}

void Recorder::after(const Simulation& simulation) {
    last_step_ = std::max(last_step_, simulation.state().step);
    if (last_step_ == simulation.state().step) last_time_ = simulation.state().t;
}

std::int64_t Recorder::firstStep() const { return keyframes_.empty() ? 0 : keyframes_.front().state.step; }
std::int64_t Recorder::lastStep() const { return keyframes_.empty() ? 0 : last_step_; }

const Recorder::Span& Recorder::spanAt(std::int64_t step) const {
    auto after = std::upper_bound(spans_.begin(), spans_.end(), step,
                                  [](std::int64_t s, const Span& span) { return s < span.first; });
    return *std::prev(after == spans_.begin() ? std::next(after) : after);
}

double Recorder::timeOf(std::int64_t step) const {
    if (keyframes_.empty()) return 0;
    if (step >= last_step_) return last_time_;
    auto after = std::upper_bound(keyframes_.begin(), keyframes_.end(), step,
                                  [](std::int64_t s, const Keyframe& k) { return s < k.state.step; });
    const Keyframe& keyframe = *std::prev(after == keyframes_.begin() ? std::next(after) : after);
    return keyframe.state.t + static_cast<double>(step - keyframe.state.step) * spanAt(keyframe.state.step).dt;
}

std::int64_t Recorder::stepAt(double t) const {
    if (keyframes_.empty()) return 0;
    if (t >= last_time_) return last_step_;
    auto after = std::upper_bound(keyframes_.begin(), keyframes_.end(), t,
                                  [](double time, const Keyframe& k) { return time < k.state.t; });
    if (after == keyframes_.begin()) return firstStep();
    const Keyframe& keyframe = *std::prev(after);
    const double steps = (t - keyframe.state.t) / spanAt(keyframe.state.step).dt;
    return std::clamp(keyframe.state.step + static_cast<std::int64_t>(std::llround(steps)), firstStep(), last_step_);
}

void Recorder::restore(Simulation& simulation, std::int64_t step) const {
    if (keyframes_.empty()) return;
    step = std::clamp(step, firstStep(), last_step_);
    auto after = std::upper_bound(keyframes_.begin(), keyframes_.end(), step,
                                  [](std::int64_t s, const Keyframe& k) { return s < k.state.step; });
    const auto at = after == keyframes_.begin() ? after : std::prev(after);
    // Forces of rows are those of the step that led to a state, so there has to be one: a keyframe itself is reached
    // from the one before, unless it was put there by hand.
    const bool led_to =
        simulation.rowStep().active() && at->state.step == step && !at->moved && at != keyframes_.begin();
    const Keyframe& keyframe = led_to ? *std::prev(at) : *at;
    // The regime first: a change of setup moves the state that it finds. On the way it does so as it did then.
    enter(simulation, spanAt(keyframe.state.step));
    simulation.setState(keyframe.state, keyframe.ledger);
    while (simulation.state().step < step) {
        const std::int64_t now = simulation.state().step;
        const Span& span = spanAt(now);
        if (span.first == now && now > keyframe.state.step) enter(simulation, span);
        if (simulation.step()) break;  // cannot happen on a recorded stretch: it was stepped once before
    }
    const Span& here = spanAt(step);
    if (here.first == step && step < last_step_ && step > keyframe.state.step) enter(simulation, here);
}

void Recorder::truncateAfter(std::int64_t step) {
    if (step >= last_step_) return;
    last_time_ = timeOf(step);
    while (!keyframes_.empty() && keyframes_.back().state.step > step) {
        bytes_ -= sizeOf(keyframes_.back().state, keyframes_.back().ledger);
        keyframes_.pop_back();
    }
    while (spans_.size() > 1 && spans_.back().first > step) {
        bytes_ -= sizeOf(spans_.back().inputs);
        spans_.pop_back();
    }
    last_step_ = step;
    if (keyframes_.empty()) clear();
}

void Recorder::clear() {
    keyframes_.clear();
    spans_.clear();
    last_step_ = -1;
    last_time_ = 0;
    bytes_ = 0;
    dropped_ = false;
    break_here_ = false;
}

void Recorder::enforceLimit() {
    while (bytes_ > byte_limit_ && keyframes_.size() > 2) {
        bytes_ -= sizeOf(keyframes_.front().state, keyframes_.front().ledger);
        keyframes_.pop_front();
        dropped_ = true;
        while (spans_.size() > 1 && spans_[1].first <= keyframes_.front().state.step) {
            bytes_ -= sizeOf(spans_.front().inputs);
            spans_.pop_front();
        }
    }
}

}  // namespace mw
