// Named blocks of a state, and its hash.
#include "engine/dynamics/state.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace mw;

TEST_CASE("a block is made once and found again", "[dynamics]") {
    State state;
    CHECK(state.findBlock("vdot") == nullptr);
    state.block("vdot", 3)[1] = 7;
    CHECK(state.block("vdot", 3) == std::vector<double>{0, 7, 0});
    state.block("anchor", 1);
    REQUIRE(state.findBlock("vdot") != nullptr);
    CHECK((*state.findBlock("vdot"))[1] == 7);
    CHECK(state.blocks.size() == 2);
}

TEST_CASE("a state's hash changes with every bit of it", "[dynamics]") {
    State state;
    state.q = {1, 2};
    state.v = {3};
    state.t = 0.5;
    state.step = 4;
    state.block("vdot", 1)[0] = 5;
    const Hash hash = stateHash(state);
    CHECK(stateHash(State(state)) == hash);
    const auto differs = [&](auto change) {
        State other = state;
        change(other);
        return stateHash(other) != hash;
    };
    CHECK(differs([](State& s) { s.q[0] = std::nextafter(1.0, 2.0); }));
    CHECK(differs([](State& s) { s.v[0] = -3; }));
    CHECK(differs([](State& s) { s.t = 0.25; }));
    CHECK(differs([](State& s) { s.step = 5; }));
    CHECK(differs([](State& s) { s.blocks[0].values[0] = 6; }));
    CHECK(differs([](State& s) { s.blocks[0].name = "other"; }));
    CHECK(differs([](State& s) { s.q = {1}, s.v = {2, 3}; }));
    State zero, minus_zero;
    zero.q = {0.0};
    minus_zero.q = {-0.0};
    CHECK(stateHash(zero) != stateHash(minus_zero));
}
