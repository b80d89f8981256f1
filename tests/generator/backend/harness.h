// Runs one program through every back end and compares bits.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"
#include "engine/model/model.h"
#include "generator/generate.h"

namespace mw::test {

/// Interpreter, C through every C compiler that is here, both tiers.
std::vector<Kernel> everyBackEnd(const std::shared_ptr<const gen::Program>& program, const Model& model);

/// The same number to the bit; every NaN counts as the same.
bool sameBits(double a, double b);

/// One set of arguments of all entries.
struct Inputs {
    std::vector<double> q, v, tau, fext, act, param, rhs;
    int nrhs = 3;
    bool null_forces = false;
};
Inputs randomInputs(const mw_kernel& kernel, std::mt19937_64& random, bool wild);

/// All outputs of all entries, one after the other (vdot, lambda, out, X, V, obs, M, c, K), and the program's part of
/// work.
std::vector<double> runAll(const Kernel& kernel, const Inputs& inputs, int program_work);

/// Checks that all back ends agree on so many random inputs, a part of them with NaN, infinities, zeros of both signs
/// and tiny and huge numbers.
void compareBackEnds(const std::shared_ptr<const gen::Program>& program, const Model& model, int trials, unsigned seed);

/// A model without meaning that has room for nq = 20, nv = 18, nbody = 8 (two floating bodies and six hinges), two
/// inputs.
Model roomyModel();

}  // namespace mw::test
