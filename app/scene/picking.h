// What lies under the cursor, nearest first. Thin things (lines, arrows, signs) are met within a few pixels.
#pragma once

#include <vector>

#include "app/scene/camera.h"
#include "app/scene/scene_item.h"

namespace mw::scene {

struct Hit {
    ItemId id;
    int shape = -1;             ///< which shape of a body, if any
    Vec3 point = Vec3::Zero();  ///< where, base axes
    double depth = 0;           ///< in front of the eye, m
    int element = -1;           ///< of a tendon's path, if any
};

/// One hit an item, ordered by depth; `tolerance` in px for thin things.
std::vector<Hit> pick(const Scene& scene, const Camera& camera, const Viewport& viewport, const Vec2& pixel,
                      double tolerance = 5);

/// Clicks on one place step through what lies there; a click elsewhere starts at the front.
class PickCycle {
public:
    /// The hit that this click means; nullopt on empty ground.
    std::optional<Hit> click(const std::vector<Hit>& hits, const Vec2& pixel);
    void reset() { hits_.clear(); }

private:
    std::vector<ItemId> hits_;
    Vec2 pixel_ = Vec2::Constant(-1e9);
    std::size_t at_ = 0;
};

}  // namespace mw::scene
