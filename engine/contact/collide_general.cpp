// Pairs with a cylinder, a cone or a mesh: nearest points by FCL (the one file that sees it). A mesh collides as the
// convex hull of its vertices.
#include <cmath>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>

#include "engine/contact/collide.h"

namespace mw::collide {

namespace {

/// FCL's solid at the place of ours; a cone's origin is half way up there.
struct Guest {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    fcl::Transform3d place = fcl::Transform3d::Identity();
};

Guest guestOf(const Solid& solid) {
    Guest guest;
    guest.place.linear() = solid.R;
    guest.place.translation() = solid.p;
    switch (solid.kind) {
        case Shape::Kind::box: guest.geometry = std::make_shared<fcl::Boxd>(2 * solid.size); break;
        case Shape::Kind::sphere: guest.geometry = std::make_shared<fcl::Sphered>(solid.radius()); break;
        case Shape::Kind::capsule:
            guest.geometry = std::make_shared<fcl::Capsuled>(solid.radius(), 2 * solid.size.y());
            break;
        case Shape::Kind::cylinder:
            guest.geometry = std::make_shared<fcl::Cylinderd>(solid.radius(), 2 * solid.size.y());
            break;
        case Shape::Kind::cone:
            guest.geometry = std::make_shared<fcl::Coned>(solid.radius(), solid.size.y());
            guest.place.translation() += 0.5 * solid.size.y() * solid.axis();
            break;
        case Shape::Kind::mesh:
            guest.geometry = std::make_shared<fcl::Convexd>(std::make_shared<const std::vector<Vector3>>(*solid.points),
                                                            0, std::make_shared<const std::vector<int>>());
            break;
    }
    return guest;
}

}  // namespace

void convexPair(const Solid& A, const Solid& B, double reach, Touches& out) {
    const Guest a = guestOf(A), b = guestOf(B);
    fcl::DistanceRequestd request(true, true, 0.0, 0.0, 1e-9, fcl::GST_LIBCCD);
    fcl::DistanceResultd result;
    try {
        fcl::distance(a.geometry.get(), a.place, b.geometry.get(), b.place, request, result);
    } catch (const std::exception&) {
        return;
    }
    const double gap = result.min_distance;
    if (!std::isfinite(gap) || gap > reach) return;
    Touch touch;
    touch.a = result.nearest_points[0];
    touch.b = result.nearest_points[1];
    touch.gap = gap;
    const Vector3 d = gap < 0 ? Vector3(touch.a - touch.b) : Vector3(touch.b - touch.a);
    const double length = d.norm();
    touch.normal = length > 1e-12 ? Vector3(d / length) : Vector3((B.p - A.p).normalized());
    out.push_back(touch);
}

}  // namespace mw::collide
