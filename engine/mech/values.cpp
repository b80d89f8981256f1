// Cuts a property's tokens into values as the keyword table wants them.
#include "engine/mech/values.h"

#include <algorithm>
#include <fmt/format.h>

namespace mw::mech {

int skipSpace(const SyntaxTree& tree, int begin, int limit) {
    while (begin < limit && tree.token(begin).kind == TokenKind::space) ++begin;
    return begin;
}

int lineLimit(const SyntaxTree& tree, int begin) {
    const int count = static_cast<int>(tree.tokens.size());
    while (begin < count && tree.token(begin).kind != TokenKind::newline &&
           tree.token(begin).kind != TokenKind::comment)
        ++begin;
    return begin;
}

bool isPropertyWord(const Place& place, int token) {
    if (place.tree.token(token).kind != TokenKind::word) return false;
    const std::string_view word = place.tree.view(token);
    return place.statement.find(word) != nullptr || (place.element && findOwn(*place.element, word) != nullptr);
}

namespace {

class Binder {
public:
    Binder(const Place& place, std::string_view word, int limit, Findings* findings, Binding& out)
        : place_(place), tree_(place.tree), word_(word), limit_(limit), findings_(findings), out_(out) {}

    void run(const std::vector<ValueSpec>& specs, int begin) {
        at_ = begin;
        out_.end = begin;
        values(specs);
    }

private:
    char punctuation(int token) const {
        return token < limit_ && tree_.token(token).kind == TokenKind::punctuation
                   ? tree_.text[tree_.token(token).begin]
                   : '\0';
    }
    bool atWord() const { return at_ < limit_ && tree_.token(at_).kind == TokenKind::word; }

    /// Takes the next value's token; false when the line ends or another property begins instead.
    bool due(const ValueSpec& spec, bool number) {
        at_ = skipSpace(tree_, at_, limit_);
        const bool end = at_ >= limit_;
        // Where a value is due a property word is a value, if it can be one: the name of a parameter, for a number.
        const bool property =
            !end && (number || spec.optional) && isPropertyWord(place_, at_) &&
            (spec.optional || !tree_.names[static_cast<std::size_t>(NameSpace::value)].contains(tree_.view(at_)));
        if (!end && !property) return true;
        if (spec.optional) return false;
        if (!out_.faulty && findings_) {
            const std::size_t place = end ? tree_.range(0, out_.end).end : tree_.token(at_).begin;
            Diagnostic& d = findings_->error(
                spec.kind == ValueKind::new_name ? Code::missing_name : Code::missing_value, {place, place},
                fmt::format("'{}' lacks a value for {}{}", word_, spec.name,
                            end ? std::string() : fmt::format(": {} is another property", quote(tree_.view(at_)))));
            d.expected = describe(spec);
            d.remedy = "values stand on the line of their property";
        }
        out_.faulty = true;
        return false;
    }

    void take(const ValueSpec& spec, int end) {
        out_.values.push_back({at_, end, &spec});
        at_ = end;
        out_.end = end;
    }

    void wrong(const ValueSpec& spec, int end) {
        if (findings_ && tree_.token(at_).kind != TokenKind::invalid) {
            Diagnostic& d = findings_->error(
                Code::wrong_value, tree_.range(at_, end),
                fmt::format("'{}' cannot take {} for {}", word_, quote(tree_.view(tree_.range(at_, end))), spec.name));
            d.expected = describe(spec);
            if (tree_.view(at_) == ",") d.remedy = "a number has a decimal point, and values stand apart by spaces";
        }
        out_.faulty = true;
        take(spec, end);
    }

    // --- numbers ---

    /// End of a bracketed group that opens at `open`.
    int group(int open) {
        int depth = 0;
        for (int i = open; i < limit_; ++i) {
            const char c = punctuation(i);
            if (c == '(') ++depth;
            if (c == ')' && --depth == 0) return i + 1;
        }
        if (findings_) {
            const std::size_t end = tree_.range(open, limit_).end;
            Diagnostic& d = findings_->error(Code::unclosed_parenthesis, tree_.token(open).range(),
                                             "a parenthesis is not closed on its line");
            d.expected = ")";
            d.remedy = "close it";
            if (depth <= 3) d.fix = {{{end, end}, std::string(static_cast<std::size_t>(depth), ')')}};
        }
        out_.faulty = true;
        return limit_;
    }

    /// End of the operand that begins at `i`; sets `call` for a function's call.
    int operand(int i, bool& call) {
        while (punctuation(i) == '-' || punctuation(i) == '+') {
            if (i + 1 >= limit_ || tree_.token(i + 1).kind == TokenKind::space) return i + 1;
            ++i;
        }
        if (punctuation(i) == '(') return group(i);
        if (i < limit_ && tree_.token(i).kind == TokenKind::word && punctuation(i + 1) == '(' &&
            functionArguments(tree_.view(i)) > 0) {
            call = true;
            return group(i + 1);
        }
        return i < limit_ ? i + 1 : i;
    }

