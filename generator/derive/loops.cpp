// Rows of loops by walks from end to end.
#include "generator/derive/loops.h"

#include <array>

#include "generator/derive/numbers.h"

namespace mw::gen {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }
constexpr double kPi = 3.14159265358979323846;

}  // namespace

Loops::Paths Loops::pathsOf(const mw::Loop& loop) const {
    Paths paths{tree_.waysBetween(loop.from.body, loop.to.body)};
    const auto floats = [&](const std::vector<int>& path) {
        return !path.empty() && tree_.link(path.back()).kind == LinkKind::floating;
    };
    paths.from_floats = floats(paths.from), paths.to_floats = floats(paths.to);
    return paths;
}

std::pair<int, int> Loops::rootsOf(int loop) const {
    const auto root = [&](int body) {
        int link = tree_.linkOf(body);
        while (link != kBase && tree_.link(link).parent != kBase) link = tree_.link(link).parent;
        return link;
    };
    const mw::Loop& l = model_.loops[at(loop)];
    return {root(l.from.body), root(l.to.body)};
}

int Loops::bodyOf(int loop) const {
    const mw::Loop& l = model_.loops[at(loop)];
    return l.to.body != kBase ? l.to.body : l.from.body;
}

Loops::JointMotion Loops::motionOf(const Link& link, bool free_fall) const {
    const auto rate = [&](int d) { return graph_.input(Array::v, link.v + d); };
    JointMotion m;
    switch (link.kind) {
        case LinkKind::revolute: m.turning[at(link.axis)] = rate(0); break;
        case LinkKind::prismatic: m.sliding[at(link.axis)] = rate(0); break;
        case LinkKind::screw:
            m.turning[at(link.axis)] = rate(0);
            m.sliding[at(link.axis)] = link.pitch * rate(0);
            break;
        case LinkKind::spherical: m.turning = {rate(0), rate(1), rate(2)}; break;
        case LinkKind::floating:
            m.turning = {rate(0), rate(1), rate(2)};
            m.sliding = {rate(3), rate(4), rate(5)};
            // The components of v stand still while they turn; in free fall the origin keeps its velocity.
            if (!free_fall) m.drift = cross(m.turning, m.sliding);
            break;
    }
    return m;
}

/// 2 w x v + w x (w x p), with carried = w x p.
Vec Loops::twice(const Vec& turning, const Vec& v, const Vec& carried) const {
    if (tree_.fault == Fault::loop_coriolis_missing) return cross(turning, carried);
    if (tree_.fault == Fault::loop_centrifugal_missing) return cross(turning, constant(2) * v);
    return cross(turning, constant(2) * v + carried);
}

// With r = o + R p (o, r in the parent's axes): r' = R (o' + p' + w x p), r'' = R (o'' + p'' + 2 w x p' + w x (w x p)),
// and for angular velocities relative to the parent W = R (w + u), W' = R (u' + w x u).
Loops::Seen Loops::toParent(const Link& link, const Seen& seen, bool free_fall) const {
    const JointMotion joint = motionOf(link, free_fall);
    const Vec carried = cross(joint.turning, seen.p);
    const Rotation& R = link.rotation;
    const Vec products =
        tree_.fault == Fault::loop_turn_bias_missing ? seen.alpha : seen.alpha + cross(joint.turning, seen.w);
    return {link.p + R.out(seen.p), R.out(seen.v + carried + joint.sliding),
            R.out(seen.a + twice(joint.turning, seen.v, carried) + joint.drift), R.out(seen.w + joint.turning),
            R.out(products)};
}

Loops::Seen Loops::fromParent(const Link& link, const Seen& seen, bool free_fall) const {
    const JointMotion joint = motionOf(link, free_fall);
    const Rotation& R = link.rotation;
    Seen r;
    r.p = R.in(seen.p - link.p);
    const Vec carried = cross(joint.turning, r.p);
    r.v = R.in(seen.v) - carried - joint.sliding;
    r.a = R.in(seen.a) - twice(joint.turning, r.v, carried) - joint.drift;
    r.w = R.in(seen.w) - joint.turning;
    r.alpha = R.in(seen.alpha);
    if (tree_.fault != Fault::loop_turn_bias_missing) r.alpha = r.alpha - cross(joint.turning, r.w);
    return r;
}

