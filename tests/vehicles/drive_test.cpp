// Vehicles under their own power: the band carries them as fast as the sprocket's teeth hand it on, less its slip on
// the ground; power that goes in comes out as climbing and as what the ledger names; the books close.
#include "tests/support/catch.h"
#include "tests/vehicles/vehicle.h"

using namespace mw;
using namespace mw::test;

namespace {

/// Means over a stretch of steady driving.
struct Driving {
    double omega = 0;                   ///< rad/s, of the driven rollers
    double hull = 0;                    ///< m/s along the slope
    double slip = 0;                    ///< m/s, of the pads on the ground backwards, weighted by their loads
    double drive = 0;                   ///< W, of the drives
    double lost = 0;                    ///< W, that the ledger names as dissipated
    double tractive = 0;                ///< N, the ground's force along the slope
    double useful = 0;                  ///< W, tractive force times speed
    double stored = 0;                  ///< W, into everything but the vehicle's height
    double residual = 0, absolute = 0;  ///< J, at the end
};

Driving drive(const Vehicle& v, double slope, double omega, double from, double time, double dt, bool slips) {
    ContactSetup setup;
    setup.slope = slope;
    Simulation run = runOf(v, dt, setup);
    // Let down, then up to speed over a second.
    run.inputs().brake = true;
    runUntil(run, 0.5);
    run.inputs().brake = false;
    while (run.state().t + dt / 2 < from) {
        run.inputs().driving.assign(run.driven().size(), omega * std::min(1.0, run.state().t - 0.5));
        stepOn(run);
    }
    Driving d;
    const Ledger begin = run.ledger();
    const Readings first = run.read(false);
    std::vector<double> angle;
    for (const DrivenRoller& r : run.driven()) angle.push_back(run.state().q[static_cast<std::size_t>(r.q)]);
    const Poses start = posesOf(run);
    const auto steps = std::llround(time / dt);
    Vector3d force{};
    double slip = 0, load = 0;
    for (long long i = 0; i < steps; ++i) {
        stepOn(run);
        for (std::size_t k = 0; k < 3; ++k)
            force[k] += run.appliedContact().ground_force[k] / static_cast<double>(steps);
        if (!slips || i % 20 != 0) continue;
        // Shoes that stand on all four corners: those at the ends of the patch still turn onto the ground or off it.
        const Readings now = run.read();
        std::map<int, int> standing;
        for (const ContactReading& c : now.contacts)
            if (c.kind == ContactReading::Kind::ground) ++standing[c.b];
        for (const auto& [body, corners] : standing) {
            if (corners < 4) continue;
            const double *X = now.X.data() + 12 * body, *V = now.V.data() + 6 * body;
            const double half = 0.5 * v.model->tracks[0].link;
            const double r[3] = {half * X[0], half * X[3], half * X[6]};
            const double x = V[3] + V[1] * r[2] - V[2] * r[1], z = V[5] + V[0] * r[1] - V[1] * r[0];
            slip -= x * std::cos(slope) + z * std::sin(slope);
            load += 1;
        }
    }
    const Readings last = run.read(false);
    const Poses end = posesOf(run);
    const double span = static_cast<double>(steps) * dt;
    for (std::size_t i = 0; i < angle.size(); ++i)
        d.omega += (run.state().q[static_cast<std::size_t>(run.driven()[i].q)] - angle[i]) / span /
                   static_cast<double>(angle.size());
    // Of the body that the first band is rooted in.
    const auto root = static_cast<std::size_t>(v.model->tracks[0].root);
    const double *a = start.X.data() + 12 * root + 9, *b = end.X.data() + 12 * root + 9;
    d.hull = ((b[0] - a[0]) * std::cos(slope) + (b[2] - a[2]) * std::sin(slope)) / span;
    d.slip = load > 0 ? slip / load : 0;
    d.drive = (last.ledger.drives - begin.drives) / span;
    d.lost = (last.ledger.dissipated - begin.dissipated) / span;
    d.tractive = force[0] * std::cos(slope) + force[2] * std::sin(slope);
    d.useful = d.tractive * d.hull;
    d.stored = (last.total_energy - last.energy.gravity - first.total_energy + first.energy.gravity) / span;
    d.residual = last.residual, d.absolute = last.ledger.absolute;
    return d;
}

}  // namespace

