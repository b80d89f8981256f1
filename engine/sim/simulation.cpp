// One step: geometry, one evaluation of the dynamics, the kick, the books.
//
// Verlet is drift-kick-drift (seed of the scheme: one force evaluation per step, at the midpoint in position and, by
// the predictor v + a_prev dt/2, in velocity; without the predictor velocity-dependent forces make it first order).
// Euler is semi-implicit: forces at the start, positions with the new velocities.
#include "engine/sim/simulation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace mw {
namespace {

constexpr const char* kVdotBlock = "vdot";
constexpr const char* kTimeBlock = "time";  // what rounding took from t so far (compensated summation)
// Beyond these a number is a symptom, not a motion: the next steps would only turn it into infinities.
constexpr double kAbsurdSpeed = 1e9;      // m/s or rad/s
constexpr double kAbsurdPosition = 1e12;  // m or rad

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Spring and couple of a push at given poses and velocities; the moment is about the base origin, all in base axes.
struct PushForce {
    Vector3d point{}, force{}, moment{};
};
PushForce pushForce(const Inputs::Push& push, std::span<const double> X, std::span<const double> V) {
    PushForce result;
    const double* R = X.data() + 12 * push.body;
    const double* w = V.data() + 6 * push.body;
    Vector3d arm{};
    for (std::size_t k = 0; k < 3; ++k) {
        arm[k] = R[3 * k] * push.point[0] + R[3 * k + 1] * push.point[1] + R[3 * k + 2] * push.point[2];
        result.point[k] = arm[k] + R[9 + k];
    }
    const Vector3d velocity{w[3] + w[1] * arm[2] - w[2] * arm[1], w[4] + w[2] * arm[0] - w[0] * arm[2],
                            w[5] + w[0] * arm[1] - w[1] * arm[0]};
    for (std::size_t k = 0; k < 3; ++k)
        result.force[k] = push.stiffness * (push.target[k] - result.point[k]) - push.damping * velocity[k];
    const Vector3d &p = result.point, &f = result.force;
    result.moment = {p[1] * f[2] - p[2] * f[1] + push.torque[0], p[2] * f[0] - p[0] * f[2] + push.torque[1],
                     p[0] * f[1] - p[1] * f[0] + push.torque[2]};
    return result;
}

bool anyNonZero(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return x != 0; });
}

}  // namespace

const char* integratorName(Integrator integrator) { return integrator == Integrator::euler ? "euler" : "verlet"; }

std::optional<Integrator> integratorFromName(const std::string& name) {
    if (name == "euler") return Integrator::euler;
    if (name == "verlet") return Integrator::verlet;
    return std::nullopt;
}

Inputs noInputs(const Model& model, const Layout& layout) {
    Inputs inputs;
    inputs.tau.assign(static_cast<std::size_t>(layout.nv), 0);
    inputs.act.assign(static_cast<std::size_t>(layout.nact), 0);
    inputs.fext.assign(static_cast<std::size_t>(6 * layout.nbody), 0);
    inputs.param = model.liveValues();
    return inputs;
}

Simulation::Simulation(std::shared_ptr<const Model> model, Kernel kernel, Integrator integrator, double dt)
    : model_(std::move(model)),
      layout_(layoutOf(*model_)),
      integrator_(integrator),
      dt_(dt),
      inputs_(noInputs(*model_, layout_)) {
    const auto nv = static_cast<std::size_t>(layout_.nv);
    const auto nbody = static_cast<std::size_t>(layout_.nbody);
    drives_ = DriveLaws(*model_);
    loop_power_ = LoopPower(*model_);
    tau_.resize(nv), tau_drive_.resize(nv), tau_push_.resize(nv), vdot_.resize(nv);
    X_.resize(12 * nbody), V_.resize(6 * nbody), obs_.resize(static_cast<std::size_t>(layout_.nobs));
    const auto damps = [](const auto& e) { return !e.c.isZero() || !e.damper_curve.empty(); };
    has_dampers_ = std::any_of(model_->tsdas.begin(), model_->tsdas.end(), damps) ||
                   std::any_of(model_->rsdas.begin(), model_->rsdas.end(), damps) ||
                   std::any_of(model_->bodies.begin(), model_->bodies.end(),
                               [](const Body& b) { return !b.joint_damping.isZero(); });
    setKernel(std::move(kernel));
    reset();
}

void Simulation::setKernel(Kernel kernel) {
    if (!kernel || kernel->abi_version != MW_KERNEL_ABI_VERSION)
        throw std::invalid_argument("this kernel was made for another version of the interface; generate it again");
    if (kernel.modelHash() != dynamicsHash(*model_))
        throw std::invalid_argument("this kernel belongs to another mechanism; generate it again");
    kernel_ = std::move(kernel);
    work_ = makeWork(kernel_);
    lambda_.resize(static_cast<std::size_t>(kernel_->nc));
}

void Simulation::setState(State state, Ledger ledger) {
    state_ = std::move(state);
    ledger_ = std::move(ledger);
}

