// Velocities, bias forces and the mass matrix of the tree.
#include "generator/derive/tree.h"

#include <stdexcept>

#include "generator/derive/numbers.h"

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

Expr Freedom::along(const Wrench& force) const {
    if (turn < 0) return force.f[at(slide)];
    if (slide < 0) return force.n[at(turn)];
    return force.n[at(turn)] + ratio * force.f[at(slide)];
}

Freedom freedomOf(const Link& link, int d) {
    switch (link.kind) {
        case LinkKind::revolute: return {link.axis, -1, {}};
        case LinkKind::prismatic: return {-1, link.axis, {}};
        case LinkKind::screw: return {link.axis, link.axis, link.pitch};
        case LinkKind::spherical: return {d, -1, {}};
        case LinkKind::floating: break;
    }
    return d < 3 ? Freedom{d, -1, {}} : Freedom{-1, d - 3, {}};
}

TreeDynamics::TreeDynamics(Graph& graph, const Model& model, const Layout& layout, const LinkTree& tree,
                           NodeOwners& owners)
    : graph_(graph), model_(model), layout_(layout), tree_(tree), owners_(owners) {}

bool TreeDynamics::mayFall() const {
    bool any = false;
    for (const Link& link : tree_.links) {
        if (link.kind != LinkKind::floating) continue;
        if (!link.armature.isZero()) return false;
        any = true;
    }
    return any;
}

Motion TreeDynamics::motionOf(const Link& link, const Motion& parent, bool free_fall) {
    const auto rate = [&](int d) { return graph_.input(Array::v, link.v + d); };
    Motion m;
    if (link.kind == LinkKind::floating) {
        m.w = {rate(0), rate(1), rate(2)};
        // The acceleration of the origin when the components of v stand still: w x v, less gravity.
        if (!free_fall) m.a = cross(m.w, Vec{rate(3), rate(4), rate(5)}) + link.rotation.in(parent.a);
    } else {
        const Vec carried = link.rotation.in(parent.w);
        Vec turning, sliding;
        if (link.kind == LinkKind::spherical) turning = {rate(0), rate(1), rate(2)};
        if (link.kind == LinkKind::revolute || link.kind == LinkKind::screw) turning[at(link.axis)] = rate(0);
        if (link.kind == LinkKind::prismatic) sliding[at(link.axis)] = rate(0);
        if (link.kind == LinkKind::screw) sliding[at(link.axis)] = link.pitch * rate(0);
        m.w = carried + turning;
        m.alpha = link.rotation.in(parent.alpha);
        const bool inner = link.v != layout_.v_of_body[at(link.body)];  // not the first coordinate of its joint
        if (tree_.fault != Fault::joint_bias_missing || !inner) m.alpha = m.alpha + cross(carried, turning);

        m.a = link.rotation.in(parent.a + parent.W * link.p);
        if (!isZero(sliding)) m.a = m.a + cross(graph_.constant(2) * carried, sliding);
    }
    m.W = accelerationPerDistance(m.w, m.alpha);
    return m;
}

Mat accelerationPerDistance(const Vec& w, const Vec& alpha) {
    const auto& [x, y, z] = w;
    const auto& [ax, ay, az] = alpha;
    const Expr xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    Mat W;
    W(0, 0) = -(yy + zz), W(1, 1) = -(xx + zz), W(2, 2) = -(xx + yy);
    W(0, 1) = xy - az, W(1, 0) = xy + az;
    W(0, 2) = xz + ay, W(2, 0) = xz - ay;
    W(1, 2) = yz - ax, W(2, 1) = yz + ax;
    return W;
}

Wrench inertialForce(const Inertia& body, const Motion& motion) {
    const auto& [x, y, z] = motion.w;
    const Mat& W = motion.W;
    const Vec& alpha = motion.alpha;
    const Sym& I = body.I;
    Wrench r;
    r.f = body.m * motion.a + W * body.h;
    // I alpha + w x I w, written with the entries of W and products of w, which are there already.
    const Expr squares[3] = {x * x, y * y, z * z};
    const Expr products[3] = {y * z, z * x, x * y};
    const Vec moment = cross(body.h, motion.a);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr n = I(i, i) * alpha[at(i)] + (I(k, k) - I(j, j)) * products[i];
        n = n + I(i, k) * W(j, i);
        n = n - I(i, j) * W(k, i);
        n = n + I(j, k) * (squares[j] - squares[k]);
        r.n[at(i)] = n + moment[at(i)];
    }
    return r;
}

