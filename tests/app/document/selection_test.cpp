// Selection by name, and where a place in the text belongs.
#include "app/document/selection.h"

#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {
const std::string kText =
    "# head\nmech 1\nbody a\n  joint revolute y\n  mass 1\n# between\nbody b\n  parent a\npoi p on b at 0 0 1\nshape s "
    "on a  sphere 1\n";
}

TEST_CASE("a caret belongs to the statement whose lines hold it", "[selection]") {
    const mech::SyntaxTree tree = mech::parse(kText);
    CHECK(statementAt(tree, 0) == -1);
    CHECK_FALSE(itemAt(tree, 0));
    CHECK_FALSE(itemAt(tree, kText.find("mech 1")));
    CHECK(itemAt(tree, kText.find("body a")) == Item{"body", "a"});
    CHECK(itemAt(tree, kText.find("mass")) == Item{"body", "a"});
    CHECK(itemAt(tree, kText.find("parent")) == Item{"body", "b"});
    CHECK(itemAt(tree, kText.find("on b at")) == Item{"poi", "p"});
    CHECK(itemAt(tree, kText.size() - 2) == Item{"shape", "s"});
}

TEST_CASE("items are found by kind and name, in broken texts too", "[selection]") {
    const mech::SyntaxTree tree = mech::parse(kText + "body broken\n  mass\n  joint what\n");
    CHECK(itemsOf(tree).size() == 5);
    CHECK(findStatement(tree, {"body", "broken"}));
    CHECK_FALSE(findStatement(tree, {"poi", "broken"}));
    CHECK_FALSE(findStatement(tree, {"nonsense", "a"}));
    const auto name = nameRange(tree, {"body", "b"});
    REQUIRE(name);
    CHECK(name->begin == kText.find("body b") + 5);
    CHECK(tree.view(*name) == "b");
}

TEST_CASE("items of the model", "[selection]") {
    const ReadResult read = readMechanism(kText);
    CHECK(modelIndex(read.model, {"body", "b"}) == 1);
    CHECK(modelIndex(read.model, {"body", "base"}) == kBase);
    CHECK(modelIndex(read.model, {"poi", "p"}) == 0);
    CHECK(modelIndex(read.model, {"poi", "q"}) == -1);
    CHECK(bodyOf(read.model, {"poi", "p"}) == 1);
    CHECK(bodyOf(read.model, {"shape", "s"}) == 0);
    CHECK(bodyOf(read.model, {"body", "base"}) == kBase);
    CHECK(bodyOf(read.model, {"tsda", "none"}) == -2);
}

TEST_CASE("a selection survives edits, renames and undo", "[selection]") {
    Selection selection;
    CHECK_FALSE(selection.primary());
    selection.set({"body", "a"});
    selection.toggle({"body", "b"});
    CHECK(selection.primary() == Item{"body", "b"});
    selection.toggle({"body", "a"});
    CHECK(selection.items().size() == 1);
    selection.add({"poi", "p"});
    selection.renamed({"body", "b"}, {"body", "c"});
    CHECK(selection.contains({"body", "c"}));
    // Gone from the text, the item waits for the undo.
    CHECK(selection.present(mech::parse(kText)) == std::vector<Item>{{"poi", "p"}});
    CHECK(selection.items().size() == 2);
    selection.clear();
    CHECK(selection.empty());
}
