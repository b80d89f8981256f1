// The rows of a step: what makes them (joints, tendons, contacts of shapes), the solver, and what the solve left to be
// read. Owned by a Simulation, which knows the forces and moves the state.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contact/shape_contacts.h"
#include "engine/dynamics/state.h"
#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/rows/motion_axes.h"
#include "engine/rows/row.h"
#include "engine/sim/row_readings.h"
#include "engine/solve/projected_gauss_seidel.h"
#include "engine/tendon/tendons.h"

namespace mw {

/// Impulses by identity, as a block of the state: they start the next step's solve. Numbers alone, so that a state is
/// compared and hashed as ever.
inline constexpr const char* kWarmBlock = "warm";
inline constexpr const char* kTendonBlock = "tendons";

/// Exact discrete work of a step's rows, J: p (u- + u+) / 2 of each, split as the ledger's lines are.
struct RowWork {
    double drives = 0, tendon_dissipated = 0, row_dissipated = 0, injected = 0, numerical = 0, prescribed = 0;
    double damping = 0;  ///< lost to joint damping, by its rows
};

class RowStep {
public:
    RowStep() = default;
    RowStep(const Model& model, const Layout& layout);
    /// The model has rows: it steps by them.
    bool active() const { return active_; }
    /// Numbers that hang on live parameters.
    void setParameters(std::span<const double> param);
    /// The ground turned with the start (ContactSetup::slope).
    void tilt(const Model& model, double slope);

    const Tendons& tendons() const { return tendons_; }
    const ShapeContacts& shapes() const { return shapes_; }
    const ContactOptions& options() const { return options_; }
    int substeps() const { return active_ ? options_.substeps : 1; }

    /// Fills in prescribed coordinates and velocities at a time.
    void prescribe(std::span<const double> param, double t, std::span<double> q, std::span<double> v) const;
    bool prescribes() const { return !prescribed_laws_.empty(); }
    /// Velocities of a mechanism with loops whose prescribed joints begin to move: the others are taken along, as if by
    /// a blow, so that loops stay closed.
    void takeAlong(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
                   double t, std::span<double> v);
    /// E'' of prescribed joints in `vdot` by the joints' own inertia: `reaction` (nv) gets the forces that it takes.
    void accelerate(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
                    double t, std::span<double> vdot, std::span<double> reaction);

    /// What a step or substep starts from.
    struct Start {
        double h = 0, t = 0, end = 0;  ///< s; end: t + h, to the last bit where the step ends
        std::span<const double> q, v, param, X, V;
        std::span<const double> command;
        std::span<const char> off;
        std::span<double> memory;        ///< of the tendons
        bool first = true, last = true;  ///< of the step's substeps
    };
    void begin(const State& state, double h);  ///< a step of h: takes the warm start out of the state
    /// Builds the rows at the start and solves: v (nv) from v_free to v+. Then tendons' memory moves on.
    void solve(const Model& model, const Layout& layout, const Kernel& kernel, double* work, const Start& start,
               std::span<double> v);
    /// Forces of the tendons that the state alone defines, added to tau.
    void addStateForces(const Model& model, const Layout& layout, const Start& start, std::span<double> tau);
    /// Puts prescribed coordinates where they are at the end.
    void place(std::span<const double> param, double t, std::span<double> q) const;
    /// The work of the rows of the last solve, from the velocities before to those after.
    RowWork work(std::span<const double> before, std::span<const double> after) const;
    /// Generalised force (nv) of all rows and reactions of the last solve, average over it.
    void addForces(std::span<double> tau) const;
    void end(State& state);  ///< the warm start goes into the state