const Loops::Bridge& Loops::bridge(int to, int from, bool free_fall) {
    const auto known = bridges_.find({to, from});
    if (known != bridges_.end()) return known->second;
    Bridge b;
    b.R = identity(graph_);
    Seen origin;
    if (to != kBase) {
        origin = toParent(tree_.link(to), Seen{}, free_fall);
        b.R = tree_.link(to).rotation.after(b.R);
    }
    // Relative to free fall a floating root keeps its velocity, and what is not one is left behind upwards.
    if (free_fall && (to == kBase || from == kBase)) {
        const Vec gravity = vectorExpr(graph_, model_.gravity);
        origin.a = to != kBase ? origin.a + gravity : origin.a - gravity;
    }
    if (from != kBase) {
        origin = fromParent(tree_.link(from), origin, free_fall);
        Mat R;
        for (int j = 0; j < 3; ++j) {
            const Vec column = tree_.link(from).rotation.in(Vec{b.R(0, j), b.R(1, j), b.R(2, j)});
            for (int i = 0; i < 3; ++i) R(i, j) = column[at(i)];
        }
        b.R = R;
    }
    b.o = origin.p, b.v = origin.v, b.a = origin.a, b.w = origin.w, b.alpha = origin.alpha;
    const bool still = tree_.fault == Fault::loop_centrifugal_missing;
    b.W = still ? crossMatrix(origin.alpha) : accelerationPerDistance(b.w, origin.alpha);
    return bridges_.emplace(std::pair(to, from), b).first->second;
}

Loops::Seen Loops::across(const Bridge& b, const Seen& seen) const {
    const Vec p = b.R * seen.p, v = b.R * seen.v, w = b.R * seen.w;
    Vec a = b.a + b.W * p + b.R * seen.a;
    if (tree_.fault != Fault::loop_coriolis_missing) a = a + cross(constant(2) * b.w, v);
    Vec alpha = b.alpha + b.R * seen.alpha;
    if (tree_.fault != Fault::loop_turn_bias_missing) alpha = alpha + cross(b.w, w);
    return {b.o + p, b.v + cross(b.w, p) + v, a, b.w + w, alpha};
}

Loops::Seen Loops::climb(const LoopFrame& frame, const std::vector<int>& path, bool free_fall,
                         std::vector<Vec>& points) const {
    Seen seen;
    seen.p = tree_.point(graph_, {frame.body, frame.at});
    for (int link : path) {
        points.push_back(seen.p);
        if (tree_.link(link).kind != LinkKind::floating) seen = toParent(tree_.link(link), seen, free_fall);
    }
    return seen;
}

Vec Loops::direction(const LoopFrame& frame, const Vector3d& axis) const {
    const bool ignored = tree_.fault == Fault::loop_rot_ignored;
    Mat R = ignored ? identity(graph_) : rotationExpr(graph_, frame.rot);
    if (frame.body != kBase) R = turned(graph_, tree_.places[at(frame.body)].R, R);
    const Vec v = R * Vec{constant(axis[0]), constant(axis[1]), constant(axis[2])};
    const int link = tree_.linkOf(frame.body);
    return link == kBase ? v : tree_.link(link).own.out(v);
}

void Loops::addEntries(ConstraintRow& row, const Link& link, const Wrench& wrench, bool successor) const {
    for (int d = 0; d < link.dofs(); ++d) {
        const Expr entry = freedomOf(link, d).along(wrench);
        if (!entry.isZero()) row.entries.emplace_back(link.dof + d, successor ? entry : -entry);
    }
}

