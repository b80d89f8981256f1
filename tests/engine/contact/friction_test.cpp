// Friction solved over the step: the impulse bound, the mass it is sized against, and what a wrong mass does.
#include <functional>

#include "tests/engine/contact/support.h"

using namespace mw;
using namespace mw::test;

TEST_CASE("band: a friction impulse never turns the slip around", "[contact][band][friction]") {
    std::printf("friction impulse bound\n");
    int combinations = 0;
    double least = 1, most = 0;
    bool explicit_bits = true, inside = true;
    for (const double load : {1e-3, 1.0, 10.0, 1e2, 1e3, 1e4, 1e5})
        for (const double slip : {1e-8, 1e-5, 1e-3, 1e-2, 0.1, 1.0, 10.0, 50.0})
            for (const double veps : {1e-4, 1e-3, 1e-2, 0.1, 1.0})
                for (const double dt : {0.0, 1e-6, 2.8e-5, 1e-4, 1.87e-4, 1e-3, 1e-2})
                    for (const double mass : {0.05, 4.5, 18.0}) {
                        const double mu = 0.8;
                        const double slope = frictionSlope(mu, load, slip * slip, veps, dt, mass);
                        const double k = mu * load / std::sqrt(slip * slip + veps * veps);
                        const double removed = slope * dt / mass;  // of the slip
                        combinations++;
                        inside = inside && slope * slip <= mu * load;
                        if (dt == 0) explicit_bits = explicit_bits && slope == k;
                        least = std::min(least, 1 - removed);
                        most = std::max(most, removed);
                        if (!(removed >= 0 && removed < 1)) FAIL("slip turned around or fed");
                        if (dt > 0 && slope != Approx(k / (1 + k * dt / mass)).epsilon(1e-12))
                            FAIL("not the implicit law");
                    }
    figure("combinations", "", combinations, 2520);
    figure("least share of the slip that a step leaves", "", least, 0);
    CHECK(combinations >= 2520);
    CHECK(inside);
    CHECK(explicit_bits);
    CHECK(least > 0);
}

namespace {

constexpr double kRim = 17;  // kg, spin inertia over R^2

/// Five pins of 18 kg on a rim: friction alone, stepped. Returns the share of steps that turn the slip around, long
/// after it should have stopped: a step's factor on the slip is in [0, 1) or it is not.
double alternation(double size_against) {
    const int pins = 5;
    const double shoe = 18, rim_mass = kRim, dt = 1.87e-4;
    double pin[pins], rim = 0;
    for (double& v : pin) v = 0.05;
    double sum = 0;
    int counted = 0;
    for (int step = 0; step < 4000; step++) {
        double total = 0;
        const double before = pin[0] - rim;
        for (double& v : pin) {
            const double f = -frictionSlope(0.8, 5000, (v - rim) * (v - rim), 0.01, dt, size_against) * (v - rim);
            v += f / shoe * dt;
            total += f;
        }
        rim -= total / rim_mass * dt;
        if (step < 2000) continue;
        const double after = pin[0] - rim;
        sum += after * before < 0 ? 1 : 0;
        counted++;
    }
    return sum / counted;
}

}  // namespace

TEST_CASE("band: pins on one rim share its inertia, and the shoe's mass alone would alternate", "[contact][band]") {
    const double pair = 1 / (1 / 18.0 + 5 / kRim);
    const double with_pair = alternation(pair), with_shoe = alternation(18);
    std::printf("pair mass\n");
    figure("steps that turn the slip around, pair mass", "", with_pair, 0);
    figure("the same, sized against the shoe (must fail)", "", with_shoe, 0);
    CHECK(with_pair == 0);
    CHECK(with_shoe > 0.99);
}

TEST_CASE("band: the pair mass is that of shoe, roller and axle", "[contact][band]") {
    const Model model = mechanism("track_min");
    const ContactModel contact(model);
    const Track& track = model.tracks[0];
    const double shoe = track.mass.value;
    for (std::size_t r = 0; r < track.rollers.size(); r++) {
        const Body& roller = model.bodies[std::size_t(track.rollers[r].body)];
        const double R = track.rollers[r].radius;
        for (const int n : {1, 2, 5})
            CHECK(
                contact.pairMass(0, int(r), n) ==
                Approx(1 / (1 / shoe + n * (1 / roller.mass.value + R * R / roller.inertia[1].value))).epsilon(1e-13));
        CHECK(contact.faceLaw(0, int(r)).mass == contact.pairMass(0, int(r), 1));
    }
    CHECK(contact.groundLaw(0).mass == Approx(shoe / 4));
}
