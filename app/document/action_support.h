// What the actions share (internal to app/document): values as written, names for the history, and the one way to
// commit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/document/actions.h"
#include "engine/mech/patch.h"

namespace mw::app {

inline Outcome refused(std::string message) { return {false, std::move(message), std::nullopt}; }

/// "body 'rod'"
std::string labelOf(const Item& item);
/// Sound as far as poses go: a text may be refused for redundant rows of its loops and still be posed.
bool posable(const Document& document);
/// The statement of an item, or a refusal.
const mech::Statement* statementOrRefuse(const Document& document, const Item& item, Outcome& outcome);

std::vector<WrittenValue> writtenValues(const mech::SyntaxTree& tree, const mech::Statement& statement,
                                        const mech::Property& property);

/// Edits that bring a property to these numbers. Values that are equal keep their text, so that an expression beside a
/// changed number stays. `present`: what holds when nothing is written.
std::vector<TextEdit> numberEdits(const mech::SyntaxTree& tree, const mech::Statement& statement, std::string_view word,
                                  const std::vector<double>& values, const std::vector<double>& present = {});

/// The wanted name, with a number behind it where it is taken.
std::string freeName(const mech::SyntaxTree& tree, mech::NameSpace space, const std::string& wanted);

/// "1.2 → 1.5": short enough for a list.
std::string change(const std::string& from, const std::string& to);

/// Makes the edits, unless the text would have more errors than it has: then nothing happens and the first new one is
/// the message. No edits: done, and no entry.
Outcome commit(Document& document, const std::vector<TextEdit>& edits, const std::string& name, Drag drag = 0);

}  // namespace mw::app
