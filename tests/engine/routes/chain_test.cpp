// Guides in a row with no site between them: planar cases by hand, the least sum over free points between the guides,
// gradients, invariants, and many random rows of all kinds.
#include <cmath>

#include "tests/engine/routes/descent.h"
#include "tests/engine/routes/scenes.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

using Kind = PathElement::Kind;
using State = GuideContact::State;

// Guides between the planes x = gate from -1.8 to 1.8; cylinders at right angles to x.
Scene randomRow(Random& random, int count, std::vector<double>& gates, const std::vector<Kind>& kinds) {
    Scene scene;
    scene.a = {-2, random.between(-0.5, 0.5), random.between(-0.5, 0.5)};
    scene.b = {2, random.between(-0.5, 0.5), random.between(-0.5, 0.5)};
    const double width = 3.6 / count;
    gates.clear();
    for (int i = 0; i < count; ++i) {
        const Kind kind = kinds[static_cast<std::size_t>(random.below(static_cast<int>(kinds.size())))];
        const Vector3 centre(-1.8 + width * (i + 0.5), random.between(-0.4, 0.4), random.between(-0.4, 0.4));
        Vector3 axis = random.direction();
        if (kind == Kind::cylinder) axis.x() = 0;
        const double r = random.between(0.3, 0.95) * width / 2;
        SpanGuide guide = guideOf(kind, centre, r, axis);
        if (kind == Kind::ellipsoid) guide.radii = {r, random.between(0.5, 1) * r, random.between(0.5, 1) * r};
        if (kind == Kind::torus) guide.radii = {0.8 * r, 0.2 * r, 0};
        scene.guides.push_back(guide);
        if (i > 0) gates.push_back(-1.8 + width * i);
    }
    return scene;
}

}  // namespace

TEST_CASE("two circles in a row: tangents by hand", "[routes][chain]") {
    for (const Kind kind : {Kind::cylinder, Kind::sphere, Kind::ellipsoid}) {
        for (const SideRule rule : {SideRule::nearest, SideRule::barrier}) {
            CAPTURE(static_cast<int>(kind));
            const auto guide = [&](const Vector3& centre, double r, double side) {
                SpanGuide g = withSide(guideOf(kind, centre, r), centre + Vector3(0, side, 0), rule);
                g.radii = {r, r, r};
                return g;
            };
            Scene scene;
            scene.a = {-1.5, 0, 0}, scene.b = {2.5, 0.5, 0};
            scene.guides = {guide({0, 0.5, 0}, 0.3, 1), guide({1.2, -0.4, 0}, 0.25, -1)};
            SpanResult r = scene.route();
            REQUIRE(r.converged);
            CHECK(std::abs(r.length - 5.414478701162) < 1e-10);
            CHECK(std::abs(r.guides[0].sweep - 1.531569198) < 1e-9);
            CHECK(std::abs(r.guides[1].sweep - 1.783249595) < 1e-9);
            CHECK((r.guides[0].first - Vector3(-0.147145048, 0.761435145, 0)).norm() < 2e-9);
            CHECK((r.guides[0].last - Vector3(0.255463429, 0.657284572, 0)).norm() < 2e-9);
            CHECK((r.guides[1].first - Vector3(0.987113809, -0.531070476, 0)).norm() < 2e-9);
            CHECK((r.guides[1].last - Vector3(1.37301245, -0.580462435, 0)).norm() < 1e-8);
            // free span, opposite senses: sqrt(d^2 - (r1 + r2)^2)
            CHECK(r.straight[1] == Approx(std::sqrt(1.2 * 1.2 + 0.9 * 0.9 - 0.55 * 0.55)).epsilon(1e-12));

            scene.a = {-1, -1, 0}, scene.b = {2, -1, 0};
            scene.guides = {guide({0, 0.5, 0}, 0.3, 1), guide({1.2, 0.4, 0}, 0.2, 1)};
            r = scene.route();
            REQUIRE(r.converged);
            CHECK(std::abs(r.length - 5.174462639374) < 1e-10);
            CHECK(std::abs(r.guides[0].sweep - 1.316264024) < 1e-9);
            CHECK(std::abs(r.guides[1].sweep - 1.009722743) < 1e-9);
            CHECK((r.guides[0].first - Vector3(-0.273826922, 0.622551282, 0)).norm() < 2e-9);
            CHECK((r.guides[0].last - Vector3(0.0496551724, 0.795862069, 0)).norm() < 2e-9);
            CHECK((r.guides[1].first - Vector3(1.23310345, 0.597241379, 0)).norm() < 1e-8);
            CHECK((r.guides[1].last - Vector3(1.38461538, 0.476923077, 0)).norm() < 1e-8);
            CHECK(r.straight[1] == Approx(std::sqrt(1.44 + 0.01 - 0.01)).epsilon(1e-12));
        }
    }
}

