// Slots and names of coordinates, velocities, actuators, parameters and observations.
#include "engine/model/layout.h"

#include <algorithm>
#include <cmath>

namespace mw {
namespace {

// Names of a joint's coordinates or velocities (design: a scalar joint carries its body's name, others suffixes).
void addNames(std::vector<std::string>& names, const Body& body, bool velocities) {
    const auto add = [&](const char* suffix) { names.push_back(body.name + suffix); };
    switch (body.joint.type) {
        case JointType::fixed: return;
        case JointType::revolute:
        case JointType::prismatic:
        case JointType::screw: add(""); return;
        case JointType::cylindrical:
        case JointType::universal: add(".1"), add(".2"); return;
        case JointType::planar: add(".1"), add(".2"), add(".3"); return;
        case JointType::spherical:
        case JointType::floating:
            if (velocities) {
                add(".wx"), add(".wy"), add(".wz");
                if (body.joint.type == JointType::floating) add(".vx"), add(".vy"), add(".vz");
            } else {
                add(".qw"), add(".qx"), add(".qy"), add(".qz");
                if (body.joint.type == JointType::floating) add(".x"), add(".y"), add(".z");
            }
    }
}

template <class Items>
int indexOf(const Items& items, std::string_view name) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].name == name) return static_cast<int>(i);
    return -1;
}

int indexOf(const std::vector<std::string>& names, std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

Layout layoutOf(const Model& model) {
    Layout layout;
    layout.nbody = static_cast<int>(model.bodies.size());
    for (int i = 0; i < layout.nbody; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        layout.q_of_body.push_back(layout.nq);
        layout.v_of_body.push_back(layout.nv);
        layout.nq += jointNq(body.joint.type);
        layout.nv += jointNv(body.joint.type);
        layout.body_of_v.insert(layout.body_of_v.end(), static_cast<std::size_t>(jointNv(body.joint.type)), i);
        addNames(layout.q_names, body, false);
        addNames(layout.v_names, body, true);
    }
    for (const Tsda& tsda : model.tsdas) layout.act_of_tsda.push_back(tsda.input ? layout.nact++ : -1);
    for (const Rsda& rsda : model.rsdas) layout.act_of_rsda.push_back(rsda.input ? layout.nact++ : -1);
    for (std::size_t i = 0; i < model.points.size(); ++i) layout.obs_of_point.push_back(layout.nobs), layout.nobs += 6;
    for (std::size_t i = 0; i < model.tsdas.size(); ++i) layout.obs_of_tsda.push_back(layout.nobs), layout.nobs += 2;
    for (std::size_t i = 0; i < model.rsdas.size(); ++i) layout.obs_of_rsda.push_back(layout.nobs), layout.nobs += 2;
    for (const Loop& loop : model.loops) layout.row_of_loop.push_back(layout.nc), layout.nc += loopRows(loop.type);
    layout.nloop = static_cast<int>(model.loops.size());
    for (const Parameter& parameter : model.parameters) layout.nparam += parameter.live ? 1 : 0;
    return layout;
}

int findSlot(const Model& model, const Layout& layout, std::string_view kind, std::string_view name) {
    const auto slot = [](const std::vector<int>& slots, int index) {
        return index < 0 ? -1 : slots[static_cast<std::size_t>(index)];
    };
    if (kind == "body") return indexOf(model.bodies, name);
    if (kind == "q") return indexOf(layout.q_names, name);
    if (kind == "v") return indexOf(layout.v_names, name);
    if (kind == "poi") return slot(layout.obs_of_point, indexOf(model.points, name));
    if (kind == "tsda") return slot(layout.obs_of_tsda, indexOf(model.tsdas, name));
    if (kind == "rsda") return slot(layout.obs_of_rsda, indexOf(model.rsdas, name));
    if (kind == "loop") return slot(layout.row_of_loop, indexOf(model.loops, name));
    if (kind == "act") {
        const int tsda = slot(layout.act_of_tsda, indexOf(model.tsdas, name));
        return tsda >= 0 ? tsda : slot(layout.act_of_rsda, indexOf(model.rsdas, name));
    }
    if (kind == "param") {
        const int parameter = indexOf(model.parameters, name);
        return parameter < 0 ? -1 : model.parameters[static_cast<std::size_t>(parameter)].slot;
    }
    return -1;
}

double normaliseQuaternion(double* q) {
    // Scaled by the largest component first: squares of very large or small numbers leave the range.
    double largest = 0, square = 0;
    for (int i = 0; i < 4; ++i) largest = std::max(largest, std::isfinite(q[i]) ? std::abs(q[i]) : HUGE_VAL);
    if (largest == 0 || largest == HUGE_VAL) return 0;
    for (int i = 0; i < 4; ++i) square += (q[i] / largest) * (q[i] / largest);
    const double length = largest * std::sqrt(square);
    constexpr double kRounding = 1e-15;  // a few units of the last place of a length of 1
    if (std::abs(length - 1) <= kRounding) return 1;
    for (int i = 0; i < 4; ++i) q[i] = q[i] / largest / std::sqrt(square);
    return length;
}

std::vector<double> startQ(const Model& model, const Layout& layout, std::span<const double> param) {
    std::vector<double> q;
    q.reserve(static_cast<std::size_t>(layout.nq));
    for (const Body& body : model.bodies) {
        const std::size_t first = q.size();
        const JointType type = body.joint.type;
        const bool quaternion = type == JointType::spherical || type == JointType::floating;
        for (int i = 0; i < jointNq(type); ++i) {
            const auto k = static_cast<std::size_t>(i);
            q.push_back(k < body.start.size() ? body.start[k].at(param) : (quaternion && i == 0 ? 1.0 : 0.0));
        }
        if (!quaternion) continue;
        if (!(normaliseQuaternion(q.data() + first) > 0))
            for (std::size_t i = 0; i < 4; ++i) q[first + i] = i == 0 ? 1.0 : 0.0;
    }
    return q;
}

std::vector<double> startV(const Model& model, const Layout& layout, std::span<const double> param) {
    std::vector<double> v;
    v.reserve(static_cast<std::size_t>(layout.nv));
    for (const Body& body : model.bodies)
        for (int i = 0; i < jointNv(body.joint.type); ++i) {
            const auto k = static_cast<std::size_t>(i);
            v.push_back(k < body.rate.size() ? body.rate[k].at(param) : 0.0);
        }
    return v;
}

}  // namespace mw
