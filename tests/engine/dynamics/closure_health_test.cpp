// Rank, mobility and redundant rows against counting formulas (Gruebler, Kutzbach) and linkages that break them
// (Bennett); remedies are tried by patching the text.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <set>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/mech/findings.h"
#include "engine/mech/patch.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/loop_models.h"

using namespace mw;
using namespace mw::test;

namespace {

std::set<std::string> directions(const LoopHealth& health, int loop = 0) {
    std::set<std::string> out;
    for (const RedundantRow& r : health.redundant)
        if (r.loop == loop) out.insert(r.direction);
    return out;
}

/// Findings of a text, and the health once their patch is applied.
LoopHealth mended(const std::string& body, std::vector<Diagnostic>& findings) {
    const mech::SyntaxTree tree = mech::parse("mech 1\n" + body);
    const ReadResult read = readModel(tree);
    REQUIRE(read.ok());
    findings = closureFindings(read.model, tree);
    REQUIRE_FALSE(findings.empty());
    const std::string text = mech::applyEdits(tree.text, findings.front().fix);
    const mech::SyntaxTree after = mech::parse(text);
    const ReadResult again = readModel(after);
    INFO(text);
    REQUIRE(again.ok());
    CHECK(closureFindings(again.model, after).empty());
    return Closure(again.model).generalHealth(again.model.liveValues());
}

/// Bennett: opposite links of equal length and twist, a / sin(alpha) = b / sin(beta); joints about the links' z.
std::string bennettText(const std::string& type, double a, double alpha, double beta, double t1, double t2) {
    const double b = a * std::sin(beta) / std::sin(alpha);
    return fmt::format(R"(body one
  joint revolute z
  mass 1  cg {0} 0 0  inertia 0.01 0.01 0.01 0 0 0
  start {4:.17g}
body two
  parent one  joint revolute z  at {1:.17g} 0 0  rot {2:.17g} 0 0
  mass 1  cg 0.1 0 0  inertia 0.01 0.01 0.01 0 0 0
  start {5:.17g}
body three
  parent two  joint revolute z  at {6:.17g} 0 0  rot {3:.17g} 0 0
  mass 1  cg 0.1 0 0  inertia 0.01 0.01 0.01 0 0 0
  start {7:.17g}
loop last
  type {8}
  from three {1:.17g} 0 0 rot {2:.17g} 0 0
  to base {9:.17g} 0 0 rot {10:.17g} 0 0
  axis z
)",
                       a / 2, a, alpha, beta, t1, t2, b, -t1, type, -b, -beta);
}

/// Ground, crank, coupler, rocker (a ternary link), a second coupler and a second rocker: Watt's six-bar, Gruebler's
/// count 3 (6 - 1) - 2 * 7 = 1.
std::string wattText(const std::string& closure) {
    return fourBarText(0.2, 0.5, 0.4, 0.5, closure) + fmt::format(R"(body link
  parent rocker  joint revolute y  at 0.3 0 0.05
  mass 1  cg 0.2 0 0  inertia 0.001 0.01 0.01 0 0 0
  start 1.4
body arm
  joint revolute y  at 1.1 0 0
  mass 1  cg 0.15 0 0  inertia 0.001 0.01 0.01 0 0 0
  start -1.4
loop second
  type {}
  from link 0.6 0 0
  to arm 0.3 0 0
  axis y
)",
                                                                  closure);
}

}  // namespace

TEST_CASE("mobility is what the counting formulas say", "[closure]") {
    struct Case {
        std::string text;
        int nc, mobility;
    };
    // Four-bar 3 (4 - 1) - 2 * 4; slider-crank the same; Stewart 6 (14 - 1) - 6 (4 + 5 + 3); car as the seed counts.
    for (const Case& c : {Case{fourBarText(0.2, 0.5, 0.4, 0.5), 2, 1}, Case{sliderCrankText(0.2, 0.6, 0.5), 1, 1},
                          Case{wattText("point-on-line"), 4, 1}, Case{stewartText(), 18, 6}, Case{carText(), 32, 11}}) {
        const Model model = loopModel(c.text);
        const LoopHealth health = Closure(model).generalHealth({});
        CHECK(health.nc == c.nc);
        CHECK(health.rank == c.nc);
        CHECK(health.mobility == c.mobility);
        CHECK(health.sound());
        CHECK(health.redundant.empty());
        CHECK(health.condition >= 1);
        CHECK(health.condition < 1e6);
    }
}

