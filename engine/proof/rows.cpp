// Rows in motion: a short run from the start state by the step that such a mechanism takes. Every solve is judged by
// quantities of its own: what the residual says, what bounds and discs allow, momentum that is accounted for; the run
// by its books and by what halving the step does.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/largest.h"
#include "engine/proof/motion_plan.h"

namespace mw::proof {

namespace {

constexpr int kSteps = 200;             ///< of the run
constexpr int kOrderSteps = 40;         ///< of dt, for the order
constexpr double kBookBound = 1e-3;     ///< residual of the books, part of what passed through them
constexpr double kClosureBound = 1e-9;  ///< impulse that nobody reports, part of what was exchanged
constexpr double kAllowed = 1e-12;      ///< beyond a bound or a disc, part of the largest impulse
constexpr double kOrderBound = 0.2;
constexpr double kLeastEnergy = 1e-6;  ///< J: what stands still exchanges nothing that could be missing
constexpr double kFloor = 1e-9;        ///< of the state: below this the solver's tolerance has no order

class RowRun {
public:
    explicit RowRun(const Subject& subject) : subject_(subject), model_(std::make_shared<const Model>(subject.model)) {
        Simulation simulation(model_, subject.kernel, Integrator::euler, 1e-3);
        start_ = simulation.state();
        dt_ = suggestedStep(subject.model, subject.layout, subject.kernel, start_, simulation.inputs().param);
    }
    double dt() const { return dt_; }
    const State& start() const { return start_; }
    Simulation begin(double dt) const { return Simulation(model_, subject_.kernel, Integrator::euler, dt); }
    /// Solved as far as numbers go: what a tolerance leaves open would have no order.
    Simulation beginExact(double dt) const {
        Model exact = subject_.model;
        exact.contact.tolerance = 1e-15;
        exact.contact.iterations = 1000;
        return Simulation(std::make_shared<const Model>(std::move(exact)), subject_.kernel, Integrator::euler, dt);
    }

private:
    const Subject& subject_;
    std::shared_ptr<const Model> model_;
    State start_;
    double dt_ = 1e-3;
};

Gate gateOf(const char* name, double bound, const State& start) {
    Gate gate;
    gate.name = name;
    gate.bound = bound;
    gate.worst = start;
    return gate;
}

void judge(Gate& gate, const std::string& trouble) {
    if (!trouble.empty()) {
        gate.value = kNotFinite;
        gate.detail = trouble;
    }
    gate.pass = gate.value <= gate.bound;
}

/// Largest impulse beyond its own bounds, beyond its disc or wedge, over the largest impulse of the step.
double excessOf(const RowStep& step) {
    const RowSet& set = step.lastRows();
    const auto p = step.lastImpulses();
    double largest = 1e-12, excess = 0;
    for (std::size_t i = 0; i < set.rows.size() && i < p.size(); i++) raise(largest, std::abs(p[i]));
    if (step.substeps() > 1) return 0;  // sums over substeps have no bounds of one
    for (std::size_t i = 0; i < set.rows.size() && i < p.size(); i++) {
        const Row& row = set.rows[i];
        raise(excess, std::max(row.lower - p[i], p[i] - row.upper));
        if (row.mu > 0 && row.disc > 0 && row.by >= 0) {
            double normal = 0;
            for (int k = row.by; k < row.by + row.by_count; k++) normal += p[static_cast<std::size_t>(k)];
            const double size = row.disc == 2 ? std::hypot(p[i], p[i + 1]) : std::abs(p[i]);
            raise(excess, size - row.mu * std::max(0.0, normal));
        }
    }
    return excess / largest;
}

/// Rows that are there and which of their bounds they lie on: what has to stay for an order to show.
std::vector<int> pattern(const RowStep& step) {
    std::vector<int> all;
    const RowSet& set = step.lastRows();
    const auto p = step.lastImpulses();
    for (std::size_t i = 0; i < set.rows.size() && i < p.size(); i++) {
        const Row& row = set.rows[i];
        const bool bound = row.mu > 0 || row.lower_by != 0 || row.upper_by != 0;
        all.push_back(static_cast<int>(row.kind) * 8 + (bound ? 4 : 0) +
                      (p[i] <= row.lower   ? 1
                       : p[i] >= row.upper ? 2
                                           : 0));
    }
    return all;
}

}  // namespace

void checkRows(const Subject& subject, std::vector<Gate>& gates, const std::function<void(double)>& tick) {
    const RowRun run(subject);
    Gate solved = gateOf("rows.solved", 1, run.start());
    Gate excess = gateOf("rows.bounds", kAllowed, run.start());
    Gate closure = gateOf("rows.closure", kClosureBound, run.start());
    Gate books = gateOf("rows.energy", kBookBound, run.start());
    Gate again = gateOf("rows.determinism", 0, run.start());
    Gate order = gateOf("rows.order", kOrderBound, run.start());
    std::string trouble;

    // The run itself, and the same once more.
    const double dt = run.dt();
    Simulation first = run.begin(dt), second = run.begin(dt);
    const double tolerance = subject.model.contact.tolerance;
    int spent = 0, rows = 0;
    double residual = 0, reach = 0, exchanged = 0;
    for (int i = 0; i < kSteps && trouble.empty(); i++) {
        if (const auto fault = first.step()) trouble = fault->what;
        if (trouble.empty())
            if (const auto fault = second.step()) trouble = fault->what;
        if (!trouble.empty()) break;
        const SolveReport& report = first.rowStep().report();
        rows = std::max(rows, report.rows);
        if (report.status == SolveStatus::budget_spent) spent++;
        // What calls itself converged is within the tolerance.
        if (report.status == SolveStatus::converged) raise(solved.value, report.residual / tolerance);
        if (!std::isfinite(report.residual)) solved.value = kNotFinite;
        raise(residual, report.residual);
        raise(excess.value, excessOf(first.rowStep()));
        if (i % 20 == 0) {
            const Readings r = first.read();
            double size = 1e-9;
            for (const double p : r.rows.impulses) size += std::abs(p);
            raise(exchanged, size);
            raise(closure.value, r.rows.closure / std::max(size, 1e-3));
        }
        raise(reach, std::abs(first.energyNow().kinetic));
        if (i % 32 == 0) tick(0.5 * i / kSteps);
        if (subject.cancelled()) trouble = "cancelled";
    }
    const std::string where =
        fmt::format("{} steps of {:.3g} s from the start state, at most {} rows", kSteps, dt, rows);
    solved.detail = fmt::format("largest residual {:.2g} N s, {} of {} steps spent their budget; {}", residual, spent,
                                kSteps, where);
    closure.detail = fmt::format("impulse that nobody reports, part of {:.3g} N s; {}", exchanged, where);
    excess.detail = "bounds and friction discs of every solve; " + where;
    if (stateHash(first.state()) != stateHash(second.state())) again.value = 1;
    again.detail = "the same run twice; " + where;

    // Its books: what a scheme of first order leaves goes with the step, so it is extrapolated to a step of nothing.
    if (trouble.empty()) {
        double residual_at[2] = {}, passed = kLeastEnergy;
        const double fine[2] = {dt / 10, dt / 20};
        for (int k = 0; k < 2 && trouble.empty(); k++) {
            Simulation simulation = run.begin(fine[k]);
            const int steps = kSteps * (k + 1);
            for (int i = 0; i < steps && trouble.empty(); i++) {
                if (const auto fault = simulation.step()) trouble = fault->what;
                raise(passed, simulation.energyNow().kinetic);
                if (i % 64 == 0) tick(0.5 + 0.08 * k + 0.16 * i / steps);
                if (subject.cancelled()) trouble = "cancelled";
            }
            const Readings r = simulation.read(false);
            raise(passed, r.ledger.absolute);
            residual_at[k] = r.residual;
        }
        books.value = std::abs(2 * residual_at[1] - residual_at[0]) / passed;
        books.detail = fmt::format(
            "residual {:.3g} J, {:.3g} J at half the step, of {:.3g} J that passed; {} steps of "
            "{:.3g} s",
            residual_at[0], residual_at[1], passed, kSteps, fine[0]);
    }

    // First order, where no row takes hold or lets go.
    double far = 0, near = 0, size = 1;
    bool steady = trouble.empty();
    if (steady) {
        const double step = dt / 10;
        std::vector<std::vector<double>> ends;
        for (const int finer : {8, 2, 1}) {
            Simulation simulation = run.beginExact(step / finer);
            std::vector<int> seen;
            for (int i = 0; i < kOrderSteps * finer && steady; i++) {
                if (const auto fault = simulation.step()) trouble = fault->what;
                steady = trouble.empty() && !subject.cancelled();
                const std::vector<int> now = pattern(simulation.rowStep());
                if (i > 0 && now != seen) steady = false;
                seen = now;
            }
            std::vector<double> x = simulation.state().q;
            x.insert(x.end(), simulation.state().v.begin(), simulation.state().v.end());
            ends.push_back(std::move(x));
            tick(0.75 + 0.08 * static_cast<double>(ends.size()));
        }
        for (std::size_t i = 0; i < ends[0].size(); i++) {
            far += (ends[2][i] - ends[0][i]) * (ends[2][i] - ends[0][i]);
            near += (ends[1][i] - ends[0][i]) * (ends[1][i] - ends[0][i]);
            raise(size, std::abs(ends[0][i]));
        }
        far = std::sqrt(far), near = std::sqrt(near);
    }
    for (Gate* gate : {&solved, &excess, &closure, &books, &again}) {
        judge(*gate, trouble);
        gates.push_back(std::move(*gate));
    }
    if (!trouble.empty() || !steady || near <= kFloor * size) {
        Meter none("rows.order", 0);
        none.skip(!trouble.empty() ? trouble
                  : steady         ? "from the start state nothing moves but by what the solver's tolerance leaves"
                                   : "rows take hold or let go right after the start");
        gates.push_back(none.finish());
        return;
    }
    order.value = far / near;
    order.pass = std::abs(order.value - 7.0 / 3) <= kOrderBound;
    order.detail = fmt::format("wanted 2.333 within {:g}: |x(dt) - x(dt/8)| = {:.3g}, |x(dt/2) - x(dt/8)| = {:.3g}",
                               kOrderBound, far, near);
    gates.push_back(std::move(order));
}

}  // namespace mw::proof
