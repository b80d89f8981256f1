// The workshop with heavy steps that the test holds and lets go: which work is done, which is not, and what the badge
// says.
#include "app/live/workshop.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "engine/dynamics/reference_kernel.h"
#include "engine/track/expand.h"
#include "tests/app/live/waiter.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

const std::string kText = R"(mech 1
param k 60  range 0 400  live
body arm
  joint revolute y
  mass 1  cg 0.3 0 0
  inertia 0.01 0.02 0.02 0 0 0
  start 0.1
rsda spring joint arm  k k  q0 0
drive motor joint arm  speed 1  gain 2
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// A workshop whose steps wait at a gate until they are let through, and count.
struct Bench {
    std::mutex mutex;
    std::condition_variable moved;
    bool derive_open = true, compile_open = true, prove_open = true;
    bool heeds_cancel = true;  // between pieces of work; at its end every step does
    int derived = 0, compiled = 0, proven = 0;
    std::string derive_fault, compile_late_fault;  // the latter in place of heeding a cancel
    bool proof_passes = true, code_agrees = true;
    std::vector<double> masses;  // of the models that were derived, in order
    Waiter waiter;
    std::unique_ptr<Workshop> workshop;

    explicit Bench(bool optimise = true, bool validate = true) {
        Workshop::Options options;
        options.cache.clear();
        options.optimise = optimise;
        options.validate = validate;
        options.tools.derive = [this](const Model& model, const std::string& name, const gen::Progress& progress) {
            {
                const std::lock_guard lock(mutex);
                ++derived;
                masses.push_back(model.bodies.at(0).mass.value);
            }
            waiter.poke();  // the workshop tells before a step begins, which may be before the count has moved
            progress.at(0.4);
            pass(derive_open, progress.cancel);
            if (!derive_fault.empty()) throw std::runtime_error(derive_fault);
            auto program = std::make_shared<gen::Program>();
            program->model_name = name;
            return program;
        };
        options.tools.write_c = [](const gen::Program&, const Model&, std::vector<int>* lines) {
            lines->assign(1, kBase);
            return std::string("/* code */\n");
        };
        options.tools.interpret = [](std::shared_ptr<const gen::Program>, const Model& model) {
            return named(model, "interpreter");
        };
        options.tools.compile = [this](std::shared_ptr<const gen::Program>, const Model& model, gen::Tier tier,
                                       const gen::Progress& progress) {
            {
                const std::lock_guard lock(mutex);
                ++compiled;
            }
            waiter.poke();
            pass(compile_open, compile_late_fault.empty() ? progress.cancel : nullptr);
            if (!compile_late_fault.empty()) throw std::runtime_error(compile_late_fault);
            return named(model, tier == gen::Tier::fast ? "jit fast" : "jit optimised");
        };
        options.tools.prove = [this](const Model&, const std::string& name, const Kernel& kernel,
                                     const ProofOptions& o) {
            {
                const std::lock_guard lock(mutex);
                ++proven;
            }
            waiter.poke();
            CHECK(o.same_bits.size() == (kernel.maker == "jit optimised" ? 2u : 1u));
            o.progress(620, 1000);
            pass(prove_open, o.cancel);
            ProofReport report;
            report.model = name;
            report.trials = 1000;
            report.gates.resize(3);
            report.gates[0] = {
                "agreement.accelerations", code_agrees ? 2.1e-13 : 0.3, 1e-9, code_agrees, false, "", {}};
            report.gates[1] = {"motion.order-verlet", 4.0, 0.06, proof_passes, false, "worst at trial 7", {}};
            report.gates[2].skipped = report.gates[2].pass = true;
            return report;
        };
        workshop = std::make_unique<Workshop>(options);
        workshop->on_change = [this] { waiter.poke(); };
    }
    ~Bench() { workshop.reset(); }

    static Kernel named(const Model& model, const char* maker) {
        Kernel kernel = makeReferenceKernel(model);
        kernel.maker = maker;
        return kernel;
    }

    void pass(bool& open, const std::atomic<bool>* cancel) {
        std::unique_lock lock(mutex);
        // A cancelled step looks at its flag as the real ones do, between pieces of work and at its end.
        while (!open && !(cancel && *cancel && heeds_cancel)) moved.wait_for(lock, std::chrono::milliseconds(1));
        if (cancel && *cancel) throw gen::Cancelled{};
    }
    void set(bool& gate, bool open) {
        const std::lock_guard lock(mutex);
        gate = open;
        moved.notify_all();
    }
    int count(int& counter) {
        const std::lock_guard lock(mutex);
        return counter;
    }

