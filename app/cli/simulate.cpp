// mech simulate: runs a mechanism from its start state and writes what it did as a table of comma separated values.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>
#include <numbers>
#include <stdexcept>

#include "app/cli/commands.h"
#include "app/cli/rows_json.h"
#include "app/cli/settled.h"
#include "app/cli/support.h"
#include "app/cli/trace.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

namespace {

/// Rows of a run with contact, about, where nobody asks for another number.
constexpr std::int64_t kContactRows = 2000;

/// What the run is to be, with every default filled in.
struct Plan {
    double dt = 0, time = 0;
    Integrator integrator = Integrator::verlet;
    std::int64_t steps = 0;  ///< of the whole run
    std::int64_t every = 1;  ///< steps between two rows
    std::string why_dt;      ///< where the step comes from
};

std::int64_t wholeSteps(double time, double dt, const char* what) {
    const double steps = std::round(time / dt);
    if (!(steps < 9e15)) throw UsageError(fmt::format("{}: {} s are too many steps of {} s", what, time, dt));
    return static_cast<std::int64_t>(steps);
}

Plan planOf(const SimulateOptions& options, const Model& model, const Layout& layout, const Kernel& kernel,
            bool contact) {
    Plan plan;
    plan.integrator = defaultIntegrator(model);
    plan.time = parseNumber(options.time, "--time");
    if (!(plan.time >= 0)) throw UsageError("--time: a run cannot end before it begins");
    if (options.integrator) {
        const auto named = integratorFromName(*options.integrator);
        if (!named) throw UsageError(fmt::format("--integrator: '{}' is none of euler, verlet", *options.integrator));
        plan.integrator = *named;
        if (std::string why; *named == Integrator::verlet && hasRows(model, &why))
            throw UsageError(fmt::format(
                "--integrator: verlet does not go with rows, and this model has some: {}; it steps by euler", why));
    }
    if (options.dt) {
        plan.dt = parseNumber(*options.dt, "--dt");
        if (!(plan.dt > 0)) throw UsageError("--dt: a step must be longer than 0 s");
        plan.why_dt = fmt::format("dt {} s: as asked", plan.dt);
    } else {
        const std::vector<double> param = model.liveValues();
        State start;
        start.q = startQ(model, layout, param);
        start.v = startV(model, layout, param);
        plan.dt = suggestedStep(model, layout, kernel, start, param, &plan.why_dt);
        if (plan.time > 0 && plan.time < plan.dt) {
            plan.dt = plan.time;
            plan.why_dt = fmt::format("dt {} s: the whole run", plan.dt);
        }
    }
    plan.steps = wholeSteps(plan.time, plan.dt, "--time");
    if (plan.time > 0 && plan.steps == 0)
        throw UsageError(fmt::format("--dt: a step of {} s is too long for a run of {} s", plan.dt, plan.time));
    const double reached = static_cast<double>(plan.steps) * plan.dt;
    // A step of our own choosing is no round number where things touch, and nobody asked for one.
    if (std::abs(reached - plan.time) > 1e-6 * plan.dt && (options.dt || !contact))
        note(fmt::format("{} s are no whole number of steps of {} s: the run ends at {:.12g} s", plan.time, plan.dt,
                         reached));
    // Without a word, a row every hundredth of a second: enough for a plot, small enough for a spreadsheet.
    // Where things touch, the rows are wide and the motion is quick: about two thousand of them, whatever the run.
    double every = 0.01;
    if (options.every) {
        every = parseNumber(*options.every, "--every");
        if (!(every > 0)) throw UsageError("--every: rows must be more than 0 s apart");
    }
    plan.every = std::max<std::int64_t>(
        1, contact && !options.every ? plan.steps / kContactRows : wholeSteps(every, plan.dt, "--every"));
    return plan;
}

/// What the options say about contacts; what they cannot say of this mechanism is wrong usage.
ContactSetup setupOf(const SimulateOptions& options, const Model& model, bool contact) {
    ContactSetup setup;
    if (model.ground) setup.friction = model.ground->friction;
    if (options.friction) {
        if (!model.ground)
            throw UsageError("--friction: this model has no ground, so there is no friction law to choose");
        if (*options.friction == "anchored") setup.friction = Friction::anchored;
        else if (*options.friction == "regularized") setup.friction = Friction::regularized;
        else throw UsageError(fmt::format("--friction: '{}' is none of regularized, anchored", *options.friction));
    }
    if (options.slope) {
        if (!model.ground) throw UsageError("--slope: this model has no ground to tilt");
        const double degrees = parseNumber(*options.slope, "--slope");
        if (!(std::abs(degrees) <= 60)) throw UsageError("--slope: an angle from -60 to 60 degrees is wanted");
        setup.slope = degrees * std::numbers::pi / 180;
    }
    if (!model.tracks.empty()) setup.ramp = 0.02;
    if (options.ramp) {
        if (!contact) throw UsageError("--ramp: this model has no contact whose stiffness could rise");
        setup.ramp = parseNumber(*options.ramp, "--ramp");
        if (!(setup.ramp >= 0)) throw UsageError("--ramp: a time of at least 0 s is wanted");
    }
    return setup;
}

/// The contacts' part of the answer.
Json contactJson(const Model& model, const Simulation& run, const Settled& settled, const Readings& last) {
    const ContactSetup& setup = run.contactSetup();
    Json tensions = Json::object();
    for (std::size_t i = 0; i < model.tracks.size(); ++i) tensions[model.tracks[i].name] = settled.tension()[i];
    const auto creep = settled.creep();
    const Vector3d& force = run.appliedContact().ground_force;
    return {{"friction", model.ground ? Json(frictionName(setup.friction)) : Json(nullptr)},
            {"slope", setup.slope * 180 / std::numbers::pi},
            {"ramp", setup.ramp},
            {"brake", run.inputs().brake},
            {"weight", settled.weight()},
            {"load", settled.load()},
            {"load_over_weight", settled.weight() > 0 ? Json(settled.load() / settled.weight()) : Json(nullptr)},
            {"creep", creep && model.ground ? Json(*creep) : Json(nullptr)},
            {"deepest_pair", settled.deepestPair()},
            {"deepest_point", settled.deepestPoint()},
            {"worst_pair", settled.worstPair()},
            {"worst_point", settled.worstPoint()},
            {"loaded",
             {{"pins", last.contact_totals.pins},
              {"faces", last.contact_totals.faces},
              {"points", last.contact_totals.points}}},
            {"declared", {{"pairs", run.contact().declaredPairs()}, {"points", run.contact().declaredPoints()}}},
            {"ground_force", {force[0], force[1], force[2]}},
            {"greatest_tension", tensions}};
}

/// How the rows of a whole run were solved.
struct Solves {
    std::int64_t steps = 0, converged = 0, spent = 0, stuck = 0;
    std::int64_t sweeps = 0;
    int most_rows = 0, most_sweeps = 0;
    double worst_residual = 0;
    bool overflow = false;

