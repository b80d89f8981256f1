// mech eval: everything that is known about a mechanism at one state, as numbers that read back exactly.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/contacts_json.h"
#include "app/cli/rows_json.h"
#include "app/cli/support.h"
#include "engine/contact/contact.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/energy.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/sim/simulation.h"

namespace mw::cli {

namespace {

using Numbers = std::vector<double>;

constexpr double kExact = 1e-15;  // N s
constexpr int kPatience = 2000;   // sweeps

/// The state and all that acts at it.
struct Question {
    Numbers q, v, tau, act, fext, param;
    Numbers tendon;  ///< forces of tendons with `actuator input`
    double t = 0;
    std::optional<double> dt;  ///< of the step that is asked for
};

Numbers sized(int count) { return Numbers(static_cast<std::size_t>(count), 0.0); }

/// A joint whose motion is prescribed stands and moves as its drive has it at that time, and what hangs on it by loops
/// goes along, where nobody says otherwise.
void prescribe(const EvalOptions& options, const Model& model, const Layout& layout, const Kernel& kernel,
               Question& ask) {
    RowStep rows(model, layout);
    if (!rows.prescribes()) return;
    Numbers q = ask.q, v = ask.v;
    rows.prescribe(ask.param, ask.t, q, v);
    if (!options.q) {
        ask.q = q;
        if (layout.nc > 0 && ask.t != 0) {  // other than at the start, nobody has closed them
            mw::AssembleOptions assemble;
            for (const Drive& d : model.drives)
                if (d.kind == Drive::Kind::prescribed)
                    assemble.keep.push_back(layout.v_of_body[static_cast<std::size_t>(d.body)] + d.coordinate);
            if (const Assembly closed = Closure(model).assemble(q, ask.param, assemble); closed.closed && closed.kept)
                ask.q = closed.q;
        }
    }
    if (options.v) return;
    if (layout.nc == 0) {
        ask.v = v;
        return;
    }
    Numbers work = makeWork(kernel);
    rows.takeAlong(kernel, work.data(), ask.q, ask.param, ask.t, ask.v);
}

Question ask(const EvalOptions& options, const Model& model, const Layout& layout) {
    Question ask;
    ask.param = model.liveValues();
    ask.q = options.q ? normalised(parseList(*options.q, "--q", layout.q_names), model, layout)
                      : startQ(model, layout, ask.param);
    ask.v = options.v ? parseList(*options.v, "--v", layout.v_names) : startV(model, layout, ask.param);
    ask.tau = options.tau ? parseList(*options.tau, "--tau", layout.v_names) : sized(layout.nv);
    ask.t = parseNumber(options.time, "--time");
    if (options.dt) {
        ask.dt = parseNumber(*options.dt, "--dt");
        if (!(*ask.dt > 0)) throw UsageError("--dt: a step must be longer than 0 s");
    }

    ask.act = sized(layout.nact);
    ask.tendon.assign(model.tendons.size(), 0.0);
    for (const std::string& text : options.act) {
        const auto [name, value] = parseAssignment(text, "--act");
        const double number = parseNumber(value, "--act " + name);
        if (const int slot = findSlot(model, layout, "act", name); slot >= 0) {
            ask.act[static_cast<std::size_t>(slot)] = number;
            continue;
        }
        const auto tendon = std::find_if(model.tendons.begin(), model.tendons.end(),
                                         [&name = name](const Tendon& t) { return t.input && t.name == name; });
        if (tendon != model.tendons.end()) {
            ask.tendon[static_cast<std::size_t>(tendon - model.tendons.begin())] = number;
            continue;
        }
        std::vector<std::string> names;
        for (const Tsda& e : model.tsdas)
            if (e.input) names.push_back(e.name);
        for (const Rsda& e : model.rsdas)
            if (e.input) names.push_back(e.name);
        for (const Tendon& t : model.tendons)
            if (t.input) names.push_back(t.name);
        throw UsageError(
            names.empty() ? fmt::format("--act {}: no element or tendon of this model declares `input`", name)
                          : fmt::format("--act {}: no element or tendon of that name declares `input`; there are: {}",
                                        name, fmt::join(names, ", ")));
    }

    ask.fext = sized(6 * layout.nbody);
    static const std::vector<std::string> kWrench = {"mx", "my", "mz", "fx", "fy", "fz"};
    for (const std::string& text : options.fext) {
        const auto [name, value] = parseAssignment(text, "--fext");
        const int body = model.findBody(name);
        if (body < 0) throw UsageError(fmt::format("--fext {}: no such body", name));
        if (!model.bodies[static_cast<std::size_t>(body)].fext)
            throw UsageError(fmt::format(
                "--fext {}: the body does not take an external wrench; write `fext` among its properties", name));
        const Numbers wrench = parseList(value, "--fext " + name, kWrench);
        std::copy(wrench.begin(), wrench.end(), ask.fext.begin() + 6 * body);
    }
    return ask;
}

Json vector3(const double* from) { return Json::array({from[0], from[1], from[2]}); }

bool finite(const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// What rows make of the state: by the laws of the simulation, which knows all of them.
struct RowsAt {
    Readings readings;
    ContactOptions options;
    Numbers vdot;  ///< with a step its mean accelerations, (v+ - v)/h; else those of the state alone
};
RowsAt rowsAt(const Model& model, const Kernel& kernel, const Question& ask) {
    // One state is not a run: unless the text says how far to go, its rows are solved to rounding.
    const auto exact = std::make_shared<Model>(model);
    if (model.contact.origin.range == TextRange{}) {
        exact->contact.tolerance = kExact;
        exact->contact.iterations = kPatience;
    }
    Simulation run(exact, kernel, defaultIntegrator(model), ask.dt.value_or(1e-3));
    State state = run.state();
    state.q = ask.q;
    state.v = ask.v;
    state.t = ask.t;
    run.setState(state, run.ledger());
    Inputs& inputs = run.inputs();
    inputs.tau = ask.tau;
    inputs.act = ask.act;
    inputs.fext = ask.fext;
    inputs.param = ask.param;
    inputs.tendon_command = ask.tendon;
    RowsAt out;
    out.options = exact->contact;
    if (!ask.dt) {
        out.readings = run.read();
        out.vdot = out.readings.vdot;
        return out;
    }
    out.readings = run.solveStep();
    if (const auto blown = run.step()) throw Failure(fmt::format("the step blows up: {}", blown->what));
    out.vdot = run.state().v;
    for (std::size_t i = 0; i < out.vdot.size(); ++i) out.vdot[i] = (out.vdot[i] - ask.v[i]) / *ask.dt;
    return out;
}

Json answer(const Model& model, const Layout& layout, const std::string& name, const EvalOptions& options,
            const Kernel& kernel, const Question& ask) {
    Numbers work = makeWork(kernel);
    const auto size = [](int n) { return static_cast<std::size_t>(n); };

    // Drives are laws of the simulation: they act with the forces given by hand.
    State state;
    state.q = ask.q;
    state.v = ask.v;
    state.t = ask.t;
    DriveForces drives = driveForces(model, layout, state, ask.param, ask.t);
    std::optional<RowsAt> of_rows;
    if (hasRows(model) || !model.tendons.empty()) of_rows = rowsAt(model, kernel, ask);
    Numbers tau = ask.tau;
    for (std::size_t i = 0; i < model.drives.size(); ++i)
        tau[size(layout.v_of_body[size(model.drives[i].body)] + model.drives[i].coordinate)] += drives.force[i];

    Numbers vdot = sized(layout.nv), lambda = sized(kernel->nc), M = sized(layout.nv * layout.nv),
            bias = sized(layout.nv);
    Numbers X = sized(12 * layout.nbody), V = sized(6 * layout.nbody), obs = sized(layout.nobs);
    kernel->kinematics(ask.q.data(), ask.v.data(), ask.param.data(), work.data(), X.data(), V.data());
    // Contacts act as external wrenches. Of the state alone: friction's explicit law; of a step: solved over it. No
    // anchors stand behind a single state, so friction is the regularised one.
    ContactModel contact(model);
    contact.setParameters(ask.param);
    ContactSettings settings;
    settings.dt = ask.dt.value_or(0);
    Numbers fext = ask.fext;
    if (!contact.empty()) contact.addForces(X, V, settings, {}, fext);
    kernel->fwd_dyn(ask.q.data(), ask.v.data(), tau.data(), fext.data(), ask.act.data(), ask.param.data(), work.data(),
                    vdot.data(), lambda.data());
    if (of_rows) {
        vdot = of_rows->vdot;
        if (!of_rows->readings.lambda.empty()) lambda = of_rows->readings.lambda;
        drives.target = of_rows->readings.drive_target;
        drives.force = of_rows->readings.drive_force;
    }
    kernel->mass_matrix(ask.q.data(), ask.param.data(), work.data(), M.data());
    kernel->bias(ask.q.data(), ask.v.data(), ask.param.data(), work.data(), bias.data());
    kernel->observe(ask.q.data(), ask.v.data(), ask.param.data(), work.data(), obs.data());
    for (const auto& [what, numbers] : {std::pair<const char*, const Numbers*>{"accelerations", &vdot},
                                        {"loop forces", &lambda},
                                        {"bias forces", &bias},
                                        {"mass matrix", &M},
                                        {"poses", &X},
                                        {"velocities", &V}})
        if (!finite(*numbers))
            throw Failure(fmt::format("the {} of '{}' are not finite numbers at this state{}", what, name,
                                      loopsAtFault(model, ask.q, ask.param)));

    Json json;
    json["model"] = name;
    json["kernel"] = options.kernel;
    json["nq"] = layout.nq;
    json["nv"] = layout.nv;
    json["nc"] = kernel->nc;
    json["mobility"] = layout.nc == 0 ? layout.nv : Closure(model).health(ask.q, ask.param).mobility;
    json["names"] = {{"q", layout.q_names}, {"v", layout.v_names}};
    json["q"] = ask.q;
    json["v"] = ask.v;
    json["tau"] = ask.tau;
    json["vdot"] = vdot;
    Json rows = Json::array();
    for (int i = 0; i < layout.nv; ++i)
        rows.push_back(Numbers(M.begin() + i * layout.nv, M.begin() + (i + 1) * layout.nv));
    json["mass_matrix"] = std::move(rows);
    json["bias"] = bias;

    Json bodies = Json::object();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const double* x = X.data() + 12 * b;
        const double* w = V.data() + 6 * b;
        bodies[model.bodies[b].name] = {{"position", vector3(x + 9)},
                                        {"rotation", Json::array({vector3(x), vector3(x + 3), vector3(x + 6)})},
                                        {"angular", vector3(w)},
                                        {"linear", vector3(w + 3)}};
    }
    json["bodies"] = std::move(bodies);
    Json points = Json::object();
    for (std::size_t i = 0; i < model.points.size(); ++i) {
        const double* o = obs.data() + layout.obs_of_point[i];
        points[model.points[i].name] = {{"position", vector3(o)}, {"velocity", vector3(o + 3)}};
    }
    json["points"] = std::move(points);

    const Energies energy = energiesOf(model, layout, ask.param, X, V, obs, ask.v);
    Json of_elements = Json::object();
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) of_elements[model.tsdas[i].name] = energy.tsda[i];
    for (std::size_t i = 0; i < model.rsdas.size(); ++i) of_elements[model.rsdas[i].name] = energy.rsda[i];
    json["energy"] = {{"kinetic", energy.kinetic}, {"gravity", energy.gravity}, {"elements", std::move(of_elements)}};
    double total = energy.total();
    if (!contact.empty()) {
        const double springs = contact.energy(X, settings, {}).total();
        json["energy"]["contact"] = springs;
        total += springs;
    }
    if (of_rows && !model.tendons.empty()) {
        Json of_tendons = Json::object();
        for (std::size_t i = 0; i < model.tendons.size(); ++i)
            of_tendons[model.tendons[i].name] =
                of_rows->readings.tendons[i].energy + of_rows->readings.tendons[i].armature_energy;
        json["energy"]["tendons"] = std::move(of_tendons);
        total += of_rows->readings.tendon_energy;
    }
    json["energy"]["total"] = total;
    const Momenta momenta = momentaOf(model, ask.param, X, V);
    json["momentum"] = {{"linear", vector3(momenta.linear.data())}, {"angular", vector3(momenta.angular.data())}};
    Json loops = Json::object();
    const std::vector<LoopReading> closures = loopReadings(model, layout, ask.param, X, V, lambda);
    for (std::size_t i = 0; i < model.loops.size(); ++i)
        loops[model.loops[i].name] = {{"error", closures[i].error},
                                      {"rate", closures[i].rate},
                                      {"lambda", closures[i].lambda},
                                      {"wrench", closures[i].wrench}};
    json["loops"] = std::move(loops);

