// The interned graph: every operator goes through Graph::make, which simplifies and then finds or adds the node.
#include "generator/expr/expr.h"

#include <bit>
#include <stdexcept>
#include <utility>

namespace mw::gen {

namespace {

/// More nodes are refused: the memory would fill, and code of that length take many minutes to compile.
constexpr std::size_t kMostNodes = 5'000'000;

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
    h ^= x + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdULL;
    return h ^ (h >> 32);
}

std::uint64_t hashOf(const Node& n) {
    std::uint64_t h = static_cast<std::uint64_t>(n.op);
    h = mix(h, static_cast<std::uint32_t>(n.a) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.b)) << 32);
    h = mix(h, static_cast<std::uint32_t>(n.c));
    if (n.op == Op::constant) h = mix(h, std::bit_cast<std::uint64_t>(n.value));
    if (n.op == Op::input) {
        h = mix(h, static_cast<std::uint64_t>(n.place.array) << 32 | static_cast<std::uint32_t>(n.place.index));
        h = mix(h, static_cast<std::uint32_t>(n.place.stride) |
                       static_cast<std::uint64_t>(static_cast<std::uint32_t>(n.place.outer)) << 32);
    }
    return h;
}

bool same(const Node& x, const Node& y) {
    return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c && x.place == y.place &&
           std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

Node unary(Op op, Expr a) {
    Node n;
    n.op = op;
    n.a = a.id();
    return n;
}

Node binary(Op op, Expr a, Expr b) {
    Node n;
    n.op = op;
    n.a = a.id();
    n.b = b.id();
    // Sums and products commute bit for bit, so one order of the operands is enough.
    if ((op == Op::add || op == Op::mul) && n.a > n.b) std::swap(n.a, n.b);
    return n;
}

}  // namespace

const char* arrayName(Array array) {
    static constexpr const char* kNames[] = {"q",   "v",    "tau",    "fext",  "act",  "param", "work",
                                             "rhs", "vdot", "lambda", "out",   "X",    "V",     "obs",
                                             "M",   "c",    "K",      "table", "local"};
    return kNames[static_cast<std::size_t>(array)];
}

bool Expr::isConstant() const { return !graph_ || graph_->node(id_).op == Op::constant; }
double Expr::value() const { return graph_ ? graph_->node(id_).value : 0; }
bool Expr::isZero() const { return isConstant() && value() == 0; }
bool Expr::isOne() const { return graph_ && isConstant() && value() == 1; }

double apply(Op op, double a, double b, double c) {
    switch (op) {
        case Op::constant:
        case Op::input: break;
        case Op::neg: return -a;
        case Op::abs: return std::fabs(a);
        case Op::sqrt: return std::sqrt(a);
        case Op::sin: return std::sin(a);
        case Op::cos: return std::cos(a);
        case Op::tan: return std::tan(a);
        case Op::asin: return std::asin(a);
        case Op::acos: return std::acos(a);
        case Op::exp: return std::exp(a);
        case Op::log: return std::log(a);
        case Op::add: return a + b;
        case Op::sub: return a - b;
        case Op::mul: return a * b;
        case Op::div: return a / b;
        case Op::pow: return std::pow(a, b);
        case Op::atan2: return std::atan2(a, b);
        case Op::min: return a < b ? a : b;
        case Op::max: return a > b ? a : b;
        case Op::less: return a < b ? 1 : 0;
        case Op::select: return a != 0 ? b : c;
    }
    return 0;
}

std::size_t Graph::slotOf(const Node& node) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hashOf(node) & mask;
    while (slots_[slot] >= 0 && !same(nodes_[static_cast<std::size_t>(slots_[slot])], node)) slot = (slot + 1) & mask;
    return slot;
}

int Graph::find(const Node& node) const { return slots_.empty() ? -1 : slots_[slotOf(node)]; }

void Graph::grow() {
    slots_.assign(slots_.empty() ? 1024 : slots_.size() * 2, -1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) slots_[slotOf(nodes_[i])] = static_cast<int>(i);
}

int Graph::intern(const Node& node) {
    if (nodes_.size() * 2 >= slots_.size()) grow();
    const std::size_t slot = slotOf(node);
    if (slots_[slot] < 0) {
        if (nodes_.size() >= kMostNodes)
            throw std::length_error(
                "the mechanism is too large for generated code: its equations have more than " +
                std::to_string(kMostNodes / 1'000'000) +
                " million operations; fewer loops that act on one another, or parts on their own, are shorter");
        slots_[slot] = static_cast<int>(nodes_.size());
        nodes_.push_back(node);
    }
    return slots_[slot];
}

Expr Graph::constant(double value) {
    Node n;
    n.value = value == 0 ? 0.0 : value;  // -0 and 0 are one constant
    return {this, intern(n)};
}

