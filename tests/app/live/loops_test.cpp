// Loops beside the window: readings that say what they are, poses set by hand, free motions as paths of closed poses.
#include <algorithm>
#include <cmath>

#include "app/live/free_motion.h"
#include "app/live/headless.h"
#include "app/live/probes.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/loop_rows.h"
#include "engine/model/start_pose.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

Mechanism model(const char* name) {
    Mechanism m = mechanismFromFile(std::filesystem::path(MW_SOURCE_DIR) / "models" / (std::string(name) + ".mech"));
    REQUIRE(m.model);
    return m;
}

std::vector<double> closedStart(const Mechanism& m, Closure& closure) {
    const std::vector<double> param = m.model->liveValues();
    const Assembly a = closure.assemble(startQ(*m.model, m.layout, param), param);
    REQUIRE(a.closed);
    return a.q;
}

double errorAt(Closure& closure, const std::vector<double>& q, const std::vector<double>& param) {
    double most = 0;
    for (const double e : closure.error(q, param)) most = std::max(most, std::abs(e));
    return most;
}

}  // namespace

TEST_CASE("every reading of a loop says what it is; the wrench holds what the bodies need", "[loops]") {
    const Mechanism m = model("fourbar");
    Runner runner;
    runner.setModel(m.model, makeReferenceKernel(*m.model), false);
    runner.step(20);
    runner.flush();
    const auto s = runner.snapshot();
    const auto probes = loopProbes(*s, 0);
    const std::size_t rows = rowsOf(m.model->loops[0]).size();
    REQUIRE(probes.size() == 3 * rows + 2);
    for (const Probe& p : probes) {
        CAPTURE(p.name);
        CHECK(p.state == Probe::State::value);
        CHECK(!p.unit.empty());
        CHECK(!p.by.empty());
        CHECK(!p.axes.empty());
        if (p.unit.front() == 'N') {
            CHECK(p.acts_on == "body rocker");
            CHECK(p.acts_from == "base");
            CHECK(!p.about.empty());
        }
    }
    // The rows of a point on a line lie across its axis: the force is their sum, without a part along it.
    const Probe& force = probes[3 * rows];
    CHECK(force.name == "force");
    const double squares = probes[2].values[0] * probes[2].values[0] + probes[5].values[0] * probes[5].values[0];
    double size = 0;
    for (const double f : force.values) size += f * f;
    CHECK(size == Approx(squares));
    CHECK(force.values[1] == Approx(0).margin(1e-9));

    // Nobody computed it: not zero, not computed.
    Snapshot bare = *s;
    for (LoopReading& loop : bare.readings.loops) loop.lambda.clear();
    CHECK(loopProbes(bare, 0)[2].state == Probe::State::not_computed);
    CHECK(loopProbes(bare, 0)[3 * rows].state == Probe::State::not_computed);
    CHECK(loopProbes(*s, 7).empty());
    CHECK(loopProbes(Snapshot{}, 0).empty());
}

