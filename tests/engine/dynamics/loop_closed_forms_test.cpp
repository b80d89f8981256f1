// Closed mechanisms against hand calculation: pendulums pinned by a loop instead of a joint, a rod, a four-bar at rest.
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"
#include "tests/support/random_loops.h"

using namespace mw;
using namespace mw::test;

namespace {

const ReferenceRoute kRoutes[] = {ReferenceRoute::crba, ReferenceRoute::aba};

/// A floating body with its frame at the centre of mass, hung by a point `up` above it on a loop at the base origin.
Model pinned(LoopType type, double m, double up, const std::array<double, 6>& inertia) {
    Model model;
    addBody(model, "bob", kBase, joint(JointType::floating), {0, 0, 0}, m, {0, 0, 0}, inertia);
    Loop loop;
    loop.name = "pin";
    loop.type = type;
    loop.axis = kY;
    loop.from.body = kBase;
    loop.to.body = 0;
    loop.to.at = {Number(0), Number(0), Number(up)};
    model.loops.push_back(loop);
    return model;
}

}  // namespace

TEST_CASE("a floating body pinned by a revolute loop is the pendulum of the tree", "[dynamics][loops][closed]") {
    const double m = 1.3, l = 0.7, g = 9.81, Ixx = 0.03, Iyy = 0.02, Izz = 0.025, Ixy = 0.004, Iyz = -0.006;
    const Model model = pinned(LoopType::revolute, m, l, {Ixx, Iyy, Izz, Ixy, 0, Iyz});
    Model tree;
    addBody(tree, "bob", kBase, joint(JointType::revolute, kY), {0, 0, 0}, m, {0, 0, -l}, {Ixx, Iyy, Izz, Ixy, 0, Iyz});
    for (const ReferenceRoute route : kRoutes)
        for (double angle = -2.9; angle < 3; angle += 0.53) {
            const double rate = 1.7;
            const Matrix3 R = rotationAbout(Vector3::UnitY(), angle);
            const Vector3 arm = R * Vector3(0, 0, -l), w(0, rate, 0), u = w.cross(arm);
            const Vector3 u_body = R.transpose() * u;
            const Numbers q{std::cos(angle / 2), 0, std::sin(angle / 2), 0, arm.x(), arm.y(), arm.z()};
            const Numbers v{0, rate, 0, u_body.x(), u_body.y(), u_body.z()};
            Caller kernel(makeReferenceKernel(model, route));
            const Numbers vdot = kernel.fwdDyn(q, v), lambda = kernel.lambda(q, v);

            // Textbook, and the tree's own joint.
            const double alpha = -m * g * l * std::sin(angle) / (Iyy + m * l * l);
            CAPTURE(angle);
            CHECK(vdot[1] == Approx(alpha).margin(1e-11));
            CHECK(Caller(makeReferenceKernel(tree, route)).fwdDyn({angle}, {rate})[0] == Approx(alpha).margin(1e-11));
            const Vector3 a = Vector3(0, alpha, 0).cross(arm) + w.cross(u);
            const Vector3 a_body = R.transpose() * (a - w.cross(u));
            for (int k = 0; k < 3; k++) CHECK(vdot[3 + k] == Approx(a_body[k]).margin(1e-11));

            // What the pin gives: force m (a - g), couples by Newton and Euler about the pin. Rows: turns about z and
            // x, moves along z, x, y.
            Matrix3 I;
            I << Ixx, Ixy, 0, Ixy, Iyy, Iyz, 0, Iyz, Izz;
            I = (R * I * R.transpose()).eval();
            const Vector3 force = m * (a + Vector3(0, 0, g));
            const Vector3 couple = I * Vector3(0, alpha, 0) + w.cross(I * w) + arm.cross(force);
            const double expected[] = {couple.z(), couple.x(), force.z(), force.x(), force.y()};
            for (int r = 0; r < 5; r++) CHECK(lambda[r] == Approx(expected[r]).margin(1e-10));
            CHECK(couple.y() == Approx(0).margin(1e-10));
        }
}

