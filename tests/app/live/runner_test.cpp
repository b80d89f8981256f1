// Run control, judged by a plain simulation stepped by hand and by hashes of the state's bits.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/app/live/runner_bench.h"

using namespace mw;
using namespace mw::app;

TEST_CASE("before a mechanism every command is harmless", "[runner]") {
    Runner runner;
    CHECK_FALSE(runner.snapshot()->model);
    runner.play();
    runner.step(3);
    runner.step(-3);
    runner.scrub(1);
    runner.reset();
    runner.setParameter(0, 1);
    runner.setTau(0, 1);
    runner.setStartState({1}, {1});
    runner.setKernel({});
    runner.setModel(shared(test::springpend()), {}, true);
    runner.flush();
    CHECK_FALSE(runner.snapshot()->model);
    CHECK_FALSE(runner.snapshot()->problem.empty());
}

TEST_CASE("steps are those of the simulation, bit for bit", "[runner]") {
    Bench bench(test::springpend());
    const auto hashes = byHand(bench.model, bench.kernel, 1000);
    CHECK(bench.hash() == hashes[0]);
    bench.runner.step(1);
    CHECK(bench.hash() == hashes[1]);
    bench.runner.step(999);
    CHECK(bench.hash() == hashes[1000]);
    CHECK(bench.now()->state.step == 1000);
    CHECK(bench.now()->run == RunState::paused);
}

TEST_CASE("back, forth and scrubbing return to the same bits", "[runner]") {
    Bench bench(test::springpend());
    const auto hashes = byHand(bench.model, bench.kernel, 700);
    bench.runner.step(700);
    for (int back = 1; back <= 3; ++back) {
        bench.runner.step(-1);
        CHECK(bench.hash() == hashes[static_cast<std::size_t>(700 - back)]);
        CHECK(bench.now()->run == RunState::replaying);
    }
    bench.runner.step(3);
    CHECK(bench.hash() == hashes[700]);
    CHECK(bench.now()->run == RunState::paused);
    for (const int step : {0, 1, 199, 200, 201, 450, 699, 700}) {
        bench.runner.scrub(step * 1e-3);
        CHECK(bench.hash() == hashes[static_cast<std::size_t>(step)]);
    }
    bench.runner.scrub(-1);
    CHECK(bench.hash() == hashes[0]);
    bench.runner.step(-5);
    CHECK(bench.hash() == hashes[0]);
    bench.runner.scrub(1e9);
    CHECK(bench.hash() == hashes[700]);
    // Forward beyond what is recorded the run goes on.
    bench.runner.step(-2);
    bench.runner.step(10);
    CHECK(bench.hash() == byHand(bench.model, bench.kernel, 708).back());
}

TEST_CASE("readings of a past instant are those of that instant", "[runner]") {
    Bench bench(test::springpend());
    std::vector<double> kinetic;
    for (int i = 0; i < 50; ++i) {
        bench.runner.step(1);
        kinetic.push_back(bench.now()->readings.energy.kinetic);
    }
    bench.runner.scrub(0.020);
    const auto past = bench.now();
    CHECK(past->state.step == 20);
    CHECK(past->readings.energy.kinetic == kinetic[19]);
    CHECK(past->history_end == Approx(0.05));
    CHECK(past->history_begin == 0);
}

TEST_CASE("playing on from the past replaces what came after", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(500);
    bench.runner.flush();
    CHECK(bench.runner.energies(0, 1, 10000).back().t == Approx(0.5));
    bench.runner.scrub(0.1);
    bench.runner.setTau(0, 3);  // another course than before
    bench.runner.step(1);
    const auto snapshot = bench.now();
    CHECK(snapshot->run == RunState::paused);
    CHECK(snapshot->state.step == 101);
    CHECK(snapshot->history_end == Approx(0.101));
    CHECK(bench.runner.energies(0, 1, 10000).back().t == Approx(0.101));

    // The oracle: the same inputs by hand.
    Simulation simulation(bench.model, bench.kernel, Integrator::verlet, 1e-3);
    for (int i = 0; i < 100; ++i) simulation.step();
    simulation.inputs().tau[0] = 3;
    simulation.step();
    CHECK(stateHash(snapshot->state) == stateHash(simulation.state()));
    bench.runner.step(-51);
    bench.runner.step(51);
    CHECK(bench.hash() == stateHash(simulation.state()));
}

