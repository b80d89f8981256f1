// Generated code of random trees with every joint type, elements, dampers, rotors and live parameters, in both forms of
// the equations, through the whole proof; and a chain long enough that its code is split, in loops too.
#include "engine/proof/gates.h"
#include "generator/generate.h"
#include "tests/support/catch.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

void proveGenerated(const Model& model, gen::Form form, const ProofOptions& options) {
    const auto program = gen::generate(model, "tree", form);
    const ProofReport report = prove(model, "tree", gen::interpreterKernel(program, model), options);
    std::string failed;
    for (const Gate& g : report.gates)
        if (!g.pass) failed += g.name + " " + std::to_string(g.value) + ": " + g.detail + "\n";
    INFO(failed);
    CHECK(report.passed());
}

}  // namespace

TEST_CASE("generated code of random trees is proven", "[proof]") {
    for (int seed = 1; seed <= 24; seed++) {
        TreeOptions tree;
        tree.bodies = 1 + seed % 8;
        tree.chain = seed % 3 == 0;
        tree.elements = seed % 2 == 1;
        tree.dissipation = seed % 4 < 2;
        tree.live = seed % 5 == 0;
        ProofOptions options;
        options.trials = 20;
        options.motion = seed <= 6;
        for (const gen::Form form : {gen::Form::crba, gen::Form::aba}) {
            CAPTURE(seed, static_cast<int>(form));
            proveGenerated(randomTree(seed, tree), form, options);
        }
    }
}

TEST_CASE("generated code of a long chain is proven", "[proof]") {
    TreeOptions tree;
    tree.bodies = 30;
    tree.chain = true;
    tree.joints = {JointType::revolute, JointType::prismatic, JointType::universal};
    ProofOptions options;
    options.trials = 5;
    options.motion = false;
    proveGenerated(randomTree(3, tree), gen::Form::automatic, options);
}

TEST_CASE("a long whip is livelier than its start tells: the gates of motion find a step at which its order shows",
          "[proof]") {
    Model whip;
    for (int i = 0; i < 60; i++) {
        Body body;
        body.name = "b" + std::to_string(i);
        body.parent = i - 1;
        body.joint = joint(JointType::revolute, i % 2 ? Vector3d{0, 0, 1} : Vector3d{0, 1, 0});
        body.at = {Number(i ? 0.1 : 0), Number(0), Number(0)};
        body.mass = 0.1;
        body.cg = {Number(0.05), Number(0), Number(0)};
        body.inertia = {Number(1e-4), Number(1e-4), Number(1e-4), Number(0), Number(0), Number(0)};
        body.start = {Number(0)};
        body.rate = {Number(0)};
        whip.bodies.push_back(body);
    }
    const auto program = gen::generate(whip, "whip");
    ProofOptions options;
    options.trials = 5;
    const ProofReport report = prove(whip, "whip", gen::jitKernel(program, whip, gen::Tier::fast), options);
    for (const Gate& gate : report.gates) {
        CAPTURE(gate.name, gate.value, gate.detail);
        CHECK(gate.pass);
    }
}
