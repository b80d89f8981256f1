// The largest of some numbers, from which a NaN cannot get lost: std::max drops one when it comes second, and a later
// number takes the place of one that came first.
#pragma once

#include <cmath>

namespace mw {

/// largest = max(largest, x); a NaN stays.
inline void raise(double& largest, double x) {
    if (std::isnan(x) || x > largest) largest = std::isnan(largest) ? largest : x;
}

}  // namespace mw
