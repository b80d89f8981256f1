// The hint of keyboard driving: a chip that begins it, then keys, wanted and actual speed, and the brake.
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"

namespace mw::app {
namespace {

constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;

ImU32 ink(const scene::Color& c) { return ImGui::GetColorU32(toImGui(c)); }

void cap(ImVec2 at, float side, const char* letter, bool held, const scene::Theme& theme, float k) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
    const ImVec2 size = ImGui::CalcTextSize(letter), end{at.x + side, at.y + side};
    list.AddRectFilled(at, end, ink(held ? theme.accent : theme.raised), 4 * k);
    list.AddRect(at, end, ink(held ? theme.accent : theme.border), 4 * k);
    list.AddText({std::round(at.x + (side - size.x) / 2), std::round(at.y + (side - size.y) / 2)},
                 ink(held ? theme.on_accent : theme.text), letter);
    ImGui::PopFont();
}

}  // namespace

float drawDriveCard(const PanelView& view, const scene::Theme& theme, PanelEvents& events) {
    const DriveView& d = view.drive;
    const float k = view.scale;
    ImGui::SetNextWindowPos({view.width - 12 * k, view.drive_height - 12 * k}, ImGuiCond_Always, {1, 1});
    if (!d.on) {
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * k, 6 * k});
        ImGui::Begin("##drive", nullptr, kBare);
        ImGui::PopStyleVar();
        const float side = 20 * k;
        const ImVec2 corner = ImGui::GetCursorPos(), at = ImGui::GetCursorScreenPos();
        const float text = ImGui::CalcTextSize("Drive with the keyboard").x;
        if (ImGui::InvisibleButton("begin", {text + 8 * k + side, side})) events.toggle_driving = true;
        const bool hovered = ImGui::IsItemHovered();
        ImGui::SetCursorPos({corner.x, corner.y + (side - ImGui::GetTextLineHeight()) / 2});
        ImGui::TextColored(toImGui(hovered ? theme.text : theme.text_secondary), "Drive with the keyboard");
        cap({at.x + text + 8 * k, at.y}, side, "K", hovered, theme, k);
        const float top = ImGui::GetWindowPos().y;
        ImGui::End();
        return top - 8 * k;
    }
    ImGui::SetNextWindowSizeConstraints({236 * k, 0}, {236 * k, 400 * k});
    ImGui::Begin("##drive", nullptr, kBare);
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().bold));
    ImGui::TextColored(toImGui(d.running ? theme.good : theme.text_secondary), "Driving");
    ImGui::PopFont();
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize("K ends it").x);
    ImGui::TextDisabled("K ends it");
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = 24 * k, gap = 4 * k;
    cap({at.x + side + gap, at.y}, side, "W", d.held[0], theme, k);
    cap({at.x, at.y + side + gap}, side, "A", d.held[2], theme, k);
    cap({at.x + side + gap, at.y + side + gap}, side, "S", d.held[1], theme, k);
    cap({at.x + 2 * (side + gap), at.y + side + gap}, side, "D", d.held[3], theme, k);
    cap({at.x + 4.2f * (side + gap), at.y + side + gap}, side, "B", d.brake, theme, k);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float line = ImGui::GetTextLineHeight();
    list.AddText({at.x + 5.3f * (side + gap), at.y + side + gap + (side - line) / 2}, ink(theme.text_secondary),
                 "brake");
    list.AddText({at.x + 3.2f * (side + gap), at.y + (side - line) / 2}, ink(theme.text_secondary), "Shift faster");
    // The brake's key is a button, too.
    const ImVec2 before = ImGui::GetCursorPos();
    ImGui::SetCursorScreenPos({at.x + 4.2f * (side + gap), at.y + side + gap});
    if (ImGui::InvisibleButton("brake", {80 * k, side})) events.toggle_brake = true;
    ImGui::SetCursorPos({before.x, before.y + 2 * side + gap + 6 * k});
    row("wanted", fmt::format("{:.2f} m/s", std::abs(d.wanted) < 0.005 ? 0.0 : d.wanted));
    row("turn", fmt::format("{:.0f} °/s", std::abs(d.turn) < 0.008 ? 0.0 : d.turn * 180 / 3.14159265358979));
    row("actual", fmt::format("{:.2f} m/s", std::abs(d.actual) < 0.005 ? 0.0 : d.actual));
    row("brake", d.brake ? "on" : "off", d.brake ? &theme.caution : nullptr);
    if (!d.running) ImGui::TextColored(toImGui(theme.accent), "Space runs it");
    const float top = ImGui::GetWindowPos().y;
    ImGui::End();
    return top - 8 * k;
}

}  // namespace mw::app
