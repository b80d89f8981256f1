// Strokes of constant screen width in the world, and the contours of solids as such strokes: creases that face the eye,
// and edges where a face towards it meets one away from it.
#pragma once

#include <vector>

#include "app/render/gl_objects.h"
#include "app/scene/scene_item.h"

namespace mw::render {

struct Stroke {
    float from[3], to[3];
    scene::Color color_from, color_to;
    float width, dash;
};

/// The eye, with positions taken relative to `origin` (the camera's target).
struct Eye {
    Eigen::Vector3d origin, position, forward;
    bool perspective = true;
};

struct ContourStyle {
    scene::Color silhouette, crease;
    float silhouette_width = 0, crease_width = 0;  ///< px; 0: none
    float dash = 0;
};

class ContourFinder {
public:
    void add(const scene::MeshInstance& m, const Eye& eye, const ContourStyle& style, std::vector<Stroke>& out);

private:
    std::vector<std::uint8_t> facing_;
};

class StrokeBatch {
public:
    StrokeBatch();
    struct Setting {
        Eigen::Matrix4f view_projection = Eigen::Matrix4f::Identity();
        float width = 1, height = 1;
        Eigen::Vector3f bias = Eigen::Vector3f::Zero();
    };
    /// Draws with the depth test as it is set.
    void draw(const std::vector<Stroke>& strokes, const Setting& setting);

private:
    Program program_;
    VertexArray array_;
    Buffer buffer_;
};

}  // namespace mw::render
