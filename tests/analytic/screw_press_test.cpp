// The screw press at rest: torque = pitch * (push of the workpiece - weight).
#include <cmath>

#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

struct Press {
    double pitch, weight, torque, stiffness, free_length, open;  // open: length of the workpiece's gap at q = 0
    explicit Press(const Model& model) {
        const Body& spindle = model.bodies.at(0);
        pitch = spindle.joint.pitch.value;
        weight = -spindle.mass.value * model.gravity[2].value;
        torque = parameter(model, "torque");
        stiffness = model.tsdas.at(0).k.value;
        free_length = model.tsdas.at(0).l0.value;
        open = spindle.at[2].value + model.points.at(0).point.at[2].value - model.points.at(1).point.at[2].value;
    }
    /// The hand turns downwards; the work lost by hand and weight is the work done on the workpiece.
    double push() const { return torque / pitch + weight; }
    double angle() const { return (free_length - push() / stiffness - open) / pitch; }
};

}  // namespace

TEST_CASE("screw press: at the closed form's angle nothing moves", "[analytic]") {
    auto model = modelOf(example("screw_press"));
    const Press press(*model);
    Kernel kernel = compiled(*model);
    std::vector<double> work = makeWork(kernel), vdot(1), lambda(1);
    const double q = press.angle(), v = 0, tau = -press.torque;
    const std::vector<double> param = model->liveValues();
    kernel->fwd_dyn(&q, &v, &tau, nullptr, nullptr, param.data(), work.data(), vdot.data(), lambda.data());
    double M = 0;
    kernel->mass_matrix(&q, param.data(), work.data(), &M);
    CAPTURE(q, M, vdot[0]);
    CHECK(std::abs(M * vdot[0]) < 1e-9 * press.torque);
}

TEST_CASE("screw press: a run comes to rest there", "[analytic]") {
    Simulation run = runOf(example("screw_press"), 2e-4);
    const Press press(run.model());
    runUntil(run, 30);
    const Readings r = run.read();
    CHECK(std::abs(run.state().v[0]) < 1e-9);
    CHECK(std::abs(run.state().q[0] - press.angle()) < 1e-9 * std::abs(press.angle()));
    // Tension is positive when it pulls: the workpiece pushes.
    CHECK(std::abs(r.elements.tsda[0] + press.push()) < 1e-9 * press.push());
}
