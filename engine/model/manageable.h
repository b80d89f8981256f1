// How large a mechanism may be: beyond it the tables of the algebra fill the memory before anything is said.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/model/layout.h"

namespace mw {

/// Numbers of the dense tables between velocities and loop rows: nv nv + 2 nv nc + nc nc.
std::size_t denseNumbers(const Layout& layout);

/// Most numbers that a table, or a kernel's workspace, may have (800 MB).
constexpr std::size_t kMostNumbers = 100'000'000;

/// Throws std::length_error, a sentence for people, when `numbers` are more than `most`. `what`: "the dense algebra".
void requireManageable(const Layout& layout, std::string_view what, std::size_t numbers,
                       std::size_t most = kMostNumbers);

}  // namespace mw
