// Files, lists, kernels and findings for every subcommand.
#include "app/cli/support.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "app/live/headless.h"
#include "engine/dynamics/closure.h"
#include "engine/mech/findings.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/manageable.h"
#include "engine/track/expand.h"
#include "generator/generate.h"

namespace mw::cli {

namespace fs = std::filesystem;

namespace {

/// Most bytes that are taken from a file: more than the language's own limit, so that the reader can say what is wrong.
constexpr std::size_t kMostBytes = 64u << 20;

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string counted(std::size_t count, const char* one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

std::string readFile(const std::string& file) {
    std::error_code failure;
    if (file != "-" && fs::is_directory(file, failure))
        throw UsageError(fmt::format("'{}' is a folder, not a .mech file", file));
    errno = 0;
    std::ifstream opened;
    if (file != "-") {
        opened.open(file, std::ios::binary);
        if (!opened) throw UsageError(fmt::format("cannot read '{}': {}", file, std::strerror(errno ? errno : EIO)));
    }
    std::istream& in = file == "-" ? std::cin : opened;
    std::string bytes, piece(1u << 16, '\0');
    while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
        bytes.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (bytes.size() > kMostBytes)
            throw UsageError(fmt::format("'{}' has more than {} MB: this is no .mech file", file, kMostBytes >> 20));
    }
    if (in.bad()) throw UsageError(fmt::format("cannot read '{}': {}", file, std::strerror(errno ? errno : EIO)));
    return bytes;
}

void writeFile(const std::string& file, const std::string& bytes) {
    if (file == "-") {
        std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        std::cout.flush();
        if (!std::cout) throw UsageError("cannot write to standard output");
        return;
    }
    errno = 0;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (out) out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (out) out.close();
    if (!out) throw UsageError(fmt::format("cannot write '{}': {}", file, std::strerror(errno ? errno : EIO)));
}

void requireElsewhere(const std::string& input, const std::string& output, const std::string& option) {
    if (input == "-" || output == "-") return;
    std::error_code none;  // a file that is not there yet is another one
    if (fs::equivalent(input, output, none))
        throw UsageError(fmt::format("{}: '{}' is the mechanism itself; name another file", option, output));
}

std::string modelName(const std::string& file) {
    if (file == "-") return "stdin";
    std::string stem = fs::path(file).stem().string();
    return stem.empty() ? "mechanism" : stem;
}

Source readSource(const std::string& file) {
    Source source;
    source.file = file;
    source.name = modelName(file);
    source.text = readFile(file);
    source.read = readMechanism(source.text, file == "-" ? fs::path(".") : fs::absolute(file).parent_path());
    return source;
}

Source readSource(const std::string& file, const std::vector<std::string>& parameters) {
    Source source = readSource(file);
    if (parameters.empty() || !source.read.ok()) return source;

    // A new value is a patch of the text, from the last place to the first so that earlier places stay where they are.
    std::vector<TextEdit> edits;
    for (const std::string& text : parameters) {
        const auto [name, value] = parseAssignment(text, "--param");
        const auto& all = source.read.model.parameters;
        const auto found =
            std::find_if(all.begin(), all.end(), [&n = name](const Parameter& p) { return p.name == n; });
        if (found == all.end()) {
            std::vector<std::string> names;
            for (const Parameter& p : all) names.push_back(p.name);
            throw UsageError(names.empty() ? fmt::format("--param {}: {} has no parameters", name, source.name)
                                           : fmt::format("--param {}: no such parameter; there are: {}", name,
                                                         fmt::join(names, ", ")));
        }
        const double number = parseNumber(value, "--param " + name);
        if (found->range && (number < (*found->range)[0] || number > (*found->range)[1]))
            note(fmt::format("--param {}: {} is outside its range {} to {}", name, number, (*found->range)[0],
                             (*found->range)[1]));
        edits.push_back({found->value_range, number < 0 ? fmt::format("({})", number) : fmt::format("{}", number)});
    }
    std::stable_sort(edits.begin(), edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
    for (std::size_t i = edits.size(); i-- > 0;) {
        // The same parameter twice: the last word counts.
        if (i + 1 < edits.size() && edits[i].range == edits[i + 1].range) continue;
        source.text.replace(edits[i].range.begin, edits[i].range.end - edits[i].range.begin, edits[i].text);
    }
    source.read = readMechanism(source.text, file == "-" ? fs::path(".") : fs::absolute(file).parent_path());
    if (source.read.ok()) return source;
    // The file is sound and the new value is not: its places would be those of a text that nobody wrote.
    std::string faults;
    for (const Diagnostic& d : source.read.diagnostics) {
        if (d.severity != Severity::error) continue;
        faults += fmt::format("{}{}", faults.empty() ? "" : "; ", d.message);
        if (!d.expected.empty()) faults += fmt::format(" (expected {})", d.expected);
    }
    throw UsageError(
        fmt::format("--param: {} cannot be made with {}: {}", source.name, fmt::join(parameters, ", "), faults));
}

Json findings(const Source& source) {
    Json errors = Json::array(), warnings = Json::array(), notes = Json::array();
    for (const Diagnostic& d : source.read.diagnostics) {
        const LineColumn place = lineColumn(source.text, d.range.begin);
        Json one = {{"code", d.code},         {"line", place.line},
                    {"column", place.column}, {"length", codePoints(source.text, d.range)},
                    {"message", d.message},   {"expected", d.expected},
                    {"remedy", d.remedy}};
        (d.severity == Severity::error     ? errors
         : d.severity == Severity::warning ? warnings
                                           : notes)
            .push_back(std::move(one));
    }
    return {{"file", source.file},
            {"errors", std::move(errors)},
            {"warnings", std::move(warnings)},
            {"notes", std::move(notes)}};
}

void requireGood(const Source& source, bool json) {
    const bool good = source.read.ok();
    for (const Diagnostic& d : source.read.diagnostics)
        if (d.severity == Severity::error) std::cerr << formatDiagnostic(d, source.text, source.file) << '\n';
    if (good) return;
    if (json) print(findings(source));
    throw Refused{};
}

std::optional<int> checkLoops(Source& source, bool patient) {
    if (!source.read.ok() || source.read.model.loops.empty()) return std::nullopt;
    const Model& model = source.read.model;
    const Layout layout = layoutOf(model);
    if (!smallEnoughForFindings(model)) {
        if (!patient) return std::nullopt;
        if (denseNumbers(layout) > kMostNumbers) {
            Diagnostic d;
            d.code = mech::info(mech::Code::loop_unjudged).name;
            d.severity = Severity::info;
            d.range = model.loops.front().origin.name;
            d.message = fmt::format("{} rows with {} velocities are too many to judge whether they are independent",
                                    layout.nc, layout.nv);
            d.remedy = "divide the mechanism into parts";
            source.read.diagnostics.push_back(std::move(d));
            return std::nullopt;
        }
    }
    const LoopHealth health = Closure(model).generalHealth(model.liveValues());
    for (Diagnostic& d : closureFindings(model, mech::parse(source.text), health))
        source.read.diagnostics.push_back(std::move(d));
    return health.mobility;
}

void noteIfLarge(const Model& model) {
    const Layout layout = layoutOf(model);
    if (layout.nv + layout.nc > 1000)
        note(fmt::format("a large mechanism ({} velocities, {} loop rows): this may take minutes", layout.nv,
                         layout.nc));
}

std::string loopsAtFault(const Model& model, std::span<const double> q, std::span<const double> param) {
    if (model.loops.empty() || !smallEnoughForFindings(model)) return {};
    Closure closure(model);
    const LoopHealth health = closure.health(q, param);
    if (health.sound()) return {};
    std::string text = fmt::format(": the loops' {} row{} ha{} rank {} here", health.nc, health.nc == 1 ? "" : "s",
                                   health.nc == 1 ? "s" : "ve", health.rank);
    if (!closure.generalHealth(param).sound()) return text + ", and elsewhere too (mech check says more)";
    // Only this pose is singular. Is it one that should be closed first?
    double open = 0;
    for (const double e : closure.error(q, param)) open = std::max(open, std::abs(e));
    return text + (open > 1e-6
                       ? "; the loops are open at this pose: close them with mech assemble"
                       : "; elsewhere they are independent: move it out of this pose, a folded or stretched one");
}

std::string notFinite(const Json& json) {
    if (json.is_number_float() && !std::isfinite(json.get<double>())) return "value";
    if (!json.is_structured()) return {};
    for (const auto& [key, value] : json.items()) {
        const std::string inside = notFinite(value);
        if (inside.empty()) continue;
        const std::string name = json.is_array() ? "" : key;
        return inside == "value" ? (name.empty() ? inside : name) : name.empty() ? inside : name + "." + inside;
    }
    return {};
}

void print(const Json& json) {
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    std::cout.flush();
    if (!std::cout) throw UsageError("cannot write to standard output");
}

double parseNumber(const std::string& text, const std::string& what) {
    const std::string number = trimmed(text);
    const char* begin = number.c_str();
    const char* end = begin + number.size();
    if (begin != end && *begin == '+') ++begin;
    double value = 0;
    const auto [stop, fault] = std::from_chars(begin, end, value);
    if (fault == std::errc::result_out_of_range)
        throw UsageError(fmt::format("{}: '{}' is too large or too small for a number", what, number));
    if (fault != std::errc() || stop != end || begin == end)
        throw UsageError(fmt::format("{}: '{}' is not a number", what, number));
    if (!std::isfinite(value)) throw UsageError(fmt::format("{}: '{}' is not a finite number", what, number));
    return value;
}

std::vector<double> parseList(const std::string& text, const std::string& what, std::span<const std::string> names) {
    std::vector<std::string> parts;
    std::string part;
    std::istringstream in(text);
    while (std::getline(in, part, ',')) parts.push_back(part);
    if (!text.empty() && text.back() == ',') parts.emplace_back();
    if (trimmed(text).empty()) parts.clear();
    if (parts.size() != names.size()) {
        const std::string wanted = names.empty()
                                       ? std::string("none is wanted")
                                       : fmt::format("{} {} wanted: {}", names.size(), names.size() == 1 ? "is" : "are",
                                                     fmt::join(names, ", "));
        throw UsageError(fmt::format("{}: {} given, but {}", what, counted(parts.size(), "number"), wanted));
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < parts.size(); ++i) values.push_back(parseNumber(parts[i], what + " " + names[i]));
    return values;
}

AssignmentText parseAssignment(const std::string& text, const std::string& what) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || trimmed(text.substr(0, equals)).empty())
        throw UsageError(fmt::format("{}: '{}' should be NAME=VALUE", what, text));
    return {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
}

std::vector<double> normalised(std::vector<double> q, const Model& model, const Layout& layout) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        if (body.joint.type != JointType::spherical && body.joint.type != JointType::floating) continue;
        double* w = q.data() + layout.q_of_body[b];
        const double length = normaliseQuaternion(w);
        if (length == 0)
            throw UsageError(fmt::format("--q: the quaternion of '{}' is zero; (1, 0, 0, 0) is no turn", body.name));
        if (std::abs(length - 1) > 1e-6)
            note(
                fmt::format("--q: the quaternion of '{}' had the length {:.9g} and was normalised", body.name, length));
    }
    return q;
}

void setStart(Model& model, const Layout& layout, const std::vector<double>& q, const std::vector<double>& v) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        Body& body = model.bodies[b];
        const auto from_q = q.begin() + layout.q_of_body[b];
        const auto from_v = v.begin() + layout.v_of_body[b];
        body.start.assign(from_q, from_q + jointNq(body.joint.type));
        body.rate.assign(from_v, from_v + jointNv(body.joint.type));
    }
}

Kernel makeKernel(const Model& model, const std::string& name, const std::string& which) {
    try {
        return app::makeKernel(model, name, which, gen::defaultObjectCache());
    } catch (const std::invalid_argument& fault) {
        throw UsageError(fmt::format("--kernel: {}", fault.what()));
    }
}

void note(const std::string& text) { std::cerr << "mech: " << text << '\n'; }

}  // namespace mw::cli
