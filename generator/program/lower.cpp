// Lowering: depth-first from the assignments, the operand that needs more registers first; fused multiply-adds chosen
// here, sine and cosine of one argument as one call, loops for repeated sections. Each value is made in the outermost
// block in which it does not change.
#include "generator/program/lower.h"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "generator/program/places.h"
#include "generator/program/prune.h"
#include "generator/program/sincos.h"
#include "generator/program/sines_apart.h"
#include "generator/program/split.h"

namespace mw::gen {

namespace {

constexpr int kNone = -1;
constexpr std::size_t kArrays = static_cast<std::size_t>(Array::local) + 1;

int operandsOf(const Node& node, int (&operands)[3]) {
    int count = 0;
    for (int o : {node.a, node.b, node.c})
        if (o >= 0) operands[count++] = o;
    return count;
}

std::string captionOf(const std::string& entry) {
    if (entry == "fwd_dyn") return "accelerations and loop multipliers of a state under forces";
    if (entry == "factor") return "factorises the mass matrix into work";
    if (entry == "apply_inverse_mass") return "inverse mass matrix times nrhs vectors; needs factor first";
    if (entry == "kinematics") return "pose (rotation row by row, origin) and velocity of every body, base axes";
    if (entry == "observe") return "points of interest, lengths and rates of the elements";
    if (entry == "mass_matrix") return "mass matrix of the tree, both triangles";
    if (entry == "bias") return "Coriolis, centrifugal and gravity terms of the tree";
    if (entry == "loop_jacobian") return "Jacobian of the loops, row by row";
    return "";
}

/// Lowers one entry into one function; the caller splits it.
class EntryLowering {
public:
    EntryLowering(const Equations& equations, Program& program)
        : equations_(equations), graph_(*equations.graph), program_(program) {}

    Function lower(const Entry& entry, int sincos) {
        sincos_ = sincos;
        function_.name = entry.name;
        function_.caption = captionOf(entry.name);
        collect(entry);
        chooseFusions();
        scopes_[0].code = &function_.code;
        scopes_[0].level.assign(graph_.size(), 0);
        gatherTrigonometry();
        for (const Section& section : entry.sections) lowerSection(section);
        function_.nregisters = registers_;
        pruneFunction(function_);
        return std::move(function_);
    }

private:
    static constexpr int kDeepest = 2;  ///< loops one in another

    struct Sincos {
        int sine = kNone, cosine = kNone;
    };
    /// The function's body (0), a loop's block (1), a loop's block in that (2).
    struct Scope {
        std::vector<Instruction>* code = nullptr;
        std::unordered_map<int, int> registers;  ///< node -> register
        /// Values with an outer counter that the loops in this block read: their places are counted by this one's.
        std::unordered_map<int, int> hoisted;
        std::unordered_map<int, Sincos> sincos;  ///< by the register of the argument
        std::vector<char> level;        ///< per node, seen from here: the outermost block in which it does not change
        long turns = 1;                 ///< -1: nrhs
        std::vector<LoopPlace> stores;  ///< of all sections of the loop
        std::set<int> locals;           ///< that they assign
    };

