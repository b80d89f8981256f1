// Marks backwards from the stores, then sweeps.
#include "generator/program/prune.h"

#include <algorithm>

namespace mw::gen {

namespace {

class Pruner {
public:
    explicit Pruner(Function& function)
        : function_(function),
          live_(static_cast<std::size_t>(function.nregisters), 0),
          sources_(static_cast<std::size_t>(function.nregisters)) {}

    void run() {
        gather(function_.code);
        for (int r : function_.results) mark(r);
        while (!open_.empty()) {
            const auto r = static_cast<std::size_t>(open_.back());
            open_.pop_back();
            for (int source : sources_[r]) mark(source);
        }
        sweep(function_.code);
    }

private:
    Loop& loopOf(const Instruction& i) { return function_.loops[static_cast<std::size_t>(i.callee)]; }
    bool isLive(int r) const { return live_[static_cast<std::size_t>(r)] != 0; }
    void mark(int r) {
        char& live = live_[static_cast<std::size_t>(r)];
        if (live) return;
        live = 1;
        open_.push_back(r);
    }

    void gather(const std::vector<Instruction>& block) {
        for (const Instruction& i : block) {
            const int n = operandCount(i);
            const int operands[] = {i.a, i.b, i.c};
            if (i.code == Code::store) mark(i.a);
            if (hasResult(i.code)) sources_[static_cast<std::size_t>(i.dst)].assign(operands, operands + n);
            for (int r : i.results) sources_[static_cast<std::size_t>(r)] = i.arguments;
            if (i.code != Code::loop) continue;
            const Loop& loop = loopOf(i);
            for (const Loop::Carried& c : loop.carried) {
                sources_[static_cast<std::size_t>(c.inside)] = {c.initial, c.next};
                sources_[static_cast<std::size_t>(c.result)] = {c.initial, c.next};
            }
            gather(loop.block);
        }
    }

    void sweep(std::vector<Instruction>& block) {
        const auto needed = [&](const Instruction& i) {
            if (i.code == Code::store) return true;
            if (i.code == Code::call)
                return std::any_of(i.results.begin(), i.results.end(), [&](int r) { return isLive(r); });
            if (i.code != Code::loop) return isLive(i.dst);
            Loop& loop = loopOf(i);
            sweep(loop.block);
            std::erase_if(loop.carried, [&](const Loop::Carried& c) { return !isLive(c.inside) && !isLive(c.result); });
            return !loop.block.empty() || !loop.carried.empty();
        };
        std::erase_if(block, [&](const Instruction& i) { return !needed(i); });
    }

    Function& function_;
    std::vector<char> live_;
    std::vector<std::vector<int>> sources_;
    std::vector<int> open_;
};

}  // namespace

void pruneFunction(Function& function) { Pruner(function).run(); }

}  // namespace mw::gen
