// Proof of mechanisms with closed loops: their states, their gates on good and faulty kernels, and the refusal of
// redundant rows with a patch that mends them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "engine/dynamics/reference_kernel.h"
#include "engine/mech/patch.h"
#include "engine/proof/gates.h"
#include "engine/track/expand.h"
#include "generator/generate.h"
#include "tests/engine/proof/looped.h"
#include "tests/support/catch.h"
#include "tests/support/faulty_kernel.h"
#include "tests/support/loop_models.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

const Gate* findGate(const ProofReport& report, const std::string& name) {
    for (const Gate& g : report.gates)
        if (g.name == name) return &g;
    return nullptr;
}

std::string inWords(const ProofReport& report) {
    std::ostringstream s;
    for (const Gate& g : report.gates)
        s << (g.skipped ? "  -    "
              : g.pass  ? "  pass "
                        : "  FAIL ")
          << g.name << " " << g.value << " (" << g.bound << ") " << g.detail << "\n";
    return s.str();
}

ProofOptions quick(int trials, bool motion) {
    ProofOptions options;
    options.trials = trials;
    options.motion = motion;
    return options;
}

Model fourBar() { return loopModel(fourBarText(0.2, 0.5, 0.4, 0.5)); }

Model looped(std::uint64_t seed, bool damped) {
    TreeOptions tree;
    tree.bodies = 6;
    tree.elements = tree.dissipation = damped;
    return soundLooped(seed, tree);
}

