// Products and size of three plain numbers, for those who do without a library of algebra.
#pragma once

#include <cmath>

#include "engine/model/model.h"

namespace mw {

inline double dot(const Vector3d& a, const Vector3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3d cross(const Vector3d& a, const Vector3d& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vector3d& a) { return std::hypot(a[0], a[1], a[2]); }

}  // namespace mw
