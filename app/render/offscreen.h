// An OpenGL context without a window or a display server (EGL, surfaceless), and pictures drawn in it.
#pragma once

#include <memory>
#include <string>

#include "app/render/png.h"
#include "app/scene/camera.h"
#include "app/scene/scene_item.h"

namespace mw::render {

class Renderer;

class Offscreen {
public:
    /// Throws std::runtime_error with a sentence for people when no OpenGL 3.3 can be had.
    Offscreen();
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    Renderer& renderer();
    /// `width` and `height` in px; `scale` enlarges text and strokes.
    Image draw(const scene::Scene& scene, const scene::Camera& camera, int width, int height, double scale,
               scene::ThemeKind theme);
    /// The context's framebuffer as it stands after `draw` or own calls.
    void makeCurrent();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Draws one picture at full quality into a PNG file; false and a sentence in `error` when that fails.
bool renderToPng(const scene::Scene& scene, const scene::Camera& camera, int width, int height, double scale,
                 scene::ThemeKind theme, const std::string& path, std::string* error = nullptr);

}  // namespace mw::render
