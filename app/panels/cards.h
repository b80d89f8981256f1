// The cards one by one; panels.cpp lays them out.
#pragma once

#include "app/panels/panels.h"

namespace mw::app {

/// Interface px: of cards to the view's edges; widths of a folded card or a short one, of an unfolded list, of the card
/// of what is selected, and of a body's.
constexpr float kCardEdge = 12, kShortCard = 216, kListCard = 300, kSelectedCard = 304, kBodyCard = 288;

/// Each draws at height y (device pixels) and returns its bottom. Those at the left may reach down to `view.height`.
float drawRunCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawBodyCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawLoopCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawMotionsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events);
/// Switches, scale and list of contacts.
float drawContactsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                       PanelEvents& events);
/// The selected contact, with all that a force must say of itself; the selected band.
float drawContactCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawTrackCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
/// All tendons with their tension; commands and switches of those that take them.
float drawTendonsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events);
/// The selected tendon: length and rate, its tension and every force apart, branches, guides.
float drawTendonCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
/// A contact of two shapes, or of a shape and the ground.
float drawShapeContactCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
/// Keys and speeds of keyboard driving, at the bottom of the view.
/// Returns its top.
float drawDriveCard(const PanelView& view, const scene::Theme& theme, PanelEvents& events);
float drawSlidersCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events);

}  // namespace mw::app
