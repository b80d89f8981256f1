// Chooses start, step and length of a motion gate's run.
#include "engine/proof/motion_plan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mw::proof {

namespace {

/// Steps of a large mechanism take longer: it is followed through fewer.
int mostSteps(const Layout& layout) {
    constexpr int kSteps = 10000, kFewest = 1500, kLarge = 44;  // velocities
    return std::max(kFewest, kSteps * kLarge / std::max(kLarge, layout.nv));
}

/// The smooth part: contacts have corners, gains that go with the step, and motion gates of their own.
std::shared_ptr<const Model> smoothPart(const Model& model) {
    Model smooth = withoutRows(model);
    smooth.tracks.clear();
    smooth.ground.reset();
    return std::make_shared<const Model>(std::move(smooth));
}

constexpr int kTries = 32;

int pieceOf(const Curve& curve, std::span<const double> param, double x) {
    int piece = 0;
    for (std::size_t i = 1; i + 1 < curve.x.size(); i++) piece += x > curve.x[i].at(param) ? 1 : 0;
    return piece;
}

/// Which branch every abs, min and max of an expression takes.
void branchesOf(const Expression& e, std::span<const double> param, double t, std::vector<int>& out) {
    if (e.a) branchesOf(*e.a, param, t, out);
    if (e.b) branchesOf(*e.b, param, t, out);
    if (e.op == Expression::Op::abs) out.push_back(evaluate(*e.a, param, t) < 0 ? 1 : 0);
    if (e.op == Expression::Op::min || e.op == Expression::Op::max)
        out.push_back(evaluate(*e.a, param, t) < evaluate(*e.b, param, t) ? 1 : 0);
}

/// The smooth piece that every law of the mechanism is on.
std::vector<int> piecesOf(const Subject& subject, Speaker& speaker, const State& state, const Inputs& inputs,
                          std::vector<double>& obs) {
    const Model& model = subject.model;
    const Layout& layout = subject.layout;
    const std::span<const double> param = inputs.param;
    std::vector<int> pieces;
    obs.resize(layout.nobs);
    speaker.kernel()->observe(state.q.data(), state.v.data(), param.data(), speaker.work(), obs.data());
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const Tsda& t = model.tsdas[e];
        pieces.push_back(pieceOf(t.curve, param, obs[layout.obs_of_tsda[e]] - t.l0.at(param)));
        pieces.push_back(pieceOf(t.damper_curve, param, obs[layout.obs_of_tsda[e] + 1]));
    }
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const Rsda& r = model.rsdas[e];
        pieces.push_back(pieceOf(r.curve, param, obs[layout.obs_of_rsda[e]] - r.q0.at(param)));
        pieces.push_back(pieceOf(r.damper_curve, param, obs[layout.obs_of_rsda[e] + 1]));
    }
    if (!model.drives.empty()) {
        const DriveForces forces = driveForces(model, layout, state, param, state.t);
        for (std::size_t d = 0; d < model.drives.size(); d++) {
            const double limit = model.drives[d].limit.at(param);
            pieces.push_back(forces.force[d] >= limit ? 1 : forces.force[d] <= -limit ? -1 : 0);
            if (model.drives[d].expression) branchesOf(*model.drives[d].expression, param, state.t, pieces);
        }
    }
    return pieces;
}

bool hasCorners(const Model& model) {
    const auto bent = [](const Curve& c) { return c.x.size() > 2; };
    for (const Tsda& t : model.tsdas)
        if (bent(t.curve) || bent(t.damper_curve)) return true;
    for (const Rsda& r : model.rsdas)
        if (bent(r.curve) || bent(r.damper_curve)) return true;
    return !model.drives.empty();
}

}  // namespace

Model withoutRows(Model model) {
    model.tendons.clear();
    model.couplings.clear();
    for (Shape& shape : model.shapes) shape.material = -1;
    for (Body& body : model.bodies) body.limits.reset(), body.joint_friction = 0;
    std::erase_if(model.drives, [](const Drive& drive) { return drive.kind == Drive::Kind::prescribed; });
    return model;
}

int MotionPlan::steps() const { return std::max(1, static_cast<int>(std::lround(T / dt))); }

std::string planInWords(const MotionPlan& plan) {
    return fmt::format("dt {:.3g} s over {:.3g} s from trial {}", plan.dt, plan.T, plan.trial);
}

void refine(MotionPlan& plan) {
    plan.dt /= 4;
    plan.T = std::min(plan.T, plan.most_steps * plan.dt);
}

static Ledger ledgerOf(const MotionPlan& plan) {
    Ledger ledger;
    ledger.param = plan.inputs.param;
    return ledger;
}

Simulation simulationOf(const Subject& subject, const MotionPlan& plan, Integrator integrator, double dt) {
    Simulation simulation(plan.model, subject.kernel, integrator, dt);
    simulation.inputs() = plan.inputs;
    simulation.setState(plan.start, ledgerOf(plan));
    return simulation;
}

MotionPlan planMotion(const Subject& subject, double longest, bool with_inputs) {
    MotionPlan plan;
    plan.model = smoothPart(subject.model);
    plan.most_steps = mostSteps(subject.layout);
    plan.inputs = noInputs(subject.model, subject.layout);
    const bool corners = hasCorners(subject.model);
    Speaker speaker(subject.kernel);
    std::vector<double> obs;
    for (plan.trial = 0; plan.trial < kTries && !subject.cancelled(); plan.trial++) {
        const Trial trial = subject.states.closed(plan.trial);
        if (with_inputs) {
            plan.inputs.tau = trial.tau;
            plan.inputs.act = trial.act;
            plan.inputs.fext = trial.fext;
        }
        plan.start = State{};
        plan.start.q = trial.q;
        plan.start.v = trial.v;
        const double rate = largestRate(subject.model, subject.layout, subject.kernel, plan.start, plan.inputs.param);
        plan.dt = std::min(1e-4, rate > 0 && std::isfinite(rate) ? 2e-3 / rate : 1e-4);
        plan.T = std::min(longest, plan.most_steps * plan.dt);

        // Verlet's predictor looks back at the acceleration before; at the start that is the one of the start.
        Simulation simulation = simulationOf(subject, plan, Integrator::verlet, plan.dt);
        plan.start.block("vdot", subject.layout.nv) = simulation.read().vdot;
        if (!corners) return plan;

        // Up to the first corner of any law, and a little less.
        simulation.setState(plan.start, ledgerOf(plan));
        const std::vector<int> pieces = piecesOf(subject, speaker, plan.start, plan.inputs, obs);
        const int steps = plan.steps();
        int smooth = 0;
        while (smooth < steps && !simulation.step() &&
               piecesOf(subject, speaker, simulation.state(), plan.inputs, obs) == pieces)
            smooth++;
        if (smooth < steps) plan.T = 0.95 * smooth * plan.dt;
        if (plan.steps() >= 100) return plan;
    }
    plan.trouble = "no random state of the seed starts a stretch of motion without a corner in some law";
    return plan;
}

}  // namespace mw::proof
