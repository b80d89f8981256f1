// Programs built by hand that hold every instruction, loop, table and call: all back ends give the same bits.
#include <cmath>
#include <set>

#include "generator/program/builder.h"
#include "generator/program/sincos.h"
#include "generator/program/verify.h"
#include "tests/generator/backend/harness.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

std::shared_ptr<Program> blank(CpuClass cpu) {
    auto program = std::make_shared<Program>();
    program->model_name = "hand";
    program->model_hash = dynamicsHash(test::roomyModel());
    program->cpu = cpu;
    program->nwork = kWorkHeader + 40;
    return program;
}

int addFunction(Program& program, Function function, const char* name) {
    function.name = name;
    program.functions.push_back(std::move(function));
    return static_cast<int>(program.functions.size()) - 1;
}

void addEntry(Program& program, Function function, const char* name) {
    function.caption = std::string("entry ") + name +
                       " */ ?"
                       "?/";
    const int index = addFunction(program, std::move(function), name);
    program.entries.push_back({name, index, {}});
}

/// Every arithmetic instruction on inputs; `fused` too where the class has them.
Function everyInstruction(CpuClass cpu, int sincos) {
    Function function;
    Builder b(function, cpu);
    std::vector<int> values;
    for (int k = 0; k < 6; ++k) values.push_back(b.load({Array::q, 7 * (k % 2) + k, 0}));
    for (int k = 0; k < 4; ++k) values.push_back(b.load({Array::v, k, 0}));
    values.push_back(b.load({Array::tau, 1, 0}));
    values.push_back(b.load({Array::fext, 5, 0}));
    values.push_back(b.load({Array::act, 1, 0}));
    values.push_back(b.load({Array::param, 0, 0}));
    for (const double c : {0.0, -0.0, 1e-320, -2.5, 1e22, 0.1, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        values.push_back(b.constant(c));
    const std::size_t inputs = values.size();
    const auto at = [&](std::size_t k) { return values[k % inputs]; };
    std::vector<int> results;
    for (std::size_t k = 0; k < 12; ++k) {
        for (const Code code : {Code::copy, Code::neg, Code::abs, Code::sqrt, Code::round})
            results.push_back(b.op(code, at(k)));
        for (const Code code : {Code::add, Code::sub, Code::mul, Code::div, Code::min, Code::max, Code::less})
            results.push_back(b.op(code, at(k), at(3 * k + 1)));
        results.push_back(b.op(Code::select, results[results.size() - 1], at(k), at(k + 5)));
        results.push_back(b.op(Code::select, at(k), at(k + 1), at(k + 2)));
        if (cpu == CpuClass::fma)
            for (const Code code : {Code::fma, Code::fms, Code::fnma})
                results.push_back(b.op(code, at(k), at(k + 3), at(k + 7)));
        for (const Library f : {Library::tan, Library::asin, Library::acos, Library::exp, Library::log})
            results.push_back(b.library(f, at(k)));
        for (const Library f : {Library::pow, Library::atan2, Library::fmod})
            results.push_back(b.library(f, at(k), at(k + 2)));
        results.push_back(b.library(Library::pow, at(k), b.constant(2)));
        results.push_back(b.library(Library::pow, b.constant(2), at(k)));
        // A library call that is chosen, as either arm.
        results.push_back(b.op(Code::select, at(k), b.library(Library::exp, at(k)), at(k + 1)));
        results.push_back(b.op(Code::select, at(k + 1), at(k), b.library(Library::exp, at(k + 3))));
    }
    for (std::size_t k = 0; k < 5; ++k)
        for (int r : b.call(sincos, {at(k)}, 2)) results.push_back(r);
    for (std::size_t k = 0; k < 3; ++k) results.push_back(b.call(sincos, {at(k + 5)}, 2)[1]);
    // The negative of a fused zero is a zero of the other sign: compilers like to fold the sign into the fused
    // operation.
    if (cpu == CpuClass::fma) {
        const int fused = b.op(Code::fnma, at(0), at(0), b.op(Code::mul, at(0), at(0)));
        results.push_back(b.op(Code::neg, fused));
        results.push_back(b.op(Code::neg, b.op(Code::copy, b.op(Code::fma, at(1), b.constant(0), b.constant(0)))));
    }
    // All of them reach an output.
    std::size_t slot = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
        b.store({Array::M, static_cast<int>(slot), 0}, results[k]);
        ++slot;
    }
    REQUIRE(results.size() <= 400);
    return function;
}

}  // namespace

