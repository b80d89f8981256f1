// A kernel that is right but for one deliberate fault, to see which gate hears it. One at a time: the C interface has
// no place for a closure, so the fault in force is global.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"

namespace mw::test {

struct Fault {
    std::function<void(const double* q, const double* v, const double* tau, const double* fext, const double* act,
                       double* vdot)>
        after_fwd_dyn;
    std::function<void(const double* q, const double* v, double* vdot, double* lambda)> after_loops;
    std::function<void(double* K)> after_loop_jacobian;
    std::function<void(const double* q, double* X, double* V)> after_kinematics;
    std::function<void(double* obs)> after_observe;
    std::function<void(double* M)> after_mass_matrix;
    std::function<void(double* c)> after_bias;
    std::function<void(int nrhs, double* out)> after_apply;
    std::function<int(const char* kind, const char* name, int slot)> find;
};

/// Faults, each in a mechanism and with the gates that must hear it.
struct FaultCases {
    struct Case {
        const char* what;
        Model model;
        Fault fault;
        std::vector<std::string> gates;
    };
    std::vector<Case> all;
    /// A case whose fault is yet to be filled in.
    Fault& operator()(const char* what, Model model, std::vector<std::string> gates) {
        all.push_back({what, std::move(model), {}, std::move(gates)});
        return all.back().fault;
    }
};

namespace faulty {
inline Kernel good;
inline Fault fault;

inline void initWork(const mw_kernel*, double* work) { good->init_work(good.c, work); }
inline void fwdDyn(const double* q, const double* v, const double* tau, const double* fext, const double* act,
                   const double* param, double* work, double* vdot, double* lambda) {
    good->fwd_dyn(q, v, tau, fext, act, param, work, vdot, lambda);
    if (fault.after_fwd_dyn) fault.after_fwd_dyn(q, v, tau, fext, act, vdot);
    if (fault.after_loops) fault.after_loops(q, v, vdot, lambda);
}
inline void loopJacobian(const double* q, const double* param, double* work, double* K) {
    good->loop_jacobian(q, param, work, K);
    if (fault.after_loop_jacobian) fault.after_loop_jacobian(K);
}
inline void applyInverseMass(double* work, const double* rhs, int nrhs, double* out) {
    good->apply_inverse_mass(work, rhs, nrhs, out);
    if (fault.after_apply) fault.after_apply(nrhs, out);
}
inline void kinematics(const double* q, const double* v, const double* param, double* work, double* X, double* V) {
    good->kinematics(q, v, param, work, X, V);
    if (fault.after_kinematics) fault.after_kinematics(q, X, V);
}
inline void observe(const double* q, const double* v, const double* param, double* work, double* obs) {
    good->observe(q, v, param, work, obs);
    if (fault.after_observe) fault.after_observe(obs);
}
inline void massMatrix(const double* q, const double* param, double* work, double* M) {
    good->mass_matrix(q, param, work, M);
    if (fault.after_mass_matrix) fault.after_mass_matrix(M);
}
inline void bias(const double* q, const double* v, const double* param, double* work, double* c) {
    good->bias(q, v, param, work, c);
    if (fault.after_bias) fault.after_bias(c);
}
inline int find(const mw_kernel*, const char* kind, const char* name) {
    const int slot = good->find(good.c, kind, name);
    return fault.find ? fault.find(kind, name, slot) : slot;
}
}  // namespace faulty

inline Kernel faultyKernel(const Kernel& good, Fault fault) {
    faulty::good = good;
    faulty::fault = std::move(fault);
    auto c = std::make_shared<mw_kernel>(*good.c);
    c->init_work = faulty::initWork;
    c->fwd_dyn = faulty::fwdDyn;
    c->apply_inverse_mass = faulty::applyInverseMass;
    c->kinematics = faulty::kinematics;
    c->observe = faulty::observe;
    c->mass_matrix = faulty::massMatrix;
    c->bias = faulty::bias;
    c->loop_jacobian = faulty::loopJacobian;
    c->find = faulty::find;
    return {c.get(), "faulty", c};
}

}  // namespace mw::test
