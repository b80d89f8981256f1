// Whole tendons at a pose: branches and divisors, fixed tendons, several guides, moment arms of a hinge, reactions of
// guides; rows over the velocities against finite differences of the length, and zeros that are exact.
#include <cmath>

#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

Vector3 vec(const Vector3d& v) { return {v[0], v[1], v[2]}; }
void near(const Vector3d& is, const Vector3d& wanted, double tolerance) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(is[i] - wanted[i]) <= tolerance);
}

/// dl/dq of every scalar coordinate by central differences: models here have no quaternions, q and v correspond.
void checkRow(AtState& at, int tendon, double tolerance) {
    const TendonRoute route = at.route(tendon);
    const std::vector<double> q = at.q;
    for (std::size_t i = 0; i < q.size(); ++i) {
        const double e = 1e-5;
        double length[2];
        for (int side = 0; side < 2; ++side) {
            at.q = q;
            at.q[i] += side ? e : -e;
            at.move();
            length[side] = at.route(tendon).length;
        }
        CHECK(std::abs(route.gradient[i] - (length[1] - length[0]) / (2 * e)) <= tolerance);
    }
    at.q = q;
    at.move();
}

const char* kWheel = "  cylinder base 0 0 2 axis y radius 0.5 side base 0 0 3\n";

}  // namespace

TEST_CASE("P01, P02: divisors are absolute for their branch") {
    const std::string body = particle("m", 3, 4, 12);
    AtState one("mech 1\n" + body +
                "tendon cord\n  site base 0 0 0\n  site m 0 0 0\n"
                "  pulley 2\n  site base 3 4 7\n  site m 0 0 0\n");
    const TendonRoute route = one.route();
    CHECK(route.length == Approx(15.5).margin(1e-12));
    REQUIRE(route.branch_length.size() == 2);
    CHECK(route.branch_length[0] == Approx(13));
    CHECK(route.branch_length[1] == Approx(5));
    near(route.points[1].gradient, {3.0 / 13, 4.0 / 13, 12.0 / 13}, 1e-15);
    near(route.points[3].gradient, {0, 0, 0.5}, 1e-15);
    CHECK(one.tendons.reference(0) == Approx(15.5));
    checkRow(one, 0, 1e-9);

    AtState two("mech 1\n" + body +
                "tendon cord\n  pulley 2\n  site base 0 0 0\n  site m 0 0 0\n"
                "  pulley 4\n  site base 3 4 7\n  site m 0 0 0\n");
    CHECK(two.route().length == Approx(7.75).margin(1e-12));
}

TEST_CASE("P03: a wheel's branch and a divided straight one") {
    AtState at(std::string("mech 1\n") + particle("a", -0.5, 0, 1) + particle("b", 0.5, 0, 1) + particle("c", 3, 0, 1) +
               "tendon cord\n  site a 0 0 0\n" + kWheel +
               "  site b 0 0 0\n  pulley 2\n  site base 3 0 3\n  site c 0 0 0\n");
    const TendonRoute route = at.route();
    CHECK(route.length == Approx(4.570796326795).margin(1e-10));
    checkRow(at, 0, 1e-8);
}

TEST_CASE("F01, F02: fixed tendons, repeated terms summed") {
    const std::string hinges =
        "body a\n  joint revolute z\n  mass 1  inertia 1 1 1 0 0 0\n  start 0.3\n"
        "body b\n  joint revolute z\n  mass 1  inertia 1 1 1 0 0 0\n  start ";
    AtState one("mech 1\n" + hinges + "-0.4\ntendon cord fixed\n  term a 1\n  term b 0.65\n");
    CHECK(one.route().length == Approx(0.04).margin(1e-15));
    CHECK(one.route().gradient == std::vector<double>{1, 0.65});
    AtState two("mech 1\n" + hinges + "0.1\ntendon cord fixed\n  term a 0.5\n  term a 0.25\n  term b -1.2\n");
    CHECK(two.route().length == Approx(0.105).margin(1e-15));
    CHECK(two.route().gradient == std::vector<double>{0.75, -1.2});
    CHECK(std::string(two.tendons.units(0).force) == "N m");
    CHECK(std::string(two.tendons.units(0).length) == "rad");
}

