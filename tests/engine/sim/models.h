// Small mechanisms for the tests of motion, as people would write them.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/read.h"
#include "engine/sim/simulation.h"
#include "engine/track/expand.h"

namespace mw::test {

inline std::shared_ptr<const Model> model(const std::string& text) {
    const ReadResult read = readMechanism("mech 1\n" + text);
    if (!read.ok()) throw std::runtime_error(formatDiagnostic(read.diagnostics.front(), text, "test"));
    return std::make_shared<const Model>(read.model);
}

inline Simulation simulate(const std::shared_ptr<const Model>& m, Integrator integrator, double dt) {
    return Simulation(m, makeReferenceKernel(*m), integrator, dt);
}

/// A double pendulum in space with crossed axes: enough Coriolis to tell first order from second.
inline const char* kCrossed = R"(
body upper
  joint revolute y
  at 0 0 1
  mass 1.5  cg 0.2 0.02 0
  inertia 2e-3 2e-2 2e-2 0 0 0
  start 0.4  rate 1.5
body lower
  parent upper
  joint revolute z
  at 0.4 0 0
  mass 0.8  cg 0.15 0 0.05
  inertia 1e-3 1e-2 1e-2 0 0 0
  start -0.7  rate -2
)";

/// Every joint type on one tree, all bodies taking wrenches.
inline const char* kEveryJoint = R"(
body bus
  joint floating
  mass 5  cg 0.1 0 -0.05  inertia 0.5 0.6 0.7 0.01 0.02 -0.01
  start 0.9 0.1 -0.3 0.2 0.1 0.2 1  rate 0.3 -0.2 0.1 0.5 0.4 -0.3  fext
body ball
  parent bus  joint spherical  at 0.3 0.1 0  rot 0.2 0.1 -0.3
  mass 1  cg 0.1 0.05 0  inertia 0.02 0.03 0.04 0 0 0
  start 0.8 0.2 0.5 -0.1  rate 1 -0.5 0.3  fext
body cross
  parent ball  joint universal x y  at 0.2 0 0
  mass 1  cg 0.1 0 0.02  inertia 0.02 0.03 0.04 0 0 0
  start 0.4 -0.6  rate 0.7 0.9  fext
body table
  parent bus  joint planar y  at -0.3 0 0.1  rot 0 0.4 0
  mass 2  cg 0 0.1 0  inertia 0.05 0.03 0.04 0 0 0
  start 0.1 -0.2 0.7  rate 0.2 0.3 -1  fext
body tube
  parent table  joint cylindrical 1 2 2  at 0 0.2 0.1
  mass 1  cg 0.05 0 0  inertia 0.02 0.02 0.03 0 0 0
  start 0.3 0.1  rate 2 0.4  fext
body nut
  parent tube  joint screw z pitch 0.02  at 0.1 0 0
  mass 0.5  cg 0.03 0.01 0  inertia 0.004 0.004 0.005 0 0 0
  start 1.2  rate 3  fext
body slide
  parent nut  joint prismatic 1 1 0  at 0 0.1 0
  mass 0.5  cg 0 0 0.1  inertia 0.004 0.004 0.005 0 0 0
  start 0.1  rate -0.3  fext
body flange
  parent slide  joint fixed  at 0.1 0 0  rot 0.3 0 0.2
  mass 0.3  cg 0.02 0 0  inertia 0.001 0.001 0.001 0 0 0  fext
body hand
  parent flange  joint revolute 0 1 1  at 0.1 0.1 0
  mass 0.4  cg 0.05 0 0  inertia 0.001 0.002 0.002 0 0 0
  start -0.4  rate 2  fext
)";

}  // namespace mw::test
