// How coordinates move with velocities: what a step of the simulation, an assembly and a drag of the mouse all use.
#pragma once

#include <vector>

#include "engine/model/layout.h"

namespace mw {

/// q <- q drifted by h with velocities v: the exact map of every joint (quaternions by the exponential, a floating
/// body's position by the self-adjoint midpoint rule), so that +h then -h returns.
void drift(const Model& model, const Layout& layout, std::vector<double>& q, const std::vector<double>& v, double h);

}  // namespace mw
