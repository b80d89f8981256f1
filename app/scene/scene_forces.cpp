// Forces, weights and the hand's push and turn as arrows with their values, and the legend that goes with them.
#include <algorithm>
#include <cmath>

#include "app/scene/scene_builder.h"

namespace mw::scene {

void SceneBuilder::addForces(const SceneState& state, const SceneOptions& options, Scene& scene) {
    const Theme& th = theme(options.theme);
    Evaluated value{param_};
    std::vector<ForceReading> forces(state.forces.begin(), state.forces.end());
    if (options.gravity) {
        Vec3 g = value(model_->gravity);
        for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
            const Body& body = model_->bodies[b];
            double mass = value(body.mass);
            if (!(mass > 0)) continue;
            Vec3 at = placeOf(state.X, static_cast<int>(b)) * value(body.cg);
            forces.push_back({{ItemKind::body, static_cast<int>(b)},
                              {},
                              "weight of " + body.name,
                              at,
                              mass * g,
                              Quantity::gravity,
                              ArrowKind::force});
        }
    }
    addTendonForces(state, options, forces);
    if (state.push && state.push->couple.norm() > 0) {
        const double a = state.push->couple.norm();
        Arrow arrow;
        arrow.origin = state.push->grabbed;
        arrow.vector = state.push->couple *
                       (measures_.link * std::clamp(a / std::max(state.push->full_couple, 1e-12), 0.15, 1.5) / a);
        arrow.color = th.accent;
        arrow.kind = ArrowKind::moment;
        scene.arrows.push_back(arrow);
        Label label;
        label.anchor = arrow.origin + arrow.vector;
        label.text = "turn";
        label.value = formatQuantity(a, "N m");
        label.color = th.accent;
        label.along = arrow.vector;
        label.priority = 10;
        scene.labels.push_back(std::move(label));
    } else if (state.push) {
        Vec3 d = state.push->target - state.push->grabbed;
        Vec3 f = d.norm() > 1e-12 ? Vec3(d.normalized() * state.push->newton) : Vec3(Vec3::Zero());
        Line band;
        band.begin = state.push->grabbed;
        band.end = state.push->target;
        band.color = band.color_end = th.accent;
        band.width = 2;
        band.dash = 5;
        band.on_top = true;
        scene.lines.push_back(band);
        scene.markers.push_back({state.push->grabbed, MarkerKind::dot, 4, th.accent, true, {}});
        scene.markers.push_back({state.push->target, MarkerKind::dot, 4, th.accent, true, {}});
        if (!state.push->kinematic) {
            Label label;
            label.anchor = state.push->target;
            label.text = "push";
            label.value = formatQuantity(f.norm(), "N");
            label.color = th.accent;
            label.along = d;
            label.priority = 10;
            scene.labels.push_back(std::move(label));
        }
    }
    double largest[2] = {0, 0};
    for (const ForceReading& f : forces) {
        double a = f.vector.norm();
        double& top = largest[f.kind == ArrowKind::moment];
        if (std::isfinite(a)) top = std::max(top, a);
    }
    const std::vector<ContactForce> contacts = contactForces(state, options, scene);
    for (const ContactForce& f : contacts)
        if (const double a = f.vector.norm(); std::isfinite(a)) largest[0] = std::max(largest[0], a);
    // Contacts come and go: their scale follows in round steps.
    if (!contacts.empty()) largest[0] = force_top_.follow(largest[0]);
    const double longest = 0.85 * measures_.link * std::clamp(options.force_scale, 0.01, 100.0);
    auto scaleOf = [&](ArrowKind kind) {
        double top = largest[kind == ArrowKind::moment];
        if (kind == ArrowKind::force && options.metres_per_newton > 0) return options.metres_per_newton;
        return top > 0 ? longest / top : 0.0;
    };
    const auto lengthOf = [&](double a, ArrowKind kind) {
        // Logarithmic: three decades below the largest shrink to nothing.
        const double top = largest[kind == ArrowKind::moment];
        if (options.logarithmic && top > 0) return longest * std::max(0.0, 1 + std::log10(a / top) / 3);
        return a * scaleOf(kind);
    };
    const auto enter = [&](const std::string& name, const Color& color) {
        auto& entries = scene.legend.entries;
        if (std::none_of(entries.begin(), entries.end(), [&](const LegendEntry& e) { return e.name == name; }))
            entries.push_back({name, color, false});
    };
    for (const ForceReading& f : forces) {
        double a = f.vector.norm();
        if (!std::isfinite(a) || a <= 0 || !f.point.allFinite()) continue;
        const double length = lengthOf(a, f.kind);
        Arrow arrow;
        arrow.origin = f.point;
        arrow.vector = f.vector * (length / a);
        arrow.color = th.quantity(f.quantity);
        arrow.kind = f.kind;
        arrow.on_top = f.on_top;
        arrow.id = f.made_by ? f.made_by : ItemId{ItemKind::force, static_cast<int>(&f - forces.data())};
        scene.arrows.push_back(arrow);
        enter(quantityName(f.quantity), arrow.color);
        if (!f.labelled) continue;
        Label label;
        label.anchor = arrow.origin + arrow.vector;
        label.text = f.name;
        label.value = formatQuantity(a, f.kind == ArrowKind::force ? "N" : "N m");
        label.color = arrow.color;
        label.along = arrow.vector;
        label.priority = 5;
        label.id = arrow.id;
        scene.labels.push_back(std::move(label));
    }
    scene.arrows.reserve(scene.arrows.size() + contacts.size());
    // The legend keeps its order whatever comes first.
    for (const Quantity q : {Quantity::normal, Quantity::friction})
        if (std::any_of(contacts.begin(), contacts.end(), [&](const ContactForce& f) { return f.quantity == q; }))
            enter(quantityName(q), th.quantity(q));
    for (const ContactForce& f : contacts) {
        const double a = f.vector.norm();
        if (!std::isfinite(a) || a <= 0) continue;
        const double length = lengthOf(a, ArrowKind::force);
        // What would be shorter than its own head says nothing.
        if (length < 0.02 * longest && !f.chosen) continue;
        Arrow arrow;
        arrow.origin = f.at;
        arrow.vector = f.vector * (length / a);
        arrow.color = th.quantity(f.quantity);
        arrow.width = f.friction ? 2.0f : 2.4f;
        arrow.plain = contacts.size() > 24;
        arrow.id = {ItemKind::contact, f.reading};
        scene.arrows.push_back(arrow);
        enter(f.quantity == Quantity::joint ? "guide" : quantityName(f.quantity), arrow.color);
        if (!f.labelled) continue;
        Label label;
        label.anchor = arrow.origin + arrow.vector;
        label.text = f.name;
        label.value = formatForce(a);
        label.color = arrow.color;
        label.along = arrow.vector;
        label.priority = f.chosen ? 6 : 3;
        label.id = arrow.id;
        scene.labels.push_back(std::move(label));
    }
    if (!options.logarithmic && largest[0] > 0) scene.legend.metres_per_newton = scaleOf(ArrowKind::force);
    if (options.logarithmic && largest[0] > 0)
        scene.legend.note += (scene.legend.note.empty() ? "" : " · ") + std::string("arrows logarithmic, longest ") +
                             formatForce(largest[0]);
}

}  // namespace mw::scene