TEST_CASE("fixed tendons: coordinates of every joint that has scalar ones; units by terms") {
    AtState at(
        "mech 1\nbody c\n  joint cylindrical z\n  mass 1  inertia 1 1 1 0 0 0\n  start 0.2 0.5\n"
        "body p\n  joint planar z\n  mass 1  inertia 1 1 1 0 0 0\n  start 0.1 0.2 0.3\n"
        "body u\n  joint universal x y\n  mass 1  inertia 1 1 1 0 0 0\n  start 0.4 0.6\n"
        "tendon lengths fixed\n  term c.2 2\n  term p.1 -1\n"
        "tendon angles fixed\n  term c.1 1\n  term u.2 3\n  term p.3 1\n"
        "tendon mixed fixed\n  term c.1 1\n  term c.2 1\n");
    CHECK(at.route(0).length == Approx(0.9));
    CHECK(at.route(1).length == Approx(2.3));
    CHECK(std::string(at.tendons.units(0).force) == "N");
    CHECK(std::string(at.tendons.units(1).force) == "N m");
    CHECK(std::string(at.tendons.units(2).force) == "user units");
    for (int i = 0; i < 3; ++i) {
        checkRow(at, i, 1e-10);
        CHECK(at.curvature(i) == 0);
    }
}

TEST_CASE("M01: two guides with a site between them") {
    AtState at(
        "mech 1\n" + particle("via", 0.3, 0.1, 1.2) +
        "tendon cord\n  site base -1 0 0\n  cylinder base -0.35 0 0.45 axis y radius 0.2 side base -0.6 0 1\n"
        "  site via 0 0 0\n  sphere base 0.95 0.3 0.4 radius 0.25 side base 1.4 0.4 1.2\n  site base 1.5 0.4 -0.2\n");
    const TendonRoute route = at.route();
    CHECK(route.length == Approx(3.696897229027).margin(1e-10));
    REQUIRE(route.points.size() == 7);
    near(route.points[1].point, {-0.501738821, 0.0430063417, 0.580289409}, 1e-8);
    near(route.points[2].point, {-0.471641285, 0.0453398936, 0.60875578}, 1e-8);
    near(route.points[3].gradient, {0.0493095558, 0.0486068464, 1.2762547240}, 1e-8);
    near(route.points[4].point, {1.05793611, 0.107681905, 0.517743564}, 1e-8);
    near(route.points[5].point, {1.12910602, 0.128437143, 0.431420044}, 1e-8);
    near(route.gradient.size() == 3 ? Vector3d{route.gradient[0], route.gradient[1], route.gradient[2]} : Vector3d{},
         {0.0493095558, 0.0486068464, 1.2762547240}, 1e-8);
    checkRow(at, 0, 1e-7);
}

TEST_CASE("G01: force and moment of a helix on its guide") {
    AtState at(
        "mech 1\ntendon cord\n  site base -0.5 -0.7 1\n  cylinder base 0 0 2 axis y radius 0.5 side base 0 0 3\n"
        "  site base 0.5 0.8 1\n  actuator -10\n");
    const TendonStep step = at.step();
    const std::vector<TendonReading> all = at.tendons.readings(step, nullptr, {});
    const TendonReading& r = all[0];
    CHECK(r.tension == Approx(10));
    REQUIRE(r.route.guides.size() == 1);
    const GuideReading& guide = r.route.guides[0];
    near(guide.force, {0, 0, -18.4391525}, 1e-6);
    // Moments are about the guide's centre (0, 0, 2); the case asks for them about (0.2, 0, 2).
    const Vector3 moment = vec(guide.moment) + (Vector3(0, 0, 2) - Vector3(0.2, 0, 2)).cross(vec(guide.force));
    near({moment.x(), moment.y(), moment.z()}, {-0.921957626, -3.68783050, 3.87290764}, 1e-7);
    CHECK(std::abs(guide.moment[1]) <= 1e-12);  // none about the axis
    Vector3 force = Vector3::Zero(), about_origin = Vector3::Zero();
    for (std::size_t i = 0; i < r.point_forces.size(); ++i) {
        force += vec(r.point_forces[i]);
        about_origin += vec(r.route.points[i].point).cross(vec(r.point_forces[i]));
    }
    CHECK(force.norm() <= 1e-12);
    CHECK(about_origin.norm() <= 1e-11);
}

