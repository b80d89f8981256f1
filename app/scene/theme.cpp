// The tokens' values. Dark and light are designed together: the same roles, each with a readable contrast on its
// ground.
#include "app/scene/theme.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace mw::scene {

std::uint32_t Color::rgb() const {
    auto byte = [](float c) { return static_cast<std::uint32_t>(std::lround(std::clamp(c, 0.0f, 1.0f) * 255.0f)); };
    return byte(r) << 16 | byte(g) << 8 | byte(b);
}

std::string Color::css() const {
    char text[8];
    std::snprintf(text, sizeof text, "#%06x", static_cast<unsigned>(rgb()));
    return text;
}

Color mix(const Color& a, const Color& b, float t) {
    auto between = [t](float x, float y) { return x + (y - x) * t; };
    return {between(a.r, b.r), between(a.g, b.g), between(a.b, b.b), between(a.a, b.a)};
}

// Relative luminance and contrast ratio: WCAG 2.1, "relative luminance" and "contrast ratio".
double contrast(const Color& a, const Color& b) {
    auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    auto luminance = [&](const Color& c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); };
    double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

namespace {

void set(Theme& t, Quantity q, Color c) { t.quantities[static_cast<std::size_t>(q)] = c; }

void setShared(Theme& t) {
    t.axis = {Color::hex(0xE5484D), Color::hex(0x46A758), Color::hex(0x3E8BFF)};
    set(t, Quantity::joint, Color::hex(0xCC79A7));
    set(t, Quantity::spring, Color::hex(0x009E73));
    set(t, Quantity::elastic, Color::hex(0x009E73));
    set(t, Quantity::dissipated, Color::hex(0xD55E00));
    set(t, Quantity::residual, t.text);
    set(t, Quantity::hand, t.accent);
    set(t, Quantity::contact_stick, t.quantity(Quantity::normal));
    set(t, Quantity::contact_slip, t.quantity(Quantity::friction));
    set(t, Quantity::kinetic, t.quantity(Quantity::friction));
    set(t, Quantity::potential, t.quantity(Quantity::normal));
}

Theme makeDark() {
    Theme t;
    t.kind = ThemeKind::dark;
    t.window = Color::hex(0x1B1E23);
    t.panel = Color::hex(0x22262C);
    t.raised = Color::hex(0x2B3038);
    t.border = Color::hex(0x3B424C);
    t.view_top = Color::hex(0x323841);
    t.view_bottom = Color::hex(0x1E2227);
    t.text = Color::hex(0xE8EAED);
    t.text_secondary = Color::hex(0xA7AFBA);
    t.accent = Color::hex(0x5AA9F8);
    t.good = Color::hex(0x4CC38A);
    t.caution = Color::hex(0xF2B53C);
    t.bad = Color::hex(0xFF7A66);
    t.halo = Color::hex(0x1B1E23);
    t.on_accent = Color::hex(0x10151B);
    t.hover = Color::hex(0x2F353E);
    t.selected = Color::hex(0x2C4159);
    t.shadow = Color::hex(0x000000, 0.55f);
    t.grid_minor = Color::hex(0x4E5661, 0.60f);
    t.grid_major = Color::hex(0x606975, 0.80f);
    t.edge = Color::hex(0x14171B, 0.92f);
    t.joint_light = Color::hex(0xCFD4DA);
    t.joint_dark = Color::hex(0x2A2F37);
    t.base = Color::hex(0x6B7480);
    t.shoe = Color::hex(0x7D8792);
    t.rubber = Color::hex(0x3D434C);
    t.terrain = Color::hex(0x454D55);
    t.isoline = Color::hex(0x8C98A6, 0.75f);
    t.trail = Color::hex(0xA7AFBA);
    t.syntax_keyword = t.accent;
    t.syntax_number = Color::hex(0xE6B455);
    t.syntax_comment = Color::hex(0x9BA4B0);
    t.syntax_string = Color::hex(0x7FC8A0);
    t.current_line = Color::hex(0x2B3644);
    set(t, Quantity::normal, Color::hex(0x56B4E9));
    set(t, Quantity::friction, Color::hex(0xE69F00));
    set(t, Quantity::tendon, Color::hex(0xF0743A));
    set(t, Quantity::drive, Color::hex(0xF0E442));
    set(t, Quantity::gravity, Color::hex(0xA7AFBA));
    set(t, Quantity::inertia, Color::hex(0x8B949F));
    set(t, Quantity::contact_open, Color::hex(0x8B949F));
    set(t, Quantity::drive_work, Color::hex(0xB58CFF));
    setShared(t);
    return t;
}

Theme makeLight() {
    Theme t;
    t.kind = ThemeKind::light;
    t.window = Color::hex(0xEEF0F3);
    t.panel = Color::hex(0xFFFFFF);
    t.raised = Color::hex(0xF6F7F9);
    t.border = Color::hex(0xCBD1D9);
    t.view_top = Color::hex(0xF4F6F8);
    t.view_bottom = Color::hex(0xD9DFE6);
    t.text = Color::hex(0x1B1F24);
    t.text_secondary = Color::hex(0x57606C);
    t.accent = Color::hex(0x0B63C5);
    t.good = Color::hex(0x137A4B);
    t.caution = Color::hex(0x8A5A00);
    t.bad = Color::hex(0xC0341D);
    t.halo = Color::hex(0xFFFFFF);
    t.on_accent = Color::hex(0xFFFFFF);
    t.hover = Color::hex(0xE9EDF2);
    t.selected = Color::hex(0xC9DCF4);
    t.shadow = Color::hex(0x1B2430, 0.34f);
    t.grid_minor = Color::hex(0xBAC2CC, 0.60f);
    t.grid_major = Color::hex(0xA3ADB9, 0.80f);
    t.edge = Color::hex(0x3A424D, 0.90f);
    t.joint_light = Color::hex(0xE6EAEE);
    t.joint_dark = Color::hex(0x333A44);
    t.base = Color::hex(0x7A838F);
    t.shoe = Color::hex(0x98A1AB);
    t.rubber = Color::hex(0x4A515B);
    t.terrain = Color::hex(0xC9D0D6);
    t.isoline = Color::hex(0x5F6B78, 0.75f);
    t.trail = Color::hex(0x57606C);
    t.syntax_keyword = t.accent;
    t.syntax_number = Color::hex(0x8A5A00);
    t.syntax_comment = Color::hex(0x59636F);
    t.syntax_string = Color::hex(0x0F7043);
    t.current_line = Color::hex(0xDCE8F7);
    set(t, Quantity::normal, Color::hex(0x0072B2));
    set(t, Quantity::friction, Color::hex(0xB35C00));
    set(t, Quantity::tendon, Color::hex(0xC2410C));
    set(t, Quantity::drive, Color::hex(0x8A6D00));
    set(t, Quantity::gravity, Color::hex(0x57606C));
    set(t, Quantity::inertia, Color::hex(0x6F7884));
    set(t, Quantity::contact_open, Color::hex(0x6F7884));
    set(t, Quantity::drive_work, Color::hex(0x7A3FD0));
    setShared(t);
    return t;
}

}  // namespace

