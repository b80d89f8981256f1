// Cuts a property's tokens into values as the keyword table wants them.
#pragma once

#include <vector>

#include "engine/mech/findings.h"
#include "engine/mech/syntax_tree.h"

namespace mw::mech {

/// One value: its tokens [begin, end), spaces only inside parentheses, and what the table says of it.
struct Value {
    int begin = 0;
    int end = 0;
    const ValueSpec* spec = nullptr;
};

struct Binding {
    std::vector<Value> values;  ///< in the order of the text; an axis or a point gives one or several
    int end = 0;                ///< first token after them
    bool faulty = false;        ///< they do not fit; said where findings were given
};

/// Where a statement's values stand.
struct Place {
    const SyntaxTree& tree;
    const StatementSpec& statement;
    const PropertySpec* element = nullptr;  ///< the path element whose own words end a list here
};

/// Binds the tokens from `begin`, all before `limit`, to `specs`. `word` names the property in messages.
void bindValues(const Place& place, const std::vector<ValueSpec>& specs, std::string_view word, int begin, int limit,
                Findings* findings, Binding& out);
/// The values of a property of a parsed statement.
Binding bindingOf(const SyntaxTree& tree, const Statement& statement, const Property& property);

/// First token of [begin, limit) that is no space; `limit` when there is none.
int skipSpace(const SyntaxTree& tree, int begin, int limit);
/// First token at or after `begin` that ends a line: a newline, a comment, or the end of all tokens.
int lineLimit(const SyntaxTree& tree, int begin);

/// Is this token, standing where a property could begin, a word of the statement's own?
bool isPropertyWord(const Place& place, int token);

}  // namespace mw::mech
