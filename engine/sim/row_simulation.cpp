// A step of a mechanism with rows: semi-implicit, one solve a substep (docs/rows.md), its books and its readings.
#include <algorithm>
#include <cmath>

#include "engine/sim/floating_bases.h"
#include "engine/sim/simulation.h"

namespace mw {
namespace {

constexpr const char* kSwitchBlock = "tendons off";

}  // namespace

// X_ and V_ must be those of q and v.
RowStep::Start Simulation::rowStart(const std::vector<double>& q, const std::vector<double>& v, double t, double h) {
    RowStep::Start start;
    start.h = h, start.t = t;
    start.q = q, start.v = v, start.param = inputs_.param, start.X = X_, start.V = V_;
    start.command = inputs_.tendon_command, start.off = inputs_.tendon_off;
    start.memory = tendon_memory_;
    return start;
}

// The tendons' numbers as the state has them, in tendon_memory_; a state that has none starts with those of a run.
std::vector<double>& Simulation::tendonMemory() {
    const std::size_t size = rows_.tendons().memorySize();
    if (size == 0) return tendon_memory_;
    const std::vector<double>* known = state_.findBlock(kTendonBlock);
    if (known && known->size() == size) {
        tendon_memory_ = *known;
    } else {
        tendon_memory_.assign(size, 0.0);
        rows_.tendons().start(tendon_memory_);
        state_.block(kTendonBlock, size) = tendon_memory_;
    }
    return tendon_memory_;
}

std::optional<BlowUp> Simulation::stepWithRows() {
    ledger_before_ = ledger_;
    tendonMemory();
    noteSwitches();
    noteBrakes();
    takeAnchors();
    const int substeps = rows_.substeps();
    h_ = dt_ / substeps;
    const bool rises = accounts_ && setup_.ramp > 0 && !contact_.empty() && state_.t < setup_.ramp;
    q_next_ = state_.q, v_next_ = state_.v;
    rows_.begin(state_, dt_);
    for (int k = 0; k < substeps; ++k) {
        const double t = state_.t + k * h_, t_end = k + 1 == substeps ? state_.t + dt_ : t + h_;
        v_before_ = v_next_;
        evaluate(q_next_, v_before_, t, h_);
        if (contact_.empty() && !inputs_.push)
            kernel_->kinematics(q_next_.data(), v_before_.data(), inputs_.param.data(), work_.data(), X_.data(),
                                V_.data());
        for (std::size_t i = 0; i < v_next_.size(); ++i) v_next_[i] += h_ * vdot_[i];
        addTurning(*model_, layout_, v_before_, inputs_.param, h_, v_next_);
        RowStep::Start start = rowStart(q_next_, v_before_, t, h_);
        start.first = k == 0, start.last = k + 1 == substeps;
        start.end = t_end;
        rows_.solve(*model_, layout_, kernel_, work_.data(), start, v_next_);
        if (accounts_) accountRows(q_next_, v_before_);
        const double gain = rises ? contactGain(setup_, t) : 0;
        q_before_ = q_next_;
        drift_(q_next_, v_next_, h_);
        settleFloating(*model_, layout_, q_before_, inputs_.param, h_, q_next_, v_next_);
        rows_.place(inputs_.param, t_end, q_next_);
        if (rises) bookRamp(q_next_, v_next_, gain, contactGain(setup_, t_end));
    }
    if (auto fault = faultOf(q_next_, v_next_)) {
        ledger_ = ledger_before_;
        rows_.forget();
        return fault;
    }
    if (!tendon_memory_.empty()) state_.block(kTendonBlock, tendon_memory_.size()) = tendon_memory_;
    rows_.end(state_);
    commitStep();
    return std::nullopt;
}

// Works of the step's forces and rows along the mean of both velocities; each is what it did to the kinetic energy, as
// far as M is constant over the step.
void Simulation::accountRows(const std::vector<double>& q, const std::vector<double>& v_before) {
    if (layout_.nc > 0) {  // the loops' multipliers that hold against the rows' impulses too
        v_felt_.resize(v_before.size()), vdot_end_.resize(v_before.size());
        v_felt_ = tau_;
        rows_.addForces(v_felt_);
        kernel_->fwd_dyn(q.data(), v_before.data(), v_felt_.data(), fext_, inputs_.act.data(), inputs_.param.data(),
                         work_.data(), vdot_end_.data(), lambda_.data());
    }
    account(q, v_before);
    const RowWork work = rows_.work(v_before, v_next_);
    const auto book = [this](double& entry, double amount) {
        entry += amount;
        ledger_.absolute += std::abs(amount);
    };
    book(ledger_.drives, work.drives);
    book(ledger_.drives, work.prescribed);
    ledger_.prescribed += work.prescribed;
    book(ledger_.dissipated, work.tendon_dissipated);
    ledger_.tendon_dissipated += work.tendon_dissipated;
    book(ledger_.dissipated, work.row_dissipated);
    ledger_.row_dissipated += work.row_dissipated;
    book(ledger_.dissipated, work.damping);
    book(ledger_.injected, work.injected);
    book(ledger_.numerical, work.numerical);
}

// Tendons that were switched off or on by hand take their springs' energy away or bring it: work by hand.
void Simulation::noteSwitches() {
    const std::vector<double>* known = state_.findBlock(kSwitchBlock);
    if (!known && inputs_.tendon_off.empty()) return;
    std::vector<char> before;
    if (known)
        for (const double x : *known) before.push_back(x != 0);
    if (before == inputs_.tendon_off) return;
    if (accounts_) {
        kernel_->kinematics(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
        std::swap(before, inputs_.tendon_off);
        const double was = tendonEnergy();
        std::swap(before, inputs_.tendon_off);
        ledger_.hand += tendonEnergy() - was;
    }
    std::vector<double>& block = state_.block(kSwitchBlock, inputs_.tendon_off.size());
    block.assign(inputs_.tendon_off.begin(), inputs_.tendon_off.end());
}

// J in the tendons at the state; X_ and V_ must be those of it.
double Simulation::tendonEnergy() {
    if (rows_.tendons().empty()) return 0;
    tendonMemory();
    RowStep::Start start = rowStart(state_.q, state_.v, state_.t, 0);
    start.param = used_param_;  // the books look at other parameters than those of the inputs
    const MotionAxes& axes = rows_.axesFor(*model_, layout_, state_.q, X_, used_param_);
    return rows_.tendons().energy(RowStep::tendonStep(start, &axes));
}

// Multipliers of the loops with the rows' forces of the last step; empty: no loops, or no such step.
std::vector<double> Simulation::lambdaWithRows() {
    if (layout_.nc == 0 || !rows_.valid()) return {};
    evaluate(state_.q, state_.v, state_.t, dt_);
    rows_.addForces(tau_);
    kernel_->fwd_dyn(state_.q.data(), state_.v.data(), tau_.data(), fext_, inputs_.act.data(), inputs_.param.data(),
                     work_.data(), vdot_.data(), lambda_.data());
    return lambda_;
}

// vdot_ and lambda_ of the state with prescribed joints accelerating as they must; reaction_: what that takes.
void Simulation::holdPrescribed() {
    if (!rows_.prescribes()) return;
    reaction_.assign(tau_.size(), 0.0);
    rows_.accelerate(kernel_, work_.data(), state_.q, inputs_.param, state_.t, vdot_, reaction_);
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += reaction_[i];
    kernel_->fwd_dyn(state_.q.data(), state_.v.data(), tau_.data(), fext_, inputs_.act.data(), inputs_.param.data(),
                     work_.data(), vdot_.data(), lambda_.data());
}

void Simulation::readRows(Readings& readings, bool contacts) {
    std::size_t prescribed = 0;
    for (std::size_t i = 0; i < model_->drives.size(); ++i)
        if (model_->drives[i].kind == Drive::Kind::prescribed) {
            readings.drive_force[i] = rows_.valid() ? rows_.reaction(prescribed) : reaction_[drives_.velocityOf(i)];
            ++prescribed;
        }
    if (!rows_.tendons().empty()) {
        tendonMemory();
        std::copy(readings.X.begin(), readings.X.end(), X_.begin());
        std::copy(readings.V.begin(), readings.V.end(), V_.begin());
        readings.tendon_energy = tendonEnergy();
        const bool valid = rows_.valid();
        const RowStep::Start start = rowStart(state_.q, state_.v, state_.t, valid ? rows_.h() : 0);
        const MotionAxes& axes = rows_.axesFor(*model_, layout_, state_.q, X_, inputs_.param);
        readings.tendons = rows_.tendons().readings(RowStep::tendonStep(start, &axes),
                                                    valid ? &rows_.lastRows() : nullptr, rows_.lastImpulses());
    }
    if (rows_.active()) rows_.read(*model_, layout_, kernel_, work_.data(), inputs_.param, contacts, readings.rows);
}

Readings Simulation::solveStep(bool contacts) {
    if (!rows_.active()) return read(contacts);
    const State state = state_;
    const Ledger ledger = ledger_;
    const ContactTotals applied = applied_;
    step();
    state_ = state, ledger_ = ledger, applied_ = applied;  // what was solved stays to be read
    Readings readings = read(contacts);
    rows_.forget();
    return readings;
}

}  // namespace mw
