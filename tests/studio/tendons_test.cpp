// A routed tendon under a real mouse: selected by a click on its tube, its side site dragged across the drum, the wrap
// scan read and exported. What the window says is judged by the files that it writes, against the engine's own scan.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/sim/wrap_scan.h"
#include "engine/track/expand.h"
#include "tests/studio/studio.h"
#include "tests/support/catch.h"

using namespace mw::test;
namespace fs = std::filesystem;

namespace {

// The rope goes over the drum or under it, as its side site has it; the other tendon and joint are there to be chosen
// against. All of it lies in one plane, which the front view shows.
const char* const kRig =
    "mech 1\n"
    "title \"A rope over a drum\"\n"
    "gravity 0 0 -9.81\n"
    "body post\n"
    "  joint prismatic x\n"
    "  at 0 0 0.2\n"
    "  mass 1  cg 0 0 0\n"
    "  inertia 0.01 0.01 0.01 0 0 0\n"
    "body arm   # carries the rope's end\n"
    "  joint revolute y\n"
    "  at 0 0 0.6\n"
    "  mass 1  cg 0.2 0 0\n"
    "  inertia 0.01 0.02 0.02 0 0 0\n"
    "  limits (-40*deg) (40*deg)\n"
    "tendon stay\n"
    "  color 0.1 0.9 0.1 1\n"
    "  site base -0.5 0 0.2\n"
    "  site post 0 0 0\n"
    "tendon rope\n"
    "  width 0.012  color 1 0.1 0.9 1\n"
    "  site base -0.5 0 0.66\n"
    "  cylinder base 0 0 0.6  axis y  radius 0.1  side base 0 0 0.85\n"
    "  site arm 0.5 0 0\n"
    "  stiffness 400\n";

struct Spots {
    int pixels = 0;
    Rect box;
    std::vector<std::pair<int, int>> places;
};
Spots spots(Studio& studio, const std::function<bool(std::uint32_t)>& is) {
    const Rect part = studio.scene();
    const Picture picture = studio.stage().look(part);
    Spots found;
    int right = 0, bottom = 0;
    found.box.x = found.box.y = 1 << 20;
    for (int y = 0; y < part.height; ++y)
        for (int x = 0; x < part.width; ++x) {
            if (!is(picture.at(x, y))) continue;
            found.places.push_back({part.x + x, part.y + y});
            found.box.x = std::min(found.box.x, part.x + x), found.box.y = std::min(found.box.y, part.y + y);
            right = std::max(right, part.x + x), bottom = std::max(bottom, part.y + y);
        }
    found.pixels = static_cast<int>(found.places.size());
    found.box.width = right - found.box.x + 1, found.box.height = bottom - found.box.y + 1;
    return found;
}

/// The magenta of the rope, in whatever light.
Spots rope(Studio& studio) {
    return spots(studio, [](std::uint32_t p) {
        const int r = static_cast<int>(p >> 16), g = static_cast<int>(p >> 8 & 255), b = static_cast<int>(p & 255);
        return r > g + 60 && b > g + 50;
    });
}
Spots accents(Studio& studio) {
    return spots(studio, [&](std::uint32_t p) { return distance(p, studio.theme().accent.rgb()) < 40; });
}

/// Middle height of the rope above its middle: whether it passes over or under the drum.
double heightAtMiddle(const Spots& rope) {
    double sum = 0;
    int n = 0;
    for (const auto& [x, y] : rope.places)
        if (std::abs(x - rope.box.x - rope.box.width / 2) < 6) sum += y, ++n;
    return n ? sum / n : 0;
}

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;
    std::size_t column(const std::string& name) const {
        const auto at = std::find(columns.begin(), columns.end(), name);
        REQUIRE(at != columns.end());
        return static_cast<std::size_t>(at - columns.begin());
    }
};
Table tableOf(const std::string& csv) {
    Table table;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream cut(line);
        std::vector<std::string> cells;
        for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
        if (table.columns.empty()) {
            table.columns = cells;
            continue;
        }
        std::vector<double> row;
        for (const std::string& cell : cells) row.push_back(std::stod(cell));
        table.rows.push_back(row);
    }
    return table;
}

