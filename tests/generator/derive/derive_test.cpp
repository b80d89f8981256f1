// Derived equations against the dense reference (which shares no algebra with them) and against each other, in both
// forms, over every joint type, elements, damping, armature and live parameters.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/dynamics/reference_kernel.h"
#include "generator/derive/equations.h"
#include "tests/support/catch.h"
#include "tests/support/derive_evaluate.h"
#include "tests/support/derive_models.h"
#include "tests/support/kernel_calls.h"

using namespace mw;
using namespace mw::test;

namespace {

/// Every entry of one model at one state, from the equations.
class Derived {
public:
    Derived(const Model& model, gen::Form form) : equations_(gen::derive(model, form)), layout_(layoutOf(model)) {
        arrays_.work.assign(static_cast<std::size_t>(equations_.nwork), 0);
    }
    void set(gen::Array array, const Numbers& values) { arrays_.read[array] = values; }
    Numbers run(const std::string& entry, int size, int counter = 0) {
        Numbers out(static_cast<std::size_t>(size), 99.0);
        gen::Equations& e = equations_;
        runEntry(e, entry, arrays_, out, counter);
        return out;
    }
    const gen::Equations& equations() const { return equations_; }

private:
    gen::Equations equations_;
    Layout layout_;
    EntryArrays arrays_;
};

Numbers randomNumbers(Random& random, int n, double size) {
    Numbers x(static_cast<std::size_t>(n));
    for (double& e : x) e = random.between(-size, size);
    return x;
}

/// The largest scaled error of any entry against the reference, over some states.
void compareWithReference(const Model& model, gen::Form form, double bound, int states = 5) {
    const Layout layout = layoutOf(model);
    Derived derived(model, form);
    INFO(derived.equations().choice);
    Caller reference(makeReferenceKernel(model, ReferenceRoute::crba));
    Random random(7);
    for (int s = 0; s < states; ++s) {
        Numbers q, v;
        randomState(model, layout, random, q, v);
        const Numbers tau = randomNumbers(random, layout.nv, 10), act = randomNumbers(random, layout.nact, 10);
        const Numbers fext = randomNumbers(random, 6 * layout.nbody, 10);
        Numbers param = model.liveValues();
        for (double& p : param) p *= random.between(0.8, 1.2);
        derived.set(gen::Array::q, q), derived.set(gen::Array::v, v), derived.set(gen::Array::tau, tau);
        derived.set(gen::Array::act, act), derived.set(gen::Array::fext, fext), derived.set(gen::Array::param, param);
        const int nv = layout.nv;
        CHECK(scaledError(derived.run("mass_matrix", nv * nv), reference.massMatrix(q, param)) < bound);
        CHECK(scaledError(derived.run("bias", nv), reference.bias(q, v, param)) < bound);
        CHECK(scaledError(derived.run("fwd_dyn", nv), reference.fwdDyn(q, v, tau, fext, act, param)) < bound);
        CHECK(scaledError(derived.run("observe", layout.nobs), reference.observe(q, v, param)) < bound);
        Numbers X, V;
        reference.kinematics(q, v, X, V, param);
        X.insert(X.end(), V.begin(), V.end());
        CHECK(scaledError(derived.run("kinematics", 18 * layout.nbody), X) < bound);
        const Numbers rhs = randomNumbers(random, 2 * nv, 10);
        derived.set(gen::Array::rhs, rhs);
        reference.factor(q, param);
        const Numbers expected = reference.applyInverseMass(rhs);
        derived.run("factor", 0);
        Numbers out(static_cast<std::size_t>(2 * nv), 0);
        for (int k = 0; k < 2 && nv > 0; ++k) {
            const Numbers got = derived.run("apply_inverse_mass", 2 * nv, k);
            for (int i = 0; i < nv; ++i)
                out[static_cast<std::size_t>(nv * k + i)] = got[static_cast<std::size_t>(nv * k + i)];
        }
        CHECK(scaledError(out, expected) < bound);
    }
}

}  // namespace

TEST_CASE("derived equations agree with the dense reference on the textbook mechanisms") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    compareWithReference(elbow(), form, 1e-9);
    compareWithReference(stanford(), form, 1e-9);
    compareWithReference(satellite(), form, 1e-9);
    compareWithReference(springpend(), form, 1e-9);
    compareWithReference(gantry(), form, 1e-12);
    compareWithReference(pendulums(), form, 1e-12);
    compareWithReference(binaryTree(), form, 1e-9);
    compareWithReference(planarChain(4), form, 1e-9);
}

TEST_CASE("derived equations agree with the dense reference for every joint type") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    const JointType type = GENERATE(JointType::revolute, JointType::prismatic, JointType::cylindrical, JointType::screw,
                                    JointType::universal, JointType::planar, JointType::spherical, JointType::floating);
    INFO(jointTypeName(type));
    TreeOptions options;
    options.bodies = 3;
    options.joints = {type};
    compareWithReference(randomTree(11, options), form, 1e-9);
    options.dissipation = true;
    options.elements = true;
    compareWithReference(randomTree(12, options), form, 1e-9);
}

