// How coordinates move with velocities: what a step of the simulation, an assembly and a drag of the mouse all use.
#pragma once

#include <vector>

#include "engine/model/layout.h"

namespace mw {

/// q <- q drifted by h with velocities v: the exact map of every joint (quaternions by the exponential, a floating
/// body's position by the self-adjoint midpoint rule), so that +h then -h returns.
void drift(const Model& model, const Layout& layout, std::vector<double>& q, const std::vector<double>& v, double h);

/// The same map with what it needs of the model laid out once, for who drifts at every step: runs of scalar joints, and
/// the joints with quaternions.
class DriftPlan {
public:
    DriftPlan() = default;
    DriftPlan(const Model& model, const Layout& layout);
    void operator()(std::vector<double>& q, const std::vector<double>& v, double h) const;

private:
    struct Run {
        int q = 0, v = 0, count = 0;
    };
    struct Turn {
        int q = 0, v = 0;
        bool floating = false;
    };
    std::vector<Run> runs_;
    std::vector<Turn> turns_;
};

}  // namespace mw
