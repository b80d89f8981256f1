// The gates on good kernels (all pass) and on kernels with one fault each (the right gate trips and names a state).
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/gates.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_kernel.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

const Gate& gateOf(const ProofReport& report, const std::string& name) {
    for (const Gate& g : report.gates)
        if (g.name == name) return g;
    FAIL("no gate " << name);
    return report.gates.front();
}

std::string inWords(const ProofReport& report) {
    std::string s;
    for (const Gate& g : report.gates)
        s += (g.pass ? "  pass " : "  FAIL ") + g.name + " " + std::to_string(g.value) + " (" +
             std::to_string(g.bound) + ") " + g.detail + "\n";
    return s;
}

ProofOptions quick(int trials = 60) {
    ProofOptions options;
    options.trials = trials;
    return options;
}

Model everyJoint(std::uint64_t seed, bool damped) {
    TreeOptions options;
    options.bodies = 6;
    options.elements = damped;
    options.dissipation = damped;
    options.live = true;
    return randomTree(seed, options);
}

}  // namespace

TEST_CASE("good kernels pass every gate", "[proof]") {
    std::vector<std::pair<std::string, Model>> models = {
        {"elbow", elbow()}, {"satellite", satellite()}, {"springpend", springpend()}, {"pendulum", pendulum()}};
    for (int seed = 1; seed <= 12; seed++)
        models.emplace_back("tree " + std::to_string(seed), everyJoint(seed, seed % 2 == 0));
    for (const auto& [name, model] : models) {
        const Kernel kernel = makeReferenceKernel(model, ReferenceRoute::aba);
        ProofOptions options = quick();
        options.same_bits = {makeReferenceKernel(model, ReferenceRoute::aba)};
        const ProofReport report = prove(model, name, kernel, options);
        INFO(name << "\n" << inWords(report));
        CHECK(report.passed());
        CHECK(report.trials == 60);
        CHECK(report.worst() < 1e-9);
    }
}

TEST_CASE("a fault trips its gate, which names a state", "[proof]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    FaultCases add;
    using D = const double*;
    add("a sign of one acceleration", elbow(), {"agreement.accelerations", "motion.momentum"}).after_fwd_dyn =
        [](D, D, D, D, D, double* vdot) { vdot[0] = -vdot[0]; };
    add("an acceleration off by a millionth of a percent", elbow(), {"agreement.accelerations"}).after_fwd_dyn =
        [](D, D, D, D, D, double* vdot) { vdot[3] *= 1 + 1e-8; };
    add("a number that is none", elbow(), {"agreement.accelerations"}).after_fwd_dyn =
        [nan](D, D, D, D, D, double* vdot) { vdot[5] = nan; };
    add("an undeclared slot read", satellite(), {"rules.undeclared-fext"}).after_fwd_dyn = [](D, D, D, D fext, D,
                                                                                              double* vdot) {
        if (fext) vdot[2] += 0 * fext[6 * 2 + 1];
    };
    add("an absent input taken for something", springpend(), {"rules.absent-inputs"}).after_fwd_dyn =
        [](D, D, D, D, D act, double* vdot) {
            if (!act) vdot[1] += 1e-15;
        };
    add("a rotation and its inverse confused", elbow(),
        {"agreement.kinematics", "kinematics.velocity", "kinematics.attitude"})
        .after_kinematics = [](D, double* X, double*) {
        std::swap(X[1], X[3]), std::swap(X[2], X[6]), std::swap(X[5], X[7]);
    };
    add("velocities that run backwards", elbow(), {"agreement.kinematics", "kinematics.velocity"}).after_kinematics =
        [](D, double*, double* V) {
            for (int k = 0; k < 6; k++) V[30 + k] = -V[30 + k];
        };
    add("a sine that is wrong in its last digits", elbow(), {"kinematics.attitude"}).after_kinematics =
        [](D, double* X, double*) { X[1] += 4e-15, X[3] -= 4e-15; };
    add("a point observed a hair beside", elbow(), {"agreement.observation", "kinematics.observation"}).after_observe =
        [](double* obs) { obs[2] += 1e-7; };
    add("a rate of change with the wrong sign", springpend(), {"agreement.observation", "kinematics.observation"})
        .after_observe = [](double* obs) { obs[1] = -obs[1]; };
    add("a lost entry of the mass matrix", elbow(), {"agreement.mass-matrix"}).after_mass_matrix = [](double* M) {
        M[7] = 0;
    };
    add("a bias without its last digits", elbow(), {"agreement.bias"}).after_bias = [](double* c) { c[1] *= 1 + 1e-7; };
    add("a second right-hand side that sees the first", elbow(), {"agreement.inverse-mass", "rules.right-hand-sides"})
        .after_apply = [](int nrhs, double* out) {
        for (int k = 1; k < nrhs; k++) out[6 * k] += 1e-6 * out[0];
    };
    add("a name at another place", springpend(), {"names.round-trip"}).find =
        [](const char* kind, const char*, int slot) { return std::string(kind) == "act" && slot == 1 ? 0 : slot; };
    add("an unknown name that is found", springpend(), {"names.round-trip"}).find =
        [](const char* kind, const char*, int slot) { return std::string(kind) == "loop" ? 0 : slot; };

    for (const FaultCases::Case& c : add.all) {
        ProofOptions options = quick(40);
        options.motion = false;
        for (const std::string& gate : c.gates) options.motion = options.motion || gate.starts_with("motion");
        const ProofReport report =
            prove(c.model, "faulty", faultyKernel(makeReferenceKernel(c.model), c.fault), options);
        INFO(c.what << "\n" << inWords(report));
        CHECK_FALSE(report.passed());
        for (const std::string& name : c.gates) {
            const Gate& gate = gateOf(report, name);
            CHECK_FALSE(gate.pass);
            CHECK_FALSE(gate.detail.empty());
            if (!name.starts_with("names.")) CHECK(gate.worst.has_value());
            CHECK(std::isfinite(gate.value));
        }
    }
}