ConstraintRow Loops::distanceRow(const mw::Loop& loop, const Paths& paths, RowForm form, bool free_fall) {
    ConstraintRow row;
    std::vector<Vec> from_points, to_points;
    const Seen from = climb(loop.from, paths.from, free_fall, from_points);
    Seen to = climb(loop.to, paths.to, free_fall, to_points);
    const Mat* R = nullptr;
    if (paths.bridged()) {
        const Bridge& b = bridge(paths.toRoot(), paths.fromRoot(), free_fall);
        to = across(b, to);
        R = &b.R;
    }
    const Vec rho = to.p - from.p, rate = to.v - from.v;
    Vec change = to.a - from.a;
    const Expr square = dot(rho, rho), length = numberExpr(graph_, loop.length);
    const Expr apart = sqrt(square);
    row.outside.emplace_back(0, tree_.fault == Fault::loop_lambda_unscaled ? constant(1) : apart);
    // delta = (|rho|^2 - L^2) / 2, delta' = rho . rho', delta'' = rho . rho'' + |rho'|^2.
    Expr half = constant(0.5) * (square - length * length);
    if (tree_.fault == Fault::loop_distance_unsquared) half = apart - length;
    if (model_.stab > 0) {
        const double factor = tree_.fault == Fault::loop_stab_factor ? 1 : 2;
        change = change + constant(factor / model_.stab) * rate;
    }
    Expr sum = dot(rho, change);
    if (tree_.fault != Fault::loop_stretch_missing) sum = sum + dot(rate, rate);
    if (tree_.fault == Fault::loop_bias_missing) sum = Expr();
    if (model_.stab > 0) {
        const Expr back = constant(1 / (model_.stab * model_.stab)) * half;
        sum = tree_.fault == Fault::loop_stab_sign ? sum - back : sum + back;
    }
    row.wanted = -sum;
    const auto descend = [&](Vec line, const std::vector<int>& path, const std::vector<Vec>& points, bool successor) {
        for (std::size_t i = path.size(); i-- > 0;) {
            const Link& link = tree_.link(path[i]);
            if (link.kind != LinkKind::floating) line = link.rotation.in(line);
            addEntries(row, link, {cross(points[i], line), line}, successor || tree_.fault == Fault::loop_paths_added);
        }
    };
    descend(rho, paths.from, from_points, false);
    descend(R ? transposedTimes(*R, rho) : rho, paths.to, to_points, true);
    if (form == RowForm::declared)
        for (auto& [dof, entry] : row.entries) entry = entry / apart;
    return row;
}

Loops::Triad Loops::fromPredecessor(const std::array<Vec, 3>& axes, const Paths& paths, bool free_fall) {
    const Mat* R = paths.bridged() ? &bridge(paths.toRoot(), paths.fromRoot(), free_fall).R : nullptr;
    return carried(axes, paths.from, paths.to, [&](const Vec& e) { return R ? transposedTimes(*R, e) : e; });
}

Loops::Triad Loops::fromSuccessor(const std::array<Vec, 3>& axes, const Paths& paths, bool free_fall) {
    const Mat* R = paths.bridged() ? &bridge(paths.toRoot(), paths.fromRoot(), free_fall).R : nullptr;
    const Triad r = carried(axes, paths.to, paths.from, [&](const Vec& e) { return R ? *R * e : e; });
    return {r.on_to, r.on_from, r.on_meeting, r.at_to, r.at_from};
}

template <class Crossing>
Loops::Triad Loops::carried(const std::array<Vec, 3>& axes, const std::vector<int>& from, const std::vector<int>& to,
                            const Crossing& crossing) const {
    Triad r;
    for (std::size_t k = 0; k < 3; ++k) {
        Vec e = r.at_from[k] = axes[k];
        for (int link : from) {
            r.on_from[k].push_back(e);
            if (tree_.link(link).kind != LinkKind::floating) e = tree_.link(link).rotation.out(e);
        }
        e = r.on_meeting[k] = crossing(e);
        r.on_to[k].resize(to.size());
        for (std::size_t i = to.size(); i-- > 0;) {
            const Link& link = tree_.link(to[i]);
            if (link.kind != LinkKind::floating) e = link.rotation.in(e);
            r.on_to[k][i] = e;
        }
        r.at_to[k] = e;
    }
    return r;
}

Vec Loops::turnBetweenAxes(const Vec& b) {
    // From (0 0 1) to b: axis (-b2 b1 0) / s, angle atan2(s, b3), s the sine. Right down to s = 0, where the product
    // with b vanishes whatever the finite factor; against each other the turn is half a one about the first direction.
    constexpr double kTiny = 1e-150;
    const Expr square = b[0] * b[0] + b[1] * b[1], sine = sqrt(square);
    const Expr factor = graph_.make(Op::atan2, sine, b[2]) / max(sine, constant(kTiny));
    const Expr against = selectLess(b[2], constant(0), constant(kPi), constant(0));
    return {selectLess(constant(0), square, -(factor * b[1]), against), factor * b[0], Expr()};
}

