// The sweep: rows in their order, each given the impulse that meets its own equation, cut to its range.
//
// Columns of M^-1 J^T are asked for all at once, without duplicates (a tendon's rows share one), and kept without their
// zeros, so that a row costs what it touches and not nv. Subspace steps: subspace_step.cpp. Sources: docs/rows.md.
#include "engine/solve/projected_gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include "engine/solve/disc.h"

namespace mw {
namespace {

// A response below this part of what its terms add up to is rounding: there is none.
constexpr double kNoResponse = 1e-13;
// A prescribed velocity whose response falls below this part of its own, once others are held, hangs on them.
constexpr double kDependent = 1e-11;
// Sweeps before a subspace step is tried, at first and after one that did not help.
constexpr int kSweepsFirst = 6, kSweepsBetween = 10;
constexpr int kStepsInARow = 6;
// Wedges behind each other can hand an edge round for ever: where the sweeps between two subspace steps that did not
// help leave more than this part of the residual, ropes on wedges take shorter steps, down to a least one, then whole
// again.
constexpr double kIdle = 0.7, kShorter = 0.6, kShortest = 0.3;

}  // namespace

const char* solveStatusName(SolveStatus status) {
    switch (status) {
        case SolveStatus::no_rows: return "no rows";
        case SolveStatus::converged: return "converged";
        case SolveStatus::budget_spent: return "budget spent";
        case SolveStatus::no_freedom: return "no degrees of freedom";
    }
    return "";
}

double RowSolver::speed(const RowSet& rows, std::size_t i, const double* v) const {
    const Work& w = work_[i];
    const int* slot = rows.columns.data() + w.j_begin;
    const double* value = rows.values.data() + w.j_begin;
    double u = 0;
    for (int k = 0; k < w.j_count; ++k) u += value[k] * v[slot[k]];
    return u;
}

void RowSolver::push(std::size_t i, double impulse, double* v) const {
    const auto column = static_cast<std::size_t>(work_[i].column);
    const int end = y_begin_[column + 1];
    for (int k = y_begin_[column]; k < end; ++k)
        v[y_slot_[static_cast<std::size_t>(k)]] += impulse * y_value_[static_cast<std::size_t>(k)];
}

// Sum of the impulses that a row's range goes by.
double RowSolver::holding(const RowSet& rows, const Row& row, std::span<const double> p) const {
    double sum = 0;
    const int end = std::min(row.by + row.by_count, rows.size());
    for (int k = std::max(row.by, 0); row.by >= 0 && k < end; ++k) sum += p[static_cast<std::size_t>(k)];
    for (int k = row.also; k < row.also + row.also_count; ++k) {
        const RowSet::Share& share = rows.also[static_cast<std::size_t>(k)];
        sum += share.factor * p[static_cast<std::size_t>(share.row)];
    }
    return sum;
}

// Of any row but one on a disc.
RowSolver::Limits RowSolver::limitsOf(const RowSet& rows, std::size_t i, std::span<const double> p) const {
    if (work_[i].range != Range::scaled) return {rows.rows[i].lower, rows.rows[i].upper};
    const Row& row = rows.rows[static_cast<std::size_t>(work_[i].bounds)];
    if (row.mu > 0 || row.disc != 0) {
        const double radius = row.mu * std::max(0.0, holding(rows, row, p));
        return {-radius, radius};
    }
    const double sum = holding(rows, row, p), a = row.lower_by * sum, b = row.upper_by * sum;
    return a <= b ? Limits{a, b} : Limits{0, 0};
}

// Columns of M^-1 J^T, prescribed velocities taken out of them, and what follows from them for each row.
void RowSolver::arrange(const RowSet& rows, const ApplyInverseMass& inverse, std::span<const double> v,
                        std::span<PrescribedVelocity> prescribed) {
    nv_ = v.size();
    const std::size_t n = rows.rows.size();
    work_.resize(n);
    int columns = static_cast<int>(prescribed.size());
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows.rows[i];
        Work& w = work_[i];
        w = Work{};
        w.j_begin = row.begin, w.j_count = row.count;
        w.bounds = static_cast<int>(i);
        const bool shared = i > 0 && row.count == rows.rows[i - 1].count &&
                            std::ranges::equal(rows.slotsOf(row), rows.slotsOf(rows.rows[i - 1])) &&
                            std::ranges::equal(rows.valuesOf(row), rows.valuesOf(rows.rows[i - 1]));
        w.column = shared ? work_[i - 1].column : columns++;
    }
    rhs_.assign(static_cast<std::size_t>(columns) * nv_, 0.0);
    out_.resize(rhs_.size());
    for (std::size_t k = 0; k < prescribed.size(); ++k)
        rhs_[k * nv_ + static_cast<std::size_t>(prescribed[k].slot)] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && work_[i].column == work_[i - 1].column) continue;
        double* column = rhs_.data() + static_cast<std::size_t>(work_[i].column) * nv_;
        const auto slots = rows.slotsOf(rows.rows[i]);
        const auto values = rows.valuesOf(rows.rows[i]);
        for (std::size_t k = 0; k < slots.size(); ++k) column[slots[k]] += values[k];
    }
    if (columns > 0) inverse(rhs_.data(), columns, out_.data());
    v_free_.assign(v.begin(), v.end());
    eliminate(prescribed, v_free_, columns);
    compress(static_cast<int>(prescribed.size()), columns);
}

