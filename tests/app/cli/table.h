// A trace read back: its comments, its names, its numbers; empty fields are not a number.
#pragma once

#include <cmath>
#include <limits>

#include "tests/app/cli/run_mech.h"
#include "tests/support/catch.h"

namespace mw::test {

struct Table {
    std::vector<std::string> comments, names;
    std::vector<std::vector<double>> rows;
    std::size_t column(const std::string& name) const {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return i;
        throw std::runtime_error("no column " + name);
    }
    bool has(const std::string& name) const { return std::find(names.begin(), names.end(), name) != names.end(); }
    double at(std::size_t row, const std::string& name) const { return rows[row][column(name)]; }
};

inline std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t comma; (comma = line.find(',', from)) != std::string::npos; from = comma + 1)
        parts.push_back(line.substr(from, comma - from));
    parts.push_back(line.substr(from));
    return parts;
}

/// A number, or nothing in an empty field; anything else is no field of a table.
inline double fieldOf(const std::string& part) {
    if (part.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::size_t end = 0;
    const double x = std::stod(part, &end);
    if (end != part.size() || !std::isfinite(x)) throw std::runtime_error("'" + part + "' is no number");
    return x;
}

inline Table tableOf(const std::string& text) {
    Table table;
    std::stringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind('#', 0) == 0) {
            CHECK(table.names.empty());
            table.comments.push_back(line);
        } else if (table.names.empty()) {
            table.names = split(line);
        } else {
            std::vector<double> row;
            for (const std::string& part : split(line)) row.push_back(fieldOf(part));
            REQUIRE(row.size() == table.names.size());
            table.rows.push_back(row);
        }
    }
    return table;
}

}  // namespace mw::test
