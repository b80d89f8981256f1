// One step: geometry, one evaluation of the dynamics, the kick, the books (books.cpp).
//
// Verlet is drift-kick-drift (seed of the scheme: one force evaluation per step, at the midpoint in position and, by
// the predictor v + a_prev dt/2, in velocity; without the predictor velocity-dependent forces make it first order).
// Contact models go without it: a stiff damper at a predicted velocity drives what it should brake.
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
constexpr const char* kAnchorBlock = "anchors";
constexpr const char* kBrakeBlock = "brake";
// Beyond these a number is a symptom, not a motion: the next steps would only turn it into infinities.
constexpr double kAbsurdSpeed = 1e9;      // m/s or rad/s
constexpr double kAbsurdPosition = 1e12;  // m or rad

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

Integrator defaultIntegrator(const Model& model) { return hasRows(model) ? Integrator::euler : Integrator::verlet; }

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
    for (const Body& body : model_->bodies) takes_fext_.push_back(body.fext ? 1 : 0);
    damper_power_ = DamperPower(*model_, layout_);
    drift_ = DriftPlan(*model_, layout_);
    rows_ = RowStep(*model_, layout_);
    setIntegrator(integrator);
    contact_ = ContactModel(*model_);
    predicts_ = contact_.empty();
    if (!contact_.empty()) fext_sum_.resize(6 * nbody), fext_dissipative_.resize(6 * nbody);
    useParameters(inputs_.param);
    setKernel(std::move(kernel));
    reset();
}

void Simulation::setIntegrator(Integrator integrator) {
    if (integrator == Integrator::verlet && rows_.active()) {
        std::string why;
        hasRows(*model_, &why);
        throw std::invalid_argument(
            fmt::format("Verlet cannot step a mechanism with rows: {}. Use Euler, which takes their impulses at the "
                        "start of a step and moves with the velocities that they leave",
                        why));
    }
    integrator_ = integrator;
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
    rows_.forget();
}

void Simulation::useParameters(const std::vector<double>& param) {
    if (used_param_ == param && !numbers_due_) return;
    used_param_ = param;
    numbers_due_ = false;
    contact_.setParameters(param);
    rows_.setParameters(param);
    if (!model_->tracks.empty()) driven_ = drivenRollers(*model_, layout_, param);
    roller_torques_.resize(driven_.size());
}

void Simulation::reset() {
    useParameters(inputs_.param);
    state_ = State{};
    state_.q = startQ(*model_, layout_, inputs_.param);
    state_.v = startV(*model_, layout_, inputs_.param);
    if (setup_.slope != 0) turnRoots(*model_, layout_, inputs_.param, setup_.slope, state_.q);
    const std::vector<double> rates = state_.v;
    rows_.prescribe(inputs_.param, 0, state_.q, state_.v);
    if (rows_.prescribes() && layout_.nc > 0) {
        state_.v = rates;
        rows_.takeAlong(kernel_, work_.data(), state_.q, inputs_.param, 0, state_.v);
    }
    rows_.forget();
    tendonMemory();
    applied_ = ContactTotals{};
    ledger_ = Ledger{};
    ledger_.param = inputs_.param;
    ledger_.initial_total = energyWith(inputs_.param).total;
    noteBrakes();
    takeAnchors();
    evaluate(state_.q, state_.v, 0, 0, true);
    state_.block(kVdotBlock, vdot_.size()) = vdot_;
}

void Simulation::setContactSetup(const ContactSetup& setup) {
    if (setup == setup_) return;
    if (setup.slope != setup_.slope) {
        const std::string why = whyNotTurned(*model_);
        if (setup.slope != 0 && !why.empty()) throw std::invalid_argument(why);
        ContactModel turned(*model_, setup.slope);
        contact_ = std::move(turned);
        rows_.tilt(*model_, setup.slope);
        numbers_due_ = true;
        setup_ = setup;
        reset();
        return;
    }
    const auto energy = [&] {
        if (contact_.empty()) return ContactEnergy{};
        kernel_->kinematics(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), X_.data(), V_.data());
        return contact_.energy(X_, settingsAt(state_.t, 0), takeAnchors());
    };
    useParameters(inputs_.param);
    const ContactEnergy before = energy();
    setup_ = setup;
    if (setup_.friction != Friction::anchored)
        std::erase_if(state_.blocks, [](const StateBlock& block) { return block.name == kAnchorBlock; });
    const ContactEnergy after = energy();
    const double risen = after.bands + after.ground - before.bands - before.ground;
    const double released = before.anchors - after.anchors;
    if (state_.step == 0) {  // nothing has happened yet: another start
        ledger_.initial_total += risen - released;
        return;
    }
    ledger_.ramp += risen;
    ledger_.contact_dissipated += released;
    ledger_.dissipated += released;
}

