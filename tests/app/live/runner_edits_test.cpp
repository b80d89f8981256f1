// Mechanisms, kernels and values that change under a run: what it keeps, and what it takes over.
#include <algorithm>
#include <cmath>

#include "app/live/carry_over.h"
#include "tests/app/live/runner_bench.h"

using namespace mw;
using namespace mw::app;

TEST_CASE("a kernel is swapped without touching the state, and the past replays with the one that made it",
          "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(300);
    const Hash before = bench.hash();
    const Kernel other = makeReferenceKernel(*bench.model, ReferenceRoute::aba);
    bench.runner.setKernel(other);
    CHECK(bench.hash() == before);
    CHECK(bench.now()->kernel == other.maker);
    bench.runner.step(300);
    const Hash end = bench.hash();
    bench.runner.step(-400);
    CHECK(bench.hash() == byHand(bench.model, bench.kernel, 200).back());
    bench.runner.step(400);
    CHECK(bench.hash() == end);
    // In the past the newer kernel waits until the run goes on.
    bench.runner.scrub(0.1);
    bench.runner.setKernel(other);
    CHECK(bench.now()->kernel == bench.kernel.maker);
    bench.runner.setTau(0, 0.5);
    bench.runner.step(1);
    CHECK(bench.now()->kernel == other.maker);
}

TEST_CASE("another mechanism's kernel is refused and said", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(10);
    const Hash before = bench.hash();
    bench.runner.setKernel(makeReferenceKernel(test::elbow()));
    CHECK_FALSE(bench.now()->problem.empty());
    CHECK(bench.hash() == before);
    bench.runner.step(1);
    CHECK(bench.now()->state.step == 11);
    CHECK(bench.now()->problem.empty());
}

TEST_CASE("swapping kernels and models while playing never disturbs a recorded step", "[runner]") {
    Bench bench(test::springpend());
    const Kernel other = makeReferenceKernel(*bench.model, ReferenceRoute::aba);
    bench.runner.setSpeed(50);
    bench.runner.play();
    for (int i = 0; i < 6; ++i) {
        const std::int64_t from = bench.runner.snapshot()->state.step;
        bench.runner.setKernel(i % 2 ? bench.kernel : other);
        REQUIRE(bench.waiter.until([&] { return bench.runner.snapshot()->state.step > from + 20; }));
    }
    bench.runner.pause();
    const Hash end = bench.hash();
    const double t = bench.now()->state.t;
    bench.runner.scrub(0);
    bench.runner.scrub(t);
    CHECK(bench.hash() == end);
}

TEST_CASE("an edit that leaves the motion alone keeps the run and its past", "[runner]") {
    Bench bench(test::springpend());
    const auto hashes = byHand(bench.model, bench.kernel, 300);
    bench.runner.step(300);
    bench.runner.flush();
    Model edited = *bench.model;
    edited.title = "another title";
    bench.runner.setModel(shared(edited), bench.kernel, true);
    CHECK(bench.hash() == hashes[300]);
    CHECK(bench.now()->model->title == "another title");
    bench.runner.step(-100);
    CHECK(bench.hash() == hashes[200]);
    // The same again while the past is on the screen.
    edited.title = "a third";
    bench.runner.setModel(shared(edited), bench.kernel, true);
    CHECK(bench.hash() == hashes[200]);
    CHECK(bench.now()->run == RunState::replaying);
    bench.runner.step(100);
    CHECK(bench.hash() == hashes[300]);
}

