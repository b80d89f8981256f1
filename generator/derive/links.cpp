// From bodies and joints to links.
#include "generator/derive/links.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "generator/derive/numbers.h"

namespace mw::gen {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Coordinate axis that a unit vector points along, -1 for another direction.
int coordinateAxis(const Vector3d& n) {
    for (int k = 0; k < 3; ++k)
        if (n[at(k)] == 1 && n[at((k + 1) % 3)] == 0 && n[at((k + 2) % 3)] == 0) return k;
    return -1;
}

Rotation asRotation(const Mat& R) {
    Rotation rotation;
    if (!isIdentity(R)) rotation.append(Turn{-1, {}, {}, R});
    return rotation;
}

Inertia operator+(const Inertia& a, const Inertia& b) { return {a.m + b.m, a.h + b.h, a.I + b.I}; }

/// Entries that are rounding of larger ones become zero: constants that the regrouping has cancelled.
Expr withoutRounding(Graph& graph, Expr e, Expr scale) {
    if (e.isConstant() && scale.isConstant() && std::fabs(e.value()) < 1e-15 * std::fabs(scale.value()))
        return graph.constant(0);
    return e;
}

class Builder {
public:
    Builder(Graph& graph, const Model& model, const Layout& layout, const std::vector<LinkChoice>& choices, Fault fault)
        : graph_(graph), model_(model), layout_(layout), choices_(choices) {
        tree_.fault = fault;
    }

    LinkTree build(bool regroup) {
        tree_.places.resize(model_.bodies.size());
        for (int body : model_.order()) addBody(body);
        choices_.resize(tree_.links.size());
        const int count = static_cast<int>(tree_.links.size());
        twistAxes();
        for (int i = 0; i < count; ++i)
            if (choices_[at(i)].slide) slideOrigin(i);
        for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
            const BodyPlace& place = tree_.places[i];
            if (place.link == kBase) continue;
            Inertia& sum = tree_.link(place.link).inertia;
            sum = sum + moved(graph_, bodyInertia(graph_, model_.bodies[i]), asRotation(place.R), place.p);
        }
        if (regroup)
            for (int i = static_cast<int>(tree_.links.size()) - 1; i >= 0; --i) regroupLink(i);
        for (std::size_t i = 0; i < tree_.links.size(); ++i) mergeOffset(tree_.links[i], fixed_[i]);
        for (int i = 0; i < count; ++i)
            if (parallelToParent(i) && choices_[at(tree_.link(i).parent)].hold)
                tree_.link(tree_.link(i).parent).held = true;
        for (std::size_t i = 0; i < tree_.links.size(); ++i) place(static_cast<int>(i));
        countDofs();
        return std::move(tree_);
    }

private:
    /// The joint frame in the parent's turning axes: what `at` and `rot` (and bodies on fixed joints) make of it.
    struct Fixed {
        Mat R;
        Vec p;
    };

