// Surfaces of guides, their curvatures, and geodesics on them. On ellipsoid and torus the geodesic, its two Jacobi
// fields and its turning are integrated together by extrapolation of the modified midpoint rule (Gragg 1965; Bulirsch
// and Stoer 1966), with steps and order chosen so that the end is good to about 1e-13 of the guide's size, or as little
// as was asked for.
#include "engine/tendon/geodesic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mw {
namespace {

using Kind = PathElement::Kind;
constexpr int kState = 11;  // point, direction, two Jacobi fields with rates, turning
using State = std::array<double, kState>;
constexpr int kColumns = 8;  // of the extrapolation table
constexpr int kMostSteps = 2000;

// x'' = -k n with k = x' . dn/dx' (the definition of a geodesic on a surface with normal n).
struct EllipsoidLaw {
    std::array<double, 3> inverse{};  // 1/radius^2
    double product = 0;               // 1/(abc)^2
    explicit EllipsoidLaw(const std::array<double, 3>& r) {
        for (int i = 0; i < 3; ++i) inverse[i] = 1 / (r[i] * r[i]);
        product = inverse[0] * inverse[1] * inverse[2];
    }
    void operator()(const State& y, State& d) const {
        const double gx = y[0] * inverse[0], gy = y[1] * inverse[1], gz = y[2] * inverse[2];
        const double g2 = gx * gx + gy * gy + gz * gz;
        const double h = y[3] * y[3] * inverse[0] + y[4] * y[4] * inverse[1] + y[5] * y[5] * inverse[2];
        const double k = h / g2, gauss = product / (g2 * g2);
        d[0] = y[3], d[1] = y[4], d[2] = y[5];
        d[3] = -k * gx, d[4] = -k * gy, d[5] = -k * gz;
        d[6] = y[7], d[7] = -gauss * y[6], d[8] = y[9], d[9] = -gauss * y[8];
        d[10] = h / std::sqrt(g2);
    }
};

struct TorusLaw {
    double ring = 0;
    void operator()(const State& y, State& d) const {
        const double rho = std::hypot(y[0], y[1]);
        const double out = rho - ring, wire = std::hypot(out, y[2]);
        const double c = out / wire, s = y[2] / wire;
        const double ex = y[0] / rho, ey = y[1] / rho;
        const double round = ex * y[4] - ey * y[3];  // along the ring
        const double v2 = y[3] * y[3] + y[4] * y[4] + y[5] * y[5];
        const double k = (v2 - round * round) / wire + round * round * c / rho;
        const double gauss = c / (rho * wire);
        d[0] = y[3], d[1] = y[4], d[2] = y[5];
        d[3] = -k * c * ex, d[4] = -k * c * ey, d[5] = -k * s;
        d[6] = y[7], d[7] = -gauss * y[6], d[8] = y[9], d[9] = -gauss * y[8];
        d[10] = k;
    }
};

// One step of length h by extrapolation. Columns used, or 0 when the tolerance was not met.
template <class Law>
int extrapolate(const Law& law, State& y, const State& slope, double h, const State& scale, double tolerance) {
    std::array<State, kColumns> table;
    for (int k = 0; k < kColumns; ++k) {
        const int n = 2 * (k + 1);
        const double step = h / n;
        State before = y, now, d;
        for (int i = 0; i < kState; ++i) now[i] = y[i] + step * slope[i];
        for (int m = 1; m < n; ++m) {
            law(now, d);
            for (int i = 0; i < kState; ++i) {
                const double next = before[i] + 2 * step * d[i];
                before[i] = now[i];
                now[i] = next;
            }
        }
        law(now, d);
        State value;
        for (int i = 0; i < kState; ++i) value[i] = 0.5 * (now[i] + before[i] + step * d[i]);
        // Aitken and Neville in h^2; the table's last line only
        double error = 0;
        State& best = value;
        for (int j = 1; j <= k; ++j) {
            const double q = static_cast<double>(k + 1) / (k + 1 - j);
            const double w = 1 / (q * q - 1);
            State& old = table[j - 1];
            for (int i = 0; i < kState; ++i) {
                const double change = (best[i] - old[i]) * w;
                old[i] = std::exchange(best[i], best[i] + change);
                if (j == k) error = std::max(error, std::abs(change) / scale[i]);
            }
        }
        table[k] = best;
        if (k >= 2 && error < tolerance) {
            y = best;
            return k + 1;
        }
    }
    return 0;
}

template <class Law>
bool run(const Law& law, State& y, double length, double reach, double size, double tolerance, double& least) {
    const double way = length < 0 ? -1 : 1;
    double left = std::abs(length), h = std::min(left, reach);
    State scale;
    for (int i = 0; i < kState; ++i) scale[i] = 1;
    for (int i = 0; i < 3; ++i) scale[i] = size;
    scale[7] = 1 / size;
    scale[8] = std::max(size, left);
    State slope;
    law(y, slope);
    least = slope[10];
    for (int steps = 0; left > 0; ++steps) {
        if (steps > kMostSteps || !std::isfinite(y[0])) return false;
        h = std::min(h, left);
        const int columns = extrapolate(law, y, slope, way * h, scale, tolerance);
        if (columns == 0) {
            h *= 0.4;
            continue;
        }
        left -= h;
        if (left < 1e-15 * std::abs(length)) left = 0;
        if (columns <= 5) h *= 1.6;
        if (columns >= kColumns) h *= 0.8;
        law(y, slope);
        least = std::min(least, slope[10]);
    }
    return true;
}

}  // namespace