TEST_CASE("the condition is that of K M^-1 K^T", "[closure]") {
    const Model model = loopModel(carText());
    Closure closure(model);
    const int nv = closure.layout().nv, nc = closure.layout().nc;
    const Numbers q = closure.assemble(startQ(model, closure.layout(), {}), {}).q;
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Caller kernel(makeReferenceKernel(model));
    const Numbers k = kernel.loopJacobian(q), m = kernel.massMatrix(q);
    const Eigen::Map<const Rows> K(k.data(), nc, nv), M(m.data(), nv, nv);
    const Eigen::MatrixXd A = K * M.llt().solve(K.transpose());
    const Eigen::VectorXd e = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues();
    CHECK(closure.health(q, {}).condition == Approx(e[nc - 1] / e[0]).epsilon(1e-8));
}

TEST_CASE("a planar four-bar closed by a revolute: three redundant rows, mended by point-on-line", "[closure]") {
    const std::string text = fourBarText(0.2, 0.5, 0.4, 0.5, "revolute");
    const LoopHealth health = Closure(loopModel(text)).generalHealth({});
    CHECK(health.nc == 5);
    CHECK(health.rank == 2);
    CHECK(health.mobility == 1);
    CHECK(directions(health) == std::set<std::string>{"turning about z", "turning about x", "moving along y"});
    REQUIRE(health.remedies.size() == 1);
    CHECK(health.remedies[0].type == LoopType::point_on_line);

    std::vector<Diagnostic> findings;
    const LoopHealth after = mended(text, findings);
    CHECK(after.sound());
    CHECK(after.mobility == 1);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].code == "loop-redundant");
    CHECK(findings[0].severity == Severity::error);
    CHECK(("mech 1\n" + text).substr(findings[0].range.begin, findings[0].range.end - findings[0].range.begin) ==
          "revolute");
    CHECK(findings[0].message.find("the rank is 2 of 5") != std::string::npos);
    CHECK(findings[0].message.find("turning about z, turning about x, moving along y") != std::string::npos);
}

TEST_CASE("other types that say too much in a plane", "[closure]") {
    std::vector<Diagnostic> findings;
    const LoopHealth cylindrical = mended(fourBarText(0.2, 0.5, 0.4, 0.5, "cylindrical"), findings);
    CHECK(cylindrical.sound());
    CHECK(cylindrical.mobility == 1);

    // A ball joint has no axis: the patch adds the one that the plane needs.
    std::string spherical = fourBarText(0.2, 0.5, 0.4, 0.5, "spherical");
    spherical.erase(spherical.find("  axis y\n"));
    const LoopHealth health = Closure(loopModel(spherical)).generalHealth({});
    CHECK(directions(health) == std::set<std::string>{"moving along y"});
    const LoopHealth ball = mended(spherical, findings);
    CHECK(ball.sound());
    CHECK(ball.mobility == 1);

    // A block that slides on an arm: the turn about the plane's normal is needed, and no simpler type keeps it.
    const std::string slider = R"(body crank
  joint revolute y
  mass 1  cg 0.1 0 0  inertia 0.001 0.01 0.01 0 0 0
  start 0.5
body block
  parent crank  joint revolute y  at 0.3 0 0
  mass 1  inertia 0.001 0.01 0.01 0 0 0
  start -0.4
body arm
  joint revolute y  at 0 0 -0.4
  mass 1  cg 0.1 0 0  inertia 0.001 0.01 0.01 0 0 0
loop slide
  type prismatic
  from arm 0 0 0
  to block 0 0 0
  axis x
)";
    const mech::SyntaxTree tree = mech::parse("mech 1\n" + slider);
    const ReadResult read = readModel(tree);
    REQUIRE(read.ok());
    findings = closureFindings(read.model, tree);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].fix.empty());
    CHECK(findings[0].remedy.find("cut this loop at another") != std::string::npos);
    CHECK(directions(Closure(read.model).generalHealth({})) ==
          std::set<std::string>{"turning about z", "turning about x", "moving along y"});
}

