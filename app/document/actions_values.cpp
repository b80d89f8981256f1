// Actions on values: properties, parameters, gravity, title, start state, fixes, format.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "app/document/action_support.h"
#include "engine/mech/format.h"
#include "engine/model/layout.h"

namespace mw::app {
namespace {

std::string textOf(const std::vector<WrittenValue>& values) {
    std::string text;
    for (const WrittenValue& value : values) text.append(text.empty() ? "" : " ").append(value.text);
    return text;
}

/// For the list of entries six digits say enough.
std::string shortNumbers(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : " ", value);
    return text;
}

Item parameterItem(const std::string& name) { return {"param", name}; }

/// Values of start or rate that hold now: the text's, or the default.
std::vector<double> declared(const std::vector<Number>& numbers) {
    std::vector<double> values;
    for (const Number& number : numbers) values.push_back(number.value);
    return values;
}

/// A written quaternion need not be of unit length, and q and -q are one attitude; equal poses write nothing.
bool samePose(JointType type, const std::vector<double>& a, const std::vector<double>& b) {
    if (a == b) return true;
    if (a.size() != b.size() || (type != JointType::spherical && type != JointType::floating)) return false;
    const auto unit = [](const std::vector<double>& q) {
        const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        return std::array<double, 4>{q[0] / n, q[1] / n, q[2] / n, q[3] / n};
    };
    const auto ua = unit(a), ub = unit(b);
    double same = 0, opposite = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        same = std::max(same, std::abs(ua[k] - ub[k]));
        opposite = std::max(opposite, std::abs(ua[k] + ub[k]));
    }
    return std::min(same, opposite) < 1e-15 && std::equal(a.begin() + 4, a.end(), b.begin() + 4);
}

bool allFinite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::vector<WrittenValue> writtenValues(const Document& document, const Item& item, const std::string& word) {
    const mech::Statement* statement = findStatement(document.tree(), item);
    const mech::Property* property = statement ? statement->find(word) : nullptr;
    if (!property) return {};
    return writtenValues(document.tree(), *statement, *property);
}

bool hasProperty(const Document& document, const Item& item, const std::string& word) {
    const mech::Statement* statement = findStatement(document.tree(), item);
    return statement && statement->find(word);
}

Outcome setProperty(Document& document, const Item& item, const std::string& word, const std::vector<double>& values,
                    Drag drag) {
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    if (!allFinite(values) && word != "limits" && word != "limit")
        return refused("A value of '" + word + "' is not a finite number.");
    const std::string before = textOf(writtenValues(document, item, word));
    return commit(document, numberEdits(document.tree(), *statement, word, values),
                  item.name + " " + word + " " + change(before, shortNumbers(values)), drag);
}

Outcome setPropertyText(Document& document, const Item& item, const std::string& word, const std::string& values,
                        Drag drag) {
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    if (!statement->spec || !statement->spec->find(word)) return refused("A " + item.kind + " has no '" + word + "'.");
    if (values.find_first_of("\r\n#") != std::string::npos)
        return refused("A value stands on one line, without comment.");
    if (values.empty() && statement->find(word) && statement->spec->find(word)->values.empty())
        return commit(document, {}, "");
    const std::string before = textOf(writtenValues(document, item, word));
    return commit(document, mech::setProperty(document.tree(), *statement, word, values),
                  fmt::format("{} {}{}{}", item.name, word, values.empty() ? "" : " ",
                              values.empty() ? "" : change(before, values)),
                  drag);
}

Outcome removeProperty(Document& document, const Item& item, const std::string& word) {
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, item, outcome);
    if (!statement) return outcome;
    return commit(document, mech::removeProperty(document.tree(), *statement, word), item.name + ": no " + word);
}

Outcome setParameterText(Document& document, const std::string& name, const std::string& value, Drag drag) {
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, parameterItem(name), outcome);
    if (!statement) return outcome;
    if (value.empty() || value.find_first_of("\r\n#") != std::string::npos)
        return refused("A parameter needs a value on one line.");
    const auto written = writtenValues(document.tree(), *statement, statement->properties.front());
    const std::string before = written.size() > 1 ? written[1].text : "";
    return commit(document, mech::setHeadValue(document.tree(), *statement, 1, value),
                  name + " " + change(before, value), drag);
}

Outcome setParameter(Document& document, const std::string& name, double value, Drag drag) {
    if (!std::isfinite(value)) return refused("The value of '" + name + "' is not a finite number.");
    const mech::Statement* statement = findStatement(document.tree(), parameterItem(name));
    if (statement) {
        const auto written = writtenValues(document.tree(), *statement, statement->properties.front());
        if (written.size() > 1 && written[1].number == value) return commit(document, {}, "");
    }
    return setParameterText(document, name, mech::numberText(value), drag);
}

