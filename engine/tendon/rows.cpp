// The rows of tendons and couplings in a step, and what moves on with it. Laws, signs and sources: docs/tendons.md.
//
// The coordinate that all laws see is the routed length less what a winch has paid out, l - feed; its rate at the end
// of the step is J v - (feed(t + h) - feed(t)) / h, which enters as a shift of every row's target.
#include <algorithm>
#include <cmath>

#include "engine/tendon/tendons.h"

namespace mw {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
std::size_t index(int i) { return static_cast<std::size_t>(i); }

double valueOf(const ExpressionPtr& expression, std::span<const double> param, double t) {
    return expression ? evaluate(*expression, param, t) : 0;
}

/// The row's Jacobian from a dense row.
int putRow(const std::vector<double>& dense, RowSet& rows) {
    const int begin = rows.mark();
    for (std::size_t i = 0; i < dense.size(); ++i)
        if (dense[i] != 0) rows.put(static_cast<int>(i), dense[i]);
    return begin;
}

/// a_(n+1) = u + (a_n - u) exp(-h / tau): exact for a command that is held over the step.
double filtered(double state, double command, double h, double tau) {
    return tau > 0 ? command + (state - command) * std::exp(-h / tau) : command;
}

}  // namespace

bool Tendons::isOff(int tendon, const TendonStep& step) const {
    return of(tendon).off || (!step.off.empty() && step.off[index(tendon)] != 0);
}

double Tendons::command(int tendon, const TendonStep& step) const {
    const PreparedTendon& t = of(tendon);
    if (t.input) return step.command.empty() ? 0 : step.command[index(tendon)];
    return valueOf(t.actuator, step.param, step.t);
}

// The force that the drive would like at length rate 0.
double Tendons::wanted(int tendon, const TendonStep& step, double activation, double length) const {
    const PreparedTendon& t = of(tendon);
    return activation + t.kp * (valueOf(t.target, step.param, step.t) - length) +
           t.kv * valueOf(t.target_rate, step.param, step.t);
}

bool Tendons::hasDrive(int tendon) const {
    const PreparedTendon& t = of(tendon);
    return t.actuator || t.input || t.kp > 0 || t.kv > 0 || t.state != 0 || t.range_lower > 0 || t.range_upper < 0;
}

// Extension of the spring and the stiffness that acts: none inside an interval with two ends.
Tendons::SpringNow Tendons::spring(int tendon, double length) const {
    const PreparedTendon& t = of(tendon);
    const double rest = reference(tendon);
    const std::array<double, 2> interval = t.spring.value_or(std::array<double, 2>{rest, rest});
    SpringNow now;
    now.extension = length - std::clamp(length, interval[0], interval[1]);
    if (now.extension != 0 || interval[0] == interval[1]) now.stiffness = t.stiffness;
    return now;
}

void Tendons::addRows(const TendonStep& step, RowSet& rows) {
    const std::size_t n = tendons_.size();
    at_start_.assign(n, {});
    routes_.resize(n);
    coupling_row_.assign(couplings_.size(), -1), coupling_slope_.assign(couplings_.size(), 0.0);
    for (int i = 0; i < size(); ++i) {
        if (isOff(i, step)) continue;
        route(i, step.q, step.X, step.axes, routes_[index(i)]);
        addTendonRows(i, step, rows);
    }
    for (std::size_t c = 0; c < couplings_.size(); ++c) addCouplingRow(static_cast<int>(c), step, rows);
    for (int i = 0; i < size(); ++i) boundFlows(i, rows);
}