/// The engine's scan of a text: tendon "rope" over "arm" with the range and number of samples that the tab has.
mw::WrapScan scanOf(const std::string& text, double from, double to) {
    const mw::ReadResult read = mw::readMechanism(text);
    REQUIRE(read.ok());
    const mw::Layout layout = mw::layoutOf(read.model);
    mw::WrapScanRequest request;
    request.tendon = 1;
    request.velocity = layout.v_of_body[1];
    request.from = from, request.to = to;
    return mw::wrapScan(read.model, layout, mw::makeReferenceKernel(read.model), request);
}

/// The table against the engine's, number by number.
void wantScan(const Table& table, const std::string& text) {
    REQUIRE(table.rows.size() == 201);
    const auto want = scanOf(text, table.rows.front()[0], table.rows.back()[0]);
    REQUIRE(want.problem.empty());
    REQUIRE(want.samples.size() == table.rows.size());
    CHECK(table.rows.front()[0] == Approx(-40 * M_PI / 180).epsilon(1e-5));
    REQUIRE(want.guides.size() == 1);
    const std::size_t length = table.column("length"), arm = table.column("moment_arm"),
                      difference = table.column("difference"), touched = table.columns.size() - 2,
                      sweep = table.columns.size() - 1;
    CHECK(table.columns[touched].substr(0, 8) == "touched.");
    CHECK(table.columns[sweep].substr(0, 6) == "sweep.");
    double worst = 0, worst_difference = 0;
    for (std::size_t i = 0; i < want.samples.size(); ++i) {
        const mw::WrapScan::Sample& s = want.samples[i];
        const std::vector<double>& row = table.rows[i];
        REQUIRE(row.size() == table.columns.size());
        worst = std::max({worst, std::abs(row[0] - s.q), std::abs(row[length] - s.length),
                          std::abs(row[arm] - s.moment_arm), std::abs(row[sweep] - s.sweep[0])});
        worst_difference = std::max(worst_difference, std::abs(row[difference] - s.difference));
        CHECK((row[touched] != 0) == (s.touched[0] != 0));
    }
    CHECK(worst < 1e-9);
    CHECK(worst_difference < 1e-5);
}

/// Tags that close in their order, attributes aside: what makes an XML text well-formed here.
bool wellFormed(const std::string& xml) {
    std::vector<std::string> open;
    std::size_t at = 0, elements = 0;
    while ((at = xml.find('<', at)) != std::string::npos) {
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        at = end;
        if (tag.empty()) return false;
        if (tag[0] == '?' || tag[0] == '!') continue;
        const bool closing = tag[0] == '/';
        const std::string name = tag.substr(closing, tag.find_first_of(" \t\r\n/", closing) - closing);
        if (closing) {
            if (open.empty() || open.back() != name) return false;
            open.pop_back();
        } else {
            ++elements;
            if (tag.back() != '/') open.push_back(name);
        }
    }
    return open.empty() && elements > 10;
}

}  // namespace