    void collect(const Entry& entry) {
        const std::size_t n = graph_.size();
        reached_.assign(n, 0);
        uses_.assign(n, 0);
        fusable_.assign(n, 0);
        std::vector<int> stack;
        const auto visit = [&](auto&& self, const std::vector<Section>& sections, int depth) -> void {
            for (const Section& section : sections) {
                const int inside = depth + (section.repeat != Section::Count::once);
                if (inside > kDeepest) throw std::logic_error("more than two repeated sections one in another");
                for (const Assignment& assignment : section.assignments) {
                    checkPlace(assignment.place);
                    written_[static_cast<std::size_t>(assignment.place.array)] = 1;
                    const int id = assignment.value.id();
                    if (id < 0) continue;
                    ++uses_[static_cast<std::size_t>(id)];
                    stack.push_back(id);
                }
                self(self, section.inner, inside);
            }
        };
        visit(visit, entry.sections, 0);
        int operands[3];
        while (!stack.empty()) {
            const int id = stack.back();
            stack.pop_back();
            if (reached_[static_cast<std::size_t>(id)]) continue;
            reached_[static_cast<std::size_t>(id)] = 1;
            const Node& node = graph_.node(id);
            const int count = operandsOf(node, operands);
            for (int k = 0; k < count; ++k) {
                ++uses_[static_cast<std::size_t>(operands[k])];
                if (node.op == Op::add || node.op == Op::sub) ++fusable_[static_cast<std::size_t>(operands[k])];
                stack.push_back(operands[k]);
            }
        }
        need_.assign(n, 0);
        volatile_.assign(n, 0);
        plain_.assign(n, 1);
        for (std::size_t id = 0; id < n; ++id) {
            if (!reached_[id]) continue;
            nodes_.push_back(static_cast<int>(id));
            const Node& node = graph_.node(static_cast<int>(id));
            if (node.op == Op::input) {
                checkPlace(node.place);
                need_[id] = 1;
                read_[static_cast<std::size_t>(node.place.array)] = 1;
                volatile_[id] = written_[static_cast<std::size_t>(node.place.array)];
                plain_[id] = node.place.stride == 0 && node.place.outer == 0;
                continue;
            }
            const int count = operandsOf(node, operands);
            if (count == 0) continue;
            std::array<int, 3> needs{};  // those that are not there need nothing and come last
            for (int k = 0; k < count; ++k) {
                needs[static_cast<std::size_t>(k)] = need_[static_cast<std::size_t>(operands[k])];
                volatile_[id] = static_cast<char>(volatile_[id] | volatile_[static_cast<std::size_t>(operands[k])]);
                plain_[id] = static_cast<char>(plain_[id] & plain_[static_cast<std::size_t>(operands[k])]);
            }
            std::sort(needs.begin(), needs.end(), std::greater<>());
            int need = 1;
            for (int k = 0; k < count; ++k) need = std::max(need, needs[static_cast<std::size_t>(k)] + k);
            need_[id] = need;
        }
    }

    static void checkPlace(const Place& place) {
        if (place.array != Array::local) return;
        if (place.index < 0 || place.stride != 0 || place.outer != 0)
            throw std::logic_error("registers have numbers from 0 and no strides");
    }

    /// For every sum: the product that it absorbs, if any. A product goes into all its sums or stays an instruction.
    void chooseFusions() {
        fused_.assign(graph_.size(), kNone);
        absorbed_.assign(graph_.size(), 0);
        if (program_.cpu != CpuClass::fma) return;
        const auto fits = [&](int id) {
            const std::size_t k = static_cast<std::size_t>(id);
            return graph_.node(id).op == Op::mul && uses_[k] == 1 && fusable_[k] == 1;
        };
        for (int id : nodes_) {
            const Node& node = graph_.node(id);
            if (node.op != Op::add && node.op != Op::sub) continue;
            if (fits(node.b)) fused_[static_cast<std::size_t>(id)] = node.b;
            else if (fits(node.a)) fused_[static_cast<std::size_t>(id)] = node.a;
            const int product = fused_[static_cast<std::size_t>(id)];
            if (product != kNone) absorbed_[static_cast<std::size_t>(product)] = 1;
        }
    }

    /// Whether a value is needed and computed as such (not within a fused multiply-add alone).
    bool isOwnInstruction(int id) const {
        if (id < 0 || !reached_[static_cast<std::size_t>(id)] || graph_.node(id).op == Op::constant) return false;
        return !absorbed_[static_cast<std::size_t>(id)];
    }

    int caption(const std::string& text) {
        if (text.empty()) return kNone;
        auto& captions = program_.captions;
        const auto found = std::find(captions.begin(), captions.end(), text);
        if (found != captions.end()) return static_cast<int>(found - captions.begin());
        captions.push_back(text);
        return static_cast<int>(captions.size()) - 1;
    }

    /// Sines and cosines of plain inputs come first and together, so that a back end can do them side by side.
    void gatherTrigonometry() {
        std::vector<int> wanted;
        for (int id : nodes_) {
            const Node& node = graph_.node(id);
            if (node.op != Op::sin && node.op != Op::cos) continue;
            const Node& argument = graph_.node(node.a);
            if (argument.op == Op::input && plain_[static_cast<std::size_t>(node.a)] &&
                !volatile_[static_cast<std::size_t>(node.a)] && argument.place.array != Array::local)
                wanted.push_back(id);
        }
        if (wanted.empty()) return;
        caption_ = caption("sines and cosines of the joint angles");
        for (int id : wanted) compute(graph_.node(id).a);
        for (int id : wanted) compute(id);
    }

    Scope& scope() { return scopes_[static_cast<std::size_t>(depth_)]; }

