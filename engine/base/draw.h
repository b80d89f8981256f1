// Random numbers from a named seed, the same on every machine: counter-based, so that one trial does not depend on the
// ones before it.
#pragma once

#include <cstdint>

namespace mw {

/// The mixing function of splitmix64 over a counter that starts at (seed, trial).
class Draw {
public:
    Draw(std::uint64_t seed, int trial)
        : state_(mixed(seed) ^ mixed(~static_cast<std::uint64_t>(static_cast<std::int64_t>(trial)))) {}
    /// [0, 1).
    double unit() {
        state_ += kGolden;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
    }
    double between(double lo, double hi) { return lo + (hi - lo) * unit(); }

private:
    static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

}  // namespace mw
