// The expression graph: what simplifies to what, that simplification never changes a value, and derivatives against
// differences.
#include "generator/expr/expr.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/random_tree.h"

using namespace mw::gen;
using mw::test::Random;

namespace {

struct Inputs {
    Graph graph;
    Expr a = graph.input(Array::q, 0), b = graph.input(Array::q, 1), c = graph.input(Array::v, 0);
    Expr number(double x) { return graph.constant(x); }
};

/// A random expression, built twice: simplified, and as a plain value.
struct Pair {
    Expr expr;
    double value;
};

Pair randomPair(Graph& graph, Random& random, const std::vector<double>& x, int depth) {
    if (depth == 0 || random.below(8) == 0) {
        if (random.below(3) == 0) {
            const double constants[] = {0, 1, -1, 2, -0.5, 3.25};
            const double value = constants[random.below(6)];
            return {graph.constant(value), value};
        }
        const int i = random.below(static_cast<int>(x.size()));
        return {graph.input(Array::q, i), x[static_cast<std::size_t>(i)]};
    }
    const Pair a = randomPair(graph, random, x, depth - 1);
    switch (random.below(10)) {
        case 0: return {-a.expr, -a.value};
        case 1: return {sin(a.expr), std::sin(a.value)};
        case 2: return {cos(a.expr), std::cos(a.value)};
        case 3: return {sqrt(a.expr * a.expr + graph.constant(1)), std::sqrt(a.value * a.value + 1)};
        default: break;
    }
    const Pair b = randomPair(graph, random, x, depth - 1);
    switch (random.below(7)) {
        case 0:
        case 1: return {a.expr + b.expr, a.value + b.value};
        case 2:
        case 3: return {a.expr - b.expr, a.value - b.value};
        case 4: return {a.expr / (b.expr * b.expr + graph.constant(1)), a.value / (b.value * b.value + 1)};
        case 5: return {max(a.expr, b.expr), std::max(a.value, b.value)};
        default: return {a.expr * b.expr, a.value * b.value};
    }
}

}  // namespace

TEST_CASE("equal expressions are one node") {
    Inputs g;
    CHECK((g.a + g.b).id() == (g.b + g.a).id());
    CHECK((g.a * g.b).id() == (g.b * g.a).id());
    CHECK((sin(g.a) * g.b).id() == (g.b * sin(g.a)).id());
    CHECK((g.a - g.b).id() != (g.a + g.b).id());
    CHECK(g.graph.input(Array::q, 0).id() == g.a.id());
    CHECK(g.graph.input(Array::v, 1).id() != g.b.id());
    CHECK(g.graph.input(Place{Array::rhs, 0, 3}).id() != g.graph.input(Place{Array::rhs, 0, 4}).id());
}

TEST_CASE("zeros, ones and signs vanish at the source") {
    Inputs g;
    const Expr zero, one = g.number(1), minus = g.number(-1);
    CHECK((g.a + zero).id() == g.a.id());
    CHECK((zero + g.a).id() == g.a.id());
    CHECK((g.a - zero).id() == g.a.id());
    CHECK((g.a * one).id() == g.a.id());
    CHECK((g.a * zero).isZero());
    CHECK((g.a - g.a).isZero());
    CHECK((zero / g.a).isZero());
    CHECK((-(-g.a)).id() == g.a.id());
    CHECK((minus * g.a).id() == (-g.a).id());
    CHECK(((-g.a) * (-g.b)).id() == (g.a * g.b).id());
    CHECK(((-g.a) * g.b).id() == (-(g.a * g.b)).id());
    CHECK((g.a + (-g.b)).id() == (g.a - g.b).id());
    CHECK((g.a - (-g.b)).id() == (g.a + g.b).id());
    CHECK((-(g.a - g.b)).id() == (g.b - g.a).id());
    CHECK(((-g.a) / g.b).id() == (-(g.a / g.b)).id());
    CHECK(sin(-g.a).id() == (-sin(g.a)).id());
    CHECK(cos(-g.a).id() == cos(g.a).id());
    CHECK((Expr() + Expr()).isZero());
    CHECK((Expr() * g.a).isZero());
}

TEST_CASE("constants fold and gather, like terms join") {
    Inputs g;
    CHECK((g.number(2) * g.number(3)).value() == 6);
    CHECK(sin(g.number(0.5)).value() == std::sin(0.5));
    CHECK((g.number(2) * (g.number(3) * g.a)).id() == (g.number(6) * g.a).id());
    CHECK(((g.number(2) * g.a) * (g.number(3) * g.b)).id() == (g.number(6) * (g.a * g.b)).id());
    CHECK(((g.a + g.number(1)) + g.number(2)).id() == (g.a + g.number(3)).id());
    CHECK((g.number(2) * g.a + g.number(3) * g.a).id() == (g.number(5) * g.a).id());
    CHECK((g.a + g.a).id() == (g.number(2) * g.a).id());
    CHECK((g.number(2) * g.a - g.number(2) * g.a).isZero());
    CHECK((cos(g.a) * cos(g.a) + sin(g.a) * sin(g.a)).isOne());
    CHECK((g.number(3) * (sin(g.a) * sin(g.a)) + g.number(3) * (cos(g.a) * cos(g.a))).value() == 3);
    CHECK((g.a / g.number(4)).id() == (g.number(0.25) * g.a).id());
    CHECK((g.a / g.a).isOne());
}

