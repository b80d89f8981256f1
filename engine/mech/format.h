// The formatter: one way of spacing a text, which keeps its lines, comments, order, line ends and meaning.
#pragma once

#include <string>

#include "engine/mech/syntax_tree.h"

namespace mw::mech {

/// Statements at the margin, property lines two spaces in, one space between values, and before a property one or two,
/// as its author began; comments behind words keep their column where it leaves two spaces; blank lines come one at a
/// time. Formatting a formatted text changes nothing.
std::string formatText(const SyntaxTree& tree);
std::string formatText(const std::string& text);

}  // namespace mw::mech
