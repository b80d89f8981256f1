// How often the registers of a function are read, and which library calls need to happen only when they are chosen.
#pragma once

#include <vector>

#include "generator/program/program.h"

namespace mw::gen {

struct RegisterUses {
    std::vector<int> count;  ///< reads of each register
    std::vector<const Instruction*>
        defined_by;          ///< per register, null for parameters, carried registers and results of calls
    std::vector<char> lazy;  ///< the register is a library call that is read once, by an arm of a select of the same
                             ///< block: the call has no effects, so a back end makes it only when that arm is chosen
};
RegisterUses registerUses(const Function& function);

}  // namespace mw::gen
