// Accelerations against textbook formulas, written out beside them.
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

Numbers randomAttitude(Random& random) {
    Numbers q(4);
    double norm = 0;
    for (double& x : q) {
        x = random.between(-1, 1);
        norm += x * x;
    }
    for (double& x : q) x /= std::sqrt(norm);
    return q;
}

const ReferenceRoute kRoutes[] = {ReferenceRoute::crba, ReferenceRoute::aba};

}  // namespace

TEST_CASE("a pendulum falls as its formula says", "[dynamics][closed]") {
    const double m = 1.3, l = 0.7, I = 0.02, g = 9.81;
    for (const ReferenceRoute route : kRoutes) {
        Caller kernel(makeReferenceKernel(pendulum(m, l, I), route));
        for (double q = -3; q < 3; q += 0.37)
            CHECK(kernel.fwdDyn({q}, {1.5}, {0.4})[0] ==
                  Approx((0.4 - m * g * l * std::sin(q)) / (I + m * l * l)).epsilon(1e-13));
    }
}

TEST_CASE("a double pendulum of point masses obeys the textbook equations", "[dynamics][closed]") {
    const double m1 = 1.2, m2 = 0.7, l1 = 0.5, l2 = 0.9, g = 9.81;
    Model model;
    const Joint pin = joint(JointType::revolute, kY);
    addBody(model, "upper", kBase, pin, {0, 0, 0}, m1, {0, 0, -l1}, {});
    addBody(model, "lower", 0, pin, {0, 0, -l1}, m2, {0, 0, -l2}, {});
    const double a = 0.7, b = -1.1, da = 0.8, db = 1.7;
    const double t1 = a, t2 = a + b, w1 = da, w2 = da + db, d = t1 - t2;
    // Angles from the vertical, accelerations solved from the 2 x 2 system of Lagrange.
    const double M11 = (m1 + m2) * l1, M12 = m2 * l2 * std::cos(d), M21 = l1 * std::cos(d), M22 = l2;
    const double r1 = -m2 * l2 * w2 * w2 * std::sin(d) - (m1 + m2) * g * std::sin(t1);
    const double r2 = l1 * w1 * w1 * std::sin(d) - g * std::sin(t2);
    const double det = M11 * M22 - M12 * M21;
    const double e1 = (r1 * M22 - M12 * r2) / det, e2 = (M11 * r2 - M21 * r1) / det;
    for (const ReferenceRoute route : kRoutes) {
        const Numbers vdot = Caller(makeReferenceKernel(model, route)).fwdDyn({a, b}, {da, db});
        CHECK(vdot[0] == Approx(e1).epsilon(1e-12));
        CHECK(vdot[1] == Approx(e2 - e1).epsilon(1e-12));
    }
}

TEST_CASE("a spherical joint through the centre of mass obeys Euler's equations", "[dynamics][closed]") {
    const double A = 0.3, B = 0.5, C = 0.7;
    Model model;
    addBody(model, "top", kBase, joint(JointType::spherical), {0, 0, 1}, 2, {0, 0, 0}, {A, B, C, 0, 0, 0});
    Random random(1);
    const Numbers q = randomAttitude(random), w = {0.4, -1.3, 2.1}, n = {0.1, 0.2, -0.3};
    for (const ReferenceRoute route : kRoutes) {
        const Numbers vdot = Caller(makeReferenceKernel(model, route)).fwdDyn(q, w, n);
        CHECK(vdot[0] == Approx((n[0] - (C - B) * w[1] * w[2]) / A).epsilon(1e-12));
        CHECK(vdot[1] == Approx((n[1] - (A - C) * w[2] * w[0]) / B).epsilon(1e-12));
        CHECK(vdot[2] == Approx((n[2] - (B - A) * w[0] * w[1]) / C).epsilon(1e-12));
    }
}

TEST_CASE("a screw press stands still under its static torque", "[dynamics][closed]") {
    const double m = 3, pitch = 0.004, I = 0.01;
    Model model;
    addBody(model, "ram", kBase, joint(JointType::screw, kZ, kY, pitch), {0, 0, 1}, m, {0, 0, 0.1}, {I, I, I, 0, 0, 0});
    for (const ReferenceRoute route : kRoutes) {
        Caller kernel(makeReferenceKernel(model, route));
        CHECK(std::abs(kernel.fwdDyn({0.7}, {0.0}, {m * 9.81 * pitch})[0]) < 1e-12);
        CHECK(kernel.fwdDyn({0.7}, {2.0}, {})[0] == Approx(-m * 9.81 * pitch / (I + m * pitch * pitch)).epsilon(1e-12));
        CHECK(kernel.massMatrix({0.1})[0] == Approx(I + m * pitch * pitch).epsilon(1e-13));
    }
}

TEST_CASE("a planar joint's velocities are those of the plane, not of the body", "[dynamics][closed]") {
    // Centre of mass at the origin: x and y accelerate by force over mass however the body turns.
    Model model;
    addBody(model, "puck", kBase, joint(JointType::planar, kZ), {0, 0, 0}, 2, {0, 0, 0}, {0.1, 0.1, 0.2, 0, 0, 0});
    for (const ReferenceRoute route : kRoutes) {
        const Numbers vdot = Caller(makeReferenceKernel(model, route)).fwdDyn({0.3, 0.4, 1.1}, {1, -2, 5}, {4, 6, 0.5});
        CHECK(vdot[0] == Approx(2).epsilon(1e-12));
        CHECK(vdot[1] == Approx(3).epsilon(1e-12));
        CHECK(vdot[2] == Approx(2.5).epsilon(1e-12));
    }
}

