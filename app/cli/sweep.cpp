// mech sweep: a tendon over one joint's range. Length, moment arm twice over, which guides it touches, where that
// changes; as a table, a picture, or JSON.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iostream>

#include "app/cli/chart.h"
#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "engine/sim/wrap_scan.h"

namespace mw::cli {

namespace {

constexpr int kMostSamples = 1000000;

template <class All, class Name>
std::string listed(const All& all, const Name& name) {
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(name(one));
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

int tendonOf(const Model& model, const std::string& name) {
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        if (model.tendons[i].name == name) return static_cast<int>(i);
    throw UsageError(model.tendons.empty()
                         ? std::string("--tendon: this model has no tendon")
                         : fmt::format("--tendon {}: no such tendon; there are: {}", name,
                                       listed(model.tendons, [](const Tendon& t) { return t.name; })));
}

int velocityOf(const Layout& layout, const std::string& name) {
    const auto found = std::find(layout.v_names.begin(), layout.v_names.end(), name);
    if (found == layout.v_names.end())
        throw UsageError(fmt::format("--joint {}: no such coordinate; there are: {}", name,
                                     listed(layout.v_names, [](const std::string& n) { return n; })));
    return static_cast<int>(found - layout.v_names.begin());
}

int samplesOf(const std::optional<std::string>& text) {
    if (!text) return 201;
    int samples = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), samples);
    if (fault != std::errc() || end != text->data() + text->size() || samples < 2 || samples > kMostSamples)
        throw UsageError(fmt::format("--samples: a whole number from 2 to {} is wanted", kMostSamples));
    return samples;
}

const char* eventName(WrapScan::Event::Kind kind) {
    switch (kind) {
        case WrapScan::Event::Kind::taken: return "taken";
        case WrapScan::Event::Kind::left: return "left";
        case WrapScan::Event::Kind::jump: return "jump";
    }
    return "";
}

/// What is not a number has no word in JSON: the loops stay open there.
Json orNull(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json jsonOf(const WrapScan& scan, const std::string& model, const SweepOptions& options) {
    Json samples = Json::array();
    for (const WrapScan::Sample& s : scan.samples) {
        Json touched = Json::array(), sweep = Json::array();
        for (const char t : s.touched) touched.push_back(t != 0);
        for (const double a : s.sweep) sweep.push_back(a);
        samples.push_back({{"q", s.q},
                           {"length", orNull(s.length)},
                           {"moment_arm", orNull(s.moment_arm)},
                           {"difference", orNull(s.difference)},
                           {"touched", touched},
                           {"sweep", sweep},
                           {"jump", s.jump},
                           {"change", s.change}});
    }
    Json events = Json::array();
    for (const WrapScan::Event& e : scan.events)
        events.push_back({{"kind", eventName(e.kind)},
                          {"q", e.q},
                          {"sample", e.sample},
                          {"guide", e.guide < 0 ? Json(nullptr) : Json(scan.guides[static_cast<std::size_t>(e.guide)])},
                          {"length_before", e.length_before},
                          {"length_after", e.length_after},
                          {"moment_arm_before", e.arm_before},
                          {"moment_arm_after", e.arm_after}});
    return {{"model", model},
            {"tendon", scan.tendon},
            {"joint", scan.joint},
            {"units", {{"q", scan.unit_q}, {"length", scan.unit_length}, {"moment_arm", scan.unit_arm}}},
            {"guides", scan.guides},
            {"closed", scan.closed},
            {"largest_difference", scan.worst},
            {"events", events},
            {"samples", samples},
            {"output", options.output ? Json(*options.output) : Json(nullptr)}};
}

ChartSheet sheetOf(const WrapScan& scan, const std::string& model) {
    ChartSheet sheet;
    sheet.title = fmt::format("{}: {} over {}", model, scan.tendon, scan.joint);
    sheet.subtitle = fmt::format(
        "{} places from {:.6g} to {:.6g} {}; moment arm and difference of the length agree to "
        "{:.2g} {} away from changes",
        scan.samples.size(), scan.samples.front().q, scan.samples.back().q, scan.unit_q, scan.worst, scan.unit_arm);
    sheet.axis = fmt::format("{}, {}", scan.joint, scan.unit_q);
    ChartPanel length{"Length", scan.unit_length, true, {{"length", {}, false}}, false};
    ChartPanel arm{"Moment arm dl/dq", scan.unit_arm, true, {{"gradient", {}, false}, {"difference", {}, true}}, false};
    ChartPanel sweep{"Sweep over guides", "rad", false, {}, true};
    for (std::size_t g = 0; g < scan.guides.size() && g < 7; ++g) sweep.series.push_back({scan.guides[g], {}, false});
    for (const WrapScan::Sample& s : scan.samples) {
        sheet.t.push_back(s.q);
        // A leap leaves a gap in the curves.
        const bool gap = s.jump && !length.series[0].y.empty();
        length.series[0].y.push_back(s.length);
        arm.series[0].y.push_back(s.moment_arm);
        arm.series[1].y.push_back(gap ? std::nan("") : s.difference);
        for (std::size_t g = 0; g < sweep.series.size(); ++g)
            sweep.series[g].y.push_back(g < s.sweep.size() ? s.sweep[g] : std::nan(""));
    }
    sheet.panels = {length, arm};
    if (!sweep.series.empty()) sheet.panels.push_back(sweep);
    for (const WrapScan::Event& e : scan.events) sheet.marks.push_back({e.q, eventName(e.kind)});
    return sheet;
}

void printForPeople(const WrapScan& scan, const std::string& model) {
    double least = INFINITY, most = -INFINITY, weak = INFINITY, strong = -INFINITY;
    for (const WrapScan::Sample& s : scan.samples) {
        if (!std::isfinite(s.length)) continue;
        least = std::min(least, s.length), most = std::max(most, s.length);
        weak = std::min(weak, s.moment_arm), strong = std::max(strong, s.moment_arm);
    }
    std::cout << fmt::format("{}: tendon {} over {}, {} places from {:.6g} to {:.6g} {}\n", model, scan.tendon,
                             scan.joint, scan.samples.size(), scan.samples.front().q, scan.samples.back().q,
                             scan.unit_q);
    std::cout << fmt::format("length {:.9g} to {:.9g} {}, moment arm {:.6g} to {:.6g} {}\n", least, most,
                             scan.unit_length, weak, strong, scan.unit_arm);
    std::cout << fmt::format("gradient and difference of the length agree to {:.3g} {} away from changes\n", scan.worst,
                             scan.unit_arm);
    for (const WrapScan::Event& e : scan.events) {
        const std::string guide = e.guide < 0 ? "the route" : scan.guides[static_cast<std::size_t>(e.guide)];
        std::cout << fmt::format("at {:.12g} {}: {} {}", e.q, scan.unit_q, guide,
                                 e.kind == WrapScan::Event::Kind::taken  ? "is taken up"
                                 : e.kind == WrapScan::Event::Kind::left ? "is let go"
                                                                         : "jumps");
        if (e.leaps)
            std::cout << fmt::format("; length {:.6g} to {:.6g} {}, moment arm {:.6g} to {:.6g} {}", e.length_before,
                                     e.length_after, scan.unit_length, e.arm_before, e.arm_after, scan.unit_arm);
        std::cout << '\n';
    }
}

}  // namespace

int runSweep(const SweepOptions& options) {
    std::optional<ChartFormat> picture;
    if (options.output) {
        if (*options.output != "-") requireElsewhere(options.file, *options.output, "--output");
        else if (options.json)
            throw UsageError("--output - and --json both want standard output; give the table a file");
        picture = chartFormatOf(*options.output);
        std::string ending = std::filesystem::path(*options.output).extension().string();
        if (!picture && *options.output != "-" && ending != ".csv" && ending != ".CSV")
            throw UsageError(fmt::format(
                "--output: '{}' should end in .csv, .svg, .pdf or .png: the ending chooses table or picture",
                *options.output));
    }
    Source source = readSource(options.file, options.param);
    requireGood(source, options.json);
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);