    void lowerSection(const Section& section) {
        caption_ = caption(section.caption);
        body_ = section.body;
        if (section.repeat == Section::Count::once) {
            lowerTurn(section);
            return;
        }
        if (section.repeat == Section::Count::constant && section.count <= 0) return;
        const int at = caption_, body = body_;
        Loop loop;
        loop.count = section.repeat == Section::Count::nrhs ? -1 : section.count;
        openLoop(section, loop);
        lowerTurn(section);
        closeLoop(loop);
        Instruction i;
        i.code = Code::loop;
        i.callee = static_cast<int>(function_.loops.size());
        i.caption = at;
        i.body = body;
        function_.loops.push_back(std::move(loop));
        scope().code->push_back(std::move(i));
    }

    void openLoop(const Section& section, Loop& loop) {
        const std::size_t depth = static_cast<std::size_t>(depth_) + 1;
        Scope& inner = scopes_[depth];
        inner = {};
        inner.code = &loop.block;
        inner.turns = loop.count;
        gatherStores(section, static_cast<int>(depth), inner);
        inner.level.assign(graph_.size(), 0);
        int operands[3];
        for (int id : nodes_) {
            const Node& node = graph_.node(id);
            char& level = inner.level[static_cast<std::size_t>(id)];
            if (node.op == Op::input) {
                level = levelOf(node.place, static_cast<int>(depth));
                continue;
            }
            const int count = operandsOf(node, operands);
            for (int k = 0; k < count; ++k) level = std::max(level, inner.level[static_cast<std::size_t>(operands[k])]);
        }
        // Registers that the loop assigns pass from turn to turn; those without a value yet must get one before they
        // are read in the first turn.
        for (int number : inner.locals) {
            const auto known = locals_.find(number);
            Loop::Carried carried{kNone, registers_++, kNone, kNone};
            if (known == locals_.end()) {
                carried.initial = zero();
                unset_.insert(carried.initial);
            } else {
                carried.initial = known->second;
                known->second = carried.inside;
            }
            loop.carried.push_back(carried);
        }
        ++depth_;
    }

    void closeLoop(Loop& loop) {
        Scope& inner = scope();
        std::size_t k = 0;
        for (int number : inner.locals) {
            Loop::Carried& carried = loop.carried[k++];
            const auto last = locals_.find(number);
            carried.next = last == locals_.end() ? carried.inside : last->second;
            carried.result = registers_++;
            // One that had no value may have none still where there may be no turn.
            if (loop.count < 0 && unset_.count(carried.initial) != 0) locals_.erase(number);
            else if (last != locals_.end()) last->second = carried.result;
        }
        --depth_;
        forget(inner.stores, inner.locals);
    }

    /// Where the sections of a loop store, whatever the turn.
    void gatherStores(const Section& section, int depth, Scope& loop) {
        long turns[3] = {1, 1, 1};
        for (int k = 1; k < depth; ++k) turns[k] = scopes_[static_cast<std::size_t>(k)].turns;
        const auto visit = [&](auto&& self, const Section& of, int at) -> void {
            for (const Assignment& assignment : of.assignments) {
                if (assignment.place.array == Array::local) loop.locals.insert(assignment.place.index);
                else loop.stores.push_back(loopPlace(assignment.place, at, turns));
            }
            for (const Section& inner : of.inner) {
                if (inner.repeat == Section::Count::once) {
                    self(self, inner, at);
                    continue;
                }
                if (inner.repeat == Section::Count::constant && inner.count <= 0) continue;
                turns[at + 1] = inner.repeat == Section::Count::nrhs ? -1 : inner.count;
                self(self, inner, at + 1);
                turns[at + 1] = 1;
            }
        };
        turns[depth] = loop.turns;
        visit(visit, section, depth);
    }

    /// The place as seen from inside so many loops of those that are open.
    LoopPlace seenFrom(const Place& place, int depth) const {
        long turns[3] = {1, 1, 1};
        for (int k = 1; k <= depth; ++k) turns[k] = scopes_[static_cast<std::size_t>(k)].turns;
        return loopPlace(place, depth, turns);
    }

    char levelOf(const Place& place, int depth) const {
        const LoopPlace seen = seenFrom(place, depth);
        int level = 0;
        for (int k = 1; k <= depth; ++k) {
            const Scope& loop = scopes_[static_cast<std::size_t>(k)];
            if (place.array == Array::local) {
                if (loop.locals.count(place.index) != 0) level = k;
                continue;
            }
            if (seen.factor[k] != 0) level = k;
            for (std::size_t s = 0; s < loop.stores.size() && level < k; ++s)
                if (mayMeet(seen, loop.stores[s], k - 1)) level = k;
        }
        return static_cast<char>(level);
    }

