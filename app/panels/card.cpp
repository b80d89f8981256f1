// Cards drawn with Dear ImGui after the theme's tokens.
#include "app/panels/card.h"

#include <algorithm>

namespace mw::app {
namespace {
ImFont* font(void* f) { return static_cast<ImFont*>(f); }
void rightAligned(const char* text) {
    const float width = ImGui::CalcTextSize(text).x;
    ImGui::SameLine(std::max(0.0f, ImGui::GetWindowContentRegionMax().x - width));
}
std::string begun;  // the card between beginCard and endCard
}  // namespace

std::vector<CardBox>& cardBoxes() {
    static std::vector<CardBox> boxes;
    return boxes;
}

float headHeight() { return ImGui::GetTextLineHeightWithSpacing() + 2 * ImGui::GetStyle().WindowPadding.y; }

float leastOpenHeight(float scale) { return headHeight() + 3 * 26 * scale; }

bool beginCard(const char* id, const char* title, float x, float y, float width, float max_height, bool& open,
               const scene::Color* title_color, const std::string& right) {
    ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always);
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::max(headHeight() + 1, max_height)});
    begun = id;
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    const ImVec2 head = ImGui::GetCursorPos();
    ImGui::PushFont(font(panelFonts().bold));
    if (title_color) ImGui::PushStyleColor(ImGuiCol_Text, toImGui(*title_color));
    ImGui::TextUnformatted(title);
    if (title_color) ImGui::PopStyleColor();
    ImGui::PopFont();
    if (!right.empty()) {
        ImGui::PushFont(font(panelFonts().mono));
        rightAligned(right.c_str());
        ImGui::TextUnformatted(right.c_str());
        ImGui::PopFont();
    }
    // The whole head folds the card.
    const ImVec2 after = ImGui::GetCursorPos();
    ImGui::SetCursorPos(head);
    if (ImGui::InvisibleButton("head", {std::max(1.0f, ImGui::GetContentRegionAvail().x), ImGui::GetTextLineHeight()}))
        open = !open;
    ImGui::SetCursorPos(after);
    return open;
}

float endCard() {
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    cardBoxes().push_back({begun, {at.x, at.y, size.x, size.y}});
    ImGui::End();
    return at.y + size.y;
}

void row(const char* label, const std::string& value, const scene::Color* value_color) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", label);
    ImGui::PushFont(font(panelFonts().mono));
    if (value_color) ImGui::PushStyleColor(ImGuiCol_Text, toImGui(*value_color));
    rightAligned(value.c_str());
    ImGui::TextUnformatted(value.c_str());
    if (value_color) ImGui::PopStyleColor();
    ImGui::PopFont();
}

void subhead(const char* text, const std::string& note) {
    ImGui::Dummy({0, 2});
    ImGui::PushFont(font(panelFonts().bold));
    ImGui::TextUnformatted(text);
    ImGui::PopFont();
    if (note.empty()) return;
    rightAligned(note.c_str());
    ImGui::TextDisabled("%s", note.c_str());
}

}  // namespace mw::app
