// LLVM writer: one IR operation per instruction, in program order. Arrays are noalias pointers; NULL inputs become a
// zero array at the entry; library calls are opaque (nobuiltin), made only where they are chosen.
#include "generator/backend/write_llvm.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <map>

#include "generator/backend/kernel_data.h"
#include "generator/backend/side_by_side.h"
#include "generator/backend/twins.h"
#include "generator/backend/uses.h"

namespace mw::gen {

namespace {

using llvm::Value;

class LlvmWriter {
public:
    LlvmWriter(llvm::LLVMContext& context, const Program& program, const Layout& layout, int lanes)
        : context_(context),
          program_(program),
          lanes_(lanes),
          zero_size_(zeroSize(layout)),
          module_(std::make_unique<llvm::Module>("program", context)),
          builder_(context),
          uses_(arrayUse(program)),
          functions_(program.functions.size(), nullptr) {
        real_ = llvm::Type::getDoubleTy(context);
        pointer_ = llvm::PointerType::getUnqual(context);
        count_ = llvm::Type::getInt64Ty(context);
        int_ = llvm::Type::getInt32Ty(context);
    }

    std::unique_ptr<llvm::Module> write(const std::vector<int>& entries) {
        for (int entry : entries) writeEntry(entryShapes()[static_cast<std::size_t>(entry)]);
        for (llvm::Function* function : functions_)
            if (function != nullptr && function->use_empty()) function->eraseFromParent();
        return std::move(module_);
    }

private:
    /// One function being written.
    struct Frame {
        const Function* function = nullptr;
        RegisterUses uses;
        std::vector<Value*> registers;  ///< values; vectors of lanes where `type` is one
        std::vector<Value*> truth;      ///< of `less`: the comparison itself
        Value* arrays[18] = {};
        Value* nrhs = nullptr;
        llvm::Type* type = nullptr;  ///< double, or a vector of lanes
        llvm::Function* code = nullptr;
    };

    /// The counters at a point of a function: of the innermost loop and of the one around it (null: none).
    struct Counters {
        Value* own = nullptr;
        Value* outer = nullptr;
        std::vector<Value*> lanes;  ///< of turns side by side; empty: own, own + 1, ...
    };

    llvm::Constant* real(double value) const { return llvm::ConstantFP::get(real_, value); }

    llvm::GlobalVariable* global(const char* name, const std::vector<double>& values) {
        llvm::Constant* data = llvm::ConstantDataArray::get(context_, values);
        auto* variable =
            new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
        variable->setAlignment(llvm::Align(64));
        return variable;
    }
    llvm::Value* table() {
        if (table_ == nullptr) table_ = global("table", program_.table);
        return table_;
    }
    llvm::Value* zero() {
        if (zero_ == nullptr) zero_ = global("zero", std::vector<double>(static_cast<std::size_t>(zero_size_), 0.0));
        return zero_;
    }

    std::vector<Array> handed(int f) const {
        std::vector<Array> arrays;
        for (int k = 0; k < static_cast<int>(Array::table); ++k)
            if (uses_[static_cast<std::size_t>(f)].uses(static_cast<Array>(k))) arrays.push_back(static_cast<Array>(k));
        return arrays;
    }

    void describeArray(llvm::Argument* argument, Array array) {
        llvm::AttrBuilder attributes(context_);
        attributes.addAttribute(llvm::Attribute::NoAlias);
        attributes.addAttribute(llvm::Attribute::NoCapture);
        if (!isOutput(array) && array != Array::work) attributes.addAttribute(llvm::Attribute::ReadOnly);
        if (!mayBeNull(array)) attributes.addAlignmentAttr(8);
        argument->addAttrs(attributes);
        argument->setName(arrayName(array));
    }

