// Translation of a model's numbers and rotations into expressions.
#include "generator/derive/numbers.h"

#include <cmath>
#include <stdexcept>

namespace mw::gen {

namespace {

Expr translate(Graph& graph, const Expression& e) {
    using E = Expression::Op;
    const auto of = [&](const ExpressionPtr& x) { return x ? translate(graph, *x) : Expr(); };
    const Expr a = of(e.a), b = of(e.b);
    switch (e.op) {
        case E::constant: return graph.constant(e.value);
        case E::parameter: return graph.input(Array::param, e.parameter);
        case E::time: throw std::logic_error("time in an expression of the dynamics");
        case E::negate: return graph.make(Op::neg, a);
        case E::sqrt: return graph.make(Op::sqrt, a);
        case E::sin: return graph.make(Op::sin, a);
        case E::cos: return graph.make(Op::cos, a);
        case E::tan: return graph.make(Op::tan, a);
        case E::asin: return graph.make(Op::asin, a);
        case E::acos: return graph.make(Op::acos, a);
        case E::exp: return graph.make(Op::exp, a);
        case E::log: return graph.make(Op::log, a);
        case E::abs: return graph.make(Op::abs, a);
        case E::add: return graph.make(Op::add, a, b);
        case E::subtract: return graph.make(Op::sub, a, b);
        case E::multiply: return graph.make(Op::mul, a, b);
        case E::divide: return graph.make(Op::div, a, b);
        case E::power: return graph.make(Op::pow, a, b);
        case E::atan2: return graph.make(Op::atan2, a, b);
        case E::min: return graph.make(Op::min, a, b);
        case E::max: return graph.make(Op::max, a, b);
    }
    return {};
}

// cos(pi/2) is 6e-17 in doubles; the author meant 0, and a zero costs nothing.
Expr clean(Graph& graph, Expr e) {
    constexpr double kRounding = 1e-15;
    if (!e.isConstant()) return e;
    const double x = e.value(), nearest = std::round(x);
    return graph.constant(std::fabs(x - nearest) < kRounding ? nearest : x);
}

Mat clean(Graph& graph, Mat a) {
    for (Expr& e : a.e) e = clean(graph, e);
    return a;
}

Mat aboutAxis(Graph& graph, int axis, Expr angle) {
    Mat r = identity(graph);
    if (!angle.graph()) return r;
    const Expr c = clean(graph, cos(angle)), s = clean(graph, sin(angle));
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    r(i, i) = c, r(i, j) = -s;
    r(j, i) = s, r(j, j) = c;
    return r;
}

}  // namespace

Expr numberExpr(Graph& graph, const Number& number) {
    return number.live ? translate(graph, *number.live) : graph.constant(number.value);
}

Vec vectorExpr(Graph& graph, const Number3& n) {
    return {numberExpr(graph, n[0]), numberExpr(graph, n[1]), numberExpr(graph, n[2])};
}

Mat identity(Graph& graph) {
    Mat r;
    for (int i = 0; i < 3; ++i) r(i, i) = graph.constant(1);
    return r;
}

Mat rotationExpr(Graph& graph, const Number3& rpy) {
    const Mat z = aboutAxis(graph, 2, numberExpr(graph, rpy[2]));
    const Mat y = aboutAxis(graph, 1, numberExpr(graph, rpy[1]));
    const Mat x = aboutAxis(graph, 0, numberExpr(graph, rpy[0]));
    return clean(graph, z * y * x);
}

Mat frameAlong(Graph& graph, const Vector3d& n) {
    // The axis least along n, made perpendicular, is the first column.
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (std::fabs(n[static_cast<std::size_t>(i)]) < std::fabs(n[static_cast<std::size_t>(least)])) least = i;
    Vector3d u{};
    u[static_cast<std::size_t>(least)] = 1;
    const double along = n[static_cast<std::size_t>(least)];
    double length = 0;
    for (std::size_t i = 0; i < 3; ++i) u[i] -= along * n[i], length += u[i] * u[i];
    length = std::sqrt(length);
    for (double& x : u) x /= length;
    const Vector3d w{n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]};
    Mat r;
    for (int i = 0; i < 3; ++i) {
        const auto k = static_cast<std::size_t>(i);
        r(i, 0) = graph.constant(u[k]), r(i, 1) = graph.constant(w[k]), r(i, 2) = graph.constant(n[k]);
    }
    return clean(graph, r);
}

Mat turned(Graph& graph, const Mat& a, const Mat& b) { return clean(graph, a * b); }

bool isIdentity(const Mat& a) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (i == j ? !a(i, j).isOne() : !a(i, j).isZero()) return false;
    return true;
}

bool isConstant(const Mat& a) {
    for (const Expr& e : a.e)
        if (!e.isConstant()) return false;
    return true;
}

Mat quaternionMatrix(Graph& graph, const std::array<Expr, 4>& q) {
    const Expr w = q[0], x = q[1], y = q[2], z = q[3], one = graph.constant(1), two = graph.constant(2);
    const Expr x2 = two * x, y2 = two * y, z2 = two * z;
    Mat r;
    r(0, 0) = one - (y * y2 + z * z2), r(0, 1) = x * y2 - w * z2, r(0, 2) = x * z2 + w * y2;
    r(1, 0) = x * y2 + w * z2, r(1, 1) = one - (x * x2 + z * z2), r(1, 2) = y * z2 - w * x2;
    r(2, 0) = x * z2 - w * y2, r(2, 1) = y * z2 + w * x2, r(2, 2) = one - (x * x2 + y * y2);
    return r;
}

}  // namespace mw::gen
