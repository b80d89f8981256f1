// Axes seen by the camera without perspective.
#include "app/scene/axis_widget.h"

#include <algorithm>

#include "app/scene/theme.h"

namespace mw::scene {

Vec2 axisWidgetCentre(const Viewport& viewport, double scale) {
    return {viewport.width - size::kAxisWidgetMargin * scale, size::kAxisWidgetMargin * scale};
}

std::array<AxisBall, 6> axisBalls(const Camera& camera, const Viewport& viewport, double scale) {
    std::array<AxisBall, 6> balls;
    Vec2 centre = axisWidgetCentre(viewport, scale);
    double arm = size::kAxisWidget * scale;
    Vec3 right = camera.right(), up = camera.cameraUp(), forward = camera.forward();
    for (int i = 0; i < 6; ++i) {
        int axis = i / 2;
        bool positive = i % 2 == 0;
        Vec3 direction = Vec3::Unit(axis) * (positive ? 1 : -1);
        balls[static_cast<std::size_t>(i)] = {centre + Vec2(direction.dot(right), -direction.dot(up)) * arm,
                                              -direction.dot(forward), axis, positive};
    }
    std::stable_sort(balls.begin(), balls.end(),
                     [](const AxisBall& a, const AxisBall& b) { return a.depth < b.depth; });
    return balls;
}

std::optional<Vec3> axisWidgetHit(const Camera& camera, const Viewport& viewport, double scale, const Vec2& pixel) {
    auto balls = axisBalls(camera, viewport, scale);
    for (auto it = balls.rbegin(); it != balls.rend(); ++it) {
        double radius = (it->positive ? size::kAxisWidgetBall : 0.75 * size::kAxisWidgetBall) * scale + 2 * scale;
        if ((it->position - pixel).norm() <= radius) return Vec3::Unit(it->axis) * (it->positive ? 1.0 : -1.0);
    }
    return std::nullopt;
}

}  // namespace mw::scene