    void writeEntry(const EntryShape& shape) {
        std::vector<llvm::Type*> types;
        for (Array array : shape.arrays) {
            types.push_back(pointer_);
            if (array == Array::rhs) types.push_back(int_);
        }
        auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
        auto* code = llvm::Function::Create(type, llvm::Function::ExternalLinkage, shape.name, *module_);
        code->setDoesNotThrow();
        int f = -1;
        for (const ProgramEntry& entry : program_.entries)
            if (entry.name == shape.name) f = entry.function;
        if (f >= 0) need(f);  // callees first: the builder serves one function at a time
        builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", code));
        if (f >= 0) {
            Frame frame = open(f, code);
            auto argument = code->arg_begin();
            for (Array array : shape.arrays) {
                llvm::Argument* given = &*argument++;
                describeArray(given, array);
                Value* use = given;
                if (mayBeNull(array) && uses_[static_cast<std::size_t>(f)].uses(array))
                    use = builder_.CreateSelect(builder_.CreateIsNull(given), zero(), given);
                frame.arrays[static_cast<int>(array)] = use;
                if (array == Array::rhs) frame.nrhs = &*argument++;
            }
            block(frame, frame.function->code, {});
        }
        builder_.CreateRetVoid();
    }

    Frame open(int f, llvm::Function* code) {
        Frame frame;
        frame.function = &program_.functions[static_cast<std::size_t>(f)];
        frame.uses = registerUses(*frame.function);
        frame.registers.assign(static_cast<std::size_t>(frame.function->nregisters), nullptr);
        frame.truth.assign(frame.registers.size(), nullptr);
        frame.type = real_;
        frame.code = code;
        return frame;
    }

    /// Writes the callees of a function, and theirs.
    void need(int f) {
        const Function& function = program_.functions[static_cast<std::size_t>(f)];
        const auto visit = [&](const std::vector<Instruction>& code) {
            for (const Instruction& i : code)
                if (i.code == Code::call && functions_[static_cast<std::size_t>(i.callee)] == nullptr) {
                    need(i.callee);
                    writeInternal(i.callee);
                }
        };
        visit(function.code);
        for (const Loop& loop : function.loops) visit(loop.block);
    }

    llvm::Type* resultType(const Function& function) {
        if (function.results.empty()) return llvm::Type::getVoidTy(context_);
        if (function.results.size() == 1) return real_;
        return llvm::StructType::get(context_, std::vector<llvm::Type*>(function.results.size(), real_));
    }

    void writeInternal(int f) {
        const Function& function = program_.functions[static_cast<std::size_t>(f)];
        const ArrayUse& use = uses_[static_cast<std::size_t>(f)];
        std::vector<llvm::Type*> types;
        const std::vector<Array> arrays = handed(f);
        for (std::size_t k = 0; k < arrays.size(); ++k) types.push_back(pointer_);
        if (use.nrhs) types.push_back(int_);
        if (use.outer) types.push_back(count_);
        if (use.counter) types.push_back(count_);
        for (std::size_t k = 0; k < function.parameters.size(); ++k) types.push_back(real_);
        auto* type = llvm::FunctionType::get(resultType(function), types, false);
        auto* code = llvm::Function::Create(type, llvm::Function::InternalLinkage, function.name, *module_);
        code->setDoesNotThrow();
        code->setCallingConv(llvm::CallingConv::Fast);
        functions_[static_cast<std::size_t>(f)] = code;

        Frame frame = open(f, code);
        builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", code));
        auto argument = code->arg_begin();
        for (Array array : arrays) {
            describeArray(&*argument, array);
            frame.arrays[static_cast<int>(array)] = &*argument++;
        }
        if (use.nrhs) frame.nrhs = &*argument++;
        Counters counters;
        if (use.outer) counters.outer = &*argument++;
        if (use.counter) counters.own = &*argument++;
        for (int r : function.parameters) frame.registers[static_cast<std::size_t>(r)] = &*argument++;
        block(frame, function.code, counters);
        if (function.results.empty()) {
            builder_.CreateRetVoid();
        } else if (function.results.size() == 1) {
            builder_.CreateRet(get(frame, function.results[0]));
        } else {
            Value* all = llvm::PoisonValue::get(code->getReturnType());
            for (std::size_t k = 0; k < function.results.size(); ++k)
                all = builder_.CreateInsertValue(all, get(frame, function.results[k]), static_cast<unsigned>(k));
            builder_.CreateRet(all);
        }
    }

    Value* get(Frame& frame, int r) { return frame.registers[static_cast<std::size_t>(r)]; }
    llvm::Constant* constant(const Frame& frame, double value) const {
        return llvm::ConstantFP::get(frame.type, value);
    }

