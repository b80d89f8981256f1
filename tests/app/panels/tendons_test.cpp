// Tendons under the pointer: a click on a tube selects its statement, one on a site its element, items go both ways
// between names and pictures, and the cards of tendons, solve and contacts draw whatever the run knows.
#include <algorithm>

#include "app/live/headless.h"
#include "app/panels/view_core.h"
#include "app/render/offscreen.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;
using scene::Vec2;

namespace {

const char* kHoist = R"(mech 1
gravity 0 0 -9.81
ground
  plane 0 0 1 0
material rubber
  mu 0.6
body left
  joint prismatic z
  at -0.3 0 0.5
  mass 2
  limits -0.4 0.6
body right
  joint prismatic z
  at 0.3 0 0.3
  mass 1
body ball
  joint floating
  mass 1
  inertia 0.004 0.004 0.004 0 0 0
  start 1 0 0 0  0.8 0 0.1
shape hull on ball  sphere 0.1  collide rubber
shape weight on left  box 0.1 0.1 0.1  at 0 0 -0.1
tendon rope
  width 0.012
  site left 0 0 0
  cylinder base 0 0 1.4 axis y radius 0.3 side base 0 0 2 mu 0.2
  site right 0 0 0
  stiffness 400  damping 3
tendon pull
  width 0.012
  site base 0.3 0 0
  site right 0 0 0
  actuator input  range -50 0
)";

struct Stage {
    render::Offscreen offscreen;
    Mechanism mechanism = mechanismFromText(kHoist, "hoist");
    Runner runner;
    ViewCore core;
    std::vector<Item> selected;
    std::vector<std::pair<Item, int>> elements;
    double now = 1;

    Stage() {
        REQUIRE(mechanism.model);
        offscreen.makeCurrent();
        core.events.select = [this](const Item& item, bool) {
            selected.push_back(item);
            core.setSelection({item});
        };
        core.events.path_element = [this](const Item& item, int element) { elements.emplace_back(item, element); };
        core.setShown(ViewPart::smooth_moves, false);
        core.toggleCard(ViewCard::sliders);
        runner.setModel(mechanism.model, makeKernel(mechanism, "reference"), false);
        take();
        core.setStandardView(scene::StandardView::front, now);
        draw();
    }
    void take() {
        runner.flush();
        core.setSnapshot(runner.snapshot(), {});
        draw();
    }
    void draw() {
        now += 0.02;
        core.frame({1100, 800, 0, 1, now, scene::ThemeKind::dark, true});
    }
    void click(const scene::Vec3& p) {
        const auto seen = core.camera().project(p, core.viewport());
        REQUIRE(seen);
        core.pointerMoved(seen->pixel, now);
        draw();
        core.pointerPressed(seen->pixel, PointerButton::left, {}, now);
        core.pointerReleased(seen->pixel, PointerButton::left, {}, now);
        draw();
    }
};

}  // namespace

TEST_CASE("a click on a tube selects its tendon, one on a site or a guide its element", "[tendons]") {
    Stage stage;
    const Item rope{"tendon", "rope"};
    stage.click({-0.3, 0, 1.0});  // the left strand, half way up
    REQUIRE(stage.selected.size() == 1);
    CHECK(stage.selected[0] == rope);
    CHECK(stage.elements.empty());
    stage.click({0.3, 0, 0.3});  // the right weight has no shape that hides its eye
    REQUIRE(stage.elements.size() == 1);
    CHECK(stage.elements[0] == std::pair(rope, 2));
    stage.click({0.1, 0, 1.42});  // inside the wheel
    REQUIRE(stage.elements.size() == 2);
    CHECK(stage.elements[1] == std::pair(rope, 1));
    CHECK(stage.core.idOf(rope) == scene::ItemId{scene::ItemKind::tendon, 0});
    CHECK(stage.core.itemOf({scene::ItemKind::tendon, 1}) == Item{"tendon", "pull"});
    CHECK(stage.core.itemOf({scene::ItemKind::tendon, 7}).kind.empty());
}

TEST_CASE("contacts of shapes are items as those of bands, and every card draws what is known", "[tendons]") {
    Stage stage;
    stage.core.setSelection({{"tendon", "rope"}});
    stage.draw();
    stage.runner.setTendonCommand(1, -5);
    stage.runner.step(200);
    stage.take();
    const auto& contacts = stage.runner.snapshot()->readings.rows.contacts;
    REQUIRE_FALSE(contacts.empty());
    const Item item{"contact", contacts[0].id};
    CHECK(stage.core.idOf(item) == scene::ItemId{scene::ItemKind::contact, 0});
    CHECK(stage.core.itemOf({scene::ItemKind::contact, 0}) == item);
    for (const Item& chosen : {item, Item{"tendon", "rope"}, Item{"tendon", "pull"}, Item{"body", "left"}}) {
        stage.core.setSelection({chosen});
        stage.core.panels().contacts_open = stage.core.panels().tendons_open = stage.core.panels().list_open = true;
        for (int i = 0; i < 3; ++i) stage.draw();
        CHECK(stage.core.frames() > 0);
    }
    // A pose that nothing runs in has no forces.
    stage.runner.setTendonOff(0, true);
    stage.runner.step(1);
    stage.take();
    CHECK(stage.runner.snapshot()->readings.tendons[0].off);
}
