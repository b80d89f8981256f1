// Tendons with their numbers resolved: what routes and rows are made from. Inside of engine/tendon; others use
// engine/tendon/tendons.h.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "engine/model/model.h"
#include "engine/spatial/spatial.h"
#include "engine/tendon/muscle.h"

namespace mw {

/// A site or a guide of a path.
struct PreparedElement {
    PathElement::Kind kind = PathElement::Kind::site;
    int element = 0;  ///< index in Tendon::path
    int body = kBase;
    Vector3 local = Vector3::Zero();     ///< site or centre, body axes
    Matrix3 axes = Matrix3::Identity();  ///< guide frame in the body
    std::array<double, 3> radii{};
    bool has_side = false;
    int side_body = kBase;
    Vector3 side = Vector3::Zero();
    double mu = 0;
    int flow = -1;  ///< first of its two numbers in memory, -1: never any friction
    bool isGuide() const { return kind != PathElement::Kind::site; }
};

/// From one site to the next.
struct PreparedSpan {
    const PreparedElement* a = nullptr;
    const PreparedElement* b = nullptr;
    const PreparedElement* guides = nullptr;  ///< first of `count` that follow each other
    int count = 0;
};

struct PreparedBranch {
    double divisor = 1;
    std::vector<PreparedElement> elements;
};

struct PreparedTerm {
    int q = 0, v = 0;
    double weight = 1;
};

/// One guide of a branch that rope rubs on: its wedge, and what its row starts from.
struct FlowStart {
    int branch = 0, guide = 0;  ///< guide: index among the guides of the route
    int row = -1;               ///< in the row set
    double offset = 0;          ///< m, by which stuck rope has crept
    double wrap = 0;            ///< mu times the turning angle
    int memory = 0;             ///< first of its two numbers
};

/// What a step knew of a tendon when its rows were made; `readings` and `finish` go by it.
struct TendonAtStart {
    bool off = true;
    double length = 0, feed = 0;  ///< m
    double feed_rate = 0;         ///< m/s, mean of the step
    double extension = 0;         ///< m, of the spring
    double stiffness = 0;         ///< N/m, that acts: 0 inside the interval
    double activation = 0;        ///< N, the filtered actuator at the end of the step
    int laws = 0, law_count = 0;  ///< its rows, those of guides apart
    int armature = -1, spring_damper = -1, drive = -1, muscle = -1, friction = -1, lower = -1, upper = -1,
        lock = -1;                               ///< rows, -1: none
    std::vector<FlowStart> flows;                ///< in the order of their rows: last guide of a branch first
    double fibre = 0;                            ///< m, of the muscle at the start
    double rate_guess = 0;                       ///< m/s, that the muscle's law was linearised at
    double stored_before = 0, stored_after = 0;  ///< J in the muscle's own tendon
};

/// A joint as the motion of its body with the velocities needs it.
struct PreparedJoint {
    int parent = kBase;
    int v = 0, count = 0;
    JointType type = JointType::fixed;
    bool body_axes = false;  ///< components are in the moving body's axes (spherical, floating)
};

struct PreparedTendon {
    bool fixed = false;
    std::vector<PreparedBranch> branches;
    std::vector<PreparedTerm> terms;
    std::vector<PreparedTerm> joint_terms;  ///< summed by coordinate: the gradient
    SideRule rule = SideRule::nearest;

    // Laws
    double stiffness = 0, damping = 0;
    std::optional<std::array<double, 2>> spring;
    double lower = 0, upper = 0, margin = 0, compliance = 0, correction = 0;
    double friction = 0, friction_compliance = 0, armature = 0;
    std::optional<double> written_reference;
    double kp = 0, kv = 0, tau = 0, range_lower = 0, range_upper = 0, state = 0;
    ExpressionPtr actuator, target, target_rate, feed, feed_rate, feed_acceleration;
    bool input = false, off = false;
    std::optional<MuscleLaw> muscle;
    ExpressionPtr excitation;
    std::size_t memory = 0;  ///< its first number in the block; of a muscle two: activation, fibre
};

}  // namespace mw
