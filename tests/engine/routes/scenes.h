// Scenes of one span for the tests of routes: builders, rigid motions, finite differences, and random scenes.
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "engine/tendon/span.h"

namespace mw::routes {

/// One span with its guides, as routeSpan takes it.
struct Scene {
    Vector3 a = Vector3::Zero(), b = Vector3::Zero();
    std::vector<SpanGuide> guides;

    SpanResult route() const {
        SpanResult result;
        routeSpan(a, b, guides, result);
        return result;
    }
    double length() const { return route().length; }
};

/// Right-handed axes with the given z.
inline Matrix3 axesAlong(const Vector3& z) {
    const Vector3 unit = z.normalized();
    const Vector3 x = (std::abs(unit.x()) < 0.7 ? Vector3::UnitX() : Vector3::UnitY()).cross(unit).normalized();
    Matrix3 axes;
    axes << x, unit.cross(x), unit;
    return axes;
}

inline SpanGuide guideOf(PathElement::Kind kind, const Vector3& centre, double radius,
                         const Vector3& axis = Vector3::UnitZ()) {
    SpanGuide guide;
    guide.kind = kind;
    guide.centre = centre;
    guide.radii = {radius, 0, 0};
    guide.axes = axesAlong(axis);
    return guide;
}
inline SpanGuide withSide(SpanGuide guide, const Vector3& side, SideRule rule = SideRule::nearest) {
    guide.has_side = true;
    guide.side = side;
    guide.rule = rule;
    return guide;
}

inline double sizeOf(const Scene& scene) {
    double size = std::max(scene.a.norm(), scene.b.norm());
    for (const SpanGuide& g : scene.guides) size = std::max(size, g.centre.norm() + g.radii[0] + g.radii[1]);
    return size;
}

/// The scene turned by R about the base origin, then moved by t.
inline Scene moved(const Scene& scene, const Matrix3& R, const Vector3& t) {
    Scene other = scene;
    other.a = R * scene.a + t, other.b = R * scene.b + t;
    for (SpanGuide& g : other.guides) {
        g.centre = R * g.centre + t, g.side = R * g.side + t;
        g.axes = R * g.axes;
    }
    return other;
}
inline Scene scaled(const Scene& scene, double k) {
    Scene other = scene;
    other.a *= k, other.b *= k;
    for (SpanGuide& g : other.guides) {
        g.centre *= k, g.side *= k;
        for (double& r : g.radii) r *= k;
    }
    return other;
}
inline Scene exchanged(const Scene& scene) {
    Scene other = scene;
    std::swap(other.a, other.b);
    other.guides.assign(scene.guides.rbegin(), scene.guides.rend());
    return other;
}
/// All numbers of it, for the message of a test that fails.
inline std::string describe(const Scene& scene) {
    std::ostringstream text;
    text.precision(17);
    text << "a " << scene.a.transpose() << " b " << scene.b.transpose();
    for (const SpanGuide& g : scene.guides) {
        text << "\n  " << pathElementName(g.kind) << " centre " << g.centre.transpose() << " z "
             << g.axes.col(2).transpose() << " radii " << g.radii[0] << ' ' << g.radii[1] << ' ' << g.radii[2];
        if (g.has_side) text << " side " << g.side.transpose() << ' ' << sideRuleName(g.rule);
    }
    return text.str();
}
inline bool finite(const SpanResult& r) {
    bool ok = std::isfinite(r.length) && r.a_gradient.allFinite() && r.b_gradient.allFinite();
    for (const double s : r.straight) ok = ok && std::isfinite(s);
    for (const GuideContact& c : r.guides) {
        ok = ok && std::isfinite(c.sweep) && std::isfinite(c.turn) && std::isfinite(c.arc) && c.first.allFinite() &&
             c.last.allFinite() && c.first_gradient.allFinite() && c.last_gradient.allFinite() &&
             c.first_direction.allFinite() && c.last_direction.allFinite();
    }
    return ok;
}

/// The same route as far as states tell: differences across a change of route mean nothing.
inline bool sameRoute(const SpanResult& one, const SpanResult& other) {
    if (one.converged != other.converged || one.guides.size() != other.guides.size()) return false;
    for (std::size_t i = 0; i < one.guides.size(); i++) {
        const GuideContact &c = one.guides[i], &d = other.guides[i];
        if (c.state != d.state || c.end_inside != d.end_inside || std::abs(c.sweep - d.sweep) > 0.01) return false;
        if (c.state != GuideContact::State::free && (c.first - d.first).norm() > 0.01 * (1 + c.first.norm())) {
            return false;
        }
    }
    return true;
}

/// The derivative that the result claims and a difference of fourth order for one motion of a part of the scene;
/// `compared` false: a change of route is too near.
struct Slope {
    double claimed = 0, difference = 0;
    bool compared = true;
    double error() const { return std::abs(claimed - difference); }
};
template <class Move>
Slope slopeAlong(const Scene& scene, const SpanResult& here, double claimed, double step, Move move) {
    Slope slope;
    slope.claimed = claimed;
    double value[4];
    const double at[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) {
        Scene other = scene;
        move(other, at[i] * step);
        const SpanResult there = other.route();
        slope.compared = slope.compared && sameRoute(here, there);
        value[i] = there.length;
    }
    slope.difference = (value[0] - 8 * value[1] + 8 * value[2] - value[3]) / (12 * step);
    return slope;
}

/// All slopes of a scene: both ends along the base axes; each guide (its side site stays) moved along and turned about
/// the base axes through the base origin.
inline std::vector<Slope> slopes(const Scene& scene, double step) {
    std::vector<Slope> all;
    const SpanResult r = scene.route();
    for (int k = 0; k < 3; k++) {
        all.push_back(slopeAlong(scene, r, r.a_gradient[k], step, [k](Scene& s, double d) { s.a[k] += d; }));
        all.push_back(slopeAlong(scene, r, r.b_gradient[k], step, [k](Scene& s, double d) { s.b[k] += d; }));
        for (std::size_t i = 0; i < scene.guides.size(); i++) {
            const GuideContact& c = r.guides[i];
            const Vector3 force = c.first_gradient + c.last_gradient;
            const Vector3 moment = c.first.cross(c.first_gradient) + c.last.cross(c.last_gradient);
            all.push_back(
                slopeAlong(scene, r, force[k], step, [k, i](Scene& s, double d) { s.guides[i].centre[k] += d; }));
            all.push_back(slopeAlong(scene, r, moment[k], step, [k, i](Scene& s, double d) {
                const Matrix3 R = rotationAbout(Vector3::Unit(k), d);
                s.guides[i].centre = R * s.guides[i].centre;
                s.guides[i].axes = R * s.guides[i].axes;
            }));
        }
    }
    return all;
}

/// Random numbers that do not depend on the library's distributions.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    int below(int n) { return static_cast<int>(unit() * n); }
    Vector3 direction() {
        for (;;) {
            const Vector3 v(between(-1, 1), between(-1, 1), between(-1, 1));
            if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
        }
    }
    Matrix3 rotation() { return rotationAbout(direction(), between(-3, 3)); }

private:
    std::mt19937_64 engine_;
};

/// How many random routes a test takes: `brief`, or with MW_LONG=1 in the environment `full`.
inline int amount(int brief, int full) {
    const char* wish = std::getenv("MW_LONG");
    return wish && std::string(wish) != "0" ? full : brief;
}

}  // namespace mw::routes
