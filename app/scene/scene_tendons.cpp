// Tendons as tubes along their routes: pure functions of the pose, so that a route is seen before anything runs. Their
// colour is their tension while a run gives one; what is slack is thin, pale and dashed. Guides and sites belong to
// the tendon that runs over them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "app/scene/primitives.h"
#include "app/scene/scene_builder.h"
#include "engine/model/layout.h"

namespace mw::scene {

namespace {

constexpr double kArc = 0.1;       // rad of a drawn piece on a guide
constexpr int kFineTendons = 24;   // more of them go without contours
constexpr double kThin = 0.0035;   // of the reach: thinner tubes get a line of constant width along their middle
constexpr double kSkin = 1.003;    // of a guide's own size: a drum drawn as large does not flicker through it
constexpr double kNothing = 1e-9;  // of the greatest tension: rounding

bool isSelected(const SceneOptions& options, int tendon) {
    return std::find(options.selection.begin(), options.selection.end(), ItemId{ItemKind::tendon, tendon}) !=
           options.selection.end();
}

Color colorOf(const Tendon& tendon) {
    return {static_cast<float>(tendon.color[0]), static_cast<float>(tendon.color[1]),
            static_cast<float>(tendon.color[2]), static_cast<float>(tendon.color[3])};
}

}  // namespace

bool SceneBuilder::tendonShown(const SceneState& state, int tendon) const {
    const auto i = static_cast<std::size_t>(tendon);
    if (i >= model_->tendons.size()) return false;
    const Tendon& it = model_->tendons[i];
    const bool off = it.off || (i < state.tendon_off.size() && state.tendon_off[i]);
    return !off && it.color[3] > 0 && state.X.size() >= 12 * model_->bodies.size();
}

/// Kept from frame to frame while the route keeps its form; the first point is the solid's own origin.
MeshPtr SceneBuilder::tendonMesh(int tendon, int part, std::vector<Path> paths, double radius, bool contours) {
    const Vec3 origin = paths.front().front();
    for (Path& path : paths)
        for (Vec3& p : path) p -= origin;
    Tube& tube = tubes_[{tendon, part}];
    if (tube.mesh && tube.radius == radius && tube.contours == contours && tube.paths == paths) return tube.mesh;
    MeshPtr mesh = tubesMesh(paths, radius, contours ? 12 : 8, contours);
    tube = {std::move(paths), radius, contours, std::move(mesh)};
    return tube.mesh;
}

void SceneBuilder::addTubes(const SceneState& state, const SceneOptions& options, int tendon, const TendonLine& line,
                            Scene& scene) {
    const auto i = static_cast<std::size_t>(tendon);
    const Tendon& it = model_->tendons[i];
    const Theme& th = theme(options.theme);
    const Color own = colorOf(it), slack_color = mix(th.text_secondary, th.view_bottom, 0.25f), push_color = th.shoe;
    const double width = Evaluated{param_}(it.width), top = tendon_top_.top();
    const bool known = state.solved && i < state.tendons.size();
    const bool slack = known && state.tendons[i].slack;
    const bool colored = known && options.tendon_tension && top > 0;

    // One solid a colour: pieces of the same one are joined.
    struct Part {
        Color color;
        std::vector<Path> paths;
    };
    std::vector<Part> parts;
    const auto partOf = [&](const Color& color) -> Part& {
        for (Part& p : parts)
            if (p.color == color) return p;
        return parts.emplace_back(Part{color, {}});
    };
    for (const RouteRun& run : runsOf(line)) {
        if (slack) {
            double length = 0;
            for (std::size_t k = 0; k + 1 < run.points.size(); ++k)
                length += (run.points[k + 1] - run.points[k]).norm();
            const double dash = std::clamp(7 * width, length / 60, length / 5);
            for (Path& d : dashesOf(run.points, dash, 0.75 * dash)) partOf(slack_color).paths.push_back(std::move(d));
            continue;
        }
        if (!colored) {
            partOf(own).paths.push_back(run.points);
            continue;
        }
        const std::vector<double> tensions = pieceTensions(it, state.tendons[i], run);
        for (std::size_t k = 0; k < tensions.size(); ++k) {
            const double t = tensions[k];
            // What pushes has no tension: it has the colour of steel.
            const Color color = !std::isfinite(t)     ? own
                                : t < -kNothing * top ? push_color
                                                      : thinRamp(t / top).withAlpha(own.a);
            Part& part = partOf(color);
            if (!part.paths.empty() && part.paths.back().back() == run.points[k])
                part.paths.back().push_back(run.points[k + 1]);
            else part.paths.push_back({run.points[k], run.points[k + 1]});
        }
    }
    const bool contours = model_->tendons.size() <= kFineTendons || isSelected(options, tendon) ||
                          options.hover == ItemId{ItemKind::tendon, tendon};
    const double radius = slack ? 0.62 * width : width;
    int number = 0;
    for (Part& part : parts) {
        if (radius < kThin * measures_.reach) {
            for (const Path& path : part.paths)
                for (std::size_t k = 0; k + 1 < path.size(); ++k) {
                    Line stroke;
                    stroke.begin = path[k], stroke.end = path[k + 1];
                    stroke.color = stroke.color_end = part.color;
                    stroke.width = slack ? 1.2f : 2.0f;
                    stroke.id = {ItemKind::tendon, tendon};
                    scene.lines.push_back(stroke);
                }
        }
        MeshInstance m;
        m.place = movedTo(part.paths.front().front());
        m.mesh = tendonMesh(tendon, number++, std::move(part.paths), radius, contours);
        m.color = part.color;
        m.id = {ItemKind::tendon, tendon};
        m.finish = Finish::metal;
        m.edge = 0.6f;
        scene.meshes.push_back(std::move(m));
    }
}

MeshPtr SceneBuilder::bead(double radius) {
    // In classes of radius, so that tendons alike share theirs.
    const int step = static_cast<int>(std::lround(40 * std::log(std::max(radius, 1e-9))));
    MeshPtr& mesh = coils_[{-4000, step, 0}];
    if (!mesh) mesh = sphereMesh(std::exp(step / 40.0), 14);
    return mesh;
}

/// The guide's own solid. A cylinder is infinite for the route: it is drawn as long as it is wide, and longer where the
/// rope lies on it.
void SceneBuilder::addGuide(const SceneState& state, const SceneOptions& options, int tendon, int element,
                            Scene& scene) {
    const Tendon& it = model_->tendons[static_cast<std::size_t>(tendon)];
    const PathElement& guide = it.path[static_cast<std::size_t>(element)];
    const Evaluated value{param_};
    const std::array<double, 3> radii{value(guide.radii[0]), value(guide.radii[1]), value(guide.radii[2])};
    MeshPtr& mesh = guide_meshes_[{tendon, element}];
    const Placement body = placeOf(state.X, guide.point.body);
    Placement place = body * movedTo(value(guide.point.at));
    switch (guide.kind) {
        case PathElement::Kind::sphere:
            if (!mesh) mesh = sphereMesh(radii[0], 32);
            break;
        case PathElement::Kind::ellipsoid:
            if (!mesh) mesh = ellipsoidMesh({radii[0], radii[1], radii[2]}, 32);
            place.linear() = place.linear() * rotationOf(value(guide.rot));
            break;
        case PathElement::Kind::torus:
            if (!mesh) mesh = torusMesh(radii[0], radii[1]);
            place.linear() = place.linear() * frameWithZ(vectorOf(guide.axis));
            break;
        case PathElement::Kind::cylinder: {
            if (!mesh) mesh = cylinderMesh(radii[0], 1, 0, 36);
            place.linear() = place.linear() * frameWithZ(vectorOf(guide.axis));
            const Vec3 centre = place.translation(), axis = place.linear().col(2);
            double low = -0.8 * radii[0], high = 0.8 * radii[0];
            const double spare = std::max(3 * value(it.width), 0.15 * radii[0]);
            const auto cover = [&](const Vec3& p) {
                const double at = (p - centre).dot(axis);
                if (!std::isfinite(at)) return;
                low = std::min(low, at - spare);
                high = std::max(high, at + spare);
            };
            const auto i = static_cast<std::size_t>(tendon);
            if (i < state.tendons.size())
                for (const GuideReading& g : state.tendons[i].route.guides)
                    if (g.element == element && g.contact.state != GuideContact::State::free) {
                        cover(g.contact.first);
                        cover(g.contact.last);
                    }
            place.translation() = centre + axis * ((low + high) / 2);
            place.linear().col(2) *= high - low;
            break;
        }
        default: return;
    }
    if (!place.matrix().allFinite()) return;
    place.linear() *= kSkin;
    const Theme& th = theme(options.theme);
    const bool chosen = isSelected(options, tendon);
    MeshInstance m;
    m.mesh = mesh;
    m.place = place;
    m.color = chosen ? mix(colorOf(it).withAlpha(1), th.joint_light, 0.45f).withAlpha(0.42f)
                     : th.text_secondary.withAlpha(0.14f);
    m.id = {ItemKind::tendon, tendon};
    m.element = element;
    m.edge = 0.55f;
    m.shadow = false;
    m.behind = !chosen;
    scene.meshes.push_back(std::move(m));
}

void SceneBuilder::addPath(const SceneState& state, const SceneOptions& options, int tendon, Scene& scene) {
    const Tendon& it = model_->tendons[static_cast<std::size_t>(tendon)];
    const Theme& th = theme(options.theme);
    const Evaluated value{param_};
    const bool chosen = isSelected(options, tendon);
    const double radius = 1.55 * value(it.width);
    const ItemId id{ItemKind::tendon, tendon};
    for (std::size_t e = 0; e < it.path.size(); ++e) {
        const PathElement& element = it.path[e];
        const auto index = static_cast<int>(e);
        if (element.isGuide()) {
            addGuide(state, options, tendon, index, scene);
            if (!chosen || !element.side) continue;
            // The side site, and which guide it belongs to
            const Vec3 at = pointOf(state, *element.side), centre = pointOf(state, element.point);
            if (!at.allFinite()) continue;
            Marker marker{at, MarkerKind::point, 3.6f, th.accent, true, id, index};
            scene.markers.push_back(marker);
            Line line;
            line.begin = at, line.end = centre;
            line.color = line.color_end = th.accent.withAlpha(0.55f);
            line.width = 1.2f;
            line.dash = 3;
            line.on_top = true;
            line.id = id;
            line.element = index;
            scene.lines.push_back(line);
            continue;
        }
        if (element.kind != PathElement::Kind::site) continue;
        const Vec3 at = pointOf(state, element.point);
        if (!at.allFinite()) continue;
        MeshInstance m;
        m.mesh = bead(radius);
        m.place = movedTo(at);
        m.color = mix(colorOf(it).withAlpha(1), th.joint_dark, 0.5f).withAlpha(colorOf(it).a);
        m.id = id;
        m.element = index;
        m.finish = Finish::metal;
        m.edge = 0.6f;
        m.small = true;
        scene.meshes.push_back(std::move(m));
    }
}

void SceneBuilder::addTendons(const SceneState& state, const SceneOptions& options, Scene& scene) {
    if (model_->tendons.empty()) return;
    const Theme& th = theme(options.theme);
    bool slack = false, pushing = false;
    if (state.solved && options.tendon_tension && state.tendons.size() == model_->tendons.size()) {
        double greatest = 0;
        const auto take = [&](double n) {
            if (std::isfinite(n)) greatest = std::max(greatest, n);
        };
        for (std::size_t i = 0; i < state.tendons.size(); ++i) {
            if (model_->tendons[i].fixed || !tendonShown(state, static_cast<int>(i))) continue;
            const TendonReading& r = state.tendons[i];
            take(r.tension);
            for (const double n : r.segment_tension) take(n);
            slack = slack || r.slack;
            pushing = pushing || (!r.slack && r.tension < -kNothing * tendon_top_.top());
        }
        const double top = tendon_top_.follow(greatest);
        if (top > 0) scene.legend.ramps.push_back({"tendon tension", "0", formatForce(top), kThinRamp});
        if (slack) scene.legend.entries.push_back({"slack", mix(th.text_secondary, th.view_bottom, 0.25f), false});
        if (pushing) scene.legend.entries.push_back({"pushes", th.shoe, false});
    }
    for (std::size_t i = 0; i < model_->tendons.size(); ++i) {
        const auto tendon = static_cast<int>(i);
        const Tendon& it = model_->tendons[i];
        if (it.fixed) {
            // No route: selected, it marks the joints that it weighs.
            if (!isSelected(options, tendon)) continue;
            for (const TendonTerm& term : it.terms)
                scene.markers.push_back({anchorOf(state, {ItemKind::joint, term.body}),
                                         MarkerKind::point,
                                         4.5f,
                                         th.accent,
                                         true,
                                         {ItemKind::tendon, tendon},
                                         -1});
            continue;
        }
        if (!tendonShown(state, tendon)) continue;
        addTubes(state, options, tendon, tendons_.line(tendon, state.X, kArc), scene);
        addPath(state, options, tendon, scene);
    }
}

/// What a selected tendon does to the bodies at the points of its route.
void SceneBuilder::addTendonForces(const SceneState& state, const SceneOptions& options,
                                   std::vector<ForceReading>& forces) {
    for (std::size_t i = 0; i < state.tendons.size() && i < model_->tendons.size(); ++i) {
        const auto tendon = static_cast<int>(i);
        const TendonReading& r = state.tendons[i];
        if (!options.tendons || !isSelected(options, tendon) || !tendonShown(state, tendon)) continue;
        // Only the largest carry a label: more would hide the route. Of forces that are as large as each other to
        // rounding the first along the path have it, so that labels do not change hands.
        constexpr std::size_t kLabels = 3;
        std::vector<double> sizes;
        double greatest = 0;
        for (const Vector3d& f : r.point_forces) {
            const double size = vectorOf(f).norm();
            sizes.push_back(std::isfinite(size) ? size : 0.0);
            greatest = std::max(greatest, sizes.back());
        }
        std::vector<std::size_t> order(sizes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto step = [&](std::size_t k) { return greatest > 0 ? std::round(1e6 * sizes[k] / greatest) : 0.0; };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return step(a) > step(b); });
        order.resize(std::min(order.size(), kLabels));
        for (std::size_t k = 0; k < r.point_forces.size() && k < r.route.points.size(); ++k) {
            const RoutePoint& point = r.route.points[k];
            const Vec3 f = vectorOf(r.point_forces[k]);
            if (!(f.norm() > kNothing * greatest)) continue;
            ForceReading force;
            force.acts_on = {ItemKind::body, point.body};
            force.made_by = {ItemKind::tendon, tendon};
            force.name =
                model_->tendons[i].name + " on " +
                (point.body == kBase ? std::string("base") : model_->bodies[static_cast<std::size_t>(point.body)].name);
            force.point = vectorOf(point.point);
            force.vector = f;
            force.quantity = Quantity::tendon;
            force.on_top = true;
            force.labelled = std::find(order.begin(), order.end(), k) != order.end();
            forces.push_back(std::move(force));
        }
    }
}

