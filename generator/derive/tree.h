// The tree's dynamics over expressions (Featherstone, Rigid Body Dynamics Algorithms, 2008; "RBDA"): velocities, the
// forces that a motion without joint acceleration needs, mass matrix, its sparse factorisation, and articulated bodies.
//
// Accelerations are classical ones of the link's origin, in the link's axes, so that no linear velocity enters (but
// that of a floating link, whose v is its own coordinates). Forces are a moment about the link's origin and a force.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generator/derive/links.h"

namespace mw::gen {

/// Remembers for which body the graph's nodes were made.
class NodeOwners {
public:
    explicit NodeOwners(const Graph& graph) : graph_(graph) {}
    /// Every node that has come since the last claim belongs to `body`.
    void claim(int body) { bodies_.resize(graph_.size(), body); }
    const std::vector<int>& peek() const { return bodies_; }
    std::vector<int> take() { return std::move(bodies_); }

private:
    const Graph& graph_;
    std::vector<int> bodies_;
};

struct Wrench {
    Vec n, f;  ///< moment about the link's origin, force
};
inline Wrench operator+(const Wrench& a, const Wrench& b) { return {a.n + b.n, a.f + b.f}; }

/// The unit motion of one degree of freedom in its link's axes: a turn about, a slide along a coordinate axis, or both.
struct Freedom {
    int turn = -1, slide = -1;
    Expr ratio;                             ///< slide per turn (screw)
    Expr along(const Wrench& force) const;  ///< its part of a wrench
};
Freedom freedomOf(const Link& link, int d);

/// How a link moves when no joint accelerates: angular velocity, angular acceleration, linear acceleration of the
/// origin.
struct Motion {
    Vec w, alpha, a;
    Mat W;  ///< [alpha]x + [w]x[w]x: acceleration per distance
};
/// W of its motion.
Mat accelerationPerDistance(const Vec& w, const Vec& alpha);
/// The force that gives a body its motion.
Wrench inertialForce(const Inertia& body, const Motion& motion);

/// A matrix over pairs of a degree of freedom and one of its ancestors (or itself); all other entries are zero by
/// topology.
class TreeMatrix {
public:
    explicit TreeMatrix(int n = 0) : n_(n), e_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2) {}
    int size() const { return n_; }
    Expr& operator()(int i, int j) { return e_[slot(i, j)]; }
    Expr operator()(int i, int j) const { return e_[slot(i, j)]; }

private:
    static std::size_t slot(int i, int j) {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(i + 1) / 2 + static_cast<std::size_t>(j);
    }
    int n_;
    std::vector<Expr> e_;
};

/// M = L^T D L with L unit lower triangular (RBDA table 6.3).
struct Factors {
    TreeMatrix L;
    std::vector<Expr> inverse_d;
};

/// What articulated bodies leave of each freedom: D^-1, and the wrench that its unit force passes on to its link.
struct ArticulatedFactors {
    std::vector<Wrench> g;
    std::vector<Expr> inverse_d;
};

class TreeDynamics {
public:
    TreeDynamics(Graph& graph, const Model& model, const Layout& layout, const LinkTree& tree, NodeOwners& owners);

    /// Forces on each link that keep the joints' accelerations zero, external wrenches taken off. With `free_fall`
    /// floating roots fall freely in their own axes instead of keeping vdot zero: then gravity and the root's velocity
    /// products drop out of the whole tree (see addFreeFall).
    std::vector<Wrench> linkForces(bool external, bool free_fall);
    /// Generalised forces of wrenches on the links (the inward pass of RBDA table 5.1).
    std::vector<Expr> generalised(std::vector<Wrench> forces);
    /// RBDA table 6.2.
    TreeMatrix massMatrix();
    /// M times accelerations, from rest and without weight: forces by the same passes, no matrix.
    std::vector<Expr> massTimes(const std::vector<Expr>& vdot);
    Factors factorise(TreeMatrix H);
    std::vector<Expr> solve(const Factors& factors, std::vector<Expr> right);
    /// Articulated bodies (RBDA tables 7.1 and 9.4): the part that knows no forces.
    ArticulatedFactors articulate();
    /// Its inward pass over forces on the links and at the joints: per freedom what is left to accelerate it. With W
    /// the matrix of this pass (links' forces zero), M^-1 = W^T D^-1 W.
    std::vector<Expr> inward(const ArticulatedFactors& factors, std::vector<Wrench> forces,
                             const std::vector<Expr>& tau);
    /// Its outward pass: accelerations relative to the motion that the forces belong to.
    std::vector<Expr> outward(const ArticulatedFactors& factors, const std::vector<Expr>& u);
    /// Accelerations relative to free fall become those of v.
    void addFreeFall(std::vector<Expr>& vdot);
    /// Whether free fall of the roots may be used: there are floating ones, without armature.
    bool mayFall() const;

    /// Throws std::logic_error where the mass matrix has an entry that topology forbids; names the pairs inside that
    /// algebra found zero. `entry(i, j)`, j <= i: whether there is one.
    std::string checkSparsity(const std::function<bool(int, int)>& entry) const;
    std::string checkSparsity(const TreeMatrix& H) const {
        return checkSparsity([&](int i, int j) { return !H(i, j).isZero(); });
    }

    const LinkTree& tree() const { return tree_; }

private:
    Motion motionOf(const Link& link, const Motion& parent, bool free_fall);
    Wrench externalForce(int link);
    struct Pose {
        Mat R;  ///< link's axes to the base's
        Vec r;
    };
    const Pose& poseOf(int link);

    Graph& graph_;
    const Model& model_;
    const Layout& layout_;
    const LinkTree& tree_;
    NodeOwners& owners_;
    std::vector<Pose> poses_;
};

}  // namespace mw::gen