TEST_CASE("coordinates of a planar joint run as the conventions say", "[dynamics][closed]") {
    const struct {
        Vector3d normal;
        int first, second;
    } cases[] = {{kZ, 0, 1}, {kX, 1, 2}, {kY, 2, 0}};
    for (const auto& c : cases) {
        Model model;
        addBody(model, "plate", kBase, joint(JointType::planar, c.normal), {0, 0, 0}, 1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
        Caller kernel(makeReferenceKernel(model));
        Numbers X, V;
        kernel.kinematics({0.2, 0.3, 0.5}, {7, 11, 13}, X, V);
        CHECK(X[9 + c.first] == Approx(0.2));
        CHECK(X[9 + c.second] == Approx(0.3));
        CHECK(V[3 + c.first] == Approx(7));
        CHECK(V[3 + c.second] == Approx(11));
        for (int k = 0; k < 3; k++) CHECK(V[k] == Approx(13 * c.normal[k]).margin(1e-15));
    }
}

TEST_CASE("a universal joint between shafts keeps the classical speed ratio", "[dynamics][closed]") {
    // The output axis leans by beta; with the first angle a about x, the second axis turns with it. The cross's second
    // angle that keeps the output shaft along its axis is given by tan(b) = -tan(beta) cos(a) up to sign: checked by
    // the pose itself.
    const double beta = 0.5;
    Model model;
    addBody(model, "cross", kBase, joint(JointType::universal, kX, kY), {0, 0, 0}, 1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    Caller kernel(makeReferenceKernel(model));
    Numbers X, V;
    // Angular velocity of the body is a1 da + R1 a2 db in base axes.
    const double a = 0.8, da = 2, db = 3;
    kernel.kinematics({a, beta}, {da, db}, X, V);
    CHECK(V[0] == Approx(da).epsilon(1e-13));
    CHECK(V[1] == Approx(db * std::cos(a)).epsilon(1e-13));
    CHECK(V[2] == Approx(db * std::sin(a)).epsilon(1e-13));
}

TEST_CASE("a satellite at rest falls without turning, at every attitude", "[dynamics][closed]") {
    const Model model = satellite();
    for (const ReferenceRoute route : kRoutes) {
        Caller kernel(makeReferenceKernel(model, route));
        Random random(7);
        double worst = 0;
        for (int trial = 0; trial < 1000; trial++) {
            Numbers q = randomAttitude(random);
            for (int k = 0; k < 6; k++) q.push_back(random.between(-3, 3));
            const Numbers vdot = kernel.fwdDyn(q, Numbers(9, 0.0));
            double linear = 0;
            for (int k = 0; k < 3; k++) {
                worst = std::max(worst, std::abs(vdot[k]));
                worst = std::max(worst, std::abs(vdot[6 + k]));
                linear += vdot[3 + k] * vdot[3 + k];
            }
            worst = std::max(worst, std::abs(std::sqrt(linear) - 9.81));
        }
        CHECK(worst < 1e-9);
    }
}

TEST_CASE("an external wrench about the base origin acts as force and moment", "[dynamics][closed]") {
    // A free body with its centre of mass at its origin: a force through that point gives no turn.
    Model model;
    addBody(model, "cube", kBase, joint(JointType::floating), {0, 0, 0}, 4, {0, 0, 0}, {2, 2, 2, 0, 0, 0}).fext = true;
    model.gravity = {Number(0), Number(0), Number(0)};
    const Numbers q = {1, 0, 0, 0, 1, 2, 3};
    const double f[3] = {8, -4, 12};
    // Moment about the base origin of f at (1, 2, 3).
    const Numbers fext = {2 * f[2] - 3 * f[1], 3 * f[0] - 1 * f[2], 1 * f[1] - 2 * f[0], f[0], f[1], f[2]};
    for (const ReferenceRoute route : kRoutes) {
        const Numbers vdot = Caller(makeReferenceKernel(model, route)).fwdDyn(q, Numbers(6, 0.0), {}, fext);
        for (int k = 0; k < 3; k++) {
            CHECK(std::abs(vdot[k]) < 1e-13);
            CHECK(vdot[3 + k] == Approx(f[k] / 4).epsilon(1e-13));
        }
    }
}

TEST_CASE("a spring between coincident anchors is finite and pulls nowhere", "[dynamics][closed]") {
    Model model;
    addBody(model, "bead", kBase, joint(JointType::prismatic, kX), {0, 0, 0}, 2, {0, 0, 0}, {});
    Tsda spring;
    spring.name = "spring";
    spring.from = pointOn(kBase, 0, 0, 0);
    spring.to = pointOn(0, 0, 0, 0);
    spring.k = 100;
    spring.c = 5;
    spring.l0 = 0.3;
    model.tsdas.push_back(spring);
    for (const ReferenceRoute route : kRoutes) {
        Caller kernel(makeReferenceKernel(model, route));
        CHECK(kernel.fwdDyn({0}, {1})[0] == 0);
        CHECK(kernel.observe({0}, {1}) == Numbers{0, 0});
        // A hair beside, it pushes apart with its full force.
        CHECK(kernel.fwdDyn({1e-12}, {0})[0] == Approx(100 * 0.3 / 2));
        CHECK(kernel.fwdDyn({-1e-12}, {0})[0] == Approx(-100 * 0.3 / 2));
    }
}