    const ElementForces forces = elementForces(model, layout, ask.param, obs, ask.act, ask.v);
    Json elements = Json::object();
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) {
        const double* o = obs.data() + layout.obs_of_tsda[i];
        elements[model.tsdas[i].name] = {{"length", o[0]}, {"rate", o[1]}, {"force", forces.tsda[i]}};
    }
    for (std::size_t i = 0; i < model.rsdas.size(); ++i) {
        const double* o = obs.data() + layout.obs_of_rsda[i];
        elements[model.rsdas[i].name] = {{"angle", o[0]}, {"rate", o[1]}, {"torque", forces.rsda[i]}};
    }
    json["elements"] = std::move(elements);
    Json of_drives = Json::object();
    for (std::size_t i = 0; i < model.drives.size(); ++i)
        of_drives[model.drives[i].name] = {{"target", drives.target[i]}, {"force", drives.force[i]}};
    json["drives"] = std::move(of_drives);
    json["tendons"] = of_rows ? tendonsJson(model, layout, of_rows->readings, ask.param) : Json::object();
    json["contacts"] = contactsJson(model, contact.readings(X, V, settings, {}), ask.dt);
    if (of_rows) {
        addShapeContacts(json["contacts"], model, of_rows->readings, 0, ask.param);
        json["joints"] = jointRowsJson(model, layout, of_rows->readings.rows, ask.param);
        json["solver"] = solverJson(of_rows->options, of_rows->readings.rows);
    }
    return json;
}

