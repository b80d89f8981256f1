// The height of the ground over a point and its two first derivatives: all that the contact law asks of a terrain, flat
// or not. Base axes, z up.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/model.h"

namespace mw {

class Terrain {
public:
    struct Sample {
        double height = 0;  ///< m
        double slope_x = 0, slope_y = 0;
    };

    Terrain() = default;
    /// `tilt`: the whole turned rigidly about the base's y by this angle, rad, uphill towards +x. A turned plane is a
    /// plane; of anything else the height over a point is found by Newton's method on the surface. Throws
    /// std::invalid_argument where the turned surface would no longer be a height field (steeper than 80 degrees
    /// somewhere).
    explicit Terrain(const Ground& ground, double tilt = 0);

    Sample at(double x, double y) const { return plane_ ? Sample{p0_ + px_ * x + py_ * y, px_, py_} : uneven(x, y); }
    double height(double x, double y) const { return at(x, y).height; }
    bool isPlane() const { return plane_; }
    /// Greatest magnitude of the slope that the description allows (a bound, for step sizes and drawings).
    double steepest() const { return steepest_; }
    /// A plane that the terrain nowhere rises above: height is a bound, the slopes are the plane's.
    Sample ceiling(double x, double y) const { return {c0_ + px_ * x + py_ * y, px_, py_}; }

private:
    Sample uneven(double x, double y) const;
    Sample upright(double x, double y) const;

    struct Ripple {
        double amplitude, kx, ky;  // amplitude sin(kx x + ky y)
    };
    std::vector<Ripple> ripples_;
    Ground ground_;
    double sine_ = 0, cosine_ = 1;
    bool plane_ = true, tilted_ = false;
    double ux_ = 0, uy_ = 0, u0_ = 0;           // the plane as written: u0 + ux x + uy y
    double px_ = 0, py_ = 0, p0_ = 0, c0_ = 0;  // turned; c0: of the ceiling
    double steepest_ = 0;
};

/// Bicubic (Catmull-Rom) value of a grid and its derivatives: heights and slopes without a jump across cell edges.
/// Outside the grid the border's height goes on level; the slope across the border is zero there (nodes are mirrored at
/// it). Quadratics come out exact, but for the border's own cells.
Terrain::Sample bicubic(const HeightGrid& grid, double x, double y);

}  // namespace mw
