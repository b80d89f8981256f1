// One way that a mechanism can move, played back and forth: closed poses along the motion, found once, between which
// any instant is closed again. Kinematics alone; nothing runs.
#pragma once

#include <vector>

#include "engine/dynamics/closure.h"

namespace mw::app {

class MotionPath {
public:
    /// From a pose along motion `which` of those that it has there. `size`: of the mechanism, m; the motion goes as far
    /// as a sixth of it, or 0.7 rad, or to where loops, sliders or limits end it. Of large mechanisms, whose steps take
    /// long, the first part of that.
    MotionPath(Closure& closure, std::vector<double> q, std::vector<double> param,
               const std::vector<FreeMotion>& motions, std::size_t which, double size);

    /// Pose after so many seconds of play: begins at the pose it was made from, swings both ways, smooth.
    std::vector<double> at(double seconds);
    /// Whether there is anything to see.
    bool moves() const { return poses_.size() > 1; }
    static constexpr double kPeriod = 2.8;  ///< s, there and back again

private:
    std::vector<double> direction(const std::vector<double>& q);
    /// A step of the leading coordinate from a closed pose; empty when it cannot be closed with that coordinate held.
    std::vector<double> step(const std::vector<double>& q, double by);
    std::vector<std::vector<double>> walk(const std::vector<double>& q, double sign, double size);
    double departure(const std::vector<double>& q, double size) const;
    bool within(const std::vector<double>& q) const;

    Closure& closure_;
    std::vector<double> param_, start_;
    std::vector<int> leads_;
    std::size_t which_;
    int taken_ = 0;                           ///< Gauss-Newton steps, and what costs as much, so far
    double step_ = 0;                         ///< of the leading coordinate between two poses
    std::vector<std::vector<double>> poses_;  ///< from one end of the motion to the other
    int middle_ = 0;                          ///< where the start pose lies among them
};

}  // namespace mw::app
