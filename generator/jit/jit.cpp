// LLVM: IR to an object file in memory (no IR passes: the program is folded already), and the object into the process
// by ORC.
#include "generator/jit/jit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "generator/backend/kernel_data.h"
#include "generator/backend/write_llvm.h"
#include "generator/jit/object_cache.h"

namespace mw::gen {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Host {
    const llvm::Target* target = nullptr;
    std::string triple, cpu, features;
    int lanes = 1;  ///< doubles of a vector register
};

const Host& host() {
    static const Host made = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        Host h;
        h.triple = llvm::sys::getProcessTriple();
        std::string error;
        h.target = llvm::TargetRegistry::lookupTarget(h.triple, error);
        if (h.target == nullptr) throw std::runtime_error("no code generator for this machine: " + error);
        h.cpu = llvm::sys::getHostCPUName().str();
        llvm::SubtargetFeatures features;
        const llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
        std::vector<std::string> names;
        for (const auto& feature : known) names.push_back((feature.second ? "+" : "-") + feature.first().str());
        std::sort(names.begin(), names.end());
        for (const std::string& name : names) features.AddFeature(name);
        h.features = features.getString();
        const auto has = [&](const char* name) { return known.lookup(name); };
        h.lanes = has("avx") ? 4 : has("sse2") || has("neon") ? 2 : 1;
        return h;
    }();
    return made;
}

std::unique_ptr<llvm::TargetMachine> makeMachine(Tier tier) {
    const Host& h = host();
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.EnableFastISel = tier == Tier::fast;
    return std::unique_ptr<llvm::TargetMachine>(h.target->createTargetMachine(
        h.triple, h.cpu, h.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        tier == Tier::fast ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default, true));
}

std::string emitObject(llvm::Module& module, Tier tier) {
    const std::unique_ptr<llvm::TargetMachine> machine = makeMachine(tier);
    if (machine == nullptr) throw std::runtime_error("the code generator could not be made");
    module.setTargetTriple(host().triple);
    module.setDataLayout(machine->createDataLayout());
    llvm::SmallVector<char, 0> buffer;
    llvm::raw_svector_ostream stream(buffer);
    llvm::legacy::PassManager passes;
    llvm::MCContext* context = nullptr;
    if (machine->addPassesToEmitMC(passes, context, stream, true))
        throw std::runtime_error("the code generator emits no objects");
    passes.run(module);
    return std::string(buffer.data(), buffer.size());
}

template <class T>
T orThrow(llvm::Expected<T> value, const char* what) {
    if (!value) throw std::runtime_error(std::string(what) + ": " + llvm::toString(value.takeError()));
    return std::move(*value);
}
void orThrow(llvm::Error error, const char* what) {
    if (error) throw std::runtime_error(std::string(what) + ": " + llvm::toString(std::move(error)));
}

