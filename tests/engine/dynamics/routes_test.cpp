// The reference's algorithms against each other: composite bodies, articulated bodies, projection and unit
// accelerations, on random trees with every joint type; and the rules of the kernel's interface.
#include <set>
#include <stdexcept>

#include "engine/dynamics/inverse.h"
#include "engine/dynamics/mass_matrix.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

Numbers randomNumbers(Random& random, int n, double size) {
    Numbers x(n);
    for (double& e : x) e = random.between(-size, size);
    return x;
}

TreeOptions everything() {
    TreeOptions options;
    options.elements = options.dissipation = options.live = true;
    return options;
}

}  // namespace

TEST_CASE("the two routes agree on random trees of every joint type", "[dynamics]") {
    std::set<JointType> seen;
    for (int seed = 1; seed <= 150; seed++) {
        TreeOptions options = everything();
        options.bodies = 1 + seed % 8;
        options.chain = seed % 3 == 0;
        const Model model = randomTree(seed, options);
        for (const Body& b : model.bodies) seen.insert(b.joint.type);
        const Layout layout = layoutOf(model);
        Caller crba(makeReferenceKernel(model)), aba(makeReferenceKernel(model, ReferenceRoute::aba));
        Random random(seed + 1000);
        Numbers q, v;
        randomState(model, layout, random, q, v);
        const Numbers tau = randomNumbers(random, layout.nv, 10), fext = randomNumbers(random, 6 * layout.nbody, 10);
        const Numbers act = randomNumbers(random, layout.nact, 10);
        const Numbers param = {random.between(0.8, 2.5), random.between(0.2, 0.7)};
        CAPTURE(seed);
        CHECK(scaledError(crba.fwdDyn(q, v, tau, fext, act, param), aba.fwdDyn(q, v, tau, fext, act, param)) < 1e-9);
        CHECK(scaledError(crba.massMatrix(q, param), aba.massMatrix(q, param)) < 1e-12);
        CHECK(scaledError(crba.bias(q, v, param), aba.bias(q, v, param)) < 1e-12);

        // M^-1 M = 1, column by column, by both.
        Numbers unit(layout.nv * layout.nv, 0.0);
        for (int i = 0; i < layout.nv; i++) unit[i * layout.nv + i] = 1;
        const Numbers M = crba.massMatrix(q, param);
        crba.factor(q, param);
        aba.factor(q, param);
        CHECK(scaledError(crba.applyInverseMass(M), unit) < 1e-9);
        CHECK(scaledError(aba.applyInverseMass(M), unit) < 1e-9);
    }
    CHECK(seen.size() == 9);
}

TEST_CASE("columns of the mass matrix are inverse dynamics of unit accelerations", "[dynamics]") {
    for (int seed = 1; seed <= 40; seed++) {
        TreeOptions options;
        options.dissipation = true;
        options.bodies = 7;
        const Model model = randomTree(seed, options);
        const Topology topology(model);
        const Layout& layout = topology.layout();
        const std::vector<BodyNumbers>& numbers = topology.declaredNumbers();
        Random random(seed);
        Numbers q, v;
        randomState(model, layout, random, q, v);
        std::vector<BodyKinematics> bodies(model.bodies.size());
        updateKinematics(topology, numbers.data(), q.data(), nullptr, bodies.data());
        std::vector<InverseWork> work(bodies.size());
        std::vector<Matrix6> composite(bodies.size());
        Eigen::MatrixXd M(layout.nv, layout.nv), columns(layout.nv, layout.nv);
        massMatrix(topology, numbers.data(), bodies.data(), composite.data(), M);
        for (int j = 0; j < layout.nv; j++) {
            const Eigen::VectorXd unit = Eigen::VectorXd::Unit(layout.nv, j);
            inverseDynamics(topology, numbers.data(), bodies.data(), Vector3::Zero(), unit.data(), nullptr, work.data(),
                            columns.col(j).data());
        }
        CAPTURE(seed);
        CHECK((M - columns).cwiseAbs().maxCoeff() < 1e-11);
        CHECK((M - M.transpose()).cwiseAbs().maxCoeff() < 1e-14);
        CHECK(M.llt().info() == Eigen::Success);
    }
}

TEST_CASE("forward dynamics undoes inverse dynamics", "[dynamics]") {
    const Model model = randomTree(5, everything());
    const Layout layout = layoutOf(model);
    Caller kernel(makeReferenceKernel(model));
    Random random(3);
    Numbers q, v;
    randomState(model, layout, random, q, v);
    const Numbers param = {1.1, 0.5};
    const Numbers tau = randomNumbers(random, layout.nv, 10);
    const Numbers with = kernel.fwdDyn(q, v, tau, {}, {}, param), without = kernel.fwdDyn(q, v, {}, {}, {}, param);
    const Numbers M = kernel.massMatrix(q, param);
    // M (vdot(tau) - vdot(0)) = tau: elements, damping and bias drop out.
    Numbers back(layout.nv, 0.0);
    for (int i = 0; i < layout.nv; i++)
        for (int j = 0; j < layout.nv; j++) back[i] += M[i * layout.nv + j] * (with[j] - without[j]);
    CHECK(scaledError(back, tau) < 1e-9);
}

