// Bodies on hard contacts against pencil and paper: blocks and balls on inclines, pushed, rolling, bouncing, colliding,
// tipping; a table's legs; what is read after they part; the two sides of a pair exchanged.
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "tests/engine/sim/rows.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kG = 9.81, kDegree = 3.14159265358979323846 / 180;

std::string text(const char* format, ...) {
    char buffer[4000];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return buffer;
}

/// A plane that rises towards +x by an angle, through the origin.
std::string incline(double angle) {
    return text("ground\n  plane %.17g 0 %.17g 0\n", -std::sin(angle), std::cos(angle));
}

/// A box (edges a, b, c) that lies on the incline with its middle at s along it.
std::string block(double angle, double mass, double a, double b, double c, double mu, double speed = 0) {
    const double x = -std::sin(angle) * c / 2, z = std::cos(angle) * c / 2;
    return text(
        "material stuff  mu %.17g\nbody block\n  joint floating\n  mass %.17g\n  inertia %.17g %.17g %.17g 0 0 0\n  "
        "fext\n"
        "  start %.17g 0 %.17g 0  %.17g 0 %.17g  rate 0 0 0 %.17g 0 0\nshape hull on block  box %.17g %.17g %.17g  "
        "collide "
        "stuff\n",
        mu, mass, mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12,
        std::cos(angle / 2), -std::sin(angle / 2), x, z, speed, a, b, c);
}

/// A ball on the incline, inertia kappa m r^2, speed along it, material lines.
std::string ball(double angle, double mass, double r, double kappa, const char* material, double speed = 0,
                 double height = 0) {
    return text(
        "material stuff  %s\nbody ball\n  joint floating\n  mass %.17g\n  inertia %.17g %.17g %.17g 0 0 0\n"
        "  start 1 0 0 0  %.17g 0 %.17g  rate 0 0 0 %.17g 0 %.17g\nshape skin on ball  sphere %.17g  collide stuff\n",
        material, mass, kappa * mass * r * r, kappa * mass * r * r, kappa * mass * r * r, -std::sin(angle) * r,
        std::cos(angle) * r + height, speed * std::cos(angle), speed * std::sin(angle), r);
}

struct Sum {
    double normal = 0;
    Vector3d force{}, moment{}, friction{};  // on B; moment about the base origin
};
Sum sumOf(const Readings& readings) {
    Sum sum;
    for (const ShapeContactReading& c : readings.rows.contacts) {
        sum.normal += c.normal_force;
        const Vector3d &p = c.record.point, &f = c.force;
        for (std::size_t i = 0; i < 3; i++) {
            sum.force[i] += f[i];
            sum.friction[i] += c.friction[i];
            sum.moment[i] += p[(i + 1) % 3] * f[(i + 2) % 3] - p[(i + 2) % 3] * f[(i + 1) % 3];
        }
    }
    return sum;
}
double size(const Vector3d& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// A floating body's numbers.
double place(const Simulation& s, int axis) { return s.state().q[std::size_t(4 + axis)]; }
double along(const Simulation& s, double angle) {
    return place(s, 0) * std::cos(angle) + place(s, 2) * std::sin(angle);
}

}  // namespace

