// Motions: our two schemes against Simbody's error-controlled integrator from one and the same state. Right equations
// leave a gap that shrinks with the step as the scheme's order says; wrong ones leave a gap that stays.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/dynamics/closure.h"
#include "engine/proof/gates.h"
#include "engine/sim/simulation.h"
#include "tests/crosscheck/crosscheck.h"

namespace mw::cross {

namespace {

constexpr double kAccuracy = 1e-12;  ///< of Simbody's integrator
constexpr double kFloor = 2e-10;     ///< m, rad: what that leaves of its own; smaller gaps have no order
constexpr int kRefinements = 3;

/// Where a motion starts and how far it goes.
struct Plan {
    State start;
    std::vector<double> param;
    double dt = 0, T = 0;
    double corner = 0;  ///< when the first law turns a corner; T when none does
    std::string note;
};

Simulation simulationOf(const Subject& subject, const Plan& plan, Integrator integrator, double dt) {
    Simulation simulation(subject.model, subject.kernel, integrator, dt);
    Ledger ledger;
    ledger.param = plan.param;
    simulation.setState(plan.start, ledger);
    return simulation;
}

int pieceOf(const Curve& curve, std::span<const double> param, double x) {
    int piece = 0;
    for (std::size_t i = 1; i + 1 < curve.x.size(); ++i) piece += x > curve.x[i].at(param);
    return piece;
}

/// Which straight piece every law is on, and which drives are at their limit: orders exist between corners only.
std::vector<int> piecesOf(const Subject& subject, const Simulation& simulation, std::vector<double>& work,
                          std::span<const double> param) {
    const Model& model = *subject.model;
    const Layout& layout = subject.layout;
    std::vector<double> obs(static_cast<std::size_t>(layout.nobs));
    const State& state = simulation.state();
    subject.kernel->observe(state.q.data(), state.v.data(), param.data(), work.data(), obs.data());
    std::vector<int> pieces;
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
        const double* o = obs.data() + layout.obs_of_tsda[i];
        pieces.push_back(pieceOf(model.tsdas[i].curve, param, o[0] - model.tsdas[i].l0.at(param)));
        pieces.push_back(pieceOf(model.tsdas[i].damper_curve, param, o[1]));
    }
    for (std::size_t i = 0; i < model.rsdas.size(); ++i) {
        const double* o = obs.data() + layout.obs_of_rsda[i];
        pieces.push_back(pieceOf(model.rsdas[i].curve, param, o[0] - model.rsdas[i].q0.at(param)));
        pieces.push_back(pieceOf(model.rsdas[i].damper_curve, param, o[1]));
    }
    if (!model.drives.empty()) {
        const DriveForces drives = driveForces(model, layout, state, param, state.t);
        for (std::size_t i = 0; i < model.drives.size(); ++i)
            pieces.push_back(std::abs(drives.force[i]) >= model.drives[i].limit.at(param, state.t));
    }
    return pieces;
}

bool hasCorners(const Model& model) {
    const auto bent = [](const auto& e) { return e.curve.x.size() > 2 || e.damper_curve.x.size() > 2; };
    return std::any_of(model.tsdas.begin(), model.tsdas.end(), bent) ||
           std::any_of(model.rsdas.begin(), model.rsdas.end(), bent) || !model.drives.empty();
}

/// How many steps every law stays on its piece, at most the whole motion.
int smoothSteps(const Subject& subject, const Plan& plan) {
    const int steps = static_cast<int>(std::ceil(plan.T / plan.dt));
    if (!hasCorners(*subject.model)) return steps;
    Simulation simulation = simulationOf(subject, plan, Integrator::verlet, plan.dt);
    std::vector<double> work = makeWork(subject.kernel);
    const std::vector<int> pieces = piecesOf(subject, simulation, work, plan.param);
    int smooth = 0;
    while (smooth < steps && !simulation.step() && piecesOf(subject, simulation, work, plan.param) == pieces) ++smooth;
    return smooth;
}

/// The start pose closed, the start rates and a push of the seed, as far as the loops let them.
Plan planOf(const Subject& subject, const Options& options) {
    const Model& model = *subject.model;
    const Layout& layout = subject.layout;
    Plan plan;
    if (!subject.left_out.empty()) plan.note = ", " + subject.left_out;
    plan.param = model.liveValues();
    std::vector<double> q = startQ(model, layout, plan.param), v = startV(model, layout, plan.param);
    const Trial trial = randomTrial(model, layout, options.seed, 0);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.25 * trial.v[i];
    if (layout.nloop > 0) {
        Closure closure(model);
        const Assembly assembly = closure.assemble(q, plan.param);
        if (!assembly.closed) throw Unsuitable("the start pose cannot be closed: " + assembly.what);
        q = assembly.q;
        v = closure.project(q, v, plan.param);
    }
    plan.start.q = q, plan.start.v = v;
    const double rate = largestRate(model, layout, subject.kernel, plan.start, plan.param);
    plan.dt = options.dt > 0 ? options.dt : std::min(1e-3, rate > 0 && std::isfinite(rate) ? 0.05 / rate : 1e-3);
    plan.T = options.time;
    plan.dt = plan.T / std::ceil(plan.T / plan.dt - 1e-9);
    // Verlet's predictor looks back at the acceleration before; at the start that is the one of the start.
    plan.start.block("vdot", static_cast<std::size_t>(layout.nv)) =
        simulationOf(subject, plan, Integrator::verlet, plan.dt).read().vdot;
    const int smooth = smoothSteps(subject, plan);
    plan.corner = smooth * plan.dt < plan.T * (1 - 1e-9) ? smooth * plan.dt : plan.T;
    return plan;
}

/// The larger of position (m) and attitude (rad), over all bodies.
double gapOf(const std::vector<double>& a, const std::vector<double>& b, std::size_t& body) {
    double worst = 0;
    const auto take = [&](double gap, std::size_t of) {
        if (!(gap <= worst)) worst = gap, body = of;
    };
    for (std::size_t i = 0; 12 * i < a.size(); ++i) {
        const double *A = a.data() + 12 * i, *B = b.data() + 12 * i;
        take(std::hypot(A[9] - B[9], A[10] - B[10], A[11] - B[11]), i);
        double r[3][3] = {};
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                for (int k = 0; k < 3; ++k) r[row][column] += A[3 * k + row] * B[3 * k + column];
        const double twice_sine = std::hypot(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
        take(std::atan2(twice_sine, r[0][0] + r[1][1] + r[2][2] - 1), i);
    }
    return worst;
}

struct Gap {
    double value = 0;
    std::size_t body = 0;
    std::string trouble;
};

Gap gapAfter(const Subject& subject, const Plan& plan, Integrator integrator, double dt, const Poses& theirs) {
    Simulation simulation = simulationOf(subject, plan, integrator, dt);
    const auto steps = std::lround(plan.T / dt);
    Gap gap;
    for (long i = 0; i < steps; ++i)
        if (const auto fault = simulation.step()) {
            gap.trouble = fault->what;
            return gap;
        }
    gap.value = gapOf(simulation.read().X, theirs.X, gap.body);
    return gap;
}

Check judge(const Subject& subject, const Plan& first, int refinements, Integrator integrator, const Poses& theirs) {
    const bool euler = integrator == Integrator::euler;
    const double wanted = euler ? 2 : 4;
    Check check;
    check.name = euler ? "trajectory-euler" : "trajectory-verlet";
    check.bound = euler ? 0.1 : 0.3;
    Plan plan = first;
    for (int refinement = 0; refinement <= refinements; ++refinement, plan.dt /= 4) {
        const Gap coarse = gapAfter(subject, plan, integrator, plan.dt, theirs);
        const Gap fine = gapAfter(subject, plan, integrator, plan.dt / 2, theirs);
        if (!coarse.trouble.empty() || !fine.trouble.empty()) {
            check.value = 0;
            check.detail = "our run stopped: " + (fine.trouble.empty() ? coarse.trouble : fine.trouble);
            continue;
        }
        const std::string where =
            fmt::format("dt {:.3g} s over {:.3g} s{}, body {}", plan.dt, plan.T, plan.note,
                        subject.model->bodies.empty() ? "-" : subject.model->bodies[coarse.body].name);
        // Nothing but rounding and the other integrator's own error: no order to be seen.
        if (coarse.value <= kFloor) {
            check.value = wanted, check.pass = true;
            check.detail = fmt::format("round-off: gap {:.2e}, {}", coarse.value, where);
            return check;
        }
        check.value = coarse.value / fine.value;
        check.pass = std::abs(check.value - wanted) <= check.bound;
        check.detail = fmt::format("gap {:.3e}, at half the step {:.3e}, ratio within {} of {}, {}", coarse.value,
                                   fine.value, check.bound, wanted, where);
        if (check.pass) return check;
    }
    return check;
}

/// Both schemes over the plan's time.
std::vector<Check> judgeBoth(const Subject& subject, const Model& theirs, const Plan& plan, int refinements) {
    SimbodyTwin twin(theirs, plan.param);
    Forces forces;
    forces.tau.assign(static_cast<std::size_t>(subject.layout.nv), 0);
    forces.fext.assign(6 * subject.model->bodies.size(), 0);
    forces.act.assign(static_cast<std::size_t>(subject.layout.nact), 0);
    forces.drives = true;
    twin.place(plan.start.q, plan.start.v, forces, plan.start.t);
    twin.run(plan.T, kAccuracy);
    const Poses end = twin.poses();
    return {judge(subject, plan, refinements, Integrator::euler, end),
            judge(subject, plan, refinements, Integrator::verlet, end)};
}

}  // namespace

std::vector<std::string> motionCheckNames() { return {"trajectory-euler", "trajectory-verlet"}; }

std::vector<Check> compareMotions(const Subject& ours, const Model& theirs, const Options& options) {
    const auto without = [](const std::string& why, bool pass) {
        std::vector<Check> checks;
        for (const std::string& name : motionCheckNames()) {
            Check check;
            check.name = name, check.pass = pass, check.skipped = pass, check.detail = why;
            checks.push_back(check);
        }
        return checks;
    };
    if (ours.layout.nv == 0) return without("nothing moves", true);
    try {
        Plan plan = planOf(ours, options);
        if (plan.corner >= plan.T) return judgeBoth(ours, theirs, plan, kRefinements);
        // Over corners first, which bend a ratio a little or not at all; then up to the first of them.
        const std::string note = plan.note;
        plan.note += fmt::format(", corners of laws from {:.3g} s on", plan.corner);
        std::vector<Check> checks = judgeBoth(ours, theirs, plan, 0);
        if ((checks[0].pass && checks[1].pass) || plan.corner < 20 * plan.dt) return checks;
        plan.note =
            note + fmt::format(", up to the first corner of a law (over {:.3g} s the ratios are {:.3g} and {:.3g})",
                               plan.T, checks[0].value, checks[1].value);
        plan.T = 0.95 * plan.corner;
        plan.dt = plan.T / std::ceil(plan.T / plan.dt - 1e-9);
        return judgeBoth(ours, theirs, plan, kRefinements);
    } catch (const std::exception& fault) {
        return without(fmt::format("no motion to compare: {}", fault.what()), false);
    }
}

}  // namespace mw::cross
