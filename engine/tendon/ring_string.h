// A string pulled short around a ring's wire: a slow and robust way to a first guess of the taut rope, for poses where
// the quick ones fail.
#pragma once

#include <vector>

#include "engine/tendon/geodesic.h"
#include "engine/tendon/taut.h"

namespace mw {

/// The way that a rope takes past a ring, which is one closed line: through the hole, from above the ring's plane or
/// from below it, or not through it. Ends on the wrong sides for that are reached round the outside.
enum class RingWay { down, up, past };

/// Nodes where the string from p to q (guide's frame, outside of the wire) lies on the wire; none where it lies free.
/// The string starts well clear of the wire, on the way that is asked for, and never goes through it; where it goes
/// round the outside, it does so at `azimuth` at first.
std::vector<TautNode> stringAroundRing(const GuideSurface& surface, const Vector3& p, const Vector3& q, RingWay way,
                                       double azimuth);

}  // namespace mw
