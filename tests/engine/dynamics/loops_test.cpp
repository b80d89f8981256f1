// Rows of loops against finite differences of poses, and the two derivations against each other: every loop type on
// chains of every joint type, with frames turned on both sides, to the base and between branches, closed and torn.
#include "engine/dynamics/loops.h"

#include <map>
#include <set>

#include "engine/dynamics/drift.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"
#include "tests/support/random_loops.h"

using namespace mw;
using namespace mw::test;

namespace {

/// Both derivations at a state.
struct RowsAt {
    Numbers K, gamma, rate, error, length;
};

RowsAt rowsAt(const Model& model, const Numbers& q, const Numbers& v, const Numbers& param, bool by_bodies) {
    const Topology topology(model);
    const LoopSet loops(topology);
    const int nv = topology.layout().nv, nc = loops.nc();
    std::vector<BodyNumbers> numbers;
    std::vector<LoopNumbers> loop_numbers;
    for (std::size_t i = 0; i < model.bodies.size(); i++) numbers.push_back(topology.numbersOf(i, param));
    for (std::size_t i = 0; i < model.loops.size(); i++) loop_numbers.push_back(loops.numbersOf(model, i, param));
    std::vector<BodyKinematics> bodies(model.bodies.size());
    updateKinematics(topology, numbers.data(), q.data(), v.data(), bodies.data());
    RowsAt r{Numbers(nc * nv, 9.0), Numbers(nc, 9.0), Numbers(nc, 9.0), Numbers(nc, 9.0), Numbers(nc, 9.0)};
    const LoopRows out{r.K.data(), r.gamma.data(), r.rate.data(), r.error.data(), r.length.data()};
    std::vector<Vector6> scratch(bodies.size());
    if (by_bodies) loopRowsByBodies(topology, loops, loop_numbers.data(), bodies.data(), scratch.data(), out);
    else loopRows(topology, loops, loop_numbers.data(), bodies.data(), out);
    return r;
}

Numbers times(const Numbers& K, const Numbers& v) {
    Numbers out(v.empty() ? 0 : K.size() / v.size(), 0.0);
    for (std::size_t i = 0; i < out.size(); i++)
        for (std::size_t j = 0; j < v.size(); j++) out[i] += K[i * v.size() + j] * v[j];
    return out;
}

Numbers drifted(const Model& model, const Layout& layout, Numbers q, const Numbers& v, double h) {
    drift(model, layout, q, v, h);
    return q;
}

/// (f(h) - f(-h)) / 2h with the step halved once and extrapolated: fourth order.
template <class F>
Numbers derivative(const F& f, double h) {
    const Numbers a = f(h), b = f(-h), c = f(h / 2), d = f(-h / 2);
    Numbers out(a.size());
    for (std::size_t i = 0; i < out.size(); i++) out[i] = (8 * (c[i] - d[i]) - (a[i] - b[i])) / (6 * h);
    return out;
}

TreeOptions treeOf(int seed) {
    TreeOptions options;
    options.bodies = 3 + seed % 6;
    options.chain = seed % 4 == 0;
    options.live = seed % 3 == 0;
    return options;
}

/// Errors in the inside form, from plain placements.
Numbers errors(const Model& model, const Numbers& q, const Numbers& param) {
    const std::vector<Placement> pose = bodyPlacements(model, q, param);
    Numbers out;
    for (const Loop& loop : model.loops) {
        Numbers e = loopError(loop, pose, param);
        if (loop.type == LoopType::distance) {
            const double L = loop.length.at(param), rho = e[0] + L;
            e[0] = (rho * rho - L * L) / 2;
        }
        out.insert(out.end(), e.begin(), e.end());
    }
    return out;
}

}  // namespace

