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
#include "engine/tendon/prepared.h"
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
    Vector3d force{}, moment{};                    ///< N on the guide's body, N m about `centre`; base axes
    Vector3d centre{};                             ///< the guide's own centre, base
    double tension_before = 0, tension_after = 0;  ///< N, branch tensions on both sides; equal without friction
};

/// A straight piece of a route, in travel order. Its tension is -F / divisor of its branch; a force F along the tendon
/// is worth F scale direction on body b and the opposite on body a, both on the line through `point`.
struct RoutePiece {
    int branch = 0;
    int a = kBase, b = kBase;        ///< bodies that its ends are fixed to
    int guide_a = -1, guide_b = -1;  ///< guides (of TendonRoute) that its ends lie on, -1: a site
    Vector3d point{};                ///< its first end, base
    Vector3d direction{};            ///< unit, a to b, base; zero where the ends coincide
    double scale = 1;                ///< 1 / divisor
};

/// A tendon's route and length at a pose.
struct TendonRoute {
    double length = 0;
    std::vector<double> branch_length;
    std::vector<double> branch_divisor;
    std::vector<RoutePoint> points;
    std::vector<GuideReading> guides;  ///< forces zero here
    std::vector<RoutePiece> pieces;
    std::vector<double> gradient;  ///< dl/dq as a row over the velocities: l' = gradient v, nv
    bool converged = true;
};
/// Adds to a row over the velocities (nv) the rate at which a piece grows, scaled; a piece within one body adds
/// nothing, and velocities that move both its ends as one exactly nothing.
void addPiece(const RoutePiece& piece, const MotionAxes& axes, std::span<double> row);

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
    /// Of the last step, for its books: speed at which a winch paid out (m/s), what a coupling's row had of it, and
    /// what a muscle's own tendon took up (J).
    double feedRate(int tendon) const { return at_start_[static_cast<std::size_t>(tendon)].feed_rate; }
    double couplingFeedRate(int coupling) const;
    double muscleStored(int tendon) const {
        const TendonAtStart& start = at_start_[static_cast<std::size_t>(tendon)];
        return start.stored_after - start.stored_before;
    }
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
    /// Velocity and acceleration (at zero generalised acceleration) of a body as motions about the base origin.
    struct BodyMotion {
        Vector6 velocity = Vector6::Zero(), acceleration = Vector6::Zero();
    };
    void prepare(std::span<const double> param);
    bool isAngle(int body, int coordinate) const;
    BodyMotion motionOf(int body, std::span<const double> v, const MotionAxes& axes) const;
    double spanCurvature(const PreparedSpan& span, SideRule rule, const SpanResult& now, std::span<const double> v,
                         std::span<const double> X, const MotionAxes& axes) const;
    const PreparedTendon& of(int tendon) const { return prepared_[static_cast<std::size_t>(tendon)]; }
    void gradient(const PreparedTendon& tendon, const TendonRoute& route, const MotionAxes& axes,
                  std::vector<double>& out) const;
    bool isOff(int tendon, const TendonStep& step) const;
    double command(int tendon, const TendonStep& step) const;
    double wanted(int tendon, const TendonStep& step, double activation, double length) const;
    bool hasDrive(int tendon) const;
    struct SpringNow {
        double extension = 0, stiffness = 0;
    };
    SpringNow spring(int tendon, double length) const;
    struct CouplingNow {
        double error = 0, slope = 0;
    };
    CouplingNow couplingAt(int coupling, std::span<const double> param, double first, double second) const;
    struct StateForces {
        double spring = 0, damper = 0;
        std::optional<double> drive, muscle;
        double total() const { return spring + damper + drive.value_or(0) + muscle.value_or(0); }
    };
    StateForces stateForces(int tendon, const TendonStep& step, double length, double rate) const;
    TendonForces stepForces(int tendon, const TendonStep& step, std::span<const double> p) const;
    void spread(int tendon, std::span<const double> p, double h, TendonReading& reading) const;
    void addTendonRows(int tendon, const TendonStep& step, RowSet& rows);
    void addMuscleRow(int tendon, const TendonStep& step, RowSet& rows);
    void addFlowRows(int tendon, const TendonStep& step, RowSet& rows);
    void boundFlows(int tendon, RowSet& rows) const;
    static double heldBy(const RowSet& rows, const Row& row, std::span<const double> p);
    static double rateOf(const TendonRoute& route, std::span<const double> v);
    void addCouplingRow(int coupling, const TendonStep& step, RowSet& rows);

    std::vector<Tendon> tendons_;
    std::vector<Coupling> couplings_;
    std::vector<PreparedTendon> prepared_;
    std::vector<PreparedJoint> joints_;  // one a body
    Layout layout_;
    std::vector<double> param_;
    std::vector<double> reference_;  // m, captured
    std::size_t memory_ = 0;
    // Of the last call of addRows.
    std::vector<TendonAtStart> at_start_;
    std::vector<TendonRoute> routes_;
    std::vector<int> coupling_row_;
    std::vector<double> coupling_slope_;
    std::vector<double> dense_;
};

}  // namespace mw
