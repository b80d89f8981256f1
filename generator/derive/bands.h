// All bands of a model: their sections in the entries, two equal bands side by side in one loop.
#pragma once

#include <string>
#include <vector>

#include "generator/derive/band.h"

namespace mw::gen {

class Bands {
public:
    /// `model`: the whole one.
    Bands(Graph& graph, const Model& model, const Layout& layout, const std::vector<Band>& bands, NodeOwners& owners,
          Fault fault);

    /// Adds to entries that hold the rest of the model.
    void addTo(Equations& equations) const;
    /// One sentence for the log. After addTo.
    const std::string& choice() const { return choice_; }

private:
    using Sections = std::vector<Section>;
    using Method = Sections (BandDynamics::*)(Rolling&) const;
    void add(Equations& equations, const std::string& entry, Method method, int work, int& used) const;
    void addInverseMass(Equations& equations) const;
    Section zeros(Array array, int count) const;
    void describe(const Equations& equations) const;

    Graph& graph_;
    const Layout& layout_;
    std::vector<BandDynamics> bands_;
    mutable std::string choice_;
};

}  // namespace mw::gen
