// The belt around a band's rollers: the convex hull of their circles, walked with the rollers on the right-hand side of
// the shoes' z, and N pins laid on it.
//
// Plane geometry in the root's x-z plane. The walk runs so that z of a shoe (root's y turned: z = x cross y) points to
// the rollers: along +x at the bottom, up at the front, along -x at the top. Arc length 0 is the topmost tangent point.
#pragma once

#include <array>
#include <vector>

namespace mw {

struct BeltCircle {
    double x = 0, z = 0;  ///< m
    double radius = 0;    ///< of the belt's line, m
};

/// A closed path of straight runs and arcs, in the order of the walk.
struct Belt {
    struct Piece {
        bool arc = false;
        int circle = -1;                ///< of an arc; of a run: the circle that it leaves
        std::array<double, 2> begin{};  ///< x z, m
        double direction = 0;           ///< angle of the walk at the begin, from x towards z, rad
        double length = 0;              ///< m
        double curvature = 0;           ///< 1/m, turn per metre of the walk; 0 on runs
    };
    std::vector<Piece> pieces;
    std::vector<int> touched;  ///< circles on the hull, in the order of the walk
    double perimeter = 0;

    /// x z at an arc length (any, taken modulo the perimeter).
    std::array<double, 2> at(double s) const;
};

/// The hull of the circles, by outer tangents (gift wrapping; of those tied on the turn the farthest is taken). One
/// circle is its own belt. Circles inside others are left out. Never empty for at least one circle of positive radius.
Belt hullOf(const std::vector<BeltCircle>& circles);

/// N pins, `link` apart from one to the next around the whole, on the belt moved outward by `clearance` >= 0: the
/// polygon of links is then closed exactly. `link` is the perimeter over N, a little more than what chords of the belt
/// itself would add up to, so the pins stand a little off it. `pins` is empty where no such polygon exists.
struct LaidPins {
    std::vector<std::array<double, 2>> pins;  ///< x z, m
    double link = 0, clearance = 0;           ///< m
};
LaidPins layPins(const std::vector<BeltCircle>& circles, int count);

}  // namespace mw
