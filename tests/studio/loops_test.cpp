// Closed loops under a real mouse: the coupler of a paused four-bar is dragged, a torn start pose is assembled, the
// worst state of a gate is opened. What the window did is judged by the file that it writes: the loops' error there.
#include <algorithm>
#include <cmath>

#include "engine/model/loop_rows.h"
#include "engine/model/read.h"
#include "engine/model/start_pose.h"
#include "engine/track/expand.h"
#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;

namespace {

/// Largest error of any loop at the start pose of a text, m or rad.
double openBy(const std::string& text) {
    const mw::ReadResult read = mw::readMechanism(text);
    REQUIRE(read.ok());
    REQUIRE(!read.model.loops.empty());
    const auto pose = mw::startPose(read.model);
    double most = 0;
    for (const mw::Loop& loop : read.model.loops)
        for (const double e : mw::loopError(loop, pose, read.model.liveValues())) most = std::max(most, std::abs(e));
    return most;
}

/// Pixels of about that colour: how many, and one in their middle.
Studio::Spot spotOf(Studio& studio, const std::function<bool(int r, int g, int b)>& is) {
    const Rect part = studio.scene();
    const Picture picture = studio.stage().look(part);
    std::vector<std::pair<int, int>> places;
    for (int y = 0; y < part.height; ++y)
        for (int x = 0; x < part.width; ++x) {
            const std::uint32_t p = picture.at(x, y);
            if (is(static_cast<int>(p >> 16), static_cast<int>(p >> 8 & 255), static_cast<int>(p & 255)))
                places.push_back({x, y});
        }
    if (places.empty()) return {};
    const auto [x, y] = places[places.size() / 2];
    return {static_cast<int>(places.size()), part.x + x, part.y + y};
}

std::vector<Rect> choices(Studio& studio, const mw::scene::Color& tone, std::size_t wanted) {
    std::vector<Rect> found;
    REQUIRE(until([&] {
        const auto bar = studio.message(tone);
        found = bar ? studio.buttons(*bar) : std::vector<Rect>{};
        return found.size() == wanted;
    }));
    return found;
}

/// A picture that stays for a good while: on a busy machine the refined one may be long in coming.
Picture refined(Studio& studio) {
    Picture last = studio.still();
    for (int same = 0; same < 4;) {
        Picture next = studio.still();
        same = next == last ? same + 1 : 0;
        last = std::move(next);
    }
    return last;
}

}  // namespace

TEST_CASE("the coupler of a paused four-bar is dragged: its loop stays closed, the text waits to be asked",
          "[studio][loops]") {
    const Home home;
    const fs::path file = home.copyOf("fourbar");
    const std::string original = slurp(file);
    REQUIRE(openBy(original) < 1e-9);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const Picture before = refined(studio);
    // The coupler is the sand-coloured bar.
    const auto sand = [](int r, int g, int b) { return r > 120 && r > g + 12 && g > b + 24; };
    const Studio::Spot grip = spotOf(studio, sand);
    REQUIRE(grip.pixels > 200);
    stage.moveTo(grip.x, grip.y);
    stage.hold(Held::ctrl);
    stage.press(Button::left);
    Picture last = before;
    int live = 0;
    for (int i = 1; i <= 12; ++i) {
        stage.moveTo(grip.x + 6 * i, grip.y - 3 * i);
        const bool moved = until([&] { return differing(last, stage.look(studio.scene())) > 60; }, 4);
        live += moved;
        last = stage.look(studio.scene());
    }
    CHECK(live > 6);  // it moves with the hand, not after it
    stage.release(Button::left);
    stage.let(Held::ctrl);
    REQUIRE(until([&] { return differing(before, stage.look(studio.scene())) > 500; }));
    // The text has not changed by itself.
    studio.save();
    CHECK(slurp(file) == original);

    SECTION("it is kept as the start pose: closed, one entry") {
        const auto offer = choices(studio, studio.theme().accent, 2);
        stage.click(offer[0].x + offer[0].width / 2, offer[0].y + offer[0].height / 2);
        REQUIRE(until([&] { return !studio.message(studio.theme().accent); }));
        REQUIRE(studio.waitProven());
        studio.save();
        REQUIRE(until([&] { return slurp(file) != original; }));
        const std::string kept = slurp(file);
        CAPTURE(kept);
        CHECK(openBy(kept) < 1e-9);
        CHECK(kept.find("# Shows:") != std::string::npos);
        studio.undo();
        studio.save();
        CHECK(until([&] { return slurp(file) == original; }));
    }
    SECTION("or it is put back") {
        const auto offer = choices(studio, studio.theme().accent, 2);
        stage.click(offer[1].x + offer[1].width / 2, offer[1].y + offer[1].height / 2);
        REQUIRE(until([&] { return !studio.message(studio.theme().accent); }));
        CHECK(until([&] { return alike(studio.still(), before, "put-back", 40); }));
    }
    SECTION("Reset goes to the start pose of the text") {
        studio.clickView();
        stage.key(keys::backspace);
        REQUIRE(until([&] { return !studio.message(studio.theme().accent); }));
        CHECK(until([&] { return alike(studio.still(), before, "reset", 40); }));
    }
    CHECK(studio.alive());
}

