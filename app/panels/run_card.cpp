// The run card: state, time, step, real time, energy residual.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/panels/card.h"
#include "app/panels/cards.h"
#include "engine/model/loop_rows.h"

namespace mw::app {

float drawRunCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const float k = view.scale;
    const char* title = "Paused";
    const scene::Color* color = &theme.text_secondary;
    if (s.blow_up) title = "Stopped", color = &theme.bad;
    else if (s.run == RunState::running) title = "Running", color = &theme.good;
    else if (s.run == RunState::replaying) title = "Replaying", color = &theme.accent;
    if (beginCard("##run", title, 12 * k, y, kShortCard * k, view.height - y, state.run_open, color,
                  fmt::format("t = {:.3f} s", s.state.t))) {
        const char* scheme = s.integrator == Integrator::euler ? "Euler" : "Verlet";
        row("step",
            s.has_rows ? shortNumber(s.dt * 1e3) + " ms" : fmt::format("{} ms · {}", shortNumber(s.dt * 1e3), scheme));
        if (s.has_rows) row("scheme", "semi-implicit");
        if (s.has_rows && ImGui::IsItemHovered())
            ImGui::SetTooltip(
                "Rows of tendons, contacts and limits act in velocities: positions follow the solved ones. "
                "%s",
                s.verlet_refused.c_str());
        row("steps done", fmt::format("{}", s.state.step));
        if (s.run == RunState::running)
            row("real time", fmt::format("{:.2f} × (can {:.{}f} ×)", s.reached_speed, s.possible_speed,
                                         s.possible_speed < 10 ? 1 : 0));
        else
            row("real time", s.possible_speed > 0
                                 ? fmt::format("can {:.{}f} ×", s.possible_speed, s.possible_speed < 10 ? 1 : 0)
                                 : std::string("not measured"));
        // A residual beyond a thousandth of what moves is worth a look.
        const Energies& e = s.readings.energy;
        const double scale = std::max({std::abs(e.kinetic), std::abs(e.total()), 1e-9});
        row("energy residual", shortNumber(s.readings.residual) + " J",
            std::abs(s.readings.residual) > 1e-3 * scale ? &theme.caution : nullptr);
        if (view.layout->nloop > 0) {
            row("mobility", std::to_string(view.layout->nv - view.layout->nc));
            // Where the card that lists them is left out, it is said why.
            if (!view.motions_note.empty()) row("free motions", "not listed");
            if (view.motions_note.empty())
                row("loop rows", fmt::format("nc {} · rank {}", view.layout->nc, view.layout->nc));
            double worst = 0;
            const char* unit = "m";
            for (std::size_t i = 0; i < s.readings.loops.size(); ++i) {
                const std::vector<LoopRow> rows = rowsOf(s.model->loops[i]);
                const std::vector<double>& error = s.readings.loops[i].error;
                for (std::size_t r = 0; r < rows.size() && r < error.size(); ++r)
                    if (!(std::abs(error[r]) <= worst)) worst = std::abs(error[r]), unit = rowUnit(rows[r]);
            }
            row("largest loop error", shortNumber(worst) + " " + unit, worst > 1e-3 ? &theme.caution : nullptr);
        }
        if (s.has_rows) {
            const RowsReading& rows = s.readings.rows;
            const SolveReport& solve = rows.report;
            if (!rows.valid) {
                row("rows", "not computed");
            } else {
                row("rows, sweeps", fmt::format("{} · {}", solve.rows, solve.sweeps));
                const bool bad = solve.status == SolveStatus::budget_spent || rows.facts.overflow;
                row("solved", rows.facts.overflow ? "too many contacts" : solveStatusName(solve.status),
                    bad ? &theme.caution : nullptr);
                if (solve.status != SolveStatus::no_rows) row("residual", shortNumber(solve.residual) + " N s");
                if (solve.stuck > 0 && solve.status != SolveStatus::no_freedom)
                    row("no degrees of freedom", fmt::format("{} rows", solve.stuck), &theme.caution);
            }
        }
        row("kernel", s.kernel);
        if (s.blow_up) {
            ImGui::Separator();
            ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x);
            ImGui::TextColored(toImGui(theme.bad), "%s", s.blow_up->what.c_str());
            ImGui::TextDisabled("last good state: t = %.6g s, step %lld. One step back goes on from before it.",
                                s.blow_up->t, static_cast<long long>(s.blow_up->step));
            ImGui::PopTextWrapPos();
        }
    }
    return endCard();
}

}  // namespace mw::app
