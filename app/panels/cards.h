// The cards one by one; panels.cpp lays them out.
#pragma once

#include "app/panels/panels.h"

namespace mw::app {

/// Each draws at height y (device pixels) and returns its bottom.
float drawRunCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawBodyCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawLoopCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y);
float drawMotionsCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events);
float drawSlidersCard(const PanelView& view, PanelState& state, const scene::Theme& theme, float y,
                      PanelEvents& events);

}  // namespace mw::app
