// The solver against closed forms: single rows, friction discs, wedges, shared Jacobians, prescribed velocities.
#include "tests/engine/solve/support.h"

using namespace mw;
using test::addRow;
using test::Problem;
using test::rowOf;

namespace {

Problem masses(const std::vector<double>& m, const std::vector<double>& v) {
    Problem problem;
    problem.M_inverse = Eigen::VectorXd::Map(m.data(), static_cast<Eigen::Index>(m.size())).cwiseInverse().asDiagonal();
    problem.v_free = v;
    return problem;
}

struct Solution {
    SolveReport report;
    std::vector<double> v, p;
};
Solution solve(const Problem& problem, std::span<PrescribedVelocity> prescribed = {}, SolveOptions options = {}) {
    Solution s;
    s.v = problem.v_free;
    s.p.assign(problem.rows.rows.size(), 0.0);
    options.iterations = std::max(options.iterations, 200);
    options.tolerance = 1e-13;
    RowSolver solver;
    s.report = solver.solve(problem.rows, problem.inverse(), s.v, s.p, prescribed, options, true);
    return s;
}

}  // namespace

TEST_CASE("one row meets its equation, or stops at its range", "[solve]") {
    Problem problem = masses({2}, {3});
    SECTION("free: u+ = target - softness p") {
        Row row = rowOf(1);
        row.softness = 0.5;
        addRow(problem, row, {{0, 1}});
        const Solution s = solve(problem);
        CHECK(s.p[0] == Approx(-2));  // (1 - 3) / (1/2 + 1/2)
        CHECK(s.v[0] == Approx(2));
        CHECK(s.report.status == SolveStatus::converged);
    }
    SECTION("cut") {
        addRow(problem, rowOf(0, -1, 1), {{0, 1}});
        const Solution s = solve(problem);
        CHECK(s.p[0] == -1);
        CHECK(s.v[0] == Approx(2.5));
    }
    SECTION("one-sided rows that are not needed do nothing") {
        addRow(problem, rowOf(0, 0), {{0, 1}});
        const Solution s = solve(problem);
        CHECK(s.p[0] == 0);
        CHECK(s.v[0] == 3);
    }
    SECTION("equal bounds are taken at once, whatever the response") {
        addRow(problem, rowOf(0, 4, 4), {{0, 1}});
        addRow(problem, rowOf(0, 7, 7), {});
        const Solution s = solve(problem);
        CHECK(s.p[0] == 4);
        CHECK(s.p[1] == 7);
        CHECK(s.v[0] == Approx(5));
    }
}

TEST_CASE("rows without response move nothing and say so", "[solve]") {
    Problem problem = masses({1}, {0});
    addRow(problem, rowOf(1), {});
    SolveOptions options;
    const Solution s = solve(problem, {}, options);
    CHECK(s.report.status == SolveStatus::no_freedom);
    CHECK(s.report.stuck == 1);
    CHECK(s.p[0] == 0);
    CHECK(std::string(solveStatusName(s.report.status)) == "no degrees of freedom");
    Problem empty = masses({1}, {5});
    CHECK(solve(empty).report.status == SolveStatus::no_rows);
}

