// The laws of tendons in steps of a whole simulation: the reference cases D01 to D31 and P04, one-step values and
// values that it settles at, worked figures, and the edges: static tendons, switched-off ones, stiff springs.
#include <cmath>

#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kH = 1e-3;

/// Masses on rails along x with gravity along it, their coordinates fixed tendons' lengths.
struct Run {
    std::shared_ptr<const Model> model;
    Simulation sim;
    explicit Run(const std::string& text, double h = kH)
        : model(mechanism("mech 1\n" + text)), sim(model, makeReferenceKernel(*model), Integrator::euler, h) {}
    void steps(int count) {
        for (int i = 0; i < count; ++i) REQUIRE_FALSE(sim.step());
    }
    double q(int i = 0) const { return sim.state().q[static_cast<std::size_t>(i)]; }
    double v(int i = 0) const { return sim.state().v[static_cast<std::size_t>(i)]; }
    TendonReading tendon(int i = 0) { return sim.read().tendons[static_cast<std::size_t>(i)]; }
};

std::string mass(const std::string& name, double start, double rate = 0, double m = 1) {
    return fmt::format("body {}\n  joint prismatic x\n  mass {}\n  start {}  rate {}\n", name, m, start, rate);
}
/// One mass of 1 kg and a tendon whose length is its coordinate.
std::string one(double start, double rate, const std::string& laws, double gravity = 0) {
    return fmt::format("gravity {} 0 0\n", gravity) + mass("m", start, rate) + "tendon cord fixed\n  term m 1\n  " +
           laws + "\n";
}
void close(double is, double wanted, double tolerance = 1e-9) {
    CAPTURE(is, wanted);
    CHECK(std::abs(is - wanted) <= tolerance);
}

}  // namespace

TEST_CASE("D01 to D03: spring interval, implicit") {
    Run below(one(1.1, 0, "stiffness 100  spring 0 1"));
    below.steps(1);
    close(below.v(), -0.01 / 1.0001);
    TendonReading r = below.tendon();
    close(*r.forces.spring, -9.999000100);
    close(r.tension, 9.999000100);
    close(r.numerical_damping, 0.1);
    Run above(one(0.9, 0, "stiffness 100  spring 1 inf"));
    above.steps(1);
    close(above.v(), 0.009999000100);
    Run inside(one(1.1, 0, "stiffness 100  spring 1 inf"));
    inside.steps(1);
    CHECK(inside.v() == 0);
    r = inside.tendon();
    CHECK(r.slack);
    CHECK(r.numerical_damping == 0);
}

TEST_CASE("D04, D05: the actuator's bounds and its filter") {
    Run clamped(one(2, 0, "actuator -5  range -4 0"));
    clamped.steps(100);
    close(clamped.tendon().actuation, -4);
    close(clamped.v(), -0.4);
    close(clamped.q(), 1.9798);
    Run filter(one(2, 0, "actuator -10  tau 0.05"));
    filter.steps(50);
    close(filter.tendon().activation, -6.321205588);
    close(filter.tendon().actuation, -6.321205588);
    // Worked figure: 1 - exp over any time, whatever the step.
    Run coarse(one(2, 0, "actuator -10  tau 0.05"), 0.025);
    coarse.steps(2);
    close(coarse.tendon().activation, -10 * (1 - std::exp(-1)));
}

TEST_CASE("D06, D07: a suspended load") {
    Run load(one(1.2, 0, "stiffness 500  damping 8  spring 0 1  actuator -2  limits -inf 1.5", 9.81));
    load.steps(6000);
    close(load.q(), 1.015620, 1e-6);
    TendonReading r = load.tendon();
    close(r.tension, 9.81, 1e-6);
    close(*r.forces.upper, 0);
    close(*r.forces.drive, -2);
    Run spring(one(1.2, 0, "stiffness 200  damping 12  spring 0 1  limits -inf 1.8", 9.81));
    spring.steps(6000);
    close(spring.q(), 1.049050, 1e-6);
}