    /// One turn: the values are those of its start, so what a store would overwrite is read before it.
    void lowerTurn(const Section& section) {
        std::vector<int> reads = lateReads(section);
        std::vector<LoopPlace> stored;
        std::vector<std::pair<int, int>> assigned;
        std::set<int> locals;
        for (Expr value : section.prepared)
            if (isOwnInstruction(value.id())) compute(value.id());
        for (const Assignment& assignment : section.assignments) {
            const int id = assignment.value.id();
            const int value = id < 0 ? zero() : compute(id);
            if (assignment.place.array == Array::local) {
                assigned.emplace_back(assignment.place.index, value);
                locals.insert(assignment.place.index);
                continue;
            }
            const LoopPlace place = seenFrom(assignment.place, depth_);
            for (int read : reads)
                if (find(read) == kNone && mayMeet(seenFrom(graph_.node(read).place, depth_), place, depth_))
                    compute(read);
            Instruction i;
            i.code = Code::store;
            i.place = placed(assignment.place, depth_, depth_);
            i.a = value;
            i.body = body_;
            i.caption = caption_;
            scope().code->push_back(std::move(i));
            stored.push_back(place);
        }
        for (const auto& [number, value] : assigned) locals_[number] = value;
        forget(stored, locals);
        for (const Section& inner : section.inner) lowerSection(inner);
    }

    /// Inputs that the section has yet to read and might overwrite before.
    std::vector<int> lateReads(const Section& section) {
        std::vector<char> seen(graph_.size(), 0);
        std::vector<int> stack, reads;
        bool overwrites = false;
        for (const Assignment& assignment : section.assignments) {
            overwrites |= read_[static_cast<std::size_t>(assignment.place.array)] != 0;
            if (assignment.value.id() >= 0) stack.push_back(assignment.value.id());
        }
        if (!overwrites) return reads;
        int operands[3];
        while (!stack.empty()) {
            const int id = stack.back();
            stack.pop_back();
            if (!volatile_[static_cast<std::size_t>(id)] || seen[static_cast<std::size_t>(id)]) continue;
            seen[static_cast<std::size_t>(id)] = 1;
            const Node& node = graph_.node(id);
            if (node.place.array == Array::local && node.op == Op::input) continue;
            if (find(id) != kNone) continue;
            if (node.op == Op::input) reads.push_back(id);
            const int count = operandsOf(node, operands);
            for (int k = 0; k < count; ++k) stack.push_back(operands[k]);
        }
        std::sort(reads.begin(), reads.end());
        return reads;
    }

    /// Values of the block that depend on a place that was written, or on a register that was assigned, are computed
    /// anew when next needed. `stored` may lie in loops of the block.
    void forget(const std::vector<LoopPlace>& stored, const std::set<int>& locals) {
        std::vector<char> touched(kArrays, 0);
        for (const LoopPlace& place : stored) touched[static_cast<std::size_t>(place.array)] = 1;
        bool any = !locals.empty();
        for (std::size_t k = 0; k < kArrays; ++k) any |= touched[k] && read_[k];
        if (!any) return;
        const auto clean = [&](std::unordered_map<int, int>& registers, bool from_within) {
            if (registers.empty()) return;
            std::vector<char> stale(graph_.size(), 0);
            int operands[3];
            for (int id : nodes_) {
                const std::size_t k = static_cast<std::size_t>(id);
                if (!volatile_[k]) continue;
                const Node& node = graph_.node(id);
                if (node.op == Op::input) {
                    if (node.place.array == Array::local) {
                        stale[k] = locals.count(node.place.index) != 0;
                    } else if (touched[static_cast<std::size_t>(node.place.array)]) {
                        Place place = node.place;
                        if (from_within) place = {place.array, place.index, place.outer, 0};
                        const LoopPlace seen = seenFrom(place, depth_);
                        for (std::size_t s = 0; s < stored.size() && !stale[k]; ++s)
                            stale[k] = mayMeet(seen, stored[s], depth_);
                    }
                } else {
                    const int count = operandsOf(node, operands);
                    for (int o = 0; o < count; ++o) stale[k] |= stale[static_cast<std::size_t>(operands[o])];
                }
                if (stale[k]) registers.erase(id);
            }
        };
        clean(scope().registers, false);
        clean(scope().hoisted, true);
    }

