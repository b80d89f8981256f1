// Counts what an entry executes, and its longest chain of dependent instructions: the program is walked with, per
// register and per place in memory, the length of the chain that leads to it.
#include <algorithm>
#include <unordered_map>

#include "generator/program/program.h"

namespace mw::gen {

namespace {

class Counter {
public:
    explicit Counter(const Program& program) : program_(program) {}

    OperationCount count(int function) {
        counted_ = {};
        memory_.clear();
        longest_ = 0;
        run(function, {}, {}, false);
        counted_.longest_path = longest_;
        return counted_;
    }

private:
    /// Turns of the innermost loop and of the one around it.
    struct Turns {
        int counter = 0, outer = 0;
    };

    static std::uint64_t key(const Place& place, Turns turns) {
        const std::int64_t at = place.index + static_cast<std::int64_t>(place.stride) * turns.counter +
                                static_cast<std::int64_t>(place.outer) * turns.outer;
        return (static_cast<std::uint64_t>(place.array) << 48) ^ (static_cast<std::uint64_t>(at) & 0xffffffffffffu);
    }

    std::vector<int> run(int index, const std::vector<int>& arguments, Turns turns, bool trigonometry) {
        const Function& function = program_.functions[static_cast<std::size_t>(index)];
        std::vector<int> depth(static_cast<std::size_t>(function.nregisters), 0);
        for (std::size_t k = 0; k < arguments.size() && k < function.parameters.size(); ++k)
            depth[static_cast<std::size_t>(function.parameters[k])] = arguments[k];
        block(function, function.code, depth, turns, trigonometry);
        std::vector<int> results;
        for (int r : function.results) results.push_back(depth[static_cast<std::size_t>(r)]);
        return results;
    }

    void block(const Function& function, const std::vector<Instruction>& code, std::vector<int>& depth, Turns turns,
               bool trigonometry) {
        const auto at = [&](int r) -> int& { return depth[static_cast<std::size_t>(r)]; };
        for (const Instruction& i : code) {
            if (i.code == Code::loop) {
                const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
                for (const Loop::Carried& c : loop.carried) at(c.inside) = at(c.initial);
                const int count = loop.count < 0 ? 1 : loop.count;
                for (int k = 0; k < count; ++k) {
                    block(function, loop.block, depth, {k, turns.counter}, trigonometry);
                    std::vector<int> next;
                    for (const Loop::Carried& c : loop.carried) next.push_back(at(c.next));
                    for (std::size_t c = 0; c < next.size(); ++c) at(loop.carried[c].inside) = next[c];
                }
                for (const Loop::Carried& c : loop.carried) at(c.result) = at(c.inside);
                continue;
            }
            if (i.code == Code::call) {
                std::vector<int> arguments;
                for (int r : i.arguments) arguments.push_back(at(r));
                const bool sincos = program_.functions[static_cast<std::size_t>(i.callee)].name == kSincosName;
                if (sincos) ++counted_.sincos;
                const std::vector<int> results = run(i.callee, arguments, turns, trigonometry || sincos);
                for (std::size_t k = 0; k < i.results.size() && k < results.size(); ++k) at(i.results[k]) = results[k];
                continue;
            }
            int deepest = 0;
            const int n = operandCount(i);
            if (n > 0) deepest = std::max(deepest, at(i.a));
            if (n > 1) deepest = std::max(deepest, at(i.b));
            if (n > 2) deepest = std::max(deepest, at(i.c));
            if (i.code == Code::constant) {
                at(i.dst) = 0;
                continue;
            }
            ++counted_.instructions;
            if (i.code == Code::load) {
                const auto found = memory_.find(key(i.place, turns));
                at(i.dst) = found == memory_.end() ? 0 : found->second;
                continue;
            }
            if (i.code == Code::store) {
                memory_[key(i.place, turns)] = deepest;
                continue;
            }
            if (i.code == Code::copy) {
                at(i.dst) = deepest;
                continue;
            }
            at(i.dst) = deepest + 1;
            longest_ = std::max(longest_, deepest + 1);
            if (!trigonometry) tally(i.code);
        }
    }

    void tally(Code code) {
        switch (code) {
            case Code::add:
            case Code::sub: ++counted_.add; break;
            case Code::mul: ++counted_.mul; break;
            case Code::fma:
            case Code::fms:
            case Code::fnma: ++counted_.fused; break;
            case Code::div: ++counted_.div; break;
            case Code::sqrt: ++counted_.sqrt; break;
            default: ++counted_.other; break;
        }
    }

    const Program& program_;
    OperationCount counted_;
    std::unordered_map<std::uint64_t, int> memory_;
    int longest_ = 0;
};

}  // namespace

void countOperations(Program& program) {
    Counter counter(program);
    for (ProgramEntry& entry : program.entries) entry.count = counter.count(entry.function);
}

}  // namespace mw::gen
