// What the tests of rows share: text to a running mechanism, a step taken or failed.
#pragma once

#include "tests/engine/sim/models.h"
#include "tests/support/catch.h"

namespace mw::test {

inline Simulation stepping(const std::string& text, double dt = 1e-3) {
    return simulate(model(text), Integrator::euler, dt);
}
inline void advance(Simulation& simulation, int steps) {
    for (int i = 0; i < steps; ++i) {
        const auto fault = simulation.step();
        INFO((fault ? fault->what : std::string()));
        REQUIRE_FALSE(fault);
    }
}

/// 1 kg on a rail along x, without weight along it; lines of the body may follow.
inline const char* kBead = R"(
body bead
  joint prismatic x
  mass 1
)";
/// The same hanging: q grows downwards.
inline const char* kHanging = R"(
body bead
  joint prismatic 0 0 -1
  mass 1
)";

}  // namespace mw::test
