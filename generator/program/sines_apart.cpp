// Cuts out, per loop, what the arguments of its sines are made of: loads of arrays that the loop leaves alone,
// arithmetic, and carried registers made of such.
#include "generator/program/sines_apart.h"

#include <algorithm>
#include <unordered_map>

#include "generator/program/prune.h"

namespace mw::gen {

namespace {

constexpr int kFewest = 4;    ///< turns below which it does not pay
constexpr int kLongest = 12;  ///< instructions for the arguments, per sine and cosine

class Apart {
public:
    Apart(Program& program, Function& function, int sincos, int first_slot)
        : program_(program), function_(function), sincos_(sincos), first_slot_(first_slot) {}

    int run() {
        visit(function_.code);
        if (used_ > 0) pruneFunction(function_);
        return used_;
    }

private:
    void visit(std::vector<Instruction>& block) {
        for (std::size_t k = 0; k < block.size(); ++k) {
            if (block[k].code != Code::loop) continue;
            const int index = block[k].callee;
            std::vector<Instruction> inner = std::move(function_.loops[static_cast<std::size_t>(index)].block);
            visit(inner);
            function_.loops[static_cast<std::size_t>(index)].block = std::move(inner);
            const std::vector<Instruction> before = takeOut(index, block[k]);
            block.insert(block.begin() + static_cast<std::ptrdiff_t>(k), before.begin(), before.end());
            k += before.size();
        }
    }

    /// What the arguments need of one turn.
    struct Slice {
        std::vector<char> instructions;  ///< per instruction of the block
        std::vector<char> carried;       ///< per carried register
    };

    void findWritten(const std::vector<Instruction>& block, bool (&written)[32]) const {
        for (const Instruction& i : block) {
            if (i.code == Code::store) written[static_cast<int>(i.place.array)] = true;
            if (i.code == Code::loop) findWritten(function_.loops[static_cast<std::size_t>(i.callee)].block, written);
        }
    }

    /// Adds to `slice` what register `r` is made of; false (and an unfinished slice) where that is more than arguments
    /// may be made of.
    bool add(const Loop& loop, int r, Slice& slice) const {
        std::vector<int> open{r};
        while (!open.empty()) {
            const int wanted = open.back();
            open.pop_back();
            const auto carried = carried_.find(wanted);
            if (carried != carried_.end()) {
                char& known = slice.carried[carried->second];
                if (!known) open.push_back(loop.carried[carried->second].next);
                known = 1;
                continue;
            }
            const auto made = made_.find(wanted);
            if (made == made_.end()) continue;  // outside the loop
            char& known = slice.instructions[made->second];
            if (known) continue;
            known = 1;
            const Instruction& i = loop.block[made->second];
            if (i.code == Code::call || i.code == Code::loop) return false;
            if (i.code == Code::load && written_[static_cast<int>(i.place.array)]) return false;
            const int n = operandCount(i);
            if (n > 0) open.push_back(i.a);
            if (n > 1) open.push_back(i.b);
            if (n > 2) open.push_back(i.c);
        }
        return true;
    }

