// What could be written at a place of a text, with a line of help each: for the editor's list and the inspector.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/mech/syntax_tree.h"

namespace mw::mech {

struct Completion {
    enum class Kind { statement, property, choice, name, function, text };
    Kind kind = Kind::statement;
    std::string word;    ///< what replaces the word under the caret
    std::string detail;  ///< how it is written: "mass m"
    std::string doc;     ///< one line
};

struct Completions {
    TextRange range;  ///< the part of a word before the caret, which a choice replaces
    std::vector<Completion> words;
};

/// All words possible at a byte offset that begin with what stands before it on the word.
Completions completionsAt(const SyntaxTree& tree, std::size_t offset);

/// Help for the word at an offset: its signature and line of help, empty where there is nothing to say.
std::string helpAt(const SyntaxTree& tree, std::size_t offset);

}  // namespace mw::mech
