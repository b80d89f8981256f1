// mech plot: what a trace tells, drawn. Everything comes from the table alone, its '#' lines included.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numbers>

#include "app/cli/chart.h"
#include "app/cli/commands.h"
#include "app/cli/support.h"

namespace mw::cli {

namespace {

using Column = std::vector<double>;

/// The columns of a trace that a plot may want.
struct TraceTable {
    std::vector<std::string> names;           ///< of all columns, in order
    std::map<std::string, Column> columns;    ///< those that were read
    std::map<std::string, std::string> said;  ///< '#' lines by their first word: "weight" -> "111096 N"
    const Column* find(const std::string& name) const {
        const auto at = columns.find(name);
        return at == columns.end() ? nullptr : &at->second;
    }
};

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> all;
    std::size_t from = 0;
    for (std::size_t comma; (comma = line.find(',', from)) != std::string::npos; from = comma + 1)
        all.push_back(line.substr(from, comma - from));
    all.push_back(line.substr(from));
    return all;
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Where bodies are is the bulk of a wide table, and no plot here shows it.
bool wanted(const std::string& name) { return !begins(name, "body."); }

TraceTable readTrace(const std::string& file) {
    std::error_code none;
    if (std::filesystem::is_directory(file, none)) throw UsageError(fmt::format("'{}' is a folder, not a trace", file));
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (!in) throw UsageError(fmt::format("cannot read '{}': {}", file, std::strerror(errno ? errno : EIO)));

    TraceTable table;
    std::vector<Column*> slots;  // null: not wanted
    std::int64_t line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        if (line[0] == '#') {
            std::string text = line.substr(1);
            text.erase(0, text.find_first_not_of(' '));
            const auto space = text.find(' ');
            if (space != std::string::npos) table.said.emplace(text.substr(0, space), text.substr(space + 1));
            continue;
        }
        if (table.names.empty()) {
            table.names = fields(line);
            if (table.names[0] != "t")
                throw Failure(fmt::format("{}:{}: no trace of mech simulate: the line of names should begin with 't'",
                                          file, line_number));
            for (const std::string& name : table.names) slots.push_back(wanted(name) ? &table.columns[name] : nullptr);
            continue;
        }
        // Numbers are read in place: a wide trace has millions of them.
        const char* at = line.data();
        const char* const end = at + line.size();
        std::size_t count = 0;
        while (at <= end) {
            const char* comma = std::find(at, end, ',');
            if (count < slots.size() && slots[count]) {
                double value = 0;
                const auto [stop, fault] = std::from_chars(at, comma, value);
                // An empty field is a gap, and so is what other programs write in its place. Time has none.
                const bool number = fault == std::errc() && stop == comma && std::isfinite(value);
                const bool gap = at == comma || (stop == comma && !std::isfinite(value));
                if (!number && (!gap || count == 0))
                    throw Failure(fmt::format("{}:{}: '{}' in column '{}' is not a number", file, line_number,
                                              std::string(at, comma), table.names[count]));
                slots[count]->push_back(number ? value : std::numeric_limits<double>::quiet_NaN());
            }
            ++count;
            at = comma + 1;
        }
        if (count != slots.size())
            throw Failure(fmt::format("{}:{}: {} numbers where the line of names has {}", file, line_number, count,
                                      slots.size()));
    }
    if (table.names.empty()) throw Failure(fmt::format("'{}' has no line of names: no trace of mech simulate", file));
    if (table.columns["t"].empty()) throw Failure(fmt::format("'{}' has no rows: nothing to plot", file));
    return table;
}

/// The names between a prefix and a suffix, in the order of the columns.
std::vector<std::string> between(const TraceTable& table, const std::string& before, const std::string& after) {
    std::vector<std::string> found;
    for (const std::string& name : table.names)
        if (name.size() > before.size() + after.size() && name.compare(0, before.size(), before) == 0 &&
            name.compare(name.size() - after.size(), after.size(), after) == 0)
            found.push_back(name.substr(before.size(), name.size() - before.size() - after.size()));
    return found;
}

Column mapped(const Column& from, const std::function<double(double)>& to) {
    Column all;
    all.reserve(from.size());
    for (const double x : from) all.push_back(to(x));
    return all;
}
/// Since the first number that there is.
Column changeOf(const Column& from) {
    const auto first = std::find_if(from.begin(), from.end(), [](double x) { return std::isfinite(x); });
    const double start = first == from.end() ? 0 : *first;
    return mapped(from, [start](double x) { return x - start; });
}

class SheetBuilder {
public:
    SheetBuilder(const TraceTable& table, ChartSheet& sheet) : table_(table), sheet_(sheet) {}

