// Routes at a pose: branches of spans between sites, their gradients, and the row over the velocities that they make.
// A pure function of the pose. Also what is drawn, and the length's second derivative.
#include <algorithm>
#include <cmath>

#include "engine/tendon/tendons.h"

namespace mw {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }
Vector3d plain(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Vector3 vec(const Vector3d& v) { return {v[0], v[1], v[2]}; }

struct Pose {
    Matrix3 rotation = Matrix3::Identity();
    Vector3 origin = Vector3::Zero();
};
Pose poseOf(std::span<const double> X, int body) {
    if (body < 0) return {};
    const double* x = X.data() + 12 * index(body);
    Pose pose;
    pose.rotation << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
    pose.origin << x[9], x[10], x[11];
    return pose;
}
Vector3 place(std::span<const double> X, int body, const Vector3& local) {
    if (body < 0) return local;
    const Pose pose = poseOf(X, body);
    return pose.origin + pose.rotation * local;
}
Vector3 placeBack(std::span<const double> X, int body, const Vector3& point) {
    if (body < 0) return point;
    const Pose pose = poseOf(X, body);
    return pose.rotation.transpose() * (point - pose.origin);
}

SpanGuide guideAt(std::span<const double> X, const PreparedElement& e, SideRule rule) {
    SpanGuide guide;
    const Pose pose = poseOf(X, e.body);
    guide.kind = e.kind, guide.radii = e.radii, guide.rule = rule;
    guide.centre = pose.origin + pose.rotation * e.local;
    guide.axes = pose.rotation * e.axes;
    guide.has_side = e.has_side;
    if (e.has_side) guide.side = place(X, e.side_body, e.side);
    return guide;
}

/// Spans of a branch, one after the other.
template <class Visit>
void eachSpan(const PreparedBranch& branch, const Visit& visit) {
    const std::vector<PreparedElement>& list = branch.elements;
    std::size_t from = 0;
    for (std::size_t to = 1; to < list.size(); ++to) {
        if (list[to].isGuide()) continue;
        visit(PreparedSpan{&list[from], &list[to], &list[from] + 1, static_cast<int>(to - from) - 1});
        from = to;
    }
}

/// Work space of the functions below, one a thread: a route takes no memory once they have grown.
struct Scratch {
    std::vector<SpanGuide> guides;
    SpanResult span;
};
Scratch& scratch() {
    thread_local Scratch space;
    return space;
}

void routeAt(const PreparedSpan& span, SideRule rule, std::span<const double> X, Scratch& s) {
    s.guides.clear();
    for (int g = 0; g < span.count; ++g) s.guides.push_back(guideAt(X, span.guides[g], rule));
    routeSpan(place(X, span.a->body, span.a->local), place(X, span.b->body, span.b->local), s.guides, s.span);
}

/// Adds the pieces and points of a span to the route. The first site is there already, from the span before.
void append(const PreparedSpan& span, const Scratch& s, std::span<const double> X, int branch, double scale,
            TendonRoute& route) {
    const auto site = [&](const PreparedElement& e) {
        RoutePoint p;
        p.branch = branch, p.element = e.element, p.body = e.body, p.local = plain(e.local);
        p.point = plain(place(X, e.body, e.local));
        return p;
    };
    const auto add = [&](Vector3d& to, const Vector3& gradient) { to = plain(vec(to) + scale * gradient); };
    if (route.points.empty() || route.points.back().branch != branch) route.points.push_back(site(*span.a));
    add(route.points.back().gradient, s.span.a_gradient);

    RoutePiece piece;
    piece.branch = branch, piece.a = span.a->body, piece.point = route.points.back().point, piece.scale = scale;
    for (int g = 0; g < span.count; ++g) {
        const PreparedElement& e = span.guides[g];
        const GuideContact& contact = s.span.guides[index(g)];
        GuideReading guide;
        guide.element = e.element, guide.body = e.body, guide.branch = branch, guide.contact = contact;
        guide.centre = plain(s.guides[index(g)].centre);
        const int place_of_guide = static_cast<int>(route.guides.size());
        route.guides.push_back(guide);
        if (contact.state == GuideContact::State::free) continue;

        const bool bent = contact.state == GuideContact::State::bent;
        const auto touch = [&](RoutePoint::Kind kind, const Vector3& point, const Vector3& gradient) {
            RoutePoint p;
            p.kind = kind, p.branch = branch, p.element = e.element, p.body = e.body;
            p.point = plain(point), p.local = plain(placeBack(X, e.body, point));
            p.gradient = plain(scale * gradient);
            route.points.push_back(p);
        };
        touch(bent ? RoutePoint::Kind::bend : RoutePoint::Kind::first_contact, contact.first, contact.first_gradient);
        if (!bent) touch(RoutePoint::Kind::last_contact, contact.last, contact.last_gradient);

        piece.b = e.body, piece.guide_b = place_of_guide, piece.direction = plain(contact.first_direction);
        route.pieces.push_back(piece);
        piece = {};
        piece.branch = branch, piece.a = e.body, piece.guide_a = place_of_guide, piece.scale = scale;
        piece.point = plain(bent ? contact.first : contact.last);
    }
    route.points.push_back(site(*span.b));
    add(route.points.back().gradient, s.span.b_gradient);
    piece.b = span.b->body, piece.direction = plain(s.span.b_gradient);
    route.pieces.push_back(piece);
}

}  // namespace

