// Sparse elimination of freedoms and constraint rows.
#include "generator/derive/constraints.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mw::gen {

namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A row whose pivot has lost all digits depends on others: its multiplier is no number then. Far below what a mechanism
// near a singular pose has, a little above rounding.
constexpr double kRedundant = 1e-14;
// Constants that cancel to this are zero; a constant pivot that keeps that much is a sound one.
constexpr double kRounding = 1e-13, kSound = 1e-4;
}  // namespace

Elimination::Elimination(Graph& graph, int freedoms, int rows)
    : graph_(graph),
      freedoms_(freedoms),
      size_(freedoms + rows),
      e_(at(size_) * at(size_ + 1) / 2),
      gained_(at(size_)),
      done_(at(size_), 0) {}

double Elimination::constantPivot(int row) const {
    const Expr d = e_[slot(row, row)], own = gained_[at(row)];
    if (!d.isConstant() || !own.isConstant() || !(own.value() > 0)) return 0;
    return d.value() / own.value();
}

int Elimination::couplings(int k) const {
    int count = 0;
    for (int i = 0; i < size_; ++i) count += i != k && !isDone(i) && !e_[slot(i, k)].isZero() ? 1 : 0;
    return count;
}

void Elimination::pivot(int k) {
    // Among rows the entries are those of A = K M^-1 K^T, which the whole system has with the other sign. So with d the
    // pivot and c the column: freedom k takes c c^T / d off M and K and adds it to A; row k takes c c^T / d off A and K
    // and adds it to M.
    Step step;
    step.unknown = k;
    const Expr d = e_[slot(k, k)];
    if (d.isZero()) {
        singular_ = true;
    } else if (isRow(k) && d.id() != gained_[at(k)].id()) {
        // Not a number for a row that depends on the others, and never one by chance.
        const Expr zero = graph_.constant(0), least = graph_.constant(kRedundant) * gained_[at(k)];
        step.inverse = graph_.constant(1) / selectLess(least, d, d, zero / zero);
    } else {
        // Of a row from which no other has taken anything: what it gained, a sum of squares, zero for a row of zeros
        // alone.
        step.inverse = graph_.constant(1) / d;
    }
    done_[at(k)] = 1;
    std::vector<int> there;
    for (int i = 0; i < size_; ++i)
        if (!isDone(i) && !e_[slot(i, k)].isZero()) there.push_back(i);
    for (int i : there) step.column.emplace_back(i, e_[slot(i, k)] * step.inverse);
    for (const auto& [i, a] : step.column)
        for (int j : there) {
            if (j > i) break;
            const Expr product = a * e_[slot(j, k)];
            Expr& target = e_[slot(i, j)];
            const bool rows = isRow(i) && isRow(j), freedoms = !isRow(i) && !isRow(j);
            const bool adds = isRow(k) ? freedoms : rows;
            target = adds ? target + product : target - product;
            if (i == j && rows && !isRow(k)) gained_[at(i)] = gained_[at(i)] + product;
            // Constants that cancel leave rounding behind.
            if (i == j && rows && isRow(k) && target.isConstant() && std::fabs(constantPivot(i)) < kRounding)
                target = Expr();
        }
    steps_.push_back(std::move(step));
}

std::vector<Expr> Elimination::solve(std::vector<Expr> b) const {
    for (const Step& step : steps_)
        for (const auto& [i, a] : step.column) {
            const Expr product = a * b[at(step.unknown)];
            b[at(i)] = isRow(step.unknown) && !isRow(i) ? b[at(i)] + product : b[at(i)] - product;
        }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        const int k = step->unknown;
        Expr value = step->inverse * b[at(k)];
        for (const auto& [i, a] : step->column)
            value = !isRow(k) && isRow(i) ? value + a * b[at(i)] : value - a * b[at(i)];
        b[at(k)] = value;
    }
    return b;
}

