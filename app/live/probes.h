// Readings as a table for people: each with its name, unit, what it acts on, in which axes, about which point, what it
// includes, and one of four states. Zero is a value; a number that nobody computed is none.
#pragma once

#include <string>
#include <vector>

#include "app/live/runner.h"

namespace mw::app {

struct Probe {
    enum class State { value, not_computed, unavailable, invalid };
    std::string name;            ///< "position", "spring coupling_spring"
    std::string unit;            ///< "m"
    std::vector<double> values;  ///< empty unless the state is `value`
    std::string acts_on;         ///< "body rod"; empty for what is no force
    std::string acts_from;       ///< on the other side: "body crank"; empty where there is none, or as with acts_on
    std::string by;              ///< producer: "kinematics", "tsda coupling_spring", "mouse spring"
    std::string axes;            ///< "base", "body", "joint"
    std::string about;           ///< reference point of moments and velocities
    std::string note;            ///< what it includes or omits
    State state = State::value;
    std::string word;   ///< a value in words ("slack", "converged"); `values` is empty then
    std::string pass;   ///< of the producer: "step with rows", "state alone", "geometry"
    std::string when;   ///< "at t = 0.25 s", "average over [0.249, 0.25] s"
    std::string trust;  ///< "exact", "converged, residual 3.1e-10 N s", "budget spent, …"
};
const char* probeStateName(Probe::State state);

/// Everything known of one body at the snapshot's instant: pose, velocity, joint coordinates, speeds and accelerations,
/// applied joint forces, drives, springs that end on it, the mouse's push; of a model with rows what limits, dry
/// friction, damping and prescribed drives give on its joint.
std::vector<Probe> bodyProbes(const Snapshot& snapshot, int body);
/// Everything known of one loop: error, rate and multiplier of each row, the wrench of its closure on the successor,
/// its force along the line where it keeps a distance.
std::vector<Probe> loopProbes(const Snapshot& snapshot, int loop);
/// Everything known of one tendon: length, rate and reference; tension and every row's force apart; actuation and
/// energies; branches and segments; path points, guides, moment arms. A force that only a step defines is "not
/// computed" before the first one.
std::vector<Probe> tendonProbes(const Snapshot& snapshot, int tendon);
/// Everything known of one contact of shapes (an id of Readings::rows.contacts); empty: there is no such contact now.
std::vector<Probe> shapeContactProbes(const Snapshot& snapshot, const std::string& id);
/// How the rows of the last step were solved: status, sweeps, residual; empty for a model without rows.
std::vector<Probe> solverProbes(const Snapshot& snapshot);
/// Energies and momenta of the whole.
std::vector<Probe> wholeProbes(const Snapshot& snapshot);

}  // namespace mw::app