const Theme& theme(ThemeKind kind) {
    static const Theme dark = makeDark(), light = makeLight();
    return kind == ThemeKind::dark ? dark : light;
}

Color bodyTint(int index) {
    static constexpr std::uint32_t tints[kTintCount] = {0x93A3B8, 0xBBAA86, 0x8AAA98, 0xA99BB8,
                                                        0xBC9C8E, 0x86A9AE, 0xA8AA82, 0xA3A8B0};
    return Color::hex(tints[((index % kTintCount) + kTintCount) % kTintCount]);
}

Color ramp(double t) {
    static constexpr std::uint32_t stops[] = {0x00204D, 0x213D6B, 0x555B6C, 0x7B7A77, 0xA59C74, 0xD3C064, 0xFFEA46};
    constexpr int last = static_cast<int>(std::size(stops)) - 1;
    double x = std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * last;
    int i = std::min(static_cast<int>(x), last - 1);
    return mix(Color::hex(stops[i]), Color::hex(stops[i + 1]), static_cast<float>(x - i));
}

const char* quantityName(Quantity quantity) {
    switch (quantity) {
        case Quantity::normal: return "normal";
        case Quantity::friction: return "friction";
        case Quantity::joint: return "joint";
        case Quantity::spring: return "spring";
        case Quantity::tendon: return "tendon";
        case Quantity::drive: return "drive";
        case Quantity::gravity: return "gravity";
        case Quantity::inertia: return "inertia";
        case Quantity::contact_open: return "open";
        case Quantity::contact_stick: return "stick";
        case Quantity::contact_slip: return "slip";
        case Quantity::kinetic: return "kinetic";
        case Quantity::potential: return "gravity";
        case Quantity::elastic: return "elastic";
        case Quantity::dissipated: return "dissipated";
        case Quantity::drive_work: return "drive work";
        case Quantity::residual: return "residual";
        case Quantity::hand: return "push";
    }
    return "";
}

std::vector<TextPair> textPairs(const Theme& t) {
    std::vector<TextPair> pairs;
    const std::pair<const char*, Color> grounds[] = {{"window", t.window}, {"panel", t.panel}, {"raised", t.raised}};
    for (const auto& [name, ground] : grounds) {
        pairs.push_back({name, t.text, ground});
        pairs.push_back({name, t.text_secondary, ground});
        pairs.push_back({name, t.accent, ground});
        pairs.push_back({name, t.good, ground});
        pairs.push_back({name, t.caution, ground});
        pairs.push_back({name, t.bad, ground});
    }
    pairs.push_back({"hover", t.text, t.hover});
    pairs.push_back({"selected", t.text, t.selected});
    pairs.push_back({"view top", t.text, t.view_top});
    pairs.push_back({"view bottom", t.text, t.view_bottom});
    pairs.push_back({"label", t.text, t.halo});
    pairs.push_back({"on accent", t.on_accent, t.accent});
    for (const Color& c : {t.syntax_keyword, t.syntax_number, t.syntax_comment, t.syntax_string}) {
        pairs.push_back({"editor", c, t.panel});
        pairs.push_back({"editor, current line", c, t.current_line});
    }
    return pairs;
}

const char* fontFamily(Face face) { return face == Face::mono || face == Face::mono_bold ? "JetBrains Mono" : "Inter"; }

std::string fontFile(Face face) {
    static const auto firstOf = [](std::initializer_list<const char*> files) {
        for (const char* file : files) {
            std::error_code ignored;
            if (std::filesystem::is_regular_file(file, ignored)) return std::string(file);
        }
        return std::string();
    };
    switch (face) {
        case Face::ui: {
            static const std::string file = firstOf({"/usr/share/fonts/opentype/inter/Inter-Regular.otf",
                                                     "/usr/share/fonts/truetype/inter/Inter-Regular.ttf",
                                                     "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"});
            return file;
        }
        case Face::ui_bold: {
            static const std::string file = firstOf({"/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
                                                     "/usr/share/fonts/truetype/inter/Inter-SemiBold.ttf",
                                                     "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"});
            return file;
        }
        case Face::mono: {
            static const std::string file =
                firstOf({"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
                         "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"});
            return file;
        }
        case Face::mono_bold: {
            static const std::string file =
                firstOf({"/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf",
                         "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Bold.ttf",
                         "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf"});
            return file;
        }
    }
    return {};
}

}  // namespace mw::scene
