// What could be written at a place of a text.
#include "engine/mech/completion.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/mech/values.h"

namespace mw::mech {
namespace {

bool partOfWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

std::string helpOf(const PropertySpec& property) {
    std::string help = property.doc;
    std::string unit;
    for (const ValueSpec& value : property.values)
        if (*value.unit && unit.empty()) unit = value.unit;
    if (!unit.empty()) help += fmt::format("; {}", unit);
    if (*property.standard) help += fmt::format("; default {}", property.standard);
    if (property.availability == Availability::unenforced || property.availability == Availability::unused)
        help += "; does not act yet";
    if (property.availability == Availability::not_yet) help += "; not yet";
    return help;
}

class Completer {
public:
    Completer(const SyntaxTree& tree, std::size_t offset) : tree_(tree), offset_(std::min(offset, tree.text.size())) {
        std::size_t begin = offset_;
        while (begin > 0 && partOfWord(tree_.text[begin - 1])) --begin;
        result_.range = {begin, offset_};
        prefix_ = tree_.view(result_.range);
    }

    Completions run() {
        if (tree_.tokens.empty()) {
            heads();
            return result_;
        }
        // The line up to the word under the caret, by tokens.
        const std::size_t place = result_.range.begin;
        const auto after = std::lower_bound(tree_.tokens.begin(), tree_.tokens.end(), place,
                                            [](const Token& t, std::size_t o) { return t.begin < o; });
        const int limit = static_cast<int>(after - tree_.tokens.begin());
        int begin = limit;
        while (begin > 0 && tree_.token(begin - 1).kind != TokenKind::newline) --begin;
        const int first = skipSpace(tree_, begin, limit);
        for (int i = first; i < limit; ++i)
            if (tree_.token(i).kind == TokenKind::comment ||
                (tree_.token(i).kind == TokenKind::string && tree_.token(i).range().end > place))
                return {};
        const Statement* statement =
            first < limit && tree_.token(first).kind == TokenKind::word && findStatement(tree_.view(first))
                ? tree_.at(tree_.token(first).begin)
                : tree_.at(place > 0 ? place - 1 : 0);
        if (first >= limit) {
            heads();
            if (statement) properties(*statement, nullptr);
            return result_;
        }
        if (!statement) {
            heads();
            return result_;
        }
        inLine(*statement, first, limit);
        return result_;
    }

private:
    void add(Completion::Kind kind, std::string_view word, std::string detail, std::string doc) {
        if (word.substr(0, prefix_.size()) == prefix_)
            result_.words.push_back({kind, std::string(word), std::move(detail), std::move(doc)});
    }

    void heads() {
        for (const StatementSpec& s : statements())
            add(Completion::Kind::statement, s.head, signature(s.head, s.values),
                std::string(s.doc) + (s.availability == Availability::not_yet ? " Not yet." : ""));
    }

    void properties(const Statement& statement, const PropertySpec* element) {
        if (element)
            for (const PropertySpec& p : element->own)
                add(Completion::Kind::property, p.word, signature(p.word, p.values), helpOf(p));
        for (const PropertySpec& p : statement.spec->properties) {
            if (!p.repeatable && writtenElsewhere(statement, p)) continue;
            add(Completion::Kind::property, p.word, signature(p.word, p.values), helpOf(p));
        }
    }

    // Not the word under the caret itself.
    bool writtenElsewhere(const Statement& statement, const PropertySpec& spec) const {
        const Property* p = statement.find(&spec);
        return p && tree_.token(p->word).begin != result_.range.begin;
    }

    void inLine(const Statement& statement, int first, int limit) {
        const StatementSpec& spec = *statement.spec;
        const PropertySpec* element = nullptr;
        Binding binding;
        int at = first;
        if (first == statement.keyword) {
            bindValues({tree_, spec}, spec.values, spec.head, first + 1, limit, nullptr, binding);
            if (due(spec.values, binding, limit)) return;
            at = binding.end;
        }
        while ((at = skipSpace(tree_, at, limit)) < limit) {
            const std::string_view word = tree_.view(at);
            const PropertySpec* own = element ? findOwn(*element, word) : nullptr;
            const PropertySpec* property = own ? own : spec.find(word);
            if (!property) {
                ++at;
                continue;
            }
            if (!own) element = property->own.empty() ? nullptr : property;
            bindValues({tree_, spec, element}, property->values, property->word, at + 1, limit, nullptr, binding);
            if (due(property->values, binding, limit)) return;
            at = std::max(binding.end, at + 1);
        }
        properties(statement, element);
    }

