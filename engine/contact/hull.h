// Which of many points are corners of their convex hull.
#pragma once

#include <vector>

#include "engine/spatial/spatial.h"

namespace mw::collide {

/// Corners of the hull, in the order of `points`; within 1e-10 of the size points of its faces count as inside. Flat or
/// degenerate sets come back whole.
std::vector<Vector3> hullCorners(const std::vector<Vector3>& points);

}  // namespace mw::collide
