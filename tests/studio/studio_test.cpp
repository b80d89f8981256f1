// A session with the studio by keys, mouse and pixels alone: open, type, see it proven, run, step, scrub, push, save.
#include "tests/studio/studio.h"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>

#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;
using Proof = Studio::Proof;

namespace {

/// Waits for a file to hold that text; says what it holds when it does not.
void wantFile(const fs::path& file, const std::string& text) {
    until([&] { return slurp(file) == text; });
    CHECK(slurp(file) == text);
}

/// The part of the edges (between light and dark) of `a` that `b` has, too: the same things are there, in whatever
/// tint.
double commonEdges(const Picture& a, const Picture& b) {
    const auto step = [](const Picture& p, int x, int y) {
        const auto light = [&](int i, int j) {
            const std::uint32_t c = p.at(i, j);
            return static_cast<int>((c >> 16) + 2 * (c >> 8 & 255) + (c & 255)) / 4;
        };
        return std::max(std::abs(light(x + 1, y) - light(x, y)), std::abs(light(x, y + 1) - light(x, y)));
    };
    int all = 0, common = 0;
    // (the lower part is left to messages)
    for (int y = 0; y < a.height * 7 / 10; ++y)
        for (int x = 0; x + 1 < a.width; ++x)
            if (step(a, x, y) > 40) ++all, common += step(b, x, y) > 12;
    REQUIRE(all > 200);
    return static_cast<double>(common) / all;
}

/// Lines of `b` that `a` does not have at the same place; both have as many.
std::vector<std::string> changedLines(const std::string& a, const std::string& b) {
    std::vector<std::string> changed;
    std::istringstream one(a), other(b);
    std::string x, y;
    while (std::getline(one, x) && std::getline(other, y))
        if (x != y) changed.push_back(y);
    CHECK(std::count(a.begin(), a.end(), '\n') == std::count(b.begin(), b.end(), '\n'));
    return changed;
}

}  // namespace

TEST_CASE("from text to proven motion and back", "[studio]") {
    const Home home;
    const fs::path file = home.copyOf("elbow");
    const std::string original = slurp(file);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const std::string typed = replaced(original, "mass 14 ", "mass 15 ");

    // A change of the text: the badge goes stale at once, and is earned again.
    studio.caretTo(original, original.find("mass 14 ") + 7);
    stage.key(keys::backspace);
    stage.type("5");
    REQUIRE(until([&] { return studio.proof() != Proof::proven; }));
    REQUIRE(studio.waitProven());

    // Run.
    studio.clickView();
    const Picture at_start = studio.still();
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    REQUIRE(until([&] { return differing(at_start, stage.look(studio.scene())) > 500; }));
    REQUIRE(until([&] { return studio.slider().part() > 0.12; }));

    // Pause, and it stands.
    stage.key(keys::space);
    REQUIRE(until([&] { return !studio.running(); }));
    const Picture paused = studio.still();
    CHECK(differing(paused, at_start) > 500);

    // Steps back show an earlier instant, steps forward the same pixels again.
    for (int i = 0; i < 20; ++i) stage.key(keys::left, Held::shift);
    REQUIRE(until([&] { return differing(paused, stage.look(studio.scene())) > 30; }));
    studio.still();
    for (int i = 0; i < 20; ++i) stage.key(keys::right, Held::shift);
    REQUIRE(until([&] { return paused == stage.look(studio.scene()); }));

    // The time slider goes to any recorded instant: the start again, to the pixel.
    const Studio::Slider end = studio.slider();
    REQUIRE(end.knob > end.left + 20);
    stage.drag(end.knob, end.y, end.left - 8, end.y);
    CHECK(until([&] { return studio.slider().part() < 0.01; }));
    CHECK(alike(studio.still(), at_start, "scrub"));
    studio.goToTime("1.0");
    const Picture free_at_1 = studio.still();
    CHECK(differing(free_at_1, at_start) > 500);

    // A push with the mouse: its spring is drawn in the accent, and the run goes another way.
    studio.clickView();
    stage.key(keys::backspace);
    REQUIRE(until([&] { return studio.slider().part() < 0.01; }));
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    const Studio::Spot grip = studio.beam();
    REQUIRE(grip.pixels > 200);
    const int accent_before = count(stage.look(studio.scene()), studio.theme().accent.rgb());
    stage.moveTo(grip.x, grip.y);
    stage.hold(Held::ctrl);
    stage.press(Button::left);
    for (int i = 1; i <= 10; ++i) stage.moveTo(grip.x + 12 * i, grip.y - 6 * i);
    CHECK(until([&] { return count(stage.look(studio.scene()), studio.theme().accent.rgb()) > accent_before + 60; }));
    REQUIRE(until([&] { return studio.slider().part() > 0.11; }));
    stage.release(Button::left);
    stage.let(Held::ctrl);
    stage.key(keys::space);
    REQUIRE(until([&] { return !studio.running(); }));
    studio.goToTime("1.0");
    CHECK(differing(studio.still(), free_at_1) > 500);

    // A second change is taken back; the file then differs in the first alone.
    studio.caretTo(typed, typed.find("mass 8 ") + 6);
    stage.type(".25");
    REQUIRE(until([&] { return studio.proof() != Proof::proven; }));
    REQUIRE(studio.waitProven());
    studio.save();
    wantFile(file, replaced(typed, "mass 8 ", "mass 8.25 "));
    studio.undo();
    studio.save();
    wantFile(file, typed);
    stage.key('q', Held::ctrl);
    CHECK(studio.program().end() == 0);
}

