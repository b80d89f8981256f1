// Loops under the hand: a paused four-bar that is dragged and posed stays closed at every picture, a running one is
// pulled by a spring; free motions play without tearing; a slider steers what a live parameter holds.
#include <algorithm>
#include <cmath>
#include <random>

#include "app/live/headless.h"
#include "app/live/probes.h"
#include "app/panels/view_core.h"
#include "app/render/offscreen.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/loop_rows.h"
#include "engine/model/start_pose.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;
using scene::Vec2;

namespace {

// Crank 0.1, coupler 0.3, rocker 0.25, frame 0.3; the plates face the camera's front view.
const char* kFourbar = R"(mech 1
param hold 0  range -0.5 0.5  live
body crank
  joint revolute 0 -1 0
  at 0 0 0.2
  mass 1  cg 0.05 0 0  inertia 0.001 0.002 0.002 0 0 0
  start 1
  slider -3 3
body coupler
  parent crank
  joint revolute 0 -1 0
  at 0.1 0 0
  mass 1  cg 0.15 0 0  inertia 0.001 0.01 0.01 0 0 0
body rocker
  parent coupler
  joint revolute 0 -1 0
  at 0.3 0 0
  mass 1  cg 0.125 0 0  inertia 0.001 0.006 0.006 0 0 0
  start -1.5
loop pin
  type point-on-line
  from base 0.3 0 0.2
  to rocker 0.25 0 0
  axis y
drive steer joint crank  position (1 + 2*hold)  kp 200  kd 10
shape a on coupler  box 0.3 0.02 0.03  at 0.15 0 0
)";

struct Stage {
    render::Offscreen offscreen;
    Mechanism mechanism = mechanismFromText(kFourbar, "fourbar");
    ViewCore core;
    Closure closure{*mechanism.model};
    std::vector<double> param = mechanism.model->liveValues();
    std::vector<double> q, start;
    std::vector<std::vector<double>> dragged;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> ended;
    std::vector<std::optional<Inputs::Push>> pushes;
    double now = 1;

    explicit Stage(RunState run = RunState::paused) {
        offscreen.makeCurrent();
        q = start = closure.assemble(startQ(*mechanism.model, mechanism.layout, param), param).q;
        REQUIRE(error(q) < 1e-12);
        core.events.dragged = [this](const std::vector<double>& pose) {
            dragged.push_back(pose);
            show(pose, RunState::paused);
        };
        core.events.drag_ended = [this](const auto& from, const auto& to) { ended.emplace_back(from, to); };
        core.events.push = [this](const std::optional<Inputs::Push>& push) { pushes.push_back(push); };
        core.setShown(ViewPart::smooth_moves, false);
        core.toggleCard(ViewCard::sliders);
        core.toggleCard(ViewCard::run);
        core.toggleCard(ViewCard::body);
        show(q, run);
        draw();
        core.setStandardView(scene::StandardView::front, now);
        draw();
    }
    double error(const std::vector<double>& pose) {
        double most = 0;
        for (const double e : closure.error(pose, param)) most = std::max(most, std::abs(e));
        return most;
    }
    void show(const std::vector<double>& pose, RunState run) {
        q = pose;
        auto snapshot = std::make_shared<Snapshot>();
        Simulation simulation = makeSimulation(mechanism, makeKernel(mechanism, "reference"));
        State state = simulation.state();
        state.q = pose;
        state.v.assign(state.v.size(), 0.0);
        simulation.setState(state, simulation.ledger());
        snapshot->model = mechanism.model;
        snapshot->state = simulation.state();
        snapshot->readings = simulation.read();
        snapshot->inputs = simulation.inputs();
        snapshot->run = run;
        core.setSnapshot(snapshot, {});
    }
    void draw() {
        now += 0.02;
        core.frame({900, 700, 0, 1, now, scene::ThemeKind::dark, true});
    }
    Vector3d middleOfCoupler() { return transform(bodyPlacements(*mechanism.model, q, param)[1], {0.15, 0, 0}); }
    Vec2 pixelOf(const Vector3d& p) {
        const auto seen = core.camera().project({p[0], p[1], p[2]}, core.viewport());
        REQUIRE(seen);
        return seen->pixel;
    }
};

}  // namespace

