// Random heaps of rows: bodies in space that lean on each other and on the ground by one or four points, ropes between
// them, drives and dry friction, mass ratio up to ten. How many converge within 200 sweeps, and what holds for all.
#include "tests/engine/solve/support.h"

using namespace mw;
using test::addRow;
using test::Problem;
using test::rowOf;

namespace {

using Vector3 = Eigen::Vector3d;

class Heap {
public:
    explicit Heap(unsigned seed) : draw_(seed) {
        const int bodies = 2 + static_cast<int>(draw_() % 24);
        const double radius = 0.1, h = 1e-3;
        problem_.M_inverse = Eigen::MatrixXd::Zero(6 * bodies, 6 * bodies);
        const double side = 0.19 * std::cbrt(static_cast<double>(bodies));
        for (int b = 0; b < bodies; ++b) {
            const double mass = std::pow(10.0, uniform(0, 1)), inertia = 0.4 * mass * radius * radius;
            for (int k = 0; k < 6; ++k) problem_.M_inverse(6 * b + k, 6 * b + k) = 1 / (k < 3 ? inertia : mass);
            mass_.push_back(mass);
            centre_.emplace_back(uniform(0, side), uniform(0, side), radius + uniform(0, side));
            // angular, then linear velocity of the centre: gravity's step and a little unrest
            for (int k = 0; k < 6; ++k)
                problem_.v_free.push_back(uniform(-1, 1) * (k < 3 ? 1 : 0.1) - (k == 5 ? 9.81 * h : 0));
        }
        for (int b = 0; b < bodies && room(); ++b)
            if (centre_[index(b)].z() < 1.6 * radius) touch(-1, b, Vector3(0, 0, 1), h);
        for (int a = 0; a < bodies; ++a)
            for (int b = a + 1; b < bodies && room(); ++b) {
                const Vector3 apart = centre_[index(b)] - centre_[index(a)];
                if (apart.norm() > 1.9 * radius || apart.norm() < 0.3 * radius) continue;
                touch(a, b, apart.normalized(), h);
            }
        for (int k = 0; k < 6 && room(); ++k) rope(h);
    }
    const Problem& problem() const { return problem_; }
    double mass(int body) const { return mass_[index(body)]; }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    double uniform(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(draw_()) / 4294967295.0; }
    Vector3 direction() { return Vector3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized(); }
    bool room() const { return problem_.rows.size() <= 188; }

    void addPoint(std::vector<std::pair<int, double>>& j, int body, double sign, const Vector3& d, const Vector3& at) {
        if (body < 0) return;
        const Vector3 moment = (at - centre_[index(body)]).cross(d);
        for (int k = 0; k < 3; ++k) j.emplace_back(6 * body + k, sign * moment(k));
        for (int k = 0; k < 3; ++k) j.emplace_back(6 * body + 3 + k, sign * d(k));
    }
    // A contact of B on A by one point, or as a face by four of one plane.
    void touch(int a, int b, const Vector3& n, double h) {
        const Vector3 t1 = n.unitOrthogonal(), t2 = n.cross(t1);
        const Vector3 middle = a < 0 ? Vector3(centre_[index(b)].x(), centre_[index(b)].y(), 0)
                                     : Vector3(0.5 * (centre_[index(a)] + centre_[index(b)]));
        const double mu = uniform(0, 1), spread = draw_() % 2 == 0 ? 0 : 0.05, target = uniform(-0.02, 0.01);
        for (int corner = 0; corner < (spread > 0 ? 4 : 1); ++corner) {
            const Vector3 at = middle + spread * ((corner & 1 ? 1 : -1) * t1 + (corner & 2 ? 1 : -1) * t2);
            for (const Vector3& d : {n, t1, t2}) {
                std::vector<std::pair<int, double>> j;
                addPoint(j, b, 1, d, at), addPoint(j, a, -1, d, at);
                Row row = d == n ? rowOf(target + (a < 0 ? 0 : 0 * h), 0) : rowOf();
                row.kind = d == n ? RowKind::normal : RowKind::tangent;
                if (d != n) row.by = problem_.rows.size() - (d == t1 ? 1 : 2), row.by_count = 1, row.mu = mu;
                if (d == t1) row.disc = 2;
                addRow(problem_, row, j);
            }
        }
    }
    // A rope from a body to the world or another: spring and damper, a drive with its range, dry friction, a limit.
    void rope(double h) {
        const int bodies = static_cast<int>(mass_.size());
        const int b = static_cast<int>(draw_() % index(bodies)), a = static_cast<int>(draw_() % index(bodies));
        const Vector3 d = direction();
        std::vector<std::pair<int, double>> j;
        addPoint(j, b, 1, d, centre_[index(b)] + 0.1 * direction());
        if (a != b) addPoint(j, a, -1, d, centre_[index(a)] + 0.1 * direction());
        Row spring = rowOf(uniform(-0.1, 0.1));
        spring.softness = 1 / (h * uniform(1, 100));
        addRow(problem_, spring, j);
        const double pull = h * uniform(0, 30);
        addRow(problem_, rowOf(uniform(-1, 0), -pull, 0), j);
        addRow(problem_, rowOf(0, -h * 2, h * 2), j);
        addRow(problem_, rowOf(uniform(0, 0.05), -std::numeric_limits<double>::infinity(), 0), j);
    }

