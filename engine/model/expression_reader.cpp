// Expressions: + - * / ^ (to the right, unary minus below it), functions, pi, deg, params, lets above, t where allowed.
#include "engine/model/expression_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mw::mech {
namespace {

using Op = Expression::Op;
constexpr double kPi = 3.14159265358979323846;
// A drive is evaluated and differentiated every step, so that a huge one would stall the simulation.
constexpr int kDeepestLive = 250;
constexpr std::int64_t kLargestLive = 2000;

Evaluated constant(double value) {
    Evaluated e;
    e.value = value;
    e.ok = true;
    return e;
}

ExpressionPtr asExpression(const Evaluated& e) { return e.live ? e.live : Expression::constant(e.value); }

Op functionOp(std::string_view name) {
    if (name == "sqrt") return Op::sqrt;
    if (name == "sin") return Op::sin;
    if (name == "cos") return Op::cos;
    if (name == "tan") return Op::tan;
    if (name == "asin") return Op::asin;
    if (name == "acos") return Op::acos;
    if (name == "exp") return Op::exp;
    if (name == "log") return Op::log;
    if (name == "abs") return Op::abs;
    if (name == "min") return Op::min;
    if (name == "max") return Op::max;
    return Op::atan2;
}

}  // namespace

Evaluated ExpressionReader::run(bool whole) {
    const int begin = at_;
    Evaluated e = whole ? sum() : signedPower();
    at_ = skipSpace(tree_, at_, end_);
    if (!failed_ && at_ < end_)
        return fail(Code::bad_expression, at_,
                    fmt::format("{} does not fit into the expression", quote(tree_.view(at_))),
                    "an operator: + - * / ^");
    e.ok = e.ok && !failed_;
    if (!e.ok) scope_.touch(begin, end_);  // a use in an expression that failed is a use
    if (e.live && e.live->op == Op::constant) e.live = nullptr;
    return e;
}

char ExpressionReader::punctuation() {
    at_ = skipSpace(tree_, at_, end_);
    return at_ < end_ && tree_.token(at_).kind == TokenKind::punctuation ? tree_.text[tree_.token(at_).begin] : '\0';
}

Evaluated ExpressionReader::fail(Code code, int token, std::string message, std::string expected) {
    if (!failed_ && token < end_ && tree_.token(token).kind == TokenKind::invalid) {
        scope_.touch(at_, end_);  // said by the lexer
    } else if (!failed_) {
        const TextRange range =
            token < end_ ? tree_.token(token).range() : TextRange{tree_.range(0, end_).end, tree_.range(0, end_).end};
        scope_.findings_.error(code, range, std::move(message)).expected = std::move(expected);
        scope_.touch(at_, end_);
    }
    failed_ = true;
    at_ = end_;
    return {};
}

bool ExpressionReader::deeper() {
    if (++nesting_ <= kDeepestNesting) return true;
    fail(Code::nesting_too_deep, at_, fmt::format("the expression is nested deeper than {}", kDeepestNesting),
         "fewer parentheses; a `let` can name a part");
    return false;
}

Evaluated ExpressionReader::sum() {
    Evaluated a = product();
    for (char c = punctuation(); !failed_ && (c == '+' || c == '-'); c = punctuation()) {
        ++at_;
        a = binary(c == '+' ? Op::add : Op::subtract, std::move(a), product());
    }
    return a;
}

Evaluated ExpressionReader::product() {
    Evaluated a = signedPower();
    for (char c = punctuation(); !failed_ && (c == '*' || c == '/'); c = punctuation()) {
        ++at_;
        a = binary(c == '*' ? Op::multiply : Op::divide, std::move(a), signedPower());
    }
    return a;
}

Evaluated ExpressionReader::signedPower() {
    bool minus = false;
    for (char c = punctuation(); c == '-' || c == '+'; c = punctuation()) {
        minus = minus != (c == '-');
        ++at_;
    }
    Evaluated a = primary();
    if (!failed_ && punctuation() == '^') {
        ++at_;
        if (!deeper()) return {};
        a = binary(Op::power, std::move(a), signedPower());
        --nesting_;
    }
    return minus && !failed_ ? unary(Op::negate, std::move(a)) : a;
}

Evaluated ExpressionReader::primary() {
    at_ = skipSpace(tree_, at_, end_);
    if (failed_) return {};
    if (at_ >= end_)
        return fail(Code::bad_expression, at_, "the expression ends where a value is due",
                    "a number, a name or a parenthesis");
    switch (tree_.token(at_).kind) {
        case TokenKind::number: return literal();
        case TokenKind::word: return name();
        case TokenKind::invalid:  // said by the lexer
            scope_.touch(at_, end_);
            failed_ = true;
            at_ = end_;
            return {};
        default: break;
    }
    const char c = punctuation();
    if (c != '(')
        return fail(Code::bad_expression, at_, fmt::format("{} stands where a value is due", quote(tree_.view(at_))),
                    "a number, a name or a parenthesis");
    ++at_;
    if (!deeper()) return {};
    Evaluated e = sum();
    --nesting_;
    if (failed_) return {};
    if (punctuation() != ')')
        return fail(Code::bad_expression, at_,
                    at_ < end_ ? fmt::format("{} does not fit into the expression", quote(tree_.view(at_)))
                               : "a parenthesis is not closed",
                    "an operator or )");
    ++at_;
    return e;
}

