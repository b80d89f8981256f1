// RBDA table 7.1 with inertias, motions and forces in 3x3 and 3x1 pieces.
#include "engine/dynamics/generic_aba.h"

#include <Eigen/Cholesky>

#include "engine/dynamics/elements.h"

namespace mw {

namespace {

bool turnsByOneAngle(JointType type) {
    return type == JointType::revolute || type == JointType::screw || type == JointType::cylindrical;
}

}  // namespace

GenericAba::GenericAba(const Model& model)
    : topology_(model),
      loops_(topology_),
      scratch_(model.bodies.size()),
      tau_(topology_.layout().nv),
      loop_numbers_(loops_.declaredNumbers()) {
    const std::size_t nc = loops_.nc(), nv = tau_.size();
    for (std::vector<double>* rows : {&KT_, &Y_}) rows->assign(nv * nc, 0.0);
    A_.assign(nc * nc, 0.0);
    for (std::vector<double>* row : {&lack_, &length_, &diagonal_}) row->assign(nc, 0.0);
    const std::vector<double> param = model.liveValues();
    for (int i = 0; i < static_cast<int>(model.bodies.size()); i++) {
        constants_.push_back(constantsOf(i, param));
        has_fext_ = has_fext_ || model.bodies[i].fext;
        if (model.bodies[i].joint.type == JointType::floating) {
            scratch_[i].floating = static_cast<int>(floating_.size());
            floating_.emplace_back();
        }
        for (int k = 0; k < kColumns; k++) scratch_[i].Sw[k] = scratch_[i].Sv[k] = Vector3::Zero();
    }
}

GenericAba::Constants GenericAba::constantsOf(int body, std::span<const double> param) const {
    const TreeBody& b = topology_.bodies()[body];
    const BodyNumbers n = topology_.numbersOf(body, param);
    Constants c;
    if (turnsByOneAngle(b.type)) {
        // Rodrigues, multiplied out with the tree's rotation.
        const Matrix3 along = b.axis * b.axis.transpose();
        c.R0 = n.R_tree * along;
        c.Rc = n.R_tree * (Matrix3::Identity() - along);
        c.Rs = n.R_tree * skew(b.axis);
    } else {
        c.R0 = n.R_tree;
        c.Rc = c.Rs = Matrix3::Zero();
    }
    c.p = n.p_tree;
    c.axis = n.R_tree * b.axis;
    c.mass = n.inertia(5, 5);
    c.h = Vector3(n.inertia(2, 4), n.inertia(0, 5), n.inertia(1, 3));
    c.I = n.inertia.topLeftCorner<3, 3>();
    c.pitch = n.pitch;
    c.damping = n.damping;
    c.armature = n.armature;
    return c;
}

/// Pose in the parent, motion subspace, and the joint's own velocity (into w, v) and c_J (into cw, cv).
void GenericAba::placeJoint(int body, const double* q, const double* v) {
    const TreeBody& b = topology_.bodies()[body];
    const Constants& c = constants_[body];
    Scratch& s = scratch_[body];
    q += b.q;
    v += b.v;
    switch (b.type) {
        case JointType::fixed:
            s.R = c.R0;
            s.p = c.p;
            s.w.setZero();
            s.v.setZero();
            break;
        case JointType::revolute:
            s.R = c.R0 + std::cos(q[0]) * c.Rc + std::sin(q[0]) * c.Rs;
            s.p = c.p;
            s.Sw[0] = b.axis;
            s.w = b.axis * v[0];
            s.v.setZero();
            break;
        case JointType::prismatic:
            s.R = c.R0;
            s.p = c.p + q[0] * c.axis;
            s.Sv[0] = b.axis;
            s.w.setZero();
            s.v = b.axis * v[0];
            break;
        case JointType::screw:
            s.R = c.R0 + std::cos(q[0]) * c.Rc + std::sin(q[0]) * c.Rs;
            s.p = c.p + (c.pitch * q[0]) * c.axis;
            s.Sw[0] = b.axis;
            s.Sv[0] = c.pitch * b.axis;
            s.w = s.Sw[0] * v[0];
            s.v = s.Sv[0] * v[0];
            break;
        case JointType::cylindrical:
            s.R = c.R0 + std::cos(q[0]) * c.Rc + std::sin(q[0]) * c.Rs;
            s.p = c.p + q[1] * c.axis;
            s.Sw[0] = b.axis;
            s.Sv[1] = b.axis;
            s.w = b.axis * v[0];
            s.v = b.axis * v[1];
            break;
        case JointType::universal: {
            const Matrix3 R2 = rotationAbout(b.axis2, q[1]);
            s.R = c.R0 * (rotationAbout(b.axis, q[0]) * R2);
            s.p = c.p;
            s.Sw[0] = R2.transpose() * b.axis;
            s.Sw[1] = b.axis2;
            s.w = s.Sw[0] * v[0] + s.Sw[1] * v[1];
            s.v.setZero();
            s.cw = s.Sw[0].cross(b.axis2) * (v[0] * v[1]);
            s.cv.setZero();
            return;
        }
        case JointType::planar: {
            const Matrix3 R = rotationAbout(b.axis, q[2]);
            s.R = c.R0 * R;
            s.p = c.p + c.R0 * (q[0] * b.plane1 + q[1] * b.plane2);
            s.Sv[0] = R.transpose() * b.plane1;
            s.Sv[1] = R.transpose() * b.plane2;
            s.Sw[2] = b.axis;
            s.w = b.axis * v[2];
            s.v = s.Sv[0] * v[0] + s.Sv[1] * v[1];
            s.cw.setZero();
            s.cv = s.v.cross(s.w);
            return;
        }
        case JointType::spherical:
            s.R = c.R0 * rotationOfQuaternion(q);
            s.p = c.p;
            for (int k = 0; k < 3; k++) s.Sw[k] = Vector3::Unit(k);
            s.w = Eigen::Map<const Vector3>(v);
            s.v.setZero();
            break;
        case JointType::floating:
            s.R = rotationOfQuaternion(q);
            s.p = Eigen::Map<const Vector3>(q + 4);
            s.w = Eigen::Map<const Vector3>(v);
            s.v = Eigen::Map<const Vector3>(v + 3);
            break;
    }
    s.cw.setZero();
    s.cv.setZero();
}

/// [moment about the base origin; force] on a body, base axes, taken off its bias force.
void GenericAba::addForceInBase(int body, const Vector3& n, const Vector3& f) {
    Scratch& s = scratch_[body];
    s.n -= s.R_base.transpose() * (n - s.p_base.cross(f));
    s.f -= s.R_base.transpose() * f;
}

void GenericAba::addElements(std::span<const double> param, const double* act) {
    const Model& model = topology_.model();
    const auto anchor = [&](const BodyPoint& point, Vector3& position, Vector3& velocity) {
        const Vector3 at = vectorAt(point.at, param);
        if (point.body == kBase) {
            position = at;
            velocity.setZero();
            return;
        }
        const Scratch& s = scratch_[point.body];
        position = s.p_base + s.R_base * at;
        velocity = s.R_base * (s.v + s.w.cross(at));
    };
    for (std::size_t e = 0; e < model.tsdas.size(); e++) {
        const Tsda& tsda = model.tsdas[e];
        Vector3 from, to, from_velocity, to_velocity;
        anchor(tsda.from, from, from_velocity);
        anchor(tsda.to, to, to_velocity);
        const Vector3 line = to - from;
        const double length = line.norm();
        if (!(length > 0)) continue;
        const Vector3 direction = line / length;
        double tension = tsdaTension(tsda, param, length, direction.dot(to_velocity - from_velocity));
        if (act && tsda.input) tension += act[topology_.layout().act_of_tsda[e]];
        const Vector3 f = tension * direction, n = from.cross(f);  // one line of action, one moment
        if (tsda.from.body != kBase) addForceInBase(tsda.from.body, n, f);
        if (tsda.to.body != kBase) addForceInBase(tsda.to.body, -n, -f);
    }
}

/// Takes the joint's motion out of the articulated inertia and bias, leaving D^-1, U and u; adds what is left to the
/// parent.
void GenericAba::eliminate(int body) {
    const TreeBody& b = topology_.bodies()[body];
    const Constants& c = constants_[body];
    Scratch& s = scratch_[body];

    // A floating joint leaves nothing: solved with its acceleration.
    if (b.type == JointType::floating) return;

    for (int k = 0; k < b.nv; k++) {
        s.Un[k] = s.A * s.Sw[k] + s.H * s.Sv[k];
        s.Uf[k] = s.H.transpose() * s.Sw[k] + s.M * s.Sv[k];
        s.u[k] = tau_[b.v + k] - s.Sw[k].dot(s.n) - s.Sv[k].dot(s.f);
    }
    const auto D = [&](int i, int k) { return s.Sw[i].dot(s.Un[k]) + s.Sv[i].dot(s.Uf[k]); };
    if (b.nv == 1) {
        s.D_inv[0][0] = 1 / (D(0, 0) + c.armature);
    } else if (b.nv == 2) {
        const double d00 = D(0, 0) + c.armature, d11 = D(1, 1) + c.armature, d01 = D(0, 1);
        const double inv = 1 / (d00 * d11 - d01 * d01);
        s.D_inv[0][0] = d11 * inv;
        s.D_inv[1][1] = d00 * inv;
        s.D_inv[0][1] = s.D_inv[1][0] = -d01 * inv;
    } else if (b.nv == 3) {
        Matrix3 m;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) m(i, k) = D(i, k) + (i == k ? c.armature : 0);
        const Matrix3 inv = m.inverse();
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) s.D_inv[i][k] = inv(i, k);
    }
    if (b.parent == kBase) return;

    // Bias with the velocity product, before the inertia changes; then the projection.
    Vector3 n = s.n + s.A * s.cw + s.H * s.cv, f = s.f + s.H.transpose() * s.cw + s.M * s.cv;
    Matrix3 A = s.A, H = s.H, M = s.M;
    double rest[kColumns];
    for (int k = 0; k < b.nv; k++) rest[k] = s.u[k] - s.Un[k].dot(s.cw) - s.Uf[k].dot(s.cv);
    for (int i = 0; i < b.nv; i++) {
        Vector3 Gn = s.Un[0] * s.D_inv[i][0], Gf = s.Uf[0] * s.D_inv[i][0];
        double gain = s.D_inv[i][0] * rest[0];
        for (int k = 1; k < b.nv; k++) {
            Gn += s.Un[k] * s.D_inv[i][k];
            Gf += s.Uf[k] * s.D_inv[i][k];
            gain += s.D_inv[i][k] * rest[k];
        }
        A.noalias() -= s.Un[i] * Gn.transpose();
        H.noalias() -= s.Un[i] * Gf.transpose();
        M.noalias() -= s.Uf[i] * Gf.transpose();
        n += s.Un[i] * gain;
        f += s.Uf[i] * gain;
    }

    // To the parent: turn, then shift by p (H + P M, A + P H^T + (H + P M) P^T).
    Scratch& parent = scratch_[b.parent];
    const Matrix3 M_p = s.R * M * s.R.transpose();
    const Matrix3 H_r = s.R * H * s.R.transpose();
    const Matrix3 P = skew(s.p);
    const Matrix3 H_p = H_r + P * M_p;
    parent.M += M_p;
    parent.H += H_p;
    parent.A += s.R * A * s.R.transpose() + P * H_r.transpose() - H_p * P;
    const Vector3 f_p = s.R * f;
    parent.f += f_p;
    parent.n += s.R * n + s.p.cross(f_p);
}

