// More small mechanisms for the generator's tests, shaped like those in models/.
#pragma once

#include "tests/support/models.h"

namespace mw::test {

/// `links` equal links about y, one on the other.
inline Model planarChain(int links) {
    Model m;
    for (int i = 0; i < links; ++i)
        addBody(m, "link" + std::to_string(i), i - 1, joint(JointType::revolute, kY), {0, 0, i == 0 ? 0.0 : -0.5}, 1.2,
                {0, 0, -0.25}, {0.03, 0.03, 0.002, 0, 0, 0});
    return m;
}

/// Links about y and x in turn.
inline Model spatialChain(int links) {
    Model m;
    for (int i = 0; i < links; ++i)
        addBody(m, "link" + std::to_string(i), i - 1, joint(JointType::revolute, i % 2 ? kX : kY),
                {0, 0, i == 0 ? 0.0 : -0.5}, 1.2, {0.02, 0.01, -0.25}, {0.03, 0.03, 0.002, 0.001, 0, 0.0005});
    return m;
}

/// Three slides at right angles.
inline Model gantry() {
    Model m;
    addBody(m, "bridge", kBase, joint(JointType::prismatic, kX), {0, 0, 1}, 40, {0, 0.3, 0}, {3, 1, 3, 0, 0, 0});
    addBody(m, "trolley", 0, joint(JointType::prismatic, kY), {0, 0, 0.1}, 12, {0, 0, 0.1}, {0.2, 0.2, 0.2, 0, 0, 0});
    addBody(m, "spindle", 1, joint(JointType::prismatic, kZ), {0.1, 0, 0}, 5, {0, 0, -0.2}, {0.1, 0.1, 0.02, 0, 0, 0});
    return m;
}

/// Four pendulums on the base, each about an axis of its own.
inline Model pendulums() {
    Model m;
    const Vector3d axes[] = {kX, kY, {0.6, 0.8, 0}, {0, 0.6, 0.8}};
    for (int i = 0; i < 4; ++i)
        addBody(m, "bob" + std::to_string(i), kBase, joint(JointType::revolute, axes[i]), {0.5 * i, 0, 1}, 1 + i,
                {0.1, 0.05, -0.5}, {0.02, 0.02, 0.01, 0.001, 0, 0});
    return m;
}

/// A balanced binary tree of seven bodies with mixed axes.
inline Model binaryTree() {
    Model m;
    const Vector3d axes[] = {kZ, kX, kX, kY, kY, kY, kY};
    for (int i = 0; i < 7; ++i)
        addBody(m, "node" + std::to_string(i), i == 0 ? kBase : (i - 1) / 2, joint(JointType::revolute, axes[i]),
                {i % 2 ? -0.3 : 0.3, 0, i == 0 ? 0.0 : 0.4}, 1, {0, 0, 0.2}, {0.01, 0.012, 0.002, 0, 0, 0});
    return m;
}

/// Two turns, a slide and a wrist of three turns.
inline Model stanford() {
    Model m;
    const auto r = [](Vector3d a) { return joint(JointType::revolute, a); };
    addBody(m, "waist", kBase, r(kZ), {0, 0, 0.25}, 9.3, {0, 0, 0.2}, {0.19, 0.19, 0.06, 0, 0, 0});
    addBody(m, "shoulder", 0, r(kY), {0, 0.16, 0.4}, 5, {0, -0.02, 0}, {0.05, 0.03, 0.05, 0, 0, 0});
    addBody(m, "boom", 1, joint(JointType::prismatic, kZ), {0, 0, 0}, 4.2, {0, 0, -0.1}, {0.37, 0.37, 0.006, 0, 0, 0});
    addBody(m, "wrist_yaw", 2, r(kZ), {0, 0, 0.42}, 1.1, {0, 0, 0.03}, {0.002, 0.002, 0.0012, 0, 0, 0});
    addBody(m, "wrist_pitch", 3, r(kY), {0, 0, 0.07}, 0.65, {0, 0, 0.03}, {0.0008, 0.0006, 0.0007, 0, 0, 0});
    addBody(m, "hand", 4, r(kZ), {0, 0, 0}, 0.5, {0, 0.005, 0.13}, {0.0009, 0.0008, 0.0004, 0, 0, 0});
    return m;
}

}  // namespace mw::test
