// One mechanism in motion: a kernel, the laws around it (drives, pushes), a state, and one step.
//
// The model is constant, the state changes; nothing here knows about windows or threads. A step is a pure function of
// state, inputs, parameters, kernel and step size, so that the recorder can replay it bit for bit.
// Schemes: docs/conventions.md, "Integration".
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/contact/contact.h"
#include "engine/dynamics/drift.h"
#include "engine/dynamics/energy.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/dynamics/state.h"
#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/sim/band_tension.h"
#include "engine/sim/books.h"
#include "engine/sim/contact_setup.h"
#include "engine/sim/driven_rollers.h"
#include "engine/sim/row_readings.h"
#include "engine/sim/row_step.h"

namespace mw {

enum class Integrator { euler, verlet };
const char* integratorName(Integrator integrator);
std::optional<Integrator> integratorFromName(const std::string& name);
/// Verlet; of a model with rows (hasRows) euler, which is all that it can step with.
Integrator defaultIntegrator(const Model& model);

/// What acts from outside during a step, constant over it. Recorded.
struct Inputs {
    std::vector<double> tau;    ///< nv, by hand
    std::vector<double> act;    ///< nact
    std::vector<double> fext;   ///< 6 nbody, [moment about base origin; force], read by bodies with `fext`
    std::vector<double> param;  ///< nparam
    /// The mouse at work: a spring from a point of a body to a point of the world, and a couple. Works on every body:
    /// it enters as generalised force.
    struct Push {
        int body = 0;
        Vector3d point{};                   ///< body axes, m
        Vector3d target{};                  ///< base axes, m
        double stiffness = 0, damping = 0;  ///< N/m, N s/m on the point's velocity
        Vector3d torque{};                  ///< couple on the body, base axes, N m
        bool operator==(const Push&) const = default;
    };
    std::optional<Push> push;
    /// Parking brake: a torsional spring and damper on every driven roller, from where it stood when the brake went on.
    bool brake = false;
    /// Wanted speeds of the driven rollers (rad/s about the joint's axis, in the order of DrivenRollers), held by a
    /// torque with a limit; empty: nobody drives. It takes the place of written drives on these joints.
    std::vector<double> driving;
    /// Forces of tendons with `actuator input`, N, positive lengthens, one a tendon; empty: zeros.
    std::vector<double> tendon_command;
    /// Tendons that are switched off by hand, one a tendon; empty: none.
    std::vector<char> tendon_off;
    bool operator==(const Inputs&) const = default;
};
Inputs noInputs(const Model& model, const Layout& layout);

/// All readings of one instant, computed from the state that is drawn.
struct Readings {
    std::vector<double> X, V, obs;  ///< kernel_abi.h
    Energies energy;
    Momenta momenta;
    Ledger ledger;
    ContactEnergy contact_energy;  ///< potentials of contacts
    double brake_energy = 0;       ///< J in the brakes' springs
    double tendon_energy = 0;      ///< J in tendons' springs and muscles, and of their armatures
    double total_energy = 0;       ///< energy.total() and these three
    /// total_energy + dissipated + numerical - drives - hand - loops - ramp - injected - initial, J
    double residual = 0;
    /// Accelerations that the state alone defines: without the rows that only a step has (limits, dry friction, locks,
    /// armature, couplings, contacts of shapes); with the tendons' springs, dampers and drives, and E'' of prescribed
    /// joints.
    std::vector<double> vdot;
    std::vector<double> lambda;                     ///< nc, at this state, with the rows' forces of the last step
    std::vector<LoopReading> loops;                 ///< one a loop
    std::vector<double> drive_target, drive_force;  ///< per drive
    ElementForces elements;
    ContactTotals contact_totals;
    std::vector<ContactReading> contacts;  ///< at this state, friction as a step from here would have it
    std::vector<RollerTorques> rollers;    ///< one a driven roller: brake and driving
    std::vector<BandTension> tensions;     ///< one a track
    std::vector<TendonReading> tendons;    ///< route at this state, forces of the last step (else of the state alone)
    RowsReading rows;                      ///< of the last step
    std::optional<Vector3d> push_force;    ///< N on the body, base axes
    std::optional<Vector3d> push_point;    ///< where it acts, base axes
};

/// Why a run stopped by itself.
struct BlowUp {
    int body = kBase;  ///< first body whose numbers went bad
    std::string what;  ///< "velocity of 'rod' is not a number"
    double t = 0;      ///< of the last good state
    std::int64_t step = 0;
};

/// The drives of a model with what their laws need at every step (the rate of a position target is derived once).
class DriveLaws {
public:
    DriveLaws() = default;
    explicit DriveLaws(const Model& model);
    std::size_t size() const { return laws_.size(); }
    /// Slot of the velocity that a drive acts on.
    std::size_t velocityOf(std::size_t drive) const { return laws_[drive].v; }
    /// Target (torque, speed or position asked for) and clipped force of every drive at coordinates, velocities and
    /// time.
    void evaluate(std::span<const double> q, std::span<const double> v, std::span<const double> param, double t,
                  std::vector<double>& target, std::vector<double>& force) const;
    /// Adds the forces to tau (nv).
    void add(std::span<const double> force, std::span<double> tau) const;

private:
    struct Law {
        Drive drive;
        ExpressionPtr rate;  // of a position target
        std::size_t q = 0, v = 0;
    };
    std::vector<Law> laws_;
};

/// The same in one call, for single states.
struct DriveForces {
    std::vector<double> target, force;
};
DriveForces driveForces(const Model& model, const Layout& layout, const State& state, std::span<const double> param,
                        double t);

class Simulation {
public:
    /// Starts at the model's start state. The kernel must be of this model (its dynamicsHash), else
    /// std::invalid_argument; so too Verlet for a model with rows, with the reason of hasRows.
    Simulation(std::shared_ptr<const Model> model, Kernel kernel, Integrator integrator, double dt);

