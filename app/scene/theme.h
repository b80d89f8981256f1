// The one place that names a colour, a size or a font. The view, the instruments and the Qt window all read from here,
// so that nobody can tell which library drew what. Values are for scale 1; multiply lengths by the display's scale.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mw::scene {

/// sRGB components and alpha, 0..1.
struct Color {
    float r = 0, g = 0, b = 0, a = 1;
    bool operator==(const Color&) const = default;

    static constexpr Color hex(std::uint32_t rgb, float alpha = 1) {
        return {static_cast<float>((rgb >> 16) & 255) / 255.0f, static_cast<float>((rgb >> 8) & 255) / 255.0f,
                static_cast<float>(rgb & 255) / 255.0f, alpha};
    }
    constexpr Color withAlpha(float alpha) const { return {r, g, b, alpha}; }
    /// 0xRRGGBB, alpha dropped.
    std::uint32_t rgb() const;
    /// "#rrggbb", for style sheets.
    std::string css() const;
};

/// a at 0, b at 1, straight between in sRGB (alpha too).
Color mix(const Color& a, const Color& b, float t);

/// Contrast of two opaque colours as WCAG 2 defines it: 1 (same) to 21 (black on white).
double contrast(const Color& a, const Color& b);

enum class ThemeKind { dark, light };

/// What a number is of; each keeps its colour in 3-D, tables and plots.
enum class Quantity {
    normal,
    friction,
    joint,
    spring,
    tendon,
    drive,
    gravity,
    inertia,
    contact_open,
    contact_stick,
    contact_slip,
    kinetic,
    potential,
    elastic,
    dissipated,
    drive_work,
    residual,
    hand
};
constexpr int kQuantityCount = static_cast<int>(Quantity::hand) + 1;

struct Theme {
    ThemeKind kind = ThemeKind::dark;

    // Surfaces and text
    Color window, panel, raised, border, view_top, view_bottom;
    Color text, text_secondary, accent, good, caution, bad, halo;
    Color on_accent;  ///< text on a ground of the accent
    Color hover;      ///< ground of a row under the mouse
    Color selected;   ///< ground of a selected row
    Color shadow;     ///< under bodies and popups, with its alpha

    // The view
    Color grid_minor, grid_major;
    Color edge;                     ///< silhouettes and creases of bodies
    Color joint_light, joint_dark;  ///< bushings and pins
    Color base;                     ///< what is fixed to the world
    Color shoe, rubber;             ///< of bands and wheels
    Color terrain;                  ///< the ground where it is no plane
    Color isoline;                  ///< lines of equal height on it
    Color trail;
    std::array<Color, 3> axis;  ///< x y z

    // Text editor
    Color syntax_keyword, syntax_number, syntax_comment, syntax_string, current_line;

    Color quantity(Quantity quantity) const { return quantities[static_cast<std::size_t>(quantity)]; }
    std::array<Color, kQuantityCount> quantities;
};

const Theme& theme(ThemeKind kind);

/// Quiet body colours; `index` may be any number, neighbours in the list differ clearly.
Color bodyTint(int index);
constexpr int kTintCount = 8;

/// Cividis, for magnitudes without sign such as tension; t in 0..1.
Color ramp(double t);

/// The part of it that stands out from the ground of both themes, for thin things.
constexpr double kThinRamp = 0.24;
inline Color thinRamp(double t) { return ramp(kThinRamp + (1 - kThinRamp) * (t < 0 ? 0 : t)); }

/// The quantity's name in words, for legends.
const char* quantityName(Quantity quantity);

/// Pairs that carry text, foreground first, with their names: a test keeps each at 4.5 or more.
struct TextPair {
    const char* name;
    Color text, ground;
};
std::vector<TextPair> textPairs(const Theme& theme);

// Sizes in px at scale 1.
namespace size {
constexpr float kText = 13, kSmallText = 12, kHeadText = 15, kReadingText = 24, kMonoText = 12;
constexpr int kNormalWeight = 400, kHeadWeight = 600;
constexpr float kSpace = 4, kGap = 8, kPadding = 12, kPanelPadding = 16;
constexpr float kRow = 26, kCompactRow = 24, kToolBar = 44, kRunBar = 44, kStatusLine = 24;
constexpr float kRadius = 6, kLabelRadius = 4, kBadgeRadius = 14;
constexpr float kIcon = 18, kIconStroke = 1.5f, kBorder = 1;
constexpr float kHoverOutline = 1, kSelectionOutline = 2, kEdge = 1.1f, kCrease = 0.9f;
constexpr float kArrow = 3, kArrowHalo = 1.5f, kArrowHead = 9;
constexpr float kAxisWidget = 40;        ///< length of its arms
constexpr float kAxisWidgetMargin = 60;  ///< its centre from the view's top right corner
constexpr float kAxisWidgetBall = 9;
constexpr double kCameraMove = 0.150;  ///< s
}  // namespace size

enum class Face { ui, ui_bold, mono, mono_bold };
/// Family as desktop toolkits know it.
const char* fontFamily(Face face);
/// The font file to read: Inter or JetBrains Mono, DejaVu where they are missing; empty when nothing is installed.
std::string fontFile(Face face);

}  // namespace mw::scene
