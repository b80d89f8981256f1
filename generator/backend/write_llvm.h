// The program as LLVM IR: folded already, nothing left for the optimiser to reassociate or contract.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/layout.h"
#include "generator/program/program.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace mw::gen {

/// A module with the given entries (indices into entryShapes(); an entry that the program lacks does nothing) under
/// their plain names, external; everything else is internal. `lanes`: calls of sincos that stand together are done side
/// by side in vectors of so many numbers, lane by lane with the same operations and bits (1: one after the other).
std::unique_ptr<llvm::Module> writeLlvm(llvm::LLVMContext& context, const Program& program, const Layout& layout,
                                        const std::vector<int>& entries, int lanes);

}  // namespace mw::gen
