// Spatial vectors in the manner of Featherstone, "Rigid Body Dynamics Algorithms" (2008; RBDA below): motions [angular;
// linear], forces [moment; force], 6x6 coordinate transforms, inertias and cross products. Plain dense matrices, no
// structure exploited. The types carry no alignment demand, so they may live in any caller's array.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <cmath>

namespace mw {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
/// 6 x n with n from 0 to 6, without heap: a joint's motion subspace.
using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;
/// n x n and n x 1 with n from 0 to 6, without heap.
using JointMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign, 6, 6>;
using JointVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign, 6, 1>;

/// r x as a matrix (RBDA equation 2.23).
inline Matrix3 skew(const Vector3& r) {
    Matrix3 m;
    m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    return m;
}

/// Right-handed rotation by `angle` about the unit vector `axis` (Rodrigues): turned frame to original frame.
inline Matrix3 rotationAbout(const Vector3& axis, double angle) {
    const double s = std::sin(angle), c = std::cos(angle);
    return c * Matrix3::Identity() + s * skew(axis) + (1 - c) * (axis * axis.transpose());
}

/// Rz(yaw) Ry(pitch) Rx(roll).
inline Matrix3 rotationRollPitchYaw(double roll, double pitch, double yaw) {
    return rotationAbout(Vector3::UnitZ(), yaw) * rotationAbout(Vector3::UnitY(), pitch) *
           rotationAbout(Vector3::UnitX(), roll);
}

/// Of the unit quaternion (w x y z): body frame to the frame that the quaternion is relative to (RBDA equation 4.12,
/// transposed).
inline Matrix3 rotationOfQuaternion(const double* q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    Matrix3 R;
    R << w * w + x * x - 0.5, x * y - w * z, x * z + w * y,  //
        x * y + w * z, w * w + y * y - 0.5, y * z - w * x,   //
        x * z - w * y, y * z + w * x, w * w + z * z - 0.5;
    return 2 * R;
}

/// Motion transform from a frame to one that is placed in it at p with orientation R (R: placed frame to original
/// frame); RBDA equations 2.24 to 2.26 with E = R^T, the one place where that transpose is formed.
inline Matrix6 pluckerTransform(const Matrix3& R, const Vector3& p) {
    const Matrix3 E = R.transpose();
    Matrix6 X;
    X.topLeftCorner<3, 3>() = E;
    X.topRightCorner<3, 3>().setZero();
    X.bottomLeftCorner<3, 3>() = -E * skew(p);
    X.bottomRightCorner<3, 3>() = E;
    return X;
}

/// Rigid-body inertia about the body origin: mass, centre of mass, rotational inertia about it (RBDA equation 2.63).
inline Matrix6 spatialInertia(double mass, const Vector3& c, const Matrix3& I_c) {
    const Matrix3 cx = skew(c);
    Matrix6 I;
    I.topLeftCorner<3, 3>() = I_c + mass * cx * cx.transpose();
    I.topRightCorner<3, 3>() = mass * cx;
    I.bottomLeftCorner<3, 3>() = mass * cx.transpose();
    I.bottomRightCorner<3, 3>() = mass * Matrix3::Identity();
    return I;
}

/// v x on motions (RBDA equation 2.31).
inline Matrix6 crossMotion(const Vector6& v) {
    Matrix6 m;
    m.topLeftCorner<3, 3>() = skew(v.head<3>());
    m.topRightCorner<3, 3>().setZero();
    m.bottomLeftCorner<3, 3>() = skew(v.tail<3>());
    m.bottomRightCorner<3, 3>() = skew(v.head<3>());
    return m;
}

/// v x* on forces (RBDA equation 2.32).
inline Matrix6 crossForce(const Vector6& v) { return -crossMotion(v).transpose(); }

}  // namespace mw
