// The view without a window system, in an OpenGL context without a display: what pointer and keys come to.
#include "app/panels/view_core.h"

#include <cmath>

#include "app/live/headless.h"
#include "app/render/offscreen.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;
using scene::Vec2;

namespace {

// A plate of half a metre that faces the camera's front view, on a joint about y.
const char* kPlate =
    "mech 1\n"
    "body plate\n  joint revolute y\n  at 0 0 1\n  mass 2\n  inertia 0.1 0.1 0.1 0 0 0\n  cg 0 0 -0.1\n"
    "shape front on plate  box 0.5 0.02 0.5\n"
    "body far\n  at 0 0.5 1\n  joint fixed\n  mass 1\n  inertia 0.1 0.1 0.1 0 0 0\n"
    "shape back on far  box 0.5 0.02 0.5\n";

struct Stage {
    render::Offscreen offscreen;
    Mechanism mechanism = mechanismFromText(kPlate, "plate");
    ViewCore core;
    std::vector<std::pair<Item, bool>> selected;
    std::vector<std::optional<Inputs::Push>> pushes;
    double now = 1;

    explicit Stage(RunState run = RunState::paused) {
        offscreen.makeCurrent();
        REQUIRE(mechanism.model);
        core.events.select = [this](const Item& item, bool add) {
            selected.emplace_back(item, add);
            core.setSelection(item.kind.empty() ? std::vector<Item>{} : std::vector<Item>{item});
        };
        core.events.push = [this](const std::optional<Inputs::Push>& push) { pushes.push_back(push); };
        core.setShown(ViewPart::smooth_moves, false);
        core.toggleCard(ViewCard::sliders);
        core.toggleCard(ViewCard::run);
        core.toggleCard(ViewCard::body);
        auto snapshot = std::make_shared<Snapshot>();
        Simulation simulation = makeSimulation(mechanism, makeKernel(mechanism, "reference"));
        snapshot->model = mechanism.model;
        snapshot->state = simulation.state();
        snapshot->readings = simulation.read();
        snapshot->inputs = simulation.inputs();
        snapshot->run = run;
        core.setSnapshot(snapshot, {});
        draw();
        core.setStandardView(scene::StandardView::front, now);
        draw();
    }
    void draw() {
        now += 0.02;
        core.frame({800, 600, 0, 1, now, scene::ThemeKind::dark, true});
    }
    Vec2 at(double x, double y, double z) {
        const auto p = core.camera().project({x, y, z}, core.viewport());
        REQUIRE(p);
        return p->pixel;
    }
    void click(const Vec2& pixel, const HeldKeys& held = {}) {
        core.pointerMoved(pixel, now);
        core.pointerPressed(pixel, PointerButton::left, held, now);
        core.pointerReleased(pixel, PointerButton::left, held, now);
        draw();
    }
};

}  // namespace

TEST_CASE("a click selects, a repeated one steps through what lies behind, one on the sky clears") {
    Stage stage;
    const Vec2 middle = stage.at(0.08, 0, 1.08);
    stage.click(middle);
    stage.click(middle);
    REQUIRE(stage.selected.size() == 2);
    CHECK(stage.selected[0].first == Item{"body", "plate"});
    CHECK(stage.selected[1].first == Item{"body", "far"});
    stage.click({400, 8});
    REQUIRE(stage.selected.size() == 3);
    CHECK(stage.selected[2].first.kind.empty());
    stage.click(middle, {false, true, false});
    REQUIRE(stage.selected.size() == 4);
    CHECK(stage.selected[3].second);
}

TEST_CASE("orbit turns by the pointer's way and stops with the button, whatever keys are held") {
    Stage stage;
    const double yaw = stage.core.camera().yaw();
    stage.core.pointerPressed({300, 300}, PointerButton::middle, {}, stage.now);
    stage.core.pointerMoved({340, 300}, stage.now);
    const double turned = stage.core.camera().yaw();
    CHECK(turned < yaw);
    stage.core.pointerReleased({340, 300}, PointerButton::middle, {true, true, false}, stage.now);
    stage.core.pointerMoved({420, 300}, stage.now);
    CHECK(stage.core.camera().yaw() == turned);
    CHECK(stage.selected.empty());
}

