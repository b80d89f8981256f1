// GLFW: the one file of the viewer that knows it.
#include "app/player/window.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <epoxy/gl.h>
#include <stdexcept>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace mw::app {
namespace {

std::string last_error;

HeldKeys held(int mods) {
    return {(mods & GLFW_MOD_SHIFT) != 0, (mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0,
            (mods & GLFW_MOD_ALT) != 0};
}

std::optional<PanelKey> panelKey(int key) {
    switch (key) {
        case GLFW_KEY_TAB: return PanelKey::tab;
        case GLFW_KEY_LEFT: return PanelKey::left;
        case GLFW_KEY_RIGHT: return PanelKey::right;
        case GLFW_KEY_UP: return PanelKey::up;
        case GLFW_KEY_DOWN: return PanelKey::down;
        case GLFW_KEY_HOME: return PanelKey::home;
        case GLFW_KEY_END: return PanelKey::end;
        case GLFW_KEY_DELETE: return PanelKey::remove;
        case GLFW_KEY_BACKSPACE: return PanelKey::backspace;
        case GLFW_KEY_ENTER:
        case GLFW_KEY_KP_ENTER: return PanelKey::enter;
        case GLFW_KEY_ESCAPE: return PanelKey::escape;
        case GLFW_KEY_A: return PanelKey::a;
        case GLFW_KEY_C: return PanelKey::c;
        case GLFW_KEY_V: return PanelKey::v;
        case GLFW_KEY_X: return PanelKey::x;
        case GLFW_KEY_Y: return PanelKey::y;
        case GLFW_KEY_Z: return PanelKey::z;
        default: return std::nullopt;
    }
}

WindowKey::Name nameOf(int key) {
    using Name = WindowKey::Name;
    switch (key) {
        case GLFW_KEY_SPACE: return Name::space;
        case GLFW_KEY_RIGHT: return Name::right;
        case GLFW_KEY_LEFT: return Name::left;
        case GLFW_KEY_UP: return Name::up;
        case GLFW_KEY_DOWN: return Name::down;
        case GLFW_KEY_BACKSPACE: return Name::backspace;
        case GLFW_KEY_HOME: return Name::home;
        case GLFW_KEY_END: return Name::end;
        case GLFW_KEY_PAGE_UP: return Name::page_up;
        case GLFW_KEY_ESCAPE: return Name::escape;
        case GLFW_KEY_ENTER: return Name::enter;
        case GLFW_KEY_F1: return Name::f1;
        case GLFW_KEY_F2: return Name::f2;
        case GLFW_KEY_F3: return Name::f3;
        case GLFW_KEY_F4: return Name::f4;
        case GLFW_KEY_F5: return Name::f5;
        case GLFW_KEY_F11: return Name::f11;
        case GLFW_KEY_KP_1: return Name::pad_1;
        case GLFW_KEY_KP_3: return Name::pad_3;
        case GLFW_KEY_KP_5: return Name::pad_5;
        case GLFW_KEY_KP_7: return Name::pad_7;
        case GLFW_KEY_KP_ADD: return Name::pad_add;
        case GLFW_KEY_KP_SUBTRACT: return Name::pad_subtract;
        default: return Name::other;
    }
}

}  // namespace

struct WindowCallbacks {
    static Window& of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }
    static scene::Vec2 cursor(GLFWwindow* window) {
        double x = 0, y = 0;
        glfwGetCursorPos(window, &x, &y);
        return of(window).pixelOf(x, y);
    }
    static void move(GLFWwindow* window, double x, double y) {
        Window& self = of(window);
        if (self.on_move) self.on_move(self.pixelOf(x, y));
    }
    static void button(GLFWwindow* window, int which, int action, int mods) {
        Window& self = of(window);
        if (which > GLFW_MOUSE_BUTTON_MIDDLE || !self.on_button) return;
        const PointerButton button = which == GLFW_MOUSE_BUTTON_LEFT    ? PointerButton::left
                                     : which == GLFW_MOUSE_BUTTON_RIGHT ? PointerButton::right
                                                                        : PointerButton::middle;
        const scene::Vec2 at = cursor(window);
        bool twice = false;
        if (action == GLFW_PRESS) {
            const double when = glfwGetTime();
            twice = button == self.pressed_button_ && when - self.pressed_when_ < 0.35 &&
                    (at - self.pressed_where_).norm() < 4 * self.monitorScale();
            self.pressed_when_ = twice ? -1 : when;
            self.pressed_where_ = at;
            self.pressed_button_ = button;
        } else if ((at - self.pressed_where_).norm() >= 4 * self.monitorScale()) {
            self.pressed_when_ = -1;  // the end of a drag begins no double click
        }
        self.on_button(at, button, action == GLFW_PRESS, twice, held(mods));
    }
    static void scroll(GLFWwindow* window, double, double steps) {
        Window& self = of(window);
        if (self.on_wheel && steps != 0) self.on_wheel(cursor(window), steps);
    }
    static void enter(GLFWwindow* window, int entered) {
        Window& self = of(window);
        if (!entered && self.on_leave) self.on_leave();
    }
    static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
        Window& self = of(window);
        if (!self.on_key) return;
        WindowKey out;
        out.name = nameOf(key);
        out.held = held(mods);
        out.down = action != GLFW_RELEASE;
        out.repeated = action == GLFW_REPEAT;
        out.panel = panelKey(key);
        // Letters are where the user's keyboard has them.
        if (out.name == WindowKey::Name::other)
            if (const char* name = glfwGetKeyName(key, scancode); name && std::strlen(name) == 1) out.letter = *name;
        self.on_key(out);
    }
    static void character(GLFWwindow* window, unsigned code_point) {
        Window& self = of(window);
        if (self.on_character) self.on_character(code_point);
    }
    static void drop(GLFWwindow* window, int count, const char** paths) {
        Window& self = of(window);
        if (self.on_drop) self.on_drop(std::vector<std::string>(paths, paths + count));
    }
    static void changed(GLFWwindow* window) {
        Window& self = of(window);
        if (self.on_change) self.on_change();
    }
};

