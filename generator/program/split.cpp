// Splitting: cuts where few values are alive, hands those on through `work`, and makes constants and loads of
// unchanging arrays anew in every piece instead of handing them on. The block of a long loop becomes calls of pieces
// that see its counters; what passes from turn to turn is handed to them in the same way.
#include "generator/program/split.h"

#include <algorithm>
#include <unordered_map>

namespace mw::gen {

namespace {

struct Splitter {
    Program& program;
    Function& function;
    int limit;
    int spill_base;
    bool written[32] = {};                               ///< arrays that the function writes
    std::unordered_map<int, Instruction> anywhere = {};  ///< constants and loads that give the same wherever they stand
    int slots_used = 0;
    int pieces_made = 0;

    std::size_t sizeOf(const std::vector<Instruction>& block) const {
        std::size_t size = 0;
        for (const Instruction& i : block) size += weight(i);
        return size;
    }
    std::size_t weight(const Instruction& i) const {
        if (i.code != Code::loop) return 1;
        const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
        return 1 + loop.carried.size() + sizeOf(loop.block);
    }

    template <class Visit>
    void eachUse(const Instruction& i, Visit&& visit) const {
        const int n = operandCount(i);
        if (n > 0) visit(i.a);
        if (n > 1) visit(i.b);
        if (n > 2) visit(i.c);
        for (int r : i.arguments) visit(r);
        if (i.code == Code::loop) {
            const Loop& loop = function.loops[static_cast<std::size_t>(i.callee)];
            for (const Loop::Carried& c : loop.carried) {
                visit(c.initial);
                visit(c.next);
            }
            for (const Instruction& inner : loop.block) eachUse(inner, visit);
        }
    }
    template <class Visit>
    void eachDefinition(const Instruction& i, Visit&& visit) const {
        if (hasResult(i.code)) visit(i.dst);
        for (int r : i.results) visit(r);
        if (i.code == Code::loop)
            for (const Loop::Carried& c : function.loops[static_cast<std::size_t>(i.callee)].carried) visit(c.result);
    }
    bool remakeable(const Instruction& i, bool in_loop) const {
        return i.code == Code::constant ||
               (i.code == Code::load && !written[static_cast<int>(i.place.array)] && (in_loop || i.place.stride == 0));
    }

    void findAnywhere(const std::vector<Instruction>& block) {
        for (const Instruction& i : block) {
            if (remakeable(i, false) && i.place.outer == 0) anywhere.emplace(i.dst, i);
            if (i.code == Code::loop) findAnywhere(function.loops[static_cast<std::size_t>(i.callee)].block);
        }
    }

    void findWritten(const std::vector<Instruction>& block) {
        for (const Instruction& i : block) {
            if (i.code == Code::store) written[static_cast<int>(i.place.array)] = true;
            if (i.code == Code::loop) findWritten(function.loops[static_cast<std::size_t>(i.callee)].block);
        }
    }

    Place slot(int index) const { return {Array::work, spill_base + index, 0}; }

    Instruction spill(int value, int index) const {
        Instruction i;
        i.code = Code::store;
        i.place = slot(index);
        i.a = value;
        return i;
    }

    /// Replaces `block` by calls of pieces. Of a loop's block: `loop`, and `before` receives the stores of outer values
    /// that the pieces need.
    void split(std::vector<Instruction>& block, const Loop* loop, std::vector<Instruction>* before) {
        const bool in_loop = loop != nullptr;
        // Long loop bodies first: what they need from outside is stored before the loop.
        for (std::size_t k = 0; k < block.size(); ++k) {
            if (block[k].code != Code::loop) continue;
            Loop& inner = function.loops[static_cast<std::size_t>(block[k].callee)];
            if (sizeOf(inner.block) <= static_cast<std::size_t>(limit)) continue;
            std::vector<Instruction> stores;
            split(inner.block, &inner, &stores);
            block.insert(block.begin() + static_cast<std::ptrdiff_t>(k), stores.begin(), stores.end());
            k += stores.size();
        }
        const std::size_t size = sizeOf(block);
        if (size <= static_cast<std::size_t>(limit)) return;

        const std::vector<std::size_t> cuts = chooseCuts(block, size);
        const std::size_t pieces = cuts.size() + 1;
        const auto pieceOf = [&](std::size_t k) {
            return static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), k) - cuts.begin());
        };

