// The entries of derived equations computed by walking their graph in plain doubles: what a kernel would give, without
// one.
#pragma once

#include <functional>
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
    Numbers registers;
    struct Turn {
        int counter = 0, outer = 0;
        std::size_t of(const gen::Place& p) const {
            return static_cast<std::size_t>(p.index + p.stride * counter + p.outer * outer);
        }
    };
    using Each = std::function<void(const std::function<void(const Turn&)>&)>;
    const std::function<void(const gen::Section&, const Each&)> runSection = [&](const gen::Section& section,
                                                                                 const Each& each) {
        std::vector<int> roots, nodes;
        for (const gen::Assignment& assignment : section.assignments) roots.push_back(assignment.value.id());
        const std::vector<char> needed = gen::reachable(*equations.graph, roots);
        for (std::size_t i = 0; i < needed.size(); ++i)
            if (needed[i]) nodes.push_back(static_cast<int>(i));
        std::vector<double> value(needed.size());
        const auto at = [&](int id) { return id < 0 ? 0.0 : value[static_cast<std::size_t>(id)]; };
        each([&](const Turn& turn) {
            for (int id : nodes) {
                const gen::Node& n = equations.graph->node(id);
                double& x = value[static_cast<std::size_t>(id)];
                if (n.op == gen::Op::constant) {
                    x = n.value;
                } else if (n.op == gen::Op::input) {
                    const std::size_t index = turn.of(n.place);
                    const Numbers& from = n.place.array == gen::Array::work    ? arrays.work
                                          : n.place.array == gen::Array::local ? registers
                                                                               : arrays.read[n.place.array];
                    x = index < from.size() ? from[index] : 0.0;
                } else {
                    x = gen::apply(n.op, at(n.a), at(n.b), at(n.c));
                }
            }
            for (const gen::Assignment& assignment : section.assignments) {
                const gen::Array array = assignment.place.array;
                const std::size_t index = turn.of(assignment.place);
                if (array == gen::Array::lambda && arrays.lambda.size() <= index) arrays.lambda.resize(index + 1);
                if (array == gen::Array::local && registers.size() <= index) registers.resize(index + 1);
                Numbers& to = array == gen::Array::work     ? arrays.work
                              : array == gen::Array::lambda ? arrays.lambda
                              : array == gen::Array::local  ? registers
                                                            : out;
                // kinematics stores two arrays: V goes behind X.
                const std::size_t offset = array == gen::Array::V ? out.size() / 3 * 2 : 0;
                to.at(index + offset) = at(assignment.value.id());
            }
            for (const gen::Section& inner : section.inner)
                runSection(inner, [&](const auto& run) {
                    if (inner.repeat == gen::Section::Count::once) run(turn);
                    else
                        for (int k = 0; k < inner.count; ++k) run(Turn{k, turn.counter});
                });
        });
    };
    for (const gen::Section& section : entryOf(equations, name).sections) {
        const bool constant = section.repeat == gen::Section::Count::constant;
        runSection(section, [&](const auto& run) {
            for (int turn = constant ? 0 : counter; turn < (constant ? section.count : counter + 1); ++turn)
                run(Turn{turn, 0});
        });
    }
}

}  // namespace mw::test
