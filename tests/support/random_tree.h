// Random mechanisms for tests: every joint type, arbitrary axes, offsets and rotations, generic inertias, with
// elements, damping, armature and live parameters on demand. The same seed gives the same mechanism everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"

namespace mw::test {

/// A small generator of our own, so that numbers do not depend on the standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 0x1234567ull) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    double between(double lo, double hi) { return lo + (hi - lo) * unit(); }
    int below(int n) { return static_cast<int>(unit() * n); }

private:
    std::uint64_t state_;
};

inline Vector3d randomDirection(Random& random) {
    const double z = random.between(-1, 1), a = random.between(-3.14159265358979, 3.14159265358979);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(a), r * std::sin(a), z};
}

/// Unit vector perpendicular to `axis`.
inline Vector3d randomPerpendicular(Random& random, const Vector3d& axis) {
    for (;;) {
        Vector3d d = randomDirection(random);
        const double along = d[0] * axis[0] + d[1] * axis[1] + d[2] * axis[2];
        double norm = 0;
        for (int k = 0; k < 3; k++) {
            d[k] -= along * axis[k];
            norm += d[k] * d[k];
        }
        norm = std::sqrt(norm);
        if (norm < 0.1) continue;
        for (double& x : d) x /= norm;
        return d;
    }
}

struct TreeOptions {
    int bodies = 6;
    bool chain = false;             ///< every body on the one before it, else on any earlier one or the base
    std::vector<JointType> joints;  ///< drawn from; empty: every type
    bool elements = false;          ///< two tsdas (one with curves and input) and an rsda where a scalar joint exists
    bool dissipation = false;       ///< joint damping and armature
    bool live = false;              ///< a mass, a length, an inertia and stiffnesses hang on live parameters
    bool fext = true;               ///< every second body takes an external wrench
};

inline Joint randomJoint(Random& random, JointType type) {
    Joint joint;
    joint.type = type;
    joint.axis = randomDirection(random);
    if (type == JointType::planar) {
        joint.axis = {0, 0, 0};
        joint.axis[random.below(3)] = 1;
    }
    joint.axis2 = randomPerpendicular(random, joint.axis);
    joint.pitch = random.between(-0.5, 0.5);
    return joint;
}

inline Body randomBody(Random& random, const std::string& name, int parent, JointType type) {
    Body b;
    b.name = name;
    b.parent = parent;
    b.joint = randomJoint(random, type);
    if (type != JointType::floating)
        for (int k = 0; k < 3; k++) {
            b.at[k] = random.between(-0.6, 0.6);
            b.rot[k] = random.between(-1.5, 1.5);
        }
    b.mass = random.between(0.5, 2);
    for (int k = 0; k < 3; k++) b.cg[k] = random.between(-0.3, 0.3);
    // Of four point masses in general position: physically possible, full matrix.
    double I[6] = {0.02, 0.02, 0.02, 0, 0, 0};
    for (int n = 0; n < 4; n++) {
        const double x = random.between(-0.4, 0.4), y = random.between(-0.4, 0.4), z = random.between(-0.4, 0.4),
                     m = 0.3;
        I[0] += m * (y * y + z * z);
        I[1] += m * (x * x + z * z);
        I[2] += m * (x * x + y * y);
        I[3] -= m * x * y;
        I[4] -= m * x * z;
        I[5] -= m * y * z;
    }
    for (int k = 0; k < 6; k++) b.inertia[k] = I[k];
    return b;
}

inline int addLiveParameter(Model& model, const std::string& name, double value, double lo, double hi) {
    Parameter p;
    p.name = name;
    p.value = value;
    p.range = {lo, hi};
    p.live = true;
    p.slot = 0;
    for (const Parameter& other : model.parameters) p.slot += other.live ? 1 : 0;
    model.parameters.push_back(p);
    return p.slot;
}

/// factor * parameter, as the reader would leave it in a Model.
inline Number liveNumber(const Model& model, int slot, double factor) {
    double value = 0;
    for (const Parameter& p : model.parameters)
        if (p.slot == slot && p.live) value = p.value;
    return {factor * value, Expression::binary(Expression::Op::multiply, Expression::constant(factor),
                                               Expression::liveParameter(slot))};
}

inline BodyPoint pointOn(int body, double x, double y, double z) {
    BodyPoint p;
    p.body = body;
    p.at = {Number(x), Number(y), Number(z)};
    return p;
}

inline void fillStart(Model& model) {
    for (Body& b : model.bodies) {
        b.start.assign(jointNq(b.joint.type), Number(0));
        b.rate.assign(jointNv(b.joint.type), Number(0));
        if (b.joint.type == JointType::spherical || b.joint.type == JointType::floating) b.start[0] = 1;
    }
}

