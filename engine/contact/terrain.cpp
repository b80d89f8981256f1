// Heights and slopes of planes, waves, steps, bumps and grids, upright or turned.
#include "engine/contact/terrain.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mw {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLeastWidth = 1e-6;  // m, of a step without a width

/// Catmull-Rom's four weights at t in [0, 1] between the second and the third node, and their derivatives.
struct Weights {
    double w[4], d[4];
};
Weights weightsAt(double t) {
    const double t2 = t * t, t3 = t2 * t;
    return {
        {0.5 * (-t + 2 * t2 - t3), 0.5 * (2 - 5 * t2 + 3 * t3), 0.5 * (t + 4 * t2 - 3 * t3), 0.5 * (t3 - t2)},
        {0.5 * (-1 + 4 * t - 3 * t2), 0.5 * (-10 * t + 9 * t2), 0.5 * (1 + 8 * t - 9 * t2), 0.5 * (3 * t2 - 2 * t)}};
}

/// The four nodes around a coordinate, mirrored at the border, and the place between the middle two.
struct Along {
    int node[4] = {0, 0, 0, 0};
    double t = 0;
    bool level = true;  // outside, or a single node: no slope
};
Along along(double x, double x0, double dx, int n) {
    Along a;
    if (n < 2 || !(dx > 0)) return a;
    const double s = (x - x0) / dx;
    a.level = !(s > 0 && s < n - 1);
    const double inside = s > 0 ? std::min(s, double(n - 1)) : 0;  // a NaN lands on the first node
    const int cell = std::min(static_cast<int>(inside), n - 2);
    a.t = inside - cell;
    const auto mirrored = [n](int i) { return std::clamp(i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i, 0, n - 1); };
    for (int k = 0; k < 4; k++) a.node[k] = mirrored(cell - 1 + k);
    return a;
}

/// Quintic smoothstep and its derivative: curvature without a jump.
Terrain::Sample rise(double t) {
    if (t <= 0) return {};
    if (t >= 1) return {1, 0, 0};
    return {t * t * t * (10 + t * (6 * t - 15)), 30 * t * t * (1 - t) * (1 - t), 0};
}

}  // namespace

Terrain::Sample bicubic(const HeightGrid& grid, double x, double y) {
    if (grid.nx < 1 || grid.ny < 1 || grid.heights.size() < std::size_t(grid.nx) * std::size_t(grid.ny)) return {};
    const Along i = along(x, grid.x0, grid.dx, grid.nx), j = along(y, grid.y0, grid.dy, grid.ny);
    const Weights wx = weightsAt(i.t), wy = weightsAt(j.t);
    Terrain::Sample s;
    for (int b = 0; b < 4; b++) {
        const double* row = grid.heights.data() + std::size_t(j.node[b]) * std::size_t(grid.nx);
        double h = 0, hx = 0;
        for (int a = 0; a < 4; a++) {
            h += wx.w[a] * row[i.node[a]];
            hx += wx.d[a] * row[i.node[a]];
        }
        s.height += wy.w[b] * h;
        s.slope_x += wy.w[b] * hx;
        s.slope_y += wy.d[b] * h;
    }
    s.slope_x = i.level ? 0 : s.slope_x / grid.dx;
    s.slope_y = j.level ? 0 : s.slope_y / grid.dy;
    return s;
}

