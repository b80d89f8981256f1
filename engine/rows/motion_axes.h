// How bodies move with the generalised velocities, in one table: for every velocity its motion axis in base
// coordinates, for every body the velocities on its way to the base. Plain data, filled in by whoever knows the tree
// (engine/sim/motion_axes.h); routes and contacts make rows of Jacobians from it.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace mw {

struct MotionAxes {
    /// nv axes: [angular; linear of the point that is at the base origin], base axes. The velocity of body b, as the
    /// motion vector about the base origin, is the sum of axis[i] v[i] over chain(b) (RBDA section 2.4).
    std::vector<std::array<double, 6>> axis;
    std::vector<int> chain_begin;  ///< nbody + 1 entries into `chain_slots`
    std::vector<int> chain_slots;  ///< velocities on the way from the body to the base, ascending

    std::span<const int> chain(int body) const {
        const auto begin = static_cast<std::size_t>(chain_begin[static_cast<std::size_t>(body)]);
        const auto end = static_cast<std::size_t>(chain_begin[static_cast<std::size_t>(body) + 1]);
        return std::span(chain_slots).subspan(begin, end - begin);
    }
};

}  // namespace mw
