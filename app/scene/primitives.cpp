// Solids from rings of points; normals, edges and bounds are worked out by finishMesh.
#include "app/scene/primitives.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mw::scene {

namespace {

constexpr double kPi = std::numbers::pi;
/// Rims bevelled at 45 degrees are shaded as faces of their own but not drawn as lines twice.
constexpr double kShadeAngle = 0.6, kLineAngle = 0.9;

std::uint32_t addPoint(Mesh& mesh, const Vec3& p) {
    mesh.positions.push_back(p.cast<float>());
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}
void addTriangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c});
}
void addQuad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    addTriangle(mesh, a, b, c);
    addTriangle(mesh, a, c, d);
}

using Ring = std::vector<std::uint32_t>;

/// Joins two closed rings of equal count; seen from outside the second lies counter-clockwise above the first.
void joinRings(Mesh& mesh, const Ring& low, const Ring& high) {
    for (std::size_t i = 0; i < low.size(); ++i) {
        std::size_t j = (i + 1) % low.size();
        addQuad(mesh, low[i], low[j], high[j], high[i]);
    }
}

void fan(Mesh& mesh, const Ring& ring, bool up) {
    for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
        if (up) addTriangle(mesh, ring[0], ring[i], ring[i + 1]);
        else addTriangle(mesh, ring[0], ring[i + 1], ring[i]);
    }
}

double clampBevel(double bevel, double room) { return std::clamp(bevel, 0.0, 0.45 * room); }

}  // namespace

MeshPtr plateMesh(const std::vector<Vec2>& outline, double thickness, double bevel) {
    Mesh mesh;
    std::size_t n = outline.size();
    Vec2 low = outline[0], high = outline[0];
    for (const Vec2& p : outline) low = low.cwiseMin(p), high = high.cwiseMax(p);
    double b = clampBevel(bevel, std::min({thickness, high.x() - low.x(), high.y() - low.y()}));

    // The outline moved inwards by the bevel: each corner along its mitre
    std::vector<Vec2> inner(n);
    for (std::size_t i = 0; i < n; ++i) {
        Vec2 before = (outline[i] - outline[(i + n - 1) % n]).normalized();
        Vec2 after = (outline[(i + 1) % n] - outline[i]).normalized();
        Vec2 n0(-before.y(), before.x()), n1(-after.y(), after.x());
        inner[i] = outline[i] + (n0 + n1) * (b / (1 + n0.dot(n1)));
    }
    auto ring = [&](const std::vector<Vec2>& points, double z) {
        Ring r;
        for (const Vec2& p : points) r.push_back(addPoint(mesh, {p.x(), p.y(), z}));
        return r;
    };
    double h = thickness / 2;
    Ring bottom = ring(inner, -h), side0 = ring(outline, -h + b), side1 = ring(outline, h - b), top = ring(inner, h);
    fan(mesh, bottom, false);
    if (b > 0) joinRings(mesh, bottom, side0);
    joinRings(mesh, side0, side1);
    if (b > 0) joinRings(mesh, side1, top);
    fan(mesh, top, true);
    return finishMesh(std::move(mesh), kShadeAngle, kLineAngle);
}

MeshPtr boxMesh(const Vec3& edges, double bevel) {
    Vec3 e = edges.cwiseAbs().cwiseMax(1e-9);
    double b = clampBevel(bevel, e.minCoeff());
    Vec3 h = e / 2, in = h - Vec3::Constant(b);
    if (b <= 0) {
        return plateMesh({{-h.x(), -h.y()}, {h.x(), -h.y()}, {h.x(), h.y()}, {-h.x(), h.y()}}, e.z(), 0);
    }
    // Six faces, twelve bevels, eight corners: the three points of a corner differ in the axis that is pushed out.
    Mesh mesh;
    std::uint32_t corner[8][3];
    for (int c = 0; c < 8; ++c) {
        Vec3 sign(c & 1 ? 1 : -1, c & 2 ? 1 : -1, c & 4 ? 1 : -1);
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 p = in;
            p[axis] = h[axis];
            corner[c][axis] = addPoint(mesh, p.cwiseProduct(sign));
        }
        bool odd = ((c & 1) + ((c >> 1) & 1) + ((c >> 2) & 1)) % 2 == 0;
        if (odd) addTriangle(mesh, corner[c][0], corner[c][2], corner[c][1]);
        else addTriangle(mesh, corner[c][0], corner[c][1], corner[c][2]);
    }
    for (int axis = 0; axis < 3; ++axis) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int side = 0; side < 2; ++side) {
            auto at = [&](int cu, int cv) { return corner[(side << axis) | (cu << u) | (cv << v)][axis]; };
            if (side) addQuad(mesh, at(0, 0), at(1, 0), at(1, 1), at(0, 1));
            else addQuad(mesh, at(0, 0), at(0, 1), at(1, 1), at(1, 0));
        }
        // Bevels along `axis`, between the faces of u and v
        for (int su = 0; su < 2; ++su) {
            for (int sv = 0; sv < 2; ++sv) {
                int c0 = (su << u) | (sv << v), c1 = c0 | (1 << axis);
                if (su == sv) addQuad(mesh, corner[c0][u], corner[c0][v], corner[c1][v], corner[c1][u]);
                else addQuad(mesh, corner[c0][v], corner[c0][u], corner[c1][u], corner[c1][v]);
            }
        }
    }
    return finishMesh(std::move(mesh), kShadeAngle, kLineAngle);
}

