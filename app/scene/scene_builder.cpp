// Places what was made once, and works out the rest of a picture: springs, signs, arrows, labels, trails.
#include "app/scene/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "app/scene/primitives.h"
#include "app/scene/track_parts.h"
#include "engine/model/layout.h"

namespace mw::scene {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kTrailPoints = 900;

Color painted(const Part& part, const Theme& theme, const std::vector<int>& tints) {
    switch (part.paint) {
        case Paint::own: return part.color;
        case Paint::joint_light: return theme.joint_light;
        case Paint::joint_dark: return theme.joint_dark;
        case Paint::base: return theme.base;
        case Paint::rail: return mix(theme.base, theme.joint_light, 0.35f);
        case Paint::shoe: return theme.shoe;
        case Paint::rubber: return theme.rubber;
        case Paint::tint: break;
    }
    if (part.body < 0) return theme.base;
    return bodyTint(tints[static_cast<std::size_t>(part.body)]);
}

Box boxOf(const MeshInstance& m) {
    Box box;
    const Box& b = m.mesh->bounds;
    if (b.empty()) return box;
    for (int c = 0; c < 8; ++c) {
        box.add(m.place *
                Vec3(c & 1 ? b.high.x() : b.low.x(), c & 2 ? b.high.y() : b.low.y(), c & 4 ? b.high.z() : b.low.z()));
    }
    return box;
}

}  // namespace

std::string formatQuantity(double value, const std::string& unit) {
    char text[48];
    double a = std::abs(value);
    if (!std::isfinite(value)) return "not a number";
    if (a < 5e-13) std::snprintf(text, sizeof text, "0");
    else if (a >= 1e5 || a < 1e-3) std::snprintf(text, sizeof text, "%.2e", value);
    else if (a >= 1000) std::snprintf(text, sizeof text, "%.0f", value);
    else if (a >= 10) std::snprintf(text, sizeof text, "%.1f", value);
    else if (a >= 1) std::snprintf(text, sizeof text, "%.2f", value);
    else std::snprintf(text, sizeof text, "%.3f", value);
    // Whatever the locale, a decimal point.
    std::string out = text;
    std::replace(out.begin(), out.end(), ',', '.');
    return unit.empty() ? out : out + " " + unit;
}

std::string formatForce(double newton) {
    const double a = std::abs(newton);
    if (a >= 1e6) return formatQuantity(newton / 1e6, "MN");
    if (a >= 1e4) return formatQuantity(newton / 1e3, "kN");
    return formatQuantity(newton, "N");
}

SceneBuilder::~SceneBuilder() = default;

SceneBuilder::SceneBuilder(std::shared_ptr<const Model> model, std::filesystem::path folder)
    : model_(std::move(model)), files_(std::move(folder)), tints_(tints(*model_)), band_(bandOfBody(*model_)) {
    // Up is the axis nearest to against gravity; z without gravity.
    Vec3 g(model_->gravity[0].value, model_->gravity[1].value, model_->gravity[2].value);
    if (g.allFinite() && g.norm() > 1e-9) {
        Vec3::Index axis = 2;
        g.cwiseAbs().maxCoeff(&axis);
        up_ = Vec3::Zero();
        up_[axis] = g[axis] > 0 ? -1 : 1;
    }
    for (std::size_t i = 0; i < model_->points.size(); ++i) {
        if (model_->points[i].point.body >= 0) traced_points_.push_back(static_cast<int>(i));
    }
    // A vehicle leaves a trail, too.
    for (const Track& track : model_->tracks)
        if (track.root >= 0 &&
            std::find(traced_bodies_.begin(), traced_bodies_.end(), track.root) == traced_bodies_.end())
            traced_bodies_.push_back(track.root);
}

Placement SceneBuilder::placeOf(std::span<const double> X, int body) {
    if (body < 0 || static_cast<std::size_t>(12 * body + 12) > X.size()) return Placement::Identity();
    const double* x = &X[static_cast<std::size_t>(12 * body)];
    Mat3 r;
    r << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
    return placed(r, {x[9], x[10], x[11]});
}

Vec3 SceneBuilder::pointOf(const SceneState& state, const BodyPoint& point) const {
    Evaluated value{param_};
    return placeOf(state.X, point.body) * value(point.at);
}

