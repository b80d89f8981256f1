// What all kernels made from a program share: the shapes of the entries, sizes, hashes and the table of names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "generator/program/program.h"
#include "generator/program/verify.h"

namespace mw::gen {

/// The arrays of an entry of the kernel in the order of its C parameters; `nrhs` follows `rhs`.
struct EntryShape {
    const char* name;
    std::vector<Array> arrays;
    bool nrhs() const;
};
const std::vector<EntryShape>& entryShapes();

/// Whether a kernel entry may be given NULL for it.
bool mayBeNull(Array array);
/// Whether kernel entries write it.
bool isOutput(Array array);

/// Sizes of the kernel's arrays for a model (of rhs and out per right-hand side).
ArraySizes arraySizes(const Layout& layout, int nc, int nwork);
/// Numbers that a zero array needs to stand for any NULL.
int zeroSize(const Layout& layout);

/// The named things of a model with their slots, kind after kind.
struct NamedSlot {
    const char* kind;
    std::string name;
    int slot;
};
std::vector<NamedSlot> namedSlots(const Model& model, const Layout& layout);

/// The struct behind Kernel::c with its name table. Derived classes own the code.
struct KernelData {
    KernelData(const Program& program, const Model& model);
    virtual ~KernelData() = default;
    KernelData(const KernelData&) = delete;
    KernelData& operator=(const KernelData&) = delete;

    mw_kernel c{};
    std::vector<NamedSlot> names;
    std::vector<double> zero;  ///< stands for arrays given as NULL
};

}  // namespace mw::gen
