// The outside opinion beside a proof: asked in the background after a proof that passed, given up when the text moves
// on, never in the way of "proven"; what it says becomes gates and words.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "app/live/workshop.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/track/expand.h"
#include "tests/app/live/waiter.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

const std::string kText = R"(mech 1
body bob
  joint revolute y
  mass 1  cg 0 0 -1
  inertia 0.1 0.1 0.1 0 0 0
)";
const std::string kHeavier = R"(mech 1
body bob
  joint revolute y
  mass 2  cg 0 0 -1
  inertia 0.1 0.1 0.1 0 0 0
)";
const std::string kProven = "proven · 1 gate · worst 2.1e-13";

CrossCheckReport answer(bool mujoco_agrees = true) {
    CrossCheckReport report;
    report.model = "bob";
    report.lines = {{"simbody", "3.7", "acceleration", 1e-14, 1e-8, true, false, "worst at trial 3"},
                    {"simbody", "3.7", "loop-force", 0, 0, true, true, "there are no loops"},
                    {"mujoco", "2.2", "acceleration", 0.5, 1e-8, mujoco_agrees, false, "worst at trial 1"},
                    {"mujoco", "2.2", "motion", 1e-7, 1e-5, true, false, "over 0.25 s"}};
    report.passed = mujoco_agrees;
    return report;
}

/// A workshop whose only slow step is the outside opinion: it answers when the test lets it.
struct Bench {
    std::mutex mutex;
    std::condition_variable moved;
    bool open = true, proof_passes = true;
    int asked = 0, given_up = 0, proven = 0;
    std::vector<std::string> texts;
    std::optional<CrossCheckReport> says = answer();
    Waiter waiter;
    std::unique_ptr<Workshop> workshop;

    explicit Bench(bool outside = true) {
        Workshop::Options options;
        options.cache.clear();
        options.outside = outside;
        options.tools.derive = [](const Model&, const std::string& name, const gen::Progress&) {
            auto program = std::make_shared<gen::Program>();
            program->model_name = name;
            return program;
        };
        options.tools.write_c = [](const gen::Program&, const Model&, std::vector<int>*) { return std::string("\n"); };
        options.tools.interpret = [](std::shared_ptr<const gen::Program>, const Model& model) {
            return makeReferenceKernel(model);
        };
        options.tools.compile = [](std::shared_ptr<const gen::Program>, const Model& model, gen::Tier,
                                   const gen::Progress&) { return makeReferenceKernel(model); };
        options.tools.prove = [this](const Model&, const std::string&, const Kernel&, const ProofOptions&) {
            const std::lock_guard lock(mutex);
            ++proven;
            ProofReport report;
            report.trials = 1000;
            report.gates = {{"agreement.accelerations", 2.1e-13, 1e-9, proof_passes, false, "", {}}};
            return report;
        };
        options.tools.crosscheck = [this](const std::string& name, const std::string& text,
                                          const std::atomic<bool>& cancel) {
            CHECK(name == "bob.mech");
            {
                const std::lock_guard lock(mutex);
                ++asked;
                texts.push_back(text);
            }
            waiter.poke();
            std::unique_lock lock(mutex);
            while (!open && !cancel) moved.wait_for(lock, std::chrono::milliseconds(1));
            given_up += cancel;
            return says;
        };
        workshop = std::make_unique<Workshop>(options);
        workshop->on_change = [this] { waiter.poke(); };
    }
    ~Bench() { workshop.reset(); }

    void submit(const std::string& text) { workshop->submit(readMechanism(text), hashText(text), "bob.mech", text); }
    void hold(bool held) {
        const std::lock_guard lock(mutex);
        open = !held;
        moved.notify_all();
    }
    int count(int& counter) {
        const std::lock_guard lock(mutex);
        return counter;
    }
    void reach(const std::function<bool()>& condition) {
        const bool reached = waiter.until(condition);
        CAPTURE(workshop->badge().words, workshop->badge().outside);
        REQUIRE(reached);
    }
    std::string outside() const { return workshop->badge().outside; }
};

}  // namespace

TEST_CASE("other engines that agree are said beside the proof, check by check", "[outside]") {
    Bench bench;
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK(bench.workshop->badge().words == kProven);
    CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
    const auto built = bench.workshop->built();
    REQUIRE(built->outside);
    CHECK(built->outside->verdict == OutsideOpinion::Verdict::agree);
    REQUIRE(built->outside->gates.size() == 4);
    CHECK(built->outside->gates[0].name == "crosscheck.simbody.acceleration");
    CHECK(built->outside->gates[1].skipped);
    CHECK(built->outside->gates[3].bound == 1e-5);
    // The proof is what it was without them.
    CHECK(built->proof->gates.size() == 1);
    const Job job = bench.workshop->jobs().front();
    CHECK(job.kind == Job::Kind::crosscheck);
    CHECK(job.status == Job::Status::done);
    CHECK(job.detail == "Simbody and MuJoCo agree");

    // Comments and undo ask nothing anew; proving again does.
    bench.submit(kText + "# why\n");
    bench.submit(kHeavier);
    bench.workshop->waitIdle();
    bench.submit(kText);
    bench.workshop->waitIdle();
    CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
    CHECK(bench.texts == std::vector<std::string>{kText, kHeavier});
    bench.workshop->revalidate();
    bench.workshop->waitIdle();
    CHECK(bench.texts == std::vector<std::string>{kText, kHeavier, kText});
    CHECK(bench.proven == 3);
}

