// Small expressions: derivatives against finite differences, folding against plain evaluation.
#include "engine/model/expression.h"

#include <cmath>
#include <random>

#include "tests/support/catch.h"

using namespace mw;

namespace {

using Op = Expression::Op;

/// A random smooth expression of t and two parameters.
ExpressionPtr random(std::mt19937& source, int depth) {
    const auto leaf = [&]() -> ExpressionPtr {
        switch (source() % 4) {
            case 0: return Expression::time();
            case 1: return Expression::liveParameter(static_cast<int>(source() % 2));
            default: return Expression::constant(static_cast<double>(source() % 7) / 4 + 0.25);
        }
    };
    if (depth == 0) return leaf();
    const ExpressionPtr a = random(source, depth - 1);
    const ExpressionPtr square =
        Expression::binary(Op::add, Expression::binary(Op::multiply, a, a), Expression::constant(0.5));
    switch (source() % 14) {
        case 0: return Expression::unary(Op::sin, a);
        case 1: return Expression::unary(Op::cos, a);
        case 2: return Expression::unary(Op::sqrt, square);
        case 3: return Expression::unary(Op::log, square);
        case 4: return Expression::unary(Op::exp, Expression::unary(Op::sin, a));
        case 5:
            return Expression::unary(
                Op::asin, Expression::binary(Op::multiply, Expression::constant(0.9), Expression::unary(Op::sin, a)));
        case 6:
            return Expression::unary(
                Op::acos, Expression::binary(Op::multiply, Expression::constant(0.9), Expression::unary(Op::sin, a)));
        case 7: return Expression::binary(Op::divide, a, square);
        case 8: return Expression::binary(Op::power, square, random(source, depth - 1));
        case 9: return Expression::binary(Op::atan2, a, square);
        case 10: return Expression::binary(Op::max, a, random(source, depth - 1));
        case 11: return Expression::binary(Op::subtract, a, random(source, depth - 1));
        case 12: return Expression::unary(Op::negate, a);
        default: return Expression::binary(Op::multiply, a, random(source, depth - 1));
    }
}

}  // namespace

TEST_CASE("The time derivative is the slope of the expression") {
    std::mt19937 source(1);
    const std::vector<double> param = {0.7, 1.3};
    int compared = 0;
    for (int trial = 0; trial < 1000; ++trial) {
        const ExpressionPtr e = random(source, 3);
        const ExpressionPtr d = timeDerivative(e);
        const double t = 0.3 + static_cast<double>(trial % 10) / 9;
        constexpr double h = 1e-4;
        const auto at = [&](double x) { return evaluate(*e, param, x); };
        const double slope = (8 * (at(t + h) - at(t - h)) - (at(t + 2 * h) - at(t - 2 * h))) / (12 * h);
        const double coarse = (at(t + h) - at(t - h)) / (2 * h);
        // Corners of max, and growth that a difference cannot follow, say nothing.
        if (!std::isfinite(slope) || std::abs(slope) > 1e4 || std::abs(slope - coarse) > 1e-4 * (1 + std::abs(slope)))
            continue;
        ++compared;
        CHECK(evaluate(*d, param, t) == Approx(slope).epsilon(1e-6).margin(1e-6));
    }
    CHECK(compared > 700);
}

TEST_CASE("Constants fold and nothing else changes") {
    const ExpressionPtr two = Expression::constant(2), three = Expression::constant(3);
    CHECK(Expression::binary(Op::power, two, three)->op == Op::constant);
    CHECK(Expression::binary(Op::power, two, three)->value == 8);
    const ExpressionPtr p = Expression::liveParameter(0);
    CHECK(Expression::binary(Op::add, p, Expression::constant(0)) == p);
    CHECK(Expression::binary(Op::multiply, Expression::constant(1), p) == p);
    CHECK(usesParameter(*Expression::unary(Op::sin, p)));
    CHECK_FALSE(usesTime(*p));
}
