// Every single-instruction mutant of a generated program: a sign, an operand, a constant, a dropped term.
#pragma once

#include <string>
#include <vector>

#include "generator/program/program.h"

namespace mw::test {

struct Mutant {
    int function = 0;
    int loop = -1;                 ///< in the block of this loop; -1: in the function's own code
    int index = 0;                 ///< of the instruction
    bool dropped = false;          ///< the instruction is taken out
    gen::Instruction replacement;  ///< else put in its place
    std::string what;              ///< "sign", "operand", "constant", "dropped term"
};

std::vector<Mutant> mutantsOf(const gen::Program& program);

/// The instruction's place in a program.
std::vector<gen::Instruction>& codeOf(gen::Program& program, const Mutant& mutant);

/// Puts a mutant into a program for as long as it lives.
class Mutated {
public:
    Mutated(gen::Program& program, const Mutant& mutant);
    ~Mutated();
    Mutated(const Mutated&) = delete;
    Mutated& operator=(const Mutated&) = delete;

private:
    gen::Program& program_;
    const Mutant& mutant_;
    gen::Instruction original_;
};

}  // namespace mw::test
