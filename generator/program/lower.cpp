// Lowering: depth-first from the assignments, the operand that needs more registers first; fused multiply-adds chosen
// here, sine and cosine of one argument as one call, loops for repeated sections.
#include "generator/program/lower.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "generator/program/sincos.h"
#include "generator/program/split.h"

namespace mw::gen {

namespace {

constexpr int kNone = -1;

int operandsOf(const Node& node, int (&operands)[3]) {
    int count = 0;
    for (int o : {node.a, node.b, node.c})
        if (o >= 0) operands[count++] = o;
    return count;
}

/// Whether two places of one array can be the same number, each with its own counter.
bool mayAlias(const Place& x, const Place& y) {
    if (x.array != y.array) return false;
    const long difference = static_cast<long>(x.index) - y.index;
    if (x.stride == 0 && y.stride == 0) return difference == 0;
    long a = std::labs(x.stride), b = std::labs(y.stride);
    while (b != 0) std::swap(a %= b, b);
    return difference % a == 0;
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
        top_.code = &function_.code;
        scope_ = &top_;
        gatherTrigonometry();
        for (const Section& section : entry.sections) lowerSection(section);
        function_.nregisters = registers_;
        return std::move(function_);
    }

private:
    struct Scope {
        std::vector<Instruction>* code = nullptr;
        std::unordered_map<int, int> registers;  ///< node -> register
    };

    void collect(const Entry& entry) {
        const std::size_t n = graph_.size();
        reached_.assign(n, 0);
        uses_.assign(n, 0);
        fusable_.assign(n, 0);
        std::vector<int> stack;
        for (const Section& section : entry.sections) {
            for (const Assignment& assignment : section.assignments) {
                written_.push_back(assignment.place);
                const int id = assignment.value.id();
                if (id < 0) continue;
                ++uses_[static_cast<std::size_t>(id)];
                stack.push_back(id);
            }
        }
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
        for (std::size_t id = 0; id < n; ++id) {
            if (!reached_[id]) continue;
            nodes_.push_back(static_cast<int>(id));
            const Node& node = graph_.node(static_cast<int>(id));
            if (node.op == Op::input) {
                need_[id] = 1;
                inputs_.push_back(static_cast<int>(id));
                for (const Place& place : written_)
                    if (place.array == node.place.array) volatile_[id] = 1;
                continue;
            }
            const int count = operandsOf(node, operands);
            if (count == 0) continue;
            std::array<int, 3> needs{};  // those that are not there need nothing and come last
            for (int k = 0; k < count; ++k) {
                needs[static_cast<std::size_t>(k)] = need_[static_cast<std::size_t>(operands[k])];
                volatile_[id] = static_cast<char>(volatile_[id] | volatile_[static_cast<std::size_t>(operands[k])]);
            }
            std::sort(needs.begin(), needs.end(), std::greater<>());
            int need = 1;
            for (int k = 0; k < count; ++k) need = std::max(need, needs[static_cast<std::size_t>(k)] + k);
            need_[id] = need;
        }
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
            if (argument.op == Op::input && argument.place.stride == 0 && !volatile_[static_cast<std::size_t>(node.a)])
                wanted.push_back(id);
        }
        if (wanted.empty()) return;
        caption_ = caption("sines and cosines of the joint angles");
        for (int id : wanted) compute(graph_.node(id).a);
        for (int id : wanted) compute(id);
    }

    void lowerSection(const Section& section) {
        caption_ = caption(section.caption);
        body_ = section.body;
        if (section.repeat == Section::Count::once) {
            for (Expr value : section.prepared)
                if (isOwnInstruction(value.id())) compute(value.id());
            for (const Assignment& assignment : section.assignments) assign(assignment);
            return;
        }
        if (section.repeat == Section::Count::constant && section.count <= 0) return;

        // What changes from turn to turn: strided inputs, inputs that the section itself writes, and all that depends
        // on them.
        variant_.assign(graph_.size(), 0);
        int operands[3];
        for (int id : nodes_) {
            const Node& node = graph_.node(id);
            char& variant = variant_[static_cast<std::size_t>(id)];
            if (node.op == Op::input) {
                variant = node.place.stride != 0;
                for (const Assignment& a : section.assignments)
                    variant |= static_cast<char>(mayAlias(a.place, node.place));
                continue;
            }
            const int count = operandsOf(node, operands);
            for (int k = 0; k < count; ++k) variant |= variant_[static_cast<std::size_t>(operands[k])];
        }
        Loop loop;
        loop.count = section.repeat == Section::Count::nrhs ? -1 : section.count;
        Scope inner;
        inner.code = &loop.block;
        looping_ = true;
        scope_ = &inner;
        for (const Assignment& assignment : section.assignments) assign(assignment);
        scope_ = &top_;
        looping_ = false;
        for (const Assignment& assignment : section.assignments) forget(assignment.place);
        Instruction i;
        i.code = Code::loop;
        i.callee = static_cast<int>(function_.loops.size());
        i.caption = caption_;
        i.body = body_;
        function_.loops.push_back(std::move(loop));
        function_.code.push_back(std::move(i));
    }

