// The window system behind plain functions: a GLFW window with an OpenGL 3.3 core context. Positions are device pixels
// from the upper left corner, whatever units the window system counts in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/panels/view_core.h"
#include "app/render/png.h"

struct GLFWwindow;

namespace mw::app {

/// A key as shortcuts need it: the panels' key where it is one, and its name.
struct WindowKey {
    enum class Name {
        other,
        space,
        right,
        left,
        up,
        down,
        backspace,
        home,
        end,
        page_up,
        escape,
        enter,
        f1,
        f2,
        f3,
        f4,
        f5,
        f11,
        pad_1,
        pad_3,
        pad_5,
        pad_7,
        pad_add,
        pad_subtract
    };
    Name name = Name::other;
    char letter = 0;  ///< what the user's layout has on it, lower case; 0: no letter or sign
    HeldKeys held;
    bool down = true, repeated = false;
    std::optional<PanelKey> panel;
};

class Window {
public:
    struct Wanted {
        std::string title;
        int width = 1280, height = 720;
        bool exact = false;  ///< the size is pixels; else it grows with the monitor's scale
        bool visible = true;
    };
    /// Throws std::runtime_error with a sentence for people.
    explicit Window(const Wanted& wanted);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // What the user did
    std::function<void(const scene::Vec2&)> on_move;
    std::function<void(const scene::Vec2&, PointerButton, bool down, bool twice, const HeldKeys&)> on_button;
    std::function<void(const scene::Vec2&, double steps)> on_wheel;
    std::function<void()> on_leave;
    std::function<void(const WindowKey&)> on_key;
    std::function<void(unsigned)> on_character;
    std::function<void(const std::vector<std::string>&)> on_drop;
    std::function<void()> on_change;  ///< size, scale, uncovered: draw again

    int width() const;  ///< device pixels
    int height() const;
    double monitorScale() const;
    bool closing() const;
    void close();
    void setTitle(const std::string& title);
    void toggleFullScreen();
    bool fullScreen() const { return full_screen_; }
    void swap();
    std::string clipboard() const;
    void setClipboard(const std::string& text) const;

    /// Handles what has come in; waits for something when `seconds` is positive (infinity: as long as it takes).
    void events(double seconds);
    /// Ends a wait; from any thread, as long as the window lives.
    static void wake();
    static double now();  ///< s

private:
    friend struct WindowCallbacks;
    scene::Vec2 pixelOf(double x, double y) const;
    GLFWwindow* window_ = nullptr;
    bool full_screen_ = false;
    int saved_[4] = {0, 0, 0, 0};
    double pressed_when_ = -1;
    scene::Vec2 pressed_where_ = scene::Vec2::Zero();
    PointerButton pressed_button_ = PointerButton::left;
};

/// A framebuffer of any size to draw a picture into.
class PictureTarget {
public:
    PictureTarget(int width, int height);
    ~PictureTarget();
    PictureTarget(const PictureTarget&) = delete;
    PictureTarget& operator=(const PictureTarget&) = delete;
    void bind() const;
    render::Image read() const;

private:
    unsigned framebuffer_ = 0, texture_ = 0;
    int width_, height_;
};

}  // namespace mw::app
