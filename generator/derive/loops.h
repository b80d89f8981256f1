// Loops over expressions: the rows of K, their velocity products and their stabilisation.
//
// Everything is found by walking from one end of a loop to the other, joint by joint: each link on the way sees the
// successor's loop frame where its neighbour saw it, moved by the one joint between them. Only those joints get
// entries; what carries both ends never appears. Rows and their order: engine/model/loop_rows.h.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "engine/model/loop_rows.h"
#include "generator/derive/tree.h"

namespace mw::gen {

/// One row K v = rate, in the form that is solved (a distance: of half the squared length).
struct ConstraintRow {
    int loop = 0;
    std::vector<std::pair<int, Expr>> entries;  ///< degree of freedom; entry, never structurally zero
    /// What K vdot should be: velocity products taken off, errors called back.
    Expr wanted;
    /// What one unit of its multiplier is outside: rows (counted over all loops) and shares of them.
    std::vector<std::pair<int, Expr>> outside;
};

/// Forms of the rows. `declared`: what the kernel gives outside, in the order of loop_rows.h. `solved`: a distance by
/// half its squared length, which needs no root; three moves that vanish together along the axes of a floating
/// successor, on which they are then constants.
enum class RowForm { declared, solved };

class Loops {
public:
    Loops(Graph& graph, const Model& model, const LinkTree& tree, NodeOwners& owners)
        : graph_(graph), model_(model), tree_(tree), owners_(owners) {}

    /// Rows in their order. With `free_fall`, K times accelerations relative to free fall is wanted
    /// (TreeDynamics::linkForces).
    std::vector<ConstraintRow> rows(RowForm form, bool free_fall);

    /// The root links of a loop's two ends (kBase: fixed to the base).
    std::pair<int, int> rootsOf(int loop) const;
    /// Body that a loop's rows are booked to.
    int bodyOf(int loop) const;

private:
    /// A point of the successor as a link sees it, in the link's axes from its origin: where it is, its velocity and
    /// acceleration as seen from the link; and the successor's turning seen likewise.
    struct Seen {
        Vec p, v, a, w, alpha;
    };
    /// What the joint of a link does to it, in the link's axes.
    struct JointMotion {
        Vec turning, sliding, drift;  ///< drift: acceleration of the origin
    };
    /// The two ways from a loop's ends up to the link where they meet.
    struct Paths : LinkTree::Ways {
        bool from_floats = false, to_floats = false;  ///< the last link of a way is a floating root
        bool bridged() const { return from_floats || to_floats; }
        int fromRoot() const { return from_floats ? from.back() : kBase; }
        int toRoot() const { return to_floats ? to.back() : kBase; }
    };

    Paths pathsOf(const mw::Loop& loop) const;
    JointMotion motionOf(const Link& link, bool free_fall) const;
    Seen fromParent(const Link& link, const Seen& seen, bool free_fall) const;
    /// How one root link moves as another sees it (kBase: the base), in the latter's axes: made once for all loops that
    /// tie the two.
    struct Bridge {
        Mat R;  ///< the one's axes to the other's
        Vec o, v, a, w, alpha;
        Mat W;  ///< acceleration per distance
    };
    const Bridge& bridge(int to, int from, bool free_fall);
    Seen across(const Bridge& bridge, const Seen& seen) const;
    /// A point of a body climbs to the top of its way: to the meeting, or to the floating root where there is one.
    Seen climb(const LoopFrame& frame, const std::vector<int>& path, bool free_fall, std::vector<Vec>& points) const;
    Seen toParent(const Link& link, const Seen& seen, bool free_fall) const;
    Vec twice(const Vec& turning, const Vec& v, const Vec& carried) const;
    /// A loop frame's axes in the axes of its body's link.
    Vec direction(const LoopFrame& frame, const Vector3d& axis) const;
    ConstraintRow distanceRow(const mw::Loop& loop, const Paths& paths, RowForm form, bool free_fall);
    std::vector<ConstraintRow> jointRows(const mw::Loop& loop, const Paths& paths, RowForm form, bool free_fall);
    /// Three directions on the links of both ways and at their ends: [direction][link].
    struct Triad {
        std::array<std::vector<Vec>, 3> on_from, on_to;
        std::array<Vec, 3> on_meeting, at_from, at_to;
    };
    template <class Crossing>
    Triad carried(const std::array<Vec, 3>& axes, const std::vector<int>& from, const std::vector<int>& to,
                  const Crossing& crossing) const;
    Triad fromPredecessor(const std::array<Vec, 3>& axes, const Paths& paths, bool free_fall);
    Triad fromSuccessor(const std::array<Vec, 3>& axes, const Paths& paths, bool free_fall);
    /// Rotation vector's components along the triad, of the successor's triad seen from the predecessor's.
    Vec turnBetweenAxes(const Vec& axis);
    Vec turnOf(const Mat& R);
    void addEntries(ConstraintRow& row, const Link& link, const Wrench& wrench, bool successor) const;
    Expr constant(double x) const { return graph_.constant(x); }

    Graph& graph_;
    const Model& model_;
    const LinkTree& tree_;
    NodeOwners& owners_;
    std::map<std::pair<int, int>, Bridge> bridges_;
};

}  // namespace mw::gen