TEST_CASE("a motion ends where its leading coordinate cannot be had, and never turns back on the way", "[loops]") {
    // Near the dead point of the angle between coupler and rocker, which the drive makes the leading one.
    std::string text = R"(mech 1
body crank
  joint revolute y
  mass 1  cg 0.05 0 0  inertia 0.001 0.002 0.002 0 0 0
  start ANGLE
body coupler
  parent crank
  joint revolute y
  at 0.1 0 0
  mass 1  cg 0.15 0 0  inertia 0.001 0.01 0.01 0 0 0
body rocker
  parent coupler
  joint revolute y
  at 0.3 0 0
  mass 1  cg 0.125 0 0  inertia 0.001 0.006 0.006 0 0 0
  start 1.4
loop pin
  type point-on-line
  from base 0.3 0 0
  to rocker 0.25 0 0
  axis y
drive steer joint rocker  position 1  kp 1  kd 1
)";
    int led = 0;
    for (const char* angle : {"0.05", "0.15", "0.4", "1", "2.9", "3.1"}) {
        CAPTURE(angle);
        std::string at = text;
        at.replace(at.find("ANGLE"), 5, angle);
        const Mechanism m = mechanismFromText(at, "fourbar");
        REQUIRE(m.model);
        Closure closure(*m.model);
        const std::vector<double> param = m.model->liveValues(), q = closedStart(m, closure);
        const auto motions = closure.freeMotions(q, param);
        REQUIRE(motions.size() == 1);
        const auto lead = static_cast<std::size_t>(motions[0].velocity);
        // At the dead point itself the crank leads.
        if (m.layout.v_names[lead] != "rocker") continue;
        ++led;
        MotionPath path(closure, q, param, motions, 0, 0.6);
        if (!path.moves()) continue;
        // The leading coordinate is one sine over the whole way: three instants say which.
        const auto value = [&](double t) { return path.at(t)[lead]; };
        const double w = 2 * std::acos(-1.0) / MotionPath::kPeriod;
        const double a = value(0), b = value(MotionPath::kPeriod / 4), c = value(MotionPath::kPeriod / 2);
        const double middle = (a + c) / 2, sine = b - middle, cosine = a - middle;
        for (int i = 0; i < 40; ++i) {
            const double t = i * MotionPath::kPeriod / 40;
            CHECK(value(t) == Approx(middle + sine * std::sin(w * t) + cosine * std::cos(w * t)).margin(1e-9));
            CHECK(errorAt(closure, path.at(t), param) < 1e-9);
        }
    }
    CHECK(led > 2);
}

TEST_CASE("a pose set by hand: a trial before the first step, which reset leaves; later the run goes on from it",
          "[loops]") {
    const Mechanism m = model("fourbar");
    Closure closure(*m.model);
    const std::vector<double> param = m.model->liveValues(), start = startQ(*m.model, m.layout, param);
    const Assembly posed = closure.setCoordinate(closedStart(m, closure), 0, start[0] + 0.5, param);
    REQUIRE(posed.closed);
    Runner runner;
    runner.setModel(m.model, makeReferenceKernel(*m.model), false);
    runner.setPose(posed.q, std::vector<double>(3, 0.0));
    runner.flush();
    CHECK(runner.snapshot()->state.q == posed.q);
    CHECK(runner.snapshot()->trial);
    CHECK(!runner.snapshot()->atStart());
    runner.step(3);
    runner.flush();
    CHECK(runner.snapshot()->state.step == 3);
    CHECK(runner.snapshot()->readings.loops[0].worst() < 1e-6);
    const double t = runner.snapshot()->state.t;
    runner.setPose(posed.q, std::vector<double>(3, 0.0));
    runner.flush();
    CHECK(runner.snapshot()->state.q == posed.q);
    CHECK(runner.snapshot()->state.t == t);
    runner.reset();
    runner.flush();
    CHECK(runner.snapshot()->state.q == start);
    CHECK(runner.snapshot()->atStart());
    // Put back is at the start again.
    runner.setPose(posed.q, std::vector<double>(3, 0.0));
    runner.setPose(start, std::vector<double>(3, 0.0));
    runner.flush();
    CHECK(runner.snapshot()->atStart());
    runner.setPose({1, 2}, {0, 0, 0});
    runner.flush();
    CHECK(!runner.snapshot()->problem.empty());
    CHECK(runner.snapshot()->state.q == start);
}

