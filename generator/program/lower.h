// From equations to instructions: what is needed, in an order that keeps few values alive, in functions of bounded
// size.
#pragma once

#include "generator/derive/equations.h"
#include "generator/program/program.h"

namespace mw::gen {

struct LowerOptions {
    CpuClass cpu = CpuClass::baseline;
    int function_limit = kFunctionLimit;
    bool sines_apart = true;  ///< sines_apart.h: the same bits, in less time
};

/// Lowers equations. `name` becomes Program::model_name and must be a C identifier.
///
/// Meaning of sections: see Section. In a turn a value is made in the outermost block where it does not change: before
/// all loops what neither moves with a counter nor reads what the loops around it write, before the inner loop what
/// changes with the outer counter alone. A `local` is a register: assigned in a loop, it passes from turn to turn and
/// out of the loop; read before it has a value (in the first turn, or behind a loop that may have had no turn), it is a
/// std::logic_error, as are three loops one in another. `work` of the equations lies behind the header of kWorkHeader
/// doubles, the values that pass between functions behind it.
Program lower(const Equations& equations, const std::string& name, const Hash& model_hash, const LowerOptions& options);

}  // namespace mw::gen
