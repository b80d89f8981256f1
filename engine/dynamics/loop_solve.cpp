// The two solves under loop rows.
#include "engine/dynamics/loop_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mw {

namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;

constexpr double kNothingNew = 1e-13;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool factorProjected(const Eigen::Ref<const Eigen::MatrixXd>& L, const ConstraintRows& K, const ProjectedRows& rows) {
    const Eigen::Index nc = K.rows(), nv = K.cols();
    Matrix Q(rows.Q, nv, nc), R(rows.R, nc, nc);
    R.setZero();
    Q = K.transpose();
    L.triangularView<Eigen::Lower>().solveInPlace(Q);
    for (Eigen::Index k = 0; k < nc; k++) {
        rows.scale[k] = 1 / Q.col(k).norm();
        rows.order[k] = k;
        Q.col(k) *= rows.scale[k];
    }

    // Gram-Schmidt on the largest remaining column each time; a second sweep over the finished ones restores what
    // cancellation took.
    for (Eigen::Index k = 0; k < nc; k++) {
        Eigen::Index largest = k;
        for (Eigen::Index j = k + 1; j < nc; j++)
            if (Q.col(j).squaredNorm() > Q.col(largest).squaredNorm()) largest = j;
        if (largest != k) {
            Q.col(k).swap(Q.col(largest));
            R.col(k).swap(R.col(largest));
            std::swap(rows.order[k], rows.order[largest]);
        }
        for (Eigen::Index i = 0; i < k; i++) {
            const double again = Q.col(i).dot(Q.col(k));
            R(i, k) += again;
            Q.col(k) -= again * Q.col(i);
        }
        const double rest = Q.col(k).squaredNorm();
        if (!(rest > kNothingNew)) {
            Q.setConstant(kNaN);
            R.setConstant(kNaN);
            return false;
        }
        R(k, k) = std::sqrt(rest);
        Q.col(k) /= R(k, k);
        for (Eigen::Index j = k + 1; j < nc; j++) {
            R(k, j) = Q.col(k).dot(Q.col(j));
            Q.col(j) -= R(k, j) * Q.col(k);
        }
    }
    return true;
}

void solveProjected(const Eigen::Ref<const Eigen::MatrixXd>& L, int nc, const ProjectedRows& rows, const double* target,
                    double* x, double* lambda) {
    const Eigen::Index nv = L.rows();
    const Matrix Q(rows.Q, nv, nc), R(rows.R, nc, nc);
    Vector y(x, nv), t(rows.t, nc), s(rows.s, nc);

    // y = L^T x, split along Q (what the rows ask for) and across it (free).
    L.triangularView<Eigen::Lower>().solveInPlace(y);
    t.setZero();
    if (target) {
        for (int k = 0; k < nc; k++) t[k] = rows.scale[rows.order[k]] * target[rows.order[k]];
        R.triangularView<Eigen::Upper>().transpose().solveInPlace(t);
    }
    for (int k = 0; k < nc; k++) s[k] = t[k] - Q.col(k).dot(y);
    for (int k = 0; k < nc; k++) y += s[k] * Q.col(k);
    L.triangularView<Eigen::Lower>().transpose().solveInPlace(y);
    if (!lambda) return;
    R.triangularView<Eigen::Upper>().solveInPlace(s);
    for (int k = 0; k < nc; k++) lambda[rows.order[k]] = rows.scale[rows.order[k]] * s[k];
}

bool factorByColumns(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                     ArticulatedBody* articulated, const ConstraintRows& K, const ColumnRows& rows) {
    const Eigen::Index nc = K.rows(), nv = K.cols();
    Matrix Y(rows.Y, nv, nc), A(rows.A, nc, nc);
    Vector force(rows.force, nv), scale(rows.scale, nc);
    for (Eigen::Index i = 0; i < nc; i++) {
        force = K.row(i).transpose();
        solveArticulated(topology, numbers, bodies, articulated, false, Vector3::Zero(), nullptr, rows.force,
                         rows.Y + i * nv);
    }
    A.noalias() = K.lazyProduct(Y);
    scale = A.diagonal().array().rsqrt();
    A = scale.asDiagonal() * A * scale.asDiagonal();
    for (Eigen::Index k = 0; k < nc; k++) rows.order[k] = k;

    // Cholesky, the largest remaining pivot each time: without the order a small pivot on the way would lift the
    // rounding of a dependent row's above any bound.
    bool independent = true;
    for (Eigen::Index k = 0; k < nc; k++) {
        Eigen::Index largest = k;
        for (Eigen::Index i = k + 1; i < nc; i++)
            if (A(i, i) > A(largest, largest)) largest = i;
        if (largest != k) {
            A.row(k).swap(A.row(largest));
            A.col(k).swap(A.col(largest));
            std::swap(rows.order[k], rows.order[largest]);
        }
        independent = A(k, k) > kNothingNew;
        if (!independent) break;
        const Eigen::Index below = nc - k - 1;
        A(k, k) = std::sqrt(A(k, k));
        A.col(k).tail(below) /= A(k, k);
        for (Eigen::Index i = k + 1; i < nc; i++) A.col(i).tail(below) -= A(i, k) * A.col(k).tail(below);
    }
    if (!independent) {
        A.setConstant(kNaN);
        Y.setConstant(kNaN);
    }
    return independent;
}

void correctByColumns(const ConstraintRows& K, const ColumnRows& rows, const double* target, double* x,
                      double* lambda) {
    const Eigen::Index nc = K.rows(), nv = K.cols();
    const Matrix Y(rows.Y, nv, nc), A(rows.A, nc, nc);
    const Vector scale(rows.scale, nc);
    Vector out(x, nv), t(rows.t, nc);
    if (lambda) std::fill_n(lambda, nc, 0.0);
    // The second pass solves for what the first one left of the residual.
    for (int pass = 0; pass < 2; pass++) {
        for (Eigen::Index k = 0; k < nc; k++) {
            const std::int64_t i = rows.order[k];
            t[k] = scale[i] * ((target ? target[i] : 0) - K.row(i).dot(out));
        }
        A.triangularView<Eigen::Lower>().solveInPlace(t);
        A.triangularView<Eigen::Lower>().transpose().solveInPlace(t);
        for (Eigen::Index k = 0; k < nc; k++) {
            const std::int64_t i = rows.order[k];
            const double multiplier = scale[i] * t[k];
            out += multiplier * Y.col(i);
            if (lambda) lambda[i] += multiplier;
        }
    }
}

}  // namespace mw
