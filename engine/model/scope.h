// Names and expressions of a text: params and lets in the order they need each other, and values of token ranges.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mech/findings.h"
#include "engine/mech/syntax_tree.h"
#include "engine/mech/values.h"
#include "engine/model/expression.h"
#include "engine/model/model.h"

namespace mw::mech {

/// Value of an expression with the declared parameters at t = 0, and the expression itself where it can change.
struct Evaluated {
    double value = 0;
    ExpressionPtr live;     ///< null: constant
    int depth = 0;          ///< of `live`
    std::int64_t size = 0;  ///< operations of `live` when written out in full
    bool ok = false;        ///< false: a fault, said already
};

/// Value of a literal; empty when it is no number. Infinite when too large.
std::optional<double> parseNumber(std::string_view text);

class Scope {
public:
    Scope(const SyntaxTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

    /// Evaluates every param and let, in the order they need each other, and fills `model.parameters`.
    void define(Model& model);

    /// Value of the tokens [begin, end), a value as values.h cuts them (`whole`: an expression without parentheses).
    Evaluated evaluate(int begin, int end, bool whole = false);
    /// The statement in which the next expressions stand: lets above it are known. `time`: may they use t?
    void enter(const Statement& statement) { place_ = tree_.token(statement.keyword).begin; }
    void allowTime(bool allowed) { time_ = allowed; }

    /// Counts the names in [begin, end) as used, where the text at fault is not evaluated.
    void touch(int begin, int end);
    void touch(std::string_view name);
    void reportUnused();
    /// A value that depends on live parameters, at the ends of their ranges, where sliders get: each such parameter
    /// alone, then up to four together. The first value that `good` refuses, and at which parameters ("k = 0, m = 2").
    struct AtEnd {
        double value = 0;
        std::string where;
    };
    std::optional<AtEnd> badEnd(const Number& number, const std::function<bool(double)>& good);
    /// Everything that an expression could name, for suggestions.
    const std::vector<std::string_view>& valueNames();

private:
    struct Definition {
        int statement = 0;
        bool parameter = false;
        bool live = false;
        bool used = false;
        int slot = -1;
        int begin = 0, end = 0;  // tokens of its value
        Evaluated result;
        enum class State { waiting, open, done } state = State::waiting;
    };
    friend class ExpressionReader;

    Definition* find(std::string_view name, bool& below);
    void settle(std::size_t first);
    void evaluateDefinition(Definition& definition);
    void reportCycle(const std::vector<std::size_t>& chain);

    const SyntaxTree& tree_;
    Findings& findings_;
    std::vector<Definition> definitions_;
    std::vector<int> definition_of_;  // by statement, -1 for others
    std::size_t place_ = 0;
    bool time_ = false;
    std::vector<std::string_view> value_names_;
    /// Live parameters by slot, once all are known: what badEnd goes through.
    struct Live {
        std::string_view name;
        double value = 0;
        std::optional<std::array<double, 2>> range;
    };
    std::vector<Live> live_;
    std::vector<double> live_values_;
    std::int64_t budget_ = 1'000'000;  // operations that badEnd may go through in one text
};

}  // namespace mw::mech
