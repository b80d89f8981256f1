// Sizes and identity of a kernel, filled in one way by everybody who makes one.
#pragma once

#include "engine/base/hash.h"
#include "engine/kernel/kernel_abi.h"

namespace mw {

struct KernelSizes {
    int nq = 0, nv = 0, nc = 0, nbody = 0, nact = 0, nparam = 0, nloop = 0, nobs = 0, nwork = 0;
};

/// The sizes that a layout of coordinates knows (engine/model/layout.h; this room does not see it), and the workspace.
template <class AnyLayout>
KernelSizes sizesOf(const AnyLayout& layout, int nwork) {
    return {layout.nq,     layout.nv,    layout.nc,   layout.nbody, layout.nact,
            layout.nparam, layout.nloop, layout.nobs, nwork};
}

/// ABI version, both hashes and the sizes. Context and entries stay as they are.
void describeKernel(mw_kernel& kernel, const KernelSizes& sizes, const Hash& model, const Hash& code);

}  // namespace mw