Vec Loops::turnOf(const Mat& R) {
    // Four multiples of the quaternion w x y z, by each of its own components in turn; the one of the largest keeps all
    // digits.
    const Expr one = constant(1);
    const Expr x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
    const Expr xy = R(0, 1) + R(1, 0), xz = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
    const Expr sum = R(0, 0) + R(1, 1), difference = R(0, 0) - R(1, 1);
    using Quaternion = std::array<Expr, 4>;
    const Quaternion candidates[4] = {{one + sum + R(2, 2), x, y, z},
                                      {x, one + difference - R(2, 2), xy, xz},
                                      {y, xy, one - difference - R(2, 2), yz},
                                      {z, xz, yz, one - sum + R(2, 2)}};
    Quaternion q = candidates[0];
    Expr size = candidates[0][0];
    for (std::size_t k = 1; k < 4; ++k) {
        const Expr own = candidates[k][k];
        for (std::size_t i = 0; i < 4; ++i) q[i] = selectLess(size, own, candidates[k][i], q[i]);
        size = max(size, own);
    }
    // The shorter way round.
    const Expr sign = selectLess(q[0], constant(0), constant(-1), one);
    const Vec u = sign * Vec{q[1], q[2], q[3]};
    constexpr double kTiny = 1e-150;
    const Expr sine = sqrt(dot(u, u));
    const Expr factor = constant(2) * graph_.make(Op::atan2, sine, sign * q[0]) / max(sine, constant(kTiny));
    return factor * u;
}

