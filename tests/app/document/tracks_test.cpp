// Bands and ground as items of the document: selected, renamed, edited line by line, made from templates. What an edit
// must leave alone is compared byte by byte; what it makes is judged by the reader.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "app/document/actions.h"
#include "engine/model/start_pose.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

std::string example(const std::string& name) {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t faults(const Document& document) {
    const auto& all = document.read().diagnostics;
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity != Severity::info; }));
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
}

const Item kGround{"ground", "ground"};

}  // namespace

TEST_CASE("the ground is an item though it has no name", "[document][track]") {
    Document document(example("m113_drive"));
    const std::string text = document.text();
    REQUIRE(document.read().ok());
    const std::size_t at = text.find("\nground\n") + 1;
    CHECK(itemAt(document.tree(), text.find("kn 3e5")) == kGround);
    REQUIRE(nameRange(document.tree(), kGround));
    CHECK(nameRange(document.tree(), kGround)->begin == at);
    CHECK(modelIndex(document.read().model, kGround) == 0);
    CHECK_FALSE(renameItem(document, kGround, "moon"));
    CHECK(dependents(document, {kGround}).empty());

    CHECK(setPropertyText(document, kGround, "kn", "4e5"));
    CHECK(document.text() == replaced(text, "kn 3e5", "kn 4e5"));
    CHECK(setElementText(document, kGround, "bump", 0, "4 0 0.1 0.6"));
    REQUIRE(document.read().model.ground->bumps.size() == 1);
    CHECK(document.read().model.ground->bumps[0].radius == 0.6);
    CHECK_FALSE(addGround(document));
    CHECK(deleteItems(document, {kGround}));
    CHECK_FALSE(document.read().model.ground);
    CHECK(document.read().ok());
    while (document.canUndo()) document.undo();
    CHECK(document.text() == text);
}

TEST_CASE("a shoe stands for its track, and says so", "[document][track]") {
    Document document(example("m113_drive"));
    const Item shoe{"body", "left.shoe17"}, contact{"contact", "right.shoe3/ground2"};
    CHECK(writtenItem(shoe) == Item{"track", "left"});
    CHECK(writtenItem(contact) == Item{"track", "right"});
    CHECK(shownName(shoe) == "left, shoe 17");
    CHECK(shownName({"body", "left_wheel1"}) == "left_wheel1");
    const Outcome outcome = deleteItems(document, {shoe});
    CHECK_FALSE(outcome);
    CHECK(outcome.message.find("track 'left'") != std::string::npos);
    CHECK_FALSE(document.canUndo());
}

TEST_CASE("a track is renamed, edited and taken away like any item", "[document][track]") {
    Document document(example("m113_drive"));
    const std::string text = document.text();
    const Item left{"track", "left"};
    SECTION("rename") {
        const Outcome outcome = renameItem(document, left, "port");
        REQUIRE(outcome);
        CHECK(outcome.item == Item{"track", "port"});
        CHECK(document.text() == replaced(text, "track left\n", "track port\n"));
        CHECK(document.read().model.findBody("port.shoe62") >= 0);
        CHECK_FALSE(renameItem(document, {"track", "port"}, "right"));
    }
    SECTION("a property that stands in the text, one that does not, and back to the default") {
        CHECK(setPropertyText(document, left, "mu", "0.6"));
        CHECK(document.text() == replaced(text, "kn 2.5e6  mu 0.8", "kn 2.5e6  mu 0.6"));
        CHECK(setPropertyText(document, left, "fskip", "3e4"));
        CHECK(document.read().model.tracks[0].fskip.value == 3e4);
        CHECK(removeProperty(document, left, "fskip"));
        CHECK(document.text() == replaced(text, "kn 2.5e6  mu 0.8", "kn 2.5e6  mu 0.6"));
        CHECK_FALSE(setPropertyText(document, left, "shoes", "2"));
        CHECK_FALSE(removeProperty(document, left, "root"));
    }
    SECTION("rollers, line by line") {
        const auto rollers = elementTexts(document, left, "roller");
        REQUIRE(rollers.size() == 7);
        CHECK(rollers[0] == "left_sprocket 0.245 end driven teeth 10");
        CHECK(rollers[1] == "left_idler 0.255 end");
        CHECK(setElementText(document, left, "roller", 0, "left_sprocket 0.25 end driven teeth 10"));
        CHECK(document.text() == replaced(text, "left_sprocket 0.245 end", "left_sprocket 0.25 end"));
        CHECK(setElementText(document, left, "roller", 3, ""));
        CHECK(document.read().model.tracks[0].rollers.size() == 6);
        CHECK(setElementText(document, left, "roller", 6, "left_wheel2 0.305"));
        CHECK(document.read().model.tracks[0].rollers.size() == 7);
        CHECK(document.read().ok());
        const std::string before = document.text();
        CHECK_FALSE(setElementText(document, left, "roller", 0, "nobody 0.25"));
        CHECK_FALSE(setElementText(document, left, "roller", 0, "left_sprocket 0.25\nkn 1"));
        CHECK_FALSE(setElementText(document, left, "roller", 9, "left_wheel2 0.305"));
        CHECK(document.text() == before);
        while (document.canUndo()) document.undo();
        CHECK(document.text() == text);
    }
    SECTION("a wheel takes its track along") {
        CHECK(deleteItems(document, {left}));
        CHECK(document.read().model.tracks.size() == 1);
        CHECK(dependents(document, {{"body", "right_wheel3"}}).front().kind == "track");
    }
}