    Value* address(Frame& frame, const Place& place, const Counters& counters) {
        return address(frame, place, counters.own, counters.outer);
    }
    Value* address(Frame& frame, const Place& place, Value* own, Value* outer) {
        Value* base = place.array == Array::table ? table() : frame.arrays[static_cast<int>(place.array)];
        Value* index = nullptr;
        const auto add = [&](int stride, Value* counter) {
            if (stride == 0 || counter == nullptr) return;
            Value* part = builder_.CreateNSWMul(counter, llvm::ConstantInt::getSigned(count_, stride));
            index = index == nullptr ? part : builder_.CreateNSWAdd(index, part);
        };
        add(place.outer, outer);
        add(place.stride, own);
        llvm::Constant* fixed = llvm::ConstantInt::getSigned(count_, place.index);
        return builder_.CreateInBoundsGEP(real_, base, index == nullptr ? fixed : builder_.CreateNSWAdd(index, fixed));
    }

    Value* load(Frame& frame, const Place& place, const Counters& counters) {
        if (!frame.type->isVectorTy())
            return builder_.CreateAlignedLoad(real_, address(frame, place, counters), llvm::Align(8));
        if (place.stride == 0)
            return builder_.CreateVectorSplat(
                static_cast<unsigned>(lanes_),
                builder_.CreateAlignedLoad(real_, address(frame, place, counters), llvm::Align(8)));
        if (place.stride == 1 && counters.lanes.empty())
            return builder_.CreateAlignedLoad(frame.type, address(frame, place, counters), llvm::Align(8));
        Value* all = llvm::PoisonValue::get(frame.type);
        for (int lane = 0; lane < lanes_; ++lane) {
            Value* one = builder_.CreateAlignedLoad(real_, laneAddress(frame, place, counters, lane), llvm::Align(8));
            all = builder_.CreateInsertElement(all, one, static_cast<std::uint64_t>(lane));
        }
        return all;
    }

    void store(Frame& frame, const Place& place, const Counters& counters, Value* value) {
        if (!frame.type->isVectorTy() || (place.stride == 1 && counters.lanes.empty())) {
            builder_.CreateAlignedStore(value, address(frame, place, counters), llvm::Align(8));
            return;
        }
        for (int lane = 0; lane < lanes_; ++lane)
            builder_.CreateAlignedStore(builder_.CreateExtractElement(value, static_cast<std::uint64_t>(lane)),
                                        laneAddress(frame, place, counters, lane), llvm::Align(8));
    }

    Value* laneAddress(Frame& frame, Place place, const Counters& counters, int lane) {
        if (!counters.lanes.empty())
            return address(frame, place, counters.lanes[static_cast<std::size_t>(lane)], counters.outer);
        place.index += lane * place.stride;
        return address(frame, place, counters);
    }

    Value* libraryCall(Frame& frame, const Instruction& i) {
        const auto function = static_cast<Library>(i.callee);
        const int n = libraryOperands(function);
        auto* type =
            llvm::FunctionType::get(real_, std::vector<llvm::Type*>(static_cast<std::size_t>(n), real_), false);
        llvm::FunctionCallee callee = module_->getOrInsertFunction(libraryName(function), type);
        const auto one = [&](Value* a, Value* b) {
            std::vector<Value*> arguments{a};
            if (n > 1) arguments.push_back(b);
            llvm::CallInst* call = builder_.CreateCall(callee, arguments);
            call->addFnAttr(llvm::Attribute::NoBuiltin);
            call->setDoesNotThrow();
            return static_cast<Value*>(call);
        };
        Value* a = get(frame, i.a);
        Value* b = n > 1 ? get(frame, i.b) : nullptr;
        if (!frame.type->isVectorTy()) return one(a, b);
        Value* all = llvm::PoisonValue::get(frame.type);
        for (int lane = 0; lane < lanes_; ++lane) {
            const auto at = static_cast<std::uint64_t>(lane);
            all = builder_.CreateInsertElement(all,
                                               one(builder_.CreateExtractElement(a, at),
                                                   b != nullptr ? builder_.CreateExtractElement(b, at) : nullptr),
                                               at);
        }
        return all;
    }

    Value* condition(Frame& frame, int r) {
        Value* truth = frame.truth[static_cast<std::size_t>(r)];
        return truth != nullptr ? truth : builder_.CreateFCmpUNE(get(frame, r), constant(frame, 0));
    }

