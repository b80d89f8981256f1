// The energy ledger of a run and the sums that fill it.
#pragma once

#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw {

/// Cumulative work since the run's start, J.
struct Ledger {
    double drives = 0;              ///< done by drives, written and by hand (Inputs::driving), and by actuators of
                                    ///< tendons, on the mechanism
    double hand = 0;                ///< by tau, act, fext and the push
    double contact_dissipated = 0;  ///< by damping and friction of contacts, never negative; part of `dissipated` too
    double brake_dissipated = 0;    ///< by the brakes' dampers; part of `dissipated` too
    double ramp = 0;                ///< done by the rising gains at the start of a run
    double absolute = 0;            ///< integral of |power| of all of these: the measure for the residual
    double loops = 0;  ///< by the forces of loops: nothing while they are closed, else what pulling them together takes
    double dissipated = 0;         ///< by dampers of elements and joints, never negative for passive laws
    double tendon_dissipated = 0;  ///< by dampers, dry friction and guides of tendons; part of `dissipated` too
    double row_dissipated = 0;     ///< by friction and impacts of shapes, joint friction; part of `dissipated` too
    double prescribed = 0;         ///< done by prescribed drives on the mechanism; part of `drives` too
    double injected = 0;           ///< given to the mechanism by position correction and compliant rows
    double numerical = 0;          ///< lost by implicit springs' end-of-step forces: no law's, the scheme's
    double initial_total = 0;
    std::vector<double> param;  ///< live parameters that the figures so far belong to; a change counts as work by hand
    bool operator==(const Ledger&) const = default;
};

/// Power of wrenches [moment about the base origin; force] on bodies, W. X, V as of kernel_abi.h. `taken`: bodies
/// without it are left out.
double wrenchPower(std::span<const double> wrenches, std::span<const double> X, std::span<const double> V,
                   const std::vector<char>& taken);

/// Power of the dampers of elements and joints. Keeps what every step needs of the model.
class DamperPower {
public:
    DamperPower() = default;
    DamperPower(const Model& model, const Layout& layout);
    bool any() const { return !tsdas_.empty() || !rsdas_.empty() || !joints_.empty(); }
    /// Joint velocities and observations (kernel_abi.h) at them.
    struct Rates {
        std::span<const double> obs, v;
    };
    /// W: the forces that the dampers give at the rates `felt`, at work along the rates `moved`. Where the two are the
    /// same, never positive for passive laws.
    double operator()(std::span<const double> param, const Rates& felt, const Rates& moved) const;

private:
    struct Damper {
        Number c;
        Curve curve;
        std::size_t rate = 0;  // slot in obs
    };
    struct JointDamper {
        Number d;
        std::size_t v = 0, count = 0;
    };
    std::vector<Damper> tsdas_, rsdas_;
    std::vector<JointDamper> joints_;
};

}  // namespace mw