// Prescribed velocities one after the other: the response to an impulse that holds one is taken out of all columns
// behind it, its own velocity is exact from here on (docs/decisions/0010).
void RowSolver::eliminate(std::span<PrescribedVelocity> prescribed, std::span<double> v, int columns) {
    const std::size_t count = prescribed.size();
    pivot_.assign(count, 0.0), given_.assign(count, 0.0);
    share_.assign(count * static_cast<std::size_t>(columns), 0.0);
    for (std::size_t k = 0; k < count; ++k) {
        const double* held = out_.data() + k * nv_;
        const auto slot = static_cast<std::size_t>(prescribed[k].slot);
        // What it was before the others were held is the pivot and what they took from it.
        double whole = held[slot];
        for (std::size_t l = 0; l < k; ++l) {
            const double c = share_[l * static_cast<std::size_t>(columns) + k];
            whole += c * c * pivot_[l];
        }
        if (!(held[slot] > kDependent * whole)) continue;  // it hangs on others: it is not held apart from them
        pivot_[k] = held[slot];
        for (std::size_t c = k + 1; c < static_cast<std::size_t>(columns); ++c) {
            double* column = out_.data() + c * nv_;
            const double part = column[slot] / pivot_[k];
            share_[k * static_cast<std::size_t>(columns) + c] = part;
            if (part == 0) continue;
            for (std::size_t i = 0; i < nv_; ++i) column[i] -= part * held[i];
            column[slot] = 0;
        }
        given_[k] = (prescribed[k].value - v[slot]) / pivot_[k];
        for (std::size_t i = 0; i < nv_; ++i) v[i] += given_[k] * held[i];
        v[slot] = prescribed[k].value;
    }
    // Ones held later have moved nothing of those held before but by rounding.
    for (std::size_t k = 0; k < count; ++k)
        if (pivot_[k] > 0) {
            const auto slot = static_cast<std::size_t>(prescribed[k].slot);
            v[slot] = prescribed[k].value;
            for (std::size_t c = count; c < static_cast<std::size_t>(columns); ++c) out_[c * nv_ + slot] = 0;
        }
}

void RowSolver::compress(int first, int columns) {
    y_begin_.assign(static_cast<std::size_t>(columns) + 1, 0);
    y_slot_.clear(), y_value_.clear();
    for (int c = first; c < columns; ++c) {
        y_begin_[static_cast<std::size_t>(c)] = static_cast<int>(y_slot_.size());
        const double* column = out_.data() + static_cast<std::size_t>(c) * nv_;
        for (std::size_t i = 0; i < nv_; ++i)
            if (column[i] != 0) y_slot_.push_back(static_cast<int>(i)), y_value_.push_back(column[i]);
    }
    y_begin_[static_cast<std::size_t>(columns)] = static_cast<int>(y_slot_.size());
}

