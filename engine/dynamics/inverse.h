// Inverse dynamics by the recursive Newton-Euler algorithm (RBDA table 5.1), in body coordinates.
// Call updateKinematics first; gravity enters as an upward acceleration of the base.
#pragma once

#include "engine/dynamics/kinematics.h"

namespace mw {

/// Per body, of one pass.
struct InverseWork {
    Vector6 a, f;
};

/// Joint forces tau (nv) that produce the accelerations vdot (nv; null: zero) under gravity and the forces f_base (one
/// [moment about the base origin; force] a body, base axes; null: none). Joint armature enters with vdot; damping and
/// elements do not.
void inverseDynamics(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                     const Vector3& gravity, const double* vdot, const Vector6* f_base, InverseWork* work, double* tau);

}  // namespace mw