MeshPtr latheMesh(const std::vector<Vec2>& profile, int segments) {
    Mesh mesh;
    std::vector<Ring> rings;
    for (const Vec2& p : profile) {
        Ring ring;
        for (int i = 0; i < segments; ++i) {
            if (p.x() <= 0 && i > 0) {
                ring.push_back(ring[0]);
                continue;
            }
            double a = 2 * kPi * i / segments;
            ring.push_back(addPoint(mesh, {p.x() * std::cos(a), p.x() * std::sin(a), p.y()}));
        }
        rings.push_back(std::move(ring));
    }
    for (std::size_t i = 1; i < rings.size(); ++i) joinRings(mesh, rings[i - 1], rings[i]);
    return finishMesh(std::move(mesh), kShadeAngle, kLineAngle);
}

MeshPtr sphereMesh(double radius, int segments) { return ellipsoidMesh(Vec3::Constant(radius), segments); }

MeshPtr ellipsoidMesh(const Vec3& half_axes, int segments) {
    Mesh mesh;
    int stacks = segments / 2;
    Vec3 h = half_axes.cwiseMax(1e-9);
    std::vector<Ring> rings;
    for (int s = 0; s <= stacks; ++s) {
        double polar = kPi * s / stacks;
        double r = std::sin(polar), z = -std::cos(polar);
        bool pole = s == 0 || s == stacks;
        Ring ring;
        for (int i = 0; i < segments; ++i) {
            if (pole && i > 0) {
                ring.push_back(ring[0]);
                continue;
            }
            double a = 2 * kPi * i / segments;
            Vec3 unit = pole ? Vec3(0, 0, z) : Vec3(r * std::cos(a), r * std::sin(a), z);
            ring.push_back(addPoint(mesh, h.cwiseProduct(unit)));
        }
        rings.push_back(std::move(ring));
    }
    for (std::size_t i = 1; i < rings.size(); ++i) joinRings(mesh, rings[i - 1], rings[i]);
    for (const auto& p : mesh.positions) {
        mesh.normals.push_back(p.cwiseQuotient((h.cwiseProduct(h)).cast<float>()).normalized());
    }
    return finishMesh(std::move(mesh), kPi, kPi);
}

MeshPtr capsuleMesh(double radius, double length, int segments) {
    std::vector<Vec2> profile;
    int stacks = std::max(4, segments / 4);
    double r = std::max(radius, 1e-9), half = std::max(length, 0.0) / 2;
    for (int s = 0; s <= stacks; ++s) {
        double a = kPi / 2 * (1 - static_cast<double>(s) / stacks);
        profile.emplace_back(s == 0 ? 0 : r * std::cos(a), -half - r * std::sin(a));
    }
    for (int s = half > 0 ? 0 : 1; s <= stacks; ++s) {
        double a = kPi / 2 * s / stacks;
        profile.emplace_back(s == stacks ? 0 : r * std::cos(a), half + r * std::sin(a));
    }
    return latheMesh(profile, segments);
}

MeshPtr cylinderMesh(double radius, double length, double bevel, int segments) {
    double r = std::max(radius, 1e-9), h = std::max(length, 1e-9) / 2, b = clampBevel(bevel, std::min(r, 2 * h));
    if (b <= 0) return latheMesh({{0, -h}, {r, -h}, {r, h}, {0, h}}, segments);
    return latheMesh({{0, -h}, {r - b, -h}, {r, -h + b}, {r, h - b}, {r - b, h}, {0, h}}, segments);
}

MeshPtr coneMesh(double radius, double height, int segments) {
    return latheMesh({{0, 0}, {std::max(radius, 1e-9), 0}, {0, std::max(height, 1e-9)}}, segments);
}

MeshPtr ringMesh(double outer, double inner, double length, double bevel, int segments) {
    double h = length / 2, b = clampBevel(bevel, std::min(outer - inner, length));
    return latheMesh(
        {{inner, h}, {inner, -h}, {outer - b, -h}, {outer, -h + b}, {outer, h - b}, {outer - b, h}, {inner, h}},
        segments);
}

std::vector<Vec2> barOutline(double length, double radius_begin, double radius_end, int segments) {
    // Two circles and their outer tangents: the arcs meet the tangents where the normal has this angle.
    double difference = std::clamp((radius_begin - radius_end) / std::max(length, 1e-9), -0.95, 0.95);
    double tangent = std::acos(difference);  // from +x, of the upper tangent's normal
    std::vector<Vec2> points;
    for (int i = 0; i <= segments; ++i) {
        double a = -tangent + 2 * tangent * i / segments;
        points.emplace_back(length + radius_end * std::cos(a), radius_end * std::sin(a));
    }
    for (int i = 0; i <= segments; ++i) {
        double a = tangent + (2 * kPi - 2 * tangent) * i / segments;
        points.emplace_back(radius_begin * std::cos(a), radius_begin * std::sin(a));
    }
    return points;
}

