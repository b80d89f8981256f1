// The entries of derived equations computed by walking their graph in plain doubles: what a kernel would give, without
// one.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "generator/derive/equations.h"

namespace mw::test {

using Numbers = std::vector<double>;

/// Arrays by name of gen::Array; a missing one reads as zeros (NULL).
struct EntryArrays {
    std::map<gen::Array, Numbers> read;
    Numbers work;
    Numbers lambda;  ///< what the last run of fwd_dyn stored as multipliers
};

inline const gen::Entry& entryOf(const gen::Equations& equations, const std::string& name) {
    for (const gen::Entry& entry : equations.entries)
        if (entry.name == name) return entry;
    throw std::logic_error("no entry " + name);
}

/// Runs one entry; `counter` is that of the sections repeated for each right-hand side. `out` receives what it stores
/// outside `work`.
inline void runEntry(const gen::Equations& equations, const std::string& name, EntryArrays& arrays, Numbers& out,
                     int counter = 0) {
    Numbers& table = arrays.read[gen::Array::table];
    table.clear();
    for (const gen::Table& part : equations.tables) table.insert(table.end(), part.values.begin(), part.values.end());
    const auto runSection = [&](const gen::Section& section, int turn) {
        const std::vector<double> value = gen::evaluateAll(*equations.graph, [&](const gen::Place& place) {
            const std::size_t index = static_cast<std::size_t>(place.index + place.stride * turn);
            const Numbers& from = place.array == gen::Array::work ? arrays.work : arrays.read[place.array];
            return index < from.size() ? from[index] : 0.0;
        });
        for (const gen::Assignment& assignment : section.assignments) {
            const double x = value[static_cast<std::size_t>(assignment.value.id())];
            const std::size_t index = static_cast<std::size_t>(assignment.place.index + assignment.place.stride * turn);
            if (assignment.place.array == gen::Array::lambda && arrays.lambda.size() <= index)
                arrays.lambda.resize(index + 1);
            Numbers& to = assignment.place.array == gen::Array::work     ? arrays.work
                          : assignment.place.array == gen::Array::lambda ? arrays.lambda
                                                                         : out;
            // kinematics stores two arrays: V goes behind X.
            const std::size_t offset = assignment.place.array == gen::Array::V ? out.size() / 3 * 2 : 0;
            to.at(index + offset) = x;
        }
    };
    for (const gen::Section& section : entryOf(equations, name).sections) {
        const bool constant = section.repeat == gen::Section::Count::constant;
        for (int turn = constant ? 0 : counter; turn < (constant ? section.count : counter + 1); ++turn)
            runSection(section, turn);
    }
}

}  // namespace mw::test
