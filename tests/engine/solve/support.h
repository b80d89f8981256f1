// Row problems for the solver's tests, and the check of their solutions without any of the solver's code.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "engine/solve/projected_gauss_seidel.h"
#include "tests/support/catch.h"

namespace mw::test {

/// M dense, rows over it.
struct Problem {
    Eigen::MatrixXd M_inverse;
    RowSet rows;
    std::vector<double> v_free;

    ApplyInverseMass inverse() const {
        return [this](const double* rhs, int count, double* out) {
            const auto n = M_inverse.rows();
            Eigen::Map<Eigen::MatrixXd>(out, n, count) = M_inverse * Eigen::Map<const Eigen::MatrixXd>(rhs, n, count);
        };
    }
    Eigen::MatrixXd J() const {
        Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows.size(), M_inverse.rows());
        for (int i = 0; i < rows.size(); ++i) {
            const Row& row = rows.rows[static_cast<std::size_t>(i)];
            const auto slots = rows.slotsOf(row);
            const auto values = rows.valuesOf(row);
            for (std::size_t k = 0; k < slots.size(); ++k) J(i, slots[k]) += values[k];
        }
        return J;
    }
};

inline Row& addRow(Problem& problem, Row row, const std::vector<std::pair<int, double>>& jacobian) {
    const int begin = problem.rows.mark();
    for (const auto& [slot, value] : jacobian) problem.rows.put(slot, value);
    return problem.rows.add(row, begin);
}
inline Row rowOf(double target = 0, double lower = -std::numeric_limits<double>::infinity(),
                 double upper = std::numeric_limits<double>::infinity()) {
    Row row;
    row.target = target, row.lower = lower, row.upper = upper;
    return row;
}

/// The natural map of p, written from its definition: W whole, every row by itself, discs by their own radius.
inline double naturalMap(const Problem& problem, const std::vector<double>& p) {
    const Eigen::MatrixXd J = problem.J(), W = J * problem.M_inverse * J.transpose();
    const Eigen::VectorXd u = J * Eigen::Map<const Eigen::VectorXd>(problem.v_free.data(), J.cols()) +
                              W * Eigen::Map<const Eigen::VectorXd>(p.data(), J.rows());
    double worst = 0;
    for (int i = 0; i < problem.rows.size(); ++i) {
        const Row& row = problem.rows.rows[static_cast<std::size_t>(i)];
        const auto x = [&](int k) { return p[static_cast<std::size_t>(k)]; };
        const auto r = [&](int k) {
            const Row& at = problem.rows.rows[static_cast<std::size_t>(k)];
            return u(k) - at.target + at.softness * x(k);
        };
        if (row.disc == 2) {
            const double rho =
                1 / Eigen::Matrix2d(W.block<2, 2>(i, i)).selfadjointView<Eigen::Lower>().eigenvalues()(1);
            Eigen::Vector2d z(x(i) - rho * r(i), x(i + 1) - rho * r(i + 1));
            const double radius = row.mu * std::max(0.0, x(row.by));
            if (z.norm() > radius) z *= radius / z.norm();
            worst = std::max(worst, (Eigen::Vector2d(x(i), x(i + 1)) - z).norm());
            ++i;
            continue;
        }
        const double z = x(i) - r(i) / (W(i, i) + row.softness);
        worst = std::max(worst, std::abs(x(i) - std::clamp(z, row.lower, row.upper)));
    }
    return worst;
}

}  // namespace mw::test
