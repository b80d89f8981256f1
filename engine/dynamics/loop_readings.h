// What a loop says at a state: error, rate, multipliers and wrench, from the bodies' poses and velocities that any
// kernel gives. Conventions: docs/conventions.md, "Loops".
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"

namespace mw {

struct LoopReading {
    std::vector<double> error;          ///< one a row: rad or m
    std::vector<double> rate;           ///< one a row: rad/s or m/s
    std::vector<double> lambda;         ///< one a row: couple or force on the successor along the row, N m or N
    std::array<double, 6> wrench{};     ///< [moment about the `to` point; force] on the successor, base axes
    Vector3d from_point{}, to_point{};  ///< the two loop frames' origins, base axes
    /// Largest |error|, whatever its unit.
    double worst() const;
};

/// X: 12 numbers a body, V: 6 (kernel_abi.h); lambda: nc (empty: zeros). One reading a loop, file order.
std::vector<LoopReading> loopReadings(const Model& model, const Layout& layout, std::span<const double> param,
                                      std::span<const double> X, std::span<const double> V,
                                      std::span<const double> lambda);

/// Power of the loops' forces on the mechanism, W: the sum of lambda times the rows' rates, nothing while closed. Keeps
/// what every step needs of the model.
class LoopPower {
public:
    LoopPower() = default;
    explicit LoopPower(const Model& model);
    double operator()(std::span<const double> param, std::span<const double> X, std::span<const double> V,
                      std::span<const double> lambda) const;

private:
    struct Closure {
        LoopFrame from, to;
        std::vector<LoopRow> rows;
    };
    std::vector<Closure> loops_;
};

}  // namespace mw