TEST_CASE("inputs set at the newest instant survive a look at the past", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(10);
    bench.runner.setTau(1, -2);
    bench.runner.step(-5);
    CHECK(bench.now()->inputs.tau[1] == 0);
    bench.runner.step(5);
    CHECK(bench.now()->inputs.tau[1] == -2);
    CHECK(bench.now()->run == RunState::paused);
}

TEST_CASE("a blow-up pauses with the last good state and the body's name", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(100);
    bench.runner.setTau(0, 1e300);
    bench.runner.step(1'000'000);
    const auto snapshot = bench.now();
    REQUIRE(snapshot->blow_up);
    CHECK(snapshot->run == RunState::paused);
    CHECK(snapshot->blow_up->body == 0);
    CHECK(snapshot->blow_up->step == snapshot->state.step);
    for (const double v : snapshot->state.v) CHECK(std::isfinite(v));
    const std::int64_t step = snapshot->state.step;
    bench.runner.step(-1);
    CHECK_FALSE(bench.now()->blow_up);
    CHECK(bench.now()->state.step == step - 1);
    bench.runner.reset();
    CHECK(bench.now()->state.step == 0);
}

TEST_CASE("a blow-up while playing pauses too", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.setTau(0, 1e300);
    bench.runner.play();
    REQUIRE(bench.waiter.until([&] { return bench.runner.snapshot()->blow_up.has_value(); }));
    CHECK(bench.now()->run == RunState::paused);
}

TEST_CASE("play advances with the clock, pause stops, and the played steps are exact", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.play();
    REQUIRE(bench.waiter.until([&] { return bench.runner.snapshot()->state.step >= 50; }));
    CHECK(bench.runner.snapshot()->run == RunState::running);
    bench.runner.pause();
    const auto stopped = bench.now();
    CHECK(stopped->run == RunState::paused);
    const auto hashes = byHand(bench.model, bench.kernel, static_cast<int>(stopped->state.step));
    CHECK(stateHash(stopped->state) == hashes.back());
    CHECK(bench.now()->state.step == stopped->state.step);
    bench.runner.toggle();
    bench.runner.setSpeed(std::numeric_limits<double>::infinity());
    REQUIRE(bench.waiter.until([&] { return bench.runner.snapshot()->state.step >= stopped->state.step + 5000; }));
    bench.runner.toggle();
    CHECK(bench.now()->run == RunState::paused);
    CHECK(bench.now()->possible_speed > 0);
}

TEST_CASE("moving the mechanism by hand", "[runner]") {
    Bench bench(test::springpend());
    SECTION("at t = 0 it is the start, and reset returns to it") {
        bench.runner.setStartState({0.3, -0.2}, {1, 0});
        CHECK(bench.now()->state.q == std::vector<double>{0.3, -0.2});
        bench.runner.step(20);
        bench.runner.flush();
        bench.runner.reset();
        CHECK(bench.now()->state.q == std::vector<double>{0.3, -0.2});
        CHECK(bench.now()->state.v == std::vector<double>{1, 0});
        CHECK(std::abs(bench.now()->readings.residual) < 1e-12);
    }
    SECTION("later it goes on from there, the past stays, and the books agree") {
        const auto hashes = byHand(bench.model, bench.kernel, 20);
        bench.runner.step(20);
        const double residual = bench.now()->readings.residual;
        bench.runner.setStartState({0.3, -0.2}, {0, 0});
        CHECK(std::abs(bench.now()->readings.residual - residual) < 1e-12);
        const Hash moved = bench.hash();
        bench.runner.step(5);
        bench.runner.step(-5);
        CHECK(bench.hash() == moved);
        bench.runner.step(-1);
        CHECK(bench.hash() == hashes[19]);
        bench.runner.step(1);
        CHECK(bench.hash() == moved);
        bench.runner.reset();
        CHECK(bench.hash() == hashes[0]);
    }
    SECTION("numbers that are none are refused") {
        bench.runner.setStartState({NAN, 0}, {0, 0});
        CHECK_FALSE(bench.now()->problem.empty());
        bench.runner.setStartState({0}, {0, 0});
        CHECK_FALSE(bench.now()->problem.empty());
        CHECK(std::isfinite(bench.now()->state.q[0]));
    }
}