TEST_CASE("a floating body pinned by a spherical loop is the spherical pendulum of the tree",
          "[dynamics][loops][closed]") {
    const double m = 0.9, l = 0.6;
    const std::array<double, 6> inertia{0.03, 0.02, 0.025, 0.004, 0.002, -0.006};
    const Model model = pinned(LoopType::spherical, m, l, inertia);
    Model tree;
    addBody(tree, "bob", kBase, joint(JointType::spherical), {0, 0, 0}, m, {0, 0, -l}, inertia);
    Random random(4);
    for (int trial = 0; trial < 20; trial++) {
        Numbers attitude, w;
        randomState(tree, layoutOf(tree), random, attitude, w);
        const Matrix3 R = rotationOfQuaternion(attitude.data());
        const Vector3 omega(w[0], w[1], w[2]), arm(0, 0, -l);
        const Vector3 p = R * arm, u = omega.cross(arm);
        Numbers q = attitude, v = w;
        for (int k = 0; k < 3; k++) q.push_back(p[k]);
        for (int k = 0; k < 3; k++) v.push_back(u[k]);
        for (const ReferenceRoute route : kRoutes) {
            Caller kernel(makeReferenceKernel(model, route));
            const Numbers vdot = kernel.fwdDyn(q, v), lambda = kernel.lambda(q, v);
            const Numbers expected = Caller(makeReferenceKernel(tree, route)).fwdDyn(attitude, w);
            const Vector3 alpha(expected[0], expected[1], expected[2]);
            for (int k = 0; k < 3; k++) CHECK(vdot[k] == Approx(alpha[k]).margin(1e-10));
            const Vector3 force = m * (R * (alpha.cross(arm) + omega.cross(u)) + Vector3(0, 0, 9.81));
            for (int k = 0; k < 3; k++) CHECK(lambda[k] == Approx(force[k]).margin(1e-10));
        }
    }
}

TEST_CASE("a rod's pull is m (g cos + l w^2)", "[dynamics][loops][closed]") {
    const double m = 2.1, l = 0.8, g = 9.81;
    Model model;
    addBody(model, "bob", kBase, joint(JointType::planar, kY), {0, 0, 0}, m, {0, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
    Loop loop;
    loop.name = "rod";
    loop.type = LoopType::distance;
    loop.from.body = kBase;
    loop.from.at = {Number(0.3), Number(0), Number(1.1)};
    loop.to.body = 0;
    loop.length = l;
    model.loops.push_back(loop);
    for (const ReferenceRoute route : kRoutes)
        for (double angle = -3; angle < 3; angle += 0.7) {
            // Coordinates of a planar joint about y: z, x, turn.
            const double rate = -1.9, s = std::sin(angle), c = std::cos(angle);
            const Numbers q{1.1 - l * c, 0.3 - l * s, 0.4}, v{l * s * rate, -l * c * rate, 3.0};
            Caller kernel(makeReferenceKernel(model, route));
            const Numbers vdot = kernel.fwdDyn(q, v), lambda = kernel.lambda(q, v);
            const double alpha = -g / l * s;
            CHECK(lambda[0] == Approx(-m * (g * c + l * rate * rate)).margin(1e-10));
            CHECK(vdot[0] == Approx(l * s * alpha + l * c * rate * rate).margin(1e-10));
            CHECK(vdot[1] == Approx(-l * c * alpha + l * s * rate * rate).margin(1e-10));
            CHECK(vdot[2] == Approx(0).margin(1e-12));
        }
}

TEST_CASE("a parallelogram four-bar at rest carries what the hand calculation says", "[dynamics][loops][closed]") {
    // Crank and rocker a, coupler and ground d; masses 1, 2, 1.5 with centres at a/2, d/2 and 0.1.
    const double a = 0.3, d = 0.5, g = 9.81;
    for (const double angle : {-0.9, -1.6, 0.7, 2.2}) {
        Model model;
        const Joint hinge = joint(JointType::revolute, kY);
        addBody(model, "crank", kBase, hinge, {0, 0, 0}, 1, {a / 2, 0, 0}, {0.001, 0.01, 0.01, 0, 0, 0});
        addBody(model, "coupler", 0, hinge, {a, 0, 0}, 2, {d / 2, 0, 0}, {0.001, 0.02, 0.02, 0, 0, 0});
        addBody(model, "rocker", kBase, hinge, {d, 0, 0}, 1.5, {0.1, 0, 0}, {0.001, 0.015, 0.015, 0, 0, 0});
        Loop pin;
        pin.name = "pin";
        pin.type = LoopType::point_on_line;
        pin.axis = kY;
        pin.from.body = 1;
        pin.from.at[0] = d;
        pin.to.body = 2;
        pin.to.at[0] = a;
        model.loops.push_back(pin);
        const Numbers q{angle, -angle, angle}, v(3, 0.0);
        const double c = std::cos(angle), s = std::sin(angle);
        // Height of a point at r on crank or rocker is -r sin: the crank's couple by virtual work.
        const double torque = -g * c * (1 * a / 2 + 2 * a + 1.5 * 0.1);
        // The coupler hangs half on each pin; the rocker's balance about its ground pivot gives the rest.
        const double Fz = -2 * g / 2, Fx = c / s * (0.1 * 1.5 * g / a + 2 * g / 2);
        for (const ReferenceRoute route : kRoutes) {
            Caller kernel(makeReferenceKernel(model, route));
            const Numbers vdot = kernel.fwdDyn(q, v, {torque, 0, 0}), lambda = kernel.lambda(q, v, {torque, 0, 0});
            for (const double x : vdot) CHECK(std::abs(x) < 1e-9);
            CHECK(lambda[0] == Approx(Fz).margin(1e-9));  // along z of the coupler, which is upright here
            CHECK(lambda[1] == Approx(Fx).margin(1e-9));
        }
    }
}
