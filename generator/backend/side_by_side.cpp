// Independence by places: a store may meet no other place of its array in another turn of the same group.
#include "generator/backend/side_by_side.h"

#include <cstdlib>
#include <numeric>

namespace mw::gen {

namespace {

struct Interval {
    long low, high;
};

/// What a place reaches in a loop of `count` turns (-1: any), from where its outer counter puts it.
Interval reached(const Place& place, int count) {
    constexpr long kFar = 1L << 40;
    const long last = count < 0 ? kFar : count - 1L;
    const long end = place.index + place.stride * last;
    return place.stride < 0 ? Interval{end, place.index} : Interval{place.index, end};
}

/// Whether two places can be one in two different turns of a group.
bool meet(const Place& x, const Place& y, int count, int lanes) {
    if (x.array != y.array) return false;
    if (x.outer != y.outer) return true;
    const long apart = static_cast<long>(y.index) - x.index;
    if (x.stride == y.stride) {
        if (x.stride == 0) return apart == 0;
        return apart % x.stride == 0 && apart != 0 && std::labs(apart / x.stride) < lanes;
    }
    const Interval a = reached(x, count), b = reached(y, count);
    return a.low <= b.high && b.low <= a.high && apart % std::gcd(x.stride, y.stride) == 0;
}

}  // namespace

bool meetInTurn(const Place& x, const Place& y, int count) {
    if (x.array != y.array) return false;
    if (x.outer != y.outer) return true;
    const long apart = static_cast<long>(y.index) - x.index;
    if (x.stride == y.stride) return apart == 0;
    const Interval a = reached(x, count), b = reached(y, count);
    return a.low <= b.high && b.low <= a.high && apart % std::gcd(x.stride, y.stride) == 0;
}

bool turnsSideBySide(const Program& program, const Loop& loop, int lanes) {
    if (!loop.carried.empty() || (loop.count >= 0 && loop.count < lanes)) return false;
    // About what a turn costs alone, and what it does not get cheaper by: numbers that are moved one by one.
    int work = 0, moved = 0;
    for (const Instruction& i : loop.block) {
        switch (i.code) {
            case Code::loop: return false;
            case Code::call:
                if (program.functions[static_cast<std::size_t>(i.callee)].name != kSincosName) return false;
                work += 40;
                break;
            case Code::store:
                if (i.place.stride == 0) return false;
                for (const Instruction& other : loop.block)
                    if ((other.code == Code::load || other.code == Code::store) &&
                        meet(i.place, other.place, loop.count, lanes))
                        return false;
                moved += i.place.stride != 1;
                break;
            case Code::load: moved += i.place.stride != 0 && i.place.stride != 1; break;
            case Code::constant:
            case Code::copy: break;
            case Code::library: moved += 4; break;
            case Code::div:
            case Code::sqrt: work += 4; break;
            default: ++work; break;
        }
    }
    return work >= 2 * moved;
}

}  // namespace mw::gen
