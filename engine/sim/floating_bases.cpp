// Velocities of floating bodies between the axes of a step's start and of its end.
#include "engine/sim/floating_bases.h"

#include "engine/spatial/spatial.h"

namespace mw {
namespace {

template <class Visit>
void eachFloating(const Model& model, const Layout& layout, std::span<const double> param, const Visit& visit) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        if (body.joint.type != JointType::floating) continue;
        const Vector3 cg(body.cg[0].at(param), body.cg[1].at(param), body.cg[2].at(param));
        visit(static_cast<std::size_t>(layout.q_of_body[b]), static_cast<std::size_t>(layout.v_of_body[b]), cg);
    }
}

}  // namespace

void addTurning(const Model& model, const Layout& layout, std::span<const double> v, std::span<const double> param,
                double factor, std::span<double> out) {
    eachFloating(model, layout, param, [&](std::size_t, std::size_t at, const Vector3& cg) {
        const Vector3 w(v[at], v[at + 1], v[at + 2]), u(v[at + 3], v[at + 4], v[at + 5]);
        const Vector3 turning = w.cross(u + w.cross(cg));
        for (std::size_t k = 0; k < 3; ++k) out[at + 3 + k] += factor * turning(static_cast<int>(k));
    });
}

void settleFloating(const Model& model, const Layout& layout, std::span<const double> q_start,
                    std::span<const double> param, double h, std::span<double> q, std::span<double> v) {
    eachFloating(model, layout, param, [&](std::size_t at, std::size_t slot, const Vector3& cg) {
        const Matrix3 before = rotationOfQuaternion(q_start.data() + at), after = rotationOfQuaternion(q.data() + at);
        const Vector3 w(v[slot], v[slot + 1], v[slot + 2]), u(v[slot + 3], v[slot + 4], v[slot + 5]);
        const Vector3 moving = before * (u + w.cross(cg));  // of the centre of mass, base axes
        const Vector3 origin(q_start[at + 4], q_start[at + 5], q_start[at + 6]);
        const Vector3 end = origin + before * cg + h * moving - after * cg;
        const Vector3 there = after.transpose() * moving - w.cross(cg);
        for (std::size_t k = 0; k < 3; ++k) {
            q[at + 4 + k] = end(static_cast<int>(k));
            v[slot + 3 + k] = there(static_cast<int>(k));
        }
    });
}

}  // namespace mw
