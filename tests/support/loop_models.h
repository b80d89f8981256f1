// Mechanisms with closed loops for tests, written as people write them; dimensions are parameters of the functions
// where a closed form wants them.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <string>

#include "engine/model/read.h"

namespace mw::test {

inline Model loopModel(const std::string& text) {
    const ReadResult read = readModel("mech 1\n" + text);
    if (!read.ok()) throw std::runtime_error(formatDiagnostic(read.diagnostics.front(), "mech 1\n" + text, "test"));
    return read.model;
}

/// Planar four-bar about y: ground (0 0 0) and (d 0 0), crank a, coupler b, rocker c as two chains, or (tree) one chain
/// closed at the ground pivot. Angles are right-handed about +y, so that x turns towards -z.
inline std::string fourBarText(double a, double b, double c, double d, const std::string& closure = "point-on-line",
                               const std::string& start = "") {
    return fmt::format(R"(body crank
  joint revolute y
  mass 1  cg {0} 0 0  inertia 0.001 0.01 0.01 0 0 0
  {4}
body coupler
  parent crank  joint revolute y  at {1} 0 0
  mass 2  cg {2} 0 0  inertia 0.001 0.02 0.02 0 0 0
body rocker
  joint revolute y  at {3} 0 0
  mass 1.5  cg 0.1 0 0  inertia 0.001 0.015 0.015 0 0 0
  start -1.5
loop pin
  type {5}
  from coupler {6} 0 0
  to rocker {7} 0 0
  axis y
)",
                       a / 2, a, b / 2, d, start, closure, b, c);
}

/// Crank a and slider along x with a rod of length l between them, two branches off the base.
inline std::string sliderCrankText(double a, double l, double angle) {
    return fmt::format(R"(body crank
  joint revolute y
  mass 1  cg {0} 0 0  inertia 0.001 0.01 0.01 0 0 0
  start {1:.17g}
body slider
  joint prismatic x
  mass 2
  start {2:.17g}
loop rod
  type distance
  from crank {3} 0 0
  to slider 0 0 0
  length {4}
)",
                       a / 2, angle, a * std::cos(angle) + std::sqrt(l * l - std::pow(a * std::sin(angle), 2)), a, l);
}

/// Crank 0.2, rod 0.6 as a body of its own, slider along x; the crank's motion is prescribed, from 0.5 rad at 2 rad/s.
inline std::string drivenSliderCrankText() {
    return R"(body crank
  joint revolute y
  mass 1  cg 0.1 0 0  inertia 0.001 0.002 0.002 0 0 0
  start 0.5
body rod
  parent crank
  joint revolute y
  at 0.2 0 0
  mass 1  cg 0.3 0 0  inertia 0.001 0.03 0.03 0 0 0
  start (-0.5 - asin(sin(0.5)/3))
body slider
  joint prismatic x
  mass 2
  start (0.2*cos(0.5) + 0.6*cos(asin(sin(0.5)/3)))
loop pin
  type point-on-line
  from rod 0.6 0 0
  to slider 0 0 0
  axis y
drive motor joint crank prescribed (0.5 + 2*t)
)";
}

/// Six legs, each a universal joint on the base, a prismatic and a spherical closure on the floating platform.
inline std::string stewartText(double height = 0.8) {
    std::string text = fmt::format(
        "body platform\n  joint floating\n  mass 20  inertia 1 1 2 0 0 0\n  start 1 0 0 0 0 0 {}\n", height);
    for (int i = 0; i < 6; ++i) {
        const double pi = 3.14159265358979323846;
        const double base = (i / 2) * 2 * pi / 3 + (i % 2 ? 0.25 : -0.25);
        const double top = (i / 2) * 2 * pi / 3 + (i % 2 ? pi / 3 - 0.2 : -pi / 3 + 0.2);
        const double bx = 0.6 * std::cos(base), by = 0.6 * std::sin(base);
        const double tx = 0.35 * std::cos(top), ty = 0.35 * std::sin(top);
        text += fmt::format(R"(body leg{0}
  joint universal x y  at {1:.17g} {2:.17g} 0
  mass 2  cg 0 0 0.2  inertia 0.05 0.05 0.001 0 0 0
body rod{0}
  parent leg{0}  joint prismatic z
  mass 1  cg 0 0 -0.1  inertia 0.02 0.02 0.001 0 0 0
  start 0.85
loop ball{0}
  type spherical
  from rod{0} 0 0 0
  to platform {3:.17g} {4:.17g} 0
)",
                            i, bx, by, tx, ty);
    }
    return text;
}

/// One corner of a car: a floating spindle between two wishbones (revolute x) by ball joints, a tie rod to `rack`, and
/// a tyre rod down to a post. side: +1 left, -1 right.
inline std::string cornerText(const std::string& name, double x, double side, const std::string& chassis,
                              const std::string& rack) {
    return fmt::format(R"(body {0}_upper
  parent {1}  joint revolute x  at {3} {4:.17g} 0.25
  mass 6  cg 0 {5:.17g} 0  inertia 0.03 0.03 0.05 0 0 0
body {0}_lower
  parent {1}  joint revolute x  at {3} {6:.17g} -0.05
  mass 16  cg 0 {7:.17g} 0  inertia 0.4 0.4 0.79 0 0 0
body {0}_spindle
  joint floating
  mass 40  inertia 0.7 1.2 0.7 0 0 0
  start 1 0 0 0 {3} {8:.17g} 0.77
body {0}_post
  joint prismatic z  at {3} {8:.17g} 0
  mass 20
  start 0.2
loop {0}_uj
  type spherical
  from {0}_upper 0 {9:.17g} 0
  to {0}_spindle 0 {10:.17g} 0.15
loop {0}_lj
  type spherical
  from {0}_lower 0 {11:.17g} 0
  to {0}_spindle 0 {10:.17g} -0.15
loop {0}_tie
  type distance
  from {2} {12} {13:.17g} 0
  to {0}_spindle -0.15 {10:.17g} 0
  length 0.43
loop {0}_tyre
  type distance
  from {0}_post 0 0 0
  to {0}_spindle 0 0 0
  length 0.6
)",
                       name, chassis, rack, x, side * 0.35, side * 0.15, side * 0.25, side * 0.2, side * 0.9,
                       side * 0.44, -side * 0.1, side * 0.54, rack == chassis ? x - 0.15 : -0.15, side * 0.36);
}

/// A car of hmmwv's sizes: nq 48, nv 43, nc 32, mobility 11; start pose open by some centimetres.
inline std::string carText() {
    return "body chassis\n  joint floating\n  mass 2000  inertia 600 2500 2800 0 0 0\n  start 1 0 0 0 0 0 0.7\n"
           "body rack\n  parent chassis  joint prismatic y  at 1.6 0 0\n  mass 10\n" +
           cornerText("fl", 1.6, 1, "chassis", "rack") + cornerText("fr", 1.6, -1, "chassis", "rack") +
           cornerText("rl", -1.6, 1, "chassis", "chassis") + cornerText("rr", -1.6, -1, "chassis", "chassis");
}

}  // namespace mw::test
