// The pictures that are fixed to a body: its shapes, or a skeleton of links when it has none; its share of the joints.
// Made once for a model (again when a live parameter changes a length), then only placed frame by frame.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/scene/scene_item.h"
#include "engine/model/model.h"

namespace mw::scene {

enum class Layer : std::uint8_t { shape, skeleton, joint, inertia, band };

/// Where a part's colour comes from: the theme decides at drawing time.
enum class Paint : std::uint8_t { own, tint, joint_light, joint_dark, base, rail, shoe, rubber };

struct Part {
    int body = kBase;  ///< that it moves with
    MeshPtr mesh;
    Placement place = Placement::Identity();  ///< in the body
    Layer layer = Layer::shape;
    Paint paint = Paint::tint;
    Color color;  ///< for Paint::own
    ItemId id;
    int shape = -1;
    Finish finish = Finish::matt;
    bool edges = true, shadow = true;
    int track = -1;      ///< the band that it is a shoe of
    bool small = false;  ///< one of many
};

/// Sizes that everything drawn follows, worked out from the model's own lengths.
struct Measures {
    double link = 1;      ///< typical length of a link, m
    double reach = 1;     ///< farthest that anything gets from the base along its chain, m
    double joint = 0.05;  ///< radius of a pin's bushing, m
};

/// Model numbers at given live parameters, in the scene's types.
struct Evaluated {
    std::span<const double> param;
    double operator()(const Number& n) const { return n.at(param); }
    Vec3 operator()(const Number3& n) const { return {n[0].at(param), n[1].at(param), n[2].at(param)}; }
};

/// Rz(yaw) Ry(pitch) Rx(roll).
Mat3 rotationOf(const Vec3& roll_pitch_yaw);
/// The joint frame of a body in its parent.
Placement jointFrame(const Body& body, const Evaluated& value);
Vec3 vectorOf(const Vector3d& v);

/// Levels of the tree, for the thickness of plates and for neighbours' colours; -1 bodies do not occur.
std::vector<int> depths(const Model& model);
/// A tint for each body so that parent and child, and brothers next to each other, differ.
std::vector<int> tints(const Model& model);

Measures measure(const Model& model, const Evaluated& value);

class MeshFiles;  // app/scene/mesh_file.h

struct PartsInput {
    const Model& model;
    Evaluated value;
    Measures measures;
    Vec3 up = Vec3::UnitZ();
    MeshFiles* files = nullptr;
};

/// Shapes that are not hidden, as parts.
void addShapeParts(const PartsInput& in, std::vector<Part>& parts);
/// Links of a body (used when it has no shape that shows).
void addSkeletonParts(const PartsInput& in, int body, int depth, std::vector<Part>& parts);
/// The joint between a body and its parent, drawn as what it is. `solids` are the parts made so far: pins are long
/// enough to show on both sides of what they go through.
void addJointParts(const PartsInput& in, int body, bool base_is_drawn, const std::vector<Part>& solids,
                   std::vector<Part>& parts);
/// What the picture of a closure depends on beside its own numbers.
struct LoopSetting {
    double along = 0;     ///< where the second side stands along the axis at the start pose, m
    bool slides = false;  ///< it can move along the axis (a point on a line that cannot is drawn as a pin)
};
/// At the start pose with these live parameters; judged by moving each joint on its own.
LoopSetting loopSetting(const Model& model, int loop, const Evaluated& value, double link);
/// The closure of a loop, drawn as what it is; a distance has no fixed pieces.
void addLoopParts(const PartsInput& in, int loop, const LoopSetting& setting, bool base_is_drawn,
                  const std::vector<Part>& solids, std::vector<Part>& parts);
/// The ellipsoid of uniform density with the body's mass and inertia.
void addInertiaParts(const PartsInput& in, int body, std::vector<Part>& parts);

/// Half axes (principal, m) and rotation of the uniform ellipsoid with this inertia; nullopt without any.
struct Ellipsoid {
    Vec3 half_axes;
    Mat3 axes;
};
std::optional<Ellipsoid> inertiaEllipsoid(const Body& body, const Evaluated& value);

}  // namespace mw::scene
