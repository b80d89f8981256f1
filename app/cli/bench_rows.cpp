// Steps with rows, timed one by one, so that those with contact are told apart; and the sweep alone.
#include "app/cli/bench_rows.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/core.h>

#include "app/cli/stopwatch.h"
#include "engine/sim/simulation.h"
#include "engine/solve/projected_gauss_seidel.h"

namespace mw::cli {

namespace {

constexpr double kSeconds = 4;   // of the run that is timed
constexpr double kSettle = 0.2;  // before it: the mechanism has found its contacts

/// Processor time of this thread, ns: a step is too short to be timed twice, and others may be at work on this core.
double nowNs() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// The rows of one solve with what the solver needs to solve them again.
struct Case {
    RowSet rows;
    std::vector<double> q, v;
};

/// ns of one sweep over one row: the difference between many and few sweeps over the same rows, so that setting up does
/// not count.
double sweepCost(const Case& at, const Kernel& kernel, std::span<const double> param) {
    std::vector<double> work = makeWork(kernel);
    kernel->factor(at.q.data(), param.data(), work.data());
    const ApplyInverseMass inverse = [&](const double* rhs, int nrhs, double* out) {
        kernel->apply_inverse_mass(work.data(), rhs, nrhs, out);
    };
    RowSolver solver;
    std::vector<double> v, p;
    const auto solve = [&](int sweeps) {
        SolveOptions options;
        options.iterations = options.at_least = sweeps;
        options.tolerance = 0;
        options.accelerate = false;
        v = at.v;
        p.assign(at.rows.rows.size(), 0.0);
        solver.solve(at.rows, inverse, v, p, {}, options);
    };
    constexpr int kFew = 10, kMany = 110;
    std::vector<Candidate> both = {{"few", [&](int) { solve(kFew); }}, {"many", [&](int) { solve(kMany); }}};
    race(both, 1, 31);
    return (both[1].ns - both[0].ns) / ((kMany - kFew) * static_cast<double>(at.rows.rows.size()));
}

}  // namespace

Json rowsFigures(const Model& model, const Kernel& kernel) {
    if (!hasRows(model)) return nullptr;
    const auto shared = std::make_shared<const Model>(model);
    Simulation run(shared, kernel, defaultIntegrator(model), kRowStep);
    run.setAccounts(false);
    const auto steps = static_cast<int>(kSeconds / kRowStep), settle = static_cast<int>(kSettle / kRowStep);

    std::vector<double> all, touching;
    double residual = 0, rows = 0, sweeps = 0, contacts = 0;
    std::int64_t spent = 0, solved = 0;
    int limits = 0, most_contacts = 0;
    Case largest;
    for (int i = 0; i < steps; ++i) {
        const std::vector<double> q = run.state().q, v = run.state().v;
        const double begin = nowNs();
        const auto blown = run.step();
        const double ns = nowNs() - begin;
        if (blown) throw Failure(fmt::format("the run blows up before its steps can be timed: {}", blown->what));
        const SolveReport& report = run.rowStep().report();
        const RowSet& set = run.rowStep().rows();
        int here = 0, loaded = 0, limited = 0;
        for (std::size_t r = 0; r < set.rows.size(); ++r) {
            const RowKind kind = set.rows[r].kind;
            here += kind == RowKind::normal;
            loaded += kind == RowKind::normal && run.rowStep().impulses()[r] > 0;
            limited += kind == RowKind::lower || kind == RowKind::upper || kind == RowKind::lock ||
                       kind == RowKind::joint_lower || kind == RowKind::joint_upper || kind == RowKind::joint_lock;
        }
        residual = std::max(residual, report.residual);
        spent += report.status == SolveStatus::budget_spent;
        rows += report.rows;
        sweeps += report.sweeps;
        contacts += loaded;
        ++solved;
        most_contacts = std::max(most_contacts, loaded);
        limits = std::max(limits, limited);
        if (i >= settle) all.push_back(ns);
        if (loaded >= kRowContacts) touching.push_back(ns);
        if (set.rows.size() > largest.rows.rows.size()) largest = {set, q, v};
    }
    const auto n = static_cast<double>(solved);
    const auto factor = [](double ns) { return kRowStep / (ns * 1e-9); };
    const auto mean = [](const std::vector<double>& of) {
        double sum = 0;
        for (const double x : of) sum += x;
        return of.empty() ? 0.0 : sum / static_cast<double>(of.size());
    };
    const double each = largest.rows.rows.empty() ? 0 : sweepCost(largest, kernel, run.inputs().param);
    Json json = {{"dt", kRowStep},
                 {"seconds", kSeconds},
                 {"ns", mean(all)},
                 {"ns_median", median(all)},
                 {"real_time_factor", factor(mean(all))},
                 {"rows", rows / n},
                 {"sweeps", sweeps / n},
                 {"most_rows", largest.rows.rows.size()},
                 {"ns_per_row_sweep", each},
                 {"worst_residual", residual},
                 {"budget_spent", spent},
                 {"steps", solved},
                 {"limits", limits},
                 {"contacts", contacts / n},
                 {"most_contacts", most_contacts},
                 {"touching",
                  {{"least_contacts", kRowContacts},
                   {"steps", touching.size()},
                   {"ns", touching.empty() ? Json(nullptr) : Json(mean(touching))},
                   {"real_time_factor", touching.empty() ? Json(nullptr) : Json(factor(mean(touching)))}}},
                 {"checksum", stateHash(run.state()).hex()}};
    return json;
}

std::string rowsInWords(const std::string& model, const Json& r) {
    if (r.is_null()) return {};
    std::string text = fmt::format(
        "\n{}: with rows a step of {} s takes {:.2f} us, {:.1f} times real time; {:.1f} rows, {:.2f} sweeps a step, "
        "{:.2f} ns for a row and a sweep\n",
        model, r["dt"].get<double>(), r["ns"].get<double>() / 1e3, r["real_time_factor"].get<double>(),
        r["rows"].get<double>(), r["sweeps"].get<double>(), r["ns_per_row_sweep"].get<double>());
    text += fmt::format("    worst residual {:.3g} N s, {} of {} steps spent their sweeps; {} rows of limits\n",
                        r["worst_residual"].get<double>(), r["budget_spent"].get<std::int64_t>(),
                        r["steps"].get<std::int64_t>(), r["limits"].get<int>());
    const Json& touching = r["touching"];
    if (r["most_contacts"].get<int>() > 0)
        text += fmt::format("    {:.1f} loaded contacts a step, at most {}\n", r["contacts"].get<double>(),
                            r["most_contacts"].get<int>());
    if (!touching["ns"].is_null())
        text += fmt::format("    with {} contacts or more ({} steps): {:.2f} us, {:.1f} times real time\n",
                            touching["least_contacts"].get<int>(), touching["steps"].get<std::size_t>(),
                            touching["ns"].get<double>() / 1e3, touching["real_time_factor"].get<double>());
    return text;
}

std::vector<std::string> rowsShortfalls(const std::string& model, const Json& r) {
    std::vector<std::string> all;
    if (model != "finger" && model != "cable_robot") return all;
    if (r.is_null()) return {fmt::format("{}: has no rows that could be timed", model)};
    const Json& touching = r["touching"];
    if (touching["steps"].get<std::size_t>() == 0)
        all.push_back(fmt::format("{}: never has {} loaded contacts at once (at most {})", model, kRowContacts,
                                  r["most_contacts"].get<int>()));
    else if (const double x = touching["real_time_factor"].get<double>(); !(x >= kLeastRowsRealTime))
        all.push_back(
            fmt::format("{}: steps of 1 ms with {} contacts run at {:.2f} times real time; at least {} are "
                        "wanted",
                        model, kRowContacts, x, kLeastRowsRealTime));
    if (const double x = r["real_time_factor"].get<double>(); !(x >= kLeastRowsRealTime))
        all.push_back(fmt::format("{}: steps of 1 ms run at {:.2f} times real time; at least {} are wanted", model, x,
                                  kLeastRowsRealTime));
    if (const double x = r["worst_residual"].get<double>(); !(x <= kMostRowsResidual))
        all.push_back(
            fmt::format("{}: the rows are solved to {:.3g} N s; at most {} is wanted", model, x, kMostRowsResidual));
    return all;
}

}  // namespace mw::cli
