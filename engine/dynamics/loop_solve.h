// The tree's dynamics under the rows of K, by two ways that share no step:
//   Projected:  Gauss's principle. With M = L L^T, the accelerations are the nearest to the free ones in the metric of
//   M
//               among those with K vdot = target: a least-squares problem in y = L^T vdot, solved by orthogonalising
//               the columns of W = L^-1 K^T. The normal matrix A = W^T W is never formed, so only the square root of
//               its condition enters.
//   ByColumns:  method 2 of RBDA section 8.5. A = K M^-1 K^T, one articulated solve a row, Cholesky with
//               pivots on A.
// Both scale the rows to unit size in that metric first, and find them dependent when what is new in a row is below
// 1e-13 of it (squared): everything is then NaN, never a plausible number. Memory is the caller's; matrices column by
// column but K.
#pragma once

#include <cstdint>

#include "engine/dynamics/forward.h"

namespace mw {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstraintRows = Eigen::Map<const RowMatrix>;

struct ProjectedRows {
    double* Q;            ///< nv x nc, orthonormal
    double* R;            ///< nc x nc, upper triangle
    double* scale;        ///< nc: 1 / |column of W|
    std::int64_t* order;  ///< nc: the column that stands at k
    double* t;            ///< nc, scratch
    double* s;            ///< nc, scratch
};

/// L: factor of factorMassMatrix. False when the rows are dependent.
bool factorProjected(const Eigen::Ref<const Eigen::MatrixXd>& L, const ConstraintRows& K, const ProjectedRows& rows);
/// x (nv): from a joint force b to the x with M x = b + K^T lambda and K x = target. target and lambda (nc) may be
/// null: zero; not asked for.
void solveProjected(const Eigen::Ref<const Eigen::MatrixXd>& L, int nc, const ProjectedRows& rows, const double* target,
                    double* x, double* lambda);

struct ColumnRows {
    double* Y;            ///< nv x nc: M^-1 K^T
    double* A;            ///< nc x nc: Cholesky factor of the scaled K Y, rows and columns in `order`
    double* scale;        ///< nc
    std::int64_t* order;  ///< nc: the row that stands at k
    double* t;            ///< nc, scratch
    double* force;        ///< nv, scratch
};

/// Call factorArticulated first. False when the rows are dependent.
bool factorByColumns(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                     ArticulatedBody* articulated, const ConstraintRows& K, const ColumnRows& rows);
/// x (nv): from the free solution M^-1 b to the constrained one, as above.
void correctByColumns(const ConstraintRows& K, const ColumnRows& rows, const double* target, double* x, double* lambda);

}  // namespace mw