    ChartPanel& panel(const std::string& quantity, const std::string& unit) {
        sheet_.panels.push_back({});
        sheet_.panels.back().quantity = quantity;
        sheet_.panels.back().unit = unit;
        return sheet_.panels.back();
    }
    /// Adds a column where the trace has it.
    void add(ChartPanel& panel, const std::string& name, const std::string& column, bool change = false,
             double factor = 1) const {
        const Column* found = table_.find(column);
        if (!found) return;
        Column y = change ? changeOf(*found) : *found;
        for (double& x : y) x *= factor;
        panel.series.push_back({name, std::move(y), false});
    }
    /// A panel without a curve is none.
    void drop() {
        if (!sheet_.panels.empty() && sheet_.panels.back().series.empty()) sheet_.panels.pop_back();
    }

private:
    const TraceTable& table_;
    ChartSheet& sheet_;
};

double firstNumber(const TraceTable& table, const char* word) {
    const auto at = table.said.find(word);
    double value = 0;
    if (at != table.said.end()) std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
    return value;
}

/// Bodies on bands: pose of the roots, the ground's wrench, depths, tension.
void addContact(const TraceTable& table, ChartSheet& sheet, SheetBuilder& build) {
    for (const std::string& root : between(table, "pose.", ".roll")) {
        const std::string pose = "pose." + root;
        ChartPanel& way = build.panel("Way of '" + root + "' since the start", "m");
        for (const char* axis : {"x", "y", "z"}) build.add(way, axis, pose + "." + axis, true);
        ChartPanel& attitude = build.panel("Attitude of '" + root + "'", "°");
        attitude.prefix = false;
        for (const char* angle : {"roll", "pitch", "yaw"})
            build.add(attitude, angle, pose + "." + angle, false, 180 / std::numbers::pi);
    }
    if (table.find("contact.ground.fz")) {
        ChartPanel& up = build.panel("Ground force, upward", "N");
        build.add(up, "z", "contact.ground.fz");
        if (const double weight = firstNumber(table, "weight"); weight > 0)
            up.series.push_back({"weight", Column(sheet.t.size(), weight), true});
        ChartPanel& level = build.panel("Ground force, level", "N");
        build.add(level, "x", "contact.ground.fx");
        build.add(level, "y", "contact.ground.fy");
        ChartPanel& moment = build.panel("Ground moment about the base origin", "N m");
        for (const char* axis : {"x", "y", "z"}) build.add(moment, axis, std::string("contact.ground.m") + axis);
    }
    ChartPanel& depth = build.panel("Deepest contact", "m");
    depth.from_zero = true;
    build.add(depth, "band and rollers", "contact.depth.pair");
    if (table.find("contact.ground.fz")) build.add(depth, "ground", "contact.depth.point");
    build.drop();
    const std::vector<std::string> tracks = between(table, "track.", ".tension.greatest");
    if (!tracks.empty()) {
        ChartPanel& tension = build.panel("Band tension", "N");
        for (const std::string& track : tracks) {
            build.add(tension, track + " greatest", "track." + track + ".tension.greatest");
            build.add(tension, track + " least", "track." + track + ".tension.least");
        }
    }
    if (table.find("contact.loaded.pins")) {
        ChartPanel& loaded = build.panel("Contacts with load", "");
        loaded.prefix = false;
        loaded.from_zero = true;
        build.add(loaded, "pins", "contact.loaded.pins");
        build.add(loaded, "faces", "contact.loaded.faces");
        build.add(loaded, "pad corners", "contact.loaded.points");
    }
}

/// Coordinates of a mechanism without bands, as many as a plot can tell apart.
void addCoordinates(const TraceTable& table, SheetBuilder& build) {
    constexpr std::size_t kMost = 6;
    for (const auto& [before, quantity] :
         {std::pair<const char*, const char*>{"q.", "Coordinates"}, {"v.", "Velocities"}}) {
        const std::vector<std::string> all = between(table, before, "");
        if (all.empty()) continue;
        ChartPanel& panel =
            build.panel(all.size() > kMost ? fmt::format("{} (the first {})", quantity, kMost) : quantity,
                        std::string(before) == "q." ? "rad or m" : "rad/s or m/s");
        panel.prefix = false;
        for (std::size_t i = 0; i < std::min(kMost, all.size()); ++i) build.add(panel, all[i], before + all[i]);
    }
}

/// As many names as a plot can tell apart, those that move most where there are more.
std::vector<std::string> liveliest(const TraceTable& table, const std::vector<std::string>& names,
                                   const std::string& before, const std::string& after) {
    constexpr std::size_t kMost = 6;
    if (names.size() <= kMost) return names;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < names.size(); ++i) {
        double least = std::numeric_limits<double>::infinity(), greatest = -least;
        for (const double x : *table.find(before + names[i] + after))
            if (std::isfinite(x)) least = std::min(least, x), greatest = std::max(greatest, x);
        order.emplace_back(greatest >= least ? least - greatest : 0, i);
    }
    std::stable_sort(order.begin(), order.end());
    order.resize(kMost);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<std::string> kept;
    for (const auto& [range, i] : order) kept.push_back(names[i]);
    return kept;
}

