// Ways to move a closed mechanism: its free motions, a point drawn somewhere, one coordinate set to a value.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "engine/dynamics/closure_space.h"

namespace mw {
namespace {

// Velocities in the order in which they should lead: driven ones, those with a slider and free bodies that carry others
// (a chassis), then from the base outwards. Free bodies that carry nothing (spindles held by ball joints) follow the
// others, so they come last.
std::vector<int> leadingOrder(const ClosureSpace& space) {
    const Model& model = space.model();
    const Layout& layout = space.layout();
    std::vector<char> carries(model.bodies.size(), 0);
    for (const Body& b : model.bodies)
        if (b.parent >= 0) carries[b.parent] = 1;
    std::vector<int> rank(layout.nv, 2), depth(model.bodies.size(), 0), order(layout.nv);
    for (const int b : space.topology.order())
        depth[b] = model.bodies[b].parent < 0 ? 0 : depth[model.bodies[b].parent] + 1;
    for (int i = 0; i < layout.nv; ++i) {
        order[i] = i;
        const int b = layout.body_of_v[i];
        if (model.bodies[b].joint.type == JointType::floating) rank[i] = carries[b] ? 1 : 3;
        if (model.bodies[b].slider) rank[i] = 1;
    }
    for (const Drive& d : model.drives) rank[layout.v_of_body[d.body] + d.coordinate] = 0;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::pair(rank[a], depth[layout.body_of_v[a]]) < std::pair(rank[b], depth[layout.body_of_v[b]]);
    });
    return order;
}

// Leading coordinates of a null space (rows of N: coordinates in units): by preference where a coordinate has enough of
// a motion that the earlier ones do not have, the strongest where none has.
std::vector<int> leaders(const MatrixXd& N, const std::vector<int>& order) {
    std::vector<int> lead;
    MatrixXd rest = N;
    const auto take = [&](int c) {
        const VectorXd n = rest.row(c).transpose().normalized();
        rest -= (rest * n) * n.transpose();
        lead.push_back(c);
    };
    for (const double enough : {0.05, 0.005})
        for (const int c : order)
            if (static_cast<Eigen::Index>(lead.size()) < N.cols() && rest.row(c).norm() > enough) take(c);
    while (static_cast<Eigen::Index>(lead.size()) < N.cols()) {
        Eigen::Index strongest;
        rest.rowwise().norm().maxCoeff(&strongest);
        take(static_cast<int>(strongest));
    }
    return lead;
}

}  // namespace

std::vector<FreeMotion> Closure::freeMotions(std::span<const double> q, std::span<const double> param) {
    ClosureSpace& space = inside_->space;
    const int nv = space.layout().nv;
    space.place(q, param);
    MatrixXd N = MatrixXd::Identity(nv, nv);
    if (space.layout().nc > 0) N = Tangent(space, space.jacobian(), space.evenMetric(), {}).basis();
    if (N.cols() == 0) return {};
    const std::vector<int> lead = leaders(N, leadingOrder(space));
    const auto m = static_cast<Eigen::Index>(lead.size());
    MatrixXd at(m, m);
    for (Eigen::Index i = 0; i < m; ++i) at.row(i) = N.row(lead[i]);
    // Reduced echelon: one for its own leading coordinate, nought for the others'.
    MatrixXd E = at.transpose().partialPivLu().solve(N.transpose()).transpose();
    std::vector<FreeMotion> out;
    for (Eigen::Index k = 0; k < m; ++k) {
        VectorXd y = E.col(k);
        const double largest = y.lpNorm<Eigen::Infinity>();
        for (double& x : y)
            if (std::abs(x) < 1e-14 * largest) x = 0;
        for (Eigen::Index i = 0; i < m; ++i) y[lead[i]] = i == k ? 1 : 0;
        const VectorXd v = y.cwiseProduct(space.unit) / space.unit[lead[k]];
        out.push_back({lead[k], space.layout().v_names[lead[k]], {v.data(), v.data() + nv}});
    }
    std::sort(out.begin(), out.end(), [](const FreeMotion& a, const FreeMotion& b) { return a.velocity < b.velocity; });
    return out;
}

