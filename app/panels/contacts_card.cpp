// Contacts in the view: switches and scale with the largest of them in a list; the reading card of one; a band's card.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"
#include "engine/model/vectors.h"

namespace mw::app {
namespace {

/// What is rounding beside `scale` is nothing.
std::string triple(const Vector3d& v, double scale) {
    const auto one = [&](double x) { return shortNumber(std::abs(x) < 1e-9 * scale ? 0.0 : x); };
    return fmt::format("{:>8} {:>8} {:>8}", one(v[0]), one(v[1]), one(v[2]));
}

std::string millimetres(double metres) { return shortNumber(metres * 1e3) + " mm"; }

const scene::Color& stateColor(const scene::Theme& theme, ContactState state) {
    const auto of = [&](scene::Quantity q) -> const scene::Color& {
        return theme.quantities[static_cast<std::size_t>(q)];
    };
    switch (state) {
        case ContactState::stick: return of(scene::Quantity::contact_stick);
        case ContactState::slip: return of(scene::Quantity::contact_slip);
        case ContactState::open: break;
    }
    return of(scene::Quantity::contact_open);
}

std::string bodyName(const Model& model, int body) {
    return body == kBase ? std::string("ground") : model.bodies[static_cast<std::size_t>(body)].name;
}

void wrapped(const std::string& text) {
    ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x);
    ImGui::TextDisabled("%s", text.c_str());
    ImGui::PopTextWrapPos();
}

/// Which law made it, and what that includes.
std::string lawOf(const Snapshot& s, const ContactReading& c) {
    const bool anchored = s.contact.friction == Friction::anchored;
    switch (c.kind) {
        case ContactReading::Kind::pin: {
            const Track& track = s.model->tracks[static_cast<std::size_t>(c.track)];
            const bool teeth = c.roller >= 0 && static_cast<std::size_t>(c.roller) < track.rollers.size() &&
                               track.rollers[static_cast<std::size_t>(c.roller)].driven;
            return teeth ? "radial spring and damper, teeth (a potential), lateral guide; no Coulomb friction"
                         : "radial spring and damper, lateral guide, regularised friction on the rim";
        }
        case ContactReading::Kind::face:
            return "radial spring and damper weighted along the face, lateral guide, regularised friction";
        case ContactReading::Kind::ground:
            return anchored ? "vertical spring and damper, friction from an anchor (spring, slides on the cone)"
                            : "vertical spring and damper, regularised friction";
    }
    return {};
}

}  // namespace

float drawContactsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                       PanelEvents& events) {
    const Snapshot& s = *view.snapshot;
    const Readings& r = s.readings;
    const ContactTotals& totals = r.contact_totals;
    const float k = view.scale, width = (state.contacts_open ? kListCard : kShortCard) * k;
    // Of bands and ground, then of shapes: one list.
    struct Loaded {
        const std::string* id;
        double force;
        ContactState state;
    };
    std::vector<Loaded> all;
    for (const ContactReading& c : r.contacts) all.push_back({&c.id, norm(c.force), c.state});
    std::size_t touching = 0;
    double closest = 0;
    for (const ShapeContactReading& c : r.rows.contacts) {
        touching += c.record.gap <= 0;
        closest = std::min(closest, c.record.gap);
        if (r.rows.valid && norm(c.force) > 0) all.push_back({&c.id, norm(c.force), c.state});
    }
    const std::size_t count = all.size();
    const bool bands = !s.model->tracks.empty();
    if (beginCard("##contacts", "Contacts", 12 * k, y, width, view.height - y, state.contacts_open, nullptr,
                  fmt::format("{} loaded", count))) {
        if (bands) {
            row("pins, faces, pads", fmt::format("{} · {} · {}", totals.pins, totals.faces, totals.points));
            if (s.model->ground) row("ground's force", scene::formatForce(norm(totals.ground_force)));
            row("deepest",
                fmt::format("{}, {} pads", millimetres(totals.deepest_pair), millimetres(totals.deepest_point)));
        }
        if (!bands || !r.rows.contacts.empty()) {
            row("of shapes", fmt::format("{} near · {} touch", r.rows.contacts.size(), touching));
            row("deepest of shapes", millimetres(-closest));
        }
        scene::SceneOptions look = *view.look;
        bool changed = false;
        const float column = 140 * k;
        const auto check = [&](const char* label, bool& on, const char* tip, bool second) {
            if (second) ImGui::SameLine(column);
            changed = ImGui::Checkbox(label, &on) || changed;
            if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
        };
        subhead("Show");
        check("points", look.contact.points, "Where bodies touch", false);
        check("states", look.contact.states, "Points as discs where they stick, squares where they slip", true);
        check("normals", look.contact.normals, "Directions, towards the one acted on", false);
        check("normal forces", look.contact.normal_forces,
              "On the shoe by ground or roller; on the second of two shapes", true);
        check("friction", look.contact.friction, "Tangential forces: friction, teeth; guides apart", false);
        if (bands) check("band tension", look.tension, "Links in the colour of their tension", true);
        check("only selection", look.contact.only_selection, "Contacts of the selected body, band or contact alone",
              !bands);
        check("logarithmic", look.logarithmic, "Lengths of arrows: a third for each power of ten", bands);
        auto scale = static_cast<float>(look.force_scale);
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("arrows");
        ImGui::SameLine(72 * k);
        ImGui::SetNextItemWidth(-1);
        if (ImGui::SliderFloat("##scale", &scale, 0.1f, 10.0f, "%.2f ×", ImGuiSliderFlags_Logarithmic)) {
            look.force_scale = scale;
            changed = true;
        }
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("Length of arrows, times the one chosen by itself");
        if (changed) events.look = look;

        // The largest, by the force that the arrows show
        if (count > 0) {
            const ImVec2 at = ImGui::GetCursorPos();
            subhead("Largest", state.list_open ? "hide" : "list");
            const ImVec2 after = ImGui::GetCursorPos();
            ImGui::SetCursorPos(at);
            if (ImGui::InvisibleButton("list", {ImGui::GetContentRegionAvail().x, after.y - at.y}))
                state.list_open = !state.list_open;
            ImGui::SetCursorPos(after);
        }
        if (count > 0 && state.list_open) {
            std::vector<std::size_t> order(count);
            for (std::size_t i = 0; i < count; ++i) order[i] = i;
            const std::size_t most = std::min<std::size_t>(count, 10);
            std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                              [&](std::size_t a, std::size_t b) { return all[a].force > all[b].force; });
            for (std::size_t i = 0; i < most; ++i) {
                const Loaded& c = all[order[i]];
                ImGui::PushID(static_cast<int>(i));
                const float left = ImGui::GetCursorPosX();
                if (ImGui::Selectable(c.id->c_str(), *c.id == view.selected_contact)) events.select_contact = *c.id;
                ImGui::PopID();
                const std::string value = scene::formatForce(c.force);
                ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
                ImGui::SameLine(std::max(
                    left, ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(value.c_str()).x - 46 * k));
                ImGui::TextUnformatted(value.c_str());
                ImGui::PopFont();
                ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 36 * k);
                ImGui::TextColored(toImGui(stateColor(theme, c.state)), "%s", contactStateName(c.state));
            }
        }
    }
    return endCard();
}

float drawContactCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const float k = view.scale, width = kSelectedCard * k;
    const auto it = std::find_if(s.readings.contacts.begin(), s.readings.contacts.end(),
                                 [&](const ContactReading& c) { return c.id == view.selected_contact; });
    const bool loaded = it != s.readings.contacts.end();
    if (beginCard("##contact", view.selected_contact.c_str(), view.width - width - 12 * k, y, width,
                  view.height - y - 12 * k, state.body_open, nullptr, loaded ? contactStateName(it->state) : "open")) {
        if (!loaded) {
            wrapped(fmt::format("Nothing touches here at t = {:.3f} s: no force, which is a value.", s.state.t));
            return endCard();
        }
        const ContactReading& c = *it;
        const std::string a = bodyName(*s.model, c.a), b = bodyName(*s.model, c.b);
        const scene::Color normal = theme.quantity(scene::Quantity::normal),
                           friction = theme.quantity(scene::Quantity::friction),
                           guide = theme.quantity(scene::Quantity::joint);
        const double size = norm(c.force);
        row("acts on", b);
        row("acts from", a);
        subhead("force", "base axes, N");
        row("all", triple(c.force, size));
        row("size", shortNumber(size) + " N");
        row("normal", shortNumber(c.normal_force) + " N", &normal);
        row("tangential", triple(c.friction, size), &friction);
        if (norm(c.guide) > 1e-9 * size) row("guide", triple(c.guide, size), &guide);
        wrapped(
            fmt::format("on {} by {}, at the point; its opposite acts on {}. Instant, t = {:.3f} s. Includes {}. "
                        "Friction is what a step from here would have.",
                        b, a, a, s.state.t, lawOf(s, c)));
        subhead("where", "base axes, m");
        row("point", triple(c.point, 1));
        row("normal", triple(c.normal, 1));
        row("depth", millimetres(c.depth));
        row("slip", fmt::format("{} m/s", shortNumber(norm(c.slip))));
        row("state", contactStateName(c.state), &stateColor(theme, c.state));
        subhead("energy");
        row("potential", shortNumber(c.potential) + " J");
        row("dissipates", shortNumber(-c.power) + " W");
    }
    return endCard();
}

float drawShapeContactCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const RowsReading& rows = s.readings.rows;
    const float k = view.scale, width = kSelectedCard * k;
    const auto it = std::find_if(rows.contacts.begin(), rows.contacts.end(),
                                 [&](const ShapeContactReading& c) { return c.id == view.selected_contact; });
    if (it == rows.contacts.end()) return y;
    const ShapeContactReading& c = *it;
    if (beginCard("##contact", c.id.c_str(), view.width - width - 12 * k, y, width, view.height - y - 12 * k,
                  state.body_open, nullptr, rows.valid ? contactStateName(c.state) : "")) {
        const auto name = [&](int shape, int body) {
            if (shape < 0) return std::string("ground");
            return body == kBase ? std::string("base") : s.model->bodies[static_cast<std::size_t>(body)].name;
        };
        const std::string a = name(c.record.shape_a, c.record.a), b = name(c.record.shape_b, c.record.b);
        const scene::Color normal = theme.quantity(scene::Quantity::normal),
                           friction = theme.quantity(scene::Quantity::friction);
        row("acts on", b);
        row("acts from", a);
        subhead("force", "base axes, N");
        if (rows.valid) {
            const double size = norm(c.force);
            row("all", triple(c.force, size));
            row("size", shortNumber(size) + " N");
            row("normal", shortNumber(c.normal_force) + " N", &normal);
            row("tangential", triple(c.friction, size), &friction);
            row("friction's limit", shortNumber(c.limit) + " N", &friction);
            if (norm(c.couple) > 0) row("couple N m", triple(c.couple, norm(c.couple)));
            wrapped(
                fmt::format("on {} by {}, at the point; its opposite acts on {}. Average over [{:.4f}, {:.4f}] s, the "
                            "step that led here: {}.",
                            b, a, a, rows.t0, rows.t1, solveStatusName(rows.report.status)));
        } else {
            wrapped("not computed: only a step defines it");
        }
        subhead("where", "base axes, m");
        row("point", triple(c.record.point, 1));
        row("normal", triple(c.record.normal, 1));
        row("gap", millimetres(c.record.gap));
        row("mu", shortNumber(c.record.values.mu));
        if (rows.valid) {
            row("slip", fmt::format("{} m/s", shortNumber(norm(c.slip))));
            row("state", contactStateName(c.state), &stateColor(theme, c.state));
        }
    }
    return endCard();
}

float drawTrackCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const auto t = static_cast<std::size_t>(view.selected_track);
    if (t >= s.model->tracks.size()) return y;
    const Track& track = s.model->tracks[t];
    const float k = view.scale, width = kSelectedCard * k;
    if (beginCard("##track", track.name.c_str(), view.width - width - 12 * k, y, width, view.height - y - 12 * k,
                  state.body_open, nullptr, fmt::format("band of {} shoes", track.shoes))) {
        row("root", bodyName(*s.model, track.root));
        row("link", fmt::format("{} m", shortNumber(track.link)));
        row("belt", fmt::format("{} m", shortNumber(track.perimeter)));
        row("a shoe", fmt::format("{} kg", shortNumber(track.mass.at(s.inputs.param))));
        subhead("tension", "at this instant");
        if (t < s.readings.tensions.size() && !s.readings.tensions[t].pins.empty()) {
            const BandTension& tension = s.readings.tensions[t];
            const auto at = [&](bool greatest) {
                const auto& p = tension.pins;
                const auto found =
                    greatest ? std::max_element(p.begin(), p.end()) : std::min_element(p.begin(), p.end());
                return fmt::format("{} at shoe {}", scene::formatForce(*found), found - p.begin());
            };
            row("greatest", at(true));
            row("least", at(false));
            wrapped("along the link that leaves each pin, positive pulling");
        } else {
            wrapped("not computed");
        }
        int pins = 0, faces = 0, pads = 0;
        double load = 0;
        for (const ContactReading& c : s.readings.contacts) {
            if (c.track != view.selected_track) continue;
            pins += c.kind == ContactReading::Kind::pin;
            faces += c.kind == ContactReading::Kind::face;
            if (c.kind != ContactReading::Kind::ground) continue;
            ++pads;
            load += c.force[2];
        }
        subhead("contacts");
        row("pins, faces, pads", fmt::format("{} · {} · {}", pins, faces, pads));
        row("ground carries", scene::formatForce(load));
    }
    (void)theme;
    return endCard();
}

}  // namespace mw::app
