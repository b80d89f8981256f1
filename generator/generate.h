// The generator's front door: a Model becomes a Program, a Program becomes a Kernel.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"
#include "generator/derive/equations.h"
#include "generator/jit/jit.h"
#include "generator/program/program.h"
#include "generator/program/progress.h"

namespace mw::gen {

/// Where the time of a generation went, in seconds.
struct GenerateTimes {
    double derive = 0;
    double lower = 0;
};

/// Derives the equations and lowers them. `name` becomes the prefix of C symbols (made a C identifier if it is not).
std::shared_ptr<const Program> generate(const Model& model, const std::string& name, Form form = Form::automatic,
                                        CpuClass cpu = hostCpuClass(), const Progress& progress = {},
                                        GenerateTimes* times = nullptr);

/// The program walked instruction by instruction: slow, and there at once.
Kernel interpreterKernel(std::shared_ptr<const Program> program, const Model& model);

/// The C file: compiles with -std=c11 alone; byte for byte reproducible. `lines` receives, per line of the text, the
/// body it belongs to (kBase: none).
std::string writeC(const Program& program, const Model& model, std::vector<int>* lines = nullptr);

/// Compiles the C file with a C compiler found at run time and loads it (`mech validate`). Throws std::runtime_error
/// with the compiler's words.
Kernel cFileKernel(const Program& program, const Model& model, const std::string& compiler = "cc");

/// Machine code in memory. `cache`: folder of the object cache (empty: none), keyed by content, CPU, LLVM and tier.
Kernel jitKernel(std::shared_ptr<const Program> program, const Model& model, Tier tier,
                 const std::filesystem::path& cache = {}, const Progress& progress = {}, CompileTimes* times = nullptr);

/// User's cache folder for compiled code ($XDG_CACHE_HOME/mechwright/objects).
std::filesystem::path defaultObjectCache();

}  // namespace mw::gen
