// Tracks and ground as the reader understands them: values, defaults, and files of heights.
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <random>

#include "engine/model/height_grid.h"
#include "engine/model/read.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

/// A folder of its own that goes with the test.
struct Folder {
    std::filesystem::path path;
    Folder() {
        path = std::filesystem::temp_directory_path() / fmt::format("mw_heights_{:08x}", std::random_device{}());
        std::filesystem::create_directories(path);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path put(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return path / name;
    }
};

Model ok(const std::string& text, const std::filesystem::path& folder = {}) {
    const ReadResult read = readModel("mech 1\n" + text, folder);
    for (const Diagnostic& d : read.diagnostics) UNSCOPED_INFO(formatDiagnostic(d, "mech 1\n" + text, "text"));
    REQUIRE(read.ok());
    return read.model;
}

const std::string kBodies =
    "body a\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n  fext\n"
    "body b\n  joint revolute y\n  at 2 0 0\n  mass 1\n  inertia 1 1 1 0 0 0\n  fext\n";

}  // namespace

TEST_CASE("A track is read as it is written, in any order of its rollers' words") {
    const Model model =
        ok("param k 2e6 range 1e6 3e6 live\n" + kBodies +
           "track belt\n  root base  plane xz\n  shoes (20 + 10)  pitch 0.2\n  mass 3  cg 0.1 0 0.01\n  inertia 1 2 "
           "2.5 0 0 "
           "0\n  fext\n  roller a 0.3 teeth 9 driven end\n  roller b 0.4   # an idler wheel\n  pad -0.02 0.15 0.4  "
           "thickness "
           "0.05\n  kn k  mu (0.1*5)  zeta 0.3  veps 0.02  fskip 1e4  gate 0.05  fade 0.01  guide (k/2)\n");
    REQUIRE(model.tracks.size() == 1);
    const Track& t = model.tracks[0];
    CHECK(t.name == "belt");
    CHECK(t.root == kBase);
    CHECK(t.shoes == 30);
    CHECK(t.pitch == 0.2);
    CHECK(t.mass.value == 3);
    CHECK(t.cg[2].value == 0.01);
    CHECK(t.inertia[1].value == 2);
    REQUIRE(t.rollers.size() == 2);
    CHECK((t.rollers[0].body == 0 && t.rollers[0].end && t.rollers[0].driven && t.rollers[0].teeth == 9));
    CHECK((t.rollers[1].body == 1 && !t.rollers[1].end && !t.rollers[1].driven && t.rollers[1].teeth == 0));
    CHECK(t.rollers[1].radius == 0.4);
    CHECK(t.pad_z == -0.02);
    CHECK(t.pad_length == 0.15);
    CHECK(t.pad_width == 0.4);
    CHECK(t.thickness == 0.05);
    CHECK(t.kn.isLive());
    CHECK(t.guide.value == 1e6);
    CHECK(t.guide.isLive());
    CHECK(t.mu.value == 0.5);
    CHECK(t.zeta.value == 0.3);
    CHECK(t.veps.value == 0.02);
    CHECK(t.fskip.value == 1e4);
    CHECK(t.gate == 0.05);
    CHECK(t.fade == 0.01);
    CHECK(t.first_shoe == -1);
}

TEST_CASE("A track's defaults are those of the language page") {
    const Model model = ok(kBodies +
                           "track belt\n  root base\n  shoes 30\n  mass 3\n  cg 0.1 0 0\n  fext\n  roller a 0.3 end\n  "
                           "roller b 0.4 end\n  pad 0 0.15 0.4\n  kn 3e6\n");
    const Track& t = model.tracks[0];
    CHECK(t.mu.value == 0.8);
    CHECK(t.zeta.value == 0.2);
    CHECK(t.veps.value == 0.01);
    CHECK(t.fskip.value == 2e4);
    CHECK(t.gate == 0.03);
    CHECK(t.fade == 0);  // a quarter of the link, once there is a link
    CHECK(t.guide.value == 3e6);
    CHECK(t.thickness == 0);
    CHECK(t.pitch == 0);
}

TEST_CASE("A roller's range is its line") {
    const std::string text =
        "mech 1\n" + kBodies +
        "track belt\n  root base\n  shoes 30\n  mass 3\n  cg 0.1 0 0\n  fext\n  roller a 0.3 end driven "
        "teeth 10  # front\n  roller b 0.4 end\n  pad 0 0.15 0.4\n  kn 3e6\n";
    const ReadResult read = readModel(text);
    REQUIRE(read.ok());
    const TextRange range = read.model.tracks[0].rollers[0].range;
    CHECK(text.substr(range.begin, range.end - range.begin) == "roller a 0.3 end driven teeth 10");
}

