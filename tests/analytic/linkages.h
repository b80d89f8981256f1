// A linkage from models/ with all that its tests ask for: closures, poses, and the dynamics by two kernels.
#pragma once

#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/analytic/runs.h"

namespace mw::test {

/// A plane seen from the front: x + i z. Turns about 0 -1 0 count anticlockwise in it.
using Plane = std::complex<double>;

struct Linkage {
    explicit Linkage(const std::string& name) : Linkage(name, 0) {}

    std::shared_ptr<const Model> model;
    Layout layout;
    Closure closure;
    std::vector<double> param;

    int q(const std::string& body) const { return slot(layout.q_of_body, body); }
    int v(const std::string& body) const { return slot(layout.v_of_body, body); }
    int body(const std::string& name) const { return model->findBody(name); }

    std::vector<double> start() const { return startQ(*model, layout, param); }

    /// The pose nearest to `from` with one coordinate set; closed to `tolerance`.
    std::vector<double> posed(const std::vector<double>& from, const std::string& body, double value,
                              double tolerance = 1e-13) {
        AssembleOptions options;
        options.tolerance = tolerance;
        Assembly assembly = closure.setCoordinate(from, v(body), value, param, options);
        if (!assembly.closed) throw std::runtime_error(assembly.what);
        return std::move(assembly.q);
    }

    /// A point of a body in base axes.
    Vector3d point(const std::vector<double>& q, const std::string& body, const Vector3d& at) const {
        return transform(bodyPlacements(*model, q, param)[static_cast<std::size_t>(this->body(body))], at);
    }

    double worst(const std::vector<double>& q) {
        double most = 0;
        for (double e : closure.error(q, param)) most = std::max(most, std::abs(e));
        return most;
    }

private:
    Linkage(const std::string& name, int)
        : model(modelOf(example(name))), layout(layoutOf(*model)), closure(*model), param(model->liveValues()) {}
    int slot(const std::vector<int>& of, const std::string& body) const {
        const int index = model->findBody(body);
        if (index < 0) throw std::runtime_error("no body " + body);
        return of[static_cast<std::size_t>(index)];
    }
};

/// A mechanism at rest: what its forces make of it.
struct AtRest {
    std::vector<double> vdot, lambda;
    std::vector<LoopReading> loops;
    double worst() const {
        double most = 0;
        for (double a : vdot) most = std::isfinite(a) ? std::max(most, std::abs(a)) : 1e300;
        return most;
    }
};

inline AtRest atRest(const Linkage& linkage, const Kernel& kernel, const std::vector<double>& q,
                     const std::vector<double>& tau, const std::vector<double>& fext = {}) {
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    std::vector<double> work = makeWork(kernel), v(size(linkage.layout.nv), 0.0);
    std::vector<double> X(12 * size(linkage.layout.nbody)), V(6 * size(linkage.layout.nbody));
    AtRest out;
    out.vdot.resize(v.size());
    out.lambda.resize(size(linkage.layout.nc));
    kernel->fwd_dyn(q.data(), v.data(), tau.data(), fext.empty() ? nullptr : fext.data(), nullptr, linkage.param.data(),
                    work.data(), out.vdot.data(), out.lambda.data());
    kernel->kinematics(q.data(), v.data(), linkage.param.data(), work.data(), X.data(), V.data());
    out.loops = loopReadings(*linkage.model, linkage.layout, linkage.param, X, V, out.lambda);
    return out;
}

/// The reference and the compiled code: each statement about forces is made of both.
inline std::vector<Kernel> bothKernels(const Model& model) { return {makeReferenceKernel(model), compiled(model)}; }

}  // namespace mw::test