    /// Is there an operator at `i` (after an operand that ends at `end`), and not the sign of the next value?
    bool operatorAt(int end, int i) const {
        const char c = punctuation(i);
        if (c == '*' || c == '/' || c == '^') return true;
        if (c != '+' && c != '-') return false;
        const bool space_before = i > end;
        const bool space_after = i + 1 >= limit_ || tree_.token(i + 1).kind == TokenKind::space;
        return !space_before || space_after;
    }

    void number(const ValueSpec& spec) {
        const TokenKind kind = tree_.token(at_).kind;
        const char c = punctuation(at_);
        if (kind == TokenKind::string || kind == TokenKind::invalid ||
            (kind == TokenKind::punctuation && c != '(' && c != '+' && c != '-')) {
            wrong(spec, at_ + 1);
            return;
        }
        bool bare = false;
        const bool before = out_.faulty;
        int end = operand(at_, bare);
        for (int next = skipSpace(tree_, end, limit_); next < limit_ && operatorAt(end, next);
             next = skipSpace(tree_, end, limit_)) {
            const int right = skipSpace(tree_, next + 1, limit_);
            bare = true;
            end = right < limit_ ? operand(right, bare) : next + 1;
        }
        if (bare && out_.faulty == before) {
            if (findings_) {
                const TextRange range = tree_.range(at_, end);
                Diagnostic& d =
                    findings_->error(Code::needs_parentheses, range,
                                     fmt::format("{} is an expression without parentheses", quote(tree_.view(range))));
                d.expected = "a number, a name, or an expression in parentheses";
                d.remedy = "put it in parentheses";
                d.fix = {{{range.begin, range.begin}, "("}, {{range.end, range.end}, ")"}};
            }
            out_.faulty = true;
        }
        take(spec, end);
    }

    // --- everything else ---

    void word(const ValueSpec& spec) {
        if (atWord()) {
            take(spec, at_ + 1);
        } else {
            bool call = false;
            const char c = punctuation(at_);
            wrong(spec, c == '(' || c == '-' || c == '+' ? std::max(at_ + 1, operand(at_, call)) : at_ + 1);
        }
    }

    void choose(const ValueSpec& spec) {
        if (!atWord()) {
            wrong(spec, at_ + 1);
            return;
        }
        const std::string_view chosen = tree_.view(at_);
        for (const Choice& choice : spec.choices)
            if (chosen == choice.word) {
                take(spec, at_ + 1);
                values(choice.values);
                return;
            }
        if (findings_) {
            Diagnostic& d = findings_->error(Code::unknown_choice, tree_.token(at_).range(),
                                             fmt::format("'{}' does not know {}", word_, quote(chosen)));
            d.expected = describe(spec);
            std::vector<std::string_view> words;
            for (const Choice& choice : spec.choices) words.push_back(choice.word);
            findings_->suggest(d, chosen, words);
        }
        out_.faulty = true;
        take(spec, at_ + 1);
        // What follows belonged to the choice: no second fault for it.
        while ((at_ = skipSpace(tree_, at_, limit_)) < limit_ && !isPropertyWord(place_, at_)) out_.end = ++at_;
    }

    void axis(const ValueSpec& spec) {
        const auto letter = [&](int token) {
            const std::string_view w = tree_.view(token);
            return w == "x" || w == "y" || w == "z";
        };
        if (atWord() && letter(at_)) {
            take(spec, at_ + 1);
            return;
        }
        if (punctuation(at_) == '-' && at_ + 1 < limit_ && letter(at_ + 1)) {
            if (findings_) {
                const TextRange range = tree_.range(at_, at_ + 2);
                const char c = tree_.text[range.end - 1];
                Diagnostic& d =
                    findings_->error(Code::wrong_value, range, fmt::format("{} is no axis", quote(tree_.view(range))));
                d.expected = describe(spec);
                d.remedy = "write the direction as three numbers";
                d.fix = {{range, c == 'x' ? "-1 0 0" : c == 'y' ? "0 -1 0" : "0 0 -1"}};
            }
            out_.faulty = true;
            take(spec, at_ + 2);
            return;
        }
        for (int i = 0; i < 3; ++i) {
            if (i > 0 && !due(spec, true)) return;
            number(spec);
        }
    }

