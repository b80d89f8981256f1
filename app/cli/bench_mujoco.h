// A well-known engine on the same mechanism in the same run (built where MuJoCo is installed).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw::cli {

/// A mechanism of revolute and prismatic joints without elements, rebuilt in MuJoCo. Everything else gives nothing.
class MujocoTwin {
public:
    static std::optional<MujocoTwin> build(const Model& model, const Layout& layout);
    MujocoTwin(MujocoTwin&&) noexcept;
    MujocoTwin& operator=(MujocoTwin&&) noexcept;
    ~MujocoTwin();

    /// Accelerations by the whole of mj_forward.
    void forward(const double* q, const double* v, const double* tau);
    /// The same by its stages of rigid-body dynamics alone: kinematics, inertia matrix, its factorisation, bias, solve.
    void dynamics(const double* q, const double* v, const double* tau);
    /// Of the last call, in our order.
    std::vector<double> acceleration() const;
    static std::string version();

private:
    struct Impl;
    explicit MujocoTwin(Impl* impl);
    Impl* impl_;
};

}  // namespace mw::cli