    void addBody(int index) {
        const Body& body = model_.bodies[at(index)];
        Fixed frame{rotationExpr(graph_, body.rot), vectorExpr(graph_, body.at)};
        int link = kBase;
        if (body.parent != kBase) {
            const BodyPlace& parent = tree_.places[at(body.parent)];
            link = parent.link;
            frame.p = parent.p + parent.R * frame.p;
            frame.R = turned(graph_, parent.R, frame.R);
        }
        frame_ = frame, link_ = link, body_ = index;
        q_ = layout_.q_of_body[at(index)], v_ = layout_.v_of_body[at(index)];
        const Joint& joint = body.joint;
        switch (joint.type) {
            case JointType::fixed: break;
            case JointType::revolute: addAlong(LinkKind::revolute, joint.axis); break;
            case JointType::prismatic: addAlong(LinkKind::prismatic, joint.axis); break;
            case JointType::screw:
                addAlong(LinkKind::screw, joint.axis);
                tree_.links.back().pitch = numberExpr(graph_, joint.pitch);
                break;
            case JointType::cylindrical:
                // The displacement first: it is along the same axis, and the body then sits on the turning link.
                addAlong(LinkKind::prismatic, joint.axis, 1);
                addAlong(LinkKind::revolute, joint.axis, 0);
                break;
            case JointType::universal:
                addAlong(LinkKind::revolute, joint.axis, 0);
                addAlong(LinkKind::revolute, joint.axis2, 1);
                break;
            case JointType::planar: {
                const int k = coordinateAxis(joint.axis);
                const Mat frameOfPlane = k < 0 ? frameAlong(graph_, joint.axis) : identity(graph_);
                const int normal = k < 0 ? 2 : k;
                enter(frameOfPlane);
                addLink(LinkKind::prismatic, (normal + 1) % 3, 0);
                addLink(LinkKind::prismatic, (normal + 2) % 3, 1);
                addLink(LinkKind::revolute, normal, 2);
                leave(frameOfPlane);
                break;
            }
            case JointType::spherical: addLink(LinkKind::spherical, 2, 0); break;
            case JointType::floating: addLink(LinkKind::floating, 2, 0); break;
        }
        tree_.places[at(index)] = {link_, frame_.R, frame_.p};
    }

