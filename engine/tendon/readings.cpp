// What tendons read: geometry of the pose that is shown, forces of the step that led to it, or of the state alone.
#include <algorithm>
#include <cmath>

#include "engine/tendon/laws.h"
#include "engine/tendon/tendons.h"

namespace mw {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }
Vector3d plain(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Vector3 vec(const Vector3d& v) { return {v[0], v[1], v[2]}; }
double valueOf(const ExpressionPtr& expression, std::span<const double> param, double t) {
    return expression ? evaluate(*expression, param, t) : 0;
}

double sum(const TendonForces& f) {
    double total = 0;
    for (const TendonLaw& law : kTendonLaws) total += (f.*law.force).value_or(0);
    for (const std::optional<double>& one : f.couplings) total += one.value_or(0);
    return total;
}

/// Branch tension in the span that leaves a site, between sites that nothing rubs between: that of the side it lies on.
double sideOf(const TendonRoute& route, std::size_t site, double without) {
    const RoutePoint& from = route.points[site];
    double tension = without;
    for (std::size_t g = route.guides.size(); g-- > 0;) {
        const GuideReading& guide = route.guides[g];
        if (guide.branch == from.branch && guide.element > from.element) tension = guide.tension_before;
    }
    return tension;
}

}  // namespace

// Forces of the last step: impulses over h. The spring and the damper share a row and are told apart by the solved
// rate, which the row's own law gives: p = -h k e - h (d + h k) l'.
TendonForces Tendons::stepForces(int tendon, const TendonStep& step, std::span<const double> p) const {
    const PreparedTendon& t = of(tendon);
    const TendonAtStart& start = at_start_[index(tendon)];
    const double h = step.h;
    TendonForces f;
    f.couplings.resize(couplings_.size());
    if (start.off) return f;
    const auto force = [&](int row) -> std::optional<double> {
        if (row < 0) return std::nullopt;
        return p[index(row)] / h;
    };
    f.spring = f.damper = 0;
    if (const auto both = force(start.spring_damper)) {
        const double ke = start.stiffness * start.extension;
        const double rate = -(*both + ke) / (t.damping + h * start.stiffness);
        f.damper = -t.damping * rate;
        f.spring = *both - *f.damper;
    }
    f.drive = force(start.drive), f.muscle = force(start.muscle), f.friction = force(start.friction);
    f.armature = force(start.armature);
    f.lower = force(start.lower), f.upper = force(start.upper), f.lock = force(start.lock);
    for (std::size_t c = 0; c < couplings_.size(); ++c) {
        const auto lambda = force(coupling_row_[c]);
        if (!lambda) continue;
        if (couplings_[c].first == tendon) f.couplings[c] = *lambda;
        if (couplings_[c].second == tendon) f.couplings[c] = -coupling_slope_[c] * *lambda;
    }
    return f;
}

std::vector<TendonReading> Tendons::readings(const TendonStep& step, const RowSet* rows,
                                             std::span<const double> p) const {
    const bool solved = rows && step.h > 0 && at_start_.size() == tendons_.size();
    std::vector<TendonReading> all(tendons_.size());
    for (int i = 0; i < size(); ++i) {
        const PreparedTendon& t = of(i);
        TendonReading& r = all[index(i)];
        route(i, step.q, step.X, step.axes, r.route);
        r.length = r.route.length;
        for (std::size_t k = 0; k < r.route.gradient.size(); ++k) r.rate += r.route.gradient[k] * step.v[k];
        r.reference = reference(i);
        r.fed = valueOf(t.feed, step.param, step.t);
        r.target = valueOf(t.target, step.param, step.t);
        r.off = isOff(i, step);
        const TendonAtStart* start = solved && !at_start_[index(i)].off ? &at_start_[index(i)] : nullptr;
        r.activation = start ? start->activation : step.memory[t.memory];
        const double coordinate = r.length - r.fed, speed = r.rate - valueOf(t.feed_rate, step.param, step.t);
        const SpringNow now = spring(i, coordinate);
        if (!r.off) {
            r.energy = 0.5 * now.stiffness * now.extension * now.extension;
            r.armature_energy = 0.5 * t.armature * speed * speed;
            r.numerical_damping = step.h * now.stiffness;
        }
        r.forces.couplings.resize(couplings_.size());
        if (start) {
            r.forces = stepForces(i, step, p);
        } else if (!r.off) {
            const StateForces f = stateForces(i, step, r.length, r.rate);
            r.forces.spring = f.spring, r.forces.damper = f.damper, r.forces.drive = f.drive;
            r.forces.muscle = f.muscle;
        }
        if (t.muscle) {
            const MuscleForces m =
                muscleForces(*t.muscle, step.memory[t.memory + 1], coordinate, step.memory[t.memory]);
            r.muscle = TendonReading::MuscleReading{m.fibre,  m.fibre_rate, m.tendon,   step.memory[t.memory],
                                                    m.active, m.passive,    m.pennation};
            if (!r.off) r.energy += m.stored;
        }
        const double force = sum(r.forces);
        r.tension = force == 0 ? 0 : -force;
        r.actuation = t.muscle ? r.forces.muscle.value_or(0) : r.forces.drive.value_or(0);
        // Slack: nothing pulls, and nothing pushes either, as a strut would.
        r.slack = r.tension == 0;
        spread(i, start ? p : std::span<const double>{}, step.h, r);
    }
    return all;
}