inline void addElements(Model& model, Random& random) {
    const int n = static_cast<int>(model.bodies.size());
    PointOfInterest poi;
    poi.name = "eye";
    poi.point = pointOn(n - 1, 0.1, -0.2, 0.3);
    model.points.push_back(poi);
    poi.name = "post";
    poi.point = pointOn(kBase, 1.1, 0.4, -0.7);
    model.points.push_back(poi);

    Tsda spring;
    spring.name = "spring";
    spring.from = pointOn(random.below(n), 0.2, 0.1, -0.1);
    spring.to = pointOn(kBase, 1.3, -0.9, 0.8);
    spring.k = 30;
    spring.c = 2;
    spring.l0 = 0.7;
    model.tsdas.push_back(spring);
    Tsda bumper;
    bumper.name = "bumper";
    bumper.from = pointOn(n - 1, -0.1, 0.2, 0.2);
    bumper.to = pointOn(n / 2 == n - 1 ? kBase : n / 2, 0.3, -0.3, 0.1);
    bumper.k = 5;
    bumper.l0 = 1.0;
    bumper.input = true;
    bumper.curve.x = {Number(-0.5), Number(0), Number(0.4)};
    bumper.curve.f = {Number(-8), Number(0), Number(20)};
    bumper.damper_curve.x = {Number(-1), Number(0), Number(2)};
    bumper.damper_curve.f = {Number(-3), Number(0), Number(1)};
    model.tsdas.push_back(bumper);
    for (int i = n - 1; i >= 0; i--) {
        if (jointNv(model.bodies[i].joint.type) != 1) continue;
        Rsda twist;
        twist.name = "twist";
        twist.body = i;
        twist.k = 12;
        twist.c = 0.4;
        twist.q0 = 0.3;
        twist.input = true;
        twist.curve.x = {Number(-1), Number(1)};
        twist.curve.f = {Number(-2), Number(5)};
        twist.damper_curve.x = {Number(-1), Number(0), Number(1)};
        twist.damper_curve.f = {Number(-0.5), Number(0), Number(0.2)};
        model.rsdas.push_back(twist);
        break;
    }
}

inline Model randomTree(std::uint64_t seed, const TreeOptions& options = {}) {
    Random random(seed);
    const std::vector<JointType> every = {JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                          JointType::cylindrical, JointType::screw,     JointType::universal,
                                          JointType::planar,      JointType::spherical, JointType::floating};
    const std::vector<JointType>& pool = options.joints.empty() ? every : options.joints;
    Model model;
    model.gravity = {Number(0.3), Number(-0.8), Number(-9.81)};
    for (int i = 0; i < options.bodies; i++) {
        int parent = options.chain ? i - 1 : random.below(i + 1) - 1;
        const JointType type = pool[random.below(static_cast<int>(pool.size()))];
        if (type == JointType::floating) parent = kBase;
        Body b = randomBody(random, "body" + std::to_string(i), parent, type);
        b.fext = options.fext && i % 2 == 0;
        if (options.dissipation) {
            b.joint_damping = random.between(0.1, 0.5);
            b.joint_armature = random.between(0.05, 0.3);
        }
        model.bodies.push_back(b);
    }
    if (options.elements) addElements(model, random);
    if (options.live) {
        const int mass = addLiveParameter(model, "mass", 1.5, 0.8, 2.5);
        const int length = addLiveParameter(model, "length", 0.4, 0.2, 0.7);
        model.bodies.back().mass = liveNumber(model, mass, 1);
        model.bodies.back().inertia[0] = liveNumber(model, mass, 0.5);
        model.bodies.back().cg[1] = liveNumber(model, length, 0.3);
        if (model.bodies.back().joint.type != JointType::floating)
            model.bodies.back().at[0] = liveNumber(model, length, 1);
        for (Tsda& t : model.tsdas) t.k = liveNumber(model, mass, 20);
        for (Rsda& r : model.rsdas) r.q0 = liveNumber(model, length, 1);
    }
    fillStart(model);
    return model;
}

/// A random configuration and velocity of a mechanism.
inline void randomState(const Model& model, const Layout& layout, Random& random, std::vector<double>& q,
                        std::vector<double>& v) {
    q.assign(layout.nq, 0);
    v.assign(layout.nv, 0);
    for (std::size_t i = 0; i < model.bodies.size(); i++) {
        const JointType type = model.bodies[i].joint.type;
        double* qi = q.data() + layout.q_of_body[i];
        for (int k = 0; k < jointNq(type); k++) qi[k] = random.between(-1.5, 1.5);
        if (type == JointType::spherical || type == JointType::floating) {
            double norm = 0;
            for (int k = 0; k < 4; k++) norm += qi[k] * qi[k];
            for (int k = 0; k < 4; k++) qi[k] /= std::sqrt(norm);
        }
    }
    for (double& x : v) x = random.between(-2, 2);
}

}  // namespace mw::test
