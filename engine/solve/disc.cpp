// B p' + c = -s p' with s >= 0: the multiplier s makes |p'| the radius. Solved in the block's own axes, where each
// component is c_i / (b_i + s), by Newton's method on 1/|p'| - 1/radius, which is concave and nearly straight in s (the
// secular equation of trust regions; Nocedal and Wright, Numerical Optimization, section 4.3).
#include "engine/solve/disc.h"

#include <algorithm>
#include <cmath>

namespace mw {

void solveOnDisc(const DiscBlock& block, double r1, double r2, double radius, double& p1, double& p2) {
    if (!(radius > 0)) {
        p1 = p2 = 0;
        return;
    }
    // c: residual at p' = 0.
    const double c1 = r1 - block.w11 * p1 - block.w12 * p2, c2 = r2 - block.w12 * p1 - block.w22 * p2;
    const double determinant = block.w11 * block.w22 - block.w12 * block.w12;
    if (determinant > 1e-14 * block.w11 * block.w22) {
        const double s1 = (block.w12 * c2 - block.w22 * c1) / determinant;
        const double s2 = (block.w12 * c1 - block.w11 * c2) / determinant;
        if (s1 * s1 + s2 * s2 <= radius * radius) {
            p1 = s1, p2 = s2;
            return;
        }
    }
    // The block's axes: (cosine, sine) belongs to b1.
    const double mean = 0.5 * (block.w11 + block.w22), half = 0.5 * (block.w11 - block.w22);
    const double spread = std::hypot(half, block.w12), angle = 0.5 * std::atan2(block.w12, half);
    const double b1 = mean + spread, b2 = std::max(0.0, mean - spread);
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double d1 = cosine * c1 + sine * c2, d2 = -sine * c1 + cosine * c2;
    const double size = std::hypot(d1, d2);
    if (!(size > 0)) {  // nothing pulls
        p1 = p2 = 0;
        return;
    }
    // |p'| at s lies between size / (b1 + s) and size / (b2 + s).
    double s = std::max(0.0, size / radius - b1);
    for (int k = 0; k < 60; ++k) {
        const double e1 = b1 + s, e2 = b2 + s;
        const double x1 = d1 == 0 ? 0 : d1 / e1, x2 = d2 == 0 ? 0 : d2 / e2;
        const double length = std::hypot(x1, x2);
        if (!(length > 0) || !std::isfinite(length)) {
            s = std::max(s, 1e-16 * b1) * 2;
            continue;
        }
        const double slope = ((x1 == 0 ? 0 : x1 * x1 / e1) + (x2 == 0 ? 0 : x2 * x2 / e2)) / (length * length);
        const double step = (length / radius - 1) / slope;  // Newton on 1/radius - 1/length
        const double next = std::max(0.0, s + step);
        const bool done = std::abs(next - s) <= 1e-15 * (s + b1);
        s = next;
        if (done) break;
    }
    double x1 = b1 + s > 0 ? -d1 / (b1 + s) : 0, x2 = b2 + s > 0 ? -d2 / (b2 + s) : 0;
    const double length = std::hypot(x1, x2);
    if (length > radius) x1 *= radius / length, x2 *= radius / length;
    p1 = cosine * x1 - sine * x2, p2 = sine * x1 + cosine * x2;
}

}  // namespace mw
