// Orbit angles, zoom towards the cursor, and matrices in the conventions of OpenGL.
#include "app/scene/camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/scene/theme.h"

namespace mw::scene {

namespace {
constexpr double kPi = std::numbers::pi;
constexpr double kHalfField = 15 * kPi / 180;  // half the vertical field of view: calm, little distortion
constexpr double kMaxPitch = 89.5 * kPi / 180;
constexpr double kHomeYaw = -60 * kPi / 180, kHomePitch = 21 * kPi / 180;
constexpr double kPerPixel = 0.0075;  // rad of orbit

double wrapped(double a) { return std::remainder(a, 2 * kPi); }

/// Pixel of the target.
Vec2 middleOf(const Viewport& v) { return Vec2(v.width / 2, v.height / 2) + v.shift; }
}  // namespace

Camera::Camera() : yaw_(kHomeYaw), pitch_(kHomePitch) {}

Mat3 Camera::upFrame() const {
    // x, y span the horizon; for up = z they are the world's own.
    Mat3 frame;
    if (std::abs(up_.z()) > 0.999) {
        frame.col(0) = Vec3::UnitX();
        frame.col(1) = up_.cross(Vec3::UnitX());
    } else {
        Vec3 x = (std::abs(up_.x()) > 0.9 ? Vec3::UnitY() : Vec3::UnitX());
        frame.col(0) = (x - up_ * up_.dot(x)).normalized();
        frame.col(1) = up_.cross(Vec3(frame.col(0)));
    }
    frame.col(2) = up_;
    return frame;
}

Vec3 Camera::forward() const {
    Vec3 out(std::cos(pitch_) * std::cos(yaw_), std::cos(pitch_) * std::sin(yaw_), std::sin(pitch_));
    return -(upFrame() * out);
}
Vec3 Camera::right() const { return upFrame() * Vec3(-std::sin(yaw_), std::cos(yaw_), 0); }
Vec3 Camera::cameraUp() const { return right().cross(forward()); }
Vec3 Camera::eye() const { return target_ - forward() * distance_; }

void Camera::orbit(double dx, double dy) {
    if (!std::isfinite(dx) || !std::isfinite(dy)) return;
    move_.active = false;
    yaw_ = wrapped(yaw_ - dx * kPerPixel);
    pitch_ = std::clamp(pitch_ + dy * kPerPixel, -kMaxPitch, kMaxPitch);
}

double Camera::metresPerPixel(const Vec3& at, const Viewport& viewport) const {
    double depth = perspective_ ? std::max((at - eye()).dot(forward()), 1e-9) : distance_;
    return 2 * depth * std::tan(kHalfField) / std::max(viewport.height, 1.0);
}

void Camera::pan(double dx, double dy, const Viewport& viewport) {
    if (!std::isfinite(dx) || !std::isfinite(dy)) return;
    move_.active = false;
    double m = metresPerPixel(target_, viewport);
    target_ += (-right() * dx + cameraUp() * dy) * m;
    keepBounds();
}

void Camera::zoom(double steps, const Vec2& cursor, const Viewport& viewport) {
    if (!std::isfinite(steps) || !cursor.allFinite()) return;
    move_.active = false;
    double before = distance_;
    distance_ *= std::pow(0.87, std::clamp(steps, -30.0, 30.0));
    keepBounds();
    // The point of the target's plane under the cursor stays under it.
    double m = 2 * before * std::tan(kHalfField) / std::max(viewport.height, 1.0);
    Vec2 off = cursor - middleOf(viewport);
    Vec3 under = right() * (off.x() * m) - cameraUp() * (off.y() * m);
    target_ += under * (1 - distance_ / before);
    keepBounds();
}

void Camera::frame(const Box& box, const Viewport& viewport, double now) {
    if (box.empty()) return;
    // The eight corners have to lie inside the picture with a margin; a few rounds put their picture into the middle.
    Vec3 centre = box.centre(), r = right(), u = cameraUp(), f = forward();
    const double height = std::max(viewport.height, 1.0);
    const Vec2 free = viewport.free.minCoeff() > 1 ? viewport.free : Vec2(std::max(viewport.width, 1.0), height);
    double half_v = std::tan(kHalfField) * 0.82 * free.y() / height;
    double half_h = std::tan(kHalfField) * 0.82 * free.x() / height;
    double distance = 0;
    for (int round = 0; round < 4; ++round) {
        distance = 0;
        Box sides;  // of the corners in the picture, as slopes from the eye
        for (int pass = 0; pass < 2; ++pass) {
            for (int c = 0; c < 8; ++c) {
                Vec3 corner(c & 1 ? box.high.x() : box.low.x(), c & 2 ? box.high.y() : box.low.y(),
                            c & 4 ? box.high.z() : box.low.z());
                Vec3 d = corner - centre;
                double toward = perspective_ ? -d.dot(f) : 0;
                if (pass == 0) {
                    distance = std::max(
                        {distance, std::abs(d.dot(r)) / half_h + toward, std::abs(d.dot(u)) / half_v + toward});
                } else {
                    double depth = std::max(distance - toward, 1e-12);
                    sides.add(Vec3(d.dot(r) / depth, d.dot(u) / depth, 0));
                }
            }
        }
        Vec3 off = sides.centre() * distance;
        centre += r * off.x() + u * off.y();
    }
    moveTo(centre, yaw_, pitch_, std::max(distance, 1e-6), now);
}

void Camera::lookFrom(const Vec3& direction, double now) {
    if (!direction.allFinite() || direction.norm() < 1e-9) return;
    Vec3 d = upFrame().transpose() * direction.normalized();
    double pitch = std::clamp(std::asin(std::clamp(d.z(), -1.0, 1.0)), -kMaxPitch, kMaxPitch);
    // Looking down the pole keeps the present heading, brought to a quarter turn so that the picture is square to the
    // axes.
    double yaw = std::hypot(d.x(), d.y()) > 1e-6 ? std::atan2(d.y(), d.x()) : std::round(yaw_ / (kPi / 2)) * (kPi / 2);
    moveTo(target_, yaw, pitch, distance_, now);
}

void Camera::setView(StandardView view, double now) {
    Mat3 frame = upFrame();
    switch (view) {
        case StandardView::front: return lookFrom(-frame.col(1), now);
        case StandardView::back: return lookFrom(frame.col(1), now);
        case StandardView::right: return lookFrom(frame.col(0), now);
        case StandardView::left: return lookFrom(-frame.col(0), now);
        case StandardView::top: return moveTo(target_, -kPi / 2, kMaxPitch, distance_, now);
        case StandardView::bottom: return moveTo(target_, -kPi / 2, -kMaxPitch, distance_, now);
        case StandardView::home: return moveTo(target_, kHomeYaw, kHomePitch, distance_, now);
    }
}

void Camera::setPerspective(bool perspective) { perspective_ = perspective; }

void Camera::follow(const std::optional<Vec3>& position) {
    if (position && !position->allFinite()) return;
    if (position && followed_) {
        Vec3 shift = *position - *followed_;
        target_ += shift;
        move_.target_from += shift;
        move_.target_to += shift;
        keepBounds();
    }
    followed_ = position;
}

void Camera::moveTo(const Vec3& target, double yaw, double pitch, double distance, double now) {
    Vec3 t0 = target_;
    double y0 = yaw_, p0 = pitch_, d0 = distance_;
    target_ = target;
    yaw_ = wrapped(yaw);
    pitch_ = std::clamp(pitch, -kMaxPitch, kMaxPitch);
    distance_ = distance;
    keepBounds();
    if (!smooth_) {
        move_.active = false;
        return;
    }
    move_ = {true, true, now, t0, target_, y0, y0 + wrapped(yaw_ - y0), p0, pitch_, d0, distance_};
    target_ = t0;
    yaw_ = y0;
    pitch_ = p0;
    distance_ = d0;
}

bool Camera::update(double now) {
    if (!move_.active) return false;
    double u = std::clamp((now - move_.begin) / size::kCameraMove, 0.0, 1.0);
    double s = u * u * (3 - 2 * u);
    target_ = move_.target_from + (move_.target_to - move_.target_from) * s;
    yaw_ = wrapped(move_.yaw_from + (move_.yaw_to - move_.yaw_from) * s);
    pitch_ = move_.pitch_from + (move_.pitch_to - move_.pitch_from) * s;
    distance_ = move_.distance_from * std::pow(move_.distance_to / move_.distance_from, s);
    if (u >= 1) move_.active = false;
    return move_.active;
}

void Camera::setBounds(const Box& box) {
    if (box.empty()) return;
    bounds_centre_ = box.centre();
    bounds_radius_ = std::max(box.diagonal() / 2, 1e-6);
    keepBounds();
}

void Camera::setUp(const Vec3& up) {
    if (up.allFinite() && up.norm() > 1e-9) up_ = up.normalized();
}

void Camera::keepBounds() {
    if (!target_.allFinite()) target_ = bounds_centre_;
    if (!std::isfinite(distance_)) distance_ = 4 * bounds_radius_;
    distance_ = std::clamp(distance_, 0.02 * bounds_radius_, 60 * bounds_radius_);
    // A followed body may leave its mechanism's bounds; anything else is held near them.
    if (followed_) return;
    Vec3 away = target_ - bounds_centre_;
    double limit = 12 * bounds_radius_;
    if (away.norm() > limit) target_ = bounds_centre_ + away * (limit / away.norm());
}

void Camera::setPose(const Vec3& target, double yaw, double pitch, double distance) {
    move_.active = false;
    target_ = target;
    yaw_ = std::isfinite(yaw) ? wrapped(yaw) : kHomeYaw;
    pitch_ = std::isfinite(pitch) ? std::clamp(pitch, -kMaxPitch, kMaxPitch) : kHomePitch;
    distance_ = distance;
    keepBounds();
}

Mat4 Camera::viewMatrix() const {
    Mat4 m = Mat4::Identity();
    m.block<1, 3>(0, 0) = right().transpose();
    m.block<1, 3>(1, 0) = cameraUp().transpose();
    m.block<1, 3>(2, 0) = -forward().transpose();
    m.block<3, 1>(0, 3) = -m.block<3, 3>(0, 0) * eye();
    return m;
}

Mat4 Camera::projectionMatrix(const Viewport& viewport) const {
    // Clip planes enclose the bounds with room for the ground around them.
    double centre = (bounds_centre_ - eye()).dot(forward());
    double reach = 8 * bounds_radius_ + 6 * distance_;
    double far = std::max(centre, distance_) + reach;
    double aspect = std::max(viewport.width, 1.0) / std::max(viewport.height, 1.0);
    double shift_x = 2 * viewport.shift.x() / std::max(viewport.width, 1.0);
    double shift_y = -2 * viewport.shift.y() / std::max(viewport.height, 1.0);
    Mat4 m = Mat4::Zero();
    if (perspective_) {
        double near = std::max({distance_ * 0.02, (centre - 3 * bounds_radius_) * 0.5, far * 1e-5});
        near = std::min(near, distance_ * 0.5);
        double f = 1 / std::tan(kHalfField);
        m(0, 0) = f / aspect;
        m(1, 1) = f;
        m(0, 2) = -shift_x;
        m(1, 2) = -shift_y;
        m(2, 2) = (far + near) / (near - far);
        m(2, 3) = 2 * far * near / (near - far);
        m(3, 2) = -1;
    } else {
        double near = std::min(centre, distance_) - reach;
        double half = distance_ * std::tan(kHalfField);
        m(0, 0) = 1 / (half * aspect);
        m(1, 1) = 1 / half;
        m(0, 3) = shift_x;
        m(1, 3) = shift_y;
        m(2, 2) = 2 / (near - far);
        m(2, 3) = (far + near) / (near - far);
        m(3, 3) = 1;
    }
    return m;
}

std::optional<Camera::Projected> Camera::project(const Vec3& point, const Viewport& viewport) const {
    Vec3 d = point - eye();
    double depth = d.dot(forward());
    if (!std::isfinite(depth) || (perspective_ && depth <= 1e-9)) return std::nullopt;
    double scale = 1 / metresPerPixel(point, viewport);
    return Projected{middleOf(viewport) + Vec2(d.dot(right()) * scale, -d.dot(cameraUp()) * scale), depth};
}

Ray Camera::ray(const Vec2& pixel, const Viewport& viewport) const {
    double m = 2 * distance_ * std::tan(kHalfField) / std::max(viewport.height, 1.0);
    Vec2 off = pixel - middleOf(viewport);
    Vec3 on_plane = target_ + right() * (off.x() * m) - cameraUp() * (off.y() * m);
    if (perspective_) return {eye(), (on_plane - eye()).normalized()};
    return {on_plane - forward() * (distance_ + 20 * bounds_radius_), forward()};
}

bool Camera::operator==(const Camera& o) const {
    return target_ == o.target_ && yaw_ == o.yaw_ && pitch_ == o.pitch_ && distance_ == o.distance_ && up_ == o.up_ &&
           perspective_ == o.perspective_;
}

}  // namespace mw::scene