TEST_CASE("garbage typed: the last good mechanism stays, undo brings every byte back", "[studio]") {
    const Home home;
    const fs::path file = home.copyOf("elbow");
    const std::string original = slurp(file);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const Picture good = studio.still();

    const char* seed = std::getenv("MW_SEED");
    std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 7u);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const std::string junk[] = {"body body body\nparent\n", "(((((((((((((((((((", "mass 1e999 -inf nan\ninertia 0",
                                "\xc3\xa4\xe2\x82\xac \xf0\x9f\x94\xa9\r\n\t\"",
                                "}{$%&\\\n\n\n# #\nloop x\ntype revolute\n"};
    const int events = std::getenv("MW_LONG") ? 3000 : 350;
    studio.caretTo(original, original.find("cg 0.24"));
    for (int i = 0; i < events; ++i) {
        const int dice = below(100);
        if (dice < 70) stage.key(static_cast<unsigned long>(32 + below(95)));
        else if (dice < 78) stage.key(keys::enter);
        else if (dice < 88) stage.key(keys::backspace);
        else if (dice < 96) {
            const unsigned long way[] = {keys::left, keys::right, keys::up, keys::down, keys::home, keys::end};
            stage.key(way[below(6)]);
        } else {
            stage.offer(junk[below(5)]);
            const int before = stage.pasted();
            stage.key('v', Held::ctrl);
            REQUIRE(until([&] { return stage.pasted() > before || !studio.alive(); }));
        }
        if (i % 25 == 0) REQUIRE(studio.alive());
    }
    REQUIRE(studio.waitFor(Proof::last_good));
    // Greyed, but there: what was not ground is still not ground.
    CHECK(commonEdges(good, studio.still()) > 0.7);
    studio.save();
    REQUIRE(until([&] { return slurp(file) != original; }));

    REQUIRE(until([&] {
        stage.key('z', Held::ctrl, 20);
        studio.save();
        return until([&] { return slurp(file) == original; }, 0.5) || !studio.alive();
    }));
    CHECK(slurp(file) == original);
    REQUIRE(studio.waitProven());
    studio.clickView();  // the caret has selected what it stood in
    // The picture refines while nothing moves: the same one comes, if not at once.
    CHECK(until([&] { return alike(studio.still(), good, "undone"); }));
    stage.key('q', Held::ctrl);
    CHECK(studio.program().end() == 0);
}

TEST_CASE("an absurd gain stops the run, says so, and steps back", "[studio]") {
    const Home home;
    const fs::path file = home.copyOf("elbow");
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    CHECK_FALSE(studio.message(studio.theme().bad));
    studio.clickText();
    stage.key(keys::end, Held::ctrl);
    stage.type("\ndrive wild joint waist speed 1 gain 1e12\n");
    REQUIRE(until([&] { return studio.proof() != Proof::proven; }));
    REQUIRE(until([&] { return studio.proof() == Proof::proven || studio.proof() == Proof::failed; }, 120));
    studio.clickView();
    stage.key(keys::space);
    // It stops by itself; a bar says where, with two ways on.
    REQUIRE(until([&] { return studio.message(studio.theme().bad).has_value(); }));
    CHECK_FALSE(studio.running());
    CHECK(studio.buttons(*studio.message(studio.theme().bad)).size() == 2);
    studio.still();
    CHECK(studio.beam().pixels > 200);
    const Rect v = studio.view();
    const auto badInCard = [&] { return count(stage.look({v.x + 12, v.y + 12, 216, 300}), studio.theme().bad.rgb()); };
    CHECK(badInCard() > 40);
    // The step before it was finite: shown without the alarm.
    stage.key(keys::left);
    REQUIRE(until([&] { return !studio.message(studio.theme().bad); }));
    studio.still();
    CHECK(badInCard() == 0);
    CHECK(studio.beam().pixels > 200);
    CHECK(studio.alive());
}

