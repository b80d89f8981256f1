// A string pulled short, as an oracle for routes of any kind: no tangent, no geodesic and no Newton's method. It is a
// row of points, each kept outside of the guides next to it (at a bend: inside), moved to the mean of its neighbours
// until nothing moves. The sum of squared pieces, each over its share of the length, has its minima where the length
// has.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/engine/routes/scenes.h"

namespace mw::routes {

/// The point of a guide's surface next to x, guide's frame.
inline Vector3 nearestOnSurface(const SpanGuide& guide, const Vector3& x) {
    switch (guide.kind) {
        case PathElement::Kind::cylinder: {
            const double f = guide.radii[0] / std::hypot(x.x(), x.y());
            return {f * x.x(), f * x.y(), x.z()};
        }
        case PathElement::Kind::torus: {
            const double f = guide.radii[0] / std::hypot(x.x(), x.y());
            const Vector3 ring(f * x.x(), f * x.y(), 0);
            return ring + guide.radii[1] * (x - ring).normalized();
        }
        case PathElement::Kind::ellipsoid: {
            // y = r^2 x / (r^2 + t) with t such that y lies on it
            const Vector3 r2 = Vector3(guide.radii[0], guide.radii[1], guide.radii[2]).array().square();
            double t = 0;
            for (int i = 0; i < 60; ++i) {
                double f = -1, df = 0;
                for (int k = 0; k < 3; ++k) {
                    const double q = r2[k] * x[k] * x[k] / ((r2[k] + t) * (r2[k] + t));
                    f += q, df -= 2 * q / (r2[k] + t);
                }
                const double step = f / df;
                t -= step;
                if (std::abs(step) < 1e-15 * r2.maxCoeff()) break;
            }
            return (r2.array() * x.array() / (r2.array() + t)).matrix();
        }
        default: return guide.radii[0] * x.normalized();
    }
}

/// Below zero inside of a guide; guide's frame.
inline double depthIn(const SpanGuide& guide, const Vector3& x) {
    switch (guide.kind) {
        case PathElement::Kind::cylinder: return std::hypot(x.x(), x.y()) - guide.radii[0];
        case PathElement::Kind::torus:
            return std::hypot(std::hypot(x.x(), x.y()) - guide.radii[0], x.z()) - guide.radii[1];
        case PathElement::Kind::ellipsoid:
            return x.cwiseQuotient(Vector3(guide.radii[0], guide.radii[1], guide.radii[2])).norm() - 1;
        default: return x.norm() - guide.radii[0];
    }
}

struct String {
    double length = 0;
    bool slipped = false;  ///< shorter than the route by far: that was no minimum
};

/// The string from a line near the route: pushed aside by `aside` m in the middle, then pulled short. `angle`, rad:
/// its pieces on guides.
inline String pullString(const Scene& scene, const SpanResult& route, double angle, double aside, Random& random) {
    struct Point {
        Vector3 x;
        int guides[2] = {-1, -1};  ///< kept outside of these
        int bend = -1;             ///< kept inside of this
        bool held = false;
    };
    std::vector<Vector3> line;
    std::vector<int> on;
    drawSpan(scene.a, scene.b, scene.guides, route, angle, line, on);
    std::vector<Point> points;
    const auto near = [](Point& p, int guide) {
        if (guide < 0 || p.guides[0] == guide || p.guides[1] == guide) return;
        (p.guides[0] < 0 ? p.guides[0] : p.guides[1]) = guide;
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        Point p;
        p.x = line[i];
        if (i > 0) near(p, on[i - 1]);
        if (i < on.size()) near(p, on[i]);
        points.push_back(p);
    }
    for (std::size_t k = 0; k < scene.guides.size(); ++k) {
        if (route.guides[k].state != GuideContact::State::bent) continue;
        auto at = std::min_element(points.begin() + 1, points.end() - 1, [&](const Point& p, const Point& q) {
            return (p.x - route.guides[k].first).norm() < (q.x - route.guides[k].first).norm();
        });
        at->bend = static_cast<int>(k);
    }
    // Straight parts get points that lie the closer, the nearer they are to a guide.
    for (bool more = true; more;) {
        more = false;
        std::vector<Point> finer{points.front()};
        for (std::size_t i = 1; i < points.size(); ++i) {
            const double here = (points[i].x - points[i - 1].x).norm();
            double least = here;
            if (i > 1) least = std::min(least, (points[i - 1].x - points[i - 2].x).norm());
            if (i + 1 < points.size()) least = std::min(least, (points[i + 1].x - points[i].x).norm());
            if (here > 2.5 * least && here > 1e-6) {
                Point middle;
                middle.x = (points[i - 1].x + points[i].x) / 2;
                for (const int g : points[i - 1].guides) near(middle, g);
                for (const int g : points[i].guides) near(middle, g);
                finer.push_back(middle);
                more = true;
            }
            finer.push_back(points[i]);
        }
        points = finer;
    }
    const std::size_t n = points.size();
    std::vector<double> weight(n, 0), at(n, 0);
    for (std::size_t i = 1; i < n; ++i) {
        const double piece = (points[i].x - points[i - 1].x).norm();
        weight[i] = 1 / std::max(piece, 1e-9);
        at[i] = at[i - 1] + piece;
    }
    const Vector3 push = aside * random.direction();
    for (std::size_t i = 1; i + 1 < n; ++i) points[i].x += std::sin(3.14159265358979 * at[i] / at.back()) * push;

    const auto keep = [&](Point& p) {
        p.held = false;
        const auto onTo = [&](int k) -> Vector3 {
            const SpanGuide& g = scene.guides[static_cast<std::size_t>(k)];
            return g.centre + g.axes * nearestOnSurface(g, g.axes.transpose() * (p.x - g.centre));
        };
        const auto depth = [&](int k) {
            const SpanGuide& g = scene.guides[static_cast<std::size_t>(k)];
            return depthIn(g, g.axes.transpose() * (p.x - g.centre));
        };
        for (const int k : p.guides)
            if (k >= 0 && depth(k) < 0) p.x = onTo(k), p.held = true;
        if (p.bend >= 0 && depth(p.bend) > 0) p.x = onTo(p.bend);
    };
    for (std::size_t i = 1; i + 1 < n; ++i) keep(points[i]);
    String string;
    const double relaxation = 2 / (1 + std::sin(3.14159265358979 / static_cast<double>(n)));
    const double size = at.back();
    for (std::size_t turn = 0; turn < 12 * n + 400; ++turn) {
        double moved = 0;
        for (std::size_t i = 1; i + 1 < n; ++i) {
            Point& p = points[i];
            const Vector3 before = p.x;
            const Vector3 mean =
                (weight[i] * points[i - 1].x + weight[i + 1] * points[i + 1].x) / (weight[i] + weight[i + 1]);
            p.x += relaxation * (mean - p.x);
            keep(p);
            moved = std::max(moved, (p.x - before).norm());
        }
        if (moved < 1e-11 * size) break;
        if (turn % 64 == 63) {
            double length = 0;
            for (std::size_t i = 1; i < n; ++i) length += (points[i].x - points[i - 1].x).norm();
            string.slipped = length < route.length - 1e-3 * size;
            if (string.slipped) break;
        }
    }
    // Between two points on a guide the rope is an arc, longer than its chord by a 24th of the turning's square.
    for (std::size_t i = 1; i < n; ++i) {
        const Vector3 piece = points[i].x - points[i - 1].x;
        double turning = 0;
        if (i > 1 && i + 1 < n && points[i - 1].held && points[i].held) {
            const Vector3 u = (points[i - 1].x - points[i - 2].x).normalized(),
                          w = (points[i + 1].x - points[i].x).normalized();
            turning = u.cross(w).norm() / 2;
        }
        string.length += piece.norm() * (1 + turning * turning / 24);
    }
    return string;
}

}  // namespace mw::routes
