// A rope between two points over one ellipsoid.
//
// Stretched along its axes until it is the unit sphere, an ellipsoid keeps lines, planes and tangency; only lengths
// change. So the sphere's rules decide there on straight, bent or wrapped and on the way round, and the sphere's route
// is, stretched back, a plane section of the ellipsoid that leaves both straight parts along tangents: Newton's method
// starts from it. Without a side site the shortest of all plane sections through both ends is looked for first.
#include <algorithm>
#include <cmath>

#include "engine/tendon/chain.h"

namespace mw {
namespace {

using State = GuideContact::State;

struct Stretch {
    Vector3 centre;
    Matrix3 to_sphere, from_sphere;  // base axes in both
    explicit Stretch(const SpanGuide& guide) : centre(guide.centre) {
        const Vector3 r(guide.radii[0], guide.radii[1], guide.radii[2]);
        const Vector3 inverse = r.cwiseInverse();
        to_sphere = guide.axes * inverse.asDiagonal() * guide.axes.transpose();
        from_sphere = guide.axes * r.asDiagonal() * guide.axes.transpose();
    }
    Vector3 in(const Vector3& x) const { return to_sphere * (x - centre); }
    Vector3 out(const Vector3& x) const { return from_sphere * x + centre; }
};

// Length on the ellipsoid of the circle c + e cos(x) + f sin(x), x from 0 to sweep (Simpson's rule).
double stretchedArc(const Stretch& stretch, const Vector3& e, const Vector3& f, double sweep, int pieces) {
    const Vector3 E = stretch.from_sphere * e, F = stretch.from_sphere * f;
    double sum = 0;
    for (int i = 0; i <= pieces; ++i) {
        const double x = sweep * i / pieces;
        const double weight = i == 0 || i == pieces ? 1 : (i % 2 ? 4 : 2);
        sum += weight * (F * std::cos(x) - E * std::sin(x)).norm();
    }
    return sum * sweep / (3 * pieces);
}

// A route in a plane section on one side of the line through both ends.
struct Section {
    double length = 0;
    Vector3 first = Vector3::Zero(), last = Vector3::Zero();  // base
    double arc = 0;
};

// Plane sections through both ends: by the angle about the line through them.
class Sections {
public:
    Sections(const Stretch& stretch, const Vector3& a, const Vector3& b, const Vector3& p, const Vector3& q)
        : stretch_(stretch), a_(a), b_(b) {
        const Vector3 way = q - p;
        e_ = way.normalized();
        nearest_ = p - e_ * e_.dot(p);
        from_ = -e_.dot(p);  // distances of the ends from the nearest point, along the line
        to_ = e_.dot(q);
        // The zero of the angle hangs on the guide's place and the line alone, and not on the line's sense.
        int axis = 2;
        if (std::abs(e_.z()) > 0.8) axis = 0;
        d0_ = (Vector3::Unit(axis) - e_ * e_[axis]).normalized();
        d1_ = e_.cross(d0_);
    }
    Vector3 direction(double angle) const { return std::cos(angle) * d0_ + std::sin(angle) * d1_; }
    Section at(double angle, int pieces) const {
        Section s;
        const Vector3 d = direction(angle);
        const double lift = nearest_.dot(d);
        const Vector3 centre = nearest_ - lift * d;  // of the section, on the sphere
        const double rho2 = std::max(1 - centre.squaredNorm(), 1e-300), rho = std::sqrt(rho2);
        // in the plane, from the section's centre: ends at (-from, lift) and (to, lift), route over the upper side
        const double a2 = from_ * from_ + lift * lift, b2 = to_ * to_ + lift * lift;
        const double ta = std::sqrt(std::max(a2 - rho2, 0.0)), tb = std::sqrt(std::max(b2 - rho2, 0.0));
        // angles from d, clockwise towards the end b
        const double at_a = -std::atan2(from_, lift), at_b = std::atan2(to_, lift);
        const double first = at_a + std::atan2(ta, rho), last = at_b - std::atan2(tb, rho);
        const auto point = [&](double x) -> Vector3 { return centre + rho * (std::cos(x) * d + std::sin(x) * e_); };
        s.first = stretch_.out(point(first));
        s.last = stretch_.out(point(last));
        const Vector3 e = rho * (std::cos(first) * d + std::sin(first) * e_);
        const Vector3 f = rho * (std::cos(first) * e_ - std::sin(first) * d);
        s.arc = last > first ? stretchedArc(stretch_, e, f, last - first, pieces) : 0;
        s.length = (s.first - a_).norm() + s.arc + (b_ - s.last).norm();
        return s;
    }

private:
    const Stretch& stretch_;
    Vector3 a_, b_, e_, nearest_, d0_, d1_;
    double from_ = 0, to_ = 0;
};

constexpr double kPi = 3.14159265358979323846;

// From the sphere to the ellipsoid by degrees: half axes r^x, ends stretched alike, x from 0 to 1; every step starts
// from the taut rope of the one before it.
bool byDegrees(const Vector3& a, const Vector3& b, const SpanGuide& guide, const TautNode& on_sphere,
               std::vector<TautNode>& nodes) {
    const Vector3 radii(guide.radii[0], guide.radii[1], guide.radii[2]);
    const Vector3 p = (guide.axes.transpose() * (a - guide.centre)).cwiseQuotient(radii);
    const Vector3 q = (guide.axes.transpose() * (b - guide.centre)).cwiseQuotient(radii);
    std::vector<TautNode> now{on_sphere};
    double x = 0, step = 0.125;
    SpanGuide part;
    part.kind = PathElement::Kind::ellipsoid;
    for (int tries = 0; tries < 60 && x < 1; ++tries) {
        const double next = std::min(1.0, x + step);
        const Vector3 scale = radii.array().pow(next), change = radii.array().pow(next - x);
        part.radii = {scale.x(), scale.y(), scale.z()};
        const GuideSurface surface(part);
        std::vector<TautNode> trial = now;
        TautNode& node = trial[0];
        node.surface = &surface;
        node.p = surface.project(node.p.cwiseProduct(change));
        Vector3 t = node.t.cwiseProduct(change);
        const double longer = t.norm();
        const Vector3 n = surface.normal(node.p);
        t -= n * n.dot(t);
        node.t = t.normalized();
        node.s *= longer;
        if (tighten(p.cwiseProduct(scale), q.cwiseProduct(scale), trial) && (node.bend || node.s > 0)) {
            now = trial;
            x = next;
            step *= 1.5;
        } else {
            step *= 0.4;
            if (step < 1e-4) return false;
        }
    }
    if (x < 1) return false;
    const GuideSurface* surface = nodes[0].surface;
    const int index = nodes[0].guide;
    nodes = now;
    nodes[0].surface = surface;
    nodes[0].guide = index;
    return tighten(a, b, nodes) && (nodes[0].bend || nodes[0].s > 0);
}

bool taut(const Vector3& a, const Vector3& b, const SpanGuide& guide, std::vector<TautNode>& nodes) {
    const std::vector<TautNode> start = nodes;
    if (tighten(a, b, nodes) && (nodes[0].bend || nodes[0].s > 0)) return true;
    // the start, back on the sphere
    TautNode node = start[0];
    const Vector3 radii(guide.radii[0], guide.radii[1], guide.radii[2]);
    node.p = node.p.cwiseQuotient(radii).normalized();
    Vector3 t = node.t.cwiseQuotient(radii);
    node.s *= t.norm();
    t -= node.p * node.p.dot(t);
    node.t = t.normalized();
    std::vector<TautNode> slowly = start;
    if (byDegrees(a, b, guide, node, slowly)) {
        nodes = slowly;
        return true;
    }
    return false;
}

// The shortest, or with `other` the next best, of the ways round without a side site; the segment goes through.
void shortestWay(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface,
                 const Stretch& stretch, bool other, Touch& touch) {
    const Sections sections(stretch, a, b, stretch.in(a), stretch.in(b));
    constexpr int kScan = 16;
    constexpr double kPitch = 2 * kPi / kScan;
    std::array<double, kScan> lengths;
    for (int i = 0; i < kScan; ++i) lengths[i] = sections.at(i * kPitch, 4).length;
    struct Candidate {
        double angle, length;
    };
    std::vector<Candidate> found;
    for (int i = 0; i < kScan; ++i) {
        const double here = lengths[i], left = lengths[(i + kScan - 1) % kScan], right = lengths[(i + 1) % kScan];
        if (here > left || here >= right) continue;
        const double curve = left - 2 * here + right;
        const double off = curve > 0 ? std::clamp(0.5 * (left - right) / curve, -0.5, 0.5) : 0;
        found.push_back({(i + off) * kPitch, here});
    }
    if (found.empty()) found.push_back({0, lengths[0]});
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& x, const Candidate& y) { return x.length < y.length; });
    struct Route {
        std::vector<TautNode> nodes;
        double length = 0;
        bool good = false;
        Vector3 middle = Vector3::Zero();
    };
    std::vector<Route> routes;
    for (const Candidate& candidate : found) {
        if (!routes.empty() && !other && routes.front().good && candidate.length > routes.front().length * 1.15) break;
        if (routes.size() >= 4) break;
        const Section s = sections.at(candidate.angle, 8);
        Route route;
        route.nodes.push_back(nodeAt(surface, s.first, s.first - a, s.arc));
        route.good = taut(a, b, guide, route.nodes);
        route.length = tautLength(route.nodes);
        route.middle = (route.nodes[0].first + route.nodes[0].last) / 2 - guide.centre;
        routes.push_back(std::move(route));
    }
    // Ways of one length: the one that runs higher along z, then x, then y.
    const double tie = 1e-10 * routes.front().length;
    std::stable_sort(routes.begin(), routes.end(), [&](const Route& x, const Route& y) {
        if (x.good != y.good) return x.good;
        return x.length < y.length;
    });
    std::size_t best = 0;
    for (std::size_t i = 1; i < routes.size(); ++i) {
        if (!routes[i].good || routes[i].length > routes[0].length + tie) break;
        for (const int axis : {2, 0, 1}) {
            const double lead = routes[i].middle[axis] - routes[best].middle[axis];
            if (std::abs(lead) < 1e-9 * surface.size()) continue;
            if (lead > 0) best = i;
            break;
        }
    }
    if (other) {
        for (std::size_t i = 0; i < routes.size(); ++i) {
            if (i != best && routes[i].good &&
                (routes[i].middle - routes[best].middle).norm() > 1e-6 * surface.size()) {
                best = i;
                break;
            }
        }
    }
    touch.state = State::wrapped;
    touch.converged = routes[best].good;
    touch.nodes = std::move(routes[best].nodes);
}

