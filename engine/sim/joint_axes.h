// The motion axes of one joint in base coordinates.
#pragma once

#include <array>

#include "engine/model/model.h"

namespace mw {

/// One a velocity of the joint: [angular; linear of the point that is at the base origin], base axes.
using JointAxes = std::array<std::array<double, 6>, 6>;

/// q: the joint's own coordinates; X: the pose of its body (kernel_abi.h). Returns how many there are.
int jointAxes(const Joint& joint, double pitch, const double* q, const double* X, JointAxes& out);

}  // namespace mw
