// Laws of the force elements and how the reference applies them. A tsda is a pair of equal and opposite spatial forces
// at its two anchors, in base coordinates; an rsda and joint damping are forces on the joint's own coordinate. Two
// coincident anchors have no direction: the element then pulls nowhere (direction zero, rate zero), a finite answer.
#pragma once

#include "engine/dynamics/kinematics.h"

namespace mw {

/// Value of a piecewise linear law; its end slopes continue outside. One point: constant. None: zero.
double curveValue(const Curve& curve, std::span<const double> param, double x);
/// Integral of the law from 0 to x.
double curveIntegral(const Curve& curve, std::span<const double> param, double x);

/// Tension at a length and rate, without `act`: k (l - l0) + c dl/dt + curve(l - l0) + damper_curve(dl/dt).
double tsdaTension(const Tsda& tsda, std::span<const double> param, double length, double rate);
/// Joint force at a coordinate and rate, without `act`: -k (q - q0) - c v - curve(q - q0) - damper_curve(v).
double rsdaForce(const Rsda& rsda, std::span<const double> param, double q, double v);

struct TsdaMotion {
    Vector3 from, to;   ///< anchors, base axes
    Vector3 direction;  ///< unit vector from `from` to `to`; zero when they coincide
    double length = 0, rate = 0;
};
TsdaMotion tsdaMotion(const Tsda& tsda, std::span<const double> param, const BodyKinematics* bodies);

/// Adds the forces of every tsda to f_base: [moment about the base origin; force] on each body, base axes.
void addTsdaForces(const Topology& topology, std::span<const double> param, const BodyKinematics* bodies,
                   const double* act, Vector6* f_base);
/// Adds the joint forces of every rsda and of joint damping to tau (nv).
void addJointForces(const Topology& topology, const BodyNumbers* numbers, std::span<const double> param,
                    const double* q, const double* v, const double* act, double* tau);

}  // namespace mw
