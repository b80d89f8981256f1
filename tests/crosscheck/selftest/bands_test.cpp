// Bands before the judge: shoes and closures as other engines hold them, on a small vehicle whose wheel hangs on a
// torsion bar, and differences planted in both.
#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include "engine/dynamics/reference_kernel.h"
#include "engine/track/expand.h"
#include "tests/crosscheck/crosscheck.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::cross;

namespace {

// A preloaded bar on a free arm: its torque changes at once when the arm moves.
constexpr const char* kText = R"(mech 1
body hull
  joint floating
  mass 200  cg 0.05 0.02 0.1  inertia 6 14 16 0 0.3 0
  start 1 0 0 0  0 0 0.5
body sprocket
  parent hull  joint revolute y  at 0.6 0 0
  mass 12  inertia 0.1 0.15 0.1 0 0 0
  fext
body carrier
  parent hull  joint prismatic x  at -0.6 0 0
  mass 3  cg 0 -0.05 0  inertia 0.01 0.01 0.01 0 0 0
body idler
  parent carrier  joint revolute y
  mass 10  inertia 0.1 0.12 0.1 0 0 0
  fext
body arm
  parent hull  joint revolute y  at 0.2 -0.1 -0.05
  mass 8  cg -0.1 0 -0.03  inertia 0.05 0.1 0.1 0 0.01 0
body wheel
  parent arm  joint revolute y  at -0.2 0.1 -0.07
  mass 9  inertia 0.1 0.15 0.1 0 0 0
  fext
poi seat on hull at -0.3 0 0
poi eye on carrier at 0.05 0 0
tsda tensioner from seat to eye  k 4e4  c 300  l0 0.3
rsda bar joint arm  k 1500  c 20  q0 0.25
track band
  root hull
  plane xz
  shoes 18  pitch 0.2
  mass 2  cg 0.08 0.01 0  inertia 0.01 0.004 0.012 0 0.001 0
  fext
  roller sprocket 0.2 end driven teeth 6
  roller idler 0.2 end
  roller wheel 0.12
  pad -0.03 0.15 0.2  thickness 0.02
  kn 1e6  mu 0.8
ground
  plane 0 0 1 0
)";

Model bandModel() {
    const ReadResult read = readMechanism(std::string(kText));
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(d.message);
    REQUIRE(read.ok());
    REQUIRE(read.model.bodies.size() == 24);
    return read.model;
}

/// Names of the checks that did not pass.
std::vector<std::string> failed(const Model& ours, const Model& theirs, const Options& options) {
    const Report report =
        crosscheck(subjectOf(ours, [](const Model& m) { return makeReferenceKernel(m); }), theirs, "band", options);
    std::vector<std::string> out;
    for (const EngineReport& one : report.engines)
        for (const Check& c : one.checks) {
            UNSCOPED_INFO(fmt::format("{} {}: {:.3g} {}", one.engine, c.name, c.value, c.detail));
            if (options.motion) CHECK(c.skipped == c.name.starts_with("tendon-"));
            if (!c.pass) out.push_back(one.engine + " " + c.name);
        }
    return out;
}

}  // namespace

TEST_CASE("Other engines agree on a band: its shoes, its closure, its motion without contact") {
    const Model model = bandModel();
    Options options;
    options.trials = 20;
    options.time = 0.1;
    options.simbody = SimbodyTwin::built();
    options.mujoco = MujocoTwin::built();
    CHECK(failed(model, model, options).empty());
}

TEST_CASE("A shoe, a closure or a closure's pin that differs is seen by both engines") {
    const Model model = bandModel();
    const int shoe = model.tracks[0].first_shoe + 7;
    const std::vector<std::pair<const char*, std::function<void(Model&)>>> faults = {
        {"a shoe heavier by 1e-6", [&](Model& m) { m.bodies[shoe].mass.value *= 1 + 1e-6; }},
        {"a pin a micrometre off", [&](Model& m) { m.bodies[shoe].at[0].value += 1e-6; }},
        {"the closure at the wrong pin", [&](Model& m) { m.loops[0].to.at[0] = m.tracks[0].link; }},
        {"the closure's axis turned",
         [&](Model& m) {
             m.loops[0].axis = {0, 0.96, 0.28};
         }},
    };
    for (const auto& [what, plant] : faults) {
        Model other = model;
        plant(other);
        INFO(what);
        Options options;
        options.trials = 10;
        options.motion = false;
        for (const bool simbody : {true, false}) {
            options.simbody = simbody && SimbodyTwin::built();
            options.mujoco = !simbody && MujocoTwin::built();
            if (options.simbody || options.mujoco) CHECK_FALSE(failed(model, other, options).empty());
        }
    }
}

TEST_CASE("A torsion bar that keeps the torque of the start is not the torsion bar") {
    // What an engine does that takes a joint's torque once and holds it: at the start all is right, and no later.
    if (!SimbodyTwin::built()) return;
    const Model model = bandModel();
    Model frozen = model;
    Rsda& bar = frozen.rsdas[0];
    bar.curve.x = {0};
    bar.curve.f = {-bar.k.value * bar.q0.value};
    bar.k = 0;
    Options options;
    options.trials = 1;
    options.time = 0.1;
    options.mujoco = false;
    const std::vector<std::string> found = failed(model, frozen, options);
    CHECK(std::count(found.begin(), found.end(), "simbody trajectory-euler") == 1);
    CHECK(std::count(found.begin(), found.end(), "simbody trajectory-verlet") == 1);
}
