// Orders of accuracy, measured: the energy error of a conservative mechanism, or the self-convergence of a damped or
// driven one, when the step is halved.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/proof/motion_plan.h"

namespace mw::proof {

namespace {

constexpr double kFloor = 1e-11;  ///< below this part of the kinetic energy (of the state) only round-off is left
constexpr double kNear = 100;  ///< within this factor of the floor, round-off still bends a ratio: a longer step tells

bool dissipates(const Model& model, std::span<const double> param) {
    for (const Tsda& t : model.tsdas)
        if (t.c.at(param) != 0 || !t.damper_curve.empty()) return true;
    for (const Rsda& r : model.rsdas)
        if (r.c.at(param) != 0 || !r.damper_curve.empty()) return true;
    for (const Body& b : model.bodies)
        if (b.joint_damping.at(param) != 0) return true;
    return false;
}

/// Counts steps of all runs of the gate, tells how far it is, and hears a cancel.
class Steps {
public:
    Steps(const Subject& subject, double all, const Tick& tick) : subject_(subject), all_(all), tick_(tick) {}
    bool goOn() {
        if (++done_ % 256 != 0) return true;
        tick_(std::min(1.0, static_cast<double>(done_) / all_));
        return !subject_.cancelled();
    }

private:
    const Subject& subject_;
    double all_;
    const Tick& tick_;
    long done_ = 0;
};

struct EnergyRun {
    double error = 0, kinetic = 0;
    std::string trouble;
};

/// Largest |E - E0| at common times of a run in n * finer steps.
EnergyRun runEnergy(const Subject& subject, const MotionPlan& plan, Integrator integrator, int finer, Steps& steps) {
    EnergyRun run;
    Simulation simulation = simulationOf(subject, plan, integrator, plan.dt / finer);
    Speaker speaker(subject.kernel);
    std::vector<double> X, V, obs(subject.layout.nobs);
    const std::vector<double>& param = plan.inputs.param;
    const auto energies = [&] {
        const State& s = simulation.state();
        speaker.kinematics(s.q, s.v, param, X, V);
        subject.kernel->observe(s.q.data(), s.v.data(), param.data(), speaker.work(), obs.data());
        return energiesOf(subject.model, subject.layout, param, X, V, obs, s.v);
    };
    const double start = energies().total();
    const int n = plan.steps(), every = std::max(1, n / 250);
    for (int i = 1; i <= n; i++) {
        for (int k = 0; k < finer; k++) {
            if (const auto fault = simulation.step()) run.trouble = fault->what;
            if (!steps.goOn()) run.trouble = "cancelled";
            if (!run.trouble.empty()) return run;
        }
        if (i % every != 0) continue;
        const Energies e = energies();
        raise(run.error, std::abs(e.total() - start));
        raise(run.kinetic, e.kinetic);
        if (!std::isfinite(run.error) || !std::isfinite(run.kinetic)) {
            run.trouble = "the energy is not a finite number";
            return run;
        }
    }
    return run;
}

/// The same stretch in an eighth of the steps; false where too few would be left.
bool coarsen(MotionPlan& plan) {
    if (plan.steps() < 240) return false;
    plan.dt *= 8;
    return true;
}

Gate energyOrder(const Subject& subject, MotionPlan plan, Integrator integrator, Steps& steps) {
    const bool euler = integrator == Integrator::euler;
    Gate gate;
    gate.name = fmt::format("motion.order-{}", integratorName(integrator));
    gate.bound = euler ? 0.03 : 0.06;
    const double wanted = euler ? 2 : 4;
    gate.worst = plan.start;
    EnergyRun coarse, fine;
    const auto run = [&] {
        coarse = runEnergy(subject, plan, integrator, 1, steps);
        fine = coarse.trouble.empty() ? runEnergy(subject, plan, integrator, 2, steps) : coarse;
    };
    const auto judge = [&] {
        run();
        if (fine.trouble.empty() && fine.error <= kNear * kFloor * fine.kinetic) {
            MotionPlan longer = plan;
            if (coarsen(longer)) {
                std::swap(plan, longer);
                run();
            }
        }
        gate.pass = false;
        if (!fine.trouble.empty()) {
            gate.value = kNotFinite;
            gate.detail = fine.trouble + "; " + planInWords(plan);
            return;
        }
        const double floor = kFloor * fine.kinetic;
        if (coarse.error <= floor || fine.error <= floor) {
            gate.value = wanted;
            gate.pass = true;
            gate.detail = fmt::format("round-off: energy error {:.2g} J of {:.3g} J kinetic; {}", fine.error,
                                      fine.kinetic, planInWords(plan));
            return;
        }
        gate.value = coarse.error / fine.error;
        gate.pass = std::abs(gate.value - wanted) <= gate.bound;
        gate.detail = fmt::format("wanted {:g} within {:g}: energy error {:.3g} J, {:.3g} J at half the step; {}",
                                  wanted, gate.bound, coarse.error, fine.error, planInWords(plan));
    };
    judge();
    for (int k = 0; k < kRefinements && !gate.pass && !subject.cancelled(); k++) refine(plan), judge();
    return gate;
}

/// The end of a run, coordinates then velocities; empty with `trouble` when it did not get there.
std::vector<double> endOf(const Subject& subject, const MotionPlan& plan, Integrator integrator, int finer,
                          Steps& steps, std::string& trouble) {
    Simulation simulation = simulationOf(subject, plan, integrator, plan.dt / finer);
    const int n = plan.steps() * finer;
    for (int i = 0; i < n; i++) {
        if (const auto fault = simulation.step()) trouble = fault->what;
        if (!steps.goOn()) trouble = "cancelled";
        if (!trouble.empty()) return {};
    }
    std::vector<double> x = simulation.state().q;
    x.insert(x.end(), simulation.state().v.begin(), simulation.state().v.end());
    return x;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

Gate selfConvergence(const Subject& subject, MotionPlan plan, Integrator integrator, Steps& steps) {
    const bool euler = integrator == Integrator::euler;
    Gate gate;
    gate.name = fmt::format("motion.order-{}", integratorName(integrator));
    gate.bound = euler ? 0.07 : 0.13;
    // With an error of order p: (1 - 8^-p) / (2^-p - 8^-p).
    const double wanted = euler ? 7.0 / 3 : 21.0 / 5;
    gate.worst = plan.start;
    std::string trouble;
    double far = 0, near = 0, size = 1;
    const auto run = [&] {
        const std::vector<double> finest = endOf(subject, plan, integrator, 8, steps, trouble);
        if (!trouble.empty()) return;
        const std::vector<double> fine = endOf(subject, plan, integrator, 2, steps, trouble);
        if (!trouble.empty()) return;
        const std::vector<double> coarse = endOf(subject, plan, integrator, 1, steps, trouble);
        if (!trouble.empty()) return;
        far = distance(coarse, finest);
        near = distance(fine, finest);
        for (const double x : finest) raise(size, std::abs(x));
        if (!std::isfinite(far) || !std::isfinite(near) || !std::isfinite(size))
            trouble = "where it ends is not a finite number";
    };
    const auto judge = [&] {
        trouble.clear();
        far = near = 0, size = 1;
        run();
        if (trouble.empty() && near <= kNear * kFloor * size) {
            MotionPlan longer = plan;
            if (coarsen(longer)) {
                std::swap(plan, longer);
                run();
            }
        }
        gate.pass = false;
        if (!trouble.empty()) {
            gate.value = kNotFinite;
            gate.detail = trouble + "; " + planInWords(plan);
            return;
        }
        if (near <= kFloor * size) {
            gate.value = wanted;
            gate.pass = true;
            gate.detail = fmt::format("round-off: states differ by {:.2g}; {}", near, planInWords(plan));
            return;
        }
        gate.value = far / near;
        gate.pass = std::abs(gate.value - wanted) <= gate.bound;
        gate.detail =
            fmt::format("wanted {:.4g} within {:g}: |x(dt) - x(dt/8)| = {:.3g}, |x(dt/2) - x(dt/8)| = {:.3g}; {}",
                        wanted, gate.bound, far, near, planInWords(plan));
    };
    judge();
    for (int k = 0; k < kRefinements && !gate.pass && !subject.cancelled(); k++) refine(plan), judge();
    return gate;
}

}  // namespace

void checkOrder(const Subject& subject, std::vector<Gate>& gates, const Tick& tick) {
    const Integrator both[] = {Integrator::euler, Integrator::verlet};
    MotionPlan plan = planMotion(subject, 0.25, false);
    // What rounding leaves of a motion has no order.
    if (subject.layout.nc > 0 && subject.states.health().mobility == 0)
        plan.trouble = "nothing in this model can move: its loops hold it still";
    const bool damped = dissipates(subject.model, plan.inputs.param) || !subject.model.drives.empty();
    Steps steps(subject, plan.steps() * (damped ? 22.0 : 6.0), tick);
    for (const Integrator integrator : both) {
        if (!plan.trouble.empty()) {
            Meter none(fmt::format("motion.order-{}", integratorName(integrator)), 0);
            none.skip(plan.trouble);
            gates.push_back(none.finish());
            continue;
        }
        gates.push_back(damped ? selfConvergence(subject, plan, integrator, steps)
                               : energyOrder(subject, plan, integrator, steps));
    }
}

}  // namespace mw::proof
