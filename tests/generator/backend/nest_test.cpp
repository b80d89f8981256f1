// Nested loops and registers: sections one in another through lowering, splitting and every back end, against a plain
// evaluation of their meaning.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/model/layout.h"
#include "generator/backend/kernel_data.h"
#include "generator/backend/side_by_side.h"
#include "generator/program/lower.h"
#include "generator/program/verify.h"
#include "tests/generator/backend/harness.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::gen;

namespace {

/// What the sections mean, word for word: no order is changed, nothing is kept.
struct Evaluation {
    const Equations& equations;
    std::map<Array, std::vector<double>> arrays;
    std::map<int, double> locals;
    int nrhs = 0;

    double& at(const Place& place, long turn, long outer) {
        if (place.array == Array::local) return locals[place.index];
        return arrays.at(place.array)
            .at(static_cast<std::size_t>(place.index + place.stride * turn + place.outer * outer));
    }
    void run(const std::vector<Section>& sections, long turn, long outer) {
        for (const Section& section : sections) {
            if (section.repeat == Section::Count::once) {
                one(section, turn, outer);
                continue;
            }
            const long count = section.repeat == Section::Count::nrhs ? nrhs : section.count;
            for (long k = 0; k < count; ++k) one(section, k, turn);
        }
    }
    void one(const Section& section, long turn, long outer) {
        std::vector<double> values;
        for (const Assignment& a : section.assignments)
            values.push_back(
                evaluate(*equations.graph, a.value.id(), [&](const Place& place) { return at(place, turn, outer); }));
        for (std::size_t k = 0; k < values.size(); ++k) at(section.assignments[k].place, turn, outer) = values[k];
        run(section.inner, turn, outer);
    }
};

constexpr int kWork = 60;

/// Random sections over work, q, v, table and registers, at most two repeated ones one in another. Every place stays
/// inside its array; registers are assigned before they are read.
class RandomNest {
public:
    RandomNest(unsigned seed, bool trigonometry) : random_(seed), trigonometry_(trigonometry) {
        equations.graph = std::make_shared<Graph>();
        equations.nwork = kWork;
        equations.tables.push_back({"t", {}});
        for (int k = 0; k < 40; ++k) equations.tables[0].values.push_back(std::cos(k) + (k % 3) * 0.25);
        Section first;
        first.caption = "start";
        for (int k = 0; k < 3; ++k) {
            first.assignments.push_back({{Array::local, k}, input({Array::q, k})});
            known_.insert(k);
        }
        Entry dynamics{"fwd_dyn", {first}};
        for (int k = 0; k < 4; ++k) dynamics.sections.push_back(section(0, "part " + std::to_string(k)));
        Section last;
        last.caption = "results";
        for (int k = 0; k < 18; ++k)
            last.assignments.push_back(
                {{Array::vdot, k}, input({Array::work, 3 * k}) + local() * input({Array::v, k})});
        dynamics.sections.push_back(last);
        equations.entries.push_back(dynamics);

        // The same with right-hand sides outside.
        turns_[0] = -1;
        known_ = {};
        Section each;
        each.caption = "each right-hand side";
        each.repeat = Section::Count::nrhs;
        for (int k = 0; k < 3; ++k) {
            each.assignments.push_back({{Array::local, k}, input({Array::rhs, k, 18})});
            known_.insert(k);
        }
        for (int k = 0; k < 3; ++k) each.inner.push_back(section(1, "of a right-hand side " + std::to_string(k)));
        Section out;
        out.caption = "out";
        out.repeat = Section::Count::constant;
        out.count = 18;
        out.assignments.push_back(
            {{Array::out, 17, -1, 18}, local() + input({Array::rhs, 0, 1, 18}) * input({Array::work, 40, -2})});
        each.inner.push_back(out);
        equations.entries.push_back({"apply_inverse_mass", {each}});
    }

