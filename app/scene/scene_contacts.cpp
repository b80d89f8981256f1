// Contacts of bands and ground as signs and arrows, all from the readings of the instant; tension as colour.
#include <algorithm>
#include <cmath>

#include "app/scene/scene_builder.h"

namespace mw::scene {

double SteadyTop::follow(double greatest) {
    if (!std::isfinite(greatest) || greatest <= 0) return top_;
    if (greatest <= top_ && greatest >= 0.25 * top_) return top_;
    const double decade = std::pow(10, std::floor(std::log10(greatest)));
    top_ = 10 * decade;
    for (const double m : {5.0, 2.0, 1.0})
        if (m * decade >= greatest * (1 - 1e-12)) top_ = m * decade;
    return top_;
}

// ---- tension

void SceneBuilder::noteTension(const SceneState& state, const SceneOptions& options, Scene& scene) {
    if (!options.tension) return;
    double greatest = 0;
    for (const auto& band : state.tensions)
        for (const double n : band)
            if (std::isfinite(n)) greatest = std::max(greatest, n);
    const double top = tension_top_.follow(greatest);
    if (top > 0) scene.legend.ramps.push_back({"band tension", "0", formatForce(top), 0});
}

Color SceneBuilder::tensionColor(const SceneState& state, const Part& part, double top, const Color& without) const {
    const int t = part.track;
    if (t < 0 || static_cast<std::size_t>(t) >= state.tensions.size()) return without;
    const auto& pins = state.tensions[static_cast<std::size_t>(t)];
    const int i = part.body - model_->tracks[static_cast<std::size_t>(t)].first_shoe;
    if (i < 0 || static_cast<std::size_t>(i) >= pins.size()) return without;
    const double n = pins[static_cast<std::size_t>(i)];
    // What pushes has no tension: it keeps the colour of steel.
    return n > 0 ? ramp(n / top) : without;
}

// ---- forces

std::vector<SceneBuilder::Touch> SceneBuilder::touches(const SceneState& state) const {
    std::vector<Touch> all;
    all.reserve(state.contacts.size() + state.shape_contacts.size());
    for (const ContactReading& c : state.contacts) {
        Touch t;
        t.index = static_cast<int>(all.size());
        t.a = c.a, t.b = c.b, t.track = c.track;
        t.ground = c.a == kBase;
        t.state = c.state;
        t.point = vectorOf(c.point), t.normal = vectorOf(c.normal);
        t.friction = vectorOf(c.friction), t.guide = vectorOf(c.guide), t.force = vectorOf(c.force);
        t.normal_force = c.normal_force;
        all.push_back(t);
    }
    for (const ShapeContactReading& c : state.shape_contacts) {
        Touch t;
        t.index = static_cast<int>(all.size());
        t.a = c.record.a, t.b = c.record.b;
        t.ground = c.record.shape_a < 0;
        t.state = state.solved ? c.state : ContactState::open;
        t.point = vectorOf(c.record.point), t.normal = vectorOf(c.record.normal);
        t.guide = Vec3::Zero();
        if (state.solved) {
            t.friction = vectorOf(c.friction), t.force = vectorOf(c.force);
            t.normal_force = c.normal_force;
        } else {
            t.friction = t.force = Vec3::Zero();
        }
        all.push_back(t);
    }
    return all;
}

/// What is shown of each contact, and its signs; the arrows' vectors are in N.
std::vector<SceneBuilder::ContactForce> SceneBuilder::contactForces(const SceneState& state,
                                                                    const SceneOptions& options, Scene& scene) {
    std::vector<ContactForce> forces;
    const ContactLook& look = options.contact;
    if ((state.contacts.empty() && state.shape_contacts.empty()) ||
        (!look.any() && options.selection.empty() && !options.hover))
        return forces;
    const Theme& th = theme(options.theme);
    const auto has = [&](ItemKind kind, int index) {
        return std::find(options.selection.begin(), options.selection.end(), ItemId{kind, index}) !=
               options.selection.end();
    };
    const auto name = [&](int body, bool ground) {
        return body == kBase ? std::string(ground ? "ground" : "base")
                             : model_->bodies[static_cast<std::size_t>(body)].name;
    };
    bool stick = false, slip = false;
    for (const Touch& c : touches(state)) {
        const ItemId id{ItemKind::contact, c.index};
        const bool own = has(ItemKind::contact, id.index) || has(ItemKind::body, c.b) ||
                         (c.a >= 0 && (has(ItemKind::body, c.a) || has(ItemKind::joint, c.a)));
        const bool chosen = own || (c.track >= 0 && has(ItemKind::track, c.track));
        if (look.only_selection && !chosen) continue;
        const Vec3 &point = c.point, &normal = c.normal;
        if (!point.allFinite() || !normal.allFinite()) continue;
        if (look.points || own) {
            const bool slips = c.state == ContactState::slip;
            Marker m;
            m.position = point;
            m.radius = 3.2f;
            m.kind = look.states && slips ? MarkerKind::square : MarkerKind::dot;
            m.color = th.text;
            if (look.states) {
                m.color = th.quantity(c.state == ContactState::stick  ? Quantity::contact_stick
                                      : c.state == ContactState::slip ? Quantity::contact_slip
                                                                      : Quantity::contact_open);
                if (c.state == ContactState::open) m.kind = MarkerKind::point;
                else (slips ? slip : stick) = true;
            }
            m.id = id;
            scene.markers.push_back(m);
        }
        if (look.normals) {
            Line line;
            line.begin = point;
            line.end = point + normal * (0.16 * measures_.link);
            line.color = line.color_end = th.text_secondary;
            line.width = 1.4f;
            line.on_top = true;
            line.id = id;
            scene.lines.push_back(line);
        }
        // What is rounding beside the rest is no force.
        const double least = 1e-9 * c.force.norm();
        const auto note = [&](const ContactForce& f) {
            if (f.vector.norm() > least) forces.push_back(f);
        };
        ContactForce force;
        force.reading = id.index;
        force.chosen = own;
        force.at = point;
        force.name = name(c.a, c.ground) + " on " + name(c.b, false);
        if (look.normal_forces || own) {
            force.vector = normal * c.normal_force;
            force.quantity = Quantity::normal;
            note(force);
        }
        if (look.friction || own) {
            force.friction = true;
            force.vector = c.friction;
            force.quantity = Quantity::friction;
            note(force);
            force.vector = c.guide;
            force.quantity = Quantity::joint;
            note(force);
        }
    }
    auto& entries = scene.legend.entries;
    if (stick) entries.push_back({"stick", th.quantity(Quantity::contact_stick), false});
    if (slip) entries.push_back({"slip", th.quantity(Quantity::contact_slip), true});
    // Only the largest carry a label: more would hide what they name.
    std::vector<std::size_t> order(forces.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto most = std::min(order.size(), static_cast<std::size_t>(std::max(0, look.labels)));
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
        [&](std::size_t a, std::size_t b) { return forces[a].vector.squaredNorm() > forces[b].vector.squaredNorm(); });
    for (std::size_t k = 0; k < most; ++k) forces[order[k]].labelled = true;
    for (ContactForce& f : forces)
        if (f.chosen || options.hover == ItemId{ItemKind::contact, f.reading}) f.labelled = true;
    return forces;
}

}  // namespace mw::scene
