// Loops in the document: start poses that are assembled and kept, types that change with all they need, redundant rows
// among the findings. The oracle for poses is the loops' own error at the pose that the text then has.
#include <algorithm>
#include <cmath>

#include "app/document/actions.h"
#include "engine/dynamics/closure.h"
#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"
#include "engine/model/start_pose.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

const std::string kTorn = R"(mech 1   # torn on purpose
body crank
  joint revolute y
  at 0 0 0
  mass 1  cg 0.05 0 0
  inertia 0.001 0.002 0.002 0 0 0
  start 0.3   # the driver
body coupler
  parent crank
  joint revolute y
  at 0.1 0 0
  mass 1  cg 0.15 0 0
  inertia 0.001 0.01 0.01 0 0 0
body rocker
  parent coupler
  joint revolute y
  at 0.3 0 0
  mass 1  cg 0.125 0 0
  inertia 0.001 0.006 0.006 0 0 0
  start 1.4
loop pin
  type point-on-line
  from base 0.3 0 0
  to rocker 0.25 0 0   # the far end
  axis y
shape a on coupler  box 0.3 0.02 0.03  at 0.15 0 0
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// So many four-bars side by side, 3 velocities and 2 rows each; with a long frame none can be closed.
std::string fourbars(int n, double frame) {
    std::string text = "mech 1\n";
    for (int i = 0; i < n; ++i) {
        const std::string k = std::to_string(i);
        text += "body crank" + k + "\n  joint revolute y\n  at 0 " + k +
                " 0\n  mass 1  cg 0.05 0 0\n  inertia 0.001 0.002 0.002 0 0 0\n  start 0.3\n";
        text += "body coupler" + k + "\n  parent crank" + k +
                "\n  joint revolute y\n  at 0.1 0 0\n  mass 1  cg 0.15 0 0\n  inertia 0.001 0.01 0.01 0 0 0\n";
        text += "body rocker" + k + "\n  parent coupler" + k +
                "\n  joint revolute y\n  at 0.3 0 0\n  mass 1  cg 0.125 0 0\n  inertia 0.001 0.006 0.006 0 0 0\n"
                "  start 1.4\n";
        text += "loop pin" + k + "\n  type point-on-line\n  from base " + std::to_string(frame) + " " + k +
                " 0\n  to rocker" + k + " 0.25 0 0\n  axis y\n";
    }
    return text;
}

double openBy(const Document& document) {
    const Model& model = document.read().model;
    const std::vector<mw::Placement> pose = startPose(model);
    double most = 0;
    for (const Loop& loop : model.loops)
        for (const double e : loopError(loop, pose, model.liveValues())) most = std::max(most, std::abs(e));
    return most;
}

