// Random expressions, lowered with small and large functions: all back ends agree to the bit, and with plain
// evaluation.
#include <cmath>

#include "generator/program/lower.h"
#include "generator/program/verify.h"
#include "tests/generator/backend/harness.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

Equations randomEquations(unsigned seed, int size) {
    std::mt19937_64 random(seed);
    Equations equations;
    equations.graph = std::make_shared<Graph>();
    Graph& graph = *equations.graph;
    std::vector<Expr> pool;
    for (int k = 0; k < 20; ++k) pool.push_back(graph.input(Array::q, k));
    for (int k = 0; k < 18; ++k) pool.push_back(graph.input(Array::v, k));
    for (int k = 0; k < 6; ++k) pool.push_back(graph.constant(std::uniform_real_distribution<double>(-2, 2)(random)));
    const auto pick = [&] {
        // Mostly recent ones, so that chains grow long.
        const std::size_t n = pool.size();
        return random() % 3 == 0 ? pool[random() % n] : pool[n - 1 - random() % std::min<std::size_t>(n, 40)];
    };
    for (int k = 0; k < size; ++k) {
        const Expr a = pick(), b = pick(), c = pick();
        switch (random() % 14) {
            case 0:
            case 1:
            case 2: pool.push_back(a + b); break;
            case 3:
            case 4: pool.push_back(a - b); break;
            case 5:
            case 6:
            case 7: pool.push_back(sin(a) * b); break;
            case 8: pool.push_back(cos(a) * cos(b)); break;
            case 9: pool.push_back(a / (b * b + graph.constant(1.5))); break;
            case 10: pool.push_back(sqrt(a * a + graph.constant(0.5))); break;
            case 11: pool.push_back(min(a, b)); break;
            case 12: pool.push_back(max(a, -b)); break;
            default: pool.push_back(selectLess(a, b, sin(c), graph.make(Op::atan2, b, c))); break;
        }
    }
    Section first, second;
    first.caption = "first";
    second.caption = "second";
    for (int k = 0; k < 18; ++k)
        first.assignments.push_back(
            {{Array::vdot, k, 0}, sin(pool[pool.size() - 1 - static_cast<std::size_t>(k) * 3])});
    // Through work: written here, read by a later section under the same name.
    equations.nwork = 8;
    for (int k = 0; k < 8; ++k)
        first.assignments.push_back({{Array::work, k, 0}, sin(pool[pool.size() / 2 + static_cast<std::size_t>(k)])});
    Section loop;
    loop.repeat = Section::Count::constant;
    loop.count = 7;
    const Expr w = graph.input({Array::work, 0, 1}), t = graph.input({Array::table, 0, 1});
    // A long body, so that small functions cut it, with values from outside and from turn to turn.
    Expr chain = sin(w * t);
    for (int k = 0; k < 60; ++k) {
        const Expr outer = pool[pool.size() - 2 - static_cast<std::size_t>(k)];
        chain = sin(chain * t * graph.constant(0.125) + outer) + graph.input({Array::q, k % 13, 1}) * outer;
    }
    loop.assignments.push_back({{Array::work, 1, 1}, sin(chain) + pool[pool.size() - 2] * t});
    equations.tables.push_back({"t", {0.5, -1, 2, 0.25, 1, 3, -0.125}});
    for (int k = 0; k < 8; ++k)
        second.assignments.push_back({{Array::vdot, k, 0}, graph.input(Array::work, k) + sin(pool[pool.size() - 5])});
    equations.entries.push_back({"fwd_dyn", {first, loop, second}});
    Section repeated;
    repeated.repeat = Section::Count::nrhs;
    for (int k = 0; k < 18; ++k)
        repeated.assignments.push_back({{Array::out, k, 18},
                                        graph.input({Array::rhs, k, 18}) * graph.input(Array::work, k % 8) +
                                            graph.input({Array::rhs, (k + 5) % 18, 18})});
    equations.entries.push_back({"apply_inverse_mass", {repeated}});
    return equations;
}

}  // namespace

TEST_CASE("random expressions through every back end") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    const int size = GENERATE(60, 700);
    const int limit = GENERATE(60, 1000);
    const Equations equations = randomEquations(static_cast<unsigned>(size + limit), size);
    LowerOptions options;
    options.cpu = cpu;
    options.function_limit = limit;
    const Model model = test::roomyModel();
    auto program = std::make_shared<Program>(lower(equations, "random", dynamicsHash(model), options));
    INFO(cpuClassName(cpu) << " " << size << " " << limit);
    REQUIRE(verify(*program) == "");
    if (limit == 60 && size == 700) CHECK(program->functions.size() > 10);
    test::compareBackEnds(program, model, 10, 5);

    // Against evaluation of the graph, section by section.
    const Kernel kernel = interpreterKernel(program, model);
    std::mt19937_64 random(9);
    for (int trial = 0; trial < 20; ++trial) {
        const test::Inputs in = test::randomInputs(*kernel.c, random, false);
        std::vector<double> work = makeWork(kernel), vdot(18), lambda(1);
        kernel->fwd_dyn(in.q.data(), in.v.data(), nullptr, nullptr, nullptr, in.param.data(), work.data(), vdot.data(),
                        lambda.data());
        std::vector<double> w(8), wanted(18);
        int counter = 0;
        const auto look = [&](const Place& place) {
            const auto at = static_cast<std::size_t>(place.index + place.stride * counter);
            switch (place.array) {
                case Array::q: return in.q[at];
                case Array::v: return in.v[at];
                case Array::work: return w[at];
                default: return equations.tables[0].values[at];
            }
        };
        for (const Section& section : equations.entries[0].sections) {
            for (counter = 0; counter < (section.repeat == Section::Count::once ? 1 : section.count); ++counter)
                for (const Assignment& a : section.assignments) {
                    const double value = evaluate(*equations.graph, a.value.id(), look);
                    const auto at = static_cast<std::size_t>(a.place.index + a.place.stride * counter);
                    (a.place.array == Array::work ? w : wanted)[at] = value;
                }
            counter = 0;
        }
        for (std::size_t k = 0; k < 18; ++k) CHECK(vdot[k] == Approx(wanted[k]).margin(1e-6).epsilon(1e-6));
    }
}

TEST_CASE("splitting changes no bit") {
    const Model model = test::roomyModel();
    const Equations equations = randomEquations(77, 500);
    std::mt19937_64 random(13);
    LowerOptions options;
    options.cpu = CpuClass::fma;
    const auto whole = std::make_shared<Program>(lower(equations, "m", {}, options));
    const Kernel reference = interpreterKernel(whole, model);
    for (const int limit : {20, 50, 130, 400}) {
        options.function_limit = limit;
        const auto parts = std::make_shared<Program>(lower(equations, "m", {}, options));
        REQUIRE(verify(*parts) == "");
        const Kernel kernel = interpreterKernel(parts, model);
        for (int trial = 0; trial < 5; ++trial) {
            const test::Inputs in = test::randomInputs(*kernel.c, random, trial % 2 == 1);
            const std::vector<double> a = test::runAll(reference, in, kWorkHeader + 8),
                                      b = test::runAll(kernel, in, kWorkHeader + 8);
            std::size_t differ = 0;
            for (std::size_t k = 0; k < a.size(); ++k) differ += !test::sameBits(a[k], b[k]);
            CHECK(differ == 0);
        }
    }
}