ContactSettings Simulation::settingsAt(double t, double dt) const {
    ContactSettings settings;
    settings.dt = dt;
    settings.gain = contactGain(setup_, t);
    settings.friction = setup_.friction;
    return settings;
}

// The anchors as the state has them, in anchors_: empty under the regularised law.
std::vector<double>& Simulation::takeAnchors() {
    if (setup_.friction == Friction::anchored && !contact_.empty())
        anchors_ = state_.block(kAnchorBlock, contact_.anchorSize());
    else anchors_.clear();
    return anchors_;
}

// Brakes as the state has them, in brake_, and as the inputs want them: one that goes on holds the angle of that
// moment; what is in the spring of one that is let go is lost.
void Simulation::noteBrakes() {
    if (driven_.empty()) return;
    const std::vector<double>* known = state_.findBlock(kBrakeBlock);
    if (!known && !inputs_.brake) {
        brake_.clear();
        return;
    }
    brake_.clear();
    if (known) brake_ = *known;
    brake_.resize(kBrakeNumbers * driven_.size(), 0.0);
    for (std::size_t i = 0; i < driven_.size(); ++i) {
        double* one = brake_.data() + kBrakeNumbers * i;
        const double angle = state_.q[static_cast<std::size_t>(driven_[i].q)];
        if ((one[0] != 0) == inputs_.brake) continue;
        if (!inputs_.brake && accounts_) {
            const double lost = brakeEnergy(driven_[i], {one[0], one[1]}, angle);
            ledger_.brake_dissipated += lost;
            ledger_.dissipated += lost;
            ledger_.absolute += lost;
        }
        one[0] = inputs_.brake ? 1 : 0;
        one[1] = inputs_.brake ? angle : 0;
    }
}

// vdot_ at (q, v, t), with what acts: tau_ is the sum of hand, drives, brakes and push, fext_sum_ that of wrenches by
// hand and of contacts; each part stays readable for the books. The anchors in anchors_ move on by dt. `alone`: with
// the tendons' forces that the state defines, which in a step are rows.
void Simulation::evaluate(const std::vector<double>& q, const std::vector<double>& v, double t, double dt, bool alone) {
    const std::vector<double>& param = inputs_.param;
    tau_ = inputs_.tau;
    const bool driving = !inputs_.driving.empty() && !driven_.empty();
    if (!model_->drives.empty()) {
        std::fill(tau_drive_.begin(), tau_drive_.end(), 0);
        drives_.evaluate(q, v, param, t, drive_target_, drive_force_);
        if (driving)  // who drives by hand has taken the place of what is written
            for (std::size_t i = 0; i < drives_.size(); ++i)
                for (const DrivenRoller& roller : driven_)
                    if (drives_.velocityOf(i) == static_cast<std::size_t>(roller.v)) drive_force_[i] = 0;
        drives_.add(drive_force_, tau_drive_);
        for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau_drive_[i];
    }
    for (std::size_t i = 0; i < driven_.size(); ++i) {
        const DrivenRoller& roller = driven_[i];
        BrakeMemory brake;
        if (!brake_.empty()) brake = {brake_[kBrakeNumbers * i], brake_[kBrakeNumbers * i + 1]};
        const double* wanted = driving && i < inputs_.driving.size() ? &inputs_.driving[i] : nullptr;
        const auto j = static_cast<std::size_t>(roller.v);
        roller_torques_[i] = rollerTorques(roller, brake, wanted, q[static_cast<std::size_t>(roller.q)], v[j], dt);
        tau_[j] += roller_torques_[i].spring + roller_torques_[i].damper + roller_torques_[i].drive;
    }
    const bool touches = !contact_.empty();
    const bool pulls = alone && !rows_.tendons().empty();
    if (touches || inputs_.push || pulls)
        kernel_->kinematics(q.data(), v.data(), param.data(), work_.data(), X_.data(), V_.data());
    if (pulls) rows_.addStateForces(*model_, layout_, rowStart(q, v, t, 0), tau_);
    if (inputs_.push) {
        const PushForce push = pushForce(*inputs_.push, X_, V_);
        std::fill(tau_push_.begin(), tau_push_.end(), 0);
        addWrench(*model_, layout_, q, X_, param, inputs_.push->body, push.moment, push.force, tau_push_);
        for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau_push_[i];
    }
    if (touches) {
        fext_sum_ = inputs_.fext;
        const ContactSettings settings = settingsAt(t, dt);
        std::span<double> dissipative;
        if (accounts_) {
            std::fill(fext_dissipative_.begin(), fext_dissipative_.end(), 0);
            dissipative = fext_dissipative_;
        }
        applied_ = contact_.addForces(X_, V_, settings, anchors_, fext_sum_, dissipative);
        fext_ = fext_sum_.data();
    } else {
        fext_ = anyNonZero(inputs_.fext) ? inputs_.fext.data() : nullptr;
    }
    kernel_->fwd_dyn(q.data(), v.data(), tau_.data(), fext_, inputs_.act.data(), param.data(), work_.data(),
                     vdot_.data(), lambda_.data());
}

