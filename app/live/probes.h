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
    std::string note;            ///< what it includes or omits; instant it belongs to
    State state = State::value;
};
const char* probeStateName(Probe::State state);

/// Everything known of one body at the snapshot's instant: pose, velocity, joint coordinates, speeds and accelerations,
/// applied joint forces, drives, springs that end on it, the mouse's push.
std::vector<Probe> bodyProbes(const Snapshot& snapshot, int body);
/// Everything known of one loop: error, rate and multiplier of each row, the wrench of its closure on the successor,
/// its force along the line where it keeps a distance.
std::vector<Probe> loopProbes(const Snapshot& snapshot, int loop);
/// Energies and momenta of the whole.
std::vector<Probe> wholeProbes(const Snapshot& snapshot);

}  // namespace mw::app
