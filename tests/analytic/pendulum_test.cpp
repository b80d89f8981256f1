// A great swing: the period of a pendulum at large amplitude, by the complete elliptic integral.
#include <cmath>

#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

/// K(k) by the arithmetic-geometric mean (Abramowitz and Stegun 17.6): pi / (2 agm(1, sqrt(1 - k^2))).
double completeElliptic(double k) {
    double a = 1, b = std::sqrt(1 - k * k);
    // The number of right digits doubles each time: ten turns are more than any k needs.
    for (int turn = 0; turn < 10; ++turn) {
        const double mean = (a + b) / 2;
        b = std::sqrt(a * b);
        a = mean;
    }
    return std::acos(-1.0) / (2 * a);
}

}  // namespace

TEST_CASE("large amplitude: the period is 4 sqrt(l/g) K(sin(amplitude/2))", "[analytic]") {
    const double degrees = GENERATE(10.0, 90.0, 150.0, 175.0);
    const double length = 0.8, pi = std::acos(-1.0);
    const std::string text = "mech 1\nbody bob\n  joint revolute y\n  mass 1.3  cg 0 0 -0.8\n  start (" +
                             std::to_string(degrees) + "*deg)\n";
    Simulation run = runOf(text, 5e-5);
    const double expected = 4 * std::sqrt(length / 9.81) * completeElliptic(std::sin(degrees * pi / 360));

    // From one passage of the lowest point to the next is half a period; there the acceleration is zero, so that the
    // passage is found by the velocity alone.
    std::vector<double> passages;
    double q = run.state().q[0];
    while (passages.size() < 3) {
        REQUIRE_FALSE(run.step());
        REQUIRE(run.state().t < 20);
        const double now = run.state().q[0];
        if ((q > 0) != (now > 0)) passages.push_back(run.state().t - now / run.state().v[0]);
        q = now;
    }
    CAPTURE(degrees, passages[0], passages[2], expected);
    CHECK(std::abs(passages[2] - passages[0] - expected) < 1e-6 * expected);
    CHECK(std::abs(passages[0] - expected / 4) < 1e-6 * expected);
}
