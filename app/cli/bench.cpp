// mech bench: what one evaluation costs by the generated code, beside other ways to compute the same numbers; what the
// way from text to running code costs; and what a step costs. `--gate` holds the project's own bounds against it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

#include "app/cli/bench_mujoco.h"
#include "app/cli/bench_rows.h"
#include "app/cli/bench_step.h"
#include "app/cli/commands.h"
#include "app/cli/stopwatch.h"
#include "app/cli/support.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/generic_aba.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/proof/gates.h"
#include "engine/sim/simulation.h"
#include "engine/track/expand.h"
#include "generator/generate.h"

namespace mw::cli {

namespace {

// The project's bounds.
constexpr double kLeastOverGeneric = 4;       ///< generated code over a careful general implementation
constexpr double kElbowLatencyMs = 150;       ///< from text to running code: warm process, empty cache, optimised
constexpr double kMostGenericOverMujoco = 2;  ///< that the general implementation is careful indeed

/// Steps with contact, without the books, over real time: the models with bands that the project is held to.
const std::map<std::string, double>& leastRealTime() {
    static const std::map<std::string, double> table = {{"m113", 3}, {"track_demo", 6}, {"track_min", 15}};
    return table;
}
constexpr double kM113LatencyMs = 1000;
constexpr double kMostShoeGrowth = 1.2;  ///< of that latency, with twice the shoes

/// How many times faster than its own dense reference an earlier generator of this kind was, as published.
const std::map<std::string, double>& publishedRatios() {
    static const std::map<std::string, double> table = {
        {"threelink", 21},  {"fourlink", 18},    {"elbow", 12},   {"stanford", 12},
        {"gantry", 69},     {"pendulums", 36},   {"bintree", 15}, {"satellite", 7.7},
        {"springpend", 33}, {"slidercrank", 49}, {"fourbar", 29}, {"rrrs", 13},
        {"quartercar", 17}, {"halfcar", 19},     {"hmmwv", 27},   {"hmmwv_pitman", 27}};
    return table;
}

/// Random states that every candidate is asked about in turns; with loops: closed ones, where their equations are as
/// well conditioned as the mechanism is.
struct Pool {
    std::vector<Trial> trials;
    explicit Pool(const Model& model, const Layout& layout, int size) {
        std::optional<ManifoldWalk> walk;
        if (layout.nc > 0) walk.emplace(model, 1);
        for (int i = 0; i < size; ++i) {
            trials.push_back(randomTrial(model, layout, 1, i));
            if (!walk) continue;
            trials.back().param = model.liveValues();
            ManifoldWalk::Pose pose = walk->next(trials.back().param);
            trials.back().q = std::move(pose.q);
            trials.back().v = std::move(pose.v);
        }
    }
};

/// A kernel with arrays of its own, asked for accelerations.
struct Seat {
    Kernel kernel;
    std::vector<double> work, vdot, lambda;
    explicit Seat(Kernel k) : kernel(std::move(k)), work(makeWork(kernel)) {
        vdot.assign(static_cast<std::size_t>(kernel->nv) + 1, 0);
        lambda.assign(static_cast<std::size_t>(kernel->nc) + 1, 0);
    }
    void ask(const Trial& t) {
        kernel->fwd_dyn(t.q.data(), t.v.data(), t.tau.data(), t.fext.data(), t.act.data(), t.param.data(), work.data(),
                        vdot.data(), lambda.data());
    }
};

double scaledDifference(const std::vector<double>& a, const std::vector<double>& b, int n) {
    double worst = 0, largest = 1;
    for (int i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs(a[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]));
        largest = std::max(largest, std::abs(b[static_cast<std::size_t>(i)]));
    }
    return worst / largest;
}

double sinceMs(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// From text to running code by stages: warm process, no cache, optimised tier; median of nine, of three where one
/// takes longer than half a second.
Json latencyOf(const Source& source) {
    std::vector<double> parse, derive, compile, total;
    int repeats = 9;
    for (int repeat = 0; repeat <= repeats; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        const ReadResult read = readMechanism(source.text, std::filesystem::absolute(source.file).parent_path());
        const double parsed = sinceMs(begin);
        const auto program = gen::generate(read.model, source.name);
        const double derived = sinceMs(begin);
        const Kernel kernel = gen::jitKernel(program, read.model, gen::Tier::optimised);
        const double compiled = sinceMs(begin);
        if (repeat == 0) {  // warms what a process needs once
            if (compiled > 500) repeats = 3;
            continue;
        }
        parse.push_back(parsed);
        derive.push_back(derived - parsed);
        compile.push_back(compiled - derived);
        total.push_back(compiled);
    }
    return {
        {"parse", median(parse)}, {"derive", median(derive)}, {"compile", median(compile)}, {"total", median(total)}};
}

struct Result {
    Json json;
    double generic_ratio = 0, latency = 0;
    double generic_ns = 0, mujoco_ns = 0;  ///< mujoco: 0 when it did not take part
    double real_time = 0;                  ///< of a step without the books
    std::optional<ShoeLatency> shoes;      ///< where the bounds ask for it
};

Result measure(const Source& source, double ghz) {
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);
    const Pool pool(model, layout, 64);
    Result result;

    const auto program = gen::generate(model, source.name);
    std::map<std::string, std::unique_ptr<Seat>> seats;
    const auto seat = [&](const char* name, Kernel kernel) { seats[name] = std::make_unique<Seat>(std::move(kernel)); };
    seat("jit", gen::jitKernel(program, model, gen::Tier::optimised));
    seat("c_file", gen::cFileKernel(*program, model));
    seat("interpreter", gen::interpreterKernel(program, model));
    seat("dense", makeReferenceKernel(model));
    // The classic way for deep chains, where the generator chose another.
    const bool deep = depth(model) > 9;
    if (deep)
        seat("crba_walk",
             gen::jitKernel(gen::generate(model, source.name, gen::Form::crba), model, gen::Tier::optimised));
    std::optional<MujocoTwin> twin = MujocoTwin::build(model, layout);

    GenericAba generic(model);
    std::vector<double> generic_vdot(static_cast<std::size_t>(layout.nv)),
        generic_lambda(static_cast<std::size_t>(layout.nc));
    const auto askGeneric = [&](const Trial& t) {
        generic.fwdDyn(t.q.data(), t.v.data(), t.tau.data(), t.fext.data(), t.act.data(), t.param.data(),
                       generic_vdot.data(), generic_lambda.data());
    };

    // What is timed must be the same work: every candidate's answers first.
    double disagreement = 0;
    for (const Trial& trial : pool.trials) {
        seats["dense"]->ask(trial);
        const std::vector<double>& right = seats["dense"]->vdot;
        const std::vector<double>& forces = seats["dense"]->lambda;
        for (auto& [name, one] : seats) {
            if (name == "dense") continue;
            one->ask(trial);
            disagreement = std::max(disagreement, scaledDifference(one->vdot, right, layout.nv));
            disagreement = std::max(disagreement, scaledDifference(one->lambda, forces, layout.nc));
        }
        askGeneric(trial);
        disagreement = std::max(disagreement, scaledDifference(generic_vdot, right, layout.nv));
        disagreement = std::max(disagreement, scaledDifference(generic_lambda, forces, layout.nc));
    }
    double mujoco_disagreement = 0;
    if (twin)
        for (const Trial& trial : pool.trials) {
            seats["dense"]->ask(trial);
            twin->dynamics(trial.q.data(), trial.v.data(), trial.tau.data());
            mujoco_disagreement =
                std::max(mujoco_disagreement, scaledDifference(twin->acceleration(), seats["dense"]->vdot, layout.nv));
        }
    if (disagreement > 1e-6)
        throw Failure(fmt::format("the candidates disagree on '{}' by {:.3g}: their times mean nothing", source.name,
                                  disagreement));

    const auto trial = [&pool](int i) -> const Trial& { return pool.trials[static_cast<std::size_t>(i)]; };
    std::vector<Candidate> candidates;
    for (const char* name : {"jit", "c_file", "interpreter", "dense"})
        candidates.push_back({name, [one = seats[name].get(), &trial](int i) { one->ask(trial(i)); }});
    candidates.push_back({"generic", [&](int i) { askGeneric(trial(i)); }});
    if (deep)
        candidates.push_back({"crba_walk", [one = seats["crba_walk"].get(), &trial](int i) { one->ask(trial(i)); }});
    if (twin && mujoco_disagreement < 1e-6) {
        candidates.push_back({"mujoco_forward", [&](int i) {
                                  const Trial& t = trial(i);
                                  twin->forward(t.q.data(), t.v.data(), t.tau.data());
                              }});
        candidates.push_back({"mujoco_dynamics", [&](int i) {
                                  const Trial& t = trial(i);
                                  twin->dynamics(t.q.data(), t.v.data(), t.tau.data());
                              }});
    }
    race(candidates, static_cast<int>(pool.trials.size()));

    std::map<std::string, double> ns;
    Json times = Json::object(), ratios = Json::object();
    for (const Candidate& one : candidates) ns[one.name] = one.ns;
    for (const Candidate& one : candidates) {
        times[one.name] = one.ns;
        if (one.name != "jit") ratios[one.name] = one.ns / ns["jit"];
    }
    if (!deep) times["crba_walk"] = ratios["crba_walk"] = nullptr;

    std::int64_t flops = 0;
    int path = 0;
    for (const gen::ProgramEntry& entry : program->entries)
        if (entry.name == "fwd_dyn") {
            flops = entry.count.flops();
            path = entry.count.longest_path;
        }
    const Json latency = latencyOf(source);
    const auto published = publishedRatios().find(source.name);
    result.json = {{"model", source.name},
                   {"nv", layout.nv},
                   {"nc", layout.nc},
                   {"ns", times},
                   {"ratio", ratios},
                   {"published_ratio",
                    {{"dense", published == publishedRatios().end() ? Json(nullptr) : Json(published->second)}}},
                   {"flops", flops},
                   {"flops_per_cycle", static_cast<double>(flops) / (ns["jit"] * ghz)},
                   {"longest_path", path},
                   {"choice", program->choice},
                   {"agreement", disagreement},
                   {"latency_ms", latency},
                   {"step", stepOf(model, layout, seats["jit"]->kernel, *program)},
                   {"rows", rowsFigures(model, seats["jit"]->kernel)}};
    result.generic_ns = ns["generic"];
    result.generic_ratio = ns["generic"] / ns["jit"];
    result.latency = latency["total"].get<double>();
    result.real_time = result.json["step"]["real_time_factor_without_books"].get<double>();
    if (ns.count("mujoco_dynamics")) result.mujoco_ns = std::min(ns["mujoco_dynamics"], ns["mujoco_forward"]);
    return result;
}

/// Which of the project's bounds fall short.
std::vector<std::string> shortfalls(const std::string& name, const Result& r) {
    std::vector<std::string> all;
    if (!(r.generic_ratio >= kLeastOverGeneric))
        all.push_back(
            fmt::format("{}: {:.2f} times as fast as the generic method (articulated bodies, dense loop solve); at "
                        "least {} are wanted",
                        name, r.generic_ratio, kLeastOverGeneric));
    if (name == "elbow" && !(r.latency < kElbowLatencyMs))
        all.push_back(fmt::format("{}: {:.1f} ms from text to running code; less than {} are wanted", name, r.latency,
                                  kElbowLatencyMs));
    if (const auto least = leastRealTime().find(name);
        least != leastRealTime().end() && !(r.real_time >= least->second))
        all.push_back(fmt::format("{}: a step with contact runs at {:.2f} times real time; at least {} are wanted",
                                  name, r.real_time, least->second));
    if (name == "m113" && !(r.latency < kM113LatencyMs))
        all.push_back(fmt::format("{}: {:.1f} ms from text to running code; less than {} are wanted", name, r.latency,
                                  kM113LatencyMs));
    if (r.shoes && !(r.shoes->twice <= kMostShoeGrowth * r.shoes->once))
        all.push_back(fmt::format(
            "{}: twice the shoes take {:.1f} ms from text to running code, {:.2f} times the {:.1f} ms; at most {} are "
            "wanted",
            name, r.shoes->twice, r.shoes->twice / r.shoes->once, r.shoes->once, kMostShoeGrowth));
    if (name == "elbow" && r.mujoco_ns > 0 && r.generic_ns > kMostGenericOverMujoco * r.mujoco_ns)
        all.push_back(fmt::format("{}: the generic method takes {:.0f} ns, more than {} times MuJoCo's {:.0f} ns", name,
                                  r.generic_ns, kMostGenericOverMujoco, r.mujoco_ns));
    return all;
}

std::string cell(const Json& object, const char* key, const char* shape) {
    return object.contains(key) && !object[key].is_null() ? fmt::format(fmt::runtime(shape), object[key].get<double>())
                                                          : std::string("-");
}

void printForPeople(const Json& machine, const std::vector<Result>& results) {
    std::cout << fmt::format("{}, {:.2f} GHz now, {} cores; ns per evaluation of the accelerations, medians\n\n",
                             machine["processor"].get<std::string>(), machine["ghz"].get<double>(),
                             machine["cores"].get<unsigned>());
    std::cout << fmt::format(
        "{:<20}{:>4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9} |{:>8}{:>8}{:>11}{:>8} |{:>7}{:>7} |{:>9} |{:>10}\n", "model",
        "nv", "jit", "c_file", "interp", "dense", "generic", "crba", "mujoco", "x dense", "x gen", "published", "x mj",
        "flops", "/cycle", "latency", "real time");
    for (const Result& r : results) {
        const Json &ns = r.json["ns"], &x = r.json["ratio"];
        std::cout << fmt::format(
            "{:<20}{:>4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9} |{:>8}{:>8}{:>11}{:>8} |{:>7}{:>7} |{:>9} |{:>10}\n",
            r.json["model"].get<std::string>(), r.json["nv"].get<int>(), cell(ns, "jit", "{:.1f}"),
            cell(ns, "c_file", "{:.1f}"), cell(ns, "interpreter", "{:.0f}"), cell(ns, "dense", "{:.0f}"),
            cell(ns, "generic", "{:.0f}"), cell(ns, "crba_walk", "{:.0f}"), cell(ns, "mujoco_dynamics", "{:.0f}"),
            cell(x, "dense", "{:.1f}"), cell(x, "generic", "{:.1f}"),
            cell(r.json["published_ratio"], "dense", "{:.1f}"), cell(x, "mujoco_dynamics", "{:.1f}"),
            r.json["flops"].get<std::int64_t>(), cell(r.json, "flops_per_cycle", "{:.2f}"),
            cell(r.json["latency_ms"], "total", "{:.1f} ms"), cell(r.json["step"], "real_time_factor", "{:.0f}x"));
    }
    for (const Result& r : results) {
        const std::string model = r.json["model"].get<std::string>();
        std::cout << stepInWords(model, r.json["step"]) << rowsInWords(model, r.json["rows"]);
    }
}

}  // namespace

