// Asks a kernel for everything it knows about one state, compares lists of numbers, and keeps the worst.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/model/loop_rows.h"
#include "engine/proof/checks.h"

namespace mw::proof {

Meter::Meter(std::string name, double bound) {
    gate_.name = std::move(name);
    gate_.bound = bound;
}

void Meter::take(double value, const std::vector<double>& q, const std::vector<double>& v,
                 const std::function<std::string()>& where) {
    if (!std::isfinite(value)) value = kNotFinite;
    if (taken_ && value <= gate_.value) return;
    taken_ = true;
    gate_.value = value;
    gate_.detail = "worst at " + where();
    State state;
    state.q = q;
    state.v = v;
    gate_.worst = state;
}

void Meter::skip(std::string why) {
    gate_.skipped = true;
    gate_.detail = std::move(why);
}

Gate Meter::finish(const std::string& note) const {
    Gate gate = gate_;
    gate.pass = gate.skipped || gate.value <= gate.bound;
    if (gate.value == kNotFinite) gate.detail += " (a number that is not finite)";
    if (!note.empty()) gate.detail += (gate.detail.empty() ? "" : "; ") + note;
    return gate;
}

Speaker::Speaker(Kernel kernel)
    : kernel_(std::move(kernel)),
      // Whatever a workspace held before must not matter.
      work_(static_cast<std::size_t>(kernel_->nwork) + 1, std::numeric_limits<double>::quiet_NaN()) {
    kernel_->init_work(kernel_.c, work_.data());
}

void Speaker::speak(const Trial& trial, const std::vector<double>& rhs, Outputs& out) {
    const mw_kernel& k = *kernel_.c;
    const std::size_t nv = k.nv, nbody = k.nbody;
    const double* param = trial.param.data();
    // What an entry forgets to write must not look right by accident.
    constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();
    out.M.assign(nv * nv, kUnwritten);
    out.c.assign(nv, kUnwritten);
    out.X.assign(12 * nbody, kUnwritten);
    out.V.assign(6 * nbody, kUnwritten);
    out.obs.assign(k.nobs, kUnwritten);
    out.inverse.assign(rhs.size(), kUnwritten);
    accelerations(trial, trial.tau.data(), trial.fext.data(), trial.act.data(), out.vdot, out.lambda);
    k.mass_matrix(trial.q.data(), param, work(), out.M.data());
    k.bias(trial.q.data(), trial.v.data(), param, work(), out.c.data());
    k.kinematics(trial.q.data(), trial.v.data(), param, work(), out.X.data(), out.V.data());
    k.observe(trial.q.data(), trial.v.data(), param, work(), out.obs.data());
    loopJacobian(trial.q, trial.param, out.K);
    k.factor(trial.q.data(), param, work());
    k.apply_inverse_mass(work(), rhs.data(), nv > 0 ? static_cast<int>(rhs.size() / nv) : 0, out.inverse.data());
}

void Speaker::accelerations(const Trial& trial, const double* tau, const double* fext, const double* act,
                            std::vector<double>& vdot, std::vector<double>& lambda) {
    lambda.assign(kernel_->nc, std::numeric_limits<double>::quiet_NaN());
    vdot.assign(kernel_->nv, std::numeric_limits<double>::quiet_NaN());
    kernel_->fwd_dyn(trial.q.data(), trial.v.data(), tau, fext, act, trial.param.data(), work(), vdot.data(),
                     lambda.data());
}

void Speaker::loopJacobian(const std::vector<double>& q, const std::vector<double>& param, std::vector<double>& K) {
    K.assign(static_cast<std::size_t>(kernel_->nc) * kernel_->nv, std::numeric_limits<double>::quiet_NaN());
    kernel_->loop_jacobian(q.data(), param.data(), work(), K.data());
}

void Speaker::kinematics(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& param,
                         std::vector<double>& X, std::vector<double>& V) {
    X.assign(12 * static_cast<std::size_t>(kernel_->nbody), std::numeric_limits<double>::quiet_NaN());
    V.assign(6 * static_cast<std::size_t>(kernel_->nbody), std::numeric_limits<double>::quiet_NaN());
    kernel_->kinematics(q.data(), v.data(), param.data(), work(), X.data(), V.data());
}

double scaledError(const std::vector<double>& a, const std::vector<double>& b, int* index) {
    double difference = 0, scale = 1;
    if (index) *index = 0;
    for (std::size_t i = 0; i < b.size(); i++) {
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
            if (index) *index = static_cast<int>(i);
            return kNotFinite;
        }
        const double d = std::abs(a[i] - b[i]);
        if (d > difference) {
            difference = d;
            if (index) *index = static_cast<int>(i);
        }
        scale = std::max(scale, std::abs(b[i]));
    }
    return difference / scale;
}

int differentBits(const std::vector<double>& a, const std::vector<double>& b, int* index) {
    int count = 0;
    for (std::size_t i = 0; i < b.size(); i++) {
        if (std::memcmp(&a[i], &b[i], sizeof(double)) == 0) continue;
        if (count == 0 && index) *index = static_cast<int>(i);
        count++;
    }
    return count;
}

std::string atTrial(const Model& model, int trial, int body) {
    std::string s = "trial " + std::to_string(trial);
    if (body >= 0 && body < static_cast<int>(model.bodies.size())) s += ", body " + model.bodies[body].name;
    return s;
}

std::string atRow(const Model& model, int trial, int row) {
    std::string s = "trial " + std::to_string(trial);
    for (const Loop& loop : model.loops) {
        const int rows = loopRows(loop.type);
        if (row < rows) return s + ", loop " + loop.name + ", " + rowName(rowsOf(loop)[row]);
        row -= rows;
    }
    return s;
}

double fastestSwing(const Subject& subject, const std::vector<double>& v) {
    std::vector<double> rates(subject.model.bodies.size(), 0.0);
    double fastest = 1;
    for (const int i : subject.model.order()) {
        const Body& b = subject.model.bodies[i];
        if (b.parent != kBase) rates[i] = rates[b.parent];
        for (int k = 0; k < jointNv(b.joint.type); k++) rates[i] += std::abs(v[subject.layout.v_of_body[i] + k]);
        fastest = std::max(fastest, rates[i]);
    }
    return fastest;
}

void extrapolatedSlope(const std::vector<double>& at_h, const std::vector<double>& at_minus_h,
                       const std::vector<double>& at_half, const std::vector<double>& at_minus_half, double h,
                       std::vector<double>& slope) {
    slope.resize(at_h.size());
    for (std::size_t i = 0; i < at_h.size(); i++)
        slope[i] = (8 * (at_half[i] - at_minus_half[i]) - (at_h[i] - at_minus_h[i])) / (6 * h);
}

}  // namespace mw::proof