    std::mt19937 draw_;
    Problem problem_;
    std::vector<double> mass_;
    std::vector<Vector3> centre_;
};

}  // namespace

TEST_CASE("random heaps of up to 200 rows converge within 200 sweeps, and hold together whether or not", "[solve]") {
    constexpr int kHeaps = 120;
    int converged = 0, largest = 0;
    for (unsigned seed = 1; seed <= kHeaps; ++seed) {
        const Heap heap(seed);
        const Problem& problem = heap.problem();
        largest = std::max(largest, problem.rows.size());
        std::vector<double> v = problem.v_free, p(problem.rows.rows.size(), 0.0);
        SolveOptions options;
        options.iterations = 200, options.tolerance = 1e-8;
        RowSolver solver;
        const SolveReport report = solver.solve(problem.rows, problem.inverse(), v, p, {}, options);
        INFO("heap " << seed << ", " << problem.rows.size() << " rows");
        REQUIRE(report.sweeps <= 200);
        if (report.status == SolveStatus::converged) ++converged;
        else CHECK(report.status == SolveStatus::budget_spent);
        // What is reported is what there is, by a second computation.
        const double map = test::naturalMap(problem, p);
        CHECK(map == Approx(report.residual).epsilon(1e-6).margin(1e-12));
        if (report.status == SolveStatus::converged) CHECK(map <= 1.001e-8);
        // Momentum closes to rounding: v+ is what the impulses make of v_free.
        const Eigen::VectorXd moved = problem.M_inverse * problem.J().transpose() *
                                      Eigen::Map<const Eigen::VectorXd>(p.data(), problem.rows.size());
        for (std::size_t i = 0; i < v.size(); ++i)
            CHECK(v[i] - problem.v_free[i] == Approx(moved(static_cast<Eigen::Index>(i))).margin(1e-11));
        // Ranges and discs hold, at the reported residual and better.
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Row& row = problem.rows.rows[i];
            CHECK(p[i] >= row.lower - 1e-15);
            CHECK(p[i] <= row.upper + 1e-15);
            if (row.disc != 2) continue;
            const double radius = row.mu * p[static_cast<std::size_t>(row.by)];
            CHECK(std::hypot(p[i], p[i + 1]) <= radius + std::max(report.residual, 1e-14));
        }
    }
    CHECK(largest > 150);
    CHECK(converged >= 0.95 * kHeaps);
    WARN(converged << " of " << kHeaps << " converged, at most " << largest << " rows");
}
