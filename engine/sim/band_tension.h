// Tension along a band, from what the shoes do and not from the laws that pull them.
#pragma once

#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// N, positive pulling: at each pin of the walk, along the link that leaves it.
struct BandTension {
    std::vector<double> pins;  ///< one a shoe
    double least = 0, greatest = 0;
    /// What the balance of the anchor shoe leaves over, N: the walk around the band must close on itself. Rounding.
    double open = 0;
};

/// One a track. Newton's law shoe by shoe, from the closure's force against the walk: each pin's force is what the shoe
/// before must give so that this one moves as it does. X, V, fext, vdot, lambda as of kernel_abi.h (fext may be
/// empty: none). Empty pins where a track is not expanded.
std::vector<BandTension> bandTensions(const Model& model, const Layout& layout, std::span<const double> param,
                                      std::span<const double> v, std::span<const double> X, std::span<const double> V,
                                      std::span<const double> fext, std::span<const double> vdot,
                                      std::span<const double> lambda);

}  // namespace mw
