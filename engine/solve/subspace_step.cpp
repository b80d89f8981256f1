// The acceleration of the sweeps: one step of Newton's method on the natural map.
//
// Where each row stands on its range is read off the map; rows inside their range have to meet their equation, rows on
// a border stay on it (a border that other impulses move, moves with them; on a disc it turns). All of that together is
// one linear system. Its solution is taken only where it makes the map smaller, so the fixed points are those of the
// sweeps. Several rows may want the same (the four corners of a box): a small diagonal keeps the system solvable and
// picks, of all answers, one near the impulses at hand. docs/decisions/0009.
#include <algorithm>
#include <cmath>

#include "engine/solve/projected_gauss_seidel.h"

namespace mw {
namespace {

// Part of a row's own response that is added to its diagonal.
constexpr double kDiagonal = 1e-9;

}  // namespace

// matrix_ (n x n, row by row) and right_ to the solution in right_: Gauss with row pivots. False: no pivot.
bool RowSolver::solveDense(std::size_t n) {
    double* A = matrix_.data();
    double* b = right_.data();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
        if (!(std::abs(A[pivot * n + k]) > 1e-300)) return false;
        if (pivot != k) {
            std::swap_ranges(A + k * n + k, A + k * n + n, A + pivot * n + k);
            std::swap(b[k], b[pivot]);
        }
        const double* top = A + k * n;
        for (std::size_t i = k + 1; i < n; ++i) {
            double* line = A + i * n;
            if (line[k] == 0) continue;
            const double part = line[k] / top[k];
            for (std::size_t j = k + 1; j < n; ++j) line[j] -= part * top[j];
            b[i] -= part * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        double sum = b[k];
        for (std::size_t j = k + 1; j < n; ++j) sum -= A[k * n + j] * b[j];
        b[k] = sum / A[k * n + k];
    }
    return true;
}

bool RowSolver::subspaceStep(const RowSet& rows, std::span<double> v, std::span<double> p, double& residual) {
    const std::size_t n = p.size();
    // Where the rows stand. A row that leaves its range goes to the border at once; the others are unknown.
    enum : int { kGone = -1 };
    place_.assign(n, kGone);
    unknown_.clear();
    trial_p_.assign(p.begin(), p.end());
    delta_.assign(n, 0.0);  // equations' defects of unknown rows
    const auto unknown = [&](std::size_t i) {
        place_[i] = static_cast<int>(unknown_.size());
        unknown_.push_back(static_cast<int>(i));
    };
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows.rows[i];
        const Work& w = work_[i];
        if (w.range == Range::given || w.range == Range::stuck || w.range == Range::disc_follower) continue;
        if (w.range == Range::disc) {
            if (row.mu * std::max(0.0, holding(rows, row, p)) > 0) unknown(i), unknown(i + 1);
            else trial_p_[i] = trial_p_[i + 1] = 0;
            continue;
        }
        if (w.range == Range::scaled) {
            unknown(i);
            continue;
        }
        const double r = speed(rows, i, v.data()) - row.target + row.softness * p[i];
        const double z = p[i] - r * w.step;
        if (z <= row.lower) trial_p_[i] = row.lower;
        else if (z >= row.upper) trial_p_[i] = row.upper;
        else unknown(i);
    }
    const std::size_t m = unknown_.size();
    if (m == 0 || m > 1024) return false;
    // Velocities with the leavers gone: the equations of the others are taken there.
    trial_v_.resize(v.size());
    move(trial_p_, trial_v_.data());

