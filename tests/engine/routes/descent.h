// Shortest paths found by plain minimisation, as an oracle for guides in a row: it knows the route over a single guide
// only.
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

}  // namespace mw::routes