void Tendons::addTendonRows(int tendon, const TendonStep& step, RowSet& rows) {
    const PreparedTendon& t = of(tendon);
    const TendonRoute& route = routes_[index(tendon)];
    TendonAtStart& start = at_start_[index(tendon)];
    const double h = step.h;
    start.off = false;
    start.feed = valueOf(t.feed, step.param, step.t);
    start.feed_rate = t.feed ? (valueOf(t.feed, step.param, step.t + h) - start.feed) / h : 0;
    start.length = route.length - start.feed;

    const int first_law = rows.size();
    // All laws share the Jacobian; each has a copy, for rows are plain data of one pool.
    const auto add = [&](RowKind kind, double target, double softness, double lower, double upper) {
        Row row;
        row.kind = kind, row.owner = tendon;
        row.target = target + start.feed_rate, row.softness = softness, row.lower = lower, row.upper = upper;
        const int begin = putRow(route.gradient, rows);
        rows.add(row, begin);
        return rows.size() - 1;
    };

    if (t.armature > 0) {
        const double rate = rateOf(route, step.v);
        const double bias = t.fixed ? 0 : curvature(tendon, step.q, step.v, step.X, step.V, *step.axes);
        // Without a winch the target is l' - h bias. What a winch adds to the rate is measured from that of the step
        // before, so that only its change is felt.
        const double winch = t.feed ? h * valueOf(t.feed_acceleration, step.param, step.t) - start.feed_rate : 0;
        start.armature = add(RowKind::armature, rate - h * bias + winch, 1 / t.armature, -kInfinity, kInfinity);
    }

    const SpringNow now = spring(tendon, start.length);
    start.extension = now.extension, start.stiffness = now.stiffness;
    // p = -h k e - h (d + h k) l'
    const double damping = t.damping + h * now.stiffness;
    if (damping > 0)
        start.spring_damper = add(RowKind::spring_damper, -now.stiffness * now.extension / damping, 1 / (h * damping),
                                  -kInfinity, kInfinity);

    if (t.muscle) {
        addMuscleRow(tendon, step, rows);
    } else {
        start.activation = filtered(step.memory[t.memory], command(tendon, step), h, t.tau);
    }
    if (!t.muscle && hasDrive(tendon)) {
        const double r = wanted(tendon, step, start.activation, start.length);
        const double gain = t.kv + h * t.kp;
        if (gain > 0) {
            start.drive = add(RowKind::drive, r / gain, 1 / (h * gain), h * t.range_lower, h * t.range_upper);
        } else {
            const double p = h * std::clamp(r, t.range_lower, t.range_upper);
            start.drive = add(RowKind::drive, 0, 0, p, p);
        }
    }

    if (t.friction > 0)
        start.friction = add(RowKind::friction, 0, t.friction_compliance / (h * h), -h * t.friction, h * t.friction);

    const double softness = t.compliance / (h * h);
    if (t.lower == t.upper) {
        start.lock = add(RowKind::lock, t.correction * (t.lower - start.length) / h, softness, -kInfinity, kInfinity);
    } else {
        const auto eta = [&](double gap) { return gap < 0 ? t.correction : 1; };
        if (std::isfinite(t.lower)) {
            const double gap = start.length - t.lower - t.margin;
            start.lower = add(RowKind::lower, -eta(gap) * gap / h, softness, 0, kInfinity);
        }
        if (std::isfinite(t.upper)) {
            const double gap = t.upper - start.length - t.margin;
            start.upper = add(RowKind::upper, eta(gap) * gap / h, softness, -kInfinity, 0);
        }
    }
    start.laws = first_law, start.law_count = rows.size() - first_law;
    addFlowRows(tendon, step, rows);
}

// The muscle's tension depends on the length at the end of the step, l + h l': linearised about the rate at the start,
// T = T0 + h stiffness (l' - guess). Afterwards `finish` solves the fibre for the rate that came out.
void Tendons::addMuscleRow(int tendon, const TendonStep& step, RowSet& rows) {
    const PreparedTendon& t = of(tendon);
    const TendonRoute& route = routes_[index(tendon)];
    TendonAtStart& start = at_start_[index(tendon)];
    const double h = step.h;
    const double excitation = valueOf(t.excitation, step.param, step.t);
    start.activation = muscleActivation(*t.muscle, step.memory[t.memory], excitation, h);
    start.fibre = step.memory[t.memory + 1];
    start.rate_guess = rateOf(route, step.v) - start.feed_rate;
    start.stored_before = muscleForces(*t.muscle, start.fibre, start.length, step.memory[t.memory]).stored;
    const MuscleStep end = muscleStep(*t.muscle, start.fibre, start.length + h * start.rate_guess, start.activation, h);
    Row row;
    row.kind = RowKind::muscle, row.owner = tendon, row.upper = 0;
    if (end.stiffness > 0) {
        row.softness = 1 / (h * h * end.stiffness);
        row.target = start.rate_guess + start.feed_rate - end.tension / (h * end.stiffness);
    } else {
        row.lower = row.upper = -h * end.tension;
    }
    const int begin = putRow(route.gradient, rows);
    rows.add(row, begin);
    start.muscle = rows.size() - 1;
}

