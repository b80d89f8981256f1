// What moves must belong together: velocities are derivatives of poses, power is the derivative of energy, external
// force the derivative of momentum. All by central differences with Richardson's extrapolation, on random trees of
// every joint type.
#include <functional>

#include "engine/dynamics/energy.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/models.h"

using namespace mw;
using namespace mw::test;

namespace {

/// d f / dt at 0: central differences at h and h/2, error of order h^4.
Numbers derivative(const std::function<Numbers(double)>& f, double h) {
    const Numbers a = f(h), b = f(-h), c = f(h / 2), d = f(-h / 2);
    Numbers out(a.size());
    for (std::size_t i = 0; i < a.size(); i++) out[i] = (8 * (c[i] - d[i]) - (a[i] - b[i])) / (6 * h);
    return out;
}

/// A mechanism on its way through one state: coordinates and velocities a little later or earlier (h^2 terms included,
/// which a central difference does not see).
struct Path {
    const Model& model;
    const Layout& layout;
    Numbers q, v, vdot;
    Numbers qAt(double h) const { return advanced(model, layout, q, vAt(h / 2), h); }
    Numbers vAt(double h) const {
        Numbers out = v;
        for (std::size_t i = 0; i < out.size(); i++) out[i] += h * vdot[i];
        return out;
    }
};

}  // namespace

TEST_CASE("v is dq/dt: poses move with the velocities that kinematics reports", "[dynamics]") {
    for (int seed = 1; seed <= 60; seed++) {
        TreeOptions options;
        options.bodies = 6;
        options.elements = true;
        const Model model = randomTree(seed, options);
        const Layout layout = layoutOf(model);
        Caller kernel(makeReferenceKernel(model));
        Random random(seed);
        Path path{model, layout, {}, {}, Numbers(layout.nv, 0.0)};
        randomState(model, layout, random, path.q, path.v);
        Numbers X, V;
        kernel.kinematics(path.q, path.v, X, V);
        const Numbers dX = derivative(
            [&](double h) {
                Numbers Xh, Vh;
                kernel.kinematics(path.qAt(h), path.v, Xh, Vh);
                return Xh;
            },
            1e-3);
        // dR/dt = w x R, column by column; do/dt = v.
        Numbers expected(dX.size());
        for (int i = 0; i < layout.nbody; i++) {
            const double* R = &X[12 * i];
            const double* w = &V[6 * i];
            for (int c = 0; c < 3; c++) {
                expected[12 * i + c] = w[1] * R[6 + c] - w[2] * R[3 + c];
                expected[12 * i + 3 + c] = w[2] * R[c] - w[0] * R[6 + c];
                expected[12 * i + 6 + c] = w[0] * R[3 + c] - w[1] * R[c];
                expected[12 * i + 9 + c] = V[6 * i + 3 + c];
            }
        }
        CAPTURE(seed);
        CHECK(scaledError(dX, expected) < 1e-9);

        // Observed positions, lengths and joint coordinates likewise.
        const Numbers obs = kernel.observe(path.q, path.v);
        const Numbers dobs = derivative([&](double h) { return kernel.observe(path.qAt(h), path.v); }, 1e-3);
        Numbers a, b;
        for (const int o : layout.obs_of_point)
            for (int k = 0; k < 3; k++) a.push_back(dobs[o + k]), b.push_back(obs[o + 3 + k]);
        for (const int o : layout.obs_of_tsda) a.push_back(dobs[o]), b.push_back(obs[o + 1]);
        for (const int o : layout.obs_of_rsda) a.push_back(dobs[o]), b.push_back(obs[o + 1]);
        CHECK(scaledError(a, b) < 1e-8);
    }
}

TEST_CASE("the derivative of energy is the power of everything that acts", "[dynamics]") {
    for (int seed = 1; seed <= 60; seed++) {
        TreeOptions options;
        options.bodies = 5;
        options.elements = options.dissipation = true;
        const Model model = randomTree(seed, options);
        const Layout layout = layoutOf(model);
        Caller kernel(makeReferenceKernel(model));
        Random random(seed);
        Path path{model, layout, {}, {}, {}};
        randomState(model, layout, random, path.q, path.v);
        Numbers tau(layout.nv), fext(6 * layout.nbody), act(layout.nact);
        for (double& x : tau) x = random.between(-10, 10);
        for (double& x : fext) x = random.between(-10, 10);
        for (double& x : act) x = random.between(-10, 10);
        path.vdot = kernel.fwdDyn(path.q, path.v, tau, fext, act);

        const auto energies = [&](double h) {
            const Numbers q = path.qAt(h), v = path.vAt(h);
            Numbers X, V;
            kernel.kinematics(q, v, X, V);
            return energiesOf(model, layout, {}, X, V, kernel.observe(q, v), v);
        };
        const double dE = derivative([&](double h) { return Numbers{energies(h).total()}; }, 1e-3)[0];

        // Power: joint forces, external wrenches at the body's velocity at the base origin, inputs, dampers.
        Numbers X, V;
        kernel.kinematics(path.q, path.v, X, V);
        const Numbers obs = kernel.observe(path.q, path.v);
        const ElementForces forces = elementForces(model, layout, {}, obs, act, path.v);
        double power = 0;
        for (int i = 0; i < layout.nv; i++) power += tau[i] * path.v[i];
        for (int i = 0; i < layout.nbody; i++) {
            if (!model.bodies[i].fext) continue;
            const double *w = &V[6 * i], *o = &X[12 * i + 9], *u = w + 3, *f = &fext[6 * i];
            const double at_base[3] = {u[0] + o[1] * w[2] - o[2] * w[1], u[1] + o[2] * w[0] - o[0] * w[2],
                                       u[2] + o[0] * w[1] - o[1] * w[0]};
            for (int k = 0; k < 3; k++) power += f[k] * w[k] + f[3 + k] * at_base[k];
        }
        for (std::size_t e = 0; e < model.tsdas.size(); e++) {
            power += forces.tsda_damping_power[e];
            CHECK(forces.tsda_damping_power[e] <= 0);
            if (model.tsdas[e].input) power -= act[layout.act_of_tsda[e]] * obs[layout.obs_of_tsda[e] + 1];
        }
        for (std::size_t e = 0; e < model.rsdas.size(); e++) {
            power += forces.rsda_damping_power[e];
            CHECK(forces.rsda_damping_power[e] <= 0);
            if (model.rsdas[e].input) power += act[layout.act_of_rsda[e]] * obs[layout.obs_of_rsda[e] + 1];
        }
        for (const double p : forces.joint_damping_power) power += p;
        CAPTURE(seed, dE, power);
        CHECK(std::abs(dE - power) < 1e-7 * std::max(1.0, std::abs(power)));
    }
}

