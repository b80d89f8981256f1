// Shortest paths found by plain minimisation, as oracles for geodesic guides and chains: they know no geodesic, no
// tangent and no Newton.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/engine/routes/scenes.h"

namespace mw::routes {

/// Minimum of f from x by descent with the BFGS formula; the gradient is f's own answer.
inline double descend(std::vector<double>& x,
                      const std::function<double(const std::vector<double>&, std::vector<double>&)>& f,
                      int steps = 400) {
    const auto n = static_cast<Eigen::Index>(x.size());
    Eigen::MatrixXd H = Eigen::MatrixXd::Identity(n, n);
    std::vector<double> gradient(x.size()), trial = x, other(x.size());
    double value = f(x, gradient);
    for (int step = 0; step < steps && std::isfinite(value); ++step) {
        const Eigen::Map<const Eigen::VectorXd> g(gradient.data(), n);
        if (g.norm() < 1e-11) break;
        Eigen::VectorXd way = -H * g;
        if (way.dot(g) > -1e-12 * way.norm() * g.norm()) H.setIdentity(), way = -g;
        double t = std::min(1.0, 0.5 / way.norm());
        bool moved = false;
        for (int half = 0; half < 40; ++half, t *= 0.5) {
            for (std::size_t i = 0; i < x.size(); ++i) trial[i] = x[i] + t * way[static_cast<Eigen::Index>(i)];
            const double now = f(trial, other);
            if (now < value + 1e-4 * t * way.dot(g)) {
                const Eigen::VectorXd s = t * way, y = Eigen::Map<const Eigen::VectorXd>(other.data(), n) - g;
                const double sy = s.dot(y);
                if (sy > 1e-14) {
                    const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(n, n) - s * y.transpose() / sy;
                    H = (A * H * A.transpose() + s * s.transpose() / sy).eval();
                }
                x = trial, gradient = other, value = now;
                moved = true;
                break;
            }
        }
        if (!moved) break;
    }
    return value;
}

/// Several guides in a row, each between two of the planes x = gate: the sum of routes over each alone, joined in
/// points of the gates between them, over all places of those points; the least of many starts.
inline double chainByGates(const Scene& scene, const std::vector<double>& gates, Random& random, int starts) {
    const std::size_t joints = gates.size();
    const auto f = [&](const std::vector<double>& x, std::vector<double>& gradient) {
        std::fill(gradient.begin(), gradient.end(), 0);
        double length = 0;
        SpanResult part;
        for (std::size_t i = 0; i <= joints; ++i) {
            const Vector3 from = i == 0 ? scene.a : Vector3(gates[i - 1], x[2 * i - 2], x[2 * i - 1]);
            const Vector3 to = i == joints ? scene.b : Vector3(gates[i], x[2 * i], x[2 * i + 1]);
            routeSpan(from, to, std::span(&scene.guides[i], 1), part);
            if (!part.converged) return std::numeric_limits<double>::infinity();
            length += part.length;
            for (std::size_t k = 0; k < 2; ++k) {
                const auto axis = static_cast<Eigen::Index>(k) + 1;
                if (i > 0) gradient[2 * i - 2 + k] += part.a_gradient[axis];
                if (i < joints) gradient[2 * i + k] += part.b_gradient[axis];
            }
        }
        return length;
    };
    double best = std::numeric_limits<double>::infinity();
    for (int start = 0; start < starts; ++start) {
        std::vector<double> x(2 * joints);
        for (double& value : x) value = random.between(-1.2, 1.2);
        best = std::min(best, descend(x, f));
    }
    return best;
}

/// The point of a guide's surface nearest to x (inside or near), guide's frame; ellipsoid and torus.
inline Vector3 nearestOnGuide(const SpanGuide& g, const Vector3& x) {
    if (g.kind == PathElement::Kind::torus) {
        const double rho = std::hypot(x.x(), x.y());
        const Vector3 c(g.radii[0] * x.x() / rho, g.radii[0] * x.y() / rho, 0);
        return c + (x - c).normalized() * g.radii[1];
    }
    // x = y + t n, n along y/r^2 of the surface: y_i = x_i r_i^2/(r_i^2 + t), with t < 0 inside
    const Vector3 r2(g.radii[0] * g.radii[0], g.radii[1] * g.radii[1], g.radii[2] * g.radii[2]);
    const auto at = [&](double t) -> Vector3 { return x.cwiseProduct(r2).cwiseQuotient((r2.array() + t).matrix()); };
    const auto level = [&](double t) { return at(t).cwiseProduct(r2.cwiseSqrt().cwiseInverse()).squaredNorm() - 1; };
    double low = -r2.minCoeff() * (1 - 1e-12), high = 0;
    for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
        const double t = (low + high) / 2;
        (level(t) > 0 ? low : high) = t;
    }
    return at((low + high) / 2);
}

/// A string of points past one guide, pulled taut from a start through `via` (guide's frame): each point goes to the
/// middle of its neighbours, or to the surface's nearest point to that where it is inside; refined by halving, the
/// polygons' lengths extrapolated. A path through the outside, up to the chords' depth.
inline double pulledString(const Scene& scene, const std::vector<Vector3>& via, int levels = 6) {
    const SpanGuide& g = scene.guides[0];
    const auto local = [&](const Vector3& v) -> Vector3 { return g.axes.transpose() * (v - g.centre); };
    const auto inside = [&](const Vector3& v) {
        if (g.kind == PathElement::Kind::torus)
            return std::hypot(std::hypot(v.x(), v.y()) - g.radii[0], v.z()) < g.radii[1];
        return Vector3(v.x() / g.radii[0], v.y() / g.radii[1], v.z() / g.radii[2]).norm() < 1;
    };
    std::vector<Vector3> x{local(scene.a)};
    x.insert(x.end(), via.begin(), via.end());
    x.push_back(local(scene.b));
    const auto length = [&] {
        double sum = 0;
        for (std::size_t i = 1; i < x.size(); ++i) sum += (x[i] - x[i - 1]).norm();
        return sum;
    };
    double before = 0, now = 0;
    for (int level = 0; level < levels; ++level) {
        std::vector<Vector3> finer;
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            finer.push_back(x[i]);
            Vector3 middle = (x[i] + x[i + 1]) / 2;
            if (inside(middle)) middle = nearestOnGuide(g, middle);
            finer.push_back(middle);
        }
        finer.push_back(x.back());
        x = finer;
        before = now;
        double last = length();
        for (int sweep = 0; sweep < 20000; ++sweep) {
            for (std::size_t i = 1; i + 1 < x.size(); ++i) {
                // a little beyond the middle: faster
                Vector3 to = x[i] + 1.7 * ((x[i - 1] + x[i + 1]) / 2 - x[i]);
                if (inside(to)) to = nearestOnGuide(g, to);
                x[i] = to;
            }
            if (sweep % 50 == 49) {
                const double here = length();
                if (std::abs(last - here) < 1e-11) break;
                last = here;
            }
        }
        now = length();
    }
    return now + (now - before) / 3;
}

}  // namespace mw::routes