    /// A select one of whose arms is a library call that nothing else needs: a branch around the call, which is rarely
    /// taken.
    Value* chooseLazily(Frame& frame, const Instruction& i, bool second) {
        Value* choice = condition(frame, i.a);
        Value* other = get(frame, second ? i.b : i.c);
        auto* from = builder_.GetInsertBlock();
        auto* rare = llvm::BasicBlock::Create(context_, "rare", frame.code);
        auto* join = llvm::BasicBlock::Create(context_, "join", frame.code);
        Value* wanted = second ? builder_.CreateNot(choice) : choice;
        if (frame.type->isVectorTy()) wanted = builder_.CreateOrReduce(wanted);
        builder_.CreateCondBr(wanted, rare, join, llvm::MDBuilder(context_).createBranchWeights(1, 4000));
        builder_.SetInsertPoint(rare);
        Value* made = libraryCall(frame, *frame.uses.defined_by[static_cast<std::size_t>(second ? i.c : i.b)]);
        if (frame.type->isVectorTy())
            made = second ? builder_.CreateSelect(choice, other, made) : builder_.CreateSelect(choice, made, other);
        auto* end = builder_.GetInsertBlock();
        builder_.CreateBr(join);
        builder_.SetInsertPoint(join);
        llvm::PHINode* phi = builder_.CreatePHI(frame.type, 2);
        phi->addIncoming(other, from);
        phi->addIncoming(made, end);
        return phi;
    }

    Value* fused(Value* a, Value* b, Value* c) {
        return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    }

    void block(Frame& frame, const std::vector<Instruction>& code, const Counters& counters) {
        std::size_t k = 0;
        while (k < code.size()) {
            if (lanes_ > 1 && !frame.type->isVectorTy() && isSincos(code[k])) {
                std::size_t end = k;
                // Up to one whose argument is made by one before it.
                const auto among = [&](int r) {
                    for (std::size_t j = k; j < end; ++j)
                        if (code[j].results[0] == r || code[j].results[1] == r) return true;
                    return false;
                };
                while (end < code.size() && isSincos(code[end]) && !among(code[end].arguments[0])) ++end;
                if (end - k > 1) {
                    sincosSideBySide(frame, code, k, end);
                    k = end;
                    continue;
                }
            }
            instruction(frame, code[k], counters);
            ++k;
        }
    }

    bool isSincos(const Instruction& i) const {
        return i.code == Code::call && program_.functions[static_cast<std::size_t>(i.callee)].name == kSincosName;
    }

    void instruction(Frame& frame, const Instruction& i, const Counters& counters) {
        const auto at = [&](int r) { return get(frame, r); };
        Value* result = nullptr;
        switch (i.code) {
            case Code::constant: result = constant(frame, i.value); break;
            case Code::load: result = load(frame, i.place, counters); break;
            case Code::store: store(frame, i.place, counters, at(i.a)); return;
            case Code::copy: result = at(i.a); break;
            case Code::neg: result = builder_.CreateFNeg(at(i.a)); break;
            case Code::abs: result = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, at(i.a)); break;
            case Code::sqrt: result = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, at(i.a)); break;
            case Code::round: {
                llvm::Constant* shift = constant(frame, 0x1.8p52);
                result = builder_.CreateFSub(builder_.CreateFAdd(at(i.a), shift), shift);
                break;
            }
            case Code::add: result = builder_.CreateFAdd(at(i.a), at(i.b)); break;
            case Code::sub: result = builder_.CreateFSub(at(i.a), at(i.b)); break;
            case Code::mul: result = builder_.CreateFMul(at(i.a), at(i.b)); break;
            case Code::div: result = builder_.CreateFDiv(at(i.a), at(i.b)); break;
            case Code::min:
                result = builder_.CreateSelect(builder_.CreateFCmpOLT(at(i.a), at(i.b)), at(i.a), at(i.b));
                break;
            case Code::max:
                result = builder_.CreateSelect(builder_.CreateFCmpOGT(at(i.a), at(i.b)), at(i.a), at(i.b));
                break;
            case Code::fma: result = fused(at(i.a), at(i.b), at(i.c)); break;
            case Code::fms: result = fused(at(i.a), at(i.b), builder_.CreateFNeg(at(i.c))); break;
            case Code::fnma: result = fused(builder_.CreateFNeg(at(i.a)), at(i.b), at(i.c)); break;
            case Code::less: {
                Value* truth = builder_.CreateFCmpOLT(at(i.a), at(i.b));
                frame.truth[static_cast<std::size_t>(i.dst)] = truth;
                result = builder_.CreateSelect(truth, constant(frame, 1), constant(frame, 0));
                break;
            }
            case Code::select:
                if (frame.uses.lazy[static_cast<std::size_t>(i.b)]) result = chooseLazily(frame, i, false);
                else if (frame.uses.lazy[static_cast<std::size_t>(i.c)]) result = chooseLazily(frame, i, true);
                else result = builder_.CreateSelect(condition(frame, i.a), at(i.b), at(i.c));
                break;
            case Code::library:
                if (frame.uses.lazy[static_cast<std::size_t>(i.dst)]) return;
                result = libraryCall(frame, i);
                break;
            case Code::call: call(frame, i, counters); return;
            case Code::loop: loop(frame, i, counters); return;
        }
        frame.registers[static_cast<std::size_t>(i.dst)] = result;
    }

