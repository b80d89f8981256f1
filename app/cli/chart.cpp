// Layout and drawing of a sheet of plots.
#include "app/cli/chart.h"

#include <algorithm>
#include <array>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <memory>

namespace mw::cli {

namespace {

// Points (1/72 inch) on the sheet.
constexpr double kMargin = 28, kTitle = 52, kPanelWidth = 430, kPanelHeight = 196, kGapX = 34, kGapY = 26;
constexpr double kLeft = 52, kHead = 24, kFoot = 20;  // of a panel: tick labels, its head line, time labels
constexpr double kPngScale = 2;
constexpr int kColumns = 2;
constexpr std::size_t kMostPoints = 3000;  // of a curve, before it is thinned out

struct Colour {
    double r, g, b;
};
// Okabe and Ito's palette, without its yellow.
constexpr std::array<Colour, 7> kColours = {{{0.000, 0.447, 0.698},
                                             {0.835, 0.369, 0.000},
                                             {0.000, 0.620, 0.451},
                                             {0.800, 0.475, 0.655},
                                             {0.902, 0.624, 0.000},
                                             {0.337, 0.706, 0.914},
                                             {0.35, 0.35, 0.35}}};
constexpr Colour kInk{0.13, 0.14, 0.16}, kQuiet{0.42, 0.44, 0.47}, kGrid{0.89, 0.90, 0.91}, kFrame{0.70, 0.72, 0.74};

enum class Align { left, centre, right };

class Pen {
public:
    explicit Pen(cairo_t* c) : c_(c) {}
    void colour(const Colour& k) { cairo_set_source_rgb(c_, k.r, k.g, k.b); }
    void font(double size, bool bold = false) {
        cairo_select_font_face(c_, "Inter", CAIRO_FONT_SLANT_NORMAL,
                               bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(c_, size);
    }
    double width(const std::string& text) {
        cairo_text_extents_t e;
        cairo_text_extents(c_, text.c_str(), &e);
        return e.x_advance;
    }
    void text(double x, double y, const std::string& words, Align align = Align::left) {
        const double w = align == Align::left ? 0 : width(words);
        cairo_move_to(c_, x - (align == Align::right ? w : w / 2), y);
        cairo_show_text(c_, words.c_str());
    }
    void line(double x0, double y0, double x1, double y1, double width) {
        cairo_set_line_width(c_, width);
        cairo_move_to(c_, x0, y0);
        cairo_line_to(c_, x1, y1);
        cairo_stroke(c_);
    }
    void dashes(bool on) {
        const double pattern[] = {5, 3.5};
        cairo_set_dash(c_, pattern, on ? 2 : 0, 0);
    }
    cairo_t* raw() { return c_; }

private:
    cairo_t* c_;
};

struct Range {
    double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
    void take(double x) {
        if (!std::isfinite(x)) return;
        least = std::min(least, x);
        greatest = std::max(greatest, x);
    }
    bool empty() const { return least > greatest; }
};

/// A thousandth, a thousand ...: so that the ticks are numbers of few digits.
struct Prefix {
    double factor = 1;
    const char* sign = "";
};
Prefix prefixFor(double largest) {
    if (!(largest > 0)) return {};
    if (largest >= 2e6) return {1e-6, "M"};
    if (largest >= 2e3) return {1e-3, "k"};
    if (largest >= 0.2) return {};
    if (largest >= 2e-4) return {1e3, "m"};
    if (largest >= 2e-7) return {1e6, "µ"};
    return {1e9, "n"};
}

std::string label(double value, double step) {
    if (std::abs(value) < step * 1e-9) value = 0;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
    return std::abs(value) >= 1e7 || step < 1e-9 ? fmt::format("{:.3g}", value)
                                                 : fmt::format("{:.{}f}", value, decimals);
}

/// Indices to draw: all, or the least and the greatest of each of many stretches.
std::vector<std::size_t> thinned(const std::vector<double>& y) {
    std::vector<std::size_t> kept;
    if (y.size() <= kMostPoints) {
        for (std::size_t i = 0; i < y.size(); ++i) kept.push_back(i);
        return kept;
    }
    const std::size_t stretches = kMostPoints / 2;
    for (std::size_t s = 0; s < stretches; ++s) {
        const std::size_t from = s * y.size() / stretches, to = (s + 1) * y.size() / stretches;
        std::size_t low = from, high = from;
        for (std::size_t i = from; i < to; ++i) {
            if (!(y[i] >= y[low])) low = i;
            if (!(y[i] <= y[high])) high = i;
        }
        kept.push_back(std::min(low, high));
        if (low != high) kept.push_back(std::max(low, high));
    }
    if (kept.back() != y.size() - 1) kept.push_back(y.size() - 1);
    return kept;
}

void drawPanel(Pen& pen, const ChartSheet& sheet, const ChartPanel& panel, double x, double y) {
    const double left = x + kLeft, right = x + kPanelWidth, top = y + kHead, bottom = y + kPanelHeight - kFoot;

    // Ranges, with the unit's prefix.
    Range range;
    for (const ChartSeries& s : panel.series)
        for (const double v : s.y) range.take(v);
    if (range.empty()) range = {0, 1};
    const double largest = std::max(std::abs(range.least), std::abs(range.greatest));
    const Prefix prefix = panel.prefix ? prefixFor(largest) : Prefix{};
    range.least *= prefix.factor;
    range.greatest *= prefix.factor;
    if (panel.from_zero) range.take(0);
    // A constant gets a band around it; what is constant but for rounding is constant.
    const double flat = std::max(1e-9 * std::abs(largest * prefix.factor), 1e-12);
    if (range.greatest - range.least < flat) {
        const double middle = (range.least + range.greatest) / 2, half = std::max(std::abs(middle) * 0.05, 0.5);
        range = {middle - half, middle + half};
    }
    const Ticks ty = ticksOf(range.least, range.greatest, 5);
    const double y0 = ty.first, y1 = ty.first + ty.step * (ty.count - 1);
    Range time;
    for (const double t : sheet.t) time.take(t);
    if (time.empty()) time = {0, 1};
    if (time.greatest <= time.least) time.greatest = time.least + 1;
    const auto px = [&](double t) { return left + (t - time.least) / (time.greatest - time.least) * (right - left); };
    const auto py = [&](double v) { return bottom - (v - y0) / (y1 - y0) * (bottom - top); };

    // Grid and labels.
    pen.font(8.5);
    for (int i = 0; i < ty.count; ++i) {
        const double v = ty.first + ty.step * i;
        pen.colour(std::abs(v) < 1e-9 * ty.step ? kFrame : kGrid);
        pen.line(left, py(v), right, py(v), 0.7);
        pen.colour(kQuiet);
        pen.text(left - 6, py(v) + 3, label(v, ty.step), Align::right);
    }
    const Ticks tx = ticksOf(time.least, time.greatest, 6);
    for (int i = 0; i < tx.count; ++i) {
        const double t = tx.first + tx.step * i;
        if (t < time.least - 1e-9 * tx.step || t > time.greatest + 1e-9 * tx.step) continue;
        pen.colour(kGrid);
        pen.line(px(t), top, px(t), bottom, 0.7);
        pen.colour(kQuiet);
        pen.text(px(t), bottom + 12, label(t, tx.step), Align::centre);
    }
    for (const ChartSheet::Mark& mark : sheet.marks) {
        if (!(mark.at >= time.least && mark.at <= time.greatest)) continue;
        pen.colour(kQuiet);
        pen.dashes(true);
        pen.line(px(mark.at), top, px(mark.at), bottom, 0.8);
        pen.dashes(false);
        if (mark.name.empty()) continue;
        pen.font(7.5);
        const bool near_end = px(mark.at) + 4 + pen.width(mark.name) > right;
        pen.text(px(mark.at) + (near_end ? -4 : 4), top + 8, mark.name, near_end ? Align::right : Align::left);
        pen.font(8.5);
    }
    pen.colour(kFrame);
    pen.line(left, bottom, right, bottom, 0.9);
    pen.line(left, top, left, bottom, 0.9);

    // Head line: quantity and unit, then the legend from the right, as far as it goes.
    pen.font(10, true);
    pen.colour(kInk);
    const std::string head = panel.quantity + (panel.unit.empty() ? "" : ", " + (prefix.sign + panel.unit));
    pen.text(x, y + 12, head);
    const double head_end = x + pen.width(head) + 14;
    pen.font(8.5);
    double legend = 0;
    for (const ChartSeries& s : panel.series) legend += 16 + pen.width(s.name) + 10;
    double at = std::max(head_end, right - legend + 10);
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
        // What does not fit is left to the colours' order.
        if (i > 0 && at + 16 + pen.width(panel.series[i].name) > right + 6) {
            pen.colour(kQuiet);
            pen.text(at, y + 12, "…");
            break;
        }
        pen.colour(kColours[i % kColours.size()]);
        pen.dashes(panel.series[i].dashed);
        pen.line(at, y + 9, at + 12, y + 9, 1.8);
        pen.dashes(false);
        pen.colour(kInk);
        pen.text(at + 16, y + 12, panel.series[i].name);
        at += 16 + pen.width(panel.series[i].name) + 10;
    }