ConstrainedDynamics::ConstrainedDynamics(Graph& graph, const LinkTree& tree, TreeDynamics& dynamics, const Loops& loops,
                                         const std::vector<ConstraintRow>& rows, NodeOwners& owners, bool articulated,
                                         bool ties)
    : graph_(graph),
      tree_(tree),
      dynamics_(dynamics),
      rows_(rows),
      owners_(owners),
      articulated_(articulated),
      system_(graph, articulated ? 0 : tree.ndof(), static_cast<int>(rows.size())) {
    if (articulated_) byArticulatedBodies();
    else byMassMatrix(loops, ties);
}

ConstrainedDynamics::Early ConstrainedDynamics::earlyLoops(const Loops& loops, bool tied) const {
    // A floating body can follow any one loop: its rows have full rank over that body's six freedoms alone. So they may
    // be eliminated with it, before whatever the loop ties it to, and their pivots are positive at every pose; the body
    // then hangs on the other end as on a joint. One loop a floating body, the ties without circles, those with most
    // rows first.
    struct Tie {
        int loop, from, to, rows;
    };
    std::vector<Tie> ties;
    std::vector<int> degree(tree_.links.size() + 1, 0), count;
    const auto node = [](int link) { return at(link + 1); };  // 0: the base
    for (const ConstraintRow& row : rows_) {
        if (count.size() <= at(row.loop)) count.resize(at(row.loop) + 1, 0);
        ++count[at(row.loop)];
    }
    for (int i = 0; i < static_cast<int>(count.size()); ++i) {
        const auto [a, b] = loops.rootsOf(i);
        if (a == b) continue;
        ++degree[node(a)], ++degree[node(b)];
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
            if (tied && from != kBase && tree_.link(from).kind == LinkKind::floating)
                ties.push_back({i, from, to, count[at(i)]});
    }
    std::stable_sort(ties.begin(), ties.end(), [&](const Tie& x, const Tie& y) {
        if (x.rows != y.rows) return x.rows > y.rows;
        return degree[node(x.from)] < degree[node(y.from)];
    });
    std::vector<int> above(tree_.links.size() + 1, -1), loop_of(tree_.links.size() + 1, -1);
    const auto top = [&](int link) {
        std::size_t k = node(link);
        while (above[k] >= 0) k = at(above[k]);
        return k;
    };
    std::vector<char> used(count.size(), 0);
    for (const Tie& tie : ties) {
        const std::size_t from = node(tie.from);
        if (used[at(tie.loop)] || above[from] >= 0 || top(tie.to) == from) continue;
        used[at(tie.loop)] = 1;
        above[from] = static_cast<int>(node(tie.to));
        loop_of[from] = tie.loop;
    }
    Early early;
    // Deepest ties first: every tree before the one that it is tied to; then those with few loops, the hub last.
    struct Turn {
        int depth, degree, root;
        auto operator<=>(const Turn&) const = default;
    };
    std::vector<Turn> order;
    for (int i = 0; i < static_cast<int>(tree_.links.size()); ++i) {
        if (tree_.link(i).parent != kBase) continue;
        int depth = 0;
        for (std::size_t k = node(i); above[k] >= 0; k = at(above[k])) ++depth;
        order.push_back({-depth, degree[node(i)], i});
    }
    std::sort(order.begin(), order.end());
    for (const Turn& turn : order) {
        early.roots.push_back(turn.root);
        early.loops.push_back(loop_of[node(turn.root)]);
    }
    return early;
}

