// Draws a scene into the framebuffer that is bound when `draw` is called (a window's, a QOpenGLWidget's, an offscreen
// one). OpenGL 3.3 core; Mesa's software OpenGL is enough. The context must be current in every call, the destructor
// included. After `draw` that framebuffer is bound again, with no program, vertex array or scissor, and blending and
// depth test off.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/render/quality.h"
#include "app/scene/camera.h"
#include "app/scene/label_layout.h"
#include "app/scene/scene_item.h"

namespace mw::render {

struct FrameOptions {
    int width = 1280, height = 720;  ///< px of the framebuffer
    int bottom = 0;                  ///< px that the picture stands above the framebuffer's lower edge
    double scale = 1;                ///< of the display: text and strokes grow with it
    scene::ThemeKind theme = scene::ThemeKind::dark;
    Quality quality;
    bool axis_widget = true;
    bool labels = true;
    std::vector<scene::Rect> taken;               ///< corners covered by instruments: labels keep out, px
    scene::Vec2 shift = scene::Vec2::Zero();      ///< of the camera's target from the middle of the picture, px
    double legend_left = 12, legend_bottom = 12;  ///< of the legend's strip, px at scale 1
    double legend_width = 0;                      ///< that it keeps to, in more lines; 0: to the right edge
};

class Renderer {
public:
    /// Throws std::runtime_error when the context cannot do OpenGL 3.3.
    Renderer();
    ~Renderer();
    Renderer(const Renderer&) = delete;
    Renderer& operator=(const Renderer&) = delete;

    void draw(const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& options);

    /// What the last frame cost. Software OpenGL: measured to its end; a GPU: time until the commands were handed over.
    double lastMilliseconds() const;
    bool software() const;       ///< a CPU draws
    std::string device() const;  ///< its name

    struct ShownLabel {
        scene::ItemId id;
        scene::Rect box;  ///< px
    };
    /// Where the legend of the last frame stands, px; no width: there is none.
    scene::Rect legend() const;
    /// Labels of the last frame, for clicks on them and for tests.
    const std::vector<ShownLabel>& shownLabels() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mw::render
