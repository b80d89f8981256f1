// What the user has selected, by kind and name so that it survives edits; and where a place in the text belongs.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/mech/syntax_tree.h"
#include "engine/model/model.h"

namespace mw::app {

/// An item of the mechanism: its head keyword ("body", "poi", "tsda", "rsda", "drive", "shape", "param", …) and its
/// name. The ground, of which there is one, is {"ground", "ground"}.
struct Item {
    std::string kind;
    std::string name;
    auto operator<=>(const Item&) const = default;
};

/// Index of the statement whose lines hold a byte of the text; -1 before the first.
int statementAt(const mech::SyntaxTree& tree, std::size_t offset);
/// The named item of a statement; nothing for statements without a name (mech, title, gravity, …).
std::optional<Item> itemOf(const mech::SyntaxTree& tree, const mech::Statement& statement);
/// The item at a caret or a click in the text: of the statement whose lines hold the place.
std::optional<Item> itemAt(const mech::SyntaxTree& tree, std::size_t offset);
/// The statement of an item, null when there is none. Works on broken texts too.
const mech::Statement* findStatement(const mech::SyntaxTree& tree, const Item& item);
/// The item of the text that stands for one that the program makes: a shoe of a band and a contact of one belong to
/// its track. Others are what they are.
Item writtenItem(const Item& item);
/// "left, shoe 17" of a shoe; the name of anything else.
std::string shownName(const Item& item);
/// The item's name in its own statement (what "go to" selects).
std::optional<TextRange> nameRange(const mech::SyntaxTree& tree, const Item& item);
/// Every item of the text in file order, broken ones included.
std::vector<Item> itemsOf(const mech::SyntaxTree& tree);

/// Index of an item in its vector of the Model (bodies, points, tsdas, …, parameters); -1 when unknown; base is kBase
/// too.
int modelIndex(const Model& model, const Item& item);
/// The body an item belongs to: itself, the one a shape or point is on, the one a drive or rsda turns, a track's root;
/// -2 when none or unknown.
int bodyOf(const Model& model, const Item& item);

class Selection {
public:
    const std::vector<Item>& items() const { return items_; }
    bool empty() const { return items_.empty(); }
    bool contains(const Item& item) const;
    /// The one selected last: what the inspector shows.
    std::optional<Item> primary() const;

    void set(Item item);
    void add(Item item);     ///< becomes the primary one
    void toggle(Item item);  ///< Ctrl + click
    void clear();
    void renamed(const Item& from, const Item& to);
    /// Items that the text has now. Those that an edit took away are kept aside: an undo brings them back selected.
    std::vector<Item> present(const mech::SyntaxTree& tree) const;

private:
    std::vector<Item> items_;
};

}  // namespace mw::app
