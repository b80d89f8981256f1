// Curves of a Hill-type muscle, its activation, and its equilibria by bracketed roots: no iteration can run away.
//
// Fibre: F. De Groote et al., "Evaluation of direct collocation optimal control problem formulations for solving the
// muscle redundancy problem", Ann. Biomed. Eng. 44 (2016); parameters adjusted so that the curves go through their
// nominal points, as OpenSim has them. Passive fibre, tendon and activation: D. Thelen, "Adjustment of muscle mechanics
// model parameters to simulate dynamic contractions in older adults", J. Biomech. Eng. 125 (2003). Constant thickness
// and fibre damping: M. Millard et al., "Flexing computational muscle", J. Biomech. Eng. 135 (2013).
#include "engine/tendon/muscle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mw {

namespace {

// Active force-length: three bells b1 exp(-((l - b2) / (b3 + b4 l))^2 / 2).
constexpr double kBells[3][4] = {{0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465},
                                 {0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188},
                                 {0.1, 1.0, 0.353553390593274, 0.0}};
// Force-velocity: d1 asinh(d2 v + d3) + d4.
constexpr double kSpeed[4] = {-0.3211346127989808, -8.149, -0.374, 0.8825327733249912};
// Passive force-length: exponential to the strain at which it is 1, a line beyond.
constexpr double kPassiveShape = 4, kPassiveStrain = 0.6;
// Tendon: exponential toe to a third of fmax, a line beyond; the strain at fmax. The toe's share of that strain follows
// from one slope at the toe's end and 1 at the line's (0.609 there, when rounded).
constexpr double kTendonStrain = 0.04, kToeForce = 0.33, kToeShape = 3;

/// Fibres' projections on the path are not shorter than this part of lopt.
constexpr double kShortest = 0.05;

struct Toe {
    double strain, slope;  ///< where it ends; of the line, per strain
    double grown;          ///< e^shape - 1
};
Toe toeOfTendon() {
    const double grown = std::expm1(kToeShape), c = kToeShape * (grown + 1) / grown;
    const double share = 1 / (1 + (1 - kToeForce) / (kToeForce * c));
    return {share * kTendonStrain, (1 - kToeForce) / ((1 - share) * kTendonStrain), grown};
}

double thickness(const MuscleLaw& law) { return law.lopt * std::abs(std::sin(law.pennation)); }
double shortest(const MuscleLaw& law) { return kShortest * law.lopt; }

/// Lengths so far out that nothing depends on how far, where squares would leave the numbers.
double tame(const MuscleLaw& law, double length) {
    const double far = 1e9 * (law.lopt + law.lslack);
    return std::clamp(length, -far, far);
}

/// Of a fibre's length on the path.
double projection(const MuscleLaw& law, double fibre) {
    const double w = thickness(law);
    fibre = tame(law, fibre);
    return std::max(shortest(law), std::sqrt(std::max((fibre - w) * (fibre + w), 0.0)));
}

/// A root of a function that is positive at `low` and negative at `high`; at an end where it is not. Newton's steps,
/// halving where they leave the bracket or are slow;
/// to the last digits of x, or of `size`.
template <class Function>
double rootBetween(double low, double high, double x, double size, Function function) {
    if (!(function(low).value > 0)) return low;
    if (!(function(high).value < 0)) return high;
    x = std::clamp(x, low, high);
    double before = high - low;
    for (int i = 0; i < 200; i++) {
        const CurvePoint at = function(x);
        if (at.value == 0) break;
        if (at.value > 0) low = x;
        else high = x;
        const double newton = at.value / at.slope;
        if (std::abs(newton) <= 4e-16 * std::max(std::abs(x), size)) break;
        double next = x - newton;
        if (!(next > low && next < high) || std::abs(newton) > 0.5 * before) next = low + (high - low) / 2;
        before = std::abs(next - x);
        if (!(next > low && next < high)) break;  // neighbours
        x = next;
    }
    return x;
}

CurvePoint tendonForce(const MuscleLaw& law, double tendon) {
    const CurvePoint curve = tendonForceLength(tendon / law.lslack);
    return {curve.value, curve.slope / law.lslack};
}

}  // namespace

