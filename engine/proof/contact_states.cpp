// Draws disturbed poses and velocities by the distance that the furthest body moves.
#include "engine/proof/contact_states.h"

#include <algorithm>
#include <cmath>

#include "engine/base/draw.h"
#include "engine/dynamics/drift.h"
#include "engine/model/start_pose.h"

namespace mw::proof {

namespace {

constexpr std::uint64_t kStream = 0x636f6e74616374;      // numbers of their own
constexpr double kLeastMove = 2e-4, kMostMove = 1.5e-2;  // m
constexpr double kMostSunk = 8e-3;                       // m
constexpr double kLeastSpeed = 1e-3, kMostSpeed = 3;     // m/s
constexpr double kPi = 3.14159265358979323846;
constexpr double kRoam = 0.5;  // m, along the ground

double distance(const Vector3d& a, const Vector3d& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// A spread over decades.
double between(Draw& draw, double least, double most) { return least * std::pow(most / least, draw.unit()); }

}  // namespace

ContactStates::ContactStates(const Model& model, const Layout& layout, std::uint64_t seed)
    : model_(model), layout_(layout), seed_(seed), contact_(model), start_(startQ(model, layout, model.liveValues())) {
    for (std::size_t i = 0; i < model.bodies.size(); i++)
        if (model.bodies[i].joint.type == JointType::floating) floating_.push_back(static_cast<int>(i));
    for (const Track& track : model.tracks)
        for (const Track::Roller& roller : track.rollers)
            if (roller.body >= 0 &&
                model.bodies[static_cast<std::size_t>(roller.body)].joint.type == JointType::revolute)
                turning_.push_back(roller.body);
    free_ = contact_.hasGround();
    for (const Track& track : model.tracks)
        for (int body = track.root; free_; body = model.bodies[static_cast<std::size_t>(body)].parent) {
            if (body == kBase) free_ = false;
            else if (model.bodies[static_cast<std::size_t>(body)].joint.type == JointType::floating) break;
        }
}

/// Height of the lowest pad corner over the ground.
double ContactStates::gap(const std::vector<double>& q, const std::vector<double>& param) const {
    const std::vector<Placement> bodies = bodyPlacements(model_, q, param);
    double least = std::numeric_limits<double>::infinity();
    int band = 0;
    for (const Track& track : model_.tracks) {
        if (track.first_shoe < 0) continue;
        for (const Vector3d& corner : contact_.padCorners(band))
            for (int k = 0; k < track.shoes; k++) {
                const Vector3d p = transform(bodies[static_cast<std::size_t>(track.first_shoe + k)], corner);
                least = std::min(least, p[2] - contact_.terrain().height(p[0], p[1]));
            }
        band++;
    }
    return least;
}

/// Every floating body, or one of them, moved in base axes.
void ContactStates::shift(std::vector<double>& q, int only, const Vector3d& by) const {
    for (const int body : floating_)
        if (only == kBase || body == only)
            for (std::size_t k = 0; k < 3; k++)
                q[static_cast<std::size_t>(layout_.q_of_body[static_cast<std::size_t>(body)]) + 4 + k] += by[k];
}

/// How far the furthest body is carried by v in a small time, per that time.
double ContactStates::reach(const std::vector<double>& q, const std::vector<double>& v,
                            const std::vector<double>& param) const {
    constexpr double h = 1e-6;
    std::vector<double> moved = q;
    drift(model_, layout_, moved, v, h);
    const std::vector<Placement> before = bodyPlacements(model_, q, param),
                                 after = bodyPlacements(model_, moved, param);
    double furthest = 0;
    for (std::size_t i = 0; i < before.size(); i++)
        furthest = std::max(furthest, distance(before[i].position, after[i].position));
    return std::max(furthest / h, 1e-9);
}

ContactStates::Reach ContactStates::reachable() const {
    constexpr double kNear = 0.5 * kMostMove;
    Reach reach;
    const std::vector<double> param = model_.liveValues();
    const std::vector<Placement> bodies = bodyPlacements(model_, start_, param);
    reach.ground = contact_.hasGround() && (free_ || gap(start_, param) < 0);
    for (const Track& track : model_.tracks) {
        if (track.first_shoe < 0) continue;
        for (const Track::Roller& roller : track.rollers) {
            const Placement axle = roller.body >= 0 ? bodies[static_cast<std::size_t>(roller.body)] : Placement{};
            for (int k = 0; k < track.shoes; k++) {
                const Placement& shoe = bodies[static_cast<std::size_t>(track.first_shoe + k)];
                const auto apart = [](const Vector3d& a, const Vector3d& b) {
                    return Vector3d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
                };
                if (roller.end) {
                    const Vector3d d = rotateBack(axle.rotation, apart(shoe.position, axle.position));
                    reach.pins = reach.pins || std::hypot(d[0], d[2]) - roller.radius < kNear;
                } else {
                    const Vector3d p = rotateBack(shoe.rotation, apart(axle.position, shoe.position));
                    reach.faces = reach.faces || (p[0] > 0 && p[0] < track.link &&
                                                  p[2] - track.pad_z - track.thickness - roller.radius < kNear);
                }
            }
        }
    }
    return reach;
}

Trial ContactStates::rest() const {
    Trial t;
    t.param = model_.liveValues();
    t.q = start_;
    t.v = startV(model_, layout_, t.param);
    if (const double height = free_ ? gap(t.q, t.param) : 0; std::isfinite(height)) shift(t.q, kBase, {0, 0, -height});
    return t;
}

Trial ContactStates::at(int trial) {
    Draw draw(seed_ ^ kStream, trial);
    Trial t;
    t.q = start_;
    t.param = model_.liveValues();
    for (const Parameter& p : model_.parameters)
        if (p.live) {
            const double lo = p.range ? (*p.range)[0] : 0.5 * p.value, hi = p.range ? (*p.range)[1] : 1.5 * p.value;
            t.param[static_cast<std::size_t>(p.slot)] = draw.between(lo, hi);
        }
    std::vector<double> v(static_cast<std::size_t>(layout_.nv));

    // Elsewhere on the ground, out of shape, and each floating part by itself: bands against their rollers.
    if (free_) shift(t.q, kBase, {draw.between(-kRoam, kRoam), draw.between(-kRoam, kRoam), 0});
    for (double& x : v) x = draw.between(-1, 1);
    drift(model_, layout_, t.q, v, between(draw, kLeastMove, kMostMove) / reach(t.q, v, t.param));
    // Every second time lifted as well: shoes under wheels stand off them by a clearance, and only then press on them.
    const bool lifted = draw.unit() < 0.5;
    for (const int body : floating_) {
        const double far = between(draw, lifted ? 0.3 * kMostMove : kLeastMove, kMostMove);
        shift(t.q, body, {draw.between(-far, far), draw.between(-far, far), lifted ? far : draw.between(-far, far)});
    }
    if (free_)
        if (const double height = gap(t.q, t.param); std::isfinite(height))
            shift(t.q, kBase, {0, 0, -height - draw.between(0, kMostSunk)});

    // Teeth meet pins at any phase, and rims slide along them.
    const bool turned = draw.unit() < 0.5;
    for (const int body : turning_)
        if (turned)
            t.q[static_cast<std::size_t>(layout_.q_of_body[static_cast<std::size_t>(body)])] = draw.between(-kPi, kPi);

    for (double& x : v) x = draw.between(-1, 1);
    const double speed = between(draw, kLeastSpeed, kMostSpeed) / reach(t.q, v, t.param);
    for (double& x : v) x *= speed;
    const double spin = between(draw, kLeastSpeed, kMostSpeed);
    for (const int body : turning_)
        v[static_cast<std::size_t>(layout_.v_of_body[static_cast<std::size_t>(body)])] = draw.between(-spin, spin);
    t.v = std::move(v);
    return t;
}

}  // namespace mw::proof
