// The laws that run most often, several at a time: arrays side by side, no branches, compiled for the vector units that
// the processor turns out to have. The same operations in the same order as the laws of pair_laws.h.
#pragma once

#include "engine/contact/pair_laws.h"

namespace mw::contact_walk {

/// The four corners of one pad.
struct Pad {
    double x[4], y[4], z[4];                   ///< points, base, m
    double vx[4], vy[4], vz[4];                ///< velocities, m/s
    double height[4], slope_x[4], slope_y[4];  ///< of the ground there
    double gap[4];                             ///< result: m, positive inside
    double fx[4], fy[4], fz[4];                ///< result: force, N
    double lost_x[4], lost_y[4], lost_z[4];    ///< result: the part of it that is no gradient
    double power[4];                           ///< result: W of that part
};
/// Where a pad's corners are and how they move: B and VB are the shoe's pose and velocity, (dx, dy) the corners in it.
void placePad(const double* B, const double* VB, const double* dx, const double* dy, double pad_z, Pad& pad);
/// groundForce without an anchor, four times.
void padForces(const GroundLaw& law, Pad& pad);

/// Of n points (x, y, z arrays): squared distance from the line through `roller`'s origin along its y, less reach^2.
void testPins(int n, const double* const* p, const double* roller, double reach, double* test);
/// Of n shoes (origins p, their x and z axes): negative where an axle is over the face, within `half` of its `middle`
/// and not higher than `above`.
void testFaces(int n, const double* const* p, const double* const* x, const double* const* z, const Vector3d& axle,
               double middle, double half, double above, double* test);

}  // namespace mw::contact_walk
