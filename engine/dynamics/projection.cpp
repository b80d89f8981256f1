// Sums over bodies of J^T I J and J^T f, all in base coordinates about the base origin.
#include "engine/dynamics/projection.h"

#include <algorithm>
#include <vector>

namespace mw {

namespace {

/// A motion in body coordinates, in base coordinates.
Vector6 motionToBase(const BodyKinematics& body, const Vector6& m) {
    const Vector3 w = body.R * m.head<3>();
    Vector6 out;
    out << w, body.R * m.tail<3>() + body.p.cross(w);
    return out;
}

/// Inertia about the base origin, base axes: from mass, first moment and rotational inertia of the body.
Matrix6 inertiaInBase(const BodyKinematics& body, const Matrix6& inertia) {
    const double mass = inertia(5, 5);
    if (mass == 0) {
        Matrix6 I = Matrix6::Zero();
        I.topLeftCorner<3, 3>() = body.R * inertia.topLeftCorner<3, 3>() * body.R.transpose();
        return I;
    }
    // The upper right block is mass times c x: read c off it, and shift the rotational inertia to c.
    const Vector3 c = Vector3(inertia(2, 4), inertia(0, 5), inertia(1, 3)) / mass;
    const Matrix3 I_c = inertia.topLeftCorner<3, 3>() - mass * skew(c) * skew(c).transpose();
    return spatialInertia(mass, body.p + body.R * c, body.R * I_c * body.R.transpose());
}

}  // namespace

void projectedMassMatrix(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                         Eigen::Ref<Eigen::MatrixXd> M) {
    const std::vector<TreeBody>& tree = topology.bodies();
    M.setZero();
    // Columns of every joint once, then body by body those of its path alone: others are zero.
    Eigen::Matrix<double, 6, Eigen::Dynamic> all(6, topology.layout().nv), J(6, topology.layout().nv), IJ = J;
    for (std::size_t j = 0; j < tree.size(); j++)
        for (int n = 0; n < tree[j].nv; n++) all.col(tree[j].v + n) = motionToBase(bodies[j], bodies[j].S.col(n));
    std::vector<int> path;
    for (std::size_t i = 0; i < tree.size(); i++) {
        path.clear();
        for (int j = static_cast<int>(i); j != kBase; j = tree[j].parent)
            for (int n = 0; n < tree[j].nv; n++) path.push_back(tree[j].v + n);
        const auto count = static_cast<int>(path.size());
        for (int k = 0; k < count; k++) J.col(k) = all.col(path[k]);
        IJ.leftCols(count).noalias() = inertiaInBase(bodies[i], numbers[i].inertia).lazyProduct(J.leftCols(count));
        for (int k = 0; k < count; k++)
            for (int m = 0; m < count; m++) M(path[m], path[k]) += J.col(m).dot(IJ.col(k));
        for (int n = 0; n < tree[i].nv; n++) M(tree[i].v + n, tree[i].v + n) += numbers[i].armature;
    }
}

void projectedBias(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                   const Vector3& gravity, const double* q, const double* v, double* c) {
    const std::vector<TreeBody>& tree = topology.bodies();
    std::fill(c, c + topology.layout().nv, 0.0);
    std::vector<Vector6> a(tree.size());
    for (const int i : topology.order()) {
        const TreeBody& b = tree[i];
        // Acceleration with vdot = 0: d/dt (S v) in base coordinates is v x S v + cJ (RBDA equation 2.28).
        const Vector6 v_base = motionToBase(bodies[i], bodies[i].v);
        if (b.parent == kBase) a[i] << Vector3::Zero(), -gravity;
        else a[i] = a[b.parent];
        if (b.nv > 0) {
            const JointMotion j = jointMotion(b, numbers[i].pitch, q + b.q, v + b.v);
            const Vector6 vJ = bodies[i].S * Eigen::Map<const Eigen::VectorXd>(v + b.v, b.nv);
            a[i] += crossMotion(v_base) * motionToBase(bodies[i], vJ) + motionToBase(bodies[i], j.cJ);
        }
        // Newton and Euler about the base origin, projected on every joint of the path.
        const Matrix6 I = inertiaInBase(bodies[i], numbers[i].inertia);
        const Vector6 f = I * a[i] + crossForce(v_base) * (I * v_base);
        for (int j = i; j != kBase; j = tree[j].parent)
            for (int n = 0; n < tree[j].nv; n++) c[tree[j].v + n] += motionToBase(bodies[j], bodies[j].S.col(n)).dot(f);
    }
}

}  // namespace mw
