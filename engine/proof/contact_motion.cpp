// Gates of contacts in motion: a short run from the start pose, pads on the ground, at full gain. Contacts have corners
// (they open and close) and Verlet takes the velocity as it stands, so orders are bounds here, not figures.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/model/vectors.h"
#include "engine/proof/contact_states.h"
#include "engine/proof/motion_plan.h"

namespace mw::proof {

namespace {

constexpr double kLeastRatio = 2.0;      ///< of errors when the step is halved, compared at dt, dt/2 and dt/8
constexpr double kMomentumBound = 1e-6;  ///< of the impulse that passed
constexpr double kEnergyBound = 1e-4;    ///< of the integral of |power|
constexpr double kRamp = 0.02;           ///< s, as runs start (docs/contact.md)
constexpr int kOrderSteps = 60, kRunSteps = 400;

class ContactMotion {
public:
    ContactMotion(const Subject& subject, const Tick& tick)
        : subject_(subject),
          tick_(tick),
          model_(std::make_shared<const Model>(withoutRows(subject.model))),
          start_(ContactStates(subject.model, subject.layout, subject.options.seed).rest()),
          dt_(ContactModel(subject.model).accuracyStep()) {
        // Elements and drives may ask for a shorter step than contacts do.
        State state;
        state.q = start_.q;
        state.v = start_.v;
        const double rate = largestRate(subject.model, subject.layout, subject.kernel, state, start_.param);
        if (rate > 0 && std::isfinite(rate)) dt_ = std::min(dt_, 0.1 / rate);
    }

    double dt() const { return dt_; }
    bool cancelled() const { return subject_.cancelled(); }

    Simulation begin(Integrator integrator, double dt, double ramp = 0) {
        Simulation simulation(model_, subject_.kernel, integrator, dt);
        ContactSetup setup;
        setup.ramp = ramp;
        simulation.setContactSetup(setup);
        State state = simulation.state();
        state.q = start_.q;
        state.v = start_.v;
        Ledger ledger = simulation.ledger();
        simulation.setState(state, ledger);
        ledger.initial_total = simulation.read(false).total_energy;
        simulation.setState(state, ledger);
        return simulation;
    }

    bool step(Simulation& simulation, std::string& trouble) {
        if (const auto fault = simulation.step()) trouble = fault->what;
        if (++done_ % 64 == 0) tick_(std::min(1.0, done_ / 6000.0));
        if (cancelled()) trouble = "cancelled";
        return trouble.empty();
    }

    State worst() const {
        State state;
        state.q = start_.q;
        state.v = start_.v;
        return state;
    }

    Gate order() {
        Gate gate;
        gate.name = "contact.order";
        gate.bound = kLeastRatio;
        gate.worst = worst();
        // Over corners that are met within a few steps no order shows: smaller steps look between them.
        double dt = dt_;
        for (int k = 0; k <= kRefinements && !gate.pass && !cancelled(); k++, dt /= 4) judgeOrder(gate, dt);
        return gate;
    }

    void judgeOrder(Gate& gate, double dt) {
        std::string trouble;
        std::vector<double> ends[3];
        const int finer[] = {8, 2, 1};
        for (int k = 0; k < 3 && trouble.empty(); k++) {
            Simulation simulation = begin(Integrator::verlet, dt / finer[k]);
            simulation.setAccounts(false);
            for (int i = 0; i < kOrderSteps * finer[k] && step(simulation, trouble); i++) {
            }
            ends[k] = simulation.state().q;
            ends[k].insert(ends[k].end(), simulation.state().v.begin(), simulation.state().v.end());
        }
        const auto apart = [&](const std::vector<double>& a) {
            double sum = 0;
            for (std::size_t i = 0; i < a.size(); i++) sum += (a[i] - ends[0][i]) * (a[i] - ends[0][i]);
            return std::sqrt(sum);
        };
        const double far = trouble.empty() ? apart(ends[2]) : 0, near = trouble.empty() ? apart(ends[1]) : 0;
        if (!trouble.empty() || !std::isfinite(far) || !std::isfinite(near)) {
            gate.value = 0;
            gate.detail = trouble.empty() ? "where it ends is not a finite number" : trouble;
            return;
        }
        gate.value = near > 0 ? far / near : kLeastRatio;
        gate.pass = gate.value >= kLeastRatio;
        gate.detail = fmt::format(
            "at least first order: |x(dt) - x(dt/8)| = {:.3g}, |x(dt/2) - x(dt/8)| = {:.3g} (7/3 is first order, 21/5 "
            "second); dt {:.3g} s over {:.3g} s",
            far, near, dt, kOrderSteps * dt);
    }

    /// Nothing but gravity and the ground acts from outside; false: `why`.
    bool isFree(std::string& why) const {
        for (const Body& b : model_->bodies)
            if (b.parent == kBase && b.joint.type != JointType::floating) why = "body " + b.name + " hangs on the base";
        for (const Loop& l : model_->loops)
            if (l.from.body == kBase || l.to.body == kBase) why = "loop " + l.name + " ends at the base";
        for (const Tsda& t : model_->tsdas)
            if (t.from.body == kBase || t.to.body == kBase) why = "element " + t.name + " ends at the base";
        return why.empty();
    }

