// Typed access to the properties of one statement.
#include "engine/model/statement_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"

namespace mw::mech {
namespace {

constexpr double kTurn = 2 * 3.14159265358979323846;

}  // namespace

StatementReader::StatementReader(const SyntaxTree& tree, const Statement& statement, Scope& scope, Findings& findings)
    : tree_(tree), statement_(statement), scope_(scope), findings_(findings) {
    scope_.enter(statement);
    const TextRange name = tree.nameRange(statement);
    title_ = statement.spec->head;
    if (name.end > 0) title_ += fmt::format(" {}", quote(tree.view(name)));
    entries_.reserve(statement.properties.size());
    for (std::size_t i = 0; i < statement.properties.size(); ++i) {
        const Property& property = statement.properties[i];
        if (i > 0 && !property.spec) continue;
        const PropertySpec* owner = property.own ? property.element : nullptr;
        // Of a mention's own words the first counts; few are different, however often they stand there.
        bool again = false;
        for (auto e = entries_.rbegin(); owner && !again && e != entries_.rend() && e->owner == owner; ++e)
            again = e->spec == property.spec;
        if (again) {
            findings_
                .error(Code::repeated_property, tree.token(property.word).range(),
                       fmt::format("{}: '{}' stands twice behind '{}'", title_, property.spec->word, owner->word))
                .expected = "at most one";
            continue;
        }
        entries_.push_back({property.spec, owner, static_cast<int>(i), i == 0, false, {}});
    }
}

StatementReader::Entry* StatementReader::entry(std::string_view word) {
    if (word.empty()) return &entries_.front();
    const std::size_t dot = word.find('.');
    const std::string_view owner = dot == std::string_view::npos ? std::string_view() : word.substr(0, dot);
    if (dot != std::string_view::npos) word.remove_prefix(dot + 1);
    if (turned_ && dot == std::string_view::npos && word == turned_->word) return &entries_[turned_to_];
    if (turned_ && owner == turned_->word) {
        for (std::size_t i = turned_to_ + 1; i < entries_.size() && entries_[i].owner == turned_; ++i)
            if (word == entries_[i].spec->word) {
                entries_[i].asked = true;
                return &entries_[i];
            }
        return nullptr;
    }
    for (Entry& e : entries_)
        if (e.spec && word == e.spec->word && owner == (e.owner ? e.owner->word : "")) {
            e.asked = true;
            return &e;
        }
    return nullptr;
}

const std::vector<std::size_t>& StatementReader::mentionsOf(const PropertySpec* spec) {
    if (listed_ == spec) return mentions_;
    listed_ = spec;
    mentions_.clear();
    for (std::size_t i = 0; spec && i < entries_.size(); ++i)
        if (entries_[i].spec == spec && !entries_[i].owner) mentions_.push_back(i);
    return mentions_;
}

std::size_t StatementReader::mentions(std::string_view word) { return mentionsOf(statement_.spec->find(word)).size(); }

void StatementReader::turnTo(std::string_view word, std::size_t mention) {
    turned_ = statement_.spec->find(word);
    turned_to_ = mentionsOf(turned_)[mention];
    entries_[turned_to_].asked = true;
}

bool StatementReader::turnTo(std::size_t property) {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), property, [](const Entry& e, std::size_t p) {
        return static_cast<std::size_t>(e.property) < p;
    });
    if (found == entries_.end() || static_cast<std::size_t>(found->property) != property || !found->spec ||
        found->owner)
        return false;
    turned_ = found->spec;
    turned_to_ = static_cast<std::size_t>(found - entries_.begin());
    found->asked = true;
    return !statement_.properties[property].faulty;
}

bool StatementReader::has(std::string_view word) { return entry(word) != nullptr; }

bool StatementReader::sound(std::string_view word) {
    const Entry* e = entry(word);
    return e && !statement_.properties[static_cast<std::size_t>(e->property)].faulty;
}

Binding& StatementReader::bound(Entry& e) {
    if (!e.bound) {
        e.binding = bindingOf(tree_, statement_, statement_.properties[static_cast<std::size_t>(e.property)]);
        e.bound = true;
    }
    return e.binding;
}

std::size_t StatementReader::count(std::string_view word) {
    Entry* e = entry(word);
    return e ? bound(*e).values.size() : 0;
}

const Value* StatementReader::value(std::string_view word, std::size_t index) {
    Entry* e = entry(word);
    if (!e || statement_.properties[static_cast<std::size_t>(e->property)].faulty) return nullptr;
    const Binding& binding = bound(*e);
    return index < binding.values.size() ? &binding.values[index] : nullptr;
}