Expr Graph::input(Place place) {
    Node n;
    n.op = Op::input;
    n.place = place;
    return {this, intern(n)};
}

Expr Graph::negate(Expr a) {
    const Node& n = node(a.id());
    if (n.op == Op::constant) return constant(-n.value);
    if (n.op == Op::neg) return {this, n.a};
    return {this, intern(unary(Op::neg, a))};
}

namespace {

bool isNeg(Expr e) { return e.graph()->node(e.id()).op == Op::neg; }
Expr operandA(Expr e) { return {e.graph(), e.graph()->node(e.id()).a}; }
Expr operandB(Expr e) { return {e.graph(), e.graph()->node(e.id()).b}; }
bool isOp(Expr e, Op op) { return e.graph()->node(e.id()).op == op; }

/// e = factor * rest with a constant factor; factor 1 where e is no such product.
std::pair<double, Expr> splitFactor(Expr e) {
    if (isNeg(e)) {
        auto [factor, rest] = splitFactor(operandA(e));
        return {-factor, rest};
    }
    if (isOp(e, Op::mul)) {
        if (operandA(e).isConstant()) return {operandA(e).value(), operandB(e)};
        if (operandB(e).isConstant()) return {operandB(e).value(), operandA(e)};
    }
    return {1, e};
}

/// The angle x of a product sin(x) sin(x) (or of cosines); -1 otherwise.
int squaredAngle(Expr e, Op function) {
    if (!isOp(e, Op::mul) || operandA(e).id() != operandB(e).id() || !isOp(operandA(e), function)) return -1;
    return operandA(operandA(e)).id();
}

}  // namespace

Expr Graph::add(Expr a, Expr b) {
    if (a.isZero()) return b;
    if (b.isZero()) return a;
    if (a.isConstant() && b.isConstant()) return constant(a.value() + b.value());
    if (isNeg(a) && isNeg(b)) return negate(add(operandA(a), operandA(b)));
    if (isNeg(b)) return subtract(a, operandA(b));
    if (isNeg(a)) return subtract(b, operandA(a));
    if (a.isConstant()) std::swap(a, b);
    if (b.isConstant()) {
        if (isOp(a, Op::add) && operandA(a).isConstant())
            return add(operandB(a), constant(operandA(a).value() + b.value()));
        if (isOp(a, Op::add) && operandB(a).isConstant())
            return add(operandA(a), constant(operandB(a).value() + b.value()));
        if (b.value() < 0) return subtract(a, constant(-b.value()));
    } else {
        const auto [fa, ra] = splitFactor(a);
        const auto [fb, rb] = splitFactor(b);
        if (ra.id() == rb.id()) return multiply(constant(fa + fb), ra);
        const int sine = squaredAngle(ra, Op::sin), cosine = squaredAngle(rb, Op::cos);
        if (fa == fb && sine >= 0 && sine == cosine) return constant(fa);
        const int cosineA = squaredAngle(ra, Op::cos), sineB = squaredAngle(rb, Op::sin);
        if (fa == fb && cosineA >= 0 && cosineA == sineB) return constant(fa);
    }
    return {this, intern(binary(Op::add, a, b))};
}

Expr Graph::subtract(Expr a, Expr b) {
    if (b.isZero()) return a;
    if (a.isZero()) return negate(b);
    if (a.id() == b.id()) return constant(0);
    if (a.isConstant() && b.isConstant()) return constant(a.value() - b.value());
    if (isNeg(a) && isNeg(b)) return subtract(operandA(b), operandA(a));
    if (isNeg(b)) return add(a, operandA(b));
    if (isNeg(a)) return negate(add(operandA(a), b));
    if (b.isConstant() && b.value() < 0) return add(a, constant(-b.value()));
    if (!a.isConstant() && !b.isConstant()) {
        const auto [fa, ra] = splitFactor(a);
        const auto [fb, rb] = splitFactor(b);
        if (ra.id() == rb.id()) return multiply(constant(fa - fb), ra);
    }
    const int turned = find(binary(Op::sub, b, a));
    if (turned >= 0) return negate({this, turned});
    return {this, intern(binary(Op::sub, a, b))};
}

Expr Graph::multiply(Expr a, Expr b) {
    if (a.isZero() || b.isZero()) return constant(0);
    if (a.isOne()) return b;
    if (b.isOne()) return a;
    if (a.isConstant() && b.isConstant()) return constant(a.value() * b.value());
    bool negative = false;
    if (isNeg(a)) a = operandA(a), negative = !negative;
    if (isNeg(b)) b = operandA(b), negative = !negative;
    if (b.isConstant()) std::swap(a, b);
    Expr product;
    if (a.isConstant()) {
        double factor = a.value();
        if (factor < 0) factor = -factor, negative = !negative;
        const auto [inner, rest] = splitFactor(b);
        if (inner != 1) return multiply(constant(negative ? -factor * inner : factor * inner), rest);
        product = factor == 1 ? b : Expr{this, intern(binary(Op::mul, constant(factor), b))};
    } else {
        // A constant factor moves out to the front: (2 a) b = 2 (a b).
        const auto [fa, ra] = splitFactor(a);
        const auto [fb, rb] = splitFactor(b);
        if (fa != 1 && fb != 1) product = multiply(constant(fa * fb), multiply(ra, rb));
        else product = {this, intern(binary(Op::mul, a, b))};
    }
    return negative ? negate(product) : product;
}

