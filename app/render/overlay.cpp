// Overlay drawings in px; every length is a token times the display's scale.
#include "app/render/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/scene/axis_widget.h"

namespace mw::render {

using scene::Color;
using scene::Rect;
using scene::Vec2;
namespace size = scene::size;

namespace {

scene::Viewport viewportOf(const FrameOptions& o) {
    return {static_cast<double>(o.width), static_cast<double>(o.height), o.shift};
}

std::uint64_t keyOf(const scene::Label& label) {
    std::uint64_t h = 1469598103934665603ull;
    auto add = [&](std::uint64_t v) { h = (h ^ v) * 1099511628211ull; };
    add(static_cast<std::uint64_t>(label.id.kind));
    add(static_cast<std::uint64_t>(label.id.index));
    for (char c : label.text) add(static_cast<unsigned char>(c));
    return h;
}

/// The roundest number of the form 1, 2 or 5 times a power of ten that is at most x.
double roundDown(double x) {
    double p = std::pow(10, std::floor(std::log10(x))), m = x / p;
    return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * p;
}

std::string shortNumber(double value, const char* unit) {
    struct Prefix {
        double factor;
        const char* sign;
    };
    static constexpr Prefix prefixes[] = {{1e9, "G"},  {1e6, "M"},       {1e3, "k"}, {1, ""},
                                          {1e-3, "m"}, {1e-6, "\u00b5"}, {1e-9, "n"}};
    const Prefix* chosen = &prefixes[6];
    for (const Prefix& p : prefixes) {
        if (value >= p.factor * 0.9999) {
            chosen = &p;
            break;
        }
    }
    char text[48];
    std::snprintf(text, sizeof text, "%.0f %s%s", value / chosen->factor, chosen->sign, unit);
    return text;
}

}  // namespace

Rect axisWidgetRect(const FrameOptions& o) {
    Vec2 c = scene::axisWidgetCentre(viewportOf(o), o.scale);
    double r = (size::kAxisWidget + size::kAxisWidgetBall + 2) * o.scale;
    return {c.x() - r, c.y() - r, 2 * r, 2 * r};
}

void drawMarkers(Canvas& canvas, const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& o) {
    const scene::Theme& th = scene::theme(o.theme);
    auto s = static_cast<float>(o.scale);
    for (const scene::Marker& m : scene.markers) {
        auto p = camera.project(m.position, viewportOf(o));
        if (!p) continue;
        auto x = static_cast<float>(p->pixel.x()), y = static_cast<float>(p->pixel.y());
        float r = m.radius * s;
        if (x < -r || y < -r || x > static_cast<float>(o.width) + r || y > static_cast<float>(o.height) + r) continue;
        switch (m.kind) {
            case scene::MarkerKind::cg:
                // The centre of mass as drawings have it: a quartered disc.
                canvas.disc(x, y, r + 1.2f * s, th.halo.withAlpha(0.9f));
                canvas.disc(x, y, r, Color::hex(0xFFFFFF), Color::hex(0x20252B), 1.3f * s);
                canvas.box(x - r * 0.86f, y - r * 0.86f, r * 0.86f, r * 0.86f, r * 0.55f, Color::hex(0x20252B));
                canvas.box(x - r * 0.62f, y - r * 0.62f, r * 0.62f, r * 0.62f, 0, Color::hex(0x20252B));
                canvas.box(x, y, r * 0.86f, r * 0.86f, r * 0.55f, Color::hex(0x20252B));
                canvas.box(x, y, r * 0.62f, r * 0.62f, 0, Color::hex(0x20252B));
                break;
            case scene::MarkerKind::point:
                canvas.disc(x, y, r + 1.3f * s, th.halo.withAlpha(0.85f));
                canvas.disc(x, y, r, th.halo, m.color, 1.4f * s);
                break;
            case scene::MarkerKind::dot:
                canvas.disc(x, y, r + 1.3f * s, th.halo.withAlpha(0.85f));
                canvas.disc(x, y, r, m.color);
                break;
            case scene::MarkerKind::square: {
                const float o = r + 1.3f * s;
                canvas.box(x - o, y - o, 2 * o, 2 * o, 1.2f * s, th.halo.withAlpha(0.85f));
                canvas.box(x - r, y - r, 2 * r, 2 * r, 0, m.color);
                break;
            }
        }
    }
}

void drawLabels(Canvas& canvas, scene::LabelLayout& layout, const scene::Scene& scene, const scene::Camera& camera,
                const FrameOptions& o, std::vector<Renderer::ShownLabel>& shown) {
    const scene::Theme& th = scene::theme(o.theme);
    auto s = static_cast<float>(o.scale);
    float em = size::kSmallText * s, pad_x = 7 * s, height = std::round(21 * s), gap = 7 * s;
    shown.clear();
    std::vector<scene::LabelRequest> requests;
    std::vector<const scene::Label*> labels;
    for (const scene::Label& l : scene.labels) {
        auto p = camera.project(l.anchor, viewportOf(o));
        if (!p) continue;
        float w = canvas.fonts().width(l.text, scene::Face::ui, em);
        if (!l.value.empty()) w += gap + canvas.fonts().width(l.value, scene::Face::ui, em, true);
        Vec2 toward = Vec2::Zero();
        if (l.along.norm() > 0) {
            auto q = camera.project(l.anchor + l.along * (0.05 * p->depth / l.along.norm()), viewportOf(o));
            if (q) toward = q->pixel - p->pixel;
        }
        requests.push_back({p->pixel, {std::ceil(w + 2 * pad_x), height}, toward, l.priority, keyOf(l)});
        labels.push_back(&l);
    }
    std::vector<Rect> taken = o.taken;
    if (o.axis_widget) taken.push_back(axisWidgetRect(o));
    auto placed = layout.place(requests, o.width, o.height, taken, 4 * o.scale);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (!placed[i].shown) continue;
        const scene::Label& l = *labels[i];
        // Whole pixels: text stays sharp while its anchor moves.
        auto x = static_cast<float>(std::round(placed[i].box.x)), y = static_cast<float>(std::round(placed[i].box.y));
        auto w = static_cast<float>(placed[i].box.width);
        canvas.box(x - 1.5f * s, y - 1.5f * s, w + 3 * s, height + 3 * s, (size::kLabelRadius + 1) * s,
                   th.halo.withAlpha(0.55f));
        canvas.box(x, y, w, height, size::kLabelRadius * s, th.halo.withAlpha(0.94f), l.color, 1.2f * s);
        float cap = canvas.fonts().capHeight(scene::Face::ui, em), base = y + std::round((height + cap) / 2);
        float pen = x + pad_x;
        pen += canvas.text(l.text, scene::Face::ui, em, pen, base, th.text);
        if (!l.value.empty()) canvas.text(l.value, scene::Face::ui, em, pen + gap, base, th.text, true);
        shown.push_back({l.id, {x, y, w, height}});
    }
}

