// What the run stands at: instants of its past, poses set by hand, its start, and another mechanism in place of the one
// before.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "app/live/carry_over.h"
#include "app/live/runner_impl.h"

namespace mw::app {
namespace {

/// Live parameters with another value in the text of `to`, of two models with the same motion: slot, value.
std::vector<std::pair<std::size_t, double>> editedParameters(const Model& from, const Model& to) {
    std::vector<std::pair<std::size_t, double>> edits;
    for (const Parameter& now : to.parameters)
        for (const Parameter& before : from.parameters)
            if (now.live && before.live && now.name == before.name && now.value != before.value)
                edits.emplace_back(static_cast<std::size_t>(now.slot), now.value);
    return edits;
}

/// They have the same bands, by name.
bool alike(const Model& a, const Model& b) {
    return std::equal(a.tracks.begin(), a.tracks.end(), b.tracks.begin(), b.tracks.end(),
                      [](const Track& x, const Track& y) { return x.name == y.name; });
}

bool sized(const std::vector<double>& values, int n) { return values.size() == static_cast<std::size_t>(n); }

}  // namespace

// ---- the past

void Runner::Impl::show(std::int64_t step) {
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

void Runner::Impl::leavePast() {
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

void Runner::Impl::useWanted() {
    Simulation& s = *simulation_;
    if (s.kernel().c != best_kernel_.c) s.setKernel(best_kernel_);
    s.setIntegrator(integratorOf(*model_));
    s.setDt(wanted_dt_);
    s.setContactSetup(wantedSetup(*model_));
    s.inputs().push = push_;
    s.inputs().brake = brake_;
    s.inputs().driving = driving_.size() == s.driven().size() ? driving_ : std::vector<double>();
}

Integrator Runner::Impl::integratorOf(const Model& model) const {
    return chosen_integrator_ && !hasRows(model) ? *chosen_integrator_ : defaultIntegrator(model);
}

/// A band that starts with full gains in a pose that nothing has settled would begin with a blow.
ContactSetup Runner::Impl::wantedSetup(const Model& model) const {
    constexpr double kRamp = 0.02;  // s
    ContactSetup setup;
    if (model.ground) setup.friction = friction_.value_or(model.ground->friction);
    setup.slope = slope_;
    if (!model.tracks.empty()) setup.ramp = kRamp;
    return setup;
}

void Runner::Impl::forgetHistory() {
    recorder_.clear();
    in_past_ = past_changed_ = trial_ = false;
    present_.reset();
    edited_.clear();
    const std::lock_guard lock(energy_mutex_);
    energies_.clear();
}

void Runner::Impl::settleDt() {
    if (!suggest_due_ || !simulation_) return;
    suggest_due_ = false;
    if (!suggested_dt_) return;
    wanted_dt_ = suggestedStep(*model_, simulation_->layout(), best_kernel_, simulation_->state(),
                               simulation_->inputs().param, &dt_why_);
    if (!in_past_) simulation_->setDt(wanted_dt_);
}

void Runner::Impl::parameterMoved() {
    constexpr double kTurnAStep = 0.02;  // rad
    const Simulation& s = *simulation_;
    if (!running_ ||
        s.dt() * largestRate(*model_, s.layout(), s.kernel(), s.state(), s.inputs().param) > 2 * kTurnAStep)
        suggestDt();
}

void Runner::Impl::move(State state) {
    Simulation& s = *simulation_;
    leavePast();
    const double before = s.read(false).total_energy;
    Ledger ledger = s.ledger();
    state.blocks = s.state().blocks;
    // Pads stick and brakes hold where they now are; impulses that held the pose before say nothing of this one.
    std::erase_if(state.blocks,
                  [](const StateBlock& b) { return b.name == "anchors" || b.name == "brake" || b.name == "warm"; });
    s.setState(std::move(state), ledger);
    const Readings after = s.read(false);
    ledger.hand += after.total_energy - before;
    state = s.state();
    state.block("vdot", after.vdot.size()) = after.vdot;
    s.setState(std::move(state), ledger);
    recorder_.breakHere();
    recorder_.before(s);
    blow_up_.reset();
}

void Runner::Impl::restart() {
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

void Runner::Impl::showTrial(std::vector<double> q, std::vector<double> v, double t) {
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

void Runner::Impl::wantState(const std::vector<double>& q, const std::vector<double>& v) const {
    const Layout& layout = simulation_->layout();
    if (!sized(q, layout.nq) || !sized(v, layout.nv))
        throw std::invalid_argument("the state has not this mechanism's size");
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(q.begin(), q.end(), finite) || !std::all_of(v.begin(), v.end(), finite))
        throw std::invalid_argument("a number of the state is not finite");
}

// ---- commands

void Runner::Impl::setModel(const std::shared_ptr<const Model>& model, const Kernel& kernel, bool keep_state) {
    Simulation next(model, kernel, integratorOf(*model), wanted_dt_);  // throws before anything is changed
    start_.reset();
    const bool same_motion = simulation_ && keep_state && motionHash(*model_) == motionHash(*model);
    const bool started = simulation_ && (simulation_->state().step > 0 || in_past_);
    // What was chosen for the run before belongs to its vehicle.
    if (!simulation_ || !alike(*model_, *model)) {
        friction_.reset();
        slope_ = 0;
        brake_ = false;
    }
    if (!same_motion) driving_.clear();
    try {
        next.setContactSetup(wantedSetup(*model));
    } catch (const std::invalid_argument& fault) {
        problem_ = fault.what();  // not on this ground: it stands on the level
        slope_ = 0;
        next.setContactSetup(wantedSetup(*model));
    }
    if (simulation_ && keep_state) carryInputs(*simulation_, next);
    if (same_motion && started) {
        // Only titles, shapes, the start state or comments: the run goes on as if nothing had happened, its past
        // included.
        next.setContactSetup(simulation_->contactSetup());
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
        noteModel();
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
    noteModel();
    step_cost_ = 0;
    blow_up_.reset();
    anchored_ = false;
    suggestDt();
    useWanted();
}

/// What is said of a model for as long as it is there.
void Runner::Impl::noteModel() {
    verlet_refused_.clear();
    tendon_units_.clear();
    if (!model_) return;
    std::string why;
    if (hasRows(*model_, &why))
        verlet_refused_ = "Verlet is not for this mechanism, which steps semi-implicitly with its rows: " + why;
    const Tendons tendons(*model_, simulation_->layout());
    for (int i = 0; i < tendons.size(); ++i) tendon_units_.push_back(tendons.units(i));
}

void Runner::Impl::clear() {
    stopRunning();
    forgetHistory();
    simulation_.reset();
    model_.reset();
    noteModel();
    best_kernel_ = {};
    start_.reset();
    push_.reset();
    driving_.clear();
    friction_.reset();
    slope_ = 0;
    brake_ = false;
    blow_up_.reset();
    step_cost_ = 0;
    suggest_due_ = false;
    dt_why_.clear();
}

void Runner::Impl::setContactSetup(Friction friction, double slope) {
    if (!simulation_) return;
    if (!std::isfinite(slope)) throw std::invalid_argument("the slope must be a number");
    Simulation& s = *simulation_;
    const ContactSetup before = wantedSetup(*model_);
    const std::optional<Friction> chosen = friction_;
    friction_ = friction;
    const double was = std::exchange(slope_, slope);
    if (wantedSetup(*model_) == before) return;
    try {
        if (slope != was) {
            stopRunning();
            s.setContactSetup(wantedSetup(*model_));  // throws where it cannot be turned
            start_.reset();
            restart();
        } else if (!in_past_) {
            s.setContactSetup(wantedSetup(*model_));
        }
    } catch (const std::invalid_argument&) {
        friction_ = chosen;
        slope_ = was;
        throw;
    }
}

void Runner::Impl::setKernel(const Kernel& kernel) {
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

// ---- the owner's side

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

}  // namespace mw::app