bool has(const Document& document, const std::string& code) {
    const auto& all = document.read().diagnostics;
    return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace

TEST_CASE("assembling patches start values alone, in one entry", "[loops]") {
    Document document(kTorn);
    REQUIRE(document.read().ok());
    REQUIRE(has(document, "loop-open"));
    REQUIRE(openBy(document) > 1e-2);
    const std::size_t entries = document.history().entries().size();
    const Outcome outcome = assembleStart(document);
    INFO(outcome.message);
    REQUIRE(outcome.done);
    CHECK(openBy(document) < 1e-9);
    CHECK(!has(document, "loop-open"));
    CHECK(document.history().entries().size() == entries + 1);
    CHECK(document.history().current().name == "Assemble start pose");
    // Comments and everything that is no start value stand.
    for (const char* kept : {"# torn on purpose", "   # the driver", "   # the far end", "mass 1  cg 0.15 0 0"})
        CHECK(document.text().find(kept) != std::string::npos);
    const Outcome again = assembleStart(document);
    CHECK(again.done);
    CHECK(again.message.find("already") != std::string::npos);
    CHECK(document.history().entries().size() == entries + 1);
    document.undo();
    CHECK(document.text() == kTorn);
}

TEST_CASE("what cannot be closed says by how much and where, and changes nothing", "[loops]") {
    // The frame is longer than all bars together: 0.95 m against 0.65 m.
    Document document(replaced(kTorn, "from base 0.3 0 0", "from base 0.95 0 0"));
    REQUIRE(document.read().ok());
    const std::string before = document.text();
    const Outcome outcome = assembleStart(document);
    CHECK(!outcome.done);
    INFO(outcome.message);
    CHECK(outcome.message.find("pin") != std::string::npos);
    CHECK(outcome.message.find("0.3") != std::string::npos);  // m: 0.95 - 0.65
    CHECK(document.text() == before);
    Document none("mech 1\nbody a\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n");
    CHECK(!assembleStart(none).done);
    Document broken(kTorn + "body\n");
    CHECK(!assembleStart(broken).done);
}

TEST_CASE("a dragged pose is kept as start values, rates as they were", "[loops]") {
    Document document(replaced(kTorn, "  start 0.3   # the driver", "  start 0.3   # the driver\n  rate 2"));
    const Model model = document.read().model;
    Closure closure(model);
    const std::vector<double> param = model.liveValues();
    const Assembly closed = closure.assemble(startQ(model, closure.layout(), param), param);
    const Assembly posed = closure.setCoordinate(closed.q, 0, closed.q[0] + 0.4, param);
    REQUIRE(posed.closed);
    REQUIRE(keepAsStart(document, posed.q).done);
    CHECK(openBy(document) < 1e-9);
    CHECK(startQ(document.read().model, closure.layout(), param) == posed.q);
    CHECK(document.text().find("rate 2") != std::string::npos);
    CHECK(!keepAsStart(document, {0, 0}).done);
    CHECK(!keepAsStart(document, {0, NAN, 0}).done);
}

TEST_CASE("another type brings what it needs and drops what it does not", "[loops]") {
    Document document(kTorn);
    const double apart = [&] {
        const Loop& loop = document.read().model.loops[0];
        return distance(startPose(document.read().model), {loop.from.body, loop.from.at}, {loop.to.body, loop.to.at},
                        {});
    }();
    for (const char* type :
         {"distance", "cylindrical", "spherical", "prismatic", "revolute", "distance", "point-on-line"}) {
        CAPTURE(type);
        const std::size_t entries = document.history().entries().size();
        const Outcome outcome = setLoopType(document, "pin", type);
        INFO(outcome.message);
        REQUIRE(outcome.done);
        CHECK(document.history().entries().size() == entries + 1);
        const auto& all = document.read().diagnostics;
        for (const Diagnostic& d : all) {
            INFO(d.message);
            CHECK((d.severity != Severity::error || d.code == "loop-redundant"));
        }
        REQUIRE(document.read().model.loops.size() == 1);
        const Loop& loop = document.read().model.loops[0];
        CHECK(std::string(loopTypeName(loop.type)) == type);
        const Item item{"loop", "pin"};
        CHECK(hasProperty(document, item, "axis") == hasAxis(loop.type));
        CHECK(hasProperty(document, item, "length") == (loop.type == LoopType::distance));
        if (loop.type == LoopType::distance) CHECK(loop.length.value == Approx(apart));
        CHECK(document.text().find("# the far end") != std::string::npos);
    }
    CHECK(!setLoopType(document, "pin", "magnetic").done);
    CHECK(!setLoopType(document, "nobody", "revolute").done);
    const std::string before = document.text();
    CHECK(setLoopType(document, "pin", "point-on-line").done);
    CHECK(document.text() == before);
}

TEST_CASE("a planar four-bar closed by a revolute is refused, its patch mends it", "[loops]") {
    Document document(kTorn);
    REQUIRE(assembleStart(document).done);
    const std::string sound = document.text();
    CHECK(document.mobility());
    CHECK(document.mobility()->mobility() == 1);
    CHECK(document.mobility()->nc == 2);
    document.setText(replaced(sound, "type point-on-line", "type revolute"), "Type");
    // While it is typed nothing heavy runs; a pause is the time for it.
    CHECK(document.read().ok());
    CHECK(document.checkLoops());
    CHECK(!document.checkLoops());
    REQUIRE(!document.read().ok());
    REQUIRE(document.mobility());
    CHECK(document.mobility()->nc == 5);
    CHECK(document.mobility()->rank == 2);
    CHECK(document.mobility()->mobility() == 1);
    const auto& all = document.read().diagnostics;
    const auto fault =
        std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.code == "loop-redundant"; });
    REQUIRE(fault != all.end());
    REQUIRE(!fault->fix.empty());
    REQUIRE(applyFix(document, Diagnostic(*fault)).done);
    CHECK(document.read().ok());
    CHECK(document.read().model.loops[0].type == LoopType::point_on_line);
    CHECK(document.mobility()->mobility() == 1);
    // An opened file says it at once.
    document.jumpTo(document.history().entries().size() - 2);
    CHECK(has(document, "loop-redundant"));
}

