// Typed access to the properties of one statement: values evaluated, ranges and units checked, faults said once.
// Properties that nobody asks for are reported by finish(), so that nothing in a text is dropped in silence.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/scope.h"

namespace mw::mech {

class StatementReader {
public:
    StatementReader(const SyntaxTree& tree, const Statement& statement, Scope& scope, Findings& findings);

    /// Does the property stand in the text (its values may be faulty)? `word` empty: the head's own values; a word of a
    /// property's own on its line is asked for with its owner: "from.rot".
    bool has(std::string_view word);
    /// Does it stand there with values that fit the table?
    bool sound(std::string_view word);
    std::size_t count(std::string_view word);
    /// Of a property that may repeat: how often it stands there. All other questions ask for its first mention, and for
    /// that one's own words, until another one is turned to.
    std::size_t mentions(std::string_view word);
    void turnTo(std::string_view word, std::size_t mention);
    /// The same by its place in the statement; false when it is no sound mention of a property. For properties whose
    /// order counts, across words.
    bool turnTo(std::size_t property);

    /// Value `index` of a property: false, and `out` untouched, when it is absent or faulty. `angle`: it is in radians.
    bool number(std::string_view word, std::size_t index, Number& out, bool angle = false);
    bool fixed(std::string_view word, std::size_t index, double& out, bool angle = false);
    bool integer(std::string_view word, std::size_t index, int& out);
    template <std::size_t N>
    bool numbers(std::string_view word, std::array<Number, N>& out, std::size_t first = 0) {
        bool all = sound(word);
        for (std::size_t i = 0; i < N && has(word); ++i) all = number(word, first + i, out[i]) && all;
        return all;
    }
    /// A list of open length; `angles[i]`: value i is in radians.
    bool list(std::string_view word, std::vector<Number>& out, const std::vector<bool>& angles = {});
    /// An axis that begins at value `index`, which moves beyond it.
    bool axis(std::string_view word, std::size_t& index, Vector3d& out);

    std::string_view text(std::string_view word, std::size_t index);
    std::string string(std::string_view word, std::size_t index);  ///< without its quotes
    TextRange range(std::string_view word, std::size_t index);
    TextRange range(std::string_view word);   ///< the whole property; the statement's head when absent
    TextRange values(std::string_view word);  ///< its values alone; empty when absent
    /// All of its values are plain literals, so that a fix may replace them.
    bool literal(std::string_view word);

    Diagnostic& fault(Code code, std::string_view word, std::string message);
    Diagnostic& warn(Code code, std::string_view word, std::string message);

    /// What is wrong with an item of this kind is said of "body 'crank'".
    const std::string& title() const { return title_; }
    const Statement& statement() const { return statement_; }
    /// Counts as used what was not evaluated, and reports properties that were never asked for. `of` says of what kind
    /// the statement is ("a torque law").
    void finish(std::string_view of = {});

private:
    struct Entry {
        const PropertySpec* spec = nullptr;
        const PropertySpec* owner = nullptr;  // of an own word
        int property = 0;                     // index in the statement
        bool asked = false;
        bool bound = false;
        Binding binding;
    };
    Entry* entry(std::string_view word);
    const std::vector<std::size_t>& mentionsOf(const PropertySpec* spec);
    Binding& bound(Entry& entry);
    const Value* value(std::string_view word, std::size_t index);
    bool evaluate(const Value& value, Number& out, bool angle);
    void checkDegrees(const Value& value, double number);

    const SyntaxTree& tree_;
    const Statement& statement_;
    Scope& scope_;
    Findings& findings_;
    std::vector<Entry> entries_;
    const PropertySpec* turned_ = nullptr;  // property of which another mention than the first is asked for
    std::size_t turned_to_ = 0;             // its entry
    const PropertySpec* listed_ = nullptr;  // property whose mentions are `mentions_`
    std::vector<std::size_t> mentions_;     // entries
    std::string title_;
};

}  // namespace mw::mech
