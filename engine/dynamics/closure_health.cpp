// Whether the rows of the loops are independent: rank, condition, which rows are redundant, and what type of loop would
// forbid the same motions without them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/draw.h"
#include "engine/dynamics/closure_space.h"
#include "engine/dynamics/drift.h"

namespace mw {
namespace {

constexpr double kRank = 1e-9;  // singular values below this part of the largest count as zero

VectorXd singularValues(const MatrixXd& A) {
    if (A.size() == 0) return {};
    if (std::min(A.rows(), A.cols()) < 16) return Eigen::JacobiSVD<MatrixXd>(A).singularValues();
    return Eigen::BDCSVD<MatrixXd>(A).singularValues();
}

int rankOf(const MatrixXd& unit_rows) {
    const VectorXd s = singularValues(unit_rows);
    int rank = 0;
    while (rank < s.size() && s[rank] > kRank * s[0] && s[rank] > 0) ++rank;
    return rank;
}

// Rows in the order in which they are kept: moves that every type of loop has, moves along the axis, turns. What is
// redundant is then named by the rows that a simpler type leaves out.
std::vector<int> keepingOrder(const ClosureSpace& space) {
    std::vector<std::pair<int, int>> order;
    int row = 0;
    for (std::size_t i = 0; i < space.rows.size(); ++i)
        for (std::size_t r = 0; r < space.rows[i].size(); ++r, ++row) {
            const bool turn = space.rows[i][r].kind == LoopRow::Kind::turn;
            const bool along = space.model().loops[i].type == LoopType::revolute && r == 4;
            order.push_back({turn ? 2 : along ? 1 : 0, row});
        }
    std::sort(order.begin(), order.end());
    std::vector<int> out;
    for (const auto& [kind, index] : order) out.push_back(index);
    return out;
}

// Rows that depend on the ones kept before them; `rank` rows are kept.
std::vector<int> redundantRows(const ClosureSpace& space, const MatrixXd& unit_rows, int rank) {
    const std::vector<int> order = keepingOrder(space);
    std::vector<int> redundant;
    // The bound that keeps as many as the singular values say.
    for (const double bound : {1e-7, 1e-8, 1e-6, 1e-9, 1e-5, 1e-10, 1e-4}) {
        redundant.clear();
        MatrixXd kept(unit_rows.cols(), 0);
        for (const int row : order) {
            VectorXd rest = unit_rows.row(row).transpose();
            for (int pass = 0; pass < 2; ++pass) rest -= kept * (kept.transpose() * rest);
            if (!(rest.norm() > bound)) {
                redundant.push_back(row);
                continue;
            }
            kept.conservativeResize(Eigen::NoChange, kept.cols() + 1);
            kept.col(kept.cols() - 1) = rest.normalized();
        }
        if (kept.cols() == rank) break;
    }
    std::sort(redundant.begin(), redundant.end());
    return redundant;
}

MatrixXd unitJacobian(const ClosureSpace& space) { return unitRows(space, space.jacobian(), allRows(space)); }

}  // namespace

LoopHealth Closure::health(std::span<const double> q, std::span<const double> param) {
    ClosureSpace& space = inside_->space;
    LoopHealth h;
    h.nc = space.layout().nc;
    h.nv = h.mobility = space.layout().nv;
    if (h.nc == 0) return h;
    space.place(q, param);
    const MatrixXd K = space.jacobian(), unit = unitRows(space, K, allRows(space));
    h.rank = rankOf(unit);
    h.mobility = h.nv - h.rank;
    if (h.rank < h.nc) {
        h.condition = std::numeric_limits<double>::infinity();
        std::size_t loop = 0;
        for (const int row : redundantRows(space, unit, h.rank)) {
            while (loop + 1 < space.rows.size() && row >= space.layout().row_of_loop[loop + 1]) ++loop;
            const int within = row - space.layout().row_of_loop[loop];
            h.redundant.push_back({static_cast<int>(loop), within, rowName(space.rows[loop][within])});
        }
        return h;
    }
    // A = (L^-1 K^T)^T (L^-1 K^T): its condition is the square of that factor's.
    const Eigen::LLT<MatrixXd> M(space.mass());
    if (M.info() != Eigen::Success) {
        h.condition = std::numeric_limits<double>::quiet_NaN();
        return h;
    }
    const MatrixXd factor = M.matrixL().solve(K.transpose());
    const VectorXd s = singularValues(factor);
    h.condition = std::pow(s[0] / s[s.size() - 1], 2);
    return h;
}

namespace {

struct Change {
    LoopType type;
    Vector3d axis;
};

// Types with fewer rows whose rows are among the loop's own.
std::vector<Change> simplerTypes(const Loop& loop, const std::vector<RedundantRow>& redundant) {
    switch (loop.type) {
        case LoopType::revolute:
            return {{LoopType::cylindrical, loop.axis},
                    {LoopType::spherical, loop.axis},
                    {LoopType::point_on_line, loop.axis}};
        case LoopType::prismatic: return {{LoopType::cylindrical, loop.axis}, {LoopType::point_on_line, loop.axis}};
        case LoopType::cylindrical: return {{LoopType::point_on_line, loop.axis}};
        case LoopType::spherical: {
            // The line lies along what is redundant.
            std::vector<Change> out;
            for (const RedundantRow& r : redundant)
                out.push_back({LoopType::point_on_line, rowsOf(loop)[r.row].direction});
            return out;
        }
        default: return {};
    }
}

// Which loops to change into what, so that `excess` rows go and the rank stays at all poses. Empty when there is no
// way.
std::vector<LoopRemedy> remediesOf(ClosureSpace& space, const LoopHealth& health,
                                   const std::vector<std::vector<double>>& poses, std::span<const double> param) {
    std::map<int, std::vector<RedundantRow>> of_loop;
    for (const RedundantRow& r : health.redundant) of_loop[r.loop].push_back(r);
    std::vector<int> loops;
    std::vector<std::vector<Change>> choices;
    for (const auto& [loop, redundant] : of_loop) {
        loops.push_back(loop);
        choices.push_back(simplerTypes(space.model().loops[loop], redundant));
    }
    const auto fewer = [&](std::size_t i, const Change& c) {
        return loopRows(space.model().loops[loops[i]].type) - loopRows(c.type);
    };
    std::vector<int> most(loops.size() + 1, 0);  // rows that loops i and later can lose
    for (std::size_t i = loops.size(); i-- > 0;) {
        int best = 0;
        for (const Change& c : choices[i]) best = std::max(best, fewer(i, c));
        most[i] = most[i + 1] + best;
    }

    std::vector<int> ranks;  // that the poses have
    std::vector<const Change*> chosen(loops.size(), nullptr);
    int tries = 200;
    const auto holds = [&] {
        for (std::size_t p = 0; p < poses.size(); ++p) {
            space.place(poses[p], param);
            if (p == ranks.size()) ranks.push_back(rankOf(unitJacobian(space)));
            std::vector<std::vector<LoopRow>> rows = space.rows;
            for (std::size_t i = 0; i < loops.size(); ++i) {
                if (!chosen[i]) continue;
                Loop changed = space.model().loops[loops[i]];
                changed.type = chosen[i]->type;
                changed.axis = chosen[i]->axis;
                rows[loops[i]] = rowsOf(changed);
            }
            std::vector<LoopRow> all;
            MatrixXd K(0, space.layout().nv);
            for (std::size_t l = 0; l < rows.size(); ++l) {
                const MatrixXd part = space.rowsOfLoop(static_cast<int>(l), rows[l]);
                K.conservativeResize(K.rows() + part.rows(), Eigen::NoChange);
                K.bottomRows(part.rows()) = part;
                all.insert(all.end(), rows[l].begin(), rows[l].end());
            }
            if (rankOf(unitRows(space, K, all)) != ranks[p]) return false;
        }
        return true;
    };
    const std::function<bool(std::size_t, int)> search = [&](std::size_t i, int excess) {
        if (excess < 0 || excess > most[i] || tries <= 0) return false;
        if (i == loops.size()) return --tries, holds();
        for (const Change& c : choices[i]) {
            chosen[i] = &c;
            if (search(i + 1, excess - fewer(i, c))) return true;
        }
        chosen[i] = nullptr;
        return search(i + 1, excess);
    };
    std::vector<LoopRemedy> out;
    if (!search(0, health.nc - health.rank)) return out;
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (chosen[i]) out.push_back({loops[i], chosen[i]->type, chosen[i]->axis});
    return out;
}

}  // namespace

LoopHealth Closure::generalHealth(std::span<const double> param) {
    constexpr int kPoses = 5;
    ClosureSpace& space = inside_->space;
    const std::vector<double> written = startQ(space.model(), space.layout(), param);
    const Assembly start = assemble(written, param);
    // What cannot be closed is stretched to its limit, where every mechanism is singular: open poses are judged then.
    LoopHealth best = health(start.closed ? start.q : written, param);
    if (!start.closed) {
        Draw draw(1, 0);
        for (int i = 0; i < kPoses && !best.sound(); ++i) {
            std::vector<double> q = written, v(static_cast<std::size_t>(space.layout().nv));
            for (double& x : v) x = draw.between(-0.3, 0.3);
            drift(space.model(), space.layout(), q, v, 1);
            LoopHealth h = health(q, param);
            if (h.rank > best.rank) best = std::move(h);
        }
        best.closes = false;
        best.open = start.what;
        best.open_loop = start.loop;
        return best;
    }
    if (best.sound()) return best;

    // One pose may be singular by chance; some others tell.
    std::vector<std::vector<double>> poses = {start.q};
    std::size_t at = 0;
    ManifoldWalk walk(space.model(), 1);
    for (int i = 0; i < kPoses && !best.sound(); ++i) {
        ManifoldWalk::Pose pose = walk.next(param);
        if (!pose.sound) break;
        LoopHealth h = health(pose.q, param);
        poses.push_back(std::move(pose.q));
        if (h.rank > best.rank) best = std::move(h), at = poses.size() - 1;
    }
    if (best.sound()) return best;
    std::swap(poses[0], poses[at]);
    best.remedies = remediesOf(space, best, poses, param);
    return best;
}

}  // namespace mw
