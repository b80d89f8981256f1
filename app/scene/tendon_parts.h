// What tendons are drawn with: the line of a route cut into tubes, dashes of what is slack, solids of guides.
#pragma once

#include <span>
#include <vector>

#include "app/scene/mesh.h"
#include "engine/tendon/tendons.h"

namespace mw::scene {

using Path = std::vector<Vec3>;

/// A stretch of a route without gaps: of one branch, points that follow one another.
struct RouteRun {
    int branch = 0;
    Path points;
    std::vector<int> element;  ///< per piece: guide in the path that it lies on, -1 free
};
/// Points that are not finite break a run, coincident ones are taken once.
std::vector<RouteRun> runsOf(const TendonLine& line);

/// Tension of each piece of a run, N: of its branch, or of its side of a guide with friction; along such a guide from
/// the one to the other, as e^(angle).
std::vector<double> pieceTensions(const Tendon& tendon, const TendonReading& reading, const RouteRun& run);

/// Dashes of a path, as long as `dash` with gaps of `gap`; ends on a dash.
std::vector<Path> dashesOf(const Path& path, double dash, double gap);

/// Round tubes along paths in one solid. They end flat; where a path turns sharply a ball fills the bend. `contours`:
/// with edges, for outlines.
MeshPtr tubesMesh(std::span<const Path> paths, double radius, int sides, bool contours);

/// A ring of round wire about z.
MeshPtr torusMesh(double ring, double wire, int segments = 40);

}  // namespace mw::scene
