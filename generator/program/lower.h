// From equations to instructions: what is needed, in an order that keeps few values alive, in functions of bounded
// size.
#pragma once

#include "generator/derive/equations.h"
#include "generator/program/program.h"

namespace mw::gen {

struct LowerOptions {
    CpuClass cpu = CpuClass::baseline;
    int function_limit = kFunctionLimit;
};

/// Lowers equations. `name` becomes Program::model_name and must be a C identifier.
///
/// Meaning of sections: assignments happen in order; an input of an array that the entry also writes (`work`) is the
/// value at that moment. In a repeated section a strided place moves with the turn; everything that neither strides nor
/// reads what the section writes is computed once, before the loop. `work` of the equations lies behind the header of
/// kWorkHeader doubles, the values that pass between functions behind it.
Program lower(const Equations& equations, const std::string& name, const Hash& model_hash, const LowerOptions& options);

}  // namespace mw::gen