    void point(const ValueSpec& spec) {
        if (!atWord()) {
            wrong(spec, at_ + 1);
            return;
        }
        const std::string_view name = tree_.view(at_);
        const bool is_point = tree_.names[static_cast<std::size_t>(NameSpace::point)].contains(name);
        const bool is_body = name == "base" || tree_.names[static_cast<std::size_t>(NameSpace::body)].contains(name);
        take(spec, at_ + 1);
        const int next = skipSpace(tree_, at_, limit_);
        const bool ends = next >= limit_ || isPropertyWord(place_, next);
        if (is_point != is_body ? is_point : ends) return;
        if (ends && is_body) {
            if (findings_) {
                const std::size_t end = tree_.range(0, out_.end).end;
                Diagnostic& d =
                    findings_->error(Code::missing_value, {end, end},
                                     fmt::format("'{}' names body {} without a point of it", word_, quote(name)));
                d.expected = describe(spec);
                d.remedy = "add the point, in body axes";
                d.fix = {{{end, end}, " 0 0 0"}};
            }
            out_.faulty = true;
            return;
        }
        for (int i = 0; i < 3; ++i) {
            if (!due(spec, true)) return;
            number(spec);
        }
    }

    void list(const ValueSpec& spec) {
        std::size_t count = 0;
        while (true) {
            at_ = skipSpace(tree_, at_, limit_);
            if (at_ >= limit_ || isPropertyWord(place_, at_)) break;
            if (++count > kMostListValues) {
                if (findings_)
                    findings_
                        ->error(Code::too_many_values, tree_.token(at_).range(),
                                fmt::format("'{}' has more than {} values", word_, kMostListValues))
                        .remedy = "thin them out, or write two elements";
                out_.faulty = true;
                at_ = out_.end = limit_;
                return;
            }
            number(spec);
        }
        if (count > 0) return;
        if (findings_) {
            const std::size_t place = tree_.range(0, out_.end).end;
            findings_->error(Code::missing_value, {place, place}, fmt::format("'{}' has no values", word_)).expected =
                describe(spec);
        }
        out_.faulty = true;
    }

    void values(const std::vector<ValueSpec>& specs) {
        for (const ValueSpec& spec : specs) {
            if (spec.kind == ValueKind::list) {
                list(spec);
                continue;
            }
            const bool number_due = spec.kind == ValueKind::number || spec.kind == ValueKind::integer ||
                                    spec.kind == ValueKind::time_number || spec.kind == ValueKind::axis;
            if (!due(spec, number_due || spec.kind == ValueKind::choice || spec.kind == ValueKind::string)) return;
            switch (spec.kind) {
                case ValueKind::number:
                case ValueKind::integer:
                case ValueKind::time_number: number(spec); break;
                case ValueKind::axis: axis(spec); break;
                case ValueKind::new_name:
                case ValueKind::reference:
                case ValueKind::coordinate: word(spec); break;
                case ValueKind::point: point(spec); break;
                case ValueKind::choice: choose(spec); break;
                case ValueKind::string:
                    if (tree_.token(at_).kind == TokenKind::string) take(spec, at_ + 1);
                    else wrong(spec, at_ + 1);
                    break;
                case ValueKind::word:
                    if (atWord() && tree_.view(at_) == spec.name) {
                        take(spec, at_ + 1);
                    } else {
                        missingWord(spec);
                        return;
                    }
                    break;
                case ValueKind::equals:
                    if (punctuation(at_) == '=') {
                        take(spec, at_ + 1);
                    } else {
                        missingWord(spec);
                        at_ = out_.end = limit_;
                        return;
                    }
                    break;
                case ValueKind::expression: {
                    int end = limit_;
                    while (end > at_ + 1 && tree_.token(end - 1).kind == TokenKind::space) --end;
                    take(spec, end);
                    break;
                }
                case ValueKind::list: break;
            }
        }
    }

    void missingWord(const ValueSpec& spec) {
        if (!out_.faulty && findings_) {
            const std::size_t begin = tree_.token(at_).begin;
            Diagnostic& d =
                findings_->error(Code::missing_value, {begin, begin},
                                 fmt::format("'{}' lacks {} before {}", word_, describe(spec), quote(tree_.view(at_))));
            d.expected = describe(spec);
            d.remedy = "put it in";
            d.fix = {{{begin, begin}, fmt::format("{} ", spec.name)}};
        }
        out_.faulty = true;
    }

    const Place& place_;
    const SyntaxTree& tree_;
    std::string_view word_;
    int limit_;
    Findings* findings_;
    Binding& out_;
    int at_ = 0;
};

}  // namespace

void bindValues(const Place& place, const std::vector<ValueSpec>& specs, std::string_view word, int begin, int limit,
                Findings* findings, Binding& out) {
    out.values.clear();
    out.faulty = false;
    Binder(place, word, limit, findings, out).run(specs, begin);
}

Binding bindingOf(const SyntaxTree& tree, const Statement& statement, const Property& property) {
    Binding binding;
    if (!statement.spec || (property.word >= 0 && !property.spec)) return binding;
    const Place place{tree, *statement.spec, property.element};
    bindValues(place, property.spec ? property.spec->values : statement.spec->values,
               property.spec ? property.spec->word : statement.spec->head, property.begin, property.end, nullptr,
               binding);
    return binding;
}

}  // namespace mw::mech