    std::vector<Instruction> takeOut(int index, const Instruction& at) {
        Loop& loop = function_.loops[static_cast<std::size_t>(index)];
        if (loop.count < kFewest || loop.carried.empty()) return {};
        made_.clear();
        carried_.clear();
        std::fill(std::begin(written_), std::end(written_), false);
        findWritten(loop.block, written_);
        for (std::size_t c = 0; c < loop.carried.size(); ++c) carried_[loop.carried[c].inside] = c;
        for (std::size_t k = 0; k < loop.block.size(); ++k) {
            const Instruction& i = loop.block[k];
            if (hasResult(i.code)) made_[i.dst] = k;
            for (int r : i.results) made_[r] = k;
            if (i.code == Code::loop)
                for (const Loop::Carried& c : function_.loops[static_cast<std::size_t>(i.callee)].carried)
                    made_[c.result] = k;
        }
        Slice all{std::vector<char>(loop.block.size(), 0), std::vector<char>(loop.carried.size(), 0)};
        std::vector<std::size_t> calls;
        for (std::size_t k = 0; k < loop.block.size(); ++k) {
            if (loop.block[k].code != Code::call || loop.block[k].callee != sincos_) continue;
            Slice with = all;
            if (!add(loop, loop.block[k].arguments[0], with)) continue;
            const auto length = std::count(with.instructions.begin(), with.instructions.end(), 1);
            if (length > kLongest * static_cast<long>(calls.size() + 1)) continue;
            all = std::move(with);
            calls.push_back(k);
        }
        if (calls.empty()) return {};

        const int base = first_slot_ + used_, turns = loop.count;
        used_ += 3 * turns * static_cast<int>(calls.size());
        const auto slot = [&](std::size_t call, int which) {
            return Place{Array::work, base + (3 * static_cast<int>(call) + which) * turns, 1};
        };
        const auto memory = [&](Code code, const Place& place, int r) {
            Instruction i;
            i.code = code;
            i.place = place;
            (code == Code::load ? i.dst : i.a) = r;
            i.body = at.body;
            return i;
        };

        // The arguments, with registers of their own.
        std::unordered_map<int, int> renamed;
        const auto name = [&](int r) {
            const auto known = renamed.find(r);
            return known != renamed.end() ? known->second : r;
        };
        const auto fresh = [&](int r) { return renamed[r] = function_.nregisters++; };
        Loop arguments, functions;
        arguments.count = functions.count = turns;
        for (std::size_t c = 0; c < loop.carried.size(); ++c)
            if (all.carried[c])
                arguments.carried.push_back({loop.carried[c].initial, fresh(loop.carried[c].inside), -1, -1});
        for (std::size_t k = 0; k < loop.block.size(); ++k) {
            if (!all.instructions[k]) continue;
            Instruction i = loop.block[k];
            const int n = operandCount(i);
            if (n > 0) i.a = name(i.a);
            if (n > 1) i.b = name(i.b);
            if (n > 2) i.c = name(i.c);
            i.dst = fresh(i.dst);
            i.caption = -1;
            arguments.block.push_back(std::move(i));
        }
        std::size_t next = 0;
        for (std::size_t c = 0; c < loop.carried.size(); ++c) {
            if (!all.carried[c]) continue;
            arguments.carried[next].next = name(loop.carried[c].next);
            arguments.carried[next++].result = function_.nregisters++;
        }
        // Where no turn waits for the one before, one loop does for both.
        const bool apart = !arguments.carried.empty();
        if (!apart) functions.block = std::move(arguments.block);
        for (std::size_t k = 0; k < calls.size(); ++k) {
            Instruction& original = loop.block[calls[k]];
            Instruction call = original;
            if (apart) {
                arguments.block.push_back(memory(Code::store, slot(k, 0), name(call.arguments[0])));
                call.arguments[0] = function_.nregisters++;
                functions.block.push_back(memory(Code::load, slot(k, 0), call.arguments[0]));
            } else {
                call.arguments[0] = name(call.arguments[0]);
            }
            call.results = {function_.nregisters, function_.nregisters + 1};
            function_.nregisters += 2;
            call.caption = -1;
            functions.block.push_back(call);
            functions.block.push_back(memory(Code::store, slot(k, 1), call.results[0]));
            functions.block.push_back(memory(Code::store, slot(k, 2), call.results[1]));
        }
        for (std::size_t k = calls.size(); k-- > 0;) {
            const Instruction call = loop.block[calls[k]];
            Instruction sine = memory(Code::load, slot(k, 1), call.results[0]);
            sine.caption = call.caption;
            sine.body = call.body;
            loop.block[calls[k]] = std::move(sine);
            loop.block.insert(loop.block.begin() + static_cast<std::ptrdiff_t>(calls[k]) + 1,
                              memory(Code::load, slot(k, 2), call.results[1]));
        }
        std::vector<Instruction> before;
        const auto place = [&](Loop made) {
            Instruction i;
            i.code = Code::loop;
            i.callee = static_cast<int>(function_.loops.size());
            i.caption = caption();
            i.body = at.body;
            function_.loops.push_back(std::move(made));
            before.push_back(std::move(i));
        };
        if (apart) place(std::move(arguments));
        place(std::move(functions));
        return before;
    }

    int caption() {
        const std::string text = "sines and cosines of all turns";
        auto& captions = program_.captions;
        const auto found = std::find(captions.begin(), captions.end(), text);
        if (found != captions.end()) return static_cast<int>(found - captions.begin());
        captions.push_back(text);
        return static_cast<int>(captions.size()) - 1;
    }

    Program& program_;
    Function& function_;
    int sincos_;
    int first_slot_;
    int used_ = 0;
    bool written_[32] = {};
    std::unordered_map<int, std::size_t> made_;     ///< in the block at hand: register -> instruction
    std::unordered_map<int, std::size_t> carried_;  ///< register inside -> which
};

}  // namespace

int takeSinesApart(Program& program, Function& function, int sincos, int first_slot) {
    if (sincos < 0) return 0;
    return Apart(program, function, sincos, first_slot).run();
}

}  // namespace mw::gen
