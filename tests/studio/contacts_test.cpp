// The tables of a vehicle on bands under a real mouse: what the contact table says of the ground carries the weight, a
// row selects its contact in the view, the pair view shows it. Numbers come by the clipboard, into the saved file.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/track/expand.h"
#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;

namespace {

void click(Studio& studio, const Rect& at) { studio.stage().click(at.x + at.width / 2, at.y + at.height / 2); }

/// Rows "left.shoe3/ground1 <tab> ground <tab> ..." of a text.
std::vector<std::vector<std::string>> contactRows(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find('\t') == std::string::npos || line.find(".shoe") == std::string::npos) continue;
        std::vector<std::string> cells;
        std::istringstream cut(line);
        for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
        rows.push_back(cells);
    }
    return rows;
}

}  // namespace

TEST_CASE("the contact table of a vehicle on bands: the ground carries the weight, a row is a contact",
          "[studio][track]") {
    const Home home;
    const fs::path file = home.copyOf("m113");
    const std::string original = slurp(file);
    const mw::ReadResult read = mw::readMechanism(original);
    REQUIRE(read.ok());
    double weight = 0;
    for (const mw::Body& body : read.model.bodies) weight += body.mass.value * 9.81;
    REQUIRE(weight == Approx(11324.84 * 9.81).epsilon(1e-6));

    Studio studio(home, file);
    Stage& stage = studio.stage();
    // It runs on whatever kernel there is; its proof need not be waited for.
    REQUIRE(until([&] { return studio.view().width > 200; }));
    studio.clickView();
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.slider().part() > 0.6; }));  // of ten seconds
    stage.key(keys::space);
    REQUIRE(until([&] { return !studio.running(); }));

    const std::vector<Rect> all = studio.tabs();
    REQUIRE(all.size() >= 4);
    click(studio, all[1]);
    studio.park();
    const int width = stage.width(), under = all[1].bottom();
    const Rect filters{0, under + 2, width * 2 / 3, 34};
    REQUIRE(until([&] { return studio.buttons(filters).size() >= 3; }));
    const Rect ground = studio.buttons(filters)[2];
    click(studio, ground);

    // The first row: selected in the table, and in the view.
    const int first_row = filters.bottom() + 38;
    const Rect rows{0, filters.bottom() + 26, width / 2, 48};
    const auto highlighted = [&] { return count(stage.look(rows), studio.theme().selected.rgb(), 3); };
    const Picture before = studio.still();
    CHECK(highlighted() == 0);
    stage.click(60, first_row);
    CHECK(until([&] { return highlighted() > 2000; }));
    CHECK(until([&] { return differing(before, stage.look(studio.scene())) > 200; }));

    // What it says comes by the clipboard: every row that is shown.
    stage.key('a', Held::ctrl);
    stage.key('c', Held::ctrl);
    studio.clickText();
    stage.key(keys::end, Held::ctrl);
    stage.key('v', Held::ctrl);
    studio.save();
    REQUIRE(until([&] { return contactRows(slurp(file)).size() > 20; }));
    const auto copied = contactRows(slurp(file));
    double carried = 0;
    bool sticks = true;
    for (const auto& cells : copied) {
        REQUIRE(cells.size() == 10);
        CHECK(cells[1] == "ground");
        const double depth = std::stod(cells[5]), normal = std::stod(cells[6]), tangential = std::stod(cells[7]);
        CHECK(depth > 0);
        CHECK(normal >= 0);
        CHECK(tangential <= 0.8 * normal * (1 + 1e-9));
        sticks = sticks && cells[9] == "stick";
        carried += normal;
    }
    CHECK(sticks);                                   // it stands
    CHECK(carried == Approx(weight).epsilon(0.04));  // it still heaves by 2.6 % in the seventh second
    studio.undo();
    studio.save();
    REQUIRE(until([&] { return slurp(file) == original; }));

    // The pair view has its drawing, with the force of that contact, and the present instant on both curves.
    click(studio, studio.tabs()[3]);
    studio.park();
    const Rect panel{0, under, width, stage.height() - under - 30};
    const auto shows = [&](const mw::scene::Color& color, int from, int to) {
        return count(stage.look({width * from / 100, panel.y, width * (to - from) / 100, panel.height}), color.rgb(),
                     8);
    };
    CHECK(until([&] { return shows(studio.theme().quantity(mw::scene::Quantity::normal), 26, 45) > 60; }));
    CHECK(
        until([&] { return shows(studio.theme().accent, 46, 72) > 30 && shows(studio.theme().accent, 74, 99) > 30; }));
    CHECK(studio.still({0, 0, width, stage.height()}).save(pictureFolder() / "studio-pair.png"));

    // What is let go in the view is let go in the table.
    click(studio, studio.tabs()[1]);
    studio.clickView();
    stage.key(keys::escape);
    CHECK(until([&] { return highlighted() == 0; }));
    CHECK(studio.alive());
}
