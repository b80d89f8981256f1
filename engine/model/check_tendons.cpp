// Looks at tendons at the start pose.
#include "engine/model/check_tendons.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/layout.h"
#include "engine/model/start_pose.h"
#include "engine/model/vectors.h"

namespace mw::mech {
namespace {

using K = PathElement::Kind;

Vector3d minus(const Vector3d& a, const Vector3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

Vector3d valuesOf(const Number3& numbers) { return {numbers[0].value, numbers[1].value, numbers[2].value}; }

const Placement& placementOf(const std::vector<Placement>& pose, int body) {
    static const Placement base;
    return body < 0 ? base : pose[static_cast<std::size_t>(body)];
}

Vector3d pointAt(const std::vector<Placement>& pose, const BodyPoint& point) {
    return transform(placementOf(pose, point.body), valuesOf(point.at));
}

/// Is a point (base) on or inside a guide's surface?
bool inside(const std::vector<Placement>& pose, const PathElement& guide, const Vector3d& point) {
    const Placement& body = placementOf(pose, guide.point.body);
    const Vector3d p = minus(rotateBack(body.rotation, minus(point, body.position)), valuesOf(guide.point.at));
    const double along = dot(p, guide.axis);
    const double across = std::sqrt(std::max(0.0, dot(p, p) - along * along));
    switch (guide.kind) {
        case K::sphere: return norm(p) <= guide.radii[0].value;
        case K::cylinder: return across <= guide.radii[0].value;
        case K::torus: return std::hypot(across - guide.radii[0].value, along) <= guide.radii[1].value;
        case K::ellipsoid: {
            Placement turn = compose({axisRotation({0, 0, 1}, guide.rot[2].value), {}},
                                     {axisRotation({0, 1, 0}, guide.rot[1].value), {}});
            turn = compose(turn, {axisRotation({1, 0, 0}, guide.rot[0].value), {}});
            const Vector3d own = rotateBack(turn.rotation, p);
            double sum = 0;
            for (std::size_t k = 0; k < 3; ++k) sum += std::pow(own[k] / guide.radii[k].value, 2);
            return sum <= 1;
        }
        case K::site:
        case K::pulley: return false;
    }
    return false;
}

/// Length of the route without its guides: what it is where there are none, and less than it is where there are.
double chords(const std::vector<Placement>& pose, const Tendon& tendon) {
    double total = 0, divisor = 1;
    const PathElement* last = nullptr;
    for (const PathElement& e : tendon.path) {
        if (e.kind == K::pulley) {
            divisor = e.divisor;
            last = nullptr;
        } else if (e.kind == K::site) {
            if (last) total += norm(minus(pointAt(pose, e.point), pointAt(pose, last->point))) / divisor;
            last = &e;
        }
    }
    return total;
}

double termsLength(const Model& model, const Tendon& tendon) {
    double total = 0;
    for (const TendonTerm& term : tendon.terms)
        total +=
            term.weight.value *
            model.bodies[static_cast<std::size_t>(term.body)].start[static_cast<std::size_t>(term.coordinate)].value;
    return total;
}

bool hasGuide(const Tendon& tendon) {
    return std::any_of(tendon.path.begin(), tendon.path.end(), [](const PathElement& e) { return e.isGuide(); });
}

void checkEnds(Reading& r, StatementReader& in, const Tendon& tendon, const std::vector<Placement>& pose) {
    const std::vector<PathElement>& path = tendon.path;
    std::vector<std::size_t> behind(path.size(), 0);  // the next site of each element
    for (std::size_t i = path.size(); i-- > 0;)
        behind[i] = path[i].kind == K::site || i + 1 == path.size() ? i : behind[i + 1];
    std::size_t before = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path[i].kind == K::site) before = i;
        if (!path[i].isGuide()) continue;
        if (path[i].side && inside(pose, path[i], pointAt(pose, path[i].side.value()))) continue;  // it runs inside
        const std::size_t ends[2] = {before, behind[i]};
        for (const std::size_t end : ends) {
            if (path[end].kind != K::site || !inside(pose, path[i], pointAt(pose, path[end].point))) continue;
            Diagnostic& d = r.findings.warning(
                Code::end_inside, path[end].range,
                fmt::format("{}: at the start this site lies on or inside the {} {} it: the tendon runs straight there",
                            in.title(), pathElementName(path[i].kind), end < i ? "behind" : "before"));
            d.expected = "sites outside of the guides next to them";
            d.remedy = "move the site out, make the guide smaller, or put the side site inside for a route through it";
        }
    }
}

/// All that it runs through moves as one body.
bool rigid(Reading& r, const Tendon& tendon) {
    std::optional<int> first;
    for (const PathElement& e : tendon.path) {
        if (e.kind == K::pulley) continue;
        if (!first) first = r.weldedTo(e.point.body);
        if (r.weldedTo(e.point.body) != *first) return false;
    }
    return first.has_value();
}

}  // namespace

