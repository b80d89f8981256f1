// Help, wrong usage and files that are none: always an exit code and a sentence, never a crash.
#include "tests/app/cli/run_mech.h"
#include "tests/support/catch.h"

using namespace mw::test;

namespace {
const std::vector<std::string> kCommands = {"check", "format",   "eval", "generate", "validate",
                                            "bench", "simulate", "plot", "render"};
}

TEST_CASE("help tells a newcomer what there is", "[cli]") {
    const Outcome all = mech({"--help"});
    CHECK(all.code == 0);
    CHECK(all.err.empty());
    for (const std::string& command : kCommands) {
        CAPTURE(command);
        CHECK(contains(all.out, "  " + command));
        const Outcome one = mech({command, "--help"});
        CHECK(one.code == 0);
        CHECK(contains(one.out, "--json"));
        CHECK(contains(one.out, "FILE"));
        CHECK(contains(one.out, "Example"));
    }
    CHECK(mech({"--version"}).code == 0);
}

TEST_CASE("wrong usage ends with 2", "[cli]") {
    const std::string arm = example("elbow");
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"dance"},
                                               {"check"},
                                               {"check", arm, "--loud"},
                                               {"check", arm, "another"},
                                               {"eval", arm, "--kernel", "abacus"},
                                               {"eval", arm, "--q", "1,2"},
                                               {"eval", arm, "--q", ""},
                                               {"eval", arm, "--q", "1,2,3,4,5,6,7"},
                                               {"eval", arm, "--q", "1,2,3,4,5,"},
                                               {"eval", arm, "--q", "1,2,3,4,5,x"},
                                               {"eval", arm, "--q", "1,2,3,4,5,nan"},
                                               {"eval", arm, "--v", "1,2,3,4,5,inf"},
                                               {"eval", arm, "--tau", "1,2,3,4,5,1e999"},
                                               {"eval", arm, "--tau", "1,2,3,4,5,-inf"},
                                               {"eval", arm, "--time", "later"},
                                               {"eval", arm, "--dt", "0"},
                                               {"eval", arm, "--act", "spring=1"},
                                               {"eval", arm, "--act", "spring"},
                                               {"eval", arm, "--fext", "flange=0,0,0,0,0,1"},
                                               {"eval", arm, "--fext", "nobody=0,0,0,0,0,1"},
                                               {"eval", arm, "--param", "length=1"},
                                               {"eval", example("satellite"), "--q", "0,0,0,0,0,0,0,0,0,0"},
                                               {"eval", example("satellite"), "--fext", "bus=0,0,1"},
                                               {"validate", arm, "--seed", "18446744073709551616"},
                                               {"validate", arm, "--seed", "-1"},
                                               {"simulate", arm},
                                               {"simulate", arm, "--time", "-1"},
                                               {"simulate", arm, "--time", "nan"},
                                               {"simulate", arm, "--time", "1", "--dt", "-1e-3"},
                                               {"simulate", arm, "--time", "1", "--integrator", "magic"},
                                               {"simulate", arm, "--time", "1", "--trace", "/no/such/folder/out.csv"},
                                               {"simulate", arm, "--time", "1e300", "--dt", "1e-9"},
                                               {"validate", arm, "--trials", "0"},
                                               {"simulate", arm, "--time", "1", "--dt", "5"},
                                               {"validate", arm, "--trials", "many"},
                                               {"validate", arm, "--seed", "-1"},
                                               {"generate", arm, "-o", "/no/such/folder/out.c"},
                                               {"simulate", arm, "--time", "1", "--friction", "anchored"},
                                               {"simulate", arm, "--time", "1", "--slope", "5"},
                                               {"simulate", arm, "--time", "1", "--ramp", "0.1"},
                                               {"simulate", example("track_min"), "--time", "1", "--friction", "glue"},
                                               {"simulate", example("track_min"), "--time", "1", "--slope", "75"},
                                               {"simulate", example("track_min"), "--time", "1", "--slope", "steep"},
                                               {"simulate", example("track_min"), "--time", "1", "--ramp", "-1"},
                                               {"plot", arm},
                                               {"plot", "/no/such/trace.csv", "-o", "x.svg"},
                                               {"plot", arm, "-o", "x.jpg"},
                                               {"plot", arm, "-o", "x"},
                                               {"render", arm},
                                               {"render", arm, "-o", "/no/such/folder/out.png"},
                                               {"render", arm, "-o", "x.png", "--size", "0x0"},
                                               {"render", arm, "-o", "x.png", "--size", "wide"}}) {
        const Outcome outcome = mech(arguments);
        std::string line;
        for (const auto& a : arguments) line += a + " ";
        CAPTURE(line, outcome.err);
        CHECK(outcome.code == 2);
        CHECK(outcome.out.empty());
        CHECK(outcome.err.size() > 10);
        // A program that asks for JSON gets one value of it, with the sentence that people are told.
        std::vector<std::string> with = arguments;
        with.push_back("--json");
        const Outcome asked = mech(with);
        CAPTURE(asked.out);
        CHECK(asked.code == 2);
        const Json answer = asked.json();
        CHECK(keysOf(answer) == std::vector<std::string>{"error"});
        CHECK(contains(asked.err, answer["error"].get<std::string>()));
    }
}