void ConstrainedDynamics::byMassMatrix(const Loops& loops, bool tied) {
    const int n = tree_.ndof(), m = static_cast<int>(rows_.size());
    H_ = dynamics_.massMatrix();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) system_.entry(i, j) = H_(i, j);
    for (int r = 0; r < m; ++r)
        for (const auto& [dof, entry] : rows_[at(r)].entries) {
            Expr& place = system_.entry(n + r, dof);
            place = place + entry;
        }
    std::vector<int> root(at(n));
    for (int k = 0; k < n; ++k) {
        int link = tree_.link_of_dof[at(k)];
        while (tree_.link(link).parent != kBase) link = tree_.link(link).parent;
        root[at(k)] = link;
    }
    const Early early = earlyLoops(loops, tied);
    for (std::size_t t = 0; t < early.roots.size(); ++t) {
        for (int k = n - 1; k >= 0; --k) {
            if (root[at(k)] != early.roots[t]) continue;
            system_.pivot(k);
            owners_.claim(tree_.link(tree_.link_of_dof[at(k)]).body);
        }
        for (int r = 0; r < m; ++r) {
            if (rows_[at(r)].loop != early.loops[t]) continue;
            system_.pivot(n + r);
            owners_.claim(loops.bodyOf(rows_[at(r)].loop));
        }
        // And whatever rows have a constant pivot by now.
        while (tied) {
            int best = -1;
            for (int r = n; r < n + m; ++r)
                if (!system_.isDone(r) && system_.constantPivot(r) > kSound &&
                    (best < 0 || system_.constantPivot(r) > system_.constantPivot(best)))
                    best = r;
            if (best < 0) break;
            system_.pivot(best);
            owners_.claim(loops.bodyOf(rows_[at(best - n)].loop));
        }
    }
    for (;;) {
        int best = -1, least = 0;
        for (int r = n; r < n + m; ++r) {
            if (system_.isDone(r)) continue;
            const int couplings = system_.couplings(r);
            if (best < 0 || couplings < least) best = r, least = couplings;
        }
        if (best < 0) break;
        system_.pivot(best);
        owners_.claim(loops.bodyOf(rows_[at(best - n)].loop));
    }
}

void ConstrainedDynamics::byArticulatedBodies() {
    const int n = tree_.ndof(), m = static_cast<int>(rows_.size());
    factors_ = dynamics_.articulate();
    for (const ConstraintRow& row : rows_) {
        std::vector<Expr> force(at(n));
        for (const auto& [dof, entry] : row.entries) force[at(dof)] = force[at(dof)] + entry;
        u_.push_back(dynamics_.inward(factors_, std::vector<Wrench>(tree_.links.size()), force));
        z_.emplace_back(at(n));
        for (int k = 0; k < n; ++k) z_.back()[at(k)] = factors_.inverse_d[at(k)] * u_.back()[at(k)];
    }
    for (int r = 0; r < m; ++r)
        for (int s = 0; s <= r; ++s) {
            Expr sum;
            for (int k = n - 1; k >= 0; --k) sum = sum + z_[at(r)][at(k)] * u_[at(s)][at(k)];
            system_.entry(r, s) = sum;
            if (s == r) system_.gain(r) = sum;
        }
    owners_.claim(kBase);
    for (int done = 0; done < m; ++done) {
        int best = -1;
        for (int r = 0; r < m; ++r)
            if (!system_.isDone(r) && (best < 0 || system_.couplings(r) < system_.couplings(best))) best = r;
        system_.pivot(best);
        owners_.claim(kBase);
    }
}

void ConstrainedDynamics::solve(const std::vector<Wrench>& forces, const std::vector<Expr>& tau,
                                const std::vector<Expr>& wanted) {
    const int n = tree_.ndof(), m = static_cast<int>(rows_.size());
    if (!articulated_) {
        std::vector<Expr> right = tau;
        right.insert(right.end(), wanted.begin(), wanted.end());
        const std::vector<Expr> all = system_.solve(std::move(right));
        x.assign(all.begin(), all.begin() + n);
        lambda.assign(all.begin() + n, all.end());
    } else {
        std::vector<Expr> u = dynamics_.inward(factors_, forces, tau);
        std::vector<Expr> right = wanted;
        for (int r = 0; r < m; ++r)
            for (int k = n - 1; k >= 0; --k) right[at(r)] = right[at(r)] - z_[at(r)][at(k)] * u[at(k)];
        lambda = system_.solve(std::move(right));
        for (int k = 0; k < n; ++k)
            for (int r = 0; r < m; ++r) u[at(k)] = u[at(k)] + lambda[at(r)] * u_[at(r)][at(k)];
        owners_.claim(kBase);
        x = dynamics_.outward(factors_, u);
    }
    if (system_.singular()) {
        // A row without any freedom behind it: nothing that could pass for an answer.
        const Expr zero = graph_.constant(0), none = zero / zero;
        std::fill(x.begin(), x.end(), none);
        std::fill(lambda.begin(), lambda.end(), none);
    }
    owners_.claim(kBase);
}

}  // namespace mw::gen