TEST_CASE("the two derivations of loop rows agree, closed and torn", "[dynamics][loops]") {
    std::map<LoopType, std::set<JointType>> seen;
    for (int seed = 1; seed <= 240; seed++) {
        const LoopedTree made = randomLooped(seed, treeOf(seed), 3, seed % 2 ? 0.3 : 0);
        const Model& model = made.model;
        for (const Loop& loop : model.loops)
            for (int body : {loop.from.body, loop.to.body})
                for (; body != kBase; body = model.bodies[body].parent)
                    seen[loop.type].insert(model.bodies[body].joint.type);
        const RowsAt a = rowsAt(model, made.q, made.v, made.param, false);
        const RowsAt b = rowsAt(model, made.q, made.v, made.param, true);
        CAPTURE(seed);
        CHECK(scaledError(a.K, b.K) < 1e-13);
        CHECK(scaledError(a.gamma, b.gamma) < 1e-12);
        CHECK(scaledError(a.rate, b.rate) < 1e-12);
        CHECK(a.error == b.error);
        CHECK(a.length == b.length);
        CHECK(scaledError(times(a.K, made.v), a.rate) < 1e-12);
        CHECK(scaledError(errors(model, made.q, made.param), a.error) < 1e-12);
    }
    REQUIRE(seen.size() == 6);
    for (const auto& [type, joints] : seen) {
        CAPTURE(loopTypeName(type));
        CHECK(joints.size() == 9);
    }
}

TEST_CASE("K v is how errors change along a motion", "[dynamics][loops]") {
    for (int seed = 1; seed <= 150; seed++) {
        const double tear = seed % 2 ? 0.25 : 0;
        const LoopedTree made = randomLooped(seed, treeOf(seed), 2, tear);
        const Model& model = made.model;
        const Layout layout = layoutOf(model);
        const Numbers rates = derivative(
            [&](double h) { return errors(model, drifted(model, layout, made.q, made.v, h), made.param); }, 2e-3);
        const RowsAt at = rowsAt(model, made.q, made.v, made.param, seed % 3 == 0);
        for (std::size_t l = 0, row = 0; l < model.loops.size(); l++)
            for (const LoopRow& r : rowsOf(model.loops[l])) {
                CAPTURE(seed, loopTypeName(model.loops[l].type), row);
                // A rotation vector changes with the relative angular velocity where it is zero.
                if (tear == 0 || r.kind != LoopRow::Kind::turn)
                    CHECK(at.rate[row] == Approx(rates[row]).margin(1e-7 * (1 + std::abs(rates[row]))));
                row++;
            }
    }
}

TEST_CASE("turn rows give the relative angular velocity, however torn", "[dynamics][loops]") {
    for (int seed = 1; seed <= 60; seed++) {
        Model model = randomTree(seed, treeOf(seed));
        const Layout layout = layoutOf(model);
        const Numbers param = model.liveValues();
        Random random(seed);
        Numbers q, v;
        randomState(model, layout, random, q, v);
        const int n = layout.nbody;
        addRandomLoop(model, random, LoopType::prismatic, seed % n, (seed + 1) % n, q, param, {1.2, -1});
        const Loop& loop = model.loops[0];
        const RowsAt at = rowsAt(model, q, v, param, seed % 2 == 0);
        // R_p^T R_s' R_s^T R_p - R_p^T R_p' by differences of rotation matrices, entry by entry.
        const auto entries = [&](double h) {
            const std::vector<Placement> pose = bodyPlacements(model, drifted(model, layout, q, v, h), param);
            Numbers out;
            for (const LoopFrame& f : {loop.from, loop.to})
                for (const double x : framePlacement(f, pose, param).rotation) out.push_back(x);
            return out;
        };
        const Numbers now = entries(0), change = derivative(entries, 2e-3);
        const auto matrix = [](const Numbers& x, int first) {
            return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data() + first);
        };
        const Matrix3 W =
            matrix(change, 9) * matrix(now, 9).transpose() - matrix(change, 0) * matrix(now, 0).transpose();
        const Vector3 w = matrix(now, 0).transpose() * Vector3(W(2, 1), W(0, 2), W(1, 0));
        const std::vector<LoopRow> rows = rowsOf(loop);
        for (int r = 0; r < 3; r++) {
            CAPTURE(seed, r);
            CHECK(at.rate[r] == Approx(vectorOf(rows[r].direction).dot(w)).margin(1e-7 * (1 + w.norm())));
        }
    }
}

