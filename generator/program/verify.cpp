// Verification walks every function once with the set of assigned registers.
#include "generator/program/verify.h"

#include <algorithm>
#include <fmt/format.h>

namespace mw::gen {

namespace {

struct Fault {
    std::string text;
};

class Verifier {
public:
    Verifier(const Program& program, const ArraySizes& sizes) : program_(program), sizes_(sizes) {
        sizes_[Array::work] = program.nwork;
        sizes_[Array::table] = static_cast<int>(program.table.size());
    }

    void run() {
        findTurns();
        for (std::size_t f = 0; f < program_.functions.size(); ++f) {
            function_ = &program_.functions[f];
            index_ = static_cast<int>(f);
            if (function_->nregisters < 0) fail("has a negative number of registers");
            assigned_.assign(static_cast<std::size_t>(function_->nregisters), kNever);
            trail_.clear();
            for (int r : function_->parameters) assign(r);
            block(function_->code, around_[f].depth, around_[f].turns);
            for (int r : function_->results) use(r);
        }
        for (const ProgramEntry& entry : program_.entries) {
            if (entry.function < 0 || entry.function >= static_cast<int>(program_.functions.size()))
                throw Fault{fmt::format("entry {} has no function", entry.name)};
            function_ = &program_.functions[static_cast<std::size_t>(entry.function)];
            if (!function_->parameters.empty() || !function_->results.empty())
                fail("is an entry with parameters or results");
        }
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Fault{fmt::format("function {} {}", function_->name, what)};
    }
    void inRange(int r) const {
        if (r < 0 || r >= function_->nregisters) fail(fmt::format("names register {} of {}", r, function_->nregisters));
    }
    void assign(int r) {
        inRange(r);
        if (assigned_[static_cast<std::size_t>(r)] != kNever) fail(fmt::format("assigns register {} twice", r));
        assigned_[static_cast<std::size_t>(r)] = kHeld;
        trail_.push_back(r);
    }
    void use(int r) const {
        inRange(r);
        if (assigned_[static_cast<std::size_t>(r)] != kHeld)
            fail(fmt::format("reads register {} before it is assigned", r));
    }

    /// The loops around an instruction: how many, and the turns of the innermost one and of the one around it.
    struct Turns {
        int counter = 1, outer = 1;
        Turns within(const Loop& loop) const { return {std::max(loop.count, 1), counter}; }
    };

    void place(const Instruction& i, Turns turns) const {
        const int array = static_cast<int>(i.place.array);
        if (array < 0 || array > static_cast<int>(Array::table)) fail("names an unknown array");
        const int size = sizes_.size[array];
        if (i.place.index < 0) fail(fmt::format("reaches {}[{}]", arrayName(i.place.array), i.place.index));
        if (size < 0) return;
        for (const long turn : {0L, turns.counter - 1L})
            for (const long outer : {0L, turns.outer - 1L}) {
                const long at = i.place.index + turn * i.place.stride + outer * i.place.outer;
                if (at < 0 || at >= size)
                    fail(fmt::format("reaches {}[{}], which has {} numbers", arrayName(i.place.array), at, size));
                if (i.code == Code::store && i.place.array == Array::work && at < kWorkHeader)
                    fail("writes the header of work");
            }
    }

