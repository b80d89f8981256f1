// Tendons, couplings and materials as items of the document: made from templates, their path's points moved, what a run
// made of them kept. Bytes that an edit must leave alone are compared; what it makes is judged by the reader.
#include <algorithm>
#include <cmath>

#include "app/document/actions.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

const char* const kText =
    "mech 1\n"
    "param h 0.5\n"
    "body arm   # turns\n"
    "  joint revolute y\n"
    "  mass 1  cg 0.5 0 0  inertia 0.01 0.1 0.1 0 0 0\n"
    "poi tip on arm at 1 0 0.25\n"
    "poi wall on base at 0 0 2\n"
    "tendon cable   # a rope\n"
    "  site base 0 0 h\n"
    "  cylinder arm 0 0 0  axis y  radius 0.1  side base 0 0 (2*h)  # over the drum\n"
    "  site arm 1 0 0\n"
    "  stiffness 100\n";

std::string without(std::string text, const std::string& what) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.erase(at, what.size());
}

}  // namespace

TEST_CASE("a tendon is made through selected points, slack at the start", "[document][tendon]") {
    Document document(kText);
    REQUIRE(document.read().ok());
    const Outcome made = addTendon(document, {{"poi", "wall"}, {"poi", "tip"}});
    REQUIRE(made);
    REQUIRE(document.read().ok());
    const Model& model = document.read().model;
    REQUIRE(model.tendons.size() == 2);
    const Tendon& tendon = model.tendons[1];
    CHECK(made.item == Item{"tendon", tendon.name});
    REQUIRE(tendon.path.size() == 2);
    CHECK(tendon.path[0].point.body == kBase);
    CHECK(tendon.path[1].point.at[2].value == 0.25);
    REQUIRE(tendon.spring);
    CHECK((*tendon.spring)[1].value == Approx(std::hypot(1.0, 1.75)).margin(1e-6));
    CHECK_FALSE(addTendon(document, {{"poi", "wall"}}));

    document.undo();
    CHECK(document.text() == kText);
    const Outcome fixed = addFixedTendon(document, {"arm"});
    REQUIRE(fixed);
    REQUIRE(document.read().ok());
    CHECK(document.read().model.tendons.back().terms.size() == 1);
    const Outcome tie = addCoupling(document, "cable", fixed.item->name);
    REQUIRE(tie);
    REQUIRE(document.read().ok());
    CHECK(document.read().model.couplings.at(0).second == 1);
    CHECK_FALSE(addCoupling(document, "cable", "cable"));
    REQUIRE(addMaterial(document));
    CHECK(document.read().model.materials.size() == 1);
}

TEST_CASE("a point of a path moves by a patch of its numbers", "[document][tendon]") {
    Document document(kText);
    // The side site of the guide: x moves, the expression beside it stays.
    REQUIRE(movePathPoint(document, "cable", 1, true, {0.25, 0, 1}));
    CHECK(document.text().find("side base 0.25 0 (2*h)  # over the drum") != std::string::npos);
    CHECK(without(document.text(), "0.25 0 (2*h)") == without(kText, "0 0 (2*h)"));
    document.undo();
    // Its centre, then a site by its parameter's name.
    REQUIRE(movePathPoint(document, "cable", 1, false, {0, 0, -0.125}));
    CHECK(document.text().find("cylinder arm 0 0 -0.125  axis y") != std::string::npos);
    REQUIRE(movePathPoint(document, "cable", 0, false, {0.5, 0, 0.5}));
    CHECK(document.text().find("site base 0.5 0 h\n") != std::string::npos);
    // Nothing moved: no entry.
    const std::string before = document.text();
    REQUIRE(movePathPoint(document, "cable", 0, false, {0.5, 0, 0.5}));
    CHECK(document.text() == before);
    CHECK_FALSE(movePathPoint(document, "cable", 0, true, {1, 1, 1}));
    CHECK_FALSE(movePathPoint(document, "cable", 9, false, {1, 1, 1}));
    CHECK_FALSE(movePathPoint(document, "rope", 0, false, {1, 1, 1}));
}

TEST_CASE("a drag of a path's point is one entry of the history", "[document][tendon]") {
    Document document(kText);
    for (int i = 1; i <= 5; ++i) REQUIRE(movePathPoint(document, "cable", 2, false, {1, 0, 0.1 * i}, 7));
    CHECK(document.read().model.tendons[0].path[2].point.at[2].value == 0.5);
    document.undo();
    CHECK(document.text() == kText);
}

TEST_CASE("what a run made of a tendon is kept in the text", "[document][tendon]") {
    Document document(kText);
    REQUIRE(keepTendons(document, {{"cable", 1.125, -3.5}}));
    const Tendon& tendon = document.read().model.tendons[0];
    REQUIRE(tendon.reference);
    CHECK(tendon.reference->value == 1.125);
    CHECK(tendon.activation.value == -3.5);
    const std::string text = document.text();
    REQUIRE(keepTendons(document, {{"cable", 1.125, -3.5}}));
    CHECK(document.text() == text);
}

TEST_CASE("a contact of two shapes belongs to its shape", "[document][contact]") {
    CHECK(writtenItem({"contact", "foot/ground.2"}) == Item{"shape", "foot"});
    CHECK(writtenItem({"contact", "left.shoe17/wheel3"}) == Item{"track", "left"});
}