struct JitData : KernelData {
    using KernelData::KernelData;
    std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// The C library's functions, by address: the ones that the interpreter calls.
llvm::orc::SymbolMap librarySymbols(llvm::orc::LLJIT& jit) {
    llvm::orc::SymbolMap map;
    const auto add = [&](const char* name, auto* function) {
        map[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    using One = double (*)(double);
    using Two = double (*)(double, double);
    using Three = double (*)(double, double, double);
    add("tan", static_cast<One>(std::tan));
    add("asin", static_cast<One>(std::asin));
    add("acos", static_cast<One>(std::acos));
    add("exp", static_cast<One>(std::exp));
    add("log", static_cast<One>(std::log));
    add("pow", static_cast<Two>(std::pow));
    add("atan2", static_cast<Two>(std::atan2));
    add("fmod", static_cast<Two>(std::fmod));
    add("fma", static_cast<Three>(std::fma));
    return map;
}

/// Entries in so many shares of about equal work.
std::vector<std::vector<int>> shares(const Program& program, int parts) {
    const auto& shapes = entryShapes();
    std::vector<std::pair<std::int64_t, int>> work;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        std::int64_t size = 1;
        for (const ProgramEntry& entry : program.entries)
            if (entry.name == shapes[k].name) size += entry.count.instructions;
        work.emplace_back(size, static_cast<int>(k));
    }
    std::sort(work.begin(), work.end(), [](const auto& x, const auto& y) {
        return x.first != y.first ? x.first > y.first : x.second < y.second;
    });
    std::vector<std::vector<int>> out(static_cast<std::size_t>(parts));
    std::vector<std::int64_t> load(out.size(), 0);
    for (const auto& [size, entry] : work) {
        const auto least = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
        out[least].push_back(entry);
        load[least] += size;
    }
    for (auto& share : out) std::sort(share.begin(), share.end());
    return out;
}

}  // namespace

Kernel compileKernel(const Program& program, const Model& model, Tier tier, const std::filesystem::path& cache,
                     const Progress& progress, CompileTimes* times) {
    CompileTimes spent;
    auto data = std::make_shared<JitData>(program, model);
    progress.at(0);
    const Host& h = host();
    const Layout layout = layoutOf(model);
    std::int64_t size = 0;
    for (const ProgramEntry& entry : program.entries) size += entry.count.instructions;
    // Each share costs some milliseconds of its own; many let a long compilation be cancelled.
    const int parts = size > 8000 ? static_cast<int>(entryShapes().size()) : tier == Tier::optimised ? 2 : 1;
    const std::vector<std::vector<int>> split = shares(program, parts);

    std::vector<std::string> objects(split.size());
    std::vector<Hash> keys;
    bool all = true;
    for (std::size_t k = 0; k < split.size(); ++k) {
        Hasher hasher;
        hasher.add(program.hash()).add(h.triple).add(h.cpu).add(h.features).add(LLVM_VERSION_STRING);
        hasher.add(static_cast<std::int64_t>(tier))
            .add(static_cast<std::int64_t>(parts))
            .add(static_cast<std::int64_t>(k));
        hasher.add(std::int64_t{zeroSize(layout)});
        keys.push_back(hasher.finish());
        if (auto object = readObject(cache, keys[k])) objects[k] = std::move(*object);
        else all = false;
    }
    spent.cached = all;
    if (!all) {
        // Two threads take one share after the other; a cancelled job stops at the next share.
        const auto start = Clock::now();
        std::atomic<std::size_t> next{0}, done{0};
        std::exception_ptr failures[2];
        const auto work = [&](int thread) {
            try {
                for (std::size_t k = next++; k < split.size(); k = next++) {
                    Progress{{}, progress.cancel}.at(0);
                    if (objects[k].empty()) {
                        const auto writing = Clock::now();
                        llvm::LLVMContext context;
                        const auto module =
                            writeLlvm(context, program, layout, split[k], tier == Tier::fast ? 1 : h.lanes);
                        if (k == 0) spent.write = since(writing);
                        objects[k] = emitObject(*module, tier);
                    }
                    ++done;
                    if (thread == 0) progress.at(0.8 * static_cast<double>(done) / static_cast<double>(split.size()));
                }
            } catch (...) {
                failures[thread] = std::current_exception();
                next = split.size();
            }
        };
        std::thread second;
        if (split.size() > 1) second = std::thread(work, 1);
        work(0);
        if (second.joinable()) second.join();
        for (const std::exception_ptr& failure : failures)
            if (failure) std::rethrow_exception(failure);
        spent.compile = since(start) - spent.write;
        for (std::size_t k = 0; k < split.size(); ++k) writeObject(cache, keys[k], objects[k]);
    }
    progress.at(0.8);

    const auto start = Clock::now();
    llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(h.triple)};
    builder.setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
    data->jit = orThrow(llvm::orc::LLJITBuilder()
                            .setJITTargetMachineBuilder(std::move(builder))
                            .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                            .setLinkProcessSymbolsByDefault(false)
                            .create(),
                        "machine code cannot be loaded");
    llvm::orc::JITDylib& library = data->jit->getMainJITDylib();
    orThrow(library.define(llvm::orc::absoluteSymbols(librarySymbols(*data->jit))), "library functions");
    for (const std::string& object : objects)
        orThrow(data->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, "program")), "machine code");
    const auto look = [&](auto& pointer, const char* name) {
        using Pointer = std::remove_reference_t<decltype(pointer)>;
        pointer = orThrow(data->jit->lookup(name), name).template toPtr<Pointer>();
    };
    mw_kernel& c = data->c;
    look(c.fwd_dyn, "fwd_dyn");
    look(c.factor, "factor");
    look(c.apply_inverse_mass, "apply_inverse_mass");
    look(c.kinematics, "kinematics");
    look(c.observe, "observe");
    look(c.mass_matrix, "mass_matrix");
    look(c.bias, "bias");
    look(c.loop_jacobian, "loop_jacobian");
    spent.link = since(start);
    progress.at(1);
    if (times != nullptr) *times = spent;
    Kernel kernel;
    kernel.c = &data->c;
    kernel.maker = tier == Tier::fast ? "jit fast" : "jit optimised";
    kernel.keeps_alive = std::move(data);
    return kernel;
}

}  // namespace mw::gen
