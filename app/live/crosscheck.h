// The outside opinion, asked from a running program: mech-crosscheck rebuilds a mechanism in other engines and says
// whether they agree (docs/crosscheck.md). It is a program of its own, found at run time beside the one that asks.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/proof/gates.h"

namespace mw::app {

struct CrossCheckLine {
    std::string engine, version;  ///< "simbody", "3.7.0"
    std::string name;             ///< "acceleration"
    double value = 0, bound = 0;
    bool pass = false;
    bool skipped = false;  ///< does not apply; `detail` says why; counts as passed
    std::string detail;
};

struct CrossCheckReport {
    std::string model;
    std::vector<CrossCheckLine> lines;
    bool passed = false;
    std::string trouble;  ///< why there is no opinion: the program failed, took too long, was cancelled; else empty
    bool broken = false;  ///< of a trouble: the program died, refused or made no sense; else there just was no answer
};

struct CrossCheckOptions {
    int trials = 200;
    std::uint64_t seed = 1;
    std::optional<double> timeout;              ///< s; absent: crosscheckTimeout() for the mechanism
    const std::atomic<bool>* cancel = nullptr;  ///< ends the program when it becomes true
    std::filesystem::path program;              ///< empty: crosscheckProgram()
    std::optional<std::string> text;            ///< judged instead of the file's own
};

/// s: many times what a mechanism of nv velocities needs on an idle machine, for it may be a loaded one.
double crosscheckTimeout(int nv, int trials);
/// mech-crosscheck beside the program that runs; empty when it was not built.
std::filesystem::path crosscheckProgram();
/// Waits for the answer. Nothing when the program was not built. Never throws for what the program does.
std::optional<CrossCheckReport> runCrosscheck(const std::filesystem::path& file, const CrossCheckOptions& options = {});

/// An answer beside the gates of a proof.
struct OutsideOpinion {
    /// `none`: not built, no answer, or no engine that can hold the mechanism; says nothing for or against a proof.
    enum class Verdict { none, agree, disagree };
    Verdict verdict = Verdict::none;
    /// crosscheck.ENGINE.CHECK, one a check. Not built, no answer: one gate `crosscheck`, skipped; a program that broke
    /// down: the same, not passed.
    std::vector<Gate> gates;
    std::string words;  ///< "Simbody and MuJoCo agree", "MuJoCo disagrees: acceleration", "not built"
};
OutsideOpinion outsideOpinion(const std::optional<CrossCheckReport>& answer);

}  // namespace mw::app