    Equations equations;

private:
    int upTo(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    Expr input(Place place) { return equations.graph->input(place); }
    Expr local() {
        auto it = known_.begin();
        std::advance(it, upTo(static_cast<int>(known_.size())));
        return input({Array::local, *it});
    }

    /// A place of an array of so many numbers inside `depth` loops.
    Place place(Array array, int size, int depth) {
        Place p{array, 0, 0, 0};
        int low = 0, high = size - 1;
        const auto move = [&](int& stride, int turns) {
            if (turns < 0) return;  // nrhs: only the arrays that have so many
            stride = upTo(5) - 2;
            const int end = stride * (turns - 1);
            if (std::abs(end) > high - low) stride = 0;
            else (end < 0 ? low : high) -= end;
        };
        if (depth > 0 && upTo(4) != 0) move(p.stride, turns_[depth - 1]);
        if (depth > 1 && upTo(2) != 0) move(p.outer, turns_[0]);
        p.index = low + upTo(std::max(high - low + 1, 1));
        return p;
    }
    Expr leaf(int depth) {
        switch (upTo(8)) {
            case 0: return input(place(Array::table, 40, depth));
            case 1:
            case 2: return local();
            case 3: return equations.graph->constant(0.25 * (1 + upTo(9)));
            case 4:
                if (turns_[0] >= 0) return input(place(Array::q, 20, depth));
                return input({Array::rhs, upTo(18), depth == 1 ? 18 : 0, depth == 2 ? 18 : 0});
            default: return input(place(Array::work, kWork, depth));
        }
    }
    Expr value(int depth) {
        std::vector<Expr> pool;
        for (int k = 0; k < 5; ++k) pool.push_back(leaf(depth));
        const int size = upTo(25) + 2;
        for (int k = 0; k < size; ++k) {
            const Expr a = pool[pool.size() - 1 - static_cast<std::size_t>(upTo(5))], b = pool[random_() % pool.size()];
            switch (upTo(trigonometry_ ? 8 : 6)) {
                case 0: pool.push_back(a + b); break;
                case 1: pool.push_back(a - b); break;
                case 2: pool.push_back(a * b); break;
                case 3: pool.push_back(min(a, b) + a * b); break;
                case 4: pool.push_back(a / (b * b + equations.graph->constant(1.5))); break;
                case 5: pool.push_back(selectLess(a, b, a * equations.graph->constant(0.5), b)); break;
                case 6: pool.push_back(sin(a) * b); break;
                default: pool.push_back(cos(a) + sin(a) * sin(b)); break;
            }
        }
        // Bounded, so that no turn makes an infinity.
        return pool.back() / (pool.back() * pool.back() + equations.graph->constant(1));
    }

    Section section(int depth, const std::string& caption) {
        Section s;
        s.caption = caption;
        const bool repeated = depth < 2 && upTo(4) != 0;
        int inside = depth;
        if (repeated) {
            s.repeat = Section::Count::constant;
            s.count = 1 + upTo(9);
            turns_[depth] = s.count;
            inside = depth + 1;
        }
        const int n = upTo(4) + (inside == 2);
        std::vector<int> assigned;
        for (int k = 0; k < n; ++k) {
            const Expr made = value(inside);
            if (upTo(2) == 0) {
                const int number = upTo(6);
                // One assignment a section: the order of two would not show.
                if (std::find(assigned.begin(), assigned.end(), number) == assigned.end()) {
                    s.assignments.push_back({{Array::local, number}, made});
                    assigned.push_back(number);
                }
            } else {
                s.assignments.push_back({place(Array::work, kWork, inside), made});
            }
        }
        known_.insert(assigned.begin(), assigned.end());
        if (repeated && depth < 2) {
            const int inner = upTo(4);
            for (int k = 0; k < inner; ++k) {
                const int kept = turns_[1];
                s.inner.push_back(section(inside, caption + "." + std::to_string(k)));
                turns_[1] = kept;
            }
        }
        return s;
    }

    std::mt19937_64 random_;
    bool trigonometry_;
    int turns_[2] = {1, 1};
    std::set<int> known_;
};

std::map<Array, std::vector<double>> given(const test::Inputs& in, const Equations& equations) {
    std::map<Array, std::vector<double>> arrays{
        {Array::q, in.q},  {Array::v, in.v},  {Array::rhs, in.rhs}, {Array::table, equations.tables[0].values},
        {Array::work, {}}, {Array::vdot, {}}, {Array::out, {}}};
    arrays[Array::work].assign(kWork, 0.0);
    arrays[Array::vdot].assign(18, 0.0);
    arrays[Array::out].assign(18 * static_cast<std::size_t>(in.nrhs), 0.0);
    return arrays;
}

std::shared_ptr<const Program> lowered(const Equations& equations, CpuClass cpu, int limit, bool sines_apart = true) {
    LowerOptions options;
    options.cpu = cpu;
    options.function_limit = limit;
    options.sines_apart = sines_apart;
    auto program = std::make_shared<Program>(lower(equations, "nest", dynamicsHash(test::roomyModel()), options));
    const std::string fault = verify(*program, arraySizes(layoutOf(test::roomyModel()), 0, program->nwork));
    INFO(fault << "\n" << listing(*program));
    REQUIRE(fault == "");
    return program;
}

}  // namespace

TEST_CASE("random nests compute what their sections say, whole and cut") {
    const Model model = test::roomyModel();
    const bool trigonometry = GENERATE(false, true);
    int nested = 0, apart = 0;
    double worst = 0;
    for (unsigned seed = 0; seed < 120; ++seed) {
        const RandomNest nest(seed, trigonometry);
        std::vector<double> first;
        for (const int limit : {1000, 60, 16}) {
            for (const bool sines_apart : {false, true}) {
                if (sines_apart && !trigonometry) continue;
                const auto program = lowered(nest.equations, CpuClass::baseline, limit, sines_apart);
                for (const Function& f : program->functions)
                    for (const gen::Loop& loop : f.loops)
                        for (const Instruction& i : loop.block) nested += i.code == Code::loop;
                const Kernel kernel = interpreterKernel(program, model);
                std::mt19937_64 random(seed);
                const test::Inputs in = test::randomInputs(*kernel.c, random, false);
                Evaluation wanted{nest.equations, given(in, nest.equations), {}, 0};
                std::vector<double> work = makeWork(kernel), vdot(18), lambda(1), out(18 * 3);
                kernel->fwd_dyn(in.q.data(), in.v.data(), nullptr, nullptr, nullptr, in.param.data(), work.data(),
                                vdot.data(), lambda.data());
                wanted.run(nest.equations.entries[0].sections, 0, 0);
                kernel->apply_inverse_mass(work.data(), in.rhs.data(), in.nrhs, out.data());
                wanted.nrhs = in.nrhs;
                wanted.locals.clear();
                wanted.run(nest.equations.entries[1].sections, 0, 0);
                std::vector<double> all = vdot, plain = wanted.arrays[Array::vdot];
                all.insert(all.end(), out.begin(), out.end());
                all.insert(all.end(), work.begin() + kWorkHeader, work.begin() + kWorkHeader + kWork);
                for (const Array array : {Array::out, Array::work})
                    plain.insert(plain.end(), wanted.arrays[array].begin(), wanted.arrays[array].end());
                if (sines_apart) apart += program->nwork > kWorkHeader + kWork && limit == 1000;
                // One operation is one rounding in this class: without sines, which the C library makes otherwise, the
                // bits are those of the plain walk; with them those of the program that was left whole.
                if (first.empty()) first = trigonometry ? all : plain;
                std::size_t differ = 0;
                double error = 0;
                REQUIRE(plain.size() == all.size());
                for (std::size_t k = 0; k < all.size(); ++k) {
                    differ += !test::sameBits(all[k], first[k]);
                    error = std::max(error, std::fabs(all[k] - plain[k]) / (1 + std::fabs(plain[k])));
                }
                INFO("seed " << seed << ", limit " << limit << ", sines apart " << sines_apart << ", error " << error);
                REQUIRE(differ == 0);
                worst = std::max(worst, error);
            }
        }
    }
    CHECK(nested > 200);
    if (trigonometry) CHECK(apart > 20);
    CHECK(worst < 1e-11);
}

TEST_CASE("random nests through every back end") {
    const Model model = test::roomyModel();
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    for (const unsigned seed : {1u, 2u, 3u, 4u}) {
        const RandomNest nest(1000 + seed, true);
        const int limit = seed % 2 == 0 ? 60 : 1000;
        INFO("seed " << seed << ", limit " << limit << ", " << cpuClassName(cpu));
        test::compareBackEnds(lowered(nest.equations, cpu, limit), model, 8, seed);
    }
}

namespace {

/// M (18 x 18) = A B with A of 18 x 5 and B of 5 x 18 in tables, rows outside, columns inside; the sum of a row is a
/// register of the outer loop's turn, that of all passes through both loops.
Equations product() {
    Equations equations;
    equations.graph = std::make_shared<Graph>();
    Graph& g = *equations.graph;
    equations.tables.push_back({"A", {}});
    for (int k = 0; k < 90; ++k) equations.tables[0].values.push_back(std::sin(k * k + 1.0));
    equations.tables.push_back({"B", {}});
    for (int k = 0; k < 90; ++k) equations.tables[1].values.push_back(std::cos(3.0 * k));
    const Place all{Array::local, 7}, row{Array::local, 8};
    Section start;
    start.caption = "sum of all";
    start.assignments = {{all, g.constant(0)}};
    Section rows;
    rows.caption = "rows";
    rows.repeat = Section::Count::constant;
    rows.count = 18;
    rows.assignments = {{row, g.constant(0)}};
    Section columns;
    columns.caption = "columns";
    columns.repeat = Section::Count::constant;
    columns.count = 18;
    Expr sum;
    for (int k = 0; k < 5; ++k) sum = sum + g.input({Array::table, k, 0, 5}) * g.input({Array::table, 90 + 18 * k, 1});
    columns.assignments = {{{Array::M, 0, 1, 18}, sum}, {row, g.input(row) + sum}, {all, g.input(all) + sum}};
    Section end;
    end.caption = "sums";
    end.assignments = {{{Array::work, 0, 1}, g.input(row)}};
    rows.inner = {columns, end};
    Section last;
    last.assignments = {{{Array::work, 18}, g.input(all)}};
    equations.nwork = 19;
    equations.entries.push_back({"mass_matrix", {start, rows, last}});
    return equations;
}

}  // namespace

TEST_CASE("a matrix product, with sums that pass through both loops") {
    const Model model = test::roomyModel();
    const Equations equations = product();
    const auto program = lowered(equations, CpuClass::baseline, 1000);
    const OperationCount& count = program->entries[0].count;
    CHECK(count.mul == 18 * 18 * 5);
    CHECK(count.add == 18 * 18 * (4 + 2));
    // The sum of all is one chain: a product, four sums of it, then a sum a turn.
    CHECK(count.longest_path == 1 + 4 + 18 * 18);
    const Kernel kernel = interpreterKernel(program, model);
    std::vector<double> work = makeWork(kernel), M(18 * 18), q(20), p(1);
    kernel->mass_matrix(q.data(), p.data(), work.data(), M.data());
    const auto& A = equations.tables[0].values;
    const auto& B = equations.tables[1].values;
    double all = 0;
    for (std::size_t i = 0; i < 18; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < 18; ++j) {
            double sum = A[5 * i] * B[j];
            for (std::size_t k = 1; k < 5; ++k) sum += A[5 * i + k] * B[18 * k + j];
            CHECK(M[18 * i + j] == sum);
            row += sum, all += sum;
        }
        CHECK(work[kWorkHeader + i] == row);
    }
    CHECK(work[kWorkHeader + 18] == all);
    // What changes with the row alone stands outside the loop over columns.
    const Function& function = program->functions[static_cast<std::size_t>(program->entries[0].function)];
    std::size_t inner_loads = 0, outer_loads = 0;
    for (const gen::Loop& loop : function.loops) {
        bool outer = false;
        for (const Instruction& i : loop.block) outer |= i.code == Code::loop;
        for (const Instruction& i : loop.block) (outer ? outer_loads : inner_loads) += i.code == Code::load;
    }
    CHECK(outer_loads == 5);
    CHECK(inner_loads == 5);
    test::compareBackEnds(program, model, 2, 1);
    test::compareBackEnds(lowered(equations, hostCpuClass(), 16), model, 2, 1);
}

