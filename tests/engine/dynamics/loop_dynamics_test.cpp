// Accelerations and multipliers of closed mechanisms: the two routes against each other and against the equations they
// solve; dependent rows; the rules of the kernel's interface.
#include "engine/dynamics/drift.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"
#include "tests/support/random_loops.h"

using namespace mw;
using namespace mw::test;

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> matrix(const Numbers& x, int rows, int columns) { return {x.data(), rows, columns}; }
Eigen::Map<const Eigen::VectorXd> vector(const Numbers& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
Numbers numbers(const Eigen::VectorXd& x) { return Numbers(x.data(), x.data() + x.size()); }

TreeOptions treeOf(int seed) {
    TreeOptions options;
    options.bodies = 3 + seed % 6;
    options.chain = seed % 4 == 0;
    options.live = seed % 3 == 0;
    options.elements = seed % 2 == 0;
    options.dissipation = seed % 5 < 2;
    return options;
}

Numbers randomNumbers(Random& random, int n, double size) {
    Numbers x(n);
    for (double& e : x) e = random.between(-size, size);
    return x;
}

}  // namespace

TEST_CASE("closed mechanisms: both routes agree and solve the equations of motion", "[dynamics][loops]") {
    int sound = 0;
    for (int seed = 1; seed <= 300; seed++) {
        const LoopedTree made = randomLooped(seed, treeOf(seed), 1 + seed % 3, seed % 2 ? 0.02 : 0);
        const Model& model = made.model;
        const Layout layout = layoutOf(model);
        const int nv = layout.nv, nc = layout.nc;
        Caller crba(makeReferenceKernel(model)), aba(makeReferenceKernel(model, ReferenceRoute::aba));
        const Numbers K = crba.loopJacobian(made.q, made.param);
        if (nc == 0 || independence(K, nc, nv) < 1e-2) continue;
        sound++;
        Random random(seed);
        const Numbers tau = randomNumbers(random, nv, 10), fext = randomNumbers(random, 6 * layout.nbody, 10);
        const Numbers act = randomNumbers(random, layout.nact, 10);
        const Numbers a = crba.fwdDyn(made.q, made.v, tau, fext, act, made.param);
        const Numbers lambda = crba.lambda(made.q, made.v, tau, fext, act, made.param);
        CAPTURE(seed, nc, nv);
        CHECK(crba->nc == nc);
        CHECK(crba->nloop == static_cast<int>(model.loops.size()));
        CHECK(scaledError(a, aba.fwdDyn(made.q, made.v, tau, fext, act, made.param)) < 1e-9);
        CHECK(scaledError(lambda, aba.lambda(made.q, made.v, tau, fext, act, made.param)) < 1e-9);
        CHECK(scaledError(K, aba.loopJacobian(made.q, made.param)) < 1e-13);

        // M (vdot - free) = K^T lambda, with the free accelerations of the same mechanism without its loops.
        Model open = model;
        open.loops.clear();
        Caller tree(makeReferenceKernel(open));
        const Numbers free = tree.fwdDyn(made.q, made.v, tau, fext, act, made.param);
        const Numbers M = crba.massMatrix(made.q, made.param);
        const Eigen::VectorXd left = matrix(M, nv, nv) * (vector(a) - vector(free));
        const Eigen::VectorXd right = matrix(K, nc, nv).transpose() * vector(lambda);
        CHECK(scaledError(numbers(left), numbers(right)) < 1e-9);

        // The projected inverse: K x = 0 and M x - b in the span of K's rows, by the formula written out.
        const Numbers b = randomNumbers(random, 2 * nv, 5);
        crba.factor(made.q, made.param);
        aba.factor(made.q, made.param);
        const Numbers x = crba.applyInverseMass(b);
        CHECK(scaledError(x, aba.applyInverseMass(b)) < 1e-9);
        const Eigen::MatrixXd Mi = Eigen::MatrixXd(matrix(M, nv, nv)).inverse(), Km = matrix(K, nc, nv);
        const Eigen::MatrixXd A = Km * Mi * Km.transpose();
        const Eigen::MatrixXd rhs = Eigen::Map<const Eigen::MatrixXd>(b.data(), nv, 2);
        const Eigen::MatrixXd expected =
            Mi * (rhs - Km.transpose() * A.fullPivLu().solve(Eigen::MatrixXd(Km * Mi * rhs)));
        CHECK(scaledError(x, Numbers(expected.data(), expected.data() + expected.size())) < 1e-8);
        CHECK((Km * Eigen::Map<const Eigen::MatrixXd>(x.data(), nv, 2)).cwiseAbs().maxCoeff() <
              1e-10 * (1 + vector(x).cwiseAbs().maxCoeff()));
    }
    CHECK(sound > 150);
}

