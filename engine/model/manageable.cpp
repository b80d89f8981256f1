// How large a mechanism may be.
#include "engine/model/manageable.h"

#include <fmt/format.h>
#include <stdexcept>

namespace mw {

std::size_t denseNumbers(const Layout& layout) {
    const auto v = static_cast<std::size_t>(layout.nv), c = static_cast<std::size_t>(layout.nc);
    return v * v + 2 * v * c + c * c;
}

void requireManageable(const Layout& layout, std::string_view what, std::size_t numbers, std::size_t most) {
    if (numbers <= most) return;
    throw std::length_error(
        fmt::format("the mechanism is too large: with {} velocities and {} loop rows {} would need {:.3g} million "
                    "numbers, and {:.3g} million are the most; divide it into parts",
                    layout.nv, layout.nc, what, static_cast<double>(numbers) * 1e-6, static_cast<double>(most) * 1e-6));
}

}  // namespace mw
