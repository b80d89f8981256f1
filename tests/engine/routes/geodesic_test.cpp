// Routes over ellipsoids and tori: against the sphere, against all taut ropes found by shooting, gradients by
// differences, invariants, and the rules that choose a way.
#include "engine/tendon/geodesic.h"

#include <cmath>

#include "tests/engine/routes/scenes.h"
#include "tests/engine/routes/shooting.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

SpanGuide ellipsoidAt(const Vector3& centre, const std::array<double, 3>& radii, const Matrix3& axes) {
    SpanGuide guide;
    guide.kind = Kind::ellipsoid;
    guide.centre = centre;
    guide.radii = radii;
    guide.axes = axes;
    return guide;
}
SpanGuide torusAt(const Vector3& centre, double ring, double wire, const Matrix3& axes) {
    SpanGuide guide = ellipsoidAt(centre, {ring, wire, 0}, axes);
    guide.kind = Kind::torus;
    return guide;
}

Scene randomEllipsoid(Random& random, double least) {
    Scene scene;
    const std::array<double, 3> radii{random.between(least, 1), random.between(least, 1), random.between(least, 1)};
    const SpanGuide guide = ellipsoidAt(0.3 * random.direction(), radii, random.rotation());
    scene.a = guide.centre + random.between(1.1, 2) * random.direction();
    scene.b = 2 * guide.centre - scene.a + random.between(0, 1) * random.direction();
    scene.guides = {guide};
    return scene;
}
// Ends on the ring's two sides.
Scene randomRing(Random& random) {
    Scene scene;
    const SpanGuide guide =
        torusAt(0.3 * random.direction(), random.between(0.5, 1), random.between(0.05, 0.3), random.rotation());
    Vector3 p = random.between(1.3, 2) * random.direction(), q = random.between(1.3, 2) * random.direction();
    p.z() = std::abs(p.z()), q.z() = -std::abs(q.z());
    scene.a = guide.centre + guide.axes * p, scene.b = guide.centre + guide.axes * q;
    scene.guides = {guide};
    return scene;
}

void checkBalance(const Scene& scene, const SpanResult& r, double margin) {
    Vector3 force = r.a_gradient + r.b_gradient;
    Vector3 moment = scene.a.cross(r.a_gradient) + scene.b.cross(r.b_gradient);
    for (const GuideContact& c : r.guides) {
        force += c.first_gradient + c.last_gradient;
        moment += c.first.cross(c.first_gradient) + c.last.cross(c.last_gradient);
    }
    CHECK(force.norm() < margin);
    CHECK(moment.norm() < margin);
    double sum = 0;
    for (const double s : r.straight) sum += s;
    for (const GuideContact& c : r.guides) sum += c.arc;
    CHECK(sum == Approx(r.length).epsilon(1e-12));
}

void checkInvariants(const Scene& scene, Random& random, double margin) {
    const SpanResult r = scene.route();
    const SpanResult back = exchanged(scene).route();
    if (r.converged && back.converged) CHECK(back.length == Approx(r.length).margin(margin));
    const Matrix3 R = random.rotation();
    const Vector3 t = random.direction();
    const SpanResult there = moved(scene, R, t).route();
    CHECK(there.length == Approx(r.length).margin(margin));
    const SpanResult larger = scaled(scene, 37).route();
    CHECK(larger.length == Approx(37 * r.length).margin(37 * margin));
}

}  // namespace

TEST_CASE("an ellipsoid with equal axes is a sphere", "[routes][geodesic]") {
    Random random(11);
    int wrapped = 0, bent = 0;
    for (int i = 0; i < amount(400, 10000); ++i) {
        const double r = random.between(0.2, 1);
        SpanGuide guide = ellipsoidAt(0.3 * random.direction(), {r, r, r}, random.rotation());
        if (i % 3 == 1) guide = withSide(guide, guide.centre + random.between(1.01 * r, 3) * random.direction());
        if (i % 3 == 2) guide = withSide(guide, guide.centre + random.between(0, 0.9 * r) * random.direction());
        if (i % 2 == 1) guide.rule = SideRule::barrier;
        Scene scene;
        scene.a = random.between(1.4, 3) * random.direction(), scene.b = random.between(1.4, 3) * random.direction();
        scene.guides = {guide};
        const SpanResult route = scene.route();
        scene.guides[0].kind = Kind::sphere;
        const SpanResult sphere = scene.route();
        CAPTURE(i);
        REQUIRE(route.converged);
        REQUIRE(route.guides[0].state == sphere.guides[0].state);
        CHECK(std::abs(route.length - sphere.length) < 1e-10);
        wrapped += sphere.guides[0].state == State::wrapped;
        bent += sphere.guides[0].state == State::bent;
        const GuideContact &c = route.guides[0], &d = sphere.guides[0];
        CHECK(std::abs(c.sweep - d.sweep) < 1e-9);
        CHECK(std::abs(c.turn - d.turn) < 1e-9);
        CHECK((route.a_gradient - sphere.a_gradient).norm() < 1e-9);
        CHECK((c.first - d.first).norm() < 1e-8);
        CHECK((c.last - d.last).norm() < 1e-8);
    }
    CHECK(wrapped > 50);
    CHECK(bent > 30);
}

