// Limits, dry friction, damping and prescribed motion of joints: closed forms of single steps and of where it comes to
// rest.
#include <cmath>

#include "tests/engine/sim/rows.h"
#include "tests/support/loop_models.h"

using namespace mw;
using test::advance;
using test::stepping;

TEST_CASE("a model with rows steps by Euler alone, and Verlet says why it cannot", "[rows]") {
    const auto limited = test::model(std::string(test::kBead) + "  limits -1 1\n");
    CHECK(defaultIntegrator(*limited) == Integrator::euler);
    CHECK(defaultIntegrator(*test::model(test::kBead)) == Integrator::verlet);
    std::string why;
    try {
        test::simulate(limited, Integrator::verlet, 1e-3);
    } catch (const std::invalid_argument& error) {
        why = error.what();
    }
    CHECK(why.find("bead") != std::string::npos);
    CHECK(why.find("Euler") != std::string::npos);
    Simulation s = test::simulate(limited, Integrator::euler, 1e-3);
    CHECK_THROWS_AS(s.setIntegrator(Integrator::verlet), std::invalid_argument);
}

TEST_CASE("a bead reaches its limit exactly and stays", "[rows]") {
    Simulation s = stepping(std::string(test::kBead) + "  limits -inf 0.2\n  start 0  rate 2\n");
    advance(s, 100);
    CHECK(s.state().q[0] == Approx(0.2).margin(1e-12));
    CHECK(s.state().v[0] == Approx(2).margin(1e-12));
    advance(s, 1);
    CHECK(s.state().v[0] == Approx(0).margin(1e-12));
    const Readings r = s.read();
    REQUIRE(r.rows.valid);
    REQUIRE(r.rows.joints.size() == 1);
    CHECK(r.rows.joints[0].upper.value() == Approx(-2000).epsilon(1e-9));  // 2 N s within 1 ms
    CHECK_FALSE(r.rows.joints[0].lower.has_value());
    CHECK(r.ledger.row_dissipated == Approx(2).epsilon(1e-9));  // all of m v^2 / 2
    CHECK(r.residual == Approx(0).margin(1e-12));
    advance(s, 10);
    CHECK(s.state().q[0] == Approx(0.2).margin(1e-12));
    CHECK(s.read().rows.joints[0].upper.value() == Approx(0).margin(1e-12));
}

TEST_CASE("margin, compliance, correction and locks of joints are those of a tendon", "[rows]") {
    SECTION("margin moves the limit inwards") {
        Simulation s = stepping(std::string(test::kBead) + "  limits -inf 0.2 margin 0.05\n  rate 2\n");
        advance(s, 200);
        CHECK(s.state().q[0] == Approx(0.15).margin(1e-12));
    }
    SECTION("a lock shrinks its error by one less correction a step") {
        Simulation s = stepping(std::string(test::kBead) + "  limits 0.2 0.2\n  start 0.3\n");
        double error = 0.1;
        const double forces[] = {-20000, 4000, 3200};
        for (int i = 0; i < 10; ++i) {
            advance(s, 1);
            error *= 0.8;
            CHECK(s.state().q[0] - 0.2 == Approx(error).epsilon(1e-9));
            if (i < 3) CHECK(s.read().rows.joints[0].lock.value() == Approx(forces[i]).epsilon(1e-9));
        }
    }
    SECTION("compliance rests at weight times compliance over correction") {
        Simulation s =
            stepping(std::string(test::kHanging) + "  limits 1 1 compliance 1e-4 correction 0.2\n  start 1\n");
        advance(s, 3000);
        CHECK(s.state().q[0] == Approx(1.004905).margin(1e-9));
    }
    SECTION("restitution gives back its part, once and without energy of its own") {
        Simulation s = stepping(std::string(test::kBead) + "  limits 0 inf restitution 0.5\n  start 0.1  rate -2\n");
        advance(s, 51);
        CHECK(s.state().v[0] == Approx(1).margin(1e-12));
        const Readings r = s.read();
        CHECK(r.ledger.injected == Approx(0).margin(1e-12));
        CHECK(r.ledger.row_dissipated == Approx(1.5).epsilon(1e-9));
        CHECK(r.residual == Approx(0).margin(1e-12));
    }
}

TEST_CASE("dry friction of a joint holds below its threshold, stops without reversing, slides above", "[rows]") {
    const auto with = [](double force, double rate) {
        Simulation s = stepping(std::string(test::kBead) + "  joint-friction 5\n  rate " + std::to_string(rate) + "\n");
        s.inputs().tau = {force};
        return s;
    };
    SECTION("holds") {
        Simulation s = with(4.5, 0);
        advance(s, 100);
        CHECK(s.state().v[0] == 0);
        CHECK(s.state().q[0] == 0);
        CHECK(s.read().rows.joints[0].friction.value() == Approx(-4.5).epsilon(1e-12));
    }
    SECTION("slides") {
        Simulation s = with(5.5, 0);
        advance(s, 100);
        CHECK(s.state().v[0] == Approx(0.05).epsilon(1e-12));
        const Readings r = s.read();
        CHECK(r.rows.joints[0].friction.value() == Approx(-5).epsilon(1e-12));
        CHECK(r.ledger.row_dissipated > 0);
        CHECK(r.residual == Approx(0).margin(1e-12));
    }
    SECTION("stops") {
        Simulation s = with(0, 0.003);
        advance(s, 1);
        CHECK(s.state().v[0] == Approx(0).margin(1e-15));
        CHECK(s.read().rows.joints[0].friction.value() == Approx(-3).epsilon(1e-9));
    }
}