    /// One scalar joint along an axis given in the current frame; the current frame then is the one behind it.
    void addAlong(LinkKind kind, const Vector3d& axis, int coordinate = 0) {
        const int k = coordinateAxis(axis);
        if (k >= 0) {
            addLink(kind, k, coordinate);
            return;
        }
        // A frame with its z along the axis, left again behind the joint: R(n, q) = C Rz(q) C^T.
        const Mat frame = frameAlong(graph_, axis);
        enter(frame);
        addLink(kind, 2, coordinate);
        leave(frame);
    }
    void enter(const Mat& C) { frame_.R = turned(graph_, frame_.R, C); }
    void leave(const Mat& C) {
        Mat transposed;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) transposed(i, j) = C(j, i);
        frame_.R = turned(graph_, frame_.R, transposed);
    }
    void addLink(LinkKind kind, int axis, int coordinate) {
        const Body& body = model_.bodies[at(body_)];
        Link link;
        link.parent = link_;
        link.body = body_;
        link.kind = kind;
        link.axis = axis;
        link.q = q_ + coordinate;
        link.v = v_ + coordinate;
        link.damping = numberExpr(graph_, body.joint_damping);
        link.armature = numberExpr(graph_, body.joint_armature);
        link_ = static_cast<int>(tree_.links.size());
        tree_.links.push_back(link);
        fixed_.push_back(frame_);
        frame_ = {identity(graph_), Vec{}};
    }

    void regroupLink(int index) {
        Link& link = tree_.link(index);
        Inertia part;  // of the link, in its own axes: what its joint's motion does not move
        Inertia& own = link.inertia;
        const int k = link.axis, first = (k + 1) % 3, second = (k + 2) % 3;
        const int j = choices_[at(index)].second ? second : first, i = choices_[at(index)].second ? first : second;
        switch (link.kind) {
            case LinkKind::revolute:
                part.m = own.m;
                part.h[at(k)] = own.h[at(k)];
                part.I(i, i) = part.I(j, j) = own.I(j, j);
                own.m = Expr();
                own.h[at(k)] = Expr();
                own.I(i, i) = withoutRounding(graph_, own.I(i, i) - own.I(j, j), own.I(j, j));
                own.I(j, j) = Expr();
                break;
            case LinkKind::prismatic:
                part.I = own.I;
                own.I = Sym();
                break;
            case LinkKind::spherical:
                part.m = own.m;
                own.m = Expr();
                break;
            case LinkKind::screw:
            case LinkKind::floating: return;
        }
        if (link.parent == kBase) return;
        const Fixed& fixed = fixed_[at(index)];
        Inertia& parent = tree_.link(link.parent).inertia;
        parent = parent + moved(graph_, part, asRotation(fixed.R), fixed.p);
    }

    static bool turns(const Link& link) { return link.kind == LinkKind::revolute || link.kind == LinkKind::screw; }

    Mat about(int axis, double angle) const {
        Mat r = identity(graph_);
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        r(i, i) = r(j, j) = graph_.constant(std::cos(angle));
        r(j, i) = graph_.constant(std::sin(angle));
        r(i, j) = graph_.constant(-std::sin(angle));
        return r;
    }

    /// Between two turning links whose fixed rotation is a general one: the parent's axes turn about its own joint
    /// until their next axis lies along the common normal of both joints, the child's angle takes up the rest, and one
    /// twist is left.
    void twistAxes() {
        const int count = static_cast<int>(tree_.links.size());
        std::vector<int> weight(at(count), 1),
            main(at(count), -1);  // of the subtree; the child that decides the parent's axes
        for (int i = count - 1; i >= 0; --i) {
            const int parent = tree_.link(i).parent;
            if (parent == kBase) continue;
            weight[at(parent)] += weight[at(i)];
            if (main[at(parent)] < 0 || weight[at(i)] >= weight[at(main[at(parent)])]) main[at(parent)] = i;
        }
        for (int p = 0; p < count; ++p) {
            Link& parent = tree_.link(p);
            const int c = main[at(p)];
            if (c < 0 || !turns(parent) || !turns(tree_.link(c)) || !isGeneral(fixed_[at(c)].R)) continue;
            const Mat R = fixed_[at(c)].R;
            const int k = parent.axis, i = (k + 1) % 3, j = (k + 2) % 3, own = tree_.link(c).axis;
            // Common normal: e_k x (R e_own); parallel axes have none, and then nothing to gain.
            const double ni = -R(j, own).value(), nj = R(i, own).value();
            if (std::hypot(ni, nj) < 1e-9) continue;
            const double angle = std::atan2(nj, ni);
            parent.offset += angle;
            const Mat back = about(k, -angle);
            for (BodyPlace& place : tree_.places)
                if (place.link == p) place = {p, turned(graph_, back, place.R), back * place.p};
            for (int child = p + 1; child < count; ++child)
                if (tree_.link(child).parent == p) {
                    Fixed& fixed = fixed_[at(child)];
                    fixed = {turned(graph_, back, fixed.R), back * fixed.p};
                }
            Fixed& fixed = fixed_[at(c)];
            const int oi = (own + 1) % 3, oj = (own + 2) % 3;
            const double rest = -std::atan2(fixed.R(i, oj).value(), fixed.R(i, oi).value());
            tree_.link(c).offset += rest;
            fixed.R = turned(graph_, fixed.R, about(own, -rest));
        }
    }

    /// A constant rotation that is neither a turn about a coordinate axis nor a mere exchange of axes.
    static bool isGeneral(const Mat& R) {
        int zeros = 0;
        for (const Expr& e : R.e) zeros += e.isZero() ? 1 : 0;
        return isConstant(R) && zeros < 4;
    }

    void slideOrigin(int index) {
        const Link& link = tree_.link(index);
        if (!turns(link)) return;
        Fixed& fixed = fixed_[at(index)];
        const Vec axis{fixed.R(0, link.axis), fixed.R(1, link.axis), fixed.R(2, link.axis)};
        const Expr along = dot(axis, fixed.p);
        if (!along.isConstant() || along.isZero()) return;
        for (std::size_t i = 0; i < 3; ++i) fixed.p[i] = withoutRounding(graph_, fixed.p[i] - along * axis[i], along);
        Vec shift{};
        shift[at(link.axis)] = along;
        for (BodyPlace& place : tree_.places)
            if (place.link == index) place.p = place.p + shift;
        for (std::size_t child = 0; child < tree_.links.size(); ++child)
            if (tree_.links[child].parent == index) fixed_[child].p = fixed_[child].p + shift;
    }

    /// A fixed rotation about the joint's own axis is part of its angle.
    void mergeOffset(Link& link, Fixed& fixed) {
        if (!turns(link)) return;
        const int k = link.axis, i = (k + 1) % 3, j = (k + 2) % 3;
        if (!isConstant(fixed.R) || !fixed.R(k, k).isOne() || isIdentity(fixed.R)) return;
        link.offset += std::atan2(fixed.R(j, i).value(), fixed.R(i, i).value());
        fixed.R = identity(graph_);
    }

    bool parallelToParent(int index) const {
        const Link& link = tree_.link(index);
        if (link.kind != LinkKind::revolute || link.parent == kBase) return false;
        const Link& parent = tree_.link(link.parent);
        return parent.kind == LinkKind::revolute && parent.axis == link.axis && isIdentity(fixed_[at(index)].R);
    }

    /// Quarter turns of an offset, when it is a whole number of them: their sine and cosine are exact, those of the
    /// number nearest to a quarter turn are not.
    static std::optional<int> quartersOf(double offset) {
        const double quarters = offset / (0.5 * std::numbers::pi), whole = std::round(quarters);
        if (std::abs(quarters - whole) > 1e-15 * std::max(1.0, std::abs(whole))) return std::nullopt;
        return static_cast<int>(whole);
    }
    Expr angleOf(const Link& link) const {
        const Expr q = graph_.input(Array::q, link.q);
        return quartersOf(link.offset) ? q : q + graph_.constant(link.offset);
    }

    void place(int index) {
        Link& link = tree_.link(index);
        const Fixed& fixed = fixed_[at(index)];
        const Expr q = graph_.input(Array::q, link.q);
        const Rotation none;
        const Rotation& before = link.parent == kBase ? none : tree_.link(link.parent).own;
        if (angles_.size() <= at(index)) angles_.resize(at(index) + 1), quarters_.resize(at(index) + 1);
        Vec unit{};
        unit[at(link.axis)] = graph_.constant(1);

        Vec p = fixed.p;
        if (link.kind == LinkKind::prismatic) p = p + q * (fixed.R * unit);
        if (link.kind == LinkKind::screw) p = p + (link.pitch * q) * (fixed.R * unit);
        link.p = before.out(p);
        link.slide = before.out(fixed.R * unit);

        const bool parallel = parallelToParent(index) && !before.isIdentity();
        if (!parallel) {
            link.rotation = before;
            if (!isIdentity(fixed.R)) link.rotation.append(Turn{-1, {}, {}, fixed.R});
        }
        switch (link.kind) {
            case LinkKind::revolute:
            case LinkKind::screw: {
                Expr angle = angleOf(link);
                int quarters = quartersOf(link.offset).value_or(0);
                if (parallel) {
                    angle = angles_[at(link.parent)] + angle;
                    quarters += quarters_[at(link.parent)];
                }
                angles_[at(index)] = angle;
                quarters_[at(index)] = quarters;
                Expr sine = sin(angle), cosine = cos(angle);
                if (quarters % 2 != 0) std::swap(sine, cosine);
                const int turn = (quarters % 4 + 4) % 4;  // sin(a + n quarters): sin, cos, -sin, -cos
                if (turn >= 2) sine = -sine;
                if (turn == 1 || turn == 2) cosine = -cosine;
                if (tree_.fault == Fault::rotation_transposed) sine = -sine;
                (link.held ? link.own : link.rotation).append(Turn{link.axis, cosine, sine, {}});
                break;
            }
            case LinkKind::prismatic: break;
            case LinkKind::spherical: link.rotation.append(Turn{-1, {}, {}, quaternion(link.q)}); break;
            case LinkKind::floating:
                link.rotation.append(Turn{-1, {}, {}, quaternion(link.q)});
                link.p = {graph_.input(Array::q, link.q + 4), graph_.input(Array::q, link.q + 5),
                          graph_.input(Array::q, link.q + 6)};
                break;
        }
        link.inertia.h = link.own.out(link.inertia.h);
        link.inertia.I = link.own.out(link.inertia.I);
    }

    Mat quaternion(int q) {
        return quaternionMatrix(graph_, {graph_.input(Array::q, q), graph_.input(Array::q, q + 1),
                                         graph_.input(Array::q, q + 2), graph_.input(Array::q, q + 3)});
    }

    void countDofs() {
        std::vector<int> depth;
        for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) {
            Link& link = tree_.link(i);
            link.dof = tree_.ndof();
            int before = -1;
            if (link.parent != kBase) before = tree_.link(link.parent).dof + tree_.link(link.parent).dofs() - 1;
            for (int d = 0; d < link.dofs(); ++d) {
                tree_.link_of_dof.push_back(i);
                tree_.v_of_dof.push_back(link.v + d);
                tree_.expanded_parent.push_back(before);
                depth.push_back(before < 0 ? 1 : depth[at(before)] + 1);
                tree_.depth = std::max(tree_.depth, depth.back());
                before = link.dof + d;
            }
        }
    }

    Graph& graph_;
    const Model& model_;
    const Layout& layout_;
    std::vector<LinkChoice> choices_;
    LinkTree tree_;
    std::vector<Fixed> fixed_;   ///< of each link
    std::vector<Expr> angles_;   ///< of each link: the whole turn against its held axes, but for quarter turns
    std::vector<int> quarters_;  // that each of them leaves out
    Fixed frame_;
    int link_ = kBase, body_ = kBase, q_ = 0, v_ = 0;
};

}  // namespace

