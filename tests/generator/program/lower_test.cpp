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

namespace {

Section turns(int count, std::vector<Assignment> assignments, std::vector<Section> inner = {}) {
    Section section;
    section.repeat = Section::Count::constant;
    section.count = count;
    section.assignments = std::move(assignments);
    section.inner = std::move(inner);
    return section;
}

}  // namespace

TEST_CASE("registers: carried where a loop assigns them, refused where they have no value yet") {
    auto graph = std::make_shared<Graph>();
    const Place a{Array::local, 0}, b{Array::local, 3};
    const Expr ra = graph->input(a), rb = graph->input(b), q = graph->input({Array::q, 0, 1});
    Section start, end;
    start.assignments = {{a, graph->constant(1)}};
    end.assignments = {{{Array::vdot, 0, 0}, ra}};
    {
        // b hands a value on within the turn only: no register passes it to the next one.
        const Program program =
            lower(simple({start, turns(4, {{b, q * q}}, {turns(2, {{a, ra * rb}})}), end}, graph), "m", {}, {});
        CHECK(verify(program).empty());
        const Function& function = entryFunction(program);
        REQUIRE(function.loops.size() == 2);
        CHECK(function.loops[0].carried.size() == 1);
        CHECK(function.loops[1].carried.size() == 1);
        CHECK(program.entries[0].count.mul == 4 + 4 * 2);
        CHECK(program.entries[0].count.longest_path == 1 + 8);
        CHECK(count(function.code, Code::load) == 0);
    }
    {
        // Behind a loop a register has the value of the last turn, even if it had none before.
        const Program program = lower(simple({turns(3, {{a, q}}), end}, graph), "m", {}, {});
        CHECK(verify(program).empty());
    }
    const auto refused = [&](std::vector<Section> sections) {
        CHECK_THROWS_AS(lower(simple(std::move(sections), graph), "m", {}, {}), std::logic_error);
    };
    refused({end});
    refused({turns(3, {{a, ra + q}}), end});
    refused({turns(3, {}, {turns(2, {{{Array::vdot, 0, 1}, ra}}), turns(2, {{a, q}})})});
    Section each = turns(1, {{a, q}});
    each.repeat = Section::Count::nrhs;  // perhaps no turn
    refused({each, end});
    refused({start, turns(2, {}, {turns(2, {}, {turns(2, {{a, ra + q}})})})});
    Section strided;
    strided.assignments = {{{Array::local, 0, 1}, q}};
    refused({strided});
}

TEST_CASE("registers that trade places do so at once") {
    auto graph = std::make_shared<Graph>();
    const Place a{Array::local, 0}, b{Array::local, 1};
    const Expr ra = graph->input(a), rb = graph->input(b);
    Section start, end;
    start.assignments = {{a, graph->input(Array::q, 0)}, {b, graph->input(Array::q, 1)}};
    end.assignments = {{{Array::vdot, 0, 0}, ra}, {{Array::vdot, 1, 0}, rb}};
    const Program program = lower(simple({start, turns(3, {{a, rb}, {b, ra}}), end}, graph), "m", {}, {});
    CHECK(verify(program).empty());
    const Function& function = entryFunction(program);
    REQUIRE(function.loops.size() == 1);
    REQUIRE(function.loops[0].carried.size() == 2);
    CHECK(function.loops[0].block.empty());
    CHECK(function.loops[0].carried[0].next == function.loops[0].carried[1].inside);
    CHECK(function.loops[0].carried[1].next == function.loops[0].carried[0].inside);
}

TEST_CASE("sines of a loop whose turns wait for one another are taken first") {
    auto graph = std::make_shared<Graph>();
    const Place angle{Array::local, 0}, x{Array::local, 1};
    const Expr turned = graph->input(angle) + graph->input({Array::q, 0, 1});
    Section start, end;
    start.assignments = {{angle, graph->constant(0)}, {x, graph->constant(1)}};
    end.assignments = {{{Array::vdot, 0, 0}, graph->input(x)}};
    const Equations equations =
        simple({start, turns(9, {{angle, turned}, {x, graph->input(x) * cos(turned) + sin(turned)}}), end}, graph);
    const Program program = lower(equations, "m", {}, {});
    CHECK(verify(program).empty());
    const Function& function = entryFunction(program);
    REQUIRE(function.loops.size() == 3);
    CHECK(count(function.loops[0].block, Code::call) == 0);
    CHECK(count(function.loops[0].block, Code::add) == 1);
    CHECK(function.loops[0].carried.size() == 1);
    CHECK(count(function.loops[1].block, Code::call) == 1);
    CHECK(function.loops[1].carried.empty());
    CHECK(count(function.loops[2].block, Code::call) == 0);
    CHECK(function.loops[2].carried.size() == 1);  // the angle is no longer needed there
    CHECK(program.entries[0].count.sincos == 9);
    CHECK(program.entries[0].count.add == 9 + 9);
    CHECK(program.nwork == kWorkHeader + 3 * 9);
    // An angle that needs the last turn's sine stays.
    const Expr fed = sin(graph->input(x) + graph->input({Array::q, 0, 1}));
    const Program other = lower(simple({start, turns(9, {{x, fed}}), end}, graph), "m", {}, {});
    CHECK(verify(other).empty());
    CHECK(entryFunction(other).loops.size() == 1);
}

