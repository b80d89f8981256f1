// The little axes in the view's top right corner: where their balls lie, and which one a click means.
#pragma once

#include <array>
#include <optional>

#include "app/scene/camera.h"

namespace mw::scene {

struct AxisBall {
    Vec2 position = Vec2::Zero();  ///< px from the view's top left
    double depth = 0;              ///< towards the eye is positive, -1..1
    int axis = 0;                  ///< 0 1 2
    bool positive = true;
};

/// Farthest first (the order of drawing). `scale` is the display's.
std::array<AxisBall, 6> axisBalls(const Camera& camera, const Viewport& viewport, double scale);
Vec2 axisWidgetCentre(const Viewport& viewport, double scale);
/// The direction to look from for a click on a ball; nullopt when the click is elsewhere.
std::optional<Vec3> axisWidgetHit(const Camera& camera, const Viewport& viewport, double scale, const Vec2& pixel);

}  // namespace mw::scene
