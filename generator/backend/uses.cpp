// One walk over a function and its loops.
#include "generator/backend/uses.h"

namespace mw::gen {

namespace {

void walk(const Function& function, const std::vector<Instruction>& block, RegisterUses& uses) {
    const auto read = [&](int r) { ++uses.count[static_cast<std::size_t>(r)]; };
    for (const Instruction& i : block) {
        const int n = operandCount(i);
        if (n > 0) read(i.a);
        if (n > 1) read(i.b);
        if (n > 2) read(i.c);
        for (int r : i.arguments) read(r);
        if (hasResult(i.code)) uses.defined_by[static_cast<std::size_t>(i.dst)] = &i;
        if (i.code == Code::loop) {
            const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
            for (const Loop::Carried& c : loop.carried) {
                read(c.initial);
                read(c.next);
            }
            walk(function, loop.block, uses);
        }
    }
}

void markLazy(const Function& function, const std::vector<Instruction>& block, RegisterUses& uses) {
    std::vector<int> here;
    const auto isHere = [&](int r) {
        for (int h : here)
            if (h == r) return true;
        return false;
    };
    for (const Instruction& i : block) {
        if (i.code == Code::library) here.push_back(i.dst);
        if (i.code == Code::select && i.b != i.c)
            for (int r : {i.b, i.c})
                if (r != i.a && uses.count[static_cast<std::size_t>(r)] == 1 && isHere(r))
                    uses.lazy[static_cast<std::size_t>(r)] = 1;
        if (i.code == Code::loop) markLazy(function, function.loops[static_cast<std::size_t>(i.callee)].block, uses);
    }
}

}  // namespace

RegisterUses registerUses(const Function& function) {
    RegisterUses uses;
    const auto n = static_cast<std::size_t>(function.nregisters);
    uses.count.assign(n, 0);
    uses.defined_by.assign(n, nullptr);
    uses.lazy.assign(n, 0);
    for (int r : function.results) ++uses.count[static_cast<std::size_t>(r)];
    walk(function, function.code, uses);
    markLazy(function, function.code, uses);
    return uses;
}

}  // namespace mw::gen