// Responses, and how each row's range comes about.
void RowSolver::classify(const RowSet& rows, const SolveOptions& options) {
    const std::size_t n = rows.rows.size();
    response_.assign(n, 0.0);
    const auto against = [&](std::size_t i, std::size_t column) {
        double sum = 0;
        const double* y = out_.data() + column * nv_;
        for (int k = work_[i].j_begin; k < work_[i].j_begin + work_[i].j_count; ++k)
            sum += rows.values[static_cast<std::size_t>(k)] * y[rows.columns[static_cast<std::size_t>(k)]];
        return sum;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const Row& row = rows.rows[i];
        Work& w = work_[i];
        double terms = 0;
        const double* y = out_.data() + static_cast<std::size_t>(w.column) * nv_;
        for (int k = w.j_begin; k < w.j_begin + w.j_count; ++k)
            terms += std::abs(rows.values[static_cast<std::size_t>(k)] * y[rows.columns[static_cast<std::size_t>(k)]]);
        double W = against(i, static_cast<std::size_t>(w.column));
        if (!(W > kNoResponse * terms)) W = 0;
        response_[i] = W;
        const double whole = W + row.softness;
        w.step = whole > 0 ? 1 / whole : 0;
        if (row.lower == row.upper && row.by < 0) w.range = Range::given;
        else if (!(whole > 0)) w.range = Range::stuck;
        else if (row.by >= 0) w.range = Range::scaled;
    }
    // Two rows on a disc: their block of W decides them together. As a box each has the whole radius.
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (rows.rows[i].disc != 2 || rows.rows[i].by < 0) continue;
        if (options.box) {
            if (work_[i + 1].range == Range::plain) work_[i + 1].range = Range::scaled;
            work_[i + 1].bounds = static_cast<int>(i);
            ++i;
            continue;
        }
        Work &a = work_[i], &b = work_[i + 1];
        if (a.range == Range::stuck && b.range == Range::stuck) continue;
        a.range = Range::disc, b.range = Range::disc_follower;
        a.across = against(i, static_cast<std::size_t>(b.column));
        const double aa = response_[i] + rows.rows[i].softness, bb = response_[i + 1] + rows.rows[i + 1].softness;
        a.block = 1 / (0.5 * (aa + bb) + std::hypot(0.5 * (aa - bb), a.across));
        ++i;
    }
    findCarries(rows);
}

// Impulses into their ranges, in the order of the rows.
void RowSolver::project(const RowSet& rows, std::span<double> p) const {
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Row& row = rows.rows[i];
        switch (work_[i].range) {
            case Range::given: p[i] = row.lower; break;
            case Range::stuck: p[i] = work_[i].step; break;  // given in `solve`; nothing where its range has no end
            case Range::disc_follower: break;
            case Range::disc: {
                const double radius = row.mu * std::max(0.0, holding(rows, row, p));
                const double size = std::hypot(p[i], p[i + 1]);
                if (size > radius) {
                    const double scale = radius / size;
                    p[i] *= scale, p[i + 1] *= scale;
                }
                break;
            }
            case Range::plain:
            case Range::scaled: {
                const Limits limits = limitsOf(rows, i, p);
                p[i] = std::clamp(p[i], limits.lower, limits.upper);
            }
        }
    }
}

// v = what was free and all that the impulses add.
void RowSolver::move(std::span<const double> p, double* v) const {
    std::copy(v_free_.begin(), v_free_.end(), v);
    for (std::size_t i = 0; i < p.size(); ++i)
        if (p[i] != 0) push(i, p[i], v);
}

