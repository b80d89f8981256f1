// Lexer and parser: no byte is lost, statements and properties are cut as the language page says.
#include "engine/mech/syntax_tree.h"
#include "engine/mech/values.h"
#include "tests/engine/mech/samples.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::mech;

namespace {

std::string joined(const SyntaxTree& tree) {
    std::string text;
    for (const Token& token : tree.tokens) text += tree.view(token.range());
    return text;
}

std::string values(const SyntaxTree& tree, const Statement& statement, const std::string& word) {
    const Property* property = statement.find(word);
    return property ? std::string(tree.view(tree.range(property->begin, property->end))) : "absent";
}

std::vector<std::string> bound(const SyntaxTree& tree, const Statement& statement, const std::string& word) {
    std::vector<std::string> list;
    for (const Value& value : bindingOf(tree, statement, *statement.find(word)).values)
        list.emplace_back(tree.view(tree.range(value.begin, value.end)));
    return list;
}

}  // namespace

TEST_CASE("Tokens cover every byte once") {
    std::vector<std::string> texts = modelTexts();
    texts.push_back("");
    texts.push_back("\xEF\xBB\xBFmech 1");
    texts.push_back("mech 1\r\nbody a\r\n\tmass 1 # x\r\n");
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        std::string bytes(static_cast<std::size_t>(random() % 200), ' ');
        for (char& c : bytes)
            c = static_cast<char>(random() % 4 == 0 ? random() % 256 : "mech ()\"#.-+e0\r\n"[random() % 16]);
        texts.push_back(bytes);
    }
    for (const std::string& text : texts) {
        const SyntaxTree tree = parse(text);
        CHECK(joined(tree) == text);
        std::size_t at = 0;
        for (const Token& token : tree.tokens) {
            CHECK(token.range().begin == at);
            CHECK(token.length > 0);
            at = token.range().end;
        }
        CHECK(at == text.size());
    }
}

TEST_CASE("The texts of the language page have no structural fault") {
    for (const std::string& text : modelTexts()) {
        const SyntaxTree tree = parse(text);
        for (const Diagnostic& d : tree.diagnostics) FAIL_CHECK(formatDiagnostic(d, text, "text"));
    }
}

TEST_CASE("A word is a value where a value is due, and a property elsewhere") {
    const SyntaxTree tree = parse(
        "param k 1\nparam c 2\nbody k\n  mass k\n"
        "tsda s from k 0 0 0 to k 1 0 0  k k  c c  l0 1\n"
        "rsda r joint k  curve 0 0 1 (k) k 3\n");
    CHECK(tree.diagnostics.empty());
    const Statement& tsda = *tree.find(NameSpace::element, "s");
    CHECK(values(tree, tsda, "k") == "k");
    CHECK(values(tree, tsda, "c") == "c");
    CHECK(values(tree, tsda, "to") == "k 1 0 0");
    const Statement& rsda = *tree.find(NameSpace::element, "r");
    CHECK(values(tree, rsda, "curve") == "0 0 1 (k)");
    CHECK(values(tree, rsda, "k") == "3");
}

TEST_CASE("Values end at the line's end and properties share lines") {
    const SyntaxTree tree = parse("body b\n  mass 1  cg 1 2\n  3\n");
    REQUIRE(tree.diagnostics.size() == 2);
    CHECK(tree.diagnostics[0].code == "missing-value");
    CHECK(tree.diagnostics[1].code == "extra-value");
    CHECK(values(tree, tree.statements[0], "mass") == "1");
}

TEST_CASE("Values: signs, parentheses, axes, points") {
    const SyntaxTree tree = parse(
        "poi tip on base at -1 (1 - (2*3)) -k\nbody b\n  joint universal 1 0 -0.5 y\n  mass 1\n"
        "tsda s from tip to b (1) -2 +3\n");
    CHECK(tree.diagnostics.empty());
    CHECK(bound(tree, tree.statements[0], "at") == std::vector<std::string>{"-1", "(1 - (2*3))", "-k"});
    CHECK(bound(tree, tree.statements[1], "joint") == std::vector<std::string>{"universal", "1", "0", "-0.5", "y"});
    CHECK(bound(tree, tree.statements[2], "from") == std::vector<std::string>{"tip"});
    CHECK(bound(tree, tree.statements[2], "to") == std::vector<std::string>{"b", "(1)", "-2", "+3"});
}

TEST_CASE("Words hold hyphens and dots outside expressions only") {
    const SyntaxTree tree = parse("let d = a-b\nparam p (a-b)\nbody b\n  joint-damping 1\n");
    std::vector<std::string> words;
    for (const Token& token : tree.tokens)
        if (token.kind == TokenKind::word) words.emplace_back(tree.view(token.range()));
    CHECK(words ==
          std::vector<std::string>{"let", "d", "a", "b", "param", "p", "a", "b", "body", "b", "joint-damping"});
}

TEST_CASE("Elements of a path keep their own words on their line") {
    const SyntaxTree tree = parse(
        "track t\n  root a\n  shoes 9\n  mass 1\n  pad 0 1 1\n  kn 1\n  roller a 1 end driven teeth 10\n  roller b "
        "2\n  teeth 3\n");
    const Statement& track = tree.statements[0];
    int own = 0;
    for (const Property& property : track.properties) own += property.own ? 1 : 0;
    CHECK(own == 3);
    REQUIRE(tree.diagnostics.size() == 1);
    CHECK(tree.diagnostics[0].code == "unknown-keyword");
    CHECK(tree.diagnostics[0].remedy == "'teeth' belongs to a 'roller', on the same line");
}

TEST_CASE("Statements know the lines that are theirs") {
    const std::string text = crankText();
    const SyntaxTree tree = parse(text);
    const Statement* rod = tree.find(NameSpace::body, "rod");
    REQUIRE(rod);
    CHECK(tree.at(text.find("parent crank")) == rod);
    CHECK(tree.view(rod->range).substr(0, 8) == "body rod");
    CHECK(tree.view(rod->range).back() == ')');
    CHECK(tree.view(tree.nameRange(*rod)) == "rod");
}
