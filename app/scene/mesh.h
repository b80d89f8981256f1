// Triangles with what line drawing and picking need: welded edges with their two faces, and bounds. Immutable once
// finished, shared between all the instances of a scene and from frame to frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/scene/geometry.h"

namespace mw::scene {

struct MeshEdge {
    std::uint32_t a = 0, b = 0;           ///< vertex indices
    std::int32_t face0 = -1, face1 = -1;  ///< triangles at it; face1 is -1 at a border
    bool crease = false;
};

struct Mesh {
    std::vector<Eigen::Vector3f> positions, normals;  ///< same count
    std::vector<std::uint32_t> indices;               ///< three a triangle, counter-clockwise from outside

    // Filled by finishMesh.
    std::vector<MeshEdge> edges;          ///< creases, borders and every edge that can become a silhouette
    std::vector<Eigen::Vector4f> planes;  ///< per triangle: unit normal n and d, inside n x < d
    Box bounds;
    Vec3 centre = Vec3::Zero();
    double radius = 0;     ///< of a ball round `centre`
    std::uint64_t id = 0;  ///< unique in the process: renderers key their buffers by it
    bool brief = false;    ///< made anew while it moves: renderers soon forget it

    std::size_t triangles() const { return indices.size() / 3; }
};
using MeshPtr = std::shared_ptr<const Mesh>;

/// Drops degenerate triangles, fills missing normals (split at `crease_angle`, rad), welds edges, marks those sharper
/// than `line_angle` as creases that are drawn as lines, and takes bounds.
MeshPtr finishMesh(Mesh mesh, double crease_angle = 0.6, double line_angle = 0.6);

/// A mesh with its own normals and without edges: bounds alone are taken. Cheap, for what is made anew while it moves.
MeshPtr plainMesh(Mesh mesh);

/// Fills missing normals: smooth across edges flatter than `crease_angle`, split where they are sharper.
void computeNormals(Mesh& mesh, double crease_angle = 0.6);

/// First crossing of the ray origin + t direction, t > 0, with the mesh in its own axes.
std::optional<double> intersectRay(const Mesh& mesh, const Vec3& origin, const Vec3& direction);

}  // namespace mw::scene
