// Energies and momenta of a mechanism from its bodies' poses and velocities (numbers of a kernel's `kinematics` and
// `observe`).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

struct Energies {
    double kinetic = 0;              ///< J, joint armature included
    double gravity = 0;              ///< J, zero at the base origin
    std::vector<double> tsda, rsda;  ///< J each, in file order: k and curve; zero at l0, q0
    double elements() const;         ///< sum of the two
    double total() const { return kinetic + gravity + elements(); }
};

struct Momenta {
    std::array<double, 3> linear{};   ///< kg m/s
    std::array<double, 3> angular{};  ///< kg m^2/s about the base origin
};

/// X: 12 numbers a body, V: 6 (kernel_abi.h); obs: nobs; v: nv.
Energies energiesOf(const Model& model, const Layout& layout, std::span<const double> param, std::span<const double> X,
                    std::span<const double> V, std::span<const double> obs, std::span<const double> v);
Momenta momentaOf(const Model& model, std::span<const double> param, std::span<const double> X,
                  std::span<const double> V);

/// Forces of the elements at a state: tension of a tsda (N), joint force of an rsda (N m or N).
struct ElementForces {
    std::vector<double> tsda, rsda;
    std::vector<double> tsda_damping_power, rsda_damping_power;  ///< W, never positive for passive laws
    std::vector<double> joint_damping_power;                     ///< W, one a body
};
ElementForces elementForces(const Model& model, const Layout& layout, std::span<const double> param,
                            std::span<const double> obs, std::span<const double> act, std::span<const double> v);

}  // namespace mw