TEST_CASE("every instruction, on ordinary and extraordinary numbers") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    auto program = blank(cpu);
    const int sincos = addFunction(*program, makeSincos(cpu), kSincosName);
    // The same body stores to M (mass_matrix has no v, tau, fext, act), so fwd_dyn hands results over in work.
    Function function = everyInstruction(cpu, sincos);
    std::set<int> seen;
    for (const Instruction& i : function.code) seen.insert(static_cast<int>(i.code));
    CHECK(seen.size() == (cpu == CpuClass::fma ? 21u : 18u));  // all but loop
    for (Instruction& i : function.code)
        if (i.code == Code::store) i.place = {Array::work, kWorkHeader + 40 + i.place.index, 0};
    program->nwork = kWorkHeader + 40 + 400;
    addEntry(*program, std::move(function), "fwd_dyn");
    countOperations(*program);
    REQUIRE(verify(*program) == "");
    test::compareBackEnds(program, test::roomyModel(), 60, 1);
}

TEST_CASE("loops, carried values, tables, strides and calls") {
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    auto program = blank(cpu);
    for (int k = 0; k < 24; ++k) program->table.push_back(std::sqrt(k + 0.3) - 2);

    // Functions of 1, 2 and 3 results; one that reads through its caller's counter; one that loops nrhs times itself.
    Function one;
    {
        Builder b(one, cpu);
        const int x = b.parameter(), y = b.parameter();
        b.result(b.mulAdd(x, y, b.constant(0.25)));
    }
    const int f1 = addFunction(*program, std::move(one), "one");
    Function three;
    {
        Builder b(three, cpu);
        const int x = b.parameter();
        b.parameter();  // not read
        b.result(b.op(Code::neg, x));
        b.result(x);
        b.result(b.op(Code::mul, x, x));
    }
    const int f3 = addFunction(*program, std::move(three), "three");
    Function strided;
    {
        Builder b(strided, cpu);
        const int x = b.parameter();
        const int t = b.load({Array::table, 3, 2});
        const int w = b.load({Array::work, kWorkHeader + 2, 1});
        b.store({Array::work, kWorkHeader + 3, 1}, b.mulAdd(x, t, w));
        b.result(b.op(Code::add, t, b.load({Array::q, 1, 1})));
    }
    const int fs = addFunction(*program, std::move(strided), "strided");

    Function dynamics;
    {
        Builder b(dynamics, cpu);
        const int q0 = b.load({Array::q, 0, 0}), v0 = b.load({Array::v, 0, 0});
        // Two carried values that trade places every turn.
        const std::vector<int> c = b.beginLoop(5, {q0, v0});
        const int t = b.load({Array::table, 0, 1});
        const int next = b.call(f1, {c[0], t}, 1)[0];
        b.store({Array::work, kWorkHeader + 20, 2}, next);
        const std::vector<int> last = b.endLoop({c[1], next});
        b.store({Array::vdot, 0, 0}, last[0]);
        b.store({Array::vdot, 1, 0}, last[1]);
        // Nested loops; the inner block uses registers of both outer ones.
        b.beginLoop(3);
        const int outer = b.load({Array::q, 4, 1});
        const std::vector<int> sum = b.beginLoop(4, {outer});
        const int inner = b.load({Array::table, 20, -3});
        const int grown = b.mulAdd(inner, outer, b.op(Code::sub, sum[0], q0));
        const std::vector<int> total = b.endLoop({grown});
        b.store({Array::vdot, 2, 1}, total[0]);
        const std::vector<int> three_values = b.call(f3, {total[0], outer}, 3);
        b.store({Array::vdot, 6, 1}, b.op(Code::sub, three_values[2], three_values[0]));
        b.store({Array::vdot, 10, 1}, three_values[1]);
        b.endLoop();
        // A callee that sees this loop's counter, chained through work.
        b.store({Array::work, kWorkHeader + 2, 0}, v0);
        const std::vector<int> acc = b.beginLoop(6, {q0});
        const int back = b.call(fs, {acc[0]}, 1)[0];
        b.endLoop({back});
        b.beginLoop(0, {});
        b.store({Array::vdot, 15, 0}, q0);  // never
        b.endLoop();
        // Values of a loop of no turns are the first ones.
        b.beginLoop(0, {v0});
        const int none = b.load({Array::q, 2, 0});
        const std::vector<int> same = b.endLoop({none});
        b.store({Array::vdot, 16, 0}, same[0]);
    }
    addEntry(*program, std::move(dynamics), "fwd_dyn");

    Function apply;
    {
        Builder b(apply, cpu);
        const int w = b.load({Array::work, kWorkHeader + 20, 0});
        const std::vector<int> c = b.beginLoop(-1, {w});
        const int x = b.load({Array::rhs, 3, 18});
        const int y = b.mulAdd(x, c[0], w);
        b.store({Array::out, 3, 18}, y);
        const std::vector<int> r = b.endLoop({y});
        b.store({Array::work, kWorkHeader + 30, 0}, r[0]);
    }
    addEntry(*program, std::move(apply), "apply_inverse_mass");
    countOperations(*program);
    REQUIRE(verify(*program, {}) == "");
    test::compareBackEnds(program, test::roomyModel(), 40, 2);
}

