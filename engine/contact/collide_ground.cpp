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

/// A ball against the ground: features from `feature` on, 0 the nearest foot from below it, 1..8 others by direction.
void ballOnGround(const Terrain& terrain, const Vector3& c, double radius, double reach, std::uint32_t feature,
                  Touches& out) {
    const auto add = [&](const Foot& foot, std::uint32_t f) {
        const double gap = foot.distance - radius;
        if (gap <= reach) out.push_back({foot.at, c - radius * foot.normal, foot.normal, gap, feature + f});
    };
    const Foot below = nearestOnTerrain(terrain, c, c.x(), c.y());
    add(below, 0);
    if (terrain.isPlane() || radius == 0) return;
    // Where the ground rises beside the ball it may touch there too: curbs, valleys.
    const double range = radius + std::max(reach, 0.0);
    std::array<Foot, 9> feet{below};
    int count = 1;
    for (int k = 0; k < 8; k++) {
        const double angle = 0.785398163397448310 * k;
        const double x = below.at.x() + range * std::cos(angle), y = below.at.y() + range * std::sin(angle);
        const Vector3 at(x, y, terrain.height(x, y));
        if (!(below.normal.dot(at - below.at) > 0.02 * range)) continue;
        const Foot foot = nearestOnTerrain(terrain, c, x, y);
        if (!(foot.distance <= range)) continue;
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || (feet[std::size_t(i)].at - foot.at).norm() < 1e-3 * radius ||
                    feet[std::size_t(i)].normal.dot(foot.normal) > kAlongFace;
        if (known) continue;
        feet[std::size_t(count++)] = foot;
        const double turn = std::atan2(foot.at.y() - c.y(), foot.at.x() - c.x());
        add(foot, 1 + std::uint32_t(int(std::floor(turn / 0.785398163397448310 + 8.5)) % 8));
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
        double low = -1 + 2.0 * (k - 1) / kParts, high = -1 + 2.0 * (k + 1) / kParts;
        constexpr double kGolden = 0.618033988749894848;
        double t1 = high - kGolden * (high - low), t2 = low + kGolden * (high - low);
        double g1 = footAt(t1).distance, g2 = footAt(t2).distance;
        for (int i = 0; i < 40; i++) {
            if (g1 < g2) {
                high = t2, t2 = t1, g2 = g1;
                t1 = high - kGolden * (high - low);
                g1 = footAt(t1).distance;
            } else {
                low = t1, t1 = t2, g1 = g2;
                t2 = low + kGolden * (high - low);
                g2 = footAt(t2).distance;
            }
        }
        const double t = 0.5 * (low + high);
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
        const double angle = 0.785398163397448310 * k;
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
        case Shape::Kind::mesh:
            for (std::size_t k = 0; B.points && k < B.points->size(); k++)
                pointOnGround(terrain, B.p + B.R * (*B.points)[k], reach, std::uint32_t(k), out);
            return;
    }
}

}  // namespace mw::collide