    Hash submit(const std::string& text) {
        const Hash hash = hashText(text);
        workshop->submit(readMechanism(text), hash, "arm");
        return hash;
    }
    void reach(const std::string& words) {
        const bool reached = waiter.until([&] { return workshop->badge().words == words; });
        CAPTURE(workshop->badge().words);
        REQUIRE(reached);
    }
    std::string words() const { return workshop->badge().words; }
};

}  // namespace

TEST_CASE("the badge follows the work, in these words", "[workshop]") {
    Bench bench;
    CHECK(bench.words() == "editing");
    CHECK_FALSE(bench.workshop->built());
    bench.derive_open = bench.compile_open = bench.prove_open = false;
    const Hash hash = bench.submit(kText);

    // At once: the mechanism runs on the reference.
    REQUIRE(bench.workshop->built());
    CHECK(bench.workshop->built()->kernel.maker == "reference");
    CHECK(bench.workshop->built()->text == hash);
    CHECK_FALSE(bench.workshop->stale());

    bench.reach("deriving 40 %");
    CHECK(bench.workshop->badge().state == Badge::State::deriving);
    CHECK(bench.workshop->badge().progress == Approx(0.4));
    bench.set(bench.derive_open, true);
    bench.reach("compiling");
    CHECK(bench.workshop->built()->program);
    CHECK(bench.workshop->built()->c_code == "/* code */\n");
    bench.set(bench.compile_open, true);
    bench.reach("validating 620/1000");
    CHECK(bench.workshop->built()->kernel.maker == "jit optimised");
    CHECK_FALSE(bench.workshop->built()->proof);
    bench.set(bench.prove_open, true);
    bench.reach("proven · 2 gates · worst 2.1e-13");
    const Badge badge = bench.workshop->badge();
    CHECK(badge.text == "Proven");
    CHECK(badge.detail == "2 gates · worst 2.1e-13");
    bench.workshop->waitIdle();
    const auto jobs = bench.workshop->jobs();
    REQUIRE(jobs.size() == 4);
    for (const Job& job : jobs) {
        CHECK(job.status == Job::Status::done);
        CHECK(job.progress == 1);
        CHECK(job.text == hash);
    }
    CHECK(jobs.front().kind == Job::Kind::validate);
}

TEST_CASE("only the newest text is worked on", "[workshop]") {
    Bench bench;
    bench.derive_open = bench.heeds_cancel = false;
    bench.submit(kText);
    REQUIRE(bench.waiter.until([&] { return bench.count(bench.derived) == 1; }));
    bench.submit(replaced(kText, "mass 1", "mass 2"));
    bench.submit(replaced(kText, "mass 1", "mass 3"));
    const Hash last = bench.submit(replaced(kText, "mass 1", "mass 4"));
    CHECK(bench.workshop->built()->model->bodies[0].mass.value == 4);
    bench.set(bench.derive_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.masses == std::vector<double>{1, 4});
    CHECK(bench.workshop->built()->text == last);
    CHECK(bench.workshop->built()->proof);
    int cancelled = 0, done = 0;
    for (const Job& job : bench.workshop->jobs()) {
        cancelled += job.status == Job::Status::cancelled;
        done += job.status == Job::Status::done;
    }
    CHECK(cancelled == 12);
    CHECK(done == 4);
}

TEST_CASE("results of an abandoned text are never shown", "[workshop]") {
    Bench bench;
    bench.prove_open = false;
    bench.submit(kText);
    bench.reach("validating 620/1000");
    bench.set(bench.derive_open, false);
    bench.submit(replaced(kText, "mass 1", "mass 2"));
    CHECK(bench.workshop->built()->kernel.maker == "reference");
    CHECK_FALSE(bench.workshop->built()->program);
    bench.reach("deriving 40 %");
    bench.set(bench.prove_open, true);
    bench.set(bench.derive_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.workshop->built()->model->bodies[0].mass.value == 2);
    CHECK(bench.workshop->built()->kernel->model_hash[0] == dynamicsHash(*bench.workshop->built()->model).high);
}