TEST_CASE("an edit of the mechanism carries poses and speeds by name", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(300);
    const auto before = bench.now();
    Model edited = *bench.model;
    std::swap(edited.bodies[0], edited.bodies[1]);
    for (Tsda& tsda : edited.tsdas)
        for (BodyPoint* p : {&tsda.from, &tsda.to})
            if (p->body >= 0) p->body = 1 - p->body;
    for (Rsda& rsda : edited.rsdas) rsda.body = 1 - rsda.body;
    edited.bodies[0].mass = 2;
    bench.runner.setModel(shared(edited), makeReferenceKernel(edited), true);
    const auto after = bench.now();
    CHECK(after->state.q[0] == before->state.q[1]);
    CHECK(after->state.q[1] == before->state.q[0]);
    CHECK(after->state.v[0] == before->state.v[1]);
    CHECK(after->state.t == before->state.t);
    CHECK(std::abs(after->readings.residual) < 1e-12);
    // Without the wish to carry over, it starts anew.
    bench.runner.setModel(shared(edited), makeReferenceKernel(edited), false);
    CHECK(bench.now()->state.t == 0);
    CHECK(bench.now()->state.q == startQ(edited, layoutOf(edited), edited.liveValues()));
}

TEST_CASE("a joint of another type does not inherit an angle as a length", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(300);
    Model edited = *bench.model;
    edited.tsdas.clear();
    edited.rsdas.clear();
    edited.bodies[0].joint.type = JointType::prismatic;
    edited.bodies[0].start[0] = 0.125;
    bench.runner.setModel(shared(edited), makeReferenceKernel(edited), true);
    CHECK(bench.now()->state.q[0] == 0.125);
}

TEST_CASE("live parameters move while it runs, and an edited text's value wins", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(5);
    bench.runner.setParameter(0, 123);
    CHECK(bench.now()->inputs.param[0] == 123);
    Model same = *bench.model;
    same.title = "x";
    bench.runner.setModel(shared(same), bench.kernel, true);
    CHECK(bench.now()->inputs.param[0] == 123);
    Model edited = *bench.model;
    edited.bodies[0].mass = 3;
    bench.runner.setModel(shared(edited), makeReferenceKernel(edited), true);
    CHECK(bench.now()->inputs.param[0] == 123);
    edited.bodies[0].mass = 4;
    for (Parameter& p : edited.parameters)
        if (p.slot == 0) p.value = 77;
    bench.runner.setModel(shared(edited), makeReferenceKernel(edited), true);
    CHECK(bench.now()->inputs.param[0] == 77);
}

TEST_CASE("a value edited in the text alone moves the run's parameter", "[runner]") {
    Bench bench(test::springpend());
    Model edited = *bench.model;
    for (Parameter& p : edited.parameters)
        if (p.slot == 0) p.value = 77;
    const double before = bench.now()->inputs.param[0];
    bench.runner.step(5);
    const Hash hash = bench.hash();
    SECTION("where the run stands") {
        bench.runner.setModel(shared(edited), bench.kernel, true);
        CHECK(bench.now()->inputs.param[0] == 77);
        CHECK(bench.hash() == hash);
        bench.runner.step(20);
        CHECK(std::abs(bench.now()->readings.residual) < 1e-5);
    }
    SECTION("a past instant keeps its own, the newest has it") {
        bench.runner.step(-2);
        bench.runner.setModel(shared(edited), bench.kernel, true);
        CHECK(bench.now()->inputs.param[0] == before);
        bench.runner.step(2);
        CHECK(bench.now()->inputs.param[0] == 77);
        CHECK(bench.hash() == hash);
    }
    SECTION("playing on from the past has it too") {
        bench.runner.step(-2);
        bench.runner.setModel(shared(edited), bench.kernel, true);
        bench.runner.play();
        CHECK(bench.now()->inputs.param[0] == 77);
    }
}

TEST_CASE("without a mechanism nothing is shown", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(100);
    bench.runner.play();
    bench.runner.clear();
    const auto s = bench.now();
    CHECK_FALSE(s->model);
    CHECK(s->run == RunState::paused);
    CHECK(s->state.q.empty());
    bench.runner.play();
    bench.runner.step(5);
    bench.runner.scrub(0.01);
    bench.runner.reset();
    CHECK_FALSE(bench.now()->model);
    bench.runner.setModel(bench.model, bench.kernel, false);
    CHECK(bench.hash() == byHand(bench.model, bench.kernel, 0)[0]);
}
