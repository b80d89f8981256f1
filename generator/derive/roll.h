// Loops over the shoes of a band: what passes from turn to turn is found by going round until nothing new turns up, and
// what loops leave for later ones is laid out in `work`, a row for each number.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "generator/derive/equations.h"

namespace mw::gen {

/// How a loop goes over numbers that lie one shoe after the other: the shoe `start + step turn`, shoes counted from the
/// first that has a joint.
struct Walk {
    int start = 0, step = 1, turns = 0;
    int outer = 0;  ///< what each turn of the loop around it adds to the place, where there is one
    Place place(Array array, int first, int per_shoe) const {
        return {array, first + per_shoe * start, per_shoe * step, outer};
    }
};

/// A number of each shoe in `work`, or a constant of all.
struct Kept {
    int slot = -1;
    Expr constant;
};
template <std::size_t N>
using KeptAll = std::array<Kept, N>;

/// What the loops of one entry over one band share: registers and room in `work`, where each kept number has a row with
/// one place for every shoe.
class Rolling {
public:
    Rolling(Graph& graph, int first_local, int work, int shoes)
        : graph_(graph), next_local_(first_local), work_(work), shoes_(shoes) {}

    /// Keeps a number of the shoe at hand; constants need no room.
    Kept keep(std::vector<Assignment>& stores, const Walk& walk, Expr value) {
        if (!value.graph() || value.isConstant()) return {-1, value};
        const Kept kept{used_++, {}};
        stores.push_back({inner(walk, kept), value});
        return kept;
    }
    Expr read(const Kept& kept, const Walk& walk) const {
        return kept.slot < 0 ? kept.constant : graph_.input(inner(walk, kept));
    }
    template <std::size_t N>
    KeptAll<N> keep(std::vector<Assignment>& stores, const Walk& walk, const std::array<Expr, N>& values) {
        KeptAll<N> kept;
        for (std::size_t i = 0; i < N; ++i) kept[i] = keep(stores, walk, values[i]);
        return kept;
    }
    template <std::size_t N>
    std::array<Expr, N> read(const KeptAll<N>& kept, const Walk& walk) const {
        std::array<Expr, N> values;
        for (std::size_t i = 0; i < N; ++i) values[i] = read(kept[i], walk);
        return values;
    }

    /// A register that is assigned in `section`.
    Expr local(Section& section, Expr value) {
        const Place place{Array::local, next_local_++};
        section.assignments.push_back({place, value});
        return graph_.input(place);
    }

    /// A loop: `turn(state, stores)` takes a state to the one after the turn. Numbers of the state that do not change
    /// stay what they are (structural zeros most of all); the others become registers, which `before` fills and `loop`
    /// moves on. Returns the state after the last turn. State has `each(f)`, which calls f with all its numbers.
    template <class State, class Turn>
    State roll(Section& before, Section& loop, const Walk& walk, const State& initial, Turn&& turn) {
        std::vector<Expr> first;
        State(initial).each([&](Expr& e) { first.push_back(e); });
        std::vector<int> local(first.size(), -1);
        const int used = used_;
        for (;;) {
            used_ = used;
            State state = initial;
            std::size_t k = 0;
            state.each([&](Expr& e) {
                if (local[k] >= 0) e = graph_.input(Array::local, local[k]);
                ++k;
            });
            const State carried = state;
            std::vector<Assignment> stores;
            turn(state, stores);
            bool grown = false;
            k = 0;
            state.each([&](Expr& e) {
                if (local[k] < 0 && !same(e, first[k])) local[k] = next_local_++, grown = true;
                ++k;
            });
            if (grown) continue;
            loop.repeat = Section::Count::constant;
            loop.count = walk.turns;
            loop.assignments.insert(loop.assignments.end(), stores.begin(), stores.end());
            k = 0;
            state.each([&](Expr& e) {
                if (local[k] >= 0) {
                    before.assignments.push_back({Place{Array::local, local[k]}, given(first[k])});
                    loop.assignments.push_back({Place{Array::local, local[k]}, given(e)});
                }
                ++k;
            });
            return carried;
        }
    }

    Expr given(Expr e) const { return e.graph() ? e : graph_.constant(0); }
    int nextLocal() const { return next_local_; }
    /// The slot of `work` behind all rows.
    int end() const { return work_ + used_ * shoes_; }

private:
    static bool same(Expr a, Expr b) { return (a.isZero() && b.isZero()) || (a.graph() && a.id() == b.id()); }
    Place inner(const Walk& walk, const Kept& kept) const {
        // A loop around, over right-hand sides, finds always the same.
        return {Array::work, work_ + kept.slot * shoes_ + walk.start, walk.step};
    }

    Graph& graph_;
    int next_local_, work_, shoes_, used_ = 0;
};

}  // namespace mw::gen