TEST_CASE("two loops with redundant rows are mended by one patch", "[closure]") {
    std::vector<Diagnostic> findings;
    const LoopHealth before = Closure(loopModel(wattText("revolute"))).generalHealth({});
    CHECK(before.nc == 10);
    CHECK(before.rank == 4);
    CHECK(directions(before, 0).size() == 3);
    CHECK(directions(before, 1).size() == 3);
    const LoopHealth after = mended(wattText("revolute"), findings);
    CHECK(findings.size() == 2);
    CHECK(after.nc == 4);
    CHECK(after.sound());
    CHECK(after.mobility == before.mobility);
}

TEST_CASE("Bennett's linkage moves though counting says that it cannot", "[closure]") {
    const double a = 0.3, alpha = 0.7, beta = 1.2;
    // Half-angles' product of adjacent joints (Bennett 1914): tan(t1/2) tan(t2/2) = sin((b+a)/2) / sin((b-a)/2).
    const double product = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
    const double t1 = 1.1, t2 = 2 * std::atan(product / std::tan(t1 / 2));
    const Model model = loopModel(bennettText("point-on-line", a, alpha, beta, t1, t2));
    Closure closure(model);
    for (const double e : closure.error(startQ(model, closure.layout(), {}), {})) CHECK(std::abs(e) < 1e-14);
    const LoopHealth health = closure.generalHealth({});
    CHECK(health.rank == 2);
    CHECK(health.mobility == 1);

    const std::string revolute = bennettText("revolute", a, alpha, beta, t1, t2);
    const Model full = loopModel(revolute);
    Closure over(full);
    const LoopHealth redundant = over.generalHealth({});
    CHECK(redundant.nc == 5);
    CHECK(redundant.rank == 2);  // Kutzbach: 6 (4 - 1) - 5 * 4 = -2; it moves all the same
    CHECK(redundant.mobility == 1);
    CHECK(redundant.redundant.size() == 3);
    std::vector<Diagnostic> findings;
    CHECK(mended(revolute, findings).sound());

    // The walk along it, rows redundant, keeps to the closed form.
    ManifoldWalk walk(full, 3);
    double most = 0;
    for (int i = 0; i < 100; i++) {
        const ManifoldWalk::Pose pose = walk.next({});
        REQUIRE(pose.sound);
        CHECK(std::tan(pose.q[0] / 2) * std::tan(pose.q[1] / 2) == Approx(product).epsilon(1e-9));
        CHECK(std::abs(std::remainder(pose.q[0] + pose.q[2], 2 * std::numbers::pi)) < 1e-10);
        most = std::max(most, std::abs(pose.q[0] - t1));
    }
    CHECK(most > 0.2);
}

TEST_CASE("a pose that is singular by chance is no fault", "[closure]") {
    // A parallelogram with all links in line: rank 1 there, 2 elsewhere.
    const auto textAt = [](double angle) {
        const std::string turned = "  start " + std::to_string(angle) + "\n";
        return "body crank\n  joint revolute y\n  mass 1  cg 0.1 0 0  inertia 0.001 0.01 0.01 0 0 0\n" + turned +
               "body coupler\n  parent crank  joint revolute y  at 0.2 0 0\n"
               "  mass 2  cg 0.25 0 0  inertia 0.001 0.02 0.02 0 0 0\n  start " +
               std::to_string(-angle) +
               "\nbody rocker\n  joint revolute y  at 0.5 0 0\n"
               "  mass 1  cg 0.1 0 0  inertia 0.001 0.01 0.01 0 0 0\n" +
               turned + "loop pin\n  type point-on-line\n  from coupler 0.5 0 0\n  to rocker 0.2 0 0\n  axis y\n";
    };
    const std::string text = textAt(0);
    const mech::SyntaxTree tree = mech::parse("mech 1\n" + text);
    const Model model = readModel(tree).model;
    Closure closure(model);
    const LoopHealth there = closure.health(Numbers{0, 0, 0}, {});
    CHECK(there.rank == 1);
    CHECK(there.mobility == 2);
    CHECK(there.condition == std::numeric_limits<double>::infinity());
    CHECK(closure.generalHealth({}).sound());
    // A warning, since a run from here has nothing to begin with; beside it there is nothing to say.
    const std::vector<Diagnostic> findings = closureFindings(model, tree);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].code == "singular-start");
    CHECK(findings[0].severity == Severity::warning);
    CHECK(findings[0].message.find("rank is 1 of 2") != std::string::npos);
    const std::string beside = "mech 1\n" + textAt(0.3);
    CHECK(closureFindings(readModel(beside).model, mech::parse(beside)).empty());
}

