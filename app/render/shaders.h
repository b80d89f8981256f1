// The programs of the view in GLSL 3.30. Positions come relative to the camera's target, so that single precision is
// enough anywhere in the world.
#pragma once

namespace mw::render::shaders {

extern const char *kFullVertex, *kGradientFragment, *kCopyFragment, *kBlurFragment;
extern const char *kMeshVertex, *kMeshFragment;
extern const char *kShadowVertex, *kShadowFragment;
extern const char *kGroundVertex, *kGroundFragment;
extern const char *kTerrainVertex, *kTerrainFragment;
extern const char *kLineVertex, *kLineFragment;
extern const char *kRectVertex, *kRectFragment;
extern const char *kTextVertex, *kTextFragment;

}  // namespace mw::render::shaders
