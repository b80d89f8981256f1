// Joint models and kinematics of the tree (RBDA sections 4.4 and 3.3): for every body its transform from the parent,
// motion subspace, pose in base and spatial velocity, in body coordinates.
#pragma once

#include "engine/dynamics/topology.h"

namespace mw {

/// One joint at a configuration: where it puts the body's frame in the joint frame, how it may move, and its velocity
/// product.
struct JointMotion {
    Matrix3 R;   ///< body frame to joint frame
    Vector3 p;   ///< body origin in the joint frame
    Subspace S;  ///< motion subspace, body coordinates
    Vector6 cJ;  ///< (dS/dt) v, the derivative of S's components in body coordinates
};

/// q and v point to the joint's own coordinates; v may be null (cJ = 0).
JointMotion jointMotion(const TreeBody& body, double pitch, const double* q, const double* v);

struct BodyKinematics {
    Matrix6 X;  ///< motion transform, parent to body coordinates
    Subspace S;
    Vector6 v;  ///< spatial velocity, body coordinates
    Vector6 c;  ///< velocity-product acceleration cJ + v x S dq (RBDA equation 3.42)
    Matrix3 R;  ///< body to base
    Vector3 p;  ///< body origin in base
};

/// Fills everything for all bodies, in the tree's order; v may be null (at rest).
void updateKinematics(const Topology& topology, const BodyNumbers* numbers, const double* q, const double* v,
                      BodyKinematics* bodies);

/// A force [moment about the base origin; force] in base axes, in the coordinates of a body (RBDA equation 2.25, dual).
Vector6 forceToBody(const BodyKinematics& body, const Vector6& f_base);

/// A point fixed to a body (kBase: to the base) and its velocity, base axes.
struct PointMotion {
    Vector3 position = Vector3::Zero(), velocity = Vector3::Zero();
};
PointMotion pointMotion(const BodyKinematics* bodies, int body, const Vector3& at);

}  // namespace mw