TEST_CASE("a broken text keeps the last good mechanism, and its work goes on", "[workshop]") {
    Bench bench;
    bench.derive_open = false;
    const Hash good = bench.submit(kText);
    REQUIRE(bench.waiter.until([&] { return bench.count(bench.derived) == 1; }));
    bench.submit(replaced(kText, "mass 1", "mass"));
    CHECK(bench.words() == "last good shown");
    CHECK(bench.workshop->badge().state == Badge::State::last_good);
    CHECK_FALSE(bench.workshop->badge().detail.empty());
    CHECK(bench.workshop->stale());
    CHECK(bench.workshop->built()->text == good);
    bench.set(bench.derive_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.workshop->built()->proof);
    CHECK(bench.words() == "last good shown");
    bench.submit(kText);
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK_FALSE(bench.workshop->stale());
    CHECK(bench.derived == 1);
}

TEST_CASE("a text that never was good says so", "[workshop]") {
    Bench bench;
    bench.submit("mech 1\nbody\n");
    bench.workshop->waitIdle();
    CHECK_FALSE(bench.workshop->built());
    CHECK(bench.words() == "editing");
    CHECK_FALSE(bench.workshop->badge().detail.empty());
    CHECK(bench.workshop->stale());
}

TEST_CASE("comments, colours and start values derive nothing", "[workshop]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    REQUIRE(bench.workshop->badge().state == Badge::State::proven);
    const auto before = bench.workshop->built();
    for (const std::string& text :
         {"# new\n" + kText, kText + "shape s on arm  sphere 0.1  color 1 0 0\n",
          replaced(kText, "start 0.1", "start 0.2"), replaced(kText, "mech 1\n", "mech 1\ntitle \"T\"\n"),
          replaced(kText, "k 60", "k 70")}) {
        const Hash hash = bench.submit(text);
        const auto now = bench.workshop->built();
        CHECK(now->text == hash);
        CHECK(now->kernel.c == before->kernel.c);
        CHECK(now->proof == before->proof);
        CHECK(bench.workshop->badge().state == Badge::State::proven);
    }
    bench.workshop->waitIdle();
    CHECK(bench.derived == 1);
    CHECK(bench.compiled == 2);
    CHECK(bench.proven == 1);
}

TEST_CASE("a comment typed while the work is under way does not disturb it", "[workshop]") {
    Bench bench;
    bench.derive_open = false;
    bench.submit(kText);
    REQUIRE(bench.waiter.until([&] { return bench.count(bench.derived) == 1; }));
    const Hash hash = bench.submit(kText + "# why\n");
    bench.set(bench.derive_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.derived == 1);
    CHECK(bench.workshop->built()->text == hash);
    CHECK(bench.workshop->built()->proof);
}

TEST_CASE("another drive keeps the code and is proven anew", "[workshop]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    const auto before = bench.workshop->built();
    bench.set(bench.prove_open, false);
    bench.submit(replaced(kText, "gain 2", "gain 3"));
    CHECK(bench.workshop->built()->kernel.c == before->kernel.c);
    CHECK_FALSE(bench.workshop->built()->proof);
    bench.reach("validating 620/1000");
    bench.set(bench.prove_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.derived == 1);
    CHECK(bench.proven == 2);
    CHECK(bench.workshop->built()->proof);
}

TEST_CASE("an undone edit finds its code and proof again", "[workshop]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    const Kernel first = bench.workshop->built()->kernel;
    bench.submit(replaced(kText, "mass 1", "mass 2"));
    bench.workshop->waitIdle();
    bench.submit(kText);
    CHECK(bench.workshop->built()->kernel.c == first.c);
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    bench.workshop->waitIdle();
    CHECK(bench.derived == 2);
    CHECK(bench.proven == 2);
}

TEST_CASE("a step that fails is named, and the reference goes on", "[workshop]") {
    Bench bench;
    bench.derive_fault = "the equations are too long";
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: derive");
    CHECK(bench.workshop->badge().detail == "the equations are too long");
    CHECK(bench.workshop->built()->kernel.maker == "reference");
    const auto jobs = bench.workshop->jobs();
    CHECK(jobs.back().status == Job::Status::failed);
    CHECK(jobs.front().status == Job::Status::cancelled);
    bench.derive_fault.clear();
    bench.submit(replaced(kText, "mass 1", "mass 2"));
    bench.workshop->waitIdle();
    CHECK(bench.workshop->badge().state == Badge::State::proven);
}

