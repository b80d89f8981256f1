// The laws of one contact each, as pure functions of plain numbers. Sources and derivations: docs/contact.md.
#pragma once

#include <array>

#include "engine/model/model.h"

namespace mw {

/// Regularised Coulomb friction: force per slip velocity, N s/m, of |f| = mu f_n u / sqrt(u^2 + veps^2), solved
/// implicitly over the step for the mass that the impulse moves: k / (1 + k dt / mass). dt = 0 is the explicit law. The
/// force is -slope u; it stays inside the cone and never turns the slip around.
double frictionSlope(double mu, double normal_force, double speed_squared, double veps, double dt, double mass);

/// Weight of one shoe's running face at x in [−fade, link + fade] and its derivative: complementary smoothsteps, so
/// that w(x) + w(x - link) = 1 across a joint; 1/2 at a pin, 0 outside.
struct FaceWeight {
    double w = 0, dw = 0;
};
FaceWeight faceWeight(double x, double link, double fade);

/// Engagement of a gated potential at depth delta (negative outside): smoothstep over [-gate, 0].
struct Engagement {
    double g = 0, dg = 0;
};
Engagement engagementOf(double depth, double gate);

struct PinLaw {
    double radius = 0;
    double kn = 0, cn = 0;  ///< N/m, N s/m
    double guide = 0;       ///< N/m
    double mu = 0, veps = 0.01;
    double gate = 0.03;
    int teeth = 0;             ///< of a driven roller, else 0: friction instead of teeth
    double fskip = 0, ct = 0;  ///< N, N s/m on the circumferential slip
    double dt = 0, mass = 1;   ///< of the implicit friction: step, reduced mass of the pair
};
/// An end roller's pair with a pin. `d` is the pin in the roller's own turning frame (axle y), `u` the velocity of the
/// pin against the roller's material there, same axes. Force on the pin, in these axes.
struct PairForce {
    Vector3d elastic{};      ///< -grad of `potential`
    Vector3d dissipative{};  ///< damping and friction
    Vector3d friction{};     ///< the part of `dissipative` that is friction
    double normal = 0;       ///< N, never negative, elastic and damping
    double depth = 0;        ///< m, positive inside
    double potential = 0;    ///< J
};
PairForce pinForce(const PinLaw& law, const Vector3d& d, const Vector3d& u);

struct FaceLaw {
    double radius = 0, link = 0, fade = 0, face_z = 0;
    double kn = 0, cn = 0, guide = 0, mu = 0, veps = 0.01, gate = 0.03;
    double dt = 0, mass = 1;
};
/// A road wheel's pair with the inner face of a shoe. `p` is the axle in the shoe's frame, `u_axle` its velocity
/// against the shoe, `u_foot` the velocity of the wheel's material against the shoe's at the foot. Forces on the shoe:
/// `elastic`, the normal damping and the guide act at the axle, `friction` at the foot.
PairForce faceForce(const FaceLaw& law, const Vector3d& p, const Vector3d& u_axle, const Vector3d& u_foot);

struct GroundLaw {
    double kn = 0, cn = 0, mu = 0, veps = 0.01;
    double kt = 0, ct = 0;    ///< of the anchor's spring
    double dt = 0, mass = 1;  ///< mass that a tangential impulse moves
};
/// The anchor of a stuck point, base axes.
struct Anchor {
    bool stuck = false;
    Vector3d at{};
};
struct GroundForce {
    Vector3d elastic{};      ///< normal spring, and the anchor's spring
    Vector3d dissipative{};  ///< normal damping, friction
    Vector3d friction{};     ///< all that is tangential
    Vector3d normal{};       ///< unit, out of the ground
    double normal_force = 0, depth = 0, potential = 0, anchor_energy = 0;
    bool slips = false;
};
/// A point p moving with u over a terrain given by its height and slopes there; `anchor`, when given, is the state of
/// the anchored law and moves on. The gap is vertical and the force along (-h_x, -h_y, 1), not normalised: exactly the
/// gradient of kn g^2 / 2 on any height field.
GroundForce groundForce(const GroundLaw& law, double height, double slope_x, double slope_y, const Vector3d& p,
                        const Vector3d& u, Anchor* anchor = nullptr);

}  // namespace mw
