// Small named mechanisms for tests, built without the reader: numbers like those of the files in models/.
#pragma once

#include <initializer_list>
#include <string>

#include "engine/model/model.h"
#include "tests/support/random_tree.h"

namespace mw::test {

inline Joint joint(JointType type, Vector3d axis = {0, 0, 1}, Vector3d axis2 = {0, 1, 0}, double pitch = 0) {
    Joint j;
    j.type = type;
    j.axis = axis;
    j.axis2 = axis2;
    j.pitch = pitch;
    return j;
}

inline Body& addBody(Model& model, const std::string& name, int parent, const Joint& j, Vector3d at, double mass,
                     Vector3d cg, std::array<double, 6> inertia) {
    Body b;
    b.name = name;
    b.parent = parent;
    b.joint = j;
    b.mass = mass;
    for (int k = 0; k < 3; k++) {
        b.at[k] = at[k];
        b.cg[k] = cg[k];
    }
    for (int k = 0; k < 6; k++) b.inertia[k] = inertia[k];
    model.bodies.push_back(b);
    fillStart(model);
    return model.bodies.back();
}

constexpr Vector3d kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

/// Six revolute axes, z y y x y x.
inline Model elbow() {
    Model m;
    const auto r = [](Vector3d a) { return joint(JointType::revolute, a); };
    addBody(m, "waist", kBase, r(kZ), {0, 0, 0.2}, 18, {0, 0, 0.16}, {0.26, 0.26, 0.17, 0, 0, 0});
    addBody(m, "upper_arm", 0, r(kY), {0, 0, 0.38}, 14, {0.24, 0, 0}, {0.06, 0.46, 0.45, 0, 0, 0});
    addBody(m, "forearm", 1, r(kY), {0.56, 0, 0}, 8, {0.12, 0, 0.02}, {0.03, 0.12, 0.12, 0, 0, 0});
    addBody(m, "wrist_roll", 2, r(kX), {0.46, 0, 0}, 2.4, {-0.06, 0, 0}, {0.0035, 0.0055, 0.0055, 0, 0, 0});
    addBody(m, "wrist_pitch", 3, r(kY), {0, 0, 0}, 1.1, {0.03, 0, 0}, {0.0012, 0.0014, 0.0014, 0, 0, 0});
    addBody(m, "flange", 4, r(kX), {0, 0, 0}, 0.9, {0.13, 0, 0.01}, {0.0011, 0.0013, 0.0012, 0, 0, 0});
    PointOfInterest tool;
    tool.name = "tool";
    tool.point = pointOn(5, 0.2, 0, 0);
    m.points.push_back(tool);
    return m;
}

/// A floating bus with two panels and a boom; the bus takes an external wrench.
inline Model satellite() {
    Model m;
    const auto r = [](Vector3d a) { return joint(JointType::revolute, a); };
    addBody(m, "bus", kBase, joint(JointType::floating), {0, 0, 0}, 120, {0.02, 0, -0.03}, {26, 22, 18, 0.4, -0.3, 0.2})
        .fext = true;
    addBody(m, "panel_left", 0, r(kY), {0, 0.45, 0}, 9, {0, 1.05, 0}, {2.71, 0.42, 3.12, 0, 0, 0});
    addBody(m, "panel_right", 0, r(kY), {0, -0.45, 0}, 9, {0, -1.05, 0}, {2.71, 0.42, 3.12, 0, 0, 0});
    addBody(m, "boom", 0, r(kX), {-0.2, 0, 0.5}, 5, {0, 0, 0.9}, {1.3, 1.3, 0.05, 0, 0, 0});
    return m;
}

/// Two pendulums joined by a spring-damper, a hinge spring on one; both elements take an input, stiffnesses are live.
inline Model springpend() {
    Model m;
    const auto r = [](Vector3d a) { return joint(JointType::revolute, a); };
    addBody(m, "left", kBase, r(kY), {-0.35, 0, 1.1}, 1.5, {0, 0, -0.68}, {0.03, 0.03, 0.0026, 0, 0, 0});
    addBody(m, "right", kBase, r(kY), {0.35, 0, 1.1}, 1.5, {0, 0, -0.68}, {0.03, 0.03, 0.0026, 0, 0, 0});
    m.bodies[0].start[0] = 0.5;
    const int k = addLiveParameter(m, "k", 60, 0, 400), c = addLiveParameter(m, "c", 0.4, 0, 5);
    Tsda spring;
    spring.name = "coupling_spring";
    spring.from = pointOn(0, 0, 0, -0.4);
    spring.to = pointOn(1, 0, 0, -0.4);
    spring.k = liveNumber(m, k, 1);
    spring.c = liveNumber(m, c, 1);
    spring.l0 = 0.7;
    spring.input = true;
    m.tsdas.push_back(spring);
    Rsda hinge;
    hinge.name = "hinge";
    hinge.body = 1;
    hinge.k = 1.5;
    hinge.c = 0.02;
    hinge.input = true;
    m.rsdas.push_back(hinge);
    return m;
}

/// A point mass-like bob on a massless rod about y: mass m at distance l below the pin, inertia I about its centre.
inline Model pendulum(double m = 1.3, double l = 0.7, double I = 0.02) {
    Model model;
    addBody(model, "bob", kBase, joint(JointType::revolute, kY), {0, 0, 0}, m, {0, 0, -l}, {I, I, I, 0, 0, 0});
    return model;
}

}  // namespace mw::test
