// Expressions over the kernel's arrays: an interned graph whose nodes simplify as they are made.
//
// Two equal expressions are one node, so common subexpressions cost nothing to find and structural zeros vanish at the
// source: 0 + a, 0 a, 1 a, -1 a, a - a, --a, (-a)(-b), constants folded (through products and sums too: 2 (3 a), (a +
// 1) + 2), like terms joined (2 a + 3 a), cos^2 + sin^2 = 1, signs pulled out of products and quotients so that a b and
// -(a b) share, and a - b and b - a too. An operand's node is always older than the node that uses it. Nothing here
// reorders sums (the order in which they are written is the order in which they are computed) nor forms fused
// multiply-adds (the program does that, as explicit instructions).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace mw::gen {

enum class Op : std::uint8_t {
    constant,
    input,
    neg,
    abs,
    sqrt,
    sin,
    cos,
    tan,
    asin,
    acos,
    exp,
    log,  // of a
    add,
    sub,
    mul,
    div,
    pow,
    atan2,
    min,
    max,    // of a and b
    less,   // a < b: 1 or 0
    select  // a != 0 ? b : c
};

/// Arrays that a kernel's entries read and write (kernel_abi.h). `table` is constant data of the program.
enum class Array : std::uint8_t {
    q,
    v,
    tau,
    fext,
    act,
    param,
    work,
    rhs,
    vdot,
    lambda,
    out,
    X,
    V,
    obs,
    M,
    c,
    K,
    table,
    local  ///< registers by number: what one section assigns, later ones and the next turn of a loop read
};
const char* arrayName(Array array);

/// An element of an array: [index + stride * counter + outer * outer_counter]. `counter` is that of the innermost
/// repeated section around it, `outer_counter` of the one around that (0 where there is none).
struct Place {
    Array array = Array::q;
    int index = 0;
    int stride = 0;
    int outer = 0;
    bool operator==(const Place&) const = default;
};

struct Node {
    Op op = Op::constant;
    int a = -1, b = -1, c = -1;  ///< operand nodes
    double value = 0;            ///< constant
    Place place;                 ///< input
};

class Graph;

/// A handle to a node; cheap to copy. Default: the constant 0 of no graph, which every operator accepts.
class Expr {
public:
    Expr() = default;
    Expr(Graph* graph, int id) : graph_(graph), id_(id) {}
    int id() const { return id_; }
    Graph* graph() const { return graph_; }
    bool isZero() const;
    bool isOne() const;
    bool isConstant() const;
    double value() const;  ///< of a constant

private:
    Graph* graph_ = nullptr;
    int id_ = -1;
};

class Graph {
public:
    Expr constant(double value);
    Expr input(Place place);
    Expr input(Array array, int index) { return input(Place{array, index, 0}); }
    /// The simplifying constructor that every operator goes through.
    Expr make(Op op, Expr a, Expr b = {}, Expr c = {});

    const Node& node(int id) const { return nodes_[static_cast<std::size_t>(id)]; }
    std::size_t size() const { return nodes_.size(); }

private:
    friend class Expr;
    int intern(const Node& node);
    int find(const Node& node) const;  ///< -1 when there is no such node yet
    std::size_t slotOf(const Node& node) const;
    void grow();
    Expr negate(Expr a);
    Expr add(Expr a, Expr b);
    Expr subtract(Expr a, Expr b);
    Expr multiply(Expr a, Expr b);
    Expr divide(Expr a, Expr b);
    std::vector<Node> nodes_;
    std::vector<int> slots_;  ///< open addressing, a power of two; -1: free
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr sqrt(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
/// a < b ? yes : no
Expr selectLess(Expr a, Expr b, Expr yes, Expr no);

/// Derivative of `of` by an input. The rules read as a table.
Expr differentiate(Graph& graph, Expr of, Place by);

/// One operation in plain double arithmetic and the C library's functions: what folding and evaluation do.
double apply(Op op, double a, double b, double c);

/// Values of all nodes, for the given inputs: lookup(Place) -> double. For tests.
template <class Lookup>
std::vector<double> evaluateAll(const Graph& graph, Lookup&& lookup) {
    std::vector<double> value(graph.size());
    const auto at = [&](int id) { return id < 0 ? 0.0 : value[static_cast<std::size_t>(id)]; };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const Node& n = graph.node(static_cast<int>(i));
        if (n.op == Op::constant) value[i] = n.value;
        else if (n.op == Op::input) value[i] = lookup(n.place);
        else value[i] = apply(n.op, at(n.a), at(n.b), at(n.c));
    }
    return value;
}

/// Value of one node, with the given lookup of inputs; only what it needs is looked up.
template <class Lookup>
double evaluate(const Graph& graph, int id, Lookup&& lookup) {
    if (id < 0) return 0;
    std::vector<char> needed(static_cast<std::size_t>(id) + 1, 0);
    needed.back() = 1;
    for (int i = id; i >= 0; --i) {
        if (!needed[static_cast<std::size_t>(i)]) continue;
        for (int operand : {graph.node(i).a, graph.node(i).b, graph.node(i).c})
            if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
    }
    std::vector<double> value(static_cast<std::size_t>(id) + 1, 0.0);
    const auto at = [&](int k) { return k < 0 ? 0.0 : value[static_cast<std::size_t>(k)]; };
    for (int i = 0; i <= id; ++i) {
        if (!needed[static_cast<std::size_t>(i)]) continue;
        const Node& n = graph.node(i);
        if (n.op == Op::constant) value[static_cast<std::size_t>(i)] = n.value;
        else if (n.op == Op::input) value[static_cast<std::size_t>(i)] = lookup(n.place);
        else value[static_cast<std::size_t>(i)] = apply(n.op, at(n.a), at(n.b), at(n.c));
    }
    return value.back();
}

/// Nodes that the given ones need, themselves included: one flag a node.
std::vector<char> reachable(const Graph& graph, const std::vector<int>& roots);

/// Readable infix form, for tests and the studio's equation view; long sums are cut with an ellipsis when `limit` is
/// reached.
std::string print(Expr expr, std::size_t limit = 2000);

}  // namespace mw::gen
