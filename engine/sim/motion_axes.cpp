// How joints move what hangs on them, in base coordinates: the one place that the table of motion axes and wrenches on
// bodies come from.
#include "engine/sim/motion_axes.h"

#include <algorithm>
#include <cmath>

#include "engine/model/loop_rows.h"
#include "engine/model/vectors.h"
#include "engine/sim/joint_axes.h"

namespace mw {
namespace {

Vector3d rotated(const double* R, const Vector3d& v) {
    return {R[0] * v[0] + R[1] * v[1] + R[2] * v[2], R[3] * v[0] + R[4] * v[1] + R[5] * v[2],
            R[6] * v[0] + R[7] * v[1] + R[8] * v[2]};
}
// `v` turned by -angle about the unit `axis` (Rodrigues).
Vector3d turnedBack(const Vector3d& v, const Vector3d& axis, double angle) {
    const double c = std::cos(angle), s = -std::sin(angle);
    const Vector3d k = cross(axis, v);
    const double d = dot(axis, v) * (1 - c);
    return {c * v[0] + s * k[0] + d * axis[0], c * v[1] + s * k[1] + d * axis[1], c * v[2] + s * k[2] + d * axis[2]};
}

}  // namespace

int jointAxes(const Joint& joint, double pitch, const double* q, const double* X, JointAxes& out) {
    const Vector3d origin{X[9], X[10], X[11]};
    int n = 0;
    const auto turn = [&](const Vector3d& axis, double advance) {
        const Vector3d base = cross(origin, axis);
        out[static_cast<std::size_t>(n++)] = {axis[0],
                                              axis[1],
                                              axis[2],
                                              base[0] + advance * axis[0],
                                              base[1] + advance * axis[1],
                                              base[2] + advance * axis[2]};
    };
    const auto slide = [&](const Vector3d& axis) {
        out[static_cast<std::size_t>(n++)] = {0, 0, 0, axis[0], axis[1], axis[2]};
    };
    const Vector3d axis = rotated(X, joint.axis);
    switch (joint.type) {
        case JointType::fixed: break;
        case JointType::revolute: turn(axis, 0); break;
        case JointType::prismatic: slide(axis); break;
        case JointType::screw: turn(axis, pitch); break;
        case JointType::cylindrical: turn(axis, 0), slide(axis); break;
        case JointType::universal:
            turn(rotated(X, turnedBack(joint.axis, joint.axis2, q[1])), 0);
            turn(rotated(X, joint.axis2), 0);
            break;
        case JointType::planar: {
            const auto plane = directionsAcross(joint.axis);
            slide(rotated(X, turnedBack(plane[0], joint.axis, q[2])));
            slide(rotated(X, turnedBack(plane[1], joint.axis, q[2])));
            turn(axis, 0);
            break;
        }
        case JointType::spherical:
        case JointType::floating:
            for (std::size_t k = 0; k < 3; ++k) turn({X[k], X[3 + k], X[6 + k]}, 0);
            for (std::size_t k = 0; k < 3 && joint.type == JointType::floating; ++k) slide({X[k], X[3 + k], X[6 + k]});
    }
    return n;
}

void fillMotionAxes(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
                    std::span<const double> param, MotionAxes& axes) {
    axes.axis.resize(static_cast<std::size_t>(layout.nv));
    axes.chain_begin.resize(static_cast<std::size_t>(layout.nbody) + 1);
    axes.chain_slots.clear();
    JointAxes own;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Joint& joint = model.bodies[b].joint;
        const double pitch = joint.type == JointType::screw ? joint.pitch.at(param) : 0;
        const int count = jointAxes(joint, pitch, q.data() + layout.q_of_body[b], X.data() + 12 * b, own);
        std::copy_n(own.begin(), count, axes.axis.begin() + layout.v_of_body[b]);
        axes.chain_begin[b] = static_cast<int>(axes.chain_slots.size());
        for (int i = static_cast<int>(b); i >= 0; i = model.bodies[static_cast<std::size_t>(i)].parent)
            for (int k = jointNv(model.bodies[static_cast<std::size_t>(i)].joint.type); k-- > 0;)
                axes.chain_slots.push_back(layout.v_of_body[static_cast<std::size_t>(i)] + k);
        // From the body upwards they come in falling order wherever parents stand before their children.
        const auto begin = axes.chain_slots.begin() + axes.chain_begin[b];
        std::reverse(begin, axes.chain_slots.end());
        if (!std::is_sorted(begin, axes.chain_slots.end())) std::sort(begin, axes.chain_slots.end());
    }
    axes.chain_begin[model.bodies.size()] = static_cast<int>(axes.chain_slots.size());
}

}  // namespace mw
