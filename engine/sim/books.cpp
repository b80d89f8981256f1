// Energy that crosses the mechanism's border in a kick: force times the mean of v before and after, which for a
// constant mass matrix is the change of kinetic energy exactly.
#include "engine/sim/books.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/elements.h"
#include "engine/sim/simulation.h"

namespace mw {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

bool anyNonZero(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return x != 0; });
}

}  // namespace

double wrenchPower(std::span<const double> wrenches, std::span<const double> X, std::span<const double> V,
                   const std::vector<char>& taken) {
    double power = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i]) continue;
        // m.w + f.(v_origin - w x p)
        const double *f = wrenches.data() + 6 * i, *p = X.data() + 12 * i + 9, *w = V.data() + 6 * i;
        const Vector3d base{w[3] - (w[1] * p[2] - w[2] * p[1]), w[4] - (w[2] * p[0] - w[0] * p[2]),
                            w[5] - (w[0] * p[1] - w[1] * p[0])};
        power += f[0] * w[0] + f[1] * w[1] + f[2] * w[2] + f[3] * base[0] + f[4] * base[1] + f[5] * base[2];
    }
    return power;
}

DamperPower::DamperPower(const Model& model, const Layout& layout) {
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
        const Tsda& e = model.tsdas[i];
        if (!e.c.isZero() || !e.damper_curve.empty())
            tsdas_.push_back({e.c, e.damper_curve, static_cast<std::size_t>(layout.obs_of_tsda[i]) + 1});
    }
    for (std::size_t i = 0; i < model.rsdas.size(); ++i) {
        const Rsda& e = model.rsdas[i];
        if (!e.c.isZero() || !e.damper_curve.empty())
            rsdas_.push_back({e.c, e.damper_curve, static_cast<std::size_t>(layout.obs_of_rsda[i]) + 1});
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const int count = jointNv(model.bodies[b].joint.type);
        if (count > 0 && !model.bodies[b].joint_damping.isZero())
            joints_.push_back({model.bodies[b].joint_damping, static_cast<std::size_t>(layout.v_of_body[b]),
                               static_cast<std::size_t>(count)});
    }
}

double DamperPower::operator()(std::span<const double> param, const Rates& felt, const Rates& moved) const {
    double power = 0;
    for (const auto* group : {&tsdas_, &rsdas_})
        for (const Damper& e : *group) {
            const double rate = felt.obs[e.rate];
            power -= (e.c.at(param) * rate + curveValue(e.curve, param, rate)) * moved.obs[e.rate];
        }
    for (const JointDamper& joint : joints_) {
        const double d = joint.d.at(param);
        for (std::size_t k = joint.v; k < joint.v + joint.count; ++k) power -= d * felt.v[k] * moved.v[k];
    }
    return power;
}

