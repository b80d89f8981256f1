// Rope over guides with friction, against the belt equation: what holds and what slides, on drums that stand, turn
// freely or are driven, in helices, over several guides; tensions of the sides and the moment on the drum.
#include <cmath>

#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kPi = 3.14159265358979323846, kG = 9.81, kRadius = 0.1;

struct Drum {
    double left = 1, right = 1, mu = 0.3;
    std::string drum = "fixed";  // joint and laws of the drum
    std::string extra;
    double h = 1e-3;
};
/// Two weights on rails beside a drum, the strands upright.
struct Capstan {
    std::shared_ptr<const Model> model;
    Simulation sim;
    static std::string text(const Drum& d) {
        return fmt::format(
            "mech 1\nbody drum\n  joint {0}\n  at 0 0 2\n  mass 2  inertia 0.02 0.02 0.02 0 0 0\n"
            "body left\n  joint prismatic z\n  at -{1} 0 1\n  mass {2}\n"
            "body right\n  joint prismatic z\n  at {1} 0 1\n  mass {3}\n"
            "tendon rope\n  site left 0 0 0\n  cylinder drum 0 0 0  axis y  radius {1}  side base 0 0 3  mu {4}\n"
            "  site right 0 0 0\n  limits -inf (2 + pi*{1})\n{5}",
            d.drum, kRadius, d.left, d.right, d.mu, d.extra);
    }
    explicit Capstan(const Drum& d)
        : model(mechanism(text(d))), sim(model, makeReferenceKernel(*model), Integrator::euler, d.h) {}
    void steps(int count) {
        for (int i = 0; i < count; ++i) REQUIRE_FALSE(sim.step());
    }
    double v(const char* name) const {
        const Layout layout = layoutOf(*model);
        return sim.state().v[static_cast<std::size_t>(findSlot(*model, layout, "v", name))];
    }
    double q(const char* name) const {
        const Layout layout = layoutOf(*model);
        return sim.state().q[static_cast<std::size_t>(findSlot(*model, layout, "q", name))];
    }
    TendonReading rope() { return sim.read().tendons[0]; }
};

}  // namespace

TEST_CASE("capstan: holds below e^(mu phi), slides above it, by the belt equation's acceleration") {
    const double mu = 0.3, ratio = std::exp(mu * kPi);
    for (const bool heavy_right : {true, false}) {
        CAPTURE(heavy_right);
        const auto drum = [&](double factor) {
            Drum d;
            d.mu = mu;
            (heavy_right ? d.right : d.left) = ratio * factor;
            return d;
        };
        Capstan holds(drum(0.995));
        holds.steps(1000);
        CHECK(std::abs(holds.v("left")) <= 1e-9);
        CHECK(std::abs(holds.q("left")) <= 1e-9);
        CHECK(std::abs(holds.q("right")) <= 1e-9);
        const TendonReading r = holds.rope();
        REQUIRE(r.segment_tension.size() == 2);
        CHECK(r.segment_tension[0] == Approx((heavy_right ? 1 : ratio * 0.995) * kG).epsilon(1e-6));
        CHECK(r.segment_tension[1] == Approx((heavy_right ? ratio * 0.995 : 1) * kG).epsilon(1e-6));

        Capstan slides(drum(1.005));
        slides.steps(100);
        const double m = ratio * 1.005, wanted = kG * (m - ratio) / (m + ratio) * 0.1;
        CHECK(slides.v(heavy_right ? "left" : "right") == Approx(wanted).epsilon(1e-6));
        CHECK(slides.v(heavy_right ? "right" : "left") == Approx(-wanted).epsilon(1e-6));
        // Far above the limit the acceleration is matched all the same.
        Capstan falls(drum(2));
        falls.steps(100);
        CHECK(falls.v(heavy_right ? "left" : "right") == Approx(kG / 3 * 0.1).epsilon(1e-6));
    }
}

TEST_CASE("capstan: the jump of tension on points, guide and its axis") {
    Drum d;
    d.right = 2;
    Capstan holds(d);
    holds.steps(10);
    const TendonReading r = holds.rope();
    const GuideReading& guide = r.route.guides[0];
    CHECK(guide.tension_before == Approx(kG).epsilon(1e-9));
    CHECK(guide.tension_after == Approx(2 * kG).epsilon(1e-9));
    CHECK(r.tension == Approx(2 * kG).epsilon(1e-9));
    CHECK(guide.force[2] == Approx(-3 * kG).epsilon(1e-9));
    // (T2 - T1) r about +y, the rope running from left over the top to the right.
    CHECK(guide.moment[1] == Approx(kG * kRadius).epsilon(1e-9));
    CHECK(r.point_forces.front()[2] == Approx(kG).epsilon(1e-9));
    CHECK(r.point_forces.back()[2] == Approx(2 * kG).epsilon(1e-9));
}

