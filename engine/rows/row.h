// The constraint row: what tendons, contacts, limits and joint friction have in common. Plain data; engine/solve sweeps
// them, and nobody who makes rows knows how.
//
// One row has an impulse p along a Jacobian J over the generalised velocities, u = J v. Solved,
//   u - target + softness p = 0   where lower < p < upper,   >= 0 at the lower bound, <= 0 at the upper one,
// and v+ = v_free + sum M^-1 J^T p. Force = p / h, the average over the step. Sources: docs/rows.md.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace mw {

enum class RowKind : std::uint8_t {
    // of a tendon (owner: its index)
    spring_damper,
    drive,
    muscle,
    friction,
    armature,
    lower,
    upper,
    lock,
    flow,      ///< rope over a guide with friction; feature: the guide's place in the path
    coupling,  ///< owner: the coupling's index
    // of a contact (owner: its place in the contact list of the step, feature: its key)
    normal,
    tangent,  ///< two in a row, behind their normal
    torsion,
    rolling,  ///< two in a row
    // of a joint (owner: its velocity slot)
    joint_lower,
    joint_upper,
    joint_lock,
    joint_friction,
    joint_damping
};

struct Row {
    RowKind kind = RowKind::spring_damper;
    int owner = 0;
    std::uint64_t feature = 0;  ///< with kind and owner's stable key the identity that warm start goes by
    double target = 0;          ///< m/s (rad/s)
    double softness = 0;        ///< 1/kg
    double lower = -std::numeric_limits<double>::infinity();  ///< N s
    double upper = std::numeric_limits<double>::infinity();
    /// Bounds by other rows: the impulse's range is scaled by the sum P of the impulses of rows [by, by + by_count),
    /// and of those in RowSet::also [also, also + also_count) with their factors (only of rows with `by`). A friction
    /// disc: `mu` > 0, by the normal: |p| of this row (with the next where disc == 2) <= mu P. A wedge: lower =
    /// lower_by P, upper = upper_by P; empty, and so no impulse at all, where the sign of P has them the wrong way
    /// round (a rope that is pushed). Nothing where both are 0.
    int by = -1, by_count = 0;
    int also = 0, also_count = 0;
    double mu = 0;
    int disc = 0;  ///< 1: this row alone; 2: this row and the next share a disc (only the first of the two says so)
    double lower_by = 0, upper_by = 0;
    int begin = 0, count = 0;  ///< of the Jacobian in RowSet
    bool operator==(const Row&) const = default;
};

/// Rows of one step, in the order in which they are swept.
class RowSet {
public:
    void clear() { rows.clear(), columns.clear(), values.clear(), also.clear(); }
    bool empty() const { return rows.empty(); }
    int size() const { return static_cast<int>(rows.size()); }
    /// Ends a row whose slots and values the caller has put at the ends of the two pools since `begin`.
    Row& add(Row row, int begin) {
        row.begin = begin;
        row.count = static_cast<int>(columns.size()) - begin;
        rows.push_back(row);
        return rows.back();
    }
    int mark() const { return static_cast<int>(columns.size()); }
    void put(int slot, double value) { columns.push_back(slot), values.push_back(value); }
    std::span<const int> slotsOf(const Row& row) const {
        return std::span(columns).subspan(static_cast<std::size_t>(row.begin), static_cast<std::size_t>(row.count));
    }
    std::span<const double> valuesOf(const Row& row) const {
        return std::span(values).subspan(static_cast<std::size_t>(row.begin), static_cast<std::size_t>(row.count));
    }

    std::vector<Row> rows;
    std::vector<int> columns;  ///< velocity slots of the Jacobians, each at most once a row
    std::vector<double> values;
    struct Share {
        int row = 0;
        double factor = 1;
        bool operator==(const Share&) const = default;
    };
    std::vector<Share> also;  ///< of rows whose range goes by others that do not lie side by side
};

/// Which row of one step is which of the next.
struct RowKey {
    RowKind kind = RowKind::spring_damper;
    int owner = 0;
    std::uint64_t feature = 0;
    bool operator==(const RowKey&) const = default;
};

}  // namespace mw