std::string textOf(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("good kernels of mechanisms with loops pass every gate", "[proof][loops]") {
    std::vector<std::pair<std::string, Model>> models = {{"fourbar", fourBar()},
                                                         {"slidercrank", loopModel(sliderCrankText(0.1, 0.3, 0.7))}};
    for (int seed = 1; seed <= 8; seed++) models.emplace_back("random " + std::to_string(seed), looped(seed, seed % 2));
    for (const auto& [name, model] : models) {
        ProofOptions options = quick(40, true);
        options.same_bits = {makeReferenceKernel(model, ReferenceRoute::aba)};
        const ProofReport report = prove(model, name, makeReferenceKernel(model, ReferenceRoute::aba), options);
        INFO(name << "\n" << inWords(report));
        CHECK(report.passed());
        CHECK(report.trials == 40);
        REQUIRE(report.loops);
        CHECK(report.loops->health.sound());
        CHECK(report.loops->poses == 40);
        for (const char* gate :
             {"agreement.loop-forces", "agreement.loop-jacobian", "loops.closed", "loops.rank", "loops.condition",
              "loops.jacobian", "loops.constraint", "loops.projection", "loops.stabilisation"}) {
            INFO(gate);
            CHECK(findGate(report, gate));
        }
    }
}

TEST_CASE("generated code of mechanisms with loops of every type is proven in both forms", "[proof][loops]") {
    for (int seed = 11; seed <= 22; seed++) {
        const Model model = looped(seed, seed % 3 == 0);
        for (const gen::Form form : {gen::Form::crba, gen::Form::aba}) {
            CAPTURE(seed, static_cast<int>(form));
            const auto program = gen::generate(model, "looped", form);
            const ProofReport report =
                prove(model, "looped", gen::interpreterKernel(program, model), quick(20, seed < 15));
            INFO(inWords(report));
            CHECK(report.passed());
        }
    }
}

TEST_CASE("a mechanism without loops has no gates of loops", "[proof][loops]") {
    const Model model = pendulum();
    const ProofReport report = prove(model, "pendulum", makeReferenceKernel(model), quick(2, false));
    CHECK(report.passed());
    CHECK_FALSE(report.loops);
    for (const Gate& g : report.gates) CHECK(g.name.find("loop") == std::string::npos);
}

TEST_CASE("orders hold without dampers and without stabilisation", "[proof][loops]") {
    for (const double stab : {0.1, 0.02, 0.0}) {
        Model model = fourBar();
        model.stab = stab;
        const ProofReport report = prove(model, "fourbar", makeReferenceKernel(model), quick(2, true));
        INFO(stab << "\n" << inWords(report));
        CHECK(report.passed());
        CHECK(findGate(report, "loops.stabilisation")->skipped == (stab == 0));
    }
}

TEST_CASE("states of a mechanism with loops: near the closed poses, torn on purpose, the same for a seed",
          "[proof][loops]") {
    const Model model = loopModel("param l 0.5 live range 0.35 0.7\n" + fourBarText(0.2, 0.5, 0.4, 0.5) +
                                  "body weight\n  parent crank  joint fixed\n  mass l\n");
    const Layout layout = layoutOf(model);
    Closure closure(model);
    TrialSource states(model, 3), again(model, 3), others(model, 4);
    const Trial late = again.at(30);
    double largest = 0, smallest = 1, slip = 0;
    for (int i = 0; i < 60; i++) {
        const Trial t = states.at(i);
        CHECK(t.closes);
        CHECK((t.param[0] >= 0.35 && t.param[0] <= 0.7));
        const auto worst = [](const std::vector<double>& x) {
            double w = 0;
            for (const double e : x) w = std::max(w, std::abs(e));
            return w;
        };
        CHECK(worst(closure.error(t.closed_q, t.param)) < 1e-11);
        const double torn = worst(closure.error(t.q, t.param));
        largest = std::max(largest, torn);
        smallest = std::min(smallest, torn);
        const std::vector<double> K = closure.jacobian(t.closed_q, t.param);
        for (int r = 0; r < layout.nc; r++) {
            double closed = 0, torn_rate = 0;
            for (int k = 0; k < layout.nv; k++) {
                closed += K[r * layout.nv + k] * t.closed_v[k];
                torn_rate += K[r * layout.nv + k] * t.v[k];
            }
            CHECK(std::abs(closed) < 1e-11);
            slip = std::max(slip, std::abs(torn_rate));
        }
    }
    CHECK(largest < 3e-3);
    CHECK(largest > 3e-4);
    CHECK(smallest > 0);
    CHECK(slip > 1e-3);
    CHECK(slip < 5e-2);
    CHECK(states.at(30).q == late.q);
    CHECK(states.at(30).v == late.v);
    CHECK(states.at(30).q != others.at(30).q);
    CHECK(states.closed(5).param == model.liveValues());
}

TEST_CASE("live parameters that leave the loops open are brought nearer to the declared ones, and it is said",
          "[proof][loops]") {
    // A coupler that cannot span the ground link below 0.2 m or so, nor reach it beyond 1.
    const std::string text = R"(param l 0.5 live range 0.01 3
body crank
  joint revolute y
  mass 1  cg 0.1 0 0  inertia 0.001 0.01 0.01 0 0 0
body coupler
  parent crank  joint revolute y  at 0.2 0 0
  mass 2  cg 0.2 0 0  inertia 0.001 0.02 0.02 0 0 0
body rocker
  joint revolute y  at 0.5 0 0
  mass 1.5  cg 0.1 0 0  inertia 0.001 0.015 0.015 0 0 0
  start -1.5
loop pin
  type point-on-line
  from coupler l 0 0
  to rocker 0.4 0 0
  axis y
)";
    const Model model = loopModel(text);
    TrialSource states(model, 1);
    int milder = 0;
    for (int i = 0; i < 40; i++) {
        const Trial t = states.at(i);
        CHECK(t.closes);
        milder += t.halvings > 0 ? 1 : 0;
    }
    CHECK(milder > 5);
    const ProofReport report = prove(model, "reach", makeReferenceKernel(model), quick(40, false));
    INFO(inWords(report));
    CHECK(findGate(report, "loops.closed")->detail.find("nearer to the declared ones") != std::string::npos);
    CHECK(findGate(report, "loops.closed")->pass);
}