MeshPtr tubeMesh(const std::vector<Vec3>& path, double radius, int sides, bool closed) {
    Mesh mesh;
    std::size_t n = path.size();
    if (n < 2) return finishMesh(std::move(mesh));
    auto tangentAt = [&](std::size_t i) {
        const Vec3& before = closed ? path[(i + n - 1) % n] : path[i == 0 ? 0 : i - 1];
        const Vec3& after = closed ? path[(i + 1) % n] : path[std::min(i + 1, n - 1)];
        Vec3 t = after - before;
        return t.norm() > 1e-12 ? Vec3(t.normalized()) : Vec3(Vec3::UnitZ());
    };
    // The cross-section is carried along without twist.
    std::vector<Ring> rings;
    Vec3 across = perpendicular(tangentAt(0));
    for (std::size_t i = 0; i < n; ++i) {
        Vec3 t = tangentAt(i);
        Vec3 next = across - t * t.dot(across);
        across = next.norm() > 1e-9 ? Vec3(next.normalized()) : perpendicular(t);
        Vec3 up = t.cross(across);
        Ring ring;
        for (int s = 0; s < sides; ++s) {
            double a = 2 * kPi * s / sides;
            Vec3 out = across * std::cos(a) + up * std::sin(a);
            ring.push_back(addPoint(mesh, path[i] + out * radius));
            mesh.normals.push_back(out.cast<float>());
        }
        rings.push_back(std::move(ring));
    }
    for (std::size_t i = 1; i < n; ++i) joinRings(mesh, rings[i - 1], rings[i]);
    if (closed) {
        // The carried section may come back turned: join with the shift that fits best.
        std::size_t best = 0;
        float nearest = std::numeric_limits<float>::max();
        for (std::size_t k = 0; k < static_cast<std::size_t>(sides); ++k) {
            float d = (mesh.positions[rings[0][k]] - mesh.positions[rings[n - 1][0]]).norm();
            if (d < nearest) nearest = d, best = k;
        }
        Ring shifted;
        for (std::size_t k = 0; k < static_cast<std::size_t>(sides); ++k) {
            shifted.push_back(rings[0][(k + best) % static_cast<std::size_t>(sides)]);
        }
        joinRings(mesh, rings[n - 1], shifted);
    } else {
        for (bool up : {false, true}) {
            Ring cap;
            Vec3 normal = up ? tangentAt(n - 1) : Vec3(-tangentAt(0));
            for (std::uint32_t i : up ? rings[n - 1] : rings[0]) {
                cap.push_back(addPoint(mesh, mesh.positions[i].cast<double>()));
                mesh.normals.push_back(normal.cast<float>());
            }
            fan(mesh, cap, up);
        }
    }
    return finishMesh(std::move(mesh), kShadeAngle, 1.2);
}

MeshPtr coilMesh(double radius, double wire, int turns, double length, bool fine) {
    std::vector<Vec3> path;
    double lead = std::min(0.12 * length, 1.5 * radius);  // the straight end on the axis
    double active = std::max(length - 2 * lead, 1e-9);
    path.emplace_back(0, 0, 0);
    path.emplace_back(0, 0, lead * 0.6);
    int steps = turns * (fine ? 16 : 10);
    for (int i = 0; i <= steps; ++i) {
        double u = static_cast<double>(i) / steps, a = 2 * kPi * turns * u;
        // The first and last quarter turn come in from the axis.
        double r = radius * std::min({1.0, u * turns * 4, (1 - u) * turns * 4});
        path.emplace_back(r * std::cos(a), r * std::sin(a), lead + active * u);
    }
    path.emplace_back(0, 0, length - lead * 0.6);
    path.emplace_back(0, 0, length);
    return tubeMesh(path, wire, fine ? 7 : 4);
}

MeshPtr spiralMesh(double inner, double outer, double wire, double turns, bool fine) {
    std::vector<Vec3> path;
    turns = std::max(turns, 0.25);
    int steps = std::max(8, static_cast<int>(turns * (fine ? 28 : 13)));
    for (int i = 0; i <= steps; ++i) {
        double u = static_cast<double>(i) / steps, a = 2 * kPi * turns * u, r = inner + (outer - inner) * u;
        path.emplace_back(r * std::cos(a), r * std::sin(a), 0);
    }
    return tubeMesh(path, wire, fine ? 7 : 4);
}

MeshPtr threadMesh(double radius, double ridge, double pitch, double length) {
    std::vector<Vec3> path;
    double turns = std::clamp(length / std::max(pitch, 1e-9), 1.0, 60.0);
    int steps = static_cast<int>(turns * 16);
    for (int i = 0; i <= steps; ++i) {
        double u = static_cast<double>(i) / steps, a = 2 * kPi * turns * u;
        path.emplace_back(radius * std::cos(a), radius * std::sin(a), length * (u - 0.5));
    }
    return tubeMesh(path, ridge, 5);
}

}  // namespace mw::scene
