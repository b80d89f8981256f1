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
