// Boxes against spheres, capsules and each other. Separate solids: the true nearest points; overlapping ones: the
// least translation that parts them (separating axes). Face on face and line on face: the overlap's corners.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/contact/collide.h"

namespace mw::collide {

namespace {

Vector3 clamped(const Vector3& x, const Vector3& h) { return x.cwiseMax(-h).cwiseMin(h); }

double signOf(double x) { return x < 0 ? -1 : 1; }

void flip(Touch& touch) {
    std::swap(touch.a, touch.b);
    touch.normal = -touch.normal;
}

}  // namespace

void sphereBox(const Solid& A, const Solid& B, double reach, Touches& out) {
    const Vector3 &h = B.size, x = B.R.transpose() * (A.p - B.p), y = clamped(x, h);
    Touch touch;  // of the box and the sphere's centre, then turned round
    const double distance = (x - y).norm();
    Vector3 n = Vector3::Zero(), surface = y;
    if (distance > 1e-12 * (1 + h.maxCoeff())) {
        n = (x - y) / distance;
        touch.gap = distance;
    } else {
        // Inside: out by the nearest face.
        int face = 0;
        for (int i = 1; i < 3; i++)
            if (h(i) - std::abs(x(i)) < h(face) - std::abs(x(face))) face = i;
        n(face) = signOf(x(face));
        touch.gap = std::abs(x(face)) - h(face);
        surface(face) = n(face) * h(face);
    }
    touch.normal = -(B.R * n);
    touch.a = A.p + A.radius() * touch.normal;
    touch.b = B.R * surface + B.p;
    touch.gap -= A.radius();
    if (touch.gap <= reach) out.push_back(touch);
}

void capsuleBox(const Solid& A, const Solid& B, double reach, Touches& out) {
    // In the box's axes: the segment c + t u, t in [-1, 1].
    const Vector3 &h = B.size, c = B.R.transpose() * (A.p - B.p), u = B.R.transpose() * (A.size.y() * A.axis());
    const double r = A.radius(), length = u.norm();
    const double size = h.maxCoeff() + length + r;
    const auto touchAt = [&](const Vector3& on_axis, const Vector3& on_box, const Vector3& outward, double gap,
                             std::uint32_t feature) {
        Touch touch;
        touch.normal = -(B.R * outward);
        touch.gap = gap - r;
        touch.a = B.R * on_axis + B.p + r * touch.normal;
        touch.b = B.R * on_box + B.p;
        touch.feature = feature;
        if (touch.gap <= reach) out.push_back(touch);
    };

    // The squared distance to the box is convex and piecewise quadratic in t, with kinks in slope where a coordinate
    // passes a face: the least of every piece.
    std::array<double, 8> knots{-1, 1, -1, -1, -1, -1, -1, -1};
    int count = 2;
    for (int i = 0; i < 3; i++) {
        if (u(i) == 0) continue;
        for (double side : {-1.0, 1.0}) {
            const double t = (side * h(i) - c(i)) / u(i);
            if (t > -1 && t < 1) knots[std::size_t(count++)] = t;
        }
    }
    for (int k = 1; k < count; k++)
        for (int i = k; i > 0 && knots[std::size_t(i)] < knots[std::size_t(i - 1)]; i--)
            std::swap(knots[std::size_t(i)], knots[std::size_t(i - 1)]);
    double nearest_t = 0, squared = HUGE_VAL;
    const auto consider = [&](double t) {
        const Vector3 x = c + t * u;
        const double d = (x - clamped(x, h)).squaredNorm();
        if (d < squared) squared = d, nearest_t = t;
    };
    for (int k = 0; k < count; k++) {
        consider(knots[std::size_t(k)]);
        if (k + 1 == count) break;
        const double middle = 0.5 * (knots[std::size_t(k)] + knots[std::size_t(k + 1)]);
        const Vector3 at = c + middle * u;
        double slope = 0, curvature = 0;  // of half the squared distance, at t = 0 of this piece's quadratic
        for (int i = 0; i < 3; i++) {
            if (std::abs(at(i)) <= h(i)) continue;
            slope += u(i) * (c(i) - signOf(at(i)) * h(i));
            curvature += u(i) * u(i);
        }
        if (curvature > 0) consider(std::clamp(-slope / curvature, knots[std::size_t(k)], knots[std::size_t(k + 1)]));
        else consider(middle);
    }
    const double distance = std::sqrt(squared);
    if (!(distance - r <= reach)) return;

    Vector3 n, on_axis = c + nearest_t * u, on_box = clamped(on_axis, h);
    double gap = distance;
    const bool apart = distance > 1e-9 * size;
    if (apart) {
        n = (on_axis - on_box) / distance;
    } else {
        // The axis cuts the box: least overlap over the faces and over edges crossed with the axis.
        double best = -HUGE_VAL;
        for (int i = 0; i < 3; i++) {
            const double s = std::abs(c(i)) - (h(i) + std::abs(u(i)));
            if (s > best) best = s, n = signOf(c(i)) * Vector3::Unit(i);
        }
        int edge = -1;
        for (int i = 0; i < 3 && length > 0; i++) {
            Vector3 axis = Vector3::Unit(i).cross(u);
            const double norm = axis.norm();
            if (!(norm > 1e-6 * length)) continue;
            axis /= norm;
            const double s = std::abs(c.dot(axis)) - h.dot(axis.cwiseAbs());
            if (s > best + 1e-9 * size) best = s, n = signOf(c.dot(axis)) * axis, edge = i;
        }
        gap = best;
        if (edge >= 0) {
            Vector3 corner;
            for (int i = 0; i < 3; i++) corner(i) = i == edge ? 0 : signOf(n(i)) * h(i);
            const SegmentPair pair = nearestOfSegments(c, u, corner, h(edge) * Vector3::Unit(edge));
            on_axis = c + pair.s * u;
            on_box = corner + pair.t * h(edge) * Vector3::Unit(edge);
        } else {
            // The end that is deepest against the face, brought over the face.
            on_axis = c - (n.dot(u) > 0 ? 1 : -1) * (std::abs(n.dot(u)) > 0 ? 1 : 0) * u;
            on_box = clamped(on_axis - (n.dot(on_axis) - n.cwiseAbs().dot(h)) * n, h);
        }
    }

    // Along a face: the ends of what lies over it.
    int face = 0;
    n.cwiseAbs().maxCoeff(&face);
    bool covered = false;
    if (std::abs(n(face)) > kAlongFace && length > 0) {
        double low = -1, high = 1;
        for (int i = 0; i < 3; i++) {
            if (i == face) continue;
            const double room = h(i) + 1e-9 * size;
            if (std::abs(u(i)) > 1e-12 * length) {
                const double t1 = (-room - c(i)) / u(i), t2 = (room - c(i)) / u(i);
                low = std::max(low, std::min(t1, t2));
                high = std::min(high, std::max(t1, t2));
            } else if (std::abs(c(i)) > room) {
                high = -HUGE_VAL;
            }
        }
        const double side = signOf(n(face));
        const Vector3 outward = side * Vector3::Unit(face);
        const auto over = [&](double t, std::uint32_t feature) {
            const Vector3 x = c + t * u;
            const double g = side * x(face) - h(face);
            touchAt(x, x - g * outward, outward, g, feature);
            return g;
        };
        if (high >= low) {
            const double least =
                high - low > 1e-6 * size / length ? std::min(over(low, 0), over(high, 1)) : over(0.5 * (low + high), 0);
            covered = !apart || least <= gap + 1e-7 * size;
        }
    }
    if (!covered) touchAt(on_axis, on_box, n, gap, 2);
}

namespace {

/// Corner k of a box: bit i of k is set on the positive side of axis i.
Vector3 cornerOf(const Vector3& h, int k) {
    return {k & 1 ? h.x() : -h.x(), k & 2 ? h.y() : -h.y(), k & 4 ? h.z() : -h.z()};
}

/// Edge of a box, 0..11: along an axis, at the sides of the next two axes.
std::uint32_t edgeCode(int axis, bool next, bool after) {
    return std::uint32_t(4 * axis + (next ? 1 : 0) + (after ? 2 : 0));
}

constexpr std::uint32_t kCornerOfB = 8, kEdges = 16;  // features: 0..7 corner of A, 8..15 of B, then pairs of edges

struct Nearest {
    double gap = 0;
    Vector3 a, b, normal;  // base
    std::uint32_t feature = 0;
    bool apart = false;
};

/// The two boxes' nearest points, or the axis of least overlap with its supporting points. False: beyond reach.
bool nearestOfBoxes(const Solid& A, const Solid& B, double reach, Nearest& out) {
    const Vector3 &a = A.size, &b = B.size;
    const Matrix3 C = A.R.transpose() * B.R, absolute = C.cwiseAbs();
    const Vector3 t = A.R.transpose() * (B.p - A.p), tb = C.transpose() * t;
    const double size = a.maxCoeff() + b.maxCoeff();

    // Separating axes: both boxes' faces, then edges crossed with edges; faces win where an edge is no better.
    double best = -HUGE_VAL;
    Vector3 axis = Vector3::UnitZ();  // of A
    int edge_a = -1, edge_b = -1, face = -1;
    for (int i = 0; i < 3; i++) {
        const double s = std::abs(t(i)) - (a(i) + absolute.row(i).dot(b));
        if (s > best) best = s, axis = signOf(t(i)) * Vector3::Unit(i), face = i;
    }
    for (int j = 0; j < 3; j++) {
        const double s = std::abs(tb(j)) - (b(j) + absolute.col(j).dot(a));
        if (s > best) best = s, axis = signOf(tb(j)) * C.col(j), face = 3 + j;
    }
    if (best > reach) return false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            Vector3 across = Vector3::Unit(i).cross(C.col(j));
            const double sine = across.norm();
            if (!(sine > 1e-6)) continue;
            across /= sine;
            const double s =
                std::abs(t.dot(across)) - a.dot(across.cwiseAbs()) - b.dot((C.transpose() * across).cwiseAbs());
            if (s > best + 1e-9 * size) best = s, axis = signOf(t.dot(across)) * across, edge_a = i, edge_b = j;
        }
    }
    if (best > reach) return false;

