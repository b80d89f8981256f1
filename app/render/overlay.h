// What lies over the picture: signs, labels, the axis widget and the legend. Drawn with the same tokens as the
// instruments.
#pragma once

#include "app/render/canvas.h"
#include "app/render/renderer.h"

namespace mw::render {

void drawMarkers(Canvas& canvas, const scene::Scene& scene, const scene::Camera& camera, const FrameOptions& options);
void drawLabels(Canvas& canvas, scene::LabelLayout& layout, const scene::Scene& scene, const scene::Camera& camera,
                const FrameOptions& options, std::vector<Renderer::ShownLabel>& shown);
void drawAxisWidget(Canvas& canvas, const scene::Camera& camera, const FrameOptions& options);
/// Returns the box that it takes.
scene::Rect drawLegend(Canvas& canvas, const scene::Scene& scene, const scene::Camera& camera,
                       const FrameOptions& options);
scene::Rect axisWidgetRect(const FrameOptions& options);

}  // namespace mw::render
