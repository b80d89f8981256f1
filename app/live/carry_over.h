// What goes over from one mechanism to its edited successor while it runs: poses and speeds by name, sliders by name.
#pragma once

#include <vector>

#include "engine/base/hash.h"
#include "engine/sim/simulation.h"

namespace mw::app {

/// Of all that decides how a mechanism moves from a given state: dynamics, drives, ranges; not titles, shapes, start
/// values or the present values of live parameters.
Hash motionHash(const Model& model);

/// Live parameters, tau, act, commands and switches of tendons by name. A parameter whose declared value was edited
/// takes the new value.
void carryInputs(const Simulation& from, Simulation& to);
/// q and v of every body that has the same name and joint type; the others stand at their start. Tendons keep what they
/// remember by name. Time and step go on; the books are opened anew.
void carryState(const Simulation& from, Simulation& to);
/// Puts a simulation to a state with fresh books, the acceleration that the next step starts from included.
void settle(Simulation& simulation, State state);

/// q with unit quaternions (a zero quaternion becomes the identity).
std::vector<double> normalised(const Model& model, const Layout& layout, std::vector<double> q);

}  // namespace mw::app