TEST_CASE("friction: stick inside the disc, else the slip is against it and on its rim", "[solve]") {
    // A point pressed down with 3 N s; tangential mass differs by direction and couples both.
    Problem problem;
    problem.M_inverse = Eigen::MatrixXd::Zero(3, 3);
    problem.M_inverse << 1, 0, 0, 0, 2, 0.7, 0, 0.7, 0.8;
    const double mu = 0.5;
    addRow(problem, rowOf(0, 0), {{0, 1}});
    Row tangent = rowOf();
    tangent.by = 0, tangent.by_count = 1, tangent.mu = mu, tangent.disc = 2;
    addRow(problem, tangent, {{1, 1}});
    tangent.disc = 0;
    addRow(problem, tangent, {{2, 1}});
    SECTION("stick") {
        problem.v_free = {-3, 0.5, -0.2};
        const Solution s = solve(problem);
        CHECK(s.p[0] == Approx(3));
        CHECK(std::hypot(s.p[1], s.p[2]) < mu * 3);
        CHECK(std::hypot(s.v[1], s.v[2]) < 1e-12);
    }
    SECTION("slip") {
        problem.v_free = {-3, 9, -7};
        const Solution s = solve(problem);
        CHECK(std::hypot(s.p[1], s.p[2]) == Approx(mu * 3).epsilon(1e-12));
        CHECK(s.p[1] * s.v[2] - s.p[2] * s.v[1] == Approx(0).margin(1e-10));
        CHECK(s.p[1] * s.v[1] + s.p[2] * s.v[2] < 0);
        CHECK(test::naturalMap(problem, s.p) < 1e-12);
    }
    SECTION("a box is up to sqrt(2) too strong") {
        problem.M_inverse = Eigen::MatrixXd::Identity(3, 3);
        problem.v_free = {-3, 9, 9};
        SolveOptions options;
        options.box = true;
        const Solution s = solve(problem, {}, options);
        CHECK(std::hypot(s.p[1], s.p[2]) == Approx(std::sqrt(2.0) * mu * 3).epsilon(1e-12));
    }
    SECTION("no load, no friction") {
        problem.v_free = {1, 9, -7};
        const Solution s = solve(problem);
        CHECK(s.p == std::vector<double>{0, 0, 0});
        CHECK(s.v == problem.v_free);
    }
}

TEST_CASE("a wedge of ropes: the ratio of tensions stays within its bounds", "[solve]") {
    // A rope over a fixed rough drum between two masses: speeds v0 (before), v1 (behind), lengths grow with both.
    const double e = std::exp(0.6), g = 9.81, h = 1e-3;
    const auto drum = [&](double m0, double m1) {
        Problem problem = masses({m0, m1}, {h * g, h * g});
        addRow(problem, rowOf(0, -std::numeric_limits<double>::infinity(), 0), {{0, 1}, {1, 1}});
        Row flow = rowOf();
        flow.kind = RowKind::flow;
        flow.by = 0, flow.by_count = 1, flow.lower_by = e - 1, flow.upper_by = 1 / e - 1;
        addRow(problem, flow, {{0, 1}});
        return problem;
    };
    SECTION("holds below the ratio") {
        const Solution s = solve(drum(1.7, 1));
        CHECK(std::abs(s.v[0]) < 1e-12);
        CHECK(std::abs(s.v[1]) < 1e-12);
    }
    SECTION("slides above it, with the ratio exactly") {
        const Solution s = solve(drum(2.5, 1));
        // m0 a = m0 g - T0, m1 a = T1 - m1 g, T0 = e T1: a = g (m0 - e m1) / (m0 + e m1)
        CHECK(s.v[0] / h == Approx(g * (2.5 - e) / (2.5 + e)).epsilon(1e-9));
        CHECK(s.v[1] == Approx(-s.v[0]).epsilon(1e-9));
    }
    SECTION("slides the other way") {
        const Solution s = solve(drum(1, 2.5));
        CHECK(s.v[1] / h == Approx(g * (2.5 - e) / (2.5 + e)).epsilon(1e-9));
    }
}

