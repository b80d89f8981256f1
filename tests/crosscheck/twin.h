// A mechanism rebuilt in another engine. Both twins are made from the Model (what the author wrote) and speak in the
// coordinates of docs/conventions.md; how they get there is the other engine's own business.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace mw::cross {

/// The other engine has no way to hold this mechanism: the reason, in words for people.
struct Unsuitable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What acts besides the model's own elements.
struct Forces {
    std::vector<double> tau;   ///< nv
    std::vector<double> fext;  ///< 6 a body, [moment about the base origin; force], base axes
    std::vector<double> act;   ///< nact
    bool drives = false;       ///< the model's drives act too
};

/// Poses and velocities as kernel_abi.h has them: 12 and 6 numbers a body.
struct Poses {
    std::vector<double> X, V;
};

/// [moment about the `to` point; force] on the successor, base axes.
using Wrench = std::array<double, 6>;

struct TendonAt;

class SimbodyTwin {
public:
    /// Throws Unsuitable.
    SimbodyTwin(const Model& model, std::span<const double> param);
    ~SimbodyTwin();
    SimbodyTwin(SimbodyTwin&&) noexcept;
    SimbodyTwin& operator=(SimbodyTwin&&) noexcept;

    void place(std::span<const double> q, std::span<const double> v, const Forces& forces, double t = 0);
    Poses poses() const;
    std::vector<double> acceleration();  ///< vdot
    std::vector<Wrench> wrenches();      ///< one a loop, of the same instant
    /// Moves on from where it was placed; poses() are then of the end.
    void run(double time, double accuracy);

    static bool built();
    static std::string version();

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

class MujocoTwin {
public:
    /// Throws Unsuitable.
    MujocoTwin(const Model& model, std::span<const double> param);
    ~MujocoTwin();
    MujocoTwin(MujocoTwin&&) noexcept;
    MujocoTwin& operator=(MujocoTwin&&) noexcept;

    /// Something that had to be told to the engine another way than by its own file format; empty as a rule.
    const std::string& remark() const;
    void place(std::span<const double> q, std::span<const double> v, const Forces& forces);
    Poses poses() const;
    std::vector<double> massMatrix() const;    ///< nv x nv
    std::vector<double> bias() const;          ///< nv
    std::vector<double> acceleration() const;  ///< vdot
    std::vector<Wrench> wrenches() const;
    TendonAt tendon(int index) const;  ///< of one that `unlike` lets pass (tests/crosscheck/tendons.h)

    static bool built();
    static std::string version();

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace mw::cross