    /// The place of an instruction in block `level` that was written down inside `depth` loops.
    static Place placed(Place place, int level, int depth) {
        if (place.array == Array::work) place.index += kWorkHeader;
        if (level < depth) place = {place.array, place.index, place.outer, 0};
        if (level < depth - 1 || level == 0) place.stride = 0;
        if (level < 2) place.outer = 0;
        return place;
    }

    int levelOf(int id) { return scope().level[static_cast<std::size_t>(id)]; }

    /// Where a value's register is noted, once it has one.
    std::unordered_map<int, int>& home(int id) {
        const int level = levelOf(id);
        Scope& at = scopes_[static_cast<std::size_t>(level)];
        return level == 1 && depth_ == 2 && !plain_[static_cast<std::size_t>(id)] ? at.hoisted : at.registers;
    }

    int find(int id) {
        const Node& node = graph_.node(id);
        if (node.op == Op::input && node.place.array == Array::local) {
            const auto known = locals_.find(node.place.index);
            if (known == locals_.end())
                throw std::logic_error("local[" + std::to_string(node.place.index) + "] is read before it is assigned");
            return known->second;
        }
        const auto& registers = home(id);
        const auto known = registers.find(id);
        return known != registers.end() ? known->second : kNone;
    }

    int zero() {
        Instruction i;
        i.code = Code::constant;
        return emit(std::move(i), kNone);
    }

    /// Appends to the block in which node `id` belongs (no node: the current one).
    int emit(Instruction i, int id) {
        i.dst = registers_++;
        i.caption = caption_;
        i.body = body_;
        if (id >= 0 && static_cast<std::size_t>(id) < equations_.body_of_node.size()) {
            const int body = equations_.body_of_node[static_cast<std::size_t>(id)];
            if (body != kBase) i.body = body;
        }
        const int dst = i.dst;
        if (id >= 0) home(id)[id] = dst;
        scopes_[static_cast<std::size_t>(id >= 0 ? levelOf(id) : depth_)].code->push_back(std::move(i));
        return dst;
    }

    /// Operands that must be in registers before the node itself is emitted.
    int wants(int id, int (&operands)[4]) {
        const Node& node = graph_.node(id);
        const int product = fused_[static_cast<std::size_t>(id)];
        int plain[3];
        int count = 0;
        const int n = operandsOf(node, plain);
        for (int k = 0; k < n; ++k) {
            if (plain[k] == product && product != kNone && sameHome(id, product)) {
                const Node& p = graph_.node(product);
                operands[count++] = p.a;
                operands[count++] = p.b;
            } else {
                operands[count++] = plain[k];
            }
        }
        return count;
    }
    bool sameHome(int x, int y) { return levelOf(x) == levelOf(y); }

    int compute(int root) {
        int found = find(root);
        if (found != kNone) return found;
        struct Frame {
            int id;
            int operands[4];
            int count;
            int next;
        };
        std::vector<Frame> stack;
        const auto open = [&](int id) {
            Frame frame{id, {}, 0, 0};
            frame.count = wants(id, frame.operands);
            std::stable_sort(frame.operands, frame.operands + frame.count, [&](int x, int y) {
                return need_[static_cast<std::size_t>(x)] > need_[static_cast<std::size_t>(y)];
            });
            stack.push_back(frame);
        };
        open(root);
        while (!stack.empty()) {
            Frame& frame = stack.back();
            if (frame.next < frame.count) {
                const int operand = frame.operands[frame.next++];
                if (find(operand) == kNone) open(operand);
                continue;
            }
            const int id = frame.id;
            stack.pop_back();
            if (find(id) == kNone) emitNode(id);
        }
        return find(root);
    }