    /// Nothing is known of a step: forces that only a step defines are not computed.
    void forget() { valid_ = false; }
    bool valid() const { return valid_; }
    const SolveReport& report() const { return total_; }  ///< of the last step
    const ContactFacts& facts() const { return facts_; }
    /// As of the last step; `state` that of the reading.
    void read(const Model& model, const Layout& layout, const Kernel& kernel, double* work,
              std::span<const double> param, bool contacts, RowsReading& out) const;
    double h() const { return whole_h_; }  ///< s, of that step
    double t1() const { return t1_; }
    /// Reaction of each prescribed drive in that step, N or N m, in the order of the drives.
    double reaction(std::size_t prescribed) const { return sum_reactions_[prescribed] / whole_h_; }
    static TendonStep tendonStep(const Start& start, const MotionAxes* axes);
    /// Rows and impulses of the whole step, substeps added up.
    const RowSet& rows() const { return sum_rows_; }
    std::span<const double> impulses() const { return sum_p_; }
    /// The rows of its last substep, which the tendons know, each with its impulse of the whole step.
    const RowSet& lastRows() const { return rows_; }
    std::span<const double> lastImpulses() const { return last_p_; }
    const MotionAxes& axes() const { return axes_; }
    MotionAxes& axesFor(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
                        std::span<const double> param);

private:
    struct JointLaw {
        int q = 0, v = 0;
        bool limited = false, locked = false;
        double lower = 0, upper = 0, margin = 0, compliance = 0, correction = 0, restitution = 0;
        double friction = 0, damping = 0;
    };
    struct PrescribedLaw {
        ExpressionPtr value, rate, acceleration;
        int q = 0, v = 0;
    };
    /// A row as the next step finds it again.
    struct Memory {
        std::uint64_t owner = 0, feature = 0;
        RowKind kind = RowKind::spring_damper;
        std::array<double, 3> impulse{};  ///< [0] along the row; of tangents and rolling: the vector in base axes
    };

    /// A contact over the step: impulses on B, base axes.
    struct ContactSum {
        ContactRecord record;
        double normal = 0;
        Vector3d friction{}, couple{}, slip{};
    };

    void hold(const Kernel& kernel, double* work, std::span<const double> q, std::span<const double> param,
              std::span<PrescribedVelocity> held, std::span<double> v) const;
    void addJointRows(const Start& start);
    void leaveTurning(const Model& model, const Layout& layout, const Start& start);
    void warmStart(std::span<double> p) const;
    void remember();
    void collide(const Start& start);
    std::array<double, 3> vectorOf(const Row& row, double p1, double p2) const;
    bool isPair(std::size_t i) const;
    void gather();
    void gatherContacts();
    void addContactRow(std::size_t i, ContactSum& sum) const;
    double closure(const Model& model, const Layout& layout, const Kernel& kernel, double* work,
                   std::span<const double> param) const;
    std::uint64_t ownerKey(const Row& row) const;
    double biasOf(const Row& row, std::size_t index) const;
    double feedOf(const Row& row) const;

    bool active_ = false;
    std::vector<JointLaw> joints_;
    std::vector<JointLimits> limits_;
    std::vector<std::array<Number, 2>> losses_;  // friction, damping
    std::vector<PrescribedLaw> prescribed_laws_;
    std::vector<Number> tendon_damping_;
    std::vector<double> tendon_damping_now_;
    ContactOptions options_;
    Tendons tendons_;
    ShapeContacts shapes_;

    // Of the solve at work.
    MotionAxes axes_, read_axes_;
    RowSet rows_;
    RowSolver solver_;
    std::vector<double> p_;
    std::vector<double> joint_bias_;  // of the joint rows: target that position correction asks for
    std::vector<PrescribedVelocity> prescribed_;
    std::vector<ContactRecord> records_;
    std::vector<double> offsets_;  // of the records: distance along the normal less the gap, m
    ContactFacts facts_;
    SolveReport report_;
    double h_ = 0;
    std::vector<Memory> warm_;

    // Of the last step, for readings.
    bool valid_ = false;
    RowSet sum_rows_;
    std::vector<double> sum_p_, sum_reactions_, sum_explicit_damping_;
    std::vector<ContactSum> sum_contacts_;
    std::vector<char> taken_;
    std::vector<double> last_p_;
    std::vector<std::size_t> found_;  // of the rows at work in sum_rows_
    std::vector<std::size_t> place_;
    std::vector<double> v_free_, v_start_, v_end_, q_start_, X_start_;  // of its last substep
    SolveReport total_;
    double t0_ = 0, t1_ = 0, whole_h_ = 0;
};

}  // namespace mw