namespace {

/// What is to become zero, and how velocities change it (at the pose where the space is).
struct Goal {
    std::function<VectorXd(const std::vector<double>& q)> missing;
    std::function<MatrixXd()> jacobian;
    Hold correction_hold;  ///< held while loops are closed again
    Hold hold;             ///< held in all
    double reached = 0;    ///< near enough
};

/// Steps towards the goal, each of at most a fifth (rad, sizes) and closed again before it counts.
struct Way {
    bool reached = false;
    int steps = 0;
    double missing = 0;
};

Way follow(ClosureSpace& space, std::vector<double>& q, std::span<const double> param, const Goal& goal,
           double tolerance, int most_steps, double least_gain) {
    constexpr double kStep = 0.2, kNothing = 1e-12;
    constexpr int kHalvings = 6;
    Way way;
    space.place(q, param);
    VectorXd d = goal.missing(q);
    way.missing = d.norm();
    while (!(way.reached = way.missing <= goal.reached) && way.steps < most_steps) {
        ++way.steps;
        const Tangent tangent(space, space.jacobian(), space.metric(goal.hold), goal.hold);
        MatrixXd P = tangent.toMetricRows(goal.jacobian());
        for (std::size_t i = 0; i < goal.hold.size(); ++i)
            if (goal.hold[i] == kFixed) P.row(static_cast<Eigen::Index>(i)).setZero();
        const double whole = P.squaredNorm();
        for (Eigen::Index c = 0; c < P.cols(); ++c) P.col(c) = tangent.allowed(P.col(c));
        // Joints and loops let it move nowhere.
        if (!(P.squaredNorm() > kNothing * whole)) break;
        MatrixXd A = P.transpose() * P;
        A.diagonal().array() += 1e-6 * A.trace();
        VectorXd v = tangent.toVelocity(P * A.llt().solve(d));
        for (std::size_t i = 0; i < goal.hold.size(); ++i)
            if (goal.hold[i] == kFixed) v[static_cast<Eigen::Index>(i)] = 0;
        if (!v.allFinite()) break;
        if (const double s = stepLength(space, v); s > kStep) v *= kStep / s;
        const double before = way.missing;
        bool better = false;
        for (int halving = 0; halving < kHalvings && !better; ++halving, v *= 0.3) {
            std::vector<double> next = moved(space, q, v);
            if (!space.descend(next, param, goal.correction_hold, tolerance, 10).closed) continue;
            const VectorXd left = goal.missing(next);
            if (!(left.norm() < way.missing)) continue;
            q = std::move(next);
            d = left;
            way.missing = left.norm();
            better = true;
        }
        if (!better || before - way.missing < least_gain * before) break;
    }
    way.reached = way.missing <= goal.reached;
    return way;
}

Hold holdOf(const ClosureSpace& space, const std::vector<int>& keep) {
    Hold hold;
    for (const int i : keep)
        if (i >= 0 && i < space.layout().nv) {
            hold.resize(space.layout().nv, 0.0);
            hold[i] = kFixed;
        }
    return hold;
}

}  // namespace

Assembly Closure::drag(std::vector<double> q, int body, const Vector3d& point, const Vector3d& target,
                       std::span<const double> param, const AssembleOptions& options) {
    Assembly out = assemble(std::move(q), param, options);
    ClosureSpace& space = inside_->space;
    const Vector3 at(point[0], point[1], point[2]), to(target[0], target[1], target[2]);
    if (!out.closed || body < 0 || body >= space.layout().nbody || !at.allFinite() || !to.allFinite()) return out;
    Goal goal;
    goal.missing = [&](const std::vector<double>& pose) {
        space.place(pose, param);
        return VectorXd(to - space.point(body, at));
    };
    goal.jacobian = [&] { return space.pointJacobian(body, at); };
    goal.hold = goal.correction_hold = holdOf(space, options.keep);
    goal.reached = 1e-9 * space.size;
    const Way way = follow(space, out.q, param, goal, options.tolerance, std::min(options.most_steps, 30), 1e-5);
    const Worst worst = space.layout().nc ? (space.place(out.q, param), space.worst(space.error())) : Worst{};
    out.worst = worst.error;
    out.loop = worst.loop;
    out.row = worst.row;
    out.steps += way.steps;
    out.what = way.reached ? "at the target"
                           : fmt::format("{:.3g} m from the target: joints and loops let it no nearer", way.missing);
    return out;
}

Assembly Closure::setCoordinate(std::vector<double> q, int velocity, double value, std::span<const double> param,
                                const AssembleOptions& options) {
    Assembly out = assemble(std::move(q), param, options);
    ClosureSpace& space = inside_->space;
    if (!out.closed) return out;
    if (velocity < 0 || velocity >= space.layout().nv || !std::isfinite(value)) {
        out.what = "no such coordinate, or no number for it";
        return out;
    }
    const TreeBody& b = space.topology.bodies()[space.layout().body_of_v[velocity]];
    const std::string& name = space.layout().v_names[velocity];
    if (b.nq != b.nv) {
        out.what = fmt::format("{} is a rate only: a free attitude has no single angle that could be set", name);
        return out;
    }
    const int slot = b.q + velocity - b.v;
    Goal goal;
    goal.missing = [&](const std::vector<double>& pose) {
        space.place(pose, param);
        return VectorXd::Constant(1, value - pose[slot]);
    };
    goal.jacobian = [&] { return MatrixXd(VectorXd::Unit(space.layout().nv, velocity).transpose()); };
    goal.hold = goal.correction_hold = holdOf(space, options.keep);
    goal.correction_hold.resize(space.layout().nv, 0.0);
    goal.correction_hold[velocity] = kFixed;
    if (!goal.hold.empty()) goal.hold[velocity] = 0;
    goal.reached = 4e-16 * std::max(1.0, std::abs(value));

    Way way;
    const MatrixXd K = space.layout().nc ? (space.place(out.q, param), space.jacobian()) : MatrixXd();
    if (K.size() == 0 || K.col(velocity).isZero()) {
        // No loop hangs on it.
        out.q[slot] = value;
        way.reached = true;
    } else {
        way = follow(space, out.q, param, goal, options.tolerance, 2 * options.most_steps, 1e-7);
    }
    const Worst worst = space.layout().nc ? (space.place(out.q, param), space.worst(space.error())) : Worst{};
    out.worst = worst.error;
    out.loop = worst.loop;
    out.row = worst.row;
    out.steps += way.steps;
    out.what = way.reached ? fmt::format("{} is {:.6g}", name, out.q[slot])
                           : fmt::format("{} comes to {:.6g}, not to {:.6g}: the loops let it no further", name,
                                         out.q[slot], value);
    return out;
}

}  // namespace mw
