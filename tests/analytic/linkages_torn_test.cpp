// Loops torn open close again as the stabilisation promises, whatever the mechanism does meanwhile.
#include <Eigen/Dense>
#include <algorithm>

#include "tests/analytic/linkages.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

// Every row's error obeys e'' + (2/T) e' + e/T^2 = 0. Torn by e0 at rest relative to the loop (e' = 0), that is
// e(t) = e0 (1 + t/T) exp(-t/T). A distance loop keeps to it in the squared form (|rho|^2 - L^2)/2, which differs from
// L (|rho| - L) by 1e-3/L of itself here.
TEST_CASE("linkages: a torn loop closes as (1 + t/T) exp(-t/T)", "[analytic][linkages]") {
    const std::string name = GENERATE(std::string("fourbar"), std::string("slidercrank"), std::string("rrrs"),
                                      std::string("watt"), std::string("bennett"));
    const bool moving = GENERATE(false, true);
    CAPTURE(name, moving);
    Linkage linkage(name);
    const auto nv = static_cast<Eigen::Index>(linkage.layout.nv), nc = static_cast<Eigen::Index>(linkage.layout.nc);
    std::vector<double> q = linkage.start();

    // All rows by 1e-3, by the smallest change of pose; q is one number a velocity in all of these. Newton, for the
    // linear step misses a tear by its square.
    const Eigen::VectorXd want = Eigen::VectorXd::LinSpaced(nc, 1e-3, nc > 1 ? -8e-4 : 1e-3);
    for (int turn = 0; turn < 20; ++turn) {
        const std::vector<double> K = linkage.closure.jacobian(q, linkage.param);
        const std::vector<double> error = linkage.closure.error(q, linkage.param);
        const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> k(K.data(), nc,
                                                                                                         nv);
        const Eigen::VectorXd off = want - Eigen::Map<const Eigen::VectorXd>(error.data(), nc);
        const Eigen::VectorXd step = k.transpose() * (k * k.transpose()).ldlt().solve(off);
        for (Eigen::Index i = 0; i < nv; ++i) q[static_cast<std::size_t>(i)] += step[i];
    }
    std::vector<double> v(q.size(), 0.0);
    if (moving) {
        // 3 rad/s at the crank, and what the torn loop's own rows make of the rest: K v = 0.
        v[0] = 3;
        v = linkage.closure.project(q, v, linkage.param);
    }

    Simulation run(linkage.model, compiled(*linkage.model), Integrator::verlet, 1e-4);
    State state = run.state();
    state.q = q;
    state.v = v;
    run.setState(state, run.ledger());
    const std::vector<double> e0 = linkage.closure.error(q, linkage.param);
    for (Eigen::Index i = 0; i < nc; ++i) REQUIRE(std::abs(e0[static_cast<std::size_t>(i)] - want[i]) < 1e-12);
    const double T = 0.1;
    double worst = 0;
    while (run.state().t < 5 * T) {
        REQUIRE_FALSE(run.step());
        const std::vector<double> error = linkage.closure.error(run.state().q, linkage.param);
        const double left = (1 + run.state().t / T) * std::exp(-run.state().t / T);
        for (std::size_t i = 0; i < error.size(); ++i) worst = std::max(worst, std::abs(error[i] - left * e0[i]));
    }
    CHECK(worst < 1e-2 * 1e-3);
}
