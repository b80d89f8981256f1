// Rows of loops by forces and by points. A row of K is the joint forces that a unit constraint force would need: the
// force on the successor and its opposite on the predecessor, walked down both chains as inverse dynamics does (RBDA
// table 5.1, inward half). Rates and velocity products are those of points and directions, by the rules for turning
// frames, with the bodies' accelerations at vdot = 0.
#include "engine/dynamics/loops.h"

namespace mw {

namespace {

/// One end of a loop as a point with an orientation, moving; base axes.
struct MovingFrame {
    Matrix3 R;
    Vector3 p, p_dot = Vector3::Zero(), p_ddot = Vector3::Zero();
    Vector3 w = Vector3::Zero(), w_dot = Vector3::Zero();
};

MovingFrame frameOn(const BodyKinematics* bodies, const Vector6* accelerations, int body, const Matrix3& R,
                    const Vector3& p) {
    MovingFrame f;
    f.R = R;
    f.p = p;
    if (body == kBase) return f;
    const BodyKinematics& k = bodies[body];
    const Vector3 w = k.v.head<3>(), w_dot = accelerations[body].head<3>();
    const Vector3 u = k.v.tail<3>() + w.cross(p);
    f.R = k.R * R;
    f.p = k.p + k.R * p;
    f.p_dot = k.R * u;
    f.w = k.R * w;
    f.w_dot = k.R * w_dot;
    // Spatial to material acceleration: + w x (velocity of the point).
    f.p_ddot = k.R * (accelerations[body].tail<3>() + w_dot.cross(p) + w.cross(u));
    return f;
}

}  // namespace

void loopRowsByBodies(const Topology& topology, const LoopSet& loops, const LoopNumbers* numbers,
                      const BodyKinematics* bodies, Vector6* scratch, const LoopRows& out) {
    const std::vector<TreeBody>& tree = topology.bodies();
    const int nv = topology.layout().nv;

    // Accelerations of the bodies when no velocity component changes.
    for (const int i : topology.order()) {
        scratch[i] = bodies[i].c;
        if (tree[i].parent != kBase) scratch[i] += bodies[i].X * scratch[tree[i].parent];
    }

    for (std::size_t l = 0; l < loops.loops().size(); l++) {
        const CompiledLoop& loop = loops.loops()[l];
        const LoopNumbers& n = numbers[l];
        const MovingFrame from = frameOn(bodies, scratch, loop.from, n.R_from, n.p_from);
        const MovingFrame to = frameOn(bodies, scratch, loop.to, n.R_to, n.p_to);
        const Vector3 d = to.p - from.p, d_dot = to.p_dot - from.p_dot, d_ddot = to.p_ddot - from.p_ddot;
        loopErrors(loop, {from.R, from.p}, {to.R, to.p}, n.length, out.error + loop.first);

        // What the predecessor sees: of the other frame's turning, and of the vector between the points.
        const Vector3 turn_rate = from.R.transpose() * (to.w - from.w);
        const Vector3 turn_product = from.R.transpose() * (to.w_dot - from.w_dot - from.w.cross(to.w - from.w));
        const Vector3 move_rate = from.R.transpose() * (d_dot - from.w.cross(d));
        const Vector3 move_product = from.R.transpose() * (d_ddot - from.w_dot.cross(d) - 2 * from.w.cross(d_dot) +
                                                           from.w.cross(from.w.cross(d)));

        for (int r = 0; r < loop.rows; r++) {
            const int row = loop.first + r;
            const Vector3& e = loop.direction[r];
            Vector6 force;
            out.length[row] = 1;
            switch (loop.kind[r]) {
                case LoopRow::Kind::turn:
                    out.rate[row] = e.dot(turn_rate);
                    out.gamma[row] = -e.dot(turn_product);
                    force << from.R * e, Vector3::Zero();
                    break;
                case LoopRow::Kind::move:
                    out.rate[row] = e.dot(move_rate);
                    out.gamma[row] = -e.dot(move_product);
                    force << to.p.cross(from.R * e), from.R * e;
                    break;
                case LoopRow::Kind::distance:
                    out.rate[row] = d.dot(d_dot);
                    out.gamma[row] = -(d.dot(d_ddot) + d_dot.squaredNorm());
                    out.length[row] = d.norm();
                    force << to.p.cross(d), d;
                    break;
            }
            double* K = out.K + static_cast<std::size_t>(row) * nv;
            std::fill_n(K, nv, 0.0);
            const auto walk = [&](int body, double sign) {
                if (body == loop.common) return;
                Vector6 f = sign * forceToBody(bodies[body], force);
                for (int j = body; j != loop.common; j = tree[j].parent) {
                    Eigen::Map<Eigen::VectorXd>(K + tree[j].v, tree[j].nv) = bodies[j].S.transpose() * f;
                    f = (bodies[j].X.transpose() * f).eval();
                }
            };
            walk(loop.to, 1);
            walk(loop.from, -1);
        }
    }
}

}  // namespace mw
