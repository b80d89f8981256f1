// The short way from a text to something that runs.
#include "app/live/headless.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "app/document/files.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/track/expand.h"

namespace mw::app {

Mechanism mechanismFromText(std::string text, const std::string& name, const std::filesystem::path& folder) {
    Mechanism mechanism;
    mechanism.name = name;
    mechanism.read = readMechanism(text, folder);
    mechanism.text = std::move(text);
    if (mechanism.read.ok()) {
        mechanism.model = std::make_shared<const Model>(mechanism.read.model);
        mechanism.layout = layoutOf(*mechanism.model);
    }
    return mechanism;
}

Mechanism mechanismFromFile(const std::filesystem::path& path) {
    return mechanismFromText(readFile(path), path.stem().string(), std::filesystem::absolute(path).parent_path());
}

const std::vector<std::string>& kernelNames() {
    static const std::vector<std::string> names{"reference", "reference-aba", "interpreter", "c", "jit", "jit-fast"};
    return names;
}

Kernel makeKernel(const Model& model, const std::string& name, const std::string& kernel,
                  const std::filesystem::path& cache) {
    const auto& names = kernelNames();
    if (std::find(names.begin(), names.end(), kernel) == names.end())
        throw std::invalid_argument(fmt::format("'{}' is none of {}", kernel, fmt::join(names, ", ")));
    if (kernel == "reference") return makeReferenceKernel(model, ReferenceRoute::crba);
    if (kernel == "reference-aba") return makeReferenceKernel(model, ReferenceRoute::aba);
    const auto program = gen::generate(model, name);
    if (kernel == "interpreter") return gen::interpreterKernel(program, model);
    if (kernel == "c") return gen::cFileKernel(*program, model);
    return gen::jitKernel(program, model, kernel == "jit" ? gen::Tier::optimised : gen::Tier::fast, cache);
}

Kernel makeKernel(const Mechanism& mechanism, const std::string& kernel, const std::filesystem::path& cache) {
    if (!mechanism.model) throw std::runtime_error("The text has errors, so there is nothing to make a kernel of.");
    return makeKernel(*mechanism.model, mechanism.name, kernel, cache);
}

Simulation makeSimulation(const Mechanism& mechanism, const Kernel& kernel, std::optional<Integrator> integrator,
                          double dt, std::string* why) {
    if (!mechanism.model) throw std::runtime_error("The text has errors, so there is nothing to simulate.");
    Simulation simulation(mechanism.model, kernel, integrator.value_or(defaultIntegrator(*mechanism.model)),
                          dt > 0 ? dt : 1e-3);
    if (!(dt > 0))
        simulation.setDt(suggestedStep(*mechanism.model, mechanism.layout, kernel, simulation.state(),
                                       simulation.inputs().param, why));
    return simulation;
}

}  // namespace mw::app