std::vector<Part> SceneBuilder::makeParts(bool with_shapes) {
    Evaluated value{param_};
    PartsInput in{*model_, value, measures_, up_, &files_};
    std::size_t n = model_->bodies.size();
    std::vector<Part> parts;
    if (with_shapes) addShapeParts(in, parts);
    std::vector<bool> shaped(n, false);
    bool base_is_drawn = false;
    for (const Part& p : parts) {
        if (p.body < 0) base_is_drawn = true;
        else shaped[static_cast<std::size_t>(p.body)] = true;
    }
    if (with_shapes) has_shapes_ = shaped;
    std::vector<int> depth = depths(*model_);
    addTrackParts(in, shaped, parts);
    for (std::size_t b = 0; b < n; ++b)
        if (!drawnByBand(static_cast<int>(b))) addSkeletonParts(in, static_cast<int>(b), depth[b], parts);
    // Pins go through what is seen: shapes where there are some, else links.
    std::vector<Part> solids;
    for (const Part& p : parts) {
        if (p.layer == Layer::band) continue;
        if (p.layer == Layer::shape || !shaped[static_cast<std::size_t>(p.body)]) solids.push_back(p);
    }
    for (std::size_t b = 0; b < n; ++b)
        if (!drawnByBand(static_cast<int>(b))) addJointParts(in, static_cast<int>(b), base_is_drawn, solids, parts);
    for (std::size_t i = 0; i < model_->loops.size(); ++i) {
        const auto loop = static_cast<int>(i);
        if (closesBand(*model_, loop)) continue;
        addLoopParts(in, loop, loopSetting(*model_, loop, value, measures_.link), base_is_drawn, solids, parts);
    }
    // Beside hundreds of shoes the small things count, too.
    if (!model_->tracks.empty())
        for (Part& p : parts) p.small = p.small || p.layer == Layer::joint || p.layer == Layer::shape;
    for (std::size_t b = 0; b < n; ++b)
        if (band_[b] < 0) addInertiaParts(in, static_cast<int>(b), parts);
    return parts;
}

void SceneBuilder::prepare(const SceneState& state) {
    const std::vector<double> declared = model_->liveValues();
    std::span<const double> param =
        state.param.size() == declared.size() ? state.param : std::span<const double>(declared);
    if (!prepared_ || !std::equal(param.begin(), param.end(), param_.begin(), param_.end())) {
        prepared_ = true;
        param_.resize(param.size());
        std::copy(param.begin(), param.end(), param_.begin());
        measures_ = measure(*model_, Evaluated{param_});
        coils_.clear();
        parts_ = makeParts(true);
        bare_parts_.clear();
        if (!model_->tendons.empty()) {
            if (tendons_.empty()) tendons_ = Tendons(*model_, layoutOf(*model_));
            tendons_.setParameters(param_);
            guide_meshes_.clear();
        }
    }
    if (!ground_known_ && state.X.size() >= 12 * model_->bodies.size()) {
        ground_known_ = true;
        chooseGround(state);
    }
}

/// The ground lies at zero when everything stands above it, else under what hangs.
void SceneBuilder::chooseGround(const SceneState& state) {
    Evaluated value{param_};
    Box shown;
    for (const Part& p : parts_) {
        if (p.layer == Layer::inertia || (p.layer == Layer::joint && p.body < 0)) continue;
        if (p.layer == Layer::skeleton && has_shapes_[static_cast<std::size_t>(p.body)]) continue;
        MeshInstance m;
        m.mesh = p.mesh;
        m.place = placeOf(state.X, p.body) * p.place;
        shown.add(boxOf(m));
    }
    double lowest = shown.empty() ? 0 : (up_.cwiseMin(0).dot(shown.high) + up_.cwiseMax(0).dot(shown.low));
    // What the author drew to stand on: the ground lies right under it.
    bool stands = false;
    Box stand;
    for (const Part& p : parts_) {
        if (p.layer != Layer::shape || p.body >= 0) continue;
        stands = true;
        MeshInstance m;
        m.mesh = p.mesh;
        m.place = p.place;
        stand.add(boxOf(m));
    }
    // A chain that may swing freely under its pivot reaches as far as it is long (one that a loop holds does not).
    for (std::size_t b = 0; b < model_->bodies.size() && !stands && model_->loops.empty(); ++b) {
        const Body& body = model_->bodies[b];
        if (body.parent != kBase || body.joint.type == JointType::floating || body.joint.type == JointType::fixed)
            continue;
        if (body.joint.type == JointType::prismatic || body.joint.type == JointType::planar) continue;
        double height = up_.dot(value(body.at));
        bool upright = std::abs((rotationOf(value(body.rot)) * vectorOf(body.joint.axis)).dot(up_)) > 0.6;
        double cg = up_.dot(placeOf(state.X, static_cast<int>(b)) * value(body.cg)) - height;
        bool hangs = body.joint.type == JointType::revolute ? !upright : cg <= 0;
        if (hangs && height < measures_.reach * 1.05 && cg < 0.3 * measures_.reach)
            lowest = std::min(lowest, height - measures_.reach);
    }
    double slack = 1e-3 * measures_.reach;
    if (stands && up_.cwiseMin(0).dot(stand.high) + up_.cwiseMax(0).dot(stand.low) < lowest + slack) {
        ground_ = lowest;
    } else if (lowest < -slack) {
        ground_ = lowest - (stands ? 0 : 1.2 * measures_.joint);
    } else if (lowest > 0.8 * measures_.reach) {
        ground_ = lowest - 0.25 * measures_.reach;
    }
}

