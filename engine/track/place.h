// Where a band's rollers are, and what there is to say about the belt around them (internal to engine/track).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/mech/findings.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/model.h"
#include "engine/model/start_pose.h"
#include "engine/track/belt.h"

namespace mw::track {

/// What laying looks at: the written bodies at the start pose, and where to say what is wrong. `tree`: null where no
/// text is at hand, and fixes neither.
struct Scene {
    const Model& model;
    std::vector<Placement> pose;  ///< of the written bodies, in base
    std::vector<double> param;
    const mech::SyntaxTree* tree = nullptr;
    mech::Findings& findings;

    Placement root(const Track& track) const {
        return track.root < 0 ? Placement{} : pose[static_cast<std::size_t>(track.root)];
    }
};

/// A laid belt, before it becomes bodies.
struct Laying {
    std::vector<BeltCircle> circles;  ///< the belt's line, by roller
    Belt belt;
    LaidPins pins;
};

/// Fills in `axles` and `lateral`: the rollers in the root's frame. False after saying what is wrong.
bool locate(const Scene& scene, Track& track);
/// Lays the belt around located rollers; fills in `link`, `perimeter` and `fade`. False after saying what is wrong.
bool lay(const Scene& scene, Track& track, Laying& laying);
/// What is odd about a belt that could be laid, and how it was laid.
void judge(const Scene& scene, const Track& track, const Laying& laying);

}  // namespace mw::track
