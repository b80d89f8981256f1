// What an author or a user chooses about the contacts of a run, and the start on a slope: the whole mechanism turned
// with its ground, so that gravity, and with it the generated code, stays as it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// All of it enters the step, so all of it is recorded.
struct ContactSetup {
    Friction friction = Friction::regularized;
    double slope = 0;  ///< start state and terrain turned rigidly about the base's y, rad, uphill towards +x
    double ramp = 0;   ///< s, over which the gains rise from nothing (smoothstep of t); 0: full from the start
    bool operator==(const ContactSetup&) const = default;
};

/// Gain of the contacts at a time: 0 at the start of a ramp, 1 after it and without one.
double contactGain(const ContactSetup& setup, double t);

/// Why a mechanism cannot be turned as a whole (something of it hangs on the base); empty: it can.
std::string whyNotTurned(const Model& model);
/// Start coordinates turned rigidly about the base's y by `slope`, uphill towards +x: every floating root's pose, also
/// where its joint frame is moved and turned in the base. Velocities are in body axes and stay what they are. The
/// mechanism must be one that can be turned.
void turnRoots(const Model& model, const Layout& layout, std::span<const double> param, double slope,
               std::vector<double>& q);

}  // namespace mw
