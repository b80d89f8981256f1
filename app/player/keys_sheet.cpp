// The sheet of keys (F1) and the menu at the pointer.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/panels/card.h"
#include "app/player/instruments.h"
#include "app/player/strokes.h"

namespace mw::app {
namespace {

struct Line {
    const char* what;
    std::array<const char*, 3> keys;
};
struct Group {
    const char* name;
    std::vector<Line> lines;
};

// The mouse follows the preset; everything else is the same for all.
std::vector<Group> groups(MousePreset preset) {
    Group mouse{"Mouse", {}};
    switch (preset) {
        case MousePreset::blender: mouse.lines = {{"orbit", {"middle drag"}}, {"pan", {"Shift", "middle drag"}}}; break;
        case MousePreset::mujoco: mouse.lines = {{"orbit", {"left drag"}}, {"pan", {"right drag"}}}; break;
        case MousePreset::cad: mouse.lines = {{"orbit", {"right drag"}}, {"pan", {"middle drag"}}}; break;
        case MousePreset::trackpad: mouse.lines = {{"orbit", {"left drag"}}, {"pan", {"Shift", "left drag"}}}; break;
    }
    for (const Line& line : std::initializer_list<Line>{{"zoom towards the cursor", {"wheel"}},
                                                        {"select; again: what lies behind", {"left click"}},
                                                        {"add to the selection", {"Ctrl", "left click"}},
                                                        {"frame the selection", {"double click"}},
                                                        {"push a running body", {"Ctrl", "left drag"}},
                                                        {"menu", {"right click"}}})
        mouse.lines.push_back(line);
    return {{"Run",
             {{"play or pause", {"Space"}},
              {"one step forward, back", {"Right", "Left"}},
              {"ten steps", {"Shift", "Right", "Left"}},
              {"reset to the start", {"Backspace"}},
              {"slower, faster", {"-", "="}},
              {"drive a tracked vehicle, or stop", {"K"}},
              {"forward, back (or up, down)", {"W", "S"}},
              {"turn left, right", {"A", "D"}},
              {"brake; Shift goes faster", {"B"}}}},
            {"File and window",
             {{"read the file again", {"F5"}},
              {"full screen", {"F11"}},
              {"larger, smaller text", {"Ctrl", "=", "-"}},
              {"close", {"Ctrl", "Q"}}}},
            {"View",
             {{"frame the selection, all", {"F", "Home"}},
              {"front, side, top (number pad)", {"1", "3", "7"}},
              {"perspective or orthographic (pad)", {"5"}},
              {"select the parent body", {"Page Up"}},
              {"give up a drag, clear selection", {"Esc"}}}},
            {"Cards",
             {{"this sheet", {"F1"}}, {"run information", {"F2"}}, {"performance", {"F3"}}, {"joint sliders", {"F4"}}}},
            mouse};
}

void cap(const char* text, const scene::Theme& theme, float k) {
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
    const ImVec2 size = ImGui::CalcTextSize(text), at = ImGui::GetCursorScreenPos();
    const float pad = 6 * k, height = ImGui::GetTextLineHeight() + 5 * k;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({at.x, at.y - k}, {at.x + size.x + 2 * pad, at.y + height - k}, ink(theme.raised), 4 * k);
    list.AddRect({at.x, at.y - k}, {at.x + size.x + 2 * pad, at.y + height - k}, ink(theme.border), 4 * k);
    list.AddText({at.x + pad, at.y + 1.5f * k}, ink(theme.text), text);
    ImGui::Dummy({size.x + 2 * pad, height});
    ImGui::PopFont();
}

void group(const Group& g, const scene::Theme& theme, float k, bool first) {
    if (!first) ImGui::Dummy({0, 6 * k});
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().bold));
    ImGui::TextUnformatted(g.name);
    ImGui::PopFont();
    const float left = ImGui::GetCursorPosX();
    for (const Line& line : g.lines) {
        const float y = ImGui::GetCursorPosY();
        ImGui::SetCursorPosY(y + 2 * k);
        ImGui::TextDisabled("%s", line.what);
        ImGui::SameLine(left - ImGui::GetStyle().WindowPadding.x + 236 * k);
        ImGui::SetCursorPosX(left + 224 * k);
        bool more = false;
        for (const char* key : line.keys) {
            if (!key) continue;
            if (more) ImGui::SameLine(0, 4 * k);
            ImGui::SetCursorPosY(y + k);
            cap(key, theme, k);
            more = true;
        }
        ImGui::SetCursorPosY(y + 25 * k);
    }
}

}  // namespace

