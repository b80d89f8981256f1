// Forward positions of the bodies of a Model.
#include "engine/model/start_pose.h"

#include <cmath>

#include "engine/model/layout.h"

namespace mw {

Vector3d rotate(const std::array<double, 9>& r, const Vector3d& v) {
    return {r[0] * v[0] + r[1] * v[1] + r[2] * v[2], r[3] * v[0] + r[4] * v[1] + r[5] * v[2],
            r[6] * v[0] + r[7] * v[1] + r[8] * v[2]};
}
Vector3d rotateBack(const std::array<double, 9>& r, const Vector3d& v) {
    return {r[0] * v[0] + r[3] * v[1] + r[6] * v[2], r[1] * v[0] + r[4] * v[1] + r[7] * v[2],
            r[2] * v[0] + r[5] * v[1] + r[8] * v[2]};
}

Vector3d transform(const Placement& placement, const Vector3d& point) {
    Vector3d p = rotate(placement.rotation, point);
    for (std::size_t i = 0; i < 3; ++i) p[i] += placement.position[i];
    return p;
}

Placement compose(const Placement& outer, const Placement& inner) {
    Placement result;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k) sum += outer.rotation[3 * i + k] * inner.rotation[3 * k + j];
            result.rotation[3 * i + j] = sum;
        }
    result.position = transform(outer, inner.position);
    return result;
}

// Rodrigues: R = I + sin a [u] + (1 - cos a) [u]^2.
std::array<double, 9> axisRotation(const Vector3d& u, double angle) {
    const double s = std::sin(angle);
    const double c = std::cos(angle);
    const double k = 1 - c;
    return {c + k * u[0] * u[0],        k * u[0] * u[1] - s * u[2], k * u[0] * u[2] + s * u[1],
            k * u[1] * u[0] + s * u[2], c + k * u[1] * u[1],        k * u[1] * u[2] - s * u[0],
            k * u[2] * u[0] - s * u[1], k * u[2] * u[1] + s * u[0], c + k * u[2] * u[2]};
}

namespace {

// Body to joint frame from a unit quaternion w x y z.
std::array<double, 9> quaternionRotation(const double* q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

Vector3d scaled(const Vector3d& v, double s) { return {v[0] * s, v[1] * s, v[2] * s}; }

}  // namespace

Placement jointPlacement(const Joint& joint, double pitch, const double* q) {
    Placement p;
    switch (joint.type) {
        case JointType::fixed: break;
        case JointType::revolute: p.rotation = axisRotation(joint.axis, q[0]); break;
        case JointType::prismatic: p.position = scaled(joint.axis, q[0]); break;
        case JointType::cylindrical:
            p.rotation = axisRotation(joint.axis, q[0]);
            p.position = scaled(joint.axis, q[1]);
            break;
        case JointType::screw:
            p.rotation = axisRotation(joint.axis, q[0]);
            p.position = scaled(joint.axis, pitch * q[0]);
            break;
        case JointType::universal: {
            Placement first, second;
            first.rotation = axisRotation(joint.axis, q[0]);
            second.rotation = axisRotation(joint.axis2, q[1]);
            return compose(first, second);
        }
        case JointType::planar: {
            // x y of the plane: for z x y, for x y z, for y z x.
            const std::size_t n = joint.axis[0] != 0 ? 0 : joint.axis[1] != 0 ? 1 : 2;
            p.rotation = axisRotation(joint.axis, q[2]);
            p.position[(n + 1) % 3] = q[0];
            p.position[(n + 2) % 3] = q[1];
            break;
        }
        case JointType::spherical: p.rotation = quaternionRotation(q); break;
        case JointType::floating:
            p.rotation = quaternionRotation(q);
            p.position = {q[4], q[5], q[6]};
            break;
    }
    return p;
}

Placement jointFrame(const Body& body, std::span<const double> param) {
    Placement roll, pitch, yaw;
    roll.rotation = axisRotation({1, 0, 0}, body.rot[0].at(param));
    pitch.rotation = axisRotation({0, 1, 0}, body.rot[1].at(param));
    yaw.rotation = axisRotation({0, 0, 1}, body.rot[2].at(param));
    Placement frame = compose(yaw, compose(pitch, roll));
    for (std::size_t i = 0; i < 3; ++i) frame.position[i] = body.at[i].at(param);
    return frame;
}

std::vector<Placement> bodyPlacements(const Model& model, std::span<const double> q, std::span<const double> param) {
    std::vector<Placement> pose(model.bodies.size());
    std::vector<std::size_t> first(model.bodies.size());
    std::size_t slot = 0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        first[i] = slot;
        slot += static_cast<std::size_t>(jointNq(model.bodies[i].joint.type));
    }
    for (const int index : model.order()) {
        const auto i = static_cast<std::size_t>(index);
        const Body& body = model.bodies[i];
        const Placement local = compose(jointFrame(body, param),
                                        jointPlacement(body.joint, body.joint.pitch.at(param), q.data() + first[i]));
        pose[i] = body.parent >= 0 ? compose(pose[static_cast<std::size_t>(body.parent)], local) : local;
    }
    return pose;
}

std::vector<Placement> startPose(const Model& model) {
    const std::vector<double> param = model.liveValues();
    return bodyPlacements(model, startQ(model, layoutOf(model), param), param);
}

double distance(const std::vector<Placement>& pose, const BodyPoint& a, const BodyPoint& b,
                std::span<const double> param) {
    const auto place = [&](const BodyPoint& p) {
        const Vector3d at = {p.at[0].at(param), p.at[1].at(param), p.at[2].at(param)};
        return p.body < 0 ? at : transform(pose[static_cast<std::size_t>(p.body)], at);
    };
    const Vector3d pa = place(a);
    const Vector3d pb = place(b);
    return std::hypot(pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]);
}

}  // namespace mw
