// Glyphs of the interface's fonts, drawn at the size they are shown at (no scaling, so that text is sharp), in one
// texture.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/scene/theme.h"

namespace mw::render {

struct Glyph {
    float x = 0, y = 0, width = 0, height = 0;  ///< of the picture, px relative to the pen on the base line
    float u = 0, v = 0, du = 0, dv = 0;         ///< in the atlas
};

class FontAtlas {
public:
    static constexpr int kSize = 1024;
    FontAtlas();
    ~FontAtlas();

    struct Placed {
        Glyph glyph;
        float x, y;  ///< top left, px
    };
    /// Glyphs of a line of UTF-8 with its base line at (x, y); returns the advance. `pixels` is the em size.
    /// `tabular`: digits of equal width.
    float layout(const std::string& text, scene::Face face, float pixels, float x, float y, std::vector<Placed>* out,
                 bool tabular = false);
    float width(const std::string& text, scene::Face face, float pixels, bool tabular = false) {
        return layout(text, face, pixels, 0, 0, nullptr, tabular);
    }
    /// Height of capitals over the base line, px: what centring goes by.
    float capHeight(scene::Face face, float pixels) const;

    const std::vector<std::uint8_t>& pixels() const { return pixels_; }
    /// True when the picture has changed since the last call.
    bool takeChanged() { return std::exchange(changed_, false); }
    /// Call at the start of a frame: makes room when the last one overflowed.
    void beginFrame();

private:
    struct Font;
    const Glyph& glyph(Font& font, int face, int size64, int code, int shift);

    std::vector<std::unique_ptr<Font>> fonts_;
    std::map<std::tuple<int, int, int, int>, Glyph> glyphs_;
    std::vector<std::uint8_t> pixels_;
    int row_x_ = 1, row_y_ = 1, row_height_ = 0;
    bool changed_ = true, full_ = false;
};

}  // namespace mw::render
