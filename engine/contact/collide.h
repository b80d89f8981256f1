// Pairs of solids, the narrow phase: where two shapes are nearest, as touches with a signed gap. Inside of the room;
// the door is shape_contacts.h. Sources and features: docs/rows.md, "Contact of shapes".
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/contact/terrain.h"
#include "engine/model/model.h"
#include "engine/spatial/spatial.h"

namespace mw::collide {

/// A shape in place. Its own axes: z along a capsule, a cylinder, a cone.
struct Solid {
    Shape::Kind kind = Shape::Kind::box;
    Vector3 size = Vector3::Zero();  ///< box: half edges; sphere: R; capsule, cylinder: R, half length; cone: R, height
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero();
    const std::vector<Vector3>* points = nullptr;  ///< mesh: vertices, scaled, own axes

    double radius() const { return size.x(); }
    Vector3 axis() const { return R.col(2); }
};

/// One place of a pair: nearest points of both surfaces (without margins), normal from A to B, b - a = gap normal.
struct Touch {
    Vector3 a = Vector3::Zero(), b = Vector3::Zero(), normal = Vector3::Zero();
    double gap = 0;
    std::uint32_t feature = 0;
};
using Touches = std::vector<Touch>;

/// The touches of A and B whose gap is at most `reach`, added to `out`. Any two kinds.
void touches(const Solid& A, const Solid& B, double reach, Touches& out);
/// The ground is A.
void touchesGround(const Terrain& terrain, const Solid& B, double reach, Touches& out);

/// Of the touches from `before` on at most eight stay: the deepest, then the farthest from those that are kept.
void keepEight(Touches& out, std::size_t before);

// The pairs by themselves, in this order of kinds.
void sphereSphere(const Solid& A, const Solid& B, double reach, Touches& out);
void sphereCapsule(const Solid& A, const Solid& B, double reach, Touches& out);
void sphereBox(const Solid& A, const Solid& B, double reach, Touches& out);
void capsuleCapsule(const Solid& A, const Solid& B, double reach, Touches& out);
void capsuleBox(const Solid& A, const Solid& B, double reach, Touches& out);
void boxBox(const Solid& A, const Solid& B, double reach, Touches& out);
/// Any convex pair, by FCL (collide_general.cpp).
void convexPair(const Solid& A, const Solid& B, double reach, Touches& out);

/// A touch between two balls (a point is a ball of radius 0); `fallback` is the normal where the centres coincide.
Touch ballTouch(const Vector3& a, double radius_a, const Vector3& b, double radius_b, const Vector3& fallback);
/// A unit vector perpendicular to a unit vector, by a fixed rule: the projection of x, of y where x is close to it.
Vector3 acrossOf(const Vector3& unit);

/// Nearest points of p1 + s d1 and p2 + t d2, s and t in [-1, 1].
struct SegmentPair {
    double s = 0, t = 0, squared = 0;
    bool parallel = false;
};
SegmentPair nearestOfSegments(const Vector3& p1, const Vector3& d1, const Vector3& p2, const Vector3& d2);

/// Nearest point of a terrain to a point, from a start near it: foot on the surface, unit normal of the surface there,
/// distance along it (negative below the ground).
struct Foot {
    Vector3 at, normal;
    double distance = 0;
};
Foot nearestOnTerrain(const Terrain& terrain, const Vector3& c, double start_x, double start_y);

/// Directions closer than this to a face's normal count as the face's own (docs/rows.md): cos 3 degrees.
constexpr double kAlongFace = 0.99863;

}  // namespace mw::collide
