// Patches touch what they must and no more; the formatter keeps comments, meaning and itself.
#include "engine/mech/patch.h"

#include "engine/mech/format.h"
#include "engine/model/read.h"
#include "tests/engine/mech/samples.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::mech;

namespace {

/// Text before and after the one stretch in which two texts differ.
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
    std::size_t head = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
    std::size_t tail = 0;
    while (tail + head < a.size() && tail + head < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    return {a.substr(head, a.size() - head - tail), b.substr(head, b.size() - head - tail)};
}

bool sameModel(const Model& a, const Model& b) {
    return modelHash(a) == modelHash(b) && a.title == b.title && a.shapes.size() == b.shapes.size() &&
           a.parameters.size() == b.parameters.size();
}

}  // namespace

TEST_CASE("Setting a property changes its values alone, in LF and CRLF") {
    for (const bool crlf : {false, true}) {
        const std::string text = crlf ? replaced(crankText(), "\n", "\r\n") : crankText();
        const SyntaxTree tree = parse(text);
        const Statement& crank = *tree.find(NameSpace::body, "crank");
        const std::string next = applyEdits(text, setProperty(tree, crank, "mass", "1.5"));
        CHECK(difference(text, next) == std::pair<std::string, std::string>{"2", "5"});
        const ReadResult read = readModel(next);
        CHECK(read.model.bodies[0].mass.value == 1.5);
        const std::string moved = applyEdits(text, setValue(tree, crank, "at", 2, "0.75"));
        CHECK(readModel(moved).model.bodies[0].at[2].value == 0.75);
        CHECK(moved.size() == text.size());
        CHECK(setProperty(tree, crank, "mass", "1.2").empty());
    }
}

TEST_CASE("A missing property is added on a line of its own, behind a short statement on its line") {
    for (const bool crlf : {false, true}) {
        const std::string text = crlf ? replaced(crankText(), "\n", "\r\n") : crankText();
        const SyntaxTree tree = parse(text);
        const std::string next = applyEdits(text, setProperty(tree, *tree.find(NameSpace::body, "crank"), "rate", "2"));
        CHECK(difference(text, next).first.empty());
        CHECK(next.size() == text.size() + std::string("\n  rate 2").size() + (crlf ? 1 : 0));
        CHECK(readModel(next).model.bodies[0].rate[0].value == 2);
        // The comment stays with the line that it stood on.
        CHECK(next.find("see rod and slider") < next.find("  rate 2"));
        const std::string drive =
            applyEdits(text, setProperty(tree, *tree.find(NameSpace::drive, "motor"), "limit", "30"));
        CHECK(drive.find("gain 20  limit 30") != std::string::npos);
    }
}

TEST_CASE("Removing a property takes its line or its place in the line") {
    const std::string text = crankText();
    const SyntaxTree tree = parse(text);
    const Statement& crank = *tree.find(NameSpace::body, "crank");
    CHECK(applyEdits(text, removeProperty(tree, crank, "at")) ==
          replaced(text, "  at 0 0 0.25\n  mass 1.2", "  mass 1.2"));
    CHECK(applyEdits(text, removeProperty(tree, crank, "mass")) == replaced(text, "  mass 1.2  cg", "  cg"));
    CHECK(applyEdits(text, removeProperty(tree, crank, "cg")) == replaced(text, "1.2  cg (crank_length/2) 0 0", "1.2"));
    // A comment on the line keeps the line.
    CHECK(applyEdits(text, removeProperty(tree, crank, "start")).find("# closed to the last bit") != std::string::npos);
}

TEST_CASE("Statements come and go without their neighbours") {
    const std::string text = crankText();
    const SyntaxTree tree = parse(text);
    const Statement& rod = *tree.find(NameSpace::body, "rod");
    const std::string without = applyEdits(text, removeStatement(tree, *tree.find(NameSpace::point, "wall")));
    CHECK(without == replaced(text, "poi wall on base at 1.1 0 0.25\n", ""));
    const std::string with = applyEdits(text, insertStatement(tree, "body tip\n  mass 1", &rod));
    CHECK(with.find("sin(40*deg)/3))\nbody tip\n  mass 1\nbody slider") != std::string::npos);
    CHECK(readModel(with).model.bodies.size() == 4);
    const std::string last = applyEdits(text, insertStatement(tree, "poi end on rod at 0 0 0"));
    CHECK(last == text + "poi end on rod at 0 0 0\n");
    const std::string unended = "mech 1";
    CHECK(applyEdits(unended, insertStatement(parse(unended), "body b\n  mass 1")) == "mech 1\nbody b\n  mass 1");
}

