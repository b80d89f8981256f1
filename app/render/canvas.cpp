// Instanced quads whose fragments know the distance to their outline.
#include "app/render/canvas.h"

#include <algorithm>

#include "app/render/shaders.h"

namespace mw::render {

namespace {
void attribute(GLuint index, GLint count, GLsizei stride, std::size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, stride, reinterpret_cast<const void*>(offset));
    glVertexAttribDivisor(index, 1);
}
}  // namespace

Canvas::Canvas()
    : rect_program_(shaders::kRectVertex, shaders::kRectFragment),
      text_program_(shaders::kTextVertex, shaders::kTextFragment) {
    glBindVertexArray(rect_array_);
    glBindBuffer(GL_ARRAY_BUFFER, rect_buffer_);
    attribute(0, 4, sizeof(Rect), offsetof(Rect, box));
    attribute(1, 2, sizeof(Rect), offsetof(Rect, style));
    attribute(2, 4, sizeof(Rect), offsetof(Rect, fill));
    attribute(3, 4, sizeof(Rect), offsetof(Rect, border));
    glBindVertexArray(text_array_);
    glBindBuffer(GL_ARRAY_BUFFER, text_buffer_);
    attribute(0, 4, sizeof(Letter), offsetof(Letter, box));
    attribute(1, 4, sizeof(Letter), offsetof(Letter, place));
    attribute(2, 4, sizeof(Letter), offsetof(Letter, ink));
    glBindVertexArray(0);
    glGenTextures(1, &atlas_);
    glBindTexture(GL_TEXTURE_2D, atlas_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
}

Canvas::~Canvas() { glDeleteTextures(1, &atlas_); }

void Canvas::begin(int width, int height) {
    width_ = width;
    height_ = height;
    rects_.clear();
    letters_.clear();
    fonts_.beginFrame();
}

void Canvas::box(float x, float y, float width, float height, float radius, const scene::Color& fill,
                 const scene::Color& border, float border_width) {
    rects_.push_back({{x, y, width, height}, {std::min({radius, width / 2, height / 2}), border_width}, fill, border});
}

void Canvas::disc(float x, float y, float radius, const scene::Color& fill, const scene::Color& border,
                  float border_width) {
    box(x - radius, y - radius, 2 * radius, 2 * radius, radius, fill, border, border_width);
}

float Canvas::text(const std::string& text, scene::Face face, float pixels, float x, float y, const scene::Color& ink,
                   bool tabular) {
    placed_.clear();
    float advance = fonts_.layout(text, face, pixels, x, y, &placed_, tabular);
    for (const auto& p : placed_) {
        letters_.push_back(
            {{p.x, p.y, p.glyph.width, p.glyph.height}, {p.glyph.u, p.glyph.v, p.glyph.du, p.glyph.dv}, ink});
    }
    return advance;
}

void Canvas::flush() {
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (!rects_.empty()) {
        rect_program_.use();
        glUniform2f(rect_program_.at("viewport"), static_cast<float>(width_), static_cast<float>(height_));
        glBindVertexArray(rect_array_);
        glBindBuffer(GL_ARRAY_BUFFER, rect_buffer_);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(rects_.size() * sizeof(Rect)), rects_.data(),
                     GL_STREAM_DRAW);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(rects_.size()));
        rects_.clear();
    }
    if (!letters_.empty()) {
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, atlas_);
        if (fonts_.takeChanged()) {
            glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, FontAtlas::kSize, FontAtlas::kSize, 0, GL_RED, GL_UNSIGNED_BYTE,
                         fonts_.pixels().data());
            glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        }
        text_program_.use();
        glUniform2f(text_program_.at("viewport"), static_cast<float>(width_), static_cast<float>(height_));
        glUniform1i(text_program_.at("atlas"), 0);
        glBindVertexArray(text_array_);
        glBindBuffer(GL_ARRAY_BUFFER, text_buffer_);
        glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(letters_.size() * sizeof(Letter)), letters_.data(),
                     GL_STREAM_DRAW);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(letters_.size()));
        letters_.clear();
        glBindTexture(GL_TEXTURE_2D, 0);
    }
    glBindVertexArray(0);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

}  // namespace mw::render
