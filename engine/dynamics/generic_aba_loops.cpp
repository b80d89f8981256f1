// Loops of the generic algorithm: method 2 of RBDA section 8.5 as a library would run it on any mechanism. The free
// accelerations come first; they give what the rows lack. Then one articulated solve a row for M^-1 K^T, and a dense
// Cholesky of A = K M^-1 K^T.
#include <limits>

#include "engine/dynamics/generic_aba.h"

namespace mw {

namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;

constexpr double kNothingNew = 1e-13;  // of a row, squared: below it is dependent

}  // namespace

GenericAba::LoopEnd GenericAba::loopEnd(int body, const Matrix3& R, const Vector3& p, const Vector3& a_base) const {
    LoopEnd e;
    e.pose = {R, p};
    if (body == kBase) {
        e.w = e.w_dot = e.p_dot = Vector3::Zero();
        e.p_ddot = a_base;  // as all bodies, for gravity is an acceleration of the base
        return e;
    }
    const Scratch& s = scratch_[body];
    const Vector3 u = s.v + s.w.cross(p);
    e.pose = {s.R_base * R, s.p_base + s.R_base * p};
    e.w = s.R_base * s.w;
    e.w_dot = s.R_base * s.aw;
    e.p_dot = s.R_base * u;
    e.p_ddot = s.R_base * (s.av + s.aw.cross(p) + s.w.cross(u));
    return e;
}

/// K^T column by column, and what the free accelerations lack: target - K vdot.
void GenericAba::fillRows(const Vector3& a_base) {
    const std::vector<TreeBody>& tree = topology_.bodies();
    const std::size_t nv = tau_.size();
    const double T = loops_.stabilisation(), per_rate = T > 0 ? 2 / T : 0, per_error = T > 0 ? 1 / (T * T) : 0;
    for (std::size_t l = 0; l < loops_.loops().size(); l++) {
        const CompiledLoop& loop = loops_.loops()[l];
        const LoopNumbers& n = loop_numbers_[l];
        const LoopEnd from = loopEnd(loop.from, n.R_from, n.p_from, a_base);
        const LoopEnd to = loopEnd(loop.to, n.R_to, n.p_to, a_base);
        const Vector3 d = to.pose.p - from.pose.p, d_dot = to.p_dot - from.p_dot, d_ddot = to.p_ddot - from.p_ddot;
        double error[CompiledLoop::kMostRows];
        loopErrors(loop, from.pose, to.pose, n.length, error);

        const Vector3 turn_rate = to.w - from.w;
        const Vector3 turn_change = to.w_dot - from.w_dot - from.w.cross(turn_rate);
        const Vector3 move_rate = d_dot - from.w.cross(d);
        const Vector3 move_change =
            d_ddot - from.w_dot.cross(d) - 2 * from.w.cross(d_dot) + from.w.cross(from.w.cross(d));
        Vector3 e[CompiledLoop::kMostRows];
        for (int r = 0; r < loop.rows; r++) {
            const int row = loop.first + r;
            double rate, change;
            length_[row] = 1;
            if (loop.kind[r] == LoopRow::Kind::distance) {
                e[r] = d;
                rate = d.dot(d_dot);
                change = d.dot(d_ddot) + d_dot.squaredNorm();
                length_[row] = d.norm();
            } else {
                const bool turns = loop.kind[r] == LoopRow::Kind::turn;
                e[r] = from.pose.R * loop.direction[r];
                rate = e[r].dot(turns ? turn_rate : move_rate);
                change = e[r].dot(turns ? turn_change : move_change);
            }
            lack_[row] = -per_rate * rate - per_error * error[r] - change;
        }

        // Each joint between the two ends moves the successor against the predecessor, seen at the successor's point.
        const auto walk = [&](int body, double sign) {
            for (int j = body; j != loop.common; j = tree[j].parent) {
                const TreeBody& b = tree[j];
                const Scratch& s = scratch_[j];
                const Vector3 arm = to.pose.p - s.p_base;
                for (int k = 0; k < b.nv; k++) {
                    Vector3 w, u;
                    if (b.type != JointType::floating) {
                        w = s.R_base * s.Sw[k];
                        u = s.R_base * s.Sv[k] + w.cross(arm);
                    } else if (k < 3) {
                        w = s.R_base.col(k);
                        u = w.cross(arm);
                    } else {
                        w.setZero();
                        u = s.R_base.col(k - 3);
                    }
                    for (int r = 0; r < loop.rows; r++)
                        KT_[static_cast<std::size_t>(loop.first + r) * nv + b.v + k] =
                            sign * e[r].dot(loop.kind[r] == LoopRow::Kind::turn ? w : u);
                }
            }
        };
        walk(loop.to, 1);
        walk(loop.from, -1);
    }
}