void SceneBuilder::addBodies(const SceneState& state, const SceneOptions& options, Scene& scene) const {
    const Theme& th = theme(options.theme);
    const Color grey = mix(th.view_top, th.view_bottom, 0.5f);
    const double top = options.tension ? tension_top_.top() : 0;
    for (const Part& part : options.shapes ? parts_ : bare_parts_) {
        bool shaped = part.body >= 0 && has_shapes_[static_cast<std::size_t>(part.body)] && options.shapes;
        if (part.layer == Layer::skeleton && shaped && !options.skeleton) continue;
        if (part.layer == Layer::joint && !options.joints) continue;
        if (part.layer == Layer::inertia && !options.inertia) continue;
        MeshInstance m;
        m.mesh = part.mesh;
        m.place = placeOf(state.X, part.body) * part.place;
        if (!m.place.matrix().allFinite()) continue;
        m.color = painted(part, th, tints_);
        if (part.paint == Paint::shoe && top > 0) m.color = tensionColor(state, part, top, m.color);
        if (part.id.kind == ItemKind::loop && loopOpen(state, part.id.index)) m.color = mix(m.color, th.bad, 0.75f);
        if (part.layer == Layer::inertia) {
            m.color = th.quantity(Quantity::inertia).withAlpha(0.28f);
            m.pickable = false;
        }
        if (options.fade > 0 && (options.stale.empty() || std::find(options.stale.begin(), options.stale.end(),
                                                                    part.body) != options.stale.end()))
            m.color = mix(m.color, grey.withAlpha(m.color.a), 0.7f * options.fade);
        m.id = part.id;
        m.shape = part.shape;
        m.track = part.track;
        m.small = part.small;
        m.finish = part.finish;
        m.edge = part.edges ? 1.0f : 0.0f;
        m.shadow = part.shadow;
        scene.meshes.push_back(std::move(m));
    }
}

/// Of unit length, to be stretched; kept from frame to frame.
MeshPtr SceneBuilder::unitCylinder(double radius) {
    MeshPtr& mesh = coils_[{-2000, static_cast<int>(std::lround(1000 * std::log(std::max(radius, 1e-9)))), 0}];
    if (!mesh) mesh = cylinderMesh(radius, 1, 0, fineSprings() ? 16 : 10);
    return mesh;
}

MeshPtr SceneBuilder::coil(int thick, int turns, double length) {
    // Made for classes of length 5 % apart and stretched the rest of the way, so that the wire stays round.
    int step = static_cast<int>(std::lround(std::log(std::max(length, 1e-9)) / std::log(1.05)));
    if (coils_.size() > 400) coils_.clear();
    const double radius = std::pow(1.1, thick);
    MeshPtr& mesh = coils_[{turns, step, thick}];
    if (!mesh) mesh = coilMesh(radius, 0.2 * radius, turns, std::pow(1.05, step), fineSprings());
    return mesh;
}

