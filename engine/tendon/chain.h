// What one guide does to a rope between two points, as nodes of a taut rope: the parts that chains are made of.
#pragma once

#include <array>
#include <vector>

#include "engine/tendon/geodesic.h"
#include "engine/tendon/span.h"
#include "engine/tendon/taut.h"

namespace mw {

struct Touch {
    GuideContact::State state = GuideContact::State::free;
    bool end_inside = false;
    bool converged = true;
    std::vector<TautNode> nodes;  ///< none: free; a bend: one; a torus touched twice: two or more
};

/// `other`: where no side site decides, the next best way round instead of the shortest, if there is one.
void touchSphereOrCylinder(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface,
                           bool other, Touch& touch);
void touchEllipsoid(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface, bool other,
                    Touch& touch);
/// Ends on one side of the ring's plane or on two is seen from a and b, or, if they are given, from `ends`.
void touchTorus(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface, Touch& touch,
                const std::array<Vector3, 2>* ends = nullptr);

/// A node's start from base coordinates: a point near the surface and a direction near its tangent there.
TautNode nodeAt(const GuideSurface& surface, const Vector3& point, const Vector3& direction, double length);

/// The result from tight nodes; `touches` has an entry a guide, `nodes` the nodes of all of them in order.
void fillSpan(const Vector3& a, const Vector3& b, std::span<const Touch> touches, std::span<const TautNode> nodes,
              SpanResult& result);

}  // namespace mw