GuideSurface::GuideSurface(const SpanGuide& guide)
    : kind_(guide.kind), centre_(guide.centre), axes_(guide.axes), radii_(guide.radii) {
    switch (kind_) {
        case Kind::ellipsoid: size_ = std::max({radii_[0], radii_[1], radii_[2]}); break;
        case Kind::torus: size_ = radii_[0] + radii_[1]; break;
        default: size_ = radii_[0];
    }
}

double GuideSurface::level(const Vector3& x) const {
    switch (kind_) {
        case Kind::cylinder: return std::hypot(x.x(), x.y()) - radii_[0];
        case Kind::ellipsoid: {
            const double scaled = Vector3(x.x() / radii_[0], x.y() / radii_[1], x.z() / radii_[2]).norm();
            return (scaled - 1) * std::min({radii_[0], radii_[1], radii_[2]});
        }
        case Kind::torus: return std::hypot(std::hypot(x.x(), x.y()) - radii_[0], x.z()) - radii_[1];
        default: return x.norm() - radii_[0];
    }
}

Vector3 GuideSurface::normal(const Vector3& x) const {
    Vector3 n;
    switch (kind_) {
        case Kind::cylinder: n = Vector3(x.x(), x.y(), 0); break;
        case Kind::ellipsoid:
            n = Vector3(x.x() / (radii_[0] * radii_[0]), x.y() / (radii_[1] * radii_[1]),
                        x.z() / (radii_[2] * radii_[2]));
            break;
        case Kind::torus: {
            const double rho = std::hypot(x.x(), x.y());
            const double part = rho > 0 ? 1 - radii_[0] / rho : 0;
            n = Vector3(x.x() * part, x.y() * part, x.z());
            break;
        }
        default: n = x;
    }
    const double length = n.norm();
    return length > 0 ? Vector3(n / length) : Vector3::UnitX();
}

Vector3 GuideSurface::project(const Vector3& x) const {
    switch (kind_) {
        case Kind::cylinder: return Vector3(0, 0, x.z()) + radii_[0] * normal(x);
        case Kind::ellipsoid: {
            const double scaled = Vector3(x.x() / radii_[0], x.y() / radii_[1], x.z() / radii_[2]).norm();
            return scaled > 0 ? Vector3(x / scaled) : Vector3(radii_[0], 0, 0);
        }
        case Kind::torus: {
            const double rho = std::hypot(x.x(), x.y());
            const Vector3 centre =
                rho > 0 ? Vector3(radii_[0] * x.x() / rho, radii_[0] * x.y() / rho, 0) : Vector3(radii_[0], 0, 0);
            const Vector3 out = x - centre;
            const double distance = out.norm();
            if (!(distance > 0)) return centre * (1 - radii_[1] / radii_[0]);
            return centre + out * (radii_[1] / distance);
        }
        default: return radii_[0] * normal(x);
    }
}

double GuideSurface::bend(const Vector3& x, const Vector3& u, const Vector3& w) const {
    switch (kind_) {
        case Kind::cylinder: return (u.x() * w.x() + u.y() * w.y()) / radii_[0];
        case Kind::ellipsoid: {
            double sum = 0, g2 = 0;
            for (int i = 0; i < 3; ++i) {
                const double k = 1 / (radii_[i] * radii_[i]);
                sum += u[i] * w[i] * k;
                g2 += x[i] * x[i] * k * k;
            }
            return sum / std::sqrt(g2);
        }
        case Kind::torus: {
            const double rho = std::hypot(x.x(), x.y());
            const double ex = x.x() / rho, ey = x.y() / rho;
            const double ru = ex * u.y() - ey * u.x(), rw = ex * w.y() - ey * w.x();
            const double c = (rho - radii_[0]) / radii_[1];
            return (u.dot(w) - ru * rw) / radii_[1] + ru * rw * c / rho;
        }
        default: return u.dot(w) / radii_[0];
    }
}