void Tendons::route(int tendon, std::span<const double> q, std::span<const double> X, const MotionAxes* axes,
                    TendonRoute& out) const {
    const PreparedTendon& t = of(tendon);
    out.length = 0, out.converged = true;
    out.branch_length.clear(), out.branch_divisor.clear();
    out.points.clear(), out.guides.clear(), out.pieces.clear(), out.gradient.clear();
    if (t.fixed) {
        for (const PreparedTerm& term : t.terms) out.length += term.weight * q[index(term.q)];
    } else {
        Scratch& s = scratch();
        for (const PreparedBranch& branch : t.branches) {
            const int place = static_cast<int>(out.branch_length.size());
            double length = 0;
            eachSpan(branch, [&](const PreparedSpan& span) {
                routeAt(span, t.rule, X, s);
                length += s.span.length;
                out.converged = out.converged && s.span.converged;
                append(span, s, X, place, 1 / branch.divisor, out);
            });
            out.branch_length.push_back(length), out.branch_divisor.push_back(branch.divisor);
            out.length += length / branch.divisor;
        }
    }
    if (axes) gradient(t, out, *axes, out.gradient);
}

void addPiece(const RoutePiece& piece, const MotionAxes& axes, std::span<double> row) {
    if (piece.a == piece.b) return;
    const Vector3 u = piece.scale * vec(piece.direction);
    const Vector3 moment = vec(piece.point).cross(u);
    const auto add = [&](int slot, double sign) {
        const std::array<double, 6>& axis = axes.axis[index(slot)];
        row[index(slot)] += sign * (moment.x() * axis[0] + moment.y() * axis[1] + moment.z() * axis[2] +
                                    u.x() * axis[3] + u.y() * axis[4] + u.z() * axis[5]);
    };
    // Velocities that move both ends as one body change no length: they are left out, so that zeros are exact.
    const auto chain = [&](int body) { return body < 0 ? std::span<const int>{} : axes.chain(body); };
    const std::span<const int> of_a = chain(piece.a), of_b = chain(piece.b);
    std::size_t i = 0, j = 0;
    while (i < of_a.size() || j < of_b.size()) {
        if (j == of_b.size() || (i < of_a.size() && of_a[i] < of_b[j])) add(of_a[i++], -1);
        else if (i == of_a.size() || of_b[j] < of_a[i]) add(of_b[j++], 1);
        else ++i, ++j;
    }
}

void Tendons::gradient(const PreparedTendon& tendon, const TendonRoute& route, const MotionAxes& axes,
                       std::vector<double>& out) const {
    out.assign(axes.axis.size(), 0.0);
    for (const PreparedTerm& term : tendon.joint_terms) out[index(term.v)] += term.weight;
    for (const RoutePiece& piece : route.pieces) addPiece(piece, axes, out);
}

