// Random spans over one sphere or cylinder: no NaN, gradients against differences, lengths against a search, the
// invariants of any route. 300 of them; with MW_LONG=1 in the environment 10000.
#include "tests/engine/routes/brute.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

/// One guide about the origin's neighbourhood; ends mostly outside, sides everywhere, both rules.
Scene randomScene(Random& random) {
    Scene scene;
    const Kind kind = random.below(2) ? Kind::sphere : Kind::cylinder;
    const double r = random.between(0.2, 1);
    SpanGuide guide = guideOf(kind, random.between(0, 1) * random.direction(), r, random.direction());
    const auto end = [&] {
        // Outside by 1 % of the radius to four of them; one in twenty somewhere inside.
        const Vector3 direction = random.direction();
        if (random.below(20) == 0) return Vector3(guide.centre + r * random.unit() * direction);
        const double off = r * (1 + std::pow(10, random.between(-2, 0.6)));
        if (kind == Kind::sphere) return Vector3(guide.centre + off * direction);
        const double turn = random.between(-3.2, 3.2);
        return Vector3(guide.centre +
                       guide.axes * Vector3(off * std::cos(turn), off * std::sin(turn), random.between(-2, 2)));
    };
    scene.a = end(), scene.b = end();
    if (random.below(3)) {
        const double off = r * random.between(0, random.below(3) ? 4 : 1);
        guide = withSide(guide, guide.centre + off * random.direction(),
                         random.below(2) ? SideRule::nearest : SideRule::barrier);
    }
    scene.guides = {guide};
    return scene;
}

}  // namespace

TEST_CASE("random spans over one guide", "[routes][random]") {
    Random random(20240611);
    const int count = amount(300, 10000);
    int compared = 0, wrapped = 0, bent = 0, sloped = 0;
    for (int i = 0; i < count; i++) {
        const Scene scene = randomScene(random);
        INFO("scene " << i << ": " << describe(scene));
        const SpanResult r = scene.route();
        REQUIRE(finite(r));
        const GuideContact& c = r.guides[0];
        const SpanGuide& guide = scene.guides[0];
        wrapped += c.state == State::wrapped, bent += c.state == State::bent;

        // Length and state against the search.
        const Brute brute = bruteRoute(scene);
        if (brute.clear) {
            compared++;
            REQUIRE(c.state == brute.state);
            REQUIRE(r.length == Approx(brute.length).epsilon(0).margin(1e-8));
        }

        // Invariants.
        const double limit = 1e-10 * std::max(1.0, sizeOf(scene));
        REQUIRE((r.a_gradient + r.b_gradient + c.first_gradient + c.last_gradient).norm() < limit);
        REQUIRE((scene.a.cross(r.a_gradient) + scene.b.cross(r.b_gradient) + c.first.cross(c.first_gradient) +
                 c.last.cross(c.last_gradient))
                    .norm() < limit);
        const Vector3 moment =
            (c.first - guide.centre).cross(c.first_gradient) + (c.last - guide.centre).cross(c.last_gradient);
        if (guide.kind == Kind::sphere) {
            REQUIRE(moment.norm() < limit);
        } else {
            REQUIRE(std::abs(guide.axes.col(2).dot(moment)) < limit);
            REQUIRE(std::abs(guide.axes.col(2).dot(c.first_gradient + c.last_gradient)) < limit);
        }
        REQUIRE(std::abs(r.a_gradient.norm() - 1) < 1e-10);
        REQUIRE(std::abs(r.b_gradient.norm() - 1) < 1e-10);
        double sum = c.arc;
        for (const double s : r.straight) sum += s;
        REQUIRE(std::abs(sum - r.length) < limit);
        const SpanResult back = exchanged(scene).route();
        REQUIRE(std::abs(back.length - r.length) < limit);
        if (brute.clear) {
            REQUIRE((back.guides[0].first - c.last).norm() < 10 * limit);
            REQUIRE((back.guides[0].last - c.first).norm() < 10 * limit);
        }
        const Matrix3 R = random.rotation();
        const Vector3 t = 2 * random.direction();
        const double k = std::pow(10, random.between(-3, 3));
        const SpanResult turned = moved(scene, R, t).route(), big = scaled(scene, k).route();
        if (brute.clear) {
            REQUIRE(std::abs(turned.length - r.length) < limit);
            REQUIRE((turned.a_gradient - R * r.a_gradient).norm() < 1e-8);
            REQUIRE((turned.guides[0].first_gradient - R * c.first_gradient).norm() < 1e-8);
            REQUIRE(std::abs(big.length - k * r.length) < k * limit);
            REQUIRE((big.b_gradient - r.b_gradient).norm() < 1e-9);
            // An end moved by d: the length moves by no more.
            Scene nudged = scene;
            const Vector3 d = 0.01 * random.direction();
            nudged.b += d;
            const SpanResult n = nudged.route();
            if (sameRoute(r, n)) REQUIRE(std::abs(n.length - r.length) <= d.norm() + limit);
        }

        // Gradients of ends and guide, guide's moment included.
        for (const Slope& slope : slopes(scene, 2e-5)) {
            if (!slope.compared) continue;
            sloped++;
            REQUIRE(std::abs(slope.error()) < 1e-6);
        }
    }
    CHECK(compared > 0.9 * count);
    CHECK(wrapped > 0.2 * count);
    CHECK(bent > 0.03 * count);
    CHECK(sloped > 10 * count);
}