    void block(const std::vector<Instruction>& code, int depth, Turns turns) {
        if (depth > kDeepest) fail("nests more than two loops");
        for (const Instruction& i : code) {
            const int n = operandCount(i);
            if (n > 0) use(i.a);
            if (n > 1) use(i.b);
            if (n > 2) use(i.c);
            switch (i.code) {
                case Code::load: place(i, turns); break;
                case Code::store:
                    place(i, turns);
                    if (i.place.array < Array::work || i.place.array == Array::rhs || i.place.array == Array::table)
                        fail(fmt::format("writes the input {}", arrayName(i.place.array)));
                    break;
                case Code::library:
                    if (i.callee < 0 || i.callee > static_cast<int>(Library::fmod))
                        fail("calls an unknown library function");
                    break;
                case Code::fma:
                case Code::fms:
                case Code::fnma:
                    if (program_.cpu != CpuClass::fma)
                        fail("fuses a multiply and an add on a class without that instruction");
                    break;
                case Code::call: {
                    if (i.callee < 0 || i.callee >= index_)
                        fail(fmt::format("calls function {} that does not precede it", i.callee));
                    const Function& callee = program_.functions[static_cast<std::size_t>(i.callee)];
                    if (callee.parameters.size() != i.arguments.size() || callee.results.size() != i.results.size())
                        fail(fmt::format("calls {} with the wrong number of values", callee.name));
                    for (int r : i.arguments) use(r);
                    for (int r : i.results) assign(r);
                    break;
                }
                case Code::loop: {
                    if (i.callee < 0 || i.callee >= static_cast<int>(function_->loops.size()))
                        fail("names an unknown loop");
                    const Loop& loop = function_->loops[static_cast<std::size_t>(i.callee)];
                    if (loop.count < -1) fail("has a loop of a negative count");
                    for (const Loop::Carried& c : loop.carried) use(c.initial);
                    const std::size_t mark = trail_.size();
                    for (const Loop::Carried& c : loop.carried) assign(c.inside);
                    // nrhs is the caller's; the arrays of right-hand sides have no known size.
                    block(loop.block, depth + 1, turns.within(loop));
                    for (const Loop::Carried& c : loop.carried) use(c.next);
                    hide(mark);
                    for (const Loop::Carried& c : loop.carried) assign(c.result);
                    break;
                }
                default: break;
            }
            if (hasResult(i.code)) assign(i.dst);
        }
    }

    /// Registers of a block cannot be read behind it (nor assigned again).
    void hide(std::size_t mark) {
        for (std::size_t k = mark; k < trail_.size(); ++k) assigned_[static_cast<std::size_t>(trail_[k])] = kGone;
        trail_.resize(mark);
    }

    /// The deepest nest and the most turns in which a function is reached, through the loops of its callers.
    void findTurns() {
        around_.assign(program_.functions.size(), {});
        for (std::size_t f = program_.functions.size(); f-- > 0;) {
            const Function& function = program_.functions[f];
            const auto visit = [&](auto&& self, const std::vector<Instruction>& code, Around around) -> void {
                if (around.depth > kDeepest) return;
                for (const Instruction& i : code) {
                    if (i.code == Code::call && i.callee >= 0 && i.callee < static_cast<int>(f)) {
                        Around& known = around_[static_cast<std::size_t>(i.callee)];
                        known.depth = std::max(known.depth, around.depth);
                        known.turns.counter = std::max(known.turns.counter, around.turns.counter);
                        known.turns.outer = std::max(known.turns.outer, around.turns.outer);
                    }
                    if (i.code == Code::loop && i.callee >= 0 && i.callee < static_cast<int>(function.loops.size())) {
                        const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
                        self(self, loop.block, {around.depth + 1, around.turns.within(loop)});
                    }
                }
            };
            visit(visit, function.code, around_[f]);
        }
    }

    static constexpr int kDeepest = 2;  ///< loops around an instruction, those of callers included
    struct Around {
        int depth = 0;
        Turns turns;
    };

    const Program& program_;
    ArraySizes sizes_;
    const Function* function_ = nullptr;
    int index_ = 0;
    enum State : char { kNever, kHeld, kGone };
    std::vector<State> assigned_;
    std::vector<Around> around_;
    std::vector<int> trail_;
};

}  // namespace

std::string verify(const Program& program, const ArraySizes& sizes) {
    try {
        Verifier(program, sizes).run();
    } catch (const Fault& fault) {
        return fault.text;
    }
    return {};
}

}  // namespace mw::gen