std::vector<ConstraintRow> Loops::jointRows(const mw::Loop& loop, const Paths& paths, RowForm form, bool free_fall) {
    const Fault fault = tree_.fault;
    const std::vector<LoopRow> rows = rowsOf(loop);
    const auto [first, second] = directionsAcross(loop.axis);
    const bool cartesian = loop.type == LoopType::spherical;
    const Vector3d axes[3] = {cartesian ? Vector3d{1, 0, 0} : first, cartesian ? Vector3d{0, 1, 0} : second,
                              cartesian ? Vector3d{0, 0, 1} : loop.axis};

    // The successor's origin and turning, from its own link to the meeting and on to the predecessor.
    std::vector<Vec> to_points, from_points(paths.from.size());
    Seen seen = climb(loop.to, paths.to, free_fall, to_points);
    if (paths.bridged()) seen = across(bridge(paths.toRoot(), paths.fromRoot(), free_fall), seen);
    const Vec at_meeting = seen.p;
    for (std::size_t i = paths.from.size(); i-- > 0;) {
        const Link& link = tree_.link(paths.from[i]);
        if (link.kind != LinkKind::floating) seen = fromParent(link, seen, free_fall);
        from_points[i] = seen.p;
    }
    const Vec own_point = tree_.point(graph_, {loop.from.body, loop.from.at});
    const Vec apart = seen.p - own_point;
    if (fault == Fault::loop_own_point) {
        Vec p = own_point;
        for (std::size_t i = 0; i < paths.from.size(); ++i) {
            from_points[i] = p;
            p = tree_.link(paths.from[i]).p + tree_.link(paths.from[i]).rotation.out(p);
        }
    }

    // The declared directions, the predecessor's; and those that the moves are solved along.
    const auto axesOf = [&](const LoopFrame& frame) {
        return std::array<Vec, 3>{direction(frame, axes[0]), direction(frame, axes[1]), direction(frame, axes[2])};
    };
    const Triad declared = fromPredecessor(axesOf(loop.from), paths, free_fall);
    const bool all_moves = loop.type == LoopType::spherical || loop.type == LoopType::revolute;
    const int successor = tree_.linkOf(loop.to.body);
    const bool turned_over = form == RowForm::solved && all_moves && fault != Fault::loop_moves_in_successor &&
                             successor != kBase && tree_.link(successor).kind == LinkKind::floating &&
                             !paths.to.empty();
    const Expr one = constant(1);
    const Expr none;
    const std::array<Vec, 3> unit{Vec{one, none, none}, Vec{none, one, none}, Vec{none, none, one}};
    const Triad moves = turned_over ? fromSuccessor(unit, paths, free_fall) : declared;
    const bool mistaken = fault == Fault::loop_turns_in_successor || fault == Fault::loop_moves_in_successor;
    const Triad wrong = mistaken ? fromSuccessor(axesOf(loop.to), paths, free_fall) : Triad{};

    // What stabilisation calls back: moves in the predecessor's axes, turns along its directions.
    const double T = model_.stab, damping = T > 0 ? (fault == Fault::loop_stab_factor ? 1 : 2) / T : 0;
    double stiffness = T > 0 ? 1 / (T * T) : 0;
    if (fault == Fault::loop_stab_sign) stiffness = -stiffness;
    Vec moving = seen.a, turning = seen.alpha, turned{};
    if (fault == Fault::loop_bias_missing) moving = Vec{}, turning = Vec{};
    if (T > 0) {
        moving = moving + constant(damping) * seen.v + constant(stiffness) * apart;
        turning = turning + constant(damping) * seen.w;
        const auto along = [&](const Vector3d& axis) {
            const Vec b = direction(loop.to, axis);
            return Vec{dot(declared.at_to[0], b), dot(declared.at_to[1], b), dot(declared.at_to[2], b)};
        };
        if (loop.type == LoopType::revolute || loop.type == LoopType::cylindrical) {
            turned = turnBetweenAxes(along(loop.axis));
        } else if (loop.type == LoopType::prismatic) {
            Mat R;
            for (int j = 0; j < 3; ++j) {
                const Vec column = along(axes[j]);
                for (int i = 0; i < 3; ++i) R(i, j) = column[at(i)];
            }
            turned = turnOf(R);
        }
        if (fault == Fault::loop_attitude_sign) turned = -turned;
    }

    std::vector<ConstraintRow> result;
    const auto number = [&](std::size_t k) { return k + rows.size() - 3; };  // of a move row where all three are there
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const LoopRow& row = rows[i];
        std::size_t k = 0;
        while (k < 2 && row.direction != axes[k]) ++k;
        const bool turn = row.kind == LoopRow::Kind::turn;
        const Triad& triad = fault == (turn ? Fault::loop_turns_in_successor : Fault::loop_moves_in_successor) ? wrong
                             : turn ? declared
                                    : moves;
        ConstraintRow made;
        const auto wrench = [&](const Vec& e, const Vec& point) {
            return turn ? Wrench{e, {}} : Wrench{cross(point, e), e};
        };
        for (std::size_t l = 0; l < paths.from.size(); ++l)
            addEntries(made, tree_.link(paths.from[l]), wrench(triad.on_from[k][l], from_points[l]),
                       fault == Fault::loop_paths_added);
        for (std::size_t l = 0; l < paths.to.size(); ++l)
            addEntries(made, tree_.link(paths.to[l]), wrench(triad.on_to[k][l], to_points[l]), true);
        if (fault == Fault::loop_common_ancestors) {
            Vec e = triad.on_meeting[k], point = at_meeting;
            for (int link = paths.meeting; link != kBase; link = tree_.link(link).parent) {
                addEntries(made, tree_.link(link), wrench(e, point), true);
                point = tree_.link(link).p + tree_.link(link).rotation.out(point);
                e = tree_.link(link).rotation.out(e);
            }
        }
        if (turn) made.wanted = -(dot(declared.at_from[k], turning) + constant(stiffness) * turned[k]);
        else made.wanted = -dot(turned_over ? moves.at_from[k] : declared.at_from[k], moving);
        if (!turn && turned_over)
            for (std::size_t j = 0; j < 3; ++j)
                made.outside.emplace_back(static_cast<int>(number(j)), dot(declared.at_from[j], moves.at_from[k]));
        else made.outside.emplace_back(static_cast<int>(i), one);
        result.push_back(std::move(made));
    }
    return result;
}

std::vector<ConstraintRow> Loops::rows(RowForm form, bool free_fall) {
    std::vector<ConstraintRow> all;
    bridges_.clear();
    for (int i = 0; i < static_cast<int>(model_.loops.size()); ++i) {
        const mw::Loop& loop = model_.loops[at(i)];
        const Paths paths = pathsOf(loop);
        std::vector<ConstraintRow> own;
        if (loop.type == LoopType::distance) own.push_back(distanceRow(loop, paths, form, free_fall));
        else own = jointRows(loop, paths, form, free_fall);
        const int first = static_cast<int>(all.size());
        for (ConstraintRow& row : own) {
            row.loop = i;
            for (auto& [number, share] : row.outside) number += first;
            all.push_back(std::move(row));
        }
        owners_.claim(bodyOf(i));
    }
    return all;
}

}  // namespace mw::gen
