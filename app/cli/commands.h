// The subcommands of `mech`: what each takes from the command line, and the function that does it and returns the exit
// code. main.cpp binds the options; docs/command-line.md is the contract.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mw::cli {

struct CheckOptions {
    std::string file;
    bool json = false;
};
int runCheck(const CheckOptions& options);

struct FormatOptions {
    std::string file;
    bool in_place = false, check = false, json = false;
};
int runFormat(const FormatOptions& options);

struct EvalOptions {
    std::string file;
    std::optional<std::string> q, v, tau;       ///< lists
    std::vector<std::string> act, fext, param;  ///< NAME=VALUE, BODY=LIST, NAME=VALUE
    std::string time = "0";
    std::optional<std::string> dt;
    std::string kernel = "reference";
    bool json = false;
};
int runEval(const EvalOptions& options);

struct AssembleOptions {
    std::string file;
    std::string output = "-";
    bool in_place = false, json = false;
};
int runAssemble(const AssembleOptions& options);

struct GenerateOptions {
    std::string file;
    std::string output = "-";
    std::string form = "automatic";
    bool json = false;
};
int runGenerate(const GenerateOptions& options);

struct ValidateOptions {
    std::string file;
    int trials = 1000;
    std::uint64_t seed = 1;
    bool json = false;
};
int runValidate(const ValidateOptions& options);

struct BenchOptions {
    std::vector<std::string> files;
    bool gate = false, json = false;
};
int runBench(const BenchOptions& options);

struct SimulateOptions {
    std::string file;
    std::string time;
    std::optional<std::string> dt, every, q, v, friction, slope, ramp;
    std::optional<std::string> integrator;
    std::vector<std::string> param;
    std::string kernel = "jit";
    std::optional<std::string> trace;
    bool json = false;
};
int runSimulate(const SimulateOptions& options);

struct PlotOptions {
    std::string file;
    std::string output;
    std::string title;
    bool json = false;
};
int runPlot(const PlotOptions& options);

struct SweepOptions {
    std::string file;
    std::string tendon, joint;
    std::optional<std::string> from, to, samples, q, output;
    std::vector<std::string> param;
    std::string kernel = "reference";
    bool json = false;
};
int runSweep(const SweepOptions& options);

struct RenderOptions {
    std::string file;
    std::string output;
    std::string time = "0";
    std::string size = "1280x720";
    std::string theme = "dark";
    std::vector<std::string> param;
    bool json = false;
};
int runRender(const RenderOptions& options);

}  // namespace mw::cli