TEST_CASE("an acceleration of one evaluation before makes Verlet first order, and its gate sees it", "[proof]") {
    for (const bool damped : {false, true}) {
        const Model model = damped ? springpend() : satellite();
        std::vector<double> last(model.bodies.size() * 6, 0.0);
        Fault fault;
        fault.after_fwd_dyn = [&last, &model](const double*, const double*, const double*, const double*, const double*,
                                              double* vdot) {
            const int nv = layoutOf(model).nv;
            for (int i = 0; i < nv; i++) std::swap(last[i], vdot[i]);
        };
        ProofOptions options = quick(1);
        const ProofReport report = prove(model, "late", faultyKernel(makeReferenceKernel(model), fault), options);
        INFO(inWords(report));
        CHECK_FALSE(gateOf(report, "motion.order-verlet").pass);
    }
}

TEST_CASE("one bit of difference between implementations is a failure", "[proof]") {
    const Model model = satellite();
    const Kernel good = makeReferenceKernel(model);
    Fault fault;
    fault.after_fwd_dyn = [](const double*, const double*, const double*, const double*, const double*, double* vdot) {
        vdot[4] = std::nextafter(vdot[4], 1e9);
    };
    ProofOptions options = quick(5);
    options.motion = false;
    options.same_bits = {faultyKernel(good, fault)};
    const ProofReport report = prove(model, "satellite", good, options);
    const Gate& gate = gateOf(report, "agreement.same-bits");
    CHECK_FALSE(gate.pass);
    CHECK(gate.value == 1);
    CHECK(gate.detail.find("vdot[4]") != std::string::npos);
    CHECK(gateOf(report, "agreement.accelerations").pass);
}

TEST_CASE("a kernel of another model is refused before it is asked anything", "[proof]") {
    const ProofReport report = prove(elbow(), "elbow", makeReferenceKernel(satellite()), quick());
    CHECK_FALSE(report.passed());
    CHECK_FALSE(gateOf(report, "structure.kernel").pass);
    CHECK(report.trials == 0);
    CHECK_FALSE(prove(elbow(), "elbow", Kernel{}, quick()).passed());
}