Evaluated ExpressionReader::literal() {
    const std::string_view text = tree_.view(at_);
    if (const std::optional<double> value = parseNumber(text)) {
        ++at_;
        return constant(*value);
    }
    const int token = at_;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view tail = text.substr(digits);
    const TextRange range = tree_.token(token).range();
    if (!failed_) {
        Diagnostic& d = scope_.findings_.error(Code::bad_number, range, fmt::format("{} is no number", quote(text)));
        d.expected = "digits with a decimal point, such as 0.25 or 1e-3";
        if (tail == "deg") {
            d.remedy = "write degrees as a product";
            d.fix = {{range, fmt::format("({}*deg)", text.substr(0, digits))}};
        } else if (!tail.empty() && tail != "e" && tail.find('.') == std::string_view::npos) {
            d.remedy = "numbers carry no unit; everything is in SI and radians";
        }
    }
    failed_ = true;
    scope_.touch(at_, end_);
    at_ = end_;
    return {};
}

Evaluated ExpressionReader::name() {
    const int token = at_;
    const std::string_view word = tree_.view(token);
    ++at_;
    if (const int arguments = functionArguments(word)) return call(token, arguments);
    if (word == "pi") return constant(kPi);
    if (word == "deg") return constant(kPi / 180);
    if (word == "t") {
        if (!scope_.time_) {
            at_ = token;
            return fail(Code::time_not_allowed, token, "the time t cannot stand here",
                        "a value that does not change with time");
        }
        Evaluated e = constant(0);
        e.live = Expression::time();
        e.depth = 1;
        e.size = 1;
        return e;
    }
    if (word == "inf") {
        at_ = token;
        return fail(Code::not_finite, token, "inf cannot stand here", "a finite number");
    }
    bool below = false;
    if (Scope::Definition* definition = scope_.find(word, below)) {
        definition->used = true;
        if (!definition->result.ok) failed_ = true;  // said where it is defined
        return definition->result;
    }
    unknown(token, below);
    failed_ = true;
    scope_.touch(at_, end_);
    at_ = end_;
    return {};
}

void ExpressionReader::unknown(int token, bool below) {
    if (failed_) return;
    const std::string_view word = tree_.view(token);
    const TextRange range = tree_.token(token).range();
    const NameMap& names = tree_.names[static_cast<std::size_t>(NameSpace::value)];
    if (below) {
        Diagnostic& d = scope_.findings_.error(Code::unknown_name, range,
                                               fmt::format("let {} is defined further down", quote(word)));
        d.expected = "a parameter, or a let above this line";
        d.remedy = "move the let up";
        if (const auto found = names.find(word); found != names.end())
            scope_
                .definitions_[static_cast<std::size_t>(scope_.definition_of_[static_cast<std::size_t>(found->second)])]
                .used = true;
        return;
    }
    const std::size_t hyphen = word.find('-');
    Diagnostic& d =
        scope_.findings_.error(Code::unknown_name, range, fmt::format("no parameter or let is called {}", quote(word)));
    if (hyphen != std::string_view::npos && names.contains(word.substr(0, hyphen))) {
        d.remedy = "put a difference in parentheses";
        d.fix = {{range, fmt::format("({})", word)}};
        return;
    }
    scope_.findings_.suggest(d, word, scope_.valueNames());
    if (!d.fix.empty()) scope_.touch(d.fix.front().text);  // a misspelt use is a use
    if (d.remedy.empty()) d.remedy = fmt::format("define it: `param {} 1`", std::string(word.substr(0, 40)));
}

Evaluated ExpressionReader::call(int function, int arguments) {
    const std::string_view word = tree_.view(function);
    const bool open_ended = word == "min" || word == "max";
    const std::string wanted = fmt::format("{}({})", word, arguments == 1 ? "a" : open_ended ? "a, b, …" : "a, b");
    if (punctuation() != '(')
        return fail(Code::bad_expression, function, fmt::format("function '{}' stands without its parentheses", word),
                    wanted);
    ++at_;
    if (!deeper()) return {};
    const Op op = functionOp(word);
    Evaluated result = sum();
    int given = 1;
    for (; !failed_ && punctuation() == ','; ++given) {
        ++at_;
        Evaluated next = sum();
        if (failed_) return {};
        if (given < arguments || open_ended) result = binary(op, std::move(result), std::move(next));
    }
    --nesting_;
    if (failed_) return {};
    if (punctuation() != ')') return fail(Code::bad_expression, at_, fmt::format("'{}' is not closed", word), wanted);
    ++at_;
    if (given < arguments || (given > arguments && !open_ended))
        return fail(Code::bad_expression, function,
                    fmt::format("'{}' has {} argument{}", word, given, given == 1 ? "" : "s"), wanted);
    return arguments == 1 ? unary(op, std::move(result)) : result;
}

Evaluated ExpressionReader::bounded(Evaluated e) {
    if (e.depth <= kDeepestLive && e.size <= kLargestLive) return e;
    return fail(Code::expression_too_large, std::min(at_, end_ - 1),
                "an expression that changes at run time is too large",
                fmt::format("at most {} operations, at most {} deep", kLargestLive, kDeepestLive));
}

Evaluated ExpressionReader::unary(Op op, Evaluated a) {
    if (failed_) return {};
    Evaluated e = constant(applyOperation(op, a.value));
    if (!a.live) return e;
    e.live = Expression::unary(op, a.live);
    e.depth = a.depth + 1;
    e.size = a.size + 1;
    return bounded(std::move(e));
}

Evaluated ExpressionReader::binary(Op op, Evaluated a, Evaluated b) {
    if (failed_) return {};
    Evaluated e = constant(applyOperation(op, a.value, b.value));
    if (!a.live && !b.live) return e;
    e.live = Expression::binary(op, asExpression(a), asExpression(b));
    e.depth = std::max(a.depth, b.depth) + 1;
    e.size = a.size + b.size + 1;
    return bounded(std::move(e));
}

}  // namespace mw::mech
