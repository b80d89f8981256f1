// Badge and gates, problems of the file, what an empty window says.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/player/instruments.h"
#include "app/player/strokes.h"

namespace mw::app {
namespace {

constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                   ImGuiWindowFlags_NoFocusOnAppearing;

ImFont* font(void* f) { return static_cast<ImFont*>(f); }

std::string gateNumber(double value) {
    if (value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e5)) return fmt::format("{:.1e}", value);
    return fmt::format("{:.5g}", value);
}

void gates(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done, const scene::Theme& theme,
           float y) {
    const float k = view.scale, width = std::min(720 * k, view.width - 24 * k);
    ImGui::SetNextWindowPos({(view.width - width) / 2, y});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, view.height - y - 12 * k});
    ImGui::SetNextWindowBgAlpha(1);
    ImGui::Begin("##gates", nullptr, kBare | ImGuiWindowFlags_AlwaysAutoResize);
    const auto proof = view.built ? view.built->proof : nullptr;
    ImGui::PushFont(font(panelFonts().bold));
    ImGui::TextUnformatted("Gates of the proof");
    ImGui::PopFont();
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 22 * k);
    if (iconButton("##close", Icon::cross, "Close  Esc", 0.72f * k, theme)) state.gates = false;
    if (!proof) {
        ImGui::TextDisabled("No gate has run yet. They run in the background as soon as the equations are compiled.");
        ImGui::End();
        return;
    }
    ImGui::TextDisabled("%s", fmt::format("{} random states · seed {}", proof->trials, proof->seed).c_str());
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 90 * k);
    if (ImGui::Button("Prove again", {90 * k, 0})) done.prove_again = true;
    const float rows = static_cast<float>(proof->gates.size() + 1) * 24 * k;
    const float room = std::max(60 * k, std::min(rows, view.height - y - 100 * k));
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {6 * k, 3 * k});
    if (ImGui::BeginTable("##list", 4, ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit, {0, room})) {
        ImGui::TableSetupColumn("gate", ImGuiTableColumnFlags_WidthFixed, 196 * k);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, 70 * k);
        ImGui::TableSetupColumn("bound", ImGuiTableColumnFlags_WidthFixed, 60 * k);
        ImGui::TableSetupColumn("detail", ImGuiTableColumnFlags_WidthStretch);
        for (std::size_t i = 0; i < proof->gates.size(); ++i) {
            const Gate& gate = proof->gates[i];
            const scene::Color color = gate.skipped ? theme.text_secondary : gate.pass ? theme.good : theme.bad;
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            const ImVec2 at = ImGui::GetCursorScreenPos();
            if (!gate.skipped)
                drawIcon(*ImGui::GetWindowDrawList(), gate.pass ? Icon::check : Icon::cross,
                         {at.x + 7 * k, at.y + ImGui::GetTextLineHeight() / 2}, 0.75f * k, ink(color));
            ImGui::Dummy({16 * k, 1});
            ImGui::SameLine(0, 2 * k);
            if (gate.worst && view.snapshot) {
                ImGui::PushID(static_cast<int>(i));
                if (ImGui::Selectable(gate.name.c_str(), false)) done.worst_of_gate = i;
                ImGui::PopID();
                if (ImGui::IsItemHovered()) ImGui::SetTooltip("Show the state that this gate found worst");
            } else {
                ImGui::TextColored(toImGui(gate.skipped ? theme.text_secondary : theme.text), "%s", gate.name.c_str());
            }
            ImGui::PushFont(font(panelFonts().mono));
            ImGui::TableNextColumn();
            if (!gate.skipped) ImGui::TextUnformatted(gateNumber(gate.value).c_str());
            ImGui::TableNextColumn();
            if (!gate.skipped) ImGui::TextDisabled("%s", gateNumber(gate.bound).c_str());
            ImGui::PopFont();
            ImGui::TableNextColumn();
            const std::string detail = gate.skipped && gate.detail.empty() ? "does not apply" : gate.detail;
            ImGui::TextDisabled("%s", detail.c_str());
            if (ImGui::IsItemHovered() && !detail.empty()) ImGui::SetTooltip("%s", detail.c_str());
        }
        ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    ImGui::End();
}

}  // namespace

