// The ground: a plane, what stands on it, and its material.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/height_grid.h"
#include "engine/model/meetings.h"
#include "engine/model/reader.h"

namespace mw::mech {
namespace {

constexpr double kSteepest = 80;  // degrees

bool readPlane(StatementReader& in, Ground& ground) {
    if (!in.has("plane")) return true;
    std::array<double, 4> plane{};
    bool all = in.sound("plane");
    for (std::size_t i = 0; i < 4 && in.sound("plane"); ++i) all = in.fixed("plane", i, plane[i]) && all;
    if (!all) return false;
    const double length = std::hypot(plane[0], plane[1], plane[2]);
    const double up = length > 0 ? plane[2] / length : 0;
    if (length == 0 || !std::isfinite(length)) {
        in.fault(Code::zero_axis, "plane", "a plane's normal of length zero has no direction").expected =
            "plane nx ny nz d, with a normal that points up";
        return false;
    }
    if (up < std::cos(kSteepest * 3.14159265358979323846 / 180)) {
        const bool down = -up >= std::cos(kSteepest * 3.14159265358979323846 / 180);
        Diagnostic& d =
            in.fault(Code::out_of_range, "plane",
                     down ? "the plane's normal points down"
                          : fmt::format("the plane stands at {:.4g} degrees; heights over x and y cannot describe it",
                                        std::acos(std::clamp(std::abs(up), 0.0, 1.0)) * 180 / 3.14159265358979323846));
        d.expected = fmt::format("a normal that points up, a slope of at most {} degrees", kSteepest);
        if (down) {
            d.remedy = "turn the sign of all four numbers: the same plane, seen from above";
            if (in.literal("plane"))
                d.fix = {{in.values("plane"), numberTexts({-plane[0], -plane[1], -plane[2], -plane[3]})}};
        }
        return false;
    }
    for (std::size_t i = 0; i < 3; ++i) ground.normal[i] = plane[i] / length;
    ground.offset = plane[3] / length;
    return true;
}

void readRelief(StatementReader& in, Ground& ground) {
    for (std::size_t i = 0; i < in.mentions("wave"); ++i) {
        in.turnTo("wave", i);
        Ground::Wave wave;
        const bool all = in.fixed("wave", 0, wave.amplitude) & in.fixed("wave", 1, wave.length);
        if (in.has("wave.direction")) in.fixed("wave.direction", 0, wave.direction);
        if (all) ground.waves.push_back(wave);
    }
    struct Rise {
        double from, to;
        std::size_t mention;
    };
    std::vector<Rise> rises;
    for (std::size_t i = 0; i < in.mentions("step"); ++i) {
        in.turnTo("step", i);
        Ground::Step step;
        const bool all = in.fixed("step", 0, step.height) & in.fixed("step", 2, step.at);
        if (in.has("step.width")) in.fixed("step.width", 0, step.width);
        if (!all) continue;
        ground.steps.push_back(step);
        rises.push_back({step.at - step.width / 2, step.at + step.width / 2, i});
    }
    std::sort(rises.begin(), rises.end(), [](const Rise& a, const Rise& b) { return a.from < b.from; });
    for (std::size_t i = 1; i < rises.size(); ++i) {
        if (rises[i].from >= rises[i - 1].to) continue;
        in.turnTo("step", rises[i].mention);
        Diagnostic& d =
            in.warn(Code::steps_overlap, "step",
                    fmt::format("it begins to rise at x = {:.6g}, before the one at its left ends at {:.6g}",
                                rises[i].from, rises[i - 1].to));
        d.expected = "steps one after the other: x and width apart";
        d.remedy = "make a width smaller, or move one of the two; their slopes add as they stand";
    }
    for (std::size_t i = 0; i < in.mentions("bump"); ++i) {
        in.turnTo("bump", i);
        Ground::Bump bump;
        if (in.fixed("bump", 0, bump.x) & in.fixed("bump", 1, bump.y) & in.fixed("bump", 2, bump.height) &
            in.fixed("bump", 3, bump.radius))
            ground.bumps.push_back(bump);
    }
}

void readGrid(Reading& r, StatementReader& in, Ground& ground) {
    ground.grid_file = in.string("grid", 0);
    if (!in.sound("grid")) return;
    if (ground.grid_file.find('\0') != std::string::npos || ground.grid_file.empty()) {
        in.fault(Code::grid_not_found, "grid", "it names no file").expected = "a path relative to the .mech";
        return;
    }
    if (r.folder.empty()) {
        Diagnostic& d = in.warn(
            Code::grid_not_read, "grid",
            fmt::format("the text lies in no folder yet, so that {} was not looked for", quote(ground.grid_file)));
        d.remedy = "save the mechanism beside its file of heights";
        return;
    }
    HeightFile file = readHeights(r.folder / ground.grid_file);
    ground.grid = file.grid;
    if (file.missing) {
        Diagnostic& d = in.fault(Code::grid_not_found, "grid",
                                 fmt::format("there is no file {} beside the mechanism", quote(ground.grid_file)));
        d.expected = "a path relative to the .mech";
        d.remedy = "put the file there, or mend the path";
    } else if (!file.grid) {
        Diagnostic& d = in.fault(Code::grid_format, "grid", fmt::format("{}, {}", quote(ground.grid_file), file.fault));
        d.expected = "`heights nx ny x0 y0 dx dy`, then nx ny numbers, row by row";
        d.remedy = "mend the file; docs/language.md describes it";
    }
}

}  // namespace

void Reading::readGround() {
    const Statement* statement = tree.first("ground");
    if (!statement) return;
    StatementReader in(tree, *statement, scope, findings);
    Ground ground;
    ground.origin = {statement->range, tree.token(statement->keyword).range(), -1};
    readPlane(in, ground);
    readRelief(in, ground);
    if (in.has("grid")) readGrid(*this, in, ground);
    const std::pair<const char*, std::optional<Number>*> values[] = {
        {"kn", &ground.kn}, {"kt", &ground.kt}, {"zeta", &ground.zeta}, {"mu", &ground.mu}, {"veps", &ground.veps}};
    for (const auto& [word, value] : values) {
        Number number;
        if (in.number(word, 0, number)) *value = number;
    }
    if (in.text("friction", 0) == frictionName(Friction::anchored)) ground.friction = Friction::anchored;
    in.finish();
    model.ground = std::move(ground);
    if (tree.first("track")) return;
    const Meetings meetings(model);
    bool met = false;
    for (std::size_t i = 0; i < model.shapes.size() && !met; ++i) met = meetings.ground(static_cast<int>(i));
    if (!met)
        findings.note(Code::not_used, tree.token(statement->keyword).range(),
                      "nothing touches the ground: the mechanism has no track, and no shape that moves and collides");
    else
        for (const char* word : {"kn", "kt", "zeta", "veps", "friction"})
            if (in.has(word))
                findings.note(Code::not_used, in.range(word),
                              fmt::format("nothing reads the ground's '{}': it is for the pads of tracks", word));
}

}  // namespace mw::mech
