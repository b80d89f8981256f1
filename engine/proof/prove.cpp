// The whole proof: structure first, then every trial through every check, then motion.
#include <algorithm>

#include "engine/contact/contact.h"
#include "engine/proof/checks.h"

namespace mw {

bool ProofReport::passed() const {
    return !cancelled && !gates.empty() &&
           std::all_of(gates.begin(), gates.end(), [](const Gate& g) { return g.pass; });
}

double ProofReport::worst() const {
    double worst = 0;
    for (const Gate& g : gates)
        if (g.name.starts_with("agreement.") && g.bound > 0 && !g.skipped) worst = std::max(worst, g.value);
    return worst;
}

namespace proof {

namespace {

constexpr int kRightHandSides = 3;

/// Random right-hand sides and unit vectors in turn: columns of M^-1 among them.
std::vector<double> rightHandSides(const Trial& trial, int number) {
    const std::size_t nv = trial.tau.size();
    std::vector<double> rhs(kRightHandSides * nv, 0.0);
    if (nv == 0) return rhs;
    std::copy(trial.tau.begin(), trial.tau.end(), rhs.begin());
    rhs[nv + static_cast<std::size_t>(number) % nv] = 1;
    for (std::size_t i = 0; i < nv; i++) rhs[2 * nv + i] = trial.v[i] - 0.3 * trial.tau[nv - 1 - i];
    return rhs;
}

std::vector<std::unique_ptr<TrialCheck>> allChecks(const Subject& subject, LoopFacts* loops) {
    std::vector<std::unique_ptr<TrialCheck>> checks;
    checks.push_back(agreementCheck(subject));
    checks.push_back(rulesCheck(subject));
    checks.push_back(kinematicsCheck(subject));
    if (loops) checks.push_back(loopsCheck(subject, *loops));
    if (!subject.model.tendons.empty()) checks.push_back(tendonCheck(subject));
    return checks;
}

constexpr const char* kMotionGates[] = {"motion.order-euler", "motion.order-verlet", "motion.momentum"};

Gate skipped(std::string name, std::string why) {
    Meter none(std::move(name), 0);
    none.skip(std::move(why));
    return none.finish();
}

/// All gates of a mechanism with loops that have not been judged.
void skipTheRest(const Subject& subject, LoopFacts& loops, const std::string& why, std::vector<Gate>& gates) {
    std::vector<Gate> rest;
    for (const auto& check : allChecks(subject, &loops)) check->finish(rest);
    if (subject.options.motion) {
        for (const char* name : kMotionGates) rest.push_back(skipped(name, why));
        rest.push_back(skipped("loops.stabilisation", why));
    }
    const auto judged = [&](const Gate& g) {
        return std::any_of(gates.begin(), gates.end(), [&](const Gate& have) { return have.name == g.name; });
    };
    rest.erase(std::remove_if(rest.begin(), rest.end(), judged), rest.end());
    for (Gate& g : rest) gates.push_back(skipped(g.name, why));
}

}  // namespace

}  // namespace proof

ProofReport prove(const Model& model, const std::string& name, const Kernel& kernel, const ProofOptions& options) {
    using namespace proof;
    ProofReport report;
    report.model = name;
    report.seed = options.seed;
    Layout layout;
    const std::shared_ptr<TrialSource> states =
        options.states ? options.states : std::make_shared<TrialSource>(model, options.seed);
    const Subject before{model, layout, kernel, options, *states};
    // References must hold before anything is laid out.
    if (!checkReferences(before, report.gates)) return report;
    layout = layoutOf(model);
    const Subject subject{model, layout, kernel, options, *states};
    if (!checkStructure(subject, report.gates)) return report;
    checkNames(subject, report.gates);
    if (layout.nc > 0) report.loops.emplace().health = states->health();
    if (report.loops && !report.loops->health.sound()) {
        report.gates.push_back(redundantRows(model, *report.loops));
        return report;
    }

    if (report.loops) {
        if (std::optional<Gate> open = openLoops(model, *states)) {
            // Every figure at open loops would follow from this one fault.
            report.gates.push_back(std::move(*open));
            skipTheRest(subject, *report.loops, "the loops cannot be closed", report.gates);
            return report;
        }
    }

    const bool contacts = !ContactModel(model).empty();
    constexpr int kMotionTicks = 200, kContactTicks = 100,
                  kRowTicks = 50;  // of the progress bar: their share in trials
    const int motion_ticks = options.motion ? kMotionTicks : 0;
    const bool rows = options.motion && hasRows(model);
    const int contact_ticks = contacts ? kContactTicks : 0;
    const int all = options.trials + motion_ticks + contact_ticks + (rows ? kRowTicks : 0);
    const auto progress = [&](int done) {
        if (options.progress) options.progress(std::min(done, all), all);
    };

    const std::vector<std::unique_ptr<TrialCheck>> checks = allChecks(subject, report.loops ? &*report.loops : nullptr);
    Speaker speaker(kernel);
    Outputs outputs;
    bool stopped = false;
    for (int i = 0; i < options.trials && !subject.cancelled(); i++) {
        const Trial trial = states->at(i);
        const std::vector<double> rhs = rightHandSides(trial, i);
        speaker.speak(trial, rhs, outputs);
        for (const auto& check : checks) check->look(trial, i, speaker, outputs, rhs);
        report.trials = i + 1;
        progress(i + 1);
        stopped = options.stop_at_failure &&
                  std::any_of(checks.begin(), checks.end(), [](const auto& c) { return c->failed(); });
        if (stopped) break;
    }
    for (const auto& check : checks) check->finish(report.gates);

    if (options.motion && !stopped && !subject.cancelled()) {
        const auto part = [&](double from, double to) {
            return [&progress, &options, from, to](double p) {
                progress(options.trials + static_cast<int>(kMotionTicks * (from + (to - from) * p)));
            };
        };
        if (layout.nv == 0) {
            for (const char* name : kMotionGates) report.gates.push_back(skipped(name, "nothing in this model moves"));
        } else {
            checkOrder(subject, report.gates, part(0, 0.8));
            checkMomentum(subject, report.gates, part(0.8, report.loops ? 0.95 : 1));
            if (report.loops) checkStabilisation(subject, report.gates, part(0.95, 1));
        }
    }
    if (contacts && !stopped && !subject.cancelled()) {
        const auto part = [&](double from, double to) {
            return [&progress, &options, motion_ticks, from, to](double p) {
                progress(options.trials + motion_ticks + static_cast<int>(kContactTicks * (from + (to - from) * p)));
            };
        };
        checkContacts(subject, report.gates, part(0, 0.7));
        if (options.motion && !subject.cancelled()) checkContactMotion(subject, report.gates, part(0.7, 1));
    }
    if (rows && !stopped && !subject.cancelled())
        checkRows(subject, report.gates, [&](double p) {
            progress(options.trials + motion_ticks + contact_ticks + static_cast<int>(kRowTicks * p));
        });
    report.cancelled = subject.cancelled();
    progress(all);
    return report;
}

}  // namespace mw