std::vector<ProblemLine> problemLines(const std::vector<Diagnostic>& diagnostics, const std::string& text) {
    std::vector<ProblemLine> lines;
    for (const Diagnostic& d : diagnostics) {
        const LineColumn at = lineColumn(text, d.range.begin);
        std::string hint = d.expected;
        if (!d.remedy.empty()) hint += (hint.empty() ? "" : "; ") + d.remedy;
        lines.push_back({d.severity, at.line, at.column, d.message, hint});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const ProblemLine& a, const ProblemLine& b) { return a.severity > b.severity; });
    return lines;
}

void drawBadge(const InstrumentView& view, InstrumentState& state, InstrumentEvents& done) {
    if (view.file.empty()) return;
    const scene::Theme& theme = scene::theme(view.theme);
    const float k = view.scale, height = 28 * k, pad = 12 * k, gap = 7 * k, side = 16 * k;
    Icon icon = Icon::work;
    scene::Color color = theme.accent;
    double progress = -1;
    switch (view.badge.state) {
        case Badge::State::editing: icon = Icon::pencil, color = theme.text_secondary; break;
        case Badge::State::deriving:
        case Badge::State::compiling:
        case Badge::State::validating: progress = view.badge.progress; break;
        case Badge::State::proven: icon = Icon::check, color = theme.good; break;
        case Badge::State::contradicted: icon = Icon::warning, color = theme.caution; break;
        case Badge::State::failed: icon = Icon::cross, color = theme.bad; break;
        case Badge::State::last_good: icon = Icon::warning, color = theme.caution; break;
    }
    ImGui::PushFont(font(panelFonts().bold));
    const float text_width = ImGui::CalcTextSize(view.badge.text.c_str()).x;
    ImGui::PopFont();
    const float detail_width = view.badge.detail.empty() ? 0 : ImGui::CalcTextSize(view.badge.detail.c_str()).x + gap;
    // Between the run card and the axis widget; the detail gives way first. Steady while numbers count up.
    const float room = view.width - 2 * (240 * k);
    float width = 2 * pad + side + gap + text_width;
    const bool with_detail = width + detail_width <= room;
    if (with_detail) width += detail_width;
    width = std::max(width, std::min(232 * k, room));
    const ImVec2 corner{std::round((view.width - width) / 2), 12 * k};
    // A little larger than the pill, so that its line is whole.
    const float edge = 2 * k;
    ImGui::SetNextWindowPos({corner.x - edge, corner.y - edge});
    ImGui::SetNextWindowSize({width + 2 * edge, height + 2 * edge});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::Begin("##badge", nullptr, kBare | ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar(2);
    ImGui::SetCursorPos({edge, edge});
    if (ImGui::InvisibleButton("badge", {width, height})) state.gates = !state.gates;
    const bool hovered = ImGui::IsItemHovered();
    if (hovered && !state.gates) ImGui::SetTooltip("How far this mechanism is proven. Click for the gates.");
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 end{corner.x + width, corner.y + height};
    const float radius = height / 2;
    list.AddRectFilled(corner, end, ink(theme.panel.withAlpha(0.96f)), radius);
    list.AddRectFilled(corner, end, ink(color.withAlpha(hovered ? 0.20f : 0.11f)), radius);
    if (progress > 0) {
        list.PushClipRect(corner, {corner.x + width * static_cast<float>(std::min(1.0, progress)), end.y}, true);
        list.AddRectFilled(corner, end, ink(color.withAlpha(0.22f)), radius);
        list.PopClipRect();
    }
    list.AddRect({corner.x + 0.5f, corner.y + 0.5f}, {end.x - 0.5f, end.y - 0.5f}, ink(color), radius, 0, 1.2f * k);
    float x = corner.x + (width - side - gap - text_width - (with_detail ? detail_width : 0)) / 2;
    const float middle = corner.y + height / 2, line = std::round(middle - ImGui::GetTextLineHeight() / 2);
    drawIcon(list, icon, {x + side / 2, middle}, 0.85f * k, ink(color));
    x += side + gap;
    list.AddText(font(panelFonts().bold), font(panelFonts().bold)->FontSize, {std::round(x), line}, ink(color),
                 view.badge.text.c_str());
    x += text_width + gap;
    if (with_detail) list.AddText({std::round(x), line}, ink(theme.text_secondary), view.badge.detail.c_str());
    ImGui::End();
    if (state.gates) gates(view, state, done, theme, 48 * k);
}

void drawProblems(const InstrumentView& view, InstrumentState& state) {
    const std::vector<ProblemLine>& lines = state.problem_lines;
    if (lines.empty() && view.notice.empty()) return;
    const scene::Theme& theme = scene::theme(view.theme);
    const float k = view.scale;
    const auto errors =
        std::count_if(lines.begin(), lines.end(), [](const ProblemLine& p) { return p.severity == Severity::error; });
    const auto others = static_cast<std::ptrdiff_t>(lines.size()) - errors;
    const auto count = [](std::ptrdiff_t n, const char* what) {
        return n == 0 ? std::string() : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    std::string title = count(errors, "error");
    if (others > 0) title += (title.empty() ? "" : " · ") + count(others, "hint");
    if (title.empty()) title = "File";
    const bool bad = errors > 0 || !view.notice.empty();
    const float width = bad || state.problems_open ? std::min(680 * k, view.width - 24 * k) : 160 * k;
    const float most = std::min(220 * k, view.height - 24 * k);

    // From the bottom upwards: the window's lower edge stands still.
    ImGui::SetNextWindowPos({(view.width - width) / 2, view.height - 12 * k}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, most});
    ImGui::Begin("##problems", nullptr, (kBare & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_AlwaysAutoResize);
    const ImVec2 head = ImGui::GetCursorPos();
    const scene::Color& color = bad ? theme.bad : theme.caution;
    ImGui::PushFont(font(panelFonts().bold));
    ImGui::TextColored(toImGui(color), "%s", title.c_str());
    ImGui::PopFont();
    if (view.last_good && state.problems_open) {
        const char* note = "the last good mechanism is shown";
        ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(note).x - 22 * k);
        ImGui::TextDisabled("%s", note);
    }
    const ImVec2 after = ImGui::GetCursorPos();
    const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    drawIcon(*ImGui::GetWindowDrawList(), state.problems_open ? Icon::down : Icon::up,
             {right - 7 * k, ImGui::GetWindowPos().y + head.y - ImGui::GetScrollY() + ImGui::GetTextLineHeight() / 2},
             0.8f * k, ink(theme.text_secondary));
    ImGui::SetCursorPos(head);
    if (ImGui::InvisibleButton("head", {std::max(1.0f, ImGui::GetContentRegionAvail().x), ImGui::GetTextLineHeight()}))
        state.problems_open = !state.problems_open;
    ImGui::SetCursorPos(after);
    if (state.problems_open) {
        ImGui::PushTextWrapPos(0);
        if (!view.notice.empty()) ImGui::TextUnformatted(view.notice.c_str());
        ImGui::PopTextWrapPos();
        for (const ProblemLine& p : lines) {
            ImGui::PushFont(font(panelFonts().mono));
            ImGui::TextColored(toImGui(p.severity == Severity::error ? theme.bad : theme.caution), "%s",
                               fmt::format("{}:{}", p.line, p.column).c_str());
            ImGui::PopFont();
            ImGui::SameLine(64 * k);
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(p.message.c_str());
            if (!p.hint.empty()) {
                ImGui::SetCursorPosX(64 * k);
                ImGui::PushStyleColor(ImGuiCol_Text, toImGui(theme.text_secondary));
                ImGui::TextUnformatted(p.hint.c_str());
                ImGui::PopStyleColor();
            }
            ImGui::PopTextWrapPos();
        }
    }
    ImGui::End();
}

void drawEmpty(const InstrumentView& view) {
    if (view.snapshot || !view.file.empty()) return;
    const float k = view.scale, width = std::min(360 * k, view.width - 24 * k);
    ImGui::SetNextWindowPos({view.width / 2, view.height / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {20 * k, 16 * k});
    ImGui::Begin("##empty", nullptr, kBare);
    ImGui::PopStyleVar();
    ImGui::PushFont(font(panelFonts().bold));
    ImGui::TextUnformatted("No mechanism is open");
    ImGui::PopFont();
    ImGui::Dummy({0, 2 * k});
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled(
        "Drop a .mech file on this window, or start the viewer with one: mechview FILE. F1 lists keys "
        "and mouse.");
    ImGui::PopTextWrapPos();
    ImGui::End();
}

}  // namespace mw::app
