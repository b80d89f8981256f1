// Are the bodies' masses those of real bodies, and can every joint be moved only by moving mass?
#pragma once

#include <array>
#include <vector>

#include "engine/mech/findings.h"
#include "engine/model/model.h"

namespace mw::mech {

/// Principal values of Ixx Iyy Izz Ixy Ixz Iyz, rising, and their axes as the columns of `axes` (row by row).
struct PrincipalInertia {
    std::array<double, 3> value{};
    std::array<double, 9> axes{};
};
PrincipalInertia principalInertia(const std::array<double, 6>& inertia);

/// Where joints can move without moving any mass at coordinates q: indices of their bodies. One pass of articulated
/// inertias, Featherstone 2008 table 7.1: D = S^T I^A S must be positive for every joint, as M is then.
std::vector<int> masslessJoints(const Model& model, const std::vector<double>& q, const std::vector<double>& param);

/// Reports joints whose motion meets no inertia at any pose (an error), or only at the start pose (a warning).
void checkMotions(const Model& model, Findings& findings);

}  // namespace mw::mech