TEST_CASE("structure: broken references, negative inertia, and a warning for the impossible", "[proof]") {
    SECTION("a circle of parents") {
        Model model = elbow();
        model.bodies[0].parent = 2;
        const ProofReport report = prove(model, "circle", makeReferenceKernel(elbow()), quick());
        CHECK_FALSE(gateOf(report, "structure.references").pass);
    }
    SECTION("two bodies of one name") {
        Model model = elbow();
        model.bodies[3].name = "waist";
        CHECK_FALSE(gateOf(prove(model, "twins", makeReferenceKernel(elbow()), quick()), "structure.references").pass);
    }
    ProofOptions options = quick(3);
    options.motion = false;
    SECTION("a principal inertia below zero") {
        Model model = elbow();
        model.bodies[1].inertia[3] = 0.6;  // Ixy beyond the geometric mean
        const Gate gate = gateOf(prove(model, "negative", makeReferenceKernel(model), options), "structure.inertia");
        CHECK_FALSE(gate.pass);
        CHECK(gate.detail.find("upper_arm") != std::string::npos);
    }
    SECTION("a broken triangle inequality is told and let through") {
        Model model = elbow();
        model.bodies[1].inertia[1] = 2;
        const Gate gate = gateOf(prove(model, "long", makeReferenceKernel(model), options), "structure.inertia");
        CHECK(gate.pass);
        CHECK(gate.detail.find("not physically possible") != std::string::npos);
    }
}

TEST_CASE("trials come from the seed alone and cover their ranges", "[proof]") {
    TreeOptions tree;
    tree.bodies = 12;
    tree.live = tree.elements = true;
    const Model model = randomTree(4, tree);
    const Layout layout = layoutOf(model);
    const Trial a = randomTrial(model, layout, 7, 123), b = randomTrial(model, layout, 7, 123);
    CHECK(a.q == b.q);
    CHECK(a.param == b.param);
    CHECK(a.q != randomTrial(model, layout, 8, 123).q);
    CHECK(a.q != randomTrial(model, layout, 7, 124).q);
    double largest_v = 0, largest_tau = 0, mean_w = 0;
    int quaternions = 0;
    for (int i = 0; i < 2000; i++) {
        const Trial t = randomTrial(model, layout, 1, i);
        for (const double v : t.v) largest_v = std::max(largest_v, std::abs(v));
        for (const double x : t.tau) largest_tau = std::max(largest_tau, std::abs(x));
        CHECK((t.param[0] >= 0.8 && t.param[0] <= 2.5));
        for (std::size_t k = 0; k < model.bodies.size(); k++) {
            const JointType type = model.bodies[k].joint.type;
            if (type != JointType::spherical && type != JointType::floating) continue;
            const double* q = &t.q[layout.q_of_body[k]];
            CHECK(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] == Approx(1).epsilon(1e-14));
            mean_w += q[0] * q[0];
            quaternions++;
        }
    }
    CHECK(largest_v <= 2);
    CHECK(largest_v > 1.99);
    CHECK(largest_tau <= 10);
    CHECK(largest_tau > 9.99);
    // Uniform on the sphere: every component's square is a quarter on average.
    if (quaternions > 0) CHECK(mean_w / quaternions == Approx(0.25).margin(0.02));
}

TEST_CASE("the bound grows with the longest chain alone", "[proof]") {
    CHECK(depth(elbow()) == 6);
    CHECK(depth(satellite()) == 2);
    CHECK(agreementBound(elbow()) == 1e-9);
    TreeOptions tree;
    tree.bodies = 80;
    tree.chain = true;
    tree.joints = {JointType::revolute};
    CHECK(agreementBound(randomTree(1, tree)) == Approx(16e-9));
}

TEST_CASE("a proof can be stopped and tells how far it is", "[proof]") {
    std::atomic<bool> cancel{false};
    ProofOptions options = quick(1000);
    options.cancel = &cancel;
    int last = 0, of = 0;
    options.progress = [&](int done, int all) {
        CHECK(done >= last);
        last = done;
        of = all;
        if (done == 10) cancel = true;
    };
    const ProofReport report = prove(elbow(), "elbow", makeReferenceKernel(elbow()), options);
    CHECK(report.cancelled);
    CHECK_FALSE(report.passed());
    CHECK(report.trials == 10);
    CHECK(last == of);
}

TEST_CASE("mechanisms in which nothing moves are proven too, and a massless one is not", "[proof]") {
    const Model empty;
    CHECK(prove(empty, "empty", makeReferenceKernel(empty), quick(5)).passed());
    Model post;
    addBody(post, "post", kBase, joint(JointType::fixed), {1, 0, 0}, 1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    CHECK(prove(post, "post", makeReferenceKernel(post), quick(5)).passed());
    const Model massless = pendulum(0, 0.5, 0);
    const ProofReport report = prove(massless, "massless", makeReferenceKernel(massless), quick(5));
    CHECK_FALSE(gateOf(report, "agreement.accelerations").pass);
}