TEST_CASE("prescribed velocities are met exactly and their impulse is what infinite mass would give", "[solve]") {
    std::mt19937 draw(7);
    std::uniform_real_distribution<double> unit(-1, 1);
    const int n = 6;
    Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return unit(draw); });
    const Eigen::MatrixXd M = A * A.transpose() + Eigen::MatrixXd::Identity(n, n);
    Problem problem;
    problem.M_inverse = M.inverse();
    for (int i = 0; i < n; ++i) problem.v_free.push_back(unit(draw));
    for (int k = 0; k < 3; ++k) {
        std::vector<std::pair<int, double>> j;
        for (int i = 0; i < n; ++i) j.emplace_back(i, unit(draw));
        addRow(problem, k == 0 ? rowOf(0.3) : rowOf(0.1, 0), j);
    }
    std::vector<PrescribedVelocity> prescribed{{1, 0.7, 0}, {4, -0.2, 0}, {3, 0, 0}};
    const Solution s = solve(problem, prescribed);
    CHECK(s.report.status == SolveStatus::converged);
    for (const PrescribedVelocity& one : prescribed) CHECK(s.v[static_cast<std::size_t>(one.slot)] == one.value);
    // M (v+ - v_free) = J^T p + reactions: the whole balance.
    const Eigen::VectorXd moved =
        Eigen::Map<const Eigen::VectorXd>(s.v.data(), n) - Eigen::Map<const Eigen::VectorXd>(problem.v_free.data(), n);
    Eigen::VectorXd balance = M * moved - problem.J().transpose() * Eigen::Map<const Eigen::VectorXd>(s.p.data(), 3);
    for (const PrescribedVelocity& one : prescribed) balance(one.slot) -= one.impulse;
    CHECK(balance.cwiseAbs().maxCoeff() < 1e-12);
    // Rows meet their equations with the prescribed velocities in.
    const Eigen::VectorXd u = problem.J() * Eigen::Map<const Eigen::VectorXd>(s.v.data(), n);
    CHECK(u(0) == Approx(0.3).margin(1e-11));
    for (int k = 1; k < 3; ++k)
        CHECK((s.p[static_cast<std::size_t>(k)] > 0 ? std::abs(u(k) - 0.1) < 1e-11 : u(k) >= 0.1 - 1e-11));
}

TEST_CASE("two prescribed velocities that hang on each other: the first is held, the other counted", "[solve]") {
    // M^-1 of two velocities tied to be equal: response of rank one.
    Problem problem;
    problem.M_inverse = Eigen::MatrixXd::Constant(2, 2, 0.25);
    problem.v_free = {1, 1};
    std::vector<PrescribedVelocity> prescribed{{0, 2, 0}, {1, 2, 0}};
    CHECK(solve(problem, prescribed).report.stuck == 0);
    prescribed[1].value = 3;
    const Solution s = solve(problem, prescribed);
    CHECK(s.report.stuck == 1);
    CHECK(s.v[0] == 2);
    CHECK(s.v[1] == Approx(2));
    CHECK(prescribed[0].impulse == Approx(4));
}

TEST_CASE("acceleration changes how soon, not what", "[solve]") {
    std::mt19937 draw(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int trial = 0; trial < 20; ++trial) {
        const int n = 12;
        Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return unit(draw); });
        Problem problem;
        problem.M_inverse = A * A.transpose() + 0.2 * Eigen::MatrixXd::Identity(n, n);
        for (int i = 0; i < n; ++i) problem.v_free.push_back(unit(draw));
        for (int k = 0; k < 9; ++k) {
            std::vector<std::pair<int, double>> j;
            for (int i = 0; i < n; ++i) j.emplace_back(i, unit(draw));
            Row row = rowOf(0.2 * unit(draw), k % 3 == 0 ? -0.05 : 0,
                            k % 3 == 0 ? 0.05 : std::numeric_limits<double>::infinity());
            addRow(problem, row, j);
        }
        SolveOptions plain;
        plain.accelerate = false, plain.iterations = 100000;
        const Solution slow = solve(problem, {}, plain), fast = solve(problem);
        REQUIRE(slow.report.status == SolveStatus::converged);
        REQUIRE(fast.report.status == SolveStatus::converged);
        CHECK(fast.report.sweeps <= slow.report.sweeps);
        for (int i = 0; i < n; ++i)
            CHECK(fast.v[static_cast<std::size_t>(i)] == Approx(slow.v[static_cast<std::size_t>(i)]).margin(1e-9));
    }
}
