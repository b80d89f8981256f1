// Fixed passages of the generated C file.
#pragma once

namespace mw::gen {

/// How to use the file and what its numbers mean; formatted with {name} and {nwork}.
inline constexpr const char* kUsage =
    R"( * Use: compile this file with any C11 compiler (-std=c11; never -ffast-math). For its declarations alone, define
 * {name}_DECLARATIONS_ONLY and include it. Allocate {name}_nwork = {nwork} doubles of work per thread, call
 * {name}_init_work(0, work) once, then any function as often as wanted; or go through the struct of {name}_kernel().
 *
 * Conventions: SI and radians; base axes are right-handed. q and v hold the joints' coordinates and velocities in the order
 * of the bodies, v = dq/dt; a quaternion is unit, w x y z, with the angular velocity in body axes. tau is the generalised
 * force on v; fext holds per body the moment about the base origin and the force, base axes; act are the inputs of elements;
 * param the live parameters. tau, fext and act may be NULL: zero. Arrays must not overlap.
 * {name}_find(0, kind, name) gives the slot of a name (body q v poi tsda rsda act param), -1 when unknown.
)";

/// One rounding per operation, whatever the compiler would like.
inline constexpr const char* kPragmas = R"(#if defined(__FAST_MATH__)
#error "compile without -ffast-math: the results would differ from the proven ones"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
/* Contraction off is not enough for GCC 12: its vectorisers fuse products with alternating sums. */
#pragma GCC optimize("fp-contract=off", "no-tree-slp-vectorize", "no-tree-loop-vectorize")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif
#include <math.h>
#include <string.h>

)";

/// The negative of a fused result; formatted with {name}.
inline constexpr const char* kNegated =
    R"(/* -x by its sign bit: a compiler that sees -(a b + c) may make it -a b - c, which has another zero. */
static inline double {name}_negated(double x) {{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= UINT64_C(1) << 63;
    memcpy(&x, &bits, sizeof bits);
    return x;
}}
)";

/// The kernel's interface, the same as in engine/kernel/kernel_abi.h (a test compares the two).
inline constexpr const char* kKernelStruct = R"(#ifndef MW_KERNEL_ABI_H
#define MW_KERNEL_ABI_H
#define MW_KERNEL_ABI_VERSION 1u
typedef struct mw_kernel {
    uint32_t abi_version;      /* MW_KERNEL_ABI_VERSION */
    uint64_t model_hash[2];    /* dynamicsHash of the model: code of another model is refused */
    uint64_t kernel_hash[2];   /* of the code itself: model, generator version, form, CPU class */
    int nq, nv, nc, nbody, nact, nparam, nloop, nobs, nwork;
    const void *context;       /* of implementations that are data (reference, interpreter); NULL in compiled code */

    /* Prepares a fresh workspace of nwork doubles. */
    void (*init_work)(const struct mw_kernel *self, double *work);

    /* Accelerations vdot (nv) and loop multipliers lambda (nc); elements, joint damping and loops included. */
    void (*fwd_dyn)(const double *q, const double *v, const double *tau, const double *fext, const double *act,
                    const double *param, double *work, double *vdot, double *lambda);

    /* Factorises M(q) into work, for apply_inverse_mass with the same work. */
    void (*factor)(const double *q, const double *param, double *work);

    /* out = M^-1 rhs (with the loops' projection); nrhs vectors of nv numbers one after the other. Needs factor first. */
    void (*apply_inverse_mass)(double *work, const double *rhs, int nrhs, double *out);

    /* Per body 12 numbers in X (R row by row, body to base; then the origin) and 6 in V (angular; linear of the origin), base axes. */
    void (*kinematics)(const double *q, const double *v, const double *param, double *work, double *X, double *V);

    /* nobs numbers: points of interest 6 (position, velocity), tsda 2 (length, rate), rsda 2 (coordinate, rate), in declared order. */
    void (*observe)(const double *q, const double *v, const double *param, double *work, double *obs);

    /* M, nv x nv, both triangles; joint armature on the diagonal. */
    void (*mass_matrix)(const double *q, const double *param, double *work, double *M);

    /* c(q, v): Coriolis, centrifugal and gravity of the tree, without elements, damping, fext: M vdot + c = tau + ... */
    void (*bias)(const double *q, const double *v, const double *param, double *work, double *c);

    /* K, nc x nv row by row. */
    void (*loop_jacobian)(const double *q, const double *param, double *work, double *K);

    /* Slot of a name (kinds: body q v poi tsda rsda act param loop), -1 when unknown. */
    int (*find)(const struct mw_kernel *self, const char *kind, const char *name);
} mw_kernel;
#endif

)";

}  // namespace mw::gen