TEST_CASE("findings keep quiet where there is nothing to say or nothing to be known", "[closure]") {
    const std::string open = "mech 1\nbody a\n  joint revolute y\n  mass 1\n";
    CHECK(closureFindings(readModel(open).model, mech::parse(open)).empty());
    const std::string faulty =
        "mech 1\nbody a\n  joint revolute y\n  mass 1\nloop l\n  type revolute\n  from a 0 0 0\n  to b 0 0 0\n";
    CHECK(closureFindings(readModel(faulty).model, mech::parse(faulty)).empty());
}

TEST_CASE("loops that cannot be closed are said to be that, not redundant", "[closure]") {
    // A chain of two links of 1 m that should reach 5 m: once, and twenty times over.
    for (const int count : {1, 20}) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            const std::string n = std::to_string(i);
            for (const std::string& line :
                 {"body a" + n + "\n  joint revolute y\n  at 0 " + n + " 0\n  mass 1  cg 0.5 0 0\n  start 0.3\n",
                  "body b" + n + "\n  parent a" + n +
                      "\n  joint revolute y\n  at 1 0 0\n  mass 1  cg 0.5 0 0\n  start 0.4\n",
                  "loop l" + n + "\n  type point-on-line\n  from b" + n + " 1 0 0\n  to base 5 " + n +
                      " 0\n  axis y\n"})
                text += line;
        }
        const Model model = loopModel(text);
        const LoopHealth health = Closure(model).generalHealth({});
        CHECK(health.sound());
        CHECK_FALSE(health.closes);
        const std::vector<Diagnostic> findings = closureFindings(model, mech::parse("mech 1\n" + text));
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].code == "loop-unclosable");
        CHECK(findings[0].severity == Severity::warning);
        CHECK(findings[0].message.find("3 m") != std::string::npos);
    }
}

namespace {

// A chain of `bars` moving bars from the origin, pinned at its end to the frame: mobility bars - 2. Drives of
// prescribed motion on the joints that are named.
std::string chainOf(int bars, const std::vector<int>& driven, const std::string& beside = {}) {
    // A fan of unit bars, each turned by the same angle: it ends at a place of its own, where it is pinned.
    const double turn = 0.5;
    double x = 0, z = 0, angle = 0.4;
    std::string text;
    for (int i = 0; i < bars; ++i) {
        text += "body b" + std::to_string(i) + "\n" +
                (i > 0 ? "  parent b" + std::to_string(i - 1) + "\n  at 1 0 0\n" : "") +
                "  joint revolute 0 -1 0\n  mass 1  cg 0.5 0 0  inertia 0.01 0.1 0.1 0 0 0\n  start " +
                std::to_string(i == 0 ? angle : turn) + "\n";
        x += std::cos(angle), z += std::sin(angle), angle += turn;
    }
    char place[80];
    std::snprintf(place, sizeof place, "%.17g 0 %.17g", x, z);
    text += "loop pin\n  type point-on-line\n  from base " + std::string(place) + "\n  to b" +
            std::to_string(bars - 1) + " 1 0 0\n  axis y\n" + beside;
    for (const int i : driven)
        text += "drive d" + std::to_string(i) + " joint b" + std::to_string(i) + " prescribed (" +
                std::to_string(i == 0 ? 0.4 : turn) + " + t)\n";
    return text;
}

std::vector<Diagnostic> findingsOf(const std::string& body) {
    const mech::SyntaxTree tree = mech::parse("mech 1\n" + body);
    const ReadResult read = readModel(tree);
    REQUIRE(read.ok());
    return closureFindings(read.model, tree);
}

}  // namespace

