// Wedges in a sweep: a row whose range is two multiples of a sum of others (rope that slides over a rough guide) stays
// on its edge while a row of that sum is solved.
//
// Left for its own turn, it would undo what that row did: with p_F = c p_L the two pass a change on to each other by
// c W_LF / W_LL, and where that is over one (a drum that drags the rope against its tighter side) no number of sweeps
// ends it. Carried along, the row L has the response of both, W_LL + c W_LF. What is solved stays the same: a step is
// zero where the row meets its equation or rests on its end, whatever positive number it is divided by, and then
// nothing is carried. docs/rows.md.
#include <algorithm>

#include "engine/solve/projected_gauss_seidel.h"

namespace mw {
namespace {

// A response with wedges below this part of the row's own is not divided by: the row moves alone.
constexpr double kLeast = 1e-2;

}  // namespace

bool RowSolver::isWedge(const RowSet& rows, std::size_t i) const {
    const Row& row = rows.rows[i];
    return work_[i].range == Range::scaled && work_[i].bounds == static_cast<int>(i) && row.mu == 0 && row.disc == 0 &&
           (row.lower_by != 0 || row.upper_by != 0);
}

// For each row the wedges that move with it, in the order of the rows: a wedge hangs on those before it alone.
void RowSolver::findCarries(const RowSet& rows) {
    const std::size_t n = rows.rows.size();
    wedges_.clear(), carries_.clear();
    for (std::size_t i = 0; i < n; ++i)
        if (isWedge(rows, i)) wedges_.push_back(i);
    if (wedges_.empty()) return;
    edge_.assign(n, 0.0), along_.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        Work& w = work_[i];
        w.carry_begin = static_cast<int>(carries_.size());
        if (w.range == Range::plain || w.range == Range::scaled) {
            along_[i] = 1;
            for (const std::size_t wedge : wedges_) {
                const Row& row = rows.rows[wedge];
                const bool moves = wedge != i && holding(rows, row, along_) != 0;
                if (!moves) continue;
                along_[wedge] = 1;  // any number: some of its edges move
                Carry one;
                one.wedge = static_cast<int>(wedge);
                // W is symmetric: of the wedge to the row's impulse as well
                const auto column = static_cast<std::size_t>(work_[wedge].column);
                const double* y = out_.data() + column * nv_;
                for (int k = w.j_begin; k < w.j_begin + w.j_count; ++k)
                    one.response +=
                        rows.values[static_cast<std::size_t>(k)] * y[rows.columns[static_cast<std::size_t>(k)]];
                carries_.push_back(one);
            }
            along_[i] = 0;
            for (const std::size_t wedge : wedges_) along_[wedge] = 0;
        }
        w.carry_count = static_cast<int>(carries_.size()) - w.carry_begin;
    }
}

// Which edge the wedge stands on when it would like to be at `wanted`.
void RowSolver::stand(const RowSet& rows, std::size_t wedge, double wanted, std::span<const double> p) {
    const Row& row = rows.rows[wedge];
    const double sum = holding(rows, row, p), a = row.lower_by * sum, b = row.upper_by * sum;
    edge_[wedge] = a > b ? 0 : wanted < a ? row.lower_by : wanted > b ? row.upper_by : 0;
}

void RowSolver::standWedges(const RowSet& rows, std::span<const double> v, std::span<const double> p) {
    for (const std::size_t i : wedges_) {
        const double r = speed(rows, i, v.data()) - rows.rows[i].target + rows.rows[i].softness * p[i];
        stand(rows, i, p[i] - r * work_[i].step, p);
    }
}

// along_: what every wedge of row i moves by with one unit of its impulse. Returns the row's response to all of that,
// softness included; 0 where there is none to divide by, or nothing is carried.
double RowSolver::carry(const RowSet& rows, std::size_t i) {
    const Work& w = work_[i];
    const double own = 1 / w.step;
    double whole = own;
    bool any = false;
    for (const std::size_t wedge : wedges_) along_[wedge] = 0;
    along_[i] = 1;
    for (int k = w.carry_begin; k < w.carry_begin + w.carry_count; ++k) {
        const Carry& one = carries_[static_cast<std::size_t>(k)];
        const auto wedge = static_cast<std::size_t>(one.wedge);
        along_[wedge] = edge_[wedge] == 0 ? 0 : edge_[wedge] * holding(rows, rows.rows[wedge], along_);
        whole += along_[wedge] * one.response;
        any = any || along_[wedge] != 0;
    }
    along_[i] = 0;
    return any && whole > kLeast * own ? whole : 0;
}

}  // namespace mw
