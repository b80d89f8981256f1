// The whole way for real: text -> equations -> machine code -> proof -> motion, with no step replaced.
#include <cmath>
#include <filesystem>

#include "app/live/headless.h"
#include "app/live/runner.h"
#include "app/live/workshop.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/app/live/waiter.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

std::filesystem::path modelFile(const std::string& name) {
    return std::filesystem::path(MW_SOURCE_DIR) / "models" / (name + ".mech");
}

}  // namespace

TEST_CASE("a mechanism is derived, compiled, proven, and swapped in while it runs", "[live]") {
    const std::string name = GENERATE("elbow", "springpend", "satellite");
    CAPTURE(name);
    const Mechanism mechanism = mechanismFromFile(modelFile(name));
    REQUIRE(mechanism.model);

    Waiter waiter;
    Runner runner;
    runner.on_change = [&] { waiter.poke(); };
    Workshop::Options options;
    options.cache.clear();
    options.trials = 50;
    Workshop workshop(options);
    workshop.on_change = [&] { waiter.poke(); };

    workshop.submit(mechanism.read, hashText(mechanism.text), name);
    runner.setModel(workshop.built()->model, workshop.built()->kernel, false);
    runner.play();
    Kernel last = workshop.built()->kernel;
    const auto follow = [&] {
        const auto built = workshop.built();
        if (built->kernel.c != last.c) {
            last = built->kernel;
            runner.setKernel(last);
        }
        return workshop.badge().state == Badge::State::proven || workshop.badge().state == Badge::State::failed;
    };
    REQUIRE(waiter.until(follow));
    workshop.waitIdle();
    follow();
    CAPTURE(workshop.badge().words, workshop.badge().detail);
    CHECK(workshop.badge().state == Badge::State::proven);
    CHECK(workshop.built()->proof->passed());
    CHECK(workshop.built()->c_lines.size() >
          static_cast<std::size_t>(std::count(workshop.built()->c_code.begin(), workshop.built()->c_code.end(), '\n')) -
              1);

    runner.pause();
    runner.step(20);
    runner.flush();
    const auto end = runner.snapshot();
    CHECK(end->kernel == workshop.built()->kernel.maker);
    CHECK_FALSE(end->blow_up);
    // Through every swap the past is exactly what it was.
    runner.scrub(0);
    runner.scrub(end->history_end);
    runner.flush();
    CHECK(stateHash(runner.snapshot()->state) == stateHash(end->state));
}

TEST_CASE("every kernel that can be named runs the same mechanism", "[live]") {
    const Mechanism mechanism = mechanismFromFile(modelFile("double_pendulum"));
    REQUIRE(mechanism.model);
    std::vector<double> first;
    Hash generated;
    for (const std::string& name : kernelNames()) {
        CAPTURE(name);
        std::string why;
        Simulation simulation = makeSimulation(mechanism, makeKernel(mechanism, name), Integrator::verlet, 0, &why);
        CHECK_FALSE(why.empty());
        for (int i = 0; i < 50; ++i) REQUIRE_FALSE(simulation.step());
        if (first.empty()) first = simulation.state().q;
        for (std::size_t i = 0; i < first.size(); ++i)
            CHECK(simulation.state().q[i] == Approx(first[i]).epsilon(1e-10));
        if (name.rfind("reference", 0) == 0) continue;
        // All readers of one program give the same bits.
        const Hash hash = stateHash(simulation.state());
        if (generated == Hash{}) generated = hash;
        CHECK(hash == generated);
    }
    CHECK_THROWS_AS(makeKernel(mechanism, "magic"), std::invalid_argument);
}

TEST_CASE("faulty files are said, not thrown", "[live]") {
    const Mechanism broken = mechanismFromText("mech 1\nbody a\n  parent b\n", "broken");
    CHECK_FALSE(broken.model);
    CHECK_FALSE(broken.read.ok());
    CHECK_THROWS_AS(makeKernel(broken, "reference"), std::runtime_error);
    CHECK_THROWS_AS(makeSimulation(broken, {}), std::runtime_error);
    CHECK_THROWS_AS(mechanismFromFile("/nowhere/x.mech"), std::runtime_error);
}