TEST_CASE("a long block of a loop is cut, what it carries included") {
    auto graph = std::make_shared<Graph>();
    const Place a{Array::local, 0}, b{Array::local, 1};
    Section start, end;
    start.assignments = {{a, graph->input(Array::q, 0)}, {b, graph->input(Array::q, 1)}};
    Expr sum = graph->input(a) * graph->constant(0.75), other = graph->input(b);
    for (int k = 0; k < 150; ++k) {
        sum = sum * graph->input({Array::q, k % 5, 1}) + graph->input({Array::v, k % 3, 1, 2}) * graph->constant(k + 2);
        if (k % 50 == 0) other = other + sum;
    }
    end.assignments = {{{Array::vdot, 0, 0}, graph->input(a)}, {{Array::vdot, 1, 0}, graph->input(b)}};
    LowerOptions options;
    options.function_limit = 100;
    const Program program =
        lower(simple({start, turns(3, {}, {turns(4, {{a, sum}, {b, other}})}), end}, graph), "m", {}, options);
    CHECK(verify(program).empty());
    CHECK(program.functions.size() >= 5);
    for (const Function& function : program.functions) {
        CHECK(function.code.size() < 160);
        for (const gen::Loop& loop : function.loops) CHECK(loop.block.size() < 30);
    }
    const std::vector<ArrayUse> uses = arrayUse(program);
    int both = 0;
    for (const ArrayUse& use : uses) both += use.counter && use.outer;
    CHECK(both >= 4);
    CHECK(!uses[static_cast<std::size_t>(program.entries[0].function)].counter);
    CHECK(program.entries[0].count.mul == 3 * 4 * 301);
}

TEST_CASE("verification of nests") {
    Program program;
    program.nwork = 20;
    const auto verified = [&](auto&& write) {
        Function function;
        function.name = "fwd_dyn";
        Builder b(function, CpuClass::baseline);
        write(b);
        program.functions.resize(program.functions.size() > 1 ? 1 : 0);
        program.functions.push_back(function);
        program.entries = {{"fwd_dyn", static_cast<int>(program.functions.size()) - 1, {}}};
        return verify(program);
    };
    const auto nest = [&](int outer, int inner, Place place) {
        return verified([&](Builder& b) {
            const int x = b.load({Array::q, 0});
            b.beginLoop(outer);
            b.beginLoop(inner);
            b.store(place, x);
            b.endLoop();
            b.endLoop();
        });
    };
    CHECK(nest(3, 4, {Array::work, 8, 1, 4}) == "");
    CHECK(nest(3, 5, {Array::work, 8, 1, 4}).find("work[20]") != std::string::npos);
    CHECK(nest(4, 4, {Array::work, 8, 1, 4}).find("work[20]") != std::string::npos);
    CHECK(nest(3, 4, {Array::work, 16, 1, -4}) == "");
    CHECK(nest(4, 4, {Array::work, 16, 1, -4}).find("header") != std::string::npos);
    CHECK(nest(3, 4, {Array::work, 11, -2, 4}).find("header") != std::string::npos);
    CHECK(verified([&](Builder& b) {
              for (int k = 0; k < 3; ++k) b.beginLoop(2);
              for (int k = 0; k < 3; ++k) b.endLoop();
          }).find("more than two loops") != std::string::npos);
    // Also by way of a call.
    program.functions.clear();
    Function callee;
    callee.name = "callee";
    Builder inner(callee, CpuClass::baseline);
    inner.beginLoop(2);
    inner.store({Array::work, 8, 1, 2}, inner.constant(1));
    inner.endLoop();
    program.functions = {callee, callee};
    CHECK(verified([&](Builder& b) {
              b.beginLoop(3);
              b.call(0, {}, 0);
              b.endLoop();
          }) == "");
    program.functions = {callee, callee};
    CHECK(verified([&](Builder& b) {
              b.beginLoop(8);
              b.call(0, {}, 0);
              b.endLoop();
          }).find("work[22]") != std::string::npos);
    program.functions = {callee, callee};
    CHECK(verified([&](Builder& b) {
              b.beginLoop(3);
              b.beginLoop(3);
              b.call(0, {}, 0);
              b.endLoop();
              b.endLoop();
          }).find("more than two loops") != std::string::npos);
}
