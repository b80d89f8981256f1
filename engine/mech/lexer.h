// Cuts a text into tokens without losing a byte.
#pragma once

#include "engine/mech/findings.h"
#include "engine/mech/syntax_tree.h"

namespace mw::mech {

/// Fills `tree.tokens` from `tree.text`.
void lex(SyntaxTree& tree, Findings& findings);

}  // namespace mw::mech