    // Offers the value that comes next when the binding ends with the line and wants more.
    bool due(const std::vector<ValueSpec>& specs, const Binding& binding, int limit) {
        if (skipSpace(tree_, binding.end, limit) < limit) return false;
        if (const ValueSpec* open = openExpression(binding)) {
            values(*open);
            return true;
        }
        std::size_t given = binding.values.size();
        const std::vector<ValueSpec>* list = &specs;
        for (std::size_t i = 0; i < list->size(); ++i) {
            const ValueSpec& spec = (*list)[i];
            if (given == 0) {
                if (spec.optional) return false;
                offer(spec);
                return true;
            }
            if (spec.kind == ValueKind::list) {
                values(spec);
                return false;
            }
            if (spec.kind == ValueKind::choice && !spec.choices.empty()) {
                const std::string_view chosen = tree_.view(binding.values[binding.values.size() - given].begin);
                for (const Choice& choice : spec.choices)
                    if (chosen == choice.word && !choice.values.empty()) {
                        list = &choice.values;
                        i = static_cast<std::size_t>(-1);
                        break;
                    }
                --given;
                continue;
            }
            const bool letter =
                spec.kind == ValueKind::axis &&
                tree_.token(binding.values[binding.values.size() - given].begin).kind == TokenKind::word;
            const std::size_t takes = spec.kind == ValueKind::axis && !letter ? 3
                                      : spec.kind == ValueKind::point         ? std::min<std::size_t>(given, 4)
                                                                              : 1;
            if (given < takes) {
                values(spec);
                return true;
            }
            given -= takes;
        }
        return false;
    }

    // An expression whose parenthesis is not closed before the caret.
    const ValueSpec* openExpression(const Binding& binding) const {
        if (binding.values.empty()) return nullptr;
        const Value& last = binding.values.back();
        if (last.spec->kind == ValueKind::expression) return last.spec;
        int depth = 0;
        for (int i = last.begin; i < last.end; ++i) {
            if (tree_.view(i) == "(") ++depth;
            if (tree_.view(i) == ")") --depth;
        }
        return depth > 0 ? last.spec : nullptr;
    }

    void offer(const ValueSpec& spec) {
        switch (spec.kind) {
            case ValueKind::axis:
                for (const char* axis : {"x", "y", "z"}) add(Completion::Kind::choice, axis, axis, "axis");
                values(spec);
                break;
            case ValueKind::choice:
                for (const Choice& choice : spec.choices)
                    add(Completion::Kind::choice, choice.word, signature(choice.word, choice.values), choice.doc);
                break;
            case ValueKind::word: add(Completion::Kind::choice, spec.name, spec.name, ""); break;
            case ValueKind::reference:
            case ValueKind::coordinate:
                names(spec.space);
                if (*spec.instead) add(Completion::Kind::choice, spec.instead, spec.instead, "");
                break;
            case ValueKind::point:
                names(NameSpace::point);
                names(NameSpace::body);
                break;
            case ValueKind::new_name:
            case ValueKind::string: break;
            case ValueKind::equals: add(Completion::Kind::choice, "=", "=", ""); break;
            default: values(spec); break;
        }
    }

    void names(NameSpace space) {
        std::vector<std::string_view> sorted;
        for (const auto& [name, index] : tree_.names[static_cast<std::size_t>(space)]) sorted.emplace_back(name);
        std::sort(sorted.begin(), sorted.end());
        if (space == NameSpace::body) add(Completion::Kind::name, "base", "base", "the world");
        for (const std::string_view name : sorted)
            add(Completion::Kind::name, name, std::string(name), nameSpaceText(space));
    }

    void values(const ValueSpec& spec) {
        names(NameSpace::value);
        if (*spec.instead) add(Completion::Kind::choice, spec.instead, spec.instead, "");
        for (const std::string& function : functionNames())
            add(Completion::Kind::function, function, function + "(…)", "function");
        add(Completion::Kind::text, "pi", "pi", "3.14159…");
        add(Completion::Kind::text, "deg", "deg", "pi/180: (30*deg)");
        if (spec.infinite) add(Completion::Kind::text, "inf", "inf", "without bound");
        if (spec.kind == ValueKind::time_number) add(Completion::Kind::text, "t", "t", "time, s");
    }

    const SyntaxTree& tree_;
    std::size_t offset_;
    std::string_view prefix_;
    Completions result_;
};

}  // namespace

Completions completionsAt(const SyntaxTree& tree, std::size_t offset) { return Completer(tree, offset).run(); }

std::string helpAt(const SyntaxTree& tree, std::size_t offset) {
    const Statement* statement = tree.at(offset);
    if (!statement) return "";
    const TextRange keyword = tree.token(statement->keyword).range();
    if (offset <= keyword.end)
        return fmt::format("{}\n{}", signature(statement->spec->head, statement->spec->values), statement->spec->doc);
    for (const Property& property : statement->properties) {
        if (!property.spec) continue;
        const TextRange range = tree.range(property);
        if (offset >= range.begin && offset <= range.end)
            return fmt::format("{}\n{}", signature(property.spec->word, property.spec->values), helpOf(*property.spec));
    }
    return "";
}

}  // namespace mw::mech
