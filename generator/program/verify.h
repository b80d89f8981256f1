// Checks that a program is well formed, so that a back end can trust it.
#pragma once

#include <string>

#include "generator/program/program.h"

namespace mw::gen {

/// Sizes of the kernel's arrays, in numbers; -1: not checked.
struct ArraySizes {
    int size[32];
    ArraySizes() {
        for (int& s : size) s = -1;
    }
    int& operator[](Array array) { return size[static_cast<int>(array)]; }
    int operator[](Array array) const { return size[static_cast<int>(array)]; }
};

/// Empty when well formed: every register assigned once and before it is used, callees before callers with matching
/// counts, places inside their arrays (work and table always; the others where `sizes` knows them), inputs never
/// written. Otherwise one sentence about the first fault.
std::string verify(const Program& program, const ArraySizes& sizes = {});

}  // namespace mw::gen