        // Where each value is made and where it is last needed.
        constexpr int kOutside = -1;
        std::unordered_map<int, int> made_in, last_use;
        std::unordered_map<int, const Instruction*> maker;
        std::vector<int> order;
        for (std::size_t k = 0; k < block.size(); ++k)
            eachDefinition(block[k], [&](int r) {
                made_in[r] = pieceOf(k);
                maker[r] = &block[k];
                order.push_back(r);
            });
        std::unordered_map<int, char> inside;  // carried registers and definitions within nested loops
        const auto markInside = [&](auto&& self, const std::vector<Instruction>& list) -> void {
            for (const Instruction& i : list) {
                if (i.code != Code::loop) continue;
                const Loop& nested = function.loops[static_cast<std::size_t>(i.callee)];
                for (const Loop::Carried& c : nested.carried) inside[c.inside] = 1;
                for (const Instruction& j : nested.block) eachDefinition(j, [&](int r) { inside[r] = 1; });
                self(self, nested.block);
            }
        };
        markInside(markInside, block);
        for (std::size_t k = 0; k < block.size(); ++k)
            eachUse(block[k], [&](int r) {
                if (inside.count(r)) return;
                if (!made_in.count(r)) {
                    made_in[r] = kOutside;
                    order.push_back(r);
                }
                auto& last = last_use.try_emplace(r, kOutside).first->second;
                last = std::max(last, pieceOf(k));
            });
        // What the turn hands to the next one is needed behind the last piece.
        std::unordered_map<int, char> carried_in;
        std::vector<int> handed_on;
        if (in_loop)
            for (const Loop::Carried& c : loop->carried) {
                carried_in[c.inside] = 1;
                const auto made = made_in.find(c.next);
                if (made == made_in.end() || made->second == kOutside) continue;
                if (last_use[c.next] == static_cast<int>(pieces)) continue;
                last_use[c.next] = static_cast<int>(pieces);
                handed_on.push_back(c.next);
            }

        // A slot for each value that crosses a cut. In a loop, slots of outer values live through every turn; the code
        // around a split loop must not touch them between their stores and the loop, so it takes others.
        std::unordered_map<int, int> slot_of;
        std::vector<Instruction> code;  // of the block when it is done
        std::vector<int> free_after;    // per slot: piece after which it is free
        const int first_slot = slots_used;
        std::vector<int> owned;
        std::sort(order.begin(), order.end(), [&](int x, int y) {
            const int px = made_in[x], py = made_in[y];
            return px != py ? px < py : x < y;
        });
        for (int r : order) {
            const auto use = last_use.find(r);
            if (use == last_use.end() || use->second <= made_in[r]) continue;
            const auto m = maker.find(r);
            if (anywhere.count(r) != 0 || (m != maker.end() && remakeable(*m->second, in_loop))) continue;
            const bool outer = made_in[r] == kOutside;
            int chosen = kNoSlot;
            if (!outer)
                for (std::size_t s = 0; s < free_after.size(); ++s)
                    if (free_after[s] < made_in[r]) {
                        chosen = static_cast<int>(s);
                        break;
                    }
            if (chosen == kNoSlot) {
                chosen = static_cast<int>(free_after.size());
                free_after.push_back(0);
            }
            free_after[static_cast<std::size_t>(chosen)] = outer ? static_cast<int>(pieces) : use->second;
            slot_of[r] = first_slot + chosen;
            if (outer && carried_in.count(r) != 0) code.push_back(spill(r, slot_of[r]));
            else if (outer && before) before->push_back(spill(r, slot_of[r]));
        }
        slots_used = std::max(slots_used, first_slot + static_cast<int>(free_after.size()));

