// Geodesics on the guides of a route, and the curve of one for drawing.
#pragma once

#include <vector>

#include "engine/tendon/span.h"

namespace mw {

/// Points of the rope on a wrapped guide from `contact.first` to `contact.last`, both included, one at least every
/// `angle` rad of turning; appended to `points`. Follows the surface from the first point in its direction. All kinds.
void geodesicCurve(const SpanGuide& guide, const GuideContact& contact, double angle, std::vector<Vector3>& points);

}  // namespace mw