std::vector<Wrench> TreeDynamics::linkForces(bool external, bool free_fall) {
    Motion base;
    base.a = -vectorExpr(graph_, model_.gravity);
    std::vector<Motion> motions;
    std::vector<Wrench> forces;
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
        const Link& link = tree_.links[i];
        motions.push_back(motionOf(link, link.parent == kBase ? base : motions[at(link.parent)], free_fall));
        forces.push_back(inertialForce(link.inertia, motions.back()));
        if (external) {
            const Wrench wrench = externalForce(static_cast<int>(i));
            forces.back() = {forces.back().n - wrench.n, forces.back().f - wrench.f};
        }
        owners_.claim(link.body);
    }
    return forces;
}

const TreeDynamics::Pose& TreeDynamics::poseOf(int index) {
    // Links come in order, so a pose that is missing has only missing ones behind it.
    for (int i = static_cast<int>(poses_.size()); i <= index; ++i) {
        const Link& link = tree_.link(i);
        const Pose base{identity(graph_), {}};
        const Pose& parent = link.parent == kBase ? base : poses_[at(link.parent)];
        Pose pose{link.rotation.after(parent.R), parent.r + parent.R * link.p};
        poses_.push_back(pose);
        owners_.claim(link.body);
    }
    return poses_[at(index)];
}

Wrench TreeDynamics::externalForce(int index) {
    Wrench sum;
    bool any = false;
    for (std::size_t body = 0; body < model_.bodies.size(); ++body) {
        if (!model_.bodies[body].fext || tree_.places[body].link != index) continue;
        any = true;
        const int first = 6 * static_cast<int>(body);
        for (int i = 0; i < 3; ++i) {
            sum.n[at(i)] = sum.n[at(i)] + graph_.input(Array::fext, first + i);
            sum.f[at(i)] = sum.f[at(i)] + graph_.input(Array::fext, first + 3 + i);
        }
    }
    if (!any) return sum;
    std::vector<int> path;
    for (int link = index; link != kBase; link = tree_.link(link).parent) path.push_back(link);
    constexpr std::size_t kStepwise = 2;  // beyond, the link's pose (shared with its neighbours) is the cheaper way
    if (path.size() <= kStepwise) {
        for (auto link = path.rbegin(); link != path.rend(); ++link) {
            const Link& l = tree_.link(*link);
            sum = {l.rotation.in(sum.n - cross(l.p, sum.f)), l.rotation.in(sum.f)};
        }
        return sum;
    }
    const auto& [R, r] = poseOf(index);
    return {transposedTimes(R, sum.n - cross(r, sum.f)), transposedTimes(R, sum.f)};
}

std::vector<Expr> TreeDynamics::generalised(std::vector<Wrench> forces) {
    std::vector<Expr> tau(at(tree_.ndof()));
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
        const Link& link = tree_.link(i);
        const Wrench& own = forces[at(i)];
        for (int d = 0; d < link.dofs(); ++d) tau[at(link.dof + d)] = freedomOf(link, d).along(own);
        if (link.parent != kBase) {
            const Vec f = link.rotation.out(own.f);
            const Vec n = link.rotation.out(own.n) + cross(link.p, f);
            Wrench& parent = forces[at(link.parent)];
            parent = parent + Wrench{n, f};
        }
        owners_.claim(link.body);
    }
    return tau;
}

