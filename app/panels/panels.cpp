// Lays the cards out: run, contacts, tendons, motions and sliders in a column at the left, the selected thing at the
// right below the axis widget. Every head is seen; what does not fit scrolls inside its card.
#include "app/panels/panels.h"

#include <algorithm>
#include <functional>
#include <imgui.h>

#include "app/panels/card.h"
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

struct LeftCards {
    bool contacts = false, tendons = false, motions = false, sliders = false;  // beside the run card
};
LeftCards leftCards(const PanelView& view, const PanelState& state) {
    const Model& model = *view.snapshot->model;
    return {state.show_contacts && view.look && hasContacts(view), state.show_tendons && !model.tendons.empty(),
            state.show_sliders && !model.loops.empty() && view.motions_note.empty(),
            state.show_sliders && view.layout->nq > 0};
}

struct ColumnCard {
    bool open = false;
    std::function<float(const PanelView&, float y)> draw;
};

bool realBody(const PanelView& view) {
    return view.selected_body >= 0 && view.selected_body < static_cast<int>(view.snapshot->model->bodies.size());
}

/// The card of what is selected has a place of its own at the right. Where the view is too narrow for two, it stands
/// among those at the left.
bool selectedCard(const PanelView& view, const PanelState& state) {
    return state.show_body && (realBody(view) || view.selected_loop >= 0 || view.selected_track >= 0 ||
                               view.selected_tendon >= 0 || !view.selected_contact.empty());
}

float drawSelected(const PanelView& view, PanelState& state, const scene::Theme& theme, float y) {
    if (realBody(view)) return drawBodyCard(view, state, theme, y);
    if (view.selected_loop >= 0) return drawLoopCard(view, state, theme, y);
    if (view.selected_track >= 0) return drawTrackCard(view, state, theme, y);
    if (view.selected_tendon >= 0) return drawTendonCard(view, state, theme, y);
    if (ofShapes(view)) return drawShapeContactCard(view, state, theme, y);
    return drawContactCard(view, state, theme, y);
}

/// Of the cards at the left that are always there, interface px.
float columnEnd(const PanelState& state, const LeftCards& there) {
    if ((there.contacts && state.contacts_open) || (there.tendons && state.tendons_open) ||
        (there.sliders && state.sliders_open))
        return kCardEdge + kListCard;
    return state.show_run || there.contacts || there.tendons || there.motions || there.sliders ? kCardEdge + kShortCard
                                                                                               : 0;
}

bool selectedAtLeft(const PanelView& view, const PanelState& state, const LeftCards& there) {
    const float end = columnEnd(state, there);
    return end > 0 && selectedCard(view, state) && view.width / view.scale < end + 8 + kSelectedCard + kCardEdge;
}

/// One under the other. A card gets what the ones below it do not want: their heads, and a few rows where they are
/// open. Where not even the heads fit, the last ones are left out.
void drawColumn(const PanelView& view, std::vector<ColumnCard> cards, PanelState& state, bool run_first) {
    // Many cards in a low view stand closer.
    const float k = view.scale, gap = (cards.size() > 3 && view.height < 440 * k ? 4 : 8) * k,
                bottom = view.height - 12 * k, head = headHeight();
    const auto wanted = [&](std::size_t from, bool rows) {
        float sum = 0;
        for (std::size_t i = from; i < cards.size(); ++i)
            sum += (i > from ? gap : 0) + (rows && cards[i].open ? leastOpenHeight(k) : head);
        return sum;
    };
    float y = 12 * k;
    if (!run_first && view.cards_below > 0) y = view.cards_below + gap;
    while (!cards.empty() && y + wanted(0, false) + (run_first ? view.under_run : 0) > bottom) cards.pop_back();
    for (std::size_t i = 0; i < cards.size(); ++i) {
        if (i > 0 && y + head > bottom) break;
        const bool is_run = run_first && i == 0;
        const float between = is_run ? view.under_run : 0;
        const bool rows = y + wanted(i, true) + between <= bottom;
        const float below = i + 1 < cards.size() ? wanted(i + 1, rows) + gap : 0;
        PanelView own = view;
        own.height = bottom - below - between;
        y = cards[i].draw(own, y);
        if (is_run) {
            state.run_bottom = y;
            if (view.cards_below > 0) y = std::max(y, view.cards_below);
        }
        y += gap;
    }
}
}  // namespace

float leftCardsEnd(const PanelView& view, const PanelState& state) {
    if (!view.snapshot || !view.snapshot->model || !view.layout) return 0;
    const LeftCards there = leftCards(view, state);
    return selectedAtLeft(view, state, there) ? kCardEdge + kSelectedCard : columnEnd(state, there);
}

PanelEvents drawPanels(const PanelView& view, PanelState& state, scene::ThemeKind kind) {
    PanelEvents events;
    if (!view.snapshot || !view.snapshot->model || !view.layout) return events;
    const scene::Theme& theme = scene::theme(kind);
    const float k = view.scale;
    const LeftCards there = leftCards(view, state);
    std::vector<ColumnCard> column;
    if (state.show_run)
        column.push_back(
            {state.run_open, [&](const PanelView& v, float y) { return drawRunCard(v, state, theme, y); }});
    const bool at_left = selectedAtLeft(view, state, there);
    if (at_left)
        column.push_back({state.body_open, [&](const PanelView& v, float y) {
                              // Its right edge is that of a view which ends with it.
                              PanelView own = v;
                              own.width = ((realBody(v) ? kBodyCard : kSelectedCard) + 24) * k;
                              own.height += 12 * k;
                              return drawSelected(own, state, theme, y);
                          }});
    if (there.contacts)
        column.push_back({state.contacts_open,
                          [&](const PanelView& v, float y) { return drawContactsCard(v, state, theme, y, events); }});
    if (there.tendons)
        column.push_back({state.tendons_open,
                          [&](const PanelView& v, float y) { return drawTendonsCard(v, state, theme, y, events); }});
    if (there.motions)
        column.push_back({state.motions_open,
                          [&](const PanelView& v, float y) { return drawMotionsCard(v, state, theme, y, events); }});
    if (there.sliders)
        column.push_back({state.sliders_open,
                          [&](const PanelView& v, float y) { return drawSlidersCard(v, state, theme, y, events); }});
    drawColumn(view, std::move(column), state, state.show_run);

    PanelView right = view;
    right.height = view.right_height;
    if (view.drive.possible) right.height = std::min(right.height, drawDriveCard(view, theme, events) + 8 * k);
    const float top = view.top_right_reserved * k;
    if (!at_left && selectedCard(view, state) && right.height - 12 * k - top >= headHeight())
        drawSelected(right, state, theme, top);
    return events;
}

}  // namespace mw::app
