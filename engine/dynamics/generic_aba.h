// The articulated-body algorithm as a careful library would run it on any tree: numbers read at run time, fixed-size
// types, inertias as three 3x3 blocks, no heap in the call; loops by one articulated solve a row and a dense Cholesky.
// It is what generated code is measured against (`mech bench`), and is kept honest: it exploits what every tree has,
// and nothing of a particular one.
#pragma once

#include <vector>

#include "engine/dynamics/loops.h"

namespace mw {

class GenericAba {
public:
    explicit GenericAba(const Model& model);

    /// The same inputs and answers as mw_kernel::fwd_dyn (tau, fext, act and lambda may be null). Not for two threads
    /// at once: it holds its own workspace.
    void fwdDyn(const double* q, const double* v, const double* tau, const double* fext, const double* act,
                const double* param, double* vdot, double* lambda = nullptr);

private:
    /// Numbers of a body, ready for use.
    struct Constants {
        Matrix3 R0, Rc, Rs;  ///< of a turning joint: R = R0 + cos q Rc + sin q Rs; of others R0: tree rotation
        Vector3 p;           ///< joint frame's origin in the parent
        Vector3 axis;        ///< in the parent (for a displacement)
        double mass = 0;
        Vector3 h;  ///< mass times centre of mass
        Matrix3 I;  ///< about the body origin
        double pitch = 0, damping = 0, armature = 0;
    };
    static constexpr int kColumns = 3;  ///< of a motion subspace; a floating joint is a case of its own
    struct Scratch {
        Matrix3 R;       ///< body to parent
        Vector3 p;       ///< origin in the parent
        Vector3 w, v;    ///< velocity, body axes
        Vector3 cw, cv;  ///< velocity product
        Vector3 Sw[kColumns], Sv[kColumns];
        Matrix3 A, H, M;  ///< articulated inertia: n = A w + H v, f = H^T w + M v
        Vector3 n, f;     ///< articulated bias force
        Vector3 Un[kColumns], Uf[kColumns];
        double D_inv[kColumns][kColumns], u[kColumns];
        Vector3 aw, av;  ///< acceleration
        Matrix3 R_base;  ///< pose in base, where forces in base coordinates are asked for
        Vector3 p_base;
        int floating = -1;  ///< its place in floating_
    };
    /// One end of a loop: pose, velocity and free acceleration of its frame, base axes.
    struct LoopEnd {
        LoopFramePose pose;
        Vector3 w, w_dot, p_dot, p_ddot;
    };

    Constants constantsOf(int body, std::span<const double> param) const;
    void placeJoint(int body, const double* q, const double* v);
    void addForceInBase(int body, const Vector3& n, const Vector3& f);
    void addElements(std::span<const double> param, const double* act);
    void eliminate(int body);
    LoopEnd loopEnd(int body, const Matrix3& R, const Vector3& p, const Vector3& a_base) const;
    void fillRows(const Vector3& a_base);
    /// Accelerations of a joint of up to kColumns freedoms from its parent's, which s.aw and s.av are on entry.
    static void accelerate(const TreeBody& b, Scratch& s, double* vdot) {
        double rest[kColumns];
        for (int k = 0; k < b.nv; k++) rest[k] = s.u[k] - s.Un[k].dot(s.aw) - s.Uf[k].dot(s.av);
        for (int k = 0; k < b.nv; k++) {
            double x = 0;
            for (int j = 0; j < b.nv; j++) x += s.D_inv[k][j] * rest[j];
            vdot[b.v + k] = x;
            s.aw += s.Sw[k] * x;
            s.av += s.Sv[k] * x;
        }
    }
    void solveColumn(const double* rhs, double* x);
    void closeLoops(const Vector3& a_base, double* vdot, double* lambda);

    Topology topology_;
    LoopSet loops_;
    std::vector<Constants> constants_;
    std::vector<Scratch> scratch_;
    std::vector<double> tau_;
    std::vector<Eigen::LLT<Matrix6>> floating_;  ///< factors of floating bodies' articulated inertias
    std::vector<LoopNumbers> loop_numbers_;
    std::vector<double> KT_, Y_;                    ///< nv x nc: K^T, M^-1 K^T
    std::vector<double> A_;                         ///< nc x nc
    std::vector<double> lack_, length_, diagonal_;  ///< nc
    bool has_fext_ = false;
};

}  // namespace mw
