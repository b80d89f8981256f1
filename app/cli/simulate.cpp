// mech simulate: runs a mechanism from its start state and writes what it did as a table of comma separated values.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

namespace {

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

Plan planOf(const SimulateOptions& options, const Model& model, const Layout& layout, const Kernel& kernel) {
    Plan plan;
    plan.time = parseNumber(options.time, "--time");
    if (!(plan.time >= 0)) throw UsageError("--time: a run cannot end before it begins");
    if (options.integrator) {
        const auto named = integratorFromName(*options.integrator);
        if (!named) throw UsageError(fmt::format("--integrator: '{}' is none of euler, verlet", *options.integrator));
        plan.integrator = *named;
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
    if (std::abs(reached - plan.time) > 1e-6 * plan.dt)
        note(fmt::format("{} s are no whole number of steps of {} s: the run ends at {:.12g} s", plan.time, plan.dt,
                         reached));
    // Without a word, a row every hundredth of a second: enough for a plot, small enough for a spreadsheet.
    double every = 0.01;
    if (options.every) {
        every = parseNumber(*options.every, "--every");
        if (!(every > 0)) throw UsageError("--every: rows must be more than 0 s apart");
    }
    plan.every = std::max<std::int64_t>(1, wholeSteps(every, plan.dt, "--every"));
    return plan;
}

/// One row at a time, to a file or standard output; numbers read back exactly, with a decimal point in every locale.
class Trace {
public:
    Trace(const std::string& file, const Model& model, const Layout& layout)
        : file_(file), model_(model), layout_(layout) {
        if (file == "-") return;
        errno = 0;
        opened_.open(file, std::ios::binary | std::ios::trunc);
        if (!opened_) throw UsageError(fmt::format("cannot write '{}': {}", file, std::strerror(errno ? errno : EIO)));
    }

    void head(const std::string& name, const Plan& plan, const Simulation& run) {
        line(fmt::format("# mechwright trace, model {}", name));
        line(fmt::format("# model hash {}, kernel {} {}", modelHash(model_).hex(), run.kernel().maker,
                         run.kernel().kernelHash().hex()));
        line(fmt::format("# integrator {}, {}; a row every {} steps", integratorName(plan.integrator), plan.why_dt,
                         plan.every));
        line("# units: s, m, rad, m/s, rad/s, N, N m, J; quaternions w x y z");
        line(
            "# frames: q and v of each joint in its own frame, angular velocity of spherical and floating joints in "
            "body axes; points in base axes");
        if (!model_.parameters.empty()) {
            std::string text = "# parameters:";
            for (const Parameter& p : model_.parameters) text += fmt::format(" {}={}", p.name, p.value);
            line(text);
        }
        std::string names = "t";
        for (const std::string& n : layout_.q_names) names += ",q." + n;
        for (const std::string& n : layout_.v_names) names += ",v." + n;
        names += ",energy.kinetic,energy.gravity,energy.elements,energy.total";
        names += ",energy.dissipated,energy.drives,energy.residual";
        if (!model_.loops.empty()) names += ",energy.loops";
        for (const Loop& l : model_.loops) names += fmt::format(",loop.{0}.error,loop.{0}.force", l.name);
        for (const Tsda& e : model_.tsdas) names += fmt::format(",element.{0}.length,element.{0}.force", e.name);
        for (const Rsda& e : model_.rsdas) names += fmt::format(",element.{}.torque", e.name);
        for (const Drive& d : model_.drives) names += fmt::format(",drive.{}.force", d.name);
        for (const PointOfInterest& p : model_.points)
            names += fmt::format(",point.{0}.x,point.{0}.y,point.{0}.z", p.name);
        line(names);
    }

    void row(const State& state, const Readings& r) {
        std::string text = fmt::format("{}", state.t);
        const auto add = [&text](double x) { fmt::format_to(std::back_inserter(text), ",{}", x); };
        for (double x : state.q) add(x);
        for (double x : state.v) add(x);
        for (double x : {r.energy.kinetic, r.energy.gravity, r.energy.elements(), r.energy.total(), r.ledger.dissipated,
                         r.ledger.drives, r.residual})
            add(x);
        if (!r.loops.empty()) add(r.ledger.loops);
        for (const LoopReading& l : r.loops) {
            add(l.worst());
            add(std::hypot(l.wrench[3], l.wrench[4], l.wrench[5]));
        }
        for (std::size_t i = 0; i < model_.tsdas.size(); ++i) {
            add(r.obs[static_cast<std::size_t>(layout_.obs_of_tsda[i])]);
            add(r.elements.tsda[i]);
        }
        for (double x : r.elements.rsda) add(x);
        for (double x : r.drive_force) add(x);
        for (std::size_t i = 0; i < model_.points.size(); ++i)
            for (int k = 0; k < 3; ++k) add(r.obs[static_cast<std::size_t>(layout_.obs_of_point[i] + k)]);
        line(text);
        ++rows_;
    }

    void close() {
        if (file_ != "-") opened_.close();
        if (file_ == "-" ? !std::cout.flush() : opened_.fail())
            throw UsageError(fmt::format("cannot write '{}': {}", file_, std::strerror(errno ? errno : EIO)));
    }
    std::int64_t rows() const { return rows_; }

private:
    void line(const std::string& text) {
        (file_ == "-" ? std::cout : static_cast<std::ostream&>(opened_)) << text << '\n';
    }

    std::string file_;
    const Model& model_;
    const Layout& layout_;
    std::ofstream opened_;
    std::int64_t rows_ = 0;
};

}  // namespace

int runSimulate(const SimulateOptions& options) {
    if (options.trace) requireElsewhere(options.file, *options.trace, "--trace");
    Source source = readSource(options.file, options.param);
    checkLoops(source);
    requireGood(source, options.json);
    if (options.friction)
        throw UsageError("--friction: this model has no ground, so there is no friction law to choose");
    if (options.slope) throw UsageError("--slope: this model has no ground to tilt");
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
    noteIfLarge(*model);
    const Kernel kernel = makeKernel(*model, source.name, options.kernel);
    const Plan plan = planOf(options, *model, layout, kernel);
    if (!options.dt) note(plan.why_dt);

    Simulation run(model, kernel, plan.integrator, plan.dt);
    std::optional<Trace> trace;
    if (options.trace) {
        trace.emplace(*options.trace, *model, layout);
        trace->head(source.name, plan, run);
        trace->row(run.state(), run.read());
    }
    std::optional<BlowUp> blown;
    double largest_residual = 0;
    for (std::int64_t step = 1; step <= plan.steps && !blown; ++step) {
        blown = run.step();
        // A run that blows up ends with the last good state, whenever rows are due.
        if (blown ? (step - 1) % plan.every == 0 : step % plan.every != 0 && step != plan.steps) continue;
        const Readings readings = run.read();
        largest_residual = std::max(largest_residual, std::abs(readings.residual));
        if (trace) trace->row(run.state(), readings);
    }
    if (trace) trace->close();
    if (blown)
        note(fmt::format("the run stopped at t = {} s (step {}): {}{}; the last good state is the last row", blown->t,
                         blown->step, blown->what, loopsAtFault(*model, run.state().q, model->liveValues())));

    const Readings last = run.read();
    if (options.json) {
        Json of_elements = Json::object();
        for (std::size_t i = 0; i < model->tsdas.size(); ++i) of_elements[model->tsdas[i].name] = last.energy.tsda[i];
        for (std::size_t i = 0; i < model->rsdas.size(); ++i) of_elements[model->rsdas[i].name] = last.energy.rsda[i];
        print({{"model", source.name},
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
               {"energy",
                {{"kinetic", last.energy.kinetic},
                 {"gravity", last.energy.gravity},
                 {"elements", of_elements},
                 {"total", last.energy.total()}}},
               {"largest_residual", largest_residual},
               {"state_hash", stateHash(run.state()).hex()},
               {"blow_up",
                blown ? Json{{"what", blown->what}, {"time", blown->t}, {"step", blown->step}} : Json(nullptr)}});
    } else if (options.trace != "-") {
        std::cout << fmt::format("{}: {} steps of {} s by {}, {} s in all{}\n", source.name, run.state().step, plan.dt,
                                 integratorName(plan.integrator), run.state().t,
                                 options.trace ? fmt::format("; {} row{} in {}", trace->rows(),
                                                             trace->rows() == 1 ? "" : "s", *options.trace)
                                               : "");
        std::cout << fmt::format("energy: {:.9g} J at the end; {:.3g} J is the most by which the balance was off\n",
                                 last.energy.total(), largest_residual);
    }
    return blown ? kFailed : kGood;
}

}  // namespace mw::cli
