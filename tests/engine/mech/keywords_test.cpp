// The keyword table: sound in itself, and the page of the language is the one that it makes.
#include "engine/mech/keywords.h"

#include <cstdlib>
#include <set>

#include "engine/mech/completion.h"
#include "tests/engine/mech/completions.h"
#include "tests/engine/mech/samples.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::mech;

TEST_CASE("Heads are no property names, words are unique, every row has its help") {
    std::set<std::string> heads;
    for (const StatementSpec& s : statements()) {
        CHECK(heads.insert(s.head).second);
        CHECK(findStatement(s.head) == &s);
        CHECK(*s.doc);
    }
    for (const StatementSpec& s : statements()) {
        std::set<std::string> words;
        for (const PropertySpec& p : s.properties) {
            INFO(s.head << ' ' << p.word);
            CHECK(words.insert(p.word).second);
            CHECK(heads.count(p.word) == 0);
            CHECK(*p.doc);
            if (p.required) CHECK(*p.sample);
            for (const PropertySpec& own : p.own) {
                CHECK(heads.count(own.word) == 0);
                CHECK(*own.doc);
            }
        }
    }
}

TEST_CASE("The language page is the one that the table makes") {
    const std::string path = std::string(MW_SOURCE_DIR) + "/docs/language.md";
    if (std::getenv("MW_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << languageReference();
    std::ifstream file(path, std::ios::binary);
    std::stringstream page;
    page << file.rdbuf();
    CHECK(page.str() == languageReference());
}

TEST_CASE("Completion offers what may stand at a place") {
    const std::string head = "mech 1\nparam length 2\nbody arm\n  mass 1\n";
    CHECK(offers(words("|"), {"mech", "body", "tendon"}));
    CHECK(offers(words(head + "  |"), {"joint", "cg", "body"}));
    CHECK_FALSE(words(head + "  |").count("mass"));
    CHECK(words(head + "  joi|") ==
          std::set<std::string>{"joint", "joint-armature", "joint-damping", "joint-friction"});
    CHECK(offers(words(head + "  joint |"), {"revolute", "screw", "floating"}));
    CHECK(offers(words(head + "  joint revolute |"), {"x", "y", "z", "length"}));
    CHECK(words(head + "  joint screw x |") == std::set<std::string>{"pitch"});
    CHECK(offers(words(head + "  parent |"), {"base", "arm"}));
    CHECK(words(head + "  cg len|") == std::set<std::string>{"length"});
    CHECK(offers(words(head + "  cg 0 0 (2*|"), {"length", "sin", "deg"}));
    CHECK_FALSE(words(head + "  cg 0 0 (2*|").count("t"));
    CHECK(offers(words(head + "drive d joint arm torque (|"), {"t", "length"}));
    CHECK(offers(words(head + "drive d joint arm |"), {"torque", "speed", "limit"}));
    CHECK(offers(words(head + "let l = |"), {"length", "sqrt"}));
    CHECK(words(head + "# a comment |").empty());
    CHECK(words(head + "title \"a |").empty());
    CHECK(offers(words("track t\n roller base 1 |"), {"end", "driven", "shoes"}));
}

TEST_CASE("Help says what a word means") {
    const std::string text = "mech 1\nbody arm\n  mass 1\n";
    const SyntaxTree tree = parse(text);
    CHECK(helpAt(tree, text.find("mass") + 1).find("mass m") == 0);
    CHECK(helpAt(tree, text.find("body") + 1).find("body NAME") == 0);
}
