// Small expressions that stay in a Model: over live parameters (run-time inputs of the kernel) and, in drives, over
// time. Everything that is constant when a text is read has been folded to a number before it gets here.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace mw {

class Expression;
/// Immutable and shared; a Model copies in constant time per expression.
using ExpressionPtr = std::shared_ptr<const Expression>;

class Expression {
public:
    enum class Op {
        constant,
        parameter,
        time,  // leaves
        negate,
        sqrt,
        sin,
        cos,
        tan,
        asin,
        acos,
        exp,
        log,
        abs,  // of a
        add,
        subtract,
        multiply,
        divide,
        power,
        atan2,
        min,
        max  // of a and b
    };
    Op op = Op::constant;
    double value = 0;    ///< of a constant
    int parameter = -1;  ///< slot in the kernel's `param`
    ExpressionPtr a, b;

    static ExpressionPtr constant(double value);
    static ExpressionPtr liveParameter(int slot);
    static ExpressionPtr time();
    static ExpressionPtr unary(Op op, ExpressionPtr a);                    ///< folds constants
    static ExpressionPtr binary(Op op, ExpressionPtr a, ExpressionPtr b);  ///< folds constants
};

/// What an operation makes of its operands (`b` is for those with two).
double applyOperation(Expression::Op op, double a, double b = 0);
/// Value at the given live parameters (slots of `param`) and time.
double evaluate(const Expression& expression, std::span<const double> param, double t = 0);
bool usesTime(const Expression& expression);
bool usesParameter(const Expression& expression);
/// d/dt with the parameters held. abs, min and max differentiate piecewise.
ExpressionPtr timeDerivative(const ExpressionPtr& expression);

/// A number of a Model: its value with the declared parameters (at t = 0), and its expression if that can change at run
/// time.
struct Number {
    double value = 0;
    ExpressionPtr live;  ///< null: `value` is all there is

    Number() = default;
    Number(double v) : value(v) {}  // NOLINT: numbers of a model are mostly literals
    Number(double v, ExpressionPtr e) : value(v), live(std::move(e)) {}

    bool isLive() const { return live != nullptr; }
    bool isZero() const { return !live && value == 0; }
    double at(std::span<const double> param, double t = 0) const { return live ? evaluate(*live, param, t) : value; }
};

}  // namespace mw