TEST_CASE("a pose under the hand is offered for its own mechanism only", "[loops]") {
    Stage stage;
    const Vec2 grab = stage.pixelOf(stage.middleOfCoupler());
    stage.core.pointerMoved(grab, stage.now);
    stage.core.pointerPressed(grab, PointerButton::left, {false, true, false}, stage.now);
    for (int i = 1; i <= 5; ++i) {
        stage.core.pointerMoved(grab + Vec2(4.0 * i, -3.0 * i), stage.now);
        stage.draw();
    }
    REQUIRE(!stage.dragged.empty());
    const std::vector<double> moved = stage.q;
    SECTION("that starts to run") {
        stage.show(moved, RunState::running);
        CHECK(stage.ended.size() == 1);
    }
    SECTION("not for another one of its size") {
        std::string other = kFourbar;
        other.replace(other.find("mass 1  cg 0.15"), 6, "mass 2");
        stage.mechanism = mechanismFromText(other, "other");
        stage.show(moved, GENERATE(RunState::running, RunState::paused));
        stage.core.pointerReleased(grab, PointerButton::left, {}, stage.now);
        CHECK(stage.ended.empty());
    }
}

TEST_CASE("the coupler of a paused four-bar follows the pointer as far as the loop lets it", "[loops]") {
    Stage stage;
    const Vec2 grab = stage.pixelOf(stage.middleOfCoupler());
    stage.core.pointerMoved(grab, stage.now);
    stage.core.pointerPressed(grab, PointerButton::left, {false, true, false}, stage.now);
    REQUIRE(stage.core.drag() == ViewDrag::pose);
    // A way that a four-bar can go in part only: every pose on it is closed.
    const Vec2 way[] = {{30, -20}, {60, -60}, {20, -120}, {-80, -60}, {-300, 200}, {0, 0}};
    Vec2 at = grab;
    for (const Vec2& to : way)
        for (int i = 1; i <= 8; ++i) {
            at = grab + to * (i / 8.0);
            stage.core.pointerMoved(at, stage.now);
            stage.draw();
            CHECK(stage.error(stage.core.snapshot()->state.q) < 1e-9);
            CHECK(stage.core.snapshot()->readings.loops[0].worst() < 1e-9);
        }
    CHECK(stage.dragged.size() > 20);
    CHECK(stage.pushes.empty());
    SECTION("and stays where it was let go") {
        stage.core.pointerReleased(at, PointerButton::left, {}, stage.now);
        REQUIRE(stage.ended.size() == 1);
        CHECK(stage.ended[0].first == stage.start);
        CHECK(stage.ended[0].second == stage.dragged.back());
        CHECK(stage.core.drag() == ViewDrag::none);
    }
    SECTION("or goes back when the drag is given up") {
        CHECK(stage.core.cancelDrag());
        CHECK(stage.ended.empty());
        CHECK(stage.q == stage.start);
    }
}

TEST_CASE("the grabbed point comes as near to the pointer as the coupler's curve does", "[loops]") {
    Stage stage;
    const Vec2 grab = stage.pixelOf(stage.middleOfCoupler());
    stage.core.pointerMoved(grab, stage.now);
    stage.core.pointerPressed(grab, PointerButton::left, {false, true, false}, stage.now);
    // Where the coupler is when the crank has turned by a quarter: a place that it can reach.
    const Assembly there = stage.closure.setCoordinate(stage.start, 0, stage.start[0] + 0.6, stage.param);
    REQUIRE(there.closed);
    const Vector3d goal = transform(bodyPlacements(*stage.mechanism.model, there.q, stage.param)[1], {0.15, 0, 0});
    const Vec2 to = stage.pixelOf(goal);
    for (int i = 1; i <= 12; ++i) stage.core.pointerMoved(grab + (to - grab) * (i / 12.0), stage.now);
    CHECK((stage.pixelOf(stage.middleOfCoupler()) - to).norm() < 3);
}