void SceneBuilder::addSprings(const SceneState& state, const Theme& th, Scene& scene) {
    const double s = measures_.joint;
    Evaluated value{param_};
    for (std::size_t i = 0; i < model_->tsdas.size(); ++i) {
        const Tsda& t = model_->tsdas[i];
        Vec3 a = pointOf(state, t.from), b = pointOf(state, t.to), d = b - a;
        double length = d.norm();
        if (!std::isfinite(length) || length < 1e-9) continue;
        Vec3 axis = d / length;
        ItemId id{ItemKind::tsda, static_cast<int>(i)};
        auto add = [&](MeshPtr mesh, const Placement& place, const Color& color) {
            MeshInstance m;
            m.mesh = std::move(mesh);
            m.place = place;
            m.color = color;
            m.id = id;
            m.finish = Finish::metal;
            m.edge = 0.45f;
            scene.meshes.push_back(std::move(m));
        };
        double rest = value(t.l0);
        if (!std::isfinite(rest) || rest < 0.15 * length) rest = std::max(length, measures_.link);
        const double pitch = 1.35 * std::max(s, 0.03 * rest);
        int turns = std::clamp(static_cast<int>(std::lround(rest / pitch)), 4, 14);
        bool has_spring = !t.k.isZero() || !t.curve.empty() || (t.c.isZero() && t.damper_curve.empty() && !t.input);
        Mat3 frame = frameWithZ(axis);
        if (has_spring) {
            // In classes 10 % apart, never a thread
            const double wanted = std::max(1.0 * s, 0.03 * rest);
            const int thick = static_cast<int>(std::lround(std::log(wanted) / std::log(1.1)));
            MeshPtr mesh = coil(thick, turns, length);
            double made = mesh->bounds.high.z();
            Placement place = placed(frame, a);
            place.linear().col(2) *= length / std::max(made, 1e-12);
            add(mesh, place, th.quantity(Quantity::spring));
        }
        if (!t.c.isZero() || !t.damper_curve.empty() || t.input) {
            // A cylinder fixed at one end, a rod from the other.
            double body = 0.5 * std::min(rest, length);
            Color metal = mix(th.base, th.joint_light, 0.4f);
            Placement sleeve = placed(frame, a + axis * (0.1 * length + body / 2));
            sleeve.linear().col(2) *= body;
            add(unitCylinder(0.5 * s), sleeve, th.base);
            MeshPtr rod = unitCylinder(0.17 * s);
            Placement place = placed(frame, a + axis * (length / 2));
            place.linear().col(2) *= length;
            add(rod, place, metal);
        }
        MeshPtr& eye = coils_[{-3000, 0, 0}];
        if (!eye) eye = sphereMesh(0.42 * s, fineSprings() ? 16 : 8);
        for (const Vec3& end : {a, b}) add(eye, movedTo(end), th.joint_dark);
    }
    for (std::size_t i = 0; i < model_->rsdas.size(); ++i) {
        const Rsda& r = model_->rsdas[i];
        if (r.body < 0 || r.body >= static_cast<int>(model_->bodies.size())) continue;
        const Body& body = model_->bodies[static_cast<std::size_t>(r.body)];
        Placement parent = placeOf(state.X, body.parent) * jointFrame(body, value);
        Placement child = placeOf(state.X, r.body);
        Vec3 axis = parent.linear() * vectorOf(body.joint.axis);
        if (!axis.allFinite() || axis.norm() < 1e-9) continue;
        ItemId id{ItemKind::rsda, static_cast<int>(i)};
        MeshInstance m;
        m.color = th.quantity(Quantity::spring);
        m.id = id;
        m.finish = Finish::metal;
        m.edge = 0.45f;
        if (body.joint.type == JointType::prismatic) {
            // Along the rail, from its lower end to the carriage
            double along = (child.translation() - parent.translation()).dot(axis);
            double length = along + 0.5 * measures_.link;
            if (std::abs(length) < 0.2 * s) continue;
            Vec3 toward = length > 0 ? axis : Vec3(-axis);
            m.mesh = coil(static_cast<int>(std::lround(std::log(0.75 * s) / std::log(1.1))), 9, std::abs(length));
            m.place = placed(frameWithZ(toward), parent.translation() - axis * (0.5 * measures_.link));
            m.place.linear().col(2) *= std::abs(length) / std::max(m.mesh->bounds.high.z(), 1e-12);
        } else {
            // A spiral about the pin, from the hub (turning with the body) to a lug on the parent: it winds with the
            // angle.
            Vec3 zero = parent.linear() * perpendicular(vectorOf(body.joint.axis));
            Vec3 turned = child.linear() * perpendicular(vectorOf(body.joint.axis));
            double angle = std::atan2(axis.dot(zero.cross(turned)), zero.dot(turned));
            // Classes of a degree: the spiral is made anew only when it looks different.
            int step = static_cast<int>(std::lround(angle * 180 / kPi));
            MeshPtr& mesh = coils_[{-1000, step, 0}];
            if (!mesh) mesh = spiralMesh(1.15 * s, 2.5 * s, 0.16 * s, 3.0 - step / 360.0, fineSprings());
            m.mesh = mesh;
            m.place = placed(frameWithZ(axis, turned), parent.translation() + axis * (1.35 * s));
        }
        if (m.place.matrix().allFinite()) scene.meshes.push_back(std::move(m));
    }
}

