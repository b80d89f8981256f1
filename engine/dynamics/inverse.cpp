// Recursive Newton-Euler.
#include "engine/dynamics/inverse.h"

namespace mw {

void inverseDynamics(const Topology& topology, const BodyNumbers* numbers, const BodyKinematics* bodies,
                     const Vector3& gravity, const double* vdot, const Vector6* f_base, InverseWork* work,
                     double* tau) {
    Vector6 a_base;
    a_base << Vector3::Zero(), -gravity;

    // Outwards: accelerations, and the force that each body's motion takes.
    for (const int i : topology.order()) {
        const TreeBody& b = topology.bodies()[i];
        const BodyKinematics& k = bodies[i];
        work[i].a = k.X * (b.parent == kBase ? a_base : work[b.parent].a) + k.c;
        if (vdot && b.nv > 0) work[i].a += k.S * Eigen::Map<const Eigen::VectorXd>(vdot + b.v, b.nv);
        work[i].f = numbers[i].inertia * work[i].a + crossForce(k.v) * (numbers[i].inertia * k.v);
        if (f_base) work[i].f -= forceToBody(k, f_base[i]);
    }

    // Inwards: what the joint carries, and what it hands to the parent.
    for (auto it = topology.order().rbegin(); it != topology.order().rend(); ++it) {
        const int i = *it;
        const TreeBody& b = topology.bodies()[i];
        const BodyKinematics& k = bodies[i];
        for (int j = 0; j < b.nv; j++) {
            tau[b.v + j] = k.S.col(j).dot(work[i].f);
            if (vdot) tau[b.v + j] += numbers[i].armature * vdot[b.v + j];
        }
        if (b.parent != kBase) work[b.parent].f += k.X.transpose() * work[i].f;
    }
}

}  // namespace mw