void Simulation::reset() {
    state_ = State{};
    state_.q = startQ(*model_, layout_, inputs_.param);
    state_.v = startV(*model_, layout_, inputs_.param);
    ledger_ = Ledger{};
    ledger_.param = inputs_.param;
    ledger_.initial_total = totalEnergy(inputs_.param);
    evaluate(state_.q, state_.v, 0);
    state_.block(kVdotBlock, vdot_.size()) = vdot_;
}

double Simulation::totalEnergy(std::span<const double> param) {
    kernel_->kinematics(state_.q.data(), state_.v.data(), param.data(), work_.data(), X_.data(), V_.data());
    kernel_->observe(state_.q.data(), state_.v.data(), param.data(), work_.data(), obs_.data());
    return energiesOf(*model_, layout_, param, X_, V_, obs_, state_.v).total();
}

// vdot_ at (q, v, t), with what acts: tau_ is the sum of hand, drives and push; each part stays readable for the books.
void Simulation::evaluate(const std::vector<double>& q, const std::vector<double>& v, double t) {
    tau_ = inputs_.tau;
    if (!model_->drives.empty()) {
        std::fill(tau_drive_.begin(), tau_drive_.end(), 0);
        drives_.evaluate(q, v, inputs_.param, t, drive_target_, drive_force_);
        drives_.add(drive_force_, tau_drive_);
        for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau_drive_[i];
    }
    if (inputs_.push) {
        kernel_->kinematics(q.data(), v.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
        const PushForce push = pushForce(*inputs_.push, X_, V_);
        std::fill(tau_push_.begin(), tau_push_.end(), 0);
        addWrench(*model_, layout_, q, X_, inputs_.param, inputs_.push->body, push.moment, push.force, tau_push_);
        for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau_push_[i];
    }
    fext_ = anyNonZero(inputs_.fext) ? inputs_.fext.data() : nullptr;
    kernel_->fwd_dyn(q.data(), v.data(), tau_.data(), fext_, inputs_.act.data(), inputs_.param.data(), work_.data(),
                     vdot_.data(), lambda_.data());
}

// Energy that crossed the mechanism's border in a kick: force times the mean of v before and after, which for a
// constant mass matrix is the change of kinetic energy exactly.
void Simulation::account(const std::vector<double>& q, const std::vector<double>& v_before) {
    v_mid_.resize(v_before.size());
    for (std::size_t i = 0; i < v_mid_.size(); ++i) v_mid_[i] = 0.5 * (v_before[i] + v_next_[i]);
    if (!model_->drives.empty()) ledger_.drives += dt_ * dot(tau_drive_, v_mid_);
    double hand = dot(inputs_.tau, v_mid_);
    if (inputs_.push) hand += dot(tau_push_, v_mid_);
    const bool acts = anyNonZero(inputs_.act);
    if (fext_) {
        kernel_->kinematics(q.data(), v_mid_.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
        for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
            if (!model_->bodies[i].fext) continue;
            // Power of [moment about the base origin; force]: m.w + f.(v_origin - w x p)
            const double *f = fext_ + 6 * i, *p = X_.data() + 12 * i + 9, *w = V_.data() + 6 * i;
            const Vector3d base{w[3] - (w[1] * p[2] - w[2] * p[1]), w[4] - (w[2] * p[0] - w[0] * p[2]),
                                w[5] - (w[0] * p[1] - w[1] * p[0])};
            hand += f[0] * w[0] + f[1] * w[1] + f[2] * w[2] + f[3] * base[0] + f[4] * base[1] + f[5] * base[2];
        }
    }
    if (acts || has_dampers_) {
        kernel_->observe(q.data(), v_mid_.data(), inputs_.param.data(), work_.data(), obs_.data());
        for (std::size_t i = 0; i < model_->tsdas.size(); ++i)
            if (layout_.act_of_tsda[i] >= 0)
                hand -= inputs_.act[static_cast<std::size_t>(layout_.act_of_tsda[i])] *
                        obs_[static_cast<std::size_t>(layout_.obs_of_tsda[i]) + 1];
        for (std::size_t i = 0; i < model_->rsdas.size(); ++i)
            if (layout_.act_of_rsda[i] >= 0)
                hand += inputs_.act[static_cast<std::size_t>(layout_.act_of_rsda[i])] *
                        obs_[static_cast<std::size_t>(layout_.obs_of_rsda[i]) + 1];
    }
    ledger_.hand += dt_ * hand;
    if (layout_.nc > 0) {
        kernel_->kinematics(q.data(), v_mid_.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
        ledger_.loops += dt_ * loop_power_(inputs_.param, X_, V_, lambda_);
    }
    if (has_dampers_) {
        const ElementForces forces = elementForces(*model_, layout_, inputs_.param, obs_, inputs_.act, v_mid_);
        double power = 0;
        for (const auto* group : {&forces.tsda_damping_power, &forces.rsda_damping_power, &forces.joint_damping_power})
            for (const double p : *group) power += p;
        ledger_.dissipated -= dt_ * power;
    }
}

// A live parameter that moved changes energies without any motion: that is work done by hand.
void Simulation::noteParameters() {
    if (ledger_.param == inputs_.param) return;
    if (ledger_.param.size() != inputs_.param.size()) {  // fresh books: nothing was accounted under other values
        ledger_.param = inputs_.param;
        return;
    }
    ledger_.hand += totalEnergy(inputs_.param) - totalEnergy(ledger_.param);
    ledger_.param = inputs_.param;
}

std::optional<BlowUp> Simulation::faultOf(const std::vector<double>& q, const std::vector<double>& v) const {
    const auto bad = [](double x, double limit) { return !(std::abs(x) <= limit); };
    int first = -1, count = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
        if (bad(v[i], kAbsurdSpeed)) {
            if (first < 0) first = static_cast<int>(i);
            ++count;
        }
    if (first >= 0) {
        // One infinity spreads through the solve to every coordinate: then the fastest of the last good state is to
        // blame.
        if (count == static_cast<int>(v.size()) && count > 1)
            first = static_cast<int>(std::max_element(state_.v.begin(), state_.v.end(),
                                                      [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                                     state_.v.begin());
        const int body = layout_.body_of_v[static_cast<std::size_t>(first)];
        const double value = v[static_cast<std::size_t>(first)];
        const std::string name = layout_.v_names[static_cast<std::size_t>(first)];
        return BlowUp{body,
                      std::isfinite(value) ? fmt::format("velocity of '{}' reached {:.3g}", name, value)
                                           : fmt::format("velocity of '{}' is no longer a finite number", name),
                      state_.t, state_.step};
    }
    for (std::size_t b = 0; b < model_->bodies.size(); ++b)
        for (int k = 0; k < jointNq(model_->bodies[b].joint.type); ++k)
            if (bad(q[static_cast<std::size_t>(layout_.q_of_body[b] + k)], kAbsurdPosition))
                return BlowUp{static_cast<int>(b),
                              fmt::format("position of '{}' is no longer a reasonable number", model_->bodies[b].name),
                              state_.t, state_.step};
    return std::nullopt;
}

std::optional<BlowUp> Simulation::step() {
    noteParameters();
    const Ledger ledger_before = ledger_;
    q_next_ = state_.q;
    v_next_ = state_.v;
    if (integrator_ == Integrator::verlet) {
        const std::vector<double>& vdot_before = state_.block(kVdotBlock, v_next_.size());
        v_mid_.resize(v_next_.size());
        for (std::size_t i = 0; i < v_mid_.size(); ++i) v_mid_[i] = state_.v[i] + 0.5 * dt_ * vdot_before[i];
        drift(*model_, layout_, q_next_, state_.v, 0.5 * dt_);
        evaluate(q_next_, v_mid_, state_.t + 0.5 * dt_);
        for (std::size_t i = 0; i < v_next_.size(); ++i) v_next_[i] += dt_ * vdot_[i];
        account(q_next_, state_.v);
        drift(*model_, layout_, q_next_, v_next_, 0.5 * dt_);
    } else {
        evaluate(state_.q, state_.v, state_.t);
        for (std::size_t i = 0; i < v_next_.size(); ++i) v_next_[i] += dt_ * vdot_[i];
        account(state_.q, state_.v);
        drift(*model_, layout_, q_next_, v_next_, dt_);
    }
    if (auto fault = faultOf(q_next_, v_next_)) {
        ledger_ = ledger_before;
        return fault;
    }
    state_.q = q_next_;
    state_.v = v_next_;
    state_.block(kVdotBlock, vdot_.size()) = vdot_;
    // A thousand steps of 1 ms end at 1 s and not at 1.0000000000000007 s (Kahan's summation).
    double& lost = state_.block(kTimeBlock, 1)[0];
    const double step = dt_ - lost, t = state_.t + step;
    lost = (t - state_.t) - step;
    state_.t = t;
    ++state_.step;
    return std::nullopt;
}

Readings Simulation::read() {
    Readings readings;
    evaluate(state_.q, state_.v, state_.t);
    readings.vdot = vdot_;
    readings.X.resize(X_.size()), readings.V.resize(V_.size()), readings.obs.resize(obs_.size());
    kernel_->kinematics(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), readings.X.data(),
                        readings.V.data());
    kernel_->observe(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), readings.obs.data());
    readings.energy = energiesOf(*model_, layout_, inputs_.param, readings.X, readings.V, readings.obs, state_.v);
    readings.momenta = momentaOf(*model_, inputs_.param, readings.X, readings.V);
    readings.elements = elementForces(*model_, layout_, inputs_.param, readings.obs, inputs_.act, state_.v);
    drives_.evaluate(state_.q, state_.v, inputs_.param, state_.t, readings.drive_target, readings.drive_force);
    readings.lambda = lambda_;
    readings.loops = loopReadings(*model_, layout_, inputs_.param, readings.X, readings.V, lambda_);
    readings.ledger = ledger_;
    readings.residual = readings.energy.total() + ledger_.dissipated - ledger_.drives - ledger_.hand - ledger_.loops -
                        ledger_.initial_total;
    if (inputs_.push) {
        const PushForce push = pushForce(*inputs_.push, readings.X, readings.V);
        readings.push_force = push.force;
        readings.push_point = push.point;
    }
    return readings;
}

}  // namespace mw