void drawKeys(const InstrumentView& view, InstrumentState& state) {
    if (!state.keys) return;
    const scene::Theme& theme = scene::theme(view.theme);
    const float k = view.scale;
    const bool wide = view.width > 840 * k;
    const float width = (wide ? 800 : 420) * k;
    ImGui::SetNextWindowPos({view.width / 2, view.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, view.height - 24 * k});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {20 * k, 16 * k});
    ImGui::SetNextWindowBgAlpha(1);
    ImGui::Begin("##keys", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar();
    const ImVec2 head = ImGui::GetCursorPos();
    ImGui::SetCursorPos({ImGui::GetWindowContentRegionMax().x - 22 * k, head.y - 4 * k});
    if (iconButton("##close", Icon::cross, "Close  Esc", 0.72f * k, theme)) state.keys = false;
    ImGui::SetCursorPos(head);
    const std::vector<Group> all = groups(view.core->mousePreset());
    if (wide && ImGui::BeginTable("##columns", 2, ImGuiTableFlags_SizingStretchSame)) {
        ImGui::TableNextColumn();
        group(all[0], theme, k, true);
        group(all[1], theme, k, false);
        group(all[3], theme, k, false);
        ImGui::TableNextColumn();
        group(all[2], theme, k, true);
        group(all[4], theme, k, false);
        ImGui::EndTable();
    } else {
        for (std::size_t i = 0; i < all.size(); ++i) group(all[i], theme, k, i == 0);
    }
    ImGui::End();
}

