// The bar below the view: steps, play, time with its slider over the recorded history, speed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/player/instruments.h"
#include "app/player/strokes.h"

namespace mw::app {
namespace {

/// 1, 2, 3 or 5 times a power of ten, a little over t; at least ten seconds.
double niceUpper(double t) {
    if (!(t > 0)) return 10;
    const double scale = std::pow(10.0, std::floor(std::log10(t)));
    for (const double m : {1.0, 2.0, 3.0, 5.0, 10.0})
        if (m * scale >= t * 1.05) return std::max(10.0, m * scale);
    return std::max(10.0, 20 * scale);
}

std::string speedName(double speed) {
    return speed < 1 ? fmt::format("{:.3g} ×", speed) : fmt::format("{:.1f} ×", speed);
}

void quiet(const std::string& text, float middle, const scene::Color& color) {
    ImGui::SetCursorPosY(middle - ImGui::GetTextLineHeight() / 2);
    ImGui::TextColored(toImGui(color), "%s", text.c_str());
}

void timeField(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done, const scene::Theme& theme,
               float middle) {
    const float k = view.scale;
    if (!state.time_active) {
        std::snprintf(state.time, sizeof state.time, "%.3f s", view.snapshot ? view.snapshot->state.t : 0.0);
        state.time_wrong = false;
    }
    ImGui::PushFont(static_cast<ImFont*>(panelFonts().mono));
    ImGui::PushStyleColor(ImGuiCol_FrameBg, state.time_active ? toImGui(theme.panel) : ImVec4{0, 0, 0, 0});
    if (state.time_wrong) ImGui::PushStyleColor(ImGuiCol_Text, toImGui(theme.bad));
    ImGui::SetCursorPosY(middle - ImGui::GetFrameHeight() / 2);
    ImGui::SetNextItemWidth(92 * k);
    const bool entered = ImGui::InputText("##time", state.time, sizeof state.time,
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (state.time_wrong) ImGui::PopStyleColor();
    ImGui::PopStyleColor();
    ImGui::PopFont();
    state.time_active = ImGui::IsItemActive();
    if (ImGui::IsItemHovered() && !state.time_active)
        ImGui::SetTooltip("Click, type a recorded time in seconds, Enter");
    if (!entered || !view.snapshot) return;
    std::string text = state.time;
    std::replace(text.begin(), text.end(), ',', '.');
    char* end = nullptr;
    const double t = std::strtod(text.c_str(), &end);
    state.time_wrong = end == text.c_str() || !std::isfinite(t);
    if (!state.time_wrong) done.scrub = t;
}

void timeSlider(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done, const scene::Theme& theme,
                float middle, float width) {
    const float k = view.scale;
    const double begin = view.snapshot ? view.snapshot->history_begin : 0;
    const double now = view.snapshot ? view.snapshot->state.t : 0;
    const double end = std::max(view.snapshot ? view.snapshot->history_end : 0, now);
    if (!state.sliding) state.slider_upper = niceUpper(end);
    ImGui::SetCursorPosY(0);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("##slider", {width, view.bar});
    const bool hovered = ImGui::IsItemHovered();
    state.sliding = ImGui::IsItemActive() && view.snapshot;
    const float margin = 10 * k, inner = std::max(1.0f, width - 2 * margin);
    const auto x_of = [&](double t) {
        return corner.x + margin + static_cast<float>(std::clamp(t / state.slider_upper, 0.0, 1.0)) * inner;
    };
    if (state.sliding) {
        const double part = (ImGui::GetIO().MousePos.x - corner.x - margin) / inner;
        const double t = std::clamp(part * state.slider_upper, begin, end);
        if (std::abs(t - now) > 1e-12) done.scrub = t;
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = corner.y + middle, half = 2 * k;
    const auto bar = [&](float from, float to, const scene::Color& color) {
        if (to > from) list.AddRectFilled({from, y - half}, {to, y + half}, ink(color), half);
    };
    bar(corner.x + margin, corner.x + margin + inner, theme.border);
    bar(x_of(begin), x_of(end), theme.text_secondary);
    bar(x_of(begin), x_of(now), theme.accent);
    const float radius = (hovered || state.sliding ? 8.5f : 7.5f) * k;
    list.AddCircleFilled({x_of(now), y}, radius + k, ink(theme.raised), 32);
    list.AddCircleFilled({x_of(now), y}, radius, ink(theme.text), 32);
}

}  // namespace

void drawRunBar(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done) {
    const scene::Theme& theme = scene::theme(view.theme);
    const float k = view.scale, middle = view.bar / 2;
    ImGui::SetNextWindowPos({0, view.height});
    ImGui::SetNextWindowSize({view.width, view.bar});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, toImGui(theme.raised));
    ImGui::Begin("##runbar", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(4);
    ImGui::GetWindowDrawList()->AddRectFilled({0, view.height}, {view.width, view.height + std::max(1.0f, k)},
                                              ink(theme.border));
    const bool there = view.snapshot != nullptr;
    const bool running = there && view.snapshot->run == RunState::running;
    float x = 10 * k;
    const auto place = [&](float y) { ImGui::SetCursorPos({x, y}); };
    const auto button = [&](const char* id, Icon icon, const char* tip) {
        place(middle - 15 * k);
        x += 34 * k;
        return iconButton(id, icon, tip, k, theme, there);
    };
    const int many = ImGui::GetIO().KeyShift ? 10 : 1;
    if (button("##reset", Icon::reset, "Reset to the start  Backspace")) done.reset = true;
    if (button("##back", Icon::back, "One step back  Left, Shift: ten")) done.steps = -many;
    if (button("##play", running ? Icon::pause : Icon::play, running ? "Pause  Space" : "Play  Space"))
        done.play = true;
    if (button("##step", Icon::step, "One step  Right, Shift: ten")) done.steps = many;
    x += 6 * k;
    place(0);
    timeField(view, state, done, theme, middle);
    x += 98 * k;

    // From the right: speed, reached speed, history; what does not fit in a narrow window gives way.
    const float speed_width = 76 * k;
    float right = view.width - 12 * k - speed_width;
    ImGui::SetCursorPos({right, middle - ImGui::GetFrameHeight() / 2});
    ImGui::SetNextItemWidth(speed_width);
    const double wanted = there ? view.snapshot->wanted_speed : 1;
    ImGui::PushStyleColor(ImGuiCol_FrameBg, {0, 0, 0, 0});
    ImGui::PushStyleColor(ImGuiCol_Button, {0, 0, 0, 0});
    drawIcon(*ImGui::GetWindowDrawList(), Icon::down, {view.width - 22 * k, view.height + middle}, 0.75f * k,
             ink(theme.text_secondary));
    if (ImGui::BeginCombo("##speed", speedName(wanted).c_str(),
                          ImGuiComboFlags_HeightLargest | ImGuiComboFlags_NoArrowButton)) {
        for (const double speed : kSpeeds)
            if (ImGui::Selectable(speedName(speed).c_str(), speed == wanted)) done.speed = speed;
        ImGui::EndCombo();
    } else if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("Wanted speed, times real time  - and =");
    }
    ImGui::PopStyleColor(2);

    const auto note = [&](const std::string& text, const scene::Color& color, float least) {
        const float width = std::max(least, ImGui::CalcTextSize(text.c_str()).x);
        right -= width + 10 * k;
        ImGui::SetCursorPosX(right + width - ImGui::CalcTextSize(text.c_str()).x);
        quiet(text, middle, color);
    };
    if (there && view.width > 720 * k) {
        const Snapshot& s = *view.snapshot;
        note(running                ? fmt::format("{:.2f} × reached", s.reached_speed)
             : s.possible_speed > 0 ? fmt::format("can {:.0f} ×", s.possible_speed)
                                    : std::string(),
             theme.text_secondary, 96 * k);
    }
    if (there && view.width > 900 * k) {
        const Snapshot& s = *view.snapshot;
        const bool past = !running && s.state.t < s.history_end - 0.5 * s.dt;
        if (past) {
            note(fmt::format("Play replaces the next {:.2f} s", s.history_end - s.state.t), theme.caution, 150 * k);
        } else {
            const double megabytes = static_cast<double>(s.history_bytes) / (1 << 20);
            note(fmt::format("history {:.1f} s · {:.1f} MB{}", s.history_end - s.history_begin, megabytes,
                             s.history_dropped ? " · start dropped" : ""),
                 theme.text_secondary, 150 * k);
        }
    }
    place(0);
    timeSlider(view, state, done, theme, middle, std::max(40 * k, right - 8 * k - x));
    ImGui::End();
}

}  // namespace mw::app
