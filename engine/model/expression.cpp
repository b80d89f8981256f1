// Evaluation, folding and the time derivative of a Model's small expressions.
#include "engine/model/expression.h"

#include <algorithm>
#include <cmath>

namespace mw {
namespace {

using Op = Expression::Op;

double apply(Op op, double a, double b) { return applyOperation(op, a, b); }

bool isConstant(const ExpressionPtr& e, double value) { return e->op == Op::constant && e->value == value; }

ExpressionPtr make(Op op, ExpressionPtr a, ExpressionPtr b = nullptr) {
    auto e = std::make_shared<Expression>();
    e->op = op;
    e->a = std::move(a);
    e->b = std::move(b);
    return e;
}

}  // namespace

double applyOperation(Op op, double a, double b) {
    switch (op) {
        case Op::negate: return -a;
        case Op::sqrt: return std::sqrt(a);
        case Op::sin: return std::sin(a);
        case Op::cos: return std::cos(a);
        case Op::tan: return std::tan(a);
        case Op::asin: return std::asin(a);
        case Op::acos: return std::acos(a);
        case Op::exp: return std::exp(a);
        case Op::log: return std::log(a);
        case Op::abs: return std::abs(a);
        case Op::add: return a + b;
        case Op::subtract: return a - b;
        case Op::multiply: return a * b;
        case Op::divide: return a / b;
        case Op::power: return std::pow(a, b);
        case Op::atan2: return std::atan2(a, b);
        case Op::min: return a < b ? a : b;
        case Op::max: return a > b ? a : b;
        default: return 0;
    }
}

ExpressionPtr Expression::constant(double value) {
    auto e = std::make_shared<Expression>();
    e->value = value;
    return e;
}
ExpressionPtr Expression::liveParameter(int slot) {
    auto e = std::make_shared<Expression>();
    e->op = Op::parameter;
    e->parameter = slot;
    return e;
}
ExpressionPtr Expression::time() { return make(Op::time, nullptr); }

ExpressionPtr Expression::unary(Op op, ExpressionPtr a) {
    if (a->op == Op::constant) return constant(apply(op, a->value, 0));
    if (op == Op::negate && a->op == Op::negate) return a->a;
    return make(op, std::move(a));
}

ExpressionPtr Expression::binary(Op op, ExpressionPtr a, ExpressionPtr b) {
    if (a->op == Op::constant && b->op == Op::constant) return constant(apply(op, a->value, b->value));
    if (op == Op::add && isConstant(a, 0)) return b;
    if ((op == Op::add || op == Op::subtract) && isConstant(b, 0)) return a;
    if (op == Op::multiply && (isConstant(a, 0) || isConstant(b, 0))) return constant(0);
    if (op == Op::multiply && isConstant(a, 1)) return b;
    if ((op == Op::multiply || op == Op::divide || op == Op::power) && isConstant(b, 1)) return a;
    return make(op, std::move(a), std::move(b));
}

double evaluate(const Expression& e, std::span<const double> param, double t) {
    switch (e.op) {
        case Op::constant: return e.value;
        case Op::parameter: return param[static_cast<std::size_t>(e.parameter)];
        case Op::time: return t;
        default: return apply(e.op, evaluate(*e.a, param, t), e.b ? evaluate(*e.b, param, t) : 0.0);
    }
}

bool usesTime(const Expression& e) { return e.op == Op::time || (e.a && usesTime(*e.a)) || (e.b && usesTime(*e.b)); }
bool usesParameter(const Expression& e) {
    return e.op == Op::parameter || (e.a && usesParameter(*e.a)) || (e.b && usesParameter(*e.b));
}

ExpressionPtr timeDerivative(const ExpressionPtr& e) {
    const auto constant = [](double value) { return Expression::constant(value); };
    const auto un = [](Op op, ExpressionPtr a) { return Expression::unary(op, std::move(a)); };
    const auto bin = [](Op op, ExpressionPtr a, ExpressionPtr b) {
        return Expression::binary(op, std::move(a), std::move(b));
    };
    if (!usesTime(*e)) return constant(0);
    const ExpressionPtr& a = e->a;
    const ExpressionPtr& b = e->b;
    const ExpressionPtr da = a ? timeDerivative(a) : nullptr;
    const ExpressionPtr db = b ? timeDerivative(b) : nullptr;
    // sign(x) as x / |x|: piecewise, and nobody asks at the corner.
    const auto sign = [&](const ExpressionPtr& x) { return bin(Op::divide, x, un(Op::abs, x)); };
    switch (e->op) {
        case Op::time: return constant(1);
        case Op::negate: return un(Op::negate, da);
        case Op::sqrt: return bin(Op::divide, da, bin(Op::multiply, constant(2), e));
        case Op::sin: return bin(Op::multiply, un(Op::cos, a), da);
        case Op::cos: return un(Op::negate, bin(Op::multiply, un(Op::sin, a), da));
        case Op::tan: return bin(Op::multiply, bin(Op::add, constant(1), bin(Op::multiply, e, e)), da);
        case Op::asin:
            return bin(Op::divide, da, un(Op::sqrt, bin(Op::subtract, constant(1), bin(Op::multiply, a, a))));
        case Op::acos:
            return un(Op::negate,
                      bin(Op::divide, da, un(Op::sqrt, bin(Op::subtract, constant(1), bin(Op::multiply, a, a)))));
        case Op::exp: return bin(Op::multiply, e, da);
        case Op::log: return bin(Op::divide, da, a);
        case Op::abs: return bin(Op::multiply, sign(a), da);
        case Op::add: return bin(Op::add, da, db);
        case Op::subtract: return bin(Op::subtract, da, db);
        case Op::multiply: return bin(Op::add, bin(Op::multiply, da, b), bin(Op::multiply, a, db));
        case Op::divide: return bin(Op::divide, bin(Op::subtract, da, bin(Op::multiply, e, db)), b);
        case Op::power:
            if (!usesTime(*b))
                return bin(Op::multiply, bin(Op::multiply, b, bin(Op::power, a, bin(Op::subtract, b, constant(1)))),
                           da);
            return bin(
                Op::multiply, e,
                bin(Op::add, bin(Op::multiply, db, un(Op::log, a)), bin(Op::divide, bin(Op::multiply, b, da), a)));
        case Op::atan2:
            return bin(Op::divide, bin(Op::subtract, bin(Op::multiply, da, b), bin(Op::multiply, a, db)),
                       bin(Op::add, bin(Op::multiply, a, a), bin(Op::multiply, b, b)));
        // min and max: half the sum minus or plus half the distance.
        case Op::min:
        case Op::max: {
            const ExpressionPtr half_sum = bin(Op::multiply, constant(0.5), bin(Op::add, da, db));
            const ExpressionPtr difference = bin(Op::subtract, a, b);
            const ExpressionPtr half_distance =
                bin(Op::multiply, constant(0.5), bin(Op::multiply, sign(difference), bin(Op::subtract, da, db)));
            return bin(e->op == Op::max ? Op::add : Op::subtract, half_sum, half_distance);
        }
        default: return constant(0);
    }
}

}  // namespace mw
