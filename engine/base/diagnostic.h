// What the program says to a person about a text: place, fault, what was expected, how to mend it.
// Every room that reads a mechanism reports with these; the studio, `mech check` and the tests show the same ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mw {

/// Half-open range of bytes in a document's text.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const TextRange&) const = default;
};

/// One replacement in a text: the bytes of `range` give way to `text`.
struct TextEdit {
    TextRange range;
    std::string text;
    bool operator==(const TextEdit&) const = default;
};

enum class Severity { info, warning, error };

/// A finding about the text. `code` is stable, searchable in docs/diagnostics.md, and never renamed.
struct Diagnostic {
    std::string code;  ///< e.g. "unknown-name"
    Severity severity = Severity::error;
    TextRange range;            ///< the text at fault (empty range: a place between two characters)
    std::string message;        ///< one sentence: what is wrong, naming the item and the value
    std::string expected;       ///< what would have been right there; may be empty
    std::string remedy;         ///< what the user can do; may be empty
    std::vector<TextEdit> fix;  ///< the remedy as a patch of the text, where the program can apply it
};

/// A place as people count it: line and column from 1, columns in code points.
struct LineColumn {
    int line = 1;
    int column = 1;
};

/// Line and column of a byte offset (an offset beyond the end gives the end). LF and CRLF end lines; a BOM has no
/// column.
LineColumn lineColumn(const std::string& text, std::size_t offset);

/// Number of code points in `range` (malformed bytes count one each).
int codePoints(const std::string& text, TextRange range);

/// "file:line:column: error: message (expected; remedy)", as compilers print it.
std::string formatDiagnostic(const Diagnostic& diagnostic, const std::string& text, const std::string& file);

bool hasErrors(const std::vector<Diagnostic>& diagnostics);

}  // namespace mw