TEST_CASE("a new track holds together at once", "[document][track]") {
    SECTION("on the base, with rollers of its own") {
        Document document("mech 1\n");
        const Outcome outcome = addTrack(document);
        INFO(outcome.message);
        REQUIRE(outcome);
        CHECK(outcome.item == Item{"track", "band"});
        CHECK(document.read().ok());
        CHECK(faults(document) == 0);
        REQUIRE(document.read().model.tracks.size() == 1);
        const Track& track = document.read().model.tracks[0];
        CHECK(track.first_shoe == 2);
        // Teeth as far apart as the pins.
        CHECK(track.rollers[0].driven);
        CHECK(2 * M_PI * track.rollers[0].radius / track.rollers[0].teeth == Approx(track.link).epsilon(0.05));
        CHECK(track.pitch == Approx(track.link).epsilon(0.05));
        document.undo();
        CHECK(document.text() == "mech 1\n");
    }
    SECTION("on a body, twice: names stay apart") {
        Document document("mech 1\nbody hull\n  joint floating\n  mass 100\n  inertia 9 9 9 0 0 0\n");
        REQUIRE(addTrack(document, {"hull"}));
        const Outcome second = addTrack(document, {"hull"});
        INFO(second.message);
        REQUIRE(second);
        CHECK(second.item == Item{"track", "band2"});
        CHECK(document.read().ok());
        CHECK(faults(document) == 0);
        CHECK(document.read().model.tracks[1].root == 0);
    }
    SECTION("around bodies that turn, where they are and as large as they look") {
        std::string text = example("m113");
        Document whole(text);
        REQUIRE(deleteItems(whole, {{"track", "left"}}));
        const Outcome outcome =
            addTrack(whole, {"left_sprocket", "left_idler", "left_wheel1", "left_wheel3", "left_wheel5"});
        INFO(outcome.message);
        REQUIRE(outcome);
        const Track& track = whole.read().model.tracks.back().name == "band" ? whole.read().model.tracks.back()
                                                                             : whole.read().model.tracks.front();
        CHECK(track.root == whole.read().model.findBody("hull"));
        CHECK(track.rollers.size() == 5);
        CHECK(track.rollers[2].radius == 0.305);
        CHECK(track.first_shoe > 0);
        CHECK_FALSE(addTrack(whole, {"hull", "left_idler"}));
    }
    CHECK_FALSE([] {
        Document document("mech 1\n");
        return addTrack(document, {"nobody"}).done;
    }());
}

TEST_CASE("a new ground lies just under the pads", "[document][track]") {
    Document document("mech 1\n");
    REQUIRE(addTrack(document));
    const Outcome outcome = addGround(document);
    INFO(outcome.message);
    REQUIRE(outcome);
    CHECK(outcome.item == kGround);
    REQUIRE(document.read().ok());
    const Model& model = document.read().model;
    REQUIRE(model.ground);
    // By the circles: the lowest pad is a radius, the clearance and the plate's depth below the axles.
    double lowest = 1e9;
    const auto pose = startPose(model);
    for (int i = 0; i < model.tracks[0].shoes; ++i)
        lowest = std::min(lowest, pose[static_cast<std::size_t>(model.tracks[0].first_shoe + i)].position[2]);
    CHECK(model.ground->offset <= lowest + model.tracks[0].pad_z);
    CHECK(model.ground->offset == Approx(lowest + model.tracks[0].pad_z).margin(2e-4));
    Document empty("mech 1\n");
    REQUIRE(addGround(empty));
    CHECK(empty.read().model.ground->offset == 0);
}
