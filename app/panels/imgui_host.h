// Dear ImGui inside a view that somebody else owns: fonts, colours and sizes from the theme, input fed by the host (Qt
// or GLFW), drawn into the current framebuffer after the scene. All sizes in device pixels; `scale` device pixels per
// interface pixel.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/scene/theme.h"

struct ImGuiContext;

namespace mw::app {

enum class PanelKey { tab, left, right, up, down, home, end, remove, backspace, enter, escape, a, c, v, x, y, z };
constexpr int kPanelKeyCount = static_cast<int>(PanelKey::z) + 1;

/// What happened since the frame before.
struct PanelInput {
    float width = 0, height = 0;  ///< of the view, device pixels
    float scale = 1;
    float seconds = 1.0f / 60;  ///< since the last frame
    float mouse_x = -1e6f, mouse_y = -1e6f;
    bool left = false, right = false, middle = false;
    float wheel = 0;
    bool ctrl = false, shift = false, alt = false;
    struct Key {
        PanelKey key;
        bool down;
    };
    std::vector<Key> keys;
    std::vector<unsigned> characters;  ///< code points typed
};

class ImGuiHost {
public:
    ImGuiHost();
    ~ImGuiHost();  ///< the OpenGL context of the frames must be current
    ImGuiHost(const ImGuiHost&) = delete;
    ImGuiHost& operator=(const ImGuiHost&) = delete;

    /// Starts a frame; the view's OpenGL context is current. Fonts are made anew when the scale changes.
    void begin(const PanelInput& input, scene::ThemeKind theme);
    /// Ends it and draws into the current framebuffer.
    void end();
    /// A frame that is only felt: the instruments learn where the pointer is, nothing is drawn and no OpenGL is called.
    /// False (and no frame begun) before the first drawn frame, when nothing is on the screen to be felt.
    bool beginUnseen(const PanelInput& input);
    void endUnseen();

    bool wantsMouse() const;     ///< the pointer is over a panel or drags in one
    bool wantsKeyboard() const;  ///< a value is being typed
    /// Another frame is wanted soon (a cursor blinks, a popup settles).
    bool wantsFrame() const { return frames_wanted_ > 0; }

    std::function<std::string()> get_clipboard;
    std::function<void(const std::string&)> set_clipboard;

private:
    void loadFonts(float scale);
    void applyStyle(scene::ThemeKind theme, float scale);
    void feed(const PanelInput& input);
    ImGuiContext* context_ = nullptr;
    bool gl_ready_ = false;
    float scale_ = 0;
    scene::ThemeKind theme_ = scene::ThemeKind::dark;
    int frames_wanted_ = 0;
    std::string clipboard_;
    friend const char* clipboardText(void*);
};

/// Fonts of the current frame (ImFont*), for the panels.
struct PanelFonts {
    void *ui = nullptr, *bold = nullptr, *mono = nullptr;
};
const PanelFonts& panelFonts();

namespace detail {
/// Dear ImGui's key interface changed in 1.87: imgui_keys.cpp is the one file that knows.
void mapKeys();
void feedKeys(const PanelInput& input);
}  // namespace detail

}  // namespace mw::app
