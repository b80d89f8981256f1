// Random mechanisms with loops for the proof's tests: every loop type, closed where they start, rows independent.
#pragma once

#include "engine/dynamics/closure.h"
#include "tests/support/random_loops.h"

namespace mw::test {

/// The first sound one of a seed: rows of loops that are drawn at random may be redundant.
inline Model soundLooped(std::uint64_t seed, TreeOptions tree) {
    for (;; seed += 1000) {
        LoopedTree made = randomLooped(seed, tree, 2, 0);
        if (made.model.loops.empty()) continue;
        const Layout layout = layoutOf(made.model);
        for (std::size_t i = 0; i < made.model.bodies.size(); i++) {
            Body& b = made.model.bodies[i];
            for (std::size_t k = 0; k < b.start.size(); k++) b.start[k] = made.q[layout.q_of_body[i] + k];
        }
        if (Closure(made.model).generalHealth(made.model.liveValues()).sound()) return made.model;
    }
}

}  // namespace mw::test