TEST_CASE("joint damping is implicit in a step with rows: it never overshoots", "[rows]") {
    // h d / m = 50: the explicit law would throw the bead about with -49 times its speed.
    Simulation s = stepping(std::string(test::kBead) + "  joint-damping 5e4\n  limits -10 10\n  rate 1\n");
    advance(s, 1);
    CHECK(s.state().v[0] == Approx(1 / 51.0).epsilon(1e-9));
    const Readings r = s.read();
    CHECK(r.rows.joints[0].damping.value() == Approx(-5e4 / 51).epsilon(1e-9));
    CHECK(r.residual == Approx(0).margin(1e-9));
    CHECK(r.ledger.dissipated == Approx(0.5 * (1 - 1 / (51.0 * 51))).epsilon(1e-9));
}

TEST_CASE("a prescribed joint moves as it says, and its reaction is what inverse dynamics asks", "[rows]") {
    // A pendulum on a cart whose motion is given: m = 2 and 1.
    const char* text = R"(
param a 0.3
body cart
  joint prismatic x
  mass 2
body bob
  parent cart
  joint revolute y
  mass 1  cg 0 0 -0.5
  inertia 0.01 0.01 0.01 0 0 0
  start 0.4
drive motion joint cart prescribed (a*sin(3*t))
)";
    Simulation s = stepping(text, 1e-4);
    CHECK(s.state().v[0] == Approx(0.9).epsilon(1e-12));  // E'(0)
    const Readings start = s.read();
    CHECK_FALSE(start.rows.valid);
    CHECK(start.vdot[0] == Approx(0).margin(1e-9));  // E''(0)
    CHECK(std::isfinite(start.drive_force[0]));
    double worst = 0;
    for (int i = 0; i < 5000; ++i) {
        advance(s, 1);
        if (i % 50 != 0) continue;
        const double t = s.state().t;
        CHECK(s.state().q[0] == Approx(0.3 * std::sin(3 * t)).margin(1e-12));
        const Readings r = s.read();
        CHECK(r.vdot[0] == Approx(-2.7 * std::sin(3 * t)).margin(1e-9));
        // Newton for both bodies along x; the bob's centre is at x + l sin(q) about +y: x - 0.5 sin(q)... from
        // momentum.
        const double force = r.rows.joints[0].prescribed.value();
        worst = std::max(worst, std::abs(force - start.drive_force[0]));
        CHECK(r.drive_force[0] == force);
        CHECK(std::abs(r.residual) < 2e-3);
        CHECK(r.rows.closure < 1e-12);
    }
    CHECK(worst > 1);
    // The force is the rate of the whole momentum along x.
    const double before = s.read().momenta.linear[0];
    advance(s, 1);
    const Readings after = s.read();
    CHECK((after.momenta.linear[0] - before) / 1e-4 ==
          Approx(after.rows.joints[0].prescribed.value()).epsilon(2e-3).margin(1e-2));
}

TEST_CASE("a prescribed drive pulls what hangs on it through a loop", "[rows]") {
    // A slider-crank: the crank turns evenly, the slider's velocity is that of the closed form.
    Simulation s = stepping(test::drivenSliderCrankText().c_str(), 1e-4);
    advance(s, 3000);
    const double a = 0.5 + 2 * s.state().t;
    CHECK(s.state().q[0] == Approx(a).margin(1e-12));
    const double x = 0.2 * std::cos(a) + std::sqrt(0.36 - 0.04 * std::sin(a) * std::sin(a));
    CHECK(s.state().q[2] == Approx(x).margin(1e-4));
    CHECK(std::abs(s.read().loops[0].worst()) < 1e-4);
    CHECK(s.read().rows.report.stuck == 0);
}

TEST_CASE("a step is solved without moving anything", "[rows]") {
    Simulation s = stepping(std::string(test::kHanging) + "  limits -inf 0\n  joint-friction 1\n");
    const State state = s.state();
    const Ledger ledger = s.ledger();
    CHECK_FALSE(s.read().rows.valid);
    const Readings solved = s.solveStep();
    CHECK(s.state() == state);
    CHECK(s.ledger() == ledger);
    REQUIRE(solved.rows.valid);
    CHECK(solved.rows.joints[0].upper.value() + solved.rows.joints[0].friction.value() == Approx(-9.81).epsilon(1e-9));
    CHECK(solved.vdot[0] == Approx(9.81).epsilon(1e-12));  // what the state alone defines
    CHECK_FALSE(s.read().rows.valid);
    advance(s, 1);
    CHECK(s.read().rows.joints[0].upper.value() == solved.rows.joints[0].upper.value());
}

TEST_CASE("a joint without inertia to move has no degree of freedom, and nothing is divided by it", "[rows]") {
    // Prescribed and limited at once: the limit can do nothing.
    Simulation s = stepping(std::string(test::kBead) + "  limits -inf 0.05\ndrive d joint bead prescribed (t)\n");
    advance(s, 100);
    const Readings r = s.read();
    CHECK(s.state().q[0] == Approx(0.1).epsilon(1e-12));
    CHECK(r.rows.report.stuck == 1);
    CHECK(r.rows.report.status == SolveStatus::no_freedom);
    CHECK(r.rows.joints[0].upper.value() == 0);
}