void drawAxisWidget(Canvas& canvas, const scene::Camera& camera, const FrameOptions& o) {
    const scene::Theme& th = scene::theme(o.theme);
    auto s = static_cast<float>(o.scale);
    Vec2 centre = scene::axisWidgetCentre(viewportOf(o), o.scale);
    static const char* names[] = {"x", "y", "z"};
    for (const scene::AxisBall& ball : scene::axisBalls(camera, viewportOf(o), o.scale)) {
        Color color = th.axis[static_cast<std::size_t>(ball.axis)];
        auto x = static_cast<float>(ball.position.x()), y = static_cast<float>(ball.position.y());
        // Arms that point away are a little quieter.
        float near = static_cast<float>(0.5 + 0.5 * ball.depth);
        if (!ball.positive) {
            canvas.disc(x, y, 4.0f * s, color.withAlpha(0.10f + 0.16f * near), color.withAlpha(0.35f + 0.25f * near),
                        1.2f * s);
            canvas.flush();
            continue;
        }
        auto cx = static_cast<float>(centre.x()), cy = static_cast<float>(centre.y());
        float dx = x - cx, dy = y - cy, length = std::hypot(dx, dy);
        // A stroke as a row of discs: short, and the canvas has no slanted boxes.
        int dots = std::max(2, static_cast<int>(length / (0.5f * s)));
        for (int i = 0; i <= dots; ++i) {
            float t = static_cast<float>(i) / static_cast<float>(dots);
            canvas.disc(cx + dx * t, cy + dy * t, 1.35f * s, color);
        }
        canvas.disc(x, y, size::kAxisWidgetBall * s, color);
        float em = 11.5f * s;
        float w = canvas.fonts().width(names[ball.axis], scene::Face::ui_bold, em);
        canvas.text(names[ball.axis], scene::Face::ui_bold, em, x - w / 2, y + 3.1f * s, Color::hex(0xFFFFFF));
        canvas.flush();
    }
}