// Rope over guides with friction. All laws act on the whole length, with the rope free to slide; a row for each guide
// has the rate at which rope passes it: the length before it up to the guide's own material at the first contact, which
// a turning drum carries along. Its force is the jump of tension over the guide, T_before = T_after - f, and the
// capstan's inequality |ln(T_before / T_after)| <= mu turn is its range.
void Tendons::addFlowRows(int tendon, const TendonStep& step, RowSet& rows) {
    const PreparedTendon& t = of(tendon);
    const TendonRoute& route = routes_[index(tendon)];
    TendonAtStart& start = at_start_[index(tendon)];
    int guide_after = static_cast<int>(route.guides.size());
    for (std::size_t b = t.branches.size(); b-- > 0;) {
        const PreparedBranch& branch = t.branches[b];
        for (std::size_t e = branch.elements.size(); e-- > 0;) {
            const PreparedElement& element = branch.elements[e];
            if (!element.isGuide()) continue;
            const int guide = --guide_after;
            const GuideContact& contact = route.guides[index(guide)].contact;
            if (element.flow < 0) continue;
            FlowStart flow;
            flow.branch = static_cast<int>(b), flow.guide = guide, flow.memory = element.flow;
            flow.wrap = element.mu * contact.turn;
            if (contact.state != GuideContact::State::free && flow.wrap > 0) {
                dense_.assign(route.gradient.size(), 0.0);
                double rate = 0;
                for (const RoutePiece& piece : route.pieces) {
                    if (piece.branch != flow.branch) continue;
                    addPiece(piece, *step.axes, dense_);
                    if (piece.guide_b == guide) break;
                }
                for (std::size_t i = 0; i < dense_.size(); ++i) rate += dense_[i] * step.v[i];
                // The creep of the last step by the trapezoid rule: its second half is known only at its end.
                const double* memory = step.memory.data() + element.flow;
                flow.offset = memory[0] + 0.5 * step.h * (rate - memory[1]);
                Row row;
                row.kind = RowKind::flow, row.owner = tendon, row.feature = static_cast<std::uint64_t>(element.element);
                row.target = -t.correction * flow.offset / step.h;
                row.by = start.laws, row.by_count = start.law_count;
                row.lower_by = std::expm1(flow.wrap), row.upper_by = std::expm1(-flow.wrap);
                const int begin = putRow(dense_, rows);
                rows.add(row, begin);
                flow.row = rows.size() - 1;
            }
            start.flows.push_back(flow);
        }
    }
}

// The tension behind a guide is made of the tendon's laws (one range of rows), of couplings, and of what the guides
// behind it in its branch hold.
void Tendons::boundFlows(int tendon, RowSet& rows) const {
    const std::vector<FlowStart>& flows = at_start_[index(tendon)].flows;
    for (std::size_t f = 0; f < flows.size(); ++f) {
        if (flows[f].row < 0) continue;
        Row& row = rows.rows[index(flows[f].row)];
        row.also = static_cast<int>(rows.also.size());
        for (std::size_t behind = 0; behind < f; ++behind)
            if (flows[behind].row >= 0 && flows[behind].branch == flows[f].branch)
                rows.also.push_back({flows[behind].row, 1.0});
        for (std::size_t c = 0; c < couplings_.size(); ++c) {
            if (coupling_row_[c] < 0) continue;
            if (couplings_[c].first == tendon) rows.also.push_back({coupling_row_[c], 1.0});
            if (couplings_[c].second == tendon) rows.also.push_back({coupling_row_[c], -coupling_slope_[c]});
        }
        row.also_count = static_cast<int>(rows.also.size()) - row.also;
    }
}

// Sum of the impulses that the range of a flow row goes by: -h times the tension behind its guide.
double Tendons::heldBy(const RowSet& rows, const Row& row, std::span<const double> p) {
    double sum = 0;
    for (int k = row.by; k < row.by + row.by_count; ++k) sum += p[index(k)];
    for (int k = row.also; k < row.also + row.also_count; ++k)
        sum += rows.also[index(k)].factor * p[index(rows.also[index(k)].row)];
    return sum;
}

double Tendons::rateOf(const TendonRoute& route, std::span<const double> v) {
    double rate = 0;
    for (std::size_t i = 0; i < route.gradient.size(); ++i) rate += route.gradient[i] * v[i];
    return rate;
}

void Tendons::addCouplingRow(int coupling, const TendonStep& step, RowSet& rows) {
    const Coupling& c = couplings_[index(coupling)];
    if (c.off || at_start_[index(c.first)].off || (c.second >= 0 && at_start_[index(c.second)].off)) return;
    const TendonAtStart& first = at_start_[index(c.first)];
    const CouplingNow now =
        couplingAt(coupling, step.param, first.length, c.second < 0 ? 0 : at_start_[index(c.second)].length);
    std::vector<double>& dense = dense_;
    dense = routes_[index(c.first)].gradient;
    Row row;
    row.kind = RowKind::coupling, row.owner = coupling;
    row.softness = c.compliance.at(step.param) / (step.h * step.h);
    row.target = -c.correction.at(step.param) * now.error / step.h + first.feed_rate;
    if (c.second >= 0) {
        const std::vector<double>& other = routes_[index(c.second)].gradient;
        for (std::size_t i = 0; i < dense.size(); ++i) dense[i] -= now.slope * other[i];
        row.target -= now.slope * at_start_[index(c.second)].feed_rate;
    }
    const int begin = putRow(dense, rows);
    rows.add(row, begin);
    coupling_row_[index(coupling)] = rows.size() - 1;
    coupling_slope_[index(coupling)] = now.slope;
}

