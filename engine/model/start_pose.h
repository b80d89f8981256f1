// Where the bodies are at given coordinates, in plain numbers: enough for lengths at the start pose and checks of a
// text. The equations of motion do not use it; they have kinematics of their own.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/model/model.h"

namespace mw {

/// A frame in another: x_outer = rotation x_inner + position. Rotation row by row.
struct Placement {
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Vector3d position{};
};

Placement compose(const Placement& outer, const Placement& inner);
Vector3d transform(const Placement& placement, const Vector3d& point);
Vector3d rotate(const std::array<double, 9>& rotation, const Vector3d& vector);
Vector3d rotateBack(const std::array<double, 9>& rotation, const Vector3d& vector);
std::array<double, 9> axisRotation(const Vector3d& axis, double angle);

/// The body's frame in its joint frame, at coordinates q of that joint (jointNq of them).
Placement jointPlacement(const Joint& joint, double pitch, const double* q);
/// The joint frame in the parent.
Placement jointFrame(const Body& body, std::span<const double> param);

/// All bodies in base, at coordinates q (slots of layoutOf).
std::vector<Placement> bodyPlacements(const Model& model, std::span<const double> q, std::span<const double> param);
/// The same at the start state with the declared parameters.
std::vector<Placement> startPose(const Model& model);
/// Distance between two points at such a pose.
double distance(const std::vector<Placement>& pose, const BodyPoint& a, const BodyPoint& b,
                std::span<const double> param);

}  // namespace mw
