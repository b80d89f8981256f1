// A locale with a decimal comma changes nothing in files and outputs.
#include <clocale>

#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "tests/app/cli/run_mech.h"
#include "tests/support/catch.h"

using namespace mw::test;

TEST_CASE("de_DE: the program says the same bytes", "[cli][locale]") {
    const Folder folder;
    const Run german{{"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"}, {}}, plain{{"LC_ALL=C"}, {}};
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"check", example("springpend"), "--json"},
                                               {"format", example("springpend")},
                                               {"eval", example("springpend"), "--v", "0.25,-1.5", "--json"},
                                               {"eval", example("springpend"), "--kernel", "c", "--json"},
                                               {"generate", example("springpend")},
                                               {"simulate", example("springpend"), "--time", "0.1", "--trace", "-"}}) {
        const Outcome a = mech(arguments, german), b = mech(arguments, plain);
        CAPTURE(arguments[0]);
        CHECK(a.code == 0);
        CHECK(a.out == b.out);
        CHECK_FALSE(b.out.empty());
    }
}

TEST_CASE("de_DE: the reader in a process that has set it", "[cli][locale]") {
    const std::string text = slurp(example("springpend"));
    const mw::ReadResult before = mw::readMechanism(text);
    // Set-up installs the locale; without it this test would show nothing, so it fails.
    REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
    REQUIRE(std::localeconv()->decimal_point == std::string(","));
    const mw::ReadResult after = mw::readMechanism(text);
    std::setlocale(LC_ALL, "C");
    REQUIRE(after.ok());
    CHECK(mw::modelHash(after.model) == mw::modelHash(before.model));
}