TEST_CASE("a push pulls the grabbed point towards the pointer in the plane that faces the camera") {
    Stage stage(RunState::running);
    const Vec2 grab = stage.at(0.1, -0.01, 0.9);
    stage.core.pointerPressed(grab, PointerButton::left, {false, true, false}, stage.now);
    REQUIRE(stage.pushes.size() == 1);
    REQUIRE(stage.pushes[0]);
    const Inputs::Push first = *stage.pushes[0];
    CHECK(first.body == 0);
    // The front face is 0.01 m before the joint; the start pose has body axes along the base's, 1 m below.
    CHECK(first.point[0] == Approx(0.1).margin(1e-6));
    CHECK(first.point[1] == Approx(-0.01).margin(1e-6));
    CHECK(first.point[2] == Approx(-0.1).margin(1e-6));
    CHECK(first.target[0] == Approx(0.1).margin(1e-6));
    CHECK(first.stiffness == Approx(2 * std::pow(4 * M_PI, 2)));
    stage.core.pointerMoved(stage.at(0.3, -0.01, 1.1), stage.now);
    REQUIRE(stage.pushes.size() == 2);
    CHECK(stage.pushes[1]->target[0] == Approx(0.3).margin(1e-6));
    CHECK(stage.pushes[1]->target[1] == Approx(-0.01).margin(1e-6));
    CHECK(stage.pushes[1]->target[2] == Approx(1.1).margin(1e-6));
    SECTION("until it is let go") {
        stage.core.pointerReleased(stage.at(0.3, -0.01, 1.1), PointerButton::left, {}, stage.now);
        REQUIRE(stage.pushes.size() == 3);
        CHECK(!stage.pushes[2]);
        CHECK(stage.selected.empty());
    }
    SECTION("or given up") {
        CHECK(stage.core.cancelDrag());
        REQUIRE(stage.pushes.size() == 3);
        CHECK(!stage.pushes[2]);
        CHECK(!stage.core.cancelDrag());
    }
}

TEST_CASE("a card takes what lies under it") {
    Stage stage;
    stage.core.toggleCard(ViewCard::run);
    stage.draw();
    stage.draw();
    stage.draw();
    const Vec2 head{60, 30};
    const double distance = stage.core.camera().distance();
    stage.core.wheel(head, 3, stage.now);
    CHECK(stage.core.camera().distance() == distance);
    stage.core.pointerPressed(head, PointerButton::left, {}, stage.now);
    CHECK(stage.core.drag() == ViewDrag::panel);
    stage.core.pointerReleased(head, PointerButton::left, {}, stage.now);
    CHECK(stage.selected.empty());
    stage.draw();
    CHECK(!stage.core.panels().run_open);  // its head folds it, felt without a frame between press and release
    stage.core.wheel({400, 300}, 3, stage.now);
    CHECK(stage.core.camera().distance() < distance);
}

TEST_CASE("an axis ball turns the camera, and a still picture asks for no more frames") {
    Stage stage;
    for (int i = 0; i < 20 && stage.core.wantsFrame(); ++i) stage.draw();
    CHECK(!stage.core.wantsFrame());
    CHECK(stage.core.settled());
    // From the front the z ball is straight above the widget's centre, 60 px from the corner.
    stage.click({800 - 60, 60 - 40});
    CHECK(stage.core.camera().pitch() > 1.5);
    CHECK(stage.selected.empty());
}

TEST_CASE("mouse habits") {
    using P = MousePreset;
    using B = PointerButton;
    const HeldKeys none{}, shift{true, false, false}, ctrl{false, true, false}, alt{false, false, true};
    for (const P preset : kMousePresets) {
        CHECK(dragOf(preset, B::left, ctrl) == ViewDrag::push);
        CHECK(mousePresetFromName(mousePresetName(preset)) == preset);
        // No habit needs Alt.
        for (const B button : {B::left, B::right, B::middle})
            CHECK(dragOf(preset, button, alt) == dragOf(preset, button, none));
    }
    CHECK(dragOf(P::blender, B::middle, none) == ViewDrag::orbit);
    CHECK(dragOf(P::blender, B::middle, shift) == ViewDrag::pan);
    CHECK(dragOf(P::blender, B::middle, ctrl) == ViewDrag::zoom);
    CHECK(dragOf(P::blender, B::left, none) == ViewDrag::none);
    CHECK(dragOf(P::mujoco, B::left, none) == ViewDrag::orbit);
    CHECK(dragOf(P::mujoco, B::right, none) == ViewDrag::pan);
    CHECK(dragOf(P::cad, B::middle, none) == ViewDrag::pan);
    CHECK(dragOf(P::cad, B::right, none) == ViewDrag::orbit);
    CHECK(dragOf(P::trackpad, B::left, shift) == ViewDrag::pan);
}
