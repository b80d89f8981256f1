// Minimal edits of a text.
#include "engine/mech/patch.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "engine/mech/values.h"

namespace mw::mech {
namespace {

/// First token of the line that holds `token`, and the newline (or end) that ends it.
struct Line {
    int begin = 0;
    int end = 0;
};

Line lineOf(const SyntaxTree& tree, int token) {
    Line line{token, token};
    const int count = static_cast<int>(tree.tokens.size());
    while (line.begin > 0 && tree.token(line.begin - 1).kind != TokenKind::newline) --line.begin;
    while (line.end < count && tree.token(line.end).kind != TokenKind::newline) ++line.end;
    return line;
}

std::size_t offset(const SyntaxTree& tree, int token) {
    return token < static_cast<int>(tree.tokens.size()) ? tree.token(token).begin : tree.text.size();
}
/// Offset after the newline that ends a line.
std::size_t afterLine(const SyntaxTree& tree, const Line& line) {
    return line.end < static_cast<int>(tree.tokens.size()) ? tree.token(line.end).range().end : tree.text.size();
}

int tokenAt(const SyntaxTree& tree, std::size_t place) {
    const auto after = std::upper_bound(tree.tokens.begin(), tree.tokens.end(), place,
                                        [](std::size_t o, const Token& t) { return o < t.begin; });
    return std::max(0, static_cast<int>(after - tree.tokens.begin()) - 1);
}

/// Last token of a statement's own words.
int lastToken(const SyntaxTree& tree, const Statement& statement) {
    return tokenAt(tree, statement.range.end > 0 ? statement.range.end - 1 : 0);
}

std::size_t lineBegin(const SyntaxTree& tree, const Line& line) {
    // A BOM belongs to the text, not to its first line.
    const std::size_t begin = offset(tree, line.begin);
    return begin == 0 && tree.text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : begin;
}

}  // namespace

std::string numberText(double value) { return fmt::format("{}", value == 0 ? 0.0 : value); }

std::string numberTexts(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : " ") + numberText(value);
    return text;
}

std::vector<TextEdit> setProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                                  std::string_view values) {
    const Property* property = statement.find(word);
    if (!property) return insertProperty(tree, statement, word, values);
    const TextRange old = tree.range(property->begin, property->end);
    if (tree.view(old) == values) return {};
    // Only what differs, value by value, so that double spaces in a table of numbers stay.
    if (old.begin == old.end)
        return {{{tree.token(property->word).range().end, tree.token(property->word).range().end},
                 fmt::format(" {}", values)}};
    return {{old, std::string(values)}};
}

std::vector<TextEdit> setValue(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                               std::size_t index, std::string_view value) {
    const Property* property = statement.find(word);
    if (!property) return {};
    const Binding binding = bindingOf(tree, statement, *property);
    if (index >= binding.values.size()) return {};
    const TextRange old = tree.range(binding.values[index].begin, binding.values[index].end);
    if (tree.view(old) == value) return {};
    return {{old, std::string(value)}};
}

std::vector<TextEdit> setHeadValue(const SyntaxTree& tree, const Statement& statement, std::size_t index,
                                   std::string_view value) {
    const Binding binding = bindingOf(tree, statement, statement.properties.front());
    if (index >= binding.values.size()) return {};
    const TextRange old = tree.range(binding.values[index].begin, binding.values[index].end);
    if (tree.view(old) == value) return {};
    return {{old, std::string(value)}};
}

std::vector<TextEdit> insertProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word,
                                     std::string_view values) {
    const std::string text = values.empty() ? std::string(word) : fmt::format("{} {}", word, values);
    const int last = lastToken(tree, statement);
    const Line head = lineOf(tree, statement.keyword);
    const Line end = lineOf(tree, last);
    const bool one_line = head.begin == end.begin;
    // A body is written over several lines; short statements stay on theirs.
    const bool long_form = !one_line || std::string_view(statement.spec->head) == "body";
    if (!long_form) return {{{statement.range.end, statement.range.end}, fmt::format("  {}", text)}};
    std::string indent = "  ";
    if (!one_line && end.begin < last && tree.token(end.begin).kind == TokenKind::space) indent = tree.view(end.begin);
    const std::size_t place = offset(tree, end.end);
    return {{{place, place}, fmt::format("{}{}{}", lineEnding(tree.text), indent, text)}};
}

std::vector<TextEdit> removeProperty(const SyntaxTree& tree, const Statement& statement, std::string_view word) {
    const Property* property = statement.find(word);
    return property ? removeProperty(tree, statement, *property) : std::vector<TextEdit>{};
}

