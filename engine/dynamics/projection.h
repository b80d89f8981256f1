// Mass matrix and bias by projection: every body's Newton-Euler equation in base coordinates, times the Jacobian of its
// joint path (Kane's form). No recursion over transforms: an opinion apart from inverse.h and mass_matrix.h, which
// share only the joint models with it. Call updateKinematics first.
#pragma once

#include "engine/dynamics/kinematics.h"

namespace mw {

/// M (nv x nv), joint armature on its diagonal.
void projectedMassMatrix(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                         Eigen::Ref<Eigen::MatrixXd> M);

/// Coriolis, centrifugal and gravity forces (nv) at the velocities v (nv).
void projectedBias(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                   const Vector3& gravity, const double* q, const double* v, double* c);

}  // namespace mw
