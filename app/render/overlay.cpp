// Overlay drawings in px; every length is a token times the display's scale.
#include "app/render/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

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

/// Where something is drawn, in coarse cells: what labels would hide.
class Cover {
public:
    Cover(const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& o)
        : viewport_(viewportOf(o)),
          camera_(camera),
          cell_(kCell * o.scale),
          columns_(static_cast<int>(o.width / cell_) + 1),
          rows_(static_cast<int>(o.height / cell_) + 1),
          cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {
        int left = kMostMeshes;
        for (const scene::MeshInstance& m : scene.meshes)
            if (m.id.kind != scene::ItemKind::ground && !m.mesh->bounds.empty() && left-- > 0) box(m);
        for (const scene::Arrow& a : scene.arrows) stroke(a.origin, a.origin + a.vector);
    }
    /// The covered part of a box, 0 to 1.
    double operator()(const Rect& box) const {
        const auto at = [&](double p, int most) { return std::clamp(static_cast<int>(p / cell_), 0, most - 1); };
        const int x0 = at(box.x, columns_), x1 = at(box.x + box.width, columns_), y0 = at(box.y, rows_),
                  y1 = at(box.y + box.height, rows_);
        int hidden = 0;
        for (int y = y0; y <= y1; ++y)
            for (int x = x0; x <= x1; ++x) hidden += cells_[place(x, y)];
        return static_cast<double>(hidden) / ((x1 - x0 + 1) * (y1 - y0 + 1));
    }

private:
    static constexpr double kCell = 8;       // px at scale 1
    static constexpr int kMostMeshes = 600;  // beyond, the picture is full anyway
    static constexpr int kMostSteps = 40;    // along an edge
    std::size_t place(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
    }
    void mark(const scene::Vec3& p) {
        const auto seen = camera_.project(p, viewport_);
        if (!seen) return;
        const double x = seen->pixel.x() / cell_, y = seen->pixel.y() / cell_;
        if (x >= 0 && y >= 0 && x < columns_ && y < rows_) cells_[place(static_cast<int>(x), static_cast<int>(y))] = 1;
    }
    int stepsOf(const scene::Vec3& a, const scene::Vec3& b) const {
        const auto p = camera_.project(a, viewport_), q = camera_.project(b, viewport_);
        if (!p || !q) return kMostSteps;
        const double n = (q->pixel - p->pixel).norm() / cell_;
        return std::clamp(static_cast<int>(std::ceil(n)), 1, kMostSteps);
    }
    void stroke(const scene::Vec3& a, const scene::Vec3& b) {
        if (!a.allFinite() || !b.allFinite()) return;
        const int n = stepsOf(a, b);
        for (int i = 0; i <= n; ++i) mark(a + (b - a) * (static_cast<double>(i) / n));
    }
    /// The surface of the box that bounds a mesh in its own axes.
    void box(const scene::MeshInstance& m) {
        const scene::Vec3 low = m.mesh->bounds.low, size = m.mesh->bounds.size();
        if (!m.place.matrix().allFinite()) return;
        int n[3];
        for (int a = 0; a < 3; ++a) {
            scene::Vec3 end = low;
            end[a] += size[a];
            n[a] = stepsOf(m.place * low, m.place * end);
        }
        for (int i = 0; i <= n[0]; ++i)
            for (int j = 0; j <= n[1]; ++j) {
                const bool inside = i > 0 && i < n[0] && j > 0 && j < n[1];
                for (int k = 0; k <= n[2]; k += inside ? n[2] : 1) {
                    const scene::Vec3 part(static_cast<double>(i) / n[0], static_cast<double>(j) / n[1],
                                           static_cast<double>(k) / n[2]);
                    mark(m.place * scene::Vec3(low + size.cwiseProduct(part)));
                }
            }
    }

    scene::Viewport viewport_;
    const scene::Camera& camera_;
    double cell_;
    int columns_, rows_;
    std::vector<char> cells_;
};

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