std::vector<TextEdit> removeProperty(const SyntaxTree& tree, const Statement& statement, const Property& property) {
    if (property.word < 0) return {};
    // A path element takes its own words along.
    int end = property.end;
    for (const Property& p : statement.properties)
        if (p.own && p.word >= end && !property.own && p.element == property.spec &&
            lineOf(tree, p.word).begin == lineOf(tree, property.word).begin)
            end = p.end;
    const TextRange range = {tree.token(property.word).begin,
                             std::max(tree.token(property.word).range().end, tree.range(property.begin, end).end)};
    const Line line = lineOf(tree, property.word);
    bool alone = true;
    for (int i = line.begin; i < line.end; ++i) {
        const Token& token = tree.token(i);
        const bool own = token.begin >= range.begin && token.range().end <= range.end;
        if (!own && token.kind != TokenKind::space) alone = false;
    }
    if (alone) return {{{lineBegin(tree, line), afterLine(tree, line)}, ""}};
    // With the space before it, or, where it begins the line, the space after it.
    TextRange cut = range;
    const bool first = property.word == line.begin ||
                       (property.word == line.begin + 1 && tree.token(line.begin).kind == TokenKind::space);
    const int next = tokenAt(tree, range.end);
    if (first && offset(tree, next) == range.end && tree.token(next).kind == TokenKind::space)
        cut.end = tree.token(next).range().end;
    else if (!first && tree.token(property.word - 1).kind == TokenKind::space)
        cut.begin = tree.token(property.word - 1).begin;
    return {{cut, ""}};
}

std::vector<TextEdit> insertStatement(const SyntaxTree& tree, std::string_view lines, const Statement* after) {
    const std::string newline = lineEnding(tree.text);
    std::string text;
    for (const char c : lines) {
        if (c == '\r') continue;
        if (c == '\n') text += newline;
        else text += c;
    }
    const std::size_t place = after ? offset(tree, lineOf(tree, lastToken(tree, *after)).end) : tree.text.size();
    const bool fresh =
        place == 0 || tree.text[place - 1] == '\n' || (place == 3 && tree.text.compare(0, 3, "\xEF\xBB\xBF") == 0);
    if (!after && fresh) return {{{place, place}, text + newline}};
    return {{{place, place}, newline + text}};
}

std::vector<TextEdit> removeStatement(const SyntaxTree& tree, const Statement& statement) {
    const Line first = lineOf(tree, statement.keyword);
    const Line last = lineOf(tree, lastToken(tree, statement));
    return {{{lineBegin(tree, first), afterLine(tree, last)}, ""}};
}

std::vector<TextRange> references(const SyntaxTree& tree, NameSpace space, std::string_view name) {
    std::vector<TextRange> found;
    const Statement* definition = tree.find(space, name);
    if (definition) found.push_back(tree.nameRange(*definition));
    // Names of values stand in any expression; the others where the table says so.
    for (const Statement& statement : tree.statements) {
        for (const Property& property : statement.properties) {
            const Binding binding = bindingOf(tree, statement, property);
            for (const Value& value : binding.values) {
                const ValueSpec& spec = *value.spec;
                switch (spec.kind) {
                    case ValueKind::reference:
                        if (spec.space == space && tree.view(value.begin) == name)
                            found.push_back(tree.token(value.begin).range());
                        break;
                    case ValueKind::coordinate: {
                        const std::string_view text = tree.view(value.begin);
                        const std::string_view body = text.substr(0, text.rfind('.'));
                        if (space == NameSpace::body && (text == name || body == name))
                            found.push_back(
                                {tree.token(value.begin).begin, tree.token(value.begin).begin + name.size()});
                        break;
                    }
                    case ValueKind::point: {
                        const bool is_name = tree.token(value.begin).kind == TokenKind::word &&
                                             value.end - value.begin == 1 && tree.view(value.begin) == name;
                        const bool first = &value == &binding.values.front();
                        const bool body = binding.values.size() > 1;
                        if (first && is_name && space == (body ? NameSpace::body : NameSpace::point)) {
                            found.push_back(tree.token(value.begin).range());
                            break;
                        }
                        if (first) break;
                        [[fallthrough]];
                    }
                    case ValueKind::number:
                    case ValueKind::time_number:
                    case ValueKind::integer:
                    case ValueKind::axis:
                    case ValueKind::list:
                    case ValueKind::expression:
                        if (space != NameSpace::value) break;
                        if (*spec.instead && tree.view(value.begin) == spec.instead) break;
                        for (int i = value.begin; i < value.end; ++i)
                            if (tree.token(i).kind == TokenKind::word && tree.view(i) == name)
                                found.push_back(tree.token(i).range());
                        break;
                    default: break;
                }
            }
        }
    }
    return found;
}

std::vector<TextEdit> rename(const SyntaxTree& tree, NameSpace space, std::string_view from, std::string_view to) {
    std::vector<TextEdit> edits;
    if (from == to) return edits;
    for (const TextRange& range : references(tree, space, from)) edits.push_back({range, std::string(to)});
    return edits;
}

std::string applyEdits(const std::string& text, std::vector<TextEdit> edits) {
    std::stable_sort(edits.begin(), edits.end(),
                     [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
    std::string out;
    std::size_t at = 0;
    for (const TextEdit& edit : edits) {
        if (edit.range.begin < at || edit.range.end < edit.range.begin || edit.range.end > text.size())
            throw std::invalid_argument("edits overlap or lie outside the text");
        out.append(text, at, edit.range.begin - at);
        out += edit.text;
        at = edit.range.end;
    }
    return out.append(text, at);
}

}  // namespace mw::mech