TEST_CASE("accelerations keep closed loops closed", "[dynamics][loops]") {
    // With K v = 0 and no stabilisation the errors' second derivative is zero: along q(t) with v(t) = v + vdot t they
    // stay of third order. `stab` changes nothing at such a state.
    int sound = 0;
    for (int seed = 1; seed <= 60; seed++) {
        LoopedTree made = randomLooped(seed, treeOf(seed), 2, 0);
        const Layout layout = layoutOf(made.model);
        const int nv = layout.nv, nc = layout.nc;
        made.model.stab = 0;
        Caller kernel(makeReferenceKernel(made.model));
        const Numbers K = kernel.loopJacobian(made.q, made.param);
        if (nc == 0 || independence(K, nc, nv) < 0.05) continue;
        sound++;
        const Eigen::MatrixXd Km = matrix(K, nc, nv);
        Eigen::VectorXd v = vector(made.v);
        for (int pass = 0; pass < 2; pass++)
            v -= Km.transpose() * (Km * Km.transpose()).llt().solve(Eigen::VectorXd(Km * v));
        const Numbers vdot = kernel.fwdDyn(made.q, numbers(v), {}, {}, {}, made.param);
        const auto worst = [&](double h) {
            // Position to second order: half a step with v, half with the velocity at its end.
            Numbers q = made.q;
            drift(made.model, layout, q, numbers(v + 0.5 * h * vector(vdot)), h);
            double e = 0;
            const std::vector<Placement> pose = bodyPlacements(made.model, q, made.param);
            for (const Loop& loop : made.model.loops)
                for (const double x : loopError(loop, pose, made.param)) e = std::max(e, std::abs(x));
            return e;
        };
        CAPTURE(seed);
        const double scale = 1 + vector(vdot).cwiseAbs().maxCoeff();
        CHECK(worst(0) < 1e-13);
        CHECK(worst(1e-4) < 1e-10 * scale * scale);
        Model stabilised = made.model;
        stabilised.stab = 0.1;
        CHECK(scaledError(Caller(makeReferenceKernel(stabilised)).fwdDyn(made.q, numbers(v), {}, {}, {}, made.param),
                          vdot) < 1e-9);
    }
    CHECK(sound > 20);
}

TEST_CASE("errors decay as (1 + t/T) exp(-t/T)", "[dynamics][loops]") {
    // A free ball held by a spherical loop 0.2 m off, without gravity: its motion is the error's.
    Model model;
    model.gravity = {Number(0), Number(0), Number(0)};
    model.stab = 0.25;
    addBody(model, "ball", kBase, joint(JointType::floating), {0, 0, 0}, 1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    Loop loop;
    loop.type = LoopType::spherical;
    loop.from.body = kBase;
    loop.to.body = 0;
    model.loops.push_back(loop);
    for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
        Caller kernel(makeReferenceKernel(model, route));
        const double x = 0.2, u = -0.7;
        const Numbers vdot = kernel.fwdDyn({1, 0, 0, 0, x, 0, 0}, {0, 0, 0, u, 0, 0});
        CHECK(vdot[3] == Approx(-2 / 0.25 * u - x / (0.25 * 0.25)).epsilon(1e-13));
    }
}