TEST_CASE("loops that cannot be closed at all: how far they stay open, and nothing that would follow from it",
          "[proof][loops]") {
    const Model model = loopModel(fourBarText(0.2, 0.3, 0.2, 1.5));
    const Layout layout = layoutOf(model);
    // The kernel is asked nothing once that is known.
    int asked = 0;
    Fault fault;
    fault.after_loops = [&asked](const double*, const double*, double*, double*) { asked++; };
    const Kernel kernel = faultyKernel(makeReferenceKernel(model), fault);
    const ProofReport report = prove(model, "apart", kernel, quick(1000, true));
    INFO(inWords(report));
    CHECK_FALSE(report.passed());
    CHECK(report.trials == 0);
    CHECK(asked == 0);
    const Gate* closed = findGate(report, "loops.closed");
    REQUIRE(closed);
    CHECK_FALSE(closed->pass);
    CHECK(closed->value == Approx(0.8).epsilon(0.02));
    const Assembly nearest = Closure(model).assemble(startQ(model, layout, {}), {});
    CHECK(closed->detail == nearest.what);
    CHECK(closed->detail.find("loop 'pin'") != std::string::npos);
    REQUIRE(closed->worst);
    CHECK(closed->worst->q == nearest.q);

    // The others are all there, by the names that a closed one has, once each.
    const Model sound = fourBar();
    const ProofReport full = prove(sound, "sound", makeReferenceKernel(sound), quick(2, true));
    std::set<std::string> names, seen;
    for (const Gate& g : full.gates) names.insert(g.name);
    for (const Gate& g : report.gates) {
        INFO(g.name);
        CHECK(seen.insert(g.name).second);
        if (g.name.starts_with("structure.") || g.name.starts_with("names.") || g.name == "loops.closed") continue;
        CHECK(g.skipped);
        CHECK(g.pass);
        CHECK(g.value == 0);
        CHECK(g.detail == "the loops cannot be closed");
        CHECK_FALSE(g.worst);
    }
    CHECK(seen == names);
}

TEST_CASE("a number that is none stays in its gate, whatever comes after it", "[proof][loops]") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    using D = const double*;
    // Two loops, the first of them with the number: the second one's rows are good.
    const Model model = loopModel(fourBarText(0.2, 0.5, 0.4, 0.5) + R"(body far
  joint revolute y  at 5 0 0
  mass 1  cg 0.1 0 0  inertia 0.1 0.1 0.1 0 0 0
body near
  joint prismatic z  at 5.7 0 0
  mass 1
  start 0.3
loop other
  type distance
  from near 0 0 0
  to far 0.3 0 0
  length 0.5
)");
    const Layout layout = layoutOf(model);
    REQUIRE(layout.nloop == 2);
    struct Case {
        const char* what;
        Fault fault;
        std::vector<std::string> gates;
        bool motion;
    };
    std::vector<Case> cases(7);
    // The first loop's bodies come first.
    cases[0] = {"a first acceleration", {}, {"loops.constraint", "agreement.accelerations"}, false};
    cases[0].fault.after_loops = [=](D, D, double* vdot, double*) { vdot[0] = nan; };
    cases[1] = {"an infinite one", {}, {"loops.constraint", "agreement.accelerations"}, false};
    cases[1].fault.after_loops = [=](D, D, double* vdot, double*) { vdot[0] = inf; };
    cases[2] = {"the crank's place", {}, {"loops.closed", "kinematics.velocity"}, false};
    cases[2].fault.after_kinematics = [=](D, double* X, double*) { X[12 + 9] = nan; };
    cases[3] = {"the crank's attitude", {}, {"kinematics.attitude"}, false};
    cases[3].fault.after_kinematics = [=](D, double* X, double*) { X[0] = nan; };
    cases[4] = {"a right-hand side's first", {}, {"loops.projection", "agreement.inverse-mass"}, false};
    cases[4].fault.after_apply = [=](int, double* out) { out[0] = nan; };
    cases[5] = {"a row of K", {}, {"loops.projection", "loops.constraint", "loops.jacobian"}, false};
    cases[5].fault.after_loop_jacobian = [=](double* K) { K[0] = nan; };
    cases[6] = {"poses of a motion", {}, {"motion.order-euler", "motion.order-verlet", "motion.momentum"}, true};
    cases[6].fault.after_kinematics = [=](D, double* X, double*) { X[11] = nan; };
    for (const Case& c : cases) {
        const ProofReport report =
            prove(model, "none", faultyKernel(makeReferenceKernel(model), c.fault), quick(3, c.motion));
        INFO(c.what << "\n" << inWords(report));
        for (const std::string& name : c.gates) {
            INFO(name);
            const Gate* gate = findGate(report, name);
            REQUIRE(gate);
            CHECK_FALSE(gate->pass);
            CHECK_FALSE(gate->skipped);
            CHECK(gate->value == std::numeric_limits<double>::max());
        }
    }
    // Closing of torn loops, too.
    Fault fault;
    fault.after_kinematics = [=](D, double* X, double*) { X[12 + 9] = nan; };
    const ProofReport report = prove(model, "none", faultyKernel(makeReferenceKernel(model), fault), quick(1, true));
    const Gate* closing = findGate(report, "loops.stabilisation");
    REQUIRE(closing);
    CHECK_FALSE(closing->skipped);
    CHECK_FALSE(closing->pass);
}