Expr Graph::divide(Expr a, Expr b) {
    if (b.isConstant() && b.value() != 0) {
        if (a.isConstant()) return constant(a.value() / b.value());
        return multiply(constant(1 / b.value()), a);
    }
    if (a.isZero() && !b.isZero()) return constant(0);
    if (a.id() == b.id() && !b.isConstant()) return constant(1);
    bool negative = false;
    if (isNeg(a)) a = operandA(a), negative = !negative;
    if (isNeg(b)) b = operandA(b), negative = !negative;
    if (a.isConstant() && a.value() < 0) a = constant(-a.value()), negative = !negative;
    const Expr quotient{this, intern(binary(Op::div, a, b))};
    return negative ? negate(quotient) : quotient;
}

Expr Graph::make(Op op, Expr a, Expr b, Expr c) {
    // The zero of no graph becomes ours.
    if (!a.graph()) a = constant(0);
    if (!b.graph()) b = constant(0);
    if (!c.graph()) c = constant(0);
    switch (op) {
        case Op::constant:
        case Op::input:
            throw std::logic_error("Graph::make is for operations; constants and inputs have their own makers");
        case Op::neg: return negate(a);
        case Op::add: return add(a, b);
        case Op::sub: return subtract(a, b);
        case Op::mul: return multiply(a, b);
        case Op::div: return divide(a, b);
        case Op::abs:
            if (isNeg(a)) a = operandA(a);
            break;
        case Op::cos:
            if (isNeg(a)) a = operandA(a);
            break;
        case Op::sin:
        case Op::tan:
        case Op::asin:
            if (isNeg(a)) return negate(make(op, operandA(a)));
            break;
        case Op::min:
        case Op::max:
            if (a.id() == b.id()) return a;
            break;
        case Op::less:
            if (a.id() == b.id()) return constant(0);
            break;
        case Op::select:
            if (a.isConstant()) return a.value() != 0 ? b : c;
            if (b.id() == c.id()) return b;
            break;
        default: break;
    }
    const bool two = op >= Op::add && op <= Op::less;
    if (a.isConstant() && (!two || b.isConstant()) && op != Op::select)
        return constant(apply(op, a.value(), two ? b.value() : 0, 0));
    Node n = two ? binary(op, a, b) : unary(op, a);
    if (op == Op::select) n.b = b.id(), n.c = c.id();
    return {this, intern(n)};
}

namespace {

Expr through(Op op, Expr a, Expr b = {}, Expr c = {}) {
    Graph* graph = a.graph() ? a.graph() : b.graph() ? b.graph() : c.graph();
    if (!graph) {
        // Nothing but zeros of no graph: still zero, unless the operation makes something else of it.
        if (apply(op, 0, 0, 0) == 0) return {};
        throw std::logic_error("an operation on constants of no graph");
    }
    return graph->make(op, a, b, c);
}

}  // namespace

Expr operator+(Expr a, Expr b) { return through(Op::add, a, b); }
Expr operator-(Expr a, Expr b) { return through(Op::sub, a, b); }
Expr operator*(Expr a, Expr b) { return through(Op::mul, a, b); }
Expr operator/(Expr a, Expr b) { return through(Op::div, a, b); }
Expr operator-(Expr a) { return through(Op::neg, a); }
Expr sqrt(Expr a) { return through(Op::sqrt, a); }
Expr sin(Expr a) { return through(Op::sin, a); }
Expr cos(Expr a) { return through(Op::cos, a); }
Expr min(Expr a, Expr b) { return through(Op::min, a, b); }
Expr max(Expr a, Expr b) { return through(Op::max, a, b); }
Expr selectLess(Expr a, Expr b, Expr yes, Expr no) { return through(Op::select, through(Op::less, a, b), yes, no); }

std::vector<char> reachable(const Graph& graph, const std::vector<int>& roots) {
    std::vector<char> needed(graph.size(), 0);
    for (int root : roots)
        if (root >= 0) needed[static_cast<std::size_t>(root)] = 1;
    for (std::size_t i = graph.size(); i-- > 0;) {
        if (!needed[i]) continue;
        const Node& n = graph.node(static_cast<int>(i));
        for (int operand : {n.a, n.b, n.c})
            if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
    }
    return needed;
}

}  // namespace mw::gen