/// A quiet mark on joints that a limit or a lock holds at the moment.
void SceneBuilder::addLimits(const SceneState& state, const SceneOptions& options, Scene& scene) const {
    if (!state.solved) return;
    const Theme& th = theme(options.theme);
    bool any = false;
    const Layout layout = state.joint_rows.empty() ? Layout{} : layoutOf(*model_);
    for (const JointRowReading& r : state.joint_rows) {
        const double held =
            std::abs(r.lower.value_or(0)) + std::abs(r.upper.value_or(0)) + std::abs(r.lock.value_or(0));
        if (!(held > 0) || r.slot < 0 || static_cast<std::size_t>(r.slot) >= layout.body_of_v.size()) continue;
        const int body = layout.body_of_v[static_cast<std::size_t>(r.slot)];
        const Body& it = model_->bodies[static_cast<std::size_t>(body)];
        const Vec3 at = (placeOf(state.X, it.parent) * jointFrame(it, Evaluated{param_})).translation();
        if (!at.allFinite()) continue;
        scene.markers.push_back({at, MarkerKind::square, 3.4f, th.caution, true, {ItemKind::joint, body}, -1});
        any = true;
    }
    if (any) scene.legend.entries.push_back({"at its limit", th.caution, true});
}

}  // namespace mw::scene