    const Model& model() const { return *model_; }
    const Layout& layout() const { return layout_; }
    const State& state() const { return state_; }
    const Kernel& kernel() const { return kernel_; }
    const Ledger& ledger() const { return ledger_; }
    Inputs& inputs() { return inputs_; }
    const Inputs& inputs() const { return inputs_; }
    Integrator integrator() const { return integrator_; }
    double dt() const { return dt_; }

    const ContactSetup& contactSetup() const { return setup_; }
    /// Another setup; the run starts anew where the slope changed. Otherwise it goes on: energy that a change gives to
    /// contacts or takes from them is booked (`ramp`; that of let-go anchors as dissipated). Throws
    /// std::invalid_argument when a slope is asked of a mechanism with a root that does not float, or of a terrain that
    /// cannot be turned so far.
    void setContactSetup(const ContactSetup& setup);
    const ContactModel& contact() const { return contact_; }
    /// Rows, impulses and report of the last step, without the cost of a reading.
    const RowStep& rowStep() const { return rows_; }
    /// Those that `Inputs::brake` and `Inputs::driving` act on.
    const std::vector<DrivenRoller>& driven() const { return driven_; }
    /// What contacts gave in the last step, at its midpoint (Euler: at its start): the forces that moved the mechanism,
    /// that its change of momentum is made of. Readings hold the forces at the end of the step, by the same laws.
    const ContactTotals& appliedContact() const { return applied_; }
    /// Verlet's velocity slot: the predictor v + a dt/2, or v as it is. Contact models take v as it is: a damper at a
    /// predicted velocity drives what it should brake (docs/contact.md). For experiments with the scheme.
    void setPredictsVelocity(bool predicts) { predicts_ = predicts; }
    bool predictsVelocity() const { return predicts_; }
    /// Books on or off; without them a step is cheaper and the ledger stands still. On at first.
    void setAccounts(bool accounts) { accounts_ = accounts; }
    bool accounts() const { return accounts_; }

    /// Throws std::invalid_argument for Verlet where the model has rows.
    void setIntegrator(Integrator integrator);
    void setDt(double dt) { dt_ = dt; }
    /// Another implementation of the same mechanism; state and time go on untouched.
    void setKernel(Kernel kernel);
    void setState(State state, Ledger ledger);
    /// Back to the model's start state with the present live parameters.
    void reset();

    /// One step of dt. When the result is not finite or absurd, the state stays the last good one and the reason is
    /// returned.
    std::optional<BlowUp> step();
    /// Solves one step from the present state and reads what it would give, without moving: geometry, energies and
    /// accelerations of the state as it stands, forces of rows those of the step. (Where the step blows up, as read().)
    Readings solveStep(bool contacts = true);