/// x = M^-1 rhs with the factorisation at hand.
void GenericAba::solveColumn(const double* rhs, double* x) {
    const std::vector<TreeBody>& tree = topology_.bodies();
    for (Scratch& s : scratch_) {
        s.n.setZero();
        s.f.setZero();
    }
    for (auto it = topology_.order().rbegin(); it != topology_.order().rend(); ++it) {
        const TreeBody& b = tree[*it];
        Scratch& s = scratch_[*it];
        if (b.type == JointType::floating) continue;
        for (int k = 0; k < b.nv; k++) s.u[k] = rhs[b.v + k] - s.Sw[k].dot(s.n) - s.Sv[k].dot(s.f);
        if (b.parent == kBase) continue;
        Vector3 n = s.n, f = s.f;
        for (int i = 0; i < b.nv; i++) {
            double gain = 0;
            for (int k = 0; k < b.nv; k++) gain += s.D_inv[i][k] * s.u[k];
            n += s.Un[i] * gain;
            f += s.Uf[i] * gain;
        }
        Scratch& parent = scratch_[b.parent];
        const Vector3 f_p = s.R * f;
        parent.f += f_p;
        parent.n += s.R * n + s.p.cross(f_p);
    }
    for (const int i : topology_.order()) {
        const TreeBody& b = tree[i];
        Scratch& s = scratch_[i];
        if (b.type == JointType::floating) {
            Vector6 force;
            force << s.n, s.f;
            force = Eigen::Map<const Vector6>(rhs + b.v) - force;
            const Vector6 a = floating_[s.floating].solve(force);
            Eigen::Map<Vector6>(x + b.v) = a;
            s.aw = a.head<3>();
            s.av = a.tail<3>();
            continue;
        }
        if (b.parent == kBase) {
            s.aw.setZero();
            s.av.setZero();
        } else {
            const Scratch& parent = scratch_[b.parent];
            s.aw = s.R.transpose() * parent.aw;
            s.av = s.R.transpose() * (parent.av + parent.aw.cross(s.p));
        }
        accelerate(b, s, x);
    }
}

void GenericAba::closeLoops(const Vector3& a_base, double* vdot, double* lambda) {
    const Eigen::Index nc = loops_.nc(), nv = static_cast<Eigen::Index>(tau_.size());
    fillRows(a_base);
    for (Eigen::Index i = 0; i < nc; i++) solveColumn(KT_.data() + i * nv, Y_.data() + i * nv);
    const Matrix KT(KT_.data(), nv, nc), Y(Y_.data(), nv, nc);
    Matrix A(A_.data(), nc, nc);
    Vector multipliers(lack_.data(), nc);

    A.triangularView<Eigen::Lower>() = KT.transpose() * Y;
    for (Eigen::Index i = 0; i < nc; i++) diagonal_[i] = A(i, i);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(A);
    bool independent = llt.info() == Eigen::Success;
    for (Eigen::Index i = 0; i < nc; i++) independent = independent && A(i, i) * A(i, i) > kNothingNew * diagonal_[i];
    if (independent) {
        A.triangularView<Eigen::Lower>().solveInPlace(multipliers);
        A.triangularView<Eigen::Lower>().transpose().solveInPlace(multipliers);
    } else {
        multipliers.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    Vector(vdot, nv).noalias() += Y * multipliers;
    if (!lambda) return;
    for (Eigen::Index i = 0; i < nc; i++) lambda[i] = multipliers[i] * length_[i];
}

}  // namespace mw
