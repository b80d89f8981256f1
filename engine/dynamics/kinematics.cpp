// Joint models and the outward kinematics pass.
#include "engine/dynamics/kinematics.h"

namespace mw {

JointMotion jointMotion(const TreeBody& body, double pitch, const double* q, const double* v) {
    JointMotion j;
    j.R.setIdentity();
    j.p.setZero();
    j.S.setZero(6, body.nv);
    j.cJ.setZero();
    const Vector3& a = body.axis;
    switch (body.type) {
        case JointType::fixed: break;
        case JointType::revolute:
            j.R = rotationAbout(a, q[0]);
            j.S.col(0).head<3>() = a;
            break;
        case JointType::prismatic:
            j.p = a * q[0];
            j.S.col(0).tail<3>() = a;
            break;
        case JointType::screw:
            j.R = rotationAbout(a, q[0]);
            j.p = a * (pitch * q[0]);
            j.S.col(0) << a, pitch * a;
            break;
        case JointType::cylindrical:
            j.R = rotationAbout(a, q[0]);
            j.p = a * q[1];
            j.S.col(0).head<3>() = a;
            j.S.col(1).tail<3>() = a;
            break;
        case JointType::universal: {
            // The first axis, seen from the body, turns back as the second angle grows: its derivative is -(a2 v2) x
            // a1.
            const Matrix3 R2 = rotationAbout(body.axis2, q[1]);
            const Vector3 a1 = R2.transpose() * a;
            j.R = rotationAbout(a, q[0]) * R2;
            j.S.col(0).head<3>() = a1;
            j.S.col(1).head<3>() = body.axis2;
            if (v) j.cJ.head<3>() = -body.axis2.cross(a1) * (v[0] * v[1]);
            break;
        }
        case JointType::planar: {
            // The plane's directions, seen from the body, turn back as the angle grows.
            j.R = rotationAbout(a, q[2]);
            j.p = body.plane1 * q[0] + body.plane2 * q[1];
            const Vector3 e1 = j.R.transpose() * body.plane1, e2 = j.R.transpose() * body.plane2;
            j.S.col(0).tail<3>() = e1;
            j.S.col(1).tail<3>() = e2;
            j.S.col(2).head<3>() = a;
            if (v) j.cJ.tail<3>() = -v[2] * a.cross(e1 * v[0] + e2 * v[1]);
            break;
        }
        case JointType::spherical:
            j.R = rotationOfQuaternion(q);
            j.S.topRows<3>().setIdentity();
            break;
        case JointType::floating:
            j.R = rotationOfQuaternion(q);
            j.p = Vector3(q[4], q[5], q[6]);
            j.S.setIdentity();
            break;
    }
    return j;
}

void updateKinematics(const Topology& topology, const BodyNumbers* numbers, const double* q, const double* v,
                      BodyKinematics* bodies) {
    for (const int i : topology.order()) {
        const TreeBody& b = topology.bodies()[i];
        BodyKinematics& k = bodies[i];
        const double* qi = q + b.q;
        const double* vi = v ? v + b.v : nullptr;
        const JointMotion j = jointMotion(b, numbers[i].pitch, qi, vi);

        // Transform from the parent: joint after tree (RBDA equation 4.3), and the pose that belongs to it.
        k.X = pluckerTransform(j.R, j.p) * pluckerTransform(numbers[i].R_tree, numbers[i].p_tree);
        k.S = j.S;
        const Matrix3 R_parent = numbers[i].R_tree * j.R;
        const Vector3 p_parent = numbers[i].p_tree + numbers[i].R_tree * j.p;
        if (b.parent == kBase) {
            k.R = R_parent;
            k.p = p_parent;
        } else {
            const BodyKinematics& parent = bodies[b.parent];
            k.R = parent.R * R_parent;
            k.p = parent.p + parent.R * p_parent;
        }

        // Velocity and velocity product.
        k.v.setZero();
        k.c.setZero();
        if (!v) continue;
        if (b.parent != kBase) k.v = k.X * bodies[b.parent].v;
        if (b.nv == 0) continue;
        const Vector6 vJ = k.S * Eigen::Map<const Eigen::VectorXd>(vi, b.nv);
        k.v += vJ;
        k.c = j.cJ + crossMotion(k.v) * vJ;
    }
}

Vector6 forceToBody(const BodyKinematics& body, const Vector6& f_base) {
    const Vector3 f = f_base.tail<3>();
    Vector6 out;
    out << body.R.transpose() * (f_base.head<3>() - body.p.cross(f)), body.R.transpose() * f;
    return out;
}

PointMotion pointMotion(const BodyKinematics* bodies, int body, const Vector3& at) {
    PointMotion m;
    if (body == kBase) {
        m.position = at;
        return m;
    }
    const BodyKinematics& k = bodies[body];
    m.position = k.p + k.R * at;
    m.velocity = k.R * (k.v.tail<3>() + k.v.head<3>().cross(at));
    return m;
}

}  // namespace mw