TEST_CASE("a row of cylinders on parallel axes climbs at one slope", "[routes][chain]") {
    // unrolled, the whole route is one straight line: sqrt(planar^2 + height^2)
    Scene scene;
    scene.a = {-1.5, 0, -0.4}, scene.b = {2.5, 0.5, 0.9};
    scene.guides = {withSide(guideOf(Kind::cylinder, {0, 0.5, 3}, 0.3), {0, 2, 0}),
                    withSide(guideOf(Kind::cylinder, {1.2, -0.4, -7}, 0.25), {1.2, -2, 0})};
    const SpanResult r = scene.route();
    REQUIRE(r.converged);
    CHECK(r.length == Approx(std::hypot(5.414478701162, 1.3)).epsilon(1e-11));
    for (const GuideContact& c : r.guides) {
        CHECK(c.first_direction.z() == Approx(1.3 / r.length).epsilon(1e-10));
        CHECK(c.last_direction.z() == Approx(1.3 / r.length).epsilon(1e-10));
        const double level = 5.414478701162 / r.length;
        CHECK(c.turn == Approx(c.sweep * level).epsilon(1e-9));
    }
}

TEST_CASE("guides out of the way are passed straight", "[routes][chain]") {
    Scene scene;
    scene.a = {-2, 0, 0.5}, scene.b = {2, 0, 0.5};
    scene.guides = {guideOf(Kind::sphere, {-1, 3, 0}, 1), guideOf(Kind::sphere, {0, 0, 0}, 1),
                    guideOf(Kind::cylinder, {1, -4, 0}, 0.5)};
    const SpanResult r = scene.route();
    CHECK(r.length == Approx(4.128483236037).epsilon(1e-12));
    CHECK(r.guides[0].state == State::free);
    CHECK(r.guides[1].state == State::wrapped);
    CHECK(r.guides[2].state == State::free);
    CHECK(r.straight.size() == 2);
    scene.guides[1].centre.z() = -3;
    CHECK(scene.length() == Approx(4).epsilon(1e-15));
}

TEST_CASE("rows of guides are shortest over all places between them", "[routes][chain][brute]") {
    Random random(3);
    int compared = 0;
    std::vector<double> gates;
    for (int i = 0; i < amount(60, 1500); ++i) {
        const Scene scene = randomRow(random, 2 + i % 3, gates, {Kind::sphere, Kind::cylinder});
        const SpanResult route = scene.route();
        bool touched = false, inside = false;
        for (const GuideContact& c : route.guides) touched |= c.state != State::free, inside |= c.end_inside;
        if (!touched || inside) continue;
        CAPTURE(i);
        REQUIRE(route.converged);
        const double least = chainByGates(scene, gates, random, 40);
        CHECK(route.length < least + 1e-8);
        if (route.length < least - 1e-8) {
            // more starts, before the search is believed
            CHECK(route.length > chainByGates(scene, gates, random, 800) - 1e-8);
        }
        ++compared;
    }
    CHECK(compared > 40);
}

