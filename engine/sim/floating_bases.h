// Floating bodies in a step with rows. Their velocities have components in axes that turn with them: taken over as they
// are, a body's momentum would turn with it too, by h w a step, and a ball that rolls would dig itself in or climb. The
// step therefore works in the axes of its start, and hands the velocities over to those of its end (docs/rows.md).
#pragma once

#include <span>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// out (nv) += factor w x v_c in the linear components of every floating body, v_c of its centre of mass: what the
/// components' derivative lacks of the acceleration.
void addTurning(const Model& model, const Layout& layout, std::span<const double> v, std::span<const double> param,
                double factor, std::span<double> out);

/// After the drift from q_start to q with v, the velocities solved for: centres of mass have moved with their velocity
/// in the axes of the start, and v has its components in the axes of the end.
void settleFloating(const Model& model, const Layout& layout, std::span<const double> q_start,
                    std::span<const double> param, double h, std::span<double> q, std::span<double> v);

}  // namespace mw