TEST_CASE("a pull on a running loop mechanism moves it without tearing it", "[loops]") {
    const Mechanism m = model("fourbar");
    const auto run = [&](bool pulled) {
        Runner runner;
        runner.setModel(m.model, makeReferenceKernel(*m.model), false);
        runner.setDt(5e-4);
        runner.step(1);
        runner.flush();
        const auto first = runner.snapshot();
        if (pulled) {
            // From the coupler's origin, half a metre upwards
            Inputs::Push push;
            push.body = m.model->findBody("coupler");
            const auto x = static_cast<std::size_t>(12 * push.body);
            push.target = {first->readings.X[x + 9], first->readings.X[x + 10], first->readings.X[x + 11] + 0.5};
            push.stiffness = 40;
            push.damping = 1;
            runner.setPush(push);
        }
        runner.step(300);
        runner.flush();
        CHECK(runner.snapshot()->readings.loops[0].worst() < 1e-5);
        return runner.snapshot();
    };
    const auto left = run(false), pulled = run(true);
    REQUIRE(pulled->readings.push_force);
    CHECK(std::abs(pulled->state.q[0] - left->state.q[0]) > 0.05);
    CHECK(std::abs(pulled->readings.residual) < 1e-2 * std::abs(pulled->readings.ledger.hand) + 1e-4);
}

TEST_CASE("free motions swing both ways through closed poses, smoothly", "[loops]") {
    for (const char* name : {"fourbar", "rrrs", "slidercrank", "watt", "bennett", "peaucellier", "backhoe"}) {
        CAPTURE(name);
        const Mechanism m = model(name);
        Closure closure(*m.model);
        const std::vector<double> param = m.model->liveValues(), q = closedStart(m, closure);
        const auto motions = closure.freeMotions(q, param);
        REQUIRE(static_cast<int>(motions.size()) == m.layout.nv - m.layout.nc);
        for (std::size_t i = 0; i < motions.size(); ++i) {
            CAPTURE(motions[i].name);
            MotionPath path(closure, q, param, motions, i, 1.0);
            REQUIRE(path.moves());
            const auto lead = [&](const std::vector<double>& pose) {
                const int v = motions[i].velocity, b = m.layout.body_of_v[static_cast<std::size_t>(v)];
                const auto s = static_cast<std::size_t>(b);
                return pose[static_cast<std::size_t>(m.layout.q_of_body[s] + v - m.layout.v_of_body[s])];
            };
            CHECK(std::abs(lead(path.at(0)) - lead(q)) < 1e-9);
            double low = 0, high = 0, last = lead(q), jump = 0;
            for (int k = 0; k <= 70; ++k) {
                const std::vector<double> pose = path.at(MotionPath::kPeriod * k / 70);
                CHECK(errorAt(closure, pose, param) < 1e-9);
                low = std::min(low, lead(pose) - lead(q));
                high = std::max(high, lead(pose) - lead(q));
                jump = std::max(jump, std::abs(lead(pose) - last));
                last = lead(pose);
            }
            CHECK(high - low > 0.01);
            CHECK(high - low < 2);
            // A sine's fastest step of 70: pi/70 of the whole way.
            CHECK(jump < 1.3 * M_PI / 70 * (high - low) + 1e-9);
            CHECK(std::abs(last - lead(q)) < 1e-6);  // once round
        }
    }
}

TEST_CASE("other freedoms stand still while one is played", "[loops]") {
    const Mechanism m = model("backhoe");
    Closure closure(*m.model);
    const std::vector<double> param = m.model->liveValues(), q = closedStart(m, closure);
    const auto motions = closure.freeMotions(q, param);
    REQUIRE(motions.size() > 1);
    MotionPath path(closure, q, param, motions, 0, 1.0);
    for (int k = 0; k < 12; ++k) {
        const std::vector<double> pose = path.at(0.21 * k);
        for (std::size_t other = 1; other < motions.size(); ++other) {
            const int v = motions[other].velocity;
            const auto b = static_cast<std::size_t>(m.layout.body_of_v[static_cast<std::size_t>(v)]);
            if (jointNq(m.model->bodies[b].joint.type) != jointNv(m.model->bodies[b].joint.type)) continue;
            const auto slot = static_cast<std::size_t>(m.layout.q_of_body[b] + v - m.layout.v_of_body[b]);
            CAPTURE(motions[other].name);
            CHECK(pose[slot] == Approx(q[slot]).margin(1e-9));
        }
    }
}