TEST_CASE("simplified expressions have the value of what was written") {
    Random random(42);
    for (int trial = 0; trial < 3000; ++trial) {
        Graph graph;
        const std::vector<double> x{random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)};
        const Pair pair = randomPair(graph, random, x, 5);
        const auto lookup = [&](const Place& place) { return x[static_cast<std::size_t>(place.index)]; };
        const double value = pair.expr.graph() ? evaluate(graph, pair.expr.id(), lookup) : 0;
        REQUIRE(value == Approx(pair.value).epsilon(1e-11).margin(1e-11));
        if (pair.expr.graph()) REQUIRE(evaluateAll(graph, lookup)[static_cast<std::size_t>(pair.expr.id())] == value);
    }
}

TEST_CASE("derivatives agree with differences") {
    Random random(43);
    int smooth = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        Graph graph;
        std::vector<double> x{random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)};
        const Pair pair = randomPair(graph, random, x, 4);
        if (!pair.expr.graph()) continue;
        const int by = random.below(3);
        const Expr slope = differentiate(graph, pair.expr, Place{Array::q, by, 0});
        const auto at = [&](double shift) {
            std::vector<double> y = x;
            y[static_cast<std::size_t>(by)] += shift;
            return evaluate(graph, pair.expr.id(),
                            [&](const Place& p) { return y[static_cast<std::size_t>(p.index)]; });
        };
        const double h = 1e-5, left = (at(0) - at(-h)) / h, right = (at(h) - at(0)) / h;
        const double middle = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        if (std::fabs(left - right) > 1e-2 * (1 + std::fabs(middle))) continue;  // a corner of max between the points
        ++smooth;
        const double value =
            evaluate(graph, slope.id(), [&](const Place& p) { return x[static_cast<std::size_t>(p.index)]; });
        REQUIRE(value == Approx(middle).epsilon(1e-6).margin(1e-6));
    }
    CHECK(smooth > 1500);
}

TEST_CASE("derivatives of the remaining functions follow their rules") {
    Graph graph;
    const Expr x = graph.input(Array::param, 0);
    const Op ops[] = {Op::tan, Op::asin, Op::acos, Op::exp, Op::log, Op::abs, Op::sqrt};
    for (Op op : ops) {
        const Expr f = graph.make(op, x), d = differentiate(graph, f, Place{Array::param, 0, 0});
        const auto value = [&](Expr e, double at) { return evaluate(graph, e.id(), [&](const Place&) { return at; }); };
        const double h = 1e-6;
        CHECK(value(d, 0.4) == Approx((value(f, 0.4 + h) - value(f, 0.4 - h)) / (2 * h)).epsilon(1e-8));
    }
    const Expr y = graph.input(Array::param, 1);
    for (Op op : {Op::pow, Op::atan2, Op::div, Op::min, Op::max}) {
        const Expr f = graph.make(op, x, y);
        for (int by : {0, 1}) {
            const Expr d = differentiate(graph, f, Place{Array::param, by, 0});
            const auto value = [&](Expr e, double shift) {
                return evaluate(graph, e.id(),
                                [&](const Place& p) { return (p.index ? 0.9 : 1.7) + (p.index == by ? shift : 0); });
            };
            const double h = 1e-6;
            CHECK(value(d, 0) == Approx((value(f, h) - value(f, -h)) / (2 * h)).epsilon(1e-8).margin(1e-9));
        }
    }
}

TEST_CASE("expressions print as people write them, and long ones are cut") {
    Inputs g;
    CHECK(print(g.a - (g.b - g.c)) == "q[0] - (q[1] - v[0])");
    const Expr both = g.a + g.b, sine = sin(g.c);  // older nodes print first
    CHECK(print(both * sine) == "(q[0] + q[1])*sin(v[0])");
    CHECK(print(g.a / (g.b * g.c)) == "q[0]/(q[1]*v[0])");
    CHECK(print(-(g.a * g.b)) == "-(q[0]*q[1])");
    CHECK(print(Expr()) == "0");
    Expr sum = g.a;
    for (int i = 0; i < 100000; ++i) sum = sum * g.b + g.c;
    const std::string text = print(sum, 200);
    CHECK(text.size() < 2000);
    CHECK(text.find("...") != std::string::npos);
}

TEST_CASE("what is reachable is what is needed") {
    Inputs g;
    const Expr product = g.a * g.b, sum = product + g.c, other = sin(g.a);
    const std::vector<char> needed = reachable(g.graph, {sum.id()});
    CHECK(needed[static_cast<std::size_t>(product.id())]);
    CHECK(needed[static_cast<std::size_t>(g.c.id())]);
    CHECK(!needed[static_cast<std::size_t>(other.id())]);
}

TEST_CASE("places with two counters, and registers, are inputs of their own") {
    Graph graph;
    const Expr plain = graph.input({Array::work, 3, 2}), nested = graph.input({Array::work, 3, 2, 5});
    CHECK(plain.id() != nested.id());
    CHECK(nested.id() == graph.input({Array::work, 3, 2, 5}).id());
    CHECK(graph.input({Array::work, 3, 0, 2}).id() != plain.id());
    CHECK((nested - nested).isZero());
    CHECK(print(nested) == "work[3 + 2 k + 5 m]");
    CHECK(print(graph.input({Array::local, 4})) == "local[4]");
    CHECK(std::string(arrayName(Array::table)) == "table");
}
