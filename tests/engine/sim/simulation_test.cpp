// The books of a run, what acts from outside, and what happens when a run goes wrong.
#include <algorithm>
#include <cmath>

#include "tests/engine/sim/models.h"
#include "tests/support/catch.h"

using namespace mw;

TEST_CASE("a wrench enters by the joints exactly as by the kernel's fext", "[sim]") {
    const auto model = test::model(test::kEveryJoint);
    const Layout layout = layoutOf(*model);
    const Kernel kernel = makeReferenceKernel(*model);
    std::vector<double> work = makeWork(kernel);
    const std::vector<double> q = startQ(*model, layout, {}), v = startV(*model, layout, {});
    const auto nv = static_cast<std::size_t>(layout.nv), nbody = static_cast<std::size_t>(layout.nbody);
    std::vector<double> X(12 * nbody), V(6 * nbody);
    kernel->kinematics(q.data(), v.data(), nullptr, work.data(), X.data(), V.data());
    for (std::size_t body = 0; body < nbody; ++body) {
        CAPTURE(model->bodies[body].name);
        const Vector3d moment{1, -2, 3}, force{4, 5, -6};
        std::vector<double> tau(nv, 0), fext(6 * nbody, 0), by_joints(nv), by_fext(nv);
        addWrench(*model, layout, q, X, {}, static_cast<int>(body), moment, force, tau);
        for (std::size_t k = 0; k < 3; ++k) fext[6 * body + k] = moment[k], fext[6 * body + 3 + k] = force[k];
        kernel->fwd_dyn(q.data(), v.data(), tau.data(), nullptr, nullptr, nullptr, work.data(), by_joints.data(),
                        nullptr);
        kernel->fwd_dyn(q.data(), v.data(), nullptr, fext.data(), nullptr, nullptr, work.data(), by_fext.data(),
                        nullptr);
        for (std::size_t i = 0; i < nv; ++i) CHECK(by_joints[i] == Approx(by_fext[i]).epsilon(1e-9).margin(1e-9));
    }
}

TEST_CASE(
    "the energy ledger closes with drives, dampers, springs, wrenches, pushes and actuators, better with a smaller "
    "step",
    "[sim]") {
    const auto model = test::model(std::string(test::kEveryJoint) + R"(
poi eye on hand at 0.1 0 0
poi wall on base at 1 1 1
tsda cord from eye to wall  k 40  c 2  l0 0.5  input
rsda wind joint nut  k 0.3  c 0.05  q0 0.1  input
drive motor joint hand  speed (2 + sin(5*t))  gain 0.2
drive servo joint slide  position (0.1*sin(3*t))  kp 50  kd 3
)");
    const auto residual = [&](double dt) {
        Simulation simulation = test::simulate(model, Integrator::verlet, dt);
        simulation.inputs().tau[2] = 0.5;
        simulation.inputs().act = {1.5, -0.2};
        for (std::size_t k = 0; k < 6; ++k) simulation.inputs().fext[6 * 3 + k] = 0.3 * static_cast<double>(k);
        simulation.inputs().push = Inputs::Push{1, {0.1, 0.2, 0}, {2, 0, 1}, 30, 1, {0.3, -0.2, 0.5}};
        for (int i = 0; i < std::llround(0.4 / dt); ++i) REQUIRE_FALSE(simulation.step());
        const Readings readings = simulation.read();
        CHECK(readings.ledger.dissipated > 0);
        CHECK(std::abs(readings.ledger.hand) > 1e-3);
        CHECK(std::abs(readings.ledger.drives) > 1e-3);
        return std::abs(readings.residual);
    };
    const double coarse = residual(4e-4), fine = residual(2e-4);
    CAPTURE(coarse, fine);
    CHECK(coarse < 1e-3);
    CHECK(fine < 0.4 * coarse);
}

