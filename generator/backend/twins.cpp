// Matches the two halves from what the turn hands on and stores, backwards to what it reads; operands of sums and
// products may stand the other way round.
#include "generator/backend/twins.h"

#include <algorithm>

#include "generator/backend/side_by_side.h"

namespace mw::gen {

namespace {

constexpr int kMostSteps = 20000;  ///< of trying

class Matcher {
public:
    Matcher(const Function& function, const Loop& loop) : loop_(loop) {
        const auto n = static_cast<std::size_t>(function.nregisters);
        made_.assign(n, kOutside);
        partner_.assign(n, kNone);
        taken_.assign(n, kNone);
    }

    Twins run() {
        const std::size_t half = loop_.carried.size() / 2;
        if (half == 0 || loop_.carried.size() % 2 != 0 || !worthwhile()) return {};
        std::vector<int> stores;
        for (std::size_t k = 0; k < loop_.block.size(); ++k) {
            const Instruction& i = loop_.block[k];
            if (i.code == Code::store) stores.push_back(static_cast<int>(k));
            else if (hasResult(i.code)) made_[at(i.dst)] = static_cast<int>(k);
        }
        if (stores.size() % 2 != 0 || storesMeet(stores)) return {};
        for (std::size_t k = 0; k < half; ++k) {
            made_[at(loop_.carried[k].inside)] = made_[at(loop_.carried[k + half].inside)] = kCarried;
            note(loop_.carried[k].inside, loop_.carried[k + half].inside);
        }
        for (std::size_t k = 0; k < half; ++k)
            if (!match(loop_.carried[k].next, loop_.carried[k + half].next)) return {};
        const std::size_t pairs = stores.size() / 2;
        for (std::size_t k = 0; k < pairs; ++k) {
            const Instruction& x = loop_.block[at(stores[k])];
            const Instruction& y = loop_.block[at(stores[k + pairs])];
            if (!alike(x, y) || !match(x.a, y.a)) return {};
            steps_.push_back({stores[k], stores[k + pairs], {x.a, -1, -1}, {y.a, -1, -1}});
        }
        // Nothing of the block may be left over.
        std::vector<char> covered(loop_.block.size(), 0);
        for (const TwinStep& step : steps_) covered[at(step.first)] = covered[at(step.second)] = 1;
        if (std::count(covered.begin(), covered.end(), 0) != 0) return {};
        std::sort(steps_.begin(), steps_.end(), [](const TwinStep& x, const TwinStep& y) { return x.first < y.first; });
        return {std::move(steps_), std::move(partner_)};
    }

private:
    static constexpr int kNone = -1, kOutside = -1, kCarried = -2;
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// Moving numbers into lanes costs about what the lanes save where there is little arithmetic.
    bool worthwhile() const {
        int work = 0, moved = 0;
        for (const Instruction& i : loop_.block) {
            if (i.code == Code::call || i.code == Code::loop || i.code == Code::library) return false;
            (i.code == Code::load || i.code == Code::store ? moved : work) += 1;
        }
        return work >= 2 * moved;
    }

    bool storesMeet(const std::vector<int>& stores) const {
        for (int s : stores)
            for (std::size_t k = 0; k < loop_.block.size(); ++k) {
                const Instruction& i = loop_.block[k];
                if (static_cast<int>(k) == s || (i.code != Code::load && i.code != Code::store)) continue;
                if (meetInTurn(loop_.block[at(s)].place, i.place, loop_.count)) return true;
            }
        return false;
    }

    /// The same operation, on places of the same array that move alike.
    static bool alike(const Instruction& x, const Instruction& y) {
        if (x.code != y.code) return false;
        if (x.code == Code::constant) return x.value == y.value;
        if (x.code != Code::load && x.code != Code::store) return true;
        return x.place.array == y.place.array && x.place.stride == y.place.stride && x.place.outer == y.place.outer;
    }

    void note(int a, int b) {
        partner_[at(a)] = b;
        taken_[at(b)] = a;
        trail_.push_back(a);
    }
    void undo(std::size_t mark, std::size_t steps) {
        for (; trail_.size() > mark; trail_.pop_back()) {
            taken_[at(partner_[at(trail_.back())])] = kNone;
            partner_[at(trail_.back())] = kNone;
        }
        steps_.resize(steps);
    }

    /// Whether register `a` of the first lane can be `b` in the second.
    bool match(int a, int b) {
        if (++tried_ > kMostSteps) return false;
        const int x = made_[at(a)], y = made_[at(b)];
        if (x == kOutside || y == kOutside) return x == y;
        if (partner_[at(a)] != kNone || taken_[at(b)] != kNone) return partner_[at(a)] == b;
        if (x == kCarried || y == kCarried) return false;
        const Instruction& first = loop_.block[at(x)];
        const Instruction& second = loop_.block[at(y)];
        if (!alike(first, second)) return false;
        const std::size_t mark = trail_.size(), steps = steps_.size();
        note(a, b);
        const bool swappable = first.code == Code::add || first.code == Code::mul || first.code == Code::fma ||
                               first.code == Code::fms || first.code == Code::fnma;
        for (const bool swapped : {false, true}) {
            if (swapped && !swappable) break;
            TwinStep step{x, y, {first.a, first.b, first.c}, {second.a, second.b, second.c}};
            if (swapped) std::swap(step.other[0], step.other[1]);
            const std::size_t inner_mark = trail_.size(), inner_steps = steps_.size();
            bool fits = true;
            for (int k = 0; k < operandCount(first) && fits; ++k) fits = match(step.operands[k], step.other[k]);
            if (fits) {
                steps_.push_back(step);
                return true;
            }
            undo(inner_mark, inner_steps);
        }
        undo(mark, steps);
        return false;
    }

    const Loop& loop_;
    std::vector<int> made_;             ///< per register: instruction of the block, kCarried or kOutside
    std::vector<int> partner_, taken_;  ///< first lane -> second, and back
    std::vector<int> trail_;
    std::vector<TwinStep> steps_;
    int tried_ = 0;
};

}  // namespace

Twins findTwins(const Function& function, const Loop& loop) { return Matcher(function, loop).run(); }

}  // namespace mw::gen
