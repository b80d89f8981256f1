// Places within loops: whether two of them can be the same number.
#pragma once

#include <cstdlib>
#include <numeric>

#include "generator/expr/expr.h"

namespace mw::gen {

/// A place with the counters of the loops around it by depth: 1 the outer one, 2 the one in it.
struct LoopPlace {
    Array array = Array::q;
    long index = 0;
    long factor[3] = {0, 0, 0};
    long turns[3] = {1, 1, 1};  ///< -1: any number
};

/// What `place` means inside so many loops with those turns.
inline LoopPlace loopPlace(const Place& place, int depth, const long (&turns)[3]) {
    LoopPlace out{place.array, place.index, {}, {turns[0], turns[1], turns[2]}};
    if (depth > 0) out.factor[depth] = place.stride;
    if (depth > 1) out.factor[depth - 1] = place.outer;
    return out;
}

/// Whether the two can meet when the loops up to depth `common` around them are in the same turn.
inline bool mayMeet(const LoopPlace& x, const LoopPlace& y, int common) {
    if (x.array != y.array) return false;
    constexpr long kFar = 1L << 40;
    long low = x.index - y.index, high = low, step = 0;
    const long apart = low;
    const auto vary = [&](long factor, long turns) {
        if (factor == 0 || turns == 1) return;
        const long reach = turns < 0 ? kFar : factor * (turns - 1);
        const long end = turns < 0 && factor < 0 ? -reach : reach;
        (end < 0 ? low : high) += end;
        step = std::gcd(step, std::labs(factor));
    };
    for (int depth = 1; depth <= 2; ++depth) {
        if (depth <= common) {
            vary(x.factor[depth] - y.factor[depth], x.turns[depth]);
        } else {
            vary(x.factor[depth], x.turns[depth]);
            vary(-y.factor[depth], y.turns[depth]);
        }
    }
    return low <= 0 && 0 <= high && (step == 0 ? apart == 0 : apart % step == 0);
}

}  // namespace mw::gen