void SceneBuilder::addSigns(const SceneState& state, const SceneOptions& options, Scene& scene) const {
    const Theme& th = theme(options.theme);
    Evaluated value{param_};
    const double s = measures_.joint;
    auto axes = [&](const Placement& at, double length, ItemId id, float alpha) {
        for (int k = 0; k < 3; ++k) {
            Line line;
            line.begin = at.translation();
            line.end = at.translation() + at.linear().col(k) * length;
            line.color = line.color_end = th.axis[static_cast<std::size_t>(k)].withAlpha(alpha);
            line.width = 2;
            line.on_top = true;
            line.id = id;
            scene.lines.push_back(line);
        }
    };
    for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
        if (band_[b] >= 0) continue;
        const Body& body = model_->bodies[b];
        Placement place = placeOf(state.X, static_cast<int>(b));
        if (!place.matrix().allFinite()) continue;
        ItemId id{ItemKind::body, static_cast<int>(b)};
        if (options.frames) axes(place, 0.32 * measures_.link, id, 1);
        if (options.centres && value(body.mass) > 0) {
            scene.markers.push_back({place * value(body.cg), MarkerKind::cg, 6, th.text, true, id});
        }
        if (options.joints && body.joint.type == JointType::floating) {
            // Free in space: a small frame with a dashed ring round it.
            axes(place, 2.2 * s, {ItemKind::joint, static_cast<int>(b)}, 0.9f);
        }
    }
    if (options.points) {
        for (std::size_t i = 0; i < model_->points.size(); ++i) {
            Vec3 p = pointOf(state, model_->points[i].point);
            if (!p.allFinite()) continue;
            bool at_origin = value(model_->points[i].point.at).norm() < 1e-9;
            if (at_origin) continue;
            scene.markers.push_back(
                {p, MarkerKind::point, 3.5f, th.text, true, {ItemKind::point, static_cast<int>(i)}});
        }
    }
    if (options.trails) {
        for (const Traced& traced : trails_) {
            if (traced.path.size() < 2) continue;
            Trail trail;
            for (const auto& [t, p] : traced.path) trail.points.push_back(p);
            Color c = traced.body >= 0 ? mix(bodyTint(tints_[static_cast<std::size_t>(traced.body)]), th.trail, 0.35f)
                                       : th.trail;
            trail.color = c;
            trail.id = {ItemKind::body, traced.body};
            scene.trails.push_back(std::move(trail));
        }
    }
}

std::string SceneBuilder::nameOf(const ItemId& item) const {
    auto at = [&](const auto& list) -> std::string {
        return item.index >= 0 && static_cast<std::size_t>(item.index) < list.size()
                   ? list[static_cast<std::size_t>(item.index)].name
                   : "";
    };
    switch (item.kind) {
        case ItemKind::base: return "base";
        case ItemKind::body: return item.index == kBase ? "base" : at(model_->bodies);
        case ItemKind::joint: return at(model_->bodies);
        case ItemKind::shape: return at(model_->shapes);
        case ItemKind::point: return at(model_->points);
        case ItemKind::tsda: return at(model_->tsdas);
        case ItemKind::rsda: return at(model_->rsdas);
        case ItemKind::drive: return at(model_->drives);
        case ItemKind::loop: return at(model_->loops);
        case ItemKind::track: return at(model_->tracks);
        case ItemKind::tendon: return at(model_->tendons);
        default: return "";
    }
}