TEST_CASE("capstan: a drum that turns freely is carried along by rope that sticks") {
    Drum d;
    d.right = 2, d.mu = 0.8, d.drum = "revolute y";
    Capstan run(d);
    run.steps(200);
    // Atwood with inertia: a = g (m2 - m1)/(m1 + m2 + I/r^2); the rope does not slide.
    const double a = kG / (3 + 0.02 / (kRadius * kRadius)), v = a * 0.2;
    CHECK(run.v("right") == Approx(-v).epsilon(1e-6));
    CHECK(run.v("drum") == Approx(v / kRadius).epsilon(1e-6));
    // and stays where it was laid, over all the way
    CHECK(run.q("drum") * kRadius == Approx(run.q("left")).margin(1e-7));
    const TendonReading r = run.rope();
    CHECK(r.segment_tension[0] == Approx(kG + a).epsilon(1e-6));
    CHECK(r.segment_tension[1] == Approx(2 * (kG - a)).epsilon(1e-6));
}

TEST_CASE("capstan: a driven drum drags the rope along") {
    // Equal weights; the drum turns so that its top moves to the right: the rope is dragged to the right, T1 = ratio
    // T2.
    const double mu = 0.2, ratio = std::exp(mu * kPi);
    Drum d;
    d.mu = mu, d.drum = "revolute y", d.extra = "drive motor joint drum  prescribed (40*t)\n";
    Capstan run(d);
    run.steps(100);
    const double a = kG * (ratio - 1) / (ratio + 1);
    CHECK(run.v("left") == Approx(a * 0.1).epsilon(0.005));
    CHECK(run.v("right") == Approx(-a * 0.1).epsilon(0.005));
    // A slow drum catches the rope: it then moves with the drum's surface.
    d.extra = "drive motor joint drum  prescribed (2*t)\n";
    Capstan slow(d);
    slow.steps(500);
    CHECK(slow.v("left") == Approx(2 * kRadius).epsilon(1e-6));
    // What the drive has to give: (T1 - T2) r, nothing here, for both weights rise and fall evenly.
    const TendonReading r = slow.rope();
    CHECK(r.segment_tension[0] == Approx(kG).epsilon(1e-6));
    // Held against a heavier side: below the ratio the load moves with the drum against its weight.
    d.right = 0.7 * 1, d.left = 0.7 * ratio * 0.9;
    Capstan lifts(d);
    lifts.steps(500);
    CHECK(lifts.v("left") == Approx(2 * kRadius).epsilon(1e-6));
    d.left = 0.7 * ratio * 1.01;
    Capstan slips(d);
    slips.steps(500);
    const double m1 = d.left, m2 = d.right;
    CHECK(slips.v("left") == Approx(-kG * (m1 - ratio * m2) / (m1 + ratio * m2) * 0.5).epsilon(0.005));
}

TEST_CASE("capstan: a drum drags rope with and against the load, in a solved state in every step") {
    // Dragged towards the heavy side the tension before the guide is the larger, and its bound answers more to the
    // tension behind than the rope's own row does.
    const double mu = 0.3, ratio = std::exp(mu * kPi), h = 1e-3, speed = 2;
    for (const double to : {1.0, -1.0})
        for (const double heavy : {2.5, 2.6, 6.0})
            for (const bool heavy_right : {true, false}) {
                CAPTURE(to, heavy, heavy_right);
                Drum d;
                d.mu = mu, d.drum = "revolute y";
                d.extra = fmt::format("drive motor joint drum  prescribed ({}*t)\n", to * speed);
                (heavy_right ? d.right : d.left) = heavy;
                Capstan run(d);
                // The rope lags behind the drum: the side it is dragged from is the tighter, by the whole ratio.
                const double tighter = to > 0 ? ratio : 1 / ratio;
                const double a = kG * (tighter * d.right - d.left) / (tighter * d.right + d.left);
                for (int i = 0; i < 20; ++i) {
                    run.steps(1);
                    REQUIRE(run.sim.rowStep().report().status == SolveStatus::converged);
                    const TendonReading r = run.rope();
                    CHECK(r.segment_tension[0] / r.segment_tension[1] == Approx(tighter).epsilon(0.005));
                }
                CHECK(run.v("left") == Approx(20 * h * a).epsilon(0.005));
                CHECK(run.v("right") == Approx(-20 * h * a).epsilon(0.005));
                if (a * to < 0) continue;  // the load is the stronger: it never catches the drum
                // It catches the drum, and moves with it where the load may be held.
                const int rest = static_cast<int>(speed * kRadius / std::abs(a) / h) + 50 - 20;
                for (int i = 0; i < rest; ++i) {
                    run.steps(1);
                    REQUIRE(run.sim.rowStep().report().status == SolveStatus::converged);
                }
                const TendonReading r = run.rope();
                if (heavy < ratio) {
                    CHECK(run.v("left") == Approx(to * speed * kRadius).epsilon(1e-6));
                    CHECK(r.segment_tension[0] == Approx(d.left * kG).epsilon(0.005));
                    CHECK(r.segment_tension[1] == Approx(d.right * kG).epsilon(0.005));
                } else {  // past the ratio it overtakes the drum, held back by it
                    CHECK(run.v("left") * to > speed * kRadius);
                    CHECK(r.segment_tension[0] / r.segment_tension[1] == Approx(1 / tighter).epsilon(0.005));
                }
            }
}