TEST_CASE("ends a hair outside, on and inside the surface", "[routes][random]") {
    Random random(99);
    for (int i = 0; i < amount(300, 10000); i++) {
        Scene scene = randomScene(random);
        SpanGuide& g = scene.guides[0];
        Vector3 out = scene.a - g.centre;
        if (g.kind == Kind::cylinder) out -= g.axes.col(2) * g.axes.col(2).dot(out);
        const double gaps[] = {1e-9, 1e-6, 1e-11, 1e-14, 0, -1e-14, -1e-9};
        const double gap = gaps[random.below(7)];
        scene.a += out.normalized() * (g.radii[0] * (1 + gap) - out.norm());
        INFO(describe(scene));
        const SpanResult r = scene.route();
        REQUIRE(finite(r));
        REQUIRE(r.length >= (scene.b - scene.a).norm() * (1 - 1e-12));
        if (gap <= 0) REQUIRE(r.guides[0].state == State::free);
        const Brute brute = bruteRoute(scene);
        if (gap >= 1e-9 && brute.clear) {
            REQUIRE(r.guides[0].state == brute.state);
            REQUIRE(r.length == Approx(brute.length).epsilon(0).margin(1e-8));
        }
    }
}

TEST_CASE("ties are settled by the pose, not by rounding", "[routes][random]") {
    Random random(4);
    for (int i = 0; i < 200; i++) {
        // Centre on the segment, no side site: the route runs on top.
        const Vector3 centre = random.direction(), along = random.direction();
        const double r = random.between(0.1, 0.5);
        Scene scene{centre + random.between(0.6, 2) * along,
                    centre - random.between(0.6, 2) * along,
                    {guideOf(Kind::sphere, centre, r)}};
        const auto middle = [](const Scene& s) {
            const GuideContact c = s.route().guides[0];
            return Vector3((c.first + c.last) / 2 - s.guides[0].centre);
        };
        INFO(describe(scene));
        REQUIRE(scene.route().guides[0].state == State::wrapped);
        REQUIRE(middle(scene).z() > 0);
        const Vector3 before = middle(scene);
        for (int k = 0; k < 5; k++) {  // rounding of either kind changes nothing
            Scene other = scene;
            other.a += 4e-16 * random.direction(), other.b += 4e-16 * random.direction();
            REQUIRE((middle(other) - before).norm() < 1e-6);
        }
        // The same over a cylinder across the line; a spinning guide does not matter.
        const Vector3 axis = along.cross(random.direction()).normalized();
        scene.guides[0] = guideOf(Kind::cylinder, centre, r, axis);
        scene.b += random.between(-1, 1) * axis;
        Vector3 over = along.cross(axis);
        if (std::abs(over.z()) < 1e-3) continue;
        over *= std::copysign(1.0, over.z());
        for (int k = 0; k < 5; k++) {
            Scene other = scene;
            other.guides[0].axes = rotationAbout(axis, random.between(-3, 3)) * other.guides[0].axes;
            other.a += 2e-16 * random.direction();
            REQUIRE(other.route().guides[0].state == State::wrapped);
            REQUIRE(middle(other).dot(over) > 0);
        }
    }
    SECTION("all on one line with the side site") {
        for (const SideRule rule : {SideRule::nearest, SideRule::barrier}) {
            for (const double far : {3.0, -3.0}) {
                const Scene scene{
                    {2, 0, 0}, {-2, 0, 0}, {withSide(guideOf(Kind::sphere, {0, 0, 0}, 1), {far, 0, 0}, rule)}};
                const SpanResult r = scene.route();
                REQUIRE(finite(r));
                CHECK(r.length == Approx(4.511299166334).margin(1e-10));
                CHECK(r.guides[0].first.z() > 0);
            }
        }
    }
    SECTION("both ends on one ray") {
        for (const Kind kind : {Kind::sphere, Kind::cylinder}) {
            const Scene none{{0, 2, 0}, {0, 3, 0}, {guideOf(kind, {0, 0, 0}, 1)}};
            CHECK(none.length() == Approx(1).margin(1e-12));
            for (const double far : {3.0, -3.0}) {
                const Scene nearest{{0, 2, 0}, {0, 3, 0}, {withSide(guideOf(kind, {0, 0, 0}, 1), {0, far, 0})}};
                const Scene barrier{
                    {0, 2, 0}, {0, 3, 0}, {withSide(guideOf(kind, {0, 0, 0}, 1), {0, far, 0}, SideRule::barrier)}};
                // N: once around where the side lies beyond; B: straight.
                const double turn = 2 * brute::kPi - std::acos(0.5) - std::acos(1.0 / 3);
                CHECK(nearest.length() == Approx(far > 0 ? 1 : std::sqrt(3.0) + std::sqrt(8.0) + turn).margin(1e-10));
                CHECK(barrier.length() == Approx(1).margin(1e-12));
            }
        }
    }
    SECTION("a side site on the surface is outside, on the centre inside, across the plane none") {
        const Vector3 a(-2, 0, 1.2), b(2, 0, 1.2);
        for (int i = 0; i < 50; i++) {
            const Vector3 direction = random.direction();
            const Scene scene{a, b, {withSide(guideOf(Kind::sphere, {0, 0, 0}, 1), direction)}};
            CHECK(scene.route().guides[0].state != State::bent);
        }
        CHECK(Scene{a, b, {withSide(guideOf(Kind::sphere, {0, 0, 0}, 1), {0, 0, 0})}}.route().guides[0].state ==
              State::bent);
        for (const double across : {0.9999, -0.5}) {
            CHECK(
                Scene{a, b, {withSide(guideOf(Kind::sphere, {0, 0, 0}, 1), {0, across, 0})}}.route().guides[0].state ==
                State::bent);
        }
        for (const double across : {1.0, 1.5, -7.0}) {
            const Scene over{a, b, {withSide(guideOf(Kind::sphere, {0, 0, 0}, 1), {0, across, 0})}};
            CHECK(over.route().guides[0].state == State::free);
            Scene through = over;
            through.a.z() = through.b.z() = 0.3;
            CHECK(through.route().guides[0].first.z() > 0);  // the shorter way
        }
    }
}

