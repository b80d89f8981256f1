// What can touch what, for many questions at once: bodies that are welded together and exclusions are looked up once.
// Single questions: canCollide, meetsGround (model.h).
#pragma once

#include <unordered_set>
#include <vector>

#include "engine/model/model.h"

namespace mw {

class Meetings {
public:
    explicit Meetings(const Model& model);
    bool pair(int shape_a, int shape_b) const;  ///< as canCollide
    bool ground(int shape) const;               ///< as meetsGround
    /// The body that a body's chain of fixed joints ends at; kBase for what stands still.
    int weldedTo(int body) const { return body < 0 ? kBase : root_[static_cast<std::size_t>(body)]; }

private:
    bool excluded(int a, int b) const;
    /// The welded whole that carries one; -2 for the base.
    int carrier(int root) const;

    const Model& model_;
    std::vector<int> root_;
    std::unordered_set<std::uint64_t> excluded_;
};

}  // namespace mw
