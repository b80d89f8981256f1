// Places as people count them, and diagnostics as one line of text.
#include "engine/base/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace mw {
namespace {

constexpr bool continues(unsigned char byte) { return (byte & 0xC0u) == 0x80u; }

// Length of the well-formed UTF-8 sequence at `i`, 1 for a malformed byte (each of which counts as one code point).
std::size_t sequenceLength(const std::string& text, std::size_t i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t want = lead < 0x80                     ? 1
                             : (lead >= 0xC2 && lead < 0xE0) ? 2
                             : (lead >= 0xE0 && lead < 0xF0) ? 3
                             : (lead >= 0xF0 && lead < 0xF5) ? 4
                                                             : 1;
    if (i + want > text.size()) return 1;
    for (std::size_t k = 1; k < want; ++k)
        if (!continues(static_cast<unsigned char>(text[i + k]))) return 1;
    return want;
}

}  // namespace

LineColumn lineColumn(const std::string& text, std::size_t offset) {
    offset = std::min(offset, text.size());
    LineColumn place;
    std::size_t line_begin = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
    for (std::size_t i = line_begin; i < offset; ++i)
        if (text[i] == '\n') {
            ++place.line;
            line_begin = i + 1;
        }
    for (std::size_t i = line_begin; i < offset; i += sequenceLength(text, i)) ++place.column;
    return place;
}

int codePoints(const std::string& text, TextRange range) {
    const std::size_t end = std::min(range.end, text.size());
    int count = 0;
    for (std::size_t i = range.begin; i < end; i += sequenceLength(text, i)) ++count;
    return count;
}

std::string formatDiagnostic(const Diagnostic& diagnostic, const std::string& text, const std::string& file) {
    const LineColumn place = lineColumn(text, diagnostic.range.begin);
    const char* severity = diagnostic.severity == Severity::error     ? "error"
                           : diagnostic.severity == Severity::warning ? "warning"
                                                                      : "info";
    std::string line = fmt::format("{}:{}:{}: {}: {}", file, place.line, place.column, severity, diagnostic.message);
    if (!diagnostic.expected.empty()) line += fmt::format("; expected {}", diagnostic.expected);
    if (!diagnostic.remedy.empty()) line += fmt::format("; {}", diagnostic.remedy);
    line += fmt::format(" [{}]", diagnostic.code);
    return line;
}

bool hasErrors(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace mw