TEST_CASE("more prescribed motions than the loops leave free are said, each at its drive", "[closure]") {
    // Oracle: Gruebler's count. Of bars - 2 freedoms any so many joints can be driven, and every one beyond is too
    // much.
    for (const int bars : {3, 4, 5}) {
        std::vector<int> driven;
        for (int i = 0; i < bars; ++i) {
            driven.push_back(i);
            const std::string text = chainOf(bars, driven);
            INFO(text);
            const std::vector<Diagnostic> findings = findingsOf(text);
            REQUIRE(static_cast<int>(findings.size()) == std::max(0, i + 1 - (bars - 2)));
            for (const Diagnostic& d : findings) {
                CHECK(d.code == "drives-against-loops");
                CHECK(d.severity == Severity::warning);
                CHECK_FALSE(d.remedy.empty());
                // It hangs on all that the loops left free, and stands at the drive's own name.
                for (int k = 0; k < bars - 2; ++k)
                    CHECK(d.message.find("'d" + std::to_string(k) + "'") != std::string::npos);
                const std::string at = ("mech 1\n" + text).substr(d.range.begin, d.range.end - d.range.begin);
                CHECK(d.message.find("drive '" + at + "'") == 0);
            }
        }
    }
    // What no loop holds can be driven as one likes, and is not named.
    const std::string beside =
        "body free\n  joint revolute z\n  mass 1  inertia 1 1 1 0 0 0\n"
        "drive spin joint free prescribed (3*t)\n";
    CHECK(findingsOf(chainOf(3, {0}, beside)).empty());
    const std::vector<Diagnostic> two = findingsOf(chainOf(3, {0, 2}, beside));
    REQUIRE(two.size() == 1);
    CHECK(two[0].message.find("'spin'") == std::string::npos);
    CHECK(two[0].message.find("'d0'") != std::string::npos);
    // Other drives give way.
    CHECK(findingsOf(chainOf(3, {0}) + "drive soft joint b2 position (0.5 + t)  kp 10  kd 1\n").empty());
    // Every code is in the table.
    const auto& codes = mech::allCodes();
    CHECK(std::any_of(codes.begin(), codes.end(), [](const mech::CodeInfo& info) {
        return std::string(info.name) == "drives-against-loops" && std::string(info.severity) == "warning";
    }));
}

TEST_CASE("a prescribed motion that starts at a dead centre is said to be held by the loops", "[closure]") {
    const auto sliderCrank = [](double angle, const std::string& joint) {
        const std::string a = std::to_string(angle);
        return "body crank\n  joint revolute y\n  mass 1  cg 0.1 0 0  inertia 0.001 0.002 0.002 0 0 0\n  start " + a +
               "\nbody rod\n  parent crank\n  joint revolute y\n  at 0.2 0 0\n  mass 1  cg 0.3 0 0\n"
               "  inertia 0.001 0.03 0.03 0 0 0\n  start (-" +
               a + " - asin(sin(" + a + ")/3))\nbody slider\n  joint prismatic x\n  mass 2\n  start (0.2*cos(" + a +
               ") + 0.6*cos(asin(sin(" + a +
               ")/3)))\nloop pin\n  type point-on-line\n  from rod 0.6 0 0\n  to slider 0 0 0\n  axis y\ndrive motor "
               "joint " +
               joint + " prescribed (" +
               (joint == "crank" ? a : "0.2*cos(" + a + ") + 0.6*cos(asin(sin(" + a + ")/3))") + " + 2*t)\n";
    };
    CHECK(findingsOf(sliderCrank(0.5, "crank")).empty());
    CHECK(findingsOf(sliderCrank(0.5, "slider")).empty());
    CHECK(findingsOf(sliderCrank(0, "crank")).empty());
    const std::vector<Diagnostic> dead = findingsOf(sliderCrank(0, "slider"));
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].code == "drives-against-loops");
    CHECK(dead[0].message.find("hold at the start") != std::string::npos);
}
