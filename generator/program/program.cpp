// Facts about programs: names and ranks of instructions, the arrays a function touches, and the hash of what decides
// the bits.
#include "generator/program/program.h"

#include <array>
#include <bit>
#include <fmt/format.h>

namespace mw::gen {

namespace {

// Bump when lowering or a back end changes what the same instructions compute.
constexpr std::int64_t kProgramVersion = 2;

constexpr std::array kCodeNames{"constant", "load", "store",  "copy",    "neg",  "abs", "sqrt", "round",
                                "add",      "sub",  "mul",    "div",     "min",  "max", "fma",  "fms",
                                "fnma",     "less", "select", "library", "call", "loop"};
constexpr std::array kLibraryNames{"tan", "asin", "acos", "exp", "log", "pow", "atan2", "fmod"};

/// Numbers gathered to be hashed in one go.
class Words {
public:
    void add(std::int64_t word) { words_.push_back(word); }
    void pair(int high, int low) {
        words_.push_back(static_cast<std::int64_t>(
            (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32) | static_cast<std::uint32_t>(low)));
    }
    void list(const std::vector<int>& values) {
        add(static_cast<std::int64_t>(values.size()));
        for (int value : values) add(value);
    }
    void block(const std::vector<Instruction>& code) {
        add(static_cast<std::int64_t>(code.size()));
        for (const Instruction& i : code) {
            pair(static_cast<int>(i.code), i.dst);
            pair(i.a, i.b);
            pair(i.c, i.callee);
            if (i.code == Code::constant) add(std::bit_cast<std::int64_t>(i.value));
            if (i.code == Code::load || i.code == Code::store) {
                pair(static_cast<int>(i.place.array), i.place.index);
                pair(i.place.stride, i.place.outer);
            }
            if (i.code == Code::call) {
                list(i.arguments);
                list(i.results);
            }
        }
    }
    Hash finish() const { return hashBytes(words_.data(), words_.size() * sizeof(std::int64_t)); }

private:
    std::vector<std::int64_t> words_;
};

/// `depth`: loops of this function around the block.
void useOf(const Program& program, const Function& function, const std::vector<Instruction>& block, int depth,
           const std::vector<ArrayUse>& known, ArrayUse& use) {
    const auto counters = [&](bool own, bool around) {
        use.counter |= (own && depth == 0) || (around && depth == 1);
        use.outer |= around && depth == 0;
    };
    for (const Instruction& i : block) {
        switch (i.code) {
            case Code::load:
            case Code::store:
                (i.code == Code::load ? use.read : use.written)[static_cast<int>(i.place.array)] = true;
                counters(i.place.stride != 0, i.place.outer != 0);
                break;
            case Code::call: {
                const ArrayUse& callee = known[static_cast<std::size_t>(i.callee)];
                for (int k = 0; k < 32; ++k) {
                    use.read[k] |= callee.read[k];
                    use.written[k] |= callee.written[k];
                }
                counters(callee.counter, callee.outer);
                use.nrhs |= callee.nrhs;
                break;
            }
            case Code::loop: {
                const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
                if (loop.count < 0) use.nrhs = true;
                useOf(program, function, loop.block, depth + 1, known, use);
                break;
            }
            default: break;
        }
    }
}

}  // namespace

const char* cpuClassName(CpuClass cpu) { return cpu == CpuClass::fma ? "fma" : "baseline"; }

CpuClass hostCpuClass() {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? CpuClass::fma : CpuClass::baseline;
#elif defined(__aarch64__)
    return CpuClass::fma;
#else
    return CpuClass::baseline;
#endif
}

const char* codeName(Code code) { return kCodeNames[static_cast<std::size_t>(code)]; }
const char* libraryName(Library function) { return kLibraryNames[static_cast<std::size_t>(function)]; }

int libraryOperands(Library function) {
    return function == Library::pow || function == Library::atan2 || function == Library::fmod ? 2 : 1;
}

int operandCount(const Instruction& i) {
    switch (i.code) {
        case Code::constant:
        case Code::load:
        case Code::call:
        case Code::loop: return 0;
        case Code::store:
        case Code::copy:
        case Code::neg:
        case Code::abs:
        case Code::sqrt:
        case Code::round: return 1;
        case Code::add:
        case Code::sub:
        case Code::mul:
        case Code::div:
        case Code::min:
        case Code::max:
        case Code::less: return 2;
        case Code::fma:
        case Code::fms:
        case Code::fnma:
        case Code::select: return 3;
        case Code::library: return libraryOperands(static_cast<Library>(i.callee));
    }
    return 0;
}

bool hasResult(Code code) { return code != Code::store && code != Code::call && code != Code::loop; }

std::vector<ArrayUse> arrayUse(const Program& program) {
    std::vector<ArrayUse> uses(program.functions.size());
    for (std::size_t f = 0; f < program.functions.size(); ++f)
        useOf(program, program.functions[f], program.functions[f].code, 0, uses, uses[f]);
    return uses;
}

std::vector<char> reachedFunctions(const Program& program) {
    std::vector<char> reached(program.functions.size(), 0);
    for (const ProgramEntry& entry : program.entries) reached[static_cast<std::size_t>(entry.function)] = 1;
    const auto mark = [&](const std::vector<Instruction>& block) {
        for (const Instruction& i : block)
            if (i.code == Code::call) reached[static_cast<std::size_t>(i.callee)] = 1;
    };
    for (std::size_t f = program.functions.size(); f-- > 0;) {
        if (!reached[f]) continue;
        mark(program.functions[f].code);
        for (const Loop& loop : program.functions[f].loops) mark(loop.block);
    }
    return reached;
}

Hash Program::hash() const {
    Hasher hasher;
    hasher.add(kProgramVersion).add(model_hash).add(static_cast<std::int64_t>(cpu)).add(std::int64_t{nwork});
    hasher.add(std::span<const double>(table));
    Words words;
    words.add(static_cast<std::int64_t>(functions.size()));
    for (const Function& function : functions) {
        words.list(function.parameters);
        words.list(function.results);
        words.block(function.code);
        words.add(static_cast<std::int64_t>(function.loops.size()));
        for (const Loop& loop : function.loops) {
            words.pair(loop.count, static_cast<int>(loop.carried.size()));
            for (const Loop::Carried& c : loop.carried) {
                words.pair(c.initial, c.inside);
                words.pair(c.next, c.result);
            }
            words.block(loop.block);
        }
    }
    hasher.add(words.finish());
    for (const ProgramEntry& entry : entries) hasher.add(entry.name).add(std::int64_t{entry.function});
    return hasher.finish();
}

std::string describe(const Program& program, const Function& function, const Instruction& i) {
    const auto place = [&] {
        std::string text = fmt::format("{}[{}", arrayName(i.place.array), i.place.index);
        if (i.place.stride != 0) text += fmt::format(" + {} turn", i.place.stride);
        if (i.place.outer != 0) text += fmt::format(" + {} outer turn", i.place.outer);
        return text + "]";
    };
    const auto list = [](const std::vector<int>& registers) {
        std::string text;
        for (int r : registers) text += fmt::format("{}r{}", text.empty() ? "" : " ", r);
        return text;
    };
    switch (i.code) {
        case Code::constant: return fmt::format("r{} = {}", i.dst, i.value);
        case Code::load: return fmt::format("r{} = {}", i.dst, place());
        case Code::store: return fmt::format("{} = r{}", place(), i.a);
        case Code::call:
            return fmt::format("{} = call {} ({})", list(i.results),
                               program.functions[static_cast<std::size_t>(i.callee)].name, list(i.arguments));
        case Code::loop: {
            const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
            std::string text = loop.count < 0 ? "loop nrhs" : fmt::format("loop {}", loop.count);
            for (const Loop::Carried& c : loop.carried)
                text += fmt::format(" (r{} -> r{}, r{} -> r{})", c.initial, c.inside, c.next, c.result);
            return text;
        }
        case Code::library: {
            std::string text = fmt::format("r{} = {} r{}", i.dst, libraryName(static_cast<Library>(i.callee)), i.a);
            if (operandCount(i) > 1) text += fmt::format(" r{}", i.b);
            return text;
        }
        default: break;
    }
    std::string text = fmt::format("r{} = {} r{}", i.dst, codeName(i.code), i.a);
    if (operandCount(i) > 1) text += fmt::format(" r{}", i.b);
    if (operandCount(i) > 2) text += fmt::format(" r{}", i.c);
    return text;
}

namespace {
void listBlock(const Program& program, const Function& function, const std::vector<Instruction>& block, int depth,
               std::string& out) {
    for (const Instruction& i : block) {
        out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + describe(program, function, i) + "\n";
        if (i.code == Code::loop)
            listBlock(program, function, function.loops[static_cast<std::size_t>(i.callee)].block, depth + 1, out);
    }
}
}  // namespace

std::string listing(const Program& program) {
    std::string out;
    for (const Function& function : program.functions) {
        out += fmt::format("function {}  # {}\n", function.name, function.caption);
        listBlock(program, function, function.code, 1, out);
    }
    return out;
}

}  // namespace mw::gen
