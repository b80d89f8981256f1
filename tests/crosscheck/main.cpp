// mech-crosscheck: the outside opinion on one mechanism, for people and (--json) for programs.
// Exit codes: 0 the engines agree, 1 a check failed or the file has errors, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "generator/generate.h"
#include "tests/crosscheck/crosscheck.h"

namespace {

using namespace mw;
using Json = nlohmann::ordered_json;

struct WrongUsage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string textOf(const std::string& file) {
    if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) throw WrongUsage(fmt::format("cannot read '{}'", file));
    return text;
}

Kernel kernelOf(const Model& model, const std::string& name, const std::string& which) {
    if (which == "reference") return makeReferenceKernel(model, ReferenceRoute::crba);
    const auto program = gen::generate(model, name);
    if (which == "interpreter") return gen::interpreterKernel(program, model);
    return gen::jitKernel(program, model, gen::Tier::optimised);
}

Json toJson(const cross::Report& report) {
    Json engines = Json::array();
    for (const cross::EngineReport& engine : report.engines) {
        Json checks = Json::array();
        for (const cross::Check& check : engine.checks)
            checks.push_back({{"name", check.name},
                              {"value", check.value},
                              {"bound", check.bound},
                              {"pass", check.pass},
                              {"detail", check.detail},
                              {"skipped", check.skipped}});
        engines.push_back({{"engine", engine.engine}, {"version", engine.version}, {"checks", std::move(checks)}});
    }
    return {{"model", report.model}, {"engines", std::move(engines)}, {"passed", report.passed()}};
}

void printTable(const cross::Report& report) {
    for (const cross::EngineReport& engine : report.engines) {
        std::cout << fmt::format("{} {}\n", engine.engine, engine.version);
        for (const cross::Check& check : engine.checks)
            std::cout << fmt::format("  {:<5} {:<18} {:>10} {:>8}  {}\n",
                                     check.skipped ? "-"
                                     : check.pass  ? "pass"
                                                   : "FAIL",
                                     check.name, check.skipped ? "" : fmt::format("{:.3g}", check.value),
                                     check.skipped ? "" : fmt::format("{:.2g}", check.bound), check.detail);
    }
    std::cout << fmt::format("{}: {}\n", report.model,
                             report.passed() ? "the engines agree" : "the engines do NOT agree");
}

int run(int argc, char** argv) {
    CLI::App app{"mech-crosscheck: a mechanism rebuilt in Simbody and MuJoCo, and their answers beside ours."};
    std::string file, engine, kernel = "jit", name;
    cross::Options options;
    bool json = false;
    app.add_option("FILE", file, "the mechanism, a .mech file, or - for standard input")->required();
    app.add_option("--engine", engine, "one of them only")->check(CLI::IsMember({"simbody", "mujoco"}));
    app.add_option("--time", options.time, "length of the compared motions, s (0.25)")->check(CLI::PositiveNumber);
    app.add_option("--dt", options.dt, "step of them (min(1e-3, 0.05 / largest rate))")->check(CLI::PositiveNumber);
    app.add_option("--trials", options.trials, "random states (200)")->check(CLI::Range(1, 1000000));
    app.add_option("--seed", options.seed, "of the random states (1)");
    app.add_option("--kernel", kernel, "what is judged (jit)")
        ->check(CLI::IsMember({"jit", "interpreter", "reference"}));
    app.add_option("--name", name, "of the mechanism (the file's)");
    app.add_flag("--json", json, "one JSON value on standard output");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        return app.exit(fault) == 0 ? 0 : 2;
    }
    options.simbody = cross::SimbodyTwin::built() && engine != "mujoco";
    options.mujoco = cross::MujocoTwin::built() && engine != "simbody";
    if (!options.simbody && !options.mujoco)
        throw WrongUsage(fmt::format("this program was built without {}", engine.empty() ? "another engine" : engine));

    if (name.empty()) name = file == "-" ? "mechanism" : std::filesystem::path(file).stem().string();
    const auto folder = file == "-" ? std::filesystem::current_path() : std::filesystem::absolute(file).parent_path();
    const ReadResult read = readMechanism(textOf(file), folder);
    if (!read.ok()) {
        for (const Diagnostic& finding : read.diagnostics)
            if (finding.severity == Severity::error) std::cerr << "mech-crosscheck: " << finding.message << "\n";
        return 1;
    }
    if (!read.model.loops.empty()) {
        const LoopHealth health = Closure(read.model).generalHealth(read.model.liveValues());
        if (!health.sound()) {
            std::cerr << fmt::format(
                "mech-crosscheck: the loops of {} have {} rows of rank {}: mend that first (mech "
                "validate names the redundant ones)\n",
                name, health.nc, health.rank);
            return 1;
        }
    }
    const auto subject =
        cross::subjectOf(read.model, [&](const Model& model) { return kernelOf(model, name, kernel); });
    const cross::Report report = cross::crosscheck(subject, read.model, name, options);
    if (json) std::cout << toJson(report).dump(1) << "\n";
    else printTable(report);
    return report.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const WrongUsage& fault) {
        std::cerr << "mech-crosscheck: " << fault.what() << "\n";
        return 2;
    } catch (const std::exception& fault) {
        std::cerr << "mech-crosscheck: " << fault.what() << "\n";
        return 1;
    }
}