        // The pieces, with registers of their own.
        std::size_t begin = 0;
        for (std::size_t p = 0; p < pieces; ++p) {
            const std::size_t end = p < cuts.size() ? cuts[p] : block.size();
            Piece piece(*this, static_cast<int>(p), made_in, maker, slot_of, in_loop);
            for (std::size_t k = begin; k < end; ++k) piece.add(block[k]);
            begin = end;
            Function made = piece.finish();
            if (made.code.empty()) continue;
            made.name = function.name + "_" + std::to_string(++pieces_made);
            made.caption = function.caption;
            Instruction call;
            call.code = Code::call;
            call.callee = static_cast<int>(program.functions.size());
            program.functions.push_back(std::move(made));
            code.push_back(std::move(call));
        }
        for (int r : handed_on) {
            const auto at = slot_of.find(r);
            Instruction bring = *maker.at(r);
            if (at != slot_of.end()) {
                bring = {};
                bring.code = Code::load;
                bring.place = slot(at->second);
                bring.dst = r;
            }
            code.push_back(std::move(bring));
        }
        block = std::move(code);
    }

    /// Cuts near equal sizes, where the fewest values are alive.
    std::vector<std::size_t> chooseCuts(const std::vector<Instruction>& block, std::size_t size) const {
        std::vector<int> alive_change(block.size() + 1, 0);
        std::unordered_map<int, std::size_t> defined, last;
        for (std::size_t k = 0; k < block.size(); ++k) {
            eachUse(block[k], [&](int r) { last[r] = k; });
            if (block[k].code != Code::constant) eachDefinition(block[k], [&](int r) { defined[r] = k; });
        }
        for (const auto& [r, at] : defined) {
            const auto use = last.find(r);
            if (use == last.end()) continue;
            ++alive_change[at + 1];
            --alive_change[use->second];
        }
        std::vector<int> alive(block.size() + 1, 0);
        int now = 0;
        for (std::size_t k = 0; k <= block.size(); ++k) alive[k] = now += alive_change[k];

        const std::size_t pieces =
            (size + static_cast<std::size_t>(limit) * 9 / 10 - 1) / (static_cast<std::size_t>(limit) * 9 / 10);
        const double share = static_cast<double>(size) / static_cast<double>(pieces);
        std::vector<std::size_t> cuts;
        std::size_t sum = 0, best = 0;
        double target = share;
        for (std::size_t k = 0; k < block.size(); ++k) {
            const double at = static_cast<double>(sum);
            if (k > 0 && at >= target - 0.1 * share && (best == 0 || alive[k] < alive[best])) best = k;
            sum += weight(block[k]);
            if (static_cast<double>(sum) > target + 0.1 * share) {
                if (best == 0) best = k;
                if (best > (cuts.empty() ? 0 : cuts.back())) {
                    cuts.push_back(best);
                    target = 0;
                    for (std::size_t j = 0; j < best; ++j) target += static_cast<double>(weight(block[j]));
                    target += share;
                } else {
                    target += share;
                }
                best = 0;
                if (static_cast<double>(size) - target < 0.2 * share) break;
            }
        }
        return cuts;
    }

    static constexpr int kNoSlot = -1;

    /// One piece being written.
    struct Piece {
        Splitter& splitter;
        int number;
        const std::unordered_map<int, int>& made_in;
        const std::unordered_map<int, const Instruction*>& maker;
        const std::unordered_map<int, int>& slot_of;
        bool in_loop;
        Function out;
        std::unordered_map<int, int> renamed;

        Piece(Splitter& s, int n, const std::unordered_map<int, int>& made,
              const std::unordered_map<int, const Instruction*>& by, const std::unordered_map<int, int>& slots,
              bool loop)
            : splitter(s), number(n), made_in(made), maker(by), slot_of(slots), in_loop(loop) {}

        int fresh(int r) { return renamed[r] = out.nregisters++; }

        /// The register of this piece that holds `r`; brought in (into the piece's own code) when it comes from
        /// elsewhere.
        int use(int r) {
            const auto known = renamed.find(r);
            if (known != renamed.end()) return known->second;
            Instruction bring;
            const auto slot = slot_of.find(r);
            if (slot != slot_of.end()) {
                bring.code = Code::load;
                bring.place = splitter.slot(slot->second);
            } else {
                const auto made = maker.find(r);
                bring = made != maker.end() ? *made->second : splitter.anywhere.at(r);
            }
            bring.dst = fresh(r);
            bring.caption = -1;
            out.code.push_back(bring);
            return bring.dst;
        }

        void renameUses(Instruction& i) {
            const int n = operandCount(i);
            if (n > 0) i.a = use(i.a);
            if (n > 1) i.b = use(i.b);
            if (n > 2) i.c = use(i.c);
            for (int& r : i.arguments) r = use(r);
        }
        void renameDefinitions(Instruction& i) {
            if (hasResult(i.code)) i.dst = fresh(i.dst);
            for (int& r : i.results) r = fresh(r);
        }

        void add(const Instruction& original) {
            if (splitter.remakeable(original, in_loop)) return;  // made where it is used
            Instruction i = original;
            if (i.code == Code::loop) {
                // Bring in everything that the block reads from outside it, then rename the block.
                std::unordered_map<int, char> own;
                collectOwn(i, own);
                splitter.eachUse(original, [&](int r) {
                    if (!own.count(r)) use(r);
                });
                i.callee = copyLoop(i.callee);
            } else {
                renameUses(i);
                renameDefinitions(i);
            }
            out.code.push_back(i);
            splitter.eachDefinition(original, [&](int r) {
                const auto slot = slot_of.find(r);
                if (slot != slot_of.end()) {
                    Instruction store = splitter.spill(renamed.at(r), slot->second);
                    store.body = original.body;
                    out.code.push_back(std::move(store));
                }
            });
        }

        void collectOwn(const Instruction& i, std::unordered_map<int, char>& own) {
            const Loop& loop = splitter.function.loops[static_cast<std::size_t>(i.callee)];
            for (const Loop::Carried& c : loop.carried) own[c.inside] = 1;
            for (const Instruction& j : loop.block) {
                splitter.eachDefinition(j, [&](int r) { own[r] = 1; });
                if (j.code == Code::loop) collectOwn(j, own);
            }
        }

        int copyLoop(int index) {
            Loop loop = splitter.function.loops[static_cast<std::size_t>(index)];
            for (Loop::Carried& c : loop.carried) {
                c.initial = use(c.initial);
                c.inside = fresh(c.inside);
            }
            for (Instruction& j : loop.block) {
                if (j.code == Code::loop) {
                    j.callee = copyLoop(j.callee);
                } else {
                    renameUses(j);
                    renameDefinitions(j);
                }
            }
            for (Loop::Carried& c : loop.carried) {
                c.next = use(c.next);
                c.result = fresh(c.result);
            }
            out.loops.push_back(std::move(loop));
            return static_cast<int>(out.loops.size()) - 1;
        }

        Function finish() { return std::move(out); }
    };
};