double Tendons::couplingFeedRate(int coupling) const {
    const Coupling& c = couplings_[index(coupling)];
    const double second = c.second < 0 ? 0 : coupling_slope_[index(coupling)] * feedRate(c.second);
    return feedRate(c.first) - second;
}

// C = l1 - l1_ref - f(x), x = l2 - l2_ref, and f'(x) (Horner).
Tendons::CouplingNow Tendons::couplingAt(int coupling, std::span<const double> param, double first,
                                         double second) const {
    const Coupling& c = couplings_[index(coupling)];
    CouplingNow now;
    const double x = c.second < 0 ? 0 : second - reference(c.second);
    double value = 0;
    if (c.second < 0) value = c.poly[0].at(param);
    else
        for (std::size_t i = 5; i-- > 0;) {
            now.slope = now.slope * x + value;
            value = value * x + c.poly[i].at(param);
        }
    now.error = first - reference(c.first) - value;
    return now;
}

void Tendons::finish(const TendonStep& step, const RowSet& rows, std::span<const double> p,
                     std::span<const double> v_new) {
    for (int i = 0; i < size(); ++i) {
        const PreparedTendon& t = of(i);
        TendonAtStart& start = at_start_[index(i)];
        if (start.off) continue;  // its activation is frozen
        step.memory[t.memory] = start.activation;
        if (t.muscle) {
            const double end = start.length + step.h * (rateOf(routes_[index(i)], v_new) - start.feed_rate);
            step.memory[t.memory + 1] = muscleStep(*t.muscle, start.fibre, end, start.activation, step.h).fibre;
            start.stored_after = muscleForces(*t.muscle, step.memory[t.memory + 1], end, start.activation).stored;
        }
        for (const FlowStart& flow : start.flows) {
            double* memory = step.memory.data() + flow.memory;
            memory[0] = memory[1] = 0;
            if (flow.row < 0) continue;
            const Row& row = rows.rows[index(flow.row)];
            const std::span<const int> slots = rows.slotsOf(row);
            const std::span<const double> values = rows.valuesOf(row);
            for (std::size_t k = 0; k < slots.size(); ++k) memory[1] += values[k] * v_new[index(slots[k])];
            // Rope that slides has let go of where it was.
            const double sum = heldBy(rows, row, p);
            const double lower = row.lower_by * sum, upper = row.upper_by * sum, edge = 1e-9 * (upper - lower);
            const double impulse = p[index(flow.row)];
            if (impulse > lower + edge && impulse < upper - edge) memory[0] = flow.offset + step.h * memory[1];
        }
    }
}

// Forces of the state alone: no rope is held by friction, no armature resists.
Tendons::StateForces Tendons::stateForces(int tendon, const TendonStep& step, double length, double rate) const {
    const PreparedTendon& t = of(tendon);
    StateForces f;
    const double feed = valueOf(t.feed, step.param, step.t);
    const double coordinate = length - feed, speed = rate - valueOf(t.feed_rate, step.param, step.t);
    const SpringNow now = spring(tendon, coordinate);
    f.spring = -now.stiffness * now.extension;
    f.damper = -t.damping * speed;
    if (t.muscle) {
        f.muscle = -muscleForces(*t.muscle, step.memory[t.memory + 1], coordinate, step.memory[t.memory]).tension;
    } else if (hasDrive(tendon)) {
        const double activation = t.tau > 0 ? step.memory[t.memory] : command(tendon, step);
        f.drive = std::clamp(wanted(tendon, step, activation, coordinate) - t.kv * speed, t.range_lower, t.range_upper);
    }
    return f;
}

void Tendons::addStateForces(const TendonStep& step, std::span<double> tau) {
    thread_local TendonRoute at;  // keeps its memory
    for (int i = 0; i < size(); ++i) {
        if (isOff(i, step)) continue;
        route(i, step.q, step.X, step.axes, at);
        const double force = stateForces(i, step, at.length, rateOf(at, step.v)).total();
        if (force != 0)
            for (std::size_t k = 0; k < at.gradient.size(); ++k) tau[k] += force * at.gradient[k];
    }
}

}  // namespace mw
