// Force elements and observations: what springs, dampers, actuators and points of interest need of the tree.
#pragma once

#include <utility>
#include <vector>

#include "generator/derive/tree.h"

namespace mw::gen {

/// A tsda's line: its length, and for every joint on the way between its two ends how the length moves with it.
struct Line {
    Expr length;
    Expr inverse_length;  ///< finite where the length is zero: the direction is then zero, and so is every force and
                          ///< rate
    std::vector<std::pair<int, Expr>> row;  ///< degree of freedom; length times d(length)/dq
    Expr rate;
};

class Elements {
public:
    Elements(Graph& graph, const Model& model, const Layout& layout, const LinkTree& tree, NodeOwners& owners)
        : graph_(graph), model_(model), layout_(layout), tree_(tree), owners_(owners) {}

    Line lineOf(const Tsda& tsda);
    /// Adds joint damping, rsdas and tsdas to generalised forces.
    void addForces(std::vector<Expr>& tau);
    /// Position and velocity of a point, base axes.
    std::pair<Vec, Vec> pointState(const BodyPoint& point);
    Expr rsdaCoordinate(const Rsda& rsda) const;
    Expr rsdaRate(const Rsda& rsda) const;

private:
    Expr stiffness(const Number& k);
    Expr curve(const Curve& curve, Expr x);
    Expr actuator(int slot) const { return slot < 0 ? Expr() : graph_.input(Array::act, slot); }
    int dofOfBody(int body) const;

    Graph& graph_;
    const Model& model_;
    const Layout& layout_;
    const LinkTree& tree_;
    NodeOwners& owners_;
};

}  // namespace mw::gen
