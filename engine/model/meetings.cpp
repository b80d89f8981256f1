// What can touch what, and which models have rows at all.
#include "engine/model/meetings.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace mw {
namespace {

bool groupsMeet(int a, int b) {
    if (a == 0 || b == 0) return false;
    if (a > 0 && b > 0) return a == b;
    return a != b;
}

/// Of two bodies, either way round; the base counts as a body.
std::uint64_t keyOf(int a, int b) {
    if (a > b) std::swap(a, b);
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace

Meetings::Meetings(const Model& model) : model_(model), root_(model.bodies.size(), kBase) {
    for (const int b : model.order()) {
        const Body& body = model.bodies[static_cast<std::size_t>(b)];
        root_[static_cast<std::size_t>(b)] = body.joint.type == JointType::fixed ? weldedTo(body.parent) : b;
    }
    for (const Exclude& e : model.excludes) excluded_.insert(keyOf(e.a, e.b));
}

int Meetings::carrier(int root) const {
    return root < 0 ? -2 : weldedTo(model_.bodies[static_cast<std::size_t>(root)].parent);
}

bool Meetings::excluded(int a, int b) const { return !excluded_.empty() && excluded_.contains(keyOf(a, b)); }

bool Meetings::pair(int shape_a, int shape_b) const {
    const Shape& a = model_.shapes[static_cast<std::size_t>(shape_a)];
    const Shape& b = model_.shapes[static_cast<std::size_t>(shape_b)];
    if (a.material < 0 || b.material < 0 || !groupsMeet(a.group, b.group)) return false;
    const int root_a = weldedTo(a.body), root_b = weldedTo(b.body);
    if (root_a == root_b) return false;
    // A joint keeps a body and its parent apart as it likes; what hangs from the base may still land on it.
    if (root_a != kBase && root_b != kBase && (carrier(root_a) == root_b || carrier(root_b) == root_a)) return false;
    return !excluded(a.body, b.body);
}

bool Meetings::ground(int shape) const {
    const Shape& s = model_.shapes[static_cast<std::size_t>(shape)];
    return model_.ground && s.material >= 0 && s.group != 0 && weldedTo(s.body) != kBase && !excluded(s.body, kBase);
}

bool canCollide(const Model& model, int shape_a, int shape_b) { return Meetings(model).pair(shape_a, shape_b); }
bool meetsGround(const Model& model, int shape) { return Meetings(model).ground(shape); }

bool hasRows(const Model& model, std::string* why) {
    const auto because = [why](std::string reason) {
        if (why) *why = std::move(reason);
        return true;
    };
    for (const Tendon& tendon : model.tendons)
        if (!tendon.off) return because(fmt::format("tendon '{}'", tendon.name));
    const Meetings meetings(model);
    std::vector<int> colliding;
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        if (meetings.ground(static_cast<int>(i)))
            return because(fmt::format("shape '{}', which collides with the ground", model.shapes[i].name));
        if (model.shapes[i].material >= 0 && model.shapes[i].group != 0) colliding.push_back(static_cast<int>(i));
    }
    // Of shapes that are alike in this respect one stands for all; the rest is soon found out, since nearly all pairs
    // of a group meet.
    std::vector<std::tuple<int, int, int>> kinds;
    for (const int i : colliding) {
        const Shape& s = model.shapes[static_cast<std::size_t>(i)];
        kinds.emplace_back(s.group, s.body, i);
    }
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end(),
                            [](const auto& a, const auto& b) {
                                return std::get<0>(a) == std::get<0>(b) && std::get<1>(a) == std::get<1>(b);
                            }),
                kinds.end());
    for (std::size_t i = 0; i < kinds.size(); ++i)
        for (std::size_t j = i + 1; j < kinds.size(); ++j) {
            if (std::get<0>(kinds[i]) > 0 && std::get<0>(kinds[j]) != std::get<0>(kinds[i])) break;
            const int a = std::get<2>(kinds[i]), b = std::get<2>(kinds[j]);
            if (!meetings.pair(a, b)) continue;
            const auto [first, second] = std::minmax(a, b);
            return because(fmt::format("shapes '{}' and '{}', which collide",
                                       model.shapes[static_cast<std::size_t>(first)].name,
                                       model.shapes[static_cast<std::size_t>(second)].name));
        }
    for (const Body& body : model.bodies) {
        const auto finite = [](const Number& n) { return n.isLive() || std::isfinite(n.value); };
        if (body.limits && (finite(body.limits->lower) || finite(body.limits->upper)))
            return because(fmt::format("the limits of joint '{}'", body.name));
        if (!body.joint_friction.isZero() && jointNv(body.joint.type) > 0)
            return because(fmt::format("the dry friction of joint '{}'", body.name));
    }
    for (const Drive& drive : model.drives)
        if (drive.kind == Drive::Kind::prescribed)
            return because(fmt::format("drive '{}', which prescribes a motion", drive.name));
    return false;
}

}  // namespace mw