    // Curves.
    cairo_t* c = pen.raw();
    cairo_save(c);
    cairo_rectangle(c, left, top - 2, right - left, bottom - top + 4);
    cairo_clip(c);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
        const ChartSeries& s = panel.series[i];
        pen.colour(kColours[i % kColours.size()]);
        pen.dashes(s.dashed);
        cairo_set_line_width(c, 1.2);
        bool drawing = false;
        for (const std::size_t k : thinned(s.y)) {
            if (k >= sheet.t.size() || !std::isfinite(s.y[k])) {
                drawing = false;
                continue;
            }
            const double X = px(sheet.t[k]), Y = std::clamp(py(s.y[k] * prefix.factor), top - 1e4, bottom + 1e4);
            if (drawing) cairo_line_to(c, X, Y);
            else cairo_move_to(c, X, Y);
            drawing = true;
        }
        cairo_stroke(c);
        pen.dashes(false);
    }
    cairo_restore(c);
}

}  // namespace

std::optional<ChartFormat> chartFormatOf(const std::string& file) {
    std::string ending = std::filesystem::path(file).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (ending == ".svg") return ChartFormat::svg;
    if (ending == ".pdf") return ChartFormat::pdf;
    if (ending == ".png") return ChartFormat::png;
    return std::nullopt;
}

