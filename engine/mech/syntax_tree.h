// The lossless syntax tree of a .mech text: every byte belongs to exactly one token, so writing the tree back gives the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace mw::mech {

enum class TokenKind { space, newline, comment, word, number, string, punctuation, invalid };

struct Token {
    TokenKind kind = TokenKind::invalid;
    TextRange range;
};

/// One property: its word and the tokens of its values (spaces and comments left out), up to the next property word or line end.
struct Property {
    int word = -1;            ///< index into tokens; -1 for the head's positional values
    std::vector<int> values;  ///< indices into tokens
};

/// A head keyword with its own values and its property lines.
struct Statement {
    int keyword = -1;                ///< index into tokens
    std::vector<Property> properties;  ///< [0]: the head's own values
    TextRange range;                 ///< from the keyword to the end of the last property (no trailing comment or blank)
};

struct SyntaxTree {
    std::string text;
    std::vector<Token> tokens;
    std::vector<Statement> statements;
    std::vector<Diagnostic> diagnostics;  ///< lexical and structural faults

    std::string_view view(TextRange range) const { return std::string_view(text).substr(range.begin, range.end - range.begin); }
    std::string_view view(int token) const { return view(tokens[static_cast<std::size_t>(token)].range); }
};

/// Reads any bytes: never throws for content, never fails to return a tree.
SyntaxTree parse(std::string text);

}  // namespace mw::mech
