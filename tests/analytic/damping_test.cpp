// Damped motions that have a closed form: a slider that runs out, and the wheel on its greased shaft.
#include <cmath>

#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

TEST_CASE("a damped slider runs out as exp(-d t / m)", "[analytic]") {
    const double m = 2.5, d = 1.7, v0 = 3;
    Simulation run = runOf("mech 1\nbody slider\n  joint prismatic x\n  mass 2.5  joint-damping 1.7  rate 3\n", 2e-4);
    for (const double t : {0.25, 1.0, 4.0}) {
        runUntil(run, t);
        const double e = std::exp(-d * run.state().t / m);
        CAPTURE(t);
        CHECK(std::abs(run.state().v[0] - v0 * e) < 1e-6 * v0);
        CHECK(std::abs(run.state().q[0] - v0 * m / d * (1 - e)) < 1e-6 * v0 * m / d);
    }
    // What is gone from the kinetic energy has been booked as dissipated.
    const Readings r = run.read();
    CHECK(r.ledger.dissipated == Approx(m * v0 * v0 / 2 - r.energy.kinetic).epsilon(1e-6));
}

TEST_CASE("the wheel on a cylindrical joint spins out and swings out", "[analytic]") {
    Simulation run = runOf(example("cylindrical_damper"), 1e-4);
    const Model& model = run.model();
    const Body& wheel = model.bodies.at(0);
    const double d = parameter(model, "d"), k = parameter(model, "k"), c = parameter(model, "c");
    const double m = wheel.mass.value, inertia = wheel.inertia[0].value;
    const double s0 = wheel.start[1].value, w0 = wheel.rate[0].value;
    // Along: m s'' + (d + c) s' + k s = 0 from rest at s0, underdamped.
    const double decay = (d + c) / (2 * m), w = std::sqrt(k / m - decay * decay);
    for (const double t : {0.1, 0.5, 2.0}) {
        runUntil(run, t);
        const double now = run.state().t;
        CAPTURE(t);
        CHECK(std::abs(run.state().v[0] - w0 * std::exp(-d * now / inertia)) < 1e-6 * w0);
        CHECK(std::abs(run.state().q[0] - w0 * inertia / d * (1 - std::exp(-d * now / inertia))) <
              1e-6 * w0 * inertia / d);
        CHECK(std::abs(run.state().q[1] -
                       s0 * std::exp(-decay * now) * (std::cos(w * now) + decay / w * std::sin(w * now))) < 1e-6 * s0);
    }
}
