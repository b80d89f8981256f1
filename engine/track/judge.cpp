// What is odd about a belt that could be laid: lengths that disagree, rollers that carry nothing.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/track/place.h"

namespace mw::track {
namespace {

using mech::Code;

constexpr double kPi = 3.14159265358979323846;
constexpr double kTolerance = 0.05;  // of lengths that should agree

/// The narrowest the belt is, between two parallel tangents.
double narrowest(const std::vector<BeltCircle>& circles) {
    constexpr int kDirections = 180;
    double least = 1e300;
    for (int k = 0; k < kDirections; ++k) {
        const double c = std::cos(kPi * k / kDirections), s = std::sin(kPi * k / kDirections);
        double ahead = -1e300, behind = -1e300;
        for (const BeltCircle& circle : circles) {
            const double along = circle.x * c + circle.z * s;
            ahead = std::max(ahead, along + circle.radius);
            behind = std::max(behind, -along + circle.radius);
        }
        least = std::min(least, ahead + behind);
    }
    return least;
}

}  // namespace

void judge(const Scene& scene, const Track& track, const Laying& laying) {
    const mech::Statement* statement = scene.tree ? scene.tree->find(mech::NameSpace::track, track.name) : nullptr;
    const std::string title = fmt::format("track {}", mech::quote(track.name));
    const auto name = [&](const Track::Roller& roller) {
        return scene.model.bodies[static_cast<std::size_t>(roller.body)].name;
    };
    const auto range = [&](const char* word) {
        const mech::Property* property = statement ? statement->find(word) : nullptr;
        return property ? scene.tree->range(*property) : track.origin.name;
    };

    if (track.pitch > 0 && std::abs(track.link - track.pitch) > kTolerance * track.pitch) {
        const double fit = std::round(track.perimeter / track.pitch);
        Diagnostic& d = scene.findings.warning(
            Code::track_length, range("shoes"),
            fmt::format("{}: {} shoes on a belt of {:.6g} m have links of {:.6g} m, not the declared {:.6g}", title,
                        track.shoes, track.perimeter, track.link, track.pitch));
        d.expected = "a belt as long as the shoes at their pitch, within 5 %";
        if (fit >= 3 && fit <= 10'000 && fit != track.shoes) {
            d.remedy = fmt::format("take {:.0f} shoes, or move a roller", fit);
            if (statement) d.fix = mech::setProperty(*scene.tree, *statement, "shoes", fmt::format("{:.0f}", fit));
        } else {
            d.remedy = "move a roller, or mend the pitch";
        }
    }
    for (std::size_t i = 0; i < track.rollers.size(); ++i) {
        const Track::Roller& roller = track.rollers[i];
        if (std::find(laying.belt.touched.begin(), laying.belt.touched.end(), static_cast<int>(i)) ==
            laying.belt.touched.end())
            scene.findings
                .note(Code::roller_idle, roller.range,
                      fmt::format("{}: the belt does not touch its roller '{}'", title, name(roller)))
                .remedy = "a roller inside the belt carries it only where the band sags";
        if (!roller.end) continue;
        if (track.link >= 2 * roller.radius) {
            Diagnostic& d = scene.findings.warning(
                Code::link_too_long, roller.range,
                fmt::format(
                    "{}: a link of {:.6g} m is as long as the roller '{}' is thick, {:.6g} m: it fits between two "
                    "pins",
                    title, track.link, name(roller), 2 * roller.radius));
            d.expected = "links well under an end roller's diameter";
            const double fit = std::ceil(track.perimeter / (0.6 * roller.radius));
            d.remedy = fit <= 10'000 ? fmt::format("take more shoes, {:.0f} or so, or a larger roller", fit)
                                     : std::string("take a larger roller");
            if (statement && fit <= 10'000)
                d.fix = mech::setProperty(*scene.tree, *statement, "shoes", fmt::format("{:.0f}", fit));
        }
        if (!roller.driven) continue;
        const double tooth = 2 * kPi * roller.radius / roller.teeth;
        if (std::abs(tooth - track.link) <= kTolerance * track.link) continue;
        Diagnostic& d =
            scene.findings.warning(Code::tooth_pitch, roller.range,
                                   fmt::format("{}: the {} teeth of '{}' stand {:.6g} m apart, the pins {:.6g} m",
                                               title, roller.teeth, name(roller), tooth, track.link));
        d.expected = "teeth as far apart as the pins, within 5 %";
        const double fit = std::round(2 * kPi * roller.radius / track.link);
        const bool fits =
            fit >= 3 && fit <= 1000 && std::abs(2 * kPi * roller.radius / fit - track.link) <= kTolerance * track.link;
        if (!fits) {
            d.remedy = fmt::format("a radius of {:.6g} m would do", track.link * roller.teeth / (2 * kPi));
            continue;
        }
        d.remedy = fmt::format("take {:.0f} teeth", fit);
        for (const mech::Property& property : statement ? statement->properties : std::vector<mech::Property>{}) {
            const TextRange place = scene.tree->range(property);
            if (property.own && property.spec && std::string_view(property.spec->word) == "teeth" &&
                place.begin >= roller.range.begin && place.end <= roller.range.end)
                d.fix = {{place, fmt::format("teeth {:.0f}", fit)}};
        }
    }
    const double face = track.pad_z + track.thickness;
    if (face > 0) {
        const double width = narrowest(laying.circles);
        if (2 * face >= width) {
            Diagnostic& d = scene.findings.warning(
                Code::track_overlap, range("pad"),
                fmt::format(
                    "{}: the shoes' inner face lies {:.6g} m inside the pins, and the belt is only {:.6g} m wide",
                    title, face, width));
            d.expected = "pad z + thickness less than half of the belt's width";
            d.remedy = "pad z is that of the ground side, below the pins as a rule";
        }
    }
    std::string teeth;
    for (const Track::Roller& roller : track.rollers)
        if (roller.driven)
            teeth +=
                fmt::format(", teeth of '{}' {:.5g} m apart", name(roller), 2 * kPi * roller.radius / roller.teeth);
    scene.findings.note(Code::track_laid, track.origin.name,
                        fmt::format("{}: {} links of {:.6g} m, belt {:.6g} m, pins {:.3g} m off the belt{}", title,
                                    track.shoes, track.link, track.perimeter, laying.pins.clearance, teeth));
}

}  // namespace mw::track