TEST_CASE("a tendon's side site is dragged across its drum, and the wrap scan is exported", "[studio][tendon]") {
    const Home home;
    const fs::path file = home.work() / "rig.mech";
    spit(file, kRig);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    studio.clickView();
    REQUIRE(until([&] { return rope(studio).pixels > 200; }));
    const Picture aslant = studio.still();
    stage.key('v', Held::alt);
    stage.type("r");  // the view from the front: a busy window turns to it late
    REQUIRE(until([&] { return differing(aslant, stage.look(studio.scene())) > 2000; }));
    studio.still();

    // A click on its tube selects it: the side site of the drum becomes a handle.
    REQUIRE(until([&] { return rope(studio).pixels > 200; }));
    const Spots over = rope(studio);
    const double scale = over.box.width / 1.0;  // px a metre: its ends are one apart, whatever the beads add
    REQUIRE(scale > 150);
    const auto left = std::find_if(over.places.begin(), over.places.end(),
                                   [&](const auto& p) { return p.first == over.box.x + over.box.width / 5; });
    REQUIRE(left != over.places.end());
    const int unmarked = accents(studio).pixels;
    stage.click(left->first, left->second + 1);
    const bool selected = until([&] { return accents(studio).pixels > unmarked + 80; });
    if (!selected) stage.look().save(pictureFolder() / "fault-selected.png");
    REQUIRE(selected);
    studio.still();

    // The scan, with tendon and joint as they were met; it is what the window reads at each pose.
    const std::vector<Rect> tabs = studio.tabs();
    REQUIRE(tabs.size() >= 5);
    stage.click(tabs[4].x + tabs[4].width / 2, tabs[4].y + tabs[4].height / 2);
    studio.park();
    const int top = tabs[4].bottom() + 2;
    const auto panel = [&](int row) { return Rect{stage.width() - 292, top + 4 + 28 * row, 292, 24}; };
    const auto fields = [&](int row, std::size_t wanted) {
        std::vector<Rect> found;
        const bool there = until([&] { return (found = studio.buttons(panel(row))).size() >= wanted; });
        if (!there) stage.look().save(pictureFolder() / "fault-wrapscan.png");
        REQUIRE(there);
        return found;
    };
    const auto click = [&](const Rect& at) { stage.click(at.x + at.width / 2, at.y + at.height / 2); };
    // Chosen by the keyboard in both boxes: the first of each, then the last. Its list is there before keys go to it.
    const auto choose = [&](std::size_t box, unsigned long way) {
        const Rect at = fields(0, 2)[box];
        const Picture before = studio.still({0, 0, stage.width(), stage.height()});
        click(at);
        REQUIRE(until([&] { return differing(before, stage.look()) > 300; }));
        studio.still({0, 0, stage.width(), stage.height()});
        stage.key(way, 0, 3);
        stage.key(keys::enter);
        studio.still({0, 0, stage.width(), stage.height()});
    };
    for (const std::size_t box : {0u, 1u}) {
        choose(box, keys::up);
        choose(box, keys::down);
    }
    studio.park();
    const Rect plots{0, top, stage.width() - 300, stage.height() - top - 30};
    const auto drawn = [&] {
        return count(stage.look(plots), studio.theme().quantity(mw::scene::Quantity::elastic).rgb(), 30) > 200;
    };
    REQUIRE(until(drawn));
    const auto exportAs = [&](std::size_t button, const std::string& name) {
        const fs::path to = home.work() / name;
        click(fields(2, 3)[button]);
        const Picture before = stage.look();
        REQUIRE(until([&] { return differing(before, stage.look()) > 5000; }));
        // The window manager gives it the keyboard a little after it is seen: what is typed is looked for.
        const Picture asked = studio.still({0, 0, stage.width(), stage.height()});
        stage.key('a', Held::ctrl);
        stage.type(to.string());
        REQUIRE(until([&] { return differing(asked, stage.look()) > 200; }));
        studio.still({0, 0, stage.width(), stage.height()});
        // Where the dialog's own list of proposals is open, the first Enter closes that.
        const auto written = [&] { return fs::exists(to) && !slurp(to).empty(); };
        stage.key(keys::enter);
        if (!until(written, 5)) stage.key(keys::enter);
        REQUIRE(until(written));
        return to;
    };
    CHECK(studio.still({0, 0, stage.width(), stage.height()}).save(pictureFolder() / "studio-wrapscan.png"));
    const Table before = tableOf(slurp(exportAs(1, "over.csv")));
    wantScan(before, kRig);
    const std::string svg = slurp(exportAs(2, "over.svg"));
    CHECK(svg.find("<svg") != std::string::npos);
    CHECK(svg.find("</svg>") != std::string::npos);
    CHECK(wellFormed(svg));

    // The side site is the topmost mark of the selection. It goes through the drum to its other side.
    Spots marks;
    REQUIRE(until([&] { return (marks = accents(studio)).pixels > 80; }));
    const auto topmost = std::min_element(marks.places.begin(), marks.places.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const int x = topmost->first, y = topmost->second + 3;
    CHECK(heightAtMiddle(rope(studio)) - y == Approx(0.144 * scale).margin(0.05 * scale));
    const double high = heightAtMiddle(over);
    stage.drag(x, y, x, y + static_cast<int>(0.5 * scale));
    const bool flipped = until([&] { return heightAtMiddle(rope(studio)) > high + 0.12 * scale; });
    if (!flipped) stage.look().save(pictureFolder() / "fault-flip.png");
    REQUIRE(flipped);
    CHECK(studio.still({0, 0, stage.width(), stage.height()}).save(pictureFolder() / "studio-side-site.png"));

    // In the text: this one number, and what stands beside it.
    studio.save();
    REQUIRE(until([&] { return slurp(file) != kRig; }));
    const std::string dragged = slurp(file);
    const mw::ReadResult read = mw::readMechanism(dragged);
    REQUIRE(read.ok());
    const auto& guide = read.model.tendons[1].path[1];
    REQUIRE(guide.side.has_value());
    CHECK(guide.side->at[0].value == Approx(0).margin(0.02));
    CHECK(guide.side->at[1].value == Approx(0).margin(1e-6));
    CHECK(guide.side->at[2].value < 0.48);  // below the drum, whose lowest line is at 0.5
    CHECK(guide.side->at[2].value > 0.25);
    CHECK(std::string(kRig).find(dragged.substr(0, dragged.find("side base"))) == 0);
    CHECK(dragged.find("# carries the rope's end") != std::string::npos);

    // In the reading: level, the rope is longer by what the other way round takes, and sweeps more.
    const Table after = tableOf(slurp(exportAs(1, "under.csv")));
    wantScan(after, dragged);
    const std::size_t length = after.column("length"), sweep = after.columns.size() - 1;
    const double to_site = std::hypot(0.5, 0.06), to_arm = 0.5, r = 0.1;
    const double between = M_PI - std::atan2(0.06, 0.5);  // of the two directions from the axis, over the drum
    const double straight = std::sqrt(to_site * to_site - r * r) + std::sqrt(to_arm * to_arm - r * r),
                 touch = std::acos(r / to_site) + std::acos(r / to_arm);
    const auto level = [](const Table& t) { return t.rows[100]; };
    REQUIRE(level(before)[0] == Approx(0).margin(1e-12));
    CHECK(level(before)[length] == Approx(straight + r * (between - touch)).margin(1e-10));
    CHECK(level(after)[length] == Approx(straight + r * (2 * M_PI - between - touch)).margin(1e-10));
    CHECK(std::abs(level(before)[sweep]) == Approx(between - touch).margin(1e-9));
    CHECK(std::abs(level(after)[sweep]) == Approx(2 * M_PI - between - touch).margin(1e-9));

    // A drag is one entry of the history.
    studio.clickView();
    studio.undo();
    studio.save();
    CHECK(until([&] { return slurp(file) == kRig; }));
    CHECK(studio.alive());
}

TEST_CASE("a tendon's numbers are changed while it runs: the run goes on, with what was generated",
          "[studio][tendon]") {
    const Home home;
    const fs::path file = home.work() / "rig.mech";
    spit(file, kRig);
    Studio studio(home, file);
    Stage& stage = studio.stage();
    REQUIRE(studio.waitProven());
    studio.clickView();
    stage.key(keys::space);
    REQUIRE(until([&] { return studio.running(); }));
    REQUIRE(until([&] { return studio.slider().part() > 0.05; }));  // half a second
    // A far stiffer rope, and limits: typed while it moves.
    const std::string text = kRig;
    studio.caretTo(text, text.find("stiffness 400") + std::string("stiffness 400").size());
    stage.type("000  damping 200");
    const double when = studio.slider().part();
    CHECK(when > 0.03);  // a pixel or two beside the half second
    // It is never away from where it was: no start anew, and no pause.
    REQUIRE(until([&] {
        CHECK(studio.slider().part() >= when - 0.01);
        return studio.slider().part() > when + 0.1;
    }));
    CHECK(studio.running());
    stage.key('s', Held::ctrl);
    REQUIRE(until([&] { return slurp(file).find("stiffness 400000  damping 200") != std::string::npos; }));
    CHECK(studio.alive());
}
