// Laws around the kernel that enter as generalised forces: drives, and wrenches on bodies by the joints on their path.
#include <algorithm>
#include <cmath>

#include "engine/model/loop_rows.h"
#include "engine/sim/simulation.h"

namespace mw {
namespace {

Vector3d rotated(const double* R, const Vector3d& v) {
    return {R[0] * v[0] + R[1] * v[1] + R[2] * v[2], R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
            R[6] * v[0] + R[7] * v[1] + R[8] * v[2]};
}
double dot(const Vector3d& a, const Vector3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3d cross(const Vector3d& a, const Vector3d& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// `v` turned by -angle about the unit `axis` (Rodrigues).
Vector3d turnedBack(const Vector3d& v, const Vector3d& axis, double angle) {
    const double c = std::cos(angle), s = -std::sin(angle);
    const Vector3d k = cross(axis, v);
    const double d = dot(axis, v) * (1 - c);
    return {c * v[0] + s * k[0] + d * axis[0], c * v[1] + s * k[1] + d * axis[1], c * v[2] + s * k[2] + d * axis[2]};
}

}  // namespace

void addWrench(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
               std::span<const double> param, int body, const Vector3d& moment, const Vector3d& force,
               std::span<double> tau) {
    // Virtual work, joint by joint towards the base: a joint's force is its motion subspace against the wrench about
    // its origin.
    for (int i = body; i >= 0; i = model.bodies[static_cast<std::size_t>(i)].parent) {
        const auto index = static_cast<std::size_t>(i);
        const Joint& joint = model.bodies[index].joint;
        const double* R = X.data() + 12 * index;
        const Vector3d origin{R[9], R[10], R[11]};
        const Vector3d shift = cross(origin, force);
        const Vector3d m{moment[0] - shift[0], moment[1] - shift[1], moment[2] - shift[2]};
        double* t = tau.data() + layout.v_of_body[index];
        const double* qi = q.data() + layout.q_of_body[index];
        const Vector3d axis = rotated(R, joint.axis);
        switch (joint.type) {
            case JointType::fixed: break;
            case JointType::revolute: t[0] += dot(axis, m); break;
            case JointType::prismatic: t[0] += dot(axis, force); break;
            case JointType::screw: t[0] += dot(axis, m) + joint.pitch.at(param) * dot(axis, force); break;
            case JointType::cylindrical:
                t[0] += dot(axis, m);
                t[1] += dot(axis, force);
                break;
            case JointType::universal:
                t[0] += dot(rotated(R, turnedBack(joint.axis, joint.axis2, qi[1])), m);
                t[1] += dot(rotated(R, joint.axis2), m);
                break;
            case JointType::planar: {
                const auto plane = directionsAcross(joint.axis);
                t[0] += dot(rotated(R, turnedBack(plane[0], joint.axis, qi[2])), force);
                t[1] += dot(rotated(R, turnedBack(plane[1], joint.axis, qi[2])), force);
                t[2] += dot(axis, m);
                break;
            }
            case JointType::spherical:
            case JointType::floating:
                for (std::size_t k = 0; k < 3; ++k) {
                    const Vector3d column{R[k], R[3 + k], R[6 + k]};
                    t[k] += dot(column, m);
                    if (joint.type == JointType::floating) t[3 + k] += dot(column, force);
                }
        }
    }
}

DriveLaws::DriveLaws(const Model& model) {
    const Layout layout = layoutOf(model);
    for (const Drive& drive : model.drives) {
        Law law{drive, nullptr, 0, 0};
        const auto body = static_cast<std::size_t>(drive.body);
        law.q = static_cast<std::size_t>(layout.q_of_body[body] + drive.coordinate);
        law.v = static_cast<std::size_t>(layout.v_of_body[body] + drive.coordinate);
        if (drive.kind == Drive::Kind::position) law.rate = timeDerivative(drive.expression);
        laws_.push_back(std::move(law));
    }
}

void DriveLaws::evaluate(std::span<const double> q, std::span<const double> v, std::span<const double> param, double t,
                         std::vector<double>& target, std::vector<double>& force) const {
    target.resize(laws_.size()), force.resize(laws_.size());
    for (std::size_t i = 0; i < laws_.size(); ++i) {
        const Law& law = laws_[i];
        const Drive& drive = law.drive;
        const double wanted = mw::evaluate(*drive.expression, param, t), speed = v[law.v];
        double f = wanted;
        if (drive.kind == Drive::Kind::speed) f = drive.gain.at(param, t) * (wanted - speed);
        if (drive.kind == Drive::Kind::position)
            f = drive.kp.at(param, t) * (wanted - q[law.q]) +
                drive.kd.at(param, t) * (mw::evaluate(*law.rate, param, t) - speed);
        const double limit = drive.limit.at(param, t);
        target[i] = wanted;
        force[i] = std::clamp(f, -limit, limit);
    }
}

void DriveLaws::add(std::span<const double> force, std::span<double> tau) const {
    for (std::size_t i = 0; i < laws_.size(); ++i) tau[laws_[i].v] += force[i];
}

DriveForces driveForces(const Model& model, const Layout&, const State& state, std::span<const double> param,
                        double t) {
    DriveForces result;
    DriveLaws(model).evaluate(state.q, state.v, param, t, result.target, result.force);
    return result;
}

}  // namespace mw
