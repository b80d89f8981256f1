// Sizes of brakes and of driving, and their laws.
#include "engine/sim/driven_rollers.h"

#include <algorithm>
#include <cmath>

namespace mw {
namespace {

// Seconds in which full grip would bring the whole vehicle up to an error of speed: stiff enough to hold a speed within
// a few per cent, soft enough to be driven by hand.
constexpr double kAnswer = 0.15;

}  // namespace

std::vector<DrivenRoller> drivenRollers(const Model& model, const Layout& layout, std::span<const double> param) {
    std::vector<DrivenRoller> rollers;
    double mass = 0, weight = 0;
    for (const Body& body : model.bodies) mass += body.mass.at(param);
    for (const Number& g : model.gravity) weight = std::hypot(weight, mass * g.at(param));
    for (std::size_t t = 0; t < model.tracks.size(); ++t) {
        const Track& track = model.tracks[t];
        for (std::size_t r = 0; r < track.rollers.size(); ++r) {
            const Track::Roller& roller = track.rollers[r];
            if (!roller.driven || roller.body < 0) continue;
            const auto index = static_cast<std::size_t>(roller.body);
            const Body& body = model.bodies[index];
            if (body.joint.type != JointType::revolute) continue;
            const bool known = std::any_of(rollers.begin(), rollers.end(),
                                           [&](const DrivenRoller& d) { return d.body == roller.body; });
            if (known) continue;

            DrivenRoller d;
            d.track = static_cast<int>(t), d.roller = static_cast<int>(r), d.body = roller.body;
            d.q = layout.q_of_body[index], d.v = layout.v_of_body[index];
            d.radius = roller.radius;
            // Inertia about the axle: a' I a of the body, the centre's distance from the axis, and the armature.
            const Vector3d& a = body.joint.axis;
            double I[6], cg[3], along = 0, square = 0;
            for (std::size_t k = 0; k < 6; ++k) I[k] = body.inertia[k].at(param);
            for (std::size_t k = 0; k < 3; ++k) {
                cg[k] = body.cg[k].at(param);
                along += a[k] * cg[k], square += cg[k] * cg[k];
            }
            d.inertia = I[0] * a[0] * a[0] + I[1] * a[1] * a[1] + I[2] * a[2] * a[2] +
                        2 * (I[3] * a[0] * a[1] + I[4] * a[0] * a[2] + I[5] * a[1] * a[2]) +
                        body.mass.at(param) * (square - along * along) + body.joint_armature.at(param);
            // Two periods of a shoe on the band's stiffness: sqrt(K / I) = sqrt(kn / m) / 2.
            const double contact = track.mass.at(param) > 0 ? track.kn.at(param) / track.mass.at(param) : 0;
            d.stiffness = d.inertia * contact / 4;
            d.damping = 2 * std::sqrt(d.stiffness * d.inertia);
            const bool own = model.ground && model.ground->mu;
            d.limit = (own ? model.ground->mu->at(param) : track.mu.at(param)) * weight * d.radius;
            d.gain = mass * d.radius * d.radius / kAnswer;
            rollers.push_back(d);
        }
    }
    for (DrivenRoller& d : rollers) {
        d.limit /= static_cast<double>(rollers.size());
        d.gain /= static_cast<double>(rollers.size());
    }
    return rollers;
}

RollerTorques rollerTorques(const DrivenRoller& roller, const BrakeMemory& brake, const double* wanted, double angle,
                            double speed, double dt) {
    // A damper c solved by backward Euler over the step for the inertia that it brakes: c / (1 + c dt / I). It can
    // bring the speed to what is wanted and never beyond, at any step.
    const auto implicit = [&](double c) { return roller.inertia > 0 ? c / (1 + c * dt / roller.inertia) : c; };
    RollerTorques torques;
    if (brake.on != 0) {
        torques.spring = -roller.stiffness * (angle - brake.angle);
        torques.damper = -implicit(roller.damping) * speed;
    }
    if (wanted) torques.drive = std::clamp(implicit(roller.gain) * (*wanted - speed), -roller.limit, roller.limit);
    return torques;
}

double brakeEnergy(const DrivenRoller& roller, const BrakeMemory& brake, double angle) {
    if (brake.on == 0) return 0;
    const double turn = angle - brake.angle;
    return 0.5 * roller.stiffness * turn * turn;
}

}  // namespace mw