bool StatementReader::evaluate(const Value& value, Number& out, bool angle) {
    const ValueSpec& spec = *value.spec;
    const TextRange place = tree_.range(value.begin, value.end);
    // inf, -inf
    if (spec.infinite && tree_.view(value.end - 1) == "inf" && value.end - value.begin <= 2) {
        const bool minus = tree_.text[place.begin] == '-';
        if (value.end - value.begin == 1 || minus || tree_.text[place.begin] == '+') {
            if (minus && spec.low >= 0) {
                findings_.error(Code::out_of_range, place, fmt::format("{}: {} is -inf", title_, spec.name)).expected =
                    describe(spec);
                return false;
            }
            out = Number(minus ? -kInfinity : kInfinity);
            return true;
        }
    }
    scope_.enter(statement_);
    scope_.allowTime(spec.kind == ValueKind::time_number);
    Evaluated e = scope_.evaluate(value.begin, value.end);
    scope_.allowTime(false);
    if (!e.ok) return false;
    const std::string_view text = tree_.view(place);
    if (!std::isfinite(e.value)) {
        findings_.error(Code::not_finite, place, fmt::format("{}: {} is {}", title_, quote(text), e.value)).expected =
            "a finite number";
        return false;
    }
    if (e.live && !spec.live) {
        Diagnostic& d = findings_.error(Code::live_not_allowed, place,
                                        fmt::format("{}: {} depends on a live parameter", title_, quote(text)));
        d.expected = "a value that is fixed when the mechanism is compiled";
        d.remedy = "use a parameter that is not live here";
        return false;
    }
    const auto inRange = [&spec](double x) {
        const bool low = spec.low_open ? x <= spec.low : x < spec.low;
        const bool high = spec.high_open ? x >= spec.high : x > spec.high;
        return !low && !high;
    };
    if (!inRange(e.value)) {
        findings_.error(Code::out_of_range, place, fmt::format("{}: {} is {}", title_, spec.name, e.value)).expected =
            describe(spec);
        return false;
    }
    if (angle || std::string_view(spec.unit) == "rad") checkDegrees(value, e.value);
    out = Number(e.value, std::move(e.live));
    // What is right today need not be where a slider gets.
    if (const auto bad = scope_.badEnd(out, [&](double x) { return std::isfinite(x) && inRange(x); })) {
        const std::string value = std::isnan(bad->value) ? "not a number" : fmt::format("{:.6g}", bad->value);
        Diagnostic& d = findings_.warning(Code::singular_range, place,
                                          fmt::format("{}: with {} {} is {}", title_, bad->where, spec.name, value));
        d.expected = std::isfinite(bad->value) ? describe(spec) : "a finite number";
        d.remedy = "narrow the range of the parameter, so that a slider cannot get there";
    }
    return true;
}

void StatementReader::checkDegrees(const Value& value, double number) {
    const bool is_literal = tree_.token(value.end - 1).kind == TokenKind::number && value.end - value.begin <= 2;
    if (!is_literal || std::abs(number) <= kTurn) return;
    const TextRange place = tree_.range(value.begin, value.end);
    Diagnostic& d = findings_.warning(Code::looks_like_degrees, place,
                                      fmt::format("{}: an angle of {} rad is more than a turn", title_, number));
    d.expected = "radians";
    d.remedy = "write degrees as a product";
    d.fix = {{place, fmt::format("({}*deg)", tree_.view(place))}};
}

bool StatementReader::number(std::string_view word, std::size_t index, Number& out, bool angle) {
    const Value* v = value(word, index);
    return v && evaluate(*v, out, angle);
}

bool StatementReader::fixed(std::string_view word, std::size_t index, double& out, bool angle) {
    Number n;
    if (!number(word, index, n, angle)) return false;
    out = n.value;
    return true;
}

bool StatementReader::integer(std::string_view word, std::size_t index, int& out) {
    const Value* v = value(word, index);
    Number n;
    if (!v || !evaluate(*v, n, false)) return false;
    if (n.value != std::floor(n.value) || std::abs(n.value) > 1e9) {
        findings_
            .error(Code::out_of_range, tree_.range(v->begin, v->end),
                   fmt::format("{}: {} is {}", title_, v->spec->name, n.value))
            .expected = "a whole number";
        return false;
    }
    out = static_cast<int>(n.value);
    return true;
}

bool StatementReader::list(std::string_view word, std::vector<Number>& out, const std::vector<bool>& angles) {
    Entry* e = entry(word);
    if (!e || statement_.properties[static_cast<std::size_t>(e->property)].faulty) return false;
    bool all = true;
    std::vector<Number> read;
    const Binding& binding = bound(*e);
    read.reserve(binding.values.size());
    for (std::size_t i = 0; i < binding.values.size(); ++i) {
        Number n;
        all = evaluate(binding.values[i], n, i < angles.size() && angles[i]) && all;
        read.push_back(std::move(n));
    }
    if (all) out = std::move(read);
    return all;
}