void drawMenu(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done) {
    const float k = view.scale;
    if (state.menu_asked) {
        state.menu_item = *state.menu_asked;
        state.menu_asked.reset();
        ImGui::OpenPopup("##menu");
    }
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * k, 8 * k});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {12 * k, 7 * k});
    state.menu_open = ImGui::BeginPopup("##menu", ImGuiWindowFlags_NoMove);
    if (state.menu_open) {
        if (state.close_menu) ImGui::CloseCurrentPopup();
        const bool body = !state.menu_item.kind.empty();
        if (body) {
            ImGui::PushFont(static_cast<ImFont*>(panelFonts().bold));
            ImGui::TextUnformatted(state.menu_item.name.c_str());
            ImGui::PopFont();
            if (ImGui::MenuItem("Frame", "F")) done.frame_selection = true;
            if (ImGui::MenuItem("Follow", nullptr, view.core->following())) done.follow = true;
            if (ImGui::MenuItem("Select its parent", "Page Up")) done.parent = true;
            ImGui::Separator();
        } else if (view.core->following()) {
            if (ImGui::MenuItem("Follow", nullptr, true)) done.follow = true;
        }
        if (ImGui::MenuItem("Frame all", "Home")) done.frame_all = true;
        if (ImGui::MenuItem("Front", "pad 1")) done.view = scene::StandardView::front;
        if (ImGui::MenuItem("Side", "pad 3")) done.view = scene::StandardView::right;
        if (ImGui::MenuItem("Top", "pad 7")) done.view = scene::StandardView::top;
        if (ImGui::MenuItem("Orthographic", "pad 5", !view.core->camera().perspective())) done.perspective = true;
        ImGui::Separator();
        if (ImGui::BeginMenu("Show")) {
            const auto part = [&](const char* name, ViewPart which) {
                if (ImGui::MenuItem(name, nullptr, view.core->shown(which))) done.part = which;
            };
            part("Grid", ViewPart::grid);
            part("Skeleton instead of shapes", ViewPart::skeleton);
            part("Joints", ViewPart::joints);
            part("Centres of mass", ViewPart::centres);
            part("Inertia ellipsoids", ViewPart::inertia);
            part("Frames", ViewPart::frames);
            part("Points", ViewPart::points);
            part("Trails of points", ViewPart::trails);
            if (view.snapshot && !view.snapshot->model->tendons.empty()) {
                part("Tendons", ViewPart::tendons);
                part("Tension of tendons", ViewPart::tendon_tension);
            }
            if (view.snapshot && view.snapshot->has_rows) part("Joints at their limits", ViewPart::limits);
            part("Weights", ViewPart::gravity);
            part("Labels", ViewPart::labels);
            part("Loop forces", ViewPart::loop_forces);
            part("Loop moments", ViewPart::loop_moments);
            part("Smooth camera moves", ViewPart::smooth_moves);
            ImGui::EndMenu();
        }
        const auto collides = [](const Shape& shape) { return shape.material >= 0; };
        const bool touches = view.snapshot && (!view.snapshot->model->tracks.empty() || view.snapshot->model->ground ||
                                               std::any_of(view.snapshot->model->shapes.begin(),
                                                           view.snapshot->model->shapes.end(), collides));
        if (touches && ImGui::BeginMenu("Contacts")) {
            const auto part = [&](const char* name, ViewPart which) {
                if (ImGui::MenuItem(name, nullptr, view.core->shown(which))) done.part = which;
            };
            part("Points", ViewPart::contact_points);
            part("States as colours", ViewPart::contact_states);
            part("Normals", ViewPart::contact_normals);
            part("Normal forces", ViewPart::contact_forces);
            part("Friction", ViewPart::contact_friction);
            part("Only the selection", ViewPart::only_selection);
            part("Logarithmic arrows", ViewPart::logarithmic);
            part("Band tension", ViewPart::tension);
            ImGui::Separator();
            const bool anchored = view.snapshot->contact.friction == Friction::anchored;
            if (ImGui::MenuItem("Anchored friction", nullptr, anchored))
                done.friction = anchored ? Friction::regularized : Friction::anchored;
            if (ImGui::BeginMenu("Slope")) {
                for (const int degrees : {0, 5, 10, 15, 20, 30})
                    if (ImGui::MenuItem((std::to_string(degrees) + "°").c_str(), nullptr,
                                        std::abs(view.snapshot->contact.slope - degrees * M_PI / 180) < 1e-9))
                        done.slope = degrees * M_PI / 180;
                ImGui::EndMenu();
            }
            ImGui::EndMenu();
        }
        if (view.core->canDrive()) {
            if (ImGui::MenuItem("Drive with the keyboard", "K", view.core->driving())) done.driving = true;
            if (ImGui::MenuItem("Brake", "B", view.snapshot->inputs.brake)) done.brake = true;
        }
        if (ImGui::BeginMenu("Cards")) {
            const auto card = [&](const char* name, const char* key, ViewCard which) {
                if (ImGui::MenuItem(name, key, view.core->cardShown(which))) done.card = which;
            };
            card("Run information", "F2", ViewCard::run);
            card("Selected body", nullptr, ViewCard::body);
            card("Joint sliders", "F4", ViewCard::sliders);
            card("Contacts", nullptr, ViewCard::contacts);
            card("Tendons", nullptr, ViewCard::tendons);
            card("Performance", "F3", ViewCard::performance);
            ImGui::EndMenu();
        }
        if (ImGui::BeginMenu("Mouse like")) {
            for (const MousePreset preset : kMousePresets)
                if (ImGui::MenuItem(mousePresetName(preset), nullptr, view.core->mousePreset() == preset))
                    done.preset = preset;
            ImGui::EndMenu();
        }
        if (ImGui::MenuItem("Light theme", nullptr, view.theme == scene::ThemeKind::light)) done.other_theme = true;
        ImGui::Separator();
        if (ImGui::MenuItem("Read the file again", "F5", false, !view.file.empty())) done.reload = true;
        if (ImGui::MenuItem("Full screen", "F11", view.full_screen)) done.full_screen = true;
        if (ImGui::MenuItem("Keys and mouse", "F1", state.keys)) state.keys = true;
        ImGui::EndPopup();
    }
    state.close_menu = false;
    ImGui::PopStyleVar(2);
}

}  // namespace mw::app
