// The solids that mechanisms are drawn with, made to measure (no scaling, so that bevels and wires keep their shape).
// Unless said otherwise a solid is centred at the origin with its axis along z.
#pragma once

#include <vector>

#include "app/scene/mesh.h"

namespace mw::scene {

MeshPtr boxMesh(const Vec3& edges, double bevel);
MeshPtr sphereMesh(double radius, int segments = 28);
/// Ellipsoid with the given half axes.
MeshPtr ellipsoidMesh(const Vec3& half_axes, int segments = 28);
/// `length` between the cap centres.
MeshPtr capsuleMesh(double radius, double length, int segments = 24);
MeshPtr cylinderMesh(double radius, double length, double bevel, int segments = 28);
/// Base at z = 0, tip at z = height.
MeshPtr coneMesh(double radius, double height, int segments = 24);
/// Hollow cylinder.
MeshPtr ringMesh(double outer, double inner, double length, double bevel, int segments = 28);
/// A solid of revolution about z; `profile` runs (radius, z) so that the solid lies to its left when it goes up.
MeshPtr latheMesh(const std::vector<Vec2>& profile, int segments = 28);
/// A convex counter-clockwise outline extruded along z, its rims bevelled.
MeshPtr plateMesh(const std::vector<Vec2>& outline, double thickness, double bevel);
/// Outline of a bar with round ends: from the origin to (length, 0).
std::vector<Vec2> barOutline(double length, double radius_begin, double radius_end, int segments = 12);
/// A round tube along a path with flat ends.
MeshPtr tubeMesh(const std::vector<Vec3>& path, double radius, int sides = 8, bool closed = false);
/// A helical spring from z = 0 to z = length with straight ends on the axis.
/// `fine`: as round as one looks at a single spring; a vehicle full of them does with less.
MeshPtr coilMesh(double radius, double wire, int turns, double length, bool fine = true);
/// A flat spiral spring in the plane z = 0.
MeshPtr spiralMesh(double inner, double outer, double wire, double turns, bool fine = true);
/// The thread of a screw: a helical ridge on a rod.
MeshPtr threadMesh(double radius, double ridge, double pitch, double length);

}  // namespace mw::scene
