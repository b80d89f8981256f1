// The generic solve, and articulated bodies.
#include "engine/dynamics/forward.h"

#include <limits>

namespace mw {

bool factorMassMatrix(Eigen::Ref<Eigen::MatrixXd> M) {
    if (M.rows() == 0) return true;
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(M);
    if (llt.info() == Eigen::Success && M.diagonal().array().isFinite().all()) return true;
    M.setConstant(std::numeric_limits<double>::quiet_NaN());
    return false;
}

void solveMassMatrix(const Eigen::Ref<const Eigen::MatrixXd>& L, Eigen::Ref<Eigen::VectorXd> x) {
    if (L.rows() == 0) return;
    L.triangularView<Eigen::Lower>().solveInPlace(x);
    L.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void factorArticulated(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                       ArticulatedBody* articulated) {
    const std::vector<TreeBody>& tree = topology.bodies();
    for (std::size_t i = 0; i < tree.size(); i++) articulated[i].I_A = numbers[i].inertia;
    for (auto it = topology.order().rbegin(); it != topology.order().rend(); ++it) {
        const int i = *it;
        const TreeBody& b = tree[i];
        ArticulatedBody& A = articulated[i];
        A.U = A.I_A * bodies[i].S;
        Matrix6 I_a = A.I_A;
        A.D_inv.resize(b.nv, b.nv);
        if (b.nv > 0) {
            JointMatrix D = bodies[i].S.transpose() * A.U;
            D.diagonal().array() += numbers[i].armature;
            const Eigen::LLT<JointMatrix> llt(D);
            if (llt.info() == Eigen::Success) A.D_inv = llt.solve(JointMatrix::Identity(b.nv, b.nv));
            else A.D_inv.setConstant(std::numeric_limits<double>::quiet_NaN());
            I_a -= A.U * A.D_inv * A.U.transpose();
        }
        if (b.parent != kBase) articulated[b.parent].I_A += bodies[i].X.transpose() * I_a * bodies[i].X;
    }
}

void solveArticulated(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                      ArticulatedBody* articulated, bool moving, const Vector3& gravity, const Vector6* f_base,
                      const double* tau, double* vdot) {
    const std::vector<TreeBody>& tree = topology.bodies();

    // Bias forces of the bodies alone.
    for (std::size_t i = 0; i < tree.size(); i++) {
        articulated[i].p_A.setZero();
        if (!moving) continue;
        articulated[i].p_A = crossForce(bodies[i].v) * (numbers[i].inertia * bodies[i].v);
        if (f_base) articulated[i].p_A -= forceToBody(bodies[i], f_base[i]);
    }

    // Inwards: what is left for the joint, and what the parent feels.
    for (auto it = topology.order().rbegin(); it != topology.order().rend(); ++it) {
        const int i = *it;
        const TreeBody& b = tree[i];
        ArticulatedBody& A = articulated[i];
        Vector6 p_a = A.p_A;
        if (moving) p_a += A.I_A * bodies[i].c;
        if (b.nv > 0) {
            A.u = Eigen::Map<const Eigen::VectorXd>(tau + b.v, b.nv) - bodies[i].S.transpose() * A.p_A;
            JointVector gain = A.u;
            if (moving) gain -= A.U.transpose() * bodies[i].c;
            p_a += A.U * (A.D_inv * gain);
        }
        if (b.parent != kBase) articulated[b.parent].p_A += bodies[i].X.transpose() * p_a;
    }

    // Outwards: accelerations.
    Vector6 a_base = Vector6::Zero();
    if (moving) a_base.tail<3>() = -gravity;
    for (const int i : topology.order()) {
        const TreeBody& b = tree[i];
        ArticulatedBody& A = articulated[i];
        A.a = bodies[i].X * (b.parent == kBase ? a_base : articulated[b.parent].a);
        if (moving) A.a += bodies[i].c;
        if (b.nv == 0) continue;
        const JointVector x = A.D_inv * (A.u - A.U.transpose() * A.a);
        Eigen::Map<Eigen::VectorXd>(vdot + b.v, b.nv) = x;
        A.a += bodies[i].S * x;
    }
}

}  // namespace mw
