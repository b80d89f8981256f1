// All taut ropes over one ellipsoid or torus, by shooting: from the end a through every point of the outline that a
// sees, along the surface by small chords whose turns lie in the normal (the steps of RATTLE, Andersen 1983), until b
// comes into view, and where the last tangent passes b exactly. A second way to these routes that shares no formula
// with the first: no differential equation of a geodesic, no Jacobi field, no Newton's method.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "tests/engine/routes/scenes.h"

namespace mw::routes {

class Shooting {
public:
    struct Rope {
        double length = 0;
        Vector3 first = Vector3::Zero(), last = Vector3::Zero();  ///< guide's frame
        bool concave = false;  ///< lifts off somewhere, or a straight part cuts the guide
        bool through = false;  ///< crosses the disk of a torus' circle an odd number of times
    };

    Shooting(const Scene& scene, double step) : guide_(scene.guides[0]), step_(step) {
        a_ = guide_.axes.transpose() * (scene.a - guide_.centre);
        b_ = guide_.axes.transpose() * (scene.b - guide_.centre);
        size_ = guide_.radii[0] + guide_.radii[1] + guide_.radii[2];
    }

    /// Every rope that touches once and turns by less than `most` metres of arc; `scan` shots an outline.
    std::vector<Rope> all(int scan, double most) const {
        std::vector<Rope> ropes;
        const bool torus = guide_.kind == PathElement::Kind::torus;
        for (int branch = 0; branch < (torus ? 2 : 1); ++branch) {
            std::optional<Shot> before;
            double at = 0;
            for (int i = 0; i <= scan; ++i) {
                const double x = 2 * kPi * i / scan;
                const std::optional<Shot> here = shoot(x, branch, most);
                if (here && before && (here->miss > 0) != (before->miss > 0) &&
                    (here->last - before->last).norm() < 0.5 * size_) {
                    double low = at, high = x;
                    std::optional<Shot> middle = here;
                    for (int k = 0; k < 40 && middle; ++k) {
                        const double m = (low + high) / 2;
                        middle = shoot(m, branch, most);
                        if (middle) ((middle->miss > 0) == (before->miss > 0) ? low : high) = m;
                    }
                    if (middle && std::abs(middle->miss) < 1e-7) ropes.push_back(judge(*middle));
                }
                before = here, at = x;
            }
        }
        return ropes;
    }

    bool inside(const Vector3& x, double depth) const {
        if (guide_.kind == PathElement::Kind::torus)
            return std::hypot(std::hypot(x.x(), x.y()) - guide_.radii[0], x.z()) < guide_.radii[1] - depth;
        return Vector3(x.x() / guide_.radii[0], x.y() / guide_.radii[1], x.z() / guide_.radii[2]).norm() < 1 - depth;
    }

private:
    static constexpr double kPi = 3.14159265358979323846;
    struct Shot {
        double arc = 0, miss = 0;
        Vector3 first = Vector3::Zero(), last = Vector3::Zero();
        bool concave = false;
        int crossings = 0;
    };