TEST_CASE("the couple of a push turns a body as Euler's law says, without moving its centre", "[sim]") {
    const auto model = test::model("gravity 0 0 0\nbody top\n joint floating\n mass 2  inertia 0.5 0.5 0.5 0 0 0\n");
    Simulation simulation = test::simulate(model, Integrator::verlet, 1e-3);
    simulation.inputs().push = Inputs::Push{0, {}, {}, 0, 0, {0, 0, 1.5}};
    for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(simulation.step());
    CHECK(simulation.state().v[2] == Approx(3.0).epsilon(1e-9));  // w = M t / I
    CHECK(simulation.ledger().hand == Approx(0.5 * 0.5 * 9).epsilon(1e-9));
    for (std::size_t k = 4; k < 7; ++k) CHECK(std::abs(simulation.state().q[k]) < 1e-12);
}

TEST_CASE("a live parameter that moves is work by hand, and the residual does not see it", "[sim]") {
    const auto model = test::model(R"(
param m 2 range 0.5 5 live
body bob
  joint revolute y
  mass m  cg 0.5 0 0  inertia 0 0.01 0.01 0 0 0
  start 0.3  rate 1
)");
    Simulation simulation = test::simulate(model, Integrator::verlet, 1e-4);
    for (int i = 0; i < 100; ++i) REQUIRE_FALSE(simulation.step());
    simulation.inputs().param[0] = 3;
    for (int i = 0; i < 100; ++i) REQUIRE_FALSE(simulation.step());
    const Readings readings = simulation.read();
    CHECK(std::abs(readings.residual) < 1e-6);
    CHECK(std::abs(readings.ledger.hand) > 0.1);
}

TEST_CASE("an absurd gain stops the run at the last good state and names body and time", "[sim]") {
    const auto model = test::model(std::string(test::kCrossed) + "drive bad joint lower  speed 1  gain 1e9\n");
    for (const Integrator integrator : {Integrator::euler, Integrator::verlet}) {
        Simulation simulation = test::simulate(model, integrator, 1e-3);
        std::optional<BlowUp> fault;
        for (int i = 0; i < 1000 && !fault; ++i) fault = simulation.step();
        REQUIRE(fault);
        CHECK(model->bodies[static_cast<std::size_t>(fault->body)].name == "lower");
        CHECK(fault->t == simulation.state().t);
        CHECK(fault->step == simulation.state().step);
        for (const double v : simulation.state().v) CHECK(std::isfinite(v));
        CHECK(std::isfinite(simulation.ledger().drives));
    }
}

TEST_CASE("code of another mechanism is refused", "[sim]") {
    const auto one = test::model(test::kCrossed);
    const auto other = test::model(test::kEveryJoint);
    CHECK_THROWS_AS(Simulation(one, makeReferenceKernel(*other), Integrator::euler, 1e-3), std::invalid_argument);
}

TEST_CASE("drives: what they ask for and what they give", "[sim]") {
    const auto model = test::model(R"(
param a 2 range 0 5 live
body wheel
  joint revolute z
  mass 1  inertia 0.1 0.1 0.1 0 0 0
  start 0.5  rate 3
drive torque joint wheel  torque (a*cos(2*t))
drive speed joint wheel  speed (10*t)  gain 4
drive place joint wheel  position (sin(3*t))  kp 7  kd 2
drive weak joint wheel  speed 100  gain 4  limit 5
)");
    const Layout layout = layoutOf(*model);
    State state;
    state.q = {0.5}, state.v = {3};
    const double t = 0.7, a = 1.5;
    const DriveForces drives = driveForces(*model, layout, state, std::vector<double>{a}, t);
    CHECK(drives.force[0] == Approx(a * std::cos(2 * t)));
    CHECK(drives.force[1] == Approx(4 * (10 * t - 3)));
    CHECK(drives.force[2] == Approx(7 * (std::sin(3 * t) - 0.5) + 2 * (3 * std::cos(3 * t) - 3)));
    CHECK(drives.force[3] == 5);
    CHECK(drives.target[3] == 100);
}

