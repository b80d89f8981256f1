// Interpreter: registers live in the workspace behind the program's own part, so that one interpreter serves many
// threads; work[0] holds the address of the pre-decoded code.
#include "generator/backend/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "generator/backend/kernel_data.h"

namespace mw::gen {

namespace {

struct Flat {
    Code code;
    std::uint8_t array = 0;
    std::int32_t dst = 0, a = 0, b = 0,
                 c = 0;  ///< load, store: `a` the register, place at index c, stride b, outer dst
    double value = 0;
};

struct FlatCall {
    int function;
    std::vector<int> arguments, results;
};

struct FlatLoop {
    int count;
    std::vector<Loop::Carried> carried;
    std::vector<Flat> block;
};

struct FlatFunction {
    std::vector<Flat> code;
    std::vector<FlatCall> calls;
    std::vector<FlatLoop> loops;
    std::vector<int> parameters, results;
    int nregisters = 0;
    int frame = 0;    ///< registers of the function and of the deepest chain of callees
    int carried = 0;  ///< most carried registers of a loop: scratch behind the registers
};

struct InterpreterData : KernelData {
    InterpreterData(const Program& program, const Model& model) : KernelData(program, model), table(program.table) {}
    std::vector<FlatFunction> functions;
    std::vector<double> table;
    std::size_t registers_at = 0;
    int entry[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
};

struct Run {
    const InterpreterData* data;
    double* arrays[18];
    int nrhs;
};

double library(int callee, double a, double b) {
    switch (static_cast<Library>(callee)) {
        case Library::tan: return std::tan(a);
        case Library::asin: return std::asin(a);
        case Library::acos: return std::acos(a);
        case Library::exp: return std::exp(a);
        case Library::log: return std::log(a);
        case Library::pow: return std::pow(a, b);
        case Library::atan2: return std::atan2(a, b);
        case Library::fmod: return std::fmod(a, b);
    }
    return 0;
}

/// Fused on any processor: the C library's fma rounds once where there is no instruction.
#if defined(__x86_64__)
__attribute__((target("fma"))) double fusedByInstruction(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
double fusedByLibrary(double a, double b, double c) { return std::fma(a, b, c); }
double (*const fused)(double, double, double) = __builtin_cpu_supports("fma") ? fusedByInstruction : fusedByLibrary;
#else
double fused(double a, double b, double c) { return std::fma(a, b, c); }
#endif

/// Turns of the innermost loop and of the one around it.
struct Turns {
    long counter, outer;
};

void runFunction(const Run& run, int index, double* r, Turns turns);

void runBlock(const Run& run, const FlatFunction& function, const std::vector<Flat>& block, double* r, Turns turns) {
    constexpr double kRound = 0x1.8p52;
    const auto place = [&](const Flat& i) -> double& {
        return run.arrays[i.array][i.c + i.b * turns.counter + i.dst * turns.outer];
    };
    for (const Flat& i : block) {
        switch (i.code) {
            case Code::constant: r[i.dst] = i.value; break;
            case Code::load: r[i.a] = place(i); break;
            case Code::store: place(i) = r[i.a]; break;
            case Code::copy: r[i.dst] = r[i.a]; break;
            case Code::neg: r[i.dst] = -r[i.a]; break;
            case Code::abs: r[i.dst] = std::fabs(r[i.a]); break;
            case Code::sqrt: r[i.dst] = std::sqrt(r[i.a]); break;
            case Code::round: r[i.dst] = (r[i.a] + kRound) - kRound; break;
            case Code::add: r[i.dst] = r[i.a] + r[i.b]; break;
            case Code::sub: r[i.dst] = r[i.a] - r[i.b]; break;
            case Code::mul: r[i.dst] = r[i.a] * r[i.b]; break;
            case Code::div: r[i.dst] = r[i.a] / r[i.b]; break;
            case Code::min: r[i.dst] = r[i.a] < r[i.b] ? r[i.a] : r[i.b]; break;
            case Code::max: r[i.dst] = r[i.a] > r[i.b] ? r[i.a] : r[i.b]; break;
            case Code::fma: r[i.dst] = fused(r[i.a], r[i.b], r[i.c]); break;
            case Code::fms: r[i.dst] = fused(r[i.a], r[i.b], -r[i.c]); break;
            case Code::fnma: r[i.dst] = fused(-r[i.a], r[i.b], r[i.c]); break;
            case Code::less: r[i.dst] = r[i.a] < r[i.b] ? 1.0 : 0.0; break;
            case Code::select: r[i.dst] = r[i.a] != 0 ? r[i.b] : r[i.c]; break;
            case Code::library: r[i.dst] = library(i.c, r[i.a], r[i.b]); break;
            case Code::call: {
                const FlatCall& call = function.calls[static_cast<std::size_t>(i.c)];
                const FlatFunction& callee = run.data->functions[static_cast<std::size_t>(call.function)];
                double* inner = r + function.nregisters + function.carried;
                for (std::size_t k = 0; k < call.arguments.size(); ++k)
                    inner[callee.parameters[k]] = r[call.arguments[k]];
                runFunction(run, call.function, inner, turns);
                for (std::size_t k = 0; k < call.results.size(); ++k) r[call.results[k]] = inner[callee.results[k]];
                break;
            }
            case Code::loop: {
                const FlatLoop& loop = function.loops[static_cast<std::size_t>(i.c)];
                const long count = loop.count < 0 ? run.nrhs : loop.count;
                double* scratch = r + function.nregisters;
                for (const Loop::Carried& c : loop.carried) r[c.inside] = r[c.initial];
                for (long k = 0; k < count; ++k) {
                    runBlock(run, function, loop.block, r, {k, turns.counter});
                    for (std::size_t c = 0; c < loop.carried.size(); ++c) scratch[c] = r[loop.carried[c].next];
                    for (std::size_t c = 0; c < loop.carried.size(); ++c) r[loop.carried[c].inside] = scratch[c];
                }
                for (const Loop::Carried& c : loop.carried) r[c.result] = r[c.inside];
                break;
            }
        }
    }
}

void runFunction(const Run& run, int index, double* r, Turns turns) {
    const FlatFunction& function = run.data->functions[static_cast<std::size_t>(index)];
    runBlock(run, function, function.code, r, turns);
}

std::vector<Flat> flatten(const std::vector<Instruction>& block, FlatFunction& out) {
    std::vector<Flat> flat;
    flat.reserve(block.size());
    for (const Instruction& i : block) {
        Flat f{i.code, static_cast<std::uint8_t>(i.place.array), i.dst, i.a, i.b, i.c, i.value};
        switch (i.code) {
            case Code::load:
            case Code::store:
                f.a = i.code == Code::load ? i.dst : i.a;
                f.b = i.place.stride;
                f.c = i.place.index;
                f.dst = i.place.outer;
                break;
            case Code::library:
                f.c = i.callee;
                if (f.b < 0) f.b = f.a;
                break;
            case Code::call:
                f.c = static_cast<int>(out.calls.size());
                out.calls.push_back({i.callee, i.arguments, i.results});
                break;
            case Code::loop: f.c = i.callee; break;
            default: break;
        }
        flat.push_back(f);
    }
    return flat;
}

enum EntryIndex { kFwdDyn, kFactor, kApply, kKinematics, kObserve, kMassMatrix, kBias, kLoopJacobian };

const InterpreterData* dataOf(const double* work) {
    const InterpreterData* data;
    std::memcpy(&data, work, sizeof data);
    return data;
}

void runEntry(EntryIndex entry, double* work, int nrhs, std::initializer_list<std::pair<Array, const double*>> given) {
    const InterpreterData* data = dataOf(work);
    const int function = data->entry[entry];
    if (function < 0) return;
    Run run{data, {}, nrhs};
    for (const auto& [array, pointer] : given)
        run.arrays[static_cast<int>(array)] = const_cast<double*>(pointer != nullptr ? pointer : data->zero.data());
    run.arrays[static_cast<int>(Array::work)] = work;
    run.arrays[static_cast<int>(Array::table)] = const_cast<double*>(data->table.data());
    runFunction(run, function, work + data->registers_at, {0, 0});
}

void initWork(const mw_kernel* self, double* work) {
    std::fill(work, work + self->nwork, 0.0);
    const auto* data = static_cast<const InterpreterData*>(static_cast<const KernelData*>(self->context));
    std::memcpy(work, &data, sizeof data);
}

void fwdDyn(const double* q, const double* v, const double* tau, const double* fext, const double* act,
            const double* param, double* work, double* vdot, double* lambda) {
    runEntry(kFwdDyn, work, 0,
             {{Array::q, q},
              {Array::v, v},
              {Array::tau, tau},
              {Array::fext, fext},
              {Array::act, act},
              {Array::param, param},
              {Array::vdot, vdot},
              {Array::lambda, lambda}});
}
void factor(const double* q, const double* param, double* work) {
    runEntry(kFactor, work, 0, {{Array::q, q}, {Array::param, param}});
}
void applyInverseMass(double* work, const double* rhs, int nrhs, double* out) {
    runEntry(kApply, work, nrhs, {{Array::rhs, rhs}, {Array::out, out}});
}
void kinematics(const double* q, const double* v, const double* param, double* work, double* X, double* V) {
    runEntry(kKinematics, work, 0, {{Array::q, q}, {Array::v, v}, {Array::param, param}, {Array::X, X}, {Array::V, V}});
}
void observe(const double* q, const double* v, const double* param, double* work, double* obs) {
    runEntry(kObserve, work, 0, {{Array::q, q}, {Array::v, v}, {Array::param, param}, {Array::obs, obs}});
}
void massMatrix(const double* q, const double* param, double* work, double* M) {
    runEntry(kMassMatrix, work, 0, {{Array::q, q}, {Array::param, param}, {Array::M, M}});
}
void bias(const double* q, const double* v, const double* param, double* work, double* c) {
    runEntry(kBias, work, 0, {{Array::q, q}, {Array::v, v}, {Array::param, param}, {Array::c, c}});
}
void loopJacobian(const double* q, const double* param, double* work, double* K) {
    runEntry(kLoopJacobian, work, 0, {{Array::q, q}, {Array::param, param}, {Array::K, K}});
}

}  // namespace

Kernel makeInterpreter(const Program& program, const Model& model) {
    auto data = std::make_shared<InterpreterData>(program, model);
    data->functions.reserve(program.functions.size());
    int deepest = 0;
    for (const Function& function : program.functions) {
        FlatFunction flat;
        flat.nregisters = function.nregisters;
        flat.parameters = function.parameters;
        flat.results = function.results;
        flat.loops.resize(function.loops.size());
        flat.code = flatten(function.code, flat);
        for (std::size_t k = 0; k < function.loops.size(); ++k) {
            const Loop& loop = function.loops[k];
            flat.carried = std::max(flat.carried, static_cast<int>(loop.carried.size()));
            flat.loops[k] = {loop.count, loop.carried, flatten(loop.block, flat)};
        }
        int below = 0;
        for (const FlatCall& call : flat.calls)
            below = std::max(below, data->functions[static_cast<std::size_t>(call.function)].frame);
        flat.frame = flat.nregisters + flat.carried + below;
        deepest = std::max(deepest, flat.frame);
        data->functions.push_back(std::move(flat));
    }
    data->registers_at = static_cast<std::size_t>(program.nwork);
    const auto& shapes = entryShapes();
    for (const ProgramEntry& entry : program.entries)
        for (std::size_t k = 0; k < shapes.size(); ++k)
            if (entry.name == shapes[k].name) data->entry[k] = entry.function;
    mw_kernel& c = data->c;
    c.nwork = program.nwork + deepest;
    c.init_work = initWork;
    c.fwd_dyn = fwdDyn;
    c.factor = factor;
    c.apply_inverse_mass = applyInverseMass;
    c.kinematics = kinematics;
    c.observe = observe;
    c.mass_matrix = massMatrix;
    c.bias = bias;
    c.loop_jacobian = loopJacobian;
    Kernel kernel;
    kernel.c = &data->c;
    kernel.maker = "interpreter";
    kernel.keeps_alive = std::move(data);
    return kernel;
}

}  // namespace mw::gen
