// The eye: turns about a target with the world's up kept up, never over the poles, never beyond its bounds.
//
// All input is in pixels of the viewport (origin top left). Moves that jump (frame, standard views) are smooth over 150
// ms when the owner keeps calling `update` with its clock, and immediate when smooth moves are switched off.
#pragma once

#include <optional>

#include "app/scene/geometry.h"

namespace mw::scene {

enum class StandardView { front, back, right, left, top, bottom, home };

struct Viewport {
    double width = 1280, height = 720;
    Vec2 shift = Vec2::Zero();  ///< px from the middle to where the target is seen: the middle of the part that is free
    Vec2 free = Vec2::Zero();   ///< size of that part, px; zero: the whole picture
};

struct Ray {
    Vec3 origin = Vec3::Zero(), direction = Vec3::UnitX();  ///< unit
};

class Camera {
public:
    Camera();

    // What the user does
    void orbit(double dx, double dy);                                       ///< drag by so many px
    void pan(double dx, double dy, const Viewport& viewport);               ///< the target's plane follows the cursor
    void zoom(double steps, const Vec2& cursor, const Viewport& viewport);  ///< wheel steps, in is positive
    void frame(const Box& box, const Viewport& viewport, double now);
    void setView(StandardView view, double now);
    void lookFrom(const Vec3& direction, double now);  ///< towards the target along -direction
    void setPerspective(bool perspective);
    bool perspective() const { return perspective_; }

    /// Moves the target along with a point; call once a frame with the point's position. nullopt lets go.
    void follow(const std::optional<Vec3>& position);

    /// Carries smooth moves on; true while one is under way. `now` in seconds, any origin.
    bool update(double now);
    void setSmooth(bool smooth) { smooth_ = smooth; }
    bool moving() const { return move_.active; }

    /// What zoom and pan are bounded by, and the clip planes enclose.
    void setBounds(const Box& box);
    void setUp(const Vec3& up);

    // What renderers and picking ask
    Vec3 eye() const;
    Vec3 target() const { return target_; }
    Vec3 forward() const;   ///< unit
    Vec3 right() const;     ///< unit
    Vec3 cameraUp() const;  ///< unit
    Vec3 up() const { return up_; }
    double distance() const { return distance_; }
    double yaw() const { return yaw_; }
    double pitch() const { return pitch_; }
    Mat4 viewMatrix() const;
    Mat4 projectionMatrix(const Viewport& viewport) const;
    /// Metres that one pixel covers at a point (at the target's depth for an orthographic view).
    double metresPerPixel(const Vec3& at, const Viewport& viewport) const;
    /// Pixel of a point, and its depth in front of the eye (m); nullopt behind the eye.
    struct Projected {
        Vec2 pixel = Vec2::Zero();
        double depth = 0;
    };
    std::optional<Projected> project(const Vec3& point, const Viewport& viewport) const;
    Ray ray(const Vec2& pixel, const Viewport& viewport) const;

    /// Sets a pose at once (a saved view); values are brought within bounds.
    void setPose(const Vec3& target, double yaw, double pitch, double distance);
    bool operator==(const Camera& other) const;

private:
    struct Move {
        bool active = false, started = false;
        double begin = 0;
        Vec3 target_from = Vec3::Zero(), target_to = Vec3::Zero();
        double yaw_from = 0, yaw_to = 0, pitch_from = 0, pitch_to = 0, distance_from = 1, distance_to = 1;
    };
    void keepBounds();
    void moveTo(const Vec3& target, double yaw, double pitch, double distance, double now);
    Mat3 upFrame() const;

    Vec3 target_ = Vec3::Zero();
    double yaw_, pitch_;   // rad; pitch is the eye's height above the target's horizon
    double distance_ = 3;  // m
    Vec3 up_ = Vec3::UnitZ();
    bool perspective_ = true, smooth_ = true;
    Vec3 bounds_centre_ = Vec3::Zero();
    double bounds_radius_ = 1;
    std::optional<Vec3> followed_;
    Move move_;
};

}  // namespace mw::scene
