// Makes the mutants. Operands are replaced by values that exist at that point, so that every mutant is a well-formed
// program.
#include "tests/engine/proof/mutants.h"

namespace mw::test {

namespace {

using gen::Code;
using gen::Instruction;

class Maker {
public:
    Maker(const gen::Program& program, std::vector<Mutant>& out) : program_(program), out_(out) {}

    void function(int f) {
        const gen::Function& function = program_.functions[f];
        at_.function = f;
        at_.loop = -1;
        std::vector<int> defined = function.parameters;
        block(function.code, defined);
        for (std::size_t l = 0; l < function.loops.size(); l++) {
            at_.loop = static_cast<int>(l);
            std::vector<int> inside;
            for (const gen::Loop::Carried& c : function.loops[l].carried) inside.push_back(c.inside);
            block(function.loops[l].block, inside);
        }
    }

private:
    void block(const std::vector<Instruction>& code, std::vector<int>& defined) {
        for (std::size_t i = 0; i < code.size(); i++) {
            at_.index = static_cast<int>(i);
            instruction(code[i], defined);
            if (gen::hasResult(code[i].code)) defined.push_back(code[i].dst);
            for (const int r : code[i].results) defined.push_back(r);
        }
    }

    void add(const char* what, Instruction replacement) {
        Mutant m = at_;
        m.what = what;
        m.replacement = std::move(replacement);
        out_.push_back(std::move(m));
    }
    void become(const char* what, const Instruction& from, Code code, int a, int b = -1, int c = -1) {
        Instruction i = from;
        i.code = code;
        i.a = a;
        i.b = b;
        i.c = c;
        add(what, i);
    }

    void instruction(const Instruction& i, const std::vector<int>& defined) {
        switch (i.code) {
            case Code::constant:
                constant(i, i.value == 0 ? 1 : -i.value);
                constant(i, i.value == 0 ? -1 : 1.5 * i.value);
                break;
            case Code::load: place(i); break;
            case Code::store: {
                place(i);
                Mutant m = at_;
                m.what = "dropped term";
                m.dropped = true;
                out_.push_back(m);
                break;
            }
            case Code::neg: become("sign", i, Code::copy, i.a); break;
            case Code::abs:
                become("sign", i, Code::copy, i.a);
                become("sign", i, Code::neg, i.a);
                break;
            case Code::add:
                become("sign", i, Code::sub, i.a, i.b);
                become("dropped term", i, Code::copy, i.a);
                become("dropped term", i, Code::copy, i.b);
                break;
            case Code::sub:
                become("sign", i, Code::add, i.a, i.b);
                become("sign", i, Code::sub, i.b, i.a);
                become("dropped term", i, Code::copy, i.a);
                become("dropped term", i, Code::neg, i.b);
                break;
            case Code::mul:
                become("dropped term", i, Code::copy, i.a);
                if (i.b != i.a) become("dropped term", i, Code::copy, i.b);
                break;
            case Code::div:
                if (i.a != i.b) become("operand", i, Code::div, i.b, i.a);
                become("dropped term", i, Code::copy, i.a);
                break;
            case Code::fma:
                become("sign", i, Code::fms, i.a, i.b, i.c);
                become("sign", i, Code::fnma, i.a, i.b, i.c);
                fusedDrops(i);
                break;
            case Code::fms:
                become("sign", i, Code::fma, i.a, i.b, i.c);
                become("sign", i, Code::fnma, i.a, i.b, i.c);
                fusedDrops(i);
                break;
            case Code::fnma:
                become("sign", i, Code::fma, i.a, i.b, i.c);
                become("sign", i, Code::fms, i.a, i.b, i.c);
                fusedDrops(i);
                break;
            case Code::min: become("sign", i, Code::max, i.a, i.b); break;
            case Code::max: become("sign", i, Code::min, i.a, i.b); break;
            case Code::less: become("operand", i, Code::less, i.b, i.a); break;
            case Code::select: become("operand", i, Code::select, i.a, i.c, i.b); break;
            case Code::sqrt:
            case Code::round: become("dropped term", i, Code::copy, i.a); break;
            case Code::copy:
            case Code::library:
            case Code::call:
            case Code::loop: break;
        }
        operands(i, defined);
    }

    void constant(const Instruction& from, double value) {
        Instruction i = from;
        i.value = value;
        add("constant", i);
    }

    /// The number beside it (the one before, at the end of the array's used part).
    void place(const Instruction& from) {
        Instruction i = from;
        i.place.index += i.place.index > 0 ? -1 : 1;
        add("operand", i);
    }

    void fusedDrops(const Instruction& i) {
        become("dropped term", i, Code::mul, i.a, i.b);
        become("dropped term", i, Code::copy, i.c);
    }

    /// Every operand replaced by the latest value that is no operand already.
    void operands(const Instruction& from, const std::vector<int>& defined) {
        const int n = gen::operandCount(from);
        int other = -1;
        for (auto it = defined.rbegin(); it != defined.rend() && other < 0; ++it)
            if (*it != from.a && *it != from.b && *it != from.c) other = *it;
        if (other < 0) return;
        for (int k = 0; k < n; k++) {
            Instruction i = from;
            (k == 0 ? i.a : k == 1 ? i.b : i.c) = other;
            add("operand", i);
        }
    }

    const gen::Program& program_;
    std::vector<Mutant>& out_;
    Mutant at_;
};

}  // namespace

std::vector<Mutant> mutantsOf(const gen::Program& program) {
    std::vector<Mutant> mutants;
    const std::vector<char> reached = gen::reachedFunctions(program);
    Maker maker(program, mutants);
    for (std::size_t f = 0; f < program.functions.size(); f++)
        if (reached[f]) maker.function(static_cast<int>(f));
    return mutants;
}

std::vector<gen::Instruction>& codeOf(gen::Program& program, const Mutant& mutant) {
    gen::Function& function = program.functions[mutant.function];
    return mutant.loop < 0 ? function.code : function.loops[mutant.loop].block;
}

Mutated::Mutated(gen::Program& program, const Mutant& mutant) : program_(program), mutant_(mutant) {
    std::vector<gen::Instruction>& code = codeOf(program, mutant);
    original_ = code[mutant.index];
    if (mutant.dropped) code.erase(code.begin() + mutant.index);
    else code[mutant.index] = mutant.replacement;
}

Mutated::~Mutated() {
    std::vector<gen::Instruction>& code = codeOf(program_, mutant_);
    if (mutant_.dropped) code.insert(code.begin() + mutant_.index, original_);
    else code[mutant_.index] = original_;
}

}  // namespace mw::test
