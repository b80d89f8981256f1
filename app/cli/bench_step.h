// What one step of the simulation costs, and where it goes.
#pragma once

#include "app/cli/support.h"
#include "engine/kernel/kernel.h"
#include "generator/program/program.h"

namespace mw::cli {

/// The `step` object of `mech bench`: the whole step, with the books and without; with contact also the budget of its
/// parts, how much of what is declared touches, and what a pair costs.
Json stepOf(const Model& model, const Layout& layout, const Kernel& kernel, const gen::Program& program);

/// The budget as lines for people; empty without contact.
std::string stepInWords(const std::string& model, const Json& step);

/// Milliseconds from text to running code (median), of a text with bands and of the same with twice the shoes; the
/// texts take turns.
struct ShoeLatency {
    double once = 0, twice = 0;
};
ShoeLatency shoeLatency(const Source& source);

}  // namespace mw::cli
