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
        double rate = 0;
        for (std::size_t i = 0; i < route.gradient.size(); ++i) rate += route.gradient[i] * step.v[i];
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

    start.activation = filtered(step.memory[t.memory], command(tendon, step), h, t.tau);
    if (hasDrive(tendon)) {
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

void Tendons::finish(const TendonStep& step, const RowSet&, std::span<const double>, std::span<const double>) {
    for (int i = 0; i < size(); ++i) {
        const TendonAtStart& start = at_start_[index(i)];
        if (start.off) continue;  // its activation is frozen
        step.memory[of(i).memory] = start.activation;
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
    if (hasDrive(tendon)) {
        const double activation = t.tau > 0 ? step.memory[t.memory] : command(tendon, step);
        f.drive = std::clamp(wanted(tendon, step, activation, coordinate) - t.kv * speed, t.range_lower, t.range_upper);
    }
    return f;
}

void Tendons::addStateForces(const TendonStep& step, std::span<double> tau) {
    TendonRoute at;
    for (int i = 0; i < size(); ++i) {
        if (isOff(i, step)) continue;
        route(i, step.q, step.X, step.axes, at);
        double rate = 0;
        for (std::size_t k = 0; k < at.gradient.size(); ++k) rate += at.gradient[k] * step.v[k];
        const double force = stateForces(i, step, at.length, rate).total();
        if (force != 0)
            for (std::size_t k = 0; k < at.gradient.size(); ++k) tau[k] += force * at.gradient[k];
    }
}

}  // namespace mw
