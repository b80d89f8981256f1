// The common part of the actions. An action never makes a sound text unsound: its outcome is read before it is kept.
#include "app/document/action_support.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/values.h"
#include "engine/model/scope.h"
#include "engine/track/expand.h"

namespace mw::app {
namespace {

std::string clipped(const std::string& text) {
    constexpr std::size_t most = 32;
    if (text.size() <= most) return text;
    // Never in the middle of a character.
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

std::size_t errorsIn(const std::vector<Diagnostic>& diagnostics) {
    return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(),
                                                  [](const Diagnostic& d) { return d.severity == Severity::error; }));
}

}  // namespace

std::string labelOf(const Item& item) {
    return item.kind == item.name ? "the " + item.kind : item.kind + " '" + item.name + "'";
}

bool posable(const Document& document) {
    const auto& all = document.read().diagnostics;
    return std::none_of(all.begin(), all.end(), [](const Diagnostic& d) {
        return d.severity == Severity::error && d.code != "loop-redundant";
    });
}

const mech::Statement* statementOrRefuse(const Document& document, const Item& item, Outcome& outcome) {
    const mech::Statement* statement = findStatement(document.tree(), item);
    if (statement) return statement;
    const Item written = writtenItem(item);
    outcome = refused(written != item && findStatement(document.tree(), written)
                          ? "'" + item.name + "' comes with its " + labelOf(written) + ": that is what the text has."
                          : "There is no " + labelOf(item) + " in the text.");
    return statement;
}

std::vector<WrittenValue> writtenValues(const mech::SyntaxTree& tree, const mech::Statement& statement,
                                        const mech::Property& property) {
    mech::Findings findings;
    mech::Scope scope(tree, findings);
    Model parameters;
    scope.define(parameters);
    scope.enter(statement);
    std::vector<WrittenValue> result;
    for (const mech::Value& value : mech::bindingOf(tree, statement, property).values) {
        WrittenValue written{std::string(tree.view(tree.range(value.begin, value.end))), std::nullopt};
        using Kind = mech::ValueKind;
        const Kind kind = value.spec ? value.spec->kind : Kind::word;
        const bool numeric = kind == Kind::number || kind == Kind::time_number || kind == Kind::integer ||
                             kind == Kind::axis || kind == Kind::list || kind == Kind::point ||
                             kind == Kind::expression;
        const bool letter = kind == Kind::axis && (written.text == "x" || written.text == "y" || written.text == "z");
        if (numeric && !letter) {
            scope.allowTime(kind == Kind::time_number);
            const mech::Evaluated evaluated = scope.evaluate(value.begin, value.end, kind == Kind::expression);
            if (evaluated.ok) written.number = evaluated.value;
        }
        result.push_back(std::move(written));
    }
    return result;
}

namespace {

// A value as a person would write it there: an angle that is a round number of degrees stays one.
std::string inTheirWay(double value, const std::string& before, bool start) {
    const std::string plain = mech::numberText(value);
    const bool in_degrees = before.ends_with("*deg)");
    constexpr double kDegree = 3.14159265358979323846 / 180;
    const double degrees = std::round(value / kDegree * 1e4) / 1e4;
    // To the last bit: what is read back is what was written.
    if (degrees * kDegree != value || value == 0) return plain;
    // Lengths are short as they are; only an angle has 16 digits in radians and a few in degrees.
    return in_degrees || (start && plain.size() > 9) ? fmt::format("({}*deg)", mech::numberText(degrees)) : plain;
}

}  // namespace

std::vector<TextEdit> numberEdits(const mech::SyntaxTree& tree, const mech::Statement& statement, std::string_view word,
                                  const std::vector<double>& values, const std::vector<double>& present) {
    const mech::Property* property = statement.find(word);
    if (!property) {
        if (values == present) return {};
        std::string text;
        for (const double value : values) {
            if (!text.empty()) text += ' ';
            text += inTheirWay(value, "", word == "start");
        }
        return mech::insertProperty(tree, statement, word, text);
    }
    const std::vector<WrittenValue> written = writtenValues(tree, statement, *property);
    if (written.size() != values.size()) return mech::setProperty(tree, statement, word, mech::numberTexts(values));
    std::vector<TextEdit> edits;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (written[i].number == values[i]) continue;
        for (TextEdit& edit :
             mech::setValue(tree, statement, word, i, inTheirWay(values[i], written[i].text, word == "start")))
            edits.push_back(std::move(edit));
    }
    return edits;
}

std::string freeName(const mech::SyntaxTree& tree, mech::NameSpace space, const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; tree.find(space, name) || mech::isReserved(name); ++i) name = wanted + std::to_string(i);
    return name;
}

std::string change(const std::string& from, const std::string& to) {
    return from.empty() ? clipped(to) : clipped(from) + " → " + clipped(to);
}

Outcome commit(Document& document, const std::vector<TextEdit>& edits, const std::string& name, Drag drag) {
    if (edits.empty()) return {true, "", std::nullopt};
    std::string text;
    try {
        text = mech::applyEdits(document.text(), edits);
    } catch (const std::exception&) {
        return refused("The text has changed meanwhile; try again.");
    }
    const auto folder = document.path() ? document.path()->parent_path() : std::filesystem::path();
    const ReadResult after = readMechanism(text, folder);
    if (errorsIn(after.diagnostics) > errorsIn(document.read().diagnostics)) {
        for (const Diagnostic& fault : after.diagnostics) {
            const auto& before = document.read().diagnostics;
            const bool old = std::any_of(before.begin(), before.end(), [&](const Diagnostic& d) {
                return d.code == fault.code && d.message == fault.message;
            });
            if (fault.severity != Severity::error || old) continue;
            std::string message = fault.message;
            if (!fault.expected.empty()) message.append(" (").append(fault.expected).append(")");
            return refused(std::move(message));
        }
        return refused("That would make the text unreadable.");
    }
    document.apply(edits, name, drag);
    return {true, "", std::nullopt};
}

}  // namespace mw::app
