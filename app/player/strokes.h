// Icons and small shapes of the viewer's instruments: the studio's set, stroked on its 18 px grid.
#pragma once

#include <imgui.h>

#include "app/scene/theme.h"

namespace mw::app {

enum class Icon { reset, back, play, pause, step, check, cross, work, pencil, warning, down, up };

/// Centred at a place, `scale` device pixels an interface pixel.
void drawIcon(ImDrawList& list, Icon icon, ImVec2 centre, float scale, ImU32 color);
/// A button of an icon with a tooltip.
bool iconButton(const char* id, Icon icon, const char* tip, float scale, const scene::Theme& theme,
                bool enabled = true);
ImU32 ink(const scene::Color& color);

}  // namespace mw::app