    struct Balance {
        Vector3d residual{};
        double impulse = 0;
    };
    Balance balance(int finer, std::string& trouble) {
        Simulation simulation = begin(Integrator::verlet, dt_ / finer);
        simulation.setAccounts(false);
        Vector3d weight{}, gravity{};
        for (std::size_t k = 0; k < 3; k++) gravity[k] = model_->gravity[k].at(start_.param);
        for (const Body& b : model_->bodies)
            for (std::size_t k = 0; k < 3; k++) weight[k] += b.mass.at(start_.param) * gravity[k];
        const Vector3d before = simulation.read(false).momenta.linear;
        Vector3d impulse{};
        Balance out;
        const double dt = simulation.dt();
        for (int i = 0; i < kRunSteps * finer && step(simulation, trouble); i++) {
            const Vector3d ground = simulation.appliedContact().ground_force;
            for (std::size_t k = 0; k < 3; k++) impulse[k] += dt * (weight[k] + ground[k]);
            out.impulse += dt * (norm(weight) + norm(ground));
        }
        const Vector3d after = simulation.read(false).momenta.linear;
        for (std::size_t k = 0; k < 3; k++) out.residual[k] = after[k] - before[k] - impulse[k];
        return out;
    }

    Gate momentum() {
        Gate gate;
        gate.name = "contact.momentum";
        gate.bound = kMomentumBound;
        std::string why;
        if (!isFree(why)) {
            Meter none(gate.name, gate.bound);
            none.skip(why + ": more than gravity and the ground acts from outside");
            return none.finish();
        }
        gate.worst = worst();
        std::string trouble;
        Balance at[3];
        for (int k = 0; k < 3 && trouble.empty(); k++) at[k] = balance(1 << k, trouble);
        // What truncation leaves goes with the step: first and second order are extrapolated away. What a lost reaction
        // leaves does not.
        const double impulse = std::max(at[0].impulse, 1e-9);
        Vector3d rest{};
        for (std::size_t k = 0; k < 3; k++)
            rest[k] = (8 * at[2].residual[k] - 6 * at[1].residual[k] + at[0].residual[k]) / 3;
        gate.value = trouble.empty() && std::isfinite(norm(rest)) ? norm(rest) / impulse : kNotFinite;
        gate.pass = gate.value <= gate.bound;
        gate.detail =
            trouble.empty()
                ? fmt::format(
                      "{:.2g} N s of {:.3g} for a step of nothing; {:.2g} at dt {:.3g} s over {:.3g} s, {:.2g} at "
                      "a half, {:.2g} at a quarter of it",
                      norm(rest), impulse, norm(at[0].residual), dt_, kRunSteps * dt_, norm(at[1].residual),
                      norm(at[2].residual))
                : trouble;
        return gate;
    }

    Gate energy() {
        Gate gate;
        gate.name = "contact.energy";
        gate.bound = kEnergyBound;
        gate.worst = worst();
        std::string trouble;
        double residual[3] = {}, passed = 0;
        for (int k = 0; k < 3 && trouble.empty(); k++) {
            const int finer = 1 << k;
            Simulation simulation = begin(Integrator::verlet, dt_ / finer, kRamp);
            for (int i = 0; i < kRunSteps * finer && step(simulation, trouble); i++) {
            }
            const Readings end = simulation.read(false);
            residual[k] = end.residual;
            if (k == 0) passed = std::max(end.ledger.absolute, 1e-9);
        }
        const double rest = (8 * residual[2] - 6 * residual[1] + residual[0]) / 3;
        gate.value = trouble.empty() && std::isfinite(rest) ? std::abs(rest) / passed : kNotFinite;
        gate.pass = gate.value <= gate.bound;
        gate.detail = trouble.empty() ? fmt::format(
                                            "{:.2g} J unaccounted for of {:.3g} J that passed, for a step of "
                                            "nothing; {:.2g} at dt {:.3g} s over {:.3g} s, {:.2g} at a half, "
                                            "{:.2g} at a quarter of it",
                                            rest, passed, residual[0], dt_, kRunSteps * dt_, residual[1], residual[2])
                                      : trouble;
        return gate;
    }

private:
    const Subject& subject_;
    const Tick& tick_;
    std::shared_ptr<const Model> model_;
    Trial start_;
    double dt_;
    long done_ = 0;
};

}  // namespace

void checkContactMotion(const Subject& subject, std::vector<Gate>& gates, const Tick& tick) {
    ContactMotion motion(subject, tick);
    gates.push_back(motion.order());
    if (!motion.cancelled()) gates.push_back(motion.momentum());
    if (!motion.cancelled()) gates.push_back(motion.energy());
}

}  // namespace mw::proof
