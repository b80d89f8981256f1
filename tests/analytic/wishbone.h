// A double wishbone worked out by plain geometry, from the published hardpoints: no frames, no Jacobians, no
// multipliers. The lower arm turns by an angle; the upper arm follows from the kingpin's length, the wheel from the tie
// rod's. And the laws of its spring as published. What the vehicle models and their kernels must agree with.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace mw::test {

using Point = std::array<double, 3>;

inline Point operator+(const Point& a, const Point& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Point operator*(double s, const Point& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double length(const Point& a) { return std::sqrt(dot(a, a)); }
inline Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A vector turned about a unit axis (Rodrigues' formula).
inline Point turned(const Point& v, const Point& axis, double angle) {
    return std::cos(angle) * v + std::sin(angle) * cross(axis, v) + (1 - std::cos(angle)) * dot(axis, v) * axis;
}
inline Point turnedAbout(const Point& p, const Point& a, const Point& b, double angle) {
    return a + turned(p - a, (1 / length(b - a)) * (b - a), angle);
}

/// The zero of f nearest to `from`, by steps outwards and then bisection to the last digit.
template <typename F>
double zeroNear(F f, double from, double step, double reach) {
    for (double s = step; s <= reach; s += step)
        for (const double side : {from + s, from - s}) {
            double a = side > from ? side - step : side, b = a + step, fa = f(a);
            if ((fa <= 0) == (f(b) <= 0)) continue;
            for (int i = 0; i < 200 && a < b; ++i) {
                const double m = (a + b) / 2, fm = f(m);
                if (m == a || m == b) break;
                if ((fm <= 0) == (fa <= 0)) a = m, fa = fm;
                else b = m;
            }
            return (a + b) / 2;
        }
    throw std::runtime_error("no zero in reach");
}

/// Hardpoints of the left side in the suspension frame (Project Chrono, HMMWV_DoubleWishboneFront.json, ...Rear.json).
struct Wishbone {
    Point lca_front, lca_back, lca_ball, lca_cg, uca_front, uca_back, uca_ball, uca_cg, upright, wheel;
    Point spring_top, spring_low, tie_in, tie_out;
    double free_length, shortest, longest;  // of the spring; beyond, the stops act
    std::array<double, 11> table;           // spring force at deformations 0, 0.02 ... 0.2 m

    struct Pose {
        double upper = 0, spin = 0;  // angles: of the upper arm, of the upright about its kingpin
        Point wheel, heading;        // wheel centre; the wheel's x axis
        Point lca_cg, uca_cg, upright;
        double spring = 0;
    };
    /// Bump is positive, as in the models. `tie_shift` moves the tie rod's inner end.
    Pose at(double lower, const Point& tie_shift = {}) const {
        Pose pose;
        const Point low = turnedAbout(lca_ball, lca_back, lca_front, lower);
        const double kingpin = length(uca_ball - lca_ball), rod = length(tie_out - tie_in);
        const auto upper = [&](double angle) { return turnedAbout(uca_ball, uca_back, uca_front, angle); };
        pose.upper = zeroNear([&](double a) { return length(upper(a) - low) - kingpin; }, 1.3 * lower, 0.01, 1.0);
        const Point high = upper(pose.upper);
        // The upright: its kingpin first laid on the new one by the shortest turn, then turned about it.
        const Point k0 = (1 / kingpin) * (uca_ball - lca_ball), k1 = (1 / kingpin) * (high - low);
        const Point across = cross(k0, k1);
        const double sine = length(across);
        const auto carried = [&](const Point& v, double spin) {
            const Point laid = sine > 1e-15 ? turned(v, (1 / sine) * across, std::atan2(sine, dot(k0, k1))) : v;
            return turned(laid, k1, spin);
        };
        const Point inner = tie_in + tie_shift;
        pose.spin = zeroNear([&](double a) { return length(low + carried(tie_out - lca_ball, a) - inner) - rod; }, 0,
                             0.01, 1.2);
        pose.wheel = low + carried(wheel - lca_ball, pose.spin);
        pose.upright = low + carried(upright - lca_ball, pose.spin);
        pose.heading = carried({1, 0, 0}, pose.spin);
        pose.lca_cg = turnedAbout(lca_cg, lca_back, lca_front, lower);
        pose.uca_cg = turnedAbout(uca_cg, uca_back, uca_front, pose.upper);
        pose.spring = length(turnedAbout(spring_low, lca_back, lca_front, lower) - spring_top);
        return pose;
    }

    /// Tension at a length: the table, odd, straight between rows, constant beyond; the stops on top of it.
    double tension(double l) const {
        const double d = l - free_length, size = std::min(std::abs(d), 0.2);
        const std::size_t row = std::min<std::size_t>(static_cast<std::size_t>(size / 0.02), 9);
        const double f = table[row] + (table[row + 1] - table[row]) * (size - 0.02 * static_cast<double>(row)) / 0.02;
        return std::copysign(f, d) + stop(l - longest) - stop(shortest - l);
    }
    static double stop(double depth) {
        static const std::array<double, 11> x = {0, 0.002, 0.004, 0.006, 0.008, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06};
        static const std::array<double, 11> f = {0, 200, 400, 600, 800, 1000, 2500, 4500, 7500, 12500, 125000};
        if (depth <= 0) return 0;
        for (std::size_t i = 1; i < x.size(); ++i)
            if (depth <= x[i]) return f[i - 1] + (f[i] - f[i - 1]) * (depth - x[i - 1]) / (x[i] - x[i - 1]);
        return f.back();
    }
    /// Energy of the spring, its zero at the free length: by the trapezium rule on the corners' grid, which is exact
    /// for straight pieces.
    double energy(double l) const {
        std::vector<double> corners = {free_length, l};
        for (int i = -10; i <= 10; ++i) corners.push_back(free_length + 0.02 * i);
        for (const double depth : {0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06})
            corners.insert(corners.end(), {longest + depth, shortest - depth});
        std::sort(corners.begin(), corners.end());
        double sum = 0;
        for (std::size_t i = 1; i < corners.size(); ++i) {
            const double a = corners[i - 1], b = corners[i];
            if (a < std::min(l, free_length) || b > std::max(l, free_length)) continue;
            sum += (tension(a) + tension(b)) / 2 * (b - a);
        }
        return l < free_length ? -sum : sum;
    }
};

inline const Wishbone& frontWishbone() {
    static const Wishbone w = {{0.223, 0.307, 0},
                               {-0.223, 0.307, 0},
                               {-0.036, 0.787, -0.118},
                               {0, 0.547, -0.059},
                               {-0.048, 0.446, 0.245},
                               {-0.268, 0.478, 0.196},
                               {-0.053, 0.716, 0.215},
                               {-0.106, 0.589, 0.218},
                               {-0.040, 0.751, -0.026},
                               {-0.040, 0.910, -0.026},
                               {0.104, 0.510, 0.197},
                               {0.097, 0.543, -0.047},
                               {-0.250, 0.448, 0.054},
                               {-0.176, 0.821, -0.016},
                               0.339,
                               0.15,
                               0.3,
                               {0, 3629.923, 8991.945, 17818.165, 31840.681, 52791.592, 82402.997, 122406.996,
                                174535.686, 240521.166, 322095.536}};
    return w;
}

inline const Wishbone& rearWishbone() {
    static const Wishbone w = {{0.223, 0.307, 0},
                               {-0.223, 0.307, 0},
                               {0.036, 0.787, -0.118},
                               {0, 0.547, -0.059},
                               {0.349, 0.462, 0.228},
                               {0.077, 0.462, 0.224},
                               {0.036, 0.716, 0.216},
                               {0.124, 0.589, 0.221},
                               {0.036, 0.751, -0.026},
                               {0.036, 0.910, -0.026},
                               {-0.104, 0.502, 0.256},
                               {-0.097, 0.543, -0.047},
                               {0.223, 0.416, 0.059},
                               {0.170, 0.821, -0.009},
                               0.382,
                               0.15,
                               0.35,
                               {0, 8020.869, 19869.076, 39371.956, 70356.846, 116651.084, 182082.006, 270476.949,
                                385663.250, 531468.245, 711719.272}};
    return w;
}

}  // namespace mw::test