    out.apart = best > 1e-10 * size;
    Vector3 pa = Vector3::Zero(), pb = Vector3::Zero(), n = axis;  // of A
    if (out.apart) {
        // Corners against the other box, edges against edges: one of these is nearest.
        double squared = HUGE_VAL;
        for (int k = 0; k < 8; k++) {
            const Vector3 x = t + C * cornerOf(b, k), y = clamped(x, a);
            const double d = (x - y).squaredNorm();
            if (d < squared) squared = d, pa = y, pb = x, out.feature = kCornerOfB + std::uint32_t(k);
        }
        for (int k = 0; k < 8; k++) {
            const Vector3 x = cornerOf(a, k), local = C.transpose() * (x - t), y = clamped(local, b);
            const double d = (local - y).squaredNorm();
            if (d < squared * (1 - 1e-12)) squared = d, pa = x, pb = t + C * y, out.feature = std::uint32_t(k);
        }
        bool crossed = false;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                const Vector3 across = Vector3::Unit(i).cross(C.col(j));
                const double sine2 = across.squaredNorm();
                if (!(sine2 > 1e-12)) continue;
                const double cosine = C(i, j);
                for (int ka = 0; ka < 4; ka++) {
                    Vector3 p = Vector3::Zero();
                    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
                    p(i1) = ka & 1 ? a(i1) : -a(i1);
                    p(i2) = ka & 2 ? a(i2) : -a(i2);
                    for (int kb = 0; kb < 4; kb++) {
                        Vector3 q = Vector3::Zero();
                        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                        q(j1) = kb & 1 ? b(j1) : -b(j1);
                        q(j2) = kb & 2 ? b(j2) : -b(j2);
                        const Vector3 r = t + C * q - p;
                        const double height = r.dot(across);
                        if (!(height * height < squared * (1 - 1e-12) * sine2)) continue;
                        const double e = r(i), f = r.dot(C.col(j));
                        const double s = (e - cosine * f) / sine2, u = (cosine * e - f) / sine2;
                        if (!(std::abs(s) <= a(i) && std::abs(u) <= b(j))) continue;
                        squared = height * height / sine2;
                        pa = p + s * Vector3::Unit(i);
                        pb = p + r + u * C.col(j);
                        n = signOf(height) * across / std::sqrt(sine2);
                        out.feature = kEdges + 12 * edgeCode(i, ka & 1, ka & 2) + edgeCode(j, kb & 1, kb & 2);
                        crossed = true;
                    }
                }
            }
        }
        out.gap = std::sqrt(squared);
        if (!crossed) n = out.gap > 1e-9 * size ? Vector3((pb - pa) / out.gap) : axis;
        if (out.gap > reach) return false;
    } else {
        out.gap = best;
        if (edge_a >= 0) {
            const Vector3 nb = -(C.transpose() * n);
            const int i1 = (edge_a + 1) % 3, i2 = (edge_a + 2) % 3, j1 = (edge_b + 1) % 3, j2 = (edge_b + 2) % 3;
            Vector3 p = Vector3::Zero(), q = Vector3::Zero();
            p(i1) = signOf(n(i1)) * a(i1), p(i2) = signOf(n(i2)) * a(i2);
            q(j1) = signOf(nb(j1)) * b(j1), q(j2) = signOf(nb(j2)) * b(j2);
            const SegmentPair pair =
                nearestOfSegments(p, a(edge_a) * Vector3::Unit(edge_a), t + C * q, b(edge_b) * C.col(edge_b));
            pa = p + pair.s * a(edge_a) * Vector3::Unit(edge_a);
            pb = t + C * q + pair.t * b(edge_b) * C.col(edge_b);
            out.feature = kEdges + 12 * edgeCode(edge_a, p(i1) > 0, p(i2) > 0) + edgeCode(edge_b, q(j1) > 0, q(j2) > 0);
        } else if (face < 3) {
            int k = 0;
            for (int j = 0; j < 3; j++) k |= (n.dot(C.col(j)) < 0 ? 1 : 0) << j;
            pb = t + C * cornerOf(b, k);
            pa = pb - best * n;
            out.feature = kCornerOfB + std::uint32_t(k);
        } else {
            int k = 0;
            for (int i = 0; i < 3; i++) k |= (n(i) > 0 ? 1 : 0) << i;
            pa = cornerOf(a, k);
            pb = pa + best * n;
            out.feature = std::uint32_t(k);
        }
    }
    out.normal = A.R * n;
    out.a = A.R * pa + A.p;
    out.b = A.R * pb + A.p;
    return true;
}

