// Vehicles let down on flat ground: what the ground carries, how deep things sink, momentum and energy on the way.
// Schemes that must do worse are run beside the one that people get.
#include "tests/support/catch.h"
#include "tests/vehicles/vehicle.h"

using namespace mw;
using namespace mw::test;

TEST_CASE("the M113 is 153 bodies of 11324.84 kg, with 171 coordinates, 168 velocities and 4 loop rows", "[vehicles]") {
    const Vehicle& m113 = vehicle("m113");
    const Layout layout = layoutOf(*m113.model);
    std::printf("m113: %d bodies, nq %d, nv %d, nc %d, %.2f kg; %s\n", layout.nbody, layout.nq, layout.nv, layout.nc,
                m113.mass, m113.why.c_str());
    CHECK(layout.nbody == 153);
    CHECK(layout.nq == 171);
    CHECK(layout.nv == 168);
    CHECK(layout.nc == 4);
    CHECK(m113.mass == Approx(11324.84).epsilon(1e-12));
    CHECK(m113.dt == Approx(1.87e-4).epsilon(0.01));
}

TEST_CASE("vehicles settle: load, depth, momentum, no alternation, energy falls", "[vehicles][settle]") {
    const struct {
        const char* name;
        double time;
    } runs[] = {{"m113", 4}, {"track_demo", 4}, {"track_min", 4}};
    for (const auto& [name, time] : runs) {
        const Vehicle& v = vehicle(name);
        Simulation run = runOf(v);
        const Settling s = settle(run, time, v.weight);
        print(name, s, v.weight);
        CAPTURE(name);
        CHECK(std::abs(s.load - 1) < 0.005);
        CHECK(s.settled_depth < 0.01);
        CHECK(s.worst_depth < 0.01);
        CHECK(s.momentum < 2e-5 * s.impulse);
        CHECK(s.alternation < 1e-3 * v.weight);
        CHECK(s.rise <= 1e-4 * s.kinetic);
        CHECK(s.rise_all <= 1e-4 * s.kinetic_all);
        CHECK(s.change < 0);
        CHECK(s.fall > 0);
        CHECK(s.highest <= 0);
        CHECK(std::abs(s.residual) < 1e-3 * s.absolute);
    }
}

TEST_CASE("what the impulse of gravity and ground does not explain falls on halving the step twice",
          "[vehicles][settle]") {
    const Vehicle& v = vehicle("m113");
    double momentum[3], residual[3];
    for (int i = 0; i < 3; ++i) {
        Simulation run = runOf(v, v.dt / (1 << i));
        const Settling s = settle(run, 2, v.weight, 50);
        momentum[i] = s.momentum, residual[i] = std::abs(s.residual);
        CHECK(s.momentum < 2e-5 * s.impulse);
        std::printf("m113 dt %.3g: momentum %.3g N s of %.4g, energy's residual %.3g J of %.4g\n", run.dt(), s.momentum,
                    s.impulse, s.residual, s.absolute);
    }
    CHECK(momentum[1] < 0.6 * momentum[0]);
    CHECK(momentum[2] < 0.6 * momentum[1]);
    CHECK(residual[1] < 0.6 * residual[0]);
    CHECK(residual[2] < 0.6 * residual[1]);
}

TEST_CASE("steps from 2.8e-5 to 1e-3 s: energy stays bounded, the load is the weight", "[vehicles][settle]") {
    const Vehicle& v = vehicle("m113");
    std::vector<double> steps{2.8e-5, 1e-4, 2e-4, 5e-4, 1e-3};
    if (isLong()) steps = {2.8e-5, 4e-5, 6.2e-5, 1e-4, 1.4e-4, 2e-4, 3e-4, 5e-4, 7e-4, 1e-3};
    for (const double dt : steps) {
        Simulation run = runOf(v, dt);
        const Settling s = settle(run, 4, v.weight, 20);
        print(fmt::format("m113 dt {:.3g}", dt), s, v.weight);
        CAPTURE(dt);
        CHECK(std::abs(s.load - 1) < 0.005);
        CHECK(s.highest < 1e-3 * s.kinetic_all);  // never above what it had after the ramp
        CHECK(s.fall > 0);
        CHECK(s.kinetic < 0.05 * s.kinetic_all);  // and it comes to rest
        CHECK(s.alternation < 1e-3 * v.weight);
    }
}

TEST_CASE("control: semi-implicit Euler keeps energy worse at the same step", "[vehicles][settle]") {
    const Vehicle& v = vehicle("m113");
    Settling s[2];
    for (int euler = 0; euler < 2; ++euler) {
        Simulation run = runOf(v);
        if (euler) run.setIntegrator(Integrator::euler);
        s[euler] = settle(run, 2, v.weight);
        print(euler ? "m113 euler" : "m113 verlet", s[euler], v.weight);
    }
    CHECK(std::abs(s[1].load - s[0].load) < 0.005);
    CHECK(s[1].rise_all > 3 * s[0].rise_all);
    CHECK(std::abs(s[1].residual) > 10 * std::abs(s[0].residual));
}

TEST_CASE("control: forces at a predicted velocity lose momentum, and drive what they should brake",
          "[vehicles][settle]") {
    const Vehicle& v = vehicle("m113");
    // At the default step momentum goes astray beyond its bound: the quadratic terms at a predicted velocity miss what
    // the mean of both ends has, always to the same side.
    Simulation predicted = runOf(v);
    predicted.setPredictsVelocity(true);
    const Settling s = settle(predicted, 4, v.weight, 20);
    print("m113 predicted", s, v.weight);
    CHECK(s.momentum > 2e-5 * s.impulse);
    // At a step that the plain scheme walks through, energy comes in until nothing is left of the vehicle.
    Simulation coarse = runOf(v, 1e-3);
    coarse.setPredictsVelocity(true);
    runUntil(coarse, coarse.contactSetup().ramp);
    const double after_ramp = coarse.energyNow().total;
    double highest = 0;
    bool blown = false;
    for (int i = 0; i < 4000 && !blown; ++i) {
        blown = coarse.step().has_value();
        if (!blown) highest = std::max(highest, coarse.energyNow().total - after_ramp);
    }
    std::printf("m113 predicted, dt 1e-3: energy rises by %.3g J%s\n", highest, blown ? " and the run breaks up" : "");
    CHECK(highest > 1e4);
}
