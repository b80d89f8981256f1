// Counting of operations.
#include "generator/derive/operations.h"

namespace mw::gen {

ExprOperations countOperations(const Graph& graph, const std::vector<int>& roots) {
    const std::vector<char> needed = reachable(graph, roots);
    ExprOperations r;
    std::vector<int> uses(needed.size(), 0);
    std::vector<char> summed(needed.size(), 0);  // by the one that came last
    for (int root : roots)
        if (root >= 0) uses[static_cast<std::size_t>(root)] += 2;
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        const Node& n = graph.node(static_cast<int>(i));
        bool free = n.op == Op::add || n.op == Op::sub;  // a sum fuses with one product
        for (int operand : {n.a, n.b, n.c}) {
            if (operand < 0) continue;
            const auto k = static_cast<std::size_t>(operand);
            ++uses[k];
            summed[k] = free && graph.node(operand).op == Op::mul;
            if (summed[k]) free = false;
        }
    }
    for (std::size_t i = 0; i < needed.size(); ++i) r.fusable += needed[i] && uses[i] == 1 && summed[i] ? 1 : 0;
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
