// What the tests of colliding shapes share: random solids, and an opinion on the distance of two convex ones that knows
// nothing of pairs: the greatest separation over all directions, from support functions alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "engine/base/draw.h"
#include "engine/contact/collide.h"
#include "tests/support/catch.h"

namespace mw::test {

using collide::Solid;
using collide::Touch;
using collide::Touches;
using Kind = Shape::Kind;

inline Vector3 unitVector(Draw& draw) {
    for (;;) {
        const Vector3 v(draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1));
        if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
}
inline Matrix3 anyTurn(Draw& draw) { return rotationAbout(unitVector(draw), draw.between(-3.14, 3.14)); }

inline Solid solidOf(Kind kind, const Vector3& size, const Vector3& p = Vector3::Zero(),
                     const Matrix3& R = Matrix3::Identity()) {
    Solid s;
    s.kind = kind;
    s.size = size;
    s.p = p;
    s.R = R;
    return s;
}
inline Solid randomSolid(Kind kind, Draw& draw) {
    Solid s = solidOf(kind, Vector3(draw.between(0.1, 1), draw.between(0.1, 1), draw.between(0.1, 1)),
                      Vector3(draw.between(-1, 1), draw.between(-1, 1), draw.between(-1, 1)), anyTurn(draw));
    if (kind == Kind::capsule) s.size.x() *= 0.5;
    return s;
}

/// max over the solid of direction . x.
inline double support(const Solid& s, const Vector3& direction) {
    const Vector3 d = s.R.transpose() * direction;
    const double at = direction.dot(s.p);
    switch (s.kind) {
        case Kind::sphere: return at + s.radius() * d.norm();
        case Kind::capsule: return at + s.radius() * d.norm() + s.size.y() * std::abs(d.z());
        case Kind::box: return at + s.size.dot(d.cwiseAbs());
        case Kind::cylinder: return at + s.radius() * std::hypot(d.x(), d.y()) + s.size.y() * std::abs(d.z());
        case Kind::cone: return at + std::max(s.radius() * std::hypot(d.x(), d.y()), s.size.y() * d.z());
        case Kind::mesh: {
            double most = -HUGE_VAL;
            for (const Vector3& p : *s.points) most = std::max(most, d.dot(p));
            return at + most;
        }
    }
    return at;
}
inline double separation(const Solid& A, const Solid& B, const Vector3& n) { return -support(B, -n) - support(A, n); }

/// Signed distance of two convex solids: the greatest separation over all directions. A net of directions, then the
/// best of them refined by a shrinking pattern. At most the true value; `accuracy` about 1e-9 of the size.
inline double signedDistance(const Solid& A, const Solid& B, Vector3* direction = nullptr) {
    constexpr int kNet = 1500, kBest = 12;
    std::vector<std::pair<double, Vector3>> net;
    net.reserve(kNet);
    for (int i = 0; i < kNet; i++) {  // a spiral with even spacing
        const double z = 1 - (2 * i + 1.0) / kNet, r = std::sqrt(1 - z * z), a = 2.399963229728653 * i;
        const Vector3 n(r * std::cos(a), r * std::sin(a), z);
        net.emplace_back(separation(A, B, n), n);
    }
    if ((B.p - A.p).norm() > 1e-9) {
        const Vector3 n = (B.p - A.p).normalized();
        net.emplace_back(separation(A, B, n), n);
    }
    std::partial_sort(net.begin(), net.begin() + kBest, net.end(),
                      [](const auto& a, const auto& b) { return a.first > b.first; });
    double best = -HUGE_VAL;
    for (int k = 0; k < kBest; k++) {
        Vector3 n = net[std::size_t(k)].second;
        double value = net[std::size_t(k)].first;
        Draw draw(77, k);
        double step = 0.08;
        while (step > 1e-11) {
            const Vector3 u = collide::acrossOf(n), w = n.cross(u);
            bool better = false;
            const double turn = draw.between(0, 6.283185307179586);
            for (int i = 0; i < 16; i++) {
                const double a = turn + i * 0.39269908169872414;
                const Vector3 m = (n + step * (std::cos(a) * u + std::sin(a) * w)).normalized();
                const double s = separation(A, B, m);
                if (s > value) value = s, n = m, better = true;
            }
            if (!better) step *= 0.6;
        }
        if (value > best) {
            best = value;
            if (direction) *direction = n;
        }
    }
    return best;
}

/// Distance of two solids that are apart, from their cores (point, segment, box): the point of least norm in the hull
/// of all differences of corners, by Frank and Wolfe's method with pairwise steps, to rounding. Negative: they may
/// overlap.
inline double coreDistance(const Solid& A, const Solid& B) {
    const auto corners = [](const Solid& s) {
        std::vector<Vector3> list;
        const Vector3 h = s.kind == Kind::box       ? s.size
                          : s.kind == Kind::capsule ? Vector3(0, 0, s.size.y())
                                                    : Vector3(0, 0, 0);
        for (int k = 0; k < 8; k++)
            list.push_back(s.p + s.R * Vector3(k & 1 ? h.x() : -h.x(), k & 2 ? h.y() : -h.y(), k & 4 ? h.z() : -h.z()));
        return list;
    };
    const double radii = (A.kind == Kind::box ? 0 : A.radius()) + (B.kind == Kind::box ? 0 : B.radius());
    std::vector<Vector3> points;
    for (const Vector3& a : corners(A))
        for (const Vector3& b : corners(B)) points.push_back(b - a);
    std::vector<double> weight(points.size(), 0);
    weight[0] = 1;
    Vector3 x = points[0];
    for (int k = 0; k < 20000; k++) {
        std::size_t to = 0, from = points.size();
        for (std::size_t i = 0; i < points.size(); i++) {
            if (x.dot(points[i]) < x.dot(points[to])) to = i;
            if (weight[i] > 0 && (from == points.size() || x.dot(points[i]) > x.dot(points[from]))) from = i;
        }
        const Vector3 d = points[to] - points[from];
        if (!(-x.dot(d) > 1e-17)) break;
        const double step = std::min(weight[from], -x.dot(d) / d.squaredNorm());
        weight[from] = step == weight[from] ? 0 : weight[from] - step;
        weight[to] += step;
        x = Vector3::Zero();
        for (std::size_t i = 0; i < points.size(); i++)
            if (weight[i] > 0) x += weight[i] * points[i];
    }
    return x.norm() < 1e-6 ? -1 : x.norm() - radii;
}

/// Signed distance of a point from a primitive's surface, negative inside.
inline double surfaceDistance(const Solid& s, const Vector3& point) {
    const Vector3 x = s.R.transpose() * (point - s.p);
    switch (s.kind) {
        case Kind::sphere: return x.norm() - s.radius();
        case Kind::capsule: {
            const Vector3 c(0, 0, std::clamp(x.z(), -s.size.y(), s.size.y()));
            return (x - c).norm() - s.radius();
        }
        case Kind::box: {
            const Vector3 d = x.cwiseAbs() - s.size;
            return d.cwiseMax(0).norm() + std::min(d.maxCoeff(), 0.0);
        }
        case Kind::cylinder: {
            const double dr = std::hypot(x.x(), x.y()) - s.radius(), dz = std::abs(x.z()) - s.size.y();
            return std::hypot(std::max(dr, 0.0), std::max(dz, 0.0)) + std::min(std::max(dr, dz), 0.0);
        }
        default: return 0;
    }
}

inline double leastGap(const Touches& touches) {
    double least = HUGE_VAL;
    for (const Touch& t : touches) least = std::min(least, t.gap);
    return least;
}

}  // namespace mw::test