Vec3 SceneBuilder::anchorOf(const SceneState& state, const ItemId& item) {
    prepare(state);
    Evaluated value{param_};
    auto valid = [&](const auto& list) {
        return item.index >= 0 && static_cast<std::size_t>(item.index) < list.size();
    };
    auto i = static_cast<std::size_t>(std::max(item.index, 0));
    switch (item.kind) {
        case ItemKind::body:
            if (valid(model_->bodies)) return placeOf(state.X, item.index) * value(model_->bodies[i].cg);
            break;
        case ItemKind::joint:
            if (valid(model_->bodies))
                return (placeOf(state.X, model_->bodies[i].parent) * jointFrame(model_->bodies[i], value))
                    .translation();
            break;
        case ItemKind::shape:
            if (valid(model_->shapes)) return placeOf(state.X, model_->shapes[i].body) * value(model_->shapes[i].at);
            break;
        case ItemKind::point:
            if (valid(model_->points)) return pointOf(state, model_->points[i].point);
            break;
        case ItemKind::tsda:
            if (valid(model_->tsdas))
                return (pointOf(state, model_->tsdas[i].from) + pointOf(state, model_->tsdas[i].to)) / 2;
            break;
        case ItemKind::rsda:
            if (valid(model_->rsdas)) return anchorOf(state, {ItemKind::joint, model_->rsdas[i].body});
            break;
        case ItemKind::loop:
            if (valid(model_->loops)) {
                const Loop& loop = model_->loops[i];
                const Vec3 a = placeOf(state.X, loop.from.body) * value(loop.from.at);
                return (a + placeOf(state.X, loop.to.body) * value(loop.to.at)) / 2;
            }
            break;
        case ItemKind::track:
            if (valid(model_->tracks)) {
                Vec3 sum = Vec3::Zero();
                const Track& track = model_->tracks[i];
                for (int s = 0; s < track.shoes && track.first_shoe >= 0; ++s)
                    sum += placeOf(state.X, track.first_shoe + s).translation();
                return sum / std::max(1, track.shoes);
            }
            break;
        case ItemKind::contact:
            if (i < state.contacts.size()) return vectorOf(state.contacts[i].point);
            if (i - state.contacts.size() < state.shape_contacts.size())
                return vectorOf(state.shape_contacts[i - state.contacts.size()].record.point);
            break;
        case ItemKind::tendon:
            if (valid(model_->tendons)) {
                const Tendon& tendon = model_->tendons[i];
                if (tendon.fixed && !tendon.terms.empty())
                    return anchorOf(state, {ItemKind::joint, tendon.terms.front().body});
                if (tendon.fixed || state.X.size() < 12 * model_->bodies.size()) break;
                // Half way along its first branch
                const std::vector<RouteRun> runs = runsOf(tendons_.line(item.index, state.X));
                if (runs.empty())
                    return tendon.path.empty() ? Vec3(Vec3::Zero()) : pointOf(state, tendon.path[0].point);
                const std::vector<Path> halves = dashesOf(runs.front().points, 1, 1e-9);
                return halves.empty() ? runs.front().points.front() : halves.front().back();
            }
            break;
        case ItemKind::drive:
            if (valid(model_->drives)) return anchorOf(state, {ItemKind::joint, model_->drives[i].body});
            break;
        default: break;
    }
    return Vec3::Zero();
}

void SceneBuilder::addLabels(const SceneState& state, const SceneOptions& options, Scene& scene) {
    const Theme& th = theme(options.theme);
    auto label = [&](const ItemId& id, const Color& color, int priority) {
        std::string name = nameOf(id);
        if (name.empty() || id.kind == ItemKind::base) return;
        for (const Label& l : scene.labels) {
            if (l.id == id) return;
        }
        Label l;
        l.anchor = anchorOf(state, id);
        if (!l.anchor.allFinite()) return;
        if (id.kind == ItemKind::joint) {
            l.text = name;
            l.value = jointTypeName(model_->bodies[static_cast<std::size_t>(id.index)].joint.type);
        } else if (id.kind == ItemKind::loop) {
            l.text = name;
            l.value = loopTypeName(model_->loops[static_cast<std::size_t>(id.index)].type);
        } else {
            l.text = name;
        }
        l.color = color;
        l.priority = priority;
        l.id = id;
        scene.labels.push_back(std::move(l));
    };
    if (options.labels == LabelMode::none) return;
    if (options.hover) label(options.hover, th.text_secondary, 9);
    if (options.labels == LabelMode::bodies) {
        for (std::size_t b = 0; b < model_->bodies.size(); ++b)
            if (band_[b] < 0) label({ItemKind::body, static_cast<int>(b)}, th.border, 1);
        for (std::size_t t = 0; t < model_->tracks.size(); ++t)
            label({ItemKind::track, static_cast<int>(t)}, th.border, 1);
        for (std::size_t i = 0; i < model_->tendons.size(); ++i)
            if (!model_->tendons[i].fixed && tendonShown(state, static_cast<int>(i)))
                label({ItemKind::tendon, static_cast<int>(i)}, th.quantity(Quantity::tendon), 1);
        for (std::size_t i = 0; i < model_->tsdas.size(); ++i)
            label({ItemKind::tsda, static_cast<int>(i)}, th.quantity(Quantity::spring), 1);
    }
}

