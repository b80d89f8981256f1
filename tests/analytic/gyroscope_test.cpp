// A heavy symmetric top in steady precession, against the exact condition on its rates.
#include <cmath>

#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

/// The slow root of I1 W^2 cos(a) - I3 w W + m g h = 0: a the lean of the axis from the vertical, w the angular
/// velocity along the axis, inertias about the pivot (Goldstein, Classical Mechanics, heavy symmetrical top).
struct SteadyTop {
    double lean, spin, precession;
    SteadyTop(const Model& model) {
        const Body& wheel = model.bodies.at(0);
        lean = parameter(model, "lean");
        spin = parameter(model, "spin");
        const double m = wheel.mass.value, h = wheel.cg[2].value, g = -model.gravity[2].value;
        const double across = wheel.inertia[0].value + m * h * h, along = wheel.inertia[2].value;
        const double disc = along * along * spin * spin - 4 * across * m * g * h * std::cos(lean);
        precession = (along * spin - std::sqrt(disc)) / (2 * across * std::cos(lean));
    }
};

}  // namespace

TEST_CASE("steady precession: the start of the gyroscope meets the exact quadratic", "[analytic]") {
    Simulation run = runOf(example("gyroscope"), 1e-5);
    const SteadyTop top(run.model());
    // In body axes the constant precession vector turns backwards with the relative spin.
    const double relative = top.spin - top.precession * std::cos(top.lean);
    const Readings start = run.read();
    CHECK(start.vdot[0] == Approx(0).margin(1e-9));
    CHECK(start.vdot[1] == Approx(top.precession * std::sin(top.lean) * relative).epsilon(1e-11));
    CHECK(start.vdot[2] == Approx(0).margin(1e-9));
}

TEST_CASE("steady precession: lean stays, azimuth grows evenly", "[analytic]") {
    Simulation run = runOf(example("gyroscope"), 5e-6);
    const SteadyTop top(run.model());
    for (const double t : {0.1, 0.2, 0.4}) {
        runUntil(run, t);
        const Readings r = run.read();
        // The axis is the third column of the body's rotation.
        const double x = r.X[2], y = r.X[5], z = r.X[8];
        CAPTURE(t, top.precession);
        CHECK(std::abs(std::acos(z) - top.lean) < 1e-6);
        const double turned = std::remainder(std::atan2(y, x) - top.precession * run.state().t, 2 * std::acos(-1.0));
        CHECK(std::abs(turned) < 1e-6);
    }
}
