// Tendons in the view: all of them with their tension, commands and switches; the selected one with every force apart.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"
#include "engine/tendon/laws.h"

namespace mw::app {
namespace {

void wrapped(const std::string& text) {
    ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x);
    ImGui::TextDisabled("%s", text.c_str());
    ImGui::PopTextWrapPos();
}

Tendons::Units unitsOf(const Snapshot& s, std::size_t tendon) {
    return tendon < s.tendon_units.size() ? s.tendon_units[tendon] : Tendons::Units{"m", "N"};
}

bool switchedOff(const Snapshot& s, std::size_t i) {
    return s.model->tendons[i].off || (i < s.inputs.tendon_off.size() && s.inputs.tendon_off[i]);
}

/// Words for a tension: "12.3 N", "slack", "off", "not computed".
std::string tensionOf(const Snapshot& s, std::size_t i) {
    if (switchedOff(s, i)) return "off";
    if (i >= s.readings.tendons.size()) return "not computed";
    const TendonReading& r = s.readings.tendons[i];
    if (r.slack && s.readings.rows.valid && !s.model->tendons[i].fixed) return "slack";
    const Tendons::Units units = unitsOf(s, i);
    return std::string(units.force) == "N" ? scene::formatForce(r.tension)
                                           : scene::formatQuantity(r.tension, units.force);
}

/// What a slider of commands spans: the text's range where it is finite, else what suits a pull.
std::array<double, 2> commandRange(const Tendon& tendon, std::span<const double> param, double present) {
    double low = tendon.range_lower.at(param), high = tendon.range_upper.at(param);
    const double size = std::max(100.0, 2 * std::abs(present));
    if (!std::isfinite(low)) low = std::isfinite(high) ? std::min(-size, high - size) : -size;
    if (!std::isfinite(high)) high = std::max(size, low + size);
    return {low, high};
}

}  // namespace

float drawTendonsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events) {
    const Snapshot& s = *view.snapshot;
    const float k = view.scale, width = (state.tendons_open ? kListCard : kShortCard) * k;
    const std::size_t count = s.model->tendons.size();
    if (beginCard("##tendons", "Tendons", 12 * k, y, width, view.height - y, state.tendons_open, nullptr,
                  fmt::format("{}", count))) {
        for (std::size_t i = 0; i < count; ++i) {
            const Tendon& tendon = s.model->tendons[i];
            const auto index = static_cast<int>(i);
            ImGui::PushID(index);
            const bool off = switchedOff(s, i);
            bool on = !off;
            if (tendon.off) ImGui::BeginDisabled();
            if (ImGui::Checkbox("##on", &on)) events.tendon_off = {index, !on};
            if (tendon.off) ImGui::EndDisabled();
            if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
                ImGui::SetTooltip("%s", tendon.off ? "Switched off in the text"
                                        : off      ? "Switch it on again"
                                                   : "Switch it off: no force, its route is still read");
            ImGui::SameLine();
            const float left = ImGui::GetCursorPosX();
            if (ImGui::Selectable(tendon.name.c_str(), index == view.selected_tendon)) events.select_tendon = index;
            const std::string value = tensionOf(s, i);
            ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
            ImGui::SameLine(
                std::max(left, ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(value.c_str()).x));
            if (value == "off" || value == "slack" || value == "not computed") ImGui::TextDisabled("%s", value.c_str());
            else ImGui::TextUnformatted(value.c_str());
            ImGui::PopFont();
            if (tendon.input && !off) {
                double command = i < s.inputs.tendon_command.size() ? s.inputs.tendon_command[i] : 0.0;
                const auto range = commandRange(tendon, s.inputs.param, command);
                ImGui::AlignTextToFramePadding();
                ImGui::TextDisabled("pull");
                if (ImGui::IsItemHovered()) ImGui::SetTooltip("The command of `actuator input`: what it pulls with");
                ImGui::SameLine(72 * k);
                ImGui::SetNextItemWidth(-1);
                // A pull shortens: the command is minus what the hand sets.
                double pull = command == 0 ? 0.0 : -command;
                const double low = -range[1], high = -range[0];
                const std::string format = fmt::format("%.1f {}", unitsOf(s, i).force);
                if (ImGui::SliderScalar("##command", ImGuiDataType_Double, &pull, &low, &high, format.c_str()))
                    events.tendon_command = {index, pull == 0 ? 0.0 : -pull};
            }
            ImGui::PopID();
        }
        if (!s.readings.rows.valid) wrapped("Tensions of limits and friction come with the first step.");
    }
    (void)theme;
    return endCard();
}

float drawTendonCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const auto i = static_cast<std::size_t>(view.selected_tendon);
    if (i >= s.model->tendons.size()) return y;
    const Tendon& tendon = s.model->tendons[i];
    const Tendons::Units units = unitsOf(s, i);
    const float k = view.scale, width = kSelectedCard * k;
    const bool known = i < s.readings.tendons.size();
    if (beginCard("##tendon", tendon.name.c_str(), view.width - width - 12 * k, y, width, view.height - y - 12 * k,
                  state.body_open, nullptr, tendon.fixed ? "fixed tendon" : "tendon")) {
        if (!known) {
            wrapped("not computed at this pose");
            return endCard();
        }
        const TendonReading& r = s.readings.tendons[i];
        const RowsReading& rows = s.readings.rows;
        const scene::Color color = theme.quantity(scene::Quantity::tendon);
        const auto in = [](double value, const std::string& unit) { return shortNumber(value) + " " + unit; };
        const std::string L = units.length, F = units.force;
        row("length", in(r.length, L));
        row("rate", in(r.rate, L + "/s"));
        row("reference", in(r.reference, L));
        if (tendon.feed) row("fed", in(r.fed, L));
        subhead("tension", switchedOff(s, i) ? "" : rows.valid ? "average over the step" : "of the state alone");
        row("all", tensionOf(s, i), &color);
        if (!switchedOff(s, i)) {
            const TendonForces& f = r.forces;
            const auto part = [&](const char* name, const std::optional<double>& force) {
                // Shown as a pull, as the tension is.
                if (force) row(name, in(*force == 0 ? 0.0 : -*force, F));
            };
            for (const TendonLaw& law : kTendonLaws) part(law.title, f.*law.force);
            for (std::size_t c = 0; c < f.couplings.size() && c < s.model->couplings.size(); ++c)
                part(s.model->couplings[c].name.c_str(), f.couplings[c]);
            if (r.segment_tension.size() > 1) {
                subhead("along the rope", "tension, N");
                for (std::size_t n = 0; n < r.segment_tension.size() && n < 12; ++n)
                    row(fmt::format("segment {}", n + 1).c_str(), shortNumber(r.segment_tension[n]), &color);
            }
            wrapped(rows.valid ? fmt::format("positive pulls; averages over [{:.4f}, {:.4f}] s: {}", rows.t0, rows.t1,
                                             solveStatusName(rows.report.status))
                               : std::string("positive pulls; limits, friction, armature and couplings come with the "
                                             "first step"));
        }
        bool head = false;
        for (const GuideReading& guide : r.route.guides) {
            if (!head) subhead("guides", "turned about");
            head = true;
            const PathElement& element = tendon.path[static_cast<std::size_t>(guide.element)];
            const std::string name = fmt::format(
                "{} on {}", pathElementName(element.kind),
                guide.body == kBase ? std::string("base") : s.model->bodies[static_cast<std::size_t>(guide.body)].name);
            row(name.c_str(), guide.contact.state == GuideContact::State::wrapped ? in(guide.contact.sweep, "rad")
                              : guide.contact.state == GuideContact::State::bent  ? std::string("bend")
                                                                                  : std::string("not touched"));
        }
        bool arms = false;
        for (std::size_t v = 0; v < r.route.gradient.size() && v < view.layout->v_names.size(); ++v) {
            if (r.route.gradient[v] == 0) continue;
            if (!arms) subhead("moment arms", "dl/dq");
            arms = true;
            row(view.layout->v_names[v].c_str(), shortNumber(r.route.gradient[v]));
        }
    }
    return endCard();
}

}  // namespace mw::app
