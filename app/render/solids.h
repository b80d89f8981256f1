// Solids: buffers kept per mesh as long as it is in use, instances gathered so that equal meshes are one call.
#pragma once

#include <unordered_map>
#include <vector>

#include "app/render/gl_objects.h"
#include "app/scene/scene_item.h"

namespace mw::render {

class Solids {
public:
    /// Frees what has not been drawn for a while.
    void beginFrame();
    /// Draws with the program and state that are set; positions relative to `origin`. `order` keeps the given order
    /// (transparent things), else equal meshes are drawn together.
    void draw(std::vector<const scene::MeshInstance*> instances, const scene::Vec3& origin, bool keep_order = false);

private:
    struct Instance {
        float rows[12];
        scene::Color tint;
        float finish;
    };
    struct Stored {
        VertexArray array;
        Buffer vertices, indices;
        GLsizei count = 0;
        std::uint64_t used = 0;
        bool brief = false;
    };
    Stored& stored(const scene::Mesh& mesh);

    std::unordered_map<std::uint64_t, Stored> meshes_;
    Buffer instances_;
    std::vector<Instance> data_;
    std::uint64_t frame_ = 0;
};

}  // namespace mw::render
