// Look-ups in the keyword table, and its values in words.
#include "engine/mech/keywords.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "engine/mech/keyword_table.h"

namespace mw::mech {

const char* nameSpaceText(NameSpace space) {
    switch (space) {
        case NameSpace::none: return "name";
        case NameSpace::value: return "parameter";
        case NameSpace::body: return "body";
        case NameSpace::point: return "poi";
        case NameSpace::element: return "tsda or rsda";
        case NameSpace::drive: return "drive";
        case NameSpace::shape: return "shape";
        case NameSpace::loop: return "loop";
        case NameSpace::material: return "material";
        case NameSpace::sensor: return "sensor";
        case NameSpace::track: return "track";
        case NameSpace::tendon: return "tendon";
        case NameSpace::coupling: return "coupling";
    }
    return "name";
}

const PropertySpec* StatementSpec::find(std::string_view word) const {
    for (const PropertySpec& property : properties)
        if (word == property.word) return &property;
    return nullptr;
}

const PropertySpec* findOwn(const PropertySpec& element, std::string_view word) {
    for (const PropertySpec& property : element.own)
        if (word == property.word) return &property;
    return nullptr;
}

const std::vector<StatementSpec>& statements() {
    static const std::vector<StatementSpec> table = keywordTable();
    return table;
}

const StatementSpec* findStatement(std::string_view head) {
    static const std::unordered_map<std::string_view, const StatementSpec*> heads = [] {
        std::unordered_map<std::string_view, const StatementSpec*> map;
        for (const StatementSpec& statement : statements()) map.emplace(statement.head, &statement);
        return map;
    }();
    const auto found = heads.find(head);
    return found == heads.end() ? nullptr : found->second;
}

namespace {

const std::unordered_map<std::string_view, int>& functions() {
    static const std::unordered_map<std::string_view, int> map = {
        {"sqrt", 1}, {"sin", 1}, {"cos", 1}, {"tan", 1}, {"asin", 1}, {"acos", 1},
        {"exp", 1},  {"log", 1}, {"abs", 1}, {"min", 2}, {"max", 2},  {"atan2", 2},
    };
    return map;
}

}  // namespace

int functionArguments(std::string_view name) {
    const auto found = functions().find(name);
    return found == functions().end() ? 0 : found->second;
}

const std::vector<std::string>& functionNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const auto& [name, arguments] : functions()) list.emplace_back(name);
        std::sort(list.begin(), list.end());
        return list;
    }();
    return names;
}

bool isReserved(std::string_view word) {
    for (const char* own : {"base", "x", "y", "z", "t", "pi", "deg", "inf"})
        if (word == own) return true;
    return functionArguments(word) > 0 || findStatement(word) != nullptr;
}

std::string signature(std::string_view word, const std::vector<ValueSpec>& values) {
    std::string text(word);
    for (const ValueSpec& value : values) {
        if (!text.empty()) text += ' ';
        text += value.optional ? fmt::format("[{}]", value.name) : std::string(value.name);
    }
    return text;
}

namespace {

std::string listed(const std::vector<Choice>& choices) {
    std::string text;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
        text += choices[i].word;
    }
    return text;
}

std::string rangeText(const ValueSpec& value) {
    const bool low = value.low > -kInfinity;
    const bool high = value.high < kInfinity;
    if (low && high) return fmt::format(" from {} to {}", value.low, value.high);
    if (low) return fmt::format("{} {}", value.low_open ? " more than" : " of at least", value.low);
    if (high) return fmt::format("{} {}", value.high_open ? " less than" : " of at most", value.high);
    return "";
}

}  // namespace

std::string describe(const ValueSpec& value) {
    const std::string unit = *value.unit ? fmt::format(" ({})", value.unit) : std::string();
    switch (value.kind) {
        case ValueKind::number:
            return fmt::format("a number{}{}{}", rangeText(value), unit, value.infinite ? ", or inf or -inf" : "");
        case ValueKind::time_number:
            return fmt::format("a number or an expression of t in parentheses{}{}", unit,
                               *value.instead ? fmt::format(", or `{}`", value.instead) : std::string());
        case ValueKind::integer: return fmt::format("a whole number{}", rangeText(value));
        case ValueKind::axis: return "an axis: x, y, z or three numbers";
        case ValueKind::new_name: return "a name: a letter or _, then letters, digits or _";
        case ValueKind::reference:
            return fmt::format("the name of a {}{}", nameSpaceText(value.space),
                               value.space == NameSpace::body ? std::string(", or base")
                               : *value.instead               ? fmt::format(", or `{}`", value.instead)
                                                              : std::string());
        case ValueKind::coordinate: return "a body's name, or BODY.n for the n-th coordinate of its joint";
        case ValueKind::point: return "a poi's name, or a body's name and three numbers";
        case ValueKind::choice: return listed(value.choices);
        case ValueKind::word: return fmt::format("the word `{}`", value.name);
        case ValueKind::string: return "a text in double quotes";
        case ValueKind::list: return fmt::format("numbers: {}{}", value.name, unit);
        case ValueKind::equals: return "the sign =";
        case ValueKind::expression: return "an expression";
    }
    return "";
}

}  // namespace mw::mech