TEST_CASE("a torn start pose is assembled by one command, one that cannot close is said", "[studio][loops]") {
    const Home home;
    const fs::path file = home.copyOf("fourbar");
    const std::string torn = replaced(slurp(file), "start (coupler_angle - crank_angle)", "start -0.2");
    spit(file, torn);
    REQUIRE(openBy(torn) > 1e-2);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    studio.clickView();
    // Open, and seen to be.
    CHECK(spotOf(studio, [](int r, int g, int b) { return r > 200 && g < 160 && b < 140; }).pixels > 20);
    stage.key('a', Held::ctrl | Held::shift);
    REQUIRE(until([&] { return studio.message(studio.theme().accent).has_value(); }));
    REQUIRE(studio.waitProven());
    studio.save();
    REQUIRE(until([&] { return slurp(file) != torn; }));
    const std::string mended = slurp(file);
    CHECK(openBy(mended) < 1e-9);
    studio.undo();
    studio.save();
    REQUIRE(until([&] { return slurp(file) == torn; }));

    // A frame that is longer than all bars together
    const Picture as_torn = studio.still();
    spit(file, replaced(torn, "from base d 0 0.22", "from base 1.4 0 0.22"));
    REQUIRE(until([&] { return differing(as_torn, stage.look(studio.scene())) > 300; }));
    const std::string impossible = slurp(file);
    studio.clickView();
    stage.key('a', Held::ctrl | Held::shift);
    REQUIRE(until([&] { return studio.message(studio.theme().caution).has_value(); }));
    studio.save();
    CHECK(slurp(file) == impossible);
    CHECK(studio.alive());
}

TEST_CASE("the worst state of a loop mechanism's gate is opened and left again", "[studio][loops]") {
    const Home home;
    Studio studio(home, home.copyOf("fourbar"));
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const Picture before = refined(studio);
    // Rows of the list of gates lie under the badge; the first that has a worst state opens it.
    bool opened = false;
    const Rect view = studio.scene(), strip{500, 100, 120, 20};  // ground of the view, which the list covers
    const Picture ground = stage.look(strip);
    for (int row = 1; row < 15 && !opened; ++row) {
        stage.key('g', Held::ctrl);
        const int x = stage.width() / 2, y = 126 + 24 * row;
        REQUIRE(until([&] { return differing(before, stage.look(view)) > 2000; }));
        stage.click(x, y);
        stage.click(x, y);
        opened = until(
            [&] {
                // The list is gone, and something else is shown.
                return differing(ground, stage.look(strip)) < 60 && differing(before, stage.look(view)) > 500;
            },
            1.5);
        if (!opened) {
            stage.key(keys::escape);
            REQUIRE(until([&] { return differing(before, stage.look(view)) < 100; }));
        }
    }
    CHECK(opened);
    studio.clickView();
    stage.key(keys::backspace);
    CHECK(until([&] { return alike(studio.still(), before, "after-worst", 40); }));
    CHECK(studio.alive());
}

TEST_CASE("a car on shaking posts is steered by its rack's slider", "[studio][loops]") {
    const Home home;
    const fs::path file = home.copyOf("hmmwv");
    const std::string original = slurp(file);
    Studio studio(home, file, "C.UTF-8", {}, 1440, 900);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven(300));
    // Its head folds the run card: room for the sliders.
    const Rect at_first = studio.view();
    stage.click(at_first.x + 40, at_first.y + 22);
    studio.openSliders();
    studio.clickView();
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    REQUIRE(until([&] { return studio.slider().part() > 0.08; }));  // 0.8 s of shaking
    // While it runs the knobs of what cannot be moved are dim: the bright one is the rack's.
    const Rect v = studio.view();
    const Rect rows{v.x + 100, v.y + 60, 220, v.height - 110};
    const auto mixed = [&](float part) {
        return mw::scene::mix(studio.theme().raised, studio.theme().accent, part).rgb();
    };
    const std::uint32_t bright[] = {mixed(0.55f), mixed(0.75f)};  // at rest, and held
    const auto knob = [&]() -> std::optional<std::pair<int, int>> {
        const Picture picture = stage.look(rows);
        for (int y = 0; y < rows.height; ++y) {
            int from = -1, to = -1;
            for (int x = 0; x < rows.width; ++x)
                if (std::any_of(std::begin(bright), std::end(bright),
                                [&](std::uint32_t c) { return distance(picture.at(x, y), c) < 8; }))
                    to = x, from = from < 0 ? x : from;
            if (to - from >= 4 && to - from < 24) return std::pair{rows.x + (from + to) / 2, rows.y + y + 5};
        }
        return std::nullopt;
    };
    const bool steerable = until([&] { return knob().has_value(); });
    if (!steerable) stage.look().save(pictureFolder() / "fault-steer.png");
    REQUIRE(steerable);
    const auto [x, y] = *knob();
    stage.moveTo(x, y);
    stage.press(Button::left);
    for (int i = 1; i <= 10; ++i) stage.moveTo(x + 2 * i, y);
    REQUIRE(until([&] { return knob() && std::abs(knob()->first - x - 20) < 5; }));
    stage.release(Button::left);
    REQUIRE(studio.running());
    REQUIRE(until([&] { return studio.slider().part() > 0.18; }));
    stage.key(keys::space);
    REQUIRE(until([&] { return !studio.running(); }));
    // What it came to is read from the file: the pose is kept, and saved.
    studio.useAsInitialPose();
    studio.save();
    REQUIRE(until([&] { return slurp(file) != original; }));
    const mw::ReadResult read = mw::readMechanism(slurp(file));
    REQUIRE(read.ok());
    const int rack = read.model.findBody("rack");
    REQUIRE(rack >= 0);
    const double travel = read.model.bodies[static_cast<std::size_t>(rack)].start[0].value;
    CAPTURE(travel);
    CHECK(travel > 0.005);  // m, to the side that the knob went to
    CHECK(openBy(slurp(file)) < 1e-3);
    CHECK(studio.alive());
}