TEST_CASE("steady speed is what the teeth hand on, less the slip on the ground", "[vehicles][drive]") {
    const struct {
        const char* name;
        double slope, omega;
    } runs[] = {{"m113", 0, 8}, {"m113", 10, 6}, {"track_demo", 0, 5}, {"track_min", 0, 5}};
    for (const auto& [name, slope, omega] : runs) {
        const Vehicle& v = vehicle(name);
        const Driving d = drive(v, slope * kDegree, omega, 3, 2, v.dt, true);
        const Track& track = v.model->tracks[0];
        int teeth = 0;
        for (const Track::Roller& r : track.rollers)
            if (r.driven) teeth = r.teeth;
        const double band = d.omega * teeth * track.link / (2 * 3.14159265358979323846), expected = band - d.slip;
        std::printf(
            "%-10s %4.0f deg: sprocket %.4f rad/s hands on %.4f m/s, pads slip %.4f m/s, hull %.4f m/s (%+.2f "
            "%% of expected)\n",
            name, slope, d.omega, band, d.slip, d.hull, 100 * (d.hull / expected - 1));
        CAPTURE(name, slope);
        CHECK(d.hull == Approx(expected).epsilon(0.005));
        CHECK(d.hull > 0.5);
    }
}

TEST_CASE("power of the drives is tractive force times speed and what the ledger names as lost", "[vehicles][drive]") {
    const struct {
        const char* name;
        double slope, omega, time;
    } runs[] = {{"m113", 10, 6, 4}, {"m113", 15, 4, 4}};
    for (const auto& [name, slope, omega, time] : runs) {
        const Vehicle& v = vehicle(name);
        const Driving d = drive(v, slope * kDegree, omega, 4, time, v.dt, false);
        std::printf(
            "%-10s %4.0f deg at %.3f m/s: drives %.1f W = climbing %.1f (%.0f N x speed; weight's share %.0f "
            "N) + lost %.1f + stored %.1f, off by %+.2f %%\n",
            name, slope, d.hull, d.drive, d.useful, d.tractive, v.weight * std::sin(slope * kDegree), d.lost, d.stored,
            100 * ((d.useful + d.lost) / d.drive - 1));
        CAPTURE(name, slope);
        CHECK(d.useful == Approx(d.drive - d.lost).epsilon(0.01));
        CHECK(d.tractive == Approx(v.weight * std::sin(slope * kDegree)).epsilon(0.02));
        CHECK(d.lost > 0);
    }
}

TEST_CASE("the books of a driving vehicle close within 1e-4 of the integral of |power| at half the step",
          "[vehicles][drive]") {
    const struct {
        const char* name;
        double slope, omega;
    } runs[] = {{"m113", 0, 10}, {"m113", 10, 6}, {"track_demo", 0, 6}, {"track_min", 0, 6}};
    for (const auto& [name, slope, omega] : runs) {
        const Vehicle& v = vehicle(name);
        double part[2];
        for (int half = 0; half < 2; ++half) {
            const Driving d = drive(v, slope * kDegree, omega, 2, 1, half ? v.dt / 2 : v.dt, false);
            part[half] = std::abs(d.residual) / d.absolute;
            std::printf("%-10s %4.0f deg, dt %.3g: residual %.3g J of %.4g J, %.1e\n", name, slope,
                        half ? v.dt / 2 : v.dt, d.residual, d.absolute, part[half]);
        }
        CAPTURE(name, slope);
        CHECK(part[1] < 1e-4);
        CHECK(part[0] < 4e-4);
    }
}