Ticks ticksOf(double least, double greatest, int wanted) {
    const double rough = (greatest - least) / std::max(1, wanted);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double m : {1.0, 2.0, 5.0})
        if (m * power >= rough * (1 - 1e-9)) {
            step = m * power;
            break;
        }
    const double first = std::floor(least / step + 1e-9), last = std::ceil(greatest / step - 1e-9);
    return {first * step, step, static_cast<int>(std::max(1.0, last - first)) + 1};
}

std::string drawChart(const ChartSheet& sheet, const std::string& file, ChartFormat format, ChartSize* size) {
    const int rows = static_cast<int>((sheet.panels.size() + kColumns - 1) / kColumns);
    const int columns = sheet.panels.size() < kColumns ? 1 : kColumns;
    const double width = 2 * kMargin + columns * kPanelWidth + (columns - 1) * kGapX;
    const double height = kMargin + kTitle + rows * (kPanelHeight + kGapY) + 6;
    const double scale = format == ChartFormat::png ? kPngScale : 1;
    if (size) *size = {static_cast<int>(std::lround(width * scale)), static_cast<int>(std::lround(height * scale))};

    cairo_surface_t* made = nullptr;
    switch (format) {
        case ChartFormat::svg: made = cairo_svg_surface_create(file.c_str(), width, height); break;
        case ChartFormat::pdf: made = cairo_pdf_surface_create(file.c_str(), width, height); break;
        case ChartFormat::png:
            made = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * scale)),
                                              static_cast<int>(std::lround(height * scale)));
            break;
    }
    const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(made, cairo_surface_destroy);
    {
        const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(made), cairo_destroy);
        cairo_t* c = context.get();
        cairo_scale(c, scale, scale);
        Pen pen(c);
        pen.colour({1, 1, 1});
        cairo_paint(c);
        pen.colour(kInk);
        pen.font(15, true);
        pen.text(kMargin, kMargin + 10, sheet.title);
        pen.font(9);
        pen.colour(kQuiet);
        pen.text(kMargin, kMargin + 26, sheet.subtitle);
        for (std::size_t i = 0; i < sheet.panels.size(); ++i) {
            const int row = static_cast<int>(i) / kColumns, column = static_cast<int>(i) % kColumns;
            drawPanel(pen, sheet, sheet.panels[i], kMargin + column * (kPanelWidth + kGapX),
                      kMargin + kTitle - 10 + row * (kPanelHeight + kGapY));
        }
        pen.font(9);
        pen.colour(kQuiet);
        pen.text(width - kMargin, height - 8, sheet.axis, Align::right);
    }
    cairo_status_t status = CAIRO_STATUS_SUCCESS;
    if (format == ChartFormat::png) status = cairo_surface_write_to_png(made, file.c_str());
    else cairo_surface_finish(made);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(made);
    return status == CAIRO_STATUS_SUCCESS ? std::string() : std::string(cairo_status_to_string(status));
}

}  // namespace mw::cli
