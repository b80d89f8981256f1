// The command line: binds the options of every subcommand and turns the ways to end into exit codes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"

#ifndef MW_VERSION
#define MW_VERSION "0.1.0"
#endif

namespace {

using namespace mw::cli;

constexpr const char* kAbout =
    "mech: Mechwright without a window.\n\n"
    "A .mech file describes a mechanism: bodies, joints, springs. `mech` checks such a file, tells everything about "
    "one of its\n"
    "states, runs it, draws it, and writes its equations as C code.\n";

constexpr const char* kFooter =
    "Start here:\n"
    "  mech check models/elbow.mech                        is the text right?\n"
    "  mech eval models/elbow.mech                         what is known at its start state\n"
    "  mech simulate models/elbow.mech --time 2 --trace out.csv\n"
    "  mech render models/elbow.mech -o elbow.png --time 1\n"
    "\n"
    "Every subcommand takes --help, and --json for programs. Exit codes: 0 good; 1 a check failed or the file has "
    "errors;\n"
    "2 wrong usage. LIST is numbers with commas between: 0.1,0.2,-3 (SI units, radians). FILE may be - for standard "
    "input.";

/// An option that takes exactly one text each time it is given, and may be given again.
void addEach(CLI::App& app, const std::string& name, std::vector<std::string>& into, const std::string& help,
             const std::string& shape) {
    app.add_option(name, into, help)
        ->type_name(shape)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

template <class Value>
CLI::Option* addValue(CLI::App& app, const std::string& name, Value& into, const std::string& help,
                      const std::string& shape) {
    return app.add_option(name, into, help)->type_name(shape);
}

void addFile(CLI::App& app, std::string& into) {
    app.add_option("FILE", into, "the mechanism, a .mech file")->required()->type_name("");
}
void addJson(CLI::App& app, bool& into) {
    app.add_flag("--json", into, "one JSON value on standard output; messages on standard error");
}

/// `said`: what the parser has told of a line that it cannot read.
int run(int argc, char** argv, std::string& command, std::string& said) {
    CLI::App app{kAbout};
    app.name("mech");
    app.footer(kFooter);
    app.set_version_flag("--version", "mech " MW_VERSION);
    app.set_help_flag("-h,--help", "this text");
    app.require_subcommand(1);
    std::function<int()> job;
    // Every subcommand in one shape: its name, its line of help, its examples, and what runs it.
    const auto sub = [&](const char* name, const char* help, const char* examples) {
        CLI::App* one = app.add_subcommand(name, help);
        one->footer(examples);
        one->parse_complete_callback([&command, name] { command = name; });
        return one;
    };

    CheckOptions check;
    {
        CLI::App* s = sub("check", "Is the text a mechanism? Errors and warnings with place and remedy",
                          "Examples:\n  mech check arm.mech\n  mech check arm.mech --json\nExit code 1 when there are "
                          "errors; warnings alone are good.");
        addFile(*s, check.file);
        addJson(*s, check.json);
        s->final_callback([&] { job = [&] { return runCheck(check); }; });
    }
    FormatOptions format;
    {
        CLI::App* s = sub("format", "Tidy indentation and spacing; comments, order and numbers stay as written",
                          "Examples:\n  mech format arm.mech              the tidy text on standard output\n  mech "
                          "format --in-place arm.mech\n"
                          "  mech format --check arm.mech      exit code 1 when the text is not tidy");
        addFile(*s, format.file);
        CLI::Option* in_place = s->add_flag("--in-place,-i", format.in_place, "write the tidy text back to the file");
        s->add_flag("--check", format.check, "write nothing; exit code 1 when something would change")
            ->excludes(in_place);
        addJson(*s, format.json);
        s->final_callback([&] { job = [&] { return runFormat(format); }; });
    }
    EvalOptions eval;
    {
        CLI::App* s =
            sub("eval", "Everything known at one state: accelerations, mass matrix, poses, energies, forces",
                "Examples:\n  mech eval arm.mech --json\n  mech eval arm.mech --q 0.1,0.2,0.3 --v 0,0,1 --json\n"
                "  mech eval springpend.mech --act hinge=2.5 --param k=100\n"
                "M vdot + bias = tau + drives + elements + external wrenches + K^T lambda. Joints of more than one "
                "coordinate list "
                "them all\n"
                "(`names` in the output says which is which).");
        addFile(*s, eval.file);
        addValue(*s, "--q", eval.q, "coordinates (the start state)", "LIST");
        addValue(*s, "--v", eval.v, "velocities (the start state)", "LIST");
        addValue(*s, "--tau", eval.tau, "forces applied by hand, one for each velocity (zero)", "LIST");
        addEach(*s, "--act", eval.act, "force of an element or tendon that declares `input`", "NAME=V");
        addEach(*s, "--fext", eval.fext,
                "wrench mx,my,mz,fx,fy,fz about the base origin on a body that declares `fext`", "BODY=LIST");
        addValue(*s, "--time", eval.time, "the t that drives see, s (0)", "T");
        addValue(*s, "--dt", eval.dt,
                 "solve one step of this length, s: forces that only a step defines are then known", "H");
        addEach(*s, "--param", eval.param, "another value for a parameter", "NAME=VALUE");
        addValue(*s, "--kernel", eval.kernel,
                 "which code computes it: reference, reference-aba, interpreter, c, jit, jit-fast (reference)",
                 "WHICH");
        addJson(*s, eval.json);
        s->final_callback([&] { job = [&] { return runEval(eval); }; });
    }
    AssembleOptions assemble;
    {
        CLI::App* s = sub("assemble", "Find start values that close the loops, and write them into the text",
                          "Examples:\n  mech assemble linkage.mech               the closed text on standard output\n  "
                          "mech assemble --in-place linkage.mech\n"
                          "Only `start` values change. Exit code 1, and nothing written, when the loops cannot be "
                          "closed; it says by how much and where.");
        addFile(*s, assemble.file);
        CLI::Option* in_place = s->add_flag("--in-place,-i", assemble.in_place, "write the text back to the file");
        addValue(*s, "-o,--output", assemble.output, "the closed text, a .mech file (standard output)", "FILE")
            ->excludes(in_place);
        addJson(*s, assemble.json);
        s->final_callback([&] { job = [&] { return runAssemble(assemble); }; });
    }
    GenerateOptions generate;
    {
        CLI::App* s = sub("generate", "Write the mechanism's equations as one C file that compiles on its own",
                          "Example:\n  mech generate arm.mech -o arm.c && cc -O2 -std=c11 -c arm.c\nThe file says at "
                          "its head how to call it. It is yours.");
        addFile(*s, generate.file);
        addValue(*s, "-o,--output", generate.output, "the C file (standard output)", "FILE");
        s->add_option("--form", generate.form, "how accelerations are solved: automatic, crba, aba (automatic)")
            ->type_name("FORM")
            ->check(CLI::IsMember({"automatic", "crba", "aba"}));
        addJson(*s, generate.json);
        s->final_callback([&] { job = [&] { return runGenerate(generate); }; });
    }
    ValidateOptions validate;
    {
        CLI::App* s = sub("validate", "Prove the generated code against an independent reference at random states",
                          "Examples:\n  mech validate arm.mech\n  mech validate arm.mech --trials 100 --seed 7 --json\n"
                          "Needs a C compiler (cc): the C file is judged too. docs/proof.md explains every gate. Exit "
                          "code 1 when one fails.");
        addFile(*s, validate.file);
        addValue(*s, "--trials", validate.trials, "random states (1000)", "N");
        addValue(*s, "--seed", validate.seed, "names the states: the same seed gives the same ones everywhere (1)", "S")
            ->check(CLI::Validator(
                [](std::string& text) {
                    // The parser would take the largest number for a larger one.
                    std::uint64_t seed = 0;
                    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seed);
                    return fault == std::errc() && end == text.data() + text.size()
                               ? ""
                               : "a seed is a whole number from 0 to 18446744073709551615";
                },
                ""));
        addJson(*s, validate.json);
        s->final_callback([&] { job = [&] { return runValidate(validate); }; });
    }
    BenchOptions bench;
    {
        CLI::App* s = sub("bench", "How long one evaluation takes, beside other ways to compute the same",
                          "Examples:\n  mech bench models/*.mech\n  mech bench models/elbow.mech --gate --json\n"
                          "Medians over many short batches, all methods in turns, on one core.");
        s->add_option("FILE", bench.files, "mechanisms, .mech files")->required()->type_name("");
        s->add_flag("--gate", bench.gate, "exit code 1 when a bound of the project falls short");
        addJson(*s, bench.json);
        s->final_callback([&] { job = [&] { return runBench(bench); }; });
    }
    SimulateOptions simulate;
    {
        CLI::App* s = sub("simulate", "Run the mechanism and write what it did as a table (CSV)",
                          "Examples:\n  mech simulate arm.mech --time 2 --trace out.csv\n  mech simulate arm.mech "
                          "--time 2 --dt 1e-4 --integrator euler --every 0.05 --trace -\n"
                          "Lines that begin with # say model, units and frames; then one line of names; then numbers "
                          "that read back exactly.\n"
                          "Exit code 1 when the run blows up.");
        addFile(*s, simulate.file);
        addValue(*s, "--time", simulate.time, "length of the run, s", "T")->required();
        addValue(*s, "--dt", simulate.dt, "length of a step, s (what stiffness and rates allow; it is said)", "H");
        addValue(*s, "--integrator", simulate.integrator, "euler or verlet (verlet; with rows only euler)", "NAME");
        addValue(*s, "--every", simulate.every, "time between rows, s (0.01; with contact about 2000 rows in all)",
                 "S");
        addValue(*s, "--q", simulate.q, "coordinates to start from (the start state)", "LIST");
        addValue(*s, "--v", simulate.v, "velocities to start from (the start state)", "LIST");
        addEach(*s, "--param", simulate.param, "another value for a parameter", "NAME=VALUE");
        addValue(*s, "--trace", simulate.trace, "the table; - for standard output", "FILE");
        addValue(*s, "--kernel", simulate.kernel,
                 "which code computes it: reference, reference-aba, interpreter, c, jit, jit-fast (jit)", "WHICH");
        addValue(*s, "--friction", simulate.friction,
                 "friction law of the ground: regularized or anchored (what the file says)", "LAW");
        addValue(*s, "--slope", simulate.slope,
                 "turns start state and ground about y, uphill towards +x, and brakes all driven rollers", "DEGREES");
        addValue(*s, "--ramp", simulate.ramp,
                 "time over which the contacts' stiffness rises at the start, s (0.02 for bands)", "S");
        addJson(*s, simulate.json);
        s->final_callback([&] { job = [&] { return runSimulate(simulate); }; });
    }
    PlotOptions plot;
    {
        CLI::App* s =
            sub("plot", "Draw a trace: poses, ground forces, depths, band tension, energies over time",
                "Examples:\n  mech plot out.csv -o out.svg\n  mech plot out.csv -o out.pdf --title 'Parked on 15 "
                "degrees'\nThe file's ending says the kind of picture: .svg, .pdf or .png. Everything comes "
                "from the trace alone.");
        s->add_option("FILE", plot.file, "the trace, a .csv file of mech simulate")->required()->type_name("");
        addValue(*s, "-o,--output", plot.output, "the picture: .svg, .pdf or .png", "FILE")->required();
        addValue(*s, "--title", plot.title, "a line over the plots (the trace's model)", "TEXT");
        addJson(*s, plot.json);
        s->final_callback([&] { job = [&] { return runPlot(plot); }; });
    }
    SweepOptions sweep;
    {
        CLI::App* s =
            sub("sweep", "Move one joint through its range: a tendon's length and moment arm, and where it wraps",
                "Examples:\n  mech sweep arm.mech --tendon biceps --joint elbow\n  mech sweep arm.mech --tendon "
                "biceps --joint elbow --from 0 --to 2.4 --samples 400 -o scan.csv\n"
                "  mech sweep arm.mech --tendon biceps --joint elbow -o scan.svg\n"
                "Loops are kept closed. The moment arm is dl/dq by the route's gradient, and a central "
                "difference of the length beside it.\n"
                "Without --from and --to the joint's limits or slider say how far.");
        addFile(*s, sweep.file);
        addValue(*s, "--tendon", sweep.tendon, "the tendon", "NAME")->required();
        addValue(*s, "--joint", sweep.joint, "the coordinate that moves: a body's name, or BODY.n", "NAME")->required();
        addValue(*s, "--from", sweep.from, "first value, rad or m", "Q");
        addValue(*s, "--to", sweep.to, "last value, rad or m", "Q");
        addValue(*s, "--samples", sweep.samples, "how many places (201)", "N");
        addValue(*s, "--q", sweep.q, "pose of all the others (the start state)", "LIST");
        addEach(*s, "--param", sweep.param, "another value for a parameter", "NAME=VALUE");
        addValue(*s, "-o,--output", sweep.output,
                 "a table (.csv, or - for standard output) or a picture (.svg, .pdf, .png)", "FILE");
        addJson(*s, sweep.json);
        s->final_callback([&] { job = [&] { return runSweep(sweep); }; });
    }
    RenderOptions render;
    {
        CLI::App* s = sub("render", "Draw the mechanism into a picture; needs no display",
                          "Examples:\n  mech render arm.mech -o arm.png\n  mech render arm.mech -o arm.png --time 1.5 "
                          "--size 1920x1080 --theme light");
        addFile(*s, render.file);
        addValue(*s, "-o,--output", render.output, "the picture, a .png file", "FILE")->required();
        addValue(*s, "--time", render.time, "run for so long first, s (0: the start state)", "T");
        addValue(*s, "--size", render.size, "pixels (1280x720)", "WxH");
        s->add_option("--theme", render.theme, "dark or light (dark)")
            ->type_name("NAME")
            ->check(CLI::IsMember({"dark", "light"}));
        addEach(*s, "--param", render.param, "another value for a parameter", "NAME=VALUE");
        addJson(*s, render.json);
        s->final_callback([&] { job = [&] { return runRender(render); }; });
    }

    // Before the parser, which would only say that a subcommand is missing.
    if (argc > 1 && argv[1][0] != '-') {
        std::string names;
        bool known = false;
        for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
            names += (names.empty() ? "" : ", ") + one->get_name();
            known = known || one->get_name() == argv[1];
        }
        if (!known)
            throw UsageError("'" + std::string(argv[1]) + "' is no subcommand; there are: " + names +
                             "; mech --help tells more");
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        // Help and version are answers, everything else is wrong usage.
        if (app.exit(fault) == 0) return kGood;
        said = fault.what();
        return kWrongUsage;
    }
    return job ? job() : kWrongUsage;
}

}  // namespace

