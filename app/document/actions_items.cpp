// Actions on items: rename, delete with all that cannot stand alone, add.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "app/document/action_support.h"

namespace mw::app {
namespace {

using mech::NameSpace;

NameSpace spaceOf(const Item& item) {
    const mech::StatementSpec* spec = mech::findStatement(item.kind);
    return spec ? spec->defines : NameSpace::none;
}

bool isName(const std::string& text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

/// Statements that name an item, its own left out.
std::set<int> referrers(const mech::SyntaxTree& tree, const Item& item) {
    std::set<int> found;
    if (spaceOf(item) == NameSpace::none) return found;  // the ground: nobody can name it
    const mech::Statement* own = findStatement(tree, item);
    for (const TextRange& range : mech::references(tree, spaceOf(item), item.name)) {
        const mech::Statement* statement = tree.at(range.begin);
        if (statement && statement != own) found.insert(static_cast<int>(statement - tree.statements.data()));
    }
    return found;
}

bool isShape(const mech::SyntaxTree& tree, int statement) {
    return tree.statements[static_cast<std::size_t>(statement)].spec->defines == NameSpace::shape;
}

/// The items' statements and all that refer to them, in turn.
std::set<int> closure(const mech::SyntaxTree& tree, const std::vector<Item>& items) {
    std::set<int> all;
    std::vector<Item> open = items;
    while (!open.empty()) {
        const Item item = open.back();
        open.pop_back();
        if (const mech::Statement* own = findStatement(tree, item))
            all.insert(static_cast<int>(own - tree.statements.data()));
        if (spaceOf(item) == NameSpace::value) continue;  // a number that uses a parameter does not go with it
        for (const int statement : referrers(tree, item)) {
            // A shape stays without its material: it is seen, and no longer touches anything.
            if (spaceOf(item) == NameSpace::material && isShape(tree, statement)) continue;
            if (all.insert(statement).second)
                if (auto next = itemOf(tree, tree.statements[static_cast<std::size_t>(statement)]))
                    open.push_back(*next);
        }
    }
    return all;
}

/// The last statement of these kinds that names the body; else the body's own; else (base) the last one of the text.
const mech::Statement* placeFor(const mech::SyntaxTree& tree, const std::string& body,
                                std::initializer_list<std::string_view> kinds) {
    const mech::Statement* place = nullptr;
    for (const mech::Statement& statement : tree.statements) {
        if (statement.keyword < 0) continue;
        const std::string_view head = tree.view(statement.keyword);
        if (std::find(kinds.begin(), kinds.end(), head) == kinds.end()) continue;
        if (body == "base" ||
            std::any_of(statement.properties.begin(), statement.properties.end(), [&](const mech::Property& p) {
                for (int i = p.begin; i < p.end; ++i)
                    if (tree.view(i) == body) return true;
                return false;
            }))
            place = &statement;
    }
    if (place) return place;
    if (const mech::Statement* own = tree.find(NameSpace::body, body)) return own;
    return nullptr;
}

Outcome add(Document& document, const Item& item, const std::string& lines, const mech::Statement* after) {
    Outcome outcome =
        commit(document, mech::insertStatement(document.tree(), lines, after), "Add " + item.kind + " " + item.name);
    if (outcome) outcome.item = item;
    return outcome;
}

bool hasBody(const Document& document, const std::string& body) {
    return body == "base" || document.tree().find(NameSpace::body, body);
}

Outcome noBody(const std::string& body) { return refused("There is no body '" + body + "'."); }

/// A scalar joint's body, or a refusal.
Outcome wantScalar(const Document& document, const std::string& body, const char* what) {
    const Model& model = document.read().model;
    const int index = model.findBody(body);
    if (index < 0) return body == "base" ? refused("The base has no joint.") : noBody(body);
    const JointType type = model.bodies[static_cast<std::size_t>(index)].joint.type;
    if (jointNv(type) != 1)
        return refused(
            fmt::format("{} needs a joint with one coordinate; that of '{}' is {}.", what, body, jointTypeName(type)));
    return {true, "", std::nullopt};
}

}  // namespace

Outcome renameItem(Document& document, const Item& item, const std::string& to) {
    Outcome outcome;
    if (!statementOrRefuse(document, item, outcome)) return outcome;
    if (to == item.name) return {true, "", item};
    if (!isName(to)) return refused("A name has letters, digits and _, and does not begin with a digit.");
    if (mech::isReserved(to)) return refused("'" + to + "' is a word of the language; choose another name.");
    const NameSpace space = spaceOf(item);
    if (space == NameSpace::none) return refused("The " + item.kind + " has no name of its own.");
    if (document.tree().find(space, to)) return refused("There is a '" + to + "' already.");
    outcome = commit(document, mech::rename(document.tree(), space, item.name, to), "Rename " + item.name + " → " + to);
    if (outcome) outcome.item = Item{item.kind, to};
    return outcome;
}

std::vector<Item> dependents(const Document& document, const std::vector<Item>& items) {
    std::vector<Item> result;
    for (const int statement : closure(document.tree(), items))
        if (auto item = itemOf(document.tree(), document.tree().statements[static_cast<std::size_t>(statement)]))
            if (std::find(items.begin(), items.end(), *item) == items.end()) result.push_back(*item);
    return result;
}

Outcome deleteItems(Document& document, const std::vector<Item>& items) {
    const mech::SyntaxTree& tree = document.tree();
    Outcome outcome;
    for (const Item& item : items)
        if (!statementOrRefuse(document, item, outcome)) return outcome;
    const std::set<int> gone = closure(tree, items);
    for (const Item& item : items) {
        if (spaceOf(item) != NameSpace::value) continue;
        for (const int user : referrers(tree, item)) {
            if (gone.count(user)) continue;
            const auto who = itemOf(tree, tree.statements[static_cast<std::size_t>(user)]);
            return refused("'" + item.name + "' is still used" + (who ? " by " + labelOf(*who) : std::string()) + ".");
        }
    }
    std::vector<TextEdit> edits;
    for (const int statement : gone)
        for (TextEdit& edit : mech::removeStatement(tree, tree.statements[static_cast<std::size_t>(statement)]))
            edits.push_back(std::move(edit));
    std::set<int> bared;  // shapes that lose their material
    for (const Item& item : items)
        if (spaceOf(item) == NameSpace::material)
            for (const int user : referrers(tree, item))
                if (isShape(tree, user) && !gone.count(user)) bared.insert(user);
    for (const int shape : bared)
        for (TextEdit& edit : mech::removeProperty(tree, tree.statements[static_cast<std::size_t>(shape)], "collide"))
            edits.push_back(std::move(edit));
    std::string name = items.size() == 1 ? "Delete " + items.front().kind + " " + items.front().name
                                         : fmt::format("Delete {} items", items.size());
    const std::size_t more = gone.size() > items.size() ? gone.size() - items.size() : 0;
    if (more > 0) name += fmt::format(" and {} that need{} it", more, more == 1 ? "s" : "");
    return commit(document, edits, name);
}

Outcome addBody(Document& document, const std::string& parent, const std::string& joint) {
    const mech::SyntaxTree& tree = document.tree();
    if (!hasBody(document, parent)) return noBody(parent);
    const bool floating = joint == "floating";
    if (floating && parent != "base") return refused("Only a child of the base can float.");
    const std::string name = freeName(tree, NameSpace::body, "body");
    std::string lines = "body " + name;
    if (parent != "base") lines += "\n  parent " + parent;
    lines += "\n  joint " + joint;
    // A new link goes on where its parent's mass says the parent ends.
    const Model& model = document.read().model;
    const int index = model.findBody(parent);
    std::vector<double> at{0, 0, parent == "base" ? 1.0 : 0.0};
    if (index >= 0)
        for (std::size_t k = 0; k < 3; ++k) at[k] = 2 * model.bodies[static_cast<std::size_t>(index)].cg[k].value;
    if (!floating) lines += "\n  at " + mech::numberTexts(at);
    lines += "\n  mass 1  cg 0.15 0 0\n  inertia 0.0005 0.0075 0.0075 0 0 0";
    const mech::Statement* after = tree.find(NameSpace::body, parent);
    if (!after) after = placeFor(tree, "base", {"body"});
    return add(document, {"body", name}, lines, after);
}

Outcome addPoint(Document& document, const std::string& body, const std::array<double, 3>& at) {
    if (!hasBody(document, body)) return noBody(body);
    const std::string name = freeName(document.tree(), NameSpace::point, "point");
    return add(document, {"poi", name},
               "poi " + name + " on " + body + " at " + mech::numberTexts({at[0], at[1], at[2]}),
               placeFor(document.tree(), body, {"poi"}));
}

Outcome addShape(Document& document, const std::string& body, const std::string& kind) {
    if (!hasBody(document, body)) return noBody(body);
    static constexpr std::pair<const char*, const char*> sizes[] = {{"box", "0.1 0.1 0.1"},
                                                                    {"sphere", "0.05"},
                                                                    {"capsule", "0.03 0.2"},
                                                                    {"cylinder", "0.05 0.1"},
                                                                    {"cone", "0.05 0.1"}};
    for (const auto& [name, size] : sizes) {
        if (kind != name) continue;
        const std::string shape = freeName(document.tree(), NameSpace::shape, kind);
        return add(document, {"shape", shape}, "shape " + shape + " on " + body + "  " + kind + " " + size,
                   placeFor(document.tree(), body, {"shape"}));
    }
    return refused("There is no shape '" + kind + "'; there are box, sphere, capsule, cylinder and cone.");
}

Outcome addTsda(Document& document, const std::string& from_point, const std::string& to_point) {
    for (const std::string& point : {from_point, to_point})
        if (!document.tree().find(NameSpace::point, point)) return refused("There is no point '" + point + "'.");
    if (from_point == to_point) return refused("A spring needs two different points.");
    const std::string name = freeName(document.tree(), NameSpace::element, "spring");
    return add(document, {"tsda", name}, "tsda " + name + " from " + from_point + " to " + to_point + "  k 100  c 1",
               placeFor(document.tree(), "base", {"poi", "tsda", "rsda"}));
}

Outcome addRsda(Document& document, const std::string& body) {
    if (Outcome scalar = wantScalar(document, body, "A joint spring"); !scalar) return scalar;
    const std::string name = freeName(document.tree(), NameSpace::element, "joint_spring");
    return add(document, {"rsda", name}, "rsda " + name + " joint " + body + "  k 10  c 0.1  q0 0",
               placeFor(document.tree(), body, {"rsda"}));
}

Outcome addDrive(Document& document, const std::string& body, const std::string& kind) {
    if (Outcome scalar = wantScalar(document, body, "A drive"); !scalar) return scalar;
    const char* law = kind == "speed"      ? "speed 1  gain 1"
                      : kind == "torque"   ? "torque 0"
                      : kind == "position" ? "position 0  kp 10  kd 1"
                                           : nullptr;
    if (!law) return refused("There is no drive '" + kind + "'; there are torque, speed and position.");
    const std::string name = freeName(document.tree(), NameSpace::drive, "motor");
    return add(document, {"drive", name}, "drive " + name + " joint " + body + "  " + law,
               placeFor(document.tree(), body, {"drive"}));
}

Outcome addParameter(Document& document, const std::string& name, double value) {
    const mech::SyntaxTree& tree = document.tree();
    if (!isName(name)) return refused("A name has letters, digits and _, and does not begin with a digit.");
    if (mech::isReserved(name)) return refused("'" + name + "' is a word of the language; choose another name.");
    if (tree.find(NameSpace::value, name)) return refused("There is a '" + name + "' already.");
    const mech::Statement* after = placeFor(tree, "base", {"mech", "title", "gravity", "param"});
    return add(document, {"param", name}, "param " + name + " " + mech::numberText(value), after);
}

}  // namespace mw::app