CurvePoint activeForceLength(double fibre) {
    CurvePoint sum;
    for (const auto& b : kBells) {
        const double width = b[2] + b[3] * fibre, off = fibre - b[1];
        if (std::abs(width) * 40 < std::abs(off)) continue;  // e^-800
        const double x = off / width, bell = b[0] * std::exp(-0.5 * x * x);
        sum.value += bell;
        sum.slope -= bell * x * (b[2] + b[3] * b[1]) / (width * width);
    }
    return sum;
}

CurvePoint passiveForceLength(double fibre) {
    if (fibre <= 1) return {};
    const double grown = std::expm1(kPassiveShape), rate = kPassiveShape / kPassiveStrain;
    if (fibre >= 1 + kPassiveStrain) {
        const double slope = rate * (grown + 1) / grown;
        return {1 + slope * (fibre - 1 - kPassiveStrain), slope};
    }
    const double x = rate * (fibre - 1);
    return {std::expm1(x) / grown, rate * std::exp(x) / grown};
}

double passiveEnergy(double fibre) {
    if (fibre <= 1) return 0;
    const double grown = std::expm1(kPassiveShape), rate = kPassiveShape / kPassiveStrain;
    const auto toe = [&](double strain) { return (std::expm1(rate * strain) / rate - strain) / grown; };
    const double beyond = fibre - 1 - kPassiveStrain;
    if (beyond <= 0) return toe(fibre - 1);
    const double slope = rate * (grown + 1) / grown;
    return toe(kPassiveStrain) + beyond + 0.5 * slope * beyond * beyond;
}

CurvePoint forceVelocity(double speed) {
    const double x = kSpeed[1] * speed + kSpeed[2];
    return {kSpeed[0] * std::asinh(x) + kSpeed[3], kSpeed[0] * kSpeed[1] / std::hypot(x, 1.0)};
}

CurvePoint tendonForceLength(double tendon) {
    const double strain = tendon - 1;
    if (strain <= 0) return {};
    static const Toe toe = toeOfTendon();
    if (strain >= toe.strain) return {kToeForce + toe.slope * (strain - toe.strain), toe.slope};
    const double rate = kToeShape / toe.strain;
    return {kToeForce * std::expm1(rate * strain) / toe.grown, kToeForce * rate * std::exp(rate * strain) / toe.grown};
}

double tendonEnergy(double tendon) {
    const double strain = tendon - 1;
    if (strain <= 0) return 0;
    static const Toe toe = toeOfTendon();
    const double rate = kToeShape / toe.strain;
    const auto energy = [&](double e) { return kToeForce * (std::expm1(rate * e) / rate - e) / toe.grown; };
    const double beyond = strain - toe.strain;
    if (beyond <= 0) return energy(strain);
    return energy(toe.strain) + kToeForce * beyond + 0.5 * toe.slope * beyond * beyond;
}

double muscleActivation(const MuscleLaw& law, double activation, double excitation, double h) {
    // Thelen 2003, equations 1 and 2: rise / fall times are scaled by 0.5 + 1.5 a, the equation integrated in closed
    // form.
    const double a = std::clamp(activation, 0.0, 1.0), u = std::clamp(excitation, 0.0, 1.0);
    if (!(h > 0) || a == u) return a;
    const double scale = 0.5 + 1.5 * u;
    if (u > a) {
        const double t = law.rise > 0 ? h / law.rise : 1e9, gap = u - a;
        if (t > 1e3) return u;
        // rise (0.5 + 1.5 a) a' = u - a. With the gap shrunk by e^z: -scale z + 1.5 gap (e^z - 1) = t, a convex falling
        // function of z; Newton's method from the left of the root.
        double z = -(t + 1.5 * gap) / scale;
        for (int i = 0; i < 50; i++) {
            const double part = 1.5 * gap * std::exp(z);
            const double step = (-scale * z + part - 1.5 * gap - t) / (part - scale);
            z -= step;
            if (std::abs(step) <= 1e-16 * std::abs(z)) break;
        }
        return std::clamp(u - gap * std::exp(z), a, u);
    }
    const double t = law.fall > 0 ? h / law.fall : 1e9, gap = a - u;
    if (t > 1e4) return u;
    // fall a' = (u - a)(0.5 + 1.5 a): Bernoulli's equation for the gap.
    const double left = std::exp(-scale * t);
    return std::clamp(u + gap * left / (1 - gap * (1.5 / scale) * std::expm1(-scale * t)), u, a);
}

