// Forward dynamics by two routes that share nothing but the Topology and the joint models of kinematics.h.
//   composite:    RNEA bias, CRBA mass matrix, a generic Cholesky solve.
//   articulated:  the articulated-body algorithm (RBDA table 7.1), split into a factorisation that depends on the
//   configuration
//                 alone and an inexpensive solve per right-hand side.
// Call updateKinematics first. A mass matrix that is not positive definite gives NaN, never a plausible number.
#pragma once

#include "engine/dynamics/kinematics.h"

namespace mw {

/// Cholesky in place: the lower triangle of M becomes L. False when M is not positive definite (M is then all NaN).
bool factorMassMatrix(Eigen::Ref<Eigen::MatrixXd> M);
/// x <- M^-1 x with the factor of factorMassMatrix.
void solveMassMatrix(const Eigen::Ref<const Eigen::MatrixXd>& L, Eigen::Ref<Eigen::VectorXd> x);

/// Per body: the factorisation and the scratch of a solve.
struct ArticulatedBody {
    Matrix6 I_A;        ///< articulated inertia, body coordinates
    Subspace U;         ///< I_A S
    JointMatrix D_inv;  ///< (S^T I_A S + armature)^-1
    Vector6 p_A, a;
    JointVector u;
};

/// Second pass of the algorithm, of which only q is needed.
void factorArticulated(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                       ArticulatedBody* articulated);

/// vdot (nv) for the joint forces tau (nv). With `moving`: velocity products, gravity and the forces f_base enter (they
/// are read only then); without, vdot = M^-1 tau.
void solveArticulated(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                      ArticulatedBody* articulated, bool moving, const Vector3& gravity, const Vector6* f_base,
                      const double* tau, double* vdot);

}  // namespace mw