double GuideSurface::gauss(const Vector3& x) const {
    switch (kind_) {
        case Kind::cylinder: return 0;
        case Kind::ellipsoid: {
            double g2 = 0, product = 1;
            for (int i = 0; i < 3; ++i) {
                const double k = 1 / (radii_[i] * radii_[i]);
                g2 += x[i] * x[i] * k * k;
                product *= k;
            }
            return product / (g2 * g2);
        }
        case Kind::torus: {
            const double rho = std::hypot(x.x(), x.y());
            return (rho - radii_[0]) / (rho * radii_[1] * radii_[1]);
        }
        default: return 1 / (radii_[0] * radii_[0]);
    }
}

void GuideSurface::flow(const Vector3& p, const Vector3& t, double s, GeodesicArc& arc, double tolerance) const {
    arc.p = p;
    arc.n = normal(p);
    arc.t = t;
    arc.s = s;
    arc.sound = true;
    switch (kind_) {
        case Kind::sphere: {
            const double r = radii_[0], angle = s / r, c = std::cos(angle), sn = std::sin(angle);
            arc.m = arc.n * c + t * sn;
            arc.q = r * arc.m;
            arc.u = t * c - arc.n * sn;
            arc.a = c, arc.da = -sn / r, arc.r = r * sn, arc.dr = c;
            arc.turn = angle;
            arc.least_curvature = 1 / r;
            break;
        }
        case Kind::cylinder: {
            const double r = radii_[0];
            const double round = arc.n.x() * t.y() - arc.n.y() * t.x();
            const double angle = round * s / r, c = std::cos(angle), sn = std::sin(angle);
            const auto turned = [&](const Vector3& v) {
                return Vector3(c * v.x() - sn * v.y(), sn * v.x() + c * v.y(), v.z());
            };
            arc.m = turned(arc.n);
            arc.q = Vector3(r * arc.m.x(), r * arc.m.y(), p.z() + t.z() * s);
            arc.u = turned(t);
            arc.a = 1, arc.da = 0, arc.r = s, arc.dr = 1;
            arc.least_curvature = round * round / r;
            arc.turn = arc.least_curvature * s;
            break;
        }
        default: integrate(arc, tolerance);
    }
}

void GuideSurface::integrate(GeodesicArc& arc, double tolerance) const {
    State y{arc.p.x(), arc.p.y(), arc.p.z(), arc.t.x(), arc.t.y(), arc.t.z(), 1, 0, 0, 1, 0};
    // the first step: two thirds of a radian of the sharper curvature here; the steps after it find their own
    const Vector3 b = arc.n.cross(arc.t);
    const double sharp =
        std::max({std::abs(bend(arc.p, arc.t, arc.t)), std::abs(bend(arc.p, b, b)), 1 / size_}) + 1e-300;
    const double reach = 1.0 / sharp;
    if (kind_ == Kind::ellipsoid)
        arc.sound = run(EllipsoidLaw(radii_), y, arc.s, reach, size_, tolerance, arc.least_curvature);
    else arc.sound = run(TorusLaw{radii_[0]}, y, arc.s, reach, size_, tolerance, arc.least_curvature);
    arc.q = project(Vector3(y[0], y[1], y[2]));
    arc.m = normal(arc.q);
    const Vector3 u(y[3], y[4], y[5]);
    arc.u = (u - arc.m * arc.m.dot(u)).normalized();
    arc.a = y[6], arc.da = y[7], arc.r = y[8], arc.dr = y[9];
    arc.turn = y[10];
}

void geodesicCurve(const SpanGuide& guide, const GuideContact& contact, double angle, std::vector<Vector3>& points) {
    points.push_back(contact.first);
    if (contact.state == GuideContact::State::wrapped && contact.arc > 0) {
        const GuideSurface surface(guide);
        const auto follow = [&](const Vector3& from, const Vector3& along, double length, double turn, bool back) {
            const int pieces = std::clamp(static_cast<int>(std::ceil(turn / std::max(angle, 1e-3))), 1, 4096);
            const std::size_t start = points.size();
            GeodesicArc arc;
            arc.q = surface.project(surface.toLocal(from));
            const Vector3 n = surface.normal(arc.q), t = surface.turnToLocal(along);
            arc.u = (t - n * n.dot(t)).normalized();
            for (int i = 1; i <= pieces; ++i) {
                const Vector3 p = arc.q, u = arc.u;
                surface.flow(p, u, length / pieces, arc);
                points.push_back(surface.toBase(arc.q));
            }
            if (back) std::reverse(points.begin() + static_cast<std::ptrdiff_t>(start), points.end());
        };
        // rope on the surface, perhaps a straight bridge across a hollow, rope on the surface
        const double before = contact.bridged ? contact.lift : contact.arc;
        follow(contact.first, contact.first_direction, before, std::abs(contact.turn), false);
        if (contact.bridged)
            follow(contact.last, -contact.last_direction, contact.arc - contact.land, std::abs(contact.turn), true);
        else points.pop_back();
    }
    points.push_back(contact.last);
}

}  // namespace mw
