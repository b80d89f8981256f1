// Rows of loops in base coordinates, and the parts that both derivations share.
#include "engine/dynamics/loops.h"

namespace mw {

namespace {

Vector3 toVector(const Vector3d& a) { return {a[0], a[1], a[2]}; }

bool anyLive(const Number3& n) { return n[0].isLive() || n[1].isLive() || n[2].isLive(); }

/// The last common body of two chains, kBase when they meet in the base alone.
int lastCommon(const std::vector<TreeBody>& tree, int a, int b) {
    for (; a != kBase; a = tree[a].parent)
        for (int j = b; j != kBase; j = tree[j].parent)
            if (j == a) return a;
    return kBase;
}

/// Rotation vector of the shortest turn from one unit vector to another.
Vector3 turnBetween(const Vector3& a, const Vector3& b) {
    const Vector3 axis = a.cross(b);
    const double s = axis.norm(), c = a.dot(b);
    if (s > 0) return axis * (std::atan2(s, c) / s);
    if (c > 0) return Vector3::Zero();
    // Opposite: every axis across is as short; the row's first direction is taken.
    const std::array<Vector3d, 2> across = directionsAcross({a.x(), a.y(), a.z()});
    return toVector(across[0]) * 3.14159265358979323846;
}

/// Rotation vector of a rotation, up to pi.
Vector3 turnOf(const Matrix3& R) {
    Eigen::Quaterniond q(R);
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    const double s = q.vec().norm();
    return q.vec() * (s > 0 ? 2 * std::atan2(s, q.w()) / s : 2);
}

/// A motion or its derivative in body coordinates, in base coordinates about the base origin.
Vector6 toBase(const BodyKinematics& body, const Vector6& m) {
    const Vector3 w = body.R * m.head<3>();
    Vector6 out;
    out << w, body.R * m.tail<3>() + body.p.cross(w);
    return out;
}

/// One end of a loop: its frame in base, and the carrier's velocity in base coordinates.
struct End {
    LoopFramePose pose;
    Vector6 v = Vector6::Zero();
    /// Velocity of the carrier at a point.
    Vector3 at(const Vector3& p) const { return v.tail<3>() + v.head<3>().cross(p); }
};

End endOf(const BodyKinematics* bodies, int body, const Matrix3& R, const Vector3& p) {
    End end;
    end.pose = {R, p};
    if (body == kBase) return end;
    end.pose = {bodies[body].R * R, bodies[body].p + bodies[body].R * p};
    end.v = toBase(bodies[body], bodies[body].v);
    return end;
}

}  // namespace

LoopSet::LoopSet(const Topology& topology) : stab_(topology.model().stab) {
    const Model& model = topology.model();
    const std::vector<double> param = model.liveValues();
    for (std::size_t i = 0; i < model.loops.size(); i++) {
        const Loop& loop = model.loops[i];
        CompiledLoop c;
        c.type = loop.type;
        c.from = loop.from.body;
        c.to = loop.to.body;
        c.common = lastCommon(topology.bodies(), c.from, c.to);
        c.first = topology.layout().row_of_loop[i];
        c.axis = toVector(loop.axis);
        for (const LoopRow& row : rowsOf(loop)) {
            c.kind[c.rows] = row.kind;
            c.direction[c.rows++] = toVector(row.direction);
        }
        nc_ += c.rows;
        live_ = live_ || anyLive(loop.from.at) || anyLive(loop.from.rot) || anyLive(loop.to.at) ||
                anyLive(loop.to.rot) || loop.length.isLive();
        loops_.push_back(c);
        declared_.push_back(numbersOf(model, static_cast<int>(i), param));
    }
}

LoopNumbers LoopSet::numbersOf(const Model& model, int loop, std::span<const double> param) const {
    const Loop& l = model.loops[loop];
    LoopNumbers n;
    const auto rotation = [&](const Number3& rot) {
        return rotationRollPitchYaw(rot[0].at(param), rot[1].at(param), rot[2].at(param));
    };
    n.R_from = rotation(l.from.rot);
    n.R_to = rotation(l.to.rot);
    n.p_from = vectorAt(l.from.at, param);
    n.p_to = vectorAt(l.to.at, param);
    n.length = l.length.at(param);
    return n;
}

void loopErrors(const CompiledLoop& loop, const LoopFramePose& from, const LoopFramePose& to, double length,
                double* error) {
    const Vector3 apart = to.p - from.p;
    if (loop.type == LoopType::distance) {
        error[0] = 0.5 * (apart.squaredNorm() - length * length);
        return;
    }
    const Vector3 moved = from.R.transpose() * apart;
    Vector3 turned = Vector3::Zero();
    if (loop.type == LoopType::prismatic) turned = turnOf(from.R.transpose() * to.R);
    else if (loop.type == LoopType::revolute || loop.type == LoopType::cylindrical)
        turned = turnBetween(loop.axis, from.R.transpose() * (to.R * loop.axis));
    for (int r = 0; r < loop.rows; r++)
        error[r] = loop.direction[r].dot(loop.kind[r] == LoopRow::Kind::turn ? turned : moved);
}

void loopRows(const Topology& topology, const LoopSet& loops, const LoopNumbers* numbers, const BodyKinematics* bodies,
              const LoopRows& out) {
    const std::vector<TreeBody>& tree = topology.bodies();
    const int nv = topology.layout().nv;
    for (std::size_t l = 0; l < loops.loops().size(); l++) {
        const CompiledLoop& loop = loops.loops()[l];
        const LoopNumbers& n = numbers[l];
        const End from = endOf(bodies, loop.from, n.R_from, n.p_from), to = endOf(bodies, loop.to, n.R_to, n.p_to);
        const Vector3 rho = to.pose.p - from.pose.p;
        const Vector3 w_from = from.v.head<3>(), p_dot = to.at(to.pose.p), rho_dot = p_dot - from.at(from.pose.p);
        loopErrors(loop, from.pose, to.pose, n.length, out.error + loop.first);

        // The constraint forces T and their derivatives: couples along e, or forces along e (or rho) at the successor's
        // point. e is fixed in the predecessor; the point moves with the successor.
        std::array<Vector6, CompiledLoop::kMostRows> T, T_dot;
        for (int r = 0; r < loop.rows; r++) {
            const bool distance = loop.kind[r] == LoopRow::Kind::distance;
            const Vector3 e = distance ? rho : from.pose.R * loop.direction[r];
            const Vector3 e_dot = distance ? rho_dot : w_from.cross(e);
            if (loop.kind[r] == LoopRow::Kind::turn) {
                T[r] << e, Vector3::Zero();
                T_dot[r] << e_dot, Vector3::Zero();
            } else {
                T[r] << to.pose.p.cross(e), e;
                T_dot[r] << p_dot.cross(e) + to.pose.p.cross(e_dot), e_dot;
            }
            out.length[loop.first + r] = distance ? rho.norm() : 1;
            std::fill_n(out.K + static_cast<std::size_t>(loop.first + r) * nv, nv, 0.0);
        }

        // K = T . J over the joints that only one of the ends hangs on (RBDA equations 8.18 to 8.20), and what these
        // joints' velocities add to the relative velocity and acceleration.
        Vector6 v_relative = Vector6::Zero(), a_relative = Vector6::Zero();
        const auto walk = [&](int body, double sign) {
            for (int j = body; j != loop.common; j = tree[j].parent) {
                a_relative += sign * toBase(bodies[j], bodies[j].c);
                for (int k = 0; k < tree[j].nv; k++) {
                    const Vector6 J = sign * toBase(bodies[j], bodies[j].S.col(k));
                    for (int r = 0; r < loop.rows; r++)
                        out.K[static_cast<std::size_t>(loop.first + r) * nv + tree[j].v + k] = T[r].dot(J);
                }
            }
        };
        walk(loop.to, 1);
        walk(loop.from, -1);
        v_relative = to.v - from.v;
        for (int r = 0; r < loop.rows; r++) {
            out.rate[loop.first + r] = T[r].dot(v_relative);
            out.gamma[loop.first + r] = -(T_dot[r].dot(v_relative) + T[r].dot(a_relative));
        }
    }
}

void stabilise(const LoopSet& loops, const LoopRows& rows) {
    const double T = loops.stabilisation();
    if (!(T > 0)) return;
    for (int i = 0; i < loops.nc(); i++) rows.gamma[i] -= 2 / T * rows.rate[i] + rows.error[i] / (T * T);
}

}  // namespace mw
