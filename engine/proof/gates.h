// Proof: every mechanism is compared with an independent reference before it is trusted (docs/proof.md lists the
// gates). The gates see kernels and Models, never how a kernel was made.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/dynamics/state.h"
#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// Names are stable: listed in docs/proof.md, never renamed.
struct Gate {
    std::string name;
    double value = 0;
    double bound = 0;
    bool pass = false;
    bool skipped = false;        ///< does not apply to this model; `detail` says why; counts as passed
    std::string detail;          ///< "worst at trial 969, body rod"
    std::optional<State> worst;  ///< the state it is about, to be opened in the studio
};

struct ProofReport {
    std::string model;
    std::uint64_t seed = 1;
    int trials = 0;          ///< done
    bool cancelled = false;  ///< stopped before its end: never passed
    std::vector<Gate> gates;
    bool passed() const;
    double worst() const;  ///< largest value of the agreement gates (scaled errors)
};

struct ProofOptions {
    int trials = 1000;
    std::uint64_t seed = 1;
    /// Further kernels of the same CPU class that must agree with the first bit for bit (interpreter, C file, both
    /// tiers).
    std::vector<Kernel> same_bits;
    bool motion = true;
    /// Ends with the first trial that trips a gate, and leaves motion out then.
    bool stop_at_failure = false;
    std::function<void(int done, int of)> progress;
    const std::atomic<bool>* cancel = nullptr;
    /// Called after every trial; sleeps or yields there keep proof at low priority.
};

/// A random state of docs/proof.md: the same seed and trial give the same numbers everywhere.
struct Trial {
    std::vector<double> q, v, tau, fext, act, param;
};
Trial randomTrial(const Model& model, const Layout& layout, std::uint64_t seed, int trial);

/// Longest chain of bodies from the base.
int depth(const Model& model);
/// 1e-9 max(1, (depth/40)^4).
double agreementBound(const Model& model);

ProofReport prove(const Model& model, const std::string& name, const Kernel& kernel, const ProofOptions& options);

}  // namespace mw