std::optional<BlowUp> Simulation::faultOf(const std::vector<double>& q, const std::vector<double>& v) const {
    // One look over everything: nearly always that is all.
    const auto sound = [](const std::vector<double>& values, double limit) {
        int within = 0;
        for (const double x : values) within += std::abs(x) <= limit ? 1 : 0;
        return within == static_cast<int>(values.size());
    };
    if (sound(v, kAbsurdSpeed) && sound(q, kAbsurdPosition)) return std::nullopt;
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

// The kick of a contact model: forces of contacts, brakes and drives stay those of the velocity before. What the
// equations of motion make of velocities themselves is taken at both ends of the kick and averaged. Taken before the
// kick alone it would be of first order; at a predicted mean its quadratic terms would miss what the average has, and
// momentum with them.
void Simulation::averageWithEnd(const std::vector<double>& q, const std::vector<double>& v) {
    v_felt_.resize(v.size()), vdot_end_.resize(v.size()), lambda_end_.resize(lambda_.size());
    for (std::size_t i = 0; i < v.size(); ++i) v_felt_[i] = v[i] + dt_ * vdot_[i];
    kernel_->fwd_dyn(q.data(), v_felt_.data(), tau_.data(), fext_, inputs_.act.data(), inputs_.param.data(),
                     work_.data(), vdot_end_.data(), lambda_end_.data());
    for (std::size_t i = 0; i < v.size(); ++i) {
        v_felt_[i] = 0.5 * (v[i] + v_felt_[i]);
        vdot_[i] = 0.5 * (vdot_[i] + vdot_end_[i]);
    }
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] = 0.5 * (lambda_[i] + lambda_end_[i]);
}

std::optional<BlowUp> Simulation::step() {
    h_ = dt_;
    if (accounts_) noteParameters();
    else useParameters(inputs_.param);
    if (rows_.active()) return stepWithRows();
    ledger_before_ = ledger_;
    noteBrakes();
    takeAnchors();
    const double t_mid = state_.t + 0.5 * dt_;
    const bool verlet = integrator_ == Integrator::verlet;
    const double t_force = verlet ? t_mid : state_.t;
    const bool rises = accounts_ && setup_.ramp > 0 && !contact_.empty() && state_.t < setup_.ramp;
    const auto gainAt = [&](double t) { return contactGain(setup_, t); };
    if (rises) bookRamp(state_.q, state_.v, gainAt(state_.t), gainAt(t_force));
    q_next_ = state_.q;
    v_next_ = state_.v;
    if (verlet) {
        drift_(q_next_, state_.v, 0.5 * dt_);
        if (predicts_) {
            const std::vector<double>& vdot_before = state_.block(kVdotBlock, v_next_.size());
            v_mid_.resize(v_next_.size());
            for (std::size_t i = 0; i < v_mid_.size(); ++i) v_mid_[i] = state_.v[i] + 0.5 * dt_ * vdot_before[i];
            evaluate(q_next_, v_mid_, t_mid, dt_);
        } else {
            evaluate(q_next_, state_.v, t_mid, dt_);
            if (!contact_.empty()) averageWithEnd(q_next_, state_.v);
        }
        for (std::size_t i = 0; i < v_next_.size(); ++i) v_next_[i] += dt_ * vdot_[i];
        if (accounts_) account(q_next_, state_.v);
        drift_(q_next_, v_next_, 0.5 * dt_);
    } else {
        evaluate(state_.q, state_.v, state_.t, dt_);
        for (std::size_t i = 0; i < v_next_.size(); ++i) v_next_[i] += dt_ * vdot_[i];
        if (accounts_) account(state_.q, state_.v);
        drift_(q_next_, v_next_, dt_);
    }
    if (auto fault = faultOf(q_next_, v_next_)) {
        ledger_ = ledger_before_;
        return fault;
    }
    if (rises) bookRamp(q_next_, v_next_, gainAt(t_force), gainAt(state_.t + dt_));
    commitStep();
    return std::nullopt;
}

