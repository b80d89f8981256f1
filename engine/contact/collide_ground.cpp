// Shapes on the ground. A plane: balls, corners, rims in closed form. Any other terrain: the nearest point of the
// surface by Newton's method, from several starts where it rises steeply; the inside of edges and of capsules where
// the ground comes up between their ends.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/contact/collide.h"

namespace mw::collide {

namespace {

/// Half the squared distance of c to the surface's point over (x, y).
double half(const Terrain::Sample& s, const Vector3& c, double x, double y) {
    return 0.5 * ((x - c.x()) * (x - c.x()) + (y - c.y()) * (y - c.y()) + (s.height - c.z()) * (s.height - c.z()));
}

Vector3 normalOf(const Terrain::Sample& s) { return Vector3(-s.slope_x, -s.slope_y, 1).normalized(); }

constexpr double kEighth = 0.785398163397448310;

/// The least of a function between two places by golden section.
template <class Function>
double leastBetween(double low, double high, int steps, const Function& value) {
    constexpr double kGolden = 0.618033988749894848;
    double t1 = high - kGolden * (high - low), t2 = low + kGolden * (high - low), v1 = value(t1), v2 = value(t2);
    for (int i = 0; i < steps; i++) {
        if (v1 < v2) {
            high = t2, t2 = t1, v2 = v1;
            t1 = high - kGolden * (high - low), v1 = value(t1);
        } else {
            low = t1, t1 = t2, v1 = v2;
            t2 = low + kGolden * (high - low), v2 = value(t2);
        }
    }
    return v1 < v2 ? t1 : t2;
}

/// Along a ray from a foot: the first place where the distance to the ball's centre has a minimum of its own (a curb, a
/// valley's other side). Infinite: none.
struct Beside {
    double distance = HUGE_VAL, at = 0;
};
Beside besideAlong(const Terrain& terrain, const Vector3& c, const Vector3& foot, double range, double angle) {
    constexpr int kParts = 24;
    const double ux = std::cos(angle), uy = std::sin(angle);
    const auto distance = [&](double s) {
        const double x = foot.x() + s * ux, y = foot.y() + s * uy;
        return (Vector3(x, y, terrain.height(x, y)) - c).norm();
    };
    double before = distance(0), here = distance(range / kParts);
    for (int i = 1; i < kParts; i++) {
        const double next = distance(range * (i + 1) / kParts);
        if (here < before && here <= next) {
            const double at = leastBetween(range * (i - 1) / kParts, range * (i + 1) / kParts, 45, distance);
            return {distance(at), at};
        }
        before = here, here = next;
    }
    return {};
}

/// A ball against the ground: features from `feature` on, 0 the nearest foot from below it, 1..8 others by direction.
void ballOnGround(const Terrain& terrain, const Vector3& c, double radius, double reach, std::uint32_t feature,
                  Touches& out) {
    const auto add = [&](const Foot& foot, std::uint32_t f) {
        const double gap = foot.distance - radius;
        if (gap <= reach) out.push_back({foot.at, c - radius * foot.normal, foot.normal, gap, feature + f});
    };
    if (!terrain.isPlane()) {  // too high above ground of this steepness
        const double steep = terrain.steepest();
        if ((c.z() - terrain.height(c.x(), c.y())) / std::sqrt(1 + steep * steep) - radius > reach) return;
    }
    const Foot below = nearestOnTerrain(terrain, c, c.x(), c.y());
    add(below, 0);
    if (terrain.isPlane() || radius == 0) return;
    // Where the ground rises beside the ball it may touch there too.
    const double range = radius + std::max(reach, 0.0);
    std::array<Beside, 8> around;
    for (int k = 0; k < 8; k++) {
        const double x = below.at.x() + range * std::cos(kEighth * k), y = below.at.y() + range * std::sin(kEighth * k);
        const Vector3 rise = Vector3(x, y, terrain.height(x, y)) - below.at;
        if (below.normal.dot(rise) > 0.02 * range)
            around[std::size_t(k)] = besideAlong(terrain, c, below.at, range, kEighth * k);
    }
    std::array<Foot, 9> feet{below};
    int count = 1;
    for (int k = 0; k < 8; k++) {
        const double here = around[std::size_t(k)].distance;
        if (!(here < HUGE_VAL) || here > around[std::size_t((k + 1) % 8)].distance ||
            here >= around[std::size_t((k + 7) % 8)].distance)
            continue;
        const double angle = leastBetween(kEighth * (k - 1), kEighth * (k + 1), 35, [&](double a) {
            return besideAlong(terrain, c, below.at, range, a).distance;
        });
        const Beside beside = besideAlong(terrain, c, below.at, range, angle);
        if (!(beside.distance <= range)) continue;
        const double x = below.at.x() + beside.at * std::cos(angle), y = below.at.y() + beside.at * std::sin(angle);
        Foot foot = nearestOnTerrain(terrain, c, x, y);  // smooth ground: to rounding
        if (std::hypot(foot.at.x() - x, foot.at.y() - y) > 1e-3 * radius) {
            const Vector3 at(x, y, terrain.height(x, y));
            const double distance = (c - at).norm();
            if (!(distance > 1e-7)) continue;
            foot = {at, (c - at) / distance, distance};
        }
        bool known = foot.distance < 0 || foot.normal.z() < 0;
        for (int i = 0; i < count; i++) known = known || (feet[std::size_t(i)].at - foot.at).norm() < 1e-2 * radius;
        if (known) continue;
        feet[std::size_t(count++)] = foot;
        const double turn = std::atan2(foot.at.y() - c.y(), foot.at.x() - c.x());
        add(foot, 1 + std::uint32_t(int(std::floor(turn / kEighth + 8.5)) % 8));
    }
}

/// Inside a segment with a ball's radius on uneven ground: where the gap has a minimum between its ends. Sampled at
/// eighths, then by golden section.
void segmentOnGround(const Terrain& terrain, const Vector3& p, const Vector3& d, double radius, double reach,
                     std::uint32_t feature, Touches& out) {
    constexpr int kParts = 8;
    const auto footAt = [&](double t) {
        const Vector3 c = p + t * d;
        return nearestOnTerrain(terrain, c, c.x(), c.y());
    };
    const auto heightAt = [&](double t) {
        const Vector3 c = p + t * d;
        const Terrain::Sample s = terrain.at(c.x(), c.y());
        return (c.z() - s.height) / std::sqrt(1 + s.slope_x * s.slope_x + s.slope_y * s.slope_y);
    };
    std::array<double, kParts + 1> heights;
    for (int k = 0; k <= kParts; k++) heights[std::size_t(k)] = heightAt(-1 + 2.0 * k / kParts);
    const double curve = 1e-6 * d.norm();
    for (int k = 1; k < kParts; k++) {
        const double here = heights[std::size_t(k)];
        if (!(here < heights[std::size_t(k - 1)] && here <= heights[std::size_t(k + 1)])) continue;
        if (!(heights[std::size_t(k - 1)] + heights[std::size_t(k + 1)] - 2 * here > curve)) continue;
        const double t = leastBetween(-1 + 2.0 * (k - 1) / kParts, -1 + 2.0 * (k + 1) / kParts, 40,
                                      [&](double at) { return footAt(at).distance; });
        const Foot foot = footAt(t);
        const double gap = foot.distance - radius;
        if (gap <= reach)
            out.push_back({foot.at, p + t * d - radius * foot.normal, foot.normal, gap, feature + std::uint32_t(k)});
    }
}

void pointOnGround(const Terrain& terrain, const Vector3& c, double reach, std::uint32_t feature, Touches& out) {
    ballOnGround(terrain, c, 0, reach, feature, out);
}

/// The rim of a disc: the lowest point where it leans, and eight fixed ones that carry it when it lies flat.
void rimOnGround(const Terrain& terrain, const Solid& B, const Vector3& centre, double reach, std::uint32_t feature,
                 Touches& out) {
    const Terrain::Sample s = terrain.at(centre.x(), centre.y());
    const Vector3 n = normalOf(s), axis = B.axis();
    Vector3 down = -(n - axis.dot(n) * axis);
    const double lean = down.norm();
    const bool leaning = lean > 1e-3;
    if (leaning) pointOnGround(terrain, centre + (B.radius() / lean) * down, reach, feature, out);
    for (int k = 0; k < 8; k++) {
        const double angle = kEighth * k;
        const Vector3 x = centre + B.radius() * (std::cos(angle) * B.R.col(0) + std::sin(angle) * B.R.col(1));
        if (leaning && (x - centre).dot(down) > 0.9999 * B.radius() * lean) continue;  // the lowest, once more
        pointOnGround(terrain, x, reach, feature + 1 + std::uint32_t(k), out);
    }
}

}  // namespace

Foot nearestOnTerrain(const Terrain& terrain, const Vector3& c, double start_x, double start_y) {
    Foot foot;
    if (terrain.isPlane()) {
        const Terrain::Sample s = terrain.at(c.x(), c.y());
        foot.normal = normalOf(s);
        foot.distance = (c.z() - s.height) * foot.normal.z();
        foot.at = c - foot.distance * foot.normal;
        return foot;
    }
    // Newton's method on half the squared distance, with second derivatives of the height by differences of its slopes;
    // the curvature that would make it no descent is left out, and a step that does not descend is halved.
    double x = start_x, y = start_y;
    Terrain::Sample s = terrain.at(x, y);
    double value = half(s, c, x, y);
    const double size = 1 + std::abs(c.x()) + std::abs(c.y()) + std::abs(c.z());
    const double step = 1e-6 * (1 + std::sqrt(2 * value));
    for (int k = 0; k < 40; k++) {
        const double below = s.height - c.z();
        const double gx = x - c.x() + below * s.slope_x, gy = y - c.y() + below * s.slope_y;
        if (std::abs(gx) + std::abs(gy) < 1e-15 * size) break;
        const Terrain::Sample px = terrain.at(x + step, y), mx = terrain.at(x - step, y);
        const Terrain::Sample py = terrain.at(x, y + step), my = terrain.at(x, y - step);
        const double hxx = (px.slope_x - mx.slope_x) / (2 * step), hyy = (py.slope_y - my.slope_y) / (2 * step);
        const double hxy = (px.slope_y - mx.slope_y + py.slope_x - my.slope_x) / (4 * step);
        const double bxx = 1 + s.slope_x * s.slope_x, byy = 1 + s.slope_y * s.slope_y, bxy = s.slope_x * s.slope_y;
        double xx = bxx + below * hxx, yy = byy + below * hyy, xy = bxy + below * hxy;
        if (!(xx > 0.05 * bxx && xx * yy - xy * xy > 0.05 * (bxx * byy - bxy * bxy))) xx = bxx, yy = byy, xy = bxy;
        const double det = xx * yy - xy * xy;
        const double dx = -(yy * gx - xy * gy) / det, dy = -(xx * gy - xy * gx) / det;
        double fraction = 1;
        bool down = false;
        for (int j = 0; j < 30 && !down; j++, fraction *= 0.5) {
            const Terrain::Sample next = terrain.at(x + fraction * dx, y + fraction * dy);
            const double v = half(next, c, x + fraction * dx, y + fraction * dy);
            if (v < value) {
                down = true;
                x += fraction * dx, y += fraction * dy;
                s = next, value = v;
                break;
            }
        }
        if (!down || std::abs(fraction * dx) + std::abs(fraction * dy) < 1e-14 * size) break;
    }
    foot.at = {x, y, s.height};
    foot.normal = normalOf(s);
    const Vector3 d = c - foot.at;
    const double distance = d.norm();
    // Off the surface the direction to the foot is the better normal: at an edge the slope says little.
    const bool inside = c.z() < terrain.height(c.x(), c.y());
    if (distance > 1e-7 * size) foot.normal = (inside ? -1 : 1) / distance * d;
    foot.distance = distance > 1e-7 * size ? (inside ? -distance : distance) : foot.normal.dot(d);
    return foot;
}

void touchesGround(const Terrain& terrain, const Solid& B, double reach, Touches& out) {
    switch (B.kind) {
        case Shape::Kind::sphere: ballOnGround(terrain, B.p, B.radius(), reach, 0, out); return;
        case Shape::Kind::capsule: {
            const Vector3 d = B.size.y() * B.axis();
            ballOnGround(terrain, B.p - d, B.radius(), reach, 0, out);
            if (d.isZero(0)) return;
            ballOnGround(terrain, B.p + d, B.radius(), reach, 16, out);
            if (!terrain.isPlane()) segmentOnGround(terrain, B.p, d, B.radius(), reach, 32, out);
            return;
        }
        case Shape::Kind::box:
            for (int k = 0; k < 8; k++) {
                const Vector3 corner(k & 1 ? B.size.x() : -B.size.x(), k & 2 ? B.size.y() : -B.size.y(),
                                     k & 4 ? B.size.z() : -B.size.z());
                pointOnGround(terrain, B.p + B.R * corner, reach, std::uint32_t(k), out);
            }
            for (int e = 0; e < 12 && !terrain.isPlane(); e++) {
                const int axis = e / 4, one = (axis + 1) % 3, two = (axis + 2) % 3;
                Vector3 middle = Vector3::Zero();
                middle(one) = e & 1 ? B.size(one) : -B.size(one);
                middle(two) = e & 2 ? B.size(two) : -B.size(two);
                segmentOnGround(terrain, B.p + B.R * middle, B.size(axis) * B.R.col(axis), 0, reach,
                                std::uint32_t(16 + 16 * e), out);
            }
            return;
        case Shape::Kind::cylinder:
            rimOnGround(terrain, B, B.p - B.size.y() * B.axis(), reach, 0, out);
            rimOnGround(terrain, B, B.p + B.size.y() * B.axis(), reach, 16, out);
            return;
        case Shape::Kind::cone:
            rimOnGround(terrain, B, B.p, reach, 0, out);
            pointOnGround(terrain, B.p + B.size.y() * B.axis(), reach, 16, out);
            return;
        case Shape::Kind::mesh: {
            const std::size_t before = out.size();
            for (std::size_t k = 0; B.points && k < B.points->size(); k++)
                pointOnGround(terrain, B.p + B.R * (*B.points)[k], reach, std::uint32_t(k), out);
            keepEight(out, before);
            return;
        }
    }
}

}  // namespace mw::collide
