// Derivatives of expressions, one rule an operation, and their readable form.
#include <array>
#include <charconv>
#include <cmath>

#include "generator/expr/expr.h"

namespace mw::gen {

Expr differentiate(Graph& graph, Expr of, Place by) {
    if (!of.graph()) return {};
    const std::size_t n = static_cast<std::size_t>(of.id()) + 1;
    const std::vector<char> needed = reachable(graph, {of.id()});
    std::vector<Expr> derivative(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (!needed[i]) continue;
        const Node node = graph.node(static_cast<int>(i));  // a copy: the graph grows below
        const Expr self(&graph, static_cast<int>(i));
        const auto operand = [&](int id) { return id < 0 ? Expr() : Expr(&graph, id); };
        const auto slope = [&](int id) { return id < 0 ? Expr() : derivative[static_cast<std::size_t>(id)]; };
        const Expr a = operand(node.a), b = operand(node.b);
        const Expr da = slope(node.a), db = slope(node.b), dc = slope(node.c);
        const Expr one = graph.constant(1);
        Expr d;
        switch (node.op) {
            case Op::constant: break;
            case Op::input: d = node.place == by ? one : Expr(); break;
            case Op::neg: d = -da; break;
            case Op::abs: d = selectLess(a, Expr(), -da, da); break;
            case Op::sqrt: d = da.isZero() ? Expr() : da / (graph.constant(2) * self); break;
            case Op::sin: d = da.isZero() ? Expr() : da * cos(a); break;
            case Op::cos: d = da.isZero() ? Expr() : -(da * sin(a)); break;
            case Op::tan: d = da * (one + self * self); break;
            case Op::asin: d = da.isZero() ? Expr() : da / sqrt(one - a * a); break;
            case Op::acos: d = da.isZero() ? Expr() : -(da / sqrt(one - a * a)); break;
            case Op::exp: d = da * self; break;
            case Op::log: d = da.isZero() ? Expr() : da / a; break;
            case Op::add: d = da + db; break;
            case Op::sub: d = da - db; break;
            case Op::mul: d = da * b + a * db; break;
            case Op::div: d = da.isZero() && db.isZero() ? Expr() : (da - self * db) / b; break;
            case Op::pow:  // a^b (b' log a + b a' / a), the logarithm only where the exponent moves
                if (!da.isZero()) d = b * graph.make(Op::pow, a, b - one) * da;
                if (!db.isZero()) d = d + self * graph.make(Op::log, a) * db;
                break;
            case Op::atan2: d = da.isZero() && db.isZero() ? Expr() : (b * da - a * db) / (a * a + b * b); break;
            case Op::min: d = selectLess(a, b, da, db); break;
            case Op::max: d = selectLess(b, a, da, db); break;
            case Op::less: break;
            case Op::select:
                d = da.isZero() && db.isZero() && dc.isZero() ? Expr() : graph.make(Op::select, a, db, dc);
                break;
        }
        derivative[i] = d;
    }
    const Expr result = derivative[n - 1];
    return result.graph() ? result : graph.constant(0);
}

namespace {

int precedence(Op op) {
    switch (op) {
        case Op::add:
        case Op::sub: return 1;
        case Op::neg:
        case Op::mul:
        case Op::div: return 2;
        default: return 3;
    }
}

const char* functionName(Op op) {
    switch (op) {
        case Op::abs: return "abs";
        case Op::sqrt: return "sqrt";
        case Op::sin: return "sin";
        case Op::cos: return "cos";
        case Op::tan: return "tan";
        case Op::asin: return "asin";
        case Op::acos: return "acos";
        case Op::exp: return "exp";
        case Op::log: return "log";
        case Op::pow: return "pow";
        case Op::atan2: return "atan2";
        case Op::min: return "min";
        case Op::max: return "max";
        case Op::less: return "less";
        case Op::select: return "select";
        default: return "";
    }
}

class Printer {
public:
    Printer(const Graph& graph, std::size_t limit) : graph_(graph), limit_(limit) {}

    void write(int id, int outer, int depth) {
        if (text_.size() >= limit_ || depth > kDeepest) {
            if (!text_.ends_with("...")) text_ += "...";
            return;
        }
        const Node& n = graph_.node(id);
        const int own = precedence(n.op);
        const bool brackets = own < outer;
        if (brackets) text_ += '(';
        switch (n.op) {
            case Op::constant: number(n.value); break;
            case Op::input:
                text_ += std::string(arrayName(n.place.array)) + "[" + std::to_string(n.place.index);
                if (n.place.stride) text_ += " + " + std::to_string(n.place.stride) + " k";
                if (n.place.outer) text_ += " + " + std::to_string(n.place.outer) + " m";
                text_ += ']';
                break;
            case Op::neg:
                text_ += '-';
                write(n.a, 3, depth + 1);
                break;
            case Op::add: infix(n, " + ", 1, 1, depth); break;
            case Op::sub: infix(n, " - ", 1, 2, depth); break;
            case Op::mul: infix(n, "*", 2, 2, depth); break;
            case Op::div: infix(n, "/", 2, 3, depth); break;
            default:
                text_ += functionName(n.op);
                text_ += '(';
                write(n.a, 0, depth + 1);
                for (int operand : {n.b, n.c})
                    if (operand >= 0) text_ += ", ", write(operand, 0, depth + 1);
                text_ += ')';
        }
        if (brackets) text_ += ')';
    }
    std::string take() { return std::move(text_); }

private:
    static constexpr int kDeepest = 400;  // keeps the recursion short where a chain of sums is long

    void infix(const Node& n, const char* sign, int left, int right, int depth) {
        write(n.a, left, depth + 1);
        text_ += sign;
        write(n.b, right, depth + 1);
    }
    void number(double value) {
        std::array<char, 40> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        text_.append(digits.data(), end.ptr);
    }

    const Graph& graph_;
    std::size_t limit_;
    std::string text_;
};

}  // namespace

std::string print(Expr expr, std::size_t limit) {
    if (!expr.graph()) return "0";
    Printer printer(*expr.graph(), limit);
    printer.write(expr.id(), 0, 0);
    return printer.take();
}

}  // namespace mw::gen
