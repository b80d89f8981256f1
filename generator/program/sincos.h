// The program's own sine and cosine: one routine in program instructions, so that every back end computes the same
// bits.
#pragma once

#include "generator/program/program.h"

namespace mw::gen {

/// A function of one parameter with the results sine and cosine. Error below 1 ulp for |x| <= 1e8 (test_program
/// measures it); beyond, the argument is first brought near by the remainder of a multiple of 2 pi. Not a number and
/// infinities give NaN.
Function makeSincos(CpuClass cpu);

}  // namespace mw::gen
