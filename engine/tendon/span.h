// One span of a route: from one site to the next, over the guides between them. Pure geometry in base coordinates: the
// result depends on nothing but the arguments.
//
// Straight pieces, arcs, helices and geodesics; the rules are those of docs/tendons.md: exterior guides (with and
// without a side site, rules "nearest" and "barrier"), interior guides, several guides in a row as the shortest path
// over all of them. Lengths m, angles rad.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "engine/spatial/spatial.h"

namespace mw {

struct SpanGuide {
    PathElement::Kind kind = PathElement::Kind::sphere;
    Vector3 centre = Vector3::Zero();
    Matrix3 axes = Matrix3::Identity();  ///< guide frame to base; a cylinder's and a torus' axis is z
    std::array<double, 3> radii{};       ///< as PathElement::radii
    bool has_side = false;
    Vector3 side = Vector3::Zero();
    SideRule rule = SideRule::nearest;
};

/// What a route does on one guide.
struct GuideContact {
    enum class State { free, wrapped, bent };  ///< straight past it; over an arc; through one point of it
    State state = State::free;
    double sweep =
        0;  ///< rad turned about the guide (cylinder: planar angle; ellipsoid, torus: as `turn`); 0 when not wrapped
    double turn = 0;  ///< rad that the rope's direction turns by, in space: what capstan friction goes by
    double arc = 0;   ///< m of rope that lie on it
    /// A torus may be touched twice, the rope runs straight across its hollow in between: from `lift` to `land`, metres
    /// of rope behind the first contact point; that bridge counts in `arc`. Its two ends' pulls cancel on the guide.
    bool bridged = false;
    double lift = 0, land = 0;
    bool end_inside = false;  ///< an end on or inside an exterior guide: ignored for that reason
    Vector3 first = Vector3::Zero(), last = Vector3::Zero();  ///< contact points, base
    /// dL/d(point on the guide) at the two contact points; a bend has all of it in `first_gradient`.
    Vector3 first_gradient = Vector3::Zero(), last_gradient = Vector3::Zero();
    /// Along the rope at the two points, in the direction of travel.
    Vector3 first_direction = Vector3::Zero(), last_direction = Vector3::Zero();
};

struct SpanResult {
    double length = 0;
    Vector3 a_gradient = Vector3::Zero(), b_gradient = Vector3::Zero();
    std::vector<GuideContact> guides;  ///< as many as were given
    std::vector<double> straight;      ///< lengths of the straight pieces, in travel order
    bool converged = true;             ///< a geodesic's search found its end; else the nearest it came to
};

/// A span. `result` is overwritten and keeps its memory. Coincident points have length and gradient zero.
void routeSpan(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, SpanResult& result);

/// Points of the drawn line from a to b, both included: straight pieces and the parts on guides cut by `angle` (rad).
/// `on_guide` gets as many entries as pieces between them: index of the guide that the piece lies on, -1: free.
void drawSpan(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, const SpanResult& result,
              double angle, std::vector<Vector3>& points, std::vector<int>& on_guide);

// The pieces, for their own tests; a single guide between two points.
void routeOverSphere(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result);
void routeOverCylinder(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result);
void routeOverEllipsoid(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result);
void routeOverTorus(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result);
/// Two or more guides in a row: the shortest path over all of them, by geometry alone.
void routeOverChain(const Vector3& a, const Vector3& b, std::span<const SpanGuide> guides, SpanResult& result);

}  // namespace mw