TEST_CASE("dependent rows give NaN, never a plausible number", "[dynamics][loops]") {
    // A planar four-bar closed by a revolute loop: 5 rows of rank 2.
    Model planar;
    const Joint pin = joint(JointType::revolute, kY);
    addBody(planar, "crank", kBase, pin, {0, 0, 0}, 1, {0.1, 0, 0}, {0.01, 0.01, 0.01, 0, 0, 0});
    addBody(planar, "coupler", 0, pin, {0.2, 0, 0}, 1, {0.2, 0, 0}, {0.01, 0.02, 0.02, 0, 0, 0});
    addBody(planar, "rocker", kBase, pin, {0.4, 0, 0}, 1, {0.1, 0, 0}, {0.01, 0.01, 0.01, 0, 0, 0});
    Random random(3);
    addRandomLoop(planar, random, LoopType::revolute, 1, 2, {-0.8, 0.3, -1.2}, {});
    planar.loops[0].from.rot = {};
    planar.loops[0].axis = {0, 1, 0};
    // The same loop twice, on a chain with freedoms to spare.
    Model twice;
    for (int i = 0; i < 6; i++)
        addBody(twice, "b" + std::to_string(i), i - 1, joint(JointType::revolute, randomDirection(random)),
                {0.3, 0.1, -0.2}, 1, {0.1, 0.05, 0}, {0.02, 0.02, 0.02, 0, 0, 0});
    const Numbers pose{0.3, -0.4, 0.5, 0.2, -0.6, 0.1};
    addRandomLoop(twice, random, LoopType::point_on_line, kBase, 5, pose, {});
    twice.loops.push_back(twice.loops[0]);
    // More rows than freedoms.
    Model many = twice;
    many.loops.clear();
    addRandomLoop(many, random, LoopType::revolute, kBase, 5, pose, {});
    addRandomLoop(many, random, LoopType::cylindrical, kBase, 4, pose, {});
    // A loop that no joint moves: both ends on the same body.
    Model idle = twice;
    idle.loops.clear();
    addRandomLoop(idle, random, LoopType::spherical, 3, 3, pose, {});
    for (const Model* model : {&planar, &twice, &many, &idle})
        for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
            const Layout layout = layoutOf(*model);
            Caller kernel(makeReferenceKernel(*model, route));
            const Numbers q(pose.begin(), pose.begin() + layout.nq), v(layout.nv, 0.3);
            for (const double x : kernel.fwdDyn(q, v)) CHECK(std::isnan(x));
            for (const double x : kernel.lambda(q, v)) CHECK(std::isnan(x));
            kernel.factor(q);
            for (const double x : kernel.applyInverseMass(Numbers(layout.nv, 1.0))) CHECK(std::isnan(x));
        }
}

TEST_CASE("live parameters in a loop give what the same numbers written down give", "[dynamics][loops]") {
    int loops = 0;
    for (int seed = 1; seed <= 24; seed++) {
        TreeOptions options = treeOf(3 * seed);
        options.bodies = 6;
        const LoopedTree made = randomLooped(seed, options, 2, 0.01);
        Model written = made.model;
        const Numbers& param = made.param;
        for (Loop& loop : written.loops) {
            for (LoopFrame* f : {&loop.from, &loop.to})
                for (int k = 0; k < 3; k++) {
                    f->at[k] = f->at[k].at(param);
                    f->rot[k] = f->rot[k].at(param);
                }
            loop.length = loop.length.at(param);
        }
        const Layout layout = layoutOf(written);
        if (independence(Caller(makeReferenceKernel(written)).loopJacobian(made.q, param), layout.nc, layout.nv) < 1e-3)
            continue;
        loops += static_cast<int>(written.loops.size());
        for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
            Caller a(makeReferenceKernel(made.model, route)), b(makeReferenceKernel(written, route));
            CHECK(a.loopJacobian(made.q, param) == b.loopJacobian(made.q, param));
            CHECK(a.fwdDyn(made.q, made.v, {}, {}, {}, param) == b.fwdDyn(made.q, made.v, {}, {}, {}, param));
            CHECK(a.lambda(made.q, made.v, {}, {}, {}, param) == b.lambda(made.q, made.v, {}, {}, {}, param));
        }
    }
    CHECK(loops > 10);
}

TEST_CASE("a loop's name finds its first row", "[dynamics][loops]") {
    const LoopedTree made = randomLooped(8, treeOf(8), 3, 0);
    const Layout layout = layoutOf(made.model);
    Caller kernel(makeReferenceKernel(made.model));
    REQUIRE(made.model.loops.size() > 1);
    for (std::size_t l = 0; l < made.model.loops.size(); l++)
        CHECK(kernel->find(kernel.kernel().c, "loop", made.model.loops[l].name.c_str()) == layout.row_of_loop[l]);
    CHECK(kernel->find(kernel.kernel().c, "loop", "nothing") == -1);
}

TEST_CASE("neither route takes dependent rows for independent ones", "[dynamics][loops]") {
    // Random mechanisms among which many have loops that cannot all be independent: singular values of K at rounding.
    int dependent = 0;
    for (int seed = 1; seed <= 1500; seed++) {
        TreeOptions options;
        options.bodies = 3 + seed % 8;
        options.chain = seed % 4 == 0;
        const LoopedTree made = randomLooped(seed, options, 2 + seed % 3, 0.01);
        const Layout layout = layoutOf(made.model);
        Caller crba(makeReferenceKernel(made.model)), aba(makeReferenceKernel(made.model, ReferenceRoute::aba));
        if (independence(crba.loopJacobian(made.q), layout.nc, layout.nv) > 1e-12) continue;
        dependent++;
        CAPTURE(seed, layout.nc, layout.nv);
        CHECK(std::isnan(crba.fwdDyn(made.q, made.v)[0]));
        CHECK(std::isnan(aba.fwdDyn(made.q, made.v)[0]));
    }
    CHECK(dependent > 50);
}