void RowSolver::sweep(const RowSet& rows, std::span<double> v, std::span<double> p, double relaxation) {
    standWedges(rows, v, p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Row& row = rows.rows[i];
        const Work& w = work_[i];
        if (w.range == Range::given || w.range == Range::stuck || w.range == Range::disc_follower) continue;
        if (w.range == Range::disc) {
            const Row& next = rows.rows[i + 1];
            const double radius = row.mu * std::max(0.0, holding(rows, row, p));
            DiscBlock block{response_[i] + row.softness, response_[i + 1] + next.softness, w.across};
            const double r1 = speed(rows, i, v.data()) - row.target + row.softness * p[i];
            const double r2 = speed(rows, i + 1, v.data()) - next.target + next.softness * p[i + 1];
            double p1 = p[i], p2 = p[i + 1];
            solveOnDisc(block, r1, r2, radius, p1, p2);
            if (relaxation != 1) {
                p1 = p[i] + relaxation * (p1 - p[i]), p2 = p[i + 1] + relaxation * (p2 - p[i + 1]);
                const double size = std::hypot(p1, p2);
                if (size > radius) p1 *= radius / size, p2 *= radius / size;
            }
            if (p1 != p[i]) push(i, p1 - p[i], v.data());
            if (p2 != p[i + 1]) push(i + 1, p2 - p[i + 1], v.data());
            p[i] = p1, p[i + 1] = p2;
            continue;
        }
        const Limits limits = limitsOf(rows, i, p);
        const double r = speed(rows, i, v.data()) - row.target + row.softness * p[i];
        const double whole = w.carry_count > 0 ? carry(rows, i) : 0;
        const double part = w.carry_count > 0 || isWedge(rows, i) ? rope_part_ * relaxation : relaxation;
        const double aim = p[i] - part * r * (whole > 0 ? 1 / whole : w.step);
        const double wanted = std::clamp(aim, limits.lower, limits.upper), change = wanted - p[i];
        if (isWedge(rows, i)) stand(rows, i, aim, p);
        if (change == 0) continue;
        push(i, change, v.data());
        p[i] = wanted;
        if (!(whole > 0)) continue;
        for (int k = w.carry_begin; k < w.carry_begin + w.carry_count; ++k) {
            const auto wedge = static_cast<std::size_t>(carries_[static_cast<std::size_t>(k)].wedge);
            if (along_[wedge] == 0) continue;
            const Limits range = limitsOf(rows, wedge, p);
            const double moved = std::clamp(p[wedge] + change * along_[wedge], range.lower, range.upper);
            if (moved != p[wedge]) push(wedge, moved - p[wedge], v.data());
            p[wedge] = moved;
        }
    }
}

// The natural map, largest over the rows.
double RowSolver::residual(const RowSet& rows, std::span<const double> v, std::span<const double> p) const {
    double worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Row& row = rows.rows[i];
        const Work& w = work_[i];
        double defect = 0;
        if (w.range == Range::given || w.range == Range::stuck || w.range == Range::disc_follower) continue;
        const double r = speed(rows, i, v.data()) - row.target + row.softness * p[i];
        if (w.range == Range::disc) {
            const Row& next = rows.rows[i + 1];
            const double radius = row.mu * std::max(0.0, holding(rows, row, p));
            const double r2 = speed(rows, i + 1, v.data()) - next.target + next.softness * p[i + 1];
            double z1 = p[i] - w.block * r, z2 = p[i + 1] - w.block * r2;
            const double size = std::hypot(z1, z2);
            if (size > radius) z1 *= radius / size, z2 *= radius / size;
            defect = std::hypot(p[i] - z1, p[i + 1] - z2);
        } else {
            const Limits limits = limitsOf(rows, i, p);
            defect = std::abs(p[i] - std::clamp(p[i] - r * w.step, limits.lower, limits.upper));
        }
        if (!(defect <= worst)) worst = defect;  // a NaN stays
        if (std::isnan(worst)) break;
    }
    return worst;
}

