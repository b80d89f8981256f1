// Splitting expressions by what varies.
#include "generator/derive/stored.h"

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }
}  // namespace

Stored::Stored(Graph& graph, NodeOwners& owners, const std::vector<Expr>& values, int first,
               const std::function<bool(const Place&)>& varies)
    : graph_(graph), first_(first) {
    const std::vector<int> bodies = owners.peek();
    const std::size_t n = graph.size();
    std::vector<int> roots;
    for (Expr value : values) roots.push_back(value.id());
    const std::vector<char> needed = reachable(graph, roots);
    std::vector<char> varying(n, 0);
    const auto isVarying = [&](int id) { return id >= 0 && varying[at(id)]; };
    rebuilt_.assign(n, Expr());
    for (std::size_t i = 0; i < n; ++i) {
        if (!needed[i]) continue;
        const Node& node = graph.node(static_cast<int>(i));
        varying[i] =
            (node.op == Op::input && varies(node.place)) || isVarying(node.a) || isVarying(node.b) || isVarying(node.c);
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (!needed[i] || !varying[i]) continue;
        const Node node = graph.node(static_cast<int>(i));
        rebuilt_[i] = node.op == Op::input ? Expr(&graph, static_cast<int>(i))
                                           : graph.make(node.op, side(node.a), side(node.b), side(node.c));
        owners.claim(bodies[i]);
    }
    for (Expr value : values) results.push_back(side(value.id()));
}

Expr Stored::side(int id) {
    if (id < 0) return {};
    Expr& known = rebuilt_[at(id)];
    if (known.graph()) return known;
    const Expr original(&graph_, id);
    if (original.isConstant()) return known = original;
    known = graph_.input(Array::work, first_ + static_cast<int>(kept.size()));
    kept.push_back(original);
    return known;
}

}  // namespace mw::gen