TEST_CASE("a long ellipsoid is nearly a cylinder across it", "[routes][geodesic]") {
    // Half axes 0.5 0.5 400: in the middle, square to the long axis, a circle exactly.
    Scene scene;
    scene.a = {-0.5, 0, 1}, scene.b = {0.5, 0, 1};
    scene.guides = {withSide(ellipsoidAt({0, 0, 2}, {0.5, 400, 0.5}, Matrix3::Identity()), {0, 0, 3})};
    CHECK(scene.length() == Approx(3.570796326795).epsilon(1e-11));
}

TEST_CASE("routes over an ellipsoid are the shortest of all taut ropes", "[routes][geodesic][brute]") {
    Random random(23);
    int compared = 0;
    for (int i = 0; i < amount(24, 120); ++i) {
        const Scene scene = randomEllipsoid(random, i % 2 ? 0.3 : 0.1);
        const SpanResult route = scene.route();
        if (route.guides[0].state != State::wrapped) continue;
        CAPTURE(i);
        REQUIRE(route.converged);
        const auto& r = scene.guides[0].radii;
        const auto ropes = Shooting(scene, 1e-3 * r[0]).all(120, 4 * (r[0] + r[1] + r[2]));
        double least = 1e300;
        for (const auto& rope : ropes)
            if (!rope.concave) least = std::min(least, rope.length);
        CHECK(std::abs(route.length - least) < 1e-6);
        ++compared;
    }
    CHECK(compared > 15);
}

TEST_CASE("routes through a ring are the shortest of all taut ropes through it", "[routes][geodesic][brute]") {
    Random random(29);
    int compared = 0;
    for (int i = 0; i < amount(30, 150); ++i) {
        const Scene scene = randomRing(random);
        const SpanResult route = scene.route();
        const GuideContact& contact = route.guides[0];
        if (contact.state != State::wrapped || contact.bridged || !route.converged) continue;
        CAPTURE(i);
        const auto& r = scene.guides[0].radii;
        const auto ropes = Shooting(scene, 2.5e-3 * r[1]).all(120, 4 * (r[0] + r[1]));
        double least = 1e300;
        for (const auto& rope : ropes)
            if (!rope.concave && rope.through) least = std::min(least, rope.length);
        CHECK(std::abs(route.length - least) < 1e-6);
        ++compared;
    }
    CHECK(compared > 15);
}

TEST_CASE("gradients of geodesic routes are differences of lengths", "[routes][geodesic]") {
    Random random(31);
    int compared = 0;
    for (int i = 0; i < amount(60, 300); ++i) {
        Scene scene = i % 2 ? randomRing(random) : randomEllipsoid(random, 0.25);
        if (i % 6 == 0) scene.guides[0] = withSide(scene.guides[0], 3 * random.direction());
        const SpanResult route = scene.route();
        REQUIRE(finite(route));
        if (route.guides[0].state == State::free || !route.converged) continue;
        CAPTURE(i);
        checkBalance(scene, route, 1e-9);
        for (const Slope& slope : slopes(scene, 1e-4)) {
            if (!slope.compared) continue;
            CHECK(slope.error() < 1e-6);
            ++compared;
        }
    }
    CHECK(compared > 200);
}

TEST_CASE("exchange of ends, rigid motion and scale leave geodesic routes as they are", "[routes][geodesic]") {
    Random random(37);
    for (int i = 0; i < amount(60, 300); ++i) {
        CAPTURE(i);
        checkInvariants(i % 2 ? randomRing(random) : randomEllipsoid(random, 0.25), random, 1e-9);
    }
}

