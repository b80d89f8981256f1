// Run control: the simulation on its own thread, paced against the clock, with pause, steps, scrubbing and history.
// The owner sends commands and reads immutable snapshots; nobody ever waits for a lock that a step holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/live/energy_history.h"
#include "engine/sim/recorder.h"
#include "engine/sim/simulation.h"

namespace mw::app {

/// `replaying`: standing at an instant before the newest one; playing on from there replaces what came after.
enum class RunState { paused, running, replaying };

/// Everything the window shows of one instant; all numbers from the same state.
struct Snapshot {
    std::shared_ptr<const Model> model;
    State state;
    Readings readings;
    Inputs inputs;
    RunState run = RunState::paused;
    bool trial = false;  ///< the run began at a state that was only shown (`setTrial`), not at the mechanism's start
    Integrator integrator{};
    double dt = 0;
    bool dt_suggested = true;                   ///< by the program
    std::string dt_why;                         ///< "dt 0.001 s: the largest rate …", when suggested
    double wanted_speed = 1;                    ///< times real time
    double reached_speed = 0;                   ///< measured over the last half second
    double possible_speed = 0;                  ///< dt over the measured cost of a step
    double history_begin = 0, history_end = 0;  ///< s
    std::size_t history_bytes = 0;
    bool history_dropped = false;
    std::optional<BlowUp> blow_up;
    std::string problem;                       ///< why the last command could not be carried out; usually empty
    std::string kernel;                        ///< maker of the kernel in use
    ContactSetup contact;                      ///< friction's law, slope, ramp of this run
    std::vector<DrivenRoller> driven;          ///< what driving and brakes act on; empty: nothing to drive
    bool has_rows = false;                     ///< it steps semi-implicitly with rows (docs/rows.md)
    std::string verlet_refused;                ///< why Verlet cannot be chosen; empty: it can
    std::vector<Tendons::Units> tendon_units;  ///< one a tendon
    std::uint64_t serial = 0;                  ///< grows with every snapshot

    /// Before the first step from the start state: what is moved here is the start state itself.
    bool atStart() const { return state.step == 0 && run != RunState::running && !trial; }
};

class Runner {
public:
    Runner();
    ~Runner();

    /// Another mechanism: the state carries over by coordinate name where names and sizes agree and `keep_state` is
    /// set, else starts anew (paused state kept).
    void setModel(std::shared_ptr<const Model> model, Kernel kernel, bool keep_state);
    /// A better kernel of the same mechanism: swapped between two steps, no jump.
    void setKernel(Kernel kernel);

    /// No mechanism: an empty view until the next model.
    void clear();

    void play();
    // Those that say where the run is to stand end steps that are still under way: pause, toggle, scrub, reset, and
    // another model.
    void pause();
    void toggle();
    void step(int count);  ///< forward (count > 0) or back (count < 0); pauses
    void scrub(double t);  ///< shows a past instant; pauses
    void reset();          ///< to the start state; keeps running state paused
    void setSpeed(double times_real_time);
    /// Of the models to come, too, but for those that cannot: a model with rows steps semi-implicitly, and asking it
    /// for Verlet says why in `Snapshot::problem`.
    void setIntegrator(Integrator integrator);
    void setDt(double dt);  ///< 0: suggested
    void setPush(std::optional<Inputs::Push> push);
    void setParameter(int slot, double value);
    void setTau(int velocity, double value);
    void setAct(int slot, double value);
    /// Force of a tendon with `actuator input`, N, positive lengthens.
    void setTendonCommand(int tendon, double newton);
    /// Switches a tendon off by hand, or on again (one that the text has switched off stays so).
    void setTendonOff(int tendon, bool off);
    /// Wanted speeds of the driven rollers, rad/s in the order of `Snapshot::driven`; empty: nobody drives, and what
    /// the text says of their joints holds.
    void setDriving(std::vector<double> speeds);
    void setBrake(bool on);
    /// Friction's law and slope of the run; another slope starts it anew. The ramp is the runner's own.
    void setContactSetup(Friction friction, double slope);
    void setStartState(
        std::vector<double> q,
        std::vector<double> v);  ///< moves the paused mechanism (joint sliders); at t = 0 only it is the start
    /// Moves the paused mechanism by hand (a drag of the mouse). The start state stays what it is: before the first
    /// step the pose is a trial, which Reset leaves; later the run goes on from it.
    void setPose(std::vector<double> q, std::vector<double> v);
    void setTrial(const State& state);  ///< shows a given state ("open worst state"), paused

    std::shared_ptr<const Snapshot> snapshot() const;
    std::vector<EnergySample> energies(double from, double to, std::size_t at_most) const;
    /// Blocks until the commands given so far have been carried out (tests, command line).
    void flush();

    std::function<void()>
        on_change;  ///< a new snapshot is there; at most about 60 times a second; from the runner's thread

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mw::app