Scene SceneBuilder::build(const SceneState& state, const SceneOptions& options) {
    prepare(state);
    if (!options.shapes && bare_parts_.empty()) bare_parts_ = makeParts(false);
    Scene scene;
    scene.up = up_;
    scene.scale = measures_.link;
    scene.selection = options.selection;
    scene.hover = options.hover;
    scene.fade = options.fade;
    scene.ground.visible = options.ground;
    scene.ground.height = ground_;
    scene.legend.visible = options.legend;
    noteTension(state, options, scene);
    addBodies(state, options, scene);
    if (options.springs) addSprings(state, theme(options.theme), scene);
    addLoops(state, options, scene);
    if (options.tendons) addTendons(state, options, scene);
    for (const MeshInstance& m : scene.meshes) scene.bounds.add(boxOf(m));
    addTerrain(state, scene);
    addSigns(state, options, scene);
    if (options.limits) addLimits(state, options, scene);
    addForces(state, options, scene);
    addLabels(state, options, scene);
    if (scene.bounds.empty()) scene.bounds.add(Vec3::Zero(), 0.5);
    return scene;
}

Box SceneBuilder::bounds(const SceneState& state) {
    SceneOptions options;
    Scene scene = build(state, options);
    return scene.bounds;
}

Box SceneBuilder::bodyBounds(const SceneState& state) {
    prepare(state);
    Scene scene;
    addBodies(state, {}, scene);
    Box box;
    for (const MeshInstance& m : scene.meshes) box.add(boxOf(m));
    return box;
}

Box SceneBuilder::boundsOf(const SceneState& state, const ItemId& item) {
    SceneOptions options;
    Scene scene = build(state, options);
    Box box;
    for (const MeshInstance& m : scene.meshes) {
        if (m.id == item || (item.kind == ItemKind::shape && item.index == m.shape) ||
            (item.kind == ItemKind::track && item.index == m.track))
            box.add(boxOf(m));
    }
    if (box.empty() && item && item.kind != ItemKind::ground) box.add(anchorOf(state, item), 3 * measures_.joint);
    return box;
}

void SceneBuilder::setTraced(std::vector<int> points, std::vector<int> bodies) {
    traced_points_ = std::move(points);
    traced_bodies_ = std::move(bodies);
    trails_.clear();
}

void SceneBuilder::trace(const SceneState& state, double t) {
    prepare(state);
    if (trails_.empty()) {
        for (int i : traced_points_) {
            if (i < 0 || static_cast<std::size_t>(i) >= model_->points.size()) continue;
            const BodyPoint& p = model_->points[static_cast<std::size_t>(i)].point;
            trails_.push_back({p.body, p, {}});
        }
        for (int b : traced_bodies_) {
            if (b < 0 || static_cast<std::size_t>(b) >= model_->bodies.size()) continue;
            trails_.push_back({b, {b, model_->bodies[static_cast<std::size_t>(b)].cg}, {}});
        }
    }
    for (Traced& traced : trails_) {
        while (!traced.path.empty() && traced.path.back().first >= t) traced.path.pop_back();
        Vec3 p = pointOf(state, traced.point);
        if (!p.allFinite()) continue;
        if (!traced.path.empty() && (traced.path.back().second - p).norm() < 2e-3 * measures_.link) continue;
        traced.path.emplace_back(t, p);
        if (traced.path.size() > kTrailPoints) traced.path.pop_front();
    }
}

}  // namespace mw::scene