TEST_CASE("rows with geodesic guides are shortest too", "[routes][chain][brute]") {
    Random random(5);
    int compared = 0, converged = 0, wrapped = 0;
    std::vector<double> gates;
    for (int i = 0; i < amount(10, 200); ++i) {
        const Scene scene = randomRow(random, 2, gates, {Kind::sphere, Kind::ellipsoid, Kind::ellipsoid});
        const SpanResult route = scene.route();
        bool touched = false;
        for (const GuideContact& c : route.guides) touched |= c.state != State::free;
        if (!touched) continue;
        CAPTURE(i);
        wrapped++;
        converged += route.converged;
        if (!route.converged) continue;
        const double least = chainByGates(scene, gates, random, 6);
        CHECK(route.length < least + 1e-6);
        ++compared;
    }
    CHECK(compared > amount(4, 100));
    CHECK(converged >= 0.99 * wrapped);
}

TEST_CASE("gradients and balance of rows", "[routes][chain]") {
    Random random(7);
    int compared = 0;
    std::vector<double> gates;
    for (int i = 0; i < amount(40, 200); ++i) {
        Scene scene = randomRow(random, 2 + i % 3, gates, {Kind::sphere, Kind::cylinder, Kind::ellipsoid, Kind::torus});
        if (i % 2) {
            for (SpanGuide& g : scene.guides)
                if (random.below(2)) g = withSide(g, g.centre + 2 * random.direction(), SideRule::barrier);
        }
        const SpanResult r = scene.route();
        REQUIRE(finite(r));
        if (!r.converged) continue;
        CAPTURE(i);
        Vector3 force = r.a_gradient + r.b_gradient;
        Vector3 moment = scene.a.cross(r.a_gradient) + scene.b.cross(r.b_gradient);
        for (std::size_t k = 0; k < r.guides.size(); ++k) {
            const GuideContact& c = r.guides[k];
            force += c.first_gradient + c.last_gradient;
            moment += c.first.cross(c.first_gradient) + c.last.cross(c.last_gradient);
            const SpanGuide& g = scene.guides[k];
            const Vector3 about =
                (c.first - g.centre).cross(c.first_gradient) + (c.last - g.centre).cross(c.last_gradient);
            const Vector3 pull = c.first_gradient + c.last_gradient;
            if (g.kind == Kind::sphere) CHECK(about.norm() < 1e-9);
            if (g.kind == Kind::cylinder || g.kind == Kind::torus) CHECK(std::abs(about.dot(g.axes.col(2))) < 1e-9);
            if (g.kind == Kind::cylinder) CHECK(std::abs(pull.dot(g.axes.col(2))) < 1e-9);
        }
        CHECK(force.norm() < 1e-10);
        CHECK(moment.norm() < 1e-10);
        for (const Slope& slope : slopes(scene, 1e-4)) {
            if (!slope.compared) continue;
            CHECK(slope.error() < 1e-6);
            ++compared;
        }
    }
    CHECK(compared > 200);
}

TEST_CASE("exchange of ends, rigid motion and scale leave rows as they are", "[routes][chain]") {
    Random random(9);
    std::vector<double> gates;
    for (int i = 0; i < amount(60, 1500); ++i) {
        const Scene scene = randomRow(random, 2 + i % 3, gates, {Kind::sphere, Kind::cylinder});
        const SpanResult r = scene.route();
        if (!r.converged) continue;
        CAPTURE(i);
        const SpanResult back = exchanged(scene).route();
        CHECK(back.length == Approx(r.length).margin(1e-9));
        CHECK(moved(scene, random.rotation(), random.direction()).length() == Approx(r.length).margin(1e-9));
        CHECK(scaled(scene, 37).length() == Approx(37 * r.length).margin(1e-8));
        // nothing of another pose is left over
        Scene other = scene;
        other.a += random.direction();
        other.length();
        CHECK(scene.length() == r.length);
    }
}

}  // namespace mw::routes
