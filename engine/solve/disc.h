// Two tangential impulses on a disc: the least of their own quadratic inside a circle.
#pragma once

namespace mw {

/// Of W with softness: symmetric, positive.
struct DiscBlock {
    double w11 = 0, w22 = 0, w12 = 0;
};

/// Moves (p1, p2) to where the block's residual r + B (p' - p) is zero, or, where that is outside the circle of
/// `radius`, to the point of the circle at which the residual is opposed to p': the slip is against the friction.
void solveOnDisc(const DiscBlock& block, double r1, double r2, double radius, double& p1, double& p2);

}  // namespace mw
