// The flat drawings over the scene: rounded boxes, discs, strokes and text in px, gathered and then drawn in two calls.
#pragma once

#include "app/render/font_atlas.h"
#include "app/render/gl_objects.h"
#include "app/scene/theme.h"

namespace mw::render {

class Canvas {
public:
    Canvas();
    ~Canvas();

    void begin(int width, int height);
    void box(float x, float y, float width, float height, float radius, const scene::Color& fill,
             const scene::Color& border = {0, 0, 0, 0}, float border_width = 0);
    void disc(float x, float y, float radius, const scene::Color& fill, const scene::Color& border = {0, 0, 0, 0},
              float border_width = 0);
    /// Base line at y; returns the advance.
    float text(const std::string& text, scene::Face face, float pixels, float x, float y, const scene::Color& ink,
               bool tabular = false);
    /// Boxes first, then text; what is drawn after belongs to the next layer.
    void flush();
    FontAtlas& fonts() { return fonts_; }

private:
    struct Rect {
        float box[4], style[2];
        scene::Color fill, border;
    };
    struct Letter {
        float box[4], place[4];
        scene::Color ink;
    };
    Program rect_program_, text_program_;
    VertexArray rect_array_, text_array_;
    Buffer rect_buffer_, text_buffer_;
    GLuint atlas_ = 0;
    FontAtlas fonts_;
    std::vector<Rect> rects_;
    std::vector<Letter> letters_;
    std::vector<FontAtlas::Placed> placed_;
    int width_ = 1, height_ = 1;
};

}  // namespace mw::render