/// Tendons, limits, contacts of shapes and the solve that they share.
void addRows(const TraceTable& table, SheetBuilder& build) {
    const auto panelOf = [&](const char* quantity, const char* unit, const std::string& before,
                             const std::string& after, bool change = false) {
        const std::vector<std::string> all = between(table, before, after);
        if (all.empty()) return;
        const std::vector<std::string> names = liveliest(table, all, before, after);
        ChartPanel& panel = build.panel(
            names.size() < all.size() ? fmt::format("{} ({} of {})", quantity, names.size(), all.size()) : quantity,
            unit);
        for (const std::string& name : names) build.add(panel, name, before + name + after, change);
    };
    panelOf("Tension of tendons", "N", "tendon.", ".tension");
    panelOf("Change of tendons' lengths", "m", "tendon.", ".length", true);
    panelOf("Forces of joint limits", "N m or N", "joint.", ".limit");
    panelOf("Dry friction of joints", "N m or N", "joint.", ".friction");
    panelOf("Contact load on shapes", "N", "contact.", ".normal");
    if (table.find("contact.depth")) {
        ChartPanel& depth = build.panel("Deepest contact of shapes", "m");
        build.add(depth, "depth", "contact.depth");
    }
    if (table.find("solver.residual")) {
        ChartPanel& sweeps = build.panel("Rows and sweeps of a step", "");
        sweeps.prefix = false;
        sweeps.from_zero = true;
        build.add(sweeps, "rows", "solver.rows");
        build.add(sweeps, "sweeps", "solver.sweeps");
        ChartPanel& residual = build.panel("Residual of the solve", "N s");
        residual.from_zero = true;
        build.add(residual, "residual", "solver.residual");
    }
}

