// A kernel's entries with vectors in and out, a workspace held, for tests; and the scaled error of docs/proof.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"

namespace mw::test {

using Numbers = std::vector<double>;

inline const double* orNull(const Numbers& x) { return x.empty() ? nullptr : x.data(); }

class Caller {
public:
    explicit Caller(Kernel kernel) : kernel_(std::move(kernel)), work_(makeWork(kernel_)) {}
    const mw_kernel* operator->() const { return kernel_.c; }
    const Kernel& kernel() const { return kernel_; }

    Numbers fwdDyn(const Numbers& q, const Numbers& v, const Numbers& tau = {}, const Numbers& fext = {},
                   const Numbers& act = {}, const Numbers& param = {}) {
        Numbers vdot(kernel_->nv, 99.0), lambda(kernel_->nc + 1);
        kernel_->fwd_dyn(q.data(), v.data(), orNull(tau), orNull(fext), orNull(act), orNull(param), work_.data(),
                         vdot.data(), lambda.data());
        return vdot;
    }
    /// The loops' multipliers alone.
    Numbers lambda(const Numbers& q, const Numbers& v, const Numbers& tau = {}, const Numbers& fext = {},
                   const Numbers& act = {}, const Numbers& param = {}) {
        Numbers vdot(kernel_->nv), lambda(kernel_->nc, 99.0);
        kernel_->fwd_dyn(q.data(), v.data(), orNull(tau), orNull(fext), orNull(act), orNull(param), work_.data(),
                         vdot.data(), lambda.data());
        return lambda;
    }
    /// nc x nv row by row.
    Numbers loopJacobian(const Numbers& q, const Numbers& param = {}) {
        Numbers K(static_cast<std::size_t>(kernel_->nc) * kernel_->nv, 99.0);
        kernel_->loop_jacobian(q.data(), orNull(param), work_.data(), K.data());
        return K;
    }
    void factor(const Numbers& q, const Numbers& param = {}) { kernel_->factor(q.data(), orNull(param), work_.data()); }
    Numbers applyInverseMass(const Numbers& rhs) {
        Numbers out(rhs.size(), 99.0);
        kernel_->apply_inverse_mass(work_.data(), rhs.data(), static_cast<int>(rhs.size()) / std::max(1, kernel_->nv),
                                    out.data());
        return out;
    }
    Numbers massMatrix(const Numbers& q, const Numbers& param = {}) {
        Numbers M(static_cast<std::size_t>(kernel_->nv) * kernel_->nv, 99.0);
        kernel_->mass_matrix(q.data(), orNull(param), work_.data(), M.data());
        return M;
    }
    Numbers bias(const Numbers& q, const Numbers& v, const Numbers& param = {}) {
        Numbers c(kernel_->nv, 99.0);
        kernel_->bias(q.data(), v.data(), orNull(param), work_.data(), c.data());
        return c;
    }
    /// X then V in one call.
    void kinematics(const Numbers& q, const Numbers& v, Numbers& X, Numbers& V, const Numbers& param = {}) {
        X.assign(12 * kernel_->nbody, 99.0);
        V.assign(6 * kernel_->nbody, 99.0);
        kernel_->kinematics(q.data(), v.data(), orNull(param), work_.data(), X.data(), V.data());
    }
    Numbers observe(const Numbers& q, const Numbers& v, const Numbers& param = {}) {
        Numbers obs(kernel_->nobs, 99.0);
        kernel_->observe(q.data(), v.data(), orNull(param), work_.data(), obs.data());
        return obs;
    }

private:
    Kernel kernel_;
    Numbers work_;
};

/// max|a - b| / max(1, max|b|); infinite when something is not a number.
inline double scaledError(const Numbers& a, const Numbers& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double difference = 0, scale = 1;
    for (std::size_t i = 0; i < a.size(); i++) {
        if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return std::numeric_limits<double>::infinity();
        difference = std::max(difference, std::abs(a[i] - b[i]));
        scale = std::max(scale, std::abs(b[i]));
    }
    return difference / scale;
}

/// Coordinates after the time h at constant velocities, written apart from engine/sim: quaternions by the exponential,
/// a floating body's position by many small midpoint steps' limit (exact integral of R(t) v over the turn).
inline Numbers advanced(const Model& model, const Layout& layout, const Numbers& q, const Numbers& v, double h) {
    Numbers out = q;
    const auto turned = [](const double* p, const double* w, double t, double* r) {
        const double rate = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        const double s = rate > 0 ? std::sin(0.5 * rate * t) / rate : 0.5 * t, c = std::cos(0.5 * rate * t);
        const double e[4] = {c, s * w[0], s * w[1], s * w[2]};
        r[0] = p[0] * e[0] - p[1] * e[1] - p[2] * e[2] - p[3] * e[3];
        r[1] = p[0] * e[1] + p[1] * e[0] + p[2] * e[3] - p[3] * e[2];
        r[2] = p[0] * e[2] - p[1] * e[3] + p[2] * e[0] + p[3] * e[1];
        r[3] = p[0] * e[3] + p[1] * e[2] - p[2] * e[1] + p[3] * e[0];
    };
    for (std::size_t i = 0; i < model.bodies.size(); i++) {
        const JointType type = model.bodies[i].joint.type;
        const double* qi = q.data() + layout.q_of_body[i];
        const double* vi = v.data() + layout.v_of_body[i];
        double* oi = out.data() + layout.q_of_body[i];
        if (type == JointType::spherical || type == JointType::floating) {
            turned(qi, vi, h, oi);
            if (type != JointType::floating) continue;
            // Simpson over the turn: error of order h^5, beyond what the differences of these tests resolve.
            for (int part = 0; part < 3; part++) {
                double p[4];
                turned(qi, vi, 0.5 * part * h, p);
                const double w = part == 1 ? 4.0 / 6 : 1.0 / 6;
                // Rotate by the quaternion: r + 2 s (u x r) + 2 u x (u x r).
                const double* r = vi + 3;
                const double c[3] = {p[2] * r[2] - p[3] * r[1], p[3] * r[0] - p[1] * r[2], p[1] * r[1] - p[2] * r[0]};
                const double d[3] = {p[2] * c[2] - p[3] * c[1], p[3] * c[0] - p[1] * c[2], p[1] * c[1] - p[2] * c[0]};
                for (int k = 0; k < 3; k++) oi[4 + k] += h * w * (r[k] + 2 * p[0] * c[k] + 2 * d[k]);
            }
        } else {
            for (int k = 0; k < jointNq(type); k++) oi[k] += h * vi[k];
        }
    }
    return out;
}

}  // namespace mw::test
