// Fills in the table of motion axes (engine/rows/motion_axes.h) for a mechanism at a pose.
#pragma once

#include <span>

#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/rows/motion_axes.h"

namespace mw {

/// q and the poses X (kernel_abi.h) belong together. `axes` keeps its memory from call to call.
void fillMotionAxes(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
                    std::span<const double> param, MotionAxes& axes);

}  // namespace mw
