// A Hill-type muscle as pure functions: a fibre (active, passive, damped) under a pennation angle in series with an
// elastic tendon. Curves, parameters and their sources: docs/tendons.md ("Muscle"). Tension is positive here; the
// tendon's signed force is F = -tension. Lengths m, forces N, times s; of the curves: relative to lopt, lslack, fmax
// and vmax lopt.
#pragma once

namespace mw {

struct MuscleLaw {
    double fmax = 0;        ///< N, greatest isometric force of the fibre
    double lopt = 0;        ///< m, fibre length at which it has that
    double lslack = 0;      ///< m, tendon length at which it begins to pull
    double pennation = 0;   ///< rad, of the fibre against the tendon at lopt; between -pi/2 and pi/2
    double rise = 0.01;     ///< s, activation up; 0: at once
    double fall = 0.04;     ///< s, activation down
    double vmax = 10;       ///< 1/s: lopt a second, speed of an unloaded fibre
    double damping = 0.01;  ///< of fmax at vmax: keeps the fibre's speed defined when it is not active
};

/// A curve's value and derivative.
struct CurvePoint {
    double value = 0, slope = 0;
};
CurvePoint activeForceLength(double fibre);   ///< 1 at 1
CurvePoint passiveForceLength(double fibre);  ///< 0 up to 1; 1 at 1.6
CurvePoint forceVelocity(double speed);       ///< 0 at -1 (shortening), 1 at 0
CurvePoint tendonForceLength(double tendon);  ///< 0 up to 1; 1 at 1.04
/// Their integrals from where they are zero.
double passiveEnergy(double fibre);
double tendonEnergy(double tendon);

/// Activation at the end of h seconds under an excitation held at `excitation` (both clamped to 0..1), exactly.
double muscleActivation(const MuscleLaw& law, double activation, double excitation, double h);

/// Fibre length m at which a muscle of that length (fibre and tendon along the path) is at rest.
double muscleFibreAtRest(const MuscleLaw& law, double length, double activation);

/// What a fibre length (m), the muscle's length (m) and an activation (0..1) define by themselves.
struct MuscleForces {
    double tension = 0;                ///< N, along the path
    double fibre = 0, fibre_rate = 0;  ///< m, m/s (positive lengthens), in equilibrium with the tendon
    double tendon = 0;                 ///< m
    double pennation = 0;              ///< rad
    double active = 0, passive = 0;    ///< N, along the fibre; `passive` with its damping
    double stored = 0;                 ///< J, tendon and passive fibre
};
MuscleForces muscleForces(const MuscleLaw& law, double fibre, double length, double activation);

/// One implicit step: the fibre at the end of h seconds, from `fibre` at their start, with the muscle's length and
/// activation at their end. With length = l + h l'+, dT/dl'+ = h `stiffness`.
struct MuscleStep {
    double fibre = 0;      ///< m, at the end
    double tension = 0;    ///< N, at the end; never negative
    double stiffness = 0;  ///< N/m, d tension / d length at the end; never negative
};
MuscleStep muscleStep(const MuscleLaw& law, double fibre, double length_end, double activation_end, double h);

}  // namespace mw
