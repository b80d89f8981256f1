// The front door: each function hands on to the room that does it.
#include "generator/generate.h"

#include <chrono>
#include <cstdlib>

#include "generator/backend/interpreter.h"
#include "generator/backend/write_c.h"
#include "generator/program/lower.h"

namespace mw::gen {

std::shared_ptr<const Program> generate(const Model& model, const std::string& name, Form form, CpuClass cpu,
                                        const Progress& progress, GenerateTimes* times) {
    using Clock = std::chrono::steady_clock;
    progress.at(0);
    const auto start = Clock::now();
    const Equations equations = derive(model, form);
    progress.at(0.7);
    const auto derived = Clock::now();
    LowerOptions options;
    options.cpu = cpu;
    auto program = std::make_shared<Program>(lower(equations, identifier(name), dynamicsHash(model), options));
    if (times != nullptr) {
        times->derive = std::chrono::duration<double>(derived - start).count();
        times->lower = std::chrono::duration<double>(Clock::now() - derived).count();
    }
    progress.at(1);
    return program;
}

Kernel interpreterKernel(std::shared_ptr<const Program> program, const Model& model) {
    return makeInterpreter(*program, model);
}

std::string writeC(const Program& program, const Model& model, std::vector<int>* lines) {
    return writeCFile(program, model, lines);
}

Kernel cFileKernel(const Program& program, const Model& model, const std::string& compiler) {
    return compileCFile(program, model, compiler);
}

Kernel jitKernel(std::shared_ptr<const Program> program, const Model& model, Tier tier,
                 const std::filesystem::path& cache, const Progress& progress, CompileTimes* times) {
    return compileKernel(*program, model, tier, cache, progress, times);
}

std::filesystem::path defaultObjectCache() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && cache[0] == '/') return std::filesystem::path(cache) / "mechwright" / "objects";
    const char* home = std::getenv("HOME");
    if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache" / "mechwright" / "objects";
    return {};
}

}  // namespace mw::gen
