// Where labels go in the picture so that none covers another or a reserved corner. Remembers its last choice, so that
// labels do not jump while things move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "app/scene/geometry.h"

namespace mw::scene {

struct Rect {
    double x = 0, y = 0, width = 0, height = 0;  ///< px, top left origin
    bool overlaps(const Rect& o, double gap = 0) const {
        return x < o.x + o.width + gap && o.x < x + width + gap && y < o.y + o.height + gap && o.y < y + height + gap;
    }
    bool contains(const Vec2& p) const { return p.x() >= x && p.x() <= x + width && p.y() >= y && p.y() <= y + height; }
};

struct LabelRequest {
    Vec2 anchor = Vec2::Zero();  ///< px
    Vec2 size = Vec2::Zero();    ///< px
    Vec2 toward = Vec2::Zero();  ///< preferred side, any length; zero: to the upper right
    int priority = 0;
    std::uint64_t key = 0;  ///< same thing, same key from frame to frame
};

struct PlacedLabel {
    bool shown = false;  ///< false: no room without covering something more important
    Rect box;
    bool leader = false;  ///< so far from its anchor that a line should join them
};

class LabelLayout {
public:
    /// `obstacles`: corners that are taken, px. `hides`: which part of a box lies over what is drawn, 0 to 1; such
    /// places are taken where there is no better one near. Result in the order of the requests.
    std::vector<PlacedLabel> place(const std::vector<LabelRequest>& labels, double width, double height,
                                   const std::vector<Rect>& obstacles, double gap = 4,
                                   const std::function<double(const Rect&)>& hides = {});

private:
    std::map<std::uint64_t, int> slots_;
};

}  // namespace mw::scene
