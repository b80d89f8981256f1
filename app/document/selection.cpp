// Selection by name, and the map between places of the text and items of the mechanism. It reads the syntax tree, not
// the Model, so that it works while a text is broken.
#include "app/document/selection.h"

#include <algorithm>
#include <string_view>

namespace mw::app {
namespace {

// There is one ground; its word stands for its name.
constexpr const char* kGround = "ground";

template <class Items>
int indexByName(const Items& items, const std::string& name) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace

int statementAt(const mech::SyntaxTree& tree, std::size_t offset) {
    const mech::Statement* statement = tree.at(offset);
    return statement ? static_cast<int>(statement - tree.statements.data()) : -1;
}

std::optional<Item> itemOf(const mech::SyntaxTree& tree, const mech::Statement& statement) {
    if (statement.keyword < 0) return std::nullopt;
    if (tree.view(statement.keyword) == kGround) return Item{kGround, kGround};
    const TextRange name = tree.nameRange(statement);
    if (name.begin == name.end) return std::nullopt;
    return Item{std::string(tree.view(statement.keyword)), std::string(tree.view(name))};
}

std::optional<Item> itemAt(const mech::SyntaxTree& tree, std::size_t offset) {
    const mech::Statement* statement = tree.at(offset);
    return statement ? itemOf(tree, *statement) : std::nullopt;
}

const mech::Statement* findStatement(const mech::SyntaxTree& tree, const Item& item) {
    if (item.kind == kGround) return tree.first(kGround);
    const mech::StatementSpec* spec = mech::findStatement(item.kind);
    if (!spec || spec->defines == mech::NameSpace::none) return nullptr;
    const mech::Statement* statement = tree.find(spec->defines, item.name);
    // Two kinds may share one space of names (tsda and rsda).
    return statement && statement->keyword >= 0 && tree.view(statement->keyword) == item.kind ? statement : nullptr;
}

Item writtenItem(const Item& item) {
    // Dots are in names that the program makes alone.
    const std::size_t dot = item.name.find('.'), bar = item.name.find('/');
    // A contact of two shapes, "foot/ground.2": the first of them.
    if (item.kind == "contact" && bar < dot) return {"shape", item.name.substr(0, bar)};
    const bool made = item.kind == "contact" || item.kind == "body" || item.kind == "loop";
    if (!made || dot == std::string::npos) return item;
    return {"track", item.name.substr(0, dot)};
}

std::string shownName(const Item& item) {
    const std::string shoe = ".shoe";
    const std::size_t dot = item.kind == "body" ? item.name.find(shoe) : std::string::npos;
    if (dot == std::string::npos) return item.name;
    return item.name.substr(0, dot) + ", shoe " + item.name.substr(dot + shoe.size());
}

std::optional<TextRange> nameRange(const mech::SyntaxTree& tree, const Item& item) {
    const mech::Statement* statement = findStatement(tree, writtenItem(item));
    if (!statement) return std::nullopt;
    if (item.kind == kGround) return tree.token(statement->keyword).range();
    return tree.nameRange(*statement);
}

std::vector<Item> itemsOf(const mech::SyntaxTree& tree) {
    std::vector<Item> items;
    for (const mech::Statement& statement : tree.statements)
        if (auto item = itemOf(tree, statement)) items.push_back(std::move(*item));
    return items;
}

int modelIndex(const Model& model, const Item& item) {
    if (item.kind == "body") return item.name == "base" ? kBase : indexByName(model.bodies, item.name);
    if (item.kind == "poi") return indexByName(model.points, item.name);
    if (item.kind == "tsda") return indexByName(model.tsdas, item.name);
    if (item.kind == "rsda") return indexByName(model.rsdas, item.name);
    if (item.kind == "drive") return indexByName(model.drives, item.name);
    if (item.kind == "loop") return indexByName(model.loops, item.name);
    if (item.kind == "shape") return indexByName(model.shapes, item.name);
    if (item.kind == "param") return indexByName(model.parameters, item.name);
    if (item.kind == "track") return indexByName(model.tracks, item.name);
    if (item.kind == "tendon") return indexByName(model.tendons, item.name);
    if (item.kind == "coupling") return indexByName(model.couplings, item.name);
    if (item.kind == "material") return indexByName(model.materials, item.name);
    if (item.kind == kGround) return model.ground ? 0 : -1;
    return -1;
}

int bodyOf(const Model& model, const Item& item) {
    if (item.kind == "body" && item.name == "base") return kBase;
    const int index = modelIndex(model, item);
    if (index < 0) return -2;
    const auto i = static_cast<std::size_t>(index);
    if (item.kind == "body") return index;
    if (item.kind == "poi") return model.points[i].point.body;
    if (item.kind == "rsda") return model.rsdas[i].body;
    if (item.kind == "drive") return model.drives[i].body;
    if (item.kind == "shape") return model.shapes[i].body;
    if (item.kind == "track") return model.tracks[i].root;
    if (item.kind == kGround) return kBase;
    return -2;
}

bool Selection::contains(const Item& item) const {
    return std::find(items_.begin(), items_.end(), item) != items_.end();
}

std::optional<Item> Selection::primary() const {
    if (items_.empty()) return std::nullopt;
    return items_.back();
}

void Selection::set(Item item) { items_.assign(1, std::move(item)); }

void Selection::add(Item item) {
    std::erase(items_, item);
    items_.push_back(std::move(item));
}

void Selection::toggle(Item item) {
    if (std::erase(items_, item) == 0) items_.push_back(std::move(item));
}

void Selection::clear() { items_.clear(); }

void Selection::renamed(const Item& from, const Item& to) { std::replace(items_.begin(), items_.end(), from, to); }

std::vector<Item> Selection::present(const mech::SyntaxTree& tree) const {
    std::vector<Item> result;
    for (const Item& item : items_)
        if (findStatement(tree, writtenItem(item))) result.push_back(item);
    return result;
}

}  // namespace mw::app