TEST_CASE("a block on an incline holds below the friction angle and slides above", "[contact]") {
    {
        const double angle = 20 * kDegree, m = 2;
        Simulation s = stepping(incline(angle) + block(angle, m, 0.4, 0.3, 0.2, 0.5));
        const double before = along(s, angle);
        advance(s, 1000);
        CHECK(std::abs(along(s, angle) - before) < 1e-8);
        const Readings r = s.read();
        REQUIRE(r.rows.contacts.size() == 4);
        const Sum sum = sumOf(r);
        CHECK(sum.normal == Approx(m * kG * std::cos(angle)).epsilon(1e-6));
        CHECK(size(sum.friction) == Approx(m * kG * std::sin(angle)).epsilon(1e-6));
        CHECK(size(sum.friction) / m == Approx(3.355).epsilon(1e-3));
        CHECK(sum.force[2] == Approx(m * kG).epsilon(1e-6));
        for (const ShapeContactReading& c : r.rows.contacts) CHECK(c.state == ContactState::stick);
    }
    struct Slide {
        double degrees, mu, wanted;
    };
    for (const Slide& slide : {Slide{30, 0.3, 2.356}, Slide{35, 0.5, 1.609}}) {
        const double angle = slide.degrees * kDegree, a = kG * (std::sin(angle) - slide.mu * std::cos(angle));
        CHECK(a == Approx(slide.wanted).epsilon(1e-3));
        Simulation s = stepping(incline(angle) + block(angle, 3, 0.4, 0.3, 0.1, slide.mu));
        const double before = along(s, angle);
        advance(s, 500);
        CHECK(before - along(s, angle) == Approx(0.5 * a * 0.5 * 0.501).epsilon(1e-5));
        CHECK(size(sumOf(s.read()).friction) == Approx(slide.mu * 3 * kG * std::cos(angle)).epsilon(1e-5));
    }
}

TEST_CASE("a pushed block stays at 0.9 of breakaway, slides at 1.1, and comes to rest by itself", "[contact]") {
    const double m = 2, mu = 0.4, limit = mu * m * kG;
    for (const double share : {0.9, 1.1}) {
        Simulation s = stepping("ground\n  plane 0 0 1 0\n" + block(0, m, 0.4, 0.4, 0.1, mu));
        s.inputs().fext[3] = share * limit;  // at the floor: no tilt
        advance(s, 500);
        const double a = std::max(0.0, share - 1) * mu * kG;
        CHECK(place(s, 0) == Approx(0.5 * a * 0.5 * 0.501).epsilon(1e-5).margin(1e-8));
        CHECK(size(sumOf(s.read()).friction) == Approx(std::min(share, 1.0) * limit).epsilon(1e-5));
    }
    const double v0 = 2;
    Simulation s = stepping("ground\n  plane 0 0 1 0\n" + block(0, m, 0.4, 0.4, 0.02, mu, v0));
    advance(s, 508);
    CHECK(s.state().v[3] > 1e-3);
    advance(s, 6);
    CHECK(std::abs(s.state().v[3]) < 1e-6);
    CHECK(place(s, 0) == Approx(v0 * v0 / (2 * mu * kG)).margin(v0 * 1e-3));
    const double at = place(s, 0);
    advance(s, 300);
    CHECK(std::abs(place(s, 0) - at) < 1e-8);
}

TEST_CASE("balls, cylinders and hoops roll and slip down an incline", "[contact]") {
    const double r = 0.1, m = 1.5;
    {
        const double angle = 20 * kDegree;
        for (const double kappa : {0.4, 0.5, 1.0}) {  // sphere, cylinder, hoop
            Simulation s = stepping(incline(angle) + ball(angle, m, r, kappa, "mu 0.5"));
            const double before = along(s, angle), a = kG * std::sin(angle) / (1 + kappa);
            advance(s, 500);
            CHECK(before - along(s, angle) == Approx(0.5 * a * 0.5 * 0.501).epsilon(1e-5));
            const Readings readings = s.read();
            REQUIRE(readings.rows.contacts.size() == 1);
            CHECK(size(sumOf(readings).friction) ==
                  Approx(m * kG * std::sin(angle) * kappa / (1 + kappa)).epsilon(1e-5));
            CHECK(size(readings.rows.contacts[0].slip) < 1e-6);
        }
        CHECK(kG * std::sin(angle) / 1.4 == Approx(2.397).epsilon(1e-3));
    }
    const double angle = 45 * kDegree, mu = 0.2;
    Simulation s = stepping(incline(angle) + ball(angle, m, r, 0.4, "mu 0.2"));
    const double before = along(s, angle);
    advance(s, 500);
    CHECK(before - along(s, angle) == Approx(0.5 * 5.549 * 0.5 * 0.501).epsilon(1e-3));
    CHECK(std::abs(s.state().v[1]) * r == Approx(2.5 * mu * kG * std::cos(angle) * 0.5).epsilon(1e-5));
    CHECK(s.read().rows.contacts.at(0).state == ContactState::slip);
}