TEST_CASE("code that a gate refutes gives way to the reference; a gate of motion takes nothing away", "[workshop]") {
    Bench bench;
    bench.code_agrees = false;
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: agreement.accelerations");
    CHECK(bench.workshop->built()->kernel.maker == "reference");
    bench.code_agrees = true;
    bench.proof_passes = false;
    bench.workshop->revalidate();
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: motion.order-verlet");
    CHECK(bench.workshop->built()->kernel.maker == "jit optimised");
}

TEST_CASE("a gate that trips names itself", "[workshop]") {
    Bench bench;
    bench.proof_passes = false;
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: motion.order-verlet");
    CHECK(bench.workshop->badge().text == "Failed: motion.order-verlet");
    CHECK(bench.workshop->badge().detail == "worst at trial 7");
    bench.proof_passes = true;
    bench.workshop->revalidate();
    bench.workshop->waitIdle();
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK(bench.derived == 1);
}

TEST_CASE("jobs can be cancelled, and asked for again", "[workshop]") {
    Bench bench;
    bench.prove_open = false;
    bench.submit(kText);
    bench.reach("validating 620/1000");
    bench.workshop->cancel(bench.workshop->jobs().front().id);
    bench.workshop->waitIdle();
    CHECK(bench.workshop->jobs().front().status == Job::Status::cancelled);
    CHECK(bench.words() == "failed: not validated");
    CHECK(bench.workshop->built()->kernel.maker == "jit optimised");
    bench.set(bench.prove_open, true);
    bench.workshop->revalidate();
    bench.workshop->waitIdle();
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK(bench.derived == 1);

    SECTION("one that still waits is left out") {
        bench.set(bench.derive_open, false);
        bench.submit(replaced(kText, "mass 1", "mass 2"));
        bench.reach("deriving 40 %");
        for (const Job& job : bench.workshop->jobs())
            if (job.status == Job::Status::waiting && job.kind == Job::Kind::compile_optimised)
                bench.workshop->cancel(job.id);
        bench.set(bench.derive_open, true);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->built()->kernel.maker == "jit fast");
        CHECK(bench.workshop->badge().state == Badge::State::proven);
    }
    SECTION("numbers that are none of a job do nothing") {
        bench.workshop->cancel(0);
        bench.workshop->cancel(4711);
        CHECK(bench.workshop->badge().state == Badge::State::proven);
    }
}

TEST_CASE("what goes wrong in work that was cancelled is not held against the mechanism", "[workshop]") {
    Bench bench;
    bench.compile_late_fault = "interrupted";
    bench.compile_open = false;
    bench.submit(kText);
    bench.reach("compiling");
    bench.workshop->cancel(bench.workshop->jobs().at(2).id);
    bench.set(bench.compile_open, true);
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: not validated");
}

TEST_CASE("another document does not begin with the mechanism of the one before", "[workshop]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    REQUIRE(bench.workshop->badge().state == Badge::State::proven);
    bench.submit(replaced(kText, "mass 1", "mass 2"));
    bench.workshop->forget();
    CHECK_FALSE(bench.workshop->built());
    bench.submit("mech 1\nbody\n");
    bench.workshop->waitIdle();
    CHECK_FALSE(bench.workshop->built());
    CHECK(bench.workshop->stale());
    CHECK(bench.workshop->badge().state == Badge::State::editing);
    // What was proven once is still known.
    const int proven = bench.count(bench.proven);
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK(bench.count(bench.proven) == proven);
}

TEST_CASE("typing shows at once", "[workshop]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    bench.workshop->noteEditing();
    CHECK(bench.words() == "editing");
    CHECK(bench.workshop->stale());
    bench.submit(kText);
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK_FALSE(bench.workshop->stale());
}

TEST_CASE("without validation nothing is called proven", "[workshop]") {
    Bench bench(true, false);
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.words() == "failed: not validated");
    CHECK(bench.workshop->built()->kernel.maker == "jit optimised");
    CHECK(bench.proven == 0);
}

TEST_CASE("closing in the middle of any step leaves no thread behind", "[workshop]") {
    for (int where = 0; where < 3; ++where) {
        Bench bench;
        bool* gates[] = {&bench.derive_open, &bench.compile_open, &bench.prove_open};
        int* counters[] = {&bench.derived, &bench.compiled, &bench.proven};
        *gates[where] = false;
        bench.submit(kText);
        REQUIRE(bench.waiter.until([&] { return bench.count(*counters[where]) > 0; }));
        bench.workshop.reset();
    }
}
