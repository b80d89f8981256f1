// The one file that holds stb_truetype. Glyphs are packed in shelves, at four positions within a pixel.
#include "app/render/font_atlas.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_truetype.h>
#pragma GCC diagnostic pop

namespace mw::render {

struct FontAtlas::Font {
    std::vector<unsigned char> bytes;
    stbtt_fontinfo info{};
    bool good = false;
    float scale(float pixels) const { return stbtt_ScaleForMappingEmToPixels(&info, pixels); }
};

namespace {
/// Next code point; malformed bytes read as U+FFFD.
int decode(const std::string& s, std::size_t& i) {
    auto c = static_cast<unsigned char>(s[i++]);
    if (c < 0x80) return c;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : -1;
    if (more < 0 || c > 0xF7) return 0xFFFD;
    int code = c & (0x3F >> more);
    for (; more > 0; --more) {
        if (i >= s.size() || (static_cast<unsigned char>(s[i]) & 0xC0) != 0x80) return 0xFFFD;
        code = code << 6 | (static_cast<unsigned char>(s[i++]) & 0x3F);
    }
    return code;
}
}  // namespace

FontAtlas::FontAtlas() : pixels_(static_cast<std::size_t>(kSize) * kSize, 0) {
    for (scene::Face face : {scene::Face::ui, scene::Face::ui_bold, scene::Face::mono, scene::Face::mono_bold}) {
        auto font = std::make_unique<Font>();
        std::ifstream file(scene::fontFile(face), std::ios::binary);
        font->bytes.assign(std::istreambuf_iterator<char>(file), {});
        int offset = font->bytes.size() > 64 ? stbtt_GetFontOffsetForIndex(font->bytes.data(), 0) : -1;
        font->good = offset >= 0 && stbtt_InitFont(&font->info, font->bytes.data(), offset);
        fonts_.push_back(std::move(font));
    }
}

FontAtlas::~FontAtlas() = default;

void FontAtlas::beginFrame() {
    if (!full_) return;
    full_ = false;
    glyphs_.clear();
    std::fill(pixels_.begin(), pixels_.end(), std::uint8_t{0});
    row_x_ = row_y_ = 1;
    row_height_ = 0;
    changed_ = true;
}

const Glyph& FontAtlas::glyph(Font& font, int face, int size64, int code, int shift) {
    auto [it, fresh] = glyphs_.try_emplace({face, size64, code, shift});
    Glyph& g = it->second;
    if (!fresh) return g;
    float scale = font.scale(static_cast<float>(size64) / 64.0f), sub = static_cast<float>(shift) / 4.0f;
    int index = stbtt_FindGlyphIndex(&font.info, code);
    int x0, y0, x1, y1;
    stbtt_GetGlyphBitmapBoxSubpixel(&font.info, index, scale, scale, sub, 0, &x0, &y0, &x1, &y1);
    int w = x1 - x0, h = y1 - y0;
    if (w <= 0 || h <= 0) return g;
    if (row_x_ + w + 1 > kSize) row_x_ = 1, row_y_ += row_height_ + 1, row_height_ = 0;
    if (w + 2 > kSize || row_y_ + h + 1 > kSize) {
        full_ = true;  // this frame goes without; the next starts with an empty sheet
        return g;
    }
    stbtt_MakeGlyphBitmapSubpixel(&font.info,
                                  &pixels_[static_cast<std::size_t>(row_y_) * kSize + static_cast<std::size_t>(row_x_)],
                                  w, h, kSize, scale, scale, sub, 0, index);
    g.x = static_cast<float>(x0);
    g.y = static_cast<float>(y0);
    g.width = static_cast<float>(w);
    g.height = static_cast<float>(h);
    g.u = static_cast<float>(row_x_) / kSize;
    g.v = static_cast<float>(row_y_) / kSize;
    g.du = g.width / kSize;
    g.dv = g.height / kSize;
    row_x_ += w + 1;
    row_height_ = std::max(row_height_, h);
    changed_ = true;
    return g;
}

float FontAtlas::layout(const std::string& text, scene::Face face, float pixels, float x, float y,
                        std::vector<Placed>* out, bool tabular) {
    int f = static_cast<int>(face);
    Font& font = *fonts_[static_cast<std::size_t>(f)];
    if (!font.good) return 0;
    int size64 = static_cast<int>(std::lround(pixels * 64));
    float scale = font.scale(static_cast<float>(size64) / 64.0f);
    auto advanceOf = [&](int code) {
        int advance = 0, bearing = 0;
        stbtt_GetCodepointHMetrics(&font.info, code, &advance, &bearing);
        return static_cast<float>(advance) * scale;
    };
    float zero = tabular ? advanceOf('0') : 0, pen = x;
    int previous = 0;
    for (std::size_t i = 0; i < text.size();) {
        int code = decode(text, i);
        bool digit = tabular && code >= '0' && code <= '9';
        float advance = advanceOf(code), lead = 0;
        if (digit) lead = (zero - advance) / 2, advance = zero;
        else if (previous) pen += static_cast<float>(stbtt_GetCodepointKernAdvance(&font.info, previous, code)) * scale;
        if (out) {
            float at = pen + lead, whole = std::floor(at);
            int shift = static_cast<int>((at - whole) * 4);
            const Glyph& g = glyph(font, f, size64, code, shift);
            if (g.width > 0) out->push_back({g, whole + g.x, std::round(y) + g.y});
        }
        pen += advance;
        previous = digit ? 0 : code;
    }
    return pen - x;
}

float FontAtlas::capHeight(scene::Face face, float pixels) const {
    const Font& font = *fonts_[static_cast<std::size_t>(face)];
    if (!font.good) return pixels * 0.7f;
    int x0, y0, x1, y1;
    if (!stbtt_GetCodepointBox(&font.info, 'H', &x0, &y0, &x1, &y1)) return pixels * 0.7f;
    return static_cast<float>(y1) * font.scale(pixels);
}

}  // namespace mw::render
