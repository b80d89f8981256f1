// Numbers and attitudes as the instruments print them.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/panels/panels.h"

namespace mw::app {

std::string shortNumber(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : value > 0 ? "inf" : "-inf";
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size < 1e-3 || size >= 1e6) return fmt::format("{:.2e}", value);
    // Four significant digits, never more than four behind the point, so that columns stay calm.
    const int before = size < 1 ? 0 : static_cast<int>(std::floor(std::log10(size))) + 1;
    return fmt::format("{:.{}f}", value, std::clamp(4 - before, 0, 4));
}

std::array<double, 3> rollPitchYaw(const double* R) {
    const double pitch = std::atan2(-R[6], std::hypot(R[0], R[3]));
    // Straight up or down roll and yaw turn about one axis: all of it is called yaw.
    if (std::hypot(R[0], R[3]) < 1e-12) return {0, pitch, std::atan2(-R[1], R[4])};
    return {std::atan2(R[7], R[8]), pitch, std::atan2(R[3], R[0])};
}

std::array<double, 4> quaternionOf(const std::array<double, 3>& rpy) {
    const double cr = std::cos(rpy[0] / 2), sr = std::sin(rpy[0] / 2);
    const double cp = std::cos(rpy[1] / 2), sp = std::sin(rpy[1] / 2);
    const double cy = std::cos(rpy[2] / 2), sy = std::sin(rpy[2] / 2);
    return {cy * cp * cr + sy * sp * sr, cy * cp * sr - sy * sp * cr, cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr};
}

}  // namespace mw::app
