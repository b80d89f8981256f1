// Tendons, couplings and materials as text: formatting, completion, renaming in their own spaces of names, and patches
// of a path's lines.
#include <set>

#include "engine/mech/completion.h"
#include "engine/mech/format.h"
#include "engine/mech/patch.h"
#include "tests/engine/mech/completions.h"
#include "tests/engine/mech/samples.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::mech;

namespace {

const std::string kText =
    "mech 1\n"
    "param input 3\n"
    "param r 0.01\n"
    "body palm\n"
    "  joint revolute y\n"
    "  mass 1\n"
    "body tip\n"
    "  parent palm  joint universal x y\n"
    "  mass 1\n"
    "material rubber\n"
    "  mu 1.1\n"
    "material wood\n"
    "pair rubber wood\n"
    "  mu 0.9\n"
    "pair ground rubber\n"
    "exclude palm tip\n"
    "shape pad on tip  sphere 0.01  collide rubber\n"
    "tendon flexor\n"
    "  site palm 0 0 0.01\n"
    "  cylinder tip 0 0 0  axis y  radius r  side palm 0 0 0.03  mu 0  # the knuckle\n"
    "  site tip 0.02 0 0.005\n"
    "  pulley 2\n"
    "  site tip 0.02 0 0.005\n"
    "  site palm 0.05 0 0\n"
    "  stiffness (100*input)  actuator input\n"
    "tendon bend fixed\n"
    "  term palm 0.02\n"
    "  term tip.2 -0.02\n"
    "coupling tie first flexor second bend  poly 0 1 0 0 0\n";

}  // namespace

TEST_CASE("A formatted tendon stays as it is, and an untidy one keeps its path's words on their lines") {
    CHECK(formatText(kText) == kText);
    CHECK(
        formatText("mech 1\ntendon a\n\tsite   b 0 0 0\n      sphere b 0 0 1   radius 1\tmu   0.1 # drum\n site b 0 0 "
                   "2\n") ==
        "mech 1\ntendon a\n  site b 0 0 0\n  sphere b 0 0 1  radius 1  mu 0.1       # drum\n  site b 0 0 2\n");
}

TEST_CASE("Renaming reaches every place that names a body, a tendon or a material") {
    const auto renamed = [](NameSpace space, const std::string& from, const std::string& to) {
        return applyEdits(kText, rename(parse(kText), space, from, to));
    };
    CHECK(renamed(NameSpace::body, "palm", "hand") == replaced(kText, "palm", "hand"));
    CHECK(renamed(NameSpace::body, "tip", "end") == replaced(kText, "tip", "end"));
    CHECK(renamed(NameSpace::tendon, "flexor", "cord") == replaced(kText, "flexor", "cord"));
    CHECK(renamed(NameSpace::tendon, "bend", "angle") == replaced(kText, "bend", "angle"));
    CHECK(renamed(NameSpace::material, "rubber", "cork") == replaced(kText, "rubber", "cork"));
    CHECK(renamed(NameSpace::coupling, "tie", "knot") == replaced(kText, "coupling tie", "coupling knot"));
    // The word `input` of an actuator is no parameter.
    CHECK(renamed(NameSpace::value, "input", "gain") ==
          replaced(replaced(kText, "param input", "param gain"), "100*input", "100*gain"));
    CHECK(references(parse(kText), NameSpace::material, "rubber").size() == 4);
    CHECK(references(parse(kText), NameSpace::body, "palm").size() == 7);
}

TEST_CASE("Completion knows what may stand in tendons, couplings, pairs and contact") {
    const std::string head = kText + "tendon new\n";
    CHECK(
        offers(words(head + "  |"), {"site", "cylinder", "pulley", "term", "stiffness", "muscle", "fixed", "tendon"}));
    CHECK(offers(words(head + "  site |"), {"palm", "base"}));
    CHECK(offers(words(head + "  sphere palm 0 0 0 |"), {"radius", "side", "mu", "site"}));
    CHECK(offers(words(head + "  torus palm 0 0 0 |"), {"radii", "axis"}));
    CHECK_FALSE(words(head + "  site palm 0 0 0 |").count("side"));
    CHECK(offers(words(head + "  sphere palm 0 0 0 side |"), {"palm", "base"}));
    CHECK(offers(words(head + "  cylinder palm 0 0 0 axis |"), {"x", "y", "z"}));
    CHECK(offers(words(head + "  actuator |"), {"input", "r"}));
    CHECK(offers(words(head + "  actuator (|"), {"t", "sin"}));
    CHECK(offers(words(head + "  limits |"), {"inf"}));
    CHECK(words(head + "  side-rule |") == std::set<std::string>{"nearest", "barrier"});
    CHECK(words(kText + "coupling c first |") == std::set<std::string>{"bend", "flexor"});
    CHECK(words(kText + "pair |") == std::set<std::string>{"ground", "rubber", "wood"});
    CHECK(words(kText + "shape s on base box 1 1 1 collide |") == std::set<std::string>{"rubber", "wood"});
    CHECK(words(kText + "contact\n  cone |") == std::set<std::string>{"disc", "box", "elliptic", "pyramid"});
    CHECK(words(kText + "contact\n  warm |") == std::set<std::string>{"on", "off"});
    CHECK(helpAt(parse(kText), kText.find("radius") + 1).find("radius r") == 0);
}

TEST_CASE("Taking a guide out takes its words along and leaves the others") {
    const SyntaxTree tree = parse(kText);
    const Statement* tendon = tree.find(NameSpace::tendon, "flexor");
    REQUIRE(tendon);
    const std::string next = applyEdits(kText, removeProperty(tree, *tendon, "cylinder"));
    CHECK(next.find("cylinder") == std::string::npos);
    CHECK(next.find("radius") == std::string::npos);
    CHECK(next.find("  site tip 0.02 0 0.005\n") != std::string::npos);
    CHECK(applyEdits(kText, setProperty(tree, *tendon, "pulley", "3")) == replaced(kText, "pulley 2", "pulley 3"));
}
