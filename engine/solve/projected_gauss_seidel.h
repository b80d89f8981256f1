// Projected Gauss-Seidel over rows: one shared loop for tendons, contacts, limits and motors, so that reactions see
// each other (docs/rows.md; Newton's family 3.5 of the contact literature). Every sweep visits the rows in their order.
//
// M^-1 enters by a function (the kernel's apply_inverse_mass, which keeps loops closed). Velocities that are prescribed
// are eliminated exactly: they have infinite mass, v+ takes their wanted values, and what that costs is a reading.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/rows/row.h"

namespace mw {

struct SolveOptions {
    int iterations = 50;      ///< most sweeps
    double tolerance = 1e-8;  ///< of the natural map, N s
    bool warm = true;
    double relaxation = 1;
    bool box = false;  ///< friction: a box along the tangents in place of the disc (up to sqrt(2) too strong)
    int at_least = 0;  ///< sweeps that are made whatever the residual says
    /// Subspace steps between the sweeps (docs/rows.md): the same solution, reached sooner. Off: sweeps alone.
    bool accelerate = true;
};

enum class SolveStatus { no_rows, converged, budget_spent, no_freedom };
/// "converged", "budget spent", "no degrees of freedom", "no rows".
const char* solveStatusName(SolveStatus status);

struct SolveReport {
    SolveStatus status = SolveStatus::no_rows;
    int rows = 0, sweeps = 0;
    int subspace_steps = 0;       ///< of the sweeps: one each, whether it was accepted or not
    int stuck = 0;                ///< rows without response (W = 0) whose demand is not met: "no degrees of freedom"
    double residual = 0;          ///< natural map |p - P(p - rho (W p + b'))|, largest, N s
    std::vector<double> history;  ///< residual after each sweep, when asked for
};

/// M^-1 of nrhs right-hand sides of nv numbers, one after the other.
using ApplyInverseMass = std::function<void(const double* rhs, int nrhs, double* out)>;

/// A velocity whose value at the end of the step is given.
struct PrescribedVelocity {
    int slot = 0;
    double value = 0;    ///< wanted v+
    double impulse = 0;  ///< result: what holds it there, N s (N m s)
};

class RowSolver {
public:
    /// v: in v_free, out v+ (nv). p: in the warm start (0 where none), out the impulses, one a row. Bounded work, no
    /// exceptions for content: rows without response report and move nothing.
    SolveReport solve(const RowSet& rows, const ApplyInverseMass& inverse, std::span<double> v, std::span<double> p,
                      std::span<PrescribedVelocity> prescribed, const SolveOptions& options, bool keep_history = false);
    /// W = J M^-1 J^T of each row after solve (1/kg).
    std::span<const double> response() const { return response_; }

private:
    /// How the range of a row's impulse comes about.
    enum class Range : std::uint8_t { plain, given, stuck, disc, disc_follower, scaled };
    struct Work {
        int j_begin = 0, j_count = 0;  // of the Jacobian
        int column = 0;                // of M^-1 J^T: rows with one Jacobian share it
        int bounds = 0;                // row whose `by` and `mu` hold for this one
        Range range = Range::plain;
        double step = 0;                       // 1 / (W + softness)
        double across = 0, block = 0;          // disc: J1 M^-1 J2^T; 1 / the largest eigenvalue of its block
        int carry_begin = 0, carry_count = 0;  // in carries_
    };
    /// A wedge whose range moves with a row, whether at once or by way of other wedges.
    struct Carry {
        int wedge = 0;
        double response = 0;  // of the row to the wedge's impulse
    };
    struct Limits {
        double lower = 0, upper = 0;
    };

    void arrange(const RowSet& rows, const ApplyInverseMass& inverse, std::span<const double> v,
                 std::span<PrescribedVelocity> prescribed);
    void classify(const RowSet& rows, const SolveOptions& options);
    void findCarries(const RowSet& rows);
    bool isWedge(const RowSet& rows, std::size_t i) const;
    void standWedges(const RowSet& rows, std::span<const double> v, std::span<const double> p);
    void stand(const RowSet& rows, std::size_t wedge, double wanted, std::span<const double> p);
    double carry(const RowSet& rows, std::size_t i);
    void eliminate(std::span<PrescribedVelocity> prescribed, std::span<double> v, int columns);
    void compress(int first, int columns);
    double speed(const RowSet& rows, std::size_t i, const double* v) const;
    void push(std::size_t i, double impulse, double* v) const;
    double holding(const RowSet& rows, const Row& row, std::span<const double> p) const;
    Limits limitsOf(const RowSet& rows, std::size_t i, std::span<const double> p) const;
    void project(const RowSet& rows, std::span<double> p) const;
    void move(std::span<const double> p, double* v) const;
    void sweep(const RowSet& rows, std::span<double> v, std::span<double> p, double relaxation);
    double residual(const RowSet& rows, std::span<const double> v, std::span<const double> p) const;
    bool subspaceStep(const RowSet& rows, std::span<double> v, std::span<double> p, double& residual);
    bool solveDense(std::size_t n);

    std::vector<double> response_;
    std::size_t nv_ = 0;
    std::vector<Work> work_;
    std::vector<double> rhs_, out_;      // columns of nv numbers: prescribed ones first, then Jacobians
    std::vector<int> y_begin_, y_slot_;  // M^-1 J^T without its zeros, by column
    std::vector<double> y_value_;
    std::vector<double> v_free_;                       // with prescribed velocities in place, no impulse yet
    std::vector<double> pivot_, given_, share_;        // of the prescribed velocities, docs/decisions/0010
    std::vector<double> trial_p_, trial_v_, dense_v_;  // of the subspace step
    std::vector<double> matrix_, right_, delta_;
    std::vector<int> unknown_, place_;
    // Of wedges: which there are, the factor of the sum that each stands on (0: inside), and what moves with a row.
    std::vector<std::size_t> wedges_;
    std::vector<Carry> carries_;
    std::vector<double> edge_, along_;
    double rope_part_ = 1;  // of a step that wedges and what moves them take
};

}  // namespace mw