TEST_CASE("derived equations agree with the dense reference on random trees of all joints") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        TreeOptions options;
        options.bodies = 7;
        options.elements = seed % 2 == 0;
        options.dissipation = seed % 3 == 0;
        options.live = seed % 4 >= 2;
        options.chain = seed % 5 == 0;
        INFO("seed " << seed);
        compareWithReference(randomTree(seed, options), form, 1e-8, 2);
    }
}

TEST_CASE("a chain of forty links stays within the size-aware bound in both forms") {
    compareWithReference(spatialChain(40), gen::Form::aba, 1e-9, 2);
    compareWithReference(planarChain(40), gen::Form::aba, 1e-9, 2);
    TreeOptions options;
    options.bodies = 24;
    options.dissipation = true;
    compareWithReference(randomTree(51, options), gen::Form::aba, 1e-8, 2);
}

TEST_CASE("the form follows the depth and the choice is a sentence") {
    CHECK(gen::derive(planarChain(9)).form == gen::Form::crba);
    CHECK(gen::derive(planarChain(10)).form == gen::Form::aba);
    CHECK(gen::derive(planarChain(10), gen::Form::crba).form == gen::Form::crba);
    const std::string choice = gen::derive(elbow()).choice;
    CHECK(choice.find("depth 6 <= 9") != std::string::npos);
    CHECK(choice.find("ABA: ") != std::string::npos);
}

TEST_CASE("parents may come after their children in the text") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    TreeOptions options;
    options.bodies = 6;
    options.elements = true;
    for (std::uint64_t seed = 31; seed < 35; ++seed) {
        Model model = randomTree(seed, options);
        // Turned round: body i becomes body n - 1 - i.
        const int n = static_cast<int>(model.bodies.size());
        const auto renamed = [&](int body) { return body == kBase ? kBase : n - 1 - body; };
        std::reverse(model.bodies.begin(), model.bodies.end());
        for (Body& body : model.bodies) body.parent = renamed(body.parent);
        for (PointOfInterest& point : model.points) point.point.body = renamed(point.point.body);
        for (Tsda& tsda : model.tsdas) tsda.from.body = renamed(tsda.from.body), tsda.to.body = renamed(tsda.to.body);
        for (Rsda& rsda : model.rsdas) rsda.body = renamed(rsda.body);
        compareWithReference(model, form, 1e-8, 2);
    }
}

TEST_CASE("axes along and against coordinates, quarter turns and bodies that are fixed") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    Model m = elbow();
    m.bodies[1].joint.axis = {0, -1, 0};
    m.bodies[2].rot = {Number(0), Number(1.5707963267948966), Number(0)};
    m.bodies[4].rot = {Number(3.141592653589793), Number(0), Number(-1.5707963267948966)};
    addBody(m, "gripper", 5, joint(JointType::fixed), {0.1, 0, 0.02}, 0.3, {0.02, 0, 0}, {1e-3, 2e-3, 2e-3, 1e-4, 0, 0})
        .fext = true;
    m.bodies.back().rot[2] = 0.4;
    addBody(m, "finger", 6, joint(JointType::prismatic, {0, 0, -1}), {0, 0.1, 0}, 0.1, {0.02, 0, 0},
            {1e-4, 1e-4, 1e-4, 0, 0, 0});
    addBody(m, "plate", kBase, joint(JointType::fixed), {1, 2, 3}, 5, {0, 0, 0}, {1, 1, 1, 0, 0, 0}).fext = true;
    addBody(m, "swing", 8, joint(JointType::revolute, kX), {0, 0, -1}, 5, {0, 0, -1}, {1, 1, 1, 0, 0, 0});
    compareWithReference(m, form, 1e-9);
}

TEST_CASE("live numbers in placement, rotation, pitch and gravity reach the equations") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    Model m = elbow();
    const int tilt = addLiveParameter(m, "tilt", 0.3, -1, 1), pitch = addLiveParameter(m, "lead", 0.05, 0, 0.1);
    m.bodies[2].rot[0] = liveNumber(m, tilt, 1);
    m.bodies[3].rot[2] = liveNumber(m, tilt, -2);
    m.bodies[4].joint = joint(JointType::screw, kY);
    m.bodies[4].joint.pitch = liveNumber(m, pitch, 1);
    m.bodies[5].at[1] = liveNumber(m, pitch, 3);
    m.gravity[0] = liveNumber(m, tilt, 4);
    compareWithReference(m, form, 1e-9);
}

