// Derived equations against the dense reference (which shares no algebra with them) and against each other, in both
// forms, over every joint type, elements, damping, armature and live parameters.
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
}

TEST_CASE("the form follows the depth and the choice is a sentence") {
    CHECK(gen::derive(planarChain(9)).form == gen::Form::crba);
    CHECK(gen::derive(planarChain(10)).form == gen::Form::aba);
    CHECK(gen::derive(planarChain(10), gen::Form::crba).form == gen::Form::crba);
    const std::string choice = gen::derive(elbow()).choice;
    CHECK(choice.find("depth 6 <= 9") != std::string::npos);
    CHECK(choice.find("ABA: ") != std::string::npos);
}