TEST_CASE("a route is a function of its pose alone", "[routes][random]") {
    Random random(8);
    SpanResult reused;
    for (int i = 0; i < 200; i++) {
        const Scene scene = randomScene(random), other = randomScene(random);
        const SpanResult fresh = scene.route();
        routeSpan(other.a, other.b, other.guides, reused);
        routeSpan(scene.a, scene.b, scene.guides, reused);
        REQUIRE(reused.length == fresh.length);
        REQUIRE(reused.a_gradient == fresh.a_gradient);
        REQUIRE(reused.straight == fresh.straight);
        REQUIRE(reused.guides[0].first == fresh.guides[0].first);
        REQUIRE(reused.guides[0].end_inside == fresh.guides[0].end_inside);
    }
}

TEST_CASE("the drawn line lies on the guide and is as long as the route", "[routes][random]") {
    Random random(21);
    std::vector<Vector3> points;
    std::vector<int> on;
    for (int i = 0; i < 200; i++) {
        const Scene scene = randomScene(random);
        INFO(describe(scene));
        const SpanResult r = scene.route();
        drawSpan(scene.a, scene.b, scene.guides, r, 0.02, points, on);
        REQUIRE(points.size() == on.size() + 1);
        REQUIRE(points.front() == scene.a);
        REQUIRE(points.back() == scene.b);
        double length = 0;
        for (std::size_t k = 0; k < on.size(); k++) {
            const Vector3 piece = points[k + 1] - points[k];
            REQUIRE(piece.allFinite());
            length += piece.norm();
            if (on[k] < 0) continue;
            const SpanGuide& g = scene.guides[static_cast<std::size_t>(on[k])];
            Vector3 out = points[k + 1] - g.centre;
            if (g.kind == Kind::cylinder) out -= g.axes.col(2) * g.axes.col(2).dot(out);
            REQUIRE(out.norm() == Approx(g.radii[0]).epsilon(1e-9));
        }
        REQUIRE(length == Approx(r.length).epsilon(1e-4));
        REQUIRE(length <= r.length * (1 + 1e-12));
        // Coarse: pieces by angle, not by length.
        drawSpan(scene.a, scene.b, scene.guides, r, 0.5, points, on);
        REQUIRE(points.size() <= 3 + 14);
    }
}

}  // namespace mw::routes
