// Named blocks and the hash of a state.
#include "engine/dynamics/state.h"

namespace mw {

std::vector<double>& State::block(const std::string& name, std::size_t size) {
    for (StateBlock& b : blocks)
        if (b.name == name) {
            b.values.resize(size, 0.0);
            return b.values;
        }
    blocks.push_back({name, std::vector<double>(size, 0.0)});
    return blocks.back().values;
}

const std::vector<double>* State::findBlock(const std::string& name) const {
    for (const StateBlock& b : blocks)
        if (b.name == name) return &b.values;
    return nullptr;
}

Hash stateHash(const State& state) {
    // Counts enter before the values, so that a number cannot move from one list to the next unseen.
    Hasher h;
    const auto addList = [&h](const std::vector<double>& values) {
        h.add(static_cast<std::int64_t>(values.size()));
        h.add(std::span<const double>(values));
    };
    addList(state.q);
    addList(state.v);
    h.add(state.t);
    h.add(state.step);
    h.add(static_cast<std::int64_t>(state.blocks.size()));
    for (const StateBlock& b : state.blocks) {
        h.add(std::string_view(b.name));
        addList(b.values);
    }
    return h.finish();
}

}  // namespace mw