TEST_CASE("a cylinder rolls on its side by its own shape", "[contact]") {
    const double angle = 10 * kDegree, r = 0.1;
    Simulation s = stepping(
        incline(angle) +
        text(
            "material stuff  mu 0.6\nbody roll\n  joint floating\n  mass 1\n  inertia 5e-3 5e-3 5e-3 0 0 0\n"
            "  start 1 0 0 0  %.17g 0 %.17g\nshape drum on roll  cylinder %.17g 0.3  rot (90*deg) 0 0  collide stuff\n",
            -std::sin(angle) * r, std::cos(angle) * r, r));
    const double before = along(s, angle), a = kG * std::sin(angle) / 1.5;
    advance(s, 500);
    CHECK(before - along(s, angle) == Approx(0.5 * a * 0.5 * 0.501).epsilon(2e-3));
}

TEST_CASE("a sliding ball begins to roll", "[contact]") {
    const double v0 = 3, mu = 0.2, h = 1e-4;
    Simulation s = stepping("ground\n  plane 0 0 1 0\n" + ball(0, 1, 0.1, 0.4, "mu 0.2", v0), h);
    int steps = 0;
    while (steps < 10000) {
        advance(s, 1);
        ++steps;
        const Readings r = s.read();
        if (size(r.rows.contacts.at(0).slip) < 1e-6) break;
    }
    CHECK(steps * h == Approx(2 * v0 / (7 * mu * kG)).margin(2 * h));
    CHECK(steps * h == Approx(0.4369).margin(3 * h));
    CHECK(place(s, 0) == Approx(1.1234).margin(v0 * 2 * h));
    advance(s, 2000);
    const double w = s.state().v[1];
    CHECK(std::hypot(s.state().v[3], s.state().v[5]) == Approx(2.143).epsilon(1e-3));
    CHECK(std::abs(w) * 0.1 == Approx(5 * v0 / 7).epsilon(1e-5));
    const double kinetic = s.energyNow().kinetic;
    CHECK(kinetic == Approx(0.5 * v0 * v0 * 5 / 7).epsilon(1e-5));  // two sevenths lost
}

TEST_CASE("a bouncing ball: heights, when it stops, the way it went", "[contact]") {
    const double h = 1e-4, h0 = 1, e = 0.5;
    Simulation s = stepping(
        "ground\n  plane 0 0 1 0\n" + ball(0, 0.7, 0.05, 0.4, "restitution 0.5  restitution-speed 0.01", 0, h0), h);
    std::vector<double> tops;
    double before = place(s, 2), rising = 0, way = 0, last_move = 0;
    for (int k = 0; k < 20000; k++) {
        advance(s, 1);
        const double z = place(s, 2), dz = z - before;
        way += std::abs(dz);
        if (std::abs(dz) > 1e-9) last_move = s.state().t;
        if (dz > 0) rising = z;
        if (dz < 0 && rising > 0) tops.push_back(rising - 0.05), rising = 0;
        before = z;
    }
    REQUIRE(tops.size() >= 4);
    CHECK(tops[0] == Approx(0.25).epsilon(4e-3));
    CHECK(tops[1] == Approx(0.0625).epsilon(8e-3));
    CHECK(tops[2] == Approx(0.015625).epsilon(2e-2));
    CHECK(last_move == Approx(std::sqrt(2 * h0 / kG) * (1 + e) / (1 - e)).epsilon(1e-2));
    CHECK(way == Approx(h0 * (1 + e * e) / (1 - e * e)).epsilon(5e-3));
    CHECK(std::abs(place(s, 2) - 0.05) < 1e-4);
    const Readings r = s.read();
    CHECK(sumOf(r).normal == Approx(0.7 * kG).epsilon(1e-6));

    // Nothing is gained at e = 1 over ten bounces.
    Simulation perfect = stepping(
        "ground\n  plane 0 0 1 0\n" + ball(0, 1, 0.05, 0.4, "restitution 1  restitution-speed 0.01", 0, 0.2), h);
    double top = 0;
    for (int k = 0; k < 40000; k++) {
        advance(perfect, 1);
        if (k > 36000) top = std::max(top, place(perfect, 2));
    }
    CHECK(top == Approx(0.25).epsilon(2e-2));
}

