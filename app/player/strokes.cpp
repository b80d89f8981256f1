// Strokes of 1.5 px with round ends, as the icon files have them.
#include "app/player/strokes.h"

#include <cmath>
#include <initializer_list>
#include <numbers>

#include "app/panels/card.h"

namespace mw::app {

ImU32 ink(const scene::Color& color) { return ImGui::ColorConvertFloat4ToU32(toImGui(color)); }

void drawIcon(ImDrawList& list, Icon icon, ImVec2 centre, float scale, ImU32 color) {
    // Path coordinates are those of the 18 x 18 grid.
    const ImVec2 origin{centre.x - 9 * scale, centre.y - 9 * scale};
    const auto at = [&](float x, float y) { return ImVec2{origin.x + x * scale, origin.y + y * scale}; };
    const float thick = scene::size::kIconStroke * scale;
    const auto path = [&](std::initializer_list<ImVec2> points, float width, bool closed = false) {
        for (const ImVec2& p : points) list.PathLineTo(at(p.x, p.y));
        list.PathStroke(color, closed ? ImDrawFlags_Closed : ImDrawFlags_None, width);
        for (const ImVec2& p : points) list.AddCircleFilled(at(p.x, p.y), width / 2, color, 8);
    };
    const auto arc = [&](float x, float y, float radius, float from, float to) {
        list.PathArcTo(at(x, y), radius * scale, from, to, 28);
        list.PathStroke(color, ImDrawFlags_None, thick);
    };
    constexpr float pi = std::numbers::pi_v<float>;
    switch (icon) {
        case Icon::reset:
            arc(9, 8.75f, 6.4f, -0.76f * pi, 0.955f * pi);
            path({{4.25f, 1.75f}, {4.25f, 4.75f}, {7.25f, 4.75f}}, thick);
            break;
        case Icon::back:
            path({{4, 3.75f}, {4, 14.25f}}, thick);
            path({{14, 3.75f}, {6.75f, 9}, {14, 14.25f}}, thick, true);
            break;
        case Icon::step:
            path({{14, 3.75f}, {14, 14.25f}}, thick);
            path({{4, 3.75f}, {11.25f, 9}, {4, 14.25f}}, thick, true);
            break;
        case Icon::play: path({{5.25f, 3.25f}, {5.25f, 14.75f}, {14.5f, 9}}, thick, true); break;
        case Icon::pause:
            path({{6, 3.5f}, {6, 14.5f}}, 2.5f * scale);
            path({{12, 3.5f}, {12, 14.5f}}, 2.5f * scale);
            break;
        case Icon::check: path({{3.5f, 9.5f}, {7.25f, 13.25f}, {14.5f, 5}}, thick); break;
        case Icon::cross:
            path({{4.5f, 4.5f}, {13.5f, 13.5f}}, thick);
            path({{13.5f, 4.5f}, {4.5f, 13.5f}}, thick);
            break;
        case Icon::work:
            arc(9, 9, 6, 0, 2 * pi);
            path({{9, 5.5f}, {9, 9}, {11.5f, 10.5f}}, thick);
            break;
        case Icon::pencil:
            path({{3.5f, 14.5f}, {4.25f, 11.25f}, {11.75f, 3.75f}, {14.25f, 6.25f}, {6.75f, 13.75f}}, thick, true);
            break;
        case Icon::warning:
            path({{9, 3}, {15.5f, 14.5f}, {2.5f, 14.5f}}, thick, true);
            path({{9, 7.25f}, {9, 10.25f}}, thick);
            list.AddCircleFilled(at(9, 12.5f), 0.6f * thick, color, 8);
            break;
        case Icon::down: path({{5, 7}, {9, 11}, {13, 7}}, thick); break;
        case Icon::up: path({{5, 11}, {9, 7}, {13, 11}}, thick); break;
    }
}

bool iconButton(const char* id, Icon icon, const char* tip, float scale, const scene::Theme& theme, bool enabled) {
    const float side = 30 * scale;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool pressed = ImGui::InvisibleButton(id, {side, side}) && enabled;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered() && enabled) {
        list.AddRectFilled(corner, {corner.x + side, corner.y + side},
                           ink(ImGui::IsItemActive() ? theme.selected : theme.hover), scene::size::kRadius * scale);
        ImGui::SetTooltip("%s", tip);
    }
    drawIcon(list, icon, {corner.x + side / 2, corner.y + side / 2}, scale,
             ink(theme.text.withAlpha(enabled ? 1 : 0.35f)));
    return pressed;
}

}  // namespace mw::app