TEST_CASE("faults of loops trip their gates", "[proof][loops]") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    FaultCases add;
    using D = const double*;
    add("a multiplier of the other end", fourBar(), {"agreement.loop-forces", "motion.momentum"}).after_loops =
        [](D, D, double*, double* lambda) { lambda[0] = -lambda[0]; };
    add("a multiplier off by a millionth of a percent", fourBar(), {"agreement.loop-forces"}).after_loops =
        [](D, D, double*, double* lambda) { lambda[1] *= 1 + 1e-7; };
    add("a multiplier that is none", fourBar(), {"agreement.loop-forces"}).after_loops =
        [nan](D, D, double*, double* lambda) { lambda[0] = nan; };
    add("a distance's multiplier left in its squared form", loopModel(sliderCrankText(0.1, 0.3, 0.7)),
        {"agreement.loop-forces", "motion.momentum"})
        .after_loops = [](D, D, double*, double* lambda) { lambda[0] /= 0.3; };
    add("an entry of K lost", fourBar(), {"agreement.loop-jacobian", "loops.jacobian", "loops.projection"})
        .after_loop_jacobian = [](double* K) { K[2] = 0; };
    add("a row of K with the other sign", fourBar(), {"agreement.loop-jacobian", "loops.jacobian"})
        .after_loop_jacobian = [](double* K) {
        for (int i = 0; i < 3; i++) K[i] = -K[i];
    };
    add("an acceleration that opens the loop", fourBar(), {"agreement.accelerations", "loops.constraint"}).after_loops =
        [](D, D, double* vdot, double*) { vdot[1] += 0.05; };
    add("right-hand sides that leave the loop", fourBar(), {"agreement.inverse-mass", "loops.projection"}).after_apply =
        [](int nrhs, double* out) {
            for (int k = 0; k < nrhs; k++) out[3 * k + 2] += 1e-3;
        };
    add("a loop at another place", fourBar(), {"names.round-trip"}).find = [](const char* kind, const char*, int slot) {
        return std::string(kind) == "loop" && slot == 0 ? 1 : slot;
    };
    for (const FaultCases::Case& c : add.all) {
        ProofOptions options = quick(20, false);
        for (const std::string& gate : c.gates) options.motion = options.motion || gate.starts_with("motion");
        const ProofReport report =
            prove(c.model, "faulty", faultyKernel(makeReferenceKernel(c.model), c.fault), options);
        INFO(c.what << "\n" << inWords(report));
        CHECK_FALSE(report.passed());
        for (const std::string& name : c.gates) {
            INFO(name);
            const Gate* gate = findGate(report, name);
            REQUIRE(gate);
            CHECK_FALSE(gate->pass);
            CHECK(std::isfinite(gate->value));
        }
    }
}

TEST_CASE("loops that are stabilised at another speed than promised are seen", "[proof][loops]") {
    // The kernel of the same mechanism with another `stab`, under the first one's hash.
    const Model model = fourBar();
    Model slower = model;
    slower.stab = 0.12;
    const Kernel other = makeReferenceKernel(slower);
    auto c = std::make_shared<mw_kernel>(*other.c);
    c->model_hash[0] = dynamicsHash(model).high;
    c->model_hash[1] = dynamicsHash(model).low;
    const Kernel disguised{c.get(), "slower",
                           std::make_shared<std::pair<std::shared_ptr<mw_kernel>, Kernel>>(c, other)};
    const ProofReport report = prove(model, "slower", disguised, quick(20, true));
    INFO(inWords(report));
    CHECK_FALSE(findGate(report, "loops.constraint")->pass);
    CHECK_FALSE(findGate(report, "loops.stabilisation")->pass);
    CHECK_FALSE(findGate(report, "agreement.accelerations")->pass);
    CHECK(findGate(report, "loops.jacobian")->pass);
}