TendonLine Tendons::line(int tendon, std::span<const double> X, double angle) const {
    TendonLine out;
    const PreparedTendon& t = of(tendon);
    Scratch& s = scratch();
    std::vector<Vector3> points;
    std::vector<int> on_guide;
    int branch = 0;
    for (const PreparedBranch& b : t.branches) {
        bool first = true;
        eachSpan(b, [&](const PreparedSpan& span) {
            routeAt(span, t.rule, X, s);
            points.clear(), on_guide.clear();
            drawSpan(place(X, span.a->body, span.a->local), place(X, span.b->body, span.b->local), s.guides, s.span,
                     angle, points, on_guide);
            // Spans of a branch share their site; branches do not, and a piece of branch -1 joins nothing.
            if (first && !out.points.empty()) out.element.push_back(-1), out.branch.push_back(-1);
            for (std::size_t i = first ? 0 : 1; i < points.size(); ++i) out.points.push_back(plain(points[i]));
            for (const int guide : on_guide) {
                out.element.push_back(guide < 0 ? -1 : span.guides[guide].element);
                out.branch.push_back(branch);
            }
            first = false;
        });
        ++branch;
    }
    return out;
}

// Velocity and acceleration of a body while all generalised velocities stay as they are. Each axis is carried by what
// is before it on the way from the base (RBDA section 3.5: S' = S_apparent' + v x S); components in body axes are
// carried by the body itself.
Tendons::BodyMotion Tendons::motionOf(int body, std::span<const double> v, const MotionAxes& axes) const {
    if (body < 0) return {};
    const PreparedJoint& joint = joints_[index(body)];
    BodyMotion motion = motionOf(joint.parent, v, axes);
    const auto term = [&](int i) -> Vector6 {
        const int slot = joint.v + i;
        return Eigen::Map<const Vector6>(axes.axis[index(slot)].data()) * v[index(slot)];
    };
    if (joint.body_axes)
        for (int i = 0; i < joint.count; ++i) motion.velocity += term(i);
    for (int i = 0; i < joint.count; ++i) {
        const Vector6 part = term(i);
        motion.acceleration += crossMotion(motion.velocity) * part;
        if (!joint.body_axes) motion.velocity += part;
    }
    return motion;
}

namespace {

struct PointMotion {
    Vector3 velocity = Vector3::Zero(), acceleration = Vector3::Zero();
};
/// Of a point of a body whose spatial velocity and acceleration (about the base origin) are given: p' = w x p + v0,
/// p'' = dw x p + dv0 + w x p' (the spatial acceleration's linear part is that of the point passing the origin).
template <class Motion>
PointMotion ofPoint(const Motion& m, const Vector3& p) {
    PointMotion out;
    const Vector3 w = m.velocity.template head<3>();
    out.velocity = w.cross(p) + m.velocity.template tail<3>();
    out.acceleration =
        m.acceleration.template head<3>().cross(p) + m.acceleration.template tail<3>() + w.cross(out.velocity);
    return out;
}

}  // namespace