    // One line an unknown row, all in N s: own response times the row's step is one.
    matrix_.assign(m * m, 0.0), right_.assign(m, 0.0);
    dense_v_.assign(v.size(), 0.0);
    const auto responseOf = [&](std::size_t i) {  // of row i to the column that lies in dense_v_
        double sum = 0;
        for (int k = work_[i].j_begin; k < work_[i].j_begin + work_[i].j_count; ++k)
            sum += rows.values[static_cast<std::size_t>(k)] *
                   dense_v_[static_cast<std::size_t>(rows.columns[static_cast<std::size_t>(k)])];
        return sum;
    };
    for (std::size_t c = 0; c < m; ++c) {
        const auto j = static_cast<std::size_t>(unknown_[c]);
        const auto column = static_cast<std::size_t>(work_[j].column);
        for (int k = y_begin_[column]; k < y_begin_[column + 1]; ++k)
            dense_v_[static_cast<std::size_t>(y_slot_[static_cast<std::size_t>(k)])] =
                y_value_[static_cast<std::size_t>(k)];
        for (std::size_t l = 0; l < m; ++l) matrix_[l * m + c] = responseOf(static_cast<std::size_t>(unknown_[l]));
        for (int k = y_begin_[column]; k < y_begin_[column + 1]; ++k)
            dense_v_[static_cast<std::size_t>(y_slot_[static_cast<std::size_t>(k)])] = 0;
        matrix_[c * m + c] += rows.rows[j].softness;
    }
    const auto line = [&](std::size_t l) { return matrix_.data() + l * m; };
    // part times the change of the sum that row goes by
    const auto addHolding = [&](double* to, const Row& row, double part) {
        const int end = std::min(row.by + row.by_count, rows.size());
        for (int k = std::max(row.by, 0); k < end; ++k)
            if (place_[static_cast<std::size_t>(k)] >= 0) to[place_[static_cast<std::size_t>(k)]] += part;
        for (int k = row.also; k < row.also + row.also_count; ++k) {
            const RowSet::Share& share = rows.also[static_cast<std::size_t>(k)];
            const int place = place_[static_cast<std::size_t>(share.row)];
            if (place >= 0) to[place] += part * share.factor;
        }
    };
    const auto defectOf = [&](std::size_t i) {
        return speed(rows, i, trial_v_.data()) - rows.rows[i].target + rows.rows[i].softness * trial_p_[i];
    };
    for (std::size_t l = 0; l < m; ++l) {
        const auto i = static_cast<std::size_t>(unknown_[l]);
        const Row& row = rows.rows[i];
        const Work& w = work_[i];
        if (w.range == Range::disc) {
            const double sum = std::max(0.0, holding(rows, row, trial_p_)), radius = row.mu * sum;
            const double r1 = defectOf(i), r2 = defectOf(i + 1);
            const double z1 = trial_p_[i] - w.block * r1, z2 = trial_p_[i + 1] - w.block * r2,
                         size = std::hypot(z1, z2);
            double *first = line(l), *second = line(l + 1);
            if (size <= radius) {
                for (std::size_t c = 0; c < m; ++c) first[c] *= w.block, second[c] *= w.block;
                first[l] += kDiagonal, second[l + 1] += kDiagonal;
                right_[l] = -w.block * r1, right_[l + 1] = -w.block * r2;
            } else {
                // F = p - radius z/|z|; z moves with p - block (W p): its turn is what is across the slip.
                const double d1 = z1 / size, d2 = z2 / size, turn = radius / size;
                for (std::size_t c = 0; c < m; ++c) {
                    const double a1 = -w.block * first[c], a2 = -w.block * second[c];  // dz but for the own impulses
                    const double along = d1 * a1 + d2 * a2;
                    first[c] = -turn * (a1 - along * d1), second[c] = -turn * (a2 - along * d2);
                }
                first[l] += 1 - turn * (1 - d1 * d1), first[l + 1] += turn * d1 * d2;
                second[l] += turn * d1 * d2, second[l + 1] += 1 - turn * (1 - d2 * d2);
                addHolding(first, row, -row.mu * d1), addHolding(second, row, -row.mu * d2);
                right_[l] = radius * d1 - trial_p_[i], right_[l + 1] = radius * d2 - trial_p_[i + 1];
            }
            ++l;
            continue;
        }
        double* own = line(l);
        const double r = defectOf(i);
        if (w.range == Range::scaled) {
            const Limits limits = limitsOf(rows, i, trial_p_);
            const Row& by = rows.rows[static_cast<std::size_t>(w.bounds)];
            const double z = trial_p_[i] - r * w.step;
            if (z < limits.lower || z > limits.upper) {
                const bool low = z < limits.lower;
                const double sum = holding(rows, by, trial_p_);
                double part = 0;
                if (by.mu > 0 || by.disc != 0) part = sum > 0 ? (low ? -by.mu : by.mu) : 0;
                else if (by.lower_by * sum <= by.upper_by * sum) part = low ? by.lower_by : by.upper_by;
                std::fill(own, own + m, 0.0);
                own[l] = 1;
                addHolding(own, by, -part);
                right_[l] = (low ? limits.lower : limits.upper) - trial_p_[i];
                continue;
            }
        }
        for (std::size_t c = 0; c < m; ++c) own[c] *= w.step;
        own[l] += kDiagonal;
        right_[l] = -w.step * r;
    }
    if (!solveDense(m)) return false;
    for (std::size_t l = 0; l < m; ++l) {
        if (!std::isfinite(right_[l])) return false;
        trial_p_[static_cast<std::size_t>(unknown_[l])] += right_[l];
    }
    project(rows, trial_p_);
    move(trial_p_, trial_v_.data());
    const double after = this->residual(rows, trial_v_, trial_p_);
    if (!(after < residual)) return false;
    std::copy(trial_p_.begin(), trial_p_.end(), p.begin());
    std::copy(trial_v_.begin(), trial_v_.end(), v.begin());
    residual = after;
    return true;
}

}  // namespace mw