TEST_CASE("a planar loop closed by a revolute is refused, and the patch that is offered mends it", "[proof][loops]") {
    const std::string text = "mech 1\n" + fourBarText(0.2, 0.5, 0.4, 0.5, "revolute");
    const ReadResult read = readMechanism(text);
    REQUIRE(read.ok());
    const ProofReport report = prove(read.model, "fourbar", makeReferenceKernel(read.model), quick(50, true));
    INFO(inWords(report));
    CHECK_FALSE(report.passed());
    CHECK(report.trials == 0);
    const Gate* rank = findGate(report, "loops.rank");
    REQUIRE(rank);
    CHECK_FALSE(rank->pass);
    CHECK(rank->value == 3);
    CHECK(rank->worst.has_value());
    for (const char* word : {"rank 2 of 5", "mobility 1", "turning about z", "turning about x", "moving along y",
                             "loop pin of type point-on-line"}) {
        INFO(word);
        CHECK(rank->detail.find(word) != std::string::npos);
    }
    REQUIRE(report.loops);
    CHECK(report.loops->health.rank == 2);
    CHECK(report.loops->health.redundant.size() == 3);
    REQUIRE(report.loops->health.remedies.size() == 1);
    CHECK(report.loops->health.remedies[0].type == LoopType::point_on_line);

    const std::vector<Diagnostic> findings = closureFindings(read.model, mech::parse(text));
    REQUIRE_FALSE(findings.empty());
    REQUIRE_FALSE(findings.front().fix.empty());
    const ReadResult mended = readMechanism(mech::applyEdits(text, findings.front().fix));
    REQUIRE(mended.ok());
    const ProofReport green =
        prove(mended.model, "fourbar", makeReferenceKernel(mended.model, ReferenceRoute::aba), quick(50, true));
    INFO(inWords(green));
    CHECK(green.passed());
    CHECK(green.loops->health.mobility == 1);
}

TEST_CASE("mechanisms in models/refused are refused for the reason in their first line", "[proof][loops]") {
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(MW_SOURCE_DIR) + "/models/refused")) {
        if (entry.path().extension() != ".mech") continue;
        const std::string text = textOf(entry.path());
        const std::string mark = "# refused: ";
        CAPTURE(entry.path().filename().string());
        REQUIRE(text.starts_with(mark));
        std::string reason = text.substr(mark.size(), text.find_first_of(" \r\n", mark.size()) - mark.size());
        seen++;
        ReadResult read = readMechanism(text);
        std::vector<Diagnostic> findings = read.diagnostics;
        if (read.ok())
            for (Diagnostic& d : closureFindings(read.model, mech::parse(text))) findings.push_back(std::move(d));
        const bool by_text = std::any_of(findings.begin(), findings.end(), [&](const Diagnostic& d) {
            return d.code == reason && d.severity == Severity::error;
        });
        // Whatever the text's findings say: a proof must not let it pass either.
        bool by_gate = false;
        if (read.ok()) {
            const ProofReport report = prove(read.model, "refused", makeReferenceKernel(read.model), quick(20, false));
            INFO(inWords(report));
            CHECK_FALSE(report.passed());
            const Gate* gate = findGate(report, reason);
            by_gate = gate && !gate->pass;
            if (reason == "loop-redundant") {
                REQUIRE(findGate(report, "loops.rank"));
                CHECK_FALSE(findGate(report, "loops.rank")->pass);
            }
        }
        CHECK((by_text || by_gate));
    }
    CHECK(seen >= 2);
}

TEST_CASE("a structure that its loops hold still has no motion whose order could be measured", "[proof][loops]") {
    // A bar on a pivot, its tip held by a rod of fixed length: mobility nought.
    const Model model = loopModel(
        "body bar\n  joint revolute y\n  mass 2  cg 0.3 0 0  inertia 0.01 0.1 0.1 0 0 0\n"
        "loop rod\n  type distance\n  from base 1 0 0.5\n  to bar 0.6 0 0\n  length (sqrt(0.4^2 + 0.5^2))\n");
    ProofOptions options;
    options.trials = 20;
    const ProofReport report = prove(model, "strut", makeReferenceKernel(model), options);
    CHECK(report.passed());
    for (const Gate& gate : report.gates)
        if (gate.name.starts_with("motion.order")) {
            CHECK(gate.skipped);
            CHECK(gate.detail.find("nothing in this model can move") != std::string::npos);
        }
}
