// The corners of a mesh file, for shapes that collide: each place once. Pictures read their meshes by themselves
// (app/scene); this one takes double precision and no faces.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace mw {

/// Most corners of the file (before equal ones fall together), most bytes of it.
constexpr std::size_t kMostCorners = 2'000'000;
constexpr std::size_t kMostMeshBytes = std::size_t(256) << 20;

struct MeshPoints {
    std::shared_ptr<const std::vector<Vector3d>> points;  ///< null: `fault` says why
    std::string fault;
};

/// .obj (its v lines) and .stl, binary or text. Never throws for content. Read once and kept while the file stays as it
/// is; safe to call from any thread.
MeshPoints readMeshPoints(const std::filesystem::path& file);

}  // namespace mw
