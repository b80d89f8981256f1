// The geometry of closed loops: assembling a pose, keeping it closed while something moves, free motions, and whether
// the rows of the loops are independent. Works on positions and velocities alone; forces are the kernel's matter.
//
// All corrections are made in velocity space and carried into q by the joints' exact maps (drift.h), so that
// quaternions stay unit: a Gauss-Newton step is v = -K^+ error, q <- drift(q, v, 1).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/diagnostic.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/layout.h"

namespace mw {

struct Assembly {
    bool closed = false;
    std::vector<double> q;  ///< the pose reached: closed, or the nearest that was found
    double worst = 0;       ///< largest |error| left, m or rad
    int loop = -1;          ///< the loop with it
    int row = 0;            ///< its row within that loop
    int steps = 0;          ///< Gauss-Newton steps taken
    bool kept = true;       ///< the velocities to keep kept their coordinates
    std::string what;       ///< "closed to 3e-15 in 4 steps", or by how much and where it stays open and what to try
};

struct AssembleOptions {
    double tolerance = 1e-12;  ///< m, rad: closed when every |error| is below
    int most_steps = 400;
    std::vector<int> keep;  ///< velocities whose coordinates should stay (a slider that is held)
};

/// A redundant row, and its direction in words.
struct RedundantRow {
    int loop = 0, row = 0;
    std::string direction;  ///< "turning about x" (predecessor's loop frame)
};

/// Replaces a loop's type by one with fewer rows that forbids the same motions.
struct LoopRemedy {
    int loop = 0;
    LoopType type = LoopType::point_on_line;
    Vector3d axis{0, 0,
                  1};  ///< its axis, predecessor's loop frame: the loop's own, or (spherical) the redundant direction
};

struct LoopHealth {
    int nc = 0, nv = 0;
    int rank = 0;          ///< of K, rows scaled to unit length, singular values above 1e-9 of the largest
    int mobility = 0;      ///< nv - rank
    double condition = 1;  ///< of A = K M^-1 K^T (infinite when singular)
    std::vector<RedundantRow> redundant;  ///< empty when rank = nc
    std::vector<LoopRemedy> remedies;     ///< tried: with them rank = nc and the mobility is the same
    /// Of generalHealth: no closed pose was found from the start pose, and Assembly::what of the attempt says why. The
    /// figures are then those of open poses.
    bool closes = true;
    std::string open;
    int open_loop = -1;
    bool sound() const { return rank == nc; }
};

/// One way that a mechanism can move from a pose.
struct FreeMotion {
    int velocity = 0;       ///< the coordinate that leads it
    std::string name;       ///< its name: "rack", "chassis.vz"
    std::vector<double> v;  ///< nv velocities with K v = 0, 1 for the leading coordinate
};

/// Not for two threads at once (it holds a workspace). Immutable otherwise.
class Closure {
public:
    explicit Closure(const Model& model);
    ~Closure();
    Closure(Closure&&) noexcept;
    Closure& operator=(Closure&&) noexcept;

    const Model& model() const;
    const Layout& layout() const;

    /// nc numbers in the rows' order.
    std::vector<double> error(std::span<const double> q, std::span<const double> param);
    /// K, nc x nv row by row.
    std::vector<double> jacobian(std::span<const double> q, std::span<const double> param);

    /// Nearest closed pose by Gauss-Newton with step control.
    Assembly assemble(std::vector<double> q, std::span<const double> param, const AssembleOptions& options = {});
    /// The velocities nearest to v (in the sense of the mass matrix) with K v = 0.
    std::vector<double> project(std::span<const double> q, std::span<const double> v, std::span<const double> param);

    /// Rank, mobility and conditioning at a pose. A single pose can be singular without fault: judge by several.
    LoopHealth health(std::span<const double> q, std::span<const double> param);
    /// The best of the start pose (assembled) and of some poses about it: what the mechanism is like, isolated singular
    /// poses left aside. Deterministic.
    LoopHealth generalHealth(std::span<const double> param);

    /// One a mobility; leading coordinates chosen so that each motion is well determined, joints that carry drives and
    /// sliders first.
    std::vector<FreeMotion> freeMotions(std::span<const double> q, std::span<const double> param);

    /// Moves a point of a body (body axes) towards a target (base axes) as far as joints and loops let it; the result
    /// is closed to options.tolerance when q was. Least change of everything else, in the sense of the mass matrix.
    Assembly drag(std::vector<double> q, int body, const Vector3d& point, const Vector3d& target,
                  std::span<const double> param, const AssembleOptions& options = {});
    /// Sets one coordinate (by its velocity slot; joints with q per v) and lets the loops follow.
    Assembly setCoordinate(std::vector<double> q, int velocity, double value, std::span<const double> param,
                           const AssembleOptions& options = {});

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// Poses on the closure manifold: a random walk of moderate tangent steps from the start pose (assembled), projected
/// back each time; then velocities that keep the loops closed. Sequential; the same seed gives the same states
/// everywhere.
///
/// A step takes the fastest joint between 0.05 and 0.3 rad (lengths: of the mechanism's size), and a weak pull towards
/// the start pose, a seventh of the way, keeps linkages on the side where they were built: wishbones do not turn over.
/// Poses within some thousandths of a singular one are stepped over. Joints between the ends of no loop are drawn anew
/// each time as in trees.
class ManifoldWalk {
public:
    ManifoldWalk(const Model& model, std::uint64_t seed);
    ~ManifoldWalk();
    ManifoldWalk(ManifoldWalk&&) noexcept;
    ManifoldWalk& operator=(ManifoldWalk&&) noexcept;
    struct Pose {
        std::vector<double> q, v;  ///< closed to 1e-12; K v = 0 to rounding
        bool sound = true;         ///< false: the walk could not close (the last closed pose is given again)
    };
    /// Live parameters may differ from pose to pose: closure is restored at these.
    Pose next(std::span<const double> param);

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// Findings that need the geometry of loops, for the text's list of problems: redundant rows (error, with the patch
/// that mends it), loops that cannot be closed (warning). Bounded work: a few milliseconds for small mechanisms.
std::vector<Diagnostic> closureFindings(const Model& model, const mech::SyntaxTree& tree);
/// The same from a generalHealth that is known already.
std::vector<Diagnostic> closureFindings(const Model& model, const mech::SyntaxTree& tree, const LoopHealth& health);
/// Few enough rows and velocities for closureFindings; it says nothing of larger mechanisms, the proof does.
bool smallEnoughForFindings(const Model& model);

/// `start` values of an assembled pose as a patch of the text: only bodies whose coordinates differ.
std::vector<TextEdit> startPatch(const Model& model, const Layout& layout, const mech::SyntaxTree& tree,
                                 std::span<const double> q);

}  // namespace mw
