// What the parts of Closure and ManifoldWalk share: a pose's kinematics, the rows of its loops, the metric in which
// steps are short, and the way back to a closed pose. Internal to this room.
//
// The metric is the mass matrix and a thousandth of an even one (mean mass on lengths, mean mass times size squared on
// angles): light parts give way before heavy ones, and parts of hardly any inertia do not run away.
#pragma once

#include <limits>
#include <string>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/kinematics.h"
#include "engine/model/loop_rows.h"

namespace mw {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Held absolutely, in Hold.
constexpr double kFixed = std::numeric_limits<double>::infinity();
/// One number a velocity: 0 free, kFixed held, between: so many times heavier. Empty: all free.
using Hold = std::vector<double>;

/// Largest |error| of a pose.
struct Worst {
    double error = 0;
    int loop = -1, row = 0;
};

class ClosureSpace {
public:
    explicit ClosureSpace(const Model& model);

    const Topology topology;
    const Model& model() const { return topology.model(); }
    const Layout& layout() const { return topology.layout(); }
    double size = 1;  ///< m: what counts as much as one radian
    VectorXd unit;    ///< per velocity: 1 for a turn, `size` for a slide
    /// Per body: between the two ends of some loop.
    std::vector<char> on_loop;
    /// Bodies between the ends of each loop, +1 on the successor's side and -1 on the predecessor's; what both ends
    /// hang on is left out, since it moves them alike.
    struct PathStep {
        int body;
        double sign;
    };
    std::vector<std::vector<PathStep>> paths;
    std::vector<std::vector<LoopRow>> rows;

    /// Kinematics of a pose; what follows is said of it.
    void place(std::span<const double> q, std::span<const double> param);
    VectorXd error() const;
    Worst worst(const VectorXd& error) const;
    /// Rounding that errors of this pose carry.
    double rounding() const;
    /// K in the units of the interface (distance: unit form). Where the two points of a distance loop coincide the
    /// predecessor's x stands for the line.
    MatrixXd jacobian() const;
    MatrixXd mass();
    /// Factor of the metric, with held velocities taken out of it.
    Eigen::LLT<MatrixXd> metric(const Hold& hold);
    /// Of a metric in which every direction counts alike, whatever it has to move.
    Eigen::LLT<MatrixXd> evenMetric() const;
    const std::vector<BodyKinematics>& bodies() const { return bodies_; }
    /// Motion of a point of a body (body axes), 3 x nv.
    MatrixXd pointJacobian(int body, const Vector3& at) const;
    Vector3 point(int body, const Vector3& at) const;
    /// Rows of one loop, of this type and axis perhaps instead of its own, at the pose.
    MatrixXd rowsOfLoop(int loop, const std::vector<LoopRow>& rows) const;

    /// Gauss-Newton with step control (Levenberg's damping, steps of at most half a radian or half the size) until
    /// every |error| is below tolerance, or nothing helps. q is always the best pose found and finite.
    struct Descent {
        bool closed = false;
        Worst left;
        int steps = 0;
    };
    /// Eight steps in a row that each win less than `least_gain` of the squared errors end it.
    Descent descend(std::vector<double>& q, std::span<const double> param, const Hold& hold, double tolerance,
                    int most_steps, double least_gain = 1e-3);

    /// Replaces what is not finite (or absurdly large) by the start pose's, normalises quaternions; false when
    /// something was replaced.
    bool sanitise(std::vector<double>& q, std::span<const double> param) const;

private:
    std::vector<BodyNumbers> numbers_;
    std::vector<BodyKinematics> bodies_;
    std::vector<Matrix6> composite_;
    std::vector<Placement> from_, to_;  // loop frames in base
    std::vector<double> lengths_;       // of distance loops
    std::vector<double> param_;
};

/// K^T without the columns of held velocities.
MatrixXd transposedWithout(const MatrixXd& K, const Hold& hold);
/// Rows of unit length; those that are nothing but rounding become zero.
MatrixXd unitRows(const ClosureSpace& space, const MatrixXd& K, const std::vector<LoopRow>& rows);
/// All rows of a model's loops, in order.
std::vector<LoopRow> allRows(const ClosureSpace& space);
/// Largest |v| in turns of a radian and slides of the size.
double stepLength(const ClosureSpace& space, const VectorXd& v);
/// q drifted by v.
std::vector<double> moved(const ClosureSpace& space, std::vector<double> q, const VectorXd& v);

/// Motions that the loops allow, in the coordinates y = L^T v of a metric L L^T.
class Tangent {
public:
    /// K: rows as they come; they are scaled to the space's units.
    Tangent(const ClosureSpace& space, const MatrixXd& K, Eigen::LLT<MatrixXd> metric, const Hold& hold);
    /// The nearest velocity that the loops allow.
    VectorXd project(const VectorXd& v) const;
    /// The part of y that the loops allow.
    VectorXd allowed(const VectorXd& y) const;
    VectorXd toMetric(const VectorXd& v) const { return metric_.matrixU() * v; }
    VectorXd toVelocity(const VectorXd& y) const { return metric_.matrixU().solve(y); }
    /// J L^-T, transposed.
    MatrixXd toMetricRows(const MatrixXd& J) const { return metric_.matrixL().solve(J.transpose()); }
    int rank(double threshold) const;
    /// Orthonormal basis of what the loops allow, in y.
    MatrixXd basis() const;

private:
    Eigen::LLT<MatrixXd> metric_;
    Eigen::ColPivHouseholderQR<MatrixXd> qr_;
    MatrixXd Q_;       // orthonormal basis of the forbidden directions
    VectorXd pivots_;  // sizes, falling
};

struct Closure::Inside {
    explicit Inside(const Model& model) : space(model) {}
    ClosureSpace space;
};

}  // namespace mw
