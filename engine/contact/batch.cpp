// Ground contact of four pad corners at a time, over arrays that the compiler turns into vectors.
#include "engine/contact/batch.h"

#include <cmath>

// sqrt without errno, so that four roots are one instruction; the results are the same.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno")
#endif

// One body, compiled twice. AVX2 alone brings no fused multiply-add: both give the same bits.
#if defined(__GNUC__) && defined(__x86_64__)
#define MW_INLINE inline __attribute__((always_inline))
#define MW_WIDE __attribute__((target("avx2")))
#else
#define MW_INLINE inline
#endif

namespace mw::contact_walk {

namespace {

MW_INLINE double larger(double a, double b) { return a > b ? a : b; }
MW_INLINE double smaller(double a, double b) { return a < b ? a : b; }

MW_INLINE void placePadOf(const double* __restrict B, const double* __restrict VB, const double* __restrict dx,
                          const double* __restrict dy, double pad_z, Pad& __restrict pad) {
    for (int c = 0; c < 4; c++) {
        const double ax = B[0] * dx[c] + B[1] * dy[c] + B[2] * pad_z;
        const double ay = B[3] * dx[c] + B[4] * dy[c] + B[5] * pad_z;
        const double az = B[6] * dx[c] + B[7] * dy[c] + B[8] * pad_z;
        pad.x[c] = B[9] + ax;
        pad.y[c] = B[10] + ay;
        pad.z[c] = B[11] + az;
        pad.vx[c] = VB[3] + (VB[1] * az - VB[2] * ay);
        pad.vy[c] = VB[4] + (VB[2] * ax - VB[0] * az);
        pad.vz[c] = VB[5] + (VB[0] * ay - VB[1] * ax);
    }
}

MW_INLINE void padForcesOf(const GroundLaw& law, Pad& __restrict pad) {
    const double kn = law.kn, cn = law.cn, mu = law.mu, veps2 = law.veps * law.veps;
    const double onset = law.onset, held = law.dt > 0 ? law.dt / law.mass : 0;
    for (int c = 0; c < 4; c++) {
        const double sx = pad.slope_x[c], sy = pad.slope_y[c], ux = pad.vx[c], uy = pad.vy[c], uz = pad.vz[c];
        const double depth = pad.height[c] - pad.z[c];
        const double gap = larger(depth, 0);
        const double t = smaller(gap / onset, 1);  // 1 where onset is 0
        const double ramp = gap > 0 ? t * t * (3 - 2 * t) : 0;
        const double rate = sx * ux + sy * uy - uz;
        const double spring = kn * gap;
        const double lost = larger(cn * ramp * rate, -spring);
        const double steep = std::sqrt(1 + sx * sx + sy * sy), flat = 1 / steep;
        const double nx = -sx * flat, ny = -sy * flat, nz = flat;
        const double across = ux * nx + uy * ny + uz * nz;
        const double tx = ux - across * nx, ty = uy - across * ny, tz = uz - across * nz;
        const double speed2 = tx * tx + ty * ty + tz * tz;
        const double most = mu * ((spring + lost) * steep);
        const double slope = most / (std::sqrt(speed2 + veps2) + most * held);
        pad.gap[c] = depth;
        pad.lost_x[c] = -lost * sx - slope * tx;
        pad.lost_y[c] = -lost * sy - slope * ty;
        pad.lost_z[c] = lost - slope * tz;
        pad.fx[c] = pad.lost_x[c] - spring * sx;
        pad.fy[c] = pad.lost_y[c] - spring * sy;
        pad.fz[c] = pad.lost_z[c] + spring;
        pad.power[c] = -lost * rate - slope * speed2;
    }
}

MW_INLINE void testPinsOf(int n, const double* __restrict x, const double* __restrict y, const double* __restrict z,
                          const double* roller, double reach, double* __restrict test) {
    const double px = roller[9], py = roller[10], pz = roller[11];
    const double ax = roller[1], ay = roller[4], az = roller[7];
    const double limit = reach * reach;
    for (int k = 0; k < n; k++) {
        const double dx = x[k] - px, dy = y[k] - py, dz = z[k] - pz, along = dx * ax + dy * ay + dz * az;
        test[k] = dx * dx + dy * dy + dz * dz - along * along - limit;
    }
}

MW_INLINE void testFacesOf(int n, const double* __restrict px, const double* __restrict py, const double* __restrict pz,
                           const double* __restrict xx, const double* __restrict xy, const double* __restrict xz,
                           const double* __restrict zx, const double* __restrict zy, const double* __restrict zz,
                           double ax, double ay, double az, double middle, double half, double above,
                           double* __restrict test) {
    for (int k = 0; k < n; k++) {
        const double dx = ax - px[k], dy = ay - py[k], dz = az - pz[k];
        const double along = std::fabs(dx * xx[k] + dy * xy[k] + dz * xz[k] - middle) - half;
        const double up = dx * zx[k] + dy * zy[k] + dz * zz[k] - above;
        test[k] = larger(along, up);
    }
}

#ifdef MW_WIDE
MW_WIDE void placePadWide(const double* B, const double* VB, const double* dx, const double* dy, double pad_z,
                          Pad& pad) {
    placePadOf(B, VB, dx, dy, pad_z, pad);
}
MW_WIDE void padForcesWide(const GroundLaw& law, Pad& pad) { padForcesOf(law, pad); }
MW_WIDE void testPinsWide(int n, const double* const* p, const double* roller, double reach, double* test) {
    testPinsOf(n, p[0], p[1], p[2], roller, reach, test);
}
MW_WIDE void testFacesWide(int n, const double* const* p, const double* const* x, const double* const* z,
                           const Vector3d& axle, double middle, double half, double above, double* test) {
    testFacesOf(n, p[0], p[1], p[2], x[0], x[1], x[2], z[0], z[1], z[2], axle[0], axle[1], axle[2], middle, half, above,
                test);
}
const bool wide = __builtin_cpu_supports("avx2") > 0;
#endif

}  // namespace

void placePad(const double* B, const double* VB, const double* dx, const double* dy, double pad_z, Pad& pad) {
#ifdef MW_WIDE
    if (wide) return placePadWide(B, VB, dx, dy, pad_z, pad);
#endif
    placePadOf(B, VB, dx, dy, pad_z, pad);
}

void padForces(const GroundLaw& law, Pad& pad) {
#ifdef MW_WIDE
    if (wide) return padForcesWide(law, pad);
#endif
    padForcesOf(law, pad);
}

void testPins(int n, const double* const* p, const double* roller, double reach, double* test) {
#ifdef MW_WIDE
    if (wide) return testPinsWide(n, p, roller, reach, test);
#endif
    testPinsOf(n, p[0], p[1], p[2], roller, reach, test);
}

void testFaces(int n, const double* const* p, const double* const* x, const double* const* z, const Vector3d& axle,
               double middle, double half, double above, double* test) {
#ifdef MW_WIDE
    if (wide) return testFacesWide(n, p, x, z, axle, middle, half, above, test);
#endif
    testFacesOf(n, p[0], p[1], p[2], x[0], x[1], x[2], z[0], z[1], z[2], axle[0], axle[1], axle[2], middle, half, above,
                test);
}

}  // namespace mw::contact_walk