TEST_CASE("quaternions are unit when moved by hand", "[runner]") {
    Bench bench(test::satellite());
    std::vector<double> q = bench.now()->state.q, v = bench.now()->state.v;
    q[0] = 2, q[1] = 1, q[2] = -1, q[3] = 0.5;
    bench.runner.setStartState(q, v);
    const auto s = bench.now();
    CHECK(std::hypot(std::hypot(s->state.q[0], s->state.q[1]), std::hypot(s->state.q[2], s->state.q[3])) == Approx(1));
    std::fill_n(q.begin(), 4, 0.0);
    bench.runner.setStartState(q, v);
    CHECK(bench.now()->state.q[0] == 1);
}

TEST_CASE("a trial state is shown as it is", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(10);
    State trial;
    trial.q = {1, 2};
    trial.v = {3, 4};
    bench.runner.setTrial(trial);
    CHECK(bench.now()->state.q == trial.q);
    CHECK(bench.now()->state.v == trial.v);
    CHECK(bench.now()->run == RunState::paused);
    bench.runner.step(1);
    CHECK(bench.now()->state.step == 1);
}

TEST_CASE("a push acts, shows, and ends", "[runner]") {
    Bench bench(test::springpend());
    Inputs::Push push;
    push.body = 1;
    push.point = {0, 0, -0.5};
    push.target = {2, 0, 0};
    push.stiffness = 100;
    bench.runner.setPush(push);
    bench.runner.step(1);
    const auto s = bench.now();
    REQUIRE(s->readings.push_force);
    const Vector3d f = *s->readings.push_force, p = *s->readings.push_point;
    for (std::size_t k = 0; k < 3; ++k) CHECK(f[k] == Approx(100 * (push.target[k] - p[k])));
    bench.runner.step(50);
    CHECK(bench.now()->readings.ledger.hand != 0);
    bench.runner.setPush(std::nullopt);
    CHECK_FALSE(bench.now()->readings.push_force);
    push.body = 99;
    bench.runner.setPush(push);
    CHECK_FALSE(bench.now()->readings.push_force);
}

TEST_CASE("a trial state is never taken for the start", "[runner]") {
    Bench bench(test::springpend());
    CHECK(bench.now()->atStart());
    const Hash start = bench.hash();
    State trial;
    trial.q = {1, 2};
    trial.v = {3, 4};
    bench.runner.setTrial(trial);
    CHECK_FALSE(bench.now()->atStart());
    bench.runner.setParameter(0, 99);
    CHECK(bench.now()->state.q == trial.q);
    bench.runner.setParameter(0, bench.model->liveValues()[0]);
    bench.runner.setStartState({0.5, 0.25}, {0, 0});
    CHECK(bench.now()->state.q == std::vector<double>{0.5, 0.25});
    CHECK_FALSE(bench.now()->atStart());
    SECTION("reset returns to the start") { bench.runner.reset(); }
    SECTION("so does a step back to where the trial began, and reset") {
        bench.runner.step(3);
        bench.runner.step(-3);
        CHECK_FALSE(bench.now()->atStart());
        bench.runner.reset();
    }
    SECTION("an edit does too") { bench.runner.setModel(bench.model, bench.kernel, false); }
    CHECK(bench.now()->atStart());
    CHECK(bench.hash() == start);
}