double muscleFibreAtRest(const MuscleLaw& law, double length, double activation) {
    const double a = std::clamp(activation, 0.0, 1.0), w = thickness(law), low = shortest(law);
    length = tame(law, length);
    const double high = std::max(low, length - law.lslack);
    const double s = rootBetween(low, high, high, law.lopt, [&](double x) -> CurvePoint {
        const double l = std::hypot(x, w), c = x / l;
        const CurvePoint act = activeForceLength(l / law.lopt), pass = passiveForceLength(l / law.lopt);
        const CurvePoint pull = tendonForce(law, length - x);
        const double force = a * act.value + pass.value, slope = (a * act.slope + pass.slope) / law.lopt;
        return {pull.value - c * force, -pull.slope - c * c * slope - force * w * w / (l * l * l)};
    });
    return std::hypot(s, w);
}

MuscleForces muscleForces(const MuscleLaw& law, double fibre, double length, double activation) {
    const double a = std::clamp(activation, 0.0, 1.0), w = thickness(law);
    const double s = projection(law, fibre), l = std::hypot(s, w), c = s / l;
    length = tame(law, length);
    MuscleForces m;
    m.fibre = l;
    m.tendon = length - s;
    m.pennation = std::atan2(w, s);
    const double pull = tendonForce(law, m.tendon).value;
    const double act = a * activeForceLength(l / law.lopt).value, pass = passiveForceLength(l / law.lopt).value;
    // Speed at which the fibre's force along the path is the tendon's: act fv(v) + damping v = wanted.
    const double wanted = pull / c - pass;
    const double low = std::min(0.0, (wanted - act) / law.damping), high = std::max(0.0, wanted / law.damping);
    double v = rootBetween(low, high, 0.0, 1.0, [&](double x) -> CurvePoint {
        const CurvePoint fv = forceVelocity(x);
        return {wanted - act * fv.value - law.damping * x, -act * fv.slope - law.damping};
    });
    if (s <= shortest(law) && v < 0) v = 0;  // it cannot shorten further
    m.tension = law.fmax * pull;
    m.fibre_rate = v * law.vmax * law.lopt;
    m.active = law.fmax * act * forceVelocity(v).value;
    m.passive = law.fmax * (pass + law.damping * v);
    m.stored = law.fmax * (law.lslack * tendonEnergy(m.tendon / law.lslack) + law.lopt * passiveEnergy(l / law.lopt));
    return m;
}

MuscleStep muscleStep(const MuscleLaw& law, double fibre, double length_end, double activation_end, double h) {
    const double a = std::clamp(activation_end, 0.0, 1.0), w = thickness(law);
    const double start = projection(law, fibre), from = std::hypot(start, w), low = shortest(law);
    length_end = tame(law, length_end);
    MuscleStep step;
    double s = start, yield = 0;  // what the fibre yields by: d(its force along the path)/ds
    if (h > 0) {
        const double per_speed = h * law.vmax * law.lopt;
        const auto pullOfFibre = [&](double x) -> CurvePoint {
            const double l = std::hypot(x, w), c = x / l, v = (l - from) / per_speed;
            const CurvePoint act = activeForceLength(l / law.lopt), pass = passiveForceLength(l / law.lopt);
            const CurvePoint fv = forceVelocity(v);
            const double force = a * act.value * fv.value + pass.value + law.damping * v;
            const double slope = (a * act.slope * fv.value + pass.slope) / law.lopt +
                                 (a * act.value * fv.slope + law.damping) / per_speed;
            return {c * force, c * c * slope + force * w * w / (l * l * l)};
        };
        const double high = std::max({low, start, length_end - law.lslack});
        s = rootBetween(low, high, start, law.lopt, [&](double x) -> CurvePoint {
            const CurvePoint pull = tendonForce(law, length_end - x), own = pullOfFibre(x);
            return {pull.value - own.value, -pull.slope - own.slope};
        });
        yield = s > low ? pullOfFibre(s).slope : std::numeric_limits<double>::infinity();
    } else {
        yield = std::numeric_limits<double>::infinity();
    }
    const CurvePoint pull = tendonForce(law, length_end - s);
    step.fibre = std::hypot(s, w);
    step.tension = law.fmax * pull.value;
    // Two springs in a row.
    if (std::isinf(yield)) step.stiffness = law.fmax * pull.slope;
    else if (yield > 0 && pull.slope > 0) step.stiffness = law.fmax / (1 / pull.slope + 1 / yield);
    return step;
}

}  // namespace mw
