// Operations that expressions cost, each shared one once; sines and cosines apart.
#pragma once

#include <vector>

#include "generator/expr/expr.h"

namespace mw::gen {

struct ExprOperations {
    int add = 0, mul = 0, div = 0, neg = 0, other = 0, sincos = 0;
    int fusable =
        0;  ///< products that only one sum uses: with fused multiply-adds they are no instruction of their own
    int flops() const { return add + mul + div + neg + other; }
    /// Rough cost: instructions with products fused, a division or root counting several.
    int cost() const { return add + mul - fusable + neg + kSlow * (div + other); }
    static constexpr int kSlow = 4;
};

ExprOperations countOperations(const Graph& graph, const std::vector<int>& roots);

}  // namespace mw::gen
