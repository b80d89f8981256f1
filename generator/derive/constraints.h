// Accelerations of a tree whose loops are closed: M x = f + K^T lambda with K x = b, over expressions.
//
// Two ways that divide by nothing but what is positive at every pose where K has full rank: D of M (M is positive
// definite) and the pivots of A = K M^-1 K^T. With the mass matrix at hand, M and K are eliminated as one sparse
// symmetric system, freedom by freedom from the tips to the base, then row by row. With articulated bodies M^-1 =
// W^T D^-1 W, so that the inward pass alone makes of K's rows what A is the Gram matrix of, and one outward pass over
// the sum of all forces gives the accelerations.
#pragma once

#include <vector>

#include "generator/derive/loops.h"

namespace mw::gen {

/// A symmetric system of freedoms and constraint rows (unknowns 0 .. n-1 and n .. n+m-1), eliminated pivot by pivot:
/// zeros stay zeros, what fills in is found as it happens.
class Elimination {
public:
    Elimination(Graph& graph, int freedoms, int rows);
    Expr& entry(int i, int j) { return e_[slot(i, j)]; }
    /// The part of a row's diagonal that stems from freedoms: the measure of what is left of it in its pivot.
    Expr& gain(int row) { return gained_[static_cast<std::size_t>(row)]; }
    /// Eliminates one unknown.
    void pivot(int k);
    bool isDone(int k) const { return done_[static_cast<std::size_t>(k)] != 0; }
    /// The pivot of a row is one positive constant at every pose, and has kept this part of what freedoms made it; 0
    /// when it is no constant.
    double constantPivot(int row) const;
    /// How many unknowns that are still there an unknown is coupled with.
    int couplings(int k) const;
    /// The solution for one right-hand side: n forces, then m wanted accelerations; x, then lambda.
    std::vector<Expr> solve(std::vector<Expr> right) const;
    /// Inverses of the pivots, in their order.
    std::vector<Expr> pivots() const {
        std::vector<Expr> all;
        for (const Step& step : steps_) all.push_back(step.inverse);
        return all;
    }
    /// A pivot is zero whatever the pose: no solution.
    bool singular() const { return singular_; }

private:
    static std::size_t slot(int i, int j) {
        const auto a = static_cast<std::size_t>(i > j ? i : j), b = static_cast<std::size_t>(i > j ? j : i);
        return a * (a + 1) / 2 + b;
    }
    bool isRow(int k) const { return k >= freedoms_; }
    struct Step {
        int unknown = 0;
        Expr inverse;                              ///< of the pivot
        std::vector<std::pair<int, Expr>> column;  ///< entry over pivot, of those that are still there
    };
    Graph& graph_;
    int freedoms_, size_;
    std::vector<Expr> e_;
    std::vector<Expr> gained_;  ///< of each row: what freedoms have added to its diagonal
    std::vector<char> done_;
    std::vector<Step> steps_;
    bool singular_ = false;
};

/// The system of a tree and its loops, factorised.
class ConstrainedDynamics {
public:
    /// `articulated`: by articulated bodies, else by the mass matrix. `ties`: there, rows of a floating body may be
    /// eliminated with it; else all freedoms come before all rows.
    ConstrainedDynamics(Graph& graph, const LinkTree& tree, TreeDynamics& dynamics, const Loops& loops,
                        const std::vector<ConstraintRow>& rows, NodeOwners& owners, bool articulated, bool ties);
    /// `forces` on the links, `tau` at the freedoms, `wanted` per row; by the mass matrix `tau` is all there is and
    /// `forces` are empty.
    void solve(const std::vector<Wrench>& forces, const std::vector<Expr>& tau, const std::vector<Expr>& wanted);
    std::vector<Expr> pivots() const { return system_.pivots(); }
    std::vector<Expr> x;       ///< accelerations
    std::vector<Expr> lambda;  ///< of each row, inside form
    const TreeMatrix& massMatrix() const { return H_; }

private:
    void byMassMatrix(const Loops& loops, bool tied);
    void byArticulatedBodies();
    /// Rows that may go before the freedoms that they couple to, per tree, and the order of the trees.
    struct Early {
        std::vector<int> roots;  ///< root links, in the order of their elimination
        std::vector<int> loops;  ///< the loop right after each, -1: none
    };
    Early earlyLoops(const Loops& loops, bool tied) const;

    Graph& graph_;
    const LinkTree& tree_;
    TreeDynamics& dynamics_;
    const std::vector<ConstraintRow>& rows_;
    NodeOwners& owners_;
    bool articulated_;
    TreeMatrix H_;
    Elimination system_;
    ArticulatedFactors factors_;
    std::vector<std::vector<Expr>> u_, z_;  ///< of each row: inward half, and over D
};

}  // namespace mw::gen
