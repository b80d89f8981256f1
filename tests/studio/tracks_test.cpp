// A vehicle on bands in the studio: the outline folds its shoes away, a click on a shoe leads to its track, keys drive
// it. By mouse, keys, pixels and the file that is saved.
#include <algorithm>

#include "engine/track/expand.h"
#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;

namespace {

/// The rows of the outline, without its scroll bar: from its head to the next one.
Rect outline(Studio& studio) {
    const Rect below = studio.text();  // all that is under a head
    const Picture column = studio.stage().look({below.x + 4, below.y, 1, below.height});
    int end = 0, length = 0;
    for (int y = 20; y < column.height && length < 18; ++y) {
        length = distance(column.at(0, y), studio.theme().raised.rgb()) <= 1 ? length + 1 : 0;
        end = y - length;
    }
    return {below.x, below.y, below.width - 16, end};
}

/// The middle of the selected row of the outline; -1: none is in sight.
int selectedRow(Studio& studio, const Rect& part) {
    const Picture column = studio.stage().look({part.x + part.width / 2, part.y, 8, part.height});
    int first = -1, last = -1;
    for (int y = 0; y < column.height; ++y)
        if (count(column.cut({0, y, 8, 1}), studio.theme().selected.rgb(), 3) >= 4)
            last = y, first = first < 0 ? y : first;
    return first < 0 ? -1 : part.y + (first + last) / 2;
}

double hullX(const std::string& text) {
    const mw::ReadResult read = mw::readMechanism(text);
    REQUIRE(read.ok());
    const int hull = read.model.findBody("hull");
    REQUIRE(hull >= 0);
    return read.model.bodies[static_cast<std::size_t>(hull)].start[4].value;
}

}  // namespace

TEST_CASE("a vehicle on bands: folded outline, shoes that lead to their track, driving by keys", "[studio][track]") {
    const Home home;
    const fs::path file = home.copyOf("m113_drive");
    const std::string original = slurp(file);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven(300));

    // A click on a shoe, from the ground in front of the right band upwards: the caret goes to the name of its track,
    // as what is typed there shows.
    const Rect view = studio.view();
    const Rect part = outline(studio);
    REQUIRE(part.height > 60);
    bool selected = false;
    for (int up = 0; up < 60 && !selected; up += 4) {
        stage.click(view.x + view.width * 72 / 100, view.y + view.height * 72 / 100 - up);
        selected = until([&] { return selectedRow(studio, part) >= 0; }, 0.6);
    }
    if (!selected) stage.look().save(pictureFolder() / "fault-shoe.png");
    REQUIRE(selected);
    const int row = selectedRow(studio, part);
    stage.key('e', Held::ctrl);
    stage.type("#");
    studio.save();
    REQUIRE(until([&] { return slurp(file) != original; }));
    const std::string typed = slurp(file);
    CHECK((typed == replaced(original, "track right\n", "track #right\n") ||
           typed == replaced(original, "track left\n", "track #left\n")));
    studio.undo();
    studio.save();
    REQUIRE(until([&] { return slurp(file) == original; }));
    REQUIRE(studio.waitProven());

    // Its row is folded: the arrow before it brings its rollers out, Enter puts them away.
    stage.click(part.x + part.width / 2, row);
    const Picture folded = studio.still(part);
    stage.click(part.x + 9, selectedRow(studio, part));
    REQUIRE(until([&] { return differing(folded, stage.look(part)) > 200; }));
    const Picture unfolded = studio.still(part);
    stage.key(keys::enter);
    REQUIRE(until([&] { return differing(unfolded, stage.look(part)) > 200; }));
    // Unfolded anew it is what it was: all below are its rows.
    stage.key(keys::enter);
    CHECK(until([&] { return alike(studio.still(part), unfolded, "unfolded", 40); }));

    // Backwards by keys, though the text's own drives would go forward.
    stage.click(view.right() - 40, view.y + view.height / 2);
    stage.key('k');
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    stage.keyDown('s');
    const bool far = until([&] { return studio.slider().part() > 0.1; }, 100);
    stage.keyUp('s');
    CHECK(far);
    stage.key(keys::space);
    REQUIRE(until([&] { return !studio.running(); }));
    studio.useAsInitialPose();
    studio.save();
    REQUIRE(until([&] { return slurp(file) != original; }));
    CHECK(hullX(slurp(file)) < hullX(original) - 0.05);
    CHECK(studio.alive());
}