TEST_CASE("A new name reaches every reference and nothing else") {
    const std::string text = crankText();
    const SyntaxTree tree = parse(text);
    const std::string next = applyEdits(text, rename(tree, NameSpace::body, "crank", "wheel"));
    const ReadResult before = readModel(text);
    const ReadResult after = readModel(next);
    REQUIRE(before.ok());
    REQUIRE(after.ok());
    CHECK(after.model.bodies[0].name == "wheel");
    CHECK(next.find("crank_length") != std::string::npos);
    CHECK(next.find("\"Crank with a spring\"") != std::string::npos);
    CHECK(applyEdits(next, rename(parse(next), NameSpace::body, "wheel", "crank")) == text);

    const std::string length = applyEdits(text, rename(tree, NameSpace::value, "crank_length", "r"));
    CHECK(length.find("crank_length") == std::string::npos);
    CHECK(modelHash(readModel(length).model) == modelHash(before.model));
    CHECK(references(tree, NameSpace::value, "crank_length").size() == 5);
    // `k` is a parameter and a property word.
    const std::string stiff = applyEdits(text, rename(tree, NameSpace::value, "k", "stiffness"));
    CHECK(stiff.find("k stiffness  c 12") != std::string::npos);
    CHECK(readModel(stiff).ok());
    // Points and coordinates.
    CHECK(applyEdits(text, rename(tree, NameSpace::point, "lug", "eye")) == replaced(text, "lug", "eye"));
    const std::string later = laterText();
    CHECK(applyEdits(later, rename(parse(later), NameSpace::body, "arm", "limb")) == replaced(later, "arm.", "limb."));
}

TEST_CASE("Numbers are written so that they read back exactly") {
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i) {
        const double value = std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 200) - 150);
        const ReadResult read = readModel("mech 1\ngravity 0 0 " + numberText(value) + "\n");
        REQUIRE(read.ok());
        CHECK(read.model.gravity[2].value == value);
    }
    CHECK(numberText(-0.0) == "0");
    CHECK(numberText(0.1) == "0.1");
}

TEST_CASE("Edits that overlap are refused") {
    CHECK_THROWS(applyEdits("abc", {{{0, 2}, "x"}, {{1, 3}, "y"}}));
    CHECK_THROWS(applyEdits("abc", {{{2, 5}, "x"}}));
    CHECK(applyEdits("abc", {{{2, 3}, "y"}, {{0, 1}, "x"}}) == "xby");
}

TEST_CASE("The formatter keeps meaning and comments, and leaves a formatted text alone") {
    for (const std::string& original : modelTexts()) {
        for (const int variant : {0, 1, 2, 3}) {
            std::string text = original;
            if (variant == 1) text = replaced(text, "\n", "\r\n");
            if (variant == 2) text = "\xEF\xBB\xBF" + replaced(text, "  ", "\t");
            if (variant == 3) text = replaced(replaced(text, "\n", "   \n\n\n"), "  ", "    ");
            const std::string once = formatText(text);
            CHECK(formatText(once) == once);
            const ReadResult before = readModel(text);
            const ReadResult after = readModel(once);
            CHECK(before.diagnostics.size() == after.diagnostics.size());
            CHECK(sameModel(before.model, after.model));
            // Everything but blanks is there, in order.
            const auto squeezed = [](std::string s) {
                std::string out;
                for (const char c : s)
                    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
                return out;
            };
            CHECK(squeezed(text) == squeezed(once));
        }
    }
    CHECK(formatText(crankText()) == crankText());
}

TEST_CASE("The formatter's rules, one by one") {
    CHECK(formatText("  body   b\nmass\t1   cg 0  0 0\n") == "body b\n  mass 1  cg 0 0 0\n");
    CHECK(formatText("mech 1\n\n\n\nbody b\n") == "mech 1\n\nbody b\n");
    CHECK(formatText("mech 1   \n# note  \nbody b\n   # inside\n  mass 1") ==
          "mech 1\n# note\nbody b\n  # inside\n  mass 1");
    CHECK(formatText("body b\n  mass 1     # heavy\n") == "body b\n  mass 1     # heavy\n");
    CHECK(formatText("body b\nmass 1# heavy\n") == "body b\n  mass 1  # heavy\n");
    // A byte order mark that is out of place stays out of place: the text stays as faulty as it was.
    for (const std::string before : {"\r\n", " ", "\n \n\t"}) {
        const std::string text = before + "\xEF\xBB\xBFmech 1 # note\nbody a\n\tmass 1 # note\n";
        CHECK_FALSE(readModel(formatText(text)).ok());
        CHECK(formatText(formatText(text)) == formatText(text));
    }
    CHECK(formatText("\xEF\xBB\xBF\r\n mech 1\r\n") == "\xEF\xBB\xBFmech 1\r\n");
}