TEST_CASE("gamma is how K v changes while no velocity component does", "[dynamics][loops]") {
    for (int seed = 1; seed <= 150; seed++) {
        const LoopedTree made = randomLooped(seed, treeOf(seed), 2, seed % 2 ? 0.3 : 0);
        const Model& model = made.model;
        const Layout layout = layoutOf(model);
        const bool by_bodies = seed % 3 == 0;
        const Numbers change = derivative(
            [&](double h) {
                return times(rowsAt(model, drifted(model, layout, made.q, made.v, h), made.v, made.param, by_bodies).K,
                             made.v);
            },
            2e-3);
        Numbers gamma = rowsAt(model, made.q, made.v, made.param, by_bodies).gamma;
        for (double& x : gamma) x = -x;
        CAPTURE(seed);
        CHECK(scaledError(gamma, change) < 1e-6);
    }
}

TEST_CASE("errors without the heap are those of the model's convention", "[dynamics][loops]") {
    Random random(5);
    for (int trial = 0; trial < 300; trial++) {
        Model model;
        addBody(model, "free", kBase, joint(JointType::floating), {0, 0, 0}, 1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
        const double tear = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1e-9 : 3.0;
        Numbers q{1, 0, 0, 0, 0.1, 0.2, 0.3};
        for (const LoopType type : kLoopTypes) addRandomLoop(model, random, type, kBase, 0, q, {}, {tear, -1});
        CHECK(scaledError(errors(model, q, {}), rowsAt(model, q, Numbers(6, 0.0), {}, false).error) < 1e-14);
    }
}

TEST_CASE("a loop's wrench is its multipliers: power, and no work on motions it allows", "[dynamics][loops]") {
    for (int seed = 1; seed <= 80; seed++) {
        const LoopedTree made = randomLooped(seed, treeOf(seed), 3, seed % 2 ? 0.2 : 0);
        const Model& model = made.model;
        const Layout layout = layoutOf(model);
        Caller kernel(makeReferenceKernel(model));
        Random random(seed);
        Numbers lambda(layout.nc);
        for (double& x : lambda) x = random.between(-5, 5);
        Numbers X, V;
        kernel.kinematics(made.q, made.v, X, V, made.param);
        const std::vector<LoopReading> readings = loopReadings(model, layout, made.param, X, V, lambda);
        const Numbers K = kernel.loopJacobian(made.q, made.param), rate = times(K, made.v);
        double by_rows = 0, by_wrenches = 0;
        const RowsAt at = rowsAt(model, made.q, made.v, made.param, false);
        for (int i = 0; i < layout.nc; i++) by_rows += lambda[i] * rate[i];
        for (std::size_t l = 0; l < readings.size(); l++) {
            const LoopReading& r = readings[l];
            const Vector3 moment(r.wrench[0], r.wrench[1], r.wrench[2]), force(r.wrench[3], r.wrench[4], r.wrench[5]);
            // The opposite wrench acts on the predecessor, at the same point.
            const auto power = [&](int body) -> double {
                if (body == kBase) return 0;
                const Eigen::Map<const Vector3> w(&V[6 * body]), u(&V[6 * body + 3]), p(&X[12 * body + 9]);
                return moment.dot(w) + force.dot(u + w.cross(vectorOf(r.to_point) - p));
            };
            by_wrenches += power(model.loops[l].to.body) - power(model.loops[l].from.body);
            const std::vector<double> error =
                loopError(model.loops[l], bodyPlacements(model, made.q, made.param), made.param);
            CHECK(scaledError(r.error, error) < 1e-13);
            for (int i = 0; i < loopRows(model.loops[l].type); i++) {
                const int row = layout.row_of_loop[l] + i;
                CHECK(r.rate[i] == Approx(rate[row]).margin(1e-11));
                CHECK(r.rate[i] * at.length[row] == Approx(at.rate[row]).margin(1e-11));
                CHECK(r.lambda[i] == lambda[row]);
            }
        }
        CAPTURE(seed);
        CHECK(by_wrenches == Approx(by_rows).margin(1e-10));
    }
}
