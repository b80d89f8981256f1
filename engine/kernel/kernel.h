// A kernel as the rest of the program holds it: the C struct, who made it, and what keeps its code alive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/kernel/kernel_abi.h"

namespace mw {

/// Shared, immutable. The machine code or data behind the pointers lives as long as one copy does.
struct Kernel {
    const mw_kernel* c = nullptr;
    std::string maker;                        ///< "reference", "interpreter", "c", "jit fast", "jit optimised"
    std::shared_ptr<const void> keeps_alive;  ///< owner of the struct and of its code

    explicit operator bool() const { return c != nullptr; }
    const mw_kernel* operator->() const { return c; }
    Hash modelHash() const { return {c->model_hash[0], c->model_hash[1]}; }
    Hash kernelHash() const { return {c->kernel_hash[0], c->kernel_hash[1]}; }
};

/// A prepared workspace for one thread.
inline std::vector<double> makeWork(const Kernel& kernel) {
    std::vector<double> work(static_cast<std::size_t>(kernel->nwork) + 1, 0.0);
    kernel->init_work(kernel.c, work.data());
    return work;
}

}  // namespace mw
