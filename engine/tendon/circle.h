// The route past one circle in a plane: what the guides sphere and cylinder come down to. Which way round it runs is
// decided here, by docs/tendons.md ("Routes"); plane figures, the circle's centre at the origin, lengths m.
#pragma once

#include <Eigen/Core>
#include <array>

#include "engine/model/model.h"

namespace mw {

using Vector2 = Eigen::Vector2d;

struct CircleQuestion {
    Vector2 a = Vector2::Zero(), b = Vector2::Zero();
    double radius = 0;
    bool has_side = false;
    Vector2 side = Vector2::Zero();  ///< direction of the side site; its length does not matter
    SideRule rule = SideRule::nearest;
    /// What decides between two ways that are alike: the parts of the base's z, x and y axes in the plane.
    std::array<Vector2, 3> up{Vector2::Zero(), Vector2::Zero(), Vector2::Zero()};
    double noise = 0;  ///< m of rounding in the points: nothing is decided by less
};

struct CircleRoute {
    bool wrapped = false;
    bool end_inside = false;       ///< an end on or inside the circle: straight for that reason
    int sense = 0;                 ///< +1: counter-clockwise
    double sweep = 0;              ///< rad, in [0, 2 pi)
    double before = 0, after = 0;  ///< m, the straight parts
    Vector2 first = Vector2::Zero(), last = Vector2::Zero();                      ///< contact points
    Vector2 first_direction = Vector2::Zero(), last_direction = Vector2::Zero();  ///< of travel, unit
};
/// Around the circle from outside. Not wrapped: only `end_inside` has a meaning.
CircleRoute routeAroundCircle(const CircleQuestion& question);

struct CircleBend {
    bool bent = false;
    Vector2 point = Vector2::Zero();
    double before = 0, after = 0;
};
/// The shortest path from a to b that meets the disk. Not bent: the segment does.
CircleBend bendAtCircle(const Vector2& a, const Vector2& b, double radius, double noise);

/// Rounding that points with coordinates up to `reach` carry, and relative limits that decisions are made at.
constexpr double kRelativeNoise = 1e-12;
inline double coordinateNoise(double reach) { return 16 * 2.220446049250313e-16 * reach; }

}  // namespace mw
