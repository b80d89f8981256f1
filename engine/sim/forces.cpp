// Laws around the kernel that enter as generalised forces: drives, and wrenches on bodies by the joints on their path.
#include <algorithm>
#include <cmath>

#include "engine/sim/joint_axes.h"
#include "engine/sim/simulation.h"

namespace mw {
void addWrench(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
               std::span<const double> param, int body, const Vector3d& moment, const Vector3d& force,
               std::span<double> tau) {
    // Virtual work, joint by joint towards the base: a joint's force is its motion axes against the wrench.
    JointAxes axes;
    for (int i = body; i >= 0; i = model.bodies[static_cast<std::size_t>(i)].parent) {
        const auto index = static_cast<std::size_t>(i);
        const Joint& joint = model.bodies[index].joint;
        const double pitch = joint.type == JointType::screw ? joint.pitch.at(param) : 0;
        const int count = jointAxes(joint, pitch, q.data() + layout.q_of_body[index], X.data() + 12 * index, axes);
        for (int k = 0; k < count; ++k) {
            const std::array<double, 6>& a = axes[static_cast<std::size_t>(k)];
            tau[static_cast<std::size_t>(layout.v_of_body[index] + k)] += a[0] * moment[0] + a[1] * moment[1] +
                                                                          a[2] * moment[2] + a[3] * force[0] +
                                                                          a[4] * force[1] + a[5] * force[2];
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
        if (drive.kind == Drive::Kind::position || drive.kind == Drive::Kind::prescribed)
            law.rate = timeDerivative(drive.expression);
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
        if (drive.kind == Drive::Kind::prescribed) {  // it gives a motion: what that takes is not its to say
            force[i] = 0;
            continue;
        }
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