TreeMatrix TreeDynamics::massMatrix() {
    std::vector<Inertia> composite;
    for (const Link& link : tree_.links) composite.push_back(link.inertia);
    TreeMatrix H(tree_.ndof());
    for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) {
        const Link& link = tree_.link(i);
        const Inertia& c = composite[at(i)];
        for (int d = 0; d < link.dofs(); ++d) {
            // The momentum of the composite body in the unit motion.
            const Freedom freedom = freedomOf(link, d);
            Wrench F;
            if (freedom.turn >= 0) {
                Vec axis{};
                axis[at(freedom.turn)] = graph_.constant(1);
                for (int k = 0; k < 3; ++k) F.n[at(k)] = c.I(k, freedom.turn);
                F.f = cross(axis, c.h);
            }
            if (freedom.slide >= 0) {
                Vec axis{};
                axis[at(freedom.slide)] = freedom.turn >= 0 ? freedom.ratio : graph_.constant(1);
                F.n = F.n + cross(c.h, axis);
                F.f = F.f + c.m * axis;
            }
            for (int e = 0; e <= d; ++e) H(link.dof + d, link.dof + e) = freedomOf(link, e).along(F);
            H(link.dof + d, link.dof + d) = H(link.dof + d, link.dof + d) + link.armature;
            for (const Link* below = &link; below->parent != kBase;) {
                F.f = below->rotation.out(F.f);
                F.n = below->rotation.out(F.n) + cross(below->p, F.f);
                below = &tree_.link(below->parent);
                for (int e = 0; e < below->dofs(); ++e) H(link.dof + d, below->dof + e) = freedomOf(*below, e).along(F);
            }
        }
        if (link.parent != kBase) {
            Inertia seen = moved(graph_, c, link.rotation, link.p);
            if (tree_.fault == Fault::inertia_transposed)
                seen.I = seen.I - link.rotation.out(c.I) + link.rotation.transposed().out(c.I);

            Inertia& parent = composite[at(link.parent)];
            parent = {parent.m + seen.m, parent.h + seen.h, parent.I + seen.I};
        }
        owners_.claim(link.body);
    }
    return H;
}

std::vector<Expr> TreeDynamics::massTimes(const std::vector<Expr>& vdot) {
    std::vector<Vec> alpha, a;
    std::vector<Wrench> forces;
    for (const Link& link : tree_.links) {
        Vec turning, linear;
        if (link.parent != kBase) {
            const Vec& parent = alpha[at(link.parent)];
            turning = link.rotation.in(parent);
            linear = link.rotation.in(a[at(link.parent)] + cross(parent, link.p));
        }
        for (int d = 0; d < link.dofs(); ++d) {
            const Freedom freedom = freedomOf(link, d);
            const Expr x = vdot[at(link.dof + d)];
            if (freedom.turn >= 0) turning[at(freedom.turn)] = turning[at(freedom.turn)] + x;
            if (freedom.slide >= 0)
                linear[at(freedom.slide)] = linear[at(freedom.slide)] + (freedom.turn >= 0 ? freedom.ratio * x : x);
        }
        alpha.push_back(turning), a.push_back(linear);
        const Inertia& body = link.inertia;
        forces.push_back({body.I * turning + cross(body.h, linear), body.m * linear + cross(turning, body.h)});
        owners_.claim(link.body);
    }
    std::vector<Expr> tau = generalised(std::move(forces));
    for (const Link& link : tree_.links)
        for (int d = 0; d < link.dofs(); ++d)
            tau[at(link.dof + d)] = tau[at(link.dof + d)] + link.armature * vdot[at(link.dof + d)];
    return tau;
}

std::string TreeDynamics::checkSparsity(const std::function<bool(int, int)>& hasEntry) const {
    const int n = tree_.ndof();
    // What topology says, from the bodies of the model and not from the links: two velocities couple when one's body
    // carries the other's.
    std::vector<char> carries(model_.bodies.size());
    int empty = 0;
    std::string pairs;
    for (int i = 0; i < n; ++i) {
        std::vector<char> onTheWay(at(n), 0);
        for (int j = i; j >= 0; j = tree_.expanded_parent[at(j)]) onTheWay[at(j)] = 1;
        const int vi = tree_.v_of_dof[at(i)];
        carries.assign(carries.size(), 0);
        for (int body = layout_.body_of_v[at(vi)]; body != kBase; body = model_.bodies[at(body)].parent)
            carries[at(body)] = 1;
        for (int j = 0; j <= i; ++j) {
            const int vj = tree_.v_of_dof[at(j)];
            const bool predicted = carries[at(layout_.body_of_v[at(vj)])] != 0;
            const auto where = [&] { return layout_.v_names[at(vi)] + ", " + layout_.v_names[at(vj)]; };
            if (predicted != (onTheWay[at(j)] != 0))
                throw std::logic_error("mass matrix: the expanded parent array and the tree of bodies disagree at (" +
                                       where() + ")");
            const bool entry = hasEntry(i, j);
            if (entry && !predicted)
                throw std::logic_error("mass matrix: an entry where topology predicts none, at (" + where() + ")");
            if (!entry && predicted) {
                if (++empty <= 6) pairs += (pairs.empty() ? "" : "; ") + where();
            }
        }
    }
    if (empty == 0) return {};
    return std::to_string(empty) + " coupled pairs are zero by geometry (" + pairs + (empty > 6 ? "; ..." : "") + ")";
}

}  // namespace mw::gen