void Simulation::commitStep() {
    state_.q.swap(q_next_);
    state_.v.swap(v_next_);
    state_.block(kVdotBlock, vdot_.size()) = vdot_;
    if (!anchors_.empty()) state_.block(kAnchorBlock, anchors_.size()) = anchors_;
    if (!brake_.empty()) state_.block(kBrakeBlock, brake_.size()) = brake_;
    // A thousand steps of 1 ms end at 1 s and not at 1.0000000000000007 s (Kahan's summation).
    double& lost = state_.block(kTimeBlock, 1)[0];
    const double step = dt_ - lost, t = state_.t + step;
    lost = (t - state_.t) - step;
    state_.t = t;
    ++state_.step;
}

Readings Simulation::read(bool contacts) {
    useParameters(inputs_.param);
    // Brakes as they are: one that the next step will engage pulls nothing at the angle where it goes on.
    const std::vector<double>* brake = state_.findBlock(kBrakeBlock);
    brake_ = brake && brake->size() == kBrakeNumbers * driven_.size() ? *brake : std::vector<double>();
    takeAnchors();
    const std::vector<double> anchors = anchors_;
    const ContactTotals applied = applied_;
    Readings readings;
    const std::vector<double> with_rows = lambdaWithRows();
    if (!with_rows.empty()) anchors_ = anchors;
    evaluate(state_.q, state_.v, state_.t, dt_, true);  // moves the anchors of the step at work alone
    holdPrescribed();
    readings.contact_totals = applied_;
    applied_ = applied;
    readings.vdot = vdot_;
    readings.X.resize(X_.size()), readings.V.resize(V_.size()), readings.obs.resize(obs_.size());
    kernel_->kinematics(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), readings.X.data(),
                        readings.V.data());
    kernel_->observe(state_.q.data(), state_.v.data(), inputs_.param.data(), work_.data(), readings.obs.data());
    readings.energy = energiesOf(*model_, layout_, inputs_.param, readings.X, readings.V, readings.obs, state_.v);
    readings.momenta = momentaOf(*model_, inputs_.param, readings.X, readings.V);
    readings.elements = elementForces(*model_, layout_, inputs_.param, readings.obs, inputs_.act, state_.v);
    readings.drive_target = drive_target_;
    readings.drive_force = drive_force_;
    readings.lambda = with_rows.empty() ? lambda_ : with_rows;
    readings.loops = loopReadings(*model_, layout_, inputs_.param, readings.X, readings.V, readings.lambda);
    readings.tensions =
        bandTensions(*model_, layout_, inputs_.param, state_.v, readings.X, readings.V,
                     fext_ ? std::span(fext_, static_cast<std::size_t>(6 * layout_.nbody)) : std::span<const double>(),
                     vdot_, lambda_);
    readings.rollers = roller_torques_;
    if (!contact_.empty()) {
        const ContactSettings settings = settingsAt(state_.t, dt_);
        readings.contact_energy = contact_.energy(readings.X, settings, anchors);
        if (contacts) readings.contacts = contact_.readings(readings.X, readings.V, settings, anchors);
    }
    for (std::size_t i = 0; i < driven_.size() && !brake_.empty(); ++i)
        readings.brake_energy += brakeEnergy(driven_[i], {brake_[kBrakeNumbers * i], brake_[kBrakeNumbers * i + 1]},
                                             state_.q[static_cast<std::size_t>(driven_[i].q)]);
    readRows(readings, contacts);
    readings.total_energy =
        readings.energy.total() + readings.contact_energy.total() + readings.brake_energy + readings.tendon_energy;
    readings.ledger = ledger_;
    readings.residual = readings.total_energy + ledger_.dissipated + ledger_.numerical - ledger_.drives - ledger_.hand -
                        ledger_.loops - ledger_.ramp - ledger_.injected - ledger_.initial_total;
    if (inputs_.push) {
        const PushForce push = pushForce(*inputs_.push, readings.X, readings.V);
        readings.push_force = push.force;
        readings.push_point = push.point;
    }
    return readings;
}

}  // namespace mw