TEST_CASE("two balls head-on, and the two sides of the pair exchanged", "[contact]") {
    const auto pair = [](bool swapped) {
        const std::string shapes[2] = {"shape left_skin on left  sphere 0.1  collide stuff\n",
                                       "shape right_skin on right  sphere 0.1  collide stuff\n"};
        return std::string("gravity 0 0 0\nmaterial stuff  mu 0.3  restitution 0.5\n") +
               "body left\n  joint floating\n  mass 2\n  inertia 8e-3 8e-3 8e-3 0 0 0\n  start 1 0 0 0 -0.3 0 0  rate "
               "0 0 0 3 0 0\n"
               "body right\n  joint floating\n  mass 1\n  inertia 4e-3 4e-3 4e-3 0 0 0\n  start 1 0 0 0 0.3 0 0  rate "
               "0 0 0 -1 0 0\n" +
               shapes[swapped ? 1 : 0] + shapes[swapped ? 0 : 1];
    };
    double impulse[2] = {0, 0};
    for (const bool swapped : {false, true}) {
        Simulation s = stepping(pair(swapped));
        const double before = s.energyNow().kinetic;
        for (int k = 0; k < 200; k++) {
            advance(s, 1);
            const Readings r = s.read();
            CHECK(r.rows.closure < 1e-9);
            for (const ShapeContactReading& c : r.rows.contacts) {
                if (c.normal_force == 0) continue;
                impulse[swapped ? 1 : 0] += c.force[0] * 1e-3;
                CHECK(c.record.b == (swapped ? 0 : 1));
                CHECK(std::abs(c.record.normal[0] - (swapped ? -1 : 1)) < 1e-12);
            }
        }
        CHECK(s.state().v[3] == Approx(1).margin(1e-9));
        CHECK(s.state().v[9] == Approx(3).margin(1e-9));
        CHECK(before - s.energyNow().kinetic == Approx(4).epsilon(1e-9));
        // Parted: nothing is left of it in the readings.
        for (const ShapeContactReading& c : s.read().rows.contacts) CHECK(c.normal_force == 0);
    }
    CHECK(impulse[0] == Approx(4).epsilon(1e-9));
    CHECK(impulse[1] == Approx(-4).epsilon(1e-9));
}

TEST_CASE("an oblique bounce sticks from mu 0.286 on", "[contact]") {
    for (const double mu : {0.2, 0.28, 0.29, 0.4}) {
        Simulation s = stepping(
            text("gravity 0 0 0\nground\n  plane 0 0 1 0\nmaterial stuff  mu %.17g  restitution 0.5\nbody "
                 "ball\n  joint floating\n"
                 "  mass 2\n  inertia %.17g %.17g %.17g 0 0 0\n  start 1 0 0 0  0 0 0.150000001  rate 0 0 0 3 0 -2\n"
                 "shape skin on ball  sphere 0.1  collide stuff\n",
                 mu, 0.4 * 2 * 0.01, 0.4 * 2 * 0.01, 0.4 * 2 * 0.01));
        advance(s, 60);
        const double p_n = 1.5 * 2 * 2, p_t = std::min(mu * p_n, 2.0 / 7 * 2 * 3);
        const Momenta momenta = s.read().momenta;
        CHECK(momenta.linear[2] == Approx(2 * 1).epsilon(1e-9));
        CHECK(momenta.linear[0] == Approx(2 * 3 - p_t).epsilon(1e-7));
        CHECK(s.state().v[1] == Approx(p_t * 0.1 / (0.4 * 2 * 0.01)).epsilon(1e-7));
    }
}