TEST_CASE("verdicts on loops are kept, their places are those of the present text", "[loops]") {
    Document document(replaced(kTorn, "type point-on-line", "type revolute"));
    const auto fault = [&]() -> Diagnostic {
        for (const Diagnostic& d : document.read().diagnostics)
            if (d.code == "loop-redundant") return d;
        return {};
    };
    const Diagnostic before = fault();
    REQUIRE(!before.message.empty());
    const std::string comment = "# one line more\n";
    document.setText(document.text() + "\n" + comment, "Type");
    CHECK(document.checkLoops());
    CHECK(fault().range.begin == before.range.begin);
    document.setText(replaced(document.text(), "body crank", comment + "body crank"), "Type");
    CHECK(document.checkLoops());
    CHECK(fault().message == before.message);
    CHECK(fault().range.begin == before.range.begin + comment.size());
    REQUIRE(document.mobility());
    CHECK(document.mobility()->rank == 2);
    REQUIRE(applyFix(document, fault()).done);
    CHECK(document.read().ok());
    document.undo();
    CHECK(fault().message == before.message);
}

TEST_CASE("loops of large mechanisms are left to the proof, and that is said", "[loops]") {
    // Closed soon: judged. Nothing closes: small ones are judged, large ones would hold up the window.
    struct {
        int n;
        double frame;
        bool judged;
    } const cases[] = {{1, 0.3, true}, {12, 0.3, true}, {1, 9, true}, {30, 9, false}, {70, 0.3, false}, {70, 9, false}};
    for (const auto& c : cases) {
        CAPTURE(c.n, c.frame);
        Document document(fourbars(c.n, c.frame));
        CHECK(document.read().ok());
        CHECK(has(document, "loop-unjudged") != c.judged);
        CHECK(document.mobility().has_value() == c.judged);
        if (c.judged) CHECK(document.mobility()->mobility() == c.n);
        document.setText(document.text() + "# again\n", "Type");
        CHECK(document.checkLoops() == (!c.judged || c.frame > 1));
        CHECK(has(document, "loop-unjudged") != c.judged);
    }
}

TEST_CASE("assembling a large mechanism ends soon, and says when that was why", "[loops]") {
    Document large(fourbars(70, 9)), small(fourbars(1, 9)), good(fourbars(70, 0.3));
    const std::string before = large.text();
    const Outcome outcome = assembleStart(large);
    CHECK(!outcome.done);
    CHECK(outcome.message.find("mech assemble") != std::string::npos);
    CHECK(outcome.message.find("stays open by") != std::string::npos);
    CHECK(large.text() == before);
    CHECK(!assembleStart(small).done);
    CHECK(assembleStart(small).message.find("mech assemble") == std::string::npos);
    CHECK(assembleStart(good).done);
    CHECK(openBy(good) < 1e-9);
}

TEST_CASE("deleting a body takes its loops along, renaming follows into them", "[loops]") {
    Document document(kTorn);
    REQUIRE(renameItem(document, {"body", "rocker"}, "arm").done);
    CHECK(document.text().find("to arm 0.25") != std::string::npos);
    REQUIRE(renameItem(document, {"loop", "pin"}, "bolt").done);
    const auto also = dependents(document, {{"body", "arm"}});
    CHECK(std::find(also.begin(), also.end(), Item{"loop", "bolt"}) != also.end());
    REQUIRE(deleteItems(document, {{"body", "arm"}}).done);
    CHECK(document.read().model.loops.empty());
    CHECK(document.read().ok());
}