int runBench(const BenchOptions& options) {
    std::vector<Source> sources;
    for (const std::string& file : options.files) {
        sources.push_back(readSource(file));
        requireGood(sources.back(), options.json);
        if (layoutOf(sources.back().read.model).nv == 0)
            throw UsageError(fmt::format("'{}' has no moving joint: there is nothing to time", file));
    }
    const double ghz = clockGHz();
    std::vector<Result> results;
    std::vector<std::string> short_of;
    for (const Source& source : sources) {
        results.push_back(measure(source, ghz));
        if (options.gate && source.name == "m113") {
            results.back().shoes = shoeLatency(source);
            results.back().json["latency_ms"]["shoes"] = results.back().shoes->once;
            results.back().json["latency_ms"]["twice_the_shoes"] = results.back().shoes->twice;
        }
        for (std::string& text : shortfalls(source.name, results.back())) short_of.push_back(std::move(text));
        for (std::string& text : rowsShortfalls(source.name, results.back().json["rows"]))
            short_of.push_back(std::move(text));
    }
    Json machine = {{"processor", processorName()},
                    {"ghz", ghz},
                    {"cores", std::thread::hardware_concurrency()},
                    {"cpu_class", gen::cpuClassName(gen::hostCpuClass())},
                    {"mujoco", MujocoTwin::version().empty() ? Json(nullptr) : Json(MujocoTwin::version())}};
    if (options.json) {
        Json models = Json::array();
        for (const Result& r : results) models.push_back(r.json);
        Json all = {{"machine", machine}, {"models", models}};
        if (options.gate) all["shortfalls"] = short_of;
        print(all);
    } else {
        printForPeople(machine, results);
    }
    if (!options.gate) return kGood;
    for (const std::string& text : short_of) note(text);
    return short_of.empty() ? kGood : kFailed;
}

}  // namespace mw::cli
