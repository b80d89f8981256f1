// A mechanism set up for a run beside its formula: from a text or one of models/, on the compiled code that people run.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "engine/model/read.h"
#include "engine/sim/simulation.h"
#include "engine/track/expand.h"
#include "generator/generate.h"

namespace mw::test {

inline std::shared_ptr<const Model> modelOf(const std::string& text) {
    ReadResult read = readMechanism(text);
    std::string faults;
    for (const Diagnostic& d : read.diagnostics)
        if (d.severity == Severity::error) faults += formatDiagnostic(d, text, "text") + "\n";
    if (!faults.empty()) throw std::runtime_error(faults);
    return std::make_shared<const Model>(std::move(read.model));
}

inline std::string example(const std::string& name) {
    std::ifstream in(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error("no model " + name);
    return text.str();
}

inline Kernel compiled(const Model& model) {
    return gen::jitKernel(gen::generate(model, "analytic"), model, gen::Tier::optimised);
}

inline Simulation runOf(const std::string& text, double dt, Integrator integrator = Integrator::verlet) {
    auto model = modelOf(text);
    Kernel kernel = compiled(*model);
    return Simulation(std::move(model), std::move(kernel), integrator, dt);
}

/// Steps until `t`, to the nearest step.
inline void runUntil(Simulation& run, double t) {
    while (run.state().t + run.dt() / 2 < t)
        if (const auto blown = run.step()) throw std::runtime_error(blown->what);
}

inline double parameter(const Model& model, const std::string& name) {
    for (const Parameter& p : model.parameters)
        if (p.name == name) return p.value;
    throw std::runtime_error("no parameter " + name);
}

}  // namespace mw::test
