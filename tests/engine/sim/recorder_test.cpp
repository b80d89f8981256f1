// Exact replay: any recorded step comes back with the same bits, whatever changed on the way.
#include "engine/sim/recorder.h"

#include <map>

#include "tests/engine/sim/models.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

// A run with changes of everything that a user can change while it runs; notes the hash of every step.
struct Run {
    std::shared_ptr<const Model> model = test::model(std::string(test::kEveryJoint) + R"(
param load 1 range 0.1 3 live
body pan
  parent hand  joint revolute x  at 0.1 0 0
  mass load  cg 0 0.05 0  inertia 0.001 0.001 0.001 0 0 0
)");
    Simulation simulation = test::simulate(model, Integrator::verlet, 1e-3);
    Recorder recorder;
    std::map<std::int64_t, Hash> hashes;
    std::map<std::int64_t, double> times;

    explicit Run(std::size_t limit = 256u << 20, std::int64_t every = 37) : recorder(limit, every) {}

    void steps(int count) {
        for (int i = 0; i < count; ++i) {
            recorder.before(simulation);
            note();
            REQUIRE_FALSE(simulation.step());
            recorder.after(simulation);
        }
        note();
    }
    void note() {
        hashes[simulation.state().step] = stateHash(simulation.state());
        times[simulation.state().step] = simulation.state().t;
    }
    void everything() {
        steps(50);
        simulation.inputs().tau[3] = 2;
        steps(61);
        simulation.setKernel(makeReferenceKernel(*model, ReferenceRoute::aba));
        steps(40);
        simulation.inputs().param[0] = 2.5;
        simulation.inputs().push = Inputs::Push{2, {0.1, 0, 0}, {1, 1, 1}, 10, 0.5};
        steps(33);
        simulation.setDt(5e-4);
        steps(80);
        simulation.setIntegrator(Integrator::euler);
        simulation.inputs().push.reset();
        steps(45);
    }
};

}  // namespace

TEST_CASE("every recorded step comes back bit for bit, in any order", "[sim]") {
    Run run;
    run.everything();
    const Ledger end = run.simulation.ledger();
    const std::int64_t last = run.recorder.lastStep();
    CHECK(last == 309);
    for (std::int64_t k = 0; k <= last; ++k) {
        const std::int64_t step = (k * 97) % (last + 1);  // every step once, in a scattered order
        run.recorder.restore(run.simulation, step);
        CAPTURE(step);
        REQUIRE(run.simulation.state().step == step);
        REQUIRE(stateHash(run.simulation.state()) == run.hashes[step]);
        REQUIRE(run.recorder.timeOf(step) == Approx(run.times[step]).epsilon(1e-12));
        REQUIRE(run.recorder.stepAt(run.times[step]) == step);
    }
    run.recorder.restore(run.simulation, last);
    CHECK(run.simulation.ledger() == end);
}

TEST_CASE("playing on from the past replaces what came after", "[sim]") {
    Run run;
    run.everything();
    run.recorder.restore(run.simulation, 120);
    run.recorder.truncateAfter(120);
    CHECK(run.recorder.lastStep() == 120);
    run.simulation.inputs().tau[0] = 1;
    run.steps(30);
    CHECK(run.recorder.lastStep() == 150);
    run.recorder.restore(run.simulation, 140);
    CHECK(stateHash(run.simulation.state()) == run.hashes[140]);
}

TEST_CASE("a byte limit drops the oldest steps and says so; what is left still replays", "[sim]") {
    Run run(20000, 10);
    run.everything();
    CHECK(run.recorder.dropped());
    CHECK(run.recorder.bytes() <= 20000);
    const std::int64_t first = run.recorder.firstStep();
    CHECK(first > 0);
    run.recorder.restore(run.simulation, 0);
    CHECK(run.simulation.state().step == first);
    run.recorder.restore(run.simulation, first + 3);
    CHECK(stateHash(run.simulation.state()) == run.hashes[first + 3]);
}

TEST_CASE("the state's hash sees every bit", "[sim]") {
    State a;
    a.q = {0.0};
    a.v = {1.0};
    State b = a;
    CHECK(stateHash(a) == stateHash(b));
    b.q[0] = -0.0;
    CHECK_FALSE(stateHash(a) == stateHash(b));
    b = a;
    b.block("vdot", 1)[0] = 1e-300;
    CHECK_FALSE(stateHash(a) == stateHash(b));
}
