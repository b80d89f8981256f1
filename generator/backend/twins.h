// Loops in which two equal computations go on next to each other, such as two equal chains of bodies: both can be done
// at once, one in each lane of a vector of two.
#pragma once

#include <vector>

#include "generator/program/program.h"

namespace mw::gen {

/// Two instructions of a block that do the same to other registers (or one, twice, for what both lanes share).
struct TwinStep {
    int first, second;          ///< instructions of the block; the first one's register stands for both
    int operands[3], other[3];  ///< registers that the first and the second read, in the same order
};

struct Twins {
    std::vector<TwinStep> steps;  ///< in an order that can be computed; empty: the loop has no two halves
    /// Register of the first lane -> of the second, for carried registers and results of the block; -1 for others.
    std::vector<int> partner;
};

/// Carried register k belongs with register k + n / 2. Every instruction of the block is covered, each lane does the
/// operations of its own half, and no place that is stored is read in the same turn: so the order of the two halves
/// does not matter.
Twins findTwins(const Function& function, const Loop& loop);

}  // namespace mw::gen
