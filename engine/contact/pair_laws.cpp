// The laws of one contact each; derivations and units are in docs/contact.md.
#include "engine/contact/pair_laws.h"

#include <algorithm>
#include <cmath>

#include "engine/model/vectors.h"

namespace mw {

namespace {

struct Smoothstep {
    double s, ds;
};
/// 0 below t = 0, 1 above t = 1, slope without a jump.
Smoothstep smoothstep(double t) {
    if (!(t > 0)) return {0, 0};
    if (t >= 1) return {1, 0};
    return {t * t * (3 - 2 * t), 6 * t * (1 - t)};
}

/// A linear damper solved over the step for the mass that it brakes, as the friction is.
double implicitDamper(double c, double dt, double mass) { return dt > 0 ? c / (1 + c * dt / mass) : c; }

/// cos and sin of n times an angle from its cosine and sine: no angle, so no branch cut.
struct Turn {
    double c, s;
};
Turn multiplied(Turn z, int n) {
    Turn r{1, 0};
    for (; n > 0; n >>= 1) {
        if (n & 1) r = {r.c * z.c - r.s * z.s, r.c * z.s + r.s * z.c};
        z = {z.c * z.c - z.s * z.s, 2 * z.c * z.s};
    }
    return r;
}

}  // namespace

double frictionSlope(double mu, double normal_force, double speed_squared, double veps, double dt, double mass) {
    // k / (1 + k dt/m) with k = most / root, in one division.
    const double most = mu * normal_force, root = std::sqrt(speed_squared + veps * veps);
    return dt > 0 ? most / (root + most * (dt / mass)) : most / root;
}

FaceWeight faceWeight(double x, double link, double fade) {
    if (!(fade > 0)) return {x >= 0 && x < link ? 1.0 : 0.0, 0};
    const double scale = 0.5 / fade;
    const Smoothstep in = smoothstep((x + fade) * scale), out = smoothstep((x - link + fade) * scale);
    return {in.s - out.s, (in.ds - out.ds) * scale};
}

Engagement engagementOf(double depth, double gate) {
    if (!(gate > 0)) return {depth > 0 ? 1.0 : 0.0, 0};
    const Smoothstep s = smoothstep((depth + gate) / gate);
    return {s.s, s.ds / gate};
}

double dampingOnset(double depth, double onset) { return onset > 0 ? smoothstep(depth / onset).s : depth > 0 ? 1 : 0; }

PairForce pinForce(const PinLaw& law, const Vector3d& d, const Vector3d& u) {
    PairForce f;
    const double rho = std::sqrt(d[0] * d[0] + d[2] * d[2]);
    f.depth = law.radius - rho;
    if (!(f.depth > -law.gate) && !(f.depth > 0)) return f;
    // Radial and circumferential unit vectors e and t (t turns about +y); on the axle itself any will do.
    const double ex = rho > 1e-12 ? d[0] / rho : 0, ez = rho > 1e-12 ? d[2] / rho : 1;
    const double u_r = ex * u[0] + ez * u[2], u_t = ez * u[0] - ex * u[2];

    double radial = 0, radial_lost = 0, around = 0, around_lost = 0, lateral = 0, lateral_lost = 0;

    // One-sided: the damper takes off what the spring gives, never more.
    if (f.depth > 0) {
        radial = law.kn * f.depth;
        radial_lost = std::max(-law.cn * dampingOnset(f.depth, law.onset) * u_r, -radial);
        f.normal = radial + radial_lost;
        f.potential = 0.5 * radial * f.depth;
    }

    // Gated potentials g(depth) U: -grad has g' U along e beside g times the force (depth = R - rho).
    const Engagement g = engagementOf(f.depth, law.gate);
    double gated = 0.5 * law.guide * d[1] * d[1];
    lateral = -law.guide * g.g * d[1];
    lateral_lost = -law.cg * g.g * u[1];
    if (law.teeth > 0) {
        // U0 = Fskip R/N (1 - cos N(theta - phase)); in polar coordinates the force is -(1/rho) dU0/dtheta: the arm is
        // rho. theta from -z about +y.
        const Turn n = multiplied({-ez, -ex}, law.teeth);
        const double c = n.c * law.pocket_cosine + n.s * law.pocket_sine;
        const double s = n.s * law.pocket_cosine - n.c * law.pocket_sine;
        gated += law.fskip * law.radius / law.teeth * (1 - c);
        around = rho > 1e-12 ? -g.g * law.fskip * (law.radius / rho) * s : 0;
        around_lost = -implicitDamper(law.ct * g.g, law.dt, law.mass) * u_t;
        f.tooth = c;
    } else if (f.normal > 0 && law.mu > 0) {
        const double slope = frictionSlope(law.mu, f.normal, u_t * u_t + u[1] * u[1], law.veps, law.dt, law.mass);
        around_lost = -slope * u_t;
        f.friction[1] = -slope * u[1];
    }
    f.potential += g.g * gated;
    const double gate = g.dg * gated;

    f.guide[1] = lateral + lateral_lost;
    f.gate = {gate * ex, 0, gate * ez};
    f.friction[0] = (around + around_lost) * ez;
    f.friction[2] = -(around + around_lost) * ex;
    f.elastic = {(radial + gate) * ex + around * ez, lateral, (radial + gate) * ez - around * ex};
    f.dissipative = {radial_lost * ex + around_lost * ez, lateral_lost + f.friction[1],
                     radial_lost * ez - around_lost * ex};
    f.power = dot(f.dissipative, u);
    return f;
}

PairForce faceForce(const FaceLaw& law, const Vector3d& p, const Vector3d& u_axle, const Vector3d& u_foot) {
    PairForce f;
    f.depth = law.radius - (p[2] - law.face_z);
    if (!(f.depth > -law.gate) && !(f.depth > 0)) return f;
    const FaceWeight w = faceWeight(p[0], law.link, law.fade);
    if (!(w.w > 0)) return f;

    // On the axle, in the shoe's frame: -grad of w(x) (kn depth^2 / 2 + g(depth) guide y^2 / 2), depth = R + face - z.
    // What is reported is on the shoe: the opposite.
    double ungated = 0, lost = 0;
    if (f.depth > 0) {
        const double spring = w.w * law.kn * f.depth;
        lost = std::max(-w.w * law.cn * dampingOnset(f.depth, law.onset) * u_axle[2], -spring);
        f.normal = spring + lost;
        ungated = 0.5 * law.kn * f.depth * f.depth;
    }
    const Engagement g = engagementOf(f.depth, law.gate);
    const double sideways = 0.5 * law.guide * p[1] * p[1];
    f.potential = w.w * (ungated + g.g * sideways);
    const double hand_over = w.dw * (ungated + g.g * sideways), opening = w.w * g.dg * sideways;
    const double lateral = law.guide * w.w * g.g * p[1], lateral_lost = law.cg * w.w * g.g * u_axle[1];

    // Friction at the foot drags the shoe along with the wheel's surface; both velocities are the wheel's against the
    // shoe, so the sign is plus (the pin's law has the shoe against the roller, and minus).
    if (f.normal > 0 && law.mu > 0) {
        const double speed_squared = u_foot[0] * u_foot[0] + u_foot[1] * u_foot[1];
        const double slope = frictionSlope(law.mu, f.normal, speed_squared, law.veps, law.dt, law.mass);
        f.friction = {slope * u_foot[0], slope * u_foot[1], 0};
    }
    f.guide[1] = lateral + lateral_lost;
    f.gate = {hand_over, 0, -opening};
    f.elastic = {hand_over, lateral, -(f.normal - lost) - opening};
    f.dissipative = {f.friction[0], lateral_lost + f.friction[1], -lost};
    // The wheel against the shoe, so the shoe's power counts the other way.
    f.power = -(lateral_lost * u_axle[1] - lost * u_axle[2] + f.friction[0] * u_foot[0] + f.friction[1] * u_foot[1]);
    return f;
}

GroundForce groundForce(const GroundLaw& law, double height, double slope_x, double slope_y, const Vector3d& p,
                        const Vector3d& u, Anchor* anchor) {
    GroundForce f;
    const double gap = height - p[2];
    const double steep = std::sqrt(1 + slope_x * slope_x + slope_y * slope_y);
    f.depth = gap;
    const double flat = 1 / steep;
    f.normal = {-slope_x * flat, -slope_y * flat, flat};
    const auto stretchOf = [&](const Anchor& a) {
        Vector3d z{p[0] - a.at[0], p[1] - a.at[1], p[2] - a.at[2]};
        const double along = dot(z, a.normal);
        for (int i = 0; i < 3; i++) z[i] -= along * a.normal[i];
        return z;
    };
    if (!(gap > 0)) {
        if (anchor && anchor->stuck) {
            if (law.dt > 0) {
                const Vector3d z = stretchOf(*anchor);
                f.released = 0.5 * law.kt * dot(z, z);
            }
            anchor->stuck = false;
        }
        return f;
    }

    // Spring and damper along the gap's own gradient direction (-h_x, -h_y, 1), clamped together.
    const double rate = slope_x * u[0] + slope_y * u[1] - u[2];
    const double spring = law.kn * gap;
    const double damping = law.cn * dampingOnset(gap, law.onset) * rate, lost = damping > -spring ? damping : -spring;
    f.potential = 0.5 * spring * gap;
    f.normal_force = (spring + lost) * steep;
    f.elastic = {-spring * slope_x, -spring * slope_y, spring};
    f.dissipative = {-lost * slope_x, -lost * slope_y, lost};
    f.power = -lost * rate;

    if (!anchor) {
        const double across = dot(u, f.normal);
        const Vector3d ut{u[0] - across * f.normal[0], u[1] - across * f.normal[1], u[2] - across * f.normal[2]};
        const double speed_squared = dot(ut, ut);
        const double slope = frictionSlope(law.mu, f.normal_force, speed_squared, law.veps, law.dt, law.mass);
        for (int i = 0; i < 3; i++) {
            f.friction[i] = -slope * ut[i];
            f.dissipative[i] += f.friction[i];
        }
        f.power -= slope * speed_squared;
        f.slips = speed_squared > law.veps * law.veps;
        return f;
    }

    // Elastoplastic: trial force of spring and damper from the anchor; beyond the cone it comes back onto it by
    // dragging the anchor (backward Euler: f = trial + (kt + ct/dt) da with f = s trial).
    if (!anchor->stuck) *anchor = {true, p, f.normal};
    const Vector3d z = stretchOf(*anchor);
    const double across = dot(u, anchor->normal);
    const double ct = implicitDamper(law.ct, law.dt, law.mass);
    Vector3d ut, trial;
    for (int i = 0; i < 3; i++) {
        ut[i] = u[i] - across * anchor->normal[i];
        trial[i] = -law.kt * z[i] - ct * ut[i];
    }
    const double limit = law.mu * f.normal_force, size = std::sqrt(dot(trial, trial));
    f.slips = size > limit;
    const double s = f.slips ? limit / size : 1;

    // Rate of the anchor: da/dt; without a step only what the damper leaves to it. Where neither spring nor damper
    // holds yet (a ramp's first instant) nothing drags it.
    const double hold = law.kt * law.dt + ct, drag = hold > 0 ? (s - 1) / hold : 0;
    double slider = 0, damper = 0, before = 0, after = 0;
    for (int i = 0; i < 3; i++) {
        const double rate_of_anchor = drag * trial[i], da = rate_of_anchor * law.dt;
        const double force = s * trial[i], mean = z[i] - 0.5 * da;
        f.friction[i] = force;
        f.elastic[i] -= law.kt * mean;
        f.dissipative[i] += force + law.kt * mean;
        anchor->at[i] += da;
        slider += force * rate_of_anchor;
        damper += (force + law.kt * (z[i] - da)) * (ut[i] - rate_of_anchor);
        before += z[i] * z[i];
        after += (z[i] - da) * (z[i] - da);
    }
    f.power += slider + damper;
    f.anchor_energy = 0.5 * law.kt * after;
    f.released = law.dt > 0 ? 0.5 * law.kt * (before - after) : 0;
    return f;
}

}  // namespace mw