TEST_CASE("J01, J02: moment arms of a hinge with a cylinder") {
    const auto text = [](double z) {
        return fmt::format(
            "mech 1\nbody link\n  joint revolute z\n  mass 1  inertia 1 1 1 0 0 0\n"
            "tendon cord\n  site base -0.3 0.06 0\n  cylinder base 0 0 0 axis z radius 0.05 side base 0 0.1 0\n"
            "  site link 0.25 0.06 {}\n",
            z);
    };
    struct Case {
        double q, length, arm;
        bool wrap;
    };
    const auto run = [&](AtState& at, const std::vector<Case>& cases) {
        for (const Case& c : cases) {
            CAPTURE(c.q);
            at.q[0] = c.q;
            at.move();
            const TendonRoute route = at.route();
            CHECK(std::abs(route.length - c.length) <= 1e-10);
            CHECK(std::abs(route.gradient[0] - c.arm) <= 1e-8);
            CHECK((route.guides[0].contact.state == GuideContact::State::wrapped) == c.wrap);
        }
    };
    AtState flat(text(0)), helix(text(0.12));
    run(flat, {{-1.5, 0.625365704180, -0.05, true},
               {-1, 0.600365704180, -0.05, true},
               {-0.5, 0.575365704180, -0.05, true},
               {-0.25, 0.562865704180, -0.05, true},
               {-0.1, 0.555365704180, -0.05, true},
               {0, 0.55, -0.06, false},
               {0.25, 0.530784355939, -0.093519622, false},
               {0.5, 0.503365378518, -0.125537454, false},
               {1, 0.425814612573, -0.182969307, false},
               {1.5, 0.322438526362, -0.228122460, false},
               {2, 0.200650446226, -0.255125227, false}});
    run(helix, {{-1, 0.612240948284, -0.049030182, true},
                {-0.5, 0.587746283311, -0.048946775, true},
                {0.5, 0.517471452633, -0.122115351, false}});
    // It lets go at q = -0.073049310689; length and moment arm are continuous there.
    for (const double side : {-1e-9, 1e-9}) {
        flat.q[0] = -0.073049310689 + side;
        flat.move();
        const TendonRoute route = flat.route();
        CHECK(std::abs(route.length - 0.554018169714) <= 1e-9);
        CHECK(std::abs(route.gradient[0] + 0.05) <= 1e-7);
    }
}

TEST_CASE("rows against differences over a tree of every joint, guides and side sites on moving bodies") {
    AtState at(std::string(kTreeOfJoints) + R"(tendon over
  site base -1 0.1 0
  cylinder drum 0 0 0 axis y radius 0.15 side upper 0.3 0.1 0.9
  site screw 0.1 0 0
  sphere hull 1.2 0.1 -0.6 radius 0.2
  site base 1.5 0.1 -1
  pulley 3
  site screw 0.2 0.1 0
  site drum 0.05 0.02 0.3
)");
    const TendonRoute route = at.route();
    CHECK(route.guides[0].contact.state == GuideContact::State::wrapped);
    checkRow(at, 0, 1e-7);
    // Virtual work: point forces at the points' velocities give F l'.
    for (std::size_t i = 0; i < at.v.size(); ++i) at.v[i] = 0.3 - 0.17 * static_cast<double>(i);
    at.move();
    double power = 0;
    for (const RoutePoint& p : route.points) {
        if (p.body < 0) continue;
        const double* x = at.X.data() + 12 * p.body;
        const double* vel = at.V.data() + 6 * p.body;
        const Vector3 arm = vec(p.point) - Vector3(x[9], x[10], x[11]);
        const Vector3 rate = Vector3(vel[3], vel[4], vel[5]) + Vector3(vel[0], vel[1], vel[2]).cross(arm);
        power += vec(p.gradient).dot(rate);
    }
    CHECK(power == Approx(at.rate()).margin(1e-12));
}

TEST_CASE("routes within one body, or about one joint, move nothing else: exact zeros") {
    AtState at(R"(mech 1
body a
  joint floating
  mass 1  inertia 1 1 1 0 0 0
  start 0.5 0.5 0.5 0.5 0.3 -0.1 0.7
body b
  parent a  joint revolute 1 2 3
  at 0.2 0 0
  mass 1  inertia 1 1 1 0 0 0
  start 0.9
body c
  parent b  joint revolute 3 1 1
  at 0.4 0 0
  mass 1  inertia 1 1 1 0 0 0
  start 0.4
tendon inside
  site b 0.1 0.2 0.3
  sphere b 0.1 0 0 radius 0.05 side b 0.1 0.3 0.1
  site b 0.17 -0.11 -0.3
tendon joint
  site b 0.1 0.2 0.3
  cylinder b 0.4 0 0 axis y radius 0.05 side c 0 0 0.3
  site c 0.37 -0.11 -0.3
)");
    const TendonRoute inside = at.route(0), joint = at.route(1);
    for (const double g : inside.gradient) CHECK(g == 0);
    for (std::size_t i = 0; i < joint.gradient.size(); ++i)
        if (i < 7) CHECK(joint.gradient[i] == 0);  // the root's six and b's own
    CHECK(std::abs(joint.gradient[7]) > 0.01);
}

TEST_CASE("coincident points and sites that follow each other on one place") {
    AtState at("mech 1\n" + particle("m", 0.2, 0.3, 0.4) +
               "tendon cord\n  site base 0.2 0.3 0.4\n  site m 0 0 0\n  stiffness 100  spring 1 1\n");
    const TendonRoute route = at.route();
    CHECK(route.length == 0);
    for (const double g : route.gradient) CHECK(g == 0);
    CHECK(at.curvature() == 0);
}