Outcome setGravity(Document& document, const std::array<double, 3>& gravity, Drag drag) {
    const mech::SyntaxTree& tree = document.tree();
    const std::vector<double> values(gravity.begin(), gravity.end());
    if (!allFinite(values)) return refused("A component of gravity is not a finite number.");
    const std::string text = mech::numberTexts(values);
    const mech::Statement* statement = tree.first("gravity");
    if (!statement) {
        const mech::Statement* after = tree.first("title");
        return commit(document, mech::insertStatement(tree, "gravity " + text, after ? after : tree.first("mech")),
                      "gravity " + shortNumbers(values), drag);
    }
    const auto written = writtenValues(tree, *statement, statement->properties.front());
    std::vector<TextEdit> edits;
    for (std::size_t k = 0; k < 3; ++k) {
        if (k < written.size() && written[k].number == values[k]) continue;
        for (TextEdit& edit : mech::setHeadValue(tree, *statement, k, mech::numberText(values[k])))
            edits.push_back(std::move(edit));
    }
    return commit(document, edits, "gravity " + change(textOf(written), shortNumbers(values)), drag);
}

Outcome setTitle(Document& document, const std::string& title) {
    if (title.find_first_of("\"\r\n") != std::string::npos)
        return refused("A title stands on one line, without quotation marks.");
    const mech::SyntaxTree& tree = document.tree();
    const std::string quoted = "\"" + title + "\"";
    const mech::Statement* statement = tree.first("title");
    if (!statement)
        return commit(document, mech::insertStatement(tree, "title " + quoted, tree.first("mech")), "title " + quoted);
    return commit(document, mech::setHeadValue(tree, *statement, 0, quoted), "title " + quoted);
}

Outcome setStart(Document& document, const std::string& body, const std::vector<double>& q, Drag drag) {
    Outcome outcome;
    const mech::Statement* statement = statementOrRefuse(document, {"body", body}, outcome);
    if (!statement) return outcome;
    const Model& model = document.read().model;
    const int index = model.findBody(body);
    if (index < 0) return refused("The text has errors; mend body '" + body + "' first.");
    const Body& b = model.bodies[static_cast<std::size_t>(index)];
    if (q.size() != static_cast<std::size_t>(jointNq(b.joint.type)) || !allFinite(q))
        return refused(fmt::format("The joint of '{}' has {} coordinate{}.", body, jointNq(b.joint.type),
                                   jointNq(b.joint.type) == 1 ? "" : "s"));
    const std::vector<double> present = declared(b.start);
    if (samePose(b.joint.type, q, present)) return commit(document, {}, "");
    return commit(document, numberEdits(document.tree(), *statement, "start", q, present),
                  body + " start " + change(shortNumbers(present), shortNumbers(q)), drag);
}

Outcome useAsInitialPose(Document& document, const std::vector<double>& q, const std::vector<double>& v) {
    if (!posable(document)) return refused("The text has errors; mend them first.");
    const Model& model = document.read().model;
    const Layout layout = layoutOf(model);
    if (q.size() != static_cast<std::size_t>(layout.nq) || v.size() != static_cast<std::size_t>(layout.nv))
        return refused("The pose belongs to another version of the mechanism.");
    if (!allFinite(q) || !allFinite(v)) return refused("A number of the pose is not finite.");
    std::vector<TextEdit> edits;
    const auto gather = [&](const mech::Statement& statement, const char* word, const std::vector<double>& values,
                            const std::vector<double>& present) {
        for (TextEdit& edit : numberEdits(document.tree(), statement, word, values, present))
            edits.push_back(std::move(edit));
    };
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const mech::Statement* statement = findStatement(document.tree(), {"body", body.name});
        if (!statement) continue;
        const auto qb = q.begin() + layout.q_of_body[b];
        const auto vb = v.begin() + layout.v_of_body[b];
        const std::vector<double> start(qb, qb + jointNq(body.joint.type)), rate(vb, vb + jointNv(body.joint.type));
        const std::vector<double> present = declared(body.start);
        if (!samePose(body.joint.type, start, present)) gather(*statement, "start", start, present);
        gather(*statement, "rate", rate, declared(body.rate));
    }
    return commit(document, edits, "Use as initial pose");
}

Outcome applyFix(Document& document, const Diagnostic& diagnostic) {
    if (diagnostic.fix.empty()) return refused("This finding has no remedy that the program could apply.");
    const auto& now = document.read().diagnostics;
    const bool fits = std::any_of(now.begin(), now.end(), [&](const Diagnostic& d) {
        return d.code == diagnostic.code && d.range == diagnostic.range && d.fix == diagnostic.fix;
    });
    if (!fits) return refused("The text has changed since; the finding may be gone.");
    return commit(document, diagnostic.fix,
                  "Fix: " + (diagnostic.remedy.empty() ? diagnostic.message : diagnostic.remedy));
}

Outcome formatDocument(Document& document) {
    document.setText(mech::formatText(document.tree()), "Format");
    return {true, "", std::nullopt};
}

}  // namespace mw::app