TEST_CASE("capstan: a drum at rest keeps the solve converged, holding and sliding either way") {
    const double mu = 0.3, ratio = std::exp(mu * kPi);
    for (const double heavy : {1.0, 2.5, 2.6, 6.0})
        for (const bool heavy_right : {true, false}) {
            CAPTURE(heavy, heavy_right);
            Drum d;
            d.mu = mu;
            (heavy_right ? d.right : d.left) = heavy;
            Capstan run(d);
            for (int i = 0; i < 50; ++i) {
                run.steps(1);
                REQUIRE(run.sim.rowStep().report().status == SolveStatus::converged);
            }
            const double a = std::max(0.0, kG * (heavy - ratio) / (heavy + ratio));
            CHECK(run.v(heavy_right ? "left" : "right") == Approx(0.05 * a).epsilon(0.005).margin(1e-8));
        }
}

TEST_CASE("capstan: a helix holds by the angle its direction turns by") {
    // Strands of the two weights are 0.4 apart along the axis; weights on rails, so only the drum's jump is looked at.
    const double mu = 0.25;
    const auto text = [&](double heavy) {
        return fmt::format(
            "mech 1\nbody drum\n  joint fixed\n  at 0 0 2\n  mass 2  inertia 0.02 0.02 0.02 0 0 0\n"
            "body left\n  joint prismatic z\n  at -0.1 0 1\n  mass 1\n"
            "body right\n  joint prismatic z\n  at 0.1 0.9 1\n  mass {}\n"
            "tendon rope\n  site left 0 0 0\n  cylinder drum 0 0 0  axis y  radius 0.1  side base 0 0 3  mu {}\n"
            "  site right 0 0 0\n  limits -inf (sqrt((2 + 0.1*pi)^2 + 0.81))\n",
            heavy, mu);
    };
    const double planar = 2 + 0.1 * kPi, slope = planar / std::hypot(planar, 0.9);
    const double ratio = std::exp(mu * kPi * slope);
    const auto at = [&](double heavy, int steps) {
        const auto model = mechanism(text(heavy));
        Simulation sim(model, makeReferenceKernel(*model), Integrator::euler, 1e-3);
        for (int i = 0; i < steps; ++i) REQUIRE_FALSE(sim.step());
        return std::pair(sim.state().v[0], sim.read().tendons[0]);
    };
    const auto [held, r_held] = at(ratio * 0.995, 500);
    CHECK(std::abs(held) <= 1e-8);
    CHECK(r_held.route.guides[0].contact.turn == Approx(kPi * slope).epsilon(1e-9));
    const auto [slid, r_slid] = at(ratio * 1.005, 50);
    CHECK(slid > 1e-4);
    CHECK(r_slid.segment_tension[1] / r_slid.segment_tension[0] == Approx(ratio).epsilon(1e-4));
}

TEST_CASE("capstan: a turning drum drags a helix by the ratio of its own angle, both ways") {
    const double mu = 0.3, planar = 2 + 0.1 * kPi, slope = planar / std::hypot(planar, 0.9);
    const double ratio = std::exp(mu * kPi * slope), heavy = 2.4;
    for (const double to : {1.0, -1.0}) {
        CAPTURE(to);
        const auto model = mechanism(fmt::format(
            "mech 1\nbody drum\n  joint revolute y\n  at 0 0 2\n  mass 2  inertia 0.02 0.02 0.02 0 0 0\n"
            "body left\n  joint prismatic z\n  at -0.1 0 1\n  mass 1\n"
            "body right\n  joint prismatic z\n  at 0.1 0.9 1\n  mass {}\n"
            "tendon rope\n  site left 0 0 0\n  cylinder drum 0 0 0  axis y  radius 0.1  side base 0 0 3  mu {}\n"
            "  site right 0 0 0\n  limits -inf (sqrt((2 + 0.1*pi)^2 + 0.81))\n"
            "drive motor joint drum  prescribed ({}*t)\n",
            heavy, mu, 5 * to));
        Simulation sim(model, makeReferenceKernel(*model), Integrator::euler, 1e-3);
        const double tighter = to > 0 ? ratio : 1 / ratio;
        for (int i = 0; i < 20; ++i) {
            REQUIRE_FALSE(sim.step());
            REQUIRE(sim.rowStep().report().status == SolveStatus::converged);
            const TendonReading r = sim.read().tendons[0];
            CHECK(r.segment_tension[0] / r.segment_tension[1] == Approx(tighter).epsilon(0.005));
        }
        const double a = kG * (tighter * heavy - 1) / (tighter * heavy + 1);
        const Layout layout = layoutOf(*model);
        CHECK(sim.state().v[static_cast<std::size_t>(findSlot(*model, layout, "v", "left"))] ==
              Approx(0.02 * a).epsilon(0.01).margin(1e-4));
    }
}

