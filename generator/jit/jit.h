// Owns machine code: compiles a program through LLVM in memory, or through a C compiler, and hands out a kernel.
#pragma once

#include <filesystem>
#include <string>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"
#include "generator/program/program.h"
#include "generator/program/progress.h"

namespace mw::gen {

enum class Tier { fast, optimised };

/// Where the time of a compilation went, in seconds.
struct CompileTimes {
    double write = 0;    ///< program to IR
    double compile = 0;  ///< IR to machine code (0: from the cache)
    double link = 0;     ///< machine code into the process
    bool cached = false;
};

/// Machine code in memory. `cache`: folder of the object cache (empty: none), keyed by content, CPU, LLVM and tier.
Kernel compileKernel(const Program& program, const Model& model, Tier tier, const std::filesystem::path& cache,
                     const Progress& progress, CompileTimes* times = nullptr);

/// Compiles the C file with a C compiler found at run time and loads it. Throws std::runtime_error with the compiler's
/// words.
Kernel compileCFile(const Program& program, const Model& model, const std::string& compiler);

}  // namespace mw::gen
