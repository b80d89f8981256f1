// The language reference page, from the keyword table.
#include <fmt/format.h>

#include "engine/mech/keywords.h"

namespace mw::mech {
namespace {

std::string note(Availability availability) {
    switch (availability) {
        case Availability::available: return "";
        case Availability::unenforced: return " *Read, not acted on yet (a warning).*";
        case Availability::unused: return " *Read, not used yet (a note).*";
        case Availability::not_yet: return " *Not yet: an error in this version.*";
    }
    return "";
}

std::string unitOf(const PropertySpec& property) {
    std::string unit;
    for (const ValueSpec& value : property.values) {
        if (!*value.unit) continue;
        if (unit.empty()) unit = value.unit;
        if (unit != value.unit) return fmt::format("{}, …", unit);
    }
    return unit;
}

std::string rangeOf(const PropertySpec& property) {
    if (property.values.empty()) return "";
    const ValueSpec& v = property.values.front();
    for (const ValueSpec& other : property.values)
        if (other.low != v.low || other.high != v.high) return "";
    if (v.low > -kInfinity && v.high < kInfinity) return fmt::format("{} to {}", v.low, v.high);
    if (v.low > -kInfinity) return fmt::format("{} {}", v.low_open ? ">" : "≥", v.low);
    return v.infinite ? "inf allowed" : "";
}

void row(std::string& page, const PropertySpec& property, const std::string& indent) {
    const std::string standard = property.required         ? "required"
                                 : *property.standard      ? fmt::format("`{}`", property.standard)
                                 : property.values.empty() ? "off"
                                                           : "—";
    page += fmt::format("| {}`{}` | {} | {} | {} | {}{}{} |\n", indent, signature(property.word, property.values),
                        unitOf(property), standard, rangeOf(property), property.doc,
                        property.repeatable ? " (may repeat)" : "", note(property.availability));
    for (const PropertySpec& own : property.own) row(page, own, indent + "… ");
}

void choices(std::string& page, const std::vector<ValueSpec>& values, const char* word) {
    for (const ValueSpec& value : values) {
        if (value.choices.empty() || !*value.choices.front().doc) continue;
        page += fmt::format("\n`{}` is one of:\n\n", word);
        for (const Choice& choice : value.choices)
            page += fmt::format("- `{}`: {}\n", signature(choice.word, choice.values), choice.doc);
    }
}

}  // namespace

std::string languageReference() {
    std::string page =
        "# The .mech language\n\n"
        "A mechanism is a text. This page is generated from the keyword table in `engine/mech`, which also drives "
        "reading,\n"
        "completion and the inspector; what the program says about faults is in [diagnostics.md](diagnostics.md), the "
        "meaning of\n"
        "frames, signs and coordinates in [conventions.md](conventions.md).\n\n"
        "## How a text is read\n\n"
        "- UTF-8, lines ending in LF or CRLF; `#` begins a comment; indentation is free, and `mech format` uses two "
        "spaces.\n"
        "- A statement begins where its keyword begins a line. Its properties follow, on the same line or on the next "
        "ones; several may share a line. The values of a property stand on its own line.\n"
        "- Everything is in SI units and radians, always with a decimal point. `(30*deg)` is an angle in degrees.\n"
        "- A number is a literal, the name of a `param` or `let`, or an expression in parentheses: `+ - * / ^`, the "
        "functions ";
    const std::vector<std::string>& functions = functionNames();
    for (std::size_t i = 0; i < functions.size(); ++i)
        page += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == functions.size() ? " and " : ", ", functions[i]);
    page +=
        ", and `pi` and `deg`. `^` binds to the right and before a minus sign. In drives an expression may use the "
        "time `t`.\n"
        "- An axis is `x`, `y`, `z` or three numbers, which are normalised.\n"
        "- A name is a letter or `_`, then letters, digits or `_`. Each kind of item has its own names, but parameters "
        "and lets share theirs, and so do tsdas and rsdas. Names may be used before they are defined; a `let` only "
        "below it. Statement keywords, `base`, `x y z t pi deg inf` and the functions name no item.\n"
        "- Where a value is due, a word is a value, even one that is also a property (`k k`). In a list of open length "
        "a property word ends the list; put a parameter of such a name in parentheses there.\n"
        "- `inf` and `-inf` stand only where a row says so; every other value must be finite.\n"
        "- Limits: 16 MB, 100000 statements, 20000 items of a kind, 10000 values in a list, parentheses 200 deep.\n"
        "- A number that depends on a `live` parameter stays an expression at run time. Axes, counts, ranges and "
        "colours cannot be live.\n\n"
        "Below, a value in brackets is optional; a property in a row that begins with … stands on the line of the "
        "element above it.\n";
    for (const StatementSpec& statement : statements()) {
        page += fmt::format("\n## {}\n\n`{}`{}\n\n{}{}\n", statement.head, signature(statement.head, statement.values),
                            statement.once ? " (once)" : "", statement.doc, note(statement.availability));
        if (*statement.sample) page += fmt::format("\n```\n{}\n```\n", statement.sample);
        if (*statement.group_required) {
            page += "\nExactly one of";
            for (const PropertySpec& property : statement.properties)
                if (std::string_view(property.group) == statement.group_required)
                    page += fmt::format(" `{}`", property.word);
            page += ".\n";
        }
        if (!statement.properties.empty()) {
            page += "\n| property | unit | default | range | meaning |\n|---|---|---|---|---|\n";
            for (const PropertySpec& property : statement.properties) row(page, property, "");
        }
        for (const PropertySpec& property : statement.properties) choices(page, property.values, property.word);
        if (*statement.notes) page += fmt::format("\n{}", statement.notes);
    }
    return page;
}

}  // namespace mw::mech