TEST_CASE("D08 to D10: a hard bound, its margin, and a start outside it") {
    Run bound(one(1, 2, "limits -inf 1.2"));
    bound.steps(100);
    close(bound.q(), 1.2);
    close(bound.v(), 2);
    for (int i = 0; i < 20; ++i) {
        bound.steps(1);
        close(bound.v(), 0);
        close(bound.q(), 1.2);
    }
    Run margin(one(1, 2, "limits -inf 1.2  margin 0.05"));
    margin.steps(200);
    close(margin.q(), 1.15);
    Run outside(one(1.3, 0, "limits -inf 1.2  correction 0.2"));
    for (const double x : {1.28, 1.26, 1.24}) {
        outside.steps(1);
        close(outside.v(), -20);
        close(outside.q(), x);
    }
    Run lower(one(1, -2, "limits 0.8 inf"));
    lower.steps(150);
    close(lower.q(), 0.8);
    CHECK(lower.tendon().forces.lower.has_value());
    CHECK_FALSE(lower.tendon().forces.upper.has_value());
}

TEST_CASE("D11 to D13: locks") {
    Run lock(one(1.3, 0, "limits 1.2 1.2  correction 0.2"));
    const double forces[] = {-20000, 4000, 3200};
    for (int n = 1; n <= 10; ++n) {
        lock.steps(1);
        close(lock.q() - 1.2, 0.1 * std::pow(0.8, n));
        if (n <= 3) close(*lock.tendon().forces.lock, forces[n - 1], 1e-6);
    }
    close(lock.q() - 1.2, 0.0107374182, 1e-10);
    Run soft(one(1, 0, "limits 1 1  compliance 1e-4  correction 0.2", 9.81));
    soft.steps(2000);
    close(soft.q() - 1, 0.004905, 1e-6);
    Run hard(one(1, 0, "limits 1 1", 9.81));
    hard.steps(100);
    close(hard.q(), 1);
    close(*hard.tendon().forces.lock, -9.81);
}

TEST_CASE("D14 to D18: dry friction") {
    Run holds(one(1, 0, "friction 5", 4.5));
    holds.steps(500);
    CHECK(holds.v() == 0);
    CHECK(holds.q() == 1);
    close(*holds.tendon().forces.friction, -4.5);
    Run slides(one(1, 0, "friction 5", 5.5));
    slides.steps(100);
    close(slides.v(), 0.05);
    close(*slides.tendon().forces.friction, -5);
    Run stops(one(1, 0.003, "friction 5"));
    stops.steps(1);
    CHECK(std::abs(stops.v()) <= 1e-15);
    close(*stops.tendon().forces.friction, -3);
    stops.steps(50);
    CHECK(std::abs(stops.v()) <= 1e-15);
    Run slows(one(1, 0.008, "friction 5"));
    slows.steps(1);
    close(slows.v(), 0.003);
    close(*slows.tendon().forces.friction, -5);
    Run creeps(one(1, 0, "friction 5  friction-compliance 1e-5", 4.5));
    creeps.steps(400);
    close(creeps.v(), 0.045);
}

TEST_CASE("D19, D20: armature, and the curvature of its route") {
    const auto text = [&](double g, double sideways) {
        return fmt::format("gravity {} 0 0\n", g) + particle("m", 1, 0, 0, 1, fmt::format("0 {} 0", sideways)) +
               "tendon cord\n  site base 0 0 0\n  site m 0 0 0\n  armature 3\n";
    };
    Run pulled(text(8, 0));
    pulled.steps(1);
    close(pulled.v(0) / kH, 2);
    Run across(text(0, 2));
    across.steps(1);
    close(across.v(0) / kH, -3);
    close(*across.tendon().forces.armature, -3);
}

