// An outside opinion on a mechanism: the same states, forces and motions given to two engines that share nothing with
// this project, and what they answer compared with what the compiled mechanism answers (docs/crosscheck.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "tests/crosscheck/twin.h"

namespace mw::cross {

/// Names are stable: listed in docs/crosscheck.md.
struct Check {
    std::string name;
    double value = 0, bound = 0;
    bool pass = false;
    bool skipped = false;  ///< does not apply; `detail` says why; counts as passed
    std::string detail;
};

struct EngineReport {
    std::string engine, version;
    std::vector<Check> checks;
};

struct Report {
    std::string model;
    std::vector<EngineReport> engines;
    bool passed() const;
};

struct Options {
    bool simbody = true, mujoco = true;
    bool motion = true;  ///< motions too, not states alone
    double time = 0.25;  ///< of the compared motions, s
    double dt = 0;       ///< 0: min(1e-3, 0.05 / largest rate)
    int trials = 200;
    std::uint64_t seed = 1;
};

constexpr double kBound = 1e-8;

/// What is judged: a model without stabilisation, without the contacts of its bands (shoes and their closures are in
/// its equations; contact forces come from outside and are no matter of theirs) and without rows, and its kernel.
struct Subject {
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Model> whole;  ///< with its rows: tendons are compared by their routes
    std::string left_out;                ///< which rows it had, in words; empty: none
    Layout layout;
    Kernel kernel;
};
/// The model as it is judged; `make` gives its kernel.
Subject subjectOf(const Model& model, const std::function<Kernel(const Model&)>& make);

/// `theirs`: what the other engines are given; the same model, but where a test plants a difference.
Report crosscheck(const Subject& ours, const Model& theirs, const std::string& name, const Options& options);

/// max|a - b| / max(1, max|b|); not finite: the largest double. `index`: of the largest difference.
double scaledError(const std::vector<double>& a, const std::vector<double>& b, std::size_t* index = nullptr);

/// trajectory.cpp: the motions of both schemes against Simbody's.
std::vector<Check> compareMotions(const Subject& ours, const Model& theirs, const Options& options);
std::vector<std::string> motionCheckNames();

}  // namespace mw::cross
