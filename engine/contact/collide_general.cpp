// Pairs with a cylinder, a cone or a mesh: nearest points by FCL (the one file that sees it). A mesh collides as the
// convex hull of its vertices.
#include <algorithm>
#include <cmath>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/distance.h>

#include "engine/contact/collide.h"

namespace mw::collide {

namespace {

/// FCL's solid at the place of ours; a cone's origin is half way up there.
struct Guest {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    fcl::Transform3d place = fcl::Transform3d::Identity();
};

Guest guestOf(const Solid& solid) {
    Guest guest;
    guest.place.linear() = solid.R;
    guest.place.translation() = solid.p;
    switch (solid.kind) {
        case Shape::Kind::box: guest.geometry = std::make_shared<fcl::Boxd>(2 * solid.size); break;
        case Shape::Kind::sphere: guest.geometry = std::make_shared<fcl::Sphered>(solid.radius()); break;
        case Shape::Kind::capsule:
            guest.geometry = std::make_shared<fcl::Capsuled>(solid.radius(), 2 * solid.size.y());
            break;
        case Shape::Kind::cylinder:
            guest.geometry = std::make_shared<fcl::Cylinderd>(solid.radius(), 2 * solid.size.y());
            break;
        case Shape::Kind::cone:
            guest.geometry = std::make_shared<fcl::Coned>(solid.radius(), solid.size.y());
            guest.place.translation() += 0.5 * solid.size.y() * solid.axis();
            break;
        case Shape::Kind::mesh:
            guest.geometry = std::make_shared<fcl::Convexd>(std::make_shared<const std::vector<Vector3>>(*solid.points),
                                                            0, std::make_shared<const std::vector<int>>());
            break;
    }
    return guest;
}

/// max over the solid of direction . x (base).
double supportOf(const Solid& s, const Vector3& direction) {
    const Vector3 d = s.R.transpose() * direction;
    const double at = direction.dot(s.p), across = std::hypot(d.x(), d.y());
    switch (s.kind) {
        case Shape::Kind::sphere: return at + s.radius();
        case Shape::Kind::capsule: return at + s.radius() + s.size.y() * std::abs(d.z());
        case Shape::Kind::box: return at + s.size.dot(d.cwiseAbs());
        case Shape::Kind::cylinder: return at + s.radius() * across + s.size.y() * std::abs(d.z());
        case Shape::Kind::cone: return at + std::max(s.radius() * across, s.size.y() * d.z());
        case Shape::Kind::mesh: {
            double most = -HUGE_VAL;
            for (const Vector3& p : *s.points) most = std::max(most, d.dot(p));
            return at + most;
        }
    }
    return at;
}
double separation(const Solid& A, const Solid& B, const Vector3& n) { return -supportOf(B, -n) - supportOf(A, n); }

/// What of a solid lies foremost along a direction, within 3 degrees: a corner, an edge or a face, in coordinates
/// across the normal and the height along it. A face's corners go round it.
struct Corner {
    double u, v, height;
    std::uint32_t name;
};
using Front = std::vector<Corner>;

class Frame {
public:
    explicit Frame(const Vector3& normal) : n(normal), u(acrossOf(normal)), v(normal.cross(u)) {}
    Corner at(const Vector3& x, std::uint32_t name) const { return {u.dot(x), v.dot(x), n.dot(x), name}; }
    Vector3 n, u, v;
};

double turnOf(const Corner& a, const Corner& b, const Corner& c) {
    return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

/// Corners of the convex hull in the plane, in turn (Andrew's chain).
Front hullOf(Front all) {
    std::sort(all.begin(), all.end(),
              [](const Corner& a, const Corner& b) { return a.u != b.u ? a.u < b.u : a.v < b.v; });
    double size = 0;
    for (const Corner& c : all) size = std::max({size, std::abs(c.u - all[0].u), std::abs(c.v - all[0].v)});
    const double flat = 1e-9 * size * size;
    Front hull;
    const auto chain = [&](auto begin, auto end) {
        const std::size_t base = hull.size();
        for (auto it = begin; it != end; ++it) {
            while (hull.size() >= base + 2 && turnOf(hull[hull.size() - 2], hull.back(), *it) <= flat) hull.pop_back();
            hull.push_back(*it);
        }
        hull.pop_back();
    };
    if (all.size() < 3) return all;
    chain(all.begin(), all.end());
    chain(all.rbegin(), all.rend());
    return hull;
}

constexpr double kNearlyFlat = 0.0523;  // sin 3 degrees
constexpr double kFacet = 0.0087;       // of corners of boxes and meshes: half a degree

Front frontOf(const Solid& s, const Frame& frame, double side) {
    const Vector3 d = s.R.transpose() * (side * frame.n);
    Front front;
    const auto put = [&](const Vector3& local, std::uint32_t name) {
        front.push_back(frame.at(s.p + s.R * local, name));
    };
    const double across = std::hypot(d.x(), d.y());
    const Vector3 out = across > 1e-12 ? Vector3(d.x() / across, d.y() / across, 0) : Vector3(Vector3::UnitX());
    const auto rim = [&](double z, std::uint32_t name) {
        for (std::uint32_t k = 0; k < 8; k++) {
            const double angle = 0.785398163397448310 * k;
            put(Vector3(s.radius() * std::cos(angle), s.radius() * std::sin(angle), z), name + k);
        }
    };
    switch (s.kind) {
        case Shape::Kind::sphere: put(s.radius() * d, 0); break;
        case Shape::Kind::capsule:
            for (double end : {-1.0, 1.0}) {
                if (std::abs(d.z()) > kNearlyFlat && end * d.z() < 0) continue;
                put(s.radius() * d + Vector3(0, 0, end * s.size.y()), end > 0 ? 1 : 0);
            }
            break;
        case Shape::Kind::cylinder:
            if (across < kNearlyFlat) {
                rim(d.z() > 0 ? s.size.y() : -s.size.y(), d.z() > 0 ? 8 : 0);
            } else {
                for (double end : {-1.0, 1.0}) {
                    if (std::abs(d.z()) > kNearlyFlat && end * d.z() < 0) continue;
                    put(s.radius() * out + Vector3(0, 0, end * s.size.y()), end > 0 ? 17 : 16);
                }
            }
            break;
        case Shape::Kind::cone: {
            const double slant = std::hypot(s.radius(), s.size.y());
            const double facing = slant > 0 ? (s.size.y() * across + s.radius() * d.z()) / slant : 0;
            if (across < kNearlyFlat && d.z() < 0) {
                rim(0, 0);
            } else {
                const bool line = facing > kAlongFace;
                if (line || s.size.y() * d.z() > s.radius() * across) put(Vector3(0, 0, s.size.y()), 16);
                if (line || s.size.y() * d.z() <= s.radius() * across) put(s.radius() * out, 17);
            }
            break;
        }
        case Shape::Kind::box:
        case Shape::Kind::mesh: {
            std::vector<Vector3> corners;
            if (s.kind == Shape::Kind::mesh) {
                corners = *s.points;
            } else {
                for (int k = 0; k < 8; k++)
                    corners.emplace_back(k & 1 ? s.size.x() : -s.size.x(), k & 2 ? s.size.y() : -s.size.y(),
                                         k & 4 ? s.size.z() : -s.size.z());
            }
            std::size_t foremost = 0;
            for (std::size_t k = 1; k < corners.size(); k++)
                if (d.dot(corners[k]) > d.dot(corners[foremost])) foremost = k;
            const Vector3 first = corners[foremost];
            for (std::size_t k = 0; k < corners.size(); k++) {
                const Vector3 x = corners[k] - first;
                const double behind = -d.dot(x);
                if (behind <= kFacet * (x + behind * d).norm() + 1e-12) put(corners[k], std::uint32_t(k));
            }
            break;
        }
    }
    if (front.size() > 2) {
        front = hullOf(std::move(front));
        while (front.size() > 16) {  // a fine mesh: every second corner still goes round it
            Front half;
            for (std::size_t k = 0; k < front.size(); k += 2) half.push_back(front[k]);
            front = std::move(half);
        }
    }
    return front;
}

/// Height of a front's plane or line at a place.
double heightAt(const Front& front, double u, double v) {
    if (front.size() == 1) return front[0].height;
    const Corner &a = front[0], &b = front[1];
    const double du = b.u - a.u, dv = b.v - a.v, dh = b.height - a.height;
    if (front.size() == 2) {
        const double length2 = du * du + dv * dv;
        const double t = length2 > 0 ? std::clamp(((u - a.u) * du + (v - a.v) * dv) / length2, 0.0, 1.0) : 0;
        return a.height + t * dh;
    }
    // Newell's normal of the polygon through its middle.
    Vector3 normal = Vector3::Zero(), middle = Vector3::Zero();
    for (std::size_t k = 0; k < front.size(); k++) {
        const Corner &p = front[k], &q = front[(k + 1) % front.size()];
        normal += Vector3((p.v - q.v) * (p.height + q.height), (p.height - q.height) * (p.u + q.u),
                          (p.u - q.u) * (p.v + q.v));
        middle += Vector3(p.u, p.v, p.height) / double(front.size());
    }
    if (normal.z() == 0) return middle.z();
    return middle.z() - (normal.x() * (u - middle.x()) + normal.y() * (v - middle.y())) / normal.z();
}

bool inside(const Front& polygon, const Corner& c, double tolerance) {
    for (std::size_t k = 0; k < polygon.size(); k++) {
        const Corner &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
        if (turnOf(a, b, c) < -tolerance * std::hypot(b.u - a.u, b.v - a.v)) return false;
    }
    return true;
}

/// Corners of what two fronts have in common, seen along the normal. Names: 1 + of A, 1025 + of B, 2049 + of both
/// edges.
std::vector<Corner> overlapOf(const Front& A, const Front& B, double tolerance) {
    std::vector<Corner> found;
    const auto once = [&](double u, double v, std::uint32_t name) {
        for (const Corner& c : found)
            if (std::hypot(c.u - u, c.v - v) < 2 * tolerance || c.name == name) return;
        found.push_back({u, v, 0, name});
    };
    const auto onLine = [&](const Front& line, const Corner& c) {
        const double du = line[1].u - line[0].u, dv = line[1].v - line[0].v, length = std::hypot(du, dv);
        if (!(length > 0)) return false;
        const double along = ((c.u - line[0].u) * du + (c.v - line[0].v) * dv) / length;
        return along > -tolerance && along < length + tolerance;
    };
    if (A.size() == 2 && B.size() == 2) {
        const double au = A[1].u - A[0].u, av = A[1].v - A[0].v, bu = B[1].u - B[0].u, bv = B[1].v - B[0].v;
        if (std::abs(au * bv - av * bu) > kNearlyFlat * std::hypot(au, av) * std::hypot(bu, bv)) return found;
        for (const Corner& c : A)
            if (onLine(B, c)) once(c.u, c.v, 1 + c.name % 1024);
        for (const Corner& c : B)
            if (onLine(A, c)) once(c.u, c.v, 1025 + c.name % 1024);
        return found;
    }
    if (A.size() < 2 || B.size() < 2) return found;
    if (B.size() > 2)
        for (const Corner& c : A)
            if (inside(B, c, tolerance)) once(c.u, c.v, 1 + c.name % 1024);
    if (A.size() > 2)
        for (const Corner& c : B)
            if (inside(A, c, tolerance)) once(c.u, c.v, 1025 + c.name % 1024);
    for (std::size_t i = 0; i < (A.size() > 2 ? A.size() : 1); i++) {
        const Corner &a = A[i], &b = A[(i + 1) % A.size()];
        for (std::size_t j = 0; j < (B.size() > 2 ? B.size() : 1); j++) {
            const Corner &c = B[j], &d = B[(j + 1) % B.size()];
            const double det = (b.u - a.u) * (d.v - c.v) - (b.v - a.v) * (d.u - c.u);
            if (det == 0) continue;
            const double s = ((c.u - a.u) * (d.v - c.v) - (c.v - a.v) * (d.u - c.u)) / det;
            const double t = ((c.u - a.u) * (b.v - a.v) - (c.v - a.v) * (b.u - a.u)) / det;
            if (s < 0 || s > 1 || t < 0 || t > 1) continue;
            once(a.u + s * (b.u - a.u), a.v + s * (b.v - a.v), 2049 + (a.name % 512) * 512 + c.name % 512);
        }
    }
    return found;
}

/// Directions in which a solid has a face, and the one in which it lies nearest to `near`.
Vector3 faceAxis(const Solid& s, const Vector3& near) {
    if (s.kind == Shape::Kind::box) {
        int axis = 0;
        (s.R.transpose() * near).cwiseAbs().maxCoeff(&axis);
        return s.R.col(axis);
    }
    return s.axis();
}

double sizeOf(const Solid& s) {
    if (s.kind != Shape::Kind::mesh) return s.size.cwiseAbs().maxCoeff();
    double size = 0;
    for (const Vector3& p : *s.points) size = std::max(size, p.norm());
    return size;
}

}  // namespace

void convexPair(const Solid& A, const Solid& B, double reach, Touches& out) {
    const double size = sizeOf(A) + sizeOf(B);
    if (!(size > 0) || !std::isfinite(size)) return;
    const Guest a = guestOf(A), b = guestOf(B);
    // Nearest points of A and of B moved by `away`. Only solids that are apart are asked for: the solver's own search
    // for depth can end the program on flat contacts.
    Touch nearest;
    const auto ask = [&](const Vector3& away) {
        fcl::Transform3d moved = b.place;
        moved.translation() += away;
        const fcl::DistanceRequestd request(true, false, 0.0, 0.0, 1e-10, fcl::GST_LIBCCD);
        fcl::DistanceResultd result;
        try {
            fcl::distance(a.geometry.get(), a.place, b.geometry.get(), moved, request, result);
        } catch (const std::exception&) {
            return false;
        }
        nearest.a = result.nearest_points[0];
        nearest.b = result.nearest_points[1];
        const Vector3 d = nearest.b - nearest.a;
        if (!(result.min_distance > 1e-7 * size) || !d.allFinite() || !(d.norm() > 1e-7 * size)) return false;
        nearest.normal = d.normalized();
        return true;
    };

    // The gap is the separation along a direction, greatest along the right one.
    Vector3 n = Vector3::UnitZ();
    double gap = -HUGE_VAL;
    const auto consider = [&](const Vector3& m, double least) {
        const double s = separation(A, B, m);
        if (!(s > gap + least)) return false;
        gap = s;
        n = m;
        return true;
    };
    bool placed = ask(Vector3::Zero());
    if (placed) {
        consider(nearest.normal, 0);
    } else {
        // They overlap: from the best of some directions, moved apart along each, to the nearest direction there.
        std::vector<std::pair<double, Vector3>> starts;
        const auto start = [&](const Vector3& m) { starts.emplace_back(separation(A, B, m), m); };
        const Vector3 between = B.p - A.p;
        if (between.norm() > 1e-12 * size) start(between.normalized());
        for (int k = 0; k < 27; k++) {
            const Vector3 d(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            if (d.isZero(0)) continue;
            start((A.R * d).normalized());
            start((B.R * d).normalized());
        }
        std::stable_sort(starts.begin(), starts.end(),
                         [&](const auto& x, const auto& y) { return x.first > y.first + 1e-9 * size; });
        Touch best;
        for (std::size_t i = 0; i < std::min<std::size_t>(starts.size(), 6); i++) {
            double here = starts[i].first;
            Vector3 m = starts[i].second;
            consider(m, 1e-9 * size);
            for (int k = 0; k < 8; k++) {
                const Vector3 away = (0.02 * size - here) * m;
                if (!ask(away)) break;
                const double s = separation(A, B, nearest.normal);
                if (!(s > here + 1e-10 * size)) break;
                here = s;
                m = nearest.normal;
                if (!consider(m, 1e-9 * size)) continue;
                best = nearest;
                best.b -= away;
                placed = true;
            }
        }
        nearest = best;
    }
    for (const Solid* s : {&A, &B}) {
        if (s->kind == Shape::Kind::sphere || s->kind == Shape::Kind::capsule || s->kind == Shape::Kind::mesh) continue;
        const Vector3 axis = faceAxis(*s, n);
        consider(axis.dot(n) < 0 ? Vector3(-axis) : axis, -1e-9 * size);
    }
    for (double step = 1e-3; step > 1e-9;) {
        const Vector3 u = acrossOf(n), v = n.cross(u);
        bool better = false;
        for (int k = 0; k < 8; k++)
            better = consider((n + step * (std::cos(k * 0.7853981633974483) * u + std::sin(k * 0.7853981633974483) * v))
                                  .normalized(),
                              0) ||
                     better;
        if (!better) step *= 0.4;
    }
    if (gap > reach) return;

    const Frame frame(n);
    const Front front_a = frontOf(A, frame, 1), front_b = frontOf(B, frame, -1);
    nearest.normal = n;
    nearest.gap = gap;
    // The solver's points, brought to where the two surfaces are along the normal.
    Vector3 middle = 0.5 * (nearest.a + nearest.b);
    if (!placed || !middle.allFinite()) {
        const auto centre = [](const Front& front) {
            Vector3 c = Vector3::Zero();
            for (const Corner& k : front) c += Vector3(k.u, k.v, k.height) / double(front.size());
            return c;
        };
        const Vector3 c = front_b.size() < front_a.size() ? centre(front_b) : centre(front_a);
        middle = c.x() * frame.u + c.y() * frame.v + c.z() * n;
    }
    nearest.a = middle + (supportOf(A, n) - n.dot(middle)) * n;
    nearest.b = nearest.a + gap * n;

    const std::size_t before = out.size();
    double least = HUGE_VAL;
    for (const Corner& c : overlapOf(front_a, front_b, 1e-7 * size)) {
        // (the planes of rounded fronts are a little off: nothing is deeper than the separation)
        const double low = heightAt(front_a, c.u, c.v);
        const double rise = std::max(heightAt(front_b, c.u, c.v) - low, gap);
        if (!(rise <= reach)) continue;
        const Vector3 x = c.u * frame.u + c.v * frame.v;
        out.push_back({x + low * n, x + (low + rise) * n, n, rise, c.name});
        least = std::min(least, rise);
    }
    keepEight(out, before);
    if (!(least <= gap + 1e-7 * size)) {
        nearest.feature = 0;
        out.push_back(nearest);
    }
}

}  // namespace mw::collide