Rect drawLegend(Canvas& canvas, const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& o) {
    if (!scene.legend.visible) return {};
    const scene::Theme& th = scene::theme(o.theme);
    auto s = static_cast<float>(o.scale);
    double mpp = camera.metresPerPixel(camera.target(), viewportOf(o));
    bool force = scene.legend.metres_per_newton > 0;
    double per_unit = force ? scene.legend.metres_per_newton : 1;  // m of drawing a unit
    double longest = 110 * o.scale * mpp / per_unit;
    if (!(longest > 0) || !std::isfinite(longest)) return {};
    double shown = roundDown(longest);
    auto bar = static_cast<float>(shown * per_unit / mpp);
    std::string text = shortNumber(shown, force ? "N" : "m");

    float em = size::kSmallText * s, height = std::round(30 * s), pad = 14 * s, gap = 10 * s;
    float text_width = canvas.fonts().width(text, scene::Face::ui, em, true);
    float width = pad + text_width + gap + bar + pad;
    for (const auto& e : scene.legend.entries)
        width += gap + 2 + 16 * s + canvas.fonts().width(e.name, scene::Face::ui, em);
    const std::string& note = scene.legend.note;
    if (!note.empty()) width += gap + 4 * s + canvas.fonts().width(note, scene::Face::ui, em);
    auto x = static_cast<float>(o.legend_left) * s;
    float y = static_cast<float>(o.height) - static_cast<float>(o.legend_bottom) * s - height;
    canvas.box(x, y, width, height, size::kRadius * s, th.panel.withAlpha(0.92f), th.border, 1 * s);
    float base = y + std::round((height + canvas.fonts().capHeight(scene::Face::ui, em)) / 2), pen = x + pad;
    canvas.text(text, scene::Face::ui, em, pen, base, th.text, true);
    pen += text_width + gap;
    float middle = y + height / 2;
    canvas.box(pen, middle - 1.25f * s, bar, 2.5f * s, 1.25f * s, th.text);
    if (!force) {  // a measured length has ticks, a force is a bar
        canvas.box(pen, middle - 4 * s, 1.5f * s, 8 * s, 0, th.text);
        canvas.box(pen + bar - 1.5f * s, middle - 4 * s, 1.5f * s, 8 * s, 0, th.text);
    }
    pen += bar + gap;
    for (const auto& e : scene.legend.entries) {
        pen += 2 + 5 * s;
        if (e.square) canvas.box(pen - 4 * s, middle - 4 * s, 8 * s, 8 * s, 0, e.color);
        else canvas.disc(pen, middle, 4.5f * s, e.color);
        pen += 11 * s;
        pen += canvas.text(e.name, scene::Face::ui, em, pen, base, th.text_secondary);
        pen += gap;
    }
    if (!note.empty()) canvas.text(note, scene::Face::ui, em, pen + 4 * s, base, th.text_secondary);
    // Strips of their own above: each quantity, and the colours between its ends.
    float top = y;
    for (const scene::Legend::Ramp& r : scene.legend.ramps) {
        top -= height + 6 * s;
        const float bar_width = 120 * s, bar_height = 10 * s;
        const float name_width = canvas.fonts().width(r.name, scene::Face::ui, em),
                    low_width = canvas.fonts().width(r.low, scene::Face::ui, em, true),
                    high_width = canvas.fonts().width(r.high, scene::Face::ui, em, true);
        const float wide = pad + name_width + gap + low_width + gap + bar_width + gap + high_width + pad;
        canvas.box(x, top, wide, height, size::kRadius * s, th.panel.withAlpha(0.92f), th.border, 1 * s);
        base = top + std::round((height + canvas.fonts().capHeight(scene::Face::ui, em)) / 2);
        pen = x + pad;
        pen += canvas.text(r.name, scene::Face::ui, em, pen, base, th.text_secondary) + gap;
        pen += canvas.text(r.low, scene::Face::ui, em, pen, base, th.text, true) + gap;
        constexpr int kSteps = 40;
        for (int i = 0; i < kSteps; ++i)
            canvas.box(pen + bar_width * static_cast<float>(i) / kSteps, top + (height - bar_height) / 2,
                       bar_width / kSteps + 0.6f, bar_height, 0,
                       scene::ramp(r.from + (1 - r.from) * (i + 0.5) / kSteps));
        canvas.text(r.high, scene::Face::ui, em, pen + bar_width + gap, base, th.text, true);
        width = std::max(width, wide);
    }
    return {x, top, width, y + height - top};
}

}  // namespace mw::render
