// The universal joint's unevenness over a whole turn.
#include <algorithm>
#include <cmath>

#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

// Input shaft along x, turned by a; output shaft along (cos b, sin b, 0). The joint turns about the input's z by q1,
// then about the carried y by q2, and the output's x axis is the output direction when
//   sin q2 = sin b sin a,  tan q1 = tan b cos a.
// The output then runs cos b / (1 - sin^2 b sin^2 a) times as fast as the input (a textbook result; at a = 0 the output
// is turned about the input's own pin, where it is slowest).
TEST_CASE("universal joint: the speed ratio over a turn", "[analytic]") {
    auto model = modelOf(example("universal_shaft"));
    const double b = parameter(*model, "bend"), speed = 7.5, pi = std::acos(-1.0);
    Kernel kernel = compiled(*model);
    std::vector<double> work = makeWork(kernel), X(24), V(12);
    const std::vector<double> param = model->liveValues();
    double slowest = 1e9, fastest = 0;
    for (int degree = 0; degree < 360; ++degree) {
        const double a = degree * pi / 180;
        const double q2 = std::asin(std::sin(b) * std::sin(a)), q1 = std::atan2(std::sin(b) * std::cos(a), std::cos(b));
        const double v1 = -speed * std::tan(b) * std::sin(a) * std::cos(q1) * std::cos(q1);
        const double v2 = speed * std::sin(b) * std::cos(a) / std::cos(q2);
        const double q[3] = {a, q1, q2}, v[3] = {speed, v1, v2};
        kernel->kinematics(q, v, param.data(), work.data(), X.data(), V.data());

        const double ratio = std::cos(b) / (1 - std::pow(std::sin(b) * std::sin(a), 2));
        slowest = std::min(slowest, ratio);
        fastest = std::max(fastest, ratio);
        CAPTURE(degree, ratio);
        // The output's direction and angular velocity, base axes.
        CHECK(std::abs(X[12 + 0] - std::cos(b)) < 1e-9);
        CHECK(std::abs(X[12 + 3] - std::sin(b)) < 1e-9);
        CHECK(std::abs(X[12 + 6]) < 1e-9);
        CHECK(std::abs(V[6] - ratio * speed * std::cos(b)) < 1e-9 * speed);
        CHECK(std::abs(V[7] - ratio * speed * std::sin(b)) < 1e-9 * speed);
        CHECK(std::abs(V[8]) < 1e-9 * speed);
    }
    CHECK(slowest == Approx(std::cos(b)));
    CHECK(fastest == Approx(1 / std::cos(b)));
}
