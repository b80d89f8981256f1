// The mass matrix by the composite-rigid-body algorithm (RBDA table 6.2). Call updateKinematics first (velocities not
// needed).
#pragma once

#include "engine/dynamics/kinematics.h"

namespace mw {

/// M (nv x nv, both triangles), joint armature on its diagonal. I_composite: scratch, one a body.
void massMatrix(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                Matrix6* I_composite, Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace mw
