// Gain of the ramp; turning of the roots.
#include "engine/sim/contact_setup.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/dynamics/topology.h"

namespace mw {

double contactGain(const ContactSetup& setup, double t) {
    if (!(setup.ramp > 0) || t >= setup.ramp) return 1;
    const double s = std::max(0.0, t / setup.ramp);
    return s * s * (3 - 2 * s);
}

std::string whyNotTurned(const Model& model) {
    for (const Body& body : model.bodies)
        if (body.parent == kBase && body.joint.type != JointType::floating)
            return fmt::format(
                "a slope turns the whole mechanism, but '{}' hangs on the base by a {} joint: only mechanisms whose "
                "roots float can stand on a slope (write the slope as the ground's plane instead)",
                body.name, jointTypeName(body.joint.type));
    for (const Loop& loop : model.loops)
        if (loop.from.body == kBase || loop.to.body == kBase)
            return fmt::format("a slope turns the whole mechanism, but loop '{}' ties it to the base", loop.name);
    for (const Tsda& tsda : model.tsdas)
        if (tsda.from.body == kBase || tsda.to.body == kBase)
            return fmt::format("a slope turns the whole mechanism, but '{}' pulls it to a point of the base",
                               tsda.name);
    return {};
}

void turnRoots(const Model& model, const Layout& layout, std::span<const double> param, double slope,
               std::vector<double>& q) {
    // Pose of a root: R = R_t Q, p = p_t + R_t r. With the turn T it becomes T R and T p, so that
    // Q' = (R_t^T T R_t) Q and r' = R_t^T (T p - p_t).
    const Matrix3 T = rotationAbout(Vector3::UnitY(), -slope);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        if (body.parent != kBase || body.joint.type != JointType::floating) continue;
        double* qi = q.data() + layout.q_of_body[i];
        const Matrix3 R_t = rotationRollPitchYaw(body.rot[0].at(param), body.rot[1].at(param), body.rot[2].at(param));
        const Vector3 p_t = vectorAt(body.at, param);
        // The turn seen from the joint frame is one about y seen from there, by the same angle.
        const Vector3 axis = R_t.transpose() * Vector3::UnitY();
        const double c = std::cos(-0.5 * slope), s = std::sin(-0.5 * slope);
        const double w = qi[0];
        const Vector3 u(qi[1], qi[2], qi[3]), t = s * axis;
        const Vector3 imaginary = c * u + w * t + t.cross(u);
        qi[0] = c * w - t.dot(u);
        for (int k = 0; k < 3; ++k) qi[1 + k] = imaginary[k];
        const Vector3 r = R_t.transpose() * (T * (p_t + R_t * Vector3(qi[4], qi[5], qi[6])) - p_t);
        for (int k = 0; k < 3; ++k) qi[4 + k] = r[k];
    }
}

}  // namespace mw
