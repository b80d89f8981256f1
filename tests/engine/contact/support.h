// What the contact tests share: poses and velocities from the reference kinematics, states around a band's start pose,
// small vectors.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/draw.h"
#include "engine/contact/contact.h"
#include "engine/dynamics/kinematics.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

namespace mw::test {

inline Vector3d operator+(const Vector3d& a, const Vector3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector3d operator-(const Vector3d& a, const Vector3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3d operator*(double s, const Vector3d& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector3d& a, const Vector3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3d cross(const Vector3d& a, const Vector3d& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vector3d& a) { return std::sqrt(dot(a, a)); }

inline Model mechanismOfText(const std::string& text) {
    ReadResult result = readMechanism(text, std::string(MW_SOURCE_DIR) + "/models");
    for (const Diagnostic& d : result.diagnostics) {
        INFO(d.message);
        REQUIRE(d.severity != Severity::error);
    }
    return result.model;
}

/// An expanded model of models/, its text changed where `from` stands.
inline Model mechanism(const std::string& name, const std::string& from = {}, const std::string& to = {}) {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    REQUIRE(file.good());
    std::stringstream text;
    text << file.rdbuf();
    std::string s = text.str();
    if (!from.empty()) {
        const std::size_t at = s.find(from);
        REQUIRE(at != std::string::npos);
        s.replace(at, from.size(), to);
    }
    return mechanismOfText(s);
}

/// X and V of kernel_abi.h, by the reference kinematics.
struct Poses {
    std::vector<double> X, V;
};

class Scene {
public:
    explicit Scene(Model model) : topology(model), contact(model) {}

    Topology topology;
    ContactModel contact;

    const Model& model() const { return topology.model(); }
    std::size_t bodies() const { return topology.bodies().size(); }
    std::vector<double> startQ() const { return mw::startQ(model(), topology.layout(), model().liveValues()); }

    Poses poses(const std::vector<double>& q, const std::vector<double>& v) const {
        std::vector<BodyKinematics> k(bodies());
        updateKinematics(topology, topology.declaredNumbers().data(), q.data(), v.data(), k.data());
        Poses p;
        for (const BodyKinematics& b : k) {
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) p.X.push_back(b.R(i, j));
            for (int i = 0; i < 3; i++) p.X.push_back(b.p(i));
            const Vector3 w = b.R * b.v.head<3>(), o = b.R * b.v.tail<3>();
            for (int i = 0; i < 3; i++) p.V.push_back(w(i));
            for (int i = 0; i < 3; i++) p.V.push_back(o(i));
        }
        return p;
    }

    /// The start pose, every coordinate moved by up to `spread` (m, rad), the whole moved by `lift` in z; v U(-2, 2).
    Poses around(Draw& draw, double spread, double lift = 0) const {
        std::vector<double> q = startQ(), v(std::size_t(topology.layout().nv));
        for (double& x : v) x = draw.between(-2, 2);
        for (const TreeBody& b : topology.bodies()) {
            for (int i = 0; i < b.nq; i++) q[std::size_t(b.q + i)] += draw.between(-spread, spread);
            if (b.type == JointType::spherical || b.type == JointType::floating)
                normaliseQuaternion(&q[std::size_t(b.q)]);
            if (b.type == JointType::floating) q[std::size_t(b.q + 6)] += lift;
        }
        return poses(q, v);
    }
};

inline Vector3d originOf(const Poses& p, int body) {
    const double* X = &p.X[12 * std::size_t(body)];
    return {X[9], X[10], X[11]};
}
inline Vector3d toBase(const Poses& p, int body, const Vector3d& a) {
    const double* X = &p.X[12 * std::size_t(body)];
    return {X[0] * a[0] + X[1] * a[1] + X[2] * a[2], X[3] * a[0] + X[4] * a[1] + X[5] * a[2],
            X[6] * a[0] + X[7] * a[1] + X[8] * a[2]};
}
inline Vector3d toBody(const Poses& p, int body, const Vector3d& a) {
    const double* X = &p.X[12 * std::size_t(body)];
    return {X[0] * a[0] + X[3] * a[1] + X[6] * a[2], X[1] * a[0] + X[4] * a[1] + X[7] * a[2],
            X[2] * a[0] + X[5] * a[1] + X[8] * a[2]};
}
/// Velocity of a body's material at a point of base.
inline Vector3d materialAt(const Poses& p, int body, const Vector3d& point) {
    const double* V = &p.V[6 * std::size_t(body)];
    return Vector3d{V[3], V[4], V[5]} + cross({V[0], V[1], V[2]}, point - originOf(p, body));
}

/// A figure of a check, on its own line of the output.
inline void figure(const char* what, const std::string& model, double value, double bound) {
    std::printf("  %-62s %-11s %10.3g   bound %g\n", what, model.c_str(), value, bound);
}

}  // namespace mw::test
