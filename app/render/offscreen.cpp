// EGL on Mesa's surfaceless platform, the default display where that is missing.
#include "app/render/offscreen.h"

#include <algorithm>
#include <cstring>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdexcept>

#include "app/render/renderer.h"

namespace mw::render {

struct Offscreen::Impl {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    GLuint framebuffer = 0, color = 0;
    int width = 0, height = 0;
    std::unique_ptr<Renderer> renderer;

    void open();
    void current() { eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context); }
    void resize(int w, int h);
};

void Offscreen::Impl::open() {
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    }
    EGLint major = 0, minor = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
        if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
            throw std::runtime_error("no EGL display could be opened for drawing without a window");
        }
    }
    if (!eglBindAPI(EGL_OPENGL_API)) throw std::runtime_error("EGL offers no OpenGL here");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglChooseConfig(display, wanted, &config, 1, &count);
    const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    context = eglCreateContext(display, count > 0 ? config : nullptr, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT) throw std::runtime_error("OpenGL 3.3 is not available without a window here");
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        throw std::runtime_error("the OpenGL context could not be used without a window");
    }
}

void Offscreen::Impl::resize(int w, int h) {
    if (framebuffer && w == width && h == height) return;
    width = w;
    height = h;
    if (!framebuffer) glGenFramebuffers(1, &framebuffer), glGenRenderbuffers(1, &color);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, color);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, w, h);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
}

Offscreen::Offscreen() : impl_(std::make_unique<Impl>()) {
    impl_->open();
    impl_->renderer = std::make_unique<Renderer>();
}

Offscreen::~Offscreen() {
    impl_->current();
    impl_->renderer.reset();
    if (impl_->framebuffer) glDeleteFramebuffers(1, &impl_->framebuffer), glDeleteRenderbuffers(1, &impl_->color);
    eglMakeCurrent(impl_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(impl_->display, impl_->context);
}

Renderer& Offscreen::renderer() { return *impl_->renderer; }
void Offscreen::makeCurrent() { impl_->current(); }

Image Offscreen::draw(const scene::Scene& scene, const scene::Camera& camera, int width, int height, double scale,
                      scene::ThemeKind theme) {
    width = std::clamp(width, 16, 8192);
    height = std::clamp(height, 16, 8192);
    impl_->current();
    impl_->resize(width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, impl_->framebuffer);
    FrameOptions options;
    options.width = width;
    options.height = height;
    options.scale = scale;
    options.theme = theme;
    impl_->renderer->draw(scene, camera, options);

    Image image{width, height,
                std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
    glBindFramebuffer(GL_FRAMEBUFFER, impl_->framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    std::vector<std::uint8_t> raw(image.rgb.size());
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, raw.data());
    std::size_t row = 3 * static_cast<std::size_t>(width);
    for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
        std::memcpy(&image.rgb[y * row], &raw[(static_cast<std::size_t>(height) - 1 - y) * row], row);
    }
    return image;
}

bool renderToPng(const scene::Scene& scene, const scene::Camera& camera, int width, int height, double scale,
                 scene::ThemeKind theme, const std::string& path, std::string* error) {
    try {
        Offscreen offscreen;
        if (writePng(offscreen.draw(scene, camera, width, height, scale, theme), path)) return true;
        if (error) *error = "the picture could not be written to '" + path + "'";
    } catch (const std::exception& e) {
        if (error) *error = e.what();
    }
    return false;
}

}  // namespace mw::render
