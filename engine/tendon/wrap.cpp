// Routes over a sphere and over an infinite cylinder: the plane, the circle's route in it, and back into space.
#include <algorithm>
#include <cmath>

#include "engine/tendon/circle.h"
#include "engine/tendon/span.h"

namespace mw {

namespace {

/// Below this part of its length a direction's part in a plane is none.
constexpr double kPerpendicular = 1e-9;

double reach(const Vector3& a, const Vector3& b, const SpanGuide& guide) {
    return std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), guide.centre.cwiseAbs().maxCoeff()});
}

void setStraight(const Vector3& a, const Vector3& b, bool end_inside, SpanResult& result) {
    routeSpan(a, b, {}, result);
    result.guides.assign(1, {});
    result.guides[0].end_inside = end_inside;
}

void clear(SpanResult& result) {
    result.length = 0;
    result.guides.assign(1, {});
    result.straight.clear();
    result.converged = true;
}

/// Ends and guide get their gradients from the directions: the rope is pulled along both straight parts.
void setGradients(SpanResult& result) {
    GuideContact& contact = result.guides[0];
    result.a_gradient = -contact.first_direction;
    result.b_gradient = contact.last_direction;
    if (contact.state == GuideContact::State::bent) {
        contact.first_gradient = contact.first_direction - contact.last_direction;
        contact.last_gradient.setZero();
    } else {
        contact.first_gradient = contact.first_direction;
        contact.last_gradient = -contact.last_direction;
    }
}

double angleBetween(const Vector3& u, const Vector3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); }

/// A plane through the centre with both ends in it, by two unit vectors; the ends in it.
struct Plane {
    Vector3 x, y;
    Vector2 a, b;
    Vector3 out(const Vector2& p) const { return x * p.x() + y * p.y(); }
    Vector2 in(const Vector3& p) const { return {x.dot(p), y.dot(p)}; }
};

/// The part of v that is perpendicular to the unit vector x, without what rounding leaves along it.
Vector3 perpendicularPart(const Vector3& v, const Vector3& x) {
    Vector3 y = v - x.dot(v) * x;
    return y - x.dot(y) * x;
}

/// Ends a and b relative to the sphere's centre. Both on one line with it: the plane goes through the side site, else
/// through the base's z axis (x axis where the line runs along z).
Plane planeOfSphere(const Vector3& a, const Vector3& b, const SpanGuide& guide, const Vector3& side, double noise) {
    Plane plane;
    const double ra = a.norm();
    plane.x = a / ra;
    Vector3 y = perpendicularPart(b, plane.x);
    if (y.norm() > kRelativeNoise * b.norm() + noise * (1 + b.norm() / ra)) {
        plane.y = y.normalized();
        plane.a = {ra, 0};
        plane.b = plane.in(b);
        return plane;
    }
    const double along = plane.x.dot(b);
    y.setZero();
    if (guide.has_side) y = perpendicularPart(side, plane.x);
    if (!(y.norm() > kPerpendicular * side.norm() + noise)) y = perpendicularPart(Vector3::UnitZ(), plane.x);
    if (!(y.norm() > 1e-6)) y = perpendicularPart(Vector3::UnitX(), plane.x);
    plane.y = y.normalized();
    plane.a = {ra, 0};
    plane.b = {along, 0};
    return plane;
}

}  // namespace

