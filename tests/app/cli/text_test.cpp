// mech check and mech format on texts, good and bad.
#include "tests/app/cli/run_mech.h"
#include "tests/support/catch.h"

using namespace mw::test;

TEST_CASE("every example is sound and tidy", "[cli]") {
    for (const std::string& name : exampleNames()) {
        const Outcome check = mech({"check", example(name), "--json"});
        CAPTURE(name, check.err);
        CHECK(check.code == 0);
        const Json json = check.json();
        CHECK(keysOf(json) == std::vector<std::string>{"file", "errors", "warnings", "notes"});
        CHECK(json["errors"].empty());
        CHECK(json["warnings"].empty());
        CHECK(json["file"] == example(name));
        CHECK(mech({"format", "--check", example(name)}).code == 0);
        // The first lines say what it shows.
        CHECK(slurp(example(name)).rfind("# ", 0) == 0);
    }
}

TEST_CASE("check: all findings at once, each with place, expectation and remedy", "[cli]") {
    const Folder folder;
    const std::string text =
        "mech 1\n"
        "# größer, 机构: columns count code points\n"
        "body arm\n"
        "  joint revolut y\n"
        "  mass -2\n"
        "body hand\n"
        "  parent arn\n"
        "  joint revolute y  mass 1  inertia 1 1 1 0 0 0\n"
        "title \"é\" frobnicate\n";
    const Outcome outcome = mech({"check", folder.write("bad.mech", text), "--json"});
    CHECK(outcome.code == 1);
    const Json errors = outcome.json()["errors"];
    CAPTURE(outcome.out);
    REQUIRE(errors.size() >= 4);
    for (const Json& e : errors) {
        CHECK(keysOf(e) ==
              std::vector<std::string>{"code", "line", "column", "length", "message", "expected", "remedy"});
        CHECK_FALSE(e["code"].get<std::string>().empty());
        CHECK_FALSE(e["message"].get<std::string>().empty());
    }
    const auto at = [&](int line, int column, int length) {
        for (const Json& e : errors)
            if (e["line"] == line && e["column"] == column && e["length"] == length) return true;
        return false;
    };
    CHECK(at(4, 9, 7));    // revolut
    CHECK(at(5, 8, 2));    // -2
    CHECK(at(7, 10, 3));   // arn
    CHECK(at(9, 11, 10));  // frobnicate, after an é
    // For people: file:line:column: error: message.
    const Outcome plain = mech({"check", folder / "bad.mech"});
    CHECK(plain.code == 1);
    CHECK(plain.out.empty());
    CHECK(contains(plain.err, folder / "bad.mech" + ":4:9: error: "));
    CHECK(contains(plain.err, "arm"));
}

TEST_CASE("check: warnings alone are good", "[cli]") {
    const Folder folder;
    const std::string file =
        folder.write("plate.mech", "mech 1\nbody plate\n  joint revolute z\n  mass 1  inertia 1 1 5 0 0 0\n");
    const Outcome outcome = mech({"check", file, "--json"});
    CHECK(outcome.code == 0);
    REQUIRE(outcome.json()["warnings"].size() == 1);
    CHECK(outcome.json()["errors"].empty());
    CHECK(contains(outcome.json()["warnings"][0]["message"].get<std::string>(), "plate"));
}

TEST_CASE("format: tidies, keeps every word, and is done after once", "[cli]") {
    const Folder folder;
    const std::string untidy =
        "mech 1\n\n\n# kept  as it is\nbody   arm   # and this\n joint    revolute   y\n\tmass 1.50   cg 0.1 0 0\n";
    const std::string file = folder.write("arm.mech", untidy);
    CHECK(mech({"format", "--check", file}).code == 1);
    const Outcome shown = mech({"format", file});
    CHECK(shown.code == 0);
    CHECK(slurp(file) == untidy);
    CHECK(contains(shown.out, "# kept  as it is"));
    CHECK(contains(shown.out, "# and this"));
    CHECK(contains(shown.out, "1.50"));

    CHECK(mech({"format", "--in-place", file}).code == 0);
    CHECK(slurp(file) == shown.out);
    CHECK(mech({"format", "--check", file}).code == 0);
    CHECK(mech({"format", file}).out == shown.out);
    // The meaning is the same.
    const std::string original = folder.write("original.mech", untidy);
    CHECK(mech({"eval", file, "--json"}).json()["mass_matrix"] ==
          mech({"eval", original, "--json"}).json()["mass_matrix"]);

    const Json json = mech({"format", original, "--json"}).json();
    CHECK(json["changed"] == true);
    CHECK(json["text"] == shown.out);
}

TEST_CASE("format: line ends, byte order mark and missing final newline are the author's", "[cli]") {
    const Folder folder;
    const std::string text = "\xEF\xBB\xBFmech 1\r\nbody arm\r\n  joint revolute y\r\n  mass 1  cg 0.1 0 0";
    const Outcome outcome = mech({"format", folder.write("dos.mech", text)});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == text);
}
