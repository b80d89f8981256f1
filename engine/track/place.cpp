// Rollers located in the root's frame; the belt laid around them.
#include "engine/track/place.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"

namespace mw::track {
namespace {

using mech::Code;

constexpr double kParallel = 1e-6;  // rad: an axle turned by less counts as parallel
constexpr double kInPlane = 1e-6;   // m
constexpr double kFarthest = 1e6;   // m

const Body& bodyOf(const Scene& scene, int body) { return scene.model.bodies[static_cast<std::size_t>(body)]; }

const mech::Statement* statementOf(const Scene& scene, const Track& track) {
    return scene.tree ? scene.tree->find(mech::NameSpace::track, track.name) : nullptr;
}

std::string title(const Track& track) { return fmt::format("track {}", mech::quote(track.name)); }

Diagnostic& refuse(const Scene& scene, const Track& track, Code code, TextRange range, const std::string& what) {
    return scene.findings.error(code, range, fmt::format("{}: {}", title(track), what));
}

/// What of a body's place depends on a live parameter: the property's word, null when nothing does.
const char* livePart(const Body& body) {
    const auto live = [](const auto& numbers) {
        return std::any_of(std::begin(numbers), std::end(numbers), [](const Number& n) { return n.isLive(); });
    };
    return live(body.at)               ? "at"
           : live(body.rot)            ? "rot"
           : live(body.start)          ? "start"
           : body.joint.pitch.isLive() ? "joint"
                                       : nullptr;
}

/// The whole way from a roller to base stays where it is while sliders move.
bool fixedPlace(const Scene& scene, const Track& track, const Track::Roller& roller) {
    for (int body = roller.body; body >= 0; body = bodyOf(scene, body).parent) {
        const char* part = livePart(bodyOf(scene, body));
        if (!part) continue;
        Diagnostic& d = refuse(scene, track, Code::live_not_allowed, roller.range,
                               fmt::format("the place of its roller '{}' depends on a live parameter, by '{}' of '{}'",
                                           bodyOf(scene, roller.body).name, part, bodyOf(scene, body).name));
        d.expected = "a place that is fixed when the belt is laid";
        d.remedy = "use a parameter that is not live there";
        return false;
    }
    return true;
}

bool hangsOnRoot(const Scene& scene, const Track& track, const Track::Roller& roller) {
    int body = bodyOf(scene, roller.body).parent;
    while (body >= 0 && body != track.root) body = bodyOf(scene, body).parent;
    if (body == track.root) return true;
    const std::string root = bodyOf(scene, track.root).name;
    Diagnostic& d =
        refuse(scene, track, Code::roller_place, roller.range,
               fmt::format("its roller '{}' does not hang on its root '{}'", bodyOf(scene, roller.body).name, root));
    d.expected = fmt::format("a body that hangs on '{}', through any joints", root);
    d.remedy = "name the body that carries all rollers as the root";
    return false;
}

/// A roller's frame has the root's y, and its joint turns about it.
bool turnsAcross(const Scene& scene, const Track& track, const Track::Roller& roller, const Placement& root) {
    const Body& body = bodyOf(scene, roller.body);
    if (body.joint.type != JointType::revolute) {
        Diagnostic& d = refuse(scene, track, Code::roller_place, roller.range,
                               fmt::format("its roller '{}' has a {} joint and does not turn on its axle", body.name,
                                           jointTypeName(body.joint.type)));
        d.expected = "joint revolute y";
        d.remedy = fmt::format("give '{}' a revolute joint about y", body.name);
        return false;
    }
    const auto& rotation = scene.pose[static_cast<std::size_t>(roller.body)].rotation;
    const Vector3d axis = rotateBack(root.rotation, rotate(rotation, body.joint.axis));
    const Vector3d side = rotateBack(root.rotation, rotate(rotation, {0, 1, 0}));
    const bool turns = std::hypot(axis[0], axis[2]) <= kParallel;
    if (turns && std::hypot(side[0], side[2]) <= kParallel && side[1] > 0) return true;
    Diagnostic& d = refuse(
        scene, track, Code::roller_place, roller.range,
        turns
            ? fmt::format("the y axis of its roller '{}' is not the root's", body.name)
            : fmt::format("the axle of its roller '{}' stands {:.4g} degrees off the root's y", body.name,
                          std::atan2(std::hypot(axis[0], axis[2]), std::abs(axis[1])) * 180 / 3.14159265358979323846));
    d.expected = "a roller that turns about the root's y, in a frame with the same y";
    d.remedy =
        fmt::format("write `joint revolute y` in '{}', and no `rot` but about y on the way to the root", body.name);
    return false;
}

}  // namespace

bool locate(const Scene& scene, Track& track) {
    const Placement root = scene.root(track);
    bool all = true;
    track.axles.clear();
    for (const Track::Roller& roller : track.rollers) {
        if (!fixedPlace(scene, track, roller)) return false;
        if (!hangsOnRoot(scene, track, roller) || !turnsAcross(scene, track, roller, root)) {
            all = false;
            continue;
        }
        Vector3d centre = scene.pose[static_cast<std::size_t>(roller.body)].position;
        for (std::size_t i = 0; i < 3; ++i) centre[i] -= root.position[i];
        centre = rotateBack(root.rotation, centre);
        if (!(std::hypot(centre[0], centre[1], centre[2]) <= kFarthest)) {
            refuse(scene, track, Code::roller_place, roller.range,
                   fmt::format("its roller '{}' is {:.3g} m away from its root", bodyOf(scene, roller.body).name,
                               std::hypot(centre[0], centre[1], centre[2])))
                .expected = fmt::format("a place within {:.0e} m", kFarthest);
            all = false;
            continue;
        }
        if (track.axles.empty()) track.lateral = centre[1];
        if (std::abs(centre[1] - track.lateral) > kInPlane) {
            Diagnostic& d =
                refuse(scene, track, Code::roller_place, roller.range,
                       fmt::format("its roller '{}' lies at y = {:.6g} m of the root, the first one at {:.6g}",
                                   bodyOf(scene, roller.body).name, centre[1], track.lateral));
            d.expected = "all rollers of a track in one plane";
            d.remedy = "give them the same y";
            all = false;
        }
        track.axles.push_back({centre[0], centre[2]});
    }
    return all && track.axles.size() == track.rollers.size() && track.axles.size() >= 2;
}

bool lay(const Scene& scene, Track& track, Laying& laying) {
    const double face = track.pad_z + track.thickness;
    for (std::size_t i = 0; i < track.rollers.size(); ++i) {
        const Track::Roller& roller = track.rollers[i];
        const double radius = roller.end ? roller.radius : roller.radius + face;
        if (!(radius > 0)) {
            Diagnostic& d = refuse(
                scene, track, Code::track_not_laid, roller.range,
                fmt::format("with the inner face at z = {:.6g}, the pins would pass {:.6g} m beyond the axle of '{}'",
                            face, -radius, bodyOf(scene, roller.body).name));
            d.expected = "pad z + thickness + radius more than 0";
            d.remedy = "the inner face lies at z = pad z + thickness, and pad z is that of the ground side";
            return false;
        }
        laying.circles.push_back({track.axles[i][0], track.axles[i][1], radius});
    }
    laying.belt = hullOf(laying.circles);
    laying.pins = layPins(laying.circles, track.shoes);
    track.perimeter = laying.belt.perimeter;
    track.link = laying.pins.link;
    if (laying.pins.pins.empty()) {
        Diagnostic& d = refuse(
            scene, track, Code::track_not_laid, track.origin.name,
            fmt::format("no closed band of {} links goes around a belt of {:.6g} m", track.shoes, track.perimeter));
        d.expected = "links that are short beside the rollers";
        double least = laying.circles.front().radius;
        for (const BeltCircle& circle : laying.circles) least = std::min(least, circle.radius);
        const double enough = std::ceil(track.perimeter / least);
        d.remedy =
            enough <= 10'000 ? fmt::format("take {:.0f} shoes or more", enough) : std::string("take larger rollers");
        if (const mech::Statement* statement = statementOf(scene, track); statement && enough <= 10'000)
            d.fix = mech::setProperty(*scene.tree, *statement, "shoes", fmt::format("{:.0f}", enough));
        return false;
    }
    if (track.fade > track.link / 2) {
        Diagnostic& d =
            refuse(scene, track, Code::out_of_range, track.origin.name,
                   fmt::format("its fade of {:.6g} m is more than half a link, {:.6g} m", track.fade, track.link / 2));
        d.expected = "at most half a link: a face takes over from one neighbour at a time";
        d.remedy = "leave `fade` out: a quarter of a link";
        if (const mech::Statement* statement = statementOf(scene, track))
            if (const mech::Property* property = statement->find("fade")) {
                d.range = scene.tree->range(*property);
                d.fix = mech::removeProperty(*scene.tree, *statement, *property);
            }
        return false;
    }
    if (track.fade == 0) track.fade = track.link / 4;
    return true;
}

}  // namespace mw::track
