// Closed loops at a state: the rows of K, their rates, velocity products and position errors (RBDA chapter 8), derived
// in two ways that share only the rows' directions, the frames in their bodies and the errors:
//   loopRows:          spatial motions of the two chains in base coordinates, dotted with the constraint forces T;
//   loopRowsByBodies:  forces walked down the chains joint by joint, and points' velocities and accelerations.
// Rows, signs and units are those of engine/model/loop_rows.h. A distance row is in the squared form inside,
// delta = (|rho|^2 - L^2) / 2, whose gradient is rho . J without any square root; outside it is the unit form.
// Call updateKinematics first.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/dynamics/kinematics.h"
#include "engine/model/loop_rows.h"

namespace mw {

/// What of a loop's numbers enters its equations: the two frames in their bodies, and the wanted length.
struct LoopNumbers {
    Matrix3 R_from, R_to;
    Vector3 p_from, p_to;
    double length = 0;
};

struct CompiledLoop {
    static constexpr int kMostRows = 5;
    LoopType type = LoopType::revolute;
    int from = kBase, to = kBase;  ///< predecessor, successor
    int common = kBase;            ///< the last body that both chains hang on: it moves both ends alike
    int first = 0, rows = 0;       ///< in K and lambda
    Vector3 axis;                  ///< predecessor's loop frame
    std::array<LoopRow::Kind, kMostRows> kind{};
    std::array<Vector3, kMostRows> direction;  ///< predecessor's loop frame
};

/// The loops of a Topology. Immutable.
class LoopSet {
public:
    explicit LoopSet(const Topology& topology);

    int nc() const { return nc_; }
    bool empty() const { return loops_.empty(); }
    const std::vector<CompiledLoop>& loops() const { return loops_; }
    /// Some frame or length hangs on a live parameter.
    bool isLive() const { return live_; }
    LoopNumbers numbersOf(const Model& model, int loop, std::span<const double> param) const;
    /// With the declared parameters: right at every call when nothing is live.
    const std::vector<LoopNumbers>& declaredNumbers() const { return declared_; }
    /// Decay time of the errors, s; 0: they are left alone.
    double stabilisation() const { return stab_; }

private:
    std::vector<CompiledLoop> loops_;
    std::vector<LoopNumbers> declared_;
    double stab_ = 0;
    int nc_ = 0;
    bool live_ = false;
};

/// Where the rows go; nc numbers each, K nc x nv row by row. All in the inside form of a distance row.
struct LoopRows {
    double* K;
    double* gamma;  ///< K vdot = gamma keeps the rates as they are
    double* rate;   ///< K v
    double* error;  ///< rad or m; distance: delta, m^2
    double*
        length;  ///< distance: |rho|; other rows 1. K / length is the outside form, lambda * length the outside force
};

void loopRows(const Topology& topology, const LoopSet& loops, const LoopNumbers* numbers, const BodyKinematics* bodies,
              const LoopRows& out);

/// `scratch`: one a body.
void loopRowsByBodies(const Topology& topology, const LoopSet& loops, const LoopNumbers* numbers,
                      const BodyKinematics* bodies, Vector6* scratch, const LoopRows& out);

/// A loop frame in base.
struct LoopFramePose {
    Matrix3 R;
    Vector3 p;
};
/// Errors of a loop's rows without the heap: loopError() of engine/model, the squared form for distance.
void loopErrors(const CompiledLoop& loop, const LoopFramePose& from, const LoopFramePose& to, double length,
                double* error);

/// gamma <- gamma - (2/T) rate - (1/T^2) error: what K vdot shall be, so that errors decay as (1 + t/T) exp(-t/T)
/// (RBDA equation 8.12 with alpha = beta = 1/T).
void stabilise(const LoopSet& loops, const LoopRows& rows);

}  // namespace mw