    void emitNode(int id) {
        const Node& node = graph_.node(id);
        Instruction i;
        const auto unary = [&](Code code) {
            i.code = code;
            i.a = find(node.a);
        };
        const auto binary = [&](Code code) {
            i.code = code;
            i.a = find(node.a);
            i.b = find(node.b);
        };
        const auto library = [&](Library function) {
            i.code = Code::library;
            i.callee = static_cast<int>(function);
            i.a = find(node.a);
            if (node.b >= 0) i.b = find(node.b);
        };
        switch (node.op) {
            case Op::constant:
                i.code = Code::constant;
                i.value = node.value;
                break;
            case Op::input:
                i.code = Code::load;
                i.place = placed(node.place, levelOf(id), depth_);
                break;
            case Op::neg: unary(Code::neg); break;
            case Op::abs: unary(Code::abs); break;
            case Op::sqrt: unary(Code::sqrt); break;
            case Op::sin:
            case Op::cos: emitSincos(id); return;
            case Op::tan: library(Library::tan); break;
            case Op::asin: library(Library::asin); break;
            case Op::acos: library(Library::acos); break;
            case Op::exp: library(Library::exp); break;
            case Op::log: library(Library::log); break;
            case Op::pow: library(Library::pow); break;
            case Op::atan2: library(Library::atan2); break;
            case Op::add:
            case Op::sub: {
                const int product = fused_[static_cast<std::size_t>(id)];
                if (product == kNone || !sameHome(id, product)) {
                    binary(node.op == Op::add ? Code::add : Code::sub);
                    break;
                }
                const Node& p = graph_.node(product);
                i.a = find(p.a);
                i.b = find(p.b);
                i.c = find(product == node.b ? node.a : node.b);
                if (node.op == Op::add) i.code = Code::fma;
                else i.code = product == node.b ? Code::fnma : Code::fms;
                break;
            }
            case Op::mul: binary(Code::mul); break;
            case Op::div: binary(Code::div); break;
            case Op::min: binary(Code::min); break;
            case Op::max: binary(Code::max); break;
            case Op::less: binary(Code::less); break;
            case Op::select:
                i.code = Code::select;
                i.a = find(node.a);
                i.b = find(node.b);
                i.c = find(node.c);
                break;
        }
        emit(std::move(i), id);
    }

    /// One call gives both; the partner of the same argument finds its value ready.
    void emitSincos(int id) {
        const Node& node = graph_.node(id);
        const int argument = find(node.a);
        Scope& at = scopes_[static_cast<std::size_t>(levelOf(id))];
        auto& done = at.sincos[argument];
        if (done.sine == kNone) {
            Instruction i;
            i.code = Code::call;
            i.callee = sincos_;
            i.arguments = {argument};
            i.results = {registers_, registers_ + 1};
            registers_ += 2;
            i.caption = caption_;
            i.body = body_;
            done = {i.results[0], i.results[1]};
            at.code->push_back(std::move(i));
        }
        home(id)[id] = node.op == Op::sin ? done.sine : done.cosine;
    }

    const Equations& equations_;
    const Graph& graph_;
    Program& program_;
    Function function_;
    int registers_ = 0;
    int sincos_ = kNone;
    std::array<Scope, kDeepest + 1> scopes_;
    int depth_ = 0;                        ///< loops around what is being lowered
    std::unordered_map<int, int> locals_;  ///< number -> register that holds it now
    int caption_ = kNone;
    int body_ = kBase;
    std::set<int> unset_;  ///< what loops carry in for registers without a value
    std::vector<int> nodes_;
    std::array<char, kArrays> written_{}, read_{};  ///< per array, anywhere in the entry
    std::vector<char> reached_, absorbed_;
    std::vector<char> volatile_;  ///< depends on an array that the entry writes
    std::vector<char> plain_;     ///< depends on no counter by its places
    std::vector<int> uses_, fusable_, need_, fused_;
};

bool usesTrigonometry(const Equations& equations) {
    for (std::size_t id = 0; id < equations.graph->size(); ++id) {
        const Op op = equations.graph->node(static_cast<int>(id)).op;
        if (op == Op::sin || op == Op::cos) return true;
    }
    return false;
}

}  // namespace

Program lower(const Equations& equations, const std::string& name, const Hash& model_hash,
              const LowerOptions& options) {
    Program program;
    program.model_name = name;
    program.model_hash = model_hash;
    program.cpu = options.cpu;
    program.choice = equations.choice;
    for (const Table& table : equations.tables)
        program.table.insert(program.table.end(), table.values.begin(), table.values.end());
    int sincos = kNone;
    if (usesTrigonometry(equations)) {
        sincos = 0;
        program.functions.push_back(makeSincos(options.cpu));
    }
    const int spill_base = kWorkHeader + equations.nwork;
    int spilled = 0;
    for (const Entry& entry : equations.entries) {
        Function function = EntryLowering(equations, program).lower(entry, sincos);
        const int apart = options.sines_apart ? takeSinesApart(program, function, sincos, spill_base) : 0;
        spilled =
            std::max(spilled, apart + splitFunction(program, function, options.function_limit, spill_base + apart));
        program.functions.push_back(std::move(function));
        ProgramEntry made;
        made.name = entry.name;
        made.function = static_cast<int>(program.functions.size()) - 1;
        program.entries.push_back(std::move(made));
    }
    program.nwork = spill_base + spilled;
    countOperations(program);
    return program;
}

}  // namespace mw::gen