    void call(Frame& frame, const Instruction& i, const Counters& counters) {
        if (frame.type->isVectorTy()) {  // sincos: nothing else is called in turns side by side
            llvm::CallInst* both = builder_.CreateCall(wideSincos(i.callee), {get(frame, i.arguments[0])});
            both->setCallingConv(llvm::CallingConv::Fast);
            both->setDoesNotThrow();
            for (unsigned k = 0; k < 2; ++k)
                frame.registers[static_cast<std::size_t>(i.results[k])] = builder_.CreateExtractValue(both, k);
            return;
        }
        const ArrayUse& use = uses_[static_cast<std::size_t>(i.callee)];
        llvm::Function* callee = functions_[static_cast<std::size_t>(i.callee)];
        std::vector<Value*> arguments;
        for (Array array : handed(i.callee)) arguments.push_back(frame.arrays[static_cast<int>(array)]);
        if (use.nrhs) arguments.push_back(frame.nrhs);
        const auto hand = [&](Value* counter) {
            arguments.push_back(counter != nullptr ? counter : llvm::ConstantInt::get(count_, 0));
        };
        if (use.outer) hand(counters.outer);
        if (use.counter) hand(counters.own);
        for (int r : i.arguments) arguments.push_back(get(frame, r));
        llvm::CallInst* made = builder_.CreateCall(callee, arguments);
        made->setCallingConv(llvm::CallingConv::Fast);
        made->setDoesNotThrow();
        if (i.results.size() == 1) frame.registers[static_cast<std::size_t>(i.results[0])] = made;
        if (i.results.size() > 1)
            for (std::size_t k = 0; k < i.results.size(); ++k)
                frame.registers[static_cast<std::size_t>(i.results[k])] =
                    builder_.CreateExtractValue(made, static_cast<unsigned>(k));
    }

