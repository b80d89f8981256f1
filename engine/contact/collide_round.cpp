// Spheres and capsules against each other: balls around points and segments.
#include <algorithm>
#include <cmath>

#include "engine/contact/collide.h"

namespace mw::collide {

namespace {

/// Parameter of the point of p + t d, t in [-1, 1], nearest to c.
double nearestOnSegment(const Vector3& p, const Vector3& d, const Vector3& c) {
    const double length2 = d.squaredNorm();
    return length2 > 0 ? std::clamp(d.dot(c - p) / length2, -1.0, 1.0) : 0;
}

}  // namespace

Vector3 acrossOf(const Vector3& unit) {
    const Vector3 other = std::abs(unit.x()) > 0.8 ? Vector3(Vector3::UnitY()) : Vector3(Vector3::UnitX());
    return (other - unit.dot(other) * unit).normalized();
}

Touch ballTouch(const Vector3& a, double radius_a, const Vector3& b, double radius_b, const Vector3& fallback) {
    const Vector3 d = b - a;
    const double distance = d.norm();
    Touch touch;
    touch.normal = distance > 1e-12 * (1 + radius_a + radius_b) ? Vector3(d / distance) : fallback;
    touch.a = a + radius_a * touch.normal;
    touch.b = b - radius_b * touch.normal;
    touch.gap = distance - radius_a - radius_b;
    return touch;
}

SegmentPair nearestOfSegments(const Vector3& p1, const Vector3& d1, const Vector3& p2, const Vector3& d2) {
    // Either the nearest points of the two lines lie inside both segments, or an end of one is nearest: then the least
    // of four ends against a segment. Symmetric in the two, and safe where they are parallel.
    const Vector3 r = p2 - p1;
    const double a = d1.squaredNorm(), b = d1.dot(d2), c = d2.squaredNorm();
    const double sine2 = d1.cross(d2).squaredNorm();
    SegmentPair best;
    best.parallel = !(sine2 > 1e-14 * a * c);
    if (!best.parallel) {
        const double e = d1.dot(r), f = d2.dot(r);
        const double s = (e * c - b * f) / sine2, t = (b * e - a * f) / sine2;
        if (std::abs(s) <= 1 && std::abs(t) <= 1) {
            best.s = s, best.t = t;
            best.squared = (r + t * d2 - s * d1).squaredNorm();
            return best;
        }
    }
    best.squared = HUGE_VAL;
    const auto consider = [&](double s, double t) {
        const double squared = (r + t * d2 - s * d1).squaredNorm();
        if (squared < best.squared) best.s = s, best.t = t, best.squared = squared;
    };
    for (double end : {-1.0, 1.0}) consider(end, nearestOnSegment(p2, d2, p1 + end * d1));
    for (double end : {-1.0, 1.0}) consider(nearestOnSegment(p1, d1, p2 + end * d2), end);
    return best;
}

void sphereSphere(const Solid& A, const Solid& B, double reach, Touches& out) {
    const Touch touch = ballTouch(A.p, A.radius(), B.p, B.radius(), Vector3::UnitZ());
    if (touch.gap <= reach) out.push_back(touch);
}

void sphereCapsule(const Solid& A, const Solid& B, double reach, Touches& out) {
    const Vector3 d = B.size.y() * B.axis();
    const Vector3 nearest = B.p + nearestOnSegment(B.p, d, A.p) * d;
    const Touch touch = ballTouch(A.p, A.radius(), nearest, B.radius(), acrossOf(B.axis()));
    if (touch.gap <= reach) out.push_back(touch);
}

void capsuleCapsule(const Solid& A, const Solid& B, double reach, Touches& out) {
    const Vector3 d1 = A.size.y() * A.axis(), d2 = B.size.y() * B.axis();
    const SegmentPair nearest = nearestOfSegments(A.p, d1, B.p, d2);
    if (!(std::sqrt(nearest.squared) - A.radius() - B.radius() <= reach)) return;

    Vector3 fallback = A.axis().cross(B.axis());
    const double sine = fallback.norm();
    fallback = sine > 1e-7 ? Vector3(fallback / sine) : acrossOf(A.axis());
    const auto at = [&](double s, double t, std::uint32_t feature) {
        Touch touch = ballTouch(A.p + s * d1, A.radius(), B.p + t * d2, B.radius(), fallback);
        touch.feature = feature;
        if (touch.gap <= reach) out.push_back(touch);
    };

    // Side by side: the ends of what they overlap, each an end of one against the other, and between them the nearest
    // point where it is none of them.
    if (sine < 0.05 && d1.squaredNorm() > 0 && d2.squaredNorm() > 0) {
        const double same = 1e-6 * (d1.norm() + A.radius() + d2.norm() + B.radius());
        double taken[5];  // places along A, m
        int count = 0;
        const auto once = [&](double s, double t, std::uint32_t feature) {
            for (int k = 0; k < count; k++)
                if (std::abs(taken[k] - s * d1.norm()) < same) return;
            taken[count++] = s * d1.norm();
            at(s, t, feature);
        };
        const auto inside = [&](const Vector3& p, const Vector3& d, const Vector3& end) {
            return std::abs(d.dot(end - p)) <= d.squaredNorm() + same * d.norm();
        };
        for (int k = 0; k < 2; k++) {
            const double s = 2 * k - 1;
            const Vector3 end = A.p + s * d1;
            if (inside(B.p, d2, end)) once(s, nearestOnSegment(B.p, d2, end), std::uint32_t(k));
        }
        for (int k = 0; k < 2; k++) {
            const double t = 2 * k - 1;
            const Vector3 end = B.p + t * d2;
            if (inside(A.p, d1, end)) once(nearestOnSegment(A.p, d1, end), t, std::uint32_t(2 + k));
        }
        if (count == 0 || !nearest.parallel) once(nearest.s, nearest.t, 4);
        return;
    }
    at(nearest.s, nearest.t, 4);
}

}  // namespace mw::collide