TEST_CASE("The ground is a normalised plane with what stands on it") {
    const Model model =
        ok("ground\n  plane 0 3 4 10\n  wave 0.1 2\n  wave 0.2 3 direction (90*deg)\n  step 0.1 at 5\n  step 0.2 at 6 "
           "width "
           "0.5\n  bump 1 2 0.3 0.4\n  bump 2 2 -0.3 0.4\n  kn 1e5  kt 2e5  zeta 0.1  mu 0.7  veps 0.005  friction "
           "anchored\n");
    REQUIRE(model.ground.has_value());
    const Ground& g = *model.ground;
    CHECK(g.normal[1] == Approx(0.6));
    CHECK(g.normal[2] == Approx(0.8));
    CHECK(g.offset == Approx(2));
    REQUIRE(g.waves.size() == 2);
    CHECK(g.waves[1].direction == Approx(std::acos(0.0)));
    CHECK(g.waves[0].direction == 0);
    REQUIRE(g.steps.size() == 2);
    CHECK(g.steps[1].at == 6);
    CHECK(g.steps[1].width == 0.5);
    REQUIRE(g.bumps.size() == 2);
    CHECK(g.bumps[1].height == -0.3);
    CHECK(g.kn->value == 1e5);
    CHECK(g.kt->value == 2e5);
    CHECK(g.friction == Friction::anchored);
    const Ground plain = *ok("ground\n").ground;
    CHECK(plain.normal == Vector3d{0, 0, 1});
    CHECK(plain.offset == 0);
    CHECK_FALSE(plain.kn.has_value());
    CHECK(plain.friction == Friction::regularized);
}

TEST_CASE("Files of heights are read row by row, and their faults have a line") {
    const Folder folder;
    const HeightFile good = readHeights(
        folder.put("a.txt", "# made by hand\r\nheights 3 2  -1 0.5  0.5 2 # x then y\r\n0 +1 2\r\n3 4e0 -5\r\n"));
    REQUIRE(good.grid);
    CHECK(good.grid->nx == 3);
    CHECK(good.grid->ny == 2);
    CHECK(good.grid->x0 == -1);
    CHECK(good.grid->dy == 2);
    CHECK(good.grid->heights == std::vector<double>{0, 1, 2, 3, 4, -5});
    CHECK(readHeights(folder.path / "none.txt").missing);
    CHECK(readHeights(folder.path).missing);
    const std::pair<const char*, const char*> faults[] = {
        {"", "line 1: it does not begin"},
        {"height 2 2 0 0 1 1 0 0 0 0", "line 1: it does not begin"},
        {"heights 2 x 0 0 1 1\n", "line 1: ny is 'x'"},
        {"heights 1 2 0 0 1 1\n0 0\n", "line 1: nx is 1"},
        {"heights 2 2.5 0 0 1 1\n0 0\n", "line 1: ny is 2.5"},
        {"heights 2 2 0 0 0 1\n0 0 0 0\n", "line 1: dx is 0"},
        {"heights 2 2 0 0 1 -1\n0 0 0 0\n", "line 1: dy is -1"},
        {"heights 2 2 0 nan 1 1\n0 0 0 0\n", "line 1: y0 is 'nan'"},
        {"heights 4000 4000 0 0 1 1\n0\n", "line 1: 4000 by 4000"},
        {"heights 1e300 1e300 0 0 1 1\n0\n", "line 1: nx is"},
        {"heights 2 2 0 0 1 1\n0 0\n0\n", "it ends after 3 heights"},
        {"heights 2 2 0 0 1 1\n0 inf\n0 0\n", "line 2: 'inf'"},
        {"heights 2 2 0 0 1 1\n0 0\n\n0 1e999\n", "line 4: '1e999'"},
        {"heights 2 2 0 0 1 1\n0 0 0 0\n7\n", "line 3: '7' stands behind"},
    };
    int n = 0;
    for (const auto& [text, fault] : faults) {
        const HeightFile bad = readHeights(folder.put("bad" + std::to_string(n++), text));
        INFO(text << " -> " << bad.fault);
        CHECK_FALSE(bad.grid);
        CHECK(bad.fault.find(fault) != std::string::npos);
    }
}

TEST_CASE("A ground takes its heights from beside the text, and a changed file is read anew") {
    const Folder folder;
    folder.put("hill.txt", "heights 2 2 0 0 1 1\n0 1\n2 3\n");
    const std::string text = "ground\n  grid \"hill.txt\"\n";
    const Model model = ok(text, folder.path);
    REQUIRE(model.ground->grid);
    CHECK(model.ground->grid->heights[3] == 3);
    CHECK(model.ground->grid_file == "hill.txt");
    CHECK(ok(text, folder.path).ground->grid == model.ground->grid);  // kept, not read again
    folder.put("hill.txt", "heights 2 2 0 0 1 1\n0 1\n2 3.5\n");
    const Model changed = ok(text, folder.path);
    CHECK(changed.ground->grid->heights[3] == 3.5);
    CHECK(modelHash(changed) != modelHash(model));
    CHECK(dynamicsHash(changed) == dynamicsHash(model));
}
