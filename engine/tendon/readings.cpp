// What tendons read: geometry of the pose that is shown, forces of the step that led to it, or of the state alone.
#include <algorithm>
#include <cmath>

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
    for (const std::optional<double>& one :
         {f.spring, f.damper, f.drive, f.muscle, f.friction, f.armature, f.lower, f.upper, f.lock})
        total += one.value_or(0);
    for (const std::optional<double>& one : f.couplings) total += one.value_or(0);
    return total;
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
        r.activation = step.memory[t.memory];
        const double coordinate = r.length - r.fed, speed = r.rate - valueOf(t.feed_rate, step.param, step.t);
        const SpringNow now = spring(i, coordinate);
        if (!r.off) {
            r.energy = 0.5 * now.stiffness * now.extension * now.extension;
            r.armature_energy = 0.5 * t.armature * speed * speed;
            r.numerical_damping = step.h * now.stiffness;
        }
        r.forces.couplings.resize(couplings_.size());
        if (solved && !at_start_[index(i)].off) {
            r.forces = stepForces(i, step, p);
        } else if (!r.off) {
            const StateForces f = stateForces(i, step, r.length, r.rate);
            r.forces.spring = f.spring, r.forces.damper = f.damper, r.forces.drive = f.drive;
        }
        const double force = sum(r.forces);
        r.tension = -force;
        r.actuation = r.forces.drive.value_or(0);
        // Slack: a rope that nothing pulls. The springs' interval decides where no force is known.
        r.slack = !(r.tension > 0);
        spread(i, solved ? p : std::span<const double>{}, step.h, r);
    }
    return all;
}

// From one force to points, guides and sides of guides.
void Tendons::spread(int tendon, std::span<const double>, double, TendonReading& r) const {
    (void)tendon;
    const double tension = r.tension;
    r.segment_tension.clear();
    for (const double divisor : r.route.branch_divisor) r.segment_tension.push_back(tension / divisor);
    r.point_forces.clear();
    for (const RoutePoint& point : r.route.points) r.point_forces.push_back(plain(-tension * vec(point.gradient)));
    for (GuideReading& guide : r.route.guides) {
        const double branch = tension / r.route.branch_divisor[index(guide.branch)];
        guide.tension_before = guide.tension_after = branch;
        if (guide.contact.state == GuideContact::State::free) continue;
        const Vector3 first = -guide.tension_before * guide.contact.first_direction;
        const Vector3 last = guide.tension_after * guide.contact.last_direction;
        const bool bent = guide.contact.state == GuideContact::State::bent;
        const Vector3 centre = vec(guide.centre);
        guide.force = plain(first + last);
        guide.moment = plain((guide.contact.first - centre).cross(first) +
                             ((bent ? guide.contact.first : guide.contact.last) - centre).cross(last));
    }
}

double Tendons::energy(const TendonStep& step) const {
    double total = 0;
    TendonRoute at;
    for (int i = 0; i < size(); ++i) {
        if (isOff(i, step)) continue;
        const PreparedTendon& t = of(i);
        route(i, step.q, step.X, t.armature > 0 ? step.axes : nullptr, at);
        const double coordinate = at.length - valueOf(t.feed, step.param, step.t);
        const SpringNow now = spring(i, coordinate);
        total += 0.5 * now.stiffness * now.extension * now.extension;
        if (t.armature > 0) {
            double rate = -valueOf(t.feed_rate, step.param, step.t);
            for (std::size_t k = 0; k < at.gradient.size(); ++k) rate += at.gradient[k] * step.v[k];
            total += 0.5 * t.armature * rate * rate;
        }
    }
    return total;
}

}  // namespace mw
