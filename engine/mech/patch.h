// Minimal edits of a text: each touches only the bytes it must, so that comments, spacing, order and line ends survive.
// All functions give edits against `tree.text`; apply them with applyEdits (or the document's history).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/mech/syntax_tree.h"

namespace mw::mech {

/// The shortest text that reads back as exactly this number, whatever the locale.
std::string numberText(double value);
/// Several numbers with single spaces between.
std::string numberTexts(const std::vector<double>& values);

/// The property's values become `values`; a property that is not there is added (setting "" adds a flag).
std::vector<TextEdit> setProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                                  std::string_view values);
/// Only value `index` changes (counted in the written values: an axis of three numbers counts three).
std::vector<TextEdit> setValue(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                               std::size_t index, std::string_view value);
/// The head's own value `index` changes: `param k 400`, index 1.
std::vector<TextEdit> setHeadValue(const SyntaxTree& tree, const Statement& statement, std::size_t index,
                                   std::string_view value);
/// A new property on a line of its own (behind the head where the statement has one line).
std::vector<TextEdit> insertProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                                     std::string_view values);
/// The property goes, with its line where it stood alone.
std::vector<TextEdit> removeProperty(const SyntaxTree& tree, const Statement& statement, const Property& property);
std::vector<TextEdit> removeProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word);
/// A whole statement (lines without a final newline) after another one; null: at the end of the text.
std::vector<TextEdit> insertStatement(const SyntaxTree& tree, std::string_view lines, const Statement* after = nullptr);
/// The statement's lines go, with the comments between them; comment lines after it stay.
std::vector<TextEdit> removeStatement(const SyntaxTree& tree, const Statement& statement);
/// The item's name changes where it is defined and wherever it is referred to.
std::vector<TextEdit> rename(const SyntaxTree& tree, NameSpace space, std::string_view from, std::string_view to);
/// Every place that names an item, the definition first.
std::vector<TextRange> references(const SyntaxTree& tree, NameSpace space, std::string_view name);

/// The edits made, in any order; edits that overlap or lie outside are an error (std::invalid_argument).
std::string applyEdits(const std::string& text, std::vector<TextEdit> edits);

}  // namespace mw::mech
