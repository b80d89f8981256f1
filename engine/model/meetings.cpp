// What can touch what, and which models have rows at all.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

#include "engine/model/model.h"

namespace mw {
namespace {

/// The body that a chain of fixed joints ends at: what is welded together moves as one.
int weldedTo(const Model& model, int body) {
    for (std::size_t steps = 0; body >= 0 && steps <= model.bodies.size(); ++steps) {
        const Body& b = model.bodies[static_cast<std::size_t>(body)];
        if (b.joint.type != JointType::fixed) break;
        body = b.parent;
    }
    return body;
}

int carrier(const Model& model, int body) {
    return body < 0 ? -2 : weldedTo(model, model.bodies[static_cast<std::size_t>(body)].parent);
}

bool excluded(const Model& model, int a, int b) {
    for (const Exclude& e : model.excludes)
        if ((e.a == a && e.b == b) || (e.a == b && e.b == a)) return true;
    return false;
}

bool groupsMeet(int a, int b) {
    if (a == 0 || b == 0) return false;
    if (a > 0 && b > 0) return a == b;
    return a != b;
}

}  // namespace

bool canCollide(const Model& model, int shape_a, int shape_b) {
    const Shape& a = model.shapes[static_cast<std::size_t>(shape_a)];
    const Shape& b = model.shapes[static_cast<std::size_t>(shape_b)];
    if (a.material < 0 || b.material < 0 || !groupsMeet(a.group, b.group)) return false;
    const int root_a = weldedTo(model, a.body), root_b = weldedTo(model, b.body);
    if (root_a == root_b) return false;
    // A joint keeps a body and its parent apart as it likes; what hangs from the base may still land on it.
    if (root_a != kBase && root_b != kBase && (carrier(model, root_a) == root_b || carrier(model, root_b) == root_a))
        return false;
    return !excluded(model, a.body, b.body);
}

bool meetsGround(const Model& model, int shape) {
    const Shape& s = model.shapes[static_cast<std::size_t>(shape)];
    return model.ground && s.material >= 0 && s.group != 0 && weldedTo(model, s.body) != kBase &&
           !excluded(model, s.body, kBase);
}

bool hasRows(const Model& model, std::string* why) {
    const auto because = [why](std::string reason) {
        if (why) *why = std::move(reason);
        return true;
    };
    for (const Tendon& tendon : model.tendons)
        if (!tendon.off) return because(fmt::format("tendon '{}'", tendon.name));
    std::vector<int> colliding;
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        if (meetsGround(model, static_cast<int>(i)))
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
            if (!canCollide(model, a, b)) continue;
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