TEST_CASE("the end of a rod strikes a floor without friction", "[contact]") {
    // L = 1, m = 2, uniform, at 45 degrees, falling with v = 1: p = 0.4 m v, omega = 1.697 v / L, v_c = -0.6 v.
    Simulation s = stepping(
        text("gravity 0 0 0\nground\n  plane 0 0 1 0\nmaterial ice  mu 0\nbody rod\n  joint floating\n  mass 2\n"
             "  inertia 1e-6 %.17g %.17g 0 0 0\n  start %.17g 0 %.17g 0  0 0 %.17g  rate 0 0 0 %.17g 0 %.17g\n"
             "shape tip on rod  sphere 1e-6  at 0.5 0 0  collide ice\n",
             2.0 / 12, 2.0 / 12, std::cos(22.5 * kDegree), std::sin(22.5 * kDegree),
             0.5 * std::sqrt(0.5) + 1e-6 + 0.0105, std::sqrt(0.5), -std::sqrt(0.5)));
    advance(s, 15);
    const Momenta momenta = s.read().momenta;
    CHECK(momenta.linear[2] == Approx(2 * -0.6).epsilon(3e-3));
    CHECK(std::abs(s.state().v[1]) == Approx(1.697).epsilon(3e-3));
}

TEST_CASE("a tall block on an incline tips where its corner is, not before", "[contact]") {
    // b = 0.2, h = 0.6: at tan = 1/3, 18.43 degrees
    for (const double degrees : {18.0, 18.9}) {
        const double angle = degrees * kDegree;
        Simulation s = stepping(incline(angle) + block(angle, 1, 0.2, 0.3, 0.6, 1));
        const double before = s.state().q[2];
        advance(s, 1000);
        if (degrees < 18.43) CHECK(std::abs(s.state().q[2] - before) < 1e-7);
        else CHECK(std::abs(s.state().q[2] - before) > 0.02);
    }
}

TEST_CASE("a table with four legs: sum and both moments of their loads", "[contact]") {
    std::string scene =
        "ground\n  plane 0 0 1 0\nmaterial wood\nbody table\n  joint floating\n  mass 10  cg 0.1 0.05 0\n"
        "  inertia 0.5 0.9 1.2 0 0 0\n  start 1 0 0 0 0 0 0.5\n";
    const double a = 0.5, b = 0.3;
    for (int k = 0; k < 4; k++)
        scene += text("shape leg%d on table  sphere 0.05  at %g %g -0.45  collide wood\n", k, k & 1 ? a : -a,
                      k & 2 ? b : -b);
    Simulation s = stepping(scene);
    advance(s, 500);
    const Readings r = s.read();
    REQUIRE(r.rows.contacts.size() == 4);
    const Sum sum = sumOf(r);
    CHECK(sum.normal == Approx(10 * kG).epsilon(1e-7));
    CHECK(sum.moment[0] == Approx(10 * kG * 0.05).epsilon(1e-4));
    CHECK(sum.moment[1] == Approx(-10 * kG * 0.1).epsilon(1e-4));
    for (const ShapeContactReading& c : r.rows.contacts) CHECK(c.normal_force >= 0);
}

TEST_CASE("torsion stops a spinning ball, rolling resistance a rolling one", "[contact]") {
    const double m = 1, r = 0.1, inertia = 0.4 * m * r * r;
    Simulation spin = stepping("ground\n  plane 0 0 1 0\n" + ball(0, m, r, 0.4, "mu 0.5  mu-torsion 0.002"));
    State state = spin.state();
    state.v[2] = 1;
    spin.setState(state, spin.ledger());
    advance(spin, 100);
    CHECK(spin.state().v[2] == Approx(1 - 0.002 * m * kG / inertia * 0.1).epsilon(1e-6));
    advance(spin, 400);
    CHECK(std::abs(spin.state().v[2]) < 1e-6);

    Simulation roll = stepping("ground\n  plane 0 0 1 0\n" + ball(0, m, r, 0.4, "mu 0.8  mu-rolling 0.001", 1));
    state = roll.state();
    state.v[1] = 1 / r;
    roll.setState(state, roll.ledger());
    advance(roll, 1000);
    const double a = 5.0 / 7 * 0.001 * kG / r;
    CHECK(place(roll, 0) == Approx(1 - 0.5 * a * 1.001).epsilon(1e-4));
}

