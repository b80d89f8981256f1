// Laws of springs, dampers and drives once more, from the words of the language alone: what another engine is told to
// apply. Nothing is shared with the laws that the engine and the generator have.
#pragma once

#include <span>

#include "engine/model/model.h"

namespace mw::cross {

/// Straight between the points, the end slopes kept outside; a single point is a constant, none is zero.
double curveAt(const Curve& curve, std::span<const double> param, double x);
/// Tension, pulling positive.
double tension(const Tsda& tsda, std::span<const double> param, double length, double rate, double act);
/// Couple (on a slide: force) on the joint along its coordinate.
double jointForce(const Rsda& rsda, std::span<const double> param, double coordinate, double rate, double act);
/// Force of a drive on its velocity.
double driveForce(const Drive& drive, std::span<const double> param, double t, double coordinate, double rate);

}  // namespace mw::cross