TEST_CASE("D21 to D23, P04: branches") {
    const std::string two = mass("a", 1) + mass("b", 1);
    Run locked("gravity 9.81 0 0\n" + two + "tendon cord fixed\n  term a 1\n  term b 0.5\n  limits 1.5 1.5\n");
    locked.steps(1);
    close(locked.v(0) / kH, -1.962);
    close(locked.v(1) / kH, 3.924);
    close(locked.tendon().tension, 11.772);
    // The same on a route: branch b has half the tension.
    const auto rail = [](const char* name, double y, double z, double m) {
        return fmt::format("body {}\n  joint prismatic x\n  at 0 {} {}\n  mass {}\n  start 1\n", name, y, z, m);
    };
    Run route("gravity 9.81 0 0\n" + rail("a", 0, 0, 1) + rail("b", 1, 0, 1) +
              "tendon cord\n  site base 0 0 0\n  site a 0 0 0\n  pulley 2\n  site base 0 1 0\n  site b 0 0 0\n"
              "  limits 1.5 1.5\n");
    route.steps(1);
    close(route.v(0) / kH, -1.962);
    close(route.v(1) / kH, 3.924);
    const TendonReading r = route.tendon();
    REQUIRE(r.segment_tension.size() == 2);
    close(r.segment_tension[0], 11.772);
    close(r.segment_tension[1], 5.886);
    close(r.point_forces[1][0], -11.772);
    close(r.point_forces[3][0], -5.886);
    close(r.point_forces[2][0], 5.886);

    Run masses("gravity 9.81 0 0\n" + mass("a", 1) + mass("b", 1, 0, 2) +
               "tendon cord fixed\n  term a 1\n  term b 1\n  limits -inf 2\n");
    masses.steps(1);
    close(masses.v(0) / kH, -3.27);
    close(masses.v(1) / kH, 3.27);
    close(masses.tendon().tension, 13.08);
    Run pulley("gravity 9.81 0 0\n" + mass("M", 1, 0, 3) + mass("m", 1) +
               "tendon cord fixed\n  term M 2\n  term m 1\n  limits -inf 3\n");
    pulley.steps(1);
    close(pulley.v(0) / kH, 1.401428571);
    close(pulley.v(1) / kH, -2.802857143);
    close(pulley.tendon().tension, 12.612857143);

    Run wheel("gravity 0 0 0\n" + particle("a", -0.5, 0, 1) + particle("b", 0.5, 0, 1) + particle("c", 3, 0, 1) +
              "tendon cord\n  site a 0 0 0\n  cylinder base 0 0 2 axis y radius 0.5 side base 0 0 3\n  site b 0 0 0\n"
              "  pulley 2\n  site base 3 0 3\n  site c 0 0 0\n  actuator -4\n");
    wheel.steps(1);
    close(wheel.v(2), 0.004);
    close(wheel.v(5), 0.004);
    close(wheel.v(8), 0.002);
    close(wheel.tendon().segment_tension[1], 2);
}

TEST_CASE("worked figures: 2 and -3 m/s^2 are D19 and D20; a divisor of 2 gives 5 N and -2 s'") {
    Run run(
        "gravity 0 0 0\nbody a\n  joint prismatic x\n  mass 1\n  start 1\n  rate 0.3\n"
        "body b\n  joint prismatic x\n  at 0 1 0\n  mass 1\n  start 1\n  rate -0.6\n"
        "tendon cord\n  site base 0 0 0\n  site a 0 0 0\n  pulley 2\n  site base 0 1 0\n  site b 0 0 0\n  actuator "
        "-10\n"
        "  limits 1.5 1.5\n");
    run.steps(1);
    close(run.v(1), -2 * run.v(0));
    const TendonReading r = run.tendon();
    close(r.segment_tension[1], 0.5 * r.segment_tension[0]);
    close(*r.forces.drive, -10);
}

TEST_CASE("D24, D25: servo of a differential, a coupling") {
    Run differential("gravity 0 0 0\n" + mass("mx", 0) + mass("my", 0) +
                     "tendon cord fixed\n  term mx 1\n  term my 0.5\n  target 0.5  kp 200  kv 20\n");
    differential.steps(3000);
    close(differential.q(0), 0.4, 1e-6);
    close(differential.q(1), 0.2, 1e-6);
    close(differential.tendon().target, 0.5);
    Run coupled("gravity 0 0 0\n" + mass("a", 0) + mass("b", 0) +
                "tendon A fixed\n  term a 1\n  target 0.2  kp 100  kv 20\ntendon B fixed\n  term b 1\n"
                "coupling c first B second A\n  poly 0 -0.65 0 0 0\n");
    coupled.steps(3000);
    close(coupled.q(0), 0.2, 1e-6);
    close(coupled.q(1), -0.13, 1e-6);
    close(coupled.q(1) + 0.65 * coupled.q(0), 0, 1e-6);
}

