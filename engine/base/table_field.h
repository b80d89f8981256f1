// Numbers in tables of comma separated values: one that is none (not computed, or beyond all numbers) leaves its field
// empty, which every reader of such tables takes for a gap.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string>

namespace mw {

/// Adds a comma and the number, as few digits as read back exactly.
inline void addField(std::string& line, double x) {
    if (std::isfinite(x)) fmt::format_to(std::back_inserter(line), ",{}", x);
    else line += ',';
}

}  // namespace mw
