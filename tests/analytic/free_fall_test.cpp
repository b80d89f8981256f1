// A satellite at rest in free fall: every part accelerates with g and with nothing else, at every attitude.
#include <algorithm>
#include <cmath>
#include <random>

#include "engine/dynamics/reference_kernel.h"
#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

TEST_CASE("satellite at rest: |acceleration| 9.81, no angular and no joint acceleration, at 1000 attitudes",
          "[analytic]") {
    auto model = modelOf(example("satellite"));
    const Layout layout = layoutOf(*model);
    REQUIRE(layout.nq == 10);
    REQUIRE(layout.nv == 9);
    const std::vector<Kernel> kernels = {compiled(*model), makeReferenceKernel(*model, ReferenceRoute::crba),
                                         makeReferenceKernel(*model, ReferenceRoute::aba)};
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> angle(-std::acos(-1.0), std::acos(-1.0)), length(-1, 1);
    for (const Kernel& kernel : kernels) {
        std::vector<double> work = makeWork(kernel), q(10), v(9, 0.0), vdot(9), lambda(1);
        double worst_linear = 0, worst_other = 0;
        for (int trial = 0; trial < 1000; ++trial) {
            // Four normal numbers, normalised, are uniform on the sphere of quaternions.
            double square = 0;
            for (int i = 0; i < 4; ++i) {
                q[static_cast<std::size_t>(i)] = normal(random);
                square += q[static_cast<std::size_t>(i)] * q[static_cast<std::size_t>(i)];
            }
            for (std::size_t i = 0; i < 4; ++i) q[i] /= std::sqrt(square);
            for (std::size_t i = 4; i < 7; ++i) q[i] = length(random);
            for (std::size_t i = 7; i < 10; ++i) q[i] = angle(random);
            kernel->fwd_dyn(q.data(), v.data(), nullptr, nullptr, nullptr, nullptr, work.data(), vdot.data(),
                            lambda.data());
            worst_linear = std::max(
                worst_linear, std::abs(std::sqrt(vdot[3] * vdot[3] + vdot[4] * vdot[4] + vdot[5] * vdot[5]) - 9.81));
            for (const std::size_t i : {0, 1, 2, 6, 7, 8}) worst_other = std::max(worst_other, std::abs(vdot[i]));
        }
        CAPTURE(kernel.maker);
        CHECK(worst_linear < 1e-9);
        CHECK(worst_other < 1e-9);
    }
}
