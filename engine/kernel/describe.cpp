// Fills the plain numbers of a kernel's struct.
#include "engine/kernel/describe.h"

namespace mw {

void describeKernel(mw_kernel& kernel, const KernelSizes& sizes, const Hash& model, const Hash& code) {
    kernel.abi_version = MW_KERNEL_ABI_VERSION;
    kernel.model_hash[0] = model.high;
    kernel.model_hash[1] = model.low;
    kernel.kernel_hash[0] = code.high;
    kernel.kernel_hash[1] = code.low;
    kernel.nq = sizes.nq;
    kernel.nv = sizes.nv;
    kernel.nc = sizes.nc;
    kernel.nbody = sizes.nbody;
    kernel.nact = sizes.nact;
    kernel.nparam = sizes.nparam;
    kernel.nloop = sizes.nloop;
    kernel.nobs = sizes.nobs;
    kernel.nwork = sizes.nwork;
}

}  // namespace mw