double Tendons::spanCurvature(const PreparedSpan& span, SideRule rule, const SpanResult& now, std::span<const double> v,
                              std::span<const double> X, const MotionAxes& axes) const {
    const Vector3 a = place(X, span.a->body, span.a->local), b = place(X, span.b->body, span.b->local);
    const BodyMotion body_a = motionOf(span.a->body, v, axes), body_b = motionOf(span.b->body, v, axes);
    const PointMotion move_a = ofPoint(body_a, a), move_b = ofPoint(body_b, b);
    const auto touched = [](const GuideContact& c) { return c.state != GuideContact::State::free; };
    if (std::ranges::none_of(now.guides, touched)) {
        // s'' = (|d'|^2 - (u d')^2) / s + u d'' of the straight piece.
        const double s = (b - a).norm();
        if (s == 0 || span.a->body == span.b->body) return 0;
        const Vector3 u = (b - a) / s, rate = move_b.velocity - move_a.velocity;
        return (rate - u.dot(rate) * u).squaredNorm() / s + u.dot(move_b.acceleration - move_a.acceleration);
    }

    // Centred second difference of the routed length, all ends and guides moved to second order; Richardson's step
    // takes away its own second order. Motion that all have in common is left out: it changes no length.
    struct GuideMotion {
        SpanGuide guide;
        PointMotion centre, side;
        Vector3 w = Vector3::Zero(), dw = Vector3::Zero();
    };
    std::vector<GuideMotion> guides;
    double speed = (move_b.velocity - move_a.velocity).norm(), scale = now.length;
    double largest_radius = 0;
    for (int g = 0; g < span.count; ++g) {
        const PreparedElement& e = span.guides[g];
        GuideMotion m;
        m.guide = guideAt(X, e, rule);
        const BodyMotion body = motionOf(e.body, v, axes);
        m.centre = ofPoint(body, m.guide.centre);
        m.w = body.velocity.head<3>(), m.dw = body.acceleration.head<3>();
        if (e.has_side) m.side = ofPoint(motionOf(e.side_body, v, axes), m.guide.side);
        speed = std::max(speed, (m.centre.velocity - move_a.velocity).norm());
        // Turning about its own axis moves a round guide nowhere.
        const Vector3 axis = m.guide.axes.col(2);
        Vector3 turning = m.w;
        if (e.kind == PathElement::Kind::sphere) turning.setZero();
        else if (e.kind != PathElement::Kind::ellipsoid) turning -= axis.dot(turning) * axis;
        speed = std::max(speed, turning.norm() * now.length);
        for (const double r : m.guide.radii)
            if (r > 0) scale = std::min(scale, r), largest_radius = std::max(largest_radius, r);
        guides.push_back(m);
    }
    for (const double piece : now.straight)
        if (piece > 0) scale = std::min(scale, piece);
    scale = std::max(scale, 0.02 * largest_radius);
    if (speed == 0) return 0;

    std::vector<SpanGuide> moved;
    SpanResult result;
    const auto lengthAt = [&](double t) {
        const auto shift = [&](const PointMotion& m) -> Vector3 {
            return t * (m.velocity - move_a.velocity) + 0.5 * t * t * (m.acceleration - move_a.acceleration);
        };
        moved.clear();
        for (const GuideMotion& m : guides) {
            moved.push_back(m.guide);
            moved.back().centre += shift(m.centre);
            moved.back().side += shift(m.side);
            const Vector3 turn = t * m.w + 0.5 * t * t * m.dw;
            const double angle = turn.norm();
            if (angle > 0) moved.back().axes = rotationAbout(turn / angle, angle) * m.guide.axes;
        }
        routeSpan(a, b + shift(move_b), moved, result);
        return result.length;
    };
    // Between two ways of the route there is a leap or a bend, no curvature: shorter steps look on this side of it, and
    // where the pose lies right at it, one side alone is looked at.
    const auto sameWay = [&] {
        if (!result.converged) return false;
        for (std::size_t g = 0; g < now.guides.size(); ++g)
            if (result.guides[g].state != now.guides[g].state ||
                std::abs(result.guides[g].sweep - now.guides[g].sweep) > 0.5 ||
                (now.guides[g].state == GuideContact::State::wrapped &&
                 result.guides[g].first_direction.dot(now.guides[g].first_direction) < 0.5))
                return false;
        return true;
    };
    double step = 0.005 * scale / speed;
    for (int tries = 0; tries < 5; ++tries, step /= 4) {
        bool after = true, before = true;
        const auto probe = [&](double t) {
            const double length = lengthAt(t);
            (t > 0 ? after : before) &= sameWay();
            return length;
        };
        const double l1 = probe(step), l2 = probe(2 * step), k1 = probe(-step), k2 = probe(-2 * step), l0 = now.length;
        const double h2 = step * step;
        if (after && before) return (4 * (l1 - 2 * l0 + k1) / h2 - (l2 - 2 * l0 + k2) / (4 * h2)) / 3;
        if (tries < 4) continue;
        if (after) return (l0 - 2 * l1 + l2) / h2;
        if (before) return (l0 - 2 * k1 + k2) / h2;
    }
    return 0;
}

double Tendons::curvature(int tendon, std::span<const double>, std::span<const double> v, std::span<const double> X,
                          std::span<const double>, const MotionAxes& axes) const {
    const PreparedTendon& t = of(tendon);
    double sum = 0;
    Scratch s;
    for (const PreparedBranch& branch : t.branches)
        eachSpan(branch, [&](const PreparedSpan& span) {
            routeAt(span, t.rule, X, s);
            sum += spanCurvature(span, t.rule, s.span, v, X, axes) / branch.divisor;
        });
    return sum;
}

}  // namespace mw
