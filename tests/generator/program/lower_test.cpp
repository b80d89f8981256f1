// Lowering and verification: what is computed, in which places, and that malformed programs are named.
#include "generator/program/lower.h"

#include "generator/program/builder.h"
#include "generator/program/verify.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

Equations simple(std::vector<Section> sections, std::shared_ptr<Graph> graph, const char* name = "fwd_dyn") {
    Equations equations;
    equations.graph = std::move(graph);
    equations.entries.push_back({name, std::move(sections)});
    return equations;
}

int count(const std::vector<Instruction>& block, Code code) {
    int n = 0;
    for (const Instruction& i : block) n += i.code == code;
    return n;
}

const Function& entryFunction(const Program& program) {
    return program.functions[static_cast<std::size_t>(program.entries[0].function)];
}

}  // namespace

TEST_CASE("only what is needed is computed, and a product used once is fused where the class has it") {
    auto graph = std::make_shared<Graph>();
    const Expr a = graph->input(Array::q, 0), b = graph->input(Array::q, 1), c = graph->input(Array::v, 0);
    (void)(a / c);  // nobody needs it
    Section section;
    section.assignments = {
        {{Array::vdot, 0, 0}, a * b + c}, {{Array::vdot, 1, 0}, c - a * c}, {{Array::vdot, 2, 0}, b * c - a}};
    const Equations equations = simple({section}, graph);
    const Program plain = lower(equations, "m", {}, {CpuClass::baseline});
    CHECK(verify(plain).empty());
    CHECK(count(entryFunction(plain).code, Code::div) == 0);
    CHECK(plain.entries[0].count.mul == 3);
    CHECK(plain.entries[0].count.add == 3);
    CHECK(plain.entries[0].count.longest_path == 2);
    const Program fused = lower(equations, "m", {}, {CpuClass::fma});
    CHECK(verify(fused).empty());
    CHECK(count(entryFunction(fused).code, Code::fma) == 1);
    CHECK(count(entryFunction(fused).code, Code::fnma) == 1);
    CHECK(count(entryFunction(fused).code, Code::fms) == 1);
    CHECK(fused.entries[0].count.mul == 0);
    CHECK(fused.entries[0].count.flops() == 6);
    CHECK(!(plain.hash() == fused.hash()));
}

TEST_CASE("sine and cosine of one argument are one call") {
    auto graph = std::make_shared<Graph>();
    const Expr x = graph->input(Array::q, 0);
    Section section;
    section.assignments = {{{Array::vdot, 0, 0}, sin(x) * cos(x)}, {{Array::vdot, 1, 0}, sin(x + x)}};
    const Program program = lower(simple({section}, graph), "m", {}, {CpuClass::fma});
    CHECK(verify(program).empty());
    CHECK(program.entries[0].count.sincos == 2);
}

TEST_CASE("a section computes from what the arrays hold at its start; the next one sees what it stored") {
    auto graph = std::make_shared<Graph>();
    const Expr w = graph->input(Array::work, 0), q = graph->input(Array::q, 0);
    Section section;
    section.assignments = {{{Array::vdot, 0, 0}, q}, {{Array::work, 0, 0}, q * q}, {{Array::vdot, 1, 0}, w + q}};
    Section next;
    next.assignments = {{{Array::vdot, 2, 0}, w + q}};
    Equations equations = simple({section, next}, graph);
    equations.nwork = 1;
    const Program program = lower(equations, "m", {}, {});
    CHECK(verify(program).empty());
    CHECK(program.nwork == kWorkHeader + 1);
    const Function& function = entryFunction(program);
    CHECK(count(function.code, Code::load) == 3);
    CHECK(count(function.code, Code::add) == 2);
    // The first load of work stands before the store to it, the second behind.
    std::vector<Code> order;
    for (const Instruction& i : function.code)
        if (i.place.array == Array::work) order.push_back(i.code);
    CHECK(order == std::vector<Code>{Code::load, Code::store, Code::load});
}