TEST_CASE("a body takes the tendons along that run through it, over it or on its side, and these their couplings",
          "[document][tendon]") {
    const std::string head =
        "mech 1\n"
        "body arm\n  joint revolute y\n  mass 1  cg 0.5 0 0\n"
        "body peg\n  joint universal x y\n  mass 1\n  inertia 1 1 1 0 0 0\n";
    const std::string keeps = "tendon plain\n  site base 0 0 1\n  site arm 1 0 0\n";
    const std::string tie = "coupling tie first plain second other  # both\n";
    const std::string others[] = {
        "tendon other\n  site base 0 0 1\n  site peg 1 0 0\n",
        "tendon other\n  site base 0 0 1\n  sphere peg 0.5 0 0  radius 0.1\n  site arm 1 0 0\n",
        "tendon other\n  site base 0 0 1\n  sphere base 0.5 0 0  radius 0.1  side peg 0 0 3\n  site arm 1 0 0\n",
        "tendon other fixed\n  term arm 1\n  term peg.2 1\n"};
    for (const std::string& other : others) {
        const std::string text = head + keeps + other + tie + "coupling held first plain\nexclude peg arm\n";
        INFO(text);
        Document document(text);
        REQUIRE(document.read().ok());
        CHECK(dependents(document, {{"body", "peg"}}) == std::vector<Item>{{"tendon", "other"}, {"coupling", "tie"}});
        REQUIRE(deleteItems(document, {{"body", "peg"}}));
        REQUIRE(document.read().ok());
        CHECK(document.text() == head.substr(0, head.find("body peg")) + keeps + "coupling held first plain\n");
        document.undo();
        CHECK(document.text() == text);
        REQUIRE(deleteItems(document, {{"tendon", "other"}}));
        CHECK(document.text() == head + keeps + "coupling held first plain\nexclude peg arm\n");
        document.undo();
        // A new name reaches all of it.
        REQUIRE(renameItem(document, {"body", "peg"}, "pin"));
        REQUIRE(renameItem(document, {"tendon", "other"}, "cord"));
        REQUIRE(document.read().ok());
        CHECK(document.text().find("peg") == std::string::npos);
        CHECK(document.text().find("other") == std::string::npos);
        CHECK(document.read().model.couplings.at(0).second == 1);
    }
}

TEST_CASE("a material goes with its pairs, and its shapes stay without it", "[document][contact]") {
    Document document(
        "mech 1\nmaterial rubber\n  mu 1\nmaterial wood\npair rubber wood\n  mu 0.5\npair wood ground\n"
        "shape a on base sphere 1  collide rubber  group 2\nshape b on base sphere 1  collide wood\n");
    REQUIRE(document.read().ok());
    CHECK(dependents(document, {{"material", "rubber"}}).empty());
    REQUIRE(deleteItems(document, {{"material", "rubber"}}));
    REQUIRE(document.read().ok());
    CHECK(document.read().model.shapes.at(0).material == -1);
    CHECK(document.read().model.shapes.at(0).group == 2);
    CHECK(document.read().model.shapes.at(1).material == 0);
    CHECK(document.read().model.pairs.size() == 1);
    document.undo();
    REQUIRE(renameItem(document, {"material", "rubber"}, "cork"));
    REQUIRE(document.read().ok());
    CHECK(document.text().find("rubber") == std::string::npos);
    REQUIRE(deleteItems(document, {{"shape", "a"}, {"material", "cork"}}));
    REQUIRE(document.read().ok());
    CHECK(document.read().model.shapes.size() == 1);
}

TEST_CASE("what is doubtful about a tendon is warned of, and the remedy applies", "[document][tendon]") {
    struct Doubt {
        std::string code, line;
    };
    const Doubt doubt = GENERATE(values<Doubt>({
        {"margins-overlap", "  limits 0.5 0.6  margin 0.08"},
        {"creep", "  limits 0 1  compliance 1e-4  correction 0"},
        {"no-target", "  reference 1.2  kp 50"},
    }));
    CAPTURE(doubt.code);
    Document document(std::string(kText) + doubt.line + "\n");
    REQUIRE(document.read().ok());
    const auto warned = [&] {
        const auto& all = document.read().diagnostics;
        return std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == doubt.code; });
    };
    REQUIRE(warned() != document.read().diagnostics.end());
    const Diagnostic finding = *warned();
    CHECK(finding.severity == Severity::warning);
    CHECK_FALSE(finding.remedy.empty());
    REQUIRE_FALSE(finding.fix.empty());
    REQUIRE(applyFix(document, finding));
    REQUIRE(document.read().ok());
    CHECK(warned() == document.read().diagnostics.end());
    const Tendon& tendon = document.read().model.tendons.front();
    if (doubt.code == "margins-overlap") CHECK(2 * tendon.margin.value <= 0.1);
    if (doubt.code == "creep") CHECK(tendon.correction.value > 0);
    if (doubt.code == "no-target") CHECK(tendon.target != nullptr);
    // One entry of the history, and what else stands there is as it was.
    document.undo();
    CHECK(document.text() == std::string(kText) + doubt.line + "\n");
}