    /// Kinetic and total energy of the state, J: what Readings say of them, at a fraction of the cost.
    struct EnergyNow {
        double kinetic = 0, total = 0;
    };
    EnergyNow energyNow() { return energyWith(inputs_.param); }
    /// Readings of the state as it stands; nothing moves. `contacts`: with the list of loaded contacts (costs as much
    /// as all the rest).
    Readings read(bool contacts = true);

private:
    void evaluate(const std::vector<double>& q, const std::vector<double>& v, double t, double dt, bool alone = false);
    void commitStep();
    // rows: row_simulation.cpp
    std::optional<BlowUp> stepWithRows();
    RowStep::Start rowStart(const std::vector<double>& q, const std::vector<double>& v, double t, double h);
    std::vector<double>& tendonMemory();
    void noteSwitches();
    double tendonEnergy();
    void accountRows(const std::vector<double>& q, const std::vector<double>& v_before);
    std::vector<double> lambdaWithRows();
    void holdPrescribed();
    void readRows(Readings& readings, bool contacts);
    void averageWithEnd(const std::vector<double>& q, const std::vector<double>& v);
    void account(const std::vector<double>& q, const std::vector<double>& v_before);
    void noteParameters();
    void useParameters(const std::vector<double>& param);
    void noteBrakes();
    void bookRamp(const std::vector<double>& q, const std::vector<double>& v, double from, double to);
    std::optional<BlowUp> faultOf(const std::vector<double>& q, const std::vector<double>& v) const;
    EnergyNow energyWith(const std::vector<double>& param);
    ContactSettings settingsAt(double t, double dt) const;
    std::vector<double>& takeAnchors();

    std::shared_ptr<const Model> model_;
    Layout layout_;
    Kernel kernel_;
    Integrator integrator_;
    double dt_;
    State state_;
    Ledger ledger_;
    Inputs inputs_;
    std::vector<char> takes_fext_;  // per body
    bool predicts_ = true, accounts_ = true;
    ContactSetup setup_;
    ContactModel contact_;
    ContactTotals applied_;
    std::vector<DrivenRoller> driven_;
    std::vector<RollerTorques> roller_torques_;
    std::vector<double> used_param_;  // that contact_ and driven_ were made for
    bool numbers_due_ = true;         // they are to be made anew whatever used_param_ says
    DriveLaws drives_;
    LoopPower loop_power_;
    DamperPower damper_power_;
    DriftPlan drift_;
    RowStep rows_;
    double h_ = 0;  // s, of the step or substep at work
    std::vector<double> tendon_memory_, q_before_, v_before_, reaction_;
    std::vector<char> tendon_off_;  // that the books' energies belong to
    std::vector<double> drive_target_, drive_force_;
    std::vector<double> work_, tau_, tau_drive_, tau_push_, vdot_, v_mid_, q_next_, v_next_, X_, V_, obs_, obs_felt_,
        lambda_;
    std::vector<double> v_felt_, vdot_end_, lambda_end_;
    std::vector<double> brake_, anchors_;              // of the step at work: the state keeps the last good ones
    std::vector<double> fext_sum_, fext_dissipative_;  // by hand and of contacts; the part of contacts that is no
                                                       // gradient
    Ledger ledger_before_;
    const double* fext_ = nullptr;  // of the last evaluation: null when nothing acts
};

/// Joint forces (nv) that a wrench on a body is worth: [moment about the base origin; force] in base axes, at the poses
/// X.
void addWrench(const Model& model, const Layout& layout, std::span<const double> q, std::span<const double> X,
               std::span<const double> param, int body, const Vector3d& moment, const Vector3d& force,
               std::span<double> tau);

/// Largest rate of the mechanism at a state, rad/s: of |v|, of the elements' stiffness against M, of the damping.
double largestRate(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                   std::span<const double> param);
/// A step that stiffness and speeds allow: 0.02 rad at the largest rate of the state or the largest speed of a trial
/// second, at most 1e-3 s, rounded down to 1, 2 or 5 times a power of ten. With contacts 90 samples of the stiffest
/// contact's period, rounded to three digits, less where elements or speeds ask for it. `why` says it in words.
double suggestedStep(const Model& model, const Layout& layout, const Kernel& kernel, const State& state,
                     std::span<const double> param, std::string* why = nullptr);

}  // namespace mw