    WrapScanRequest request;
    request.tendon = tendonOf(model, options.tendon);
    request.velocity = velocityOf(layout, options.joint);
    request.param = model.liveValues();
    const auto range = scanRange(model, layout, request.velocity, request.param);
    if (!range)
        throw UsageError(fmt::format(
            "--joint {}: a rate only, for a free attitude has no single angle that could be swept", options.joint));
    request.from = options.from ? parseNumber(*options.from, "--from") : (*range)[0];
    request.to = options.to ? parseNumber(*options.to, "--to") : (*range)[1];
    if (!(request.from < request.to))
        throw UsageError(
            fmt::format("--from {} --to {}: the first value must be below the last", request.from, request.to));
    request.samples = samplesOf(options.samples);
    if (options.q) request.q = normalised(parseList(*options.q, "--q", layout.q_names), model, layout);

    const Kernel kernel = makeKernel(model, source.name, options.kernel);
    const WrapScan scan = wrapScan(model, layout, kernel, request);
    if (!scan.problem.empty()) throw Failure(fmt::format("no scan: {}", scan.problem));
    if (!scan.closed) note("the loops stay open at some places: there are no numbers there");

    if (options.output) {
        if (picture) {
            if (const std::string fault = drawChart(sheetOf(scan, source.name), *options.output, *picture);
                !fault.empty())
                throw UsageError(fmt::format("cannot write '{}': {}", *options.output, fault));
        } else {
            writeFile(*options.output, wrapScanCsv(scan));
        }
    }
    if (options.json) print(jsonOf(scan, source.name, options));
    else if (!options.output || *options.output != "-") printForPeople(scan, source.name);
    return kGood;
}

}  // namespace mw::cli