/// Drops loops that no instruction refers to any more, and numbers registers from 0.
void tidy(Function& function) {
    std::vector<Loop> kept;
    std::unordered_map<int, int> renamed;
    const auto name = [&](int& r) {
        if (r >= 0) r = renamed.try_emplace(r, static_cast<int>(renamed.size())).first->second;
    };
    const auto visit = [&](auto&& self, std::vector<Instruction>& block) -> void {
        for (Instruction& i : block) {
            name(i.a);
            name(i.b);
            name(i.c);
            for (int& r : i.arguments) name(r);
            if (i.code == Code::loop) {
                Loop loop = std::move(function.loops[static_cast<std::size_t>(i.callee)]);
                for (Loop::Carried& c : loop.carried) {
                    name(c.initial);
                    name(c.inside);
                }
                self(self, loop.block);
                for (Loop::Carried& c : loop.carried) {
                    name(c.next);
                    name(c.result);
                }
                i.callee = static_cast<int>(kept.size());
                kept.push_back(std::move(loop));
            }
            if (hasResult(i.code)) name(i.dst);
            for (int& r : i.results) name(r);
        }
    };
    for (int& r : function.parameters) name(r);
    visit(visit, function.code);
    for (int& r : function.results) name(r);
    function.loops = std::move(kept);
    function.nregisters = static_cast<int>(renamed.size());
}

}  // namespace

int splitFunction(Program& program, Function& function, int limit, int spill_base) {
    Splitter splitter{program, function, std::max(limit, 16), spill_base};
    splitter.findWritten(function.code);
    splitter.findAnywhere(function.code);
    splitter.split(function.code, nullptr, nullptr);
    tidy(function);
    return splitter.slots_used;
}

}  // namespace mw::gen