TEST_CASE("after the bodies part, the readings hold no old force; before any step they hold none", "[contact]") {
    Simulation s = stepping("ground\n  plane 0 0 1 0\n" + ball(0, 1, 0.1, 0.4, "mu 0.5"));
    CHECK_FALSE(s.read().rows.valid);
    advance(s, 10);
    CHECK(sumOf(s.read()).normal == Approx(kG).epsilon(1e-6));
    State state = s.state();
    state.q[6] += 0.5;
    s.setState(state, s.ledger());
    for (const ShapeContactReading& c : s.read().rows.contacts) CHECK(c.normal_force == 0);
    advance(s, 1);
    const Readings r = s.read();
    CHECK(r.rows.valid);
    for (const ShapeContactReading& c : r.rows.contacts) CHECK(c.normal_force == 0);
}

TEST_CASE("capsules and boxes rest on terrain, on a fixed table and on each other", "[contact]") {
    Simulation s = stepping(R"(
ground
  plane 0 0 1 0
  wave 0.05 3
material stuff  mu 0.9
shape table on base  box 1 1 0.1  at 0 0 0.6  collide stuff
body plank
  joint floating
  mass 4  inertia 0.01 0.1 0.1 0 0 0
  start 1 0 0 0  0 0 0.7
shape wood on plank  box 0.6 0.2 0.1  collide stuff
body rod
  joint floating
  mass 1  inertia 0.01 0.01 1e-3 0 0 0
  start (sqrt(0.5)) 0 (sqrt(0.5)) 0  0 0 0.8
shape steel on rod  capsule 0.05 0.3  collide stuff
body stone
  joint floating
  mass 3  inertia 0.02 0.02 0.02 0 0 0
  start 1 0 0 0  0.75 0 0.3
shape rock on stone  sphere 0.1  collide stuff
)");
    advance(s, 3000);
    const Readings r = s.read();
    double table = 0, plank = 0, ground = 0;
    for (const ShapeContactReading& c : r.rows.contacts) {
        if (c.id.find("/table") != std::string::npos) table += c.force[2];
        if (c.id.rfind("steel/wood", 0) == 0) plank += c.force[2];
        if (c.id.find("/ground") != std::string::npos) ground += c.force[2];
    }
    CHECK(table == Approx(5 * kG).epsilon(1e-4));
    CHECK(plank == Approx(1 * kG).epsilon(1e-4));
    CHECK(ground > 0);
    CHECK(std::abs(s.state().q[6] - 0.7) < 1e-4);
    CHECK(std::abs(s.state().q[13] - 0.8) < 2e-4);
}

TEST_CASE("cylinders and cones stand and lie on boxes and on each other", "[contact]") {
    Simulation s = stepping(R"(
material stuff  mu 0.7
shape table on base  box 4 4 0.2  at 0 0 -0.1  collide stuff
body can
  joint floating
  mass 2  inertia 0.02 0.02 0.01 0 0 0
  start 1 0 0 0  0 0 0.15
shape tin on can  cylinder 0.1 0.3  collide stuff
body lid
  joint floating
  mass 1  inertia 0.01 0.01 0.01 0 0 0
  start 1 0 0 0  0.02 0 0.35
shape steel on lid  cylinder 0.12 0.1  collide stuff
body hat
  joint floating
  mass 0.5  cg 0 0 0.05  inertia 0.003 0.003 0.003 0 0 0
  start 1 0 0 0  1 0 0
shape felt on hat  cone 0.1 0.2  collide stuff
body trunk
  joint floating
  mass 3  inertia 0.03 0.03 0.02 0 0 0
  start (sqrt(0.5)) (sqrt(0.5)) 0 0  -1 0 0.1
shape bark on trunk  cylinder 0.1 0.5  collide stuff
)");
    const std::vector<double> before = s.state().q;
    advance(s, 2000);
    for (int b = 0; b < 4; b++)
        for (int k = 4; k < 7; k++)
            CHECK(std::abs(s.state().q[std::size_t(7 * b + k)] - before[std::size_t(7 * b + k)]) < 1e-5);
    double load[4] = {0, 0, 0, 0};
    for (const ShapeContactReading& c : s.read().rows.contacts) {
        load[c.record.b] += c.force[2];
        if (c.record.a >= 0) load[c.record.a] -= c.force[2];
    }
    CHECK(load[0] == Approx(2 * kG).epsilon(1e-5));
    CHECK(load[1] == Approx(1 * kG).epsilon(1e-5));
    CHECK(load[2] == Approx(0.5 * kG).epsilon(1e-5));
    CHECK(load[3] == Approx(3 * kG).epsilon(1e-5));
}