TEST_CASE("a rope bends at the near face of an ellipsoid whose side site is inside", "[routes][geodesic]") {
    Random random(41);
    int bent = 0;
    for (int i = 0; i < amount(60, 1000); ++i) {
        Scene scene = randomEllipsoid(random, 0.2);
        SpanGuide& guide = scene.guides[0];
        scene.a = guide.centre + guide.axes * Vector3(2.2, 0.4, 0.3) + random.direction();
        scene.b = guide.centre + guide.axes * Vector3(2, -0.6, 0.5) + random.direction();
        guide = withSide(guide, guide.centre);
        const SpanResult route = scene.route();
        if (route.guides[0].state != State::bent) continue;
        ++bent;
        CAPTURE(i);
        REQUIRE(route.converged);
        // no point of the surface near it, nor any of many random ones, does better
        const Vector3 at = guide.axes.transpose() * (route.guides[0].first - guide.centre);
        const Vector3 r(guide.radii[0], guide.radii[1], guide.radii[2]);
        CHECK(at.cwiseQuotient(r).norm() == Approx(1).epsilon(1e-12));
        for (int k = 0; k < 200; ++k) {
            Vector3 unit = random.direction();
            if (k % 2) unit = (at.cwiseQuotient(r) + 1e-3 * unit).normalized();
            const Vector3 x = guide.centre + guide.axes * unit.cwiseProduct(r);
            CHECK((x - scene.a).norm() + (scene.b - x).norm() > route.length - 1e-12);
        }
    }
    CHECK(bent > 20);
}

TEST_CASE("a ring is passed through, outside where the side site says so, or not at all", "[routes][geodesic]") {
    const SpanGuide ring = torusAt({0, 0, 0}, 1, 0.1, Matrix3::Identity());
    Scene scene;
    scene.guides = {ring};
    // both ends above the hole's middle and below it: straight
    scene.a = {0.1, 0, 2}, scene.b = {-0.2, 0.1, -2};
    CHECK(scene.route().guides[0].state == State::free);
    // far out on one side: over the inner side of the wire, in the plane of axis and ends
    scene.a = {3, 0, 1}, scene.b = {3, 0, -1};
    SpanResult through = scene.route();
    REQUIRE(through.guides[0].state == State::wrapped);
    CHECK(through.guides[0].first.y() == Approx(0).margin(1e-12));
    CHECK((through.guides[0].first.x() + through.guides[0].last.x()) / 2 < 1);
    // as over a circle of radius 0.1 about (1, 0, 0): two tangents and an arc
    const double far = std::sqrt(5.0), tangent = std::sqrt(5 - 0.01);
    const double sweep = 2 * std::acos(-1.0) - 2 * std::atan2(1, 2) - 2 * std::acos(0.1 / far);
    CHECK(through.length == Approx(2 * tangent + 0.1 * sweep).epsilon(1e-12));
    CHECK(through.guides[0].turn == Approx(sweep).epsilon(1e-10));
    // a side site beyond the ring: outside, here straight; one near the axis changes nothing
    scene.guides = {withSide(ring, {4, 0, 0})};
    CHECK(scene.route().guides[0].state == State::free);
    scene.guides = {withSide(ring, {0, 0.2, 0.3})};
    CHECK(scene.length() == Approx(through.length).epsilon(1e-13));
    // outside of the ring from above its hole
    scene.a = {0.6, 0, 1}, scene.b = {0.6, 0, -1};
    scene.guides = {withSide(ring, {4, 0, 0})};
    const SpanResult outside = scene.route();
    REQUIRE(outside.guides[0].state == State::wrapped);
    CHECK(outside.guides[0].first.x() > 1);
    // ends on one side do not go through
    scene.a = {-2, 0, 1}, scene.b = {2, 0, 1};
    scene.guides = {ring};
    CHECK(scene.route().guides[0].state == State::free);
    // low over the ring and down through it: the near wire and the far one are touched
    scene.a = {-3, 0, 0.1}, scene.b = {3, 0, -0.1};
    const SpanResult twice = scene.route();
    REQUIRE(twice.guides[0].state == State::wrapped);
    CHECK(twice.converged);
    CHECK(twice.guides[0].bridged);
    CHECK(twice.guides[0].lift > 0);
    CHECK(twice.guides[0].land < twice.guides[0].arc);
    // by hand, in the plane: circles of radius 0.1 about (-1, 0) over the top and (1, 0) below
    const double angle = std::atan2(0.1, 2.0);
    const double reach = std::hypot(2.0, 0.1), to = std::sqrt(reach * reach - 0.01), between = std::sqrt(4 - 0.04);
    const double down = std::asin(0.1 / 1.0);          // of the piece between, below the horizontal
    const double up = std::asin(0.1 / reach) - angle;  // of the first piece, above it
    CHECK(twice.length == Approx(2 * to + between + 2 * 0.1 * (down + up)).epsilon(1e-11));
}

