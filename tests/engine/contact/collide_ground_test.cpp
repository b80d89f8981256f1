// Shapes on planes and terrain: against support functions, against dense sampling of the surface, curbs, bumps.
#include "tests/engine/contact/collide_support.h"

using namespace mw;
using namespace mw::test;

namespace {

Ground planeGround(const Vector3& normal, double offset) {
    Ground g;
    const Vector3 n = normal.normalized();
    g.normal = {n.x(), n.y(), n.z()};
    g.offset = offset;
    return g;
}

Ground hills() {
    Ground g = planeGround(Vector3(0.1, -0.05, 1), 0.1);
    g.waves.push_back({0.08, 2.3, 0.4});
    g.waves.push_back({0.03, 1.1, 2.0});
    g.bumps.push_back({0.4, -0.2, 0.15, 1.2});
    return g;
}

/// Signed distance of a point from a terrain: dense samples around it, then a shrinking grid about the best.
double sampledDistance(const Terrain& terrain, const Vector3& c, double range) {
    double best = HUGE_VAL, bx = c.x(), by = c.y();
    double width = range;
    for (int level = 0; level < 14; level++) {
        const double cx = bx, cy = by;
        const int count = level == 0 ? 60 : 8;
        for (int i = -count; i <= count; i++) {
            for (int j = -count; j <= count; j++) {
                const double x = cx + width * i / count, y = cy + width * j / count;
                const double d = (Vector3(x, y, terrain.height(x, y)) - c).norm();
                if (d < best) best = d, bx = x, by = y;
            }
        }
        width *= level == 0 ? 0.05 : 0.3;
    }
    return c.z() < terrain.height(c.x(), c.y()) ? -best : best;
}

}  // namespace

TEST_CASE("on a plane the least gap is the solid's lowest point, upright or leaning, above and below") {
    for (Kind kind : {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::cone}) {
        for (int trial = 0; trial < 200; trial++) {
            Draw draw(7100 + int(kind), trial);
            const Solid B = randomSolid(kind, draw);
            const Vector3 n = Vector3(draw.between(-0.7, 0.7), draw.between(-0.7, 0.7), 1).normalized();
            const double offset = draw.between(-1, 1);
            const Terrain terrain(planeGround(n, offset));
            const double wanted = -support(B, -n) - offset;
            Touches touches;
            collide::touchesGround(terrain, B, 10, touches);
            INFO(int(kind) << " trial " << trial);
            REQUIRE(!touches.empty());
            CHECK(std::abs(leastGap(touches) - wanted) < 1e-12);
            for (const Touch& t : touches) {
                CHECK((t.normal - n).norm() < 1e-12);
                CHECK((t.b - t.a - t.gap * t.normal).norm() < 1e-12);
                CHECK(std::abs(n.dot(t.a) - offset) < 1e-12);
                if (kind == Kind::sphere || kind == Kind::capsule || kind == Kind::box)
                    CHECK(surfaceDistance(B, t.b) < 1e-12);
            }
        }
    }
}

TEST_CASE("a flat box rests on four corners, a lying cylinder on two lines' ends, a standing one on its rim") {
    const Terrain terrain(planeGround(Vector3::UnitZ(), 0));
    Touches touches;
    collide::touchesGround(terrain, solidOf(Kind::box, Vector3(0.3, 0.2, 0.1), Vector3(0, 0, 0.1)), 1e-3, touches);
    CHECK(touches.size() == 4);
    touches.clear();
    collide::touchesGround(
        terrain,
        solidOf(Kind::cylinder, Vector3(0.3, 0.2, 0), Vector3(0, 0, 0.3),
                rotationAbout(Vector3::UnitX(), 1.5707963267948966) * rotationAbout(Vector3::UnitZ(), 0.2)),
        1e-3, touches);
    REQUIRE(touches.size() == 2);
    CHECK(std::abs(touches[0].gap) < 1e-12);
    touches.clear();
    collide::touchesGround(terrain, solidOf(Kind::cylinder, Vector3(0.3, 0.2, 0), Vector3(0, 0, 0.2)), 1e-3, touches);
    CHECK(touches.size() == 8);
    touches.clear();
    collide::touchesGround(terrain, solidOf(Kind::cone, Vector3(0.3, 0.2, 0)), 1e-3, touches);
    CHECK(touches.size() == 8);
}

