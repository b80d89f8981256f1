// How coordinates move with velocities: the exact map of every joint (docs/conventions.md, "Integration").
//
// Quaternions: Q(h) = Q0 exp(h w / 2), exact for a constant body rate. A floating body's position follows the midpoint
// rule r(h) = r0 + h R(Q(h/2)) v, which is self-adjoint: a drift by +h and then by -h returns to the start.
#include "engine/dynamics/drift.h"

#include <cmath>

namespace mw {
namespace {

// q (w x y z) turned by the rotation vector `turn` in body axes.
void turn(double* q, const double* w, double h, double* out) {
    const double x = 0.5 * h * w[0], y = 0.5 * h * w[1], z = 0.5 * h * w[2];
    const double half = std::sqrt(x * x + y * y + z * z);
    // sin(a)/a from its series where the quotient would lose digits.
    const double s = half < 1e-4 ? 1 - half * half / 6 : std::sin(half) / half;
    const double dw = std::cos(half), dx = s * x, dy = s * y, dz = s * z;
    const double a = q[0], b = q[1], c = q[2], d = q[3];
    double r[4] = {a * dw - b * dx - c * dy - d * dz, a * dx + b * dw + c * dz - d * dy,
                   a * dy - b * dz + c * dw + d * dx, a * dz + b * dy - c * dx + d * dw};
    // The product of unit quaternions is one but for rounding, which a division per step keeps from growing.
    const double scale = 1 / std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (int i = 0; i < 4; ++i) out[i] = r[i] * scale;
}

void rotate(const double* q, const double* v, double* out) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    out[0] = (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2];
    out[1] = 2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2];
    out[2] = 2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2];
}

void floatOn(double* q, const double* v, double h) {
    double middle[4], step[3];
    turn(q, v, 0.5 * h, middle);
    rotate(middle, v + 3, step);
    turn(q, v, h, q);
    for (int k = 0; k < 3; ++k) q[4 + k] += h * step[k];
}

}  // namespace

void drift(const Model& model, const Layout& layout, std::vector<double>& q, const std::vector<double>& v, double h) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        double* qi = q.data() + layout.q_of_body[i];
        const double* vi = v.data() + layout.v_of_body[i];
        switch (model.bodies[i].joint.type) {
            case JointType::fixed: break;
            case JointType::spherical: turn(qi, vi, h, qi); break;
            case JointType::floating: floatOn(qi, vi, h); break;
            default:
                for (int k = 0; k < jointNv(model.bodies[i].joint.type); ++k) qi[k] += h * vi[k];
        }
    }
}

DriftPlan::DriftPlan(const Model& model, const Layout& layout) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const JointType type = model.bodies[i].joint.type;
        const int q = layout.q_of_body[i], v = layout.v_of_body[i], count = jointNv(type);
        if (type == JointType::spherical || type == JointType::floating) {
            turns_.push_back({q, v, type == JointType::floating});
        } else if (count > 0) {
            const bool goes_on =
                !runs_.empty() && runs_.back().q + runs_.back().count == q && runs_.back().v + runs_.back().count == v;
            if (goes_on) runs_.back().count += count;
            else runs_.push_back({q, v, count});
        }
    }
}

void DriftPlan::operator()(std::vector<double>& q, const std::vector<double>& v, double h) const {
    for (const Run& run : runs_) {
        double* qi = q.data() + run.q;
        const double* vi = v.data() + run.v;
        for (int k = 0; k < run.count; ++k) qi[k] += h * vi[k];
    }
    for (const Turn& joint : turns_) {
        double* qi = q.data() + joint.q;
        const double* vi = v.data() + joint.v;
        if (joint.floating) floatOn(qi, vi, h);
        else turn(qi, vi, h, qi);
    }
}

}  // namespace mw
