// Inside of the proof: what its files hand to each other. Nothing here is for other rooms; they see gates.h.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "engine/proof/gates.h"

namespace mw::proof {

/// Stands for "not a number" and "infinite" in a gate: a finite value that no bound lets pass.
constexpr double kNotFinite = std::numeric_limits<double>::max();

/// The largest of some magnitudes and which it was. The first that is not finite stays: no number takes its place.
struct Largest {
    double value = 0;
    int index = 0;
    void take(double magnitude, int i) {
        if (!std::isfinite(magnitude)) magnitude = kNotFinite;
        if (magnitude > value) value = magnitude, index = i;
    }
    /// A part of `scale`; what is not finite stays so, whatever it is a part of.
    double over(double scale) const {
        return value == kNotFinite || !std::isfinite(scale) ? kNotFinite : value / scale;
    }
};

/// One gate in the making: keeps the worst value and where it was.
class Meter {
public:
    Meter(std::string name, double bound);
    /// `where` is called only when the value is the worst so far. q and v: the state that it is about.
    void take(double value, const std::vector<double>& q, const std::vector<double>& v,
              const std::function<std::string()>& where);
    void skip(std::string why);
    void say(std::string detail) { gate_.detail = std::move(detail); }
    double value() const { return gate_.value; }
    bool failed() const { return taken_ && !(gate_.value <= gate_.bound); }
    /// The finished gate; `note` is put after the detail.
    Gate finish(const std::string& note = {}) const;

private:
    Gate gate_;
    bool taken_ = false;
};

/// A kernel with a workspace, and everything it says about one trial.
struct Outputs {
    std::vector<double> vdot, lambda, M, c, X, V, obs, K;
    std::vector<double> inverse;  ///< M^-1 on the trial's right-hand sides, with the loops' projection
};
class Speaker {
public:
    explicit Speaker(Kernel kernel);
    const Kernel& kernel() const { return kernel_; }
    double* work() { return work_.data(); }
    /// rhs: some right-hand sides of nv numbers, one after the other.
    void speak(const Trial& trial, const std::vector<double>& rhs, Outputs& out);
    void accelerations(const Trial& trial, const double* tau, const double* fext, const double* act,
                       std::vector<double>& vdot, std::vector<double>& lambda);
    void loopJacobian(const std::vector<double>& q, const std::vector<double>& param, std::vector<double>& K);
    void kinematics(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& param,
                    std::vector<double>& X, std::vector<double>& V);

private:
    Kernel kernel_;
    std::vector<double> work_;
};

/// max|a - b| / max(1, max|b|), kNotFinite when either holds something that is not finite; `index`: of the largest
/// difference.
double scaledError(const std::vector<double>& a, const std::vector<double>& b, int* index = nullptr);
/// How many numbers differ in their bits; `index`: the first.
int differentBits(const std::vector<double>& a, const std::vector<double>& b, int* index = nullptr);

/// What a proof is about, held together.
struct Subject {
    const Model& model;
    const Layout& layout;
    const Kernel& kernel;
    const ProofOptions& options;
    TrialSource& states;
    bool cancelled() const { return options.cancel && options.cancel->load(std::memory_order_relaxed); }
};

/// structure.cpp. False when nothing further can be asked of this model and kernel; references before the layout is
/// made.
bool checkReferences(const Subject& subject, std::vector<Gate>& gates);
bool checkStructure(const Subject& subject, std::vector<Gate>& gates);
void checkNames(const Subject& subject, std::vector<Gate>& gates);

/// One family of gates that looks at every trial.
class TrialCheck {
public:
    virtual ~TrialCheck() = default;
    virtual void look(const Trial& trial, int number, Speaker& speaker, const Outputs& outputs,
                      const std::vector<double>& rhs) = 0;
    /// Some gate of the family is beyond its bound already.
    virtual bool failed() const = 0;
    virtual void finish(std::vector<Gate>& gates) = 0;
};
std::unique_ptr<TrialCheck> agreementCheck(const Subject& subject);   ///< agreement.cpp
std::unique_ptr<TrialCheck> rulesCheck(const Subject& subject);       ///< rules.cpp
std::unique_ptr<TrialCheck> kinematicsCheck(const Subject& subject);  ///< kinematics.cpp
std::unique_ptr<TrialCheck> tendonCheck(const Subject& subject);      ///< tendons.cpp: of a mechanism with tendons
/// rows.cpp: a short run of a mechanism with rows from its start state.
void checkRows(const Subject& subject, std::vector<Gate>& gates, const std::function<void(double)>& tick);
/// loops.cpp: of a mechanism with loops; completes `facts`, which must outlive it.
std::unique_ptr<TrialCheck> loopsCheck(const Subject& subject, LoopFacts& facts);
/// The gate loops.rank of a mechanism whose rows are redundant at every pose: nothing can be asked of its kernel.
Gate redundantRows(const Model& model, const LoopFacts& facts);
/// The gate loops.closed of a mechanism whose loops cannot be closed with the declared parameters: by how much and
/// where. Nothing where they can.
std::optional<Gate> openLoops(const Model& model, TrialSource& states);

/// Velocity of the fastest chain: no entry of a pose swings faster than all joints of its chain together. At least 1.
double fastestSwing(const Subject& subject, const std::vector<double>& v);
/// df/dh at h = 0 from f at h, -h, h/2 and -h/2: central differences extrapolated to order h^4.
void extrapolatedSlope(const std::vector<double>& at_h, const std::vector<double>& at_minus_h,
                       const std::vector<double>& at_half, const std::vector<double>& at_minus_half, double h,
                       std::vector<double>& slope);

/// motion.cpp, momentum.cpp: simulate. `step` is called now and then with the part done (0..1 of the call).
using Tick = std::function<void(double part)>;
void checkOrder(const Subject& subject, std::vector<Gate>& gates, const Tick& tick);
void checkMomentum(const Subject& subject, std::vector<Gate>& gates, const Tick& tick);

/// contact.cpp: of a mechanism with bands; forces, energies and readings of contacts at single states.
void checkContacts(const Subject& subject, std::vector<Gate>& gates, const Tick& tick);
/// contact_motion.cpp: the same in motion.
void checkContactMotion(const Subject& subject, std::vector<Gate>& gates, const Tick& tick);

/// stabilisation.cpp: torn loops close at the speed that is promised.
void checkStabilisation(const Subject& subject, std::vector<Gate>& gates, const Tick& tick);

/// "trial 969, body rod"; body kBase: only the trial.
std::string atTrial(const Model& model, int trial, int body);
/// "trial 969, loop close, moving along x"
std::string atRow(const Model& model, int trial, int row);

}  // namespace mw::proof
