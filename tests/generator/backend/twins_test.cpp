// Loops of two equal halves, done one a lane: which loops are such, and that the bits stay.
#include "generator/backend/twins.h"

#include <functional>

#include "generator/program/lower.h"
#include "generator/program/verify.h"
#include "tests/generator/backend/harness.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

constexpr int kChain = 4;  ///< registers of a half

/// A recurrence over places of half `h`: the same text for both, whatever `change` does to the second.
struct Halves {
    Equations equations;
    int turns = 9;

    explicit Halves(unsigned seed, const std::function<void(Section&)>& change = {}) {
        equations.graph = std::make_shared<Graph>();
        equations.nwork = 400;
        Graph& g = *equations.graph;
        const Expr shared = g.input(Array::param, 0) + g.constant(0.5);
        Section start, loop, end;
        loop.caption = "two chains";
        loop.repeat = Section::Count::constant;
        loop.count = turns;
        for (int h = 0; h < 2; ++h) {
            std::mt19937_64 random(seed);
            std::vector<Expr> pool{shared,
                                   g.input({Array::q, 10 * h, 1}),
                                   g.input({Array::v, 9 * h}),
                                   g.input({Array::work, 100 * h, 3}),
                                   g.constant(1.5 + h),
                                   g.constant(0.25)};
            for (int k = 0; k < kChain; ++k) {
                start.assignments.push_back({{Array::local, kChain * h + k}, g.input(Array::q, 10 * h + k)});
                pool.push_back(g.input(Array::local, kChain * h + k));
            }
            const auto pick = [&] { return pool[random() % pool.size()]; };
            for (int k = 0; k < 60; ++k) {
                const Expr a = pick(), b = pick(), c = pick();
                switch (random() % 8) {
                    case 0:
                    case 1: pool.push_back(a * b + c); break;
                    case 2: pool.push_back(a - b * c); break;
                    case 3: pool.push_back(a / (b * b + g.constant(1.5))); break;
                    case 4: pool.push_back(sqrt(a * a + g.constant(0.5))); break;
                    case 5: pool.push_back(min(a, b) * max(b, c)); break;
                    case 6: pool.push_back(selectLess(a, b, c, a * g.constant(0.5))); break;
                    default: pool.push_back(a + b * g.constant(0.125)); break;
                }
            }
            const auto bounded = [&](std::size_t back) {
                const Expr x = pool[pool.size() - 1 - back];
                return x / (x * x + g.constant(1));
            };
            for (int k = 0; k < kChain; ++k) {
                const Expr next = bounded(static_cast<std::size_t>(5 * k)) + g.input(Array::local, kChain * h + k);
                loop.assignments.push_back({{Array::local, kChain * h + k}, next});
            }
            loop.assignments.push_back({{Array::work, 200 + 100 * h, 3}, bounded(3)});
            loop.assignments.push_back({{Array::work, 201 + 100 * h, 3}, bounded(9)});
            for (int k = 0; k < kChain; ++k)
                end.assignments.push_back({{Array::vdot, kChain * h + k}, g.input(Array::local, kChain * h + k)});
        }
        if (change) change(loop);
        equations.entries.push_back({"fwd_dyn", {start, loop, end}});
    }

    std::shared_ptr<const Program> program(CpuClass cpu) const {
        LowerOptions options;
        options.cpu = cpu;
        return std::make_shared<Program>(lower(equations, "twins", dynamicsHash(test::roomyModel()), options));
    }
};

int twinLoops(const Program& program) {
    int found = 0;
    for (const Function& f : program.functions)
        for (const gen::Loop& loop : f.loops) {
            const Twins twins = findTwins(f, loop);
            if (twins.steps.empty()) continue;
            ++found;
            CHECK(twins.steps.size() <= loop.block.size());
        }
    return found;
}

}  // namespace

TEST_CASE("two equal recurrences are found and give the same bits in two lanes") {
    const Model model = test::roomyModel();
    int found = 0;
    for (unsigned seed = 0; seed < 60; ++seed) found += twinLoops(*Halves(seed).program(hostCpuClass()));
    CHECK(found > 40);
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    for (const unsigned seed : {5u, 6u, 7u}) {
        INFO("seed " << seed);
        const auto program = Halves(seed).program(cpu);
        REQUIRE(verify(*program) == "");
        test::compareBackEnds(program, model, 20, seed);
    }
}

TEST_CASE("halves that are not equal, or wait for one another, stay as they are") {
    const Model model = test::roomyModel();
    const unsigned seed = 5;
    REQUIRE(twinLoops(*Halves(seed).program(CpuClass::baseline)) == 1);
    const auto stays = [&](const std::function<void(Section&, Graph&)>& change) {
        Graph* graph = nullptr;
        Halves halves(seed, [&](Section& loop) {
            graph = loop.assignments[0].value.graph();
            change(loop, *graph);
        });
        const auto program = halves.program(CpuClass::baseline);
        REQUIRE(verify(*program) == "");
        CHECK(twinLoops(*program) == 0);
        test::compareBackEnds(program, model, 4, 1);
    };
    // Another operation, a place that moves otherwise, one half feeding the other, one store more, a store that the
    // other half reads in the same turn.
    stays([](Section& s, Graph&) { s.assignments[0].value = s.assignments[0].value - s.assignments[1].value; });
    stays([](Section& s, Graph&) { s.assignments[4].place.stride = 2; });
    stays([](Section& s, Graph& g) { s.assignments[7].value = s.assignments[7].value + g.input(Array::local, 0); });
    stays([](Section& s, Graph&) { s.assignments.push_back({{Array::work, 350, 1}, s.assignments[0].value}); });
    stays([](Section& s, Graph& g) {
        s.assignments[0].value = s.assignments[0].value + g.input({Array::work, 301, 3});
        s.assignments[6].value = s.assignments[6].value + g.input({Array::work, 201, 3});
    });
}
