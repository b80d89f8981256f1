// The compiled tree: what the two reference routes and the generic run-time algorithm share of a Model, and nothing
// more: who hangs on whom, in which order, by which joint, and where its coordinates are. Immutable once built. Numbers
// that hang on live parameters are evaluated from `param` at every call.
#pragma once

#include <span>
#include <vector>

#include "engine/model/layout.h"
#include "engine/model/model.h"
#include "engine/spatial/spatial.h"

namespace mw {

struct TreeBody {
    int parent = kBase;
    JointType type = JointType::fixed;
    Vector3 axis, axis2;     ///< unit vectors
    Vector3 plane1, plane2;  ///< planar: directions of the first two coordinates
    int q = 0, nq = 0;       ///< first coordinate, count
    int v = 0, nv = 0;       ///< first velocity, count
    bool fext = false;
};

/// What of a body's numbers enters its equations.
struct BodyNumbers {
    Matrix3 R_tree;   ///< joint frame to parent
    Vector3 p_tree;   ///< joint frame's origin in the parent
    Matrix6 inertia;  ///< about the body origin, body axes
    double pitch = 0, damping = 0, armature = 0;
};

/// In-plane directions of a planar joint: first the axis that follows the normal's largest component in the circle x y
/// z, made perpendicular to the normal; then the one that completes the right-handed frame. z gives x y, x gives y z, y
/// gives z x.
void planeDirections(const Vector3& normal, Vector3& first, Vector3& second);

class Topology {
public:
    explicit Topology(const Model& model);

    const Model& model() const { return model_; }
    const Layout& layout() const { return layout_; }
    const std::vector<TreeBody>& bodies() const { return bodies_; }
    /// Parents before children.
    const std::vector<int>& order() const { return order_; }
    /// Some number of a body or gravity hangs on a live parameter.
    bool isLive() const { return live_; }

    BodyNumbers numbersOf(int body, std::span<const double> param) const;
    /// Numbers of all bodies with the declared parameters: right at every call when nothing is live.
    const std::vector<BodyNumbers>& declaredNumbers() const { return declared_; }
    Vector3 gravity(std::span<const double> param) const;

private:
    Model model_;
    Layout layout_;
    std::vector<TreeBody> bodies_;
    std::vector<int> order_;
    std::vector<BodyNumbers> declared_;
    bool live_ = false;
};

/// Three numbers of a model as a vector.
inline Vector3 vectorAt(const Number3& n, std::span<const double> param) {
    return {n[0].at(param), n[1].at(param), n[2].at(param)};
}

}  // namespace mw