void GenericAba::fwdDyn(const double* q, const double* v, const double* tau, const double* fext, const double* act,
                        const double* param, double* vdot, double* lambda) {
    const Model& model = topology_.model();
    const std::span<const double> p(param, static_cast<std::size_t>(topology_.layout().nparam));
    const std::size_t nv = tau_.size();
    if (topology_.isLive())
        for (std::size_t i = 0; i < constants_.size(); i++) constants_[i] = constantsOf(static_cast<int>(i), p);
    if (loops_.isLive())
        for (std::size_t i = 0; i < loop_numbers_.size(); i++)
            loop_numbers_[i] = loops_.numbersOf(model, static_cast<int>(i), p);
    const bool poses = (fext && has_fext_) || !model.tsdas.empty() || !loops_.empty();

    // Outwards: positions, velocities, bias forces of the bodies alone.
    for (const int i : topology_.order()) {
        const TreeBody& b = topology_.bodies()[i];
        const Constants& c = constants_[i];
        Scratch& s = scratch_[i];
        placeJoint(i, q, v);
        if (b.parent != kBase) {
            const Scratch& parent = scratch_[b.parent];
            const Vector3 joint_w = s.w, joint_v = s.v;
            s.w += s.R.transpose() * parent.w;
            s.v += s.R.transpose() * (parent.v + parent.w.cross(s.p));
            s.cw += s.w.cross(joint_w);
            s.cv += s.w.cross(joint_v) + s.v.cross(joint_w);
        }
        if (poses) {
            if (b.parent == kBase) {
                s.R_base = s.R;
                s.p_base = s.p;
            } else {
                const Scratch& parent = scratch_[b.parent];
                s.R_base = parent.R_base * s.R;
                s.p_base = parent.p_base + parent.R_base * s.p;
            }
        }
        // v x* I v with the momenta I v = [I w + h x v; m v + w x h].
        const Vector3 L = c.I * s.w + c.h.cross(s.v), linear = c.mass * s.v + s.w.cross(c.h);
        s.n = s.w.cross(L) + s.v.cross(linear);
        s.f = s.w.cross(linear);
        s.A = c.I;
        s.H = skew(c.h);
        s.M = c.mass * Matrix3::Identity();
        if (fext && b.fext)
            addForceInBase(i, Eigen::Map<const Vector3>(fext + 6 * i), Eigen::Map<const Vector3>(fext + 6 * i + 3));
    }
    if (!model.tsdas.empty()) addElements(p, act);

    // Forces on the joints.
    for (std::size_t i = 0; i < nv; i++)
        tau_[i] = (tau ? tau[i] : 0) - constants_[topology_.layout().body_of_v[i]].damping * v[i];
    for (std::size_t e = 0; e < model.rsdas.size(); e++) {
        const Rsda& rsda = model.rsdas[e];
        const TreeBody& b = topology_.bodies()[rsda.body];
        tau_[b.v] += rsdaForce(rsda, p, q[b.q], v[b.v]);
        if (act && rsda.input) tau_[b.v] += act[topology_.layout().act_of_rsda[e]];
    }

    // Inwards: articulated bodies.
    for (auto it = topology_.order().rbegin(); it != topology_.order().rend(); ++it) eliminate(*it);

    // Outwards: accelerations.
    const Vector3 a_base = -topology_.gravity(p);
    for (const int i : topology_.order()) {
        const TreeBody& b = topology_.bodies()[i];
        Scratch& s = scratch_[i];
        if (b.parent == kBase) {
            s.aw = s.cw;
            s.av = s.R.transpose() * a_base + s.cv;
        } else {
            const Scratch& parent = scratch_[b.parent];
            s.aw = s.R.transpose() * parent.aw + s.cw;
            s.av = s.R.transpose() * (parent.av + parent.aw.cross(s.p)) + s.cv;
        }
        if (b.type == JointType::floating) {
            // I_A (a' + vdot) + bias = tau, and armature on vdot.
            Matrix6 I;
            I << s.A, s.H, s.H.transpose(), s.M;
            Vector6 rhs, a;
            a << s.aw, s.av;
            rhs << s.n, s.f;
            rhs = Eigen::Map<const Vector6>(tau_.data() + b.v) - rhs - I * a;
            I.diagonal().array() += constants_[i].armature;
            floating_[s.floating].compute(I);
            const Vector6 x = floating_[s.floating].solve(rhs);
            Eigen::Map<Vector6>(vdot + b.v) = x;
            s.aw += x.head<3>();
            s.av += x.tail<3>();
            continue;
        }
        accelerate(b, s, vdot);
    }
    if (!loops_.empty()) closeLoops(a_base, vdot, lambda);
}

}  // namespace mw
