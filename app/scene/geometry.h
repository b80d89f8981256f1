// Vectors, placements and boxes of the scene. World units are metres.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace mw::scene {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
/// Affine map from a thing's own axes to the world (or to another thing's).
using Placement = Eigen::Transform<double, 3, Eigen::AffineCompact>;

inline Placement placed(const Mat3& rotation, const Vec3& origin) {
    Placement p;
    p.linear() = rotation;
    p.translation() = origin;
    return p;
}
inline Placement movedTo(const Vec3& origin) { return placed(Mat3::Identity(), origin); }

/// Any unit vector perpendicular to `axis` (unit); a continuous choice but for one pole.
inline Vec3 perpendicular(const Vec3& axis) {
    Vec3 helper = std::abs(axis.x()) < 0.8 ? Vec3::UnitX() : Vec3::UnitY();
    return (helper - axis * axis.dot(helper)).normalized();
}

/// Right-handed axes with z along `axis` (unit), and x as near to `toward` as it can be.
inline Mat3 frameWithZ(const Vec3& axis, const Vec3& toward = Vec3::Zero()) {
    Vec3 x = toward - axis * axis.dot(toward);
    x = x.norm() > 1e-6 ? x.normalized() : perpendicular(axis);
    Mat3 frame;
    frame.col(0) = x;
    frame.col(1) = axis.cross(x);
    frame.col(2) = axis;
    return frame;
}

struct Box {
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

    bool empty() const { return !(low.array() <= high.array()).all(); }
    void add(const Vec3& p) {
        if (!p.allFinite()) return;
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    void add(const Vec3& centre, double radius) {
        add(centre - Vec3::Constant(radius));
        add(centre + Vec3::Constant(radius));
    }
    void add(const Box& other) {
        if (other.empty()) return;
        low = low.cwiseMin(other.low);
        high = high.cwiseMax(other.high);
    }
    Vec3 centre() const { return empty() ? Vec3(Vec3::Zero()) : Vec3((low + high) / 2); }
    Vec3 size() const { return empty() ? Vec3(Vec3::Zero()) : Vec3(high - low); }
    double diagonal() const { return size().norm(); }
};

}  // namespace mw::scene
