// The selected body: where it is, how it moves, what its joint and elements do; every group says its frame.
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"

namespace mw::app {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

std::string triple(double a, double b, double c) {
    // What is rounding beside metres and degrees is nothing.
    const auto one = [](double x) { return shortNumber(std::abs(x) < 1e-10 ? 0.0 : x); };
    return fmt::format("{:>7} {:>7} {:>7}", one(a), one(b), one(c));
}

// Whether velocity k of a joint is an angle's (else a length's).
bool angular(JointType type, int k) {
    switch (type) {
        case JointType::prismatic: return false;
        case JointType::cylindrical: return k == 0;
        case JointType::planar: return k == 2;
        case JointType::floating: return k < 3;
        default: return true;
    }
}

std::string withUnit(double value, bool is_angle, bool degrees, const char* per = "") {
    if (is_angle)
        return degrees ? fmt::format("{} °{}", shortNumber(value / kDegree), per)
                       : fmt::format("{} rad{}", shortNumber(value), per);
    return fmt::format("{} m{}", shortNumber(value), per);
}

}  // namespace

float drawBodyCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const auto index = static_cast<std::size_t>(view.selected_body);
    const Body& body = s.model->bodies[index];
    const float k = view.scale, width = kBodyCard * k;
    const double* X = s.readings.X.data() + 12 * index;
    const double* V = s.readings.V.data() + 6 * index;
    if (beginCard("##body", body.name.c_str(), view.width - width - 12 * k, y, width, view.height - y - 12 * k,
                  state.body_open, nullptr, jointTypeName(body.joint.type))) {
        subhead("pose", "origin, base axes");
        row("m", triple(X[9], X[10], X[11]));
        const auto rpy = rollPitchYaw(X);
        const double turn = state.degrees ? 1 / kDegree : 1;
        row(state.degrees ? "roll pitch yaw °" : "roll pitch yaw rad",
            triple(rpy[0] * turn, rpy[1] * turn, rpy[2] * turn));
        subhead("velocity", "of the origin, base axes");
        row("m/s", triple(V[3], V[4], V[5]));
        row(state.degrees ? "°/s" : "rad/s", triple(V[0] * turn, V[1] * turn, V[2] * turn));

        const int nv = jointNv(body.joint.type);
        const bool quaternion = body.joint.type == JointType::spherical || body.joint.type == JointType::floating;
        if (nv > 0) subhead("joint", quaternion ? "body axes" : "");
        for (int i = 0; i < nv; ++i) {
            const auto vi = static_cast<std::size_t>(view.layout->v_of_body[index] + i);
            const bool angle = angular(body.joint.type, i);
            const std::string& name = view.layout->v_names[vi];
            if (!quaternion)
                row(name.c_str(), withUnit(s.state.q[static_cast<std::size_t>(view.layout->q_of_body[index] + i)],
                                           angle, state.degrees));
            row(quaternion ? name.c_str() : "rate", withUnit(s.state.v[vi], angle, state.degrees, "/s"));
            if (vi < s.readings.vdot.size())
                row("acceleration", withUnit(s.readings.vdot[vi], angle, state.degrees, "/s²"));
        }

        bool any = false;
        const auto force = [&](const std::string& name, double value, const char* unit, scene::Quantity quantity) {
            if (!any) subhead("forces", "on this body");
            any = true;
            const scene::Color color = theme.quantity(quantity);
            row(name.c_str(), fmt::format("{} {}", shortNumber(value), unit), &color);
        };
        for (std::size_t e = 0; e < s.model->tsdas.size(); ++e) {
            const Tsda& tsda = s.model->tsdas[e];
            if ((tsda.from.body == view.selected_body || tsda.to.body == view.selected_body) &&
                e < s.readings.elements.tsda.size())
                force(tsda.name + ", tension", s.readings.elements.tsda[e], "N", scene::Quantity::spring);
        }
        for (std::size_t e = 0; e < s.model->rsdas.size(); ++e)
            if (s.model->rsdas[e].body == view.selected_body && e < s.readings.elements.rsda.size())
                force(s.model->rsdas[e].name + ", about the joint", s.readings.elements.rsda[e],
                      body.joint.type == JointType::prismatic ? "N" : "N m", scene::Quantity::spring);
        for (std::size_t d = 0; d < s.model->drives.size(); ++d) {
            const Drive& drive = s.model->drives[d];
            if (drive.body == view.selected_body && d < s.readings.drive_force.size())
                force(drive.name + ", on the joint", s.readings.drive_force[d],
                      angular(body.joint.type, drive.coordinate) ? "N m" : "N", scene::Quantity::drive);
        }
        if (s.readings.push_force && s.inputs.push && s.inputs.push->body == view.selected_body) {
            const Vector3d& f = *s.readings.push_force;
            force("push, at the grab point", std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), "N",
                  scene::Quantity::hand);
        }
        if (s.inputs.push && s.inputs.push->body == view.selected_body) {
            const Vector3d& c = s.inputs.push->torque;
            const double couple = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
            if (couple > 0) force("turn, by hand", couple, "N m", scene::Quantity::hand);
        }
        double mass = body.mass.at(s.inputs.param), weight = 0;
        for (const Number& g : s.model->gravity) weight += g.at(s.inputs.param) * g.at(s.inputs.param);
        force("gravity, at the cg", mass * std::sqrt(weight), "N", scene::Quantity::gravity);
    }
    return endCard();
}

}  // namespace mw::app
