// Driving with the keyboard, contacts and bands in the view: what keys and clicks come to.
#include <cmath>
#include <filesystem>

#include "app/live/headless.h"
#include "app/panels/view_core.h"
#include "app/render/offscreen.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;
using scene::Vec2;

namespace {

struct Stage {
    render::Offscreen offscreen;
    Mechanism mechanism;
    std::shared_ptr<Snapshot> snapshot = std::make_shared<Snapshot>();
    ViewCore core;
    std::vector<Item> selected;
    std::vector<std::vector<double>> driving;
    std::vector<bool> brakes;
    double now = 1;

    explicit Stage(const char* name, RunState run = RunState::running)
        : mechanism(
              mechanismFromFile(std::filesystem::path(MW_SOURCE_DIR) / "models" / (std::string(name) + ".mech"))) {
        offscreen.makeCurrent();
        REQUIRE(mechanism.model);
        core.events.select = [this](const Item& item, bool) {
            selected.push_back(item);
            core.setSelection(item.kind.empty() ? std::vector<Item>{} : std::vector<Item>{item});
        };
        core.events.driving = [this](const std::vector<double>& speeds) { driving.push_back(speeds); };
        core.events.brake = [this](bool on) { brakes.push_back(on); };
        core.setShown(ViewPart::smooth_moves, false);
        Simulation simulation = makeSimulation(mechanism, makeKernel(mechanism, "reference"), Integrator::verlet, 1e-4);
        snapshot->model = mechanism.model;
        snapshot->state = simulation.state();
        snapshot->readings = simulation.read();
        snapshot->inputs = simulation.inputs();
        snapshot->driven = simulation.driven();
        snapshot->run = run;
        show();
    }
    void show() {
        core.setSnapshot(std::make_shared<const Snapshot>(*snapshot), {});
        draw();
    }
    void draw(double seconds = 0.04) {
        now += seconds;
        core.frame({1000, 700, 0, 1, now, scene::ThemeKind::dark, true});
    }
    void pass(double seconds) {
        for (double t = 0; t < seconds; t += 0.05) draw(0.05);
    }
    Vec2 at(const scene::Vec3& p) {
        const auto seen = core.camera().project(p, core.viewport());
        REQUIRE(seen);
        return seen->pixel;
    }
    void click(const Vec2& pixel) {
        core.pointerMoved(pixel, now);
        core.pointerPressed(pixel, PointerButton::left, {}, now);
        core.pointerReleased(pixel, PointerButton::left, {}, now);
        draw();
    }
};

}  // namespace

TEST_CASE("keys become speeds that rise and fall smoothly", "[drive]") {
    Stage stage("track_min");
    REQUIRE(stage.core.canDrive());
    CHECK_FALSE(stage.core.driveKey(DriveKey::forward, true, false, stage.now));  // not while it is off
    CHECK(stage.core.driveKey(DriveKey::toggle, true, false, stage.now));
    REQUIRE(stage.core.driving());
    stage.draw();
    REQUIRE(!stage.driving.empty());
    CHECK(stage.driving.back() == std::vector<double>{0});
    CHECK(stage.core.driveKey(DriveKey::forward, true, false, stage.now));
    stage.pass(3);
    double before = -1;
    for (const auto& speeds : stage.driving) {
        REQUIRE(speeds.size() == 1);
        CHECK(speeds[0] >= before);  // about +y: forward
        CHECK(speeds[0] - std::max(before, 0.0) < 2.0);
        before = speeds[0];
    }
    const double most = stage.driving.back()[0];
    CHECK(most > 1);
    // Held it stays, and nothing more is said.
    const std::size_t said = stage.driving.size();
    stage.pass(0.5);
    CHECK(stage.driving.size() == said);
    // Let go it rolls out.
    CHECK(stage.core.driveKey(DriveKey::forward, false, false, stage.now));
    stage.pass(0.5);
    CHECK(stage.driving.back()[0] < most);
    CHECK(stage.driving.back()[0] > 0.5 * most);
    stage.pass(4);
    CHECK(stage.driving.back()[0] == 0);
    // Off: the text's own drives again.
    stage.core.driveKey(DriveKey::toggle, true, false, stage.now);
    stage.draw();
    CHECK(stage.driving.back().empty());
    CHECK_FALSE(stage.core.driving());
}