Inertia bodyInertia(Graph& graph, const Body& body) {
    Inertia central;
    central.m = numberExpr(graph, body.mass);
    for (std::size_t i = 0; i < 6; ++i) central.I.e[i] = numberExpr(graph, body.inertia[i]);
    return moved(graph, central, Rotation(), vectorExpr(graph, body.cg));
}

Inertia moved(Graph& graph, const Inertia& a, const Rotation& R, const Vec& p) {
    Inertia r;
    r.m = a.m;
    const Vec h = R.out(a.h);
    r.h = h + a.m * p;
    // I' = I + 2 (p.g) 1 - (p g^T + g p^T) with g = h + m p / 2: the parallel-axis theorem for any origin.
    const Vec g = h + (graph.constant(0.5) * a.m) * p;
    const Expr x = p[0] * g[0], y = p[1] * g[1], z = p[2] * g[2], two = graph.constant(2);
    r.I = R.out(a.I);
    r.I(0, 0) = r.I(0, 0) + two * (y + z);
    r.I(1, 1) = r.I(1, 1) + two * (x + z);
    r.I(2, 2) = r.I(2, 2) + two * (x + y);
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j) r.I(i, j) = r.I(i, j) - (p[at(i)] * g[at(j)] + p[at(j)] * g[at(i)]);
    return r;
}

LinkTree::Ways LinkTree::waysBetween(int from, int to) const {
    const auto climb = [&](int body, std::vector<int>& way) {
        for (int i = linkOf(body); i != kBase; i = link(i).parent) way.push_back(i);
    };
    Ways ways;
    climb(from, ways.from), climb(to, ways.to);
    while (!ways.from.empty() && !ways.to.empty() && ways.from.back() == ways.to.back()) {
        ways.meeting = ways.from.back();
        ways.from.pop_back(), ways.to.pop_back();
    }
    return ways;
}

Vec LinkTree::point(Graph& graph, const BodyPoint& point) const {
    const Vec at0 = vectorExpr(graph, point.at);
    if (point.body == kBase) return at0;
    const BodyPlace& place = places[static_cast<std::size_t>(point.body)];
    const Vec p = place.p + place.R * at0;
    return place.link == kBase ? p : link(place.link).own.out(p);
}

LinkTree buildLinks(Graph& graph, const Model& model, const Layout& layout, bool regroup,
                    const std::vector<LinkChoice>& choices, Fault fault) {
    return Builder(graph, model, layout, choices, fault).build(regroup);
}

}  // namespace mw::gen