TEST_CASE("D26: a coupling's polynomial shares its force by its slope") {
    Run run("gravity 0 0 0\n" + mass("a", 1.025) + mass("b", 0.5) +
            "tendon A fixed\n  term a 1\n  reference 0\ntendon B fixed\n  term b 1\n  reference 0\n"
            "coupling c first A second B\n  poly 0 2 0.1 0 0\n");
    // lambda = 10 balances -10 on a and +21 on b.
    run.sim.inputs().tau = {-10, 21};
    run.steps(1);
    close(run.v(0), 0);
    close(run.v(1), 0);
    close(*run.tendon(0).forces.couplings[0], 10, 1e-8);
    close(*run.tendon(1).forces.couplings[0], -21, 1e-8);
}

TEST_CASE("a coupling without a second tendon holds the first at reference + c0; off ones do nothing") {
    const auto text = [](const char* coupling, const char* tendon) {
        return std::string("gravity 9.81 0 0\n") + mass("a", 1) + "tendon A fixed\n  term a 1\n  " + tendon +
               "\ncoupling c first A\n  poly 0.1 0 0 0 0\n  " + coupling + "\n";
    };
    Run held(text("correction 0.2", ""));
    held.steps(200);
    close(held.q(), 1.1);
    Run off(text("off", "")), tendon_off(text("", "off"));
    off.steps(1), tendon_off.steps(1);
    close(off.v(), 9.81e-3);
    close(tendon_off.v(), 9.81e-3);
    CHECK(tendon_off.tendon().off);
    CHECK(tendon_off.tendon().length == Approx(tendon_off.q()));
}

TEST_CASE("D27 to D29: bounds of the drive and what saturates") {
    Run excluded(one(1, 0, "range -6 -2"));
    excluded.steps(1);
    close(excluded.v(), -0.002);
    close(excluded.tendon().actuation, -2);
    Run saturated(one(1, 0, "target 0.8  kp 200  kv 25  range -30 0"));
    saturated.steps(1);
    close(saturated.v(), -0.03);
    close(saturated.tendon().actuation, -30);
    Run servo(one(1, 0, "target 0.9  kp 200  kv 25  range -30 0"));
    servo.steps(1);
    close(servo.v(), -0.019508388607);
    close(servo.tendon().actuation, -19.508388607);
}

TEST_CASE("D30, D31: a very stiff spring; energies") {
    Run stiff(one(1.1, 0, "stiffness 1e9  spring 1 1"));
    stiff.steps(1);
    close(stiff.q() - 1, 0.1 / 1001, 1e-10);
    double largest = 0;
    for (int i = 0; i < 2000; ++i) stiff.steps(1), largest = std::max(largest, std::abs(stiff.q() - 1));
    CHECK(largest <= 0.1 / 1001);
    Run energy(one(1.3, 2, "stiffness 100  spring 0 1  armature 3"));
    const TendonReading r = energy.tendon();
    close(r.energy, 4.5);
    close(r.armature_energy, 6);
}

TEST_CASE("friction never reverses motion; below its threshold nothing moves, at any step") {
    for (const double h : {1e-4, 1e-3, 1e-2}) {
        Run slows(one(1, 0.5, "friction 5", 2), h);
        double before = 0.5;
        for (int i = 0; i < 2000; ++i) {
            slows.steps(1);
            CHECK(slows.v() >= -1e-15);
            CHECK(slows.v() <= before + 1e-15);
            before = slows.v();
        }
        CHECK(std::abs(slows.v()) <= 1e-15);
    }
}

