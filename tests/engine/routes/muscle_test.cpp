// The muscle's law: its curves at published points, equilibria, steps, energy, and lengths beyond all reason.
#include "engine/tendon/muscle.h"

#include <cmath>
#include <vector>

#include "tests/engine/routes/scenes.h"
#include "tests/support/catch.h"

namespace mw::routes {
namespace {

MuscleLaw biceps() {
    MuscleLaw law;
    law.fmax = 600, law.lopt = 0.12, law.lslack = 0.2, law.pennation = 0.2;
    return law;
}

/// A derivative by a difference of fourth order.
template <class Function>
double difference(Function f, double x, double h) {
    return (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h);
}

/// Simpson's rule.
template <class Function>
double integral(Function f, double low, double high, int pieces) {
    double sum = f(low) + f(high);
    const double h = (high - low) / pieces;
    for (int i = 1; i < pieces; i++) sum += (i % 2 ? 4 : 2) * f(low + i * h);
    return sum * h / 3;
}

/// Fibre force along the path, recomputed from the curves.
double fibrePull(const MuscleLaw& law, double fibre, double rate, double activation) {
    const double l = fibre / law.lopt, v = rate / (law.lopt * law.vmax);
    const double cosine = std::sqrt(1 - std::pow(law.lopt * std::sin(law.pennation) / fibre, 2));
    return law.fmax * cosine *
           (activation * activeForceLength(l).value * forceVelocity(v).value + passiveForceLength(l).value +
            law.damping * v);
}

}  // namespace

TEST_CASE("the muscle's curves go through their published points", "[muscle]") {
    CHECK(activeForceLength(1).value == Approx(1).margin(1e-8));
    // The paper's own coefficients have three digits.
    const auto bell = [](double l, double b1, double b2, double b3, double b4) {
        return b1 * std::exp(-0.5 * std::pow(l - b2, 2) / std::pow(b3 + b4 * l, 2));
    };
    for (double l = 0.3; l < 1.9; l += 0.05) {
        const double rounded = bell(l, 0.815, 1.055, 0.162, 0.063) + bell(l, 0.433, 0.717, -0.030, 0.200) +
                               bell(l, 0.100, 1.000, 0.354, 0);
        CHECK(activeForceLength(l).value == Approx(rounded).margin(3e-3));
    }
    CHECK(activeForceLength(0.3).value < 0.02);
    CHECK(activeForceLength(2.5).value < 0.01);
    // The greatest force is isometric at the optimum, as near as the fit of three bells has it.
    for (double l = 0.05; l < 3; l += 0.01) CHECK(activeForceLength(l).value < 1.002);

    CHECK(forceVelocity(-1).value == Approx(0).margin(1e-10));
    CHECK(forceVelocity(0).value == Approx(1).margin(1e-10));
    CHECK(forceVelocity(1).value == Approx(1.794).margin(3e-3));
    for (double v = -3; v < 3; v += 0.05) CHECK(forceVelocity(v).slope > 0);

    CHECK(passiveForceLength(1).value == 0);
    CHECK(passiveForceLength(0.4).value == 0);
    CHECK(passiveForceLength(1.6).value == Approx(1).margin(1e-14));
    CHECK(passiveForceLength(1.3).value == Approx(std::expm1(2.0) / std::expm1(4.0)).margin(1e-14));

    CHECK(tendonForceLength(1).value == 0);
    CHECK(tendonForceLength(0.7).value == 0);
    CHECK(tendonForceLength(1.04).value == Approx(1).margin(1e-14));
    // The published, rounded numbers of the toe: it ends at 0.609 of the strain, and the line has slope 1.712 over it.
    CHECK(tendonForceLength(1 + 0.609 * 0.04).value == Approx(0.33).margin(1e-3));
    CHECK(tendonForceLength(1.05).slope == Approx(1.712 / 0.04).epsilon(1e-3));
}

TEST_CASE("derivatives and integrals of the muscle's curves", "[muscle]") {
    // Ends of a curve's pieces: not differentiated across.
    const auto away = [](double x) {
        for (const double kink : {1.0, 1.6, 1 + 0.0243447}) {
            if (std::abs(x - kink) < 1e-3) return false;
        }
        return true;
    };
    for (double x = 0.2051; x < 2.6; x += 0.0137) {
        if (!away(x)) continue;
        INFO(x);
        const double h = 1e-5;
        CHECK(activeForceLength(x).slope ==
              Approx(difference([](double y) { return activeForceLength(y).value; }, x, h)).margin(1e-8));
        CHECK(passiveForceLength(x).slope ==
              Approx(difference([](double y) { return passiveForceLength(y).value; }, x, h)).margin(1e-8));
        CHECK(tendonForceLength(x).slope ==
              Approx(difference([](double y) { return tendonForceLength(y).value; }, x, h)).margin(1e-6));
        const double v = x - 1.3;
        CHECK(forceVelocity(v).slope ==
              Approx(difference([](double y) { return forceVelocity(y).value; }, v, h)).margin(1e-8));
        CHECK(passiveForceLength(x).value == Approx(difference(passiveEnergy, x, h)).margin(1e-8));
        CHECK(tendonForceLength(x).value == Approx(difference(tendonEnergy, x, h)).margin(1e-8));
    }
    CHECK(passiveEnergy(1.6) ==
          Approx(integral([](double y) { return passiveForceLength(y).value; }, 1, 1.6, 2000)).epsilon(1e-9));
    CHECK(tendonEnergy(1.02) ==
          Approx(integral([](double y) { return tendonForceLength(y).value; }, 1, 1.02, 2000)).epsilon(1e-9));
    // Both sides of a joint between pieces have one value and, but where a curve leaves zero, one slope.
    const double e = 1e-9;
    CHECK(passiveForceLength(1.6 - e).slope == Approx(passiveForceLength(1.6 + e).slope).epsilon(1e-6));
    CHECK(passiveEnergy(1.6 - e) == Approx(passiveEnergy(1.6 + e)).margin(1e-8));
    const double toe = 0.04 / (1 + (1 - 0.33) / (0.33 * 3 * std::exp(3.0) / std::expm1(3.0)));
    CHECK(tendonForceLength(1 + toe - e).slope == Approx(tendonForceLength(1 + toe + e).slope).epsilon(1e-6));
    CHECK(tendonForceLength(1 + toe - e).value == Approx(tendonForceLength(1 + toe + e).value).margin(1e-6));
    CHECK(tendonEnergy(1 + toe - e) == Approx(tendonEnergy(1 + toe + e)).margin(1e-8));
}

TEST_CASE("activation follows its equation exactly", "[muscle]") {
    MuscleLaw law = biceps();
    const auto rate = [&](double a, double u) {
        return u > a ? (u - a) / (law.rise * (0.5 + 1.5 * a)) : (u - a) * (0.5 + 1.5 * a) / law.fall;
    };
    Random random(3);
    for (int i = 0; i < 200; i++) {
        const double a = random.unit(), u = random.unit(), h = random.between(1e-4, 0.05);
        const double once = muscleActivation(law, a, u, h);
        // Two halves are the whole.
        CHECK(once == Approx(muscleActivation(law, muscleActivation(law, a, u, h / 2), u, h / 2)).margin(1e-13));
        // Against many small steps of fourth order.
        double x = a;
        const int n = 400;
        const double d = h / n;
        for (int k = 0; k < n; k++) {
            const double k1 = rate(x, u), k2 = rate(x + d / 2 * k1, u), k3 = rate(x + d / 2 * k2, u),
                         k4 = rate(x + d * k3, u);
            x += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        CHECK(once == Approx(x).margin(1e-9));
        CHECK((once - a) * (u - once) >= 0);
    }
    CHECK(muscleActivation(law, 0.3, 0.3, 0.01) == 0.3);
    CHECK(muscleActivation(law, 0.3, 5, 100) == 1);
    CHECK(muscleActivation(law, 0.3, -5, 100) == 0);
    CHECK(muscleActivation(law, 0.3, 0.8, 0) == 0.3);
    law.rise = law.fall = 0;
    CHECK(muscleActivation(law, 0.3, 0.8, 1e-6) == 0.8);
    CHECK(muscleActivation(law, 0.3, 0.1, 1e-6) == 0.1);
}

TEST_CASE("at rest the fibre's force is the tendon's", "[muscle]") {
    for (const double pennation : {0.0, 0.2, -0.2, 0.6}) {
        MuscleLaw law = biceps();
        law.pennation = pennation;
        // Fully active at the optimal length: fmax along the fibre, its share along the path.
        const double strain_force = std::cos(pennation);
        double tendon = law.lslack;
        for (int i = 0; i < 100; i++) {  // invert the tendon's curve
            const CurvePoint at = tendonForceLength(tendon / law.lslack);
            tendon += (strain_force - at.value) * law.lslack / std::max(at.slope, 1.0);
        }
        const double length = law.lopt * std::cos(pennation) + tendon;
        const double fibre = muscleFibreAtRest(law, length, 1);
        CHECK(fibre == Approx(law.lopt).epsilon(1e-8));
        const MuscleForces m = muscleForces(law, fibre, length, 1);
        CHECK(m.tension == Approx(law.fmax * std::cos(pennation)).epsilon(1e-7));
        CHECK(m.pennation == Approx(std::abs(pennation)).epsilon(1e-7));
        CHECK(m.fibre_rate == Approx(0).margin(1e-6));
        CHECK(m.active == Approx(law.fmax).epsilon(1e-7));
        for (const double activation : {0.0, 0.01, 0.3, 1.0}) {
            for (double l = 0.21; l < 0.5; l += 0.007) {
                INFO(pennation << " " << activation << " " << l);
                const double at = muscleFibreAtRest(law, l, activation);
                const MuscleForces f = muscleForces(law, at, l, activation);
                const double own = fibrePull(law, f.fibre, 0, activation);
                if (f.fibre > 0.051 * std::hypot(law.lopt, 0)) CHECK(f.tension == Approx(own).margin(1e-9 * law.fmax));
                CHECK(f.tendon + std::sqrt(f.fibre * f.fibre - std::pow(law.lopt * std::sin(pennation), 2)) ==
                      Approx(l).margin(1e-12));
            }
        }
    }
}

TEST_CASE("the fibre's speed is the one at which it pulls like the tendon", "[muscle]") {
    const MuscleLaw law = biceps();
    Random random(11);
    for (int i = 0; i < 500; i++) {
        const double activation = random.unit(), fibre = law.lopt * random.between(0.5, 1.7);
        const double tendon = law.lslack * random.between(0.95, 1.06);
        const double length = tendon + std::sqrt(fibre * fibre - std::pow(law.lopt * std::sin(law.pennation), 2));
        const MuscleForces m = muscleForces(law, fibre, length, activation);
        CHECK(m.fibre == Approx(fibre).epsilon(1e-12));
        const double size = std::max(1.0, std::abs(m.fibre_rate) / (law.vmax * law.lopt));
        CHECK(fibrePull(law, fibre, m.fibre_rate, activation) == Approx(m.tension).margin(1e-9 * law.fmax * size));
        CHECK(std::cos(m.pennation) * (m.active + m.passive) == Approx(m.tension).margin(1e-9 * law.fmax * size));
    }
}

TEST_CASE("an unloaded active fibre shortens at its greatest speed", "[muscle]") {
    MuscleLaw law = biceps();
    law.pennation = 0;
    // The tendon hangs loose: fv(v) + damping v = 0, so that damping takes about 3 % of vmax.
    const double v = muscleForces(law, law.lopt, law.lopt + 0.9 * law.lslack, 1).fibre_rate / law.lopt;
    CHECK(forceVelocity(v / law.vmax).value == Approx(-law.damping * v / law.vmax).margin(1e-9));
    CHECK(v < -0.96 * law.vmax);
    CHECK(v > -law.vmax);
    law.damping = 1e-9;
    CHECK(muscleForces(law, law.lopt, law.lopt + 0.9 * law.lslack, 1).fibre_rate / law.lopt ==
          Approx(-law.vmax).epsilon(1e-7));
    // Held at a speed, it pulls by its curve: many steps at one rate, of a tendon so stiff that it does not matter.
    law = biceps();
    law.pennation = 0, law.lslack = 1e-4;
    double fibre = 1.2 * law.lopt, length = fibre + law.lslack * 1.02;
    const double h = 1e-5, rate = -0.3 * law.vmax * law.lopt;
    MuscleStep step;
    while (fibre > law.lopt) {
        length += h * rate;
        step = muscleStep(law, fibre, length, 1, h);
        fibre = step.fibre;
    }
    CHECK(step.tension == Approx(law.fmax * (forceVelocity(-0.3).value - 0.3 * law.damping)).epsilon(2e-3));
}

TEST_CASE("a step's fibre is in equilibrium, its stiffness a derivative", "[muscle]") {
    Random random(5);
    int compared = 0;
    for (int i = 0; i < 2000; i++) {
        MuscleLaw law = biceps();
        law.pennation = random.between(-0.6, 0.6);
        const double activation = random.below(4) == 0 ? 0 : random.unit();
        const double length = law.lslack * random.between(0.97, 1.05) + law.lopt * random.between(0.5, 1.7);
        const double fibre = muscleFibreAtRest(law, length, random.unit());
        const double h = std::pow(10, random.between(-5, -1.5)), end = length + h * random.between(-1, 1);
        const MuscleStep step = muscleStep(law, fibre, end, activation, h);
        const double w = law.lopt * std::sin(law.pennation);
        const double s = std::sqrt(step.fibre * step.fibre - w * w);
        if (s < 0.0501 * law.lopt) continue;
        const double own = fibrePull(law, step.fibre, (step.fibre - fibre) / h, activation);
        INFO("h " << h << " activation " << activation << " fibre " << fibre << " end " << end);
        CHECK(step.tension == Approx(own).margin(1e-6 * law.fmax));
        CHECK(step.tension >= 0);
        CHECK(step.stiffness >= 0);
        // Away from the ends of the curves' pieces.
        const double tendon = (end - s) / law.lslack, l = step.fibre / law.lopt;
        if (std::abs(tendon - 1) < 1e-4 || std::abs(tendon - 1.02434) < 1e-4 || std::abs(l - 1) < 1e-4) continue;
        const double slope =
            difference([&](double x) { return muscleStep(law, fibre, x, activation, h).tension; }, end, 1e-7);
        if (slope < 0) continue;  // a long step on the descending limb: reported as 0
        CHECK(step.stiffness == Approx(slope).margin(1e-5 * law.fmax / law.lopt).epsilon(1e-4));
        compared++;
    }
    CHECK(compared > 1500);
}

TEST_CASE("small steps come to the equation of the fibre", "[muscle]") {
    // Isometric, suddenly active: against Runge-Kutta of fourth order on the fibre's speed.
    const MuscleLaw law = biceps();
    const double length = 0.98 * law.lopt + 1.005 * law.lslack, start = muscleFibreAtRest(law, length, 0.05);
    const double time = 0.02;
    double x = start;
    const int n = 20000;
    const auto rate = [&](double fibre) { return muscleForces(law, fibre, length, 0.8).fibre_rate; };
    for (int i = 0; i < n; i++) {
        const double d = time / n, k1 = rate(x), k2 = rate(x + d / 2 * k1), k3 = rate(x + d / 2 * k2),
                     k4 = rate(x + d * k3);
        x += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    const auto error = [&](int steps) {
        double fibre = start;
        for (int i = 0; i < steps; i++) fibre = muscleStep(law, fibre, length, 0.8, time / steps).fibre;
        return std::abs(fibre - x);
    };
    const double coarse = error(200), fine = error(400);
    CHECK(coarse < 1e-3 * law.lopt);
    CHECK(coarse / fine == Approx(2).margin(0.15));  // first order
}

TEST_CASE("a muscle that is not active gives back no more than it was given", "[muscle]") {
    const MuscleLaw law = biceps();
    Random random(17);
    for (int run = 0; run < 20; run++) {
        double length = 1.3 * law.lopt + law.lslack, fibre = muscleFibreAtRest(law, length, 0), given = 0;
        const double at_start = muscleForces(law, fibre, length, 0).stored;
        const double swing = random.between(0.005, 0.06), pace = random.between(1, 40), h = 1e-3;
        const double middle = length;
        for (int i = 1; i <= 2000; i++) {
            const double next = middle + swing * std::sin(pace * i * h);
            const MuscleStep step = muscleStep(law, fibre, next, 0, h);
            given += step.tension * (next - length);
            length = next, fibre = step.fibre;
            const double stored = muscleForces(law, fibre, length, 0).stored - at_start;
            REQUIRE(stored <= given + 1e-12);
        }
    }
}

TEST_CASE("lengths beyond all reason neither hang nor make a NaN", "[muscle]") {
    const double sizes[] = {-1e300, -10, -1e-3, 0, 1e-300, 1e-9, 0.01, 0.12, 0.3, 5, 1e6, 1e150};
    for (const double pennation : {0.0, 0.3, 1.57}) {
        MuscleLaw law = biceps();
        law.pennation = pennation;
        for (const double fibre : sizes) {
            for (const double length : sizes) {
                for (const double activation : {-1.0, 0.0, 0.5, 2.0}) {
                    INFO(pennation << " " << fibre << " " << length << " " << activation);
                    const double rest = muscleFibreAtRest(law, length, activation);
                    CHECK(std::isfinite(rest));
                    CHECK(rest > 0);
                    const MuscleForces m = muscleForces(law, fibre, length, activation);
                    CHECK(std::isfinite(m.tension));
                    CHECK(m.tension >= 0);
                    CHECK_FALSE(std::isnan(m.fibre_rate));
                    CHECK_FALSE(std::isnan(m.active));
                    for (const double h : {0.0, 1e-12, 1e-3, 10.0}) {
                        const MuscleStep step = muscleStep(law, fibre, length, activation, h);
                        CHECK(std::isfinite(step.fibre));
                        CHECK(step.fibre > 0);
                        CHECK(step.tension >= 0);
                        CHECK(step.stiffness >= 0);
                        CHECK_FALSE(std::isnan(step.tension));
                    }
                }
            }
        }
    }
}

}  // namespace mw::routes
