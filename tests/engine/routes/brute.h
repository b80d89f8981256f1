// A second way to a route over one sphere or cylinder, by search alone: no tangent formula, no angle of a wrap. The
// circle is a regular polygon of two million corners; the taut rope runs straight to the corner at the edge of what an
// end sees, then along the polygon. Which route it is comes from walking along the candidates.
#pragma once

#include <algorithm>
#include <optional>

#include "tests/engine/routes/scenes.h"

namespace mw::routes {

struct Brute {
    double length = 0;
    bool clear = true;  ///< false: a change of route is near, nothing is claimed
    GuideContact::State state = GuideContact::State::free;
};

namespace brute {

constexpr double kCorners = 2e6;
constexpr double kPi = 3.14159265358979323846;
constexpr double kMargin = 1e-4;  ///< decisions closer than this are not claimed

using P = Eigen::Vector2d;
inline double cross(const P& u, const P& v) { return u.x() * v.y() - u.y() * v.x(); }

struct Flat {
    P a, b, side;
    double r;
    P corner(double index) const {
        const double angle = 2 * kPi * index / kCorners;
        return r * P(std::cos(angle), std::sin(angle));
    }
    /// Real index of the corner below a point.
    double indexOf(const P& p) const { return std::floor(std::atan2(p.y(), p.x()) / (2 * kPi) * kCorners); }
    /// Corner farthest to the one side (+1: counter-clockwise from p's direction) as seen from p: the angle off the
    /// line to the centre rises, then falls.
    double edge(const P& p, int way) const {
        const double foot = indexOf(p);
        const auto off = [&](double k) {
            const P to = corner(foot + way * k) - p;
            return way * std::atan2(cross(to, -p), to.dot(-p));
        };
        double low = 0, high = kCorners / 4;
        while (high - low > 2) {
            const double m = std::floor((low + high) / 2);
            if (off(m) < off(m + 1)) low = m;
            else high = m + 1;
        }
        double best = low;
        for (double k = low; k <= high; k++) {
            if (off(k) > off(best)) best = k;
        }
        return foot + way * best;
    }
};

/// A candidate: the rope by way of corners `first` to `last`, counter-clockwise (sense +1) or clockwise.
struct Way {
    int sense = 0;
    double first = 0, sides = 0;
    P in, out;
    double length = 0;
};
inline Way wayRound(const Flat& f, int sense) {
    Way way;
    way.sense = sense;
    way.first = f.edge(f.a, sense);
    const double last = f.edge(f.b, -sense);
    way.sides = std::fmod(std::fmod(sense * (last - way.first), kCorners) + kCorners, kCorners);
    way.in = f.corner(way.first), way.out = f.corner(last);
    way.length = (way.in - f.a).norm() + way.sides * 2 * f.r * std::sin(kPi / kCorners) + (f.b - way.out).norm();
    return way;
}
inline P middle(const Flat& f, const Way& way) { return f.corner(way.first + way.sense * std::floor(way.sides / 2)); }

/// Signed margin by which two segments cross: positive when they do.
inline double crossing(const P& p, const P& q, const P& u, const P& v) {
    const double a = cross(q - p, u - p), b = cross(q - p, v - p), c = cross(v - u, p - u), d = cross(v - u, q - u);
    const double m = std::min(-std::copysign(1.0, a) * b, std::copysign(1.0, a) * a),
                 n = std::min(-std::copysign(1.0, c) * d, std::copysign(1.0, c) * c);
    return std::min(m, n);
}

/// Distance of the origin from a segment, and the point.
inline P nearestPoint(const P& a, const P& b) {
    double low = 0, high = 1;  // ternary search
    for (int i = 0; i < 200; i++) {
        const double m = low + (high - low) / 3, n = high - (high - low) / 3;
        if ((a + m * (b - a)).squaredNorm() < (a + n * (b - a)).squaredNorm()) high = n;
        else low = m;
    }
    return a + (low + high) / 2 * (b - a);
}

/// Turning of the line from the side's direction along a polyline of points; the half-line away from it is crossed
/// where the sum leaves (-pi, pi).
inline bool crossesBarrier(const std::vector<P>& line, const P& side, double& margin) {
    double angle = std::atan2(cross(side, line[0]), side.dot(line[0]));
    margin = kPi - std::abs(angle);
    bool crossed = false;
    for (std::size_t i = 1; i < line.size(); i++) {
        angle += std::atan2(cross(line[i - 1], line[i]), line[i - 1].dot(line[i]));
        margin = std::min(margin, std::abs(kPi - std::abs(angle)));
        crossed = crossed || std::abs(angle) > kPi;
    }
    return crossed;
}
inline std::vector<P> lineOf(const Flat& f, const Way* way) {
    std::vector<P> line;
    const auto straight = [&](const P& p, const P& q) {
        for (int i = 0; i < 50; i++) line.push_back(p + (q - p) * (i / 50.0));
    };
    if (!way) {
        straight(f.a, f.b);
    } else {
        straight(f.a, way->in);
        for (int i = 0; i < 200; i++) line.push_back(f.corner(way->first + way->sense * way->sides * (i / 200.0)));
        straight(way->out, f.b);
    }
    line.push_back(f.b);
    return line;
}

/// The planar length of the route that docs/tendons.md defines.
inline Brute flatRoute(const Flat& f, bool has_side, SideRule rule) {
    Brute best;
    const double size = std::max(f.a.norm(), f.b.norm());
    if (f.a.norm() <= f.r || f.b.norm() <= f.r) {
        best.length = (f.b - f.a).norm();
        best.clear = std::min(std::abs(f.a.norm() - f.r), std::abs(f.b.norm() - f.r)) > kMargin * f.r;
        return best;
    }
    const P nearest = nearestPoint(f.a, f.b);
    const bool misses = nearest.norm() >= f.r;
    best.clear = std::abs(nearest.norm() - f.r) > kMargin * f.r;
    Way ways[2] = {wayRound(f, 1), wayRound(f, -1)};
    const auto take = [&](const Way* way) {
        best.length = way ? way->length : (f.b - f.a).norm();
        best.state = way ? GuideContact::State::wrapped : GuideContact::State::free;
    };
    const auto takeShorter = [&] {
        best.clear = best.clear && std::abs(ways[0].length - ways[1].length) > kMargin * f.r;
        take(ways[0].length < ways[1].length ? &ways[0] : &ways[1]);
    };
    if (!has_side) {
        if (misses) take(nullptr);
        else takeShorter();
        return best;
    }
    const P side = f.side.normalized();
    if (rule == SideRule::barrier) {
        // The shortest of all that do not cross the half-line.
        std::optional<double> shortest;
        const auto consider = [&](const Way* way) {
            double margin = 0;
            const bool crossed = crossesBarrier(lineOf(f, way), side, margin);
            best.clear = best.clear && margin > kMargin;
            if (!crossed && (!shortest || (way ? way->length : (f.b - f.a).norm()) < *shortest)) {
                take(way);
                shortest = best.length;
            }
        };
        if (misses) consider(nullptr);
        consider(&ways[0]);
        consider(&ways[1]);
        return best;
    }
    if (misses) {
        const double towards = nearest.dot(side);
        best.clear = best.clear && std::abs(towards) > kMargin * size;
        if (towards >= 0) {
            take(nullptr);
            return best;
        }
    }
    bool dropped[2];
    for (int i = 0; i < 2; i++) {
        const double margin = crossing(f.a, ways[i].in, ways[i].out, f.b);
        dropped[i] = margin > 0;
        if (misses) best.clear = best.clear && std::abs(margin) > kMargin * kMargin * size * size;
    }
    if (dropped[0] != dropped[1]) {
        take(dropped[0] ? &ways[1] : &ways[0]);
        return best;
    }
    const double lead = (middle(f, ways[0]) - f.r * side).norm() - (middle(f, ways[1]) - f.r * side).norm();
    best.clear = best.clear && std::abs(lead) > kMargin * f.r;
    take(lead < 0 ? &ways[0] : &ways[1]);
    return best;
}

/// The shortest way that meets the disk: over the whole boundary, coarse then fine.
inline Brute flatBend(const Flat& f) {
    Brute best;
    const P nearest = nearestPoint(f.a, f.b);
    best.clear = std::abs(nearest.norm() - f.r) > kMargin * f.r;
    if (nearest.norm() <= f.r) {
        best.length = (f.b - f.a).norm();
        return best;
    }
    best.state = GuideContact::State::bent;
    const auto length = [&](double angle) {
        const P p = f.r * P(std::cos(angle), std::sin(angle));
        return (p - f.a).norm() + (f.b - p).norm();
    };
    double at = 0;
    for (int i = 0; i < 3600; i++) {
        const double angle = 2 * kPi * i / 3600;
        if (length(angle) < length(at)) at = angle;
    }
    double low = at - 2 * kPi / 3600, high = at + 2 * kPi / 3600;
    for (int i = 0; i < 120; i++) {
        const double m = low + (high - low) / 3, n = high - (high - low) / 3;
        if (length(m) < length(n)) high = n;
        else low = m;
    }
    best.length = length((low + high) / 2);
    return best;
}

}  // namespace brute

/// Of a scene with one sphere or cylinder.
inline Brute bruteRoute(const Scene& scene) {
    using brute::P;
    const SpanGuide& g = scene.guides[0];
    const bool cylinder = g.kind == PathElement::Kind::cylinder;
    const Vector3 a = scene.a - g.centre, b = scene.b - g.centre, side = g.side - g.centre;
    // The plane: of the cylinder's section, or through the centre and both ends.
    Vector3 x, y;
    double rise = 0;
    if (cylinder) {
        x = g.axes.col(0), y = g.axes.col(1);
        rise = g.axes.col(2).dot(b - a);
    } else {
        x = (b - a).normalized();
        y = a - x.dot(a) * x;
        y.normalize();
    }
    const auto flat = [&](const Vector3& p) { return P(x.dot(p), y.dot(p)); };
    const brute::Flat f{flat(a), flat(b), flat(side), g.radii[0]};
    const double side_distance = cylinder ? f.side.norm() : side.norm();
    const bool interior = g.has_side && side_distance < g.radii[0];
    Brute result = interior ? brute::flatBend(f) : brute::flatRoute(f, g.has_side, g.rule);
    if (g.has_side) {
        result.clear = result.clear && std::abs(side_distance - g.radii[0]) > 1e-6 * g.radii[0] &&
                       (interior || f.side.norm() > 0.01 * side.norm());
    }
    // Height is shared out so that the whole is shortest: two legs of a right triangle, found by search over the
    // height of one point half way.
    if (rise != 0) {
        double low = -2 * std::abs(rise), high = 2 * std::abs(rise);
        const double half = result.length / 2;
        const auto whole = [&](double z) { return std::hypot(half, z) + std::hypot(half, rise - z); };
        for (int i = 0; i < 200; i++) {
            const double m = low + (high - low) / 3, n = high - (high - low) / 3;
            if (whole(m) < whole(n)) high = n;
            else low = m;
        }
        result.length = whole((low + high) / 2);
    }
    return result;
}

}  // namespace mw::routes
