// Linkages of one freedom against their closed forms, over all of their motion.
#include <algorithm>

#include "tests/analytic/linkages.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

const double kPi = std::acos(-1.0);
Plane unit(double angle) { return std::polar(1.0, angle); }
Plane seen(const Vector3d& p) { return {p[0], p[2]}; }

// The rocker's angle t4 (from x, at its pin on the frame) over the crank's t2, by Freudenstein's equation
//   K1 cos t4 - K2 cos t2 + K3 = cos(t2 - t4),  K1 = d/a, K2 = d/c, K3 = (a^2 - b^2 + c^2 + d^2)/(2 a c),
// a quadratic in tan(t4/2) (Norton, Design of Machinery, section 4.5): A x^2 + B x + C = 0 with
//   A = cos t2 - K1 - K2 cos t2 + K3, B = -2 sin t2, C = K1 - (K2 + 1) cos t2 + K3; the open form has -sqrt.
struct FourBar {
    double a = 0.12, b = 0.34, c = 0.28, d = 0.36, height = 0.22;
    double rocker(double t2) const {
        const double K1 = d / a, K2 = d / c, K3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
        const double A = std::cos(t2) - K1 - K2 * std::cos(t2) + K3, B = -2 * std::sin(t2);
        const double C = K1 - (K2 + 1) * std::cos(t2) + K3;
        return 2 * std::atan2(-B - std::sqrt(B * B - 4 * A * C), 2 * A);
    }
    // The coupler's tracing point: halfway along, 0.13 off.
    Plane tracer(double t2) const {
        const Plane A = a * unit(t2), B = d + c * unit(rocker(t2));
        const Plane along = (B - A) / b;
        return A + along * Plane(b / 2, 0.13) + Plane(0, height);
    }
};

}  // namespace

TEST_CASE("four-bar: the coupler's curve is Freudenstein's, over a turn", "[analytic][linkages]") {
    Linkage linkage("fourbar");
    const FourBar oracle;
    std::vector<double> q = linkage.start();
    for (int degree = 60; degree <= 420; degree += 3) {
        const double t2 = degree * kPi / 180;
        q = linkage.posed(q, "crank", t2);
        CAPTURE(degree);
        CHECK(std::abs(seen(linkage.point(q, "coupler", {oracle.b / 2, 0, 0.13})) - oracle.tracer(t2)) < 1e-11);
    }
}

TEST_CASE("four-bar: in motion the tracing point keeps to the closed curve", "[analytic][linkages]") {
    const FourBar oracle;
    Simulation run = runOf(example("fourbar"), 2e-4);
    double worst = 0, turned = 0;
    while (run.state().t < 2) {
        REQUIRE_FALSE(run.step());
        const Readings readings = run.read();
        turned = run.state().q[0];
        worst = std::max(worst, std::abs(Plane(readings.obs[0], readings.obs[2]) - oracle.tracer(turned)));
    }
    CHECK(turned > 2 * kPi);
    // What the stabilisation leaves of the scheme's drift.
    CHECK(worst < 1e-6);
}

// Opposite angles add up to a full turn, and tan(p/2) tan(q/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2) all the
// way round. The closure forbids two moves only; that the last bar's hole stays on the pin's axis is Bennett's doing.
TEST_CASE("Bennett: the product of half tangents is constant and the last pin keeps its direction",
          "[analytic][linkages]") {
    Linkage linkage("bennett");
    const double alpha = 50 * kPi / 180, beta = 105 * kPi / 180;
    const double constant = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
    const LoopFrame &from = linkage.model->loops[0].from, &to = linkage.model->loops[0].to;
    std::vector<double> q = linkage.start();
    // Folded flat, at 0 and 180 degrees, two rows are not enough: nearby the closure's last digits count for more.
    for (int degree = 164; degree >= 16; degree -= 4) {
        const double p = degree * kPi / 180;
        q = linkage.posed(q, "crank", p, 2e-15);
        CAPTURE(degree);
        CHECK(std::abs(std::remainder(q[1] - 2 * std::atan2(constant, std::tan(p / 2)), 2 * kPi)) < 1e-11);
        CHECK(std::abs(std::remainder(q[2] + p, 2 * kPi)) < 1e-11);
        const std::vector<Placement> bodies = bodyPlacements(*linkage.model, q, linkage.param);
        const Placement pin = framePlacement(from, bodies, linkage.param);
        const Placement hole = framePlacement(to, bodies, linkage.param);
        for (int row = 0; row < 3; ++row) {
            const auto z = static_cast<std::size_t>(3 * row + 2);
            CHECK(std::abs(pin.rotation[z] - hole.rotation[z]) < 1e-11);
        }
    }
}

