/* The C interface that every implementation of a mechanism's dynamics fills: the dense reference, the interpreter,
 * a compiled C file and machine code from memory. Plain C, re-entrant; the caller owns every array and the workspace.
 *
 * Order of use: allocate `nwork` doubles, call init_work once, then any entry as often as wanted. One workspace serves one
 * thread at a time. Arrays must not overlap. Units SI and radians; frames and signs: docs/conventions.md.
 * tau (nv), fext (6 nbody) and act (nact) may be NULL: zero. param has nparam numbers and may be NULL when nparam is 0.
 * A body without `fext` never reads its slot. Entries that do not exist for a model are never NULL: they do nothing.
 */
#ifndef MW_KERNEL_ABI_H
#define MW_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