TEST_CASE("killed while unsaved: the next start offers the work", "[studio]") {
    const Home home;
    const fs::path file = home.copyOf("elbow");
    const std::string original = slurp(file), typed = replaced(original, "mass 14 ", "mass 14.5 ");
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    studio.caretTo(original, original.find("mass 14 ") + 7);
    stage.type(".5");
    REQUIRE(until([&] { return studio.proof() != Proof::proven; }));
    REQUIRE(studio.waitProven());
    studio.clickView();
    stage.key(keys::space);  // each run is preceded by a backup
    const auto backedUp = [&] {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(home.backups(), none))
            if (entry.path().extension() == ".mech" && slurp(entry.path()) == typed) return true;
        return false;
    };
    REQUIRE(until(backedUp));
    studio.program().signal(SIGKILL);
    REQUIRE(studio.program().end() == 128 + SIGKILL);
    CHECK(slurp(file) == original);

    studio.start();
    std::optional<Rect> bar;
    REQUIRE(until([&] { return (bar = studio.message(studio.theme().accent)).has_value(); }));
    REQUIRE(studio.waitProven());
    std::vector<Rect> choices;
    REQUIRE(until([&] {
        bar = studio.message(studio.theme().accent);
        choices = bar ? studio.buttons(*bar) : std::vector<Rect>{};
        return choices.size() == 3;
    }));
    // Recover, the first of the three: the bar goes, the work is there and is protected again.
    stage.click(choices[0].x + choices[0].width / 2, choices[0].y + choices[0].height / 2);
    REQUIRE(until([&] { return !studio.message(studio.theme().accent); }));
    CHECK(until(backedUp));
    CHECK(slurp(file) == original);
    REQUIRE(studio.waitProven());
    studio.save();
    wantFile(file, typed);
    CHECK(until([&] { return !backedUp(); }));
}

TEST_CASE("a joint slider at t = 0 is one patch and one undo, in a comma locale too", "[studio]") {
    // Set-up installs the locale; without it this would show nothing, so it fails.
    const std::string locale = GENERATE(as<std::string>{}, "C.UTF-8", "de_DE.UTF-8");
    CAPTURE(locale);
    REQUIRE(std::setlocale(LC_ALL, locale.c_str()) != nullptr);
    std::setlocale(LC_ALL, "C");
    const Home home;
    const fs::path file = home.copyOf("elbow");
    const std::string original = slurp(file);
    Studio studio(home, file, locale);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const Picture before = studio.still();
    studio.dragFirstJoint(30);
    REQUIRE(until([&] { return differing(before, stage.look(studio.scene())) > 500; }));
    REQUIRE(studio.waitProven());
    studio.still();
    studio.save();
    REQUIRE(until([&] { return slurp(file) != original; }));
    const std::string posed = slurp(file);
    const std::vector<std::string> changed = changedLines(original, posed);
    REQUIRE(changed.size() == 1);
    CAPTURE(changed[0]);
    CHECK(changed[0].find("start") != std::string::npos);
    CHECK(changed[0].find('.') != std::string::npos);
    CHECK(changed[0].find(',') == std::string::npos);
    // (and it stands in the block of the first body)
    CHECK(posed.find(changed[0]) < posed.find("body upper_arm"));

    studio.undo();
    studio.save();
    wantFile(file, original);
    stage.key('z', Held::ctrl | Held::shift);
    studio.save();
    wantFile(file, posed);
}

TEST_CASE("changed on disk: a clean document follows, a dirty one asks", "[studio]") {
    const Home home;
    const fs::path file = home.copyOf("elbow");
    const std::string original = slurp(file), bent = replaced(original, "start (-50*deg)", "start (-90*deg)"),
                      straight = replaced(original, "start (75*deg)", "start (5*deg)");
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    const Picture before = studio.still();
    spit(file, bent);
    REQUIRE(until([&] { return differing(before, stage.look(studio.scene())) > 500; }));
    REQUIRE(studio.waitProven());
    const Picture followed = studio.still();
    CHECK_FALSE(studio.message(studio.theme().caution));

    studio.caretTo(bent, bent.find("mass 14 ") + 7);
    stage.type(".5");
    REQUIRE(until([&] { return studio.proof() != Proof::proven; }));
    REQUIRE(studio.waitProven());
    spit(file, straight);
    std::vector<Rect> choices;
    REQUIRE(until([&] {
        const auto bar = studio.message(studio.theme().caution);
        choices = bar ? studio.buttons(*bar) : std::vector<Rect>{};
        return choices.size() == 2;
    }));
    // Nothing is lost before the answer: neither file nor text.
    CHECK(slurp(file) == straight);
    stage.click(choices[0].x + choices[0].width / 2, choices[0].y + choices[0].height / 2);
    REQUIRE(until([&] { return !studio.message(studio.theme().caution); }));
    REQUIRE(until([&] { return differing(followed, stage.look(studio.scene())) > 500; }));
    // The reload can be taken back: the text is then the one that was typed.
    studio.undo();
    studio.save();
    wantFile(file, replaced(bent, "mass 14 ", "mass 14.5 "));
}