TEST_CASE("a repeated section is a loop, with what does not change before it") {
    auto graph = std::make_shared<Graph>();
    const Expr t = graph->input({Array::table, 0, 1}), w = graph->input(Array::work, 0), q = graph->input(Array::q, 0);
    Section section;
    section.repeat = Section::Count::constant;
    section.count = 3;
    section.assignments = {{{Array::work, 0, 0}, w + t * (q * q)}, {{Array::vdot, 0, 1}, t * q}};
    Equations equations = simple({section}, graph);
    equations.nwork = 1;
    equations.tables.push_back({"t", {1, 2, 3}});
    const Program program = lower(equations, "m", {}, {});
    CHECK(verify(program).empty());
    const Function& function = entryFunction(program);
    REQUIRE(function.loops.size() == 1);
    CHECK(function.loops[0].count == 3);
    CHECK(count(function.loops[0].block, Code::store) == 2);
    CHECK(count(function.code, Code::mul) == 1);                // q q
    CHECK(program.entries[0].count.longest_path == 2 + 1 + 2);  // q q, t (q q), then three sums one after the other
}

TEST_CASE("long entries are cut into functions of bounded size") {
    auto graph = std::make_shared<Graph>();
    Section section;
    Expr sum = graph->input(Array::q, 0);
    std::vector<Expr> kept;
    for (int k = 1; k < 400; ++k) {
        sum = sum * graph->input(Array::q, k % 7) + graph->constant(k);
        kept.push_back(sum);
    }
    for (int k = 0; k < 20; ++k)
        section.assignments.push_back({{Array::vdot, k, 0}, kept[static_cast<std::size_t>(k * 19)] * sum});
    LowerOptions options;
    options.function_limit = 100;
    const Program program = lower(simple({section}, graph), "m", {}, options);
    CHECK(verify(program).empty());
    CHECK(program.functions.size() >= 9);
    for (const Function& function : program.functions) CHECK(function.code.size() < 160);
    CHECK(program.nwork > kWorkHeader);
    CHECK(program.entries[0].count.longest_path >= 2 * 399);
}

TEST_CASE("verification names the first fault") {
    Program program;
    program.nwork = 10;
    Function function;
    function.name = "fwd_dyn";
    Builder b(function, CpuClass::baseline);
    const int q = b.load({Array::q, 0, 0});
    const int two = b.op(Code::add, q, q);
    b.store({Array::vdot, 0, 0}, two);
    program.functions.push_back(function);
    program.entries.push_back({"fwd_dyn", 0, {}});
    REQUIRE(verify(program).empty());
    const auto fault = [&](auto&& change) {
        Program copy = program;
        change(copy.functions[0]);
        return verify(copy);
    };
    using F = Function;
    CHECK(fault([](F& f) { f.code[1].a = 7; }).find("register 7") != std::string::npos);
    CHECK(fault([](F& f) { f.code[1].a = 1; }).find("before it is assigned") != std::string::npos);
    CHECK(fault([](F& f) { f.code[1].dst = 0; }).find("twice") != std::string::npos);
    CHECK(fault([](F& f) { f.code[2].place = {Array::work, 10, 0}; }).find("work[10]") != std::string::npos);
    CHECK(fault([](F& f) { f.code[2].place = {Array::work, 0, 0}; }).find("header") != std::string::npos);
    CHECK(fault([](F& f) { f.code[2].place = {Array::q, 0, 0}; }).find("input") != std::string::npos);
    CHECK(fault([](F& f) { f.code[1].code = Code::fma, f.code[1].c = 0; }).find("fuses") != std::string::npos);
    CHECK(fault([](F& f) { f.code[1].code = Code::call, f.code[1].callee = 0; }).find("precede") != std::string::npos);
    ArraySizes sizes;
    sizes[Array::q] = 0;
    CHECK(verify(program, sizes).find("q[0]") != std::string::npos);
    // A register of a loop's block is gone behind it.
    Function loop;
    loop.name = "fwd_dyn";
    Builder l(loop, CpuClass::baseline);
    l.beginLoop(2);
    const int inside = l.load({Array::q, 0, 1});
    l.endLoop();
    l.store({Array::vdot, 0, 0}, inside);
    program.functions[0] = loop;
    CHECK(verify(program).find("before it is assigned") != std::string::npos);
}
