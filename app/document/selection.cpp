// Selection by name, and the map between places of the text and items of the mechanism. It reads the syntax tree, not
// the Model, so that it works while a text is broken.
#include "app/document/selection.h"

#include <algorithm>
#include <string_view>

namespace mw::app {
namespace {

/// Head keywords whose first value is the item's name.
bool isNamedKind(std::string_view head) {
    static constexpr std::string_view kinds[] = {"param", "let",   "body",     "loop",   "poi",   "tsda",   "rsda",
                                                 "drive", "shape", "material", "sensor", "track", "tendon", "coupling"};
    return std::find(std::begin(kinds), std::end(kinds), head) != std::end(kinds);
}

template <class Items>
int indexByName(const Items& items, const std::string& name) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].name == name) return static_cast<int>(i);
    return -1;
}

int nameToken(const mech::SyntaxTree& tree, int statement) {
    if (statement < 0) return -1;
    const mech::Statement& s = tree.statements[static_cast<std::size_t>(statement)];
    if (s.keyword < 0 || s.properties.empty() || s.properties.front().values.empty()) return -1;
    if (!isNamedKind(tree.view(s.keyword))) return -1;
    const int token = s.properties.front().values.front();
    return tree.tokens[static_cast<std::size_t>(token)].kind == mech::TokenKind::word ? token : -1;
}

}  // namespace

int statementAt(const mech::SyntaxTree& tree, std::size_t offset) {
    const auto after = std::upper_bound(tree.statements.begin(), tree.statements.end(), offset,
                                        [](std::size_t at, const mech::Statement& s) { return at < s.range.begin; });
    return static_cast<int>(after - tree.statements.begin()) - 1;
}

std::optional<Item> itemOf(const mech::SyntaxTree& tree, int statement) {
    const int token = nameToken(tree, statement);
    if (token < 0) return std::nullopt;
    const mech::Statement& s = tree.statements[static_cast<std::size_t>(statement)];
    return Item{std::string(tree.view(s.keyword)), std::string(tree.view(token))};
}

std::optional<Item> itemAt(const mech::SyntaxTree& tree, std::size_t offset) {
    return itemOf(tree, statementAt(tree, offset));
}

int findStatement(const mech::SyntaxTree& tree, const Item& item) {
    for (std::size_t i = 0; i < tree.statements.size(); ++i) {
        const int token = nameToken(tree, static_cast<int>(i));
        if (token >= 0 && tree.view(tree.statements[i].keyword) == item.kind && tree.view(token) == item.name)
            return static_cast<int>(i);
    }
    return -1;
}

std::optional<TextRange> nameRange(const mech::SyntaxTree& tree, const Item& item) {
    const int token = nameToken(tree, findStatement(tree, item));
    if (token < 0) return std::nullopt;
    return tree.tokens[static_cast<std::size_t>(token)].range;
}

std::vector<Item> itemsOf(const mech::SyntaxTree& tree) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < tree.statements.size(); ++i)
        if (auto item = itemOf(tree, static_cast<int>(i))) items.push_back(std::move(*item));
    return items;
}

int modelIndex(const Model& model, const Item& item) {
    if (item.kind == "body") return item.name == "base" ? kBase : indexByName(model.bodies, item.name);
    if (item.kind == "poi") return indexByName(model.points, item.name);
    if (item.kind == "tsda") return indexByName(model.tsdas, item.name);
    if (item.kind == "rsda") return indexByName(model.rsdas, item.name);
    if (item.kind == "drive") return indexByName(model.drives, item.name);
    if (item.kind == "shape") return indexByName(model.shapes, item.name);
    if (item.kind == "param") return indexByName(model.parameters, item.name);
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
        if (findStatement(tree, item) >= 0) result.push_back(item);
    return result;
}

}  // namespace mw::app
