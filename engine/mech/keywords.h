// The keyword table: the one place in code that knows the words of the .mech language.
// Each statement has a head keyword, positional values, and properties with values of their own; each entry carries
// unit, range, default, one line of help, and whether this program acts on it. Reading, patching, completion, the
// inspector and the language reference (docs/language.md) are driven by it; a later capability becomes readable by
// changing its entry here.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mw::mech {

/// Each kind of item has its own space of names. Parameters and lets share one, since expressions use both; tsdas and
/// rsdas share one, since readings and `act` know them by name.
enum class NameSpace {
    none,
    value,
    body,
    point,
    element,
    drive,
    shape,
    loop,
    material,
    sensor,
    track,
    tendon,
    coupling
};
constexpr std::size_t kNameSpaces = 13;

/// What a value is, for people: "body", "parameter", ...
const char* nameSpaceText(NameSpace space);

/// Does this program act on it?
enum class Availability {
    available,
    unenforced,  ///< read and kept, with a warning that it does not act yet
    unused,      ///< read and kept, with a note that nothing reads it yet
    not_yet      ///< a later capability: an error that says so
};

enum class ValueKind {
    number,       ///< literal, name of a parameter or let, or expression in parentheses
    time_number,  ///< a number whose expression may use t
    integer,      ///< a whole number, never live
    axis,         ///< x, y, z or three numbers
    new_name,     ///< the name that the statement defines
    reference,    ///< name of an item of `space` (or `base`, for bodies)
    coordinate,   ///< BODY or BODY.n
    point,        ///< a poi's name, or a body's name and three numbers
    choice,       ///< one of `choices`
    word,         ///< exactly the word `name`
    string,       ///< "TEXT"
    list,         ///< numbers to the end of the line or the next property word
    equals,       ///< the sign =
    expression    ///< the rest of the line, without parentheses
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Choice;

struct ValueSpec {
    ValueKind kind = ValueKind::number;
    const char* name = "";  ///< as signatures show it
    const char* unit = "";  ///< "" for pure numbers and words; "q", "v", "force": as the joint has it
    double low = -kInfinity, high = kInfinity;
    bool low_open = false, high_open = false;
    bool infinite = false;     ///< `inf` and `-inf` may stand here
    bool live = true;          ///< may depend on a live parameter
    bool optional = false;     ///< may be left out at the end of its property
    const char* instead = "";  ///< a word that may stand in the value's place
    NameSpace space = NameSpace::none;
    std::vector<Choice> choices;
};

/// A word of a choice, with the values that follow it.
struct Choice {
    const char* word = "";
    std::vector<ValueSpec> values;
    const char* doc = "";
};

struct PropertySpec {
    const char* word = "";
    std::vector<ValueSpec> values;
    const char* standard = "";  ///< the default as text; empty: off when absent
    const char* doc = "";
    bool required = false;
    bool repeatable = false;
    Availability availability = Availability::available;
    const char* group = "";   ///< at most one property of a group (exactly one where `group_required` of the statement)
    const char* sample = "";  ///< text that a fix or a completion inserts
    std::vector<PropertySpec> own;  ///< words of a path element, on its own line
};

struct StatementSpec {
    const char* head = "";
    std::vector<ValueSpec> values;
    std::vector<PropertySpec> properties;
    const char* doc = "";
    Availability availability = Availability::available;
    bool once = false;
    NameSpace defines = NameSpace::none;
    const char* group_required = "";  ///< exactly one property of this group
    const char* sample = "";          ///< a whole example
    const char* notes = "";           ///< more for the reference page, below the properties

    const PropertySpec* find(std::string_view word) const;
};

/// All statements in the order of the reference page.
const std::vector<StatementSpec>& statements();
/// The statement of a head keyword, null for other words.
const StatementSpec* findStatement(std::string_view head);
/// A word of a path element's own, null for others.
const PropertySpec* findOwn(const PropertySpec& element, std::string_view word);

/// Functions of expressions and how many arguments each takes (0: no function). min and max take two or more.
int functionArguments(std::string_view name);
const std::vector<std::string>& functionNames();
/// Words that no item may be called.
bool isReserved(std::string_view word);

/// "mass m" with optional parts in brackets: how a property or a head is written.
std::string signature(std::string_view word, const std::vector<ValueSpec>& values);
/// What stands in a value's place, for people: "a length in m, more than 0".
std::string describe(const ValueSpec& value);

/// docs/language.md, generated from the table.
std::string languageReference();

}  // namespace mw::mech
