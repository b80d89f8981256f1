// Operations that expressions cost, each shared one once; sines and cosines apart.
#pragma once

#include <vector>

#include "generator/expr/expr.h"

namespace mw::gen {

struct ExprOperations {
    int add = 0, mul = 0, div = 0, neg = 0, other = 0, sincos = 0;
    int flops() const { return add + mul + div + neg + other; }
};

ExprOperations countOperations(const Graph& graph, const std::vector<int>& roots);

}  // namespace mw::gen
