// Keys and mouse for Dear ImGui: arrays that the host fills before 1.87, events from then on.
#include <array>
#include <imgui.h>

#include "app/panels/imgui_host.h"

namespace mw::app::detail {

#if IMGUI_VERSION_NUM >= 18700

void mapKeys() {}

void feedKeys(const PanelInput& input) {
    constexpr std::array<ImGuiKey, kPanelKeyCount> keys{
        ImGuiKey_Tab, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home,
        ImGuiKey_End, ImGuiKey_Delete,    ImGuiKey_Backspace,  ImGuiKey_Enter,   ImGuiKey_Escape,    ImGuiKey_A,
        ImGuiKey_C,   ImGuiKey_V,         ImGuiKey_X,          ImGuiKey_Y,       ImGuiKey_Z};
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, input.ctrl);
    io.AddKeyEvent(ImGuiMod_Shift, input.shift);
    io.AddKeyEvent(ImGuiMod_Alt, input.alt);
    for (const PanelInput::Key& key : input.keys) io.AddKeyEvent(keys[static_cast<std::size_t>(key.key)], key.down);
    for (const unsigned character : input.characters) io.AddInputCharacter(character);
    io.AddMousePosEvent(input.mouse_x, input.mouse_y);
    io.AddMouseButtonEvent(0, input.left);
    io.AddMouseButtonEvent(1, input.right);
    io.AddMouseButtonEvent(2, input.middle);
    if (input.wheel != 0) io.AddMouseWheelEvent(0, input.wheel);
}

#else

void mapKeys() {
    constexpr std::array<int, kPanelKeyCount> keys{
        ImGuiKey_Tab, ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home,
        ImGuiKey_End, ImGuiKey_Delete,    ImGuiKey_Backspace,  ImGuiKey_Enter,   ImGuiKey_Escape,    ImGuiKey_A,
        ImGuiKey_C,   ImGuiKey_V,         ImGuiKey_X,          ImGuiKey_Y,       ImGuiKey_Z};
    ImGuiIO& io = ImGui::GetIO();
    for (int i = 0; i < kPanelKeyCount; ++i) io.KeyMap[keys[static_cast<std::size_t>(i)]] = i;
}

void feedKeys(const PanelInput& input) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = input.ctrl;
    io.KeyShift = input.shift;
    io.KeyAlt = input.alt;
    for (const PanelInput::Key& key : input.keys) io.KeysDown[static_cast<int>(key.key)] = key.down;
    for (const unsigned character : input.characters) io.AddInputCharacter(character);
    io.MousePos = {input.mouse_x, input.mouse_y};
    io.MouseDown[0] = input.left;
    io.MouseDown[1] = input.right;
    io.MouseDown[2] = input.middle;
    io.MouseWheel += input.wheel;
}

#endif

}  // namespace mw::app::detail
