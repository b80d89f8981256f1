// What runs: coordinates, velocities, time, step number and named blocks of whatever laws carry from step to step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/hash.h"

namespace mw {

struct StateBlock {
    std::string name;  ///< e.g. "vdot" (previous acceleration)
    std::vector<double> values;
    bool operator==(const StateBlock&) const = default;
};

struct State {
    std::vector<double> q, v;
    double t = 0;  ///< s
    std::int64_t step = 0;
    std::vector<StateBlock> blocks;

    /// The block of that name, made with `size` zeros when absent.
    std::vector<double>& block(const std::string& name, std::size_t size);
    const std::vector<double>* findBlock(const std::string& name) const;
    bool operator==(const State&) const = default;
};

/// Over the bits of everything above: two runs that agree here agree in every bit.
Hash stateHash(const State& state);

}  // namespace mw