void routeOverSphere(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result) {
    const double r = guide.radii[0], noise = coordinateNoise(reach(a, b, guide));
    const Vector3 from = a - guide.centre, to = b - guide.centre, side = guide.side - guide.centre;
    const bool interior = guide.has_side && side.norm() < r * (1 - kRelativeNoise) - noise;
    const double surface = r * (1 + kRelativeNoise) + noise;
    if (!(from.norm() > surface && to.norm() > surface)) return setStraight(a, b, !interior, result);
    const Plane plane = planeOfSphere(from, to, guide, side, noise);
    if (interior) {
        const CircleBend bend = bendAtCircle(plane.a, plane.b, r, noise);
        if (!bend.bent) return setStraight(a, b, false, result);
        clear(result);
        GuideContact& contact = result.guides[0];
        contact.state = GuideContact::State::bent;
        contact.first = contact.last = guide.centre + plane.out(bend.point);
        contact.first_direction = plane.out(bend.point - plane.a) / bend.before;
        contact.last_direction = plane.out(plane.b - bend.point) / bend.after;
        contact.turn = angleBetween(contact.first_direction, contact.last_direction);
        result.straight = {bend.before, bend.after};
        result.length = bend.before + bend.after;
        return setGradients(result);
    }
    CircleQuestion question;
    question.a = plane.a, question.b = plane.b, question.radius = r, question.noise = noise;
    question.rule = guide.rule;
    question.side = plane.in(side);
    question.has_side = guide.has_side && question.side.norm() > kPerpendicular * side.norm() + noise;
    question.up = {plane.in(Vector3::UnitZ()), plane.in(Vector3::UnitX()), plane.in(Vector3::UnitY())};
    const CircleRoute route = routeAroundCircle(question);
    if (!route.wrapped) return setStraight(a, b, route.end_inside, result);
    clear(result);
    GuideContact& contact = result.guides[0];
    contact.state = GuideContact::State::wrapped;
    contact.sweep = contact.turn = route.sweep;
    contact.arc = r * route.sweep;
    contact.first = guide.centre + plane.out(route.first);
    contact.last = guide.centre + plane.out(route.last);
    contact.first_direction = plane.out(route.first_direction);
    contact.last_direction = plane.out(route.last_direction);
    result.straight = {route.before, route.after};
    result.length = route.before + contact.arc + route.after;
    setGradients(result);
}

void routeOverCylinder(const Vector3& a, const Vector3& b, const SpanGuide& guide, SpanResult& result) {
    const double r = guide.radii[0], noise = coordinateNoise(reach(a, b, guide));
    const Vector3 from = guide.axes.transpose() * (a - guide.centre), to = guide.axes.transpose() * (b - guide.centre);
    const Vector3 side = guide.axes.transpose() * (guide.side - guide.centre);
    const Vector2 from_plane = from.head<2>(), to_plane = to.head<2>(), side_plane = side.head<2>();
    const double rise = to.z() - from.z();
    const auto out = [&](const Vector2& p, double z) -> Vector3 { return guide.axes * Vector3(p.x(), p.y(), z); };
    if (guide.has_side && side_plane.norm() < r * (1 - kRelativeNoise) - noise) {
        const CircleBend bend = bendAtCircle(from_plane, to_plane, r, noise);
        if (!bend.bent) return setStraight(a, b, false, result);
        clear(result);
        // Both pieces climb alike: the height splits as the planar lengths do.
        const double flat = bend.before + bend.after, length = std::hypot(flat, rise), part = bend.before / flat;
        GuideContact& contact = result.guides[0];
        contact.state = GuideContact::State::bent;
        contact.first = contact.last = guide.centre + out(bend.point, from.z() + part * rise);
        const double level = flat / length, slope = rise / length;
        contact.first_direction = out((bend.point - from_plane) * (level / bend.before), slope);
        contact.last_direction = out((to_plane - bend.point) * (level / bend.after), slope);
        contact.turn = angleBetween(contact.first_direction, contact.last_direction);
        result.straight = {length * part, length * (1 - part)};
        result.length = length;
        return setGradients(result);
    }
    CircleQuestion question;
    question.a = from_plane, question.b = to_plane, question.radius = r, question.noise = noise;
    question.rule = guide.rule;
    question.side = side_plane;
    question.has_side = guide.has_side;
    for (int i = 0; i < 3; i++) {
        const int axis = (i + 2) % 3;  // z, x, y
        question.up[static_cast<std::size_t>(i)] = {guide.axes(axis, 0), guide.axes(axis, 1)};
    }
    const CircleRoute route = routeAroundCircle(question);
    if (!route.wrapped) return setStraight(a, b, route.end_inside, result);
    clear(result);
    // Unrolled, the route is one straight line: planar travel and height are the legs of a right triangle, and all
    // parts share its slope.
    const double planar_arc = r * route.sweep, flat = route.before + planar_arc + route.after;
    const double length = std::hypot(flat, rise), level = flat / length, slope = rise / length;
    GuideContact& contact = result.guides[0];
    contact.state = GuideContact::State::wrapped;
    contact.sweep = route.sweep;
    contact.turn = route.sweep * level;  // curvature level^2 / r over planar_arc / level
    contact.arc = planar_arc / level;
    contact.first = guide.centre + out(route.first, from.z() + rise * (route.before / flat));
    contact.last = guide.centre + out(route.last, to.z() - rise * (route.after / flat));
    contact.first_direction = out(route.first_direction * level, slope);
    contact.last_direction = out(route.last_direction * level, slope);
    result.straight = {route.before / level, route.after / level};
    result.length = length;
    setGradients(result);
}

}  // namespace mw
