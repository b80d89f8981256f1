// Sprockets as a driver and a parking brake see them: torques on the joints of the driven rollers.
//
// Brake: a torsional spring and damper from the angle at which it went on. Its period is two periods of the band's
// contact, so that it never decides the step; its damping is critical and solved implicitly for the roller's inertia.
// Driving: a torque that holds a wanted speed, as far as the ground could take it, with the same implicit form.
#pragma once

#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// The driven rollers of all tracks, each joint once: those that brakes and driving act on.
struct DrivenRoller {
    int track = 0, roller = 0, body = 0;
    int q = 0, v = 0;      ///< slots of its revolute joint
    double inertia = 0;    ///< kg m^2, of the roller about its axle with the joint's armature
    double stiffness = 0;  ///< of the brake, N m/rad: its period is two contact periods
    double damping = 0;    ///< of the brake, N m s/rad: critical
    double radius = 0;     ///< m
    double gain = 0;       ///< of driving, N m s/rad
    double limit = 0;      ///< N m, of driving: what the ground can take
};
std::vector<DrivenRoller> drivenRollers(const Model& model, const Layout& layout, std::span<const double> param);

/// One roller's brake in the state's block "brake": 1 when on, and the angle that it holds.
struct BrakeMemory {
    double on = 0, angle = 0;
};
inline constexpr std::size_t kBrakeNumbers = 2;

struct RollerTorques {
    double spring = 0, damper = 0;  ///< of the brake
    double drive = 0;               ///< of driving
};
/// Torques on a roller at an angle and a speed; `dt` of the implicit damping, 0: the explicit law. `wanted` null:
/// nobody drives.
RollerTorques rollerTorques(const DrivenRoller& roller, const BrakeMemory& brake, const double* wanted, double angle,
                            double speed, double dt);
/// J in the brake's spring.
double brakeEnergy(const DrivenRoller& roller, const BrakeMemory& brake, double angle);

}  // namespace mw
