// Expressions in two parts: what can be computed beforehand and kept in `work`, and what is left to do with it.
#pragma once

#include <functional>
#include <vector>

#include "generator/derive/tree.h"

namespace mw::gen {

/// Rebuilds expressions with the parts that do not depend on the inputs that `varies` read from `work`.
class Stored {
public:
    /// `first`: slot of `work` where the kept parts begin.
    Stored(Graph& graph, NodeOwners& owners, const std::vector<Expr>& values, int first,
           const std::function<bool(const Place&)>& varies);

    std::vector<Expr> results;  ///< over varying inputs and work
    std::vector<Expr> kept;     ///< what each slot of work holds

private:
    Expr side(int id);

    Graph& graph_;
    int first_;
    std::vector<Expr> rebuilt_;
};

}  // namespace mw::gen
