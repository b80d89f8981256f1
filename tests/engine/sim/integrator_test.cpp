// Order, reversibility and the exact maps of the two schemes.
#include <algorithm>
#include <cmath>

#include "tests/engine/sim/models.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

// Largest energy error over a quarter of a second. `predict` off: the velocity predictor is taken away before every
// step.
double energyError(const std::shared_ptr<const Model>& model, Integrator integrator, double dt, bool predict = true) {
    Simulation simulation = test::simulate(model, integrator, dt);
    const double start = simulation.read().energy.total();
    double worst = 0;
    const int steps = static_cast<int>(std::llround(0.25 / dt));
    for (int i = 0; i < steps; ++i) {
        if (!predict) {
            State state = simulation.state();
            std::fill(state.block("vdot", state.v.size()).begin(), state.block("vdot", state.v.size()).end(), 0.0);
            simulation.setState(state, simulation.ledger());
        }
        REQUIRE_FALSE(simulation.step());
        worst = std::max(worst, std::abs(simulation.read().energy.total() - start));
    }
    return worst;
}

double quaternionNorm(const std::vector<double>& q, std::size_t first) {
    return std::sqrt(q[first] * q[first] + q[first + 1] * q[first + 1] + q[first + 2] * q[first + 2] +
                     q[first + 3] * q[first + 3]);
}

}  // namespace

TEST_CASE("halving the step divides the energy error by 2 with Euler and by 4 with Verlet", "[sim]") {
    const auto model = test::model(GENERATE(as<std::string>{}, test::kCrossed, test::kEveryJoint));
    const double h = 2e-4;
    CHECK(energyError(model, Integrator::euler, h) / energyError(model, Integrator::euler, h / 2) ==
          Approx(2).margin(0.05));
    CHECK(energyError(model, Integrator::verlet, h) / energyError(model, Integrator::verlet, h / 2) ==
          Approx(4).margin(0.1));
}

TEST_CASE("without the velocity predictor Verlet falls to first order", "[sim]") {
    const auto model = test::model(test::kCrossed);
    const double h = 2e-4;
    CHECK(energyError(model, Integrator::verlet, h, false) / energyError(model, Integrator::verlet, h / 2, false) ==
          Approx(2).margin(0.1));
}

TEST_CASE("a drift forward and back returns to the start, and quaternions stay unit", "[sim]") {
    const auto model = test::model(test::kEveryJoint);
    const Layout layout = layoutOf(*model);
    const std::vector<double> start = startQ(*model, layout, {});
    const std::vector<double> v = startV(*model, layout, {});
    std::vector<double> q = start;
    for (const double h : {0.5, 0.01, 1e-6}) {
        drift(*model, layout, q, v, h);
        CHECK(quaternionNorm(q, 0) == Approx(1).epsilon(1e-15));
        CHECK(quaternionNorm(q, 7) == Approx(1).epsilon(1e-15));
        drift(*model, layout, q, v, -h);
        for (std::size_t i = 0; i < q.size(); ++i) CHECK(std::abs(q[i] - start[i]) < 1e-10);
    }
}

TEST_CASE("a constant body rate turns a quaternion by exactly its angle", "[sim]") {
    const auto model = test::model("body top\n joint spherical\n mass 1 inertia 1 1 1 0 0 0\n");
    const Layout layout = layoutOf(*model);
    std::vector<double> q{1, 0, 0, 0};
    drift(*model, layout, q, {0.3, -0.4, 1.2}, 2.0);  // |w| = 1.3, angle 2.6
    CHECK(q[0] == Approx(std::cos(1.3)).epsilon(1e-15));
    CHECK(q[3] == Approx(std::sin(1.3) * 1.2 / 1.3).epsilon(1e-15));
}

TEST_CASE("time does not gather rounding: it is the number of steps times their length", "[sim]") {
    const auto model = test::model("body wheel\n joint revolute z\n mass 1 inertia 1 1 1 0 0 0\n");
    for (const double dt : {1e-3, 1e-4, 0.3e-3}) {
        Simulation simulation = test::simulate(model, Integrator::euler, dt);
        for (int i = 1; i <= 20000; ++i) {
            REQUIRE_FALSE(simulation.step());
            if (i % 1000 == 0) CHECK(std::abs(simulation.state().t - i * dt) <= 2e-16 * i * dt);
        }
    }
}
