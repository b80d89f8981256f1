// The second derivative of a tendon's length while all velocities stay as they are: K01 to K11, and turning bodies
// against differences along the motion itself.
#include <cmath>

#include "tests/engine/tendon/mechanism.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

struct Case {
    const char* name;
    std::string text;
    double rate, bias, tolerance;
};

std::string wheel(const std::string& a, const std::string& b, const std::string& guide, double ya = 0, double yb = 0) {
    return "mech 1\n" + particle("a", -0.5, ya, 1, 1, a) + particle("b", 0.5, yb, 1, 1, b) +
           particle("g", 0, 0, 2, 1, guide) +
           "tendon cord\n  site a 0 0 0\n  cylinder g 0 0 0 axis y radius 0.5 side SIDE\n  site b 0 0 0\n";
}
std::string with(std::string text, const std::string& side) {
    const auto at = text.find("SIDE");
    return at == std::string::npos ? text : text.replace(at, 4, side);
}
std::string ball(const std::string& a) {
    return "mech 1\n" + particle("a", -2, 0, 0.5, 1, a) +
           "tendon cord\n  site a 0 0 0\n  sphere base 0 0 0 radius 1\n  site base 2 0 0.5\n";
}

}  // namespace

TEST_CASE("K01 to K11: curvature bias") {
    const std::string still = "0 0 0", up = "g 0 0 1", fixed = "base 0 0 3";
    const std::vector<Case> cases{
        {"K01", "mech 1\n" + particle("a", 1, 0, 0, 1, "0 2 0") + "tendon cord\n  site base 0 0 0\n  site a 0 0 0\n", 0,
         4, 1e-12},
        {"K02", with(wheel("1 0 0", still, still), up), 0, 1, 5e-6},
        {"K03", with(wheel("0 0 -1", still, still), up), 1, 0, 5e-6},
        {"K04", with(wheel("0 1 0", still, still), up), 0, 0.280050, 5e-6},
        {"K05", with(wheel(still, still, "0 0 1"), up), 2, 0, 5e-6},
        {"K06", with(wheel("1 0 0", still, still, -0.7, 0.8), up), 0, 0.921958, 5e-6},
        {"K07", with(wheel("0 1 0", still, still, -0.7, 0.8), up), -0.387290764, 0.219466, 5e-6},
        {"K08", with(wheel("1 0.5 -0.3", "-0.2 0.4 0.6", still, -0.7, 0.8), up), -0.315316364, 0.958984, 5e-6},
        {"K09", with(wheel("1 0.5 -0.3", "-0.2 0.4 0.6", "0.3 -0.1 0.2", -0.7, 0.8), fixed), 0.053466686, 0.686674,
         5e-6},
        {"K10", ball("0 0 1"), -0.258496984, 0.517635, 5e-6},
        {"K11", ball("0 1 0"), 0, -0.016994, 5e-6}};
    for (const Case& c : cases) {
        INFO(c.name);
        AtState at(c.text);
        CHECK(std::abs(at.rate() - c.rate) <= 1e-8);
        CHECK(std::abs(at.curvature() - c.bias) <= c.tolerance);
    }
}

TEST_CASE("curvature of turning bodies: a second difference along the motion at constant velocities") {
    const char* straight = "tendon cord\n  site base -1 0.1 0\n  site drum 0.1 0.2 0.3\n  site screw 0.3 0 0.1\n";
    const char* over =
        "tendon cord\n  site base -1 0.1 0\n  cylinder drum 0 0 0 axis y radius 0.15 side upper 0.3 0.1 0.9\n"
        "  site screw 0.1 0 0\n";
    for (const char* route : {straight, over}) {
        AtState at(std::string(kTreeOfJoints) + route);
        for (std::size_t i = 0; i < at.v.size(); ++i) at.v[i] = 0.9 - 0.27 * static_cast<double>(i);
        at.move();
        const double bias = at.curvature(), now = at.route().length;
        // q and v correspond here, so constant v is q + t v.
        const std::vector<double> q = at.q;
        const auto length = [&](double t) {
            for (std::size_t i = 0; i < q.size(); ++i) at.q[i] = q[i] + t * at.v[i];
            at.move();
            return at.route().length;
        };
        const double e = 2e-3;
        const auto difference = [&](double t) { return (length(t) - 2 * now + length(-t)) / (t * t); };
        CHECK(bias == Approx((4 * difference(e) - difference(2 * e)) / 3).margin(2e-8));
    }
}

TEST_CASE("curvature on a floating body: components of velocity in body axes stay as they are") {
    // A point of a body that turns at w about its own z while its origin moves at u in body axes: x' = R (u + w x r),
    // x'' = R (w x (u + w x r)).
    AtState at(R"(mech 1
body f
  joint floating
  mass 1  inertia 1 1 1 0 0 0
  start 1 0 0 0 2 0.3 0.1
tendon cord
  site base 0 0 0
  site f 0.2 0.1 0
)");
    const Vector3 w(0.3, -0.5, 2), u(0.4, -1, 0.2), r(0.2, 0.1, 0), p(2.2, 0.4, 0.1);
    at.v = {w.x(), w.y(), w.z(), u.x(), u.y(), u.z()};
    at.move();
    const Vector3 rate = u + w.cross(r), acceleration = w.cross(rate), d = p.normalized();
    CHECK(at.rate() == Approx(d.dot(rate)).margin(1e-14));
    const double wanted = (rate - d.dot(rate) * d).squaredNorm() / p.norm() + d.dot(acceleration);
    CHECK(at.curvature() == Approx(wanted).margin(1e-13));
}