/// The face of `other` that looks at the face (axis, side) of `base`, cut to it: corners with their gaps along the
/// face's normal. `base_is_a`: whose corners are whose. Returns the least gap.
double faceTouches(const Solid& base, const Solid& other, int axis, double side, bool base_is_a, double reach,
                   Touches& out) {
    const Vector3 &h = base.size, &g = other.size;
    const Matrix3 C = base.R.transpose() * other.R;
    const Vector3 t = base.R.transpose() * (other.p - base.p);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double tolerance = 1e-7 * (h.maxCoeff() + g.maxCoeff());

    // The other's face most against the normal, its corners in turn.
    int k = 0;
    C.row(axis).cwiseAbs().maxCoeff(&k);
    const double facing = -side * signOf(C(axis, k));
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    struct Corner {
        Vector3 x;                     // of base
        int edge;                      // that leaves it: 0..3 the other's, 4..7 the face's sides
        int corner;                    // the other's 0..3, 4 + the face's 0..3, -1: two edges crossing
        int cross_a = 0, cross_b = 0;  // then: which of the face's sides, which of the other's edges
    };
    std::array<Corner, 16> polygon, cut;
    int count = 4;
    constexpr int kTurn[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int c = 0; c < 4; c++) {
        Vector3 y;
        y(k) = facing * g(k);
        y(k1) = kTurn[c][0] * g(k1);
        y(k2) = kTurn[c][1] * g(k2);
        polygon[std::size_t(c)] = {t + C * y, c, c};
    }
    // Sides of the face in turn: +u, +v, -u, -v. Side s and s + 1 meet in the face's corner s.
    for (int s = 0; s < 4 && count > 0; s++) {
        const int w = s % 2 ? v : u;
        const double sign = s < 2 ? 1 : -1;
        const auto beyond = [&](const Corner& c) { return sign * c.x(w) - h(w); };
        int kept = 0;
        for (int c = 0; c < count; c++) {
            const Corner &from = polygon[std::size_t(c)], &to = polygon[std::size_t((c + 1) % count)];
            const double d0 = beyond(from), d1 = beyond(to);
            const bool in0 = d0 <= tolerance, in1 = d1 <= tolerance;
            if (kept + 2 > int(cut.size())) break;
            if (in0) cut[std::size_t(kept++)] = from;
            if (in0 == in1) continue;
            Corner cross;
            cross.x = from.x + std::clamp(d0 / (d0 - d1), 0.0, 1.0) * (to.x - from.x);
            // Leaving, what follows runs along this side; coming back, along the edge that was on its way.
            cross.edge = in0 ? 4 + s : from.edge;
            cross.cross_a = s;
            cross.cross_b = from.edge;
            cross.corner = -1;
            if (from.edge >= 4) {
                const int one = from.edge - 4;  // two sides of the face: its corner
                cross.corner = 4 + ((one + 1) % 4 == s ? one : s);
            }
            cut[std::size_t(kept++)] = cross;
        }
        count = kept;
        polygon = cut;
    }

    // Names of corners that do not depend on which of the two is the base: of A where one of A is there, else of B,
    // else of both edges.
    const auto cornerOfFace = [&](int c) {  // where sides c and c + 1 meet
        constexpr int kSides[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        return (side > 0 ? 1 << axis : 0) | (kSides[c][0] > 0 ? 1 << u : 0) | (kSides[c][1] > 0 ? 1 << v : 0);
    };
    const auto cornerOfOther = [&](int c) {
        return (facing > 0 ? 1 << k : 0) | (kTurn[c][0] > 0 ? 1 << k1 : 0) | (kTurn[c][1] > 0 ? 1 << k2 : 0);
    };
    double least = HUGE_VAL;
    const Vector3 outward = side * Vector3::Unit(axis);
    const std::size_t before = out.size();
    for (int c = 0; c < count; c++) {
        const Corner& point = polygon[std::size_t(c)];
        const double gap = side * point.x(axis) - h(axis);
        least = std::min(least, gap);
        if (!(gap <= reach)) continue;
        const Vector3 on_face = point.x - gap * outward;
        int of_face = -1, of_other = point.corner >= 0 && point.corner < 4 ? cornerOfOther(point.corner) : -1;
        for (int s = 0; s < 4; s++) {
            const Vector3 corner = cornerOf(h, cornerOfFace(s));
            if ((on_face - corner).squaredNorm() < 4 * tolerance * tolerance) of_face = cornerOfFace(s);
        }
        if (point.corner >= 4) of_face = cornerOfFace(point.corner - 4);
        for (int s = 0; s < 4 && of_other < 0; s++) {
            const Vector3 corner = t + C * (facing * g(k) * Vector3::Unit(k) + kTurn[s][0] * g(k1) * Vector3::Unit(k1) +
                                            kTurn[s][1] * g(k2) * Vector3::Unit(k2));
            if ((point.x - corner).squaredNorm() < 4 * tolerance * tolerance) of_other = cornerOfOther(s);
        }
        const int of_a = base_is_a ? of_face : of_other, of_b = base_is_a ? of_other : of_face;
        Touch touch;
        if (of_a >= 0) {
            touch.feature = std::uint32_t(of_a);
        } else if (of_b >= 0) {
            touch.feature = kCornerOfB + std::uint32_t(of_b);
        } else {
            // Side s of the face is an edge along the other in-plane axis; edge c of the other joins its corners c, c +
            // 1.
            const int s = point.cross_a, e = point.cross_b;
            const bool along_v = s % 2 == 0;
            const bool positive = s<2, up = side> 0;
            // of axis w the next two axes are (w + 1) % 3 and (w + 2) % 3
            const std::uint32_t mine = along_v ? edgeCode(v, up, positive) : edgeCode(u, positive, up);
            const bool along_k1 = e % 2 == 0;
            const double at_other = along_k1 ? kTurn[e][1] : kTurn[e][0];
            const std::uint32_t theirs =
                along_k1 ? edgeCode(k1, at_other > 0, facing > 0) : edgeCode(k2, facing > 0, at_other > 0);
            touch.feature = base_is_a ? kEdges + 12 * mine + theirs : kEdges + 12 * theirs + mine;
        }
        touch.normal = base.R * outward;
        touch.a = base.R * on_face + base.p;
        touch.b = base.R * point.x + base.p;
        touch.gap = gap;
        if (!base_is_a) flip(touch);
        bool twice = false;
        for (std::size_t i = before; i < out.size(); i++) twice = twice || out[i].feature == touch.feature;
        if (!twice) out.push_back(touch);
    }
    return least;
}

}  // namespace