// O B and O P lie on one line and OB OP = l^2 - s^2; B runs round the circle |B - r| = r, so OB = 2 r cos(w/2) at the
// crank's angle w, and P is at (l^2 - s^2)/(2 r) (1, tan(w/2)).
TEST_CASE("Peaucellier: P moves on a straight line to 1e-12", "[analytic][linkages]") {
    Linkage linkage("peaucellier");
    const double l = 0.45, s = 0.21, r = 0.16, h = 0.32, line = (l * l - s * s) / (2 * r);
    std::vector<double> q = linkage.start();
    for (int degree = 50; degree >= -75; degree -= 5) {
        const double w = degree * kPi / 180;
        q = linkage.posed(q, "crank", w, 2e-15);
        CAPTURE(degree);
        // Both bars that meet there.
        for (const char* bar : {"far_a", "far_c"}) {
            const Vector3d p = linkage.point(q, bar, {s, 0, 0});
            CHECK(std::abs(p[0] - line) < 1e-12);
            CHECK(std::abs(p[2] - h - line * std::tan(w / 2)) < 1e-12);
        }
    }
}

TEST_CASE("Peaucellier: the line stays straight while it runs", "[analytic][linkages]") {
    Simulation run = runOf(example("peaucellier"), 2e-4);
    double worst = 0, lowest = 1, highest = -1;
    const int p = findSlot(run.model(), run.layout(), "poi", "p");
    REQUIRE(p >= 0);
    while (run.state().t < 4) {
        REQUIRE_FALSE(run.step());
        const Readings readings = run.read();
        const auto at = static_cast<std::size_t>(p);
        worst = std::max(worst, std::abs(readings.obs[at] - (0.45 * 0.45 - 0.21 * 0.21) / 0.32));
        lowest = std::min(lowest, readings.obs[at + 2]);
        highest = std::max(highest, readings.obs[at + 2]);
    }
    CHECK(highest - lowest > 0.4);
    CHECK(worst < 1e-6);
}

// Two triangles, one after the other (law of cosines): the four-bar as above, then link and arm between the third pins.
TEST_CASE("Watt: the sixth joint's curve from two triangles, over a turn", "[analytic][linkages]") {
    Linkage linkage("watt");
    FourBar base;
    base.b = 0.32, base.c = 0.26;
    const double link = 0.26, arm = 0.24;
    std::vector<double> q = linkage.start();
    for (int degree = 75; degree <= 435; degree += 4) {
        const double t2 = degree * kPi / 180;
        q = linkage.posed(q, "crank", t2);
        const Plane A = base.a * unit(t2), rocker = unit(base.rocker(t2)), D = base.d + rocker * Plane(0.34, -0.1);
        const Plane coupler = (base.d + base.c * rocker - A) / base.b, C = A + coupler * Plane(0.12, 0.14);
        const double gap = std::abs(D - C);
        const Plane E =
            C + (D - C) / gap * link * unit(std::acos((link * link + gap * gap - arm * arm) / (2 * link * gap)));
        CAPTURE(degree);
        CHECK(std::abs(seen(linkage.point(q, "link", {link, 0, 0})) - E - Plane(0, 0.2)) < 1e-11);
        CHECK(std::abs(seen(linkage.point(q, "arm", {arm, 0, 0})) - E - Plane(0, 0.2)) < 1e-11);
    }
}