TEST_CASE("a spring of no length is finite and pulls nowhere") {
    Model m = pendulums();
    Tsda spring;
    spring.name = "s";
    spring.from = pointOn(0, 0, 0, -0.4);
    spring.to = pointOn(kBase, 0, 0, 0.6);
    spring.k = 1e6;
    spring.c = 1e4;
    spring.l0 = 0.2;
    m.tsdas.push_back(spring);
    Derived derived(m, gen::Form::crba);
    Caller reference(makeReferenceKernel(m));
    const Numbers q{0, 0.1, 0.2, 0.3}, v{1, 2, 3, 4};
    derived.set(gen::Array::q, q), derived.set(gen::Array::v, v);
    const Numbers vdot = derived.run("fwd_dyn", 4), obs = derived.run("observe", 2);
    CHECK(obs[0] == 0);
    CHECK(obs[1] == 0);
    Model without = m;
    without.tsdas.clear();
    Derived bare(without, gen::Form::crba);
    bare.set(gen::Array::q, q), bare.set(gen::Array::v, v);
    CHECK(scaledError(vdot, bare.run("fwd_dyn", 4)) < 1e-14);
    CHECK(scaledError(vdot, reference.fwdDyn(q, v)) < 1e-9);
}

TEST_CASE("a body without fext never reads its slot") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    TreeOptions options;
    options.bodies = 6;
    const Model m = randomTree(5, options);
    const Layout layout = layoutOf(m);
    Derived derived(m, form);
    Random random(3);
    Numbers q, v;
    randomState(m, layout, random, q, v);
    derived.set(gen::Array::q, q), derived.set(gen::Array::v, v);
    Numbers fext(static_cast<std::size_t>(6 * layout.nbody), 0.5);
    for (int i = 0; i < layout.nbody; ++i)
        if (!m.bodies[static_cast<std::size_t>(i)].fext)
            for (int k = 0; k < 6; ++k) fext[static_cast<std::size_t>(6 * i + k)] = std::nan("");
    derived.set(gen::Array::fext, fext);
    for (double x : derived.run("fwd_dyn", layout.nv)) CHECK(std::isfinite(x));
}

TEST_CASE("a satellite at rest falls and does nothing else, at any attitude") {
    const Model m = satellite();
    const Layout layout = layoutOf(m);
    Derived derived(m, gen::Form::automatic);
    Random random(9);
    for (int s = 0; s < 20; ++s) {
        Numbers q, v;
        randomState(m, layout, random, q, v);
        derived.set(gen::Array::q, q), derived.set(gen::Array::v, Numbers(9, 0.0));
        const Numbers vdot = derived.run("fwd_dyn", 9);
        CHECK(std::sqrt(vdot[3] * vdot[3] + vdot[4] * vdot[4] + vdot[5] * vdot[5]) == Approx(9.81).epsilon(1e-12));
        for (int i : {0, 1, 2, 6, 7, 8}) CHECK(vdot[static_cast<std::size_t>(i)] == 0);
    }
}

TEST_CASE("each deliberate mistake changes the accelerations") {
    const gen::Form form = GENERATE(gen::Form::crba, gen::Form::aba);
    const auto error = [&](const Model& m, gen::Fault fault) {
        const Layout layout = layoutOf(m);
        Random random(21);
        Numbers q, v;
        randomState(m, layout, random, q, v);
        const gen::Equations wrong = gen::derive(m, form, fault);
        EntryArrays arrays;
        arrays.read[gen::Array::q] = q, arrays.read[gen::Array::v] = v, arrays.read[gen::Array::param] = m.liveValues();
        Numbers vdot(static_cast<std::size_t>(layout.nv));
        runEntry(wrong, "fwd_dyn", arrays, vdot);
        Caller reference(makeReferenceKernel(m));
        return scaledError(vdot, reference.fwdDyn(q, v, {}, {}, {}, m.liveValues()));
    };
    CHECK(error(elbow(), gen::Fault::none) < 1e-9);
    CHECK(error(elbow(), gen::Fault::rotation_transposed) > 1e-3);
    CHECK(error(elbow(), gen::Fault::inertia_transposed) > 1e-3);
    CHECK(error(springpend(), gen::Fault::spring_sign) > 1e-3);
    TreeOptions options;
    options.bodies = 2;
    options.joints = {JointType::universal};
    CHECK(error(randomTree(4, options), gen::Fault::none) < 1e-9);
    CHECK(error(randomTree(4, options), gen::Fault::joint_bias_missing) > 1e-3);
    options.joints = {JointType::planar};
    options.chain = true;
    CHECK(error(randomTree(4, options), gen::Fault::joint_bias_missing) > 1e-3);
}

TEST_CASE("A mechanism whose code nobody could compile is refused with a sentence") {
    Model model;
    model.bodies.resize(10'000);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        Body& body = model.bodies[i];
        body.name = "b" + std::to_string(i);
        body.joint.type = JointType::prismatic;
        body.mass = 1;
        body.start = {0};
        body.rate = {0};
    }
    CHECK_THROWS_AS(gen::derive(model), std::length_error);
}