namespace {
/// From a point to the nearest place of a box. A row of discs: short, and the canvas has no slanted boxes.
void drawLeader(Canvas& canvas, const Vec2& from, const Rect& box, const Color& color, const Color& halo, float s) {
    const Vec2 to(std::clamp(from.x(), box.x, box.x + box.width), std::clamp(from.y(), box.y, box.y + box.height));
    const double length = (to - from).norm();
    const int dots = std::max(1, static_cast<int>(length / (0.6 * s)));
    for (const bool ground : {true, false})
        for (int i = 0; i <= dots; ++i) {
            const Vec2 p = from + (to - from) * (static_cast<double>(i) / dots);
            canvas.disc(static_cast<float>(p.x()), static_cast<float>(p.y()), (ground ? 1.7f : 0.7f) * s,
                        ground ? halo.withAlpha(0.35f) : color);
        }
}
}  // namespace

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
    std::function<double(const Rect&)> hides;
    if (!requests.empty()) hides = Cover(scene, camera, o);
    auto placed = layout.place(requests, o.width, o.height, taken, 4 * o.scale, hides);
    // Lines to those that stand apart, under all boxes.
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (placed[i].shown && placed[i].leader)
            drawLeader(canvas, requests[i].anchor, placed[i].box, labels[i]->color, th.halo, s);
    canvas.flush();
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
    const auto bar = static_cast<float>(shown * per_unit / mpp);
    const std::string text = shortNumber(shown, force ? "N" : "m");

    const float em = size::kSmallText * s, row = std::round(30 * s), next = std::round(20 * s), pad = 14 * s,
                gap = 10 * s;
    const auto x = static_cast<float>(o.legend_left) * s;
    const float most =
        o.legend_width > 0 ? static_cast<float>(o.legend_width) * s : static_cast<float>(o.width) - x - 12 * s;
    const auto widthOf = [&](const std::string& words, bool tabular) {
        return canvas.fonts().width(words, scene::Face::ui, em, tabular);
    };

    // Scale, colours, notes: side by side, and in further lines where they do not fit.
    struct Chip {
        const scene::LegendEntry* entry = nullptr;
        std::string words;
        float width = 0, x = 0;
        int line = 0;
    };
    std::vector<Chip> chips;
    const float text_width = widthOf(text, true);
    chips.push_back({nullptr, {}, text_width + gap + bar, 0, 0});
    for (const auto& e : scene.legend.entries) chips.push_back({&e, e.name, 16 * s + widthOf(e.name, false), 0, 0});
    for (std::string rest = scene.legend.note; !rest.empty();) {
        const std::string between = " \u00b7 ";
        const std::size_t end = std::min(rest.find(between), rest.size());
        std::string note = rest.substr(0, end);
        rest = end < rest.size() ? rest.substr(end + between.size()) : std::string();
        float wide = widthOf(note, false);
        for (std::string cut = note; wide > most - 2 * pad && cut.size() > 1;) {
            do cut.pop_back();
            while (cut.size() > 1 && (static_cast<unsigned char>(cut.back()) & 0x80) != 0);
            note = cut + "\u2026";
            wide = widthOf(note, false);
        }
        chips.push_back({nullptr, note, wide, 0, 0});
    }
    float pen = pad, width = 0;
    int line = 0;
    for (Chip& chip : chips) {
        if (pen > pad && pen + chip.width + pad > most) pen = pad, ++line;
        chip.x = pen;
        chip.line = line;
        pen += chip.width;
        width = std::max(width, pen + pad);
        pen += gap + 4 * s;
    }
    const float height = row + next * static_cast<float>(line);
    const float y = static_cast<float>(o.height) - static_cast<float>(o.legend_bottom) * s - height;
    canvas.box(x, y, width, height, size::kRadius * s, th.panel.withAlpha(0.92f), th.border, 1 * s);
    const float cap = canvas.fonts().capHeight(scene::Face::ui, em);
    for (const Chip& chip : chips) {
        const float top = y + next * static_cast<float>(chip.line), middle = top + row / 2,
                    base = top + std::round((row + cap) / 2);
        float at = x + chip.x;
        if (chip.entry) {
            at += 5 * s;
            if (chip.entry->square) canvas.box(at - 4 * s, middle - 4 * s, 8 * s, 8 * s, 0, chip.entry->color);
            else canvas.disc(at, middle, 4.5f * s, chip.entry->color);
            canvas.text(chip.words, scene::Face::ui, em, at + 11 * s, base, th.text_secondary);
        } else if (!chip.words.empty()) {
            canvas.text(chip.words, scene::Face::ui, em, at, base, th.text_secondary);
        } else {
            canvas.text(text, scene::Face::ui, em, at, base, th.text, true);
            at += text_width + gap;
            canvas.box(at, middle - 1.25f * s, bar, 2.5f * s, 1.25f * s, th.text);
            if (!force) {  // a measured length has ticks, a force is a bar
                canvas.box(at, middle - 4 * s, 1.5f * s, 8 * s, 0, th.text);
                canvas.box(at + bar - 1.5f * s, middle - 4 * s, 1.5f * s, 8 * s, 0, th.text);
            }
        }
    }
    // Strips of their own above: each quantity, and the colours between its ends.
    float top = y;
    for (const scene::Legend::Ramp& r : scene.legend.ramps) {
        top -= row + 6 * s;
        const float name_width = widthOf(r.name, false), low_width = widthOf(r.low, true),
                    high_width = widthOf(r.high, true), bar_height = 10 * s;
        const float words = pad + name_width + gap + low_width + gap + gap + high_width + pad;
        const float bar_width = std::clamp(most - words, 40 * s, 120 * s), wide = words + bar_width;
        canvas.box(x, top, wide, row, size::kRadius * s, th.panel.withAlpha(0.92f), th.border, 1 * s);
        const float base = top + std::round((row + cap) / 2);
        pen = x + pad;
        pen += canvas.text(r.name, scene::Face::ui, em, pen, base, th.text_secondary) + gap;
        pen += canvas.text(r.low, scene::Face::ui, em, pen, base, th.text, true) + gap;
        constexpr int kSteps = 40;
        for (int i = 0; i < kSteps; ++i)
            canvas.box(pen + bar_width * static_cast<float>(i) / kSteps, top + (row - bar_height) / 2,
                       bar_width / kSteps + 0.6f, bar_height, 0,
                       scene::ramp(r.from + (1 - r.from) * (i + 0.5) / kSteps));
        canvas.text(r.high, scene::Face::ui, em, pen + bar_width + gap, base, th.text, true);
        width = std::max(width, wide);
    }
    return {x, top, width, y + height - top};
}

}  // namespace mw::render