void addEnergy(SheetBuilder& build) {
    ChartPanel& energy = build.panel("Energy since the start", "J");
    for (const auto& [name, column] : {std::pair<const char*, const char*>{"kinetic", "energy.kinetic"},
                                       {"gravity", "energy.gravity"},
                                       {"elements", "energy.elements"},
                                       {"contact", "energy.contact"},
                                       {"anchors", "energy.anchors"},
                                       {"brakes", "energy.brakes"},
                                       {"tendons", "energy.tendons"},
                                       {"total", "energy.total"}})
        build.add(energy, name, column, true);
    // What is nothing all the time says nothing.
    const auto dropZeros = [](ChartPanel& panel) {
        std::erase_if(panel.series, [](const ChartSeries& s) {
            return s.name != "total" && s.name != "dissipated" &&
                   std::all_of(s.y.begin(), s.y.end(), [](double x) { return x == 0 || std::isnan(x); });
        });
    };
    dropZeros(energy);
    build.drop();
    ChartPanel& books = build.panel("Dissipated, driven", "J");
    build.add(books, "dissipated", "energy.dissipated");
    build.add(books, "by contacts", "energy.contact_dissipated");
    build.add(books, "by tendons", "energy.tendon_dissipated");
    build.add(books, "by shapes and joints", "energy.row_dissipated");
    build.add(books, "numerical", "energy.numerical");
    build.add(books, "injected", "energy.injected");
    build.add(books, "by drives", "energy.drives");
    dropZeros(books);
    build.drop();
    ChartPanel& residual = build.panel("Balance of the books", "J");
    build.add(residual, "residual", "energy.residual");
    build.drop();
}

ChartFormat formatOf(const std::string& file) {
    const auto format = chartFormatOf(file);
    if (!format)
        throw UsageError(
            fmt::format("--output: '{}' should end in .svg, .pdf or .png: the ending chooses the picture", file));
    return *format;
}

}  // namespace

int runPlot(const PlotOptions& options) {
    const ChartFormat format = formatOf(options.output);
    requireElsewhere(options.file, options.output, "--output");
    const TraceTable table = readTrace(options.file);

    ChartSheet sheet;
    sheet.t = *table.find("t");
    const auto model = table.said.find("mechwright");  // "trace, model m113"
    std::string name = modelName(options.file);
    if (model != table.said.end())
        if (const auto at = model->second.find("model "); at != std::string::npos) name = model->second.substr(at + 6);
    sheet.title = options.title.empty() ? name : options.title;
    sheet.subtitle = fmt::format("{} rows from {:.6g} s to {:.6g} s", sheet.t.size(), sheet.t.front(), sheet.t.back());
    if (table.said.count("integrator")) {
        // "verlet, dt 1.87e-04 s: ...; a row every 10 steps"
        const std::string& how = table.said.at("integrator");
        sheet.subtitle += "; " + how.substr(0, how.find_first_of(":;"));
    }
    if (const double slope = firstNumber(table, "slope"); slope != 0)
        sheet.subtitle += fmt::format("; slope {:.6g}°", slope);
    if (table.said.count("friction")) sheet.subtitle += "; friction " + table.said.at("friction");

    SheetBuilder build(table, sheet);
    if (table.find("energy.contact")) addContact(table, sheet, build);
    else addCoordinates(table, build);
    addRows(table, build);
    addEnergy(build);

    ChartSize size;
    if (const std::string fault = drawChart(sheet, options.output, format, &size); !fault.empty())
        throw UsageError(fmt::format("cannot write '{}': {}", options.output, fault));
    if (options.json) {
        Json panels = Json::array();
        for (const ChartPanel& p : sheet.panels) {
            Json curves = Json::array();
            for (const ChartSeries& s : p.series) curves.push_back(s.name);
            panels.push_back({{"quantity", p.quantity}, {"unit", p.unit}, {"curves", curves}});
        }
        print({{"trace", options.file},
               {"output", options.output},
               {"model", name},
               {"rows", sheet.t.size()},
               {"width", size.width},
               {"height", size.height},
               {"panels", panels}});
    } else {
        note(fmt::format("{}: {} plots of {} rows of {}", options.output, sheet.panels.size(), sheet.t.size(), name));
    }
    return kGood;
}

}  // namespace mw::cli
