// What the mechanism can do from the pose shown: one line a free motion, with a button that plays it back and forth.
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"

namespace mw::app {

float drawMotionsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events) {
    const Snapshot& s = *view.snapshot;
    const float k = view.scale;
    // As wide as the card that it stands on.
    if (beginCard("##motions", "Free motions", 12 * k, y, kShortCard * k, view.height - y, state.motions_open, nullptr,
                  fmt::format("{}", view.layout->nv - view.layout->nc))) {
        if (s.run == RunState::running) {
            ImGui::TextDisabled("pause to play them");
        } else if (view.motions.empty()) {
            ImGui::TextDisabled("none: it cannot move");
        }
        for (std::size_t i = 0; i < view.motions.size() && s.run != RunState::running; ++i) {
            const bool playing = view.playing == static_cast<int>(i);
            ImGui::PushID(static_cast<int>(i));
            const float side = ImGui::GetFrameHeight();
            const ImVec2 at = ImGui::GetCursorScreenPos();
            if (ImGui::InvisibleButton("play", {std::max(1.0f, ImGui::GetContentRegionAvail().x), side}))
                events.play_motion = playing ? -1 : static_cast<int>(i);
            const bool hovered = ImGui::IsItemHovered();
            if (hovered)
                ImGui::SetTooltip("%s", playing ? "Stop, and go back to the pose"
                                                : "Play this motion back and forth; the loops stay closed");
            ImDrawList& list = *ImGui::GetWindowDrawList();
            const auto ink = [](const scene::Color& c) { return ImGui::ColorConvertFloat4ToU32(toImGui(c)); };
            if (hovered || playing)
                list.AddRectFilled({at.x - 4 * k, at.y}, {at.x + ImGui::GetItemRectSize().x + 4 * k, at.y + side},
                                   ink(playing ? theme.selected : theme.hover), 4 * k);
            const ImVec2 middle{at.x + 8 * k, at.y + side / 2};
            const ImU32 color = ink(playing ? theme.accent : theme.text);
            if (playing) {
                list.AddRectFilled({middle.x - 4 * k, middle.y - 4 * k}, {middle.x + 4 * k, middle.y + 4 * k}, color,
                                   1 * k);
            } else {
                list.AddTriangleFilled({middle.x - 3.5f * k, middle.y - 5 * k}, {middle.x - 3.5f * k, middle.y + 5 * k},
                                       {middle.x + 5 * k, middle.y}, color);
            }
            list.AddText({at.x + 24 * k, at.y + (side - ImGui::GetTextLineHeight()) / 2}, ink(theme.text),
                         view.motions[i].name.c_str());
            ImGui::PopID();
        }
    }
    return endCard();
}

}  // namespace mw::app