Terrain::Terrain(const Ground& ground, double tilt) : ground_(ground) {
    plane_ = ground.waves.empty() && ground.steps.empty() && ground.bumps.empty() && !ground.grid;
    const Vector3d& n = ground.normal;
    if (!(n[2] > 0)) throw std::invalid_argument("the ground's normal must point upwards");
    ux_ = -n[0] / n[2];
    uy_ = -n[1] / n[2];
    u0_ = ground.offset / n[2];

    // Bounds of what stands on the plane: its height and its slope.
    double above = 0, slope = 0;
    for (const Ground::Wave& w : ground.waves) {
        above += std::abs(w.amplitude);
        if (!(w.length > 0)) continue;
        const double k = 2 * kPi / w.length;
        slope += k * std::abs(w.amplitude);
        ripples_.push_back({w.amplitude, k * std::cos(w.direction), k * std::sin(w.direction)});
    }
    for (const Ground::Step& s : ground.steps) {
        above += std::max(s.height, 0.0);
        slope += 1.875 * std::abs(s.height) / std::max(s.width, kLeastWidth);  // steepest at its middle: 15/8
    }
    for (const Ground::Bump& b : ground.bumps) {
        above += std::max(b.height, 0.0);
        if (b.radius > 0) slope += 1.71731 * std::abs(b.height) / b.radius;  // 96/(25 sqrt 5), at r = R/sqrt 5
    }
    if (const HeightGrid* g = ground.grid.get(); g && g->nx > 0 && g->ny > 0) {
        // The weights' magnitudes add up to at most 5/4, those of their derivatives on differences to 3/2.
        double low = g->heights[0], high = low, across_x = 0, across_y = 0;
        for (int j = 0; j < g->ny; j++) {
            for (int i = 0; i < g->nx; i++) {
                const double h = g->heights[std::size_t(j) * g->nx + i];
                low = std::min(low, h);
                high = std::max(high, h);
                if (i > 0) across_x = std::max(across_x, std::abs(h - g->heights[std::size_t(j) * g->nx + i - 1]));
                if (j > 0) across_y = std::max(across_y, std::abs(h - g->heights[std::size_t(j - 1) * g->nx + i]));
            }
        }
        above += high + 0.3 * (high - low);  // overshoot: 5/4 in each direction, about the middle
        slope += 1.875 * std::hypot(g->nx > 1 ? across_x / g->dx : 0, g->ny > 1 ? across_y / g->dy : 0);
    }
    slope += std::hypot(ux_, uy_);

    // Turned about y: p' = R p with R x = (c, 0, s), R z = (-s, 0, c), so that x rises.
    tilted_ = tilt != 0;
    sine_ = std::sin(tilt);
    cosine_ = std::cos(tilt);
    const double steep = 80 * kPi / 180;
    const double lean = cosine_ - sine_ * ux_;  // of the plane: > 0 while it is a height field
    const bool turned_over = plane_ ? !(lean > 0) || std::hypot((sine_ + cosine_ * ux_), uy_) > std::tan(steep) * lean
                                    : std::atan(slope) + std::abs(tilt) > steep;
    if (tilted_ && turned_over)
        throw std::invalid_argument("the ground turned by this angle would be steeper than 80 degrees somewhere");
    px_ = (sine_ + cosine_ * ux_) / lean;
    py_ = uy_ / lean;
    p0_ = u0_ / lean;
    c0_ = (u0_ + above) / lean;
    steepest_ = plane_ ? std::hypot(px_, py_) : std::tan(std::min(std::atan(slope) + std::abs(tilt), 0.499 * kPi));
}

Terrain::Sample Terrain::upright(double x, double y) const {
    Sample s{u0_ + ux_ * x + uy_ * y, ux_, uy_};
    for (const Ripple& r : ripples_) {
        const double phase = r.kx * x + r.ky * y, rate = r.amplitude * std::cos(phase);
        s.height += r.amplitude * std::sin(phase);
        s.slope_x += rate * r.kx;
        s.slope_y += rate * r.ky;
    }
    for (const Ground::Step& step : ground_.steps) {
        const double width = std::max(step.width, kLeastWidth);
        const Sample r = rise((x - step.at) / width + 0.5);
        s.height += step.height * r.height;
        s.slope_x += step.height * r.slope_x / width;
    }
    for (const Ground::Bump& b : ground_.bumps) {
        // h (1 - r^2/R^2)^3: slope and curvature vanish at the rim.
        const double dx = x - b.x, dy = y - b.y, rest = 1 - (dx * dx + dy * dy) / (b.radius * b.radius);
        if (!(rest > 0)) continue;
        const double slope = -6 * b.height * rest * rest / (b.radius * b.radius);
        s.height += b.height * rest * rest * rest;
        s.slope_x += slope * dx;
        s.slope_y += slope * dy;
    }
    if (ground_.grid) {
        const Sample g = bicubic(*ground_.grid, x, y);
        s.height += g.height;
        s.slope_x += g.slope_x;
        s.slope_y += g.slope_y;
    }
    return s;
}

Terrain::Sample Terrain::uneven(double x, double y) const {
    if (!tilted_) return upright(x, y);
    // The point (x, y, z) lies on the turned surface where F(z) = z0 - H(x0, y) = 0 with x0 = c x + s z, z0 = -s x + c
    // z. F' = c - s H_x > 0 (the constructor saw to it), so F rises and Newton's method may be fenced in by a bracket.
    double z = p0_ + px_ * x + py_ * y;
    double low = -HUGE_VAL, high = HUGE_VAL;
    Sample s;
    double lean = 1;
    for (int k = 0; k < 60; k++) {
        s = upright(cosine_ * x + sine_ * z, y);
        lean = cosine_ - sine_ * s.slope_x;
        const double F = cosine_ * z - sine_ * x - s.height;
        (F > 0 ? high : low) = z;
        double next = z - F / lean;
        if (!(next > low && next < high) && low > -HUGE_VAL && high < HUGE_VAL) next = 0.5 * (low + high);
        const double moved = std::abs(next - z);
        z = next;
        if (!(moved > 4e-16 * (1 + std::abs(z)))) break;
    }
    s = upright(cosine_ * x + sine_ * z, y);
    lean = cosine_ - sine_ * s.slope_x;
    return {z, (sine_ + cosine_ * s.slope_x) / lean, s.slope_y / lean};
}

}  // namespace mw