    void assign(const Assignment& assignment) {
        Instruction i;
        i.code = Code::store;
        i.place = placed(assignment.place);
        i.a = assignment.value.id() < 0 ? zero() : compute(assignment.value.id());
        i.body = body_;
        i.caption = caption_;
        scope_->code->push_back(std::move(i));
        forget(assignment.place);
    }

    /// Values that depend on a place that has just been written are computed anew when next needed.
    void forget(const Place& place) {
        bool any = false;
        for (int id : inputs_) any |= mayAlias(place, graph_.node(id).place);
        if (!any) return;
        std::vector<char> stale(graph_.size(), 0);
        int operands[3];
        for (int id : nodes_) {
            const std::size_t k = static_cast<std::size_t>(id);
            if (!volatile_[k]) continue;
            const Node& node = graph_.node(id);
            if (node.op == Op::input) {
                stale[k] = mayAlias(place, node.place);
            } else {
                const int count = operandsOf(node, operands);
                for (int o = 0; o < count; ++o) stale[k] |= stale[static_cast<std::size_t>(operands[o])];
            }
            if (stale[k]) {
                scope_->registers.erase(id);
                top_.registers.erase(id);
                sincos_done_.erase(id);
            }
        }
    }

    Place placed(Place place) const {
        if (place.array == Array::work) place.index += kWorkHeader;
        if (!looping_) place.stride = 0;
        return place;
    }

    Scope& home(int id) { return looping_ && !variant_[static_cast<std::size_t>(id)] ? top_ : *scope_; }

    int find(int id) {
        if (looping_ && variant_[static_cast<std::size_t>(id)]) {
            const auto inner = scope_->registers.find(id);
            return inner != scope_->registers.end() ? inner->second : kNone;
        }
        const auto outer = top_.registers.find(id);
        return outer != top_.registers.end() ? outer->second : kNone;
    }

    int zero() {
        Instruction i;
        i.code = Code::constant;
        return emit(std::move(i), *scope_, kNone);
    }

    int emit(Instruction i, Scope& scope, int id) {
        i.dst = registers_++;
        i.caption = caption_;
        i.body = body_;
        if (id >= 0 && static_cast<std::size_t>(id) < equations_.body_of_node.size()) {
            const int body = equations_.body_of_node[static_cast<std::size_t>(id)];
            if (body != kBase) i.body = body;
        }
        const int dst = i.dst;
        if (id >= 0) scope.registers[id] = dst;
        scope.code->push_back(std::move(i));
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
    bool sameHome(int x, int y) {
        return !looping_ || variant_[static_cast<std::size_t>(x)] == variant_[static_cast<std::size_t>(y)];
    }

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
        Scope& scope = home(id);
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
                i.place = placed(node.place);
                break;
            case Op::neg: unary(Code::neg); break;
            case Op::abs: unary(Code::abs); break;
            case Op::sqrt: unary(Code::sqrt); break;
            case Op::sin:
            case Op::cos: emitSincos(id, scope); return;
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
        emit(std::move(i), scope, id);
    }

    /// One call gives both; the partner of the same argument finds its value ready.
    void emitSincos(int id, Scope& scope) {
        const Node& node = graph_.node(id);
        const int argument = find(node.a);
        auto& done = sincos_done_[node.a];
        if (done.argument != argument || done.code != scope.code) {
            Instruction i;
            i.code = Code::call;
            i.callee = sincos_;
            i.arguments = {argument};
            i.results = {registers_, registers_ + 1};
            registers_ += 2;
            i.caption = caption_;
            i.body = body_;
            done = {argument, i.results[0], i.results[1], scope.code};
            scope.code->push_back(std::move(i));
        }
        scope.registers[id] = node.op == Op::sin ? done.sine : done.cosine;
    }

    struct Sincos {
        int argument = kNone, sine = kNone, cosine = kNone;
        const std::vector<Instruction>* code = nullptr;
    };

    const Equations& equations_;
    const Graph& graph_;
    Program& program_;
    Function function_;
    int registers_ = 0;
    int sincos_ = kNone;
    Scope top_;
    Scope* scope_ = nullptr;
    bool looping_ = false;
    int caption_ = kNone;
    int body_ = kBase;
    std::vector<int> nodes_, inputs_;
    std::vector<Place> written_;
    std::vector<char> reached_, volatile_, variant_, absorbed_;
    std::vector<int> uses_, fusable_, need_, fused_;
    std::unordered_map<int, Sincos> sincos_done_;
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
        spilled = std::max(spilled, splitFunction(program, function, options.function_limit, spill_base));
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
