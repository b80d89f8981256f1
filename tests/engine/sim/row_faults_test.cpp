// Rows at the edges of what they can do: friction where nothing gives way, struts that push, depths that substeps
// share.
#include <cmath>

#include "tests/engine/sim/rows.h"

using namespace mw;
using test::advance;
using test::stepping;

TEST_CASE("dry friction of a prescribed joint is felt by its drive", "[rows]") {
    for (const double speed : {2.0, -2.0}) {
        INFO(speed);
        Simulation s = stepping(std::string(test::kBead) + "  joint-friction 3\ndrive d joint bead  prescribed (" +
                                std::to_string(speed) + "*t)\n");
        advance(s, 20);
        const Readings r = s.read();
        REQUIRE(r.rows.joints.size() == 1);
        CHECK(r.rows.joints[0].friction.value() == Approx(std::copysign(3, -speed)).margin(1e-9));
        CHECK(r.drive_force[0] == Approx(std::copysign(3, speed)).margin(1e-9));
        CHECK(r.ledger.row_dissipated == Approx(3 * 2 * 0.02).epsilon(1e-9));
        CHECK(r.rows.report.status == SolveStatus::converged);
    }
    // From rest and where the motion turns: against the velocity that the step ends with, whatever it began with.
    Simulation begins =
        stepping(std::string(test::kBead) + "  joint-friction 3\ndrive d joint bead  prescribed (t^2)\n");
    advance(begins, 1);
    CHECK(begins.read().rows.joints[0].friction.value() == Approx(-3));
    Simulation turns =
        stepping(std::string(test::kBead) + "  joint-friction 3\ndrive d joint bead  prescribed ((t - 0.0100004)^2)\n");
    for (int step = 1; step <= 20; ++step) {
        advance(turns, 1);
        const double v = turns.state().v[0];
        INFO(step << ", " << v);
        CHECK(turns.read().rows.joints[0].friction.value() == Approx(std::copysign(3, -v)));
    }
    // At rest it has nothing to work against.
    Simulation still = stepping(std::string(test::kBead) + "  joint-friction 3\ndrive d joint bead  prescribed 0\n");
    advance(still, 5);
    CHECK(still.read().drive_force[0] == Approx(0).margin(1e-12));
}

TEST_CASE("a tendon's friction on a prescribed coordinate is felt by the drive, too", "[rows][tendon]") {
    Simulation s = stepping(std::string(test::kBead) +
                            "drive d joint bead  prescribed (2*t)\ntendon rope\n  site base -1 0 0\n  site bead 0 0 0\n"
                            "  friction 3  damping 1\n");
    advance(s, 10);
    CHECK(s.read().drive_force[0] == Approx(5).epsilon(1e-9));
}

TEST_CASE("slack is what neither pulls nor pushes", "[rows][tendon]") {
    const auto tendonAt = [](double start) {
        Simulation s =
            stepping(std::string(test::kBead) + "  start " + std::to_string(start) +
                     "\ntendon strut\n  site base -1 0 0\n  site bead 0 0 0\n  stiffness 100  spring 1 1.5\n");
        advance(s, 1);
        return s.read().tendons[0];
    };
    const TendonReading pushes = tendonAt(-0.5), slack = tendonAt(0.2), pulls = tendonAt(1);
    CHECK(pushes.tension < -40);
    CHECK_FALSE(pushes.slack);
    CHECK(slack.tension == 0);
    CHECK(slack.slack);
    CHECK(pulls.tension > 40);
    CHECK_FALSE(pulls.slack);
}

TEST_CASE("substeps share the correction of a depth that is looked at once", "[rows][contact]") {
    // A ball 2 mm deep at rest: however many substeps a step has, it leaves with no more than beta depth / h.
    for (const int substeps : {1, 10, 100}) {
        INFO(substeps);
        Simulation s = stepping(
            "gravity 0 0 0\nmaterial m\n  restitution 0\nground\n  plane 0 0 1 0\nbody ball\n  joint prismatic z\n  "
            "mass 1\n"
            "  start 0.098\nshape s on ball  sphere 0.1  collide m\ncontact\n  substeps " +
                std::to_string(substeps) + "\n",
            1e-3);
        advance(s, 1);
        CHECK(s.state().v[0] > 0);
        CHECK(s.state().v[0] <= 0.2 * 0.0015 / 1e-3 * (1 + 1e-9));
    }
}
