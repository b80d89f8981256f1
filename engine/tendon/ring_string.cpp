// The string is a row of points at less than the wire's radius from each other, so that a piece between two points
// outside of the wire cannot go through it. Its points are moved to the middle between their neighbours, with
// over-relaxation, and put back on the wire where they got into it: the sum of the squared pieces falls to a minimum,
// which is a shortest line with points evenly spread.
#include "engine/tendon/ring_string.h"

#include <algorithm>
#include <cmath>

namespace mw {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSpacing = 0.6;      // of the wire's radius, at the start
constexpr double kLongestMove = 0.2;  // of the wire's radius, in one turn
constexpr std::size_t kMostPoints = 1500;
constexpr int kPasses = 3;          // from the start, the ends' directions known better each time
constexpr int kRefinements = 2;     // pieces are halved so often
constexpr std::size_t kTurns = 12;  // a point

// The part of the way from `x` to the ring's neighbourhood is straight: left out up to `reach` from the centre, going
// to `aim` within it. It ends on the side of the ring's plane where it begins.
Vector3 nearer(const Vector3& x, const Vector3& aim, double reach) {
    if (x.norm() <= reach) return x;
    const Vector3 way = aim - x;
    const double a = way.squaredNorm(), b = x.dot(way), c = x.squaredNorm() - reach * reach;
    const double t = c / (-b + std::sqrt(std::max(b * b - a * c, 0.0)));
    const Vector3 entry = x + t * way;
    if ((entry.z() >= 0) == (x.z() >= 0)) return entry;
    return x * (reach / x.norm());
}

// Corners of a way that is clear of the wire: out of the wire's height first, then level, then down again.
std::vector<Vector3> clearWay(const Vector3& p, const Vector3& q, RingWay way, double azimuth, double ring,
                              double wire) {
    const double up = 1.5 * wire;
    const auto lifted = [&](const Vector3& x, double sign) {
        return Vector3(x.x(), x.y(), sign * std::max(up, std::abs(x.z())));
    };
    double side = p.z() >= 0 ? 1 : -1;
    std::vector<Vector3> corners{p, lifted(p, side)};
    const auto cross = [&](double rho) {
        const Vector3 gate(rho * std::cos(azimuth), rho * std::sin(azimuth), side * up);
        corners.push_back(gate);
        corners.push_back({gate.x(), gate.y(), -gate.z()});
        side = -side;
    };
    const double outside = ring + 2 * wire;
    if (way != RingWay::past) {
        if ((side > 0) != (way == RingWay::down)) cross(outside);
        cross(0);
    }
    if ((side > 0) != (q.z() >= 0)) cross(outside);
    corners.push_back(lifted(q, side));
    corners.push_back(q);
    return corners;
}

std::vector<Vector3> spread(const std::vector<Vector3>& corners, double spacing) {
    std::vector<Vector3> points{corners.front()};
    for (std::size_t i = 1; i < corners.size(); ++i) {
        const Vector3 way = corners[i] - corners[i - 1];
        const int pieces = static_cast<int>(std::ceil(way.norm() / spacing));
        for (int k = 1; k <= pieces; ++k) points.push_back(corners[i - 1] + way * (static_cast<double>(k) / pieces));
    }
    return points;
}

// `held`: the points that lie on the wire.
void shorten(const GuideSurface& surface, std::vector<Vector3>& x, std::vector<char>& held) {
    const double wire = surface.radii()[1];
    const double relaxation = 2 / (1 + std::sin(kPi / static_cast<double>(x.size())));
    held.assign(x.size(), 0);
    const std::size_t turns = kTurns * x.size();
    for (std::size_t turn = 0; turn < turns; ++turn) {
        double moved = 0;
        for (std::size_t i = 1; i + 1 < x.size(); ++i) {
            Vector3 step = relaxation * ((x[i - 1] + x[i + 1]) / 2 - x[i]);
            const double size = step.norm();
            if (size > kLongestMove * wire) step *= kLongestMove * wire / size;
            Vector3 next = x[i] + step;
            held[i] = surface.level(next) < 0;
            if (held[i]) next = surface.project(next);
            moved = std::max(moved, (next - x[i]).norm());
            x[i] = next;
        }
        if (moved < 1e-7 * wire) break;
    }
}

std::vector<Vector3> halved(const std::vector<Vector3>& x) {
    std::vector<Vector3> finer{x.front()};
    for (std::size_t i = 1; i < x.size(); ++i) {
        finer.push_back((x[i - 1] + x[i]) / 2);
        finer.push_back(x[i]);
    }
    return finer;
}

}  // namespace

std::vector<TautNode> stringAroundRing(const GuideSurface& surface, const Vector3& p, const Vector3& q, RingWay way,
                                       double azimuth) {
    const double ring = surface.radii()[0], wire = surface.radii()[1];
    const double reach = 2.5 * (ring + wire);
    std::vector<Vector3> x;
    std::vector<char> held;
    Vector3 first = Vector3::Zero(), last = Vector3::Zero();  // where the rope's straight ends go
    for (int pass = 0; pass < kPasses; ++pass) {
        x = spread(clearWay(nearer(p, first, reach), nearer(q, last, reach), way, azimuth, ring, wire),
                   kSpacing * wire);
        if (x.size() < 3 || x.size() > kMostPoints) return {};
        shorten(surface, x, held);
        const auto begin = std::find(held.begin(), held.end(), 1);
        if (begin == held.end()) return {};
        first = x[static_cast<std::size_t>(begin - held.begin())];
        last = x[static_cast<std::size_t>(held.rend() - std::find(held.rbegin(), held.rend(), 1)) - 1];
    }
    for (int level = 0; level < kRefinements && 2 * x.size() <= kMostPoints; ++level) {
        x = halved(x);
        shorten(surface, x, held);
    }
    // runs of points on the wire; one point off it within a run is chance
    std::vector<TautNode> nodes;
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
        if (!held[i]) continue;
        std::size_t last = i;
        while (last + 2 < x.size() && (held[last + 1] || (last + 3 < x.size() && held[last + 2]))) ++last;
        TautNode node;
        node.surface = &surface;
        node.p = surface.project(x[i]);
        const Vector3 n = surface.normal(node.p);
        Vector3 t = x[i + 1] - x[i - 1];
        t -= n * n.dot(t);
        if (t.norm() > 0) {
            node.t = t.normalized();
            for (std::size_t k = i; k < last; ++k) node.s += (x[k + 1] - x[k]).norm();
            node.s = std::max(node.s, 0.02 * wire);
            nodes.push_back(node);
        }
        i = last;
    }
    return nodes;
}

}  // namespace mw