TEST_CASE("a disagreement outside is said; the kernel that was proven still runs", "[outside]") {
    Bench bench;
    bench.says = answer(false);
    bench.submit(kText);
    bench.workshop->waitIdle();
    const Badge badge = bench.workshop->badge();
    CHECK(badge.state == Badge::State::contradicted);
    CHECK(badge.text == "Contradicted outside");
    CHECK(badge.detail == "proven by the reference, but MuJoCo disagrees: acceleration; Simbody agrees");
    CHECK(bench.workshop->built()->proof->passed());
}

TEST_CASE("however slow others are, it is proven meanwhile, and the text may move on", "[outside]") {
    Bench bench;
    bench.hold(true);
    bench.submit(kText);
    bench.reach([&] { return bench.count(bench.asked) == 1; });
    CHECK(bench.workshop->badge().state == Badge::State::proven);
    CHECK(bench.workshop->badge().words == kProven);
    CHECK(bench.outside() == "outside opinion: being asked");
    CHECK(bench.workshop->built()->proof);
    SECTION("an edit ends it") {
        bench.submit(kHeavier);
        bench.reach([&] { return bench.count(bench.asked) == 2; });
        CHECK(bench.count(bench.given_up) == 1);
        CHECK(bench.workshop->badge().state == Badge::State::proven);
        bench.hold(false);
        bench.workshop->waitIdle();
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
        // Back to the first: proven before, asked again since nothing was heard of it.
        bench.submit(kText);
        CHECK(bench.workshop->badge().state == Badge::State::proven);
        bench.workshop->waitIdle();
        CHECK(bench.asked == 3);
        CHECK(bench.proven == 2);
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
    }
    SECTION("a comment does not") {
        bench.submit(kText + "# why\n");
        CHECK(bench.workshop->badge().state == Badge::State::proven);
        bench.hold(false);
        bench.workshop->waitIdle();
        CHECK(bench.asked == 1);
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
    }
    SECTION("its job can be stopped") {
        bench.workshop->cancel(bench.workshop->jobs().front().id);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->jobs().front().status == Job::Status::cancelled);
        CHECK(bench.workshop->badge().words == kProven);
        CHECK(bench.outside().empty());
    }
    SECTION("it can be switched off, and on again") {
        bench.workshop->setOutside(false);
        bench.workshop->waitIdle();
        CHECK(bench.given_up == 1);
        CHECK(bench.workshop->badge().words == kProven);
        CHECK(bench.outside().empty());
        bench.submit(kHeavier);
        bench.workshop->waitIdle();
        CHECK(bench.asked == 1);
        bench.hold(false);
        bench.workshop->setOutside(true);
        bench.workshop->waitIdle();
        CHECK(bench.texts == std::vector<std::string>{kText, kHeavier});
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
        // Switched off it is not shown; on again it is known.
        bench.workshop->setOutside(false);
        CHECK(bench.outside().empty());
        CHECK(!bench.workshop->built()->outside);
        bench.workshop->setOutside(true);
        bench.workshop->waitIdle();
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
        CHECK(bench.asked == 2);
    }
    SECTION("proving again does not wait for it") {
        bench.workshop->revalidate();
        bench.reach([&] { return bench.count(bench.proven) == 2; });
        bench.hold(false);
        bench.workshop->waitIdle();
        CHECK(bench.given_up == 1);
        CHECK(bench.outside() == "outside opinion: Simbody and MuJoCo agree");
    }
    SECTION("the window may close") { bench.workshop.reset(); }
}

TEST_CASE("no opinion, no answer, no proof: nothing is held against the mechanism", "[outside]") {
    Bench bench;
    SECTION("not built") {
        bench.says.reset();
        bench.submit(kText);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->badge().words == kProven);
        CHECK(bench.outside() == "outside opinion: not built");
        CHECK(bench.workshop->built()->outside->gates.at(0).skipped);
    }
    SECTION("no answer") {
        bench.says = CrossCheckReport{};
        bench.says->trouble = "no answer within 120 s";
        bench.submit(kText);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->badge().words == kProven);
        CHECK(bench.outside() == "outside opinion: none");
        CHECK(bench.workshop->jobs().front().detail == "no outside opinion: no answer within 120 s");
    }
    SECTION("no engine that can hold it") {
        for (CrossCheckLine& line : bench.says->lines) line.skipped = line.pass = true;
        bench.submit(kText);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->badge().state == Badge::State::proven);
        CHECK(bench.outside() == "outside opinion: none: no engine can hold this mechanism");
    }
    SECTION("a proof that failed") {
        bench.proof_passes = false;
        bench.submit(kText);
        bench.workshop->waitIdle();
        CHECK(bench.workshop->badge().state == Badge::State::failed);
        CHECK(bench.outside().empty());
        CHECK(bench.asked == 0);
    }
    SECTION("no text") {
        bench.workshop->submit(readMechanism(kText), hashText(kText), "bob.mech");
        bench.workshop->waitIdle();
        CHECK(bench.asked == 0);
        CHECK(bench.workshop->badge().words == kProven);
    }
}

TEST_CASE("one engine may have to leave it to the other", "[outside]") {
    CrossCheckReport report = answer();
    report.lines.resize(2);
    CHECK(outsideOpinion(report).words == "Simbody agrees");
    report.lines.push_back({"mujoco", "2.2", "acceleration", 0, 0, true, true, "it has no screws"});
    CHECK(outsideOpinion(report).words == "Simbody agrees");
    report.lines[0].pass = false;
    CHECK(outsideOpinion(report).words == "Simbody disagrees: acceleration");
    CHECK(outsideOpinion(report).verdict == OutsideOpinion::Verdict::disagree);
    report.lines.clear();
    CHECK(outsideOpinion(report).verdict == OutsideOpinion::Verdict::none);
    CHECK(outsideOpinion(report).gates.size() == 1);
}
