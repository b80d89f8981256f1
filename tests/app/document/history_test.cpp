// Undo by value, judged by a model of it: a plain list of texts, and by properties under random edits.
#include "app/document/history.h"

#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using mw::app::History;

TEST_CASE("undo to the start gives the first bytes, redo to the end the last", "[history]") {
    std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u));
    const std::string first = "mech 1\r\nbody a\xff\n";
    History history(first);
    std::string text = first;
    for (int i = 0; i < 300; ++i) {
        switch (random() % 6) {
            case 0: history.undo(); break;
            case 1: history.redo(); break;
            case 2: history.seal(); break;
            default: {
                text = *history.current().text;
                const std::size_t at = text.empty() ? 0 : random() % text.size();
                if (random() % 3 == 0 && !text.empty()) {
                    text.erase(at, 1 + random() % 4);
                } else {
                    text.insert(at, std::string(1 + random() % 5, static_cast<char>(random())));
                }
                history.push(text, "Type", random() % 4 == 0 ? 1 + random() % 3 : 0, random() % 2 == 0);
                REQUIRE(*history.current().text == text);
            }
        }
    }
    while (history.canRedo()) history.redo();
    const std::string last = *history.current().text;
    const std::size_t entries = history.entries().size();
    while (history.canUndo()) history.undo();
    REQUIRE(*history.current().text == first);
    while (history.canRedo()) history.redo();
    REQUIRE(*history.current().text == last);
    REQUIRE(history.entries().size() == entries);
}

TEST_CASE("without merging the history is the list of texts", "[history]") {
    std::mt19937 random(11);
    History history("");
    std::vector<std::string> list{""};
    std::size_t at = 0;
    for (int i = 0; i < 500; ++i) {
        const unsigned choice = random() % 4;
        if (choice == 0) {
            history.undo();
            if (at > 0) --at;
        } else if (choice == 1) {
            history.redo();
            if (at + 1 < list.size()) ++at;
        } else {
            const std::string text(random() % 3, static_cast<char>('a' + random() % 2));
            history.push(text, "edit");
            if (text != list[at]) {
                list.resize(at + 1);
                list.push_back(text);
                ++at;
            }
        }
        REQUIRE(history.at() == at);
        REQUIRE(history.entries().size() == list.size());
        REQUIRE(*history.current().text == list[at]);
    }
}

TEST_CASE("typing merges until it is interrupted", "[history]") {
    History history("a");
    history.push("ab", "Type", 0, true);
    history.push("abc", "Type", 0, true);
    REQUIRE(history.entries().size() == 2);
    history.push("abc\n", "Type", 0, false);  // a newline stands alone
    history.push("abc\nd", "Type", 0, true);
    REQUIRE(history.entries().size() == 3);
    history.push("abc\nX", "mass 1 -> 2");
    history.push("abc\nXe", "Type", 0, true);  // never joins an entry of another name
    REQUIRE(history.entries().size() == 5);
    history.undo();
    history.redo();
    history.push("abc\nXef", "Type", 0, true);  // nor one that was undone and redone
    REQUIRE(history.entries().size() == 6);
    history.seal();
    history.push("abc\nXefg", "Type", 0, true);  // nor one that was saved
    REQUIRE(history.entries().size() == 7);
}

TEST_CASE("a drag is one entry, and none when it returns", "[history]") {
    History history("mass 1");
    history.push("mass 2", "mass 1 -> 2", 7);
    history.push("mass 3", "mass 1 -> 3", 7);
    REQUIRE(history.entries().size() == 2);
    REQUIRE(history.current().name == "mass 1 -> 3");
    history.push("mass 4", "mass 3 -> 4", 8);
    REQUIRE(history.entries().size() == 3);
    history.push("mass 3", "mass 3 -> 3", 8);
    REQUIRE(history.entries().size() == 2);
    REQUIRE(*history.current().text == "mass 3");
    history.undo();
    REQUIRE(*history.current().text == "mass 1");
}

TEST_CASE("an edit that changes nothing makes no entry", "[history]") {
    History history("x");
    history.push("x", "Type");
    REQUIRE_FALSE(history.canUndo());
}

TEST_CASE("old entries give way when the bytes are used up", "[history]") {
    History history(std::string(1000, 'x'), "Open", 10'000);
    for (int i = 0; i < 100; ++i) history.push(std::string(1000, static_cast<char>('a' + i % 26)), "edit");
    CHECK(history.dropped());
    CHECK(history.bytes() <= 10'000);
    CHECK(history.canUndo());
    CHECK(*history.current().text == std::string(1000, static_cast<char>('a' + 99 % 26)));
    // One undo stays possible however large the texts are.
    history.push(std::string(50'000, 'y'), "edit");
    REQUIRE(history.canUndo());
    history.undo();
    CHECK(*history.current().text == std::string(1000, static_cast<char>('a' + 99 % 26)));
}

TEST_CASE("equal texts are kept once", "[history]") {
    History history(std::string(100'000, 'a'));
    for (int i = 0; i < 20; ++i) history.push(std::string(100'000, i % 2 ? 'a' : 'b'), "toggle");
    CHECK(history.entries().size() == 21);
    CHECK(history.bytes() < 210'000);
}

TEST_CASE("any entry can be gone to", "[history]") {
    History history("0");
    for (int i = 1; i < 6; ++i) history.push(std::to_string(i), "edit");
    history.jumpTo(2);
    CHECK(*history.current().text == "2");
    history.jumpTo(99);
    CHECK(*history.current().text == "5");
}
