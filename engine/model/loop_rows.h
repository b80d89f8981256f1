// The rows of a loop: which directions they constrain, in which order, what they are called, and by how much a pose
// misses them. The one place for the convention (docs/conventions.md, "Loops"); both derivations ask here for the
// directions and find the algebra for themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/model/model.h"
#include "engine/model/start_pose.h"

namespace mw {

struct LoopRow {
    enum class Kind { turn, move, distance };
    Kind kind = Kind::move;
    Vector3d direction{};  ///< unit vector in the predecessor's loop frame; zero for distance
};

/// Two directions across an axis: first the coordinate axis that follows the axis' largest component in the circle
/// x y z, made perpendicular to it; then the one that completes the right-handed frame. x gives y z, y gives z x, z
/// gives x y.
std::array<Vector3d, 2> directionsAcross(const Vector3d& axis);

/// loopRows(type) rows: turns about, then moves along the constrained directions, across the axis first; spherical:
/// moves along x y z.
std::vector<LoopRow> rowsOf(const Loop& loop);

/// "turning about z", "moving along x", "distance"; other directions by their three numbers. The predecessor's loop
/// frame.
std::string rowName(const LoopRow& row);
/// "rad" or "m".
const char* rowUnit(const LoopRow& row);

/// A loop frame in base.
Placement framePlacement(const LoopFrame& frame, const std::vector<Placement>& bodies, std::span<const double> param);

/// By how much each row is missed: the successor's loop frame seen from the predecessor's. Turns of a revolute and a
/// cylindrical loop: components of the rotation vector of the shortest turn from the predecessor's axis to the
/// successor's; of a prismatic loop: of the whole relative rotation (both up to pi); moves: of the successor's origin;
/// distance: the length minus the wanted one.
std::vector<double> loopError(const Loop& loop, const Placement& from, const Placement& to,
                              std::span<const double> param);
std::vector<double> loopError(const Loop& loop, const std::vector<Placement>& bodies, std::span<const double> param);

}  // namespace mw
