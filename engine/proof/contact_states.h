// States in which contacts bear load: near the start pose, sunk into the ground and pressed into the rollers by some
// millimetres, at speeds from creeping to fast. A mechanism's random states are nowhere near its contacts.
#pragma once

#include "engine/contact/contact.h"
#include "engine/proof/checks.h"

namespace mw::proof {

class ContactStates {
public:
    ContactStates(const Model& model, const Layout& layout, std::uint64_t seed);
    /// q, v and param alone are set. Loops may be open by as much as the pose is disturbed: no contact asks for them.
    Trial at(int trial);
    /// What the states bring under load: within their reach at the start pose. A band on a bench high over the ground,
    /// a roller far from its band's run never bear any.
    struct Reach {
        bool pins = false, faces = false, ground = false;
    };
    Reach reachable() const;
    /// The start state, let down until the lowest pad touches the ground; loops closed.
    Trial rest() const;

private:
    double gap(const std::vector<double>& q, const std::vector<double>& param) const;
    void shift(std::vector<double>& q, int only, const Vector3d& by) const;
    double reach(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& param) const;

    const Model& model_;
    const Layout& layout_;
    std::uint64_t seed_;
    ContactModel contact_;
    std::vector<double> start_;
    std::vector<int> floating_;  // bodies whose joint floats
    std::vector<int> turning_;   // rollers on a revolute joint
    bool free_ = false;          // all that bands go around floats: it can be let down as a whole
};

}  // namespace mw::proof
