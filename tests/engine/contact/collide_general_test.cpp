// Pairs with a cylinder, a cone or a mesh against the greatest separation over all directions; hulls of meshes.
#include "engine/contact/hull.h"
#include "tests/engine/contact/collide_support.h"

using namespace mw;
using namespace mw::test;

namespace {

std::vector<Vector3> cloud(Draw& draw, int count) {
    std::vector<Vector3> points;
    for (int i = 0; i < count; i++) points.push_back(draw.between(0.2, 0.6) * unitVector(draw));
    return points;
}

}  // namespace

TEST_CASE("hull: the support of the corners is that of all points, and corners alone are kept") {
    for (int trial = 0; trial < 30; trial++) {
        Draw draw(8100, trial);
        const std::vector<Vector3> points = cloud(draw, 20 + 40 * trial), corners = collide::hullCorners(points);
        CHECK(corners.size() < points.size());
        for (int k = 0; k < 200; k++) {
            const Vector3 d = unitVector(draw);
            double all = -HUGE_VAL, some = -HUGE_VAL;
            for (const Vector3& p : points) all = std::max(all, d.dot(p));
            for (const Vector3& p : corners) some = std::max(some, d.dot(p));
            CHECK(std::abs(all - some) < 1e-10);
        }
    }
    // A cube full of points has eight corners, but for those that lie in its faces to rounding.
    std::vector<Vector3> grid;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 5; k++) grid.emplace_back(i, j, k);
    CHECK(collide::hullCorners(grid).size() == 8);
    // Flat and tiny sets come back whole.
    std::vector<Vector3> flat;
    for (int i = 0; i < 20; i++) flat.emplace_back(std::cos(i), std::sin(i), 0);
    CHECK(collide::hullCorners(flat).size() == 20);
    CHECK(collide::hullCorners(std::vector<Vector3>(12, Vector3::Zero())).size() == 12);
}

TEST_CASE("cylinders and cones and meshes: gap against the greatest separation over all directions") {
    constexpr Kind kAll[] = {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::cone, Kind::mesh};
    for (Kind ka : kAll) {
        for (Kind kb : {Kind::cylinder, Kind::cone, Kind::mesh}) {
            double apart = 0, deep = 0;
            for (int trial = 0; trial < 40; trial++) {
                Draw draw(8300 + 10 * int(ka) + int(kb), trial);
                const std::vector<Vector3> pa = cloud(draw, 30), pb = cloud(draw, 12);
                Solid A = randomSolid(ka, draw), B = randomSolid(kb, draw);
                if (ka == Kind::mesh) A.points = &pa;
                if (kb == Kind::mesh) B.points = &pb;
                B.p += draw.between(0, 1.5) * unitVector(draw);
                const double wanted = signedDistance(A, B);
                Touches touches;
                collide::touches(A, B, 10, touches);
                INFO(int(ka) << " " << int(kb) << " trial " << trial << " wanted " << wanted);
                REQUIRE(!touches.empty());
                for (const Touch& t : touches) {
                    REQUIRE(t.a.allFinite());
                    CHECK(std::abs(t.normal.norm() - 1) < 1e-12);
                    CHECK((t.b - t.a - t.gap * t.normal).norm() < 1e-9);
                }
                const double error = std::abs(leastGap(touches) - wanted);
                (wanted > 0 ? apart : deep) = std::max(wanted > 0 ? apart : deep, error);
                // The net's search stalls on ridges at some 1e-5; and so does the opinion on overlaps.
                CHECK(error < (wanted > 0 ? 4e-5 : 1e-4 + 1e-3 * std::abs(wanted)));
            }
            std::printf("  kinds %d %d: apart %9.2g, overlapping %9.2g\n", int(ka), int(kb), apart, deep);
        }
    }
}

TEST_CASE("a cylinder stands on a box by its rim, lies on it by two points; two cylinders end on end") {
    const Solid floor = solidOf(Kind::box, Vector3(1, 1, 0.1));
    Touches touches;
    collide::touches(floor, solidOf(Kind::cylinder, Vector3(0.2, 0.3, 0), Vector3(0.1, 0, 0.4 - 1e-5)), 1e-3, touches);
    REQUIRE(touches.size() == 8);
    for (const Touch& t : touches) {
        CHECK(t.gap == Approx(-1e-5).margin(1e-9));
        CHECK(t.normal.z() == Approx(1).margin(1e-12));
        CHECK(std::hypot(t.a.x() - 0.1, t.a.y()) == Approx(0.2).margin(1e-9));
    }
    touches.clear();
    collide::touches(floor,
                     solidOf(Kind::cylinder, Vector3(0.2, 0.3, 0), Vector3(0, 0, 0.3 - 1e-5),
                             rotationAbout(Vector3::UnitX(), 1.5707963267948966)),
                     1e-3, touches);
    REQUIRE(touches.size() == 2);
    CHECK(touches[0].gap == Approx(-1e-5).margin(1e-9));
    CHECK(std::abs(touches[0].a.y() - touches[1].a.y()) == Approx(0.6).margin(1e-6));
    touches.clear();
    collide::touches(solidOf(Kind::cylinder, Vector3(0.2, 0.3, 0)),
                     solidOf(Kind::cylinder, Vector3(0.2, 0.3, 0), Vector3(0, 0, 0.6 + 1e-5)), 1e-3, touches);
    CHECK(touches.size() >= 4);
    CHECK(leastGap(touches) == Approx(1e-5).margin(1e-9));
}
