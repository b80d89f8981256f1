// Proof: every mechanism is compared with an independent reference before it is trusted (docs/proof.md lists the
// gates). The gates see kernels and Models, never how a kernel was made.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/state.h"
#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/proof/trials.h"

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

/// What a proof found about the loops of a mechanism.
struct LoopFacts {
    LoopHealth health;           ///< at a general pose, with the declared parameters
    int poses = 0;               ///< closed poses that were looked at
    int singular = 0;            ///< of them with a lower rank than nc
    double worst_condition = 0;  ///< of A = K M^-1 K^T over these poses; infinite at a singular one
};
/// Looks at a general pose alone. Nothing in a tree.
std::optional<LoopFacts> loopFacts(const Model& model);
/// "rank 2 of 5, mobility 1; loop close: turning about x, turning about y, moving along z redundant; remedy: loop close
/// of type point-on-line"
std::string loopsInWords(const Model& model, const LoopHealth& health);

struct ProofReport {
    std::string model;
    std::uint64_t seed = 1;
    int trials = 0;          ///< done
    bool cancelled = false;  ///< stopped before its end: never passed
    std::vector<Gate> gates;
    std::optional<LoopFacts> loops;  ///< of a mechanism with loops
    bool passed() const;
    double worst() const;  ///< largest value of the agreement gates (scaled errors)
};

class ContactLaws;
struct TendonRoute;

struct ProofOptions {
    int trials = 1000;
    std::uint64_t seed = 1;
    /// Further kernels of the same CPU class that must agree with the first bit for bit (interpreter, C file, both
    /// tiers).
    std::vector<Kernel> same_bits;
    /// States shared with other proofs of the same model and seed; absent: made for this one.
    std::shared_ptr<TrialSource> states;
    bool motion = true;
    /// In place of the model's own contacts (contact_laws.h): the proof's own tests put faults there.
    std::shared_ptr<ContactLaws> contact;
    /// Called on every route of a tendon before it is judged: the proof's own tests put faults there.
    std::function<void(int tendon, TendonRoute& route)> bend_route;
    /// Ends with the first trial that trips a gate, and leaves motion out then.
    bool stop_at_failure = false;
    std::function<void(int done, int of)> progress;
    const std::atomic<bool>* cancel = nullptr;
    /// Called after every trial; sleeps or yields there keep proof at low priority.
};

/// Longest chain of bodies from the base.
int depth(const Model& model);
/// 1e-9 max(1, (depth/40)^4).
double agreementBound(const Model& model);

ProofReport prove(const Model& model, const std::string& name, const Kernel& kernel, const ProofOptions& options);

}  // namespace mw