void checkMargins(StatementReader& in, const SyntaxTree& tree, const Number& lower, const Number& upper,
                  const Number& margin) {
    if (!std::isfinite(lower.value) || !std::isfinite(upper.value) || !in.sound("margin")) return;
    if (lower.value >= upper.value || upper.value - lower.value >= 2 * margin.value) return;
    Diagnostic& d = in.warn(Code::margins_overlap, "margin",
                            fmt::format("the limits are {:.6g} apart, and the margins of {:.6g} overlap: between "
                                        "them both push at once",
                                        upper.value - lower.value, margin.value));
    const double fits = (upper.value - lower.value) / 2;
    d.expected = fmt::format("a margin of at most {:.6g}, half of what lies between the limits", fits);
    d.remedy = fmt::format("take `margin {}`", numberText(fits / 2));
    d.fix = setProperty(tree, in.statement(), "margin", numberText(fits / 2));
}

void checkCreep(StatementReader& in, const SyntaxTree& tree, const Number& compliance, const Number& correction) {
    if (compliance.value <= 0 || correction.value != 0 || correction.isLive() || !in.sound("compliance")) return;
    Diagnostic& d =
        in.warn(Code::creep, "correction",
                "compliance without correction creeps: under a load it gives way at every step, without end");
    d.expected = "a correction of more than 0: the static stiffness is correction / compliance";
    d.remedy = "take `correction 0.2`";
    d.fix = setProperty(tree, in.statement(), "correction", "0.2");
}

std::optional<double> straightLength(Reading& reading, const Tendon& tendon) {
    if (tendon.fixed) return termsLength(reading.model, tendon);
    if (hasGuide(tendon)) return std::nullopt;
    return chords(reading.startPlacements(), tendon);
}

void checkTendon(Reading& reading, StatementReader& in, const Tendon& tendon) {
    double least = 0;
    const bool exact = tendon.fixed || !hasGuide(tendon);
    if (tendon.fixed) {
        least = termsLength(reading.model, tendon);
    } else {
        const std::vector<Placement>& pose = reading.startPlacements();
        least = chords(pose, tendon);
        // What a winch has paid out is no part of the coordinate that the laws see.
        if (tendon.feed) least -= evaluate(*tendon.feed, reading.model.liveValues(), 0);
        checkEnds(reading, in, tendon, pose);
        if (!tendon.off && rigid(reading, tendon))
            in.warn(Code::no_effect, "", "all its points move as one body, so that its length never changes").remedy =
                "put an end of it on another body";
    }
    const double tolerance = 1e-9 * std::max(1.0, std::abs(least));
    const bool below = exact && least < tendon.lower.value - tolerance;
    const bool above = least > tendon.upper.value + tolerance;
    if (!in.has("limits") || (!below && !above)) return;
    const bool lock = tendon.lower.value == tendon.upper.value;
    Diagnostic& d =
        in.warn(Code::start_outside_range, "limits",
                fmt::format("at the start its length is {}{:.6g}, {} {:.6g}", exact ? "" : "at least ", least,
                            lock    ? "and it is locked to"
                            : below ? "below its lower limit"
                                    : "above its upper limit",
                            below ? tendon.lower.value : tendon.upper.value));
    d.expected = "limits that the start lies between; outside it is pushed back fast, and not braked afterwards";
    d.remedy = "widen the limits, or start elsewhere";
    if (!exact || lock) return;
    d.remedy = fmt::format("let the limit begin at {:.6g}", least);
    d.fix = {{in.range("limits", below ? 0 : 1), numberText(least)}};
}

}  // namespace mw::mech
