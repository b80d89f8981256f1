// A sheet of plots over one time axis, drawn by cairo as SVG, PDF or PNG: quantity and unit over each plot, few round
// ticks, a legend in its head line, colours that colour-blind people tell apart.
#pragma once

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
    std::vector<double> t;  ///< s
    std::vector<ChartPanel> panels;
};

enum class ChartFormat { svg, pdf, png };

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
