// A sheet of plots over one axis, time as a rule, drawn by cairo as SVG, PDF or PNG: quantity and unit over each plot,
// few round ticks, a legend in its head line, colours that colour-blind people tell apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mw::cli {

struct ChartSeries {
    std::string name;
    std::vector<double> y;  ///< one a time; what is not finite leaves a gap
    bool dashed = false;
};

struct ChartPanel {
    std::string quantity;  ///< "Ground force"
    std::string unit;      ///< SI, "N"; a prefix is chosen where `prefix` allows it
    bool prefix = true;
    std::vector<ChartSeries> series;
    bool from_zero = false;  ///< the axis begins at zero
};

struct ChartSheet {
    std::string title, subtitle;
    std::vector<double> t;         ///< s, or what `axis` says
    std::string axis = "time, s";  ///< quantity and unit of the horizontal axis
    struct Mark {
        double at = 0;
        std::string name;
    };
    std::vector<Mark> marks;  ///< upright lines over all panels
    std::vector<ChartPanel> panels;
};

enum class ChartFormat { svg, pdf, png };

/// By a file's ending: .svg, .pdf, .png; nothing for another.
std::optional<ChartFormat> chartFormatOf(const std::string& file);

/// Width and height of the sheet; of a PNG in pixels.
struct ChartSize {
    int width = 0, height = 0;
};

/// Draws the sheet into a file; a sentence about what went wrong, or nothing.
std::string drawChart(const ChartSheet& sheet, const std::string& file, ChartFormat format, ChartSize* size = nullptr);

/// Round ticks that cover [least, greatest] with about `wanted` steps: first tick, step, number of ticks.
struct Ticks {
    double first = 0, step = 1;
    int count = 0;
};
Ticks ticksOf(double least, double greatest, int wanted);

}  // namespace mw::cli
