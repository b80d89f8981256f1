// Tracks and ground as text: formatting, completion, renaming, and patches of a roller's line.
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
    "body hull\n"
    "  mass 1\n"
    "body front\n"
    "  parent hull  joint revolute y\n"
    "  mass 1\n"
    "body back\n"
    "  parent hull  joint revolute y\n"
    "  mass 1\n"
    "track left\n"
    "  root hull\n"
    "  shoes 30  pitch 0.2\n"
    "  mass 3  cg 0.1 0 0\n"
    "  fext\n"
    "  roller front 0.3 end driven teeth 9  # the sprocket\n"
    "  roller back 0.3 end                  # the idler\n"
    "  pad -0.03 0.2 0.4  thickness 0.03\n"
    "  kn 1e6\n"
    "ground\n"
    "  plane 0 0 1 0\n"
    "  step 0.1 at 3 width 0.2\n"
    "  step 0.1 at 5 width 0.2\n";

}  // namespace

TEST_CASE("A formatted track stays as it is, and an untidy one becomes tidy with its rollers on their lines") {
    CHECK(formatText(kText) == kText);
    const std::string untidy =
        "mech 1\ntrack left\n\troot   hull\n      roller front   0.3 end\tdriven   teeth 9 # the sprocket\n roller "
        "back 0.3 "
        "end    thickness 0.1\nground\nstep 0.1   at 3   width 0.2\n";
    CHECK(formatText(untidy) ==
          "mech 1\ntrack left\n  root hull\n  roller front 0.3 end driven teeth 9         # the sprocket\n  roller "
          "back 0.3 "
          "end  "
          "thickness 0.1\nground\n  step 0.1 at 3 width 0.2\n");
}

TEST_CASE("Renaming a body renames it as a root and as a roller") {
    const auto renamed = [](const std::string& from, const std::string& to) {
        return applyEdits(kText, rename(parse(kText), NameSpace::body, from, to));
    };
    CHECK(renamed("hull", "chassis") == replaced(kText, "hull", "chassis"));
    CHECK(renamed("front", "sprocket").find("  roller sprocket 0.3 end driven teeth 9  # the sprocket\n") !=
          std::string::npos);
    CHECK(renamed("back", "idler") == replaced(kText, "back", "idler"));
    CHECK(applyEdits(kText, rename(parse(kText), NameSpace::track, "left", "port")) ==
          replaced(kText, "track left", "track port"));
}

TEST_CASE("Completion knows what may stand in a track and in a ground") {
    const std::string track = "mech 1\nparam r 1\nbody hull\n  mass 1\ntrack left\n";
    const auto offers = [](const std::set<std::string>& set, std::initializer_list<const char*> wanted) {
        for (const char* word : wanted)
            if (!set.count(word)) return false;
        return true;
    };
    CHECK(offers(words(track + "  |"), {"root", "shoes", "roller", "pad", "kn", "ground", "track"}));
    CHECK(offers(words(track + "  root |"), {"hull", "base"}));
    CHECK(offers(words(track + "  roller h|"), {"hull"}));
    CHECK(offers(words(track + "  roller hull |"), {"r", "sqrt"}));
    CHECK(offers(words(track + "  roller hull r |"), {"end", "driven", "teeth"}));
    CHECK_FALSE(offers(words(track + "  roller hull r end\n  |"), {"end"}));
    CHECK(offers(words(track + "  roller hull r end\n  |"), {"roller"}));  // it may stand again
    CHECK(words(track + "  plane |") == std::set<std::string>{"xz"});
    CHECK(offers(words(track + "ground\n  |"), {"plane", "wave", "step", "bump", "grid", "friction"}));
    CHECK(words(track + "ground\n  friction |") == std::set<std::string>{"regularized", "anchored"});
    CHECK(words(track + "ground\n  step 0.1 |") == std::set<std::string>{"at"});
    CHECK(offers(words(track + "ground\n  step 0.1 at 1 |"), {"width", "step"}));
    CHECK(helpAt(parse(kText), kText.find("teeth") + 1).find("teeth n") == 0);
}

TEST_CASE("Taking a roller out takes its words along and leaves the others") {
    const SyntaxTree tree = parse(kText);
    const Statement* track = tree.find(NameSpace::track, "left");
    REQUIRE(track);
    const std::string next = applyEdits(kText, removeProperty(tree, *track, "roller"));
    CHECK(next.find("roller front") == std::string::npos);
    CHECK(next.find("driven") == std::string::npos);
    CHECK(next.find("  roller back 0.3 end                  # the idler\n") != std::string::npos);
    CHECK(applyEdits(kText, setProperty(tree, *track, "shoes", "31")) == replaced(kText, "shoes 30", "shoes 31"));
}
