// mech simulate, generate, validate, bench and render: what they leave behind.
#include <cmath>

#include "tests/app/cli/run_mech.h"
#include "tests/app/cli/table.h"
#include "tests/support/catch.h"

using namespace mw::test;

TEST_CASE("simulate: the trace says what it is and reads back exactly", "[cli]") {
    const Folder folder;
    const std::string file = folder / "out.csv";
    const Outcome outcome = mech({"simulate", example("springpend"), "--time", "0.5", "--dt", "1e-3", "--every", "0.05",
                                  "--trace", file, "--json"});
    REQUIRE(outcome.code == 0);
    const Json json = outcome.json();
    const Table table = tableOf(slurp(file));
    std::string head;
    for (const std::string& line : table.comments) head += line + "\n";
    for (const char* word : {"springpend", "hash", "verlet", "units", "frames"}) CHECK(contains(head, word));
    REQUIRE(table.names.size() > 9);
    CHECK(std::vector<std::string>(table.names.begin(), table.names.begin() + 9) ==
          std::vector<std::string>{"t", "q.left", "q.right", "v.left", "v.right", "energy.kinetic", "energy.gravity",
                                   "energy.elements", "energy.total"});
    REQUIRE(table.rows.size() == 11);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        CHECK(table.rows[i][0] == Approx(0.05 * double(i)).margin(1e-9));
    CHECK(json["rows"] == 11);
    CHECK(json["steps"] == 500);
    CHECK(table.rows.back()[1] == json["q"][0].get<double>());
    CHECK(table.rows.back()[4] == json["v"][1].get<double>());
    for (const auto& row : table.rows)
        CHECK(row[table.column("energy.total")] ==
              Approx(row[table.column("energy.kinetic")] + row[table.column("energy.gravity")] +
                     row[table.column("energy.elements")])
                  .margin(1e-12));
    // What the dampers took is booked; the balance closes.
    CHECK(table.rows.back()[table.column("energy.dissipated")] > 0);
    CHECK(std::abs(table.rows.back()[table.column("energy.residual")]) < 1e-4);
    // The same run, the same bits.
    CHECK(mech({"simulate", example("springpend"), "--time", "0.5", "--dt", "1e-3", "--json"}).json()["state_hash"] ==
          json["state_hash"]);
    CHECK(
        mech({"simulate", example("springpend"), "--time", "0.5", "--dt", "1e-3", "--kernel", "interpreter", "--json"})
            .json()["state_hash"] == json["state_hash"]);
}

TEST_CASE("simulate: the step is chosen and said; a trace may go to standard output", "[cli]") {
    const Outcome outcome = mech({"simulate", example("threelink"), "--time", "0.02", "--trace", "-"});
    CHECK(outcome.code == 0);
    CHECK(contains(outcome.err, "dt "));
    CHECK(tableOf(outcome.out).rows.size() == 3);
}

TEST_CASE("simulate: order of the integrators seen from outside", "[cli]") {
    const auto residual = [](const char* integrator, const char* dt) {
        return mech({"simulate", example("elbow"), "--time", "0.25", "--dt", dt, "--integrator", integrator, "--json"})
            .json()["largest_residual"]
            .get<double>();
    };
    CHECK(residual("verlet", "2e-4") / residual("verlet", "1e-4") == Approx(4).margin(0.1));
    CHECK(residual("euler", "2e-4") / residual("euler", "1e-4") == Approx(2).margin(0.05));
}

TEST_CASE("simulate: starts where it is told, and a floating body falls", "[cli]") {
    const Folder folder;
    const std::string file =
        folder.write("free.mech", "mech 1\nbody free\n  joint floating\n  mass 2\n  inertia 1 1 1 0 0 0\n");
    const Json json =
        mech({"simulate", file, "--time", "1", "--dt", "1e-3", "--q", "1,0,0,0,0,0,5", "--v", "0,0,0,1,0,0", "--json"})
            .json();
    CHECK(json["q"][4].get<double>() == Approx(1).epsilon(1e-9));
    CHECK(json["q"][6].get<double>() == Approx(5 - 9.81 / 2).epsilon(1e-6));
}

TEST_CASE("simulate: a run that blows up ends there and says who and when", "[cli]") {
    const Folder folder;
    const std::string file = folder.write("wild.mech",
                                          "mech 1\nbody arm\n  joint revolute y\n  mass 1  cg 0.1 0 0\n  start "
                                          "1\ndrive hold joint arm  position 0  kp 1e12 kd 0\n");
    const Outcome outcome =
        mech({"simulate", file, "--time", "10", "--dt", "1e-3", "--trace", folder / "out.csv", "--json"});
    CHECK(outcome.code == 1);
    const Json json = outcome.json();
    REQUIRE(json["blow_up"].is_object());
    CHECK(contains(json["blow_up"]["what"].get<std::string>(), "arm"));
    CHECK(contains(outcome.err, "arm"));
    CHECK(std::isfinite(tableOf(slurp(folder / "out.csv")).rows.back()[1]));
}

