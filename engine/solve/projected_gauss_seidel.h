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
};

enum class SolveStatus { no_rows, converged, budget_spent, no_freedom };
/// "converged", "budget spent", "no degrees of freedom", "no rows".
const char* solveStatusName(SolveStatus status);

struct SolveReport {
    SolveStatus status = SolveStatus::no_rows;
    int rows = 0, sweeps = 0;
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
    std::vector<double> response_;
    // the owner of this room adds what it needs
};

}  // namespace mw