TEST_CASE("static tendons report and move nothing") {
    Run run("gravity 0 0 0\n" + mass("m", 0) +
            "tendon cord\n  site base 0 0 0\n  site base 0 0 2\n  stiffness 100  damping 3  spring 0 1\n"
            "  actuator -5  limits 1 1.5  friction 2  armature 1\n");
    run.steps(3);
    const Readings all = run.sim.read();
    const TendonReading& r = all.tendons[0];
    CHECK(r.length == 2);
    CHECK(r.rate == 0);
    close(*r.forces.spring, -100);
    close(*r.forces.drive, -5);
    for (const double x : {r.tension, *r.forces.friction, *r.forces.armature, *r.forces.upper, *r.forces.lower})
        CHECK(std::isfinite(x));
    CHECK(run.q() == 0);
    CHECK(run.v() == 0);
}

TEST_CASE("a tendon that is switched off keeps its geometry, its activation frozen, its couplings off") {
    Run run("gravity 0 0 0\n" + mass("a", 1) + mass("b", 1) +
            "tendon A fixed\n  term a 1\n  actuator -10  tau 0.05\ntendon B fixed\n  term b 1\n"
            "coupling c first A second B\n");
    run.steps(20);
    const double activation = run.tendon().activation;
    run.sim.inputs().tendon_off = {1, 0};
    const std::vector<double> v = run.sim.state().v;
    run.steps(20);
    CHECK(run.sim.state().v == v);
    TendonReading r = run.tendon();
    CHECK(r.off);
    CHECK(r.activation == activation);
    CHECK(r.length == Approx(run.q()));
    CHECK_FALSE(r.forces.drive.has_value());
    CHECK_FALSE(r.forces.couplings[0].has_value());
    CHECK(r.tension == 0);
    run.sim.inputs().tendon_off = {0, 0};
    run.steps(1);
    close(run.tendon().activation, -10 + (activation + 10) * std::exp(-kH / 0.05));
}

TEST_CASE("an actuator from outside; the state alone before any step") {
    Run run(one(1.2, 0.5, "stiffness 100  damping 3  spring 0 1  actuator input  friction 2  limits -inf 3"));
    run.sim.inputs().tendon_command = {-7};
    const TendonReading before = run.tendon();
    close(*before.forces.spring, -20);
    close(*before.forces.damper, -1.5);
    close(*before.forces.drive, -7);
    CHECK_FALSE(before.forces.friction.has_value());
    CHECK_FALSE(before.forces.upper.has_value());
    close(before.tension, 28.5);
    run.steps(1);
    const TendonReading after = run.tendon();
    close(*after.forces.drive, -7);
    close(*after.forces.friction, -2);
    close(*after.forces.damper, -3 * run.v());
    close(*after.forces.spring, -100 * (0.2 + kH * run.v()));
}

TEST_CASE("a winch pays out: interval, limits and lock follow the length that was fed") {
    const auto rope = [](const std::string& laws) {
        return "gravity 9.81 0 0\n" + mass("m", 1) + "tendon cord\n  site base 0 0 0\n  site m 0 0 0\n  " + laws + "\n";
    };
    Run winch(rope("limits 1 1  feed (0.2*t)"));
    winch.steps(1000);
    close(winch.q(), 1.2);
    close(winch.v(), 0.2);
    close(winch.tendon().fed, 0.2);
    Run spring(rope("stiffness 500  damping 30  spring 0 1  feed (0.1*min(t, 1))"));
    spring.steps(4000);
    close(spring.q(), 1.1 + 9.81 / 500, 1e-6);
    close(spring.v(), 0, 1e-8);
    // Armature feels the rope's own acceleration alone: a winch at constant speed is not felt, one that speeds up is.
    Run even("gravity 0 0 0\n" + mass("m", 1, 0.2) +
             "tendon cord\n  site base 0 0 0\n  site m 0 0 0\n  armature 3  feed (0.2*t)\n");
    even.steps(10);
    close(even.v(), 0.2);
    Run rising("gravity 0 0 0\n" + mass("m", 1) +
               "tendon cord\n  site base 0 0 0\n  site m 0 0 0\n  armature 3  feed (0.5*t^2)\n");
    rising.steps(10);
    close(rising.v(), 0.75 * 0.01);  // a = 3/4 of the winch's 1 m/s^2
}