SolveReport RowSolver::solve(const RowSet& rows, const ApplyInverseMass& inverse, std::span<double> v,
                             std::span<double> p, std::span<PrescribedVelocity> prescribed, const SolveOptions& options,
                             bool keep_history) {
    SolveReport report;
    report.rows = rows.size();
    arrange(rows, inverse, v, prescribed);
    classify(rows, options);
    // A row that moves nothing still has its say where its range is bounded: dry friction on a prescribed joint works
    // against the sliding, and what holds the joint feels it.
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Row& row = rows.rows[i];
        if (work_[i].range != Range::stuck || row.by >= 0 || !std::isfinite(row.lower) || !std::isfinite(row.upper))
            continue;
        const double miss = speed(rows, i, v_free_.data()) - row.target;
        constexpr double kStill = 1e-12;
        work_[i].step = miss > kStill ? row.lower : miss < -kStill ? row.upper : std::clamp(0.0, row.lower, row.upper);
    }
    if (!options.warm) std::fill(p.begin(), p.end(), 0.0);
    project(rows, p);
    move(p, v.data());

    bool any = false;
    for (std::size_t i = 0; i < p.size(); ++i) any = any || work_[i].range != Range::stuck;
    if (any) {
        report.residual = residual(rows, v, p);
        int until_step = kSweepsFirst;
        double left = std::numeric_limits<double>::infinity();
        rope_part_ = 1;
        const auto done = [&] {
            return report.sweeps >= options.at_least &&
                   (report.residual <= options.tolerance || std::isnan(report.residual));
        };
        while (!done() && report.sweeps < options.iterations) {
            if (options.accelerate && until_step == 0) {
                until_step = kSweepsBetween;
                bool helped = false;
                for (int k = 0; k < kStepsInARow && !done() && report.sweeps < options.iterations; ++k) {
                    ++report.sweeps, ++report.subspace_steps;
                    const bool better = subspaceStep(rows, v, p, report.residual);
                    if (keep_history) report.history.push_back(report.residual);
                    if (!better) break;
                    helped = true;
                }
                if (!helped) {
                    if (report.residual > kIdle * left) rope_part_ *= kShorter;
                    if (rope_part_ < kShortest) rope_part_ = 1;
                    left = report.residual;
                }
                continue;
            }
            sweep(rows, v, p, options.relaxation);
            --until_step, ++report.sweeps;
            report.residual = residual(rows, v, p);
            if (keep_history) report.history.push_back(report.residual);
        }
        move(p, v.data());  // without what the sums of many sweeps gathered
        report.residual = residual(rows, v, p);
        report.status = report.residual <= options.tolerance ? SolveStatus::converged : SolveStatus::budget_spent;
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (work_[i].range != Range::stuck) continue;
        const Row& row = rows.rows[i];
        if (std::isfinite(row.lower) && std::isfinite(row.upper)) continue;  // it gives what it can
        const double miss = speed(rows, i, v.data()) - row.target;
        const bool pulls = row.by >= 0 ? false : (miss < 0 && row.upper > 0) || (miss > 0 && row.lower < 0);
        if (pulls && std::abs(miss) > 1e-12) ++report.stuck;
    }
    if (!any && !p.empty()) report.status = report.stuck > 0 ? SolveStatus::no_freedom : SolveStatus::converged;

    // What holds the prescribed velocities: from the shares of the elimination, backwards.
    const std::size_t count = prescribed.size(), columns = y_begin_.size() - 1;
    for (std::size_t k = count; k-- > 0;) {
        double held = given_[k];
        for (std::size_t i = 0; i < p.size(); ++i)
            held -= share_[k * columns + static_cast<std::size_t>(work_[i].column)] * p[i];
        for (std::size_t l = k + 1; l < count; ++l) held -= share_[k * columns + l] * prescribed[l].impulse;
        prescribed[k].impulse = pivot_[k] > 0 ? held : 0;
        if (pivot_[k] <= 0 && std::abs(v[static_cast<std::size_t>(prescribed[k].slot)] - prescribed[k].value) > 1e-9)
            ++report.stuck;
    }
    return report;
}

}  // namespace mw