TEST_CASE("entries that a program lacks do nothing, and names are found") {
    auto program = blank(CpuClass::baseline);
    Function function;
    Builder b(function, program->cpu);
    b.store({Array::c, 0, 0}, b.load({Array::q, 0, 0}));
    addEntry(*program, std::move(function), "bias");
    countOperations(*program);
    const Model model = test::roomyModel();
    for (const Kernel& kernel : test::everyBackEnd(program, model)) {
        INFO(kernel.maker);
        CHECK(kernel->nq == 20);
        CHECK(kernel->nv == 18);
        CHECK(kernel.modelHash() == program->model_hash);
        CHECK(kernel.kernelHash() == program->hash());
        CHECK(kernel->find(kernel.c, "body", "b3") == 3);
        CHECK(kernel->find(kernel.c, "q", "b2") == 14);
        CHECK(kernel->find(kernel.c, "q", "b0.qw") == 0);
        CHECK(kernel->find(kernel.c, "v", "b2") == 12);
        CHECK(kernel->find(kernel.c, "act", "s1") == 1);
        CHECK(kernel->find(kernel.c, "rsda", "s1") == 2);
        CHECK(kernel->find(kernel.c, "param", "p") == 0);
        CHECK(kernel->find(kernel.c, "body", "nobody") == -1);
        CHECK(kernel->find(kernel.c, "nothing", "b3") == -1);
    }
}

TEST_CASE("a malformed program is refused") {
    auto program = blank(CpuClass::baseline);
    Function function;
    Builder b(function, program->cpu);
    b.store({Array::c, 0, 0}, b.load({Array::q, 20, 0}));  // the model has 20
    addEntry(*program, std::move(function), "bias");
    CHECK_THROWS_AS(interpreterKernel(program, test::roomyModel()), std::invalid_argument);
    CHECK_THROWS_AS(jitKernel(program, test::roomyModel(), Tier::fast), std::invalid_argument);
}
