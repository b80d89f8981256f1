// The selected loop: by how much each row is missed, what it carries, and the wrench of the closure with all that a
// force must say of itself.
#include <cmath>
#include <fmt/format.h>

#include "app/live/probes.h"
#include "app/panels/card.h"
#include "app/panels/cards.h"
#include "engine/model/loop_rows.h"

namespace mw::app {
namespace {

std::string triple(const double* v) {
    return fmt::format("{:>8} {:>8} {:>8}", shortNumber(v[0]), shortNumber(v[1]), shortNumber(v[2]));
}

}  // namespace

float drawLoopCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    const Snapshot& s = *view.snapshot;
    const auto index = static_cast<std::size_t>(view.selected_loop);
    if (index >= s.model->loops.size() || index >= s.readings.loops.size()) return y;
    const Loop& loop = s.model->loops[index];
    const LoopReading& r = s.readings.loops[index];
    const float k = view.scale, width = kSelectedCard * k;
    const auto name = [&](int body) {
        return body == kBase ? std::string("base") : s.model->bodies[static_cast<std::size_t>(body)].name;
    };
    if (beginCard("##loop", loop.name.c_str(), view.width - width - 12 * k, y, width, view.height - y - 12 * k,
                  state.body_open, nullptr, loopTypeName(loop.type))) {
        row("from", name(loop.from.body));
        row("to", name(loop.to.body));
        const scene::Color color = theme.quantity(scene::Quantity::joint);
        subhead("wrench", "base axes");
        const bool known = !r.lambda.empty();
        row("N", known ? triple(&r.wrench[3]) : "not computed", &color);
        row("N m", known ? triple(&r.wrench[0]) : "not computed", &color);
        ImGui::PushTextWrapPos(ImGui::GetWindowContentRegionMax().x);
        ImGui::TextDisabled("on %s by %s, about the `to` point, at t = %.3f s; all rows of this loop, exact",
                            name(loop.to.body).c_str(), name(loop.from.body).c_str(), s.state.t);
        ImGui::PopTextWrapPos();
        const std::vector<LoopRow> rows = rowsOf(loop);
        const auto value = [](const std::vector<double>& all, std::size_t i, const std::string& unit) {
            return i < all.size() ? shortNumber(all[i]) + " " + unit : std::string("not computed");
        };
        subhead("error", loop.type == LoopType::distance ? "length - wanted" : "frame of `from`");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool open = i < r.error.size() && !(std::abs(r.error[i]) <= 1e-3);
            row(rowName(rows[i]).c_str(), value(r.error, i, rowUnit(rows[i])), open ? &theme.bad : nullptr);
        }
        subhead("lambda", "on " + name(loop.to.body));
        for (std::size_t i = 0; i < rows.size(); ++i)
            row(rowName(rows[i]).c_str(), value(r.lambda, i, rows[i].kind == LoopRow::Kind::turn ? "N m" : "N"),
                &color);
        subhead("rate");
        for (std::size_t i = 0; i < rows.size(); ++i)
            row(rowName(rows[i]).c_str(), value(r.rate, i, std::string(rowUnit(rows[i])) + "/s"));
    }
    return endCard();
}

}  // namespace mw::app
