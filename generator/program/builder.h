// Writes instructions one after the other; used by lowering's own routines and by tests that build programs by hand.
#pragma once

#include <utility>

#include "generator/program/program.h"

namespace mw::gen {

/// Appends to a function's code (or to the block of a loop while one is open).
class Builder {
public:
    Builder(Function& function, CpuClass cpu) : function_(function), cpu_(cpu) {}

    int parameter() {
        function_.parameters.push_back(function_.nregisters);
        return function_.nregisters++;
    }
    void result(int r) { function_.results.push_back(r); }

    int constant(double value) {
        Instruction i;
        i.code = Code::constant;
        i.value = value;
        return append(std::move(i));
    }
    int load(Place place) {
        Instruction i;
        i.code = Code::load;
        i.place = place;
        return append(std::move(i));
    }
    void store(Place place, int a) {
        Instruction i;
        i.code = Code::store;
        i.place = place;
        i.a = a;
        append(std::move(i));
    }
    int op(Code code, int a, int b = -1, int c = -1) {
        Instruction i;
        i.code = code;
        i.a = a;
        i.b = b;
        i.c = c;
        return append(std::move(i));
    }
    int library(Library function, int a, int b = -1) {
        Instruction i;
        i.code = Code::library;
        i.callee = static_cast<int>(function);
        i.a = a;
        i.b = b;
        return append(std::move(i));
    }
    std::vector<int> call(int callee, std::vector<int> arguments, int results) {
        Instruction i;
        i.code = Code::call;
        i.callee = callee;
        i.arguments = std::move(arguments);
        for (int k = 0; k < results; ++k) i.results.push_back(function_.nregisters++);
        std::vector<int> out = i.results;
        append(std::move(i));
        return out;
    }
    /// a b + c, as one instruction or two by the class of the processor.
    int mulAdd(int a, int b, int c) {
        if (cpu_ == CpuClass::fma) return op(Code::fma, a, b, c);
        return op(Code::add, op(Code::mul, a, b), c);
    }
    /// c - a b.
    int mulSubFrom(int c, int a, int b) {
        if (cpu_ == CpuClass::fma) return op(Code::fnma, a, b, c);
        return op(Code::sub, c, op(Code::mul, a, b));
    }

    /// Opens a loop; instructions go into its block until `endLoop`. `initial` gives carried registers' first values;
    /// returns the registers inside.
    std::vector<int> beginLoop(int count, const std::vector<int>& initial = {}) {
        Loop loop;
        loop.count = count;
        std::vector<int> inside;
        for (int r : initial) {
            inside.push_back(function_.nregisters++);
            loop.carried.push_back({r, inside.back(), -1, -1});
        }
        open_.push_back(std::move(loop));
        return inside;
    }
    /// `next`: the carried registers' values for the next turn; returns the registers that hold the last ones.
    std::vector<int> endLoop(const std::vector<int>& next = {}) {
        Loop loop = std::move(open_.back());
        open_.pop_back();
        std::vector<int> results;
        for (std::size_t k = 0; k < next.size(); ++k) {
            loop.carried[k].next = next[k];
            loop.carried[k].result = function_.nregisters++;
            results.push_back(loop.carried[k].result);
        }
        Instruction i;
        i.code = Code::loop;
        i.callee = static_cast<int>(function_.loops.size());
        function_.loops.push_back(std::move(loop));
        append(std::move(i));
        return results;
    }

private:
    int append(Instruction i) {
        if (hasResult(i.code)) i.dst = function_.nregisters++;
        const int dst = i.dst;
        (open_.empty() ? function_.code : open_.back().block).push_back(std::move(i));
        return dst;
    }

    Function& function_;
    CpuClass cpu_;
    std::vector<Loop> open_;
};

}  // namespace mw::gen
