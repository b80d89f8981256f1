// Params and lets: which needs which, in what order they are evaluated, which are unused.
#include "engine/model/scope.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "engine/mech/patch.h"
#include "engine/model/expression_reader.h"
#include "engine/model/statement_reader.h"

namespace mw::mech {

std::optional<double> parseNumber(std::string_view text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc::invalid_argument || end != text.data() + text.size()) return {};
    if (fault != std::errc::result_out_of_range) return value;
    // Too large or too small? By the decimal place of the first digit that counts, plus the exponent.
    const std::size_t e = text.find_first_of("eE");
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_of("123456789");
    if (first == std::string_view::npos) return 0.0;
    double place = first < dot ? static_cast<double>(dot - first) : -static_cast<double>(first - dot);
    if (e != std::string_view::npos) {
        int exponent = 0;
        const std::size_t digits = e + 1 + (text[e + 1] == '+' ? 1 : 0);
        const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
        if (parsed.ec == std::errc::result_out_of_range) exponent = text[e + 1] == '-' ? -1'000'000'000 : 1'000'000'000;
        place += exponent;
    }
    return place > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

Scope::Definition* Scope::find(std::string_view name, bool& below) {
    const NameMap& names = tree_.names[static_cast<std::size_t>(NameSpace::value)];
    const auto found = names.find(name);
    below = false;
    if (found == names.end()) return nullptr;
    const int index = definition_of_[static_cast<std::size_t>(found->second)];
    if (index < 0) return nullptr;
    Definition& definition = definitions_[static_cast<std::size_t>(index)];
    const Statement& statement = tree_.statements[static_cast<std::size_t>(definition.statement)];
    if (!definition.parameter && tree_.token(statement.keyword).begin >= place_) {
        below = true;
        return nullptr;
    }
    return &definition;
}

void Scope::define(Model& model) {
    definition_of_.assign(tree_.statements.size(), -1);
    int slots = 0;
    for (std::size_t i = 0; i < tree_.statements.size(); ++i) {
        const Statement& statement = tree_.statements[i];
        if (statement.spec->defines != NameSpace::value) continue;
        const TextRange name = tree_.nameRange(statement);
        if (name.end == 0 || tree_.find(NameSpace::value, tree_.view(name)) != &statement) continue;
        if (definitions_.size() >= kMostItems) continue;  // said by the reader
        Definition definition;
        definition.statement = static_cast<int>(i);
        definition.parameter = std::string_view(statement.spec->head) == "param";
        definition.live = definition.parameter && statement.find("live") != nullptr;
        if (definition.live) definition.slot = slots++;
        const Binding values = bindingOf(tree_, statement, statement.properties.front());
        const std::size_t wanted = definition.parameter ? 2 : 3;
        if (values.values.size() == wanted && !statement.properties.front().faulty) {
            definition.begin = values.values.back().begin;
            definition.end = values.values.back().end;
        }
        definition_of_[i] = static_cast<int>(definitions_.size());
        definitions_.push_back(std::move(definition));
    }
    for (std::size_t i = 0; i < definitions_.size(); ++i) settle(i);

    for (const Definition& definition : definitions_) {
        if (!definition.parameter) continue;
        const Statement& statement = tree_.statements[static_cast<std::size_t>(definition.statement)];
        Parameter parameter;
        parameter.origin = {statement.range, tree_.nameRange(statement), -1};
        parameter.name = tree_.view(parameter.origin.name);
        parameter.value = definition.result.value;
        parameter.live = definition.live;
        parameter.slot = definition.slot;
        if (definition.begin < definition.end) parameter.value_range = tree_.range(definition.begin, definition.end);
        StatementReader reader(tree_, statement, *this, findings_);
        double low = 0, high = 0;
        reader.has("live");
        if (reader.fixed("range", 0, low) & reader.fixed("range", 1, high)) {
            if (low > high)
                reader.fault(Code::crossed_range, "range",
                             fmt::format("the range of '{}' runs from {} to {}", parameter.name, low, high));
            else if (definition.result.ok && (parameter.value < low || parameter.value > high))
                findings_
                    .warning(Code::start_outside_range, parameter.value_range,
                             fmt::format("'{}' is {}, outside its range {} to {}", parameter.name, parameter.value, low,
                                         high))
                    .remedy = "widen the range or move the value";
            if (low <= high) parameter.range = std::array<double, 2>{low, high};
        }
        if (reader.has("unit")) parameter.unit = reader.string("unit", 0);
        reader.finish();
        if (parameter.live) {
            live_.push_back({tree_.view(parameter.origin.name), parameter.value, parameter.range});
            live_values_.push_back(parameter.value);
        }
        model.parameters.push_back(std::move(parameter));
    }
}

std::optional<Scope::AtEnd> Scope::badEnd(const Number& number, const std::function<bool(double)>& good) {
    if (!number.live || live_.empty()) return std::nullopt;
    // Which parameters it needs. What is shared counts as often as it stands there, as it does when evaluated.
    std::vector<std::size_t> needed;
    std::vector<const Expression*> open{number.live.get()};
    std::int64_t operations = 0;
    while (!open.empty()) {
        const Expression& e = *open.back();
        open.pop_back();
        if (--budget_ < 0) return std::nullopt;
        ++operations;
        if (e.a) open.push_back(e.a.get());
        if (e.b) open.push_back(e.b.get());
        const auto slot = static_cast<std::size_t>(e.parameter);
        if (e.op == Expression::Op::parameter && slot < live_.size() && live_[slot].range &&
            std::find(needed.begin(), needed.end(), slot) == needed.end())
            needed.push_back(slot);
    }
    std::sort(needed.begin(), needed.end());  // in the order of the text
    std::vector<double>& param = live_values_;
    const auto look = [&](const std::vector<std::size_t>& moved) -> std::optional<AtEnd> {
        for (std::size_t corner = 0; corner < (std::size_t{1} << moved.size()); ++corner) {
            if ((budget_ -= operations) < 0) return std::nullopt;
            for (std::size_t i = 0; i < moved.size(); ++i) param[moved[i]] = (*live_[moved[i]].range)[corner >> i & 1];
            const double value = number.at(param);
            if (good(value)) continue;
            AtEnd end{value, {}};
            for (const std::size_t slot : moved)
                end.where += fmt::format("{}{} = {}", end.where.empty() ? "" : ", ", live_[slot].name, param[slot]);
            return end;
        }
        return std::nullopt;
    };
    std::optional<AtEnd> bad;
    for (std::size_t i = 0; i < needed.size() && !bad; ++i) {
        bad = look({needed[i]});
        param[needed[i]] = live_[needed[i]].value;
    }
    if (!bad && needed.size() > 1 && needed.size() <= 4) bad = look(needed);
    for (const std::size_t slot : needed) param[slot] = live_[slot].value;
    return bad;
}

// Depth first with a stack of its own, since a chain of definitions may be long.
void Scope::settle(std::size_t first) {
    struct Frame {
        std::size_t definition;
        int at;
    };
    if (definitions_[first].state != Definition::State::waiting) return;
    std::vector<Frame> stack;
    const auto open = [&](std::size_t index) {
        definitions_[index].state = Definition::State::open;
        stack.push_back({index, definitions_[index].begin});
    };
    open(first);
    while (!stack.empty()) {
        Frame& frame = stack.back();
        Definition& definition = definitions_[frame.definition];
        enter(tree_.statements[static_cast<std::size_t>(definition.statement)]);
        bool deeper = false;
        while (frame.at < definition.end) {
            const int token = frame.at++;
            if (tree_.token(token).kind != TokenKind::word) continue;
            bool below = false;
            Definition* needed = find(tree_.view(token), below);
            if (!needed) continue;
            const auto index = static_cast<std::size_t>(needed - definitions_.data());
            if (needed->state == Definition::State::waiting) {
                open(index);
                deeper = true;
                break;
            }
            if (needed->state == Definition::State::open) {
                std::vector<std::size_t> chain;
                for (auto it = stack.rbegin(); it != stack.rend(); ++it) {
                    chain.insert(chain.begin(), it->definition);
                    if (it->definition == index) break;
                }
                reportCycle(chain);
                for (const std::size_t member : chain) definitions_[member].begin = definitions_[member].end = 0;
                break;
            }
        }
        if (deeper) continue;
        evaluateDefinition(definition);
        definition.state = Definition::State::done;
        stack.pop_back();
    }
}

void Scope::reportCycle(const std::vector<std::size_t>& chain) {
    std::string circle;
    const auto name = [&](std::size_t i) {
        return std::string(
            tree_.view(tree_.nameRange(tree_.statements[static_cast<std::size_t>(definitions_[i].statement)])));
    };
    for (std::size_t i = 0; i < chain.size() && i < 8; ++i) circle += name(chain[i]) + " -> ";
    if (chain.size() > 8) circle += "… -> ";
    circle += name(chain.front());
    const Statement& statement = tree_.statements[static_cast<std::size_t>(definitions_[chain.front()].statement)];
    Diagnostic& d = findings_.error(Code::definition_cycle, tree_.nameRange(statement),
                                    fmt::format("'{}' is defined by itself: {}", name(chain.front()), circle));
    d.remedy = "give one of them a number";
    for (const std::size_t member : chain) definitions_[member].used = true;
}

void Scope::evaluateDefinition(Definition& definition) {
    if (definition.begin >= definition.end) return;
    if (definition.parameter) {
        Evaluated e = evaluate(definition.begin, definition.end);
        if (e.ok && !std::isfinite(e.value)) {
            findings_
                .error(Code::not_finite, tree_.range(definition.begin, definition.end),
                       "the value is infinite or not a number")
                .expected = "a finite number";
            e.ok = false;
        }
        if (definition.live) {
            e.live = e.ok ? Expression::liveParameter(definition.slot) : nullptr;
            e.depth = 1;
            e.size = 1;
        }
        definition.result = std::move(e);
    } else {
        definition.result = evaluate(definition.begin, definition.end, true);
        if (definition.result.ok && !std::isfinite(definition.result.value)) {
            findings_
                .error(Code::not_finite, tree_.range(definition.begin, definition.end),
                       "the value is infinite or not a number")
                .expected = "a finite number";
            definition.result.ok = false;
        }
    }
}

Evaluated Scope::evaluate(int begin, int end, bool whole) { return ExpressionReader(*this, begin, end).run(whole); }

void Scope::touch(int begin, int end) {
    for (int i = begin; i < end; ++i) {
        if (tree_.token(i).kind != TokenKind::word) continue;
        bool below = false;
        if (Definition* definition = find(tree_.view(i), below)) definition->used = true;
    }
}

const std::vector<std::string_view>& Scope::valueNames() {
    if (!value_names_.empty()) return value_names_;
    for (const auto& [name, statement] : tree_.names[static_cast<std::size_t>(NameSpace::value)])
        value_names_.emplace_back(name);
    std::sort(value_names_.begin(), value_names_.end());
    for (const std::string& function : functionNames()) value_names_.emplace_back(function);
    value_names_.emplace_back("deg");
    return value_names_;
}

void Scope::touch(std::string_view name) {
    bool below = false;
    if (Definition* definition = find(name, below)) definition->used = true;
}

void Scope::reportUnused() {
    for (const Definition& definition : definitions_) {
        if (definition.used) continue;
        const Statement& statement = tree_.statements[static_cast<std::size_t>(definition.statement)];
        const TextRange name = tree_.nameRange(statement);
        if (isReserved(tree_.view(name))) continue;
        Diagnostic& d = findings_.warning(
            Code::unused_parameter, name,
            fmt::format("nothing uses {} {}", definition.parameter ? "parameter" : "let", quote(tree_.view(name))));
        d.remedy = "use it or remove it";
        d.fix = removeStatement(tree_, statement);
    }
}

}  // namespace mw::mech