    void see(const SolveReport& report, const ContactFacts& facts) {
        ++steps;
        converged += report.status == SolveStatus::converged || report.status == SolveStatus::no_rows;
        spent += report.status == SolveStatus::budget_spent;
        stuck += report.stuck > 0;
        sweeps += report.sweeps;
        most_rows = std::max(most_rows, report.rows);
        most_sweeps = std::max(most_sweeps, report.sweeps);
        worst_residual = std::max(worst_residual, report.residual);
        overflow = overflow || facts.overflow;
    }
    Json json() const {
        return {{"steps", steps},
                {"converged", converged},
                {"budget_spent", spent},
                {"no_freedom", stuck},
                {"sweeps_a_step", steps > 0 ? static_cast<double>(sweeps) / static_cast<double>(steps) : 0.0},
                {"most_rows", most_rows},
                {"most_sweeps", most_sweeps},
                {"worst_residual", worst_residual},
                {"overflow", overflow}};
    }
    std::string words() const {
        std::string text = fmt::format(
            "rows: at most {}; {:.3g} sweeps a step (most {}), {} of {} steps converged, worst residual {:.3g} N s\n",
            most_rows, steps > 0 ? static_cast<double>(sweeps) / static_cast<double>(steps) : 0.0, most_sweeps,
            converged, steps, worst_residual);
        if (spent > 0) text += fmt::format("in {} steps the sweeps were spent before the tolerance was met\n", spent);
        if (stuck > 0) text += fmt::format("in {} steps some row had no degrees of freedom to move\n", stuck);
        if (overflow) text += "more contacts than `capacity`: some were left out\n";
        return text;
    }
};

std::string tendonsInWords(const Model& model, const Readings& last) {
    std::string text;
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        text +=
            fmt::format("tendon {}: length {:.9g}, tension {:.6g}{}\n", model.tendons[i].name, last.tendons[i].length,
                        last.tendons[i].tension,
                        last.tendons[i].off     ? " (off)"
                        : last.tendons[i].slack ? " (slack)"
                                                : "") +
            (last.tendons[i].route.converged
                 ? ""
                 : "  the search for its route ended before the rope was taut: length and forces are approximate\n");
    return text;
}

std::string contactInWords(const Model& model, const Settled& settled, const Readings& last) {
    std::string text;
    if (model.ground) {
        text += fmt::format(
            "ground: {:.6g} N of {:.6g} N weight ({:+.3f} %), {} pad corners loaded", settled.load(), settled.weight(),
            settled.weight() > 0 ? 100 * (settled.load() / settled.weight() - 1) : 0.0, last.contact_totals.points);
        if (const auto creep = settled.creep()) text += fmt::format("; the patch creeps at {:.3g} m/s", *creep);
        text += '\n';
    }
    text += fmt::format(
        "deepest at the end: {:.3g} mm between band and rollers, {:.3g} mm in the ground (ever: {:.3g}, {:.3g})",
        1e3 * settled.deepestPair(), 1e3 * settled.deepestPoint(), 1e3 * settled.worstPair(),
        1e3 * settled.worstPoint());
    for (std::size_t i = 0; i < model.tracks.size(); ++i)
        text += fmt::format("; {} pulls with up to {:.4g} N", model.tracks[i].name, settled.tension()[i]);
    return text + '\n';
}

}  // namespace