TEST_CASE("the largest rate of a spring-mass is the square root of k over m, of a damper c over m", "[sim]") {
    const auto spring = test::model(R"(
body slider
  joint prismatic x
  mass 2
poi lug on slider at 0 0 0
poi wall on base at 1 0 0
tsda s from lug to wall k 800 l0 1
)");
    const auto damper = test::model("body slider\n joint prismatic x\n mass 2\n joint-damping 300\n");
    const auto rate = [](const std::shared_ptr<const Model>& m) {
        Simulation s = test::simulate(m, Integrator::euler, 1e-3);
        return largestRate(*m, s.layout(), s.kernel(), s.state(), {});
    };
    CHECK(rate(spring) == Approx(20).epsilon(1e-12));
    CHECK(rate(damper) == Approx(150).epsilon(1e-12));
    Simulation s = test::simulate(spring, Integrator::euler, 1e-3);
    std::string why;
    CHECK(suggestedStep(*spring, s.layout(), s.kernel(), s.state(), {}, &why) == 1e-3);
    // Steps are the very numbers that people would type.
    const auto stiff =
        test::model("body wheel\n joint revolute z\n mass 1 inertia 1 1 1 0 0 0\nrsda s joint wheel k 9e6\n");
    Simulation fast = test::simulate(stiff, Integrator::euler, 1e-3);
    CHECK(suggestedStep(*stiff, fast.layout(), fast.kernel(), fast.state(), {}) == 5e-6);
    CHECK(why.find("20 rad/s") != std::string::npos);
}

TEST_CASE("the suggested step looks a second ahead: a light link at rest that will whirl gets a finer one", "[sim]") {
    const auto model = test::model(R"(
body arm
  joint revolute y
  at 0 0 2
  mass 10  cg 0.5 0 0  inertia 0.1 0.3 0.3 0 0 0
body leaf
  parent arm
  joint revolute y
  at 1 0 0
  mass 0.01  cg 0.02 0 0  inertia 1e-6 1e-6 1e-6 0 0 0
  start 2
)");
    Simulation s = test::simulate(model, Integrator::verlet, 1e-5);
    std::string why;
    const double dt = suggestedStep(*model, s.layout(), s.kernel(), s.state(), {}, &why);
    double speed = 0;  // the same second, finely
    for (int i = 0; i < 100000; ++i) {
        REQUIRE_FALSE(s.step());
        for (const double v : s.state().v) speed = std::max(speed, std::abs(v));
    }
    CAPTURE(dt, speed, why);
    CHECK(dt <= 0.02 / speed * 1.1);
    CHECK(dt >= 0.02 / speed / 3);
    CHECK(why.find("first second") != std::string::npos);
}

TEST_CASE("the suggested step is not taken from a trial that went wild", "[sim]") {
    // A whip: sixty short links let go from the horizontal. With steps of a millisecond its far end runs away, to
    // speeds that are those of the step and not of the chain.
    std::string text;
    for (int i = 0; i < 60; ++i) {
        text += "body l" + std::to_string(i) + "\n";
        if (i > 0) text += "  parent l" + std::to_string(i - 1) + "\n  at 0.05 0 0\n";
        text += "  joint revolute y\n  mass 0.1  cg 0.025 0 0  inertia 1e-5 1e-5 1e-5 0 0 0\n  start 0.01\n";
    }
    const auto model = test::model(text);
    Simulation s = test::simulate(model, Integrator::verlet, 1e-3);
    bool wild = false;
    for (int i = 0; i < 1000 && !wild; ++i) wild = s.step().has_value() || std::abs(s.read().residual) > 1;
    std::string why;
    s.reset();
    const double dt = suggestedStep(*model, s.layout(), s.kernel(), s.state(), {}, &why);
    CAPTURE(wild, dt, why);
    CHECK(dt >= 1e-6);
    // With the suggested step the books balance.
    Simulation fine = test::simulate(model, Integrator::verlet, dt);
    double kinetic = 0, residual = 0;
    for (int i = 0; i * dt < 0.3; ++i) {
        REQUIRE_FALSE(fine.step());
        if (i % 50 != 0) continue;
        const Readings now = fine.read();
        kinetic = std::max(kinetic, now.energy.kinetic);
        residual = std::max(residual, std::abs(now.residual));
    }
    CHECK(residual < 0.01 * kinetic);
}