bool StatementReader::axis(std::string_view word, std::size_t& index, Vector3d& out) {
    const Value* v = value(word, index);
    if (!v) return false;
    const std::string_view letter = tree_.view(v->begin);
    if (v->end - v->begin == 1 && (letter == "x" || letter == "y" || letter == "z")) {
        out = {letter == "x" ? 1.0 : 0.0, letter == "y" ? 1.0 : 0.0, letter == "z" ? 1.0 : 0.0};
        ++index;
        return true;
    }
    Vector3d direction{};
    bool all = true;
    const TextRange first = range(word, index);
    for (double& component : direction) all = fixed(word, index++, component) && all;
    if (!all) return false;
    const double largest = std::max({std::abs(direction[0]), std::abs(direction[1]), std::abs(direction[2])});
    if (largest == 0) {
        Diagnostic& d = findings_.error(Code::zero_axis, {first.begin, range(word, index - 1).end},
                                        fmt::format("{}: an axis of length zero has no direction", title_));
        d.expected = "x, y, z or three numbers that are not all zero";
        return false;
    }
    double square = 0;
    for (double& component : direction) {
        component /= largest;  // a tiny or huge axis keeps its direction
        square += component * component;
    }
    for (double& component : direction) component /= std::sqrt(square);
    out = direction;
    return true;
}

std::string_view StatementReader::text(std::string_view word, std::size_t index) {
    const Value* v = value(word, index);
    return v ? tree_.view(tree_.range(v->begin, v->end)) : std::string_view{};
}

std::string StatementReader::string(std::string_view word, std::size_t index) {
    const std::string_view quoted = text(word, index);
    return quoted.size() < 2 ? std::string()
                             : std::string(quoted.substr(1, quoted.size() - (quoted.back() == '"' ? 2 : 1)));
}

TextRange StatementReader::range(std::string_view word, std::size_t index) {
    const Value* v = value(word, index);
    return v ? tree_.range(v->begin, v->end) : range(word);
}

TextRange StatementReader::range(std::string_view word) {
    const Entry* e = entry(word);
    if (e && e->spec) return tree_.range(statement_.properties[static_cast<std::size_t>(e->property)]);
    const TextRange name = tree_.nameRange(statement_);
    return {tree_.token(statement_.keyword).begin, std::max(name.end, tree_.token(statement_.keyword).range().end)};
}

TextRange StatementReader::values(std::string_view word) {
    const Entry* e = entry(word);
    if (!e) return {};
    const Property& property = statement_.properties[static_cast<std::size_t>(e->property)];
    return tree_.range(property.begin, property.end);
}

bool StatementReader::literal(std::string_view word) {
    Entry* e = entry(word);
    if (!e) return false;
    for (const Value& v : bound(*e).values)
        if (tree_.token(v.end - 1).kind != TokenKind::number || v.end - v.begin > 2) return false;
    return true;
}

Diagnostic& StatementReader::fault(Code code, std::string_view word, std::string message) {
    return findings_.error(code, range(word), fmt::format("{}: {}", title_, message));
}
Diagnostic& StatementReader::warn(Code code, std::string_view word, std::string message) {
    return findings_.warning(code, range(word), fmt::format("{}: {}", title_, message));
}

void StatementReader::finish(std::string_view of) {
    for (const Property& property : statement_.properties)
        if (property.faulty || property.own) scope_.touch(property.begin, property.end);
    bool element_asked = true;
    for (const Entry& e : entries_) {
        if (e.spec && !e.owner) element_asked = e.asked;
        if (!e.spec || e.asked || (e.owner && !element_asked)) continue;
        const Property& property = statement_.properties[static_cast<std::size_t>(e.property)];
        scope_.touch(property.begin, property.end);
        if (property.faulty) continue;
        // A second mention of a property is a repetition, said by the parser.
        if (statement_.find(e.spec) != &property) continue;
        Diagnostic& d = findings_.error(
            Code::not_read_here, tree_.range(property),
            fmt::format("{}: '{}' is not read by {}", title_, e.spec->word, of.empty() ? "this statement" : of));
        d.remedy = "remove it";
        d.fix = removeProperty(tree_, statement_, property);
    }
    for (const Entry& e : entries_) {
        if (!e.spec) continue;
        const TextRange place = tree_.range(statement_.properties[static_cast<std::size_t>(e.property)]);
        if (e.spec->availability == Availability::unenforced) {
            findings_.warning(
                Code::not_enforced, place,
                fmt::format("{}: '{}' does not act yet: this version reads it and keeps it", title_, e.spec->word));
        } else if (e.spec->availability == Availability::unused) {
            findings_.note(Code::not_used, place, fmt::format("{}: nothing reads '{}' yet", title_, e.spec->word));
        } else if (e.spec->availability == Availability::not_yet) {
            findings_
                .error(Code::not_yet, place,
                       fmt::format("{}: '{}' is part of the language, but this version cannot run it yet", title_,
                                   e.spec->word))
                .remedy = "leave it out for now";
        }
    }
}

}  // namespace mw::mech