TEST_CASE("the wire's inner side can be what a rope must meet", "[routes][geodesic]") {
    Scene scene;
    scene.a = {-2, 0, 0.5}, scene.b = {2, 0, 0.7};
    scene.guides = {withSide(torusAt({0, 0, 0}, 1, 0.2, Matrix3::Identity()), {1, 0, 0})};
    const SpanResult route = scene.route();
    REQUIRE(route.guides[0].state == State::bent);
    REQUIRE(route.converged);
    CHECK(std::hypot(std::hypot(route.guides[0].first.x(), route.guides[0].first.y()) - 1, route.guides[0].first.z()) ==
          Approx(0.2).epsilon(1e-12));
    // the best of a fine net over the wire
    double least = 1e300;
    for (int i = 0; i < 720; ++i) {
        for (int k = 0; k < 360; ++k) {
            const double u = 2 * std::acos(-1.0) * i / 720, v = 2 * std::acos(-1.0) * k / 360;
            const Vector3 x((1 + 0.2 * std::cos(v)) * std::cos(u), (1 + 0.2 * std::cos(v)) * std::sin(u),
                            0.2 * std::sin(v));
            least = std::min(least, (x - scene.a).norm() + (scene.b - x).norm());
        }
    }
    CHECK(route.length < least + 1e-12);
    CHECK(route.length == Approx(least).margin(1e-4));
}

TEST_CASE("the drawn curve of a geodesic lies on the guide and is as long as the arc", "[routes][geodesic]") {
    Random random(43);
    for (int i = 0; i < 40; ++i) {
        const Scene scene = i % 2 ? randomRing(random) : randomEllipsoid(random, 0.3);
        const SpanResult route = scene.route();
        if (route.guides[0].state != State::wrapped || !route.converged) continue;
        CAPTURE(i);
        std::vector<Vector3> points;
        geodesicCurve(scene.guides[0], route.guides[0], 0.01, points);
        double length = 0;
        const GuideSurface surface(scene.guides[0]);
        for (std::size_t k = 0; k < points.size(); ++k) {
            CHECK(std::abs(surface.level(surface.toLocal(points[k]))) < 1e-9);
            if (k > 0) length += (points[k] - points[k - 1]).norm();
        }
        CHECK(length == Approx(route.guides[0].arc).epsilon(1e-4));
        CHECK((points.front() - route.guides[0].first).norm() < 1e-12);
        CHECK((points.back() - route.guides[0].last).norm() < 1e-12);
    }
}

TEST_CASE("geodesics keep Clairaut's relation on a torus and return along themselves", "[routes][geodesic]") {
    Random random(47);
    for (int i = 0; i < 60; ++i) {
        const GuideSurface torus(torusAt({0, 0, 0}, 1, random.between(0.1, 0.6), Matrix3::Identity()));
        const Vector3 p = torus.project(1.5 * random.direction()), n = torus.normal(p);
        Vector3 t = random.direction();
        t = (t - n * n.dot(t)).normalized();
        GeodesicArc arc, back;
        torus.flow(p, t, random.between(0.2, 3), arc);
        REQUIRE(arc.sound);
        // rho times the part along the ring stays as it is
        CHECK(p.x() * t.y() - p.y() * t.x() == Approx(arc.q.x() * arc.u.y() - arc.q.y() * arc.u.x()).margin(1e-11));
        torus.flow(arc.q, -arc.u, arc.s, back);
        CHECK((back.q - p).norm() < 1e-10);
        // the Jacobi fields are what neighbours do
        const double e = 1e-6;
        GeodesicArc turned;
        const Vector3 b = n.cross(t);
        torus.flow(p, std::cos(e) * t + std::sin(e) * b, arc.s, turned);
        CHECK((turned.q - arc.q).dot(arc.m.cross(arc.u)) / e == Approx(arc.r).margin(1e-4 * (1 + std::abs(arc.r))));
    }
}

}  // namespace mw::routes
