// Tracks become bodies and loops.
//
// Shoe i has its origin at pin i, its x towards pin i + 1, its z towards the rollers, its y that of the root. Arc
// length 0, where shoe 0 (the anchor) has its pin, is the belt's topmost tangent point. A walk along the angle phi from
// x towards z is a turn by -phi about y.
#include "engine/track/expand.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/model/vectors.h"
#include "engine/track/place.h"

namespace mw {
namespace {

using track::Laying;
using track::Scene;

constexpr double kTurn = 2 * 3.14159265358979323846;

/// Quaternion w x y z of a rotation matrix, by its largest component (Shepperd 1978).
std::array<double, 4> quaternionOf(const std::array<double, 9>& r) {
    const double trace = r[0] + r[4] + r[8];
    std::array<double, 4> q{};
    if (trace >= r[0] && trace >= r[4] && trace >= r[8]) {
        q = {1 + trace, r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    } else if (r[0] >= r[4] && r[0] >= r[8]) {
        q = {r[7] - r[5], 1 + r[0] - r[4] - r[8], r[1] + r[3], r[2] + r[6]};
    } else if (r[4] >= r[8]) {
        q = {r[2] - r[6], r[1] + r[3], 1 + r[4] - r[0] - r[8], r[5] + r[7]};
    } else {
        q = {r[3] - r[1], r[2] + r[6], r[5] + r[7], 1 + r[8] - r[0] - r[4]};
    }
    double length = 0;
    for (const double c : q) length += c * c;
    for (double& c : q) c /= std::sqrt(length);
    return q;
}

Vector3d column(const std::array<double, 9>& r, std::size_t k) { return {r[k], r[3 + k], r[6 + k]}; }

/// What a unit of one joint velocity does: angular velocity and that of the body's origin, base axes.
struct Motion {
    Vector3d angular{}, linear{};
};

std::vector<Motion> motionsOf(const Body& body, const Placement& frame, const Placement& placed) {
    const auto turned = [&](const Vector3d& axis) { return rotate(frame.rotation, axis); };
    const Vector3d& a = body.joint.axis;
    switch (body.joint.type) {
        case JointType::fixed: return {};
        case JointType::revolute: return {{turned(a), {}}};
        case JointType::prismatic: return {{{}, turned(a)}};
        case JointType::cylindrical: return {{turned(a), {}}, {{}, turned(a)}};
        case JointType::screw: {
            Motion m{turned(a), turned(a)};
            for (double& c : m.linear) c *= body.joint.pitch.value;
            return {m};
        }
        case JointType::universal:
            return {{turned(a), {}}, {turned(rotate(axisRotation(a, body.start[0].value), body.joint.axis2)), {}}};
        case JointType::planar: {
            const std::size_t n = a[0] != 0 ? 0 : a[1] != 0 ? 1 : 2;
            return {
                {{}, column(frame.rotation, (n + 1) % 3)}, {{}, column(frame.rotation, (n + 2) % 3)}, {turned(a), {}}};
        }
        case JointType::spherical:
        case JointType::floating: {
            std::vector<Motion> motions;
            for (std::size_t k = 0; k < 3; ++k) motions.push_back({column(placed.rotation, k), {}});
            for (std::size_t k = 0; k < 3 && body.joint.type == JointType::floating; ++k)
                motions.push_back({{}, column(placed.rotation, k)});
            return motions;
        }
    }
    return {};
}

/// The root carries its band along rigidly: the anchor's rates from those of every joint on the way to the root. They
/// are linear in these with constant factors, so that live rates stay live.
std::vector<Number> anchorRate(const Scene& scene, const Track& track, const Placement& anchor) {
    std::vector<Number> rate(6, Number(0));
    for (int i = track.root; i >= 0; i = scene.model.bodies[static_cast<std::size_t>(i)].parent) {
        const Body& body = scene.model.bodies[static_cast<std::size_t>(i)];
        const Placement& placed = scene.pose[static_cast<std::size_t>(i)];
        const Placement local = jointFrame(body, scene.param);
        const Placement frame =
            body.parent < 0 ? local : compose(scene.pose[static_cast<std::size_t>(body.parent)], local);
        const std::vector<Motion> motions = motionsOf(body, frame, placed);
        for (std::size_t k = 0; k < motions.size() && k < body.rate.size(); ++k) {
            if (body.rate[k].isZero()) continue;
            const Vector3d arm = {anchor.position[0] - placed.position[0], anchor.position[1] - placed.position[1],
                                  anchor.position[2] - placed.position[2]};
            Vector3d linear = cross(motions[k].angular, arm);
            for (std::size_t c = 0; c < 3; ++c) linear[c] += motions[k].linear[c];
            const Vector3d w = rotateBack(anchor.rotation, motions[k].angular);
            const Vector3d v = rotateBack(anchor.rotation, linear);
            for (std::size_t c = 0; c < 6; ++c) {
                const double factor = c < 3 ? w[c] : v[c - 3];
                if (factor == 0) continue;
                Number& sum = rate[c];
                if (sum.isLive() || body.rate[k].isLive()) {
                    const auto whole = [](const Number& n) { return n.live ? n.live : Expression::constant(n.value); };
                    sum.live =
                        Expression::binary(Expression::Op::add, whole(sum),
                                           Expression::binary(Expression::Op::multiply, Expression::constant(factor),
                                                              whole(body.rate[k])));
                }
                sum.value += factor * body.rate[k].value;
            }
        }
    }
    return rate;
}

/// The walk's angle at each pin, chosen so that links of exactly `link` run from pin to pin without gathering what
/// rounding leaves, and the turn of each shoe against the one before.
struct Walk {
    double first = 0;           ///< angle of the walk at the anchor
    std::vector<double> turns;  ///< of shoes 1, 2, …: about +y, in (-pi, pi]
};

Walk walkOf(const LaidPins& laid) {
    Walk walk;
    std::array<double, 2> at = laid.pins.front();
    double direction = 0;
    for (std::size_t i = 0; i < laid.pins.size(); ++i) {
        const std::array<double, 2>& next = laid.pins[(i + 1) % laid.pins.size()];
        const double wanted = std::atan2(next[1] - at[1], next[0] - at[0]);
        if (i == 0) {
            walk.first = direction = wanted;
        } else {
            const double turn = -std::remainder(wanted - direction, kTurn);
            walk.turns.push_back(turn);
            direction -= turn;
        }
        at = {at[0] + laid.link * std::cos(direction), at[1] + laid.link * std::sin(direction)};
    }
    return walk;
}

/// Where a driven roller's pockets lie in its own frame: the mean, round the pitch of its teeth, of the places of the
/// pins that lie on it; of the nearest pin where none does.
double pocketPhase(const Scene& scene, const Track& track, std::size_t index, const LaidPins& laid) {
    const Track::Roller& roller = track.rollers[index];
    const Placement root = scene.root(track);
    const auto& rotation = scene.pose[static_cast<std::size_t>(roller.body)].rotation;
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::array<double, 2>& pin : laid.pins)
        nearest = std::min(nearest, std::hypot(pin[0] - track.axles[index][0], pin[1] - track.axles[index][1]));
    const double reach = std::max(nearest, roller.radius + laid.clearance) + 1e-9 * track.perimeter;
    double sine = 0, cosine = 0;
    for (const std::array<double, 2>& pin : laid.pins) {
        const Vector3d arm = {pin[0] - track.axles[index][0], 0, pin[1] - track.axles[index][1]};
        if (std::hypot(arm[0], arm[2]) > reach) continue;
        const Vector3d own = rotateBack(rotation, rotate(root.rotation, arm));
        // About +y from -z: a turn by theta takes (0, 0, -1) to (-sin, 0, -cos).
        const double theta = std::atan2(-own[0], -own[2]);
        sine += std::sin(roller.teeth * theta), cosine += std::cos(roller.teeth * theta);
    }
    return std::atan2(sine, cosine) / roller.teeth;
}

Body shoeOf(const Track& track, int index) {
    Body shoe;
    shoe.name = fmt::format("{}.shoe{}", track.name, index);
    shoe.mass = track.mass;
    shoe.cg = track.cg;
    shoe.inertia = track.inertia;
    shoe.fext = track.fext;
    shoe.origin = {track.origin.range, track.origin.name, index};
    return shoe;
}

void addBand(const Scene& scene, Track& track, const Laying& laying, Model& model) {
    const Walk walk = walkOf(laying.pins);
    const int count = track.shoes;
    track.first_shoe = static_cast<int>(model.bodies.size());
    track.closure = static_cast<int>(model.loops.size());

    Placement in_root;
    in_root.rotation = axisRotation({0, 1, 0}, -walk.first);
    in_root.position = {laying.pins.pins[0][0], track.lateral, laying.pins.pins[0][1]};
    const Placement placed = compose(scene.root(track), in_root);
    Body anchor = shoeOf(track, 0);
    anchor.joint.type = JointType::floating;
    for (const double component : quaternionOf(placed.rotation)) anchor.start.emplace_back(component);
    for (const double component : placed.position) anchor.start.emplace_back(component);
    anchor.rate = anchorRate(scene, track, placed);
    model.bodies.push_back(std::move(anchor));

    for (int i = 1; i < count; ++i) {
        Body shoe = shoeOf(track, i);
        shoe.parent = track.first_shoe + i - 1;
        shoe.joint.type = JointType::revolute;
        shoe.joint.axis = {0, 1, 0};
        shoe.at = {Number(track.link), Number(0), Number(0)};
        shoe.start = {Number(walk.turns[static_cast<std::size_t>(i - 1)])};
        shoe.rate = {Number(0)};
        model.bodies.push_back(std::move(shoe));
    }

    Loop closure;
    closure.name = track.name + ".closure";
    closure.type = LoopType::point_on_line;
    closure.from = {track.first_shoe + count - 1, {Number(track.link), Number(0), Number(0)}, {}};
    closure.to = {track.first_shoe, {}, {}};
    closure.axis = {0, 1, 0};
    closure.origin = {track.origin.range, track.origin.name, count};
    model.loops.push_back(std::move(closure));
    model.repeats.push_back({track.first_shoe + 1, count - 1, track.origin});
    for (std::size_t i = 0; i < track.rollers.size(); ++i)
        if (track.rollers[i].driven) track.rollers[i].phase = pocketPhase(scene, track, i, laying.pins);
}

void expand(Model& model, const mech::SyntaxTree* tree, mech::Findings& findings) {
    if (std::all_of(model.tracks.begin(), model.tracks.end(), [](const Track& t) { return t.first_shoe >= 0; })) return;
    const Scene scene{model, startPose(model), model.liveValues(), tree, findings};
    for (Track& track : model.tracks) {
        Laying laying;
        if (track.first_shoe >= 0 || !track::locate(scene, track) || !track::lay(scene, track, laying)) continue;
        track::judge(scene, track, laying);
        addBand(scene, track, laying, model);
    }
}

/// No error in what bodies are made of: their places can be trusted.
bool bodiesSound(const mech::SyntaxTree& tree, const std::vector<Diagnostic>& diagnostics) {
    return std::none_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) {
        if (d.severity != Severity::error) return false;
        const mech::Statement* statement = tree.at(d.range.begin);
        const mech::NameSpace kind = statement ? statement->spec->defines : mech::NameSpace::none;
        return kind == mech::NameSpace::body || kind == mech::NameSpace::value;
    });
}

}  // namespace

ReadResult readMechanism(const mech::SyntaxTree& tree, const std::filesystem::path& folder) {
    ReadResult result = readModel(tree, folder);
    if (result.model.tracks.empty() || !bodiesSound(tree, result.diagnostics)) return result;
    mech::Findings findings;
    findings.adopt(std::move(result.diagnostics));
    expand(result.model, &tree, findings);
    result.diagnostics = findings.take();
    return result;
}

ReadResult readMechanism(const std::string& text, const std::filesystem::path& folder) {
    return readMechanism(mech::parse(text), folder);
}

void expandTracks(Model& model, std::vector<Diagnostic>& diagnostics) {
    mech::Findings findings;
    expand(model, nullptr, findings);
    for (Diagnostic& d : findings.take()) diagnostics.push_back(std::move(d));
}

ShoePlace shoePlaceOf(const Model& model, int body) {
    for (std::size_t i = 0; i < model.tracks.size(); ++i) {
        const Track& track = model.tracks[i];
        if (track.first_shoe >= 0 && body >= track.first_shoe && body < track.first_shoe + track.shoes)
            return {static_cast<int>(i), body - track.first_shoe};
    }
    return {};
}

}  // namespace mw