TEST_CASE("a pause on the way through the past leaves what came after", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(500);
    const Hash last = bench.hash();
    bench.runner.scrub(0.1);
    {
        const auto still = bench.hold();
        bench.runner.step(300);
        bench.runner.pause();
    }
    CHECK(bench.now()->history_end == Approx(0.5));
    bench.runner.scrub(0.5);
    CHECK(bench.hash() == last);
}

TEST_CASE("whatever says where the run is to stand ends a long way of steps", "[runner]") {
    Bench bench(test::springpend());
    bench.runner.step(10);
    const auto at_10 = bench.now();
    {
        const auto still = bench.hold();
        bench.runner.step(2'000'000'000);
        SECTION("toggle") { bench.runner.toggle(); }
        SECTION("reset") { bench.runner.reset(); }
        SECTION("scrub") { bench.runner.scrub(0.005); }
        SECTION("another model") { bench.runner.setModel(bench.model, bench.kernel, false); }
        SECTION("none at all") { bench.runner.clear(); }
        SECTION("a pause that another one follows") {
            bench.runner.pause();
            bench.runner.step(2'000'000'000);
            bench.runner.pause();
        }
    }
    CHECK(bench.now()->state.step < 1'000'000'000);
    // Nothing of the interruption is left over.
    bench.runner.setModel(bench.model, bench.kernel, false);
    bench.runner.reset();
    bench.runner.step(10);
    CHECK(bench.hash() == stateHash(at_10->state));
}

namespace {

std::atomic<bool> faulty{false};
decltype(mw_kernel::fwd_dyn) sound = nullptr;

}  // namespace

TEST_CASE("a fault in the middle of a step stops the run and is said", "[runner]") {
    Bench bench(test::springpend());
    auto c = std::make_shared<mw_kernel>(*bench.kernel.c);
    sound = c->fwd_dyn;
    c->fwd_dyn = [](auto... arguments) {
        if (faulty) throw std::runtime_error("the floor gave way");
        return sound(arguments...);
    };
    Kernel kernel{c.get(), "faulty", std::make_shared<std::pair<Kernel, std::shared_ptr<mw_kernel>>>(bench.kernel, c)};
    bench.runner.setKernel(kernel);
    bench.runner.step(10);
    REQUIRE(bench.now()->state.step == 10);
    SECTION("asked for steps") {
        faulty = true;
        bench.runner.step(1000);
    }
    SECTION("playing") {
        bench.runner.play();
        bench.runner.flush();
        faulty = true;
        CHECK(bench.waiter.until([&] { return !bench.runner.snapshot()->problem.empty(); }));
    }
    CHECK(bench.now()->problem == "the floor gave way");
    CHECK(bench.now()->run == RunState::paused);
    faulty = false;
    bench.runner.setKernel(bench.kernel);
    bench.runner.reset();
    bench.runner.step(10);
    CHECK(bench.now()->problem.empty());
    CHECK(bench.hash() == byHand(bench.model, bench.kernel, 10)[10]);
}

TEST_CASE("dt 0 is the suggested one and says why", "[runner]") {
    Bench bench(test::springpend(), 0);
    const auto s = bench.now();
    CHECK(s->dt_suggested);
    CHECK_FALSE(s->dt_why.empty());
    CHECK(s->dt == suggestedStep(*bench.model, layoutOf(*bench.model), bench.kernel, s->state, s->inputs.param));
    bench.runner.setDt(2e-4);
    CHECK(bench.now()->dt == 2e-4);
    CHECK_FALSE(bench.now()->dt_suggested);
    bench.runner.setDt(-1);
    CHECK_FALSE(bench.now()->problem.empty());
    CHECK(bench.now()->dt == 2e-4);
}

TEST_CASE("a run ends at once with its owner", "[runner]") {
    Bench bench(test::elbow());
    bench.runner.setSpeed(std::numeric_limits<double>::infinity());
    bench.runner.play();
    bench.runner.step(2'000'000'000);
}
