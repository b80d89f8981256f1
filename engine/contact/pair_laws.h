// The laws of one contact each, as pure functions of plain numbers. Sources and derivations: docs/contact.md.
#pragma once

#include <array>

#include "engine/model/model.h"

namespace mw {

/// Regularised Coulomb friction: force per slip velocity, N s/m, of |f| = mu f_n u / sqrt(u^2 + veps^2), solved
/// implicitly over the step for the mass that the impulse moves: k / (1 + k dt / mass). dt = 0 is the explicit law. The
/// force is -slope u; it stays inside the cone and never turns the slip around.
double frictionSlope(double mu, double normal_force, double speed_squared, double veps, double dt, double mass);

/// Weight of one shoe's running face at x and its derivative: S(x) - S(x - link) with S a smoothstep over
/// [-fade, fade]. So the weights of shoes end to end sum to one everywhere; 1/2 at a pin, 0 outside
/// [-fade, link + fade].
struct FaceWeight {
    double w = 0, dw = 0;
};
FaceWeight faceWeight(double x, double link, double fade);

/// Engagement of a gated potential at depth delta (negative outside): smoothstep over [-gate, 0].
struct Engagement {
    double g = 0, dg = 0;
};
Engagement engagementOf(double depth, double gate);

/// Onset of normal damping with depth, so that the force has no jump at the touch: smoothstep over [0, onset]; 1 where
/// onset is 0.
double dampingOnset(double depth, double onset);

struct PinLaw {
    double radius = 0;
    double kn = 0, cn = 0;     ///< N/m, N s/m
    double guide = 0, cg = 0;  ///< N/m, N s/m, across the band
    double mu = 0, veps = 0.01;
    double gate = 0.03;        ///< m, over which teeth and guide engage
    double onset = 0;          ///< m, of the damping
    int teeth = 0;             ///< of a driven roller, else 0: friction instead of teeth
    double fskip = 0, ct = 0;  ///< N, N s/m on the circumferential slip
    /// Where a pocket lies: cosine and sine of teeth times its angle (about +y from -z).
    double pocket_cosine = 1, pocket_sine = 0;
    double dt = 0, mass = 1;  ///< of the implicit friction: step, reduced mass of the pair
};
struct FaceLaw {
    double radius = 0, link = 0, fade = 0, face_z = 0;
    double kn = 0, cn = 0, guide = 0, cg = 0, mu = 0, veps = 0.01, gate = 0.03, onset = 0;
    double dt = 0, mass = 1;
};
/// What a roller and a shoe do to each other. All of it is elastic + dissipative; all of it is also
/// normal x (unit normal) + friction + guide + gate.
struct PairForce {
    Vector3d elastic{};      ///< -grad of `potential`
    Vector3d dissipative{};  ///< damping and friction
    Vector3d friction{};     ///< tangential: friction (part of `dissipative`), of a sprocket what its teeth give
    Vector3d guide{};        ///< lateral
    Vector3d gate{};         ///< what the slopes of engagement and weight add; without it the law is no gradient
    double normal = 0;       ///< N, never negative, elastic and damping
    double depth = 0;        ///< m, positive inside
    double potential = 0;    ///< J
    double power = 0;        ///< W of `dissipative`, never positive
    double tooth = 1;        ///< cosine of teeth times the turn from the pocket: below 0 past the steepest point
    Vector3d total() const {
        return {elastic[0] + dissipative[0], elastic[1] + dissipative[1], elastic[2] + dissipative[2]};
    }
};
/// An end roller's pair with a pin. `d` is the pin in the roller's own turning frame (axle y), `u` the velocity of the
/// pin against the roller's material there, same axes. Force on the pin, in these axes; normal (d_x, 0, d_z) / rho.
PairForce pinForce(const PinLaw& law, const Vector3d& d, const Vector3d& u);
/// A road wheel's pair with the inner face of a shoe. `p` is the axle in the shoe's frame, `u_axle` its velocity
/// against the shoe, `u_foot` the velocity of the wheel's material against the shoe's at the foot (p_x, p_y, face_z).
/// Forces on the shoe; normal -z. `friction` acts at the foot, all the rest at the axle.
PairForce faceForce(const FaceLaw& law, const Vector3d& p, const Vector3d& u_axle, const Vector3d& u_foot);

struct GroundLaw {
    double kn = 0, cn = 0, mu = 0, veps = 0.01, onset = 0;
    double kt = 0, ct = 0;    ///< of the anchor's spring
    double dt = 0, mass = 1;  ///< mass that a tangential impulse moves
};
/// The anchor of a stuck point, base axes.
struct Anchor {
    bool stuck = false;
    Vector3d at{};
    Vector3d normal{0, 0, 1};  ///< unit, of the terrain under it: the deflection is measured across this
};
struct GroundForce {
    Vector3d elastic{};      ///< normal spring, and the anchor's spring at the mean of its stretch before and after
    Vector3d dissipative{};  ///< normal damping, friction
    Vector3d friction{};     ///< all that is tangential
    Vector3d normal{};       ///< unit, out of the ground
    double normal_force = 0, depth = 0, potential = 0, anchor_energy = 0;
    double power = 0;     ///< W lost: damping, friction, the sliding anchor; never positive
    double released = 0;  ///< J that the anchor's spring lost in this step by sliding or letting go
    bool slips = false;   ///< regularised: faster than veps; anchored: on the cone
};
/// A point p moving with u over a terrain given by its height and slopes there; `anchor`, when given, is the state of
/// the anchored law and moves on by law.dt (dt = 0: it is only looked at). The gap is vertical and the force along
/// (-h_x, -h_y, 1), not normalised: exactly the gradient of kn g^2 / 2 on any height field.
GroundForce groundForce(const GroundLaw& law, double height, double slope_x, double slope_y, const Vector3d& p,
                        const Vector3d& u, Anchor* anchor = nullptr);

}  // namespace mw
