// The lossless syntax tree of a .mech text: every byte belongs to exactly one token, so writing the tokens back gives
// the text. Statements and properties are ranges of tokens, matched against the keyword table (keywords.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/mech/keywords.h"

namespace mw::mech {

enum class TokenKind : std::uint32_t { space, newline, comment, word, number, string, punctuation, invalid };

/// Eight bytes, since a text of the largest size can have one token a byte.
struct Token {
    std::uint32_t begin = 0;
    std::uint32_t length : 28 = 0;
    TokenKind kind : 4 = TokenKind::invalid;

    TextRange range() const { return {begin, std::size_t{begin} + length}; }
};

/// One property: its word and the tokens of its values, [begin, end) with the spaces between them, on one line.
struct Property {
    int word = -1;  ///< index into tokens; -1 for the head's positional values
    int begin = 0;
    int end = 0;
    const PropertySpec* spec = nullptr;     ///< null: an unknown word, or the head's positional values
    const PropertySpec* element = nullptr;  ///< the path element whose own words may follow on the line
    bool own = false;                       ///< belongs to the path element before it (`roller … driven`)
    bool faulty = false;                    ///< its values do not fit the table; said already
};

/// A head keyword with its own values and its property lines.
struct Statement {
    int keyword = -1;  ///< index into tokens
    const StatementSpec* spec = nullptr;
    std::vector<Property> properties;  ///< [0]: the head's own values
    TextRange range;                   ///< from the keyword to the end of the last property (no trailing comment)

    /// First property of that word, null when not written.
    const Property* find(const PropertySpec* property) const {
        for (const Property& p : properties)
            if (p.spec == property && property) return &p;
        return nullptr;
    }
    const Property* find(std::string_view word) const { return spec ? find(spec->find(word)) : nullptr; }
};

/// Lets a map of strings be asked with a piece of a text.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
/// Name to index of the first statement that defines it.
using NameMap = std::unordered_map<std::string, int, TextHash, std::equal_to<>>;

struct SyntaxTree {
    std::string text;
    std::vector<Token> tokens;
    std::vector<Statement> statements;
    std::array<NameMap, kNameSpaces> names;  ///< by NameSpace
    std::vector<Diagnostic> diagnostics;     ///< lexical and structural faults

    std::string_view view(TextRange range) const {
        return std::string_view(text).substr(range.begin, range.end - range.begin);
    }
    const Token& token(int index) const { return tokens[static_cast<std::size_t>(index)]; }
    std::string_view view(int token) const { return view(this->token(token).range()); }
    /// Text range of the tokens [begin, end) without the spaces at its ends.
    TextRange range(int begin, int end) const;
    TextRange range(const Property& property) const;  ///< its word and values

    /// The statement that defines a name, null when there is none.
    const Statement* find(NameSpace space, std::string_view name) const;
    /// The name's text that a statement defines; empty where it has none.
    TextRange nameRange(const Statement& statement) const;
    /// The only statement of a head, null when there is none.
    const Statement* first(std::string_view head) const;
    /// The statement whose lines hold a byte offset, null before the first.
    const Statement* at(std::size_t offset) const;
};

/// Largest text that is read, bytes.
constexpr std::size_t kLargestText = 16u << 20;
/// Most items of one kind in a Model; most statements of a text, properties of a statement, and values of a list.
constexpr std::size_t kMostItems = 20'000;
constexpr std::size_t kMostStatements = 100'000;
constexpr std::size_t kMostProperties = 10'000;
constexpr std::size_t kMostListValues = 10'000;
/// Deepest nesting of parentheses.
constexpr int kDeepestNesting = 200;

/// What ends the first line of a text: LF or CRLF; LF where there is none.
std::string lineEnding(const std::string& text);

/// Reads any bytes: never throws for content, never fails to return a tree.
SyntaxTree parse(std::string text);

}  // namespace mw::mech