void Simulation::account(const std::vector<double>& q, const std::vector<double>& v_before) {
    v_mid_.resize(v_before.size());
    for (std::size_t i = 0; i < v_mid_.size(); ++i) v_mid_[i] = 0.5 * (v_before[i] + v_next_[i]);
    const std::vector<double>& param = inputs_.param;
    const auto book = [&](double& entry, double work) {
        entry += work;
        ledger_.absolute += std::abs(work);
    };

    // Everything that asks for the bodies' velocities asks at the mean of the two: one pass of the kinematics.
    const bool by_fext = fext_ && anyNonZero(inputs_.fext), touches = !contact_.empty();
    if (by_fext || touches || layout_.nc > 0)
        kernel_->kinematics(q.data(), v_mid_.data(), param.data(), work_.data(), X_.data(), V_.data());

    double drives = model_->drives.empty() ? 0 : dot(tau_drive_, v_mid_);
    double brakes = 0;
    for (std::size_t i = 0; i < driven_.size(); ++i) {
        const double speed = v_mid_[static_cast<std::size_t>(driven_[i].v)];
        drives += roller_torques_[i].drive * speed;
        brakes += roller_torques_[i].damper * speed;
    }
    book(ledger_.drives, h_ * drives);

    double hand = dot(inputs_.tau, v_mid_);
    if (inputs_.push) hand += dot(tau_push_, v_mid_);
    if (by_fext) hand += wrenchPower(inputs_.fext, X_, V_, takes_fext_);
    const bool acts = anyNonZero(inputs_.act), damps = damper_power_.any();
    if (acts || damps) kernel_->observe(q.data(), v_mid_.data(), param.data(), work_.data(), obs_.data());
    if (acts) {
        for (std::size_t i = 0; i < model_->tsdas.size(); ++i)
            if (layout_.act_of_tsda[i] >= 0)
                hand -= inputs_.act[static_cast<std::size_t>(layout_.act_of_tsda[i])] *
                        obs_[static_cast<std::size_t>(layout_.obs_of_tsda[i]) + 1];
        for (std::size_t i = 0; i < model_->rsdas.size(); ++i)
            if (layout_.act_of_rsda[i] >= 0)
                hand += inputs_.act[static_cast<std::size_t>(layout_.act_of_rsda[i])] *
                        obs_[static_cast<std::size_t>(layout_.obs_of_rsda[i]) + 1];
    }
    book(ledger_.hand, h_ * hand);
    if (layout_.nc > 0) book(ledger_.loops, h_ * loop_power_(param, X_, V_, lambda_));
    if (damps) {
        const DamperPower::Rates mean{obs_, v_mid_};
        DamperPower::Rates felt = mean;
        if (touches && !predicts_ && integrator_ == Integrator::verlet) {  // the mean that averageWithEnd() expected
            obs_felt_.resize(obs_.size());
            kernel_->observe(q.data(), v_felt_.data(), param.data(), work_.data(), obs_felt_.data());
            felt = {obs_felt_, v_felt_};
        } else if (rows_.active()) {  // forces at the start of the step, to the last joule
            obs_felt_.resize(obs_.size());
            kernel_->observe(q.data(), v_before.data(), param.data(), work_.data(), obs_felt_.data());
            felt = {obs_felt_, v_before};
        }
        book(ledger_.dissipated, -h_ * damper_power_(param, felt, mean));
    }
    if (!driven_.empty()) {
        ledger_.brake_dissipated -= h_ * brakes;
        book(ledger_.dissipated, -h_ * brakes);
    }
    if (touches) {
        // What sliding anchors let go is no force's work: it left their springs.
        const double lost = applied_.released - h_ * wrenchPower(fext_dissipative_, X_, V_, takes_fext_);
        ledger_.contact_dissipated += lost;
        book(ledger_.dissipated, lost);
    }
}

void Simulation::bookRamp(const std::vector<double>& q, const std::vector<double>& v, double from, double to) {
    // Gains rise while nothing moves: the potentials rise with them.
    if (from == to) return;
    kernel_->kinematics(q.data(), v.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
    ContactSettings settings = settingsAt(0, 0);
    settings.gain = to;
    double work = contact_.energy(X_, settings, anchors_).total();
    settings.gain = from;
    work -= contact_.energy(X_, settings, anchors_).total();
    ledger_.ramp += work;
    ledger_.absolute += std::abs(work);
}

Simulation::EnergyNow Simulation::energyWith(const std::vector<double>& param) {
    useParameters(param);
    kernel_->kinematics(state_.q.data(), state_.v.data(), param.data(), work_.data(), X_.data(), V_.data());
    kernel_->observe(state_.q.data(), state_.v.data(), param.data(), work_.data(), obs_.data());
    const Energies energy = energiesOf(*model_, layout_, param, X_, V_, obs_, state_.v);
    double total = energy.total();
    if (!contact_.empty()) total += contact_.energy(X_, settingsAt(state_.t, 0), takeAnchors()).total();
    total += tendonEnergy();
    const std::vector<double>* brake = state_.findBlock("brake");
    for (std::size_t i = 0; brake && i < driven_.size() && kBrakeNumbers * (i + 1) <= brake->size(); ++i)
        total += brakeEnergy(driven_[i], {(*brake)[kBrakeNumbers * i], (*brake)[kBrakeNumbers * i + 1]},
                             state_.q[static_cast<std::size_t>(driven_[i].q)]);
    return {energy.kinetic, total};
}

// A live parameter that moved changes energies without any motion: that is work done by hand.
void Simulation::noteParameters() {
    if (used_param_ != inputs_.param) useParameters(inputs_.param);
    if (ledger_.param == inputs_.param) return;
    if (ledger_.param.size() == inputs_.param.size()) {
        const double before = energyWith(ledger_.param).total;
        ledger_.hand += energyWith(inputs_.param).total - before;
    }  // else fresh books: nothing was accounted under other values
    ledger_.param = inputs_.param;
}

}  // namespace mw
