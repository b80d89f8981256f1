// All tendons of a mechanism: their routes at a pose, their rows in a step, and what they read.
//
// Built from the expanded Model, immutable but for the numbers of live parameters. Nothing here is in the generated
// code. Laws: docs/tendons.md. Signed force F, positive lengthens; tension = -F.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/rows/motion_axes.h"
#include "engine/rows/row.h"
#include "engine/tendon/span.h"

namespace mw {

/// A point of a route at a pose.
struct RoutePoint {
    enum class Kind { site, first_contact, last_contact, bend };
    Kind kind = Kind::site;
    int branch = 0;
    int element = 0;  ///< index in Tendon::path
    int body = kBase;
    Vector3d local{}, point{};  ///< body axes; base
    Vector3d gradient{};        ///< dl/dpoint, base axes, branch-scaled
};
struct GuideReading {
    int element = 0, body = kBase, branch = 0;
    GuideContact contact;
    Vector3d force{}, moment{};  ///< N on the guide's body, N m about its own origin ("about": docs/tendons.md)
    double tension_before = 0, tension_after = 0;  ///< N, branch tensions on both sides; equal without friction
};

/// A tendon's route and length at a pose.
struct TendonRoute {
    double length = 0;
    std::vector<double> branch_length;
    std::vector<double> branch_divisor;
    std::vector<RoutePoint> points;
    std::vector<GuideReading> guides;  ///< forces zero here
    std::vector<double> gradient;      ///< dl/dq as a row over the velocities: l' = gradient v, nv
    bool converged = true;
};
/// Drawn pieces of a tendon.
struct TendonLine {
    std::vector<Vector3d> points;
    std::vector<int> element;  ///< per piece: guide in Tendon::path it lies on, -1 free
    std::vector<int> branch;   ///< per piece; pieces of different branches are not joined
};

/// What enters a step from the state and from outside, at its start.
struct TendonStep {
    double h = 0;  ///< s; 0: no step, the state's own forces alone
    double t = 0;
    std::span<const double> q, v, param, X, V;  ///< X, V as of kernel_abi.h
    const MotionAxes* axes = nullptr;
    std::span<const double> command;  ///< N, one a tendon: of `actuator input`, else unread; empty: zeros
    std::span<const char> off;        ///< one a tendon, beside what the text says; empty: none
    std::span<double> memory;         ///< memorySize() numbers of the state; moved on by `finish`
};

/// Forces of one tendon by law, N; absent: nobody computed it (only a step defines it).
struct TendonForces {
    std::optional<double> spring, damper, drive, muscle, friction, armature, lower, upper, lock;
    std::vector<std::optional<double>> couplings;  ///< what each coupling of the model puts on this tendon
};
struct TendonReading {
    double length = 0, rate = 0, reference = 0;
    double tension = 0;     ///< -sum of all forces that are known
    double actuation = 0;   ///< N, after filter, servo and clamp (signed as F)
    double activation = 0;  ///< N; of a muscle 0..1
    double target = 0;      ///< m, of the servo
    double fed = 0;         ///< m, paid out
    bool slack = false;     ///< no tension
    bool off = false;
    double energy = 0, armature_energy = 0;  ///< J: k e^2/2 (and a muscle's tendon), a l'^2/2
    double numerical_damping = 0;            ///< N s/m: h k of the implicit spring, 0 when it rests
    TendonForces forces;
    TendonRoute route;                    ///< with forces on points and guides filled in
    std::vector<Vector3d> point_forces;   ///< N on each point's body, base axes
    std::vector<double> segment_tension;  ///< N, per branch and side of guides with friction, in travel order
    /// Of a muscle: fibre length m, fibre speed m/s, tendon length m, activation, fibre force N.
    struct MuscleReading {
        double fibre = 0, fibre_rate = 0, tendon = 0, activation = 0, active = 0, passive = 0, pennation = 0;
    };
    std::optional<MuscleReading> muscle;
};

class Tendons {
public:
    Tendons() = default;
    Tendons(const Model& model, const Layout& layout);
    bool empty() const { return tendons_.empty(); }
    int size() const { return static_cast<int>(tendons_.size()); }
    /// Numbers that hang on live parameters. Call when they change.
    void setParameters(std::span<const double> param);

    /// Length at the start pose, or as the text has it, m.
    double reference(int tendon) const;
    /// A pure function of the pose: poses X of the bodies and coordinates q. With `axes` the gradient is filled in too.
    void route(int tendon, std::span<const double> q, std::span<const double> X, const MotionAxes* axes,
               TendonRoute& out) const;
    TendonLine line(int tendon, std::span<const double> X, double angle = 0.1) const;
    /// Second time derivative of the length at zero generalised acceleration (curvature bias), m/s^2.
    double curvature(int tendon, std::span<const double> q, std::span<const double> v, std::span<const double> X,
                     std::span<const double> V, const MotionAxes& axes) const;

    /// Numbers that the tendons carry from step to step (activations, muscle states, flows over guides), named for the
    /// state's block "tendons"; `start` fills them in for the start of a run.
    std::size_t memorySize() const;
    void start(std::span<double> memory) const;
    /// Memory by tendon name, so that an edited mechanism can take it over.
    void carry(const Tendons& from, std::span<const double> old_memory, std::span<double> memory) const;

    /// Appends the rows of all tendons and couplings, geometry once at the start of the step. Keeps what `readings`
    /// needs until the next call.
    void addRows(const TendonStep& step, RowSet& rows);
    /// After the solve: memory moves on by the step (activation, flow, fibres). `p`: impulses of all rows of the set.
    void finish(const TendonStep& step, const RowSet& rows, std::span<const double> p, std::span<const double> v_new);
    /// Forces that the state alone defines (spring, damper, drive, muscle) as generalised force added to tau, N.
    void addStateForces(const TendonStep& step, std::span<double> tau);
    /// With rows and impulses those of a step; without (empty), of the state alone.
    std::vector<TendonReading> readings(const TendonStep& step, const RowSet* rows, std::span<const double> p) const;
    /// J stored at a pose and in what moves: springs, armature, muscles' tendons.
    double energy(const TendonStep& step) const;
    /// "scalar", "N" "m" or "N m" "rad" or "user units": of a tendon, by its terms.
    struct Units {
        const char* length;
        const char* force;
    };
    Units units(int tendon) const;

private:
    std::vector<Tendon> tendons_;
    // the owner of this room adds what it needs
};

}  // namespace mw