TEST_CASE("absent inputs are zero, and an undeclared external wrench is never read", "[dynamics]") {
    for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
        const Model model = randomTree(11, everything());
        const Layout layout = layoutOf(model);
        Caller kernel(makeReferenceKernel(model, route));
        Random random(4);
        Numbers q, v;
        randomState(model, layout, random, q, v);
        const Numbers param = {1.1, 0.5};
        const Numbers zero = kernel.fwdDyn(q, v, Numbers(layout.nv, 0.0), Numbers(6 * layout.nbody, 0.0),
                                           Numbers(layout.nact, 0.0), param);
        CHECK(zero == kernel.fwdDyn(q, v, {}, {}, {}, param));

        Numbers fext = randomNumbers(random, 6 * layout.nbody, 10), poisoned = fext;
        for (int i = 0; i < layout.nbody; i++)
            if (!model.bodies[i].fext)
                for (int k = 0; k < 6; k++) poisoned[6 * i + k] = std::numeric_limits<double>::quiet_NaN();
        CHECK(kernel.fwdDyn(q, v, {}, fext, {}, param) == kernel.fwdDyn(q, v, {}, poisoned, {}, param));
    }
}

TEST_CASE("a live parameter gives what the same numbers written down give", "[dynamics]") {
    const Model live = randomTree(21, everything());
    Model written = live;
    const Numbers param = {0.93, 0.61};
    for (Body& b : written.bodies) {
        b.mass = b.mass.at(param);
        for (Number& n : b.inertia) n = n.at(param);
        for (Number& n : b.cg) n = n.at(param);
        for (Number& n : b.at) n = n.at(param);
    }
    for (Tsda& t : written.tsdas) t.k = t.k.at(param);
    for (Rsda& r : written.rsdas) r.q0 = r.q0.at(param);
    const Layout layout = layoutOf(live);
    Random random(9);
    Numbers q, v;
    randomState(live, layout, random, q, v);
    Caller a(makeReferenceKernel(live)), b(makeReferenceKernel(written));
    CHECK(a.fwdDyn(q, v, {}, {}, {}, param) == b.fwdDyn(q, v, {}, {}, {}, param));
    CHECK(a.massMatrix(q, param) == b.massMatrix(q, param));
    CHECK(a.observe(q, v, param) == b.observe(q, v, param));
}

TEST_CASE("independent roots do not see each other", "[dynamics]") {
    const Model model = springpend();
    Caller kernel(makeReferenceKernel(model));
    const Numbers M = kernel.massMatrix({0.3, -0.2}, {60, 0.4});
    CHECK(M[1] == 0);
    CHECK(M[2] == 0);
    CHECK(M[0] == Approx(0.03 + 1.5 * 0.68 * 0.68).epsilon(1e-14));
}

TEST_CASE("a mass matrix that is not positive definite gives NaN", "[dynamics]") {
    Model model = pendulum(0, 0.5, 0);
    for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
        Caller kernel(makeReferenceKernel(model, route));
        CHECK(std::isnan(kernel.fwdDyn({0.1}, {0.2}, {1.0})[0]));
    }
}

TEST_CASE("a mechanism without bodies has a kernel that does nothing", "[dynamics]") {
    Model model;
    Caller kernel(makeReferenceKernel(model));
    CHECK(kernel->nq == 0);
    CHECK(kernel->nv == 0);
    CHECK(kernel.fwdDyn({}, {}).empty());
    CHECK(kernel->find(kernel.kernel().c, "body", "none") == -1);
}

TEST_CASE("names find their slots in a kernel", "[dynamics]") {
    const Model model = springpend();
    Caller kernel(makeReferenceKernel(model));
    const auto find = [&](const char* kind, const char* name) { return kernel->find(kernel.kernel().c, kind, name); };
    CHECK(find("body", "right") == 1);
    CHECK(find("q", "right") == 1);
    CHECK(find("act", "hinge") == 1);
    CHECK(find("param", "c") == 1);
    CHECK(find("tsda", "coupling_spring") == 0);
    CHECK(find("rsda", "hinge") == 2);
    CHECK(find("body", "nobody") == -1);
    CHECK(find("colour", "left") == -1);
    CHECK(find(nullptr, "left") == -1);
}

TEST_CASE("A mechanism whose tables would fill the memory is refused with a sentence, before they are made") {
    // nv = 120 000: a mass matrix of 1.4e10 numbers.
    Model model;
    model.bodies.resize(20'000);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        Body& body = model.bodies[i];
        body.name = "b" + std::to_string(i);
        body.joint.type = JointType::floating;
        body.mass = 1;
        body.inertia = {1, 1, 1, 0, 0, 0};
        body.start = {1, 0, 0, 0, 0, 0, 0};
        body.rate.assign(6, Number(0));
    }
    for (const ReferenceRoute route : {ReferenceRoute::crba, ReferenceRoute::aba}) {
        std::string words;
        try {
            makeReferenceKernel(model, route);
        } catch (const std::length_error& fault) {
            words = fault.what();
        }
        CHECK(words.find("120000 velocities") != std::string::npos);
        CHECK(words.find("too large") != std::string::npos);
    }
}