    double level(const Vector3& x) const {
        if (guide_.kind == PathElement::Kind::torus) {
            const double out = std::hypot(x.x(), x.y()) - guide_.radii[0];
            return (out * out + x.z() * x.z()) / (guide_.radii[1] * guide_.radii[1]) - 1;
        }
        return Vector3(x.x() / guide_.radii[0], x.y() / guide_.radii[1], x.z() / guide_.radii[2]).squaredNorm() - 1;
    }
    Vector3 slope(const Vector3& x) const {
        if (guide_.kind == PathElement::Kind::torus) {
            const double rho = std::hypot(x.x(), x.y()), part = 1 - guide_.radii[0] / rho;
            return Vector3(x.x() * part, x.y() * part, x.z()) * (2 / (guide_.radii[1] * guide_.radii[1]));
        }
        Vector3 g;
        for (int i = 0; i < 3; ++i) {
            const double r = guide_.radii[static_cast<std::size_t>(i)];
            g[i] = 2 * x[i] / (r * r);
        }
        return g;
    }
    /// The outline that a sees: where the surface's normal is at right angles to the line of sight.
    std::optional<Vector3> outline(double x, int branch) const {
        if (guide_.kind == PathElement::Kind::torus) {
            const Vector3 e(std::cos(x), std::sin(x), 0);
            const double out = a_.dot(e) - guide_.radii[0], up = a_.z(), far = std::hypot(out, up);
            if (far <= guide_.radii[1]) return {};
            const double about = std::atan2(up, out) + (branch ? 1 : -1) * std::acos(guide_.radii[1] / far);
            return Vector3((guide_.radii[0] + guide_.radii[1] * std::cos(about)) * e +
                           Vector3(0, 0, guide_.radii[1] * std::sin(about)));
        }
        const Vector3 r(guide_.radii[0], guide_.radii[1], guide_.radii[2]);
        const Vector3 p = a_.cwiseQuotient(r);
        const double d2 = p.squaredNorm();
        const Vector3 u = p.unitOrthogonal(), v = p.normalized().cross(u);
        const Vector3 onto = p / d2 + std::sqrt(1 - 1 / d2) * (std::cos(x) * u + std::sin(x) * v);
        return Vector3(onto.cwiseProduct(r));
    }
    std::optional<Shot> shoot(double x, int branch, double most) const {
        const std::optional<Vector3> start = outline(x, branch);
        if (!start) return {};
        Shot shot;
        shot.first = *start;
        Vector3 p = *start, n = slope(p).normalized(), v = (p - a_).normalized();
        double ahead = (b_ - p).dot(n);
        if (ahead > 0) return {};  // b is in view already
        while (shot.arc < most) {
            // along v, back onto the surface along the normal where it stood; then v along the surface there
            Vector3 q = p + step_ * v;
            const Vector3 g = slope(p);
            double shift = 0;
            for (int k = 0; k < 6; ++k) {
                const double change = level(q) / slope(q).dot(g);
                q -= change * g, shift += change;
                if (std::abs(change) * g.norm() < 1e-16 * size_) break;
            }
            if (shift < 0) shot.concave = true;
            Vector3 w = (q - p) / step_;
            const Vector3 m = slope(q).normalized();
            w = (w - m * m.dot(w)).normalized();
            if ((p.z() > 0) != (q.z() > 0) && std::hypot(q.x(), q.y()) < guide_.radii[0]) ++shot.crossings;
            const double now = (b_ - q).dot(m);
            if (now >= 0) {
                // b comes into view within this step: a straight share of it
                const double part = ahead / (ahead - now);
                const Vector3 last = p + part * (q - p), normal = (n + part * (m - n)).normalized();
                const Vector3 along = (v + part * (w - v)).normalized();
                if ((b_ - last).dot(along) <= 0) return {};
                shot.arc += part * step_;
                shot.last = last;
                shot.miss = (b_ - last).dot(normal.cross(along)) / (b_ - last).norm();
                return shot;
            }
            shot.arc += step_;
            p = q, n = m, v = w, ahead = now;
        }
        return {};
    }
    Rope judge(const Shot& shot) const {
        Rope rope;
        rope.first = shot.first, rope.last = shot.last;
        rope.length = (shot.first - a_).norm() + shot.arc + (b_ - shot.last).norm();
        rope.concave = shot.concave;
        int crossings = shot.crossings;
        for (const auto& [from, to] : {std::pair{a_, shot.first}, std::pair{shot.last, b_}}) {
            for (int i = 1; i < 400; ++i)
                if (inside(from + (to - from) * (i / 400.0), 1e-4 * size_)) rope.concave = true;
            if ((from.z() > 0) != (to.z() > 0)) {
                const Vector3 at = from + (to - from) * (from.z() / (from.z() - to.z()));
                if (std::hypot(at.x(), at.y()) < guide_.radii[0]) ++crossings;
            }
        }
        rope.through = crossings % 2 != 0;
        return rope;
    }

    SpanGuide guide_;
    double step_, size_ = 0;
    Vector3 a_, b_;
};

}  // namespace mw::routes
