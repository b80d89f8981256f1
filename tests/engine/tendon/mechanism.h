// Mechanisms from text for the tests of tendons, with poses and motion axes at a state.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/dynamics/reference_kernel.h"
#include "engine/model/read.h"
#include "engine/sim/motion_axes.h"
#include "engine/sim/simulation.h"
#include "engine/tendon/tendons.h"

namespace mw {

inline std::shared_ptr<const Model> mechanism(const std::string& text) {
    const ReadResult read = readModel(text);
    for (const Diagnostic& d : read.diagnostics)
        if (d.severity == Severity::error) throw std::runtime_error(formatDiagnostic(d, text, "test"));
    return std::make_shared<const Model>(read.model);
}

/// Planar, universal, cylindrical and screw joints in one tree.
inline const char* const kTreeOfJoints = R"(mech 1
body hull
  joint planar y
  mass 3  inertia 1 1 1 0 0 0
  start 0.1 -0.2 0.3
body upper
  parent hull  joint universal z x
  at 0.2 0 0.1
  mass 1  inertia 0.1 0.1 0.1 0 0 0
  start 0.2 -0.1
body drum
  parent upper  joint cylindrical y
  at 0.3 0.1 0.2
  mass 1  inertia 0.1 0.1 0.1 0 0 0
  start 0.4 0.05
body screw
  parent hull  joint screw z pitch 0.1
  at 1 0 -0.2
  mass 1  inertia 0.1 0.1 0.1 0 0 0
  start 0.7
)";

/// A mechanism at a state: everything that a tendon asks for.
struct AtState {
    std::shared_ptr<const Model> model;
    Layout layout;
    Kernel kernel;
    Tendons tendons;
    std::vector<double> q, v, param, X, V, memory;
    MotionAxes axes;

    explicit AtState(const std::string& text)
        : model(mechanism(text)),
          layout(layoutOf(*model)),
          kernel(makeReferenceKernel(*model)),
          tendons(*model, layout),
          param(model->liveValues()),
          memory(tendons.memorySize()) {
        q = startQ(*model, layout, param), v = startV(*model, layout, param);
        tendons.start(memory);
        move();
    }
    /// After q or v were changed.
    void move() {
        std::vector<double> work = makeWork(kernel);
        X.resize(12 * model->bodies.size()), V.resize(6 * model->bodies.size());
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
        fillMotionAxes(*model, layout, q, X, param, axes);
    }
    TendonRoute route(int tendon = 0) const {
        TendonRoute out;
        tendons.route(tendon, q, X, &axes, out);
        return out;
    }
    double rate(int tendon = 0) const {
        const TendonRoute at = route(tendon);
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i) sum += at.gradient[i] * v[i];
        return sum;
    }
    double curvature(int tendon = 0) const { return tendons.curvature(tendon, q, v, X, V, axes); }
    TendonStep step(double h = 0, double t = 0) {
        TendonStep s;
        s.h = h, s.t = t, s.q = q, s.v = v, s.param = param, s.X = X, s.V = V, s.axes = &axes, s.memory = memory;
        return s;
    }
};

/// A body of unit mass that moves along x, y and z: three prismatic joints, massless but for the last.
inline std::string particle(const std::string& name, double x, double y, double z, double mass = 1,
                            const std::string& rate = "0 0 0") {
    double vx = 0, vy = 0, vz = 0;
    std::sscanf(rate.c_str(), "%lf %lf %lf", &vx, &vy, &vz);
    return fmt::format(
        "body {0}_x\n  joint prismatic x\n  mass 0\n  at {1} {2} {3}\n  rate {5}\n"
        "body {0}_y\n  parent {0}_x\n  joint prismatic y\n  mass 0\n  rate {6}\n"
        "body {0}\n  parent {0}_y\n  joint prismatic z\n  mass {4}\n  rate {7}\n",
        name, x, y, z, mass, vx, vy, vz);
}

}  // namespace mw
