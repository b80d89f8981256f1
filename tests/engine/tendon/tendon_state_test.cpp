// What tendons carry and show beside their forces: memory taken over by name, routes that depend on the pose alone,
// drawn lines, live numbers, exact replay of rope over guides.
#include <cmath>

#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

const char* kArm = R"(mech 1
body link
  joint revolute z
  mass 1  inertia 1 1 1 0 0 0
  start 0.2
body far
  parent link  joint revolute z
  at 0.3 0 0
  mass 1  inertia 1 1 1 0 0 0
  start -0.6
)";
const char* kOver =
    "  site base -0.3 0.06 0\n  cylinder base 0 0 0  axis z  radius 0.05  side base 0 0.1 0  mu 0.3\n"
    "  site link 0.15 0.06 0\n  sphere far 0 0 0  radius 0.05  side far 0 0.2 0\n  site far 0.25 0.06 0.02\n";

}  // namespace

TEST_CASE("a route is a function of the pose: what was evaluated before does not matter") {
    AtState at(std::string(kArm) + "tendon cord\n" + kOver);
    const TendonRoute first = at.route();
    const std::vector<double> q = at.q;
    for (int i = 0; i < 50; ++i) {
        at.q = {std::sin(0.7 * i) * 2, std::cos(1.1 * i) * 2};
        at.move();
        at.route();
    }
    at.q = q;
    at.move();
    const TendonRoute again = at.route();
    CHECK(again.length == first.length);
    CHECK(again.gradient == first.gradient);
    for (std::size_t i = 0; i < first.points.size(); ++i) CHECK(again.points[i].point == first.points[i].point);
}

TEST_CASE("memory goes over by name when a mechanism is edited") {
    const std::string arm = kArm;
    AtState before(arm + "tendon one\n" + kOver + "  actuator -1  tau 0.1  state -0.5\ntendon two\n" + kOver +
                   "tendon biceps\n  site base 0 0 0\n  site far 0.2 0 0\n  muscle 500 0.1 0.3 0  excitation 0.5\n");
    REQUIRE(before.tendons.memorySize() == 3 + 3 + 2);
    CHECK(before.memory[0] == -0.5);
    CHECK(before.memory[7] > 0.05);  // the fibre, at rest
    before.memory = {-0.7, 1e-3, 2e-3, 0.1, 3e-3, 4e-3, 0.4, 0.09};
    // Another order, one renamed, the guide of `two` gone.
    AtState after(arm +
                  "tendon biceps\n  site base 0 0 0\n  site far 0.2 0 0\n  muscle 500 0.1 0.3 0  excitation 0.5\n" +
                  "tendon two\n  site base 0 0 0\n  site far 0.1 0 0\ntendon three\n" + kOver + "tendon one\n" + kOver +
                  "  actuator -1  tau 0.1\n");
    after.tendons.carry(before.tendons, before.memory, after.memory);
    CHECK(after.memory == std::vector<double>{0.4, 0.09, 0.1, 0, 0, 0, -0.7, 1e-3, 2e-3});
}

TEST_CASE("the drawn line follows the route, branches apart") {
    AtState at(std::string(kArm) + "tendon cord\n" + kOver + "  pulley 2\n  site base 0 1 0\n  site far 0.1 0.2 0\n");
    const TendonRoute route = at.route();
    const TendonLine line = at.tendons.line(0, at.X, 0.02);
    REQUIRE(line.points.size() == line.element.size() + 1);
    REQUIRE(line.branch.size() == line.element.size());
    std::vector<double> length(2, 0.0);
    int gaps = 0;
    for (std::size_t i = 0; i < line.branch.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += std::pow(line.points[i + 1][k] - line.points[i][k], 2);
        if (line.branch[i] < 0) ++gaps;
        else length[static_cast<std::size_t>(line.branch[i])] += std::sqrt(sum);
    }
    CHECK(gaps == 1);
    CHECK(length[0] == Approx(route.branch_length[0]).epsilon(1e-4));
    CHECK(length[1] == Approx(route.branch_length[1]).epsilon(1e-12));
}

TEST_CASE("live numbers: radius and stiffness move, the reference stays") {
    AtState at(
        "mech 1\nparam r 0.05  live\nparam k 100  live\nbody link\n  joint revolute z\n  mass 1  inertia 1 1 1 0 0 0\n"
        "  start -1\ntendon cord\n  site base -0.3 0.06 0\n  cylinder base 0 0 0  axis z  radius r  side base 0 0.1 0\n"
        "  site link 0.25 0.06 0\n  stiffness k\n");
    const double reference = at.tendons.reference(0);
    CHECK(reference == Approx(0.600365704180).margin(1e-10));
    at.param = {0.04, 300};
    at.tendons.setParameters(at.param);
    const TendonRoute thin = at.route();
    CHECK(thin.gradient[0] == Approx(-0.04));
    CHECK(at.tendons.reference(0) == reference);
    const std::vector<TendonReading> r = at.tendons.readings(at.step(), nullptr, {});
    CHECK(*r[0].forces.spring == Approx(-300 * (thin.length - reference)));
}

TEST_CASE("rope on a free drum, reeled to and fro, comes back to where it was laid; a replay is exact") {
    const char* text = R"(mech 1
body drum
  joint revolute y
  at 0 0 2
  mass 2  inertia 0.02 0.02 0.02 0 0 0
body left
  joint prismatic z
  at -0.1 0 1
  mass 1
body right
  joint prismatic z
  at 0.1 0 1
  mass 1
tendon rope
  site left 0 0 0
  cylinder drum 0 0 0  axis y  radius 0.1  side base 0 0 3  mu 0.8
  site right 0 0 0
  limits -inf (2 + 0.1*pi)
)";
    const auto run = [&] {
        const auto model = mechanism(text);
        Simulation sim(model, makeReferenceKernel(*model), Integrator::euler, 1e-3);
        for (int i = 0; i < 3000; ++i) {
            sim.inputs().tau = {0.15 * std::sin(0.004 * i), 0, 0};
            REQUIRE_FALSE(sim.step());
        }
        return sim.state();
    };
    const State first = run(), again = run();
    CHECK(first.q == again.q);
    CHECK(first.v == again.v);
    REQUIRE(first.findBlock("tendons"));
    CHECK(*first.findBlock("tendons") == *again.findBlock("tendons"));
    CHECK(first.q[0] * 0.1 == Approx(first.q[1]).margin(1e-12));
    CHECK(std::abs(first.q[1]) > 0.05);
}
