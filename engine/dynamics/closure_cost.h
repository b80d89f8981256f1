// What assembling costs, counted from the mechanism's size and not timed: whoever bounds his work by it gives the same
// answer on every machine.
#pragma once

#include "engine/model/layout.h"

namespace mw {

/// Gauss-Newton steps (AssembleOptions::most_steps) that take about so many seconds on one core of a small machine. At
/// least one.
int affordableSteps(const Layout& layout, double seconds);

}  // namespace mw
