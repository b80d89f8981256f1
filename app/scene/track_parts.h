// Pictures of track bands: shoes with pads, pins and guide horns, one mesh for all shoes of a band; sprockets with
// their teeth, idlers and road wheels in two halves. Made to measure from what the text says of the band.
#pragma once

#include <vector>

#include "app/scene/body_parts.h"

namespace mw::scene {

/// The band that each body is a shoe of; -1: none.
std::vector<int> bandOfBody(const Model& model);
/// The loop closes a band.
bool closesBand(const Model& model, int loop);

/// The shoe's two materials, in the shoe's frame: origin at its own pin, x to the next, z to the rollers.
MeshPtr shoeSteelMesh(const Track& track);
MeshPtr shoePadMesh(const Track& track);
/// A disc with teeth about z, its pockets on the circle of the pins: at angle 0 about +z from +x, then all round.
MeshPtr toothedMesh(double radius, int teeth, double pin, double width);
/// One half of a wheel about z from z = 0 (inside) to `width`, its disc and its tyre.
MeshPtr wheelDiscMesh(double radius, double width);
MeshPtr wheelTyreMesh(double radius, double width);

/// Shoes of all bands, and their rollers where the text draws none (`shaped`: bodies with shapes of their own; of those
/// a sprocket still has its teeth).
void addTrackParts(const PartsInput& in, const std::vector<bool>& shaped, std::vector<Part>& parts);

}  // namespace mw::scene