int runSimulate(const SimulateOptions& options) {
    if (options.trace) requireElsewhere(options.file, *options.trace, "--trace");
    Source source = readSource(options.file, options.param);
    const std::size_t of_text = source.read.diagnostics.size();
    checkLoops(source);
    requireGood(source, options.json);
    // What only the geometry shows decides how the run goes.
    for (std::size_t i = of_text; i < source.read.diagnostics.size(); ++i)
        if (const Diagnostic& d = source.read.diagnostics[i]; d.severity == Severity::warning)
            std::cerr << formatDiagnostic(d, source.text, source.file) << '\n';
    if (options.trace == "-" && options.json)
        throw UsageError("--trace - and --json both want standard output; give the trace a file");

    auto model = std::make_shared<Model>(std::move(source.read.model));
    const Layout layout = layoutOf(*model);
    {
        const std::vector<double> param = model->liveValues();
        const auto q = options.q ? normalised(parseList(*options.q, "--q", layout.q_names), *model, layout)
                                 : startQ(*model, layout, param);
        const auto v = options.v ? parseList(*options.v, "--v", layout.v_names) : startV(*model, layout, param);
        if (options.q || options.v) setStart(*model, layout, q, v);
    }
    const bool contact = !ContactModel(*model).empty();
    const ContactSetup setup = setupOf(options, *model, contact);
    noteIfLarge(*model);
    const Kernel kernel = makeKernel(*model, source.name, options.kernel);
    const Plan plan = planOf(options, *model, layout, kernel, contact);
    if (!options.dt) note(plan.why_dt);

    Simulation run(model, kernel, plan.integrator, plan.dt);
    try {
        run.setContactSetup(setup);
    } catch (const std::invalid_argument& fault) {
        throw UsageError(fmt::format("--slope: {}", fault.what()));
    }
    run.inputs().brake = options.slope.has_value() && !model->tracks.empty();
    Settled settled(*model, setup.slope, setup.ramp, plan.time);
    std::optional<Trace> trace;
    const auto look = [&](const Readings& readings) {
        const ContactTotals& applied = run.state().step > 0 ? run.appliedContact() : readings.contact_totals;
        if (contact) settled.see(run.state().t, readings, applied);
        if (trace) trace->row(run.state(), readings, applied);
    };
    if (options.trace) {
        trace.emplace(*options.trace, *model, layout);
        trace->head({source.name, plan.why_dt, settled.weight(), frictionName(setup.friction), plan.every}, run);
    }
    look(run.read());
    std::optional<BlowUp> blown;
    const bool rows = hasRows(*model);
    Solves solves;
    double largest_residual = 0;
    for (std::int64_t step = 1; step <= plan.steps && !blown; ++step) {
        blown = run.step();
        if (rows && !blown) solves.see(run.rowStep().report(), run.rowStep().facts());
        // A run that blows up ends with the last good state, whenever rows are due.
        if (blown ? (step - 1) % plan.every == 0 : step % plan.every != 0 && step != plan.steps) continue;
        const Readings readings = run.read();
        largest_residual = std::max(largest_residual, std::abs(readings.residual));
        look(readings);
    }
    if (trace) trace->close();
    if (blown)
        note(fmt::format("the run stopped at t = {} s (step {}): {}{}; the last good state is the last row", blown->t,
                         blown->step, blown->what, loopsAtFault(*model, run.state().q, model->liveValues())));

    const Readings last = run.read();
    const auto requireFinite = [&](const Json& answer) {
        if (const std::string what = notFinite(answer); !what.empty())
            throw Failure(fmt::format("'{}' of '{}' is not a finite number at the end of the run", what, source.name));
    };
    if (options.json) {
        Json of_elements = Json::object();
        for (std::size_t i = 0; i < model->tsdas.size(); ++i) of_elements[model->tsdas[i].name] = last.energy.tsda[i];
        for (std::size_t i = 0; i < model->rsdas.size(); ++i) of_elements[model->rsdas[i].name] = last.energy.rsda[i];
        Json energy = {{"kinetic", last.energy.kinetic}, {"gravity", last.energy.gravity}, {"elements", of_elements}};
        if (contact) {
            energy["contact"] = last.contact_energy.bands + last.contact_energy.ground;
            energy["anchors"] = last.contact_energy.anchors;
            energy["brakes"] = last.brake_energy;
        }
        energy["total"] = last.total_energy;
        Json answer = {{"model", source.name},
                       {"kernel", options.kernel},
                       {"integrator", integratorName(plan.integrator)},
                       {"dt", plan.dt},
                       {"dt_reason", plan.why_dt},
                       {"steps", run.state().step},
                       {"time", run.state().t},
                       {"trace", options.trace ? Json(*options.trace) : Json(nullptr)},
                       {"rows", trace ? trace->rows() : 0},
                       {"names", {{"q", layout.q_names}, {"v", layout.v_names}}},
                       {"q", run.state().q},
                       {"v", run.state().v},
                       {"energy", energy},
                       {"largest_residual", largest_residual},
                       {"state_hash", stateHash(run.state()).hex()},
                       {"blow_up", blown ? Json{{"what", blown->what}, {"time", blown->t}, {"step", blown->step}}
                                         : Json(nullptr)}};
        if (contact) answer["contact"] = contactJson(*model, run, settled, last);
        if (rows) {
            answer["energy"]["tendons"] = last.tendon_energy;
            answer["ledger"] = {{"drives", last.ledger.drives},
                                {"prescribed", last.ledger.prescribed},
                                {"dissipated", last.ledger.dissipated},
                                {"tendon_dissipated", last.ledger.tendon_dissipated},
                                {"row_dissipated", last.ledger.row_dissipated},
                                {"injected", last.ledger.injected},
                                {"numerical", last.ledger.numerical}};
            answer["solver"] = solves.json();
            answer["tendons"] = tendonsJson(*model, layout, last, run.inputs().param);
            Json contacts = Json::array();
            addShapeContacts(contacts, *model, last, run.state().step, run.inputs().param);
            answer["contacts"] = std::move(contacts);
            answer["joints"] = jointRowsJson(*model, layout, last.rows, run.inputs().param);
        }
        requireFinite(answer);
        print(answer);
    } else if (options.trace != "-") {
        requireFinite({{"energy", {{"total", last.total_energy}}}, {"largest_residual", largest_residual}});
        std::cout << fmt::format("{}: {} steps of {} s by {}, {} s in all{}\n", source.name, run.state().step, plan.dt,
                                 integratorName(plan.integrator), run.state().t,
                                 options.trace ? fmt::format("; {} row{} in {}", trace->rows(),
                                                             trace->rows() == 1 ? "" : "s", *options.trace)
                                               : "");
        std::cout << fmt::format("energy: {:.9g} J at the end; {:.3g} J is the most by which the balance was off\n",
                                 last.total_energy, largest_residual);
        if (contact) std::cout << contactInWords(*model, settled, last);
        if (rows) std::cout << tendonsInWords(*model, last) << solves.words();
    }
    return blown ? kFailed : kGood;
}

}  // namespace mw::cli
