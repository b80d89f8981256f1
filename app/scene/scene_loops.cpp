// Loops: whether a closure can slide, rods of constant length, and what shows that one is open.
#include <algorithm>
#include <cmath>

#include "app/scene/primitives.h"
#include "app/scene/scene_builder.h"
#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"

namespace mw::scene {

namespace {

constexpr double kOpenTurn = 2e-3;  // rad
constexpr double kOpenMove = 2e-3;  // of a link's length
constexpr double kOpenBand = 0.15;  // of a shoe's

/// Where the successor's origin stands along the axis, seen from the predecessor's frame.
double along(const Loop& loop, const std::vector<mw::Placement>& bodies, std::span<const double> param) {
    const mw::Placement from = framePlacement(loop.from, bodies, param), to = framePlacement(loop.to, bodies, param);
    Vector3d apart;
    for (std::size_t i = 0; i < 3; ++i) apart[i] = to.position[i] - from.position[i];
    const Vector3d seen = rotateBack(from.rotation, apart);
    return seen[0] * loop.axis[0] + seen[1] * loop.axis[1] + seen[2] * loop.axis[2];
}

}  // namespace

LoopSetting loopSetting(const Model& model, int index, const Evaluated& value, double link) {
    const Loop& loop = model.loops[static_cast<std::size_t>(index)];
    LoopSetting setting;
    if (!hasAxis(loop.type)) return setting;
    const Layout layout = layoutOf(model);
    const std::vector<double> start = startQ(model, layout, value.param);
    setting.along = along(loop, bodyPlacements(model, start, value.param), value.param);
    if (!std::isfinite(setting.along)) setting.along = 0;
    // Only what hangs on the way between the two ends matters; the others move both alike.
    std::vector<int> count(model.bodies.size(), 0);
    for (int body : {loop.from.body, loop.to.body})
        for (std::size_t guard = 0; body >= 0 && guard <= count.size(); ++guard) {
            ++count[static_cast<std::size_t>(body)];
            body = model.bodies[static_cast<std::size_t>(body)].parent;
        }
    for (std::size_t b = 0; b < count.size() && !setting.slides; ++b) {
        if (count[b] != 1) continue;
        const JointType type = model.bodies[b].joint.type;
        setting.slides = type == JointType::spherical || type == JointType::floating;
        for (int i = 0; i < jointNq(type) && !setting.slides; ++i) {
            std::vector<double> q = start;
            q[static_cast<std::size_t>(layout.q_of_body[b] + i)] += 0.3;
            const double moved = along(loop, bodyPlacements(model, q, value.param), value.param);
            setting.slides = !(std::abs(moved - setting.along) < 1e-9 * link);
        }
    }
    return setting;
}

bool SceneBuilder::loopOpen(const SceneState& state, int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= state.loops.size()) return false;
    const std::vector<LoopRow> rows = rowsOf(model_->loops[static_cast<std::size_t>(index)]);
    // A band's closure gives way by some of a shoe while it drives.
    double far = kOpenMove * measures_.link;
    for (const Track& track : model_->tracks)
        if (track.closure == index) far = kOpenBand * track.link;
    const std::vector<double>& error = state.loops[static_cast<std::size_t>(index)].error;
    for (std::size_t i = 0; i < rows.size() && i < error.size(); ++i)
        if (!(std::abs(error[i]) <= (rows[i].kind == LoopRow::Kind::turn ? kOpenTurn : far))) return true;
    return false;
}

void SceneBuilder::addLoops(const SceneState& state, const SceneOptions& options, Scene& scene) const {
    const Theme& th = theme(options.theme);
    const double s = measures_.joint;
    Evaluated value{param_};
    for (std::size_t i = 0; i < model_->loops.size(); ++i) {
        const Loop& loop = model_->loops[i];
        const ItemId id{ItemKind::loop, static_cast<int>(i)};
        const Vec3 a = placeOf(state.X, loop.from.body) * value(loop.from.at),
                   b = placeOf(state.X, loop.to.body) * value(loop.to.at), d = b - a;
        const double length = d.norm();
        if (!std::isfinite(length)) continue;
        const bool open = loopOpen(state, static_cast<int>(i));
        auto add = [&](MeshPtr mesh, const Placement& place, const Color& color) {
            MeshInstance m;
            m.mesh = std::move(mesh);
            m.place = place;
            m.color = open ? mix(color, th.bad, 0.75f) : color;
            m.id = id;
            m.finish = Finish::metal;
            m.edge = 0.6f;
            scene.meshes.push_back(std::move(m));
        };
        if (loop.type == LoopType::distance && options.joints) {
            // Thin, but never a thread
            const double radius = std::max(0.32 * s, 0.016 * value(loop.length));
            if (length > 1e-9) {
                // Of unit length, stretched to the distance of the day.
                Placement place = placed(frameWithZ(d / length), (a + b) / 2);
                place.linear().col(2) *= length;
                add(cylinderMesh(radius, 1, 0, 10), place, mix(th.base, th.joint_light, 0.5f));
            }
            for (const Vec3& end : {a, b}) add(sphereMesh(2.1 * radius, 12), movedTo(end), th.joint_light);
        }
        if (!open) continue;
        // What is torn: a dashed line over everything from where it should be to where it is, and by how much.
        const std::vector<LoopRow> rows = rowsOf(loop);
        const std::vector<double>& error = state.loops[i].error;
        const auto worst =
            std::max_element(error.begin(), error.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
        if (loop.type != LoopType::distance && length > 1e-9) {
            Line gap;
            gap.begin = a;
            gap.end = b;
            gap.color = gap.color_end = th.bad;
            gap.width = 2;
            gap.dash = 4;
            gap.on_top = true;
            gap.id = id;
            scene.lines.push_back(gap);
        }
        Label label;
        label.anchor = b;
        label.along = d;  // beyond the gap, not over it
        label.text = loop.name + " open";
        label.value = formatQuantity(std::abs(*worst), rowUnit(rows[static_cast<std::size_t>(worst - error.begin())]));
        label.color = th.bad;
        label.priority = 8;
        label.id = id;
        scene.labels.push_back(std::move(label));
    }
}

}  // namespace mw::scene