TEST_CASE("on terrain a sphere's nearest point is the one that dense sampling finds") {
    for (double tilt : {0.0, 0.15}) {
        const Terrain terrain(hills(), tilt);
        double worst = 0;
        for (int trial = 0; trial < 200; trial++) {
            Draw draw(7300, trial);
            const double r = draw.between(0.05, 0.3);
            Vector3 c(draw.between(-2, 2), draw.between(-2, 2), 0);
            c.z() = terrain.height(c.x(), c.y()) + draw.between(-0.5 * r, 1.5 * r);
            const Solid B = solidOf(Kind::sphere, Vector3(r, 0, 0), c);
            Touches touches;
            collide::touchesGround(terrain, B, 10, touches);
            REQUIRE(!touches.empty());
            const double wanted = sampledDistance(terrain, c, 1) - r;
            worst = std::max(worst, std::abs(leastGap(touches) - wanted));
            INFO("trial " << trial);
            CHECK(std::abs(leastGap(touches) - wanted) < 1e-7);
            for (const Touch& t : touches) {
                CHECK(std::abs(t.normal.norm() - 1) < 1e-12);
                CHECK(t.normal.z() > 0);
                CHECK(std::abs(terrain.height(t.a.x(), t.a.y()) - t.a.z()) < 1e-12);
                CHECK((t.b - t.a - t.gap * t.normal).norm() < 1e-12);
            }
        }
        std::printf("  sphere on hills turned by %4.2f: gap against dense sampling %9.2g\n", tilt, worst);
    }
}

TEST_CASE("gaps on terrain move no more than the shape") {
    const Terrain terrain(hills());
    for (Kind kind : {Kind::sphere, Kind::capsule, Kind::box}) {
        double worst = 0;
        for (int trial = 0; trial < 20; trial++) {
            Draw draw(7400 + int(kind), trial);
            Solid B = randomSolid(kind, draw);
            B.size *= 0.3;
            B.p = Vector3(draw.between(-1, 1), draw.between(-1, 1), 0);
            B.p.z() = terrain.height(B.p.x(), B.p.y()) + 0.1;
            const Vector3 go = unitVector(draw);
            double before = 0;
            for (int k = 0; k < 400; k++) {
                B.p += 1e-3 * go;
                Touches touches;
                collide::touchesGround(terrain, B, 10, touches);
                REQUIRE(!touches.empty());
                if (k > 0) worst = std::max(worst, std::abs(leastGap(touches) - before));
                before = leastGap(touches);
            }
        }
        INFO(int(kind));
        CHECK(worst < 1.05e-3);
    }
}

TEST_CASE("a ball before a curb touches floor and edge, a capsule and a box bridge a bump") {
    Ground curb = planeGround(Vector3::UnitZ(), 0);
    curb.steps.push_back({0.1, 0, 0});  // 0.1 m high at x = 0
    const Terrain steps(curb);
    // Centre at height 0.3 over the floor, the curb's edge at (0, 0.1): touching both where x^2 + 0.2^2 = 0.3^2.
    const double x = -std::sqrt(0.09 - 0.04);
    Touches touches;
    collide::touchesGround(steps, solidOf(Kind::sphere, Vector3(0.3, 0, 0), Vector3(x, 0, 0.3)), 1e-3, touches);
    REQUIRE(touches.size() == 2);
    CHECK(std::abs(touches[0].gap) < 1e-9);
    CHECK(touches[0].normal.z() == Approx(1));
    CHECK(std::abs(touches[1].gap) < 2e-6);
    CHECK(touches[1].normal.x() == Approx(x / 0.3).margin(1e-5));
    CHECK(touches[1].normal.z() == Approx(0.2 / 0.3).margin(1e-5));

    Ground bump = planeGround(Vector3::UnitZ(), 0);
    bump.bumps.push_back({0.03, 0, 0.05, 0.2});
    const Terrain bumps(bump);
    const Matrix3 lying = rotationAbout(Vector3::UnitY(), 1.5707963267948966);
    touches.clear();
    collide::touchesGround(bumps, solidOf(Kind::capsule, Vector3(0.1, 0.5, 0), Vector3(0, 0, 0.16), lying), 1e-1,
                           touches);
    CHECK(leastGap(touches) == Approx(0.01).margin(1e-6));
    touches.clear();
    collide::touchesGround(bumps, solidOf(Kind::box, Vector3(0.5, 0.2, 0.1), Vector3(0, 0.2, 0.17)), 1e-1, touches);
    CHECK(leastGap(touches) == Approx(0.02).margin(1e-6));  // its edge along y = 0
}

TEST_CASE("terrain: hostile numbers stay finite") {
    Ground g = hills();
    g.steps.push_back({0.4, 0.2, 0});
    const Terrain terrain(g);
    for (int trial = 0; trial < 300; trial++) {
        Draw draw(7500, trial);
        constexpr Kind kKinds[] = {Kind::sphere, Kind::capsule, Kind::box, Kind::cylinder, Kind::cone};
        Solid B = randomSolid(kKinds[trial % 5], draw);
        B.p *= std::pow(10, draw.between(-6, 3));
        if (trial % 7 == 0) B.size *= 0;
        Touches touches;
        collide::touchesGround(terrain, B, 0.1, touches);
        for (const Touch& t : touches) {
            CHECK(t.a.allFinite());
            CHECK(t.b.allFinite());
            CHECK(std::abs(t.normal.norm() - 1) < 1e-9);
        }
    }
}