    /// Calls [begin, end) of sincos in vectors; a rest that is too short is filled up with its last argument.
    void sincosSideBySide(Frame& frame, const std::vector<Instruction>& code, std::size_t begin, std::size_t end) {
        llvm::Function* wide = wideSincos(code[begin].callee);
        auto* vector = llvm::FixedVectorType::get(real_, static_cast<unsigned>(lanes_));
        const auto lanes = static_cast<std::size_t>(lanes_);
        for (std::size_t k = begin; k < end; k += lanes) {
            Value* arguments = llvm::PoisonValue::get(vector);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                const Instruction& i = code[std::min(k + lane, end - 1)];
                arguments = builder_.CreateInsertElement(arguments, get(frame, i.arguments[0]),
                                                         static_cast<std::uint64_t>(lane));
            }
            llvm::CallInst* both = builder_.CreateCall(wide, {arguments});
            both->setCallingConv(llvm::CallingConv::Fast);
            both->setDoesNotThrow();
            Value* sine = builder_.CreateExtractValue(both, 0);
            Value* cosine = builder_.CreateExtractValue(both, 1);
            for (std::size_t lane = 0; lane < lanes && k + lane < end; ++lane) {
                const Instruction& i = code[k + lane];
                const auto at = static_cast<std::uint64_t>(lane);
                frame.registers[static_cast<std::size_t>(i.results[0])] = builder_.CreateExtractElement(sine, at);
                frame.registers[static_cast<std::size_t>(i.results[1])] = builder_.CreateExtractElement(cosine, at);
            }
        }
    }

    llvm::Function* wideSincos(int f) {
        if (wide_ != nullptr) return wide_;
        const auto saved = builder_.saveIP();
        auto* vector = llvm::FixedVectorType::get(real_, static_cast<unsigned>(lanes_));
        auto* both = llvm::StructType::get(context_, {vector, vector});
        wide_ = llvm::Function::Create(llvm::FunctionType::get(both, {vector}, false), llvm::Function::InternalLinkage,
                                       "sincos_wide", *module_);
        wide_->setDoesNotThrow();
        wide_->setCallingConv(llvm::CallingConv::Fast);
        Frame frame = open(f, wide_);
        frame.type = vector;
        builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", wide_));
        frame.registers[static_cast<std::size_t>(frame.function->parameters[0])] = wide_->getArg(0);
        for (const Instruction& i : frame.function->code) instruction(frame, i, {});
        Value* all = llvm::PoisonValue::get(both);
        all = builder_.CreateInsertValue(all, get(frame, frame.function->results[0]), 0);
        all = builder_.CreateInsertValue(all, get(frame, frame.function->results[1]), 1);
        builder_.CreateRet(all);
        builder_.restoreIP(saved);
        return wide_;
    }

    void loop(Frame& frame, const Instruction& i, const Counters& around) {
        const Loop& loop = frame.function->loops[static_cast<std::size_t>(i.callee)];
        Value* count = loop.count < 0 ? builder_.CreateSExt(frame.nrhs, count_)
                                      : static_cast<Value*>(llvm::ConstantInt::getSigned(count_, loop.count));
        if (lanes_ > 1 && turnsSideBySide(program_, loop, lanes_)) {
            wideLoop(frame, loop, count, around);
            return;
        }
        if (lanes_ > 1) {
            if (const Twins twins = findTwins(*frame.function, loop); !twins.steps.empty()) {
                twinLoop(frame, loop, twins, count, around);
                return;
            }
        }
        std::vector<Value*> initial;
        for (const Loop::Carried& c : loop.carried) initial.push_back(get(frame, c.initial));
        auto* before = builder_.GetInsertBlock();
        auto* turn = llvm::BasicBlock::Create(context_, "turn", frame.code);
        auto* after = llvm::BasicBlock::Create(context_, "after", frame.code);
        builder_.CreateCondBr(builder_.CreateICmpSGT(count, llvm::ConstantInt::get(count_, 0)), turn, after);
        builder_.SetInsertPoint(turn);
        llvm::PHINode* counter = builder_.CreatePHI(count_, 2);
        counter->addIncoming(llvm::ConstantInt::get(count_, 0), before);
        std::vector<llvm::PHINode*> inside;
        for (std::size_t k = 0; k < loop.carried.size(); ++k) {
            llvm::PHINode* phi = builder_.CreatePHI(real_, 2);
            phi->addIncoming(initial[k], before);
            inside.push_back(phi);
            frame.registers[static_cast<std::size_t>(loop.carried[k].inside)] = phi;
        }
        block(frame, loop.block, {counter, around.own, {}});
        std::vector<Value*> next;
        for (const Loop::Carried& c : loop.carried) next.push_back(get(frame, c.next));
        Value* advanced = builder_.CreateAdd(counter, llvm::ConstantInt::get(count_, 1));
        auto* end = builder_.GetInsertBlock();
        counter->addIncoming(advanced, end);
        for (std::size_t k = 0; k < inside.size(); ++k) inside[k]->addIncoming(next[k], end);
        builder_.CreateCondBr(builder_.CreateICmpSLT(advanced, count), turn, after);
        builder_.SetInsertPoint(after);
        for (std::size_t k = 0; k < loop.carried.size(); ++k) {
            llvm::PHINode* result = builder_.CreatePHI(real_, 2);
            result->addIncoming(initial[k], before);
            result->addIncoming(next[k], end);
            frame.registers[static_cast<std::size_t>(loop.carried[k].result)] = result;
        }
    }

    /// Two equal halves of a block, one a lane. The first half's registers stand for both.
    void twinLoop(Frame& frame, const Loop& loop, const Twins& twins, Value* count, const Counters& around) {
        Frame two = frame;
        two.type = llvm::FixedVectorType::get(real_, 2);
        std::fill(two.truth.begin(), two.truth.end(), nullptr);
        const auto both = [&](Value* first, Value* second) {
            if (first == second) return builder_.CreateVectorSplat(2, first);
            Value* lane = builder_.CreateInsertElement(llvm::PoisonValue::get(two.type), first, std::uint64_t{0});
            return builder_.CreateInsertElement(lane, second, std::uint64_t{1});
        };
        // Values from outside get registers of their own, as pairs.
        std::vector<Instruction> code;
        std::map<std::pair<int, int>, int> outside;
        const auto operand = [&](int a, int b) {
            if (twins.partner[static_cast<std::size_t>(a)] == b) return a;
            const auto [known, fresh] = outside.try_emplace({a, b}, static_cast<int>(two.registers.size()));
            if (fresh) {
                two.registers.push_back(both(get(frame, a), get(frame, b)));
                two.truth.push_back(nullptr);
                two.uses.lazy.push_back(0);
            }
            return known->second;
        };
        for (const TwinStep& step : twins.steps) {
            Instruction i = loop.block[static_cast<std::size_t>(step.first)];
            const int n = operandCount(i);
            if (n > 0) i.a = operand(step.operands[0], step.other[0]);
            if (n > 1) i.b = operand(step.operands[1], step.other[1]);
            if (n > 2) i.c = operand(step.operands[2], step.other[2]);
            code.push_back(std::move(i));
        }
        const std::size_t half = loop.carried.size() / 2;
        std::vector<Value*> initial;
        std::vector<int> next;
        for (std::size_t k = 0; k < half; ++k) {
            const Loop::Carried &x = loop.carried[k], &y = loop.carried[k + half];
            initial.push_back(both(get(frame, x.initial), get(frame, y.initial)));
            next.push_back(operand(x.next, y.next));
        }
        auto* before = builder_.GetInsertBlock();
        auto* turn = llvm::BasicBlock::Create(context_, "twins", frame.code);
        auto* after = llvm::BasicBlock::Create(context_, "after", frame.code);
        Value* none = llvm::ConstantInt::get(count_, 0);
        builder_.CreateCondBr(builder_.CreateICmpSGT(count, none), turn, after);
        builder_.SetInsertPoint(turn);
        llvm::PHINode* counter = builder_.CreatePHI(count_, 2);
        counter->addIncoming(none, before);
        std::vector<llvm::PHINode*> inside;
        for (std::size_t k = 0; k < half; ++k) {
            llvm::PHINode* phi = builder_.CreatePHI(two.type, 2);
            phi->addIncoming(initial[k], before);
            inside.push_back(phi);
            two.registers[static_cast<std::size_t>(loop.carried[k].inside)] = phi;
        }
        const Counters counters{counter, around.own, {}};
        for (std::size_t k = 0; k < code.size(); ++k) {
            const Instruction& i = code[k];
            const Place& other = loop.block[static_cast<std::size_t>(twins.steps[k].second)].place;
            const auto number = [&](const Place& place) {
                return builder_.CreateAlignedLoad(real_, address(two, place, counters), llvm::Align(8));
            };
            if (i.code == Code::load) {
                Value* first = number(i.place);
                two.registers[static_cast<std::size_t>(i.dst)] = both(first, i.place == other ? first : number(other));
            } else if (i.code == Code::store) {
                for (std::uint64_t lane = 0; lane < 2; ++lane)
                    builder_.CreateAlignedStore(builder_.CreateExtractElement(get(two, i.a), lane),
                                                address(two, lane == 0 ? i.place : other, counters), llvm::Align(8));
            } else {
                instruction(two, i, counters);
            }
        }
        std::vector<Value*> last;
        for (int r : next) last.push_back(get(two, r));
        Value* advanced = builder_.CreateNSWAdd(counter, llvm::ConstantInt::get(count_, 1));
        counter->addIncoming(advanced, turn);
        for (std::size_t k = 0; k < half; ++k) inside[k]->addIncoming(last[k], turn);
        builder_.CreateCondBr(builder_.CreateICmpSLT(advanced, count), turn, after);
        builder_.SetInsertPoint(after);
        std::vector<llvm::PHINode*> results;
        for (std::size_t k = 0; k < half; ++k) {
            llvm::PHINode* phi = builder_.CreatePHI(two.type, 2);
            phi->addIncoming(initial[k], before);
            phi->addIncoming(last[k], turn);
            results.push_back(phi);
        }
        for (std::size_t k = 0; k < half; ++k)
            for (std::uint64_t lane = 0; lane < 2; ++lane)
                frame.registers[static_cast<std::size_t>(loop.carried[k + lane * half].result)] =
                    builder_.CreateExtractElement(results[k], lane);
    }

    /// Turns that do not depend on one another, in groups of lanes. The last group is filled up with the last turn,
    /// which then stores the same numbers more than once.
    void wideLoop(Frame& frame, const Loop& loop, Value* count, const Counters& around) {
        Frame wide = frame;
        wide.type = llvm::FixedVectorType::get(real_, static_cast<unsigned>(lanes_));
        std::fill(wide.truth.begin(), wide.truth.end(), nullptr);
        const auto spread = [&](int r) {
            Value*& value = wide.registers[static_cast<std::size_t>(r)];
            if (value != nullptr && !value->getType()->isVectorTy())
                value = builder_.CreateVectorSplat(static_cast<unsigned>(lanes_), value);
        };
        for (const Instruction& i : loop.block) {
            const int n = operandCount(i);
            if (n > 0) spread(i.a);
            if (n > 1) spread(i.b);
            if (n > 2) spread(i.c);
            for (int r : i.arguments) spread(r);
        }
        const auto whole = static_cast<std::uint64_t>(lanes_);
        Value* none = llvm::ConstantInt::get(count_, 0);
        count = builder_.CreateSelect(builder_.CreateICmpSGT(count, none), count, none);
        Value* full = builder_.CreateAnd(count, llvm::ConstantInt::getSigned(count_, -lanes_));
        auto* before = builder_.GetInsertBlock();
        auto* turns = llvm::BasicBlock::Create(context_, "turns", frame.code);
        auto* after = llvm::BasicBlock::Create(context_, "after", frame.code);
        builder_.CreateCondBr(builder_.CreateICmpSGT(full, none), turns, after);
        builder_.SetInsertPoint(turns);
        llvm::PHINode* counter = builder_.CreatePHI(count_, 2);
        counter->addIncoming(none, before);
        block(wide, loop.block, {counter, around.own, {}});
        Value* advanced = builder_.CreateNSWAdd(counter, llvm::ConstantInt::get(count_, whole));
        counter->addIncoming(advanced, builder_.GetInsertBlock());
        builder_.CreateCondBr(builder_.CreateICmpSLT(advanced, full), turns, after);
        builder_.SetInsertPoint(after);
        if (loop.count >= 0 && loop.count % lanes_ == 0) return;

        auto* rest = llvm::BasicBlock::Create(context_, "rest", frame.code);
        auto* done = llvm::BasicBlock::Create(context_, "done", frame.code);
        builder_.CreateCondBr(builder_.CreateICmpSLT(full, count), rest, done);
        builder_.SetInsertPoint(rest);
        Value* last = builder_.CreateNSWSub(count, llvm::ConstantInt::get(count_, 1));
        Counters filled{full, around.own, {}};
        for (std::uint64_t lane = 0; lane < whole; ++lane) {
            Value* turn = builder_.CreateNSWAdd(full, llvm::ConstantInt::get(count_, lane));
            filled.lanes.push_back(builder_.CreateSelect(builder_.CreateICmpSLT(turn, last), turn, last));
        }
        block(wide, loop.block, filled);
        builder_.CreateBr(done);
        builder_.SetInsertPoint(done);
    }

    llvm::LLVMContext& context_;
    const Program& program_;
    int lanes_;
    int zero_size_;
    std::unique_ptr<llvm::Module> module_;
    llvm::IRBuilder<> builder_;
    std::vector<ArrayUse> uses_;
    std::vector<llvm::Function*> functions_;
    llvm::Function* wide_ = nullptr;
    llvm::Type *real_, *pointer_, *count_, *int_;
    llvm::Value *table_ = nullptr, *zero_ = nullptr;
};

}  // namespace

std::unique_ptr<llvm::Module> writeLlvm(llvm::LLVMContext& context, const Program& program, const Layout& layout,
                                        const std::vector<int>& entries, int lanes) {
    return LlvmWriter(context, program, layout, lanes).write(entries);
}

}  // namespace mw::gen