void boxBox(const Solid& A, const Solid& B, double reach, Touches& out) {
    Nearest nearest;
    if (!nearestOfBoxes(A, B, reach, nearest)) return;
    const Vector3 na = A.R.transpose() * nearest.normal, nb = B.R.transpose() * nearest.normal;
    int ia = 0, ib = 0;
    const double along_a = na.cwiseAbs().maxCoeff(&ia), along_b = nb.cwiseAbs().maxCoeff(&ib);
    const std::size_t before = out.size();
    const double size = A.size.maxCoeff() + B.size.maxCoeff();
    bool covered = false;
    if (std::max(along_a, along_b) > kAlongFace) {
        const double least = along_a >= along_b - 1e-12 ? faceTouches(A, B, ia, signOf(na(ia)), true, reach, out)
                                                        : faceTouches(B, A, ib, -signOf(nb(ib)), false, reach, out);
        covered = nearest.apart ? least <= nearest.gap + 1e-6 * size : out.size() > before;
    }
    if (covered) return;
    for (std::size_t i = before; i < out.size(); i++)
        if (out[i].feature == nearest.feature) {
            out.erase(out.begin() + std::ptrdiff_t(i));
            break;
        }
    out.push_back({nearest.a, nearest.b, nearest.normal, nearest.gap, nearest.feature});
}

}  // namespace mw::collide
