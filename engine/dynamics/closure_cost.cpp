// The dense algebra of one Gauss-Newton step (closure_space.cpp), in operations.
#include "engine/dynamics/closure_cost.h"

#include <algorithm>

namespace mw {

int affordableSteps(const Layout& layout, double seconds) {
    constexpr double kOperation = 2.5e-10, kBody = 3e-6, kMost = 1e6;  // s, s, steps
    const double v = layout.nv, c = layout.nc;
    // Metric and its factor, L^-1 K^T, its square, and the factor of that.
    const double operations = v * v * v + 2 * v * v * c + 2 * v * c * c + c * c * c / 3;
    return static_cast<int>(std::clamp(seconds / (kOperation * operations + kBody * layout.nbody), 1.0, kMost));
}

}  // namespace mw
