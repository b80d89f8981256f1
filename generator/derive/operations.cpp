// Counting of operations.
#include "generator/derive/operations.h"

namespace mw::gen {

ExprOperations countOperations(const Graph& graph, const std::vector<int>& roots) {
    const std::vector<char> needed = reachable(graph, roots);
    ExprOperations r;
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        switch (graph.node(static_cast<int>(i)).op) {
            case Op::constant:
            case Op::input: break;
            case Op::neg: ++r.neg; break;
            case Op::add:
            case Op::sub: ++r.add; break;
            case Op::mul: ++r.mul; break;
            case Op::div: ++r.div; break;
            case Op::sin:
            case Op::cos: ++r.sincos; break;
            default: ++r.other;
        }
    }
    return r;
}

}  // namespace mw::gen
