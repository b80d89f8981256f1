// Random configurations of a joint that nothing holds: what proofs and walks draw from (docs/proof.md).
#pragma once

#include "engine/base/draw.h"
#include "engine/model/model.h"

namespace mw {

/// Angles U(-pi, pi), lengths U(-1, 1), quaternions uniform on the sphere: the joint's nq numbers.
void randomConfiguration(Draw& draw, JointType type, double* q);

}  // namespace mw
