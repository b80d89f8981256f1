// Whole mechanisms with tendons over time, against closed forms: a crossbow's speed, a block and tackle at rest, a bob
// that wraps itself round a peg, a muscle.
#include <cmath>

#include "engine/tendon/muscle.h"
#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kPi = 3.14159265358979323846;

Simulation start(const std::string& text, double h) {
    const auto model = mechanism(text);
    return Simulation(model, makeReferenceKernel(*model), Integrator::euler, h);
}

}  // namespace

TEST_CASE("crossbow: stored energy becomes speed, less what the implicit spring takes") {
    const double k = 2000, m = 0.05, draw = 0.3, omega = std::sqrt(k / m), ideal = draw * omega;
    const auto speed = [&](double h) {
        Simulation sim =
            start(fmt::format("mech 1\ngravity 0 0 0\nbody bolt\n  joint prismatic x\n  mass {}\n  start {}\n"
                              "tendon string fixed\n  term bolt 1\n  stiffness {}  spring -inf 0\n",
                              m, draw, k),
                  h);
        while (sim.state().q[0] > 0) REQUIRE_FALSE(sim.step());
        return -sim.state().v[0];
    };
    for (const double h_omega : {0.05, 0.02, 0.01})
        CHECK(speed(h_omega / omega) == Approx(ideal * (1 - kPi * h_omega / 4)).epsilon(0.002));
    // The error halves with the step.
    const double coarse = ideal - speed(0.01 / omega), fine = ideal - speed(0.005 / omega);
    CHECK(coarse / fine == Approx(2).margin(0.1));
    CHECK(std::abs(speed(1e-5) - ideal) <= 0.002 * ideal);
}

TEST_CASE("block and tackle: a hand's weight holds four times its own, exactly at rest") {
    // One rope over four sheaves, strands upright.
    const double r = 0.06;
    std::string text = fmt::format(
        "mech 1\nbody block\n  joint prismatic z\n  at {} 0 0.85\n  mass 8\n"
        "body hand\n  joint prismatic z\n  at {} 0 1.15\n  mass 2\n",
        3 * r, 8 * r);
    text += "tendon rope\n  site base 0 0 1.6\n";
    const auto sheave = [&](const char* body, double x, double z, double up) {
        return fmt::format("  cylinder {0} {1} 0 {2}  axis y  radius {3}  side {0} {1} 0 {4}\n", body, x, z, r,
                           z + up * 2 * r);
    };
    text += sheave("block", -2 * r, 0, -1) + sheave("base", 3 * r, 1.7, 1) + sheave("block", 2 * r, 0, -1) +
            sheave("base", 7 * r, 1.7, 1) + "  site hand 0 0 0\n";
    text += fmt::format("  limits -inf {:.17g}\n", 4 * (1.7 - 0.85) - 0.1 + 1.7 - 1.15 + 4 * kPi * r);
    Simulation sim = start(text, 1e-3);
    for (int i = 0; i < 300; ++i) REQUIRE_FALSE(sim.step());
    CHECK(std::abs(sim.state().q[0]) <= 1e-9);
    CHECK(std::abs(sim.state().q[1]) <= 1e-9);
    const TendonReading rope = sim.read().tendons[0];
    CHECK(rope.tension == Approx(2 * 9.81).epsilon(1e-9));
    CHECK(rope.route.gradient[0] == Approx(-4).epsilon(1e-12));
    CHECK(rope.route.gradient[1] == Approx(-1).epsilon(1e-12));
    double lift = 0;
    for (const GuideReading& guide : rope.route.guides)
        if (guide.body == 0) lift += guide.force[2];
    CHECK(lift == Approx(8 * 9.81).epsilon(1e-9));

    // The same by a divisor of a quarter.
    Simulation ideal = start(
        "mech 1\nbody block\n  joint prismatic z\n  at 0 0 1\n  mass 8\nbody hand\n  joint prismatic z\n  at 1 0 1\n"
        "  mass 2\ntendon rope\n  site base 1 0 2\n  site hand 0 0 0\n  pulley 0.25\n  site base 0 0 2\n"
        "  site block 0 0 0\n  limits -inf 5\n",
        1e-3);
    for (int i = 0; i < 100; ++i) REQUIRE_FALSE(ideal.step());
    CHECK(std::abs(ideal.state().q[0]) <= 1e-12);
    const TendonReading both = ideal.read().tendons[0];
    CHECK(both.segment_tension[0] == Approx(2 * 9.81));
    CHECK(both.segment_tension[1] == Approx(8 * 9.81));
}

TEST_CASE("a bob that wraps its rope round a peg keeps its energy to the scheme's order") {
    const auto worst = [](double h) {
        Simulation sim = start(
            "mech 1\nbody bob_x\n  joint prismatic x\n  mass 0\n  start 0.8\nbody bob\n  parent bob_x\n  joint "
            "prismatic z\n  "
            "mass 1\n"
            "  start -0.5\n"
            "tendon rope\n  site base 0 0 0.3\n  cylinder base 0 0 0  axis y  radius 0.05  side base 0.05 0 0\n"
            "  site bob 0 0 0\n  limits -inf (sqrt(1.28))\n",
            h);
        const double before = sim.read().energy.total();
        double error = 0;
        const int steps = static_cast<int>(std::lround(0.9 / h));
        bool wrapped = false;
        for (int i = 0; i < steps; ++i) {
            REQUIRE_FALSE(sim.step());
            if (i % (steps / 40) != 0) continue;
            const Readings now = sim.read();
            wrapped = wrapped || now.tendons[0].route.guides[0].contact.state == GuideContact::State::wrapped;
            error = std::max(error, std::abs(now.energy.total() - before));
        }
        CHECK(wrapped);
        return error;
    };
    const double coarse = worst(1e-4), fine = worst(5e-5);
    CHECK(coarse / fine == Approx(2).margin(0.1));
}

TEST_CASE("a muscle in a step: implicit, at rest where its own laws balance the load") {
    const char* text =
        "mech 1\ngravity 10 0 0\nbody load\n  joint prismatic x\n  mass 20\n  start 0.34\n  joint-damping 40\n"
        "tendon biceps\n  site base 0 0 0\n  site load 0 0 0\n  muscle 800 0.12 0.2 0.2  excitation 0.5\n";
    Simulation sim = start(text, 1e-3);
    for (int i = 0; i < 6000; ++i) REQUIRE_FALSE(sim.step());
    const Readings now = sim.read();
    const TendonReading& r = now.tendons[0];
    REQUIRE(r.muscle.has_value());
    CHECK(r.muscle->activation == Approx(0.5).epsilon(1e-9));
    CHECK(r.tension == Approx(200).epsilon(1e-6));
    CHECK(*r.forces.muscle == Approx(-200).epsilon(1e-6));
    MuscleLaw law;
    law.fmax = 800, law.lopt = 0.12, law.lslack = 0.2, law.pennation = 0.2;
    const double fibre = muscleFibreAtRest(law, r.length, 0.5);
    CHECK(r.muscle->fibre == Approx(fibre).epsilon(1e-6));
    CHECK(muscleForces(law, fibre, r.length, 0.5).tension == Approx(200).epsilon(1e-5));
}
