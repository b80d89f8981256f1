// The program form: ordered instructions over double registers, with loops, constant tables, calls and functions of
// bounded size. Every back end (interpreter, C writer, LLVM) reads all of it and computes the same bits: each
// instruction is one IEEE operation in round-to-nearest, a fused multiply-add is an instruction of its own, sine and
// cosine are functions of the program itself, and nothing is ever reassociated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/model/model.h"
#include "generator/expr/expr.h"

namespace mw::gen {

enum class Code : std::uint8_t {
    constant,  // dst = value
    load,      // dst = array[index + stride * counter + outer * outer counter]
    store,     // the same place = a
    copy,      // dst = a
    neg,
    abs,
    sqrt,
    round,  // nearest integer, ties to even, as (a + 1.5 2^52) - 1.5 2^52; |a| < 2^51
    add,
    sub,
    mul,
    div,
    min,
    max,      // a < b ? a : b;  a > b ? a : b
    fma,      // a b + c, one rounding
    fms,      // a b - c, one rounding
    fnma,     // c - a b, one rounding
    less,     // a < b ? 1 : 0
    select,   // a != 0 ? b : c
    library,  // dst = C library function `callee` of a (and b)
    call,     // results[...] = function `callee` (arguments[...]); the callee sees the caller's loop counters
    loop      // `callee` indexes Function::loops
};

/// Functions of the C library that live numbers may use; the same symbol in every back end.
enum class Library : int { tan, asin, acos, exp, log, pow, atan2, fmod };

struct Instruction {
    Code code = Code::constant;
    int dst = -1;
    int a = -1, b = -1, c = -1;
    double value = 0;
    Place place;
    int callee = -1;                      ///< call: function; library: Library; loop: index into Function::loops
    std::vector<int> arguments, results;  ///< of call
    int body = kBase;                     ///< body of the model that the instruction belongs to (kBase: none)
    int caption = -1;  ///< into Program::captions: the step of the computation it belongs to (-1: the one before it)
};

/// `count` times (or nrhs times when count is -1) the block; `carried` registers keep their values from turn to turn:
/// `inside` is `initial` in the first turn and the last turn's `next` in the others, `result` the last `next`
/// (`initial` where there was no turn). A block may hold a loop in turn, no deeper, calls included: the counter of the
/// innermost loop around an instruction is its counter, that of the loop around it its outer counter (0 where there is
/// none).
struct Loop {
    int count = 0;
    struct Carried {
        int initial, inside, next, result;
    };
    std::vector<Carried> carried;
    std::vector<Instruction> block;
};

/// Straight-line code with loops and calls; registers are assigned once (the carried ones of a loop once a turn).
struct Function {
    std::string name;
    std::string caption;          ///< comment of the emitted code
    std::vector<int> parameters;  ///< registers that the caller fills
    std::vector<int> results;     ///< registers that the caller reads
    std::vector<Instruction> code;
    std::vector<Loop> loops;
    int nregisters = 0;
};

/// What is counted, along one run of an entry (loops by their count, nrhs as 1): one for every arithmetic instruction
/// (fused ones two), divisions and roots apart too. A call of the program's sincos counts as one `sincos`; its inside
/// enters `instructions` and the path, not the flops.
struct OperationCount {
    std::int64_t add = 0, mul = 0, fused = 0, div = 0, sqrt = 0, other = 0, sincos = 0;
    std::int64_t flops() const { return add + mul + 2 * fused + div + sqrt + other; }
    std::int64_t instructions = 0;
    int longest_path = 0;  ///< dependency chain, instructions
};

/// One entry of the kernel: the function that carries it, which calls others.
struct ProgramEntry {
    std::string name;
    int function = -1;
    OperationCount count;
};

/// Processor classes: which instructions the program may hold. Part of the kernel's hash.
enum class CpuClass { baseline, fma };
CpuClass hostCpuClass();
const char* cpuClassName(CpuClass cpu);

struct Program {
    std::string model_name;  ///< C identifier, the prefix of every symbol
    Hash model_hash;
    CpuClass cpu = CpuClass::baseline;
    std::vector<Function> functions;  ///< callees before callers
    std::vector<ProgramEntry> entries;
    std::vector<double> table;
    std::vector<std::string> captions;
    int nwork = 0;       ///< doubles of the workspace, the header of kWorkHeader included
    std::string choice;  ///< how the form was chosen, for the log and the head of the C file
    Hash hash() const;   ///< of all that decides the bits it computes
};

constexpr int kFunctionLimit = 1000;  ///< operations of a function, about
constexpr int kWorkHeader = 8;        ///< doubles at the front of `work` that belong to the implementation (init_work)
constexpr const char* kSincosName = "sincos";

/// Rank of an instruction's operands: how many of a, b, c it reads.
int operandCount(const Instruction& instruction);
/// Whether it writes `dst`.
bool hasResult(Code code);
const char* codeName(Code code);
const char* libraryName(Library function);
int libraryOperands(Library function);

/// Places of `array` that a function and its callees touch.
struct ArrayUse {
    bool read[32] = {}, written[32] = {};
    bool counter = false;  ///< reads the counter of the loop that it is called in
    bool outer = false;    ///< reads the counter of the loop around that
    bool nrhs = false;     ///< loops of nrhs turns
    bool uses(Array array) const { return read[static_cast<int>(array)] || written[static_cast<int>(array)]; }
};
/// Per function, callees included.
std::vector<ArrayUse> arrayUse(const Program& program);

/// Per function: whether an entry calls it, directly or not.
std::vector<char> reachedFunctions(const Program& program);

/// Fills `count` of every entry.
void countOperations(Program& program);

/// One instruction as a line: "r12 = fma r3 r4 r5".
std::string describe(const Program& program, const Function& function, const Instruction& instruction);
/// The whole program, for tests and logs.
std::string listing(const Program& program);

}  // namespace mw::gen
