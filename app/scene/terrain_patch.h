// The piece of a terrain around a place, as a mesh: fine near the place, coarser in two rings around it, flat parts in
// large triangles. Made anew when the place has moved on by some cells.
#pragma once

#include "app/scene/mesh.h"
#include "engine/contact/terrain.h"

namespace mw::scene {

class TerrainPatch {
public:
    explicit TerrainPatch(const Terrain& terrain) : terrain_(terrain) {}

    const Terrain& terrain() const { return terrain_; }
    /// Around (x, y), wide enough for a mechanism of this size (m).
    void around(double x, double y, double size);
    const MeshPtr& mesh() const { return mesh_; }  ///< relative to centre()
    const Vec3& centre() const { return centre_; }
    double radius() const { return radius_; }  ///< m, of the disc that it covers
    /// Greatest less smallest height of it.
    double relief() const { return relief_; }

private:
    void make(double cell);

    Terrain terrain_;
    MeshPtr mesh_;
    Vec3 centre_ = Vec3::Zero();
    double cell_ = 0, radius_ = 0, relief_ = 0;
};

}  // namespace mw::scene