TEST_CASE("the same pull while it runs is a spring", "[loops]") {
    Stage stage(RunState::running);
    const Vec2 grab = stage.pixelOf(stage.middleOfCoupler());
    stage.core.pointerMoved(grab, stage.now);
    stage.core.pointerPressed(grab, PointerButton::left, {false, true, false}, stage.now);
    CHECK(stage.core.drag() == ViewDrag::push);
    stage.core.pointerMoved(grab + Vec2(20, 0), stage.now);
    CHECK(stage.pushes.size() == 2);
    CHECK(stage.dragged.empty());
    CHECK(stage.core.freeMotions().empty());
}

TEST_CASE("a free motion plays both ways, closed at every picture, and leaves the pose as it was", "[loops]") {
    Stage stage;
    REQUIRE(stage.core.freeMotions().size() == 1);
    CHECK(stage.core.freeMotions()[0].name == "crank");
    stage.core.playMotion(0);
    REQUIRE(stage.core.playing() == 0);
    double low = 0, high = 0, before = stage.start[0], largest = 0;
    for (int i = 0; i < 160; ++i) {
        stage.draw();
        CHECK(stage.core.wantsFrame());
        const Snapshot& shown = *stage.core.shown();
        CHECK(stage.error(shown.state.q) < 1e-9);
        CHECK(shown.readings.loops[0].worst() < 1e-9);
        CHECK(shown.readings.loops[0].lambda.empty());
        low = std::min(low, shown.state.q[0] - stage.start[0]);
        high = std::max(high, shown.state.q[0] - stage.start[0]);
        largest = std::max(largest, std::abs(shown.state.q[0] - before));
        before = shown.state.q[0];
    }
    CHECK(low < -0.1);
    CHECK(high > 0.1);
    CHECK(std::max(-low, high) < 1.5);
    CHECK(largest < 0.1);  // smooth: a fiftieth of a second moves it little
    CHECK(stage.core.snapshot()->state.q == stage.start);
    stage.core.playMotion(-1);
    CHECK(stage.core.shown() == stage.core.snapshot().get());
    CHECK(stage.dragged.empty());
    stage.core.playMotion(0);
    CHECK(stage.core.cancelDrag());  // Esc stops it, too
    CHECK(stage.core.playing() == -1);
}

TEST_CASE("a click on a closure selects its loop, and a selected loop shows its force", "[loops]") {
    Stage stage;
    std::vector<Item> selected;
    stage.core.events.select = [&](const Item& item, bool) { selected.push_back(item); };
    const Vec2 pin = stage.pixelOf({0.3, 0, 0.2});
    stage.core.pointerMoved(pin, stage.now);
    stage.core.pointerPressed(pin, PointerButton::left, {}, stage.now);
    stage.core.pointerReleased(pin, PointerButton::left, {}, stage.now);
    REQUIRE(selected.size() == 1);
    CHECK(selected[0] == Item{"loop", "pin"});
    CHECK(stage.core.idOf(selected[0]) == scene::ItemId{scene::ItemKind::loop, 0});
}

TEST_CASE("what a position drive holds at a live parameter can be steered while it runs", "[loops]") {
    const Mechanism m = mechanismFromText(kFourbar, "fourbar");
    REQUIRE(m.model);
    const auto steering = steeringOf(*m.model, 0, 0, m.model->liveValues());
    REQUIRE(steering);
    CHECK(steering->slot == 0);
    CHECK(steering->offset == Approx(1));
    CHECK(steering->slope == Approx(2));
    CHECK(!steeringOf(*m.model, 1, 0, m.model->liveValues()));
    for (const char* target : {"position t", "position (1 + hold^2)", "speed hold  gain 1\n#"}) {
        std::string text = kFourbar;
        text.replace(text.find("position (1 + 2*hold)"), 21, target);
        const Mechanism other = mechanismFromText(text, "fourbar");
        INFO(target);
        REQUIRE(other.model);
        CHECK(!steeringOf(*other.model, 0, 0, other.model->liveValues()));
    }
}