TEST_CASE("external force is the derivative of momentum of what floats free", "[dynamics]") {
    for (int seed = 1; seed <= 30; seed++) {
        // One floating root with a tree of every other joint on it; inner springs and dampers change nothing.
        TreeOptions options;
        options.bodies = 5;
        options.chain = seed % 2 == 0;
        options.joints = {JointType::revolute,  JointType::prismatic, JointType::universal,  JointType::planar,
                          JointType::spherical, JointType::screw,     JointType::cylindrical};
        options.dissipation = true;
        Model model = randomTree(seed, options);
        Random random(seed);
        Body root = randomBody(random, "root", kBase, JointType::floating);
        root.fext = true;
        for (Body& b : model.bodies) {
            b.parent++;
            b.joint_armature = 0;  // the rotors' own momentum is not a body's
        }
        model.bodies.insert(model.bodies.begin(), root);
        fillStart(model);
        Tsda inner;
        inner.name = "inner";
        inner.from = pointOn(0, 0.1, 0.2, 0.3);
        inner.to = pointOn(5, -0.2, 0.1, 0.2);
        inner.k = 40;
        inner.c = 3;
        model.tsdas.push_back(inner);
        // Gravity through the common centre enters as a force on every body: switched off here.
        model.gravity = {Number(0), Number(0), Number(0)};

        const Layout layout = layoutOf(model);
        Caller kernel(makeReferenceKernel(model));
        Path path{model, layout, {}, {}, {}};
        randomState(model, layout, random, path.q, path.v);
        Numbers fext(6 * layout.nbody);
        for (double& x : fext) x = random.between(-10, 10);
        Numbers tau(layout.nv, 0.0);
        for (int i = 6; i < layout.nv; i++) tau[i] = random.between(-10, 10);
        path.vdot = kernel.fwdDyn(path.q, path.v, tau, fext);
        // The root's own joint forces are external: its armature is none and its damping acts on it from outside.
        for (int i = 0; i < layout.nbody; i++)
            if (model.bodies[i].joint.type == JointType::floating) REQUIRE(model.bodies[i].joint_damping.isZero());

        const Numbers dP = derivative(
            [&](double h) {
                Numbers X, V;
                kernel.kinematics(path.qAt(h), path.vAt(h), X, V);
                const Momenta m = momentaOf(model, {}, X, V);
                return Numbers{m.angular[0], m.angular[1], m.angular[2], m.linear[0], m.linear[1], m.linear[2]};
            },
            1e-3);
        Numbers force(6, 0.0);
        for (int i = 0; i < layout.nbody; i++)
            if (model.bodies[i].fext)
                for (int k = 0; k < 6; k++) force[k] += fext[6 * i + k];
        CAPTURE(seed);
        CHECK(scaledError(dP, force) < 1e-7);
    }
}

TEST_CASE("a curve is straight between its points and keeps its end slopes", "[dynamics]") {
    // Seen through the elements' forces and energies, with slopes 2, 1, 4 and an offset.
    Model model;
    addBody(model, "bead", kBase, joint(JointType::prismatic, kX), {0, 0, 0}, 1, {0, 0, 0}, {});
    model.gravity = {Number(0), Number(0), Number(0)};
    Rsda law;
    law.name = "law";
    law.body = 0;
    law.q0 = 0.5;
    law.curve.x = {Number(-1), Number(0), Number(1), Number(2)};
    law.curve.f = {Number(-1), Number(1), Number(2), Number(6)};
    model.rsdas.push_back(law);
    const Layout layout = layoutOf(model);
    Caller kernel(makeReferenceKernel(model));
    const auto force = [&](double x) { return -kernel.fwdDyn({x + 0.5}, {0})[0]; };
    CHECK(force(-3) == Approx(-5));
    CHECK(force(-0.5) == Approx(0).margin(1e-15));
    CHECK(force(0) == Approx(1));
    CHECK(force(0.25) == Approx(1.25));
    CHECK(force(1.5) == Approx(4));
    CHECK(force(4) == Approx(14));
    // Energy: zero at q0, and its slope is the force everywhere.
    const auto energy = [&](double x) {
        Numbers X, V;
        kernel.kinematics({x + 0.5}, {0}, X, V);
        return energiesOf(model, layout, {}, X, V, kernel.observe({x + 0.5}, {0}), Numbers{0}).elements();
    };
    CHECK(energy(0) == 0);
    for (double x = -2.95; x < 3; x += 0.1)
        CHECK((energy(x + 1e-4) - energy(x - 1e-4)) / 2e-4 == Approx(force(x)).margin(1e-9));
    CHECK(energy(4) == Approx(1.5 + 4 + (6 + 14) / 2.0 * 2));
}