TEST_CASE("turning left the right band is the faster one; the brake is a key", "[drive]") {
    Stage stage("m113");
    REQUIRE(stage.snapshot->driven.size() == 2);
    stage.core.setDriving(true);
    stage.core.driveKey(DriveKey::left, true, false, stage.now);
    stage.pass(1);
    const auto& tracks = stage.mechanism.model->tracks;
    for (std::size_t i = 0; i < 2; ++i) {
        const Track& track = tracks[static_cast<std::size_t>(stage.snapshot->driven[i].track)];
        CHECK(stage.driving.back()[i] * track.lateral < 0);  // on the spot: against each other
    }
    CHECK(stage.driving.back()[0] == Approx(-stage.driving.back()[1]));
    stage.core.driveKey(DriveKey::brake, true, false, stage.now);
    REQUIRE(stage.brakes.size() == 1);
    CHECK(stage.brakes[0]);
    // Paused nothing is wound up.
    stage.core.driveKey(DriveKey::left, false, false, stage.now);
    stage.pass(2);
    stage.snapshot->run = RunState::paused;
    stage.show();
    const std::size_t said = stage.driving.size();
    stage.core.driveKey(DriveKey::forward, true, false, stage.now);
    stage.pass(1);
    CHECK(stage.driving.size() == said);
}

TEST_CASE("what has no driven roller is not driven", "[drive]") {
    Stage stage("springpend");
    CHECK_FALSE(stage.core.canDrive());
    CHECK_FALSE(stage.core.driveKey(DriveKey::toggle, true, false, stage.now));
    stage.core.setDriving(true);
    CHECK_FALSE(stage.core.driving());
    CHECK(driveKeyOf('w') == DriveKey::forward);
    CHECK_FALSE(driveKeyOf('f'));
}

TEST_CASE("shoes, bands and contacts are items that survive a round trip", "[drive]") {
    Stage stage("track_min", RunState::paused);
    const Track& track = stage.mechanism.model->tracks[0];
    const Item shoe{"body", "band.shoe5"}, band{"track", "band"};
    CHECK(stage.core.idOf(shoe) == scene::ItemId{scene::ItemKind::body, track.first_shoe + 5});
    CHECK(stage.core.itemOf(stage.core.idOf(shoe)) == shoe);
    CHECK(stage.core.itemOf(stage.core.idOf(band)) == band);
    CHECK(stage.core.itemOf({scene::ItemKind::loop, track.closure}) == band);
    CHECK_FALSE(stage.core.idOf({"contact", "band.shoe5/nowhere"}));
    REQUIRE(!stage.snapshot->readings.contacts.empty());
    const Item contact{"contact", stage.snapshot->readings.contacts.back().id};
    CHECK(stage.core.itemOf(stage.core.idOf(contact)) == contact);
    // A selected contact has its card, one that is gone too; the band its own.
    for (const Item& item : {contact, Item{"contact", "band.shoe5/nowhere"}, band, shoe}) {
        stage.core.setSelection({item});
        stage.draw();
        stage.draw();
    }
}

TEST_CASE("a click on an arrow means its contact", "[drive]") {
    Stage stage("track_min", RunState::paused);
    stage.core.setShown(ViewPart::contact_forces, true);
    stage.core.setShown(ViewPart::contact_points, true);
    CHECK(stage.core.shown(ViewPart::contact_forces));
    stage.core.toggleCard(ViewCard::contacts);
    stage.core.toggleCard(ViewCard::run);
    stage.draw();
    const ContactReading& c = stage.snapshot->readings.contacts.back();
    stage.click(stage.at({c.point[0], c.point[1], c.point[2]}));
    REQUIRE(!stage.selected.empty());
    CHECK(stage.selected.back().kind == "contact");
    stage.core.setForceScale(50);
    CHECK(stage.core.forceScale() == 10);
}

TEST_CASE("a hundred free motions are not listed, and it is said", "[drive]") {
    Stage stage("m113", RunState::paused);
    CHECK(stage.core.freeMotions().empty());
    CHECK(stage.core.motionsNote().find("164") != std::string::npos);
    Stage few("fourbar", RunState::paused);
    CHECK(few.core.motionsNote().empty());
    CHECK(!few.core.freeMotions().empty());
}
