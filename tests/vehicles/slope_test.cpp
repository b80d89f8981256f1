// Vehicles on slopes: parked with brakes on they stay under anchored friction, creep as their law says under the
// regularised one, and slide as a block does where the slope is too steep.
#include "tests/support/catch.h"
#include "tests/vehicles/vehicle.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kSlope = 15 * kDegree;

// The patch's creep over two seconds from `from`, beside what the loads that it carried meanwhile let expect.
struct Creep {
    double measured = 0, expected = 0;
};
Creep creepAt(const Vehicle& v, double from, double dt) {
    const GroundLaw law = ContactModel(*v.model).groundLaw(0);
    Simulation run = parked(v, kSlope, Friction::regularized, dt);
    runUntil(run, from);
    const std::vector<int> patch = patchOf(run);
    const Vector3d begin = meanOf(run, patch);
    Creep creep;
    constexpr int kLooks = 40;
    for (int i = 0; i < kLooks; ++i) {
        creep.expected += creepOf(cornerLoads(run), kSlope, law.mu, law.veps, run.dt(), law.mass) / kLooks;
        runUntil(run, from + 2.0 * (i + 1) / kLooks);
    }
    const Vector3d end = meanOf(run, patch);
    creep.measured =
        -((end[0] - begin[0]) * std::cos(kSlope) + (end[2] - begin[2]) * std::sin(kSlope)) / (run.state().t - from);
    return creep;
}

}  // namespace

TEST_CASE("parked on 15 degrees, braked and anchored: the patch stays", "[vehicles][slope]") {
    const struct {
        const char* name;
        double bound;  // m/s by 4 s
    } runs[] = {{"m113", 1e-4}, {"track_demo", 1e-4}, {"track_min", 2e-4}};
    for (const auto& [name, bound] : runs) {
        const Vehicle& v = vehicle(name);
        Simulation run = parked(v, kSlope, Friction::anchored);
        runUntil(run, 2);
        const PatchSlip slip = patchSlip(run, kSlope);
        const Readings now = run.read();
        std::size_t stuck = 0, points = 0;
        for (const ContactReading& c : now.contacts)
            if (c.kind == ContactReading::Kind::ground) ++points, stuck += c.state == ContactState::stick ? 1 : 0;
        std::printf(
            "%-10s parked on 15 deg, anchored: patch of %zu shoes slips %.2e m/s by 4 s (sideways %.0e, spread "
            "%.1e m); %zu of %zu points stick; brakes hold %.3g J, anchors %.3g J; residual %.2e of |power|\n",
            name, slip.shoes, std::abs(slip.speed), std::abs(slip.sideways), slip.spread, stuck, points,
            now.brake_energy, now.contact_energy.anchors, now.residual / now.ledger.absolute);
        CAPTURE(name);
        CHECK(std::abs(slip.speed) < bound);
        CHECK(std::abs(slip.sideways) < bound);
        CHECK(now.contact_energy.anchors > 0);
        CHECK(std::abs(now.residual) < 1e-3 * now.ledger.absolute);
    }
}

TEST_CASE("parked on 15 degrees, regularised: the patch creeps as its law says, less with a smaller step",
          "[vehicles][slope]") {
    for (const char* name : {"m113", "track_demo", "track_min"}) {
        const Vehicle& v = vehicle(name);
        const Creep creep = creepAt(v, 4, v.dt);
        std::printf(
            "%-10s parked on 15 deg, regularised: creeps %.3e m/s at its step, expected of its loads %.3e "
            "(%+.1f %%)\n",
            name, creep.measured, creep.expected, 100 * (creep.measured / creep.expected - 1));
        CAPTURE(name);
        CHECK(creep.measured == Approx(creep.expected).epsilon(0.1));
    }
    // Towards dt = 0: veps s / sqrt(1 - s^2), which is 3.55 mm/s here. Creep is linear in a small step.
    const Vehicle& v = vehicle("track_min");
    const GroundLaw law = ContactModel(*v.model).groundLaw(0);
    const double s = std::tan(kSlope) / law.mu, limit = law.veps * s / std::sqrt(1 - s * s);
    double before = 0, extrapolated = 0;
    for (const int halves : {0, 1, 2, 3, 4}) {
        const double dt = v.dt / (1 << halves);
        const Creep creep = creepAt(v, 2, dt);
        extrapolated = 2 * creep.measured - before;
        std::printf("track_min  dt %.2e: creeps %.3e m/s, expected %.3e; %s %.3e\n", dt, creep.measured, creep.expected,
                    halves ? "extrapolated to dt 0" : "limit at dt 0", halves ? extrapolated : limit);
        CHECK(creep.measured == Approx(creep.expected).epsilon(0.1));
        if (halves) CHECK(creep.measured < before);
        before = creep.measured;
    }
    CHECK(extrapolated == Approx(limit).epsilon(0.1));
}

TEST_CASE("brakes on, anchored, too steep: it slides as a block does", "[vehicles][slope]") {
    // After the release a vehicle rocks, the M113 on its torsion bars for a long time, and friction follows the load of
    // the moment. So: over half a second once that has died out (track_min); over half a second with the load that the
    // ground has meanwhile borne, and over eight seconds of rocking (the M113).
    const struct {
        const char* name;
        double from, time;
        bool rocks;
    } runs[] = {{"track_min", 7, 0.5, false}, {"m113", 5, 0.5, true}, {"m113", 5, 8, false}};
    for (const auto& [name, from, time, rocks] : runs) {
        const Vehicle& v = vehicle(name);
        const double mu = ContactModel(*v.model).groundLaw(0).mu, slope = std::atan(1.1 * mu);
        const double sine = std::sin(slope), cosine = std::cos(slope);
        Simulation run = parked(v, slope, Friction::anchored);
        run.setAccounts(false);
        runUntil(run, from);
        const Vector3d before = momentumOf(run);
        const double t = run.state().t;
        runUntil(run, from + time);
        const Vector3d after = momentumOf(run);
        const double span = (run.state().t - t) * v.mass;
        const double measured = -((after[0] - before[0]) * cosine + (after[2] - before[2]) * sine) / span;
        const double rising = ((after[2] - before[2]) * cosine - (after[0] - before[0]) * sine) / span;
        const double expected = 9.81 * sine - mu * (9.81 * cosine + (rocks ? rising : 0));
        std::printf(
            "%-10s on %.1f deg, braked, anchored: %.4f m/s^2 over %.1f s, g (sin - mu cos)%s = %.4f (%+.2f %%)\n", name,
            slope / kDegree, measured, time, rocks ? " with the load borne" : "", expected,
            100 * (measured / expected - 1));
        CAPTURE(name, time);
        CHECK(measured == Approx(expected).epsilon(0.02));
    }
}