TEST_CASE("simulate: the last row of a run that blows up is its last good state", "[cli]") {
    const Folder folder;
    const std::string file = folder.write(
        "wild.mech", "mech 1\nbody a\n  joint prismatic x\n  mass 1\n  start 0.1\ndrive d joint a position 0 kp 4e4\n");
    for (const std::string every : {"0.0137", "0.0274", "0.0411", "0.5"}) {
        const Outcome outcome = mech({"simulate", file, "--time", "5", "--dt", "0.0137", "--every", every, "--trace",
                                      folder / "out.csv", "--json"});
        CAPTURE(every, outcome.err);
        REQUIRE(outcome.code == 1);
        const Json json = outcome.json();
        const auto rows = tableOf(slurp(folder / "out.csv")).rows;
        REQUIRE(rows.size() >= 2);
        CHECK(rows.back()[0] == json["time"].get<double>());
        CHECK(rows.back()[1] == json["q"][0].get<double>());
        CHECK(rows[rows.size() - 2][0] < rows.back()[0]);
    }
}

TEST_CASE("simulate: a run that is no whole number of steps says where it ends", "[cli]") {
    const std::string arm = example("elbow");
    const Outcome uneven = mech({"simulate", arm, "--time", "0.0025", "--dt", "0.001", "--json"});
    CHECK(uneven.code == 0);
    CHECK(contains(uneven.err, "no whole number of steps"));
    const Outcome even = mech({"simulate", arm, "--time", "0.3", "--dt", "0.001", "--json"});
    CHECK_FALSE(contains(even.err, "no whole number"));
    CHECK(even.json()["steps"] == 300);
    // Shorter than any step that would be chosen: one step of that length.
    const Outcome brief = mech({"simulate", arm, "--time", "1e-7", "--json"});
    CHECK(brief.json()["steps"] == 1);
    CHECK(brief.json()["dt"] == 1e-7);
}

TEST_CASE("generate: the C file compiles alone, without a word, and is the same every time", "[cli]") {
    const Folder folder;
    for (const std::string name : {"elbow", "satellite", "springpend", "gantry", "universal_shaft"}) {
        const std::string file = folder / (name + ".c");
        REQUIRE(mech({"generate", example(name), "-o", file}).code == 0);
        const std::string code = slurp(file);
        CHECK(mech({"generate", example(name)}).out == code);
        for (const char* compiler : {"cc", "clang"}) {
            const Outcome compiled = program(
                {compiler, "-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", file, "-o", folder / "out.o"});
            CAPTURE(name, compiler, compiled.err);
            CHECK(compiled.code == 0);
        }
    }
    const Json json = mech({"generate", example("elbow"), "-o", folder / "elbow.c", "--json"}).json();
    CHECK(json["model"] == "elbow");
    CHECK(json["entries"]["fwd_dyn"]["flops"].get<int>() > 100);
}

TEST_CASE("validate: the report's form, and that it passes", "[cli]") {
    const Outcome outcome = mech({"validate", example("springpend"), "--trials", "60", "--seed", "5", "--json"});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.code == 0);
    const Json json = outcome.json();
    CHECK(json["model"] == "springpend");
    CHECK(json["passed"] == true);
    CHECK(json["trials"] == 60);
    CHECK(json["seed"] == 5);
    REQUIRE(json["gates"].size() >= 8);
    for (const Json& gate : json["gates"]) {
        CHECK(keysOf(gate) == std::vector<std::string>{"name", "value", "bound", "pass", "detail"});
        CHECK(gate["pass"] == true);
    }
}

TEST_CASE("bench: the report's form", "[cli]") {
    const Outcome outcome = mech({"bench", example("gantry"), "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json json = outcome.json();
    REQUIRE(json["models"].size() == 1);
    const Json& model = json["models"][0];
    CHECK(model["model"] == "gantry");
    CHECK(model["nv"] == 3);
    for (const char* name : {"jit", "c_file", "interpreter", "dense", "generic"})
        CHECK(model["ns"][name].get<double>() > 0);
    CHECK(model["ns"]["crba_walk"].is_null());
    for (const char* name : {"parse", "derive", "compile", "total"}) CHECK(model["latency_ms"][name].get<double>() > 0);
    for (const char* name : {"ns", "dt", "real_time_factor"}) CHECK(model["step"][name].get<double>() > 0);
    CHECK(model["published_ratio"]["dense"] == 69);
    CHECK(model["agreement"].get<double>() < 1e-9);
}

TEST_CASE("render: a picture of the size that was asked for, without a display", "[cli]") {
    const Folder folder;
    const Run no_display{{"DISPLAY=", "WAYLAND_DISPLAY="}, {}};
    const auto picture = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"render",           example("elbow"), "-o",
                                              folder / "out.png", "--size",         "320x200"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = mech(arguments, no_display);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return slurp(folder / "out.png");
    };
    const std::string start = picture({});
    REQUIRE(start.size() > 3000);  // a picture of one colour would be far smaller
    CHECK(start.substr(1, 3) == "PNG");
    const auto number = [&](std::size_t at) {
        int value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(start[at + i]);
        return value;
    };
    CHECK(number(16) == 320);
    CHECK(number(20) == 200);
    CHECK(picture({}) == start);
    CHECK(picture({"--time", "0.5"}) != start);
    CHECK(picture({"--theme", "light"}) != start);
}