TEST_CASE("capstan: two rough guides multiply, in each of three branches; a coupling counts too") {
    const double mu = 0.2;
    // Two quarter turns: over pegs 1 m apart. One tension at the far end, exp(mu pi/2) at each peg.
    const auto branch = [](double y, const char* body) {
        return fmt::format(
            "  site {0}1 0 0 0\n  cylinder base -0.4 {1} 2  axis y  radius 0.1  side base -0.4 {1} 3  mu 0.2\n"
            "  site base 0 {1} 2.1\n  cylinder base 0.4 {1} 2  axis y  radius 0.1  side base 0.4 {1} 3  mu 0.2\n"
            "  site {0}2 0 0 0\n",
            body, y);
    };
    const auto weight = [](const char* name, double x, double y, double m) {
        return fmt::format("body {}\n  joint prismatic z\n  at {} {} 1\n  mass {}\n", name, x, y, m);
    };
    std::string text = "mech 1\n";
    const char* names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i)
        text += weight((std::string(names[i]) + "1").c_str(), -0.5, i, 1) +
                weight((std::string(names[i]) + "2").c_str(), 0.5, i, 3);
    text += "tendon rope\n" + branch(0, "a") + "  pulley 1\n" + branch(1, "b") + "  pulley 2\n" + branch(2, "c") +
            "  actuator -40\n";
    const auto model = mechanism(text);
    Simulation sim(model, makeReferenceKernel(*model), Integrator::euler, 1e-3);
    for (int i = 0; i < 20; ++i) REQUIRE_FALSE(sim.step());
    const TendonReading r = sim.read().tendons[0];
    REQUIRE(r.segment_tension.size() == 9);
    const double quarter = std::exp(mu * kPi / 2);
    for (int b = 0; b < 3; ++b) {
        // Rope pulled in from both ends: it stays with the pegs, or slides; each peg within its wedge.
        for (int side = 0; side < 2; ++side) {
            const double ratio = r.segment_tension[static_cast<std::size_t>(3 * b + side + 1)] /
                                 r.segment_tension[static_cast<std::size_t>(3 * b + side)];
            CHECK(ratio <= quarter * (1 + 1e-6));
            CHECK(ratio >= 1 / quarter * (1 - 1e-6));
        }
        CHECK(r.segment_tension[static_cast<std::size_t>(3 * b + 2)] == Approx(b == 2 ? 20 : 40));
    }
}

TEST_CASE("capstan: the tension that a coupling gives holds rope as any other") {
    // The rope's only law is a coupling with a rod that carries the heavy weight's counterpart.
    const double mu = 0.3, ratio = std::exp(mu * kPi);
    for (const double factor : {0.98, 1.02}) {
        Drum d;
        d.right = ratio * factor, d.mu = mu;
        std::string text = Capstan::text(d);
        text.replace(text.find("  limits"), text.find('\n', text.find("  limits")) - text.find("  limits"), "");
        text +=
            "body anchor\n  joint prismatic x\n  mass 1e9\n  at 0 3 0\ntendon rod fixed\n  term anchor 1\n"
            "coupling tie first rope second rod\n";
        const auto model = mechanism(text);
        Simulation sim(model, makeReferenceKernel(*model), Integrator::euler, 1e-3);
        for (int i = 0; i < 100; ++i) REQUIRE_FALSE(sim.step());
        const double m = ratio * factor;
        CHECK(sim.state().v[0] == Approx(factor < 1 ? 0 : kG * (m - ratio) / (m + ratio) * 0.1).margin(1e-6));
    }
}

TEST_CASE("capstan: rope that hangs slack is held by nothing; stuck rope comes back from a creep") {
    Drum d;
    d.extra = "";
    Capstan slack(d);
    // Thrown up together: no tension, no friction.
    slack.sim.inputs().tau = {20, 20};
    slack.steps(5);
    const TendonReading r = slack.rope();
    CHECK(r.slack);
    CHECK(r.route.guides[0].tension_before == 0);
    CHECK(slack.v("left") == Approx(5e-3 * (20 - kG)).epsilon(1e-9));
}
