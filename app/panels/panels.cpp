// Lays the cards out: run and sliders at the left, the selected body at the right below the axis widget.
#include "app/panels/panels.h"

#include <algorithm>
#include <imgui.h>

#include "app/panels/cards.h"

namespace mw::app {

namespace {
/// There is something that could touch: shown before it does.
bool hasContacts(const PanelView& view) {
    const Model& model = *view.snapshot->model;
    if (!model.tracks.empty() || !view.snapshot->readings.contacts.empty()) return true;
    return !view.snapshot->readings.rows.contacts.empty() ||
           std::any_of(model.shapes.begin(), model.shapes.end(), [](const Shape& s) { return s.material >= 0; });
}

bool ofShapes(const PanelView& view) {
    const auto& contacts = view.snapshot->readings.rows.contacts;
    return std::any_of(contacts.begin(), contacts.end(),
                       [&](const ShapeContactReading& c) { return c.id == view.selected_contact; });
}
}  // namespace

PanelEvents drawPanels(const PanelView& view, PanelState& state, scene::ThemeKind kind) {
    PanelEvents events;
    if (!view.snapshot || !view.snapshot->model || !view.layout) return events;
    const scene::Theme& theme = scene::theme(kind);
    const float k = view.scale;
    float left = 12 * k;
    if (state.show_run) {
        state.run_bottom = drawRunCard(view, state, theme, left);
        left = state.run_bottom + 8 * k;
    }
    left = std::max(left, view.sliders_below > 0 ? view.sliders_below + 8 * k : 0);
    if (state.show_contacts && view.look && hasContacts(view))
        left = drawContactsCard(view, state, theme, left, events) + 8 * k;
    if (state.show_tendons && !view.snapshot->model->tendons.empty())
        left = drawTendonsCard(view, state, theme, left, events) + 8 * k;
    // A card that has no room for its head and a line is left out.
    const float least = 70 * k;
    const auto room = [&] { return view.height - left >= least; };
    if (state.show_sliders && !view.snapshot->model->loops.empty() && view.motions_note.empty() && room())
        left = drawMotionsCard(view, state, theme, left, events) + 8 * k;
    if (state.show_sliders && view.layout->nq > 0 && (room() || !state.sliders_open))
        drawSlidersCard(view, state, theme, left, events);
    PanelView right = view;
    if (view.drive.possible) right.height = std::min(view.height, drawDriveCard(view, theme, events));
    const bool real_body =
        view.selected_body >= 0 && view.selected_body < static_cast<int>(view.snapshot->model->bodies.size());
    if (state.show_body && real_body) drawBodyCard(right, state, theme, view.top_right_reserved * k);
    if (state.show_body && view.selected_loop >= 0) drawLoopCard(right, state, theme, view.top_right_reserved * k);
    if (state.show_body && view.selected_track >= 0) drawTrackCard(right, state, theme, view.top_right_reserved * k);
    if (state.show_body && view.selected_tendon >= 0) drawTendonCard(right, state, theme, view.top_right_reserved * k);
    if (state.show_body && !view.selected_contact.empty()) {
        if (ofShapes(view)) drawShapeContactCard(right, state, theme, view.top_right_reserved * k);
        else drawContactCard(right, state, theme, view.top_right_reserved * k);
    }
    return events;
}

}  // namespace mw::app