Window::Window(const Wanted& wanted) {
    glfwSetErrorCallback([](int, const char* text) { last_error = text ? text : ""; });
    if (!glfwInit())
        throw std::runtime_error(
            "there is no display to open a window on (" + last_error +
            ").\nThe program 'mech' does everything without a window; 'mech render' makes pictures.");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SAMPLES, 0);  // the renderer has its own
    glfwWindowHint(GLFW_VISIBLE, wanted.visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, wanted.exact ? GLFW_FALSE : GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "mechview");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "mechview");
    const int width = wanted.visible ? wanted.width : 64, height = wanted.visible ? wanted.height : 64;
    window_ = glfwCreateWindow(width, height, wanted.title.c_str(), nullptr, nullptr);
    if (!window_) {
        const std::string why = last_error;
        glfwTerminate();
        throw std::runtime_error("the display gives no window with OpenGL 3.3 (" + why + ").");
    }
    glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowUserPointer(window_, this);
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
    glfwSetCursorPosCallback(window_, &WindowCallbacks::move);
    glfwSetMouseButtonCallback(window_, &WindowCallbacks::button);
    glfwSetScrollCallback(window_, &WindowCallbacks::scroll);
    glfwSetCursorEnterCallback(window_, &WindowCallbacks::enter);
    glfwSetKeyCallback(window_, &WindowCallbacks::key);
    glfwSetCharCallback(window_, &WindowCallbacks::character);
    glfwSetDropCallback(window_, &WindowCallbacks::drop);
    glfwSetWindowRefreshCallback(window_, &WindowCallbacks::changed);
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { WindowCallbacks::changed(w); });
    glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { WindowCallbacks::changed(w); });
}

Window::~Window() {
    glfwDestroyWindow(window_);
    glfwTerminate();
}

scene::Vec2 Window::pixelOf(double x, double y) const {
    int window_width = 1, window_height = 1, width = 1, height = 1;
    glfwGetWindowSize(window_, &window_width, &window_height);
    glfwGetFramebufferSize(window_, &width, &height);
    return {x * width / std::max(1, window_width), y * height / std::max(1, window_height)};
}

int Window::width() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return width;
}

int Window::height() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return height;
}

double Window::monitorScale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::clamp(static_cast<double>(std::max(x, y)), 0.5, 4.0);
}

bool Window::closing() const { return glfwWindowShouldClose(window_); }
void Window::close() { glfwSetWindowShouldClose(window_, GLFW_TRUE); }
void Window::setTitle(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }
void Window::swap() { glfwSwapBuffers(window_); }

void Window::toggleFullScreen() {
    if (full_screen_) {
        glfwSetWindowMonitor(window_, nullptr, saved_[0], saved_[1], saved_[2], saved_[3], GLFW_DONT_CARE);
        full_screen_ = false;
        return;
    }
    glfwGetWindowPos(window_, &saved_[0], &saved_[1]);
    glfwGetWindowSize(window_, &saved_[2], &saved_[3]);
    // The monitor that holds the window's middle.
    const int x = saved_[0] + saved_[2] / 2, y = saved_[1] + saved_[3] / 2;
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* chosen = glfwGetPrimaryMonitor();
    for (int i = 0; i < count; ++i) {
        int left = 0, top = 0;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (mode && x >= left && x < left + mode->width && y >= top && y < top + mode->height) chosen = monitors[i];
    }
    const GLFWvidmode* mode = chosen ? glfwGetVideoMode(chosen) : nullptr;
    if (!mode) return;
    glfwSetWindowMonitor(window_, chosen, 0, 0, mode->width, mode->height, mode->refreshRate);
    full_screen_ = true;
}

std::string Window::clipboard() const {
    const char* text = glfwGetClipboardString(window_);
    return text ? text : "";
}
void Window::setClipboard(const std::string& text) const { glfwSetClipboardString(window_, text.c_str()); }

void Window::events(double seconds) {
    if (seconds <= 0) glfwPollEvents();
    else if (std::isinf(seconds)) glfwWaitEvents();
    else glfwWaitEventsTimeout(seconds);
}

void Window::wake() { glfwPostEmptyEvent(); }
double Window::now() { return glfwGetTime(); }

PictureTarget::PictureTarget(int width, int height) : width_(width), height_(height) {
    glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        throw std::runtime_error("the graphics driver gives no picture of this size.");
}

PictureTarget::~PictureTarget() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &texture_);
}

void PictureTarget::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

render::Image PictureTarget::read() const {
    bind();
    const auto row = 3 * static_cast<std::size_t>(width_);
    std::vector<std::uint8_t> upward(row * static_cast<std::size_t>(height_));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upward.data());
    render::Image image{width_, height_, std::vector<std::uint8_t>(upward.size())};
    for (int y = 0; y < height_; ++y)
        std::copy_n(upward.begin() + static_cast<std::ptrdiff_t>(row) * (height_ - 1 - y), row,
                    image.rgb.begin() + static_cast<std::ptrdiff_t>(row) * y);
    return image;
}

}  // namespace mw::app
