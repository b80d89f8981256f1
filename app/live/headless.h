// A mechanism without a window: a file or a text becomes a Model, a kernel by name, a simulation. What the command line
// and the tests stand on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/read.h"
#include "engine/sim/simulation.h"
#include "generator/generate.h"

namespace mw::app {

/// A text that was read: sound or not.
struct Mechanism {
    std::string name;  ///< of the file without its ending; the prefix of generated symbols
    std::string text;
    ReadResult read;
    std::shared_ptr<const Model> model;  ///< null when the text has errors
    Layout layout;                       ///< of the model
};
Mechanism mechanismFromText(std::string text, const std::string& name, const std::filesystem::path& folder = {});
/// Throws std::runtime_error with a sentence for people when the file cannot be read; faults of the text are in `read`.
Mechanism mechanismFromFile(const std::filesystem::path& path);

/// "reference", "reference-aba", "interpreter", "c", "jit", "jit-fast".
const std::vector<std::string>& kernelNames();
/// Throws std::invalid_argument for a name that is none of these (the sentence lists them), std::runtime_error when it
/// cannot be made. `cache`: the object cache of "jit" (empty: none).
Kernel makeKernel(const Model& model, const std::string& name, const std::string& kernel,
                  const std::filesystem::path& cache = {});
Kernel makeKernel(const Mechanism& mechanism, const std::string& kernel, const std::filesystem::path& cache = {});

/// At the start state; no integrator: the model's default; dt 0: the suggested one (`why` says what decided it).
Simulation makeSimulation(const Mechanism& mechanism, const Kernel& kernel,
                          std::optional<Integrator> integrator = std::nullopt, double dt = 0,
                          std::string* why = nullptr);

}  // namespace mw::app