TEST_CASE("turns side by side: whole groups, rests, places in front of and behind the turn") {
    // Each loop has its count; some read what a neighbouring turn wrote, so their turns must not be side by side.
    const Model model = test::roomyModel();
    const CpuClass cpu = GENERATE(CpuClass::baseline, CpuClass::fma);
    Equations equations;
    equations.graph = std::make_shared<Graph>();
    Graph& g = *equations.graph;
    equations.nwork = 400;
    Entry entry{"fwd_dyn", {}};
    const auto repeated = [&](int count, std::vector<Assignment> assignments) {
        Section s;
        s.caption = "loop of " + std::to_string(count);
        s.repeat = Section::Count::constant;
        s.count = count;
        s.assignments = std::move(assignments);
        entry.sections.push_back(s);
    };
    const Expr q = g.input({Array::q, 0, 1}), v = g.input(Array::v, 2), flag = g.input({Array::v, 17, -1});
    const auto heavy = [&](Expr x) { return sin(x) * v + cos(x * v) / (x * x + v * v + g.constant(1)); };
    for (const int count : {1, 3, 4, 5, 6, 7, 8, 17})
        repeated(count, {{{Array::work, 3 * count, 1}, heavy(q)},
                         {{Array::work, 100 + count, 2}, selectLess(flag, q, g.make(Op::exp, q), heavy(flag))}});
    for (const int shift : {-5, -4, -3, -1, 0, 1, 3, 4, 5})
        repeated(11, {{{Array::work, 200, 1}, heavy(g.input({Array::work, 200 + shift, 1})) + q}});
    repeated(9, {{{Array::work, 250, 2}, heavy(q)}, {{Array::work, 253, 2}, heavy(q + v)}});
    repeated(9, {{{Array::work, 280, 1}, heavy(g.input({Array::work, 296, -1}) + q)}});
    repeated(9, {{{Array::work, 300, 2}, heavy(g.input({Array::work, 300, 1}) + q)}});
    repeated(13, {{{Array::work, 330, 0}, heavy(q)}});
    equations.entries.push_back(entry);
    // Right-hand sides: any number of turns, none included.
    Section each;
    each.repeat = Section::Count::nrhs;
    for (int k = 0; k < 18; ++k)
        each.assignments.push_back({{Array::out, k, 18}, sin(g.input({Array::rhs, k, 18})) + g.input(Array::work, k)});
    equations.entries.push_back({"apply_inverse_mass", {each}});
    const auto program = lowered(equations, cpu, 1000);
    int side_by_side = 0;
    for (const Function& f : program->functions)
        for (const gen::Loop& loop : f.loops) side_by_side += turnsSideBySide(*program, loop, 4);
    // Of the first group those of four turns and more; shifts of four and more, or none; the nine that go two by two
    // without meeting; the right-hand sides.
    CHECK(side_by_side == 6 + 5 + 1 + 1);
    test::compareBackEnds(program, model, 30, 3);
}
