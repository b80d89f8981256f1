// Expressions over the kernel's arrays: an interned graph whose nodes simplify as they are made.
//
// Two equal expressions are one node, so common subexpressions cost nothing to find and structural zeros vanish at the source:
// 0 + a, 0 a, 1 a, -1 a, a - a, --a, (-a)(-b), constants folded, signs pulled out of products so that a b and -(a b) share.
// Nothing here reorders sums (the order in which they are written is the order in which they are computed) nor forms
// fused multiply-adds (the program does that, as explicit instructions).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mw::gen {

enum class Op : std::uint8_t {
    constant, input,
    neg, abs, sqrt, sin, cos, tan, asin, acos, exp, log,  // of a
    add, sub, mul, div, pow, atan2, min, max,             // of a and b
    less,                                                 // a < b: 1 or 0
    select                                                // a != 0 ? b : c
};

/// Arrays that a kernel's entries read and write (kernel_abi.h). `table` is constant data of the program.
enum class Array : std::uint8_t { q, v, tau, fext, act, param, work, rhs, vdot, lambda, out, X, V, obs, M, c, K, table };
const char* arrayName(Array array);

/// An element of an array: [index + stride * counter], the counter being that of the section's loop (0 outside loops).
struct Place {
    Array array = Array::q;
    int index = 0;
    int stride = 0;
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
    std::vector<Node> nodes_;
    struct Key;
    std::unordered_multimap<std::uint64_t, int> index_;
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

/// Value with the given lookup of inputs, by plain double arithmetic and the C library's functions (for tests and folding).
template <class Lookup>
double evaluate(const Graph& graph, int id, Lookup&& lookup);

/// Readable infix form, for tests and the studio's equation view; long sums are cut with an ellipsis when `limit` is reached.
std::string print(Expr expr, std::size_t limit = 2000);

}  // namespace mw::gen
