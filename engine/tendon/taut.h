// A taut rope from one point to another over places on surfaces, in a given order: Newton's method on the condition
// that each straight piece leaves and meets its geodesics along their tangents.
//
// Errors and unknowns are those of natural geodesic variations (Scholz et al. 2015): a geodesic's start moves along
// and across its direction, turns, and its length changes; the errors are the parts of the straight pieces' directions
// along the normal and the binormal. A bend is a single point of a surface, with two unknowns.
#pragma once

#include <vector>

#include "engine/tendon/geodesic.h"

namespace mw {

struct TautNode {
    int guide = 0;
    const GuideSurface* surface = nullptr;
    bool bend = false;
    Vector3 p = Vector3::Zero(), t = Vector3::UnitX();  ///< start and direction, guide's frame
    double s = 0;                                       ///< m on the surface

    // Filled in by `tighten`, base axes.
    GeodesicArc arc;                                          ///< guide's frame
    Vector3 first = Vector3::Zero(), last = Vector3::Zero();  ///< contact points
    Vector3 into = Vector3::Zero(), out = Vector3::Zero();    ///< along the straight pieces before and behind it
    double before = 0, behind = 0;                            ///< their lengths
};

/// Moves the nodes until they are taut. False: the nearest it came to. `error` gets the largest part of a direction
/// that is left (rad).
bool tighten(const Vector3& a, const Vector3& b, std::vector<TautNode>& nodes, double* error = nullptr);

/// Of nodes that `tighten` filled in.
double tautLength(const std::vector<TautNode>& nodes);

}  // namespace mw