int main(int argc, char** argv) {
    std::string command;
    // A failure is an answer too: with --json it is one JSON value like every other.
    const bool json = std::any_of(argv + 1, argv + argc, [](const char* a) { return std::string(a) == "--json"; });
    const auto answer = [json](const char* what) {
        if (json) std::cout << Json{{"error", what}}.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    };
    const auto fail = [&](const char* what) {
        std::fprintf(stderr, "mech %s: error: %s\n", command.c_str(), what);
        answer(what);
        return kFailed;
    };
    const auto say = [&command](const char* what) {
        std::fprintf(stderr, "mech%s%s: error: %s\n", command.empty() ? "" : " ", command.c_str(), what);
    };
    std::string said;  // by the parser, of a line that it cannot read
    try {
        const int code = run(argc, argv, command, said);
        if (!said.empty()) answer(said.c_str());
        return code;
    } catch (const Refused&) {
        return kFailed;
    } catch (const UsageError& fault) {
        say(fault.what());
        if (!command.empty()) std::fprintf(stderr, "(mech %s --help shows what it takes)\n", command.c_str());
        answer(fault.what());
        return kWrongUsage;
    } catch (const std::bad_alloc&) {
        return fail("out of memory");
    } catch (const std::exception& fault) {
        return fail(fault.what());
    }
}
