// Actions on loops: their type, and start poses that close them.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/document/action_support.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/closure_cost.h"
#include "engine/mech/patch.h"
#include "engine/model/layout.h"
#include "engine/model/start_pose.h"

namespace mw::app {
namespace {

constexpr double kSeconds = 0.12;  // that assembling a large mechanism may hold up the window

constexpr LoopType kTypes[] = {LoopType::revolute,  LoopType::prismatic,     LoopType::cylindrical,
                               LoopType::spherical, LoopType::point_on_line, LoopType::distance};

Outcome patchStart(Document& document, const std::vector<double>& q, const std::string& name) {
    const Model& model = document.read().model;
    return commit(document, startPatch(model, layoutOf(model), document.tree(), q), name);
}

/// The one edit between the common beginning and the common end.
TextEdit onlyDifference(const std::string& from, const std::string& to) {
    const std::size_t most = std::min(from.size(), to.size());
    std::size_t head = 0, tail = 0;
    while (head < most && from[head] == to[head]) ++head;
    while (tail < most - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) ++tail;
    return {{head, from.size() - tail}, to.substr(head, to.size() - tail - head)};
}

}  // namespace

Outcome keepAsStart(Document& document, const std::vector<double>& q) {
    if (!posable(document)) return refused("The text has errors; mend them first.");
    if (q.size() != static_cast<std::size_t>(layoutOf(document.read().model).nq))
        return refused("The pose belongs to another version of the mechanism.");
    if (!std::all_of(q.begin(), q.end(), [](double x) { return std::isfinite(x); }))
        return refused("A number of the pose is not finite.");
    return patchStart(document, q, "Keep as start pose");
}

Outcome assembleStart(Document& document) {
    if (!posable(document)) return refused("The text has errors; mend them first.");
    const Model& model = document.read().model;
    if (model.loops.empty()) return refused("There is no loop to close.");
    const std::vector<double> param = model.liveValues();
    Closure closure(model);
    AssembleOptions options;
    const int usual = options.most_steps;
    options.most_steps = std::min(usual, affordableSteps(closure.layout(), kSeconds));
    const Assembly assembly = closure.assemble(startQ(model, closure.layout(), param), param, options);
    if (!assembly.closed) {
        std::string what = assembly.what;
        if (!what.empty() && what[0] >= 'a' && what[0] <= 'z') what[0] = static_cast<char>(what[0] - 'a' + 'A');
        if (!what.ends_with('.')) what += '.';
        if (options.most_steps < usual)
            return refused(
                fmt::format("The loops were not closed within {} steps, and more would hold up the window: "
                            "`mech assemble` tries longer. {}",
                            options.most_steps, what));
        return refused("The loops cannot be closed from this start pose. " + what);
    }
    const std::string before = document.text();
    Outcome outcome = patchStart(document, assembly.q, "Assemble start pose");
    if (outcome && document.text() == before) outcome.message = "The start pose closes the loops already.";
    else if (outcome)
        outcome.message = fmt::format("The start pose closes {}: {}.",
                                      model.loops.size() == 1 ? "the loop" : "all loops", assembly.what);
    return outcome;
}

Outcome setLoopType(Document& document, const std::string& loop, const std::string& type) {
    const Item item{"loop", loop};
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    const auto* wanted =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](LoopType t) { return type == loopTypeName(t); });
    if (wanted == std::end(kTypes)) return refused("There is no loop of type '" + type + "'.");
    const auto written = writtenValues(document, item, "type");
    const std::string before = written.empty() ? std::string() : written.front().text;
    if (before == type) return commit(document, {}, "");
    // One after the other, since lines that come and go may lie side by side.
    std::string text = document.text();
    const auto then = [&](auto&& make) {
        const mech::SyntaxTree tree = mech::parse(text);
        if (const mech::Statement* now = findStatement(tree, item)) text = mech::applyEdits(text, make(tree, *now));
    };
    const auto add = [&](const char* word, const std::string& values) {
        then([&](const mech::SyntaxTree& tree, const mech::Statement& now) {
            return mech::insertProperty(tree, now, word, values);
        });
    };
    const auto remove = [&](const char* word) {
        then([&](const mech::SyntaxTree& tree, const mech::Statement& now) {
            return mech::removeProperty(tree, now, word);
        });
    };
    const bool axis = statement->find("axis") != nullptr, length = statement->find("length") != nullptr;
    then([&](const mech::SyntaxTree& tree, const mech::Statement& now) {
        return mech::setProperty(tree, now, "type", type);
    });
    if (hasAxis(*wanted) && !axis) add("axis", "z");
    if (!hasAxis(*wanted) && axis) remove("axis");
    if (*wanted != LoopType::distance && length) remove("length");
    if (*wanted == LoopType::distance && !length) {
        // What the start pose has; a metre where its two points meet.
        const Model& model = document.read().model;
        const int index = modelIndex(model, item);
        double apart = 0;
        if (index >= 0) {
            const Loop& it = model.loops[static_cast<std::size_t>(index)];
            const std::vector<double> param = model.liveValues();
            apart = distance(startPose(model), {it.from.body, it.from.at}, {it.to.body, it.to.at}, param);
        }
        add("length", mech::numberText(apart > 1e-6 ? apart : 1));
    }
    return commit(document, {onlyDifference(document.text(), text)}, loop + " type " + change(before, type));
}

}  // namespace mw::app
