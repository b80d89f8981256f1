// Placements against the conventions written out: order of rotations, planes, screws, quaternions.
#include "engine/model/start_pose.h"

#include <array>
#include <cmath>
#include <random>

#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

constexpr double kPi = 3.14159265358979323846;

Placement placed(const std::string& joint, const std::string& lines) {
    const ReadResult read =
        readModel("mech 1\nbody b\n  joint " + joint + "\n  mass 1\n  inertia 1 1 1 0 0 0\n" + lines);
    REQUIRE(read.ok());
    return startPose(read.model)[0];
}

void same(const Vector3d& a, const Vector3d& b) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(a[i] == Approx(b[i]).margin(1e-14));
}

}  // namespace

TEST_CASE("Joint frames turn by Rz(yaw) Ry(pitch) Rx(roll)") {
    // Each step by hand, on the unit vectors.
    same(rotate(placed("fixed", "  rot (90*deg) 0 0\n").rotation, {0, 1, 0}), {0, 0, 1});
    same(rotate(placed("fixed", "  rot 0 (90*deg) 0\n").rotation, {0, 0, 1}), {1, 0, 0});
    same(rotate(placed("fixed", "  rot 0 0 (90*deg)\n").rotation, {1, 0, 0}), {0, 1, 0});
    // Roll first: y -> z, then pitch: z -> x, then yaw: x -> y.
    same(rotate(placed("fixed", "  rot (90*deg) (90*deg) (90*deg)\n").rotation, {0, 1, 0}), {0, 1, 0});
    same(rotate(placed("fixed", "  rot (90*deg) (90*deg) (90*deg)\n").rotation, {0, 0, 1}), {1, 0, 0});
}

TEST_CASE("Coordinates move the body as the table of joints says") {
    same(rotate(placed("revolute y", "  start (90*deg)\n").rotation, {0, 0, 1}), {1, 0, 0});
    same(placed("prismatic 0 3 4", "  start 5\n").position, {0, 3, 4});
    same(placed("screw z pitch 0.5", "  start (pi)\n").position, {0, 0, 0.5 * kPi});
    same(placed("cylindrical x", "  start 1 2\n").position, {2, 0, 0});
    same(placed("planar z", "  start 1 2 0\n").position, {1, 2, 0});
    same(placed("planar x", "  start 1 2 0\n").position, {0, 1, 2});
    same(placed("planar y", "  start 1 2 0\n").position, {2, 0, 1});
    // Universal: about x, then about the y that x carried.
    same(rotate(placed("universal x y", "  start (90*deg) (90*deg)\n").rotation, {0, 0, 1}), {1, 0, 0});
    same(rotate(placed("universal x y", "  start (90*deg) (90*deg)\n").rotation, {1, 0, 0}), {0, 1, 0});
    // A quaternion of a quarter turn about z.
    const double h = std::sqrt(0.5);
    same(rotate(placed("spherical", "  start (sqrt(0.5)) 0 0 (sqrt(0.5))\n").rotation, {1, 0, 0}), {0, 1, 0});
    CHECK(h == Approx(std::cos(kPi / 4)));
    same(placed("floating", "  start 1 0 0 0 1 2 3\n").position, {1, 2, 3});
}

TEST_CASE("Chains compose, whatever the order of the text") {
    const ReadResult read = readModel(
        "mech 1\nbody tip\n  parent arm\n  joint revolute y\n  at 1 0 0\n  mass 1\n  cg 1 0 0\n  start (-90*deg)\n"
        "body arm\n  joint revolute y\n  at 0 0 2\n  mass 1\n  cg 1 0 0\n  start (90*deg)\n");
    REQUIRE(read.ok());
    const std::vector<Placement> pose = startPose(read.model);
    same(pose[0].position, {0, 0, 1});
    same(transform(pose[0], {1, 0, 0}), {1, 0, 1});
}

TEST_CASE("A quaternion that was read off a state is that state's, to the bit; any other gets unit length") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> exponent(-300, 300);
    for (int trial = 0; trial < 20000; ++trial) {
        std::array<double, 4> q{}, again{};
        const double scale = trial % 3 == 0 ? 1 : std::pow(10.0, exponent(random));
        for (double& c : q) c = normal(random) * scale;
        const double before = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
        CHECK(normaliseQuaternion(q.data()) == Approx(before).epsilon(1e-14));
        CHECK(std::abs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 3e-15);
        again = q;
        CHECK(normaliseQuaternion(again.data()) == 1);
        REQUIRE(again == q);
    }
    for (const double bad : {0.0, HUGE_VAL, std::nan("")}) {
        std::array<double, 4> q{bad, 0, 0, 0};
        CHECK(normaliseQuaternion(q.data()) == 0);
    }
}