std::string row(const Json& numbers, int width = 14) {
    std::string text;
    for (const Json& n : numbers) text += fmt::format(" {:>{}.6g}", n.get<double>(), width);
    return text;
}

void printForPeople(const Json& a) {
    std::cout << fmt::format("{} ({} kernel): nq {}, nv {}, mobility {}\n\n", a["model"].get<std::string>(),
                             a["kernel"].get<std::string>(), a["nq"].get<int>(), a["nv"].get<int>(),
                             a["mobility"].get<int>());
    std::size_t wide = 10;
    for (const Json& n : a["names"]["q"]) wide = std::max(wide, n.get<std::string>().size());
    for (std::size_t i = 0; i < a["q"].size(); ++i)
        std::cout << fmt::format("q    {:<{}} {:>14.6g}\n", a["names"]["q"][i].get<std::string>(), wide,
                                 a["q"][i].get<double>());
    std::cout << fmt::format("\n     {:<{}} {:>14} {:>14} {:>14} {:>14}\n", "", wide, "v", "vdot", "tau", "bias");
    for (std::size_t i = 0; i < a["v"].size(); ++i)
        std::cout << fmt::format("     {:<{}} {:>14.6g} {:>14.6g} {:>14.6g} {:>14.6g}\n",
                                 a["names"]["v"][i].get<std::string>(), wide, a["v"][i].get<double>(),
                                 a["vdot"][i].get<double>(), a["tau"][i].get<double>(), a["bias"][i].get<double>());
    for (const auto& [name, loop] : a["loops"].items()) {
        std::cout << fmt::format("\nloop {:<{}} error{}\n", name, wide, row(loop["error"]));
        std::cout << fmt::format("     {:<{}} rate {}\n", "", wide, row(loop["rate"]));
        std::cout << fmt::format("     {:<{}} lambda{}\n", "", wide, row(loop["lambda"]).substr(1));
        std::cout << fmt::format("     {:<{}} wrench{}\n", "", wide, row(loop["wrench"]).substr(1));
    }
    std::cout << "\nmass matrix\n";
    for (const Json& r : a["mass_matrix"]) std::cout << "    " << row(r, 12) << '\n';
    std::cout << "\nbodies (origin in base axes: position m; angular rad/s; linear m/s)\n";
    for (const auto& [name, body] : a["bodies"].items())
        std::cout << fmt::format("     {:<{}}{} |{} |{}\n", name, wide, row(body["position"], 10),
                                 row(body["angular"], 10), row(body["linear"], 10));
    if (!a["points"].empty()) std::cout << "\npoints (position m; velocity m/s)\n";
    for (const auto& [name, point] : a["points"].items())
        std::cout << fmt::format("     {:<{}}{} |{}\n", name, wide, row(point["position"], 10),
                                 row(point["velocity"], 10));
    for (const auto& [name, e] : a["elements"].items()) {
        const bool line = e.contains("length");
        std::cout << fmt::format(
            "\nelement {}: {} {:.6g} {}, rate {:.6g}, {} {:.6g}", name, line ? "length" : "coordinate",
            e[line ? "length" : "angle"].get<double>(), line ? "m" : "rad or m", e["rate"].get<double>(),
            line ? "tension (N)" : "on the joint (N m or N)", e[line ? "force" : "torque"].get<double>());
    }
    for (const auto& [name, d] : a["drives"].items())
        std::cout << fmt::format("\ndrive {}: target {:.6g}, force {:.6g}", name, d["target"].get<double>(),
                                 d["force"].get<double>());
    printTendons(a["tendons"]);
    if (a.contains("joints")) printJointRows(a["joints"]);
    printContacts(a["contacts"]);
    if (a.contains("solver")) printSolver(a["solver"]);
    double elements = 0;
    for (const auto& [name, joule] : a["energy"]["elements"].items()) elements += joule.get<double>();
    double tendons = 0;
    if (a["energy"].contains("tendons"))
        for (const auto& [name, joule] : a["energy"]["tendons"].items()) tendons += joule.get<double>();
    std::cout << fmt::format(
        "\nenergy (J): kinetic {:.6g}, gravity {:.6g}, elements {:.6g}{}{}, total {:.6g}\n",
        a["energy"]["kinetic"].get<double>(), a["energy"]["gravity"].get<double>(), elements,
        a["energy"].contains("contact") ? fmt::format(", contact {:.6g}", a["energy"]["contact"].get<double>()) : "",
        a["energy"].contains("tendons") ? fmt::format(", tendons {:.6g}", tendons) : "",
        a["energy"]["total"].get<double>());
    std::cout << fmt::format("momentum: linear (kg m/s){}, angular about the base origin (kg m^2/s){}\n",
                             row(a["momentum"]["linear"], 0), row(a["momentum"]["angular"], 0));
}

}  // namespace

int runEval(const EvalOptions& options) {
    const Source source = readSource(options.file, options.param);
    requireGood(source, options.json);
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);
    Question question = ask(options, model, layout);
    noteIfLarge(model);
    const Kernel kernel = makeKernel(model, source.name, options.kernel);
    prescribe(options, model, layout, kernel, question);
    const Json json = answer(model, layout, source.name, options, kernel, question);
    if (const std::string what = notFinite(json); !what.empty())
        throw Failure(fmt::format("'{}' of '{}' is not a finite number at this state", what, source.name));
    if (options.json) print(json);
    else printForPeople(json);
    return kGood;
}

}  // namespace mw::cli
