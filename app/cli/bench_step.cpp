// The step budget: kinematics, bands, ground, kernel, integration, each timed on states of a run that has settled.
#include "app/cli/bench_step.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <regex>

#include "app/cli/stopwatch.h"
#include "engine/contact/contact.h"
#include "engine/dynamics/drift.h"
#include "engine/sim/simulation.h"
#include "engine/track/expand.h"
#include "generator/generate.h"

namespace mw::cli {

namespace {

constexpr int kStates = 64;          ///< of a run, that the parts are asked about
constexpr int kChecksumSteps = 500;  ///< from the start, whose end is the checksum
constexpr double kSettleSeconds = 0.4;

std::vector<double> sized(int n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); }

/// A state of the run with its poses and velocities.
struct Sample {
    std::vector<double> q, v, X, V;
};

std::size_t linesOf(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

double latencyMs(const std::string& text, const std::filesystem::path& folder, const std::string& name) {
    const auto begin = std::chrono::steady_clock::now();
    const ReadResult read = readMechanism(text, folder);
    if (!read.ok()) throw Failure(fmt::format("'{}' with other numbers of shoes has errors", name));
    const auto program = gen::generate(read.model, name);
    const Kernel kernel = gen::jitKernel(program, read.model, gen::Tier::optimised);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The contacts' part: budget and counts.
Json budgetOf(const Model& model, const Layout& layout, const Kernel& kernel, Simulation& run) {
    // Bands and ground apart: the same laws on a model without the other.
    Model only_bands = model, only_ground = model;
    only_bands.ground.reset();
    for (Track& track : only_ground.tracks) track.rollers.clear();
    const ContactModel bands(only_bands), ground(only_ground), all(model);

    std::vector<double> work = makeWork(kernel);
    const std::vector<double> param = model.liveValues();
    std::vector<Sample> samples;
    const double settle = std::ceil(kSettleSeconds / run.dt());
    for (double step = 0; step < settle; ++step)
        if (run.step()) throw Failure("the run blows up before its steps can be timed");
    double loaded_pairs = 0, loaded_points = 0;
    for (int i = 0; i < kStates; ++i) {
        for (int k = 0; k < 8; ++k)
            if (run.step()) throw Failure("the run blows up before its steps can be timed");
        Sample s{run.state().q, run.state().v, sized(12 * layout.nbody), sized(6 * layout.nbody)};
        kernel->kinematics(s.q.data(), s.v.data(), param.data(), work.data(), s.X.data(), s.V.data());
        const ContactTotals totals = run.read(false).contact_totals;
        loaded_pairs += totals.pins + totals.faces;
        loaded_points += totals.points;
        samples.push_back(std::move(s));
    }

    const auto sample = [&samples](int i) -> Sample& { return samples[static_cast<std::size_t>(i)]; };
    std::vector<double> X = sized(12 * layout.nbody), V = sized(6 * layout.nbody), fext = sized(6 * layout.nbody);
    std::vector<double> tau = sized(layout.nv), act = sized(layout.nact), vdot = sized(layout.nv + 1),
                        lambda = sized(kernel->nc + 1);
    const ContactSettings settings{run.dt(), 1, Friction::regularized};
    double sink = 0;
    const DriftPlan drift(model, layout);
    std::vector<double> q, v;
    std::vector<Candidate> parts;
    parts.push_back({"kinematics", [&](int i) {
                         Sample& s = sample(i);
                         kernel->kinematics(s.q.data(), s.v.data(), param.data(), work.data(), X.data(), V.data());
                         sink += X[9];
                     }});
    parts.push_back({"bands", [&](int i) {
                         Sample& s = sample(i);
                         sink += bands.addForces(s.X, s.V, settings, {}, fext).deepest_pair;
                     }});
    parts.push_back({"ground", [&](int i) {
                         Sample& s = sample(i);
                         sink += ground.addForces(s.X, s.V, settings, {}, fext).deepest_point;
                     }});
    parts.push_back({"kernel", [&](int i) {
                         Sample& s = sample(i);
                         kernel->fwd_dyn(s.q.data(), s.v.data(), tau.data(), fext.data(), act.data(), param.data(),
                                         work.data(), vdot.data(), lambda.data());
                         sink += vdot[0];
                     }});
    parts.push_back({"integration", [&](int i) {
                         Sample& s = sample(i);
                         q = s.q;
                         v = s.v;
                         drift(q, v, run.dt() / 2);
                         for (std::size_t k = 0; k < v.size(); ++k) v[k] += vdot[k] * 1e-12;
                         drift(q, v, run.dt() / 2);
                         sink += q[0];
                     }});
    // Forces that pile up over the calls are no longer those of a state.
    for (std::size_t i = 1; i <= 2; ++i) {
        auto call = parts[i].call;
        parts[i].call = [&fext, call](int k) {
            std::fill(fext.begin(), fext.end(), 0.0);
            call(k);
        };
    }
    parts.push_back({"contact", [&](int i) {
                         Sample& s = sample(i);
                         std::fill(fext.begin(), fext.end(), 0.0);
                         sink += all.addForces(s.X, s.V, settings, {}, fext).deepest_pair;
                     }});
    parts.push_back({"step", [&](int) { run.step(); }});
    race(parts, kStates, 41);

    // Bands and ground together share some of their work: what they take together is divided as they take it apart.
    const double together = parts[5].ns / (parts[1].ns + parts[2].ns);
    parts[1].ns *= together;
    parts[2].ns *= together;
    const double whole = parts[6].ns;
    parts.resize(5);
    Json budget = Json::object();
    double sum = 0;
    for (const Candidate& part : parts) {
        budget[part.name] = part.ns;
        sum += part.ns;
    }
    budget["rest"] = whole - sum;
    const auto each = [](double ns, int count) { return count > 0 ? Json(ns / count) : Json(nullptr); };
    return {{"budget", budget},
            {"budget_whole", whole},
            {"pairs",
             {{"declared", bands.declaredPairs()},
              {"loaded", loaded_pairs / kStates},
              {"ns_each", each(parts[1].ns, bands.declaredPairs())}}},
            {"points",
             {{"declared", ground.declaredPoints()},
              {"loaded", loaded_points / kStates},
              {"ns_each", each(parts[2].ns, ground.declaredPoints())}}},
            {"checksum_sink", std::isfinite(sink)}};
}

}  // namespace

Json stepOf(const Model& model, const Layout& layout, const Kernel& kernel, const gen::Program& program) {
    const auto shared = std::make_shared<const Model>(model);
    State start;
    const std::vector<double> param = model.liveValues();
    start.q = startQ(model, layout, param);
    start.v = startV(model, layout, param);
    const double dt = suggestedStep(model, layout, kernel, start, param);
    Simulation run(shared, kernel, defaultIntegrator(model), dt);
    const bool contact = !run.contact().empty();
    if (!model.tracks.empty()) run.setContactSetup({run.contactSetup().friction, 0, 0.02});

    Json json;
    Simulation plain = run;
    plain.setAccounts(false);
    for (int i = 0; i < kChecksumSteps; ++i) plain.step();
    const std::string checksum = stateHash(plain.state()).hex();
    Json budget;
    if (contact) {
        budget = budgetOf(model, layout, kernel, plain);
        run.setState(plain.state(), run.ledger());
    }
    int step = 0, plain_step = 0;
    const auto advance = [contact](Simulation& sim, int& count) {
        // Without contact a run may leave the states that matter: it starts anew now and then.
        if (++count % 2000 == 0 && !contact) sim.reset();
        sim.step();
    };
    std::vector<Candidate> both = {{"books", [&](int) { advance(run, step); }},
                                   {"plain", [&](int) { advance(plain, plain_step); }}};
    race(both, 64, 31);
    json["ns"] = both[0].ns;
    json["dt"] = dt;
    json["real_time_factor"] = dt / (both[0].ns * 1e-9);
    json["ns_without_books"] = both[1].ns;
    json["real_time_factor_without_books"] = dt / (both[1].ns * 1e-9);
    json["checksum"] = checksum;
    if (contact) {
        for (const auto& [key, value] : budget.items())
            if (key != "checksum_sink") json[key] = value;
        json["code_lines"] = linesOf(gen::writeC(program, model));
    }
    return json;
}

std::string stepInWords(const std::string& model, const Json& step) {
    if (!step.contains("budget")) return {};
    const double whole = step["ns_without_books"].get<double>();
    std::string text = fmt::format(
        "\n{}: a step of {:.4g} s takes {:.2f} us, {:.2f} times real time ({:.2f} us, {:.2f} times with the books)\n",
        model, step["dt"].get<double>(), whole / 1e3, step["real_time_factor_without_books"].get<double>(),
        step["ns"].get<double>() / 1e3, step["real_time_factor"].get<double>());
    for (const auto& [part, ns] : step["budget"].items())
        text += fmt::format("    {:<12} {:>9.2f} us {:>6.1f} %\n", part, ns.get<double>() / 1e3,
                            100 * ns.get<double>() / step["budget_whole"].get<double>());
    for (const auto& [key, name] :
         {std::pair<const char*, const char*>{"pairs", "pairs of shoe and roller"}, {"points", "pad corners"}}) {
        const Json& of = step[key];
        if (of["declared"].get<int>() == 0) continue;
        text += fmt::format("    {} {} declared, {:.0f} loaded, {:.1f} ns each\n", of["declared"].get<int>(), name,
                            of["loaded"].get<double>(), of["ns_each"].get<double>());
    }
    return text + fmt::format("    {} lines of C, checksum {}\n", step["code_lines"].get<std::size_t>(),
                              step["checksum"].get<std::string>());
}

ShoeLatency shoeLatency(const Source& source) {
    const std::filesystem::path folder = std::filesystem::path(source.file).parent_path() / "";
    // The same mechanism with twice the shoes, each half as long.
    std::string twice;
    const std::regex count(R"((\bshoes\s+)(\d+))");
    std::size_t from = 0;
    for (std::sregex_iterator at(source.text.begin(), source.text.end(), count), end; at != end; ++at) {
        twice += source.text.substr(from, static_cast<std::size_t>(at->position()) - from) + (*at)[1].str() +
                 std::to_string(2 * std::stol((*at)[2].str()));
        from = static_cast<std::size_t>(at->position() + at->length());
    }
    twice += source.text.substr(from);

    std::vector<double> once_ms, twice_ms;
    for (int repeat = 0; repeat < 6; ++repeat) {
        const double a = latencyMs(source.text, folder, source.name), b = latencyMs(twice, folder, source.name);
        if (repeat == 0) continue;  // warms what a process needs once
        once_ms.push_back(a);
        twice_ms.push_back(b);
    }
    return {median(once_ms), median(twice_ms)};
}

}  // namespace mw::cli