TEST_CASE("a spinning body in flight keeps its momentum to rounding", "[contact]") {
    Simulation s = stepping(R"(
gravity 0 0 0
ground
  plane 0 0 1 -10
material stuff
body stone
  joint floating
  mass 2  cg 0.1 0.05 -0.02  inertia 0.02 0.03 0.04 0 0 0
  start 1 0 0 0  0 0 1  rate 5 -7 3 1 2 -0.5
shape rock on stone  sphere 0.1  collide stuff
)");
    const Momenta before = s.read().momenta;
    advance(s, 2000);
    const Momenta after = s.read().momenta;
    for (int k = 0; k < 3; k++) CHECK(std::abs(after.linear[k] - before.linear[k]) < 1e-10);
}

TEST_CASE("a heap falls on waves: books of momentum close, friction stays in its disc, energy only goes", "[contact]") {
    std::string scene =
        "ground\n  plane 0 0 1 0\n  wave 0.04 2 direction 0.5\n  bump 0.2 0.1 0.05 0.4\nmaterial stuff  mu 0.6  "
        "mu-rolling 0.002\n"
        "material bouncy  mu 0.3  restitution 0.4  mu-rolling 0.002  mu-torsion 0.001\n";
    const char* shapes[5] = {"box 0.2 0.15 0.1", "sphere 0.08", "capsule 0.06 0.15", "cylinder 0.08 0.12",
                             "cone 0.1 0.15"};
    for (int k = 0; k < 10; k++)
        scene += text(
            "body b%d\n  joint floating\n  mass %g  inertia 0.004 0.005 0.006 0 0 0\n  start %.17g %.17g 0.3 0.1  "
            "%.17g %.17g %.17g  rate 1 %d 0 0 0 0\n"
            "shape s%d on b%d  %s  collide %s\n",
            k, 0.5 + 0.2 * (k % 4), std::cos(0.4 * k), std::sin(0.4 * k), 0.12 * (k % 3), 0.1 * (k % 2),
            0.25 + 0.22 * k, k % 3 - 1, k, k, shapes[k % 5], k % 2 ? "bouncy" : "stuff");
    Simulation s = stepping(scene);
    double deepest = 0, gained = 0, before = HUGE_VAL;
    for (int k = 0; k < 3000; k++) {
        advance(s, 1);
        if (k % 25) continue;
        const Readings r = s.read();
        CHECK(r.rows.closure < 1e-9);
        CHECK_FALSE(r.rows.facts.overflow);
        for (const ShapeContactReading& c : r.rows.contacts) {
            CHECK(c.normal_force >= 0);
            CHECK(size(c.friction) <= c.limit * (1 + 1e-9) + 2 * r.rows.report.residual / 1e-3 + 1e-9);
            deepest = std::max(deepest, -c.record.gap);
        }
        gained = std::max(gained, r.total_energy - before);
        before = r.total_energy;
    }
    std::printf("  heap of ten on waves: deepest %8.2e m, most energy gained in 25 ms %8.2e J of %8.2e J\n", deepest,
                gained, before);
    CHECK(deepest < 0.01);
    CHECK(gained < 0.02);
}