TEST_CASE("a list that does not fit says how many are wanted, and their names", "[cli]") {
    const Outcome few = mech({"eval", example("elbow"), "--q", "1,2"});
    CHECK(contains(few.err, "2 numbers given"));
    CHECK(contains(few.err, "6 are wanted"));
    CHECK(contains(few.err, "waist, upper_arm, forearm, wrist_roll, wrist_pitch, flange"));
    const Outcome bus = mech({"eval", example("satellite"), "--q", "1"});
    CHECK(contains(bus.err, "1 number given"));
    CHECK(contains(bus.err, "10 are wanted: bus.qw, bus.qx, bus.qy, bus.qz, bus.x, bus.y, bus.z, panel_left"));
}

TEST_CASE("a word that is no subcommand is named, with those that there are", "[cli]") {
    const Outcome outcome = mech({"dance", example("elbow")});
    CHECK(contains(outcome.err, "'dance'"));
    for (const std::string& command : kCommands) CHECK(contains(outcome.err, command));
}

TEST_CASE("a parameter's value that the mechanism refuses is wrong usage, not a fault of the file", "[cli]") {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"eval", example("springpend"), "--json"},
                                               {"simulate", example("springpend"), "--time", "0.1", "--json"},
                                               {"render", example("springpend"), "-o", "x.png", "--json"}}) {
        std::vector<std::string> with = arguments;
        with.insert(with.end(), {"--param", "k=-5"});
        const Outcome outcome = mech(with);
        CAPTURE(arguments[0], outcome.err);
        CHECK(outcome.code == 2);
        CHECK(contains(outcome.json()["error"].get<std::string>(), "k=-5"));
        CHECK(contains(outcome.err, "k=-5"));
        CHECK(contains(outcome.err, "coupling_spring"));
        CHECK_FALSE(contains(outcome.err, ".mech:"));  // a place would be one of a text that nobody wrote
    }
}

TEST_CASE("numbers that overflow are said, and are one JSON value like every answer", "[cli]") {
    const Folder folder;
    const std::string file = folder.write("slider.mech", "mech 1\nbody a\n  joint prismatic x\n  mass 1\n");
    for (const std::string v : {"1e200", "1e308"}) {
        const Outcome outcome = mech({"eval", file, "--v", v, "--json"});
        CAPTURE(v, outcome.err, outcome.out);
        CHECK(outcome.code == 1);
        CHECK(contains(outcome.err, "finite"));
        CHECK(contains(outcome.json()["error"].get<std::string>(), "finite"));
    }
    CHECK(mech({"eval", file, "--v", "1e100", "--json"}).json()["energy"]["kinetic"].get<double>() == 0.5e200);
}

TEST_CASE("files that are none", "[cli]") {
    const Folder folder;
    for (const std::string& command : kCommands) {
        for (const std::string& file : {folder / "missing.mech", folder / ""}) {
            std::vector<std::string> arguments = {command, file};
            if (command == "simulate") arguments.insert(arguments.end(), {"--time", "1"});
            if (command == "render" || command == "plot") arguments.insert(arguments.end(), {"-o", folder / "x.png"});
            const Outcome outcome = mech(arguments);
            CAPTURE(command, file, outcome.err);
            CHECK(outcome.code == 2);
            CHECK(contains(outcome.err, "mech " + command));
        }
        // Bytes that are no mechanism, and no bytes at all, are files with errors.
        std::string noise;
        for (int i = 0; i < 4000; ++i) noise += static_cast<char>((i * 7919 + i * i) & 0xff);
        for (const std::string& file : {folder.write("noise.mech", noise), folder.write("empty.mech", "")}) {
            if (command == "format") continue;  // the formatter has no opinion on meaning
            std::vector<std::string> arguments = {command, file, "--json"};
            if (command == "simulate") arguments.insert(arguments.end(), {"--time", "1"});
            if (command == "render" || command == "plot") arguments.insert(arguments.end(), {"-o", folder / "x.png"});
            const Outcome outcome = mech(arguments);
            CAPTURE(command, file, outcome.err.substr(0, 300));
            CHECK(outcome.code == 1);
            // A plot is of a trace, which has no findings of the language: one sentence.
            if (command == "plot") CHECK(contains(outcome.json()["error"].get<std::string>(), "trace"));
            else CHECK_FALSE(outcome.json()["errors"].empty());
        }
    }
}

TEST_CASE("a mechanism may come through a pipe", "[cli]") {
    const Outcome outcome = mech({"check", "-", "--json"}, {{}, slurp(example("gantry"))});
    CHECK(outcome.code == 0);
    CHECK(outcome.json()["errors"].empty());
}

TEST_CASE("no output replaces the mechanism it comes from", "[cli]") {
    const Folder folder;
    const std::string text = slurp(example("elbow"));
    const std::string file = folder.write("b.mech", text);
    fs::create_symlink(file, folder / "link.mech");
    fs::create_hard_link(file, folder / "twin.mech");
    for (const std::string& output : {file, folder / "./b.mech", folder / "link.mech", folder / "twin.mech"})
        for (const std::vector<std::string>& arguments :
             std::vector<std::vector<std::string>>{{"generate", file, "-o", output},
                                                   {"simulate", file, "--time", "0.01", "--trace", output},
                                                   {"render", file, "-o", output}}) {
            const Outcome outcome = mech(arguments);
            CAPTURE(arguments[0], output, outcome.err);
            CHECK(outcome.code == 2);
            CHECK(outcome.out.empty());
            CHECK(contains(outcome.err, "is the mechanism itself"));
            CHECK(slurp(file) == text);
        }
    // Another file of the same text is no such case.
    const std::string copy = folder.write("copy.mech", text);
    CHECK(mech({"generate", file, "-o", copy}).code == 0);
    CHECK(slurp(copy) != text);
    CHECK(slurp(file) == text);
}