// From one force to sides of guides, points and guides. Tension of a branch is T / divisor; a guide with friction holds
// the difference of its sides, T_before = T_after - f (docs/tendons.md, "Capstan").
void Tendons::spread(int tendon, std::span<const double> p, double h, TendonReading& r) const {
    TendonRoute& route = r.route;
    std::vector<double> jump(route.guides.size(), 0.0);
    if (!p.empty())
        for (const FlowStart& flow : at_start_[index(tendon)].flows)
            if (flow.row >= 0) jump[index(flow.guide)] = p[index(flow.row)] / h;
    // Every guide that may rub parts two sides, whether it is touched or not: their number does not change.
    std::vector<char> rubs;
    for (const PreparedBranch& branch : of(tendon).branches)
        for (const PreparedElement& e : branch.elements)
            if (e.isGuide()) rubs.push_back(e.flow >= 0);

    // Sides in travel order: from the far end of each branch backwards.
    r.segment_tension.clear();
    std::vector<double> sides;
    int guide = static_cast<int>(route.guides.size());
    for (std::size_t b = route.branch_divisor.size(); b-- > 0;) {
        double tension = r.tension;
        sides.push_back(tension / route.branch_divisor[b]);
        for (; guide > 0 && route.guides[index(guide - 1)].branch == static_cast<int>(b); --guide) {
            GuideReading& g = route.guides[index(guide - 1)];
            g.tension_after = tension / route.branch_divisor[b];
            tension -= jump[index(guide - 1)];
            g.tension_before = tension / route.branch_divisor[b];
            if (rubs[index(guide - 1)]) sides.push_back(g.tension_before);
        }
    }
    r.segment_tension.assign(sides.rbegin(), sides.rend());

    // Each straight piece pulls its ends together.
    r.point_forces.assign(route.points.size(), Vector3d{});
    std::size_t point = 0;
    const auto pull = [&](std::size_t at, double tension, const Vector3d& direction) {
        for (std::size_t k = 0; k < 3; ++k) r.point_forces[at][k] += tension * direction[k];
    };
    for (const RoutePiece& piece : route.pieces) {
        if (route.points[point].kind == RoutePoint::Kind::first_contact) ++point;  // the arc between the contacts
        if (route.points[point].branch != piece.branch) ++point;
        double tension = r.tension * piece.scale;
        if (piece.guide_a >= 0) tension = route.guides[index(piece.guide_a)].tension_after;
        else if (piece.guide_b >= 0) tension = route.guides[index(piece.guide_b)].tension_before;
        else tension = sideOf(route, point, tension);
        pull(point, tension, piece.direction);
        ++point;
        pull(point, -tension, piece.direction);
    }

    for (std::size_t i = 0; i < route.points.size(); ++i) {
        const RoutePoint& at = route.points[i];
        if (at.kind == RoutePoint::Kind::site) continue;
        const auto on =
            std::ranges::find_if(route.guides, [&](const GuideReading& g) { return g.element == at.element; });
        const Vector3 force = vec(r.point_forces[i]);
        on->force = plain(vec(on->force) + force);
        on->moment = plain(vec(on->moment) + (vec(at.point) - vec(on->centre)).cross(force));
    }
}

double Tendons::energy(const TendonStep& step) const {
    double total = 0;
    thread_local TendonRoute at;  // keeps its memory
    for (int i = 0; i < size(); ++i) {
        if (isOff(i, step)) continue;
        const PreparedTendon& t = of(i);
        if (t.stiffness == 0 && t.armature == 0 && !t.muscle) continue;  // nothing is stored in it
        route(i, step.q, step.X, t.armature > 0 ? step.axes : nullptr, at);
        const double coordinate = at.length - valueOf(t.feed, step.param, step.t);
        const SpringNow now = spring(i, coordinate);
        total += 0.5 * now.stiffness * now.extension * now.extension;
        if (t.muscle)
            total += muscleForces(*t.muscle, step.memory[t.memory + 1], coordinate, step.memory[t.memory]).stored;
        if (t.armature > 0) {
            double rate = -valueOf(t.feed_rate, step.param, step.t);
            for (std::size_t k = 0; k < at.gradient.size(); ++k) rate += at.gradient[k] * step.v[k];
            total += 0.5 * t.armature * rate * rate;
        }
    }
    return total;
}

}  // namespace mw
