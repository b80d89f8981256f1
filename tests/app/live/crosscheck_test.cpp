// Asking mech-crosscheck from a running program: an answer, no program, a program that fails or never ends.
#include "app/live/crosscheck.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/catch.h"

using namespace mw::app;
namespace fs = std::filesystem;

namespace {

const fs::path kProgram = fs::path(MW_BINARY_DIR) / "bin" / "mech-crosscheck";
const fs::path kModels = fs::path(MW_SOURCE_DIR) / "models";

/// A program of two lines that stands for one that goes wrong.
fs::path script(const std::string& name, const std::string& lines) {
    const fs::path path = fs::path(MW_BINARY_DIR) / name;
    std::ofstream(path) << "#!/bin/sh\n" << lines << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
}

}  // namespace

TEST_CASE("The outside opinion reaches the program that asks, line by line") {
    if (!fs::exists(kProgram)) return;  // neither engine is installed here
    CrossCheckOptions options;
    options.program = kProgram;
    options.trials = 5;
    const auto report = runCrosscheck(kModels / "fourbar.mech", options);
    REQUIRE(report);
    INFO(report->trouble);
    CHECK(report->trouble.empty());
    CHECK(report->model == "fourbar");
    CHECK(report->passed);
    REQUIRE_FALSE(report->lines.empty());
    for (const CrossCheckLine& line : report->lines) {
        INFO(line.engine << " " << line.name << " " << line.detail);
        CHECK(line.pass);
        CHECK_FALSE(line.version.empty());
        CHECK_FALSE(line.detail.empty());
    }
}

TEST_CASE("A text that is not saved is judged as it stands; its faults come back as words") {
    if (!fs::exists(kProgram)) return;
    CrossCheckOptions options;
    options.program = kProgram;
    options.trials = 2;
    options.text = "mech 1\nbody bob\n  joint revolute y\n  mass 1  cg 0 0 -1\n";
    const auto good = runCrosscheck("new one.mech", options);
    REQUIRE(good);
    INFO(good->trouble);
    CHECK(good->passed);
    CHECK(good->model == "new one");
    options.text = "mech 1\nbody bob\n  joint hinge y\n";
    const auto bad = runCrosscheck("new one.mech", options);
    REQUIRE(bad);
    CHECK_FALSE(bad->passed);
    CHECK(bad->trouble.find("hinge") != std::string::npos);
}

TEST_CASE("No program, no opinion; one that dies, babbles or never ends is trouble, never a hang") {
    CrossCheckOptions options;
    options.program = fs::path(MW_BINARY_DIR) / "no-such-program";
    const auto missing = runCrosscheck("x.mech", options);
    REQUIRE(missing);
    CHECK(missing->trouble.find("cannot be run") != std::string::npos);

    options.program = script("crosscheck_babbles", "echo '{\"model\": 3'");
    CHECK_FALSE(runCrosscheck("x.mech", options)->trouble.empty());
    // It ends before it has read what it is told: more than a pipe holds.
    options.program = script("crosscheck_dies", "kill -SEGV $$");
    options.text = std::string(1 << 20, '#');
    CHECK(runCrosscheck("x.mech", options)->trouble.find("died") != std::string::npos);
    options.text.reset();

    const auto start = std::chrono::steady_clock::now();
    options.program = script("crosscheck_sleeps", "exec sleep 600");
    options.timeout = 0.2;
    CHECK(runCrosscheck("x.mech", options)->trouble.find("no answer") != std::string::npos);
    options.timeout = 600;
    std::atomic<bool> cancel{false};
    options.cancel = &cancel;
    std::thread impatient([&] { cancel = true; });
    CHECK(runCrosscheck("x.mech", options)->trouble == "cancelled");
    impatient.join();
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(300));
}

TEST_CASE("What did not answer holds nothing against a mechanism; what disagrees or breaks down does") {
    struct Case {
        const char *name, *lines;
        bool pass, skipped;
        const char* says;
    };
    const auto answer = [](const char* value, const char* pass) {
        return std::string("cat > /dev/null; echo '{\"model\":\"x\",\"passed\":") + pass +
               ",\"engines\":[{\"engine\":\"simbody\",\"version\":\"3.7\",\"checks\":[{\"name\":\"mass\",\"value\":" +
               value + ",\"bound\":1e-8,\"pass\":" + pass + ",\"skipped\":false,\"detail\":\"here\"}]}]}'";
    };
    const std::string agrees = answer("1e-14", "true"), disagrees = answer("0.5", "false");
    const std::vector<Case> cases = {
        {"outside_agrees", agrees.c_str(), true, false, "here"},
        {"outside_disagrees", disagrees.c_str(), false, false, "here"},
        {"outside_late", "exec sleep 600", true, true, "no answer within 0.3 s"},
        {"outside_silent", "exit 0", true, true, "no answer"},
        {"outside_unloadable", "echo 'a library is missing' >&2; exit 127", true, true, "a library is missing"},
        {"outside_dies", "kill -SEGV $$", false, false, "died"},
        {"outside_babbles", "echo '{\"model\": 3'", false, false, "no answer"},
        {"outside_refuses", "echo 'what is this?' >&2; exit 1", false, false, "what is this?"},
    };
    for (const Case& c : cases) {
        INFO(c.name);
        CrossCheckOptions options;
        options.program = script(c.name, c.lines);
        if (std::string(c.says).find("0.3 s") != std::string::npos) options.timeout = 0.3;
        const OutsideOpinion opinion = outsideOpinion(runCrosscheck("x.mech", options));
        REQUIRE(opinion.gates.size() == 1);
        INFO(opinion.gates[0].detail);
        CHECK(opinion.gates[0].pass == c.pass);
        CHECK(opinion.gates[0].skipped == c.skipped);
        CHECK(opinion.gates[0].detail.find(c.says) != std::string::npos);
    }
    std::atomic<bool> cancel{true};
    CrossCheckOptions options;
    options.program = script("outside_cancelled", "exec sleep 600");
    options.cancel = &cancel;
    const OutsideOpinion opinion = outsideOpinion(runCrosscheck("x.mech", options));
    REQUIRE(opinion.gates.size() == 1);
    CHECK(opinion.gates[0].skipped);
    CHECK(opinion.gates[0].pass);
}

TEST_CASE("The time that an answer may take grows with the mechanism and the states") {
    CHECK(crosscheckTimeout(1, 1) >= 120);
    CHECK(crosscheckTimeout(43, 200) > 2 * crosscheckTimeout(1, 200));
    CHECK(crosscheckTimeout(43, 200) > 2 * crosscheckTimeout(43, 5));
    // Some thirteen seconds of one core for the largest model: thirty times that is left.
    CHECK(crosscheckTimeout(43, 200) > 400);
}