bool hitsSphere(const Vector3& a, const Vector3& b) {
    const Vector3 way = b - a;
    return (a + way * std::clamp(-way.dot(a) / way.squaredNorm(), 0.0, 1.0)).squaredNorm() < 1;
}

}  // namespace

void touchEllipsoid(const Vector3& a, const Vector3& b, const SpanGuide& guide, const GuideSurface& surface, bool other,
                    Touch& touch) {
    touch = {};
    const Stretch stretch(guide);
    SpanGuide sphere = guide;
    sphere.kind = PathElement::Kind::sphere;
    sphere.centre.setZero();
    sphere.radii = {1, 0, 0};
    sphere.side = stretch.in(guide.side);
    thread_local SpanResult span;
    routeOverSphere(stretch.in(a), stretch.in(b), sphere, span);
    const GuideContact& contact = span.guides[0];
    touch.state = contact.state;
    touch.end_inside = contact.end_inside;
    if (contact.state == State::free) return;
    if (contact.state == State::bent) {
        TautNode node = nodeAt(surface, stretch.out(contact.first), stretch.from_sphere * contact.first_direction, 0);
        node.bend = true;
        touch.nodes.push_back(node);
        touch.converged = taut(a, b, guide, touch.nodes);
        return;
    }
    if (!guide.has_side) return shortestWay(a, b, guide, surface, stretch, other, touch);
    const Vector3 first = stretch.out(contact.first);
    const double arc = stretchedArc(stretch, contact.first, contact.first_direction, contact.sweep, 16);
    touch.nodes.push_back(nodeAt(surface, first, first - a, arc));
    touch.converged = taut(a, b, guide, touch.nodes);
    if (touch.converged) return;
    // No taut rope on that side: it slips off.
    touch = {};
    if (hitsSphere(stretch.in(a), stretch.in(b))) shortestWay(a, b, guide, surface, stretch, false, touch);
}

void routeOverEllipsoid(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result) {
    const GuideSurface surface(guide);
    Touch touch;
    touchEllipsoid(a, b, guide, surface, false, touch);
    fillSpan(a, b, std::span(&touch, 1), touch.nodes, result);
}

}  // namespace mw
