// Composite rigid bodies.
#include "engine/dynamics/mass_matrix.h"

namespace mw {

void massMatrix(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                Matrix6* I_composite, Eigen::Ref<Eigen::MatrixXd> M) {
    const std::vector<TreeBody>& tree = topology.bodies();
    M.setZero();
    for (std::size_t i = 0; i < tree.size(); i++) I_composite[i] = numbers[i].inertia;

    for (auto it = topology.order().rbegin(); it != topology.order().rend(); ++it) {
        const int i = *it;
        const TreeBody& b = tree[i];
        // The subtree of i as one body, seen from the parent.
        if (b.parent != kBase) I_composite[b.parent] += bodies[i].X.transpose() * I_composite[i] * bodies[i].X;
        if (b.nv == 0) continue;

        // Force that unit accelerations of joint i ask of that body, walked down to the base.
        Subspace F = I_composite[i] * bodies[i].S;
        M.block(b.v, b.v, b.nv, b.nv) = bodies[i].S.transpose() * F;
        for (int j = 0; j < b.nv; j++) M(b.v + j, b.v + j) += numbers[i].armature;
        for (int j = i; tree[j].parent != kBase;) {
            F = (bodies[j].X.transpose() * F).eval();
            j = tree[j].parent;
            if (tree[j].nv == 0) continue;
            M.block(b.v, tree[j].v, b.nv, tree[j].nv) = F.transpose() * bodies[j].S;
            M.block(tree[j].v, b.v, tree[j].nv, b.nv) = M.block(b.v, tree[j].v, b.nv, tree[j].nv).transpose();
        }
    }
}

}  // namespace mw
