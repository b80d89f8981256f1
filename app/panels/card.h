// The look of a card: a head that folds, rows of a quiet label and a value set flush right.
#pragma once

#include <imgui.h>
#include <string>
#include <vector>

#include "app/panels/imgui_host.h"
#include "app/scene/label_layout.h"
#include "app/scene/theme.h"

namespace mw::app {

/// Opens a card at a place (device pixels) with a width; false when folded. endCard() in either case; returns its
/// bottom.
bool beginCard(const char* id, const char* title, float x, float y, float width, float max_height, bool& open,
               const scene::Color* title_color = nullptr, const std::string& right = {});
float endCard();
/// Of a folded card, and of an open one with a few rows: what it wants at least.
float headHeight();
float leastOpenHeight(float scale);

/// Where cards stand, device pixels.
struct CardBox {
    std::string id;
    scene::Rect box;
};
/// Every card since the list was cleared, in the order in which they were drawn.
std::vector<CardBox>& cardBoxes();

void row(const char* label, const std::string& value, const scene::Color* value_color = nullptr);
/// Small bold head with a quiet note flush right ("velocity", "base axes").
void subhead(const char* text, const std::string& note = {});

inline ImVec4 toImGui(const scene::Color& c) { return {c.r, c.g, c.b, c.a}; }

}  // namespace mw::app
