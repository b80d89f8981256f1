// Actions on tendons, couplings and materials: new ones from templates that hold together at once, points of a path
// moved, and what a run has made of a tendon kept in the text.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/document/action_support.h"
#include "engine/mech/values.h"
#include "engine/model/start_pose.h"

namespace mw::app {
namespace {

/// Behind the last tendon or coupling, else at the end.
const mech::Statement* lastOf(const mech::SyntaxTree& tree, std::initializer_list<std::string_view> heads) {
    const mech::Statement* last = nullptr;
    for (const mech::Statement& statement : tree.statements)
        if (std::find(heads.begin(), heads.end(), tree.view(statement.keyword)) != heads.end()) last = &statement;
    return last;
}

Outcome insert(Document& document, const Item& item, const std::string& text, const mech::Statement* after) {
    Outcome outcome = commit(document, mech::insertStatement(document.tree(), text, after), "new " + labelOf(item));
    if (outcome) outcome.item = item;
    return outcome;
}

/// Six digits: a hundredth of a hair on a body of a metre.
std::string brief(double value) { return mech::numberText(std::round(value * 1e6) / 1e6 + 0.0); }

std::string triple(const std::array<double, 3>& at) { return brief(at[0]) + " " + brief(at[1]) + " " + brief(at[2]); }

}  // namespace

Outcome addTendon(Document& document, const std::vector<Item>& ends) {
    if (!posable(document)) return refused("The text has errors; mend them first.");
    const Model& model = document.read().model;
    std::vector<BodyPoint> sites;
    for (const Item& end : ends) {
        const int i = modelIndex(model, end);
        if (end.kind == "poi" && i >= 0) sites.push_back(model.points[static_cast<std::size_t>(i)].point);
        else if (end.kind == "body" && i >= kBase) sites.push_back({i, {}});
    }
    if (sites.size() < 2)
        return refused(
            "A tendon goes through two sites or more: select points of interest or bodies in the order of "
            "its path (Ctrl adds), then create it.");
    const auto pose = startPose(model);
    const std::vector<double> param = model.liveValues();
    const std::string name = freeName(document.tree(), mech::NameSpace::tendon, "tendon");
    std::string text = "tendon " + name;
    double length = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
        const std::string body =
            sites[i].body == kBase ? "base" : model.bodies[static_cast<std::size_t>(sites[i].body)].name;
        text += "\n  site " + body + " " +
                triple({sites[i].at[0].at(param), sites[i].at[1].at(param), sites[i].at[2].at(param)});
        if (i > 0) length += distance(pose, sites[i - 1], sites[i], param);
    }
    // Pulls only: no force while it is shorter than at the start.
    text += "\n  stiffness 1000  damping 10  spring -inf " + brief(length);
    return insert(document, {"tendon", name}, text, lastOf(document.tree(), {"tendon"}));
}

Outcome addFixedTendon(Document& document, const std::vector<std::string>& bodies) {
    if (bodies.empty())
        return refused("A fixed tendon weighs joint coordinates: select the bodies whose joints it has.");
    const std::string name = freeName(document.tree(), mech::NameSpace::tendon, "tendon");
    std::string text = "tendon " + name + " fixed";
    for (const std::string& body : bodies) text += "\n  term " + body + " 1";
    return insert(document, {"tendon", name}, text + "\n  stiffness 0", lastOf(document.tree(), {"tendon"}));
}

Outcome addCoupling(Document& document, const std::string& first, const std::string& second) {
    for (const std::string& tendon : {first, second})
        if (!tendon.empty() && !document.tree().find(mech::NameSpace::tendon, tendon))
            return refused("There is no tendon '" + tendon + "'.");
    if (first.empty()) return refused("A coupling holds a tendon: select one, or two (Ctrl adds), then create it.");
    if (first == second) return refused("A coupling ties two different tendons.");
    const std::string name = freeName(document.tree(), mech::NameSpace::coupling, "coupling");
    const std::string text = "coupling " + name + " first " + first +
                             (second.empty() ? "\n  poly 0 0 0 0 0" : " second " + second + "\n  poly 0 1 0 0 0");
    return insert(document, {"coupling", name}, text, lastOf(document.tree(), {"tendon", "coupling"}));
}

Outcome addMaterial(Document& document) {
    const std::string name = freeName(document.tree(), mech::NameSpace::material, "material");
    const mech::Statement* after = lastOf(document.tree(), {"mech", "title", "gravity", "stab", "param", "let"});
    if (const mech::Statement* last = lastOf(document.tree(), {"material"})) after = last;
    return insert(document, {"material", name}, "material " + name + "\n  mu 0.8", after);
}

Outcome movePathPoint(Document& document, const std::string& tendon, std::size_t element, bool side,
                      const std::array<double, 3>& at, Drag drag) {
    Outcome outcome;
    const Item item{"tendon", tendon};
    const mech::SyntaxTree& tree = document.tree();
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    std::size_t met = 0;
    const mech::Property* found = nullptr;
    for (const mech::Property& p : statement->properties) {
        if (!p.spec || p.own || !p.spec->repeatable || std::string_view(p.spec->word) == "term") continue;
        if (met++ == element) found = &p;
    }
    if (found && side) {
        const mech::Property* own = nullptr;
        for (const mech::Property& p : statement->properties)
            if (p.own && p.element == found->spec && p.spec && std::string_view(p.spec->word) == "side" &&
                p.word > found->word &&
                tree.view(TextRange{tree.token(found->word).begin, tree.token(p.word).begin}).find('\n') ==
                    std::string_view::npos) {
                own = &p;
                break;
            }
        found = own;
    }
    if (!found) return refused(labelOf(item) + " has no such point.");
    const std::vector<WrittenValue> values = writtenValues(tree, *statement, *found);
    if (values.size() < 4) return refused(labelOf(item) + ": this point is not complete yet.");
    // Numbers that stay the same keep their text, so that an expression beside a moved one survives.
    std::string text = values[0].text;
    bool moved = false;
    for (std::size_t k = 0; k < 3; ++k) {
        const bool same = values[1 + k].number && brief(*values[1 + k].number) == brief(at[k]);
        moved = moved || !same;
        text += " " + (same ? values[1 + k].text : brief(at[k]));
    }
    if (!moved) return commit(document, {}, "");
    const mech::Binding binding = mech::bindingOf(tree, *statement, *found);
    if (binding.values.size() < 4) return refused(labelOf(item) + ": this point is not complete yet.");
    const TextRange range = tree.range(binding.values[0].begin, binding.values[3].end);
    return commit(document, {{range, text}},
                  fmt::format("{}: {} {} moved", tendon, side ? "side of" : "", found->spec->word), drag);
}

Outcome keepTendons(Document& document, const std::vector<TendonKept>& kept) {
    std::vector<TextEdit> edits;
    const mech::SyntaxTree& tree = document.tree();
    for (const TendonKept& one : kept) {
        const mech::Statement* statement = findStatement(tree, {"tendon", one.name});
        if (!statement) continue;
        for (const auto& [word, value] : {std::pair("reference", one.reference), std::pair("state", one.activation)}) {
            const bool state = std::string_view(word) == "state";
            if (state && value == 0 && !statement->find(word)) continue;
            const auto more = numberEdits(tree, *statement, word, {value});
            edits.insert(edits.end(), more.begin(), more.end());
        }
    }
    if (edits.empty()) return {true, "The text says so already.", std::nullopt};
    return commit(document, edits, "keep reference lengths and activations");
}

}  // namespace mw::app
