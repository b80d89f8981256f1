// The judge is judged: a mechanism that differs in one small thing from what the other engines are given must be
// caught, by the check that is there for it.
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "tests/crosscheck/crosscheck.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::cross;

namespace {

// A crank, a coupler and a rocker in space with a spring, a preloaded torsion spring, damping, armature, a wrench and a
// drive; closed by a ball with its frames turned. A floating body with full inertia hangs on a second loop.
constexpr const char* kText = R"(mech 1
stab 0
body crank
  joint revolute 0.1 1 0.2
  at 0.1 0 0.3  rot 0.2 -0.3 0.4
  mass 1.2  cg 0.1 0.02 -0.03  inertia 2e-2 3e-2 2.5e-2 2e-3 -1e-3 3e-3
  joint-damping 0.3  joint-armature 0.05  fext
  rate 1
body arm
  parent crank
  joint universal x z
  at 0.3 0 0.1  rot 0 0.5 0
  mass 0.8  cg 0.2 0.05 0  inertia 1e-2 2e-2 2e-2 0 1e-3 0
body bob
  joint floating
  mass 2  cg 0.05 -0.1 0.02  inertia 4e-2 5e-2 6e-2 1e-2 -5e-3 8e-3
  start 1 0 0 0  0.9 0.2 -0.1
  rate 0.3 -0.2 0.5 0.1 0.2 0
poi hook on base at 0 0.5 0.5
poi eye on arm at 0.3 0.1 0
tsda spring from hook to eye  k 200  c 4  l0 0.4  curve -0.1 -5 0 0 0.1 20
rsda torsion joint crank  k 30  c 0.5  q0 0.7
drive motor joint crank  speed 2  gain 1.5
loop socket
  type spherical
  from arm 0.4 0 0.1
  to bob -0.1 0.1 0
loop rail
  type point-on-line
  from base 0.8 0 0 rot 0.4 0.2 -0.6
  to bob 0.2 0 0.1
  axis 0.3 1 0.2
)";

Model assembledModel() {
    Model model = readMechanism(std::string(kText)).model;
    return model;
}

bool caught(const Model& ours, const Model& theirs, bool motion, const std::string& engine, const std::string& check) {
    Options options;
    options.trials = 10;
    options.motion = motion;
    options.simbody = engine == "simbody";
    options.mujoco = engine == "mujoco";
    const Report report =
        crosscheck(subjectOf(ours, [](const Model& m) { return makeReferenceKernel(m); }), theirs, "planted", options);
    bool found = false;
    for (const EngineReport& one : report.engines)
        for (const Check& c : one.checks) {
            UNSCOPED_INFO(fmt::format("{} {}: {:.3g} {}", one.engine, c.name, c.value, c.detail));
            if (c.name == check) found = !c.pass && !c.skipped;
        }
    return found;
}

struct Fault {
    const char* what;
    std::function<void(Model&)> plant;
    const char* check;  ///< must trip in both engines, or in Simbody's motion
    bool motion = false;
};

std::vector<Fault> faults() {
    return {
        {"mass off by 1e-6", [](Model& m) { m.bodies[0].mass.value *= 1 + 1e-6; }, "acceleration"},
        {"product of inertia with the other sign", [](Model& m) { m.bodies[2].inertia[3].value *= -1; },
         "acceleration"},
        {"centre of mass off by a micrometre", [](Model& m) { m.bodies[1].cg[1].value += 1e-6; }, "acceleration"},
        {"joint axis the other way",
         [](Model& m) {
             for (double& x : m.bodies[0].joint.axis) x = -x;
         },
         "kinematics"},
        {"second axis of the universal joint the other way",
         [](Model& m) {
             for (double& x : m.bodies[1].joint.axis2) x = -x;
         },
         "kinematics"},
        {"roll and yaw swapped", [](Model& m) { std::swap(m.bodies[0].rot[0], m.bodies[0].rot[2]); }, "kinematics"},
        {"loop's ends swapped in place", [](Model& m) { std::swap(m.loops[0].from.at, m.loops[0].to.at); },
         "acceleration"},
        {"loop's predecessor and successor exchanged", [](Model& m) { std::swap(m.loops[0].from, m.loops[0].to); },
         "loop-forces"},
        {"loop frame not turned", [](Model& m) { m.loops[1].from.rot = {}; }, "acceleration"},
        {"loop's axis mirrored", [](Model& m) { m.loops[1].axis[0] *= -1; }, "acceleration"},
        {"a loop forgotten", [](Model& m) { m.loops[1].axis = m.loops[1].axis, m.loops[1].type = LoopType::spherical; },
         "acceleration"},
        {"spring stiffer by 1e-6", [](Model& m) { m.tsdas[0].k.value *= 1 + 1e-6; }, "acceleration"},
        {"corner of the spring's curve moved", [](Model& m) { m.tsdas[0].curve.x[1].value = 0.02; }, "acceleration"},
        {"torsion spring's rest angle", [](Model& m) { m.rsdas[0].q0.value = 0.7 + 1e-6; }, "acceleration"},
        {"no armature", [](Model& m) { m.bodies[0].joint_armature.value = 0; }, "acceleration"},
        {"no joint damping", [](Model& m) { m.bodies[0].joint_damping.value = 0; }, "acceleration"},
        {"wrench not taken", [](Model& m) { m.bodies[0].fext = false; }, "acceleration"},
        {"gravity the other way", [](Model& m) { m.gravity[2].value *= -1; }, "acceleration"},
        {"drive's gain", [](Model& m) { m.drives[0].gain.value = 1.4; }, "trajectory-verlet", true},
        {"torsion spring without stiffness: a torque that does not follow the angle",
         [](Model& m) { m.rsdas[0].k.value = 0; }, "trajectory-euler", true},
    };
}

}  // namespace

TEST_CASE("Both engines agree with the mechanism that the faults are planted in") {
    const ReadResult read = readMechanism(std::string(kText));
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(d.message);
    REQUIRE(read.ok());
    const Model model = assembledModel();
    Options options;
    options.trials = 10;
    options.simbody = SimbodyTwin::built();
    options.mujoco = MujocoTwin::built();
    const Report report =
        crosscheck(subjectOf(model, [](const Model& m) { return makeReferenceKernel(m); }), model, "sound", options);
    for (const EngineReport& one : report.engines)
        for (const Check& c : one.checks) {
            INFO(fmt::format("{} {}: {:.3g} {}", one.engine, c.name, c.value, c.detail));
            CHECK(c.pass);
            CHECK(c.skipped == c.name.starts_with("tendon-"));
        }
}

TEST_CASE("Every planted difference is caught by the check that is there for it") {
    const Model sound = assembledModel();
    for (const Fault& fault : faults()) {
        Model other = sound;
        fault.plant(other);
        INFO(fault.what);
        if (SimbodyTwin::built()) {
            INFO("simbody");
            CHECK(caught(sound, other, fault.motion, "simbody", fault.check));
        }
        if (MujocoTwin::built() && !fault.motion) {
            INFO("mujoco");
            CHECK(caught(sound, other, false, "mujoco", fault.check));
        }
    }
}

TEST_CASE("Numbers that are not finite, or not as many, never agree") {
    CHECK(scaledError({1, NAN}, {1, NAN}) > 1e300);
    CHECK(scaledError({1}, {1, 2}) > 1e300);
    CHECK(scaledError({1, 2.5}, {1, 2}) == Approx(0.25));
}
