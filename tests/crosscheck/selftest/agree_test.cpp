// Random mechanisms of every kind, given to both engines: every joint and loop type, axes and frames in general
// position, elements with curves and inputs, damping, armature, wrenches, live parameters.
#include <fmt/format.h>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/crosscheck/crosscheck.h"
#include "tests/support/catch.h"
#include "tests/support/random_loops.h"

using namespace mw;
using namespace mw::cross;

namespace {

Report judged(const Model& model, Options options) {
    options.trials = 6;
    return crosscheck(subjectOf(model, [](const Model& m) { return makeReferenceKernel(m, ReferenceRoute::aba); }),
                      model, "random", options);
}

std::string words(const Report& report) {
    std::string all;
    for (const EngineReport& engine : report.engines)
        for (const Check& check : engine.checks)
            all += fmt::format("{} {}: {:.3g} {} {}\n", engine.engine, check.name, check.value,
                               check.skipped ? "skipped" : "", check.detail);
    return all;
}

void requireAgreement(const Model& model, const Options& options) {
    const Report report = judged(model, options);
    INFO(words(report));
    CHECK(report.passed());
    for (const EngineReport& engine : report.engines)
        for (const Check& check : engine.checks)
            if (check.name == "acceleration") CHECK_FALSE(check.skipped);
}

const std::vector<JointType> kWithoutScrew{JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                           JointType::cylindrical, JointType::universal, JointType::planar,
                                           JointType::spherical,   JointType::floating};

}  // namespace

TEST_CASE("Random trees agree with both engines, those with screws with Simbody") {
    for (const bool screws : {false, true})
        for (std::uint64_t seed = 1; seed <= 15; ++seed) {
            test::TreeOptions tree;
            tree.bodies = 7;
            tree.elements = tree.dissipation = true;
            tree.live = seed % 2 == 0;
            if (!screws) tree.joints = kWithoutScrew;
            Options options;
            options.motion = false;
            options.seed = seed;
            options.simbody = SimbodyTwin::built();
            options.mujoco = MujocoTwin::built() && !screws;
            INFO("seed " << seed << (screws ? " with screws" : ""));
            Model model = test::randomTree(seed, tree);
            // A moment that follows a live parameter leaves the triangle inequality, which Simbody insists on.
            for (Body& b : model.bodies)
                if (b.inertia[0].isLive()) b.inertia[1] = b.inertia[2] = b.inertia[0];
            requireAgreement(model, options);
        }
}

TEST_CASE("Random loops agree with both engines: accelerations and the forces in the loops") {
    int loops = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        test::TreeOptions tree;
        tree.bodies = 7;
        tree.elements = tree.dissipation = true;
        tree.joints = kWithoutScrew;
        test::LoopedTree made = test::randomLooped(seed, tree, 3, 0);
        if (made.model.loops.empty()) continue;
        const Layout layout = layoutOf(made.model);
        for (std::size_t b = 0; b < made.model.bodies.size(); ++b)
            for (std::size_t k = 0; k < made.model.bodies[b].start.size(); ++k)
                made.model.bodies[b].start[k] = made.q[static_cast<std::size_t>(layout.q_of_body[b]) + k];
        // Some draws hold a freedom twice.
        if (!Closure(made.model).generalHealth(made.model.liveValues()).sound()) continue;
        loops += static_cast<int>(made.model.loops.size());
        Options options;
        options.motion = false;
        options.seed = seed;
        options.simbody = SimbodyTwin::built();
        options.mujoco = MujocoTwin::built();
        INFO("seed " << seed);
        requireAgreement(made.model, options);
    }
    CHECK(loops > 30);
}

TEST_CASE("Motions of random trees agree with Simbody's, armature and drives' kin included") {
    if (!SimbodyTwin::built()) return;
    for (std::uint64_t seed = 40; seed < 44; ++seed) {
        test::TreeOptions tree;
        tree.bodies = 4;
        tree.elements = tree.dissipation = true;
        Options options;
        options.mujoco = false;
        options.seed = seed;
        INFO("seed " << seed);
        requireAgreement(test::randomTree(seed, tree), options);
    }
}
