// The walk over what may touch: which pairs and points are near enough, what their laws give. Inner loops of forces,
// energies and readings; included by the sources of this folder alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/contact/batch.h"
#include "engine/contact/contact.h"
#include "engine/model/vectors.h"

namespace mw::contact_walk {

inline const double kNoPose[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
inline const double kNoVelocity[6] = {};

inline Vector3d operator-(const Vector3d& a, const Vector3d& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3d operator+(const Vector3d& a, const Vector3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
/// A body's pose (12 numbers: R row by row, origin): its axes to base, base to its axes.
inline Vector3d toBase(const double* X, const Vector3d& v) {
    return {X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
            X[6] * v[0] + X[7] * v[1] + X[8] * v[2]};
}
inline Vector3d toBody(const double* X, const Vector3d& v) {
    return {X[0] * v[0] + X[3] * v[1] + X[6] * v[2], X[1] * v[0] + X[4] * v[1] + X[7] * v[2],
            X[2] * v[0] + X[5] * v[1] + X[8] * v[2]};
}
inline Vector3d originOf(const double* X) { return {X[9], X[10], X[11]}; }
inline Vector3d angularOf(const double* V) { return {V[0], V[1], V[2]}; }
inline Vector3d linearOf(const double* V) { return {V[3], V[4], V[5]}; }

/// The law at a gain and a step.
inline GroundLaw scaled(GroundLaw law, const ContactSettings& settings) {
    law.kn *= settings.gain;
    law.cn *= settings.gain;
    law.kt *= settings.gain;
    law.ct *= settings.gain;
    law.dt = settings.dt;
    return law;
}
template <class PairLaw>
PairLaw scaledPair(PairLaw law, const ContactSettings& settings) {
    law.kn *= settings.gain;
    law.cn *= settings.gain;
    law.guide *= settings.gain;
    law.cg *= settings.gain;
    law.dt = settings.dt;
    return law;
}

/// Whether a pad is clear of the terrain's ceiling: the gap below it is linear over the pad, its greatest at a corner.
struct Ceiling {
    double height, slope_x, slope_y;
    double below(double x, double y, double z) const { return slope_x * x + slope_y * y - z; }
    bool clears(const double* B, double half, double pad_x, double pad_y, double pad_z) const {
        const double across_x = below(B[0], B[3], B[6]), across_y = below(B[1], B[4], B[7]);
        const double base = height + below(B[9], B[10], B[11]) + pad_z * below(B[2], B[5], B[8]);
        return !(base + half * across_x + std::abs(pad_x * across_x) + std::abs(pad_y * across_y) > 0);
    }
};

/// One pair within reach, as the walk shows it.
struct PairAt {
    int track = 0, roller = 0, shoe = 0;
    int a = kBase, b = 0;  ///< bodies: roller, shoe
    bool pin = false;
    const double* frame{};   ///< pose of the frame that the force is given in: a pin's roller's, a face's shoe's
    Vector3d point{};        ///< base: the pin; a face's foot
    Vector3d axle{};         ///< base: a face's axle; a pin's point again
    Vector3d local{};        ///< pin or axle in the frame
    Vector3d u{}, u_foot{};  ///< velocities as the law takes them
    double mu = 0, fskip = 0;
    PairForce force;
};

/// One pad corner within the ground.
struct PointAt {
    int track = 0, shoe = 0, corner = 0, body = 0;
    Vector3d point{}, u{};
    double mu = 0;
    GroundForce force;
};

/// Arrays of one band's shoes, side by side; kept by each thread so that no call allocates.
struct Scratch {
    std::vector<double> x[3], z[3], p[3], test;
    std::vector<int> near;
    void resize(std::size_t n) {
        if (test.size() >= n) return;
        for (int i = 0; i < 3; i++) {
            x[i].resize(n);
            z[i].resize(n);
            p[i].resize(n);
        }
        test.resize(n);
        near.resize(n);
    }
};
Scratch& scratch();

}  // namespace mw::contact_walk

namespace mw {

template <class Visitor>
void ContactModel::visitPairs(const double* X, const double* V, const ContactSettings& settings,
                              Visitor&& visit) const {
    using namespace contact_walk;
    Scratch& s = scratch();
    for (std::size_t t = 0; t < bands_.size(); t++) {
        const Band& band = bands_[t];
        const std::size_t n = std::size_t(band.count);
        s.resize(n);
        const double* const origins[3] = {s.p[0].data(), s.p[1].data(), s.p[2].data()};
        const double* const along[3] = {s.x[0].data(), s.x[1].data(), s.x[2].data()};
        const double* const up[3] = {s.z[0].data(), s.z[1].data(), s.z[2].data()};
        for (std::size_t k = 0; k < n; k++) {
            const double* P = X + 12 * (std::size_t(band.first) + k);
            for (std::size_t i = 0; i < 3; i++) {
                s.x[i][k] = P[3 * i];
                s.z[i][k] = P[3 * i + 2];
                s.p[i][k] = P[9 + i];
            }
        }
        PairAt at;
        at.track = static_cast<int>(t);
        for (std::size_t r = 0; r < band.rollers.size(); r++) {
            const Roller& roller = band.rollers[r];
            const double* A = roller.body >= 0 ? X + 12 * std::size_t(roller.body) : kNoPose;
            const double* VA = V && roller.body >= 0 ? V + 6 * std::size_t(roller.body) : kNoVelocity;
            const Vector3d axle = originOf(A), spin = angularOf(VA), carried = linearOf(VA);
            at.roller = static_cast<int>(r);
            at.a = roller.body;
            at.pin = roller.end;

            double* test = s.test.data();
            if (roller.end) testPins(band.count, origins, A, roller.pin.radius + roller.pin.gate, test);
            else
                testFaces(band.count, origins, along, up, axle, 0.5 * band.link, 0.5 * band.link + roller.face.fade,
                          roller.face.face_z + roller.face.radius + roller.face.gate, test);
            int near = 0;
            for (int k = 0; k < band.count; k++) {
                s.near[std::size_t(near)] = k;
                near += test[k] < 0;
            }
            if (near == 0) continue;

            if (roller.end) {
                PinLaw law = scaledPair(roller.pin, settings);
                law.fskip *= settings.gain;
                law.ct *= settings.gain;
                at.mu = law.teeth > 0 ? 0 : law.mu;
                at.fskip = law.teeth > 0 ? law.fskip : 0;
                if (law.dt > 0) {
                    // Pins that share the rim share its inertia: those that press on it, or that its teeth hold.
                    const double rim = law.radius + (law.teeth > 0 ? law.gate : 0);
                    const double margin = rim * rim - (law.radius + law.gate) * (law.radius + law.gate);
                    int loaded = 0;
                    for (int i = 0; i < near; i++) loaded += test[s.near[std::size_t(i)]] < margin;
                    law.mass = 1 / (1 / band.shoe_mass + loaded * roller.rim);
                }
                at.frame = A;
                for (int i = 0; i < near; i++) {
                    at.shoe = s.near[std::size_t(i)];
                    at.b = band.first + at.shoe;
                    const double* B = X + 12 * std::size_t(at.b);
                    const double* VB = V ? V + 6 * std::size_t(at.b) : kNoVelocity;
                    at.point = at.axle = originOf(B);
                    const Vector3d arm = at.point - axle;
                    at.local = toBody(A, arm);
                    at.u = toBody(A, linearOf(VB) - carried - cross(spin, arm));
                    at.force = pinForce(law, at.local, at.u);
                    visit(at);
                }
            } else {
                const FaceLaw law = scaledPair(roller.face, settings);
                at.mu = law.mu;
                at.fskip = 0;
                at.axle = axle;
                for (int i = 0; i < near; i++) {
                    at.shoe = s.near[std::size_t(i)];
                    at.b = band.first + at.shoe;
                    const double* B = X + 12 * std::size_t(at.b);
                    const double* VB = V ? V + 6 * std::size_t(at.b) : kNoVelocity;
                    const Vector3d origin = originOf(B), turn = angularOf(VB), arm = axle - origin;
                    at.frame = B;
                    at.local = toBody(B, arm);
                    const Vector3d foot = toBase(B, {at.local[0], at.local[1], law.face_z});
                    at.point = origin + foot;
                    const Vector3d approach = carried - linearOf(VB);
                    at.u = toBody(B, approach - cross(turn, arm));
                    at.u_foot = toBody(B, approach + cross(spin, foot - arm) - cross(turn, foot));
                    at.force = faceForce(law, at.local, at.u, at.u_foot);
                    visit(at);
                }
            }
        }
    }
}

/// `anchors` null: the regularised law. `moved`, when not null, takes the anchors' next numbers (may be `anchors`).
/// Returns the energy that anchors of points which left the ground let go.
template <class Visitor>
double ContactModel::visitPoints(const double* X, const double* V, const ContactSettings& settings,
                                 const double* anchors, double* moved, Visitor&& visit) const {
    using namespace contact_walk;
    double released = 0;
    if (points_ == 0) return released;
    std::size_t slot = 0;
    const Terrain::Sample top = terrain_.ceiling(0, 0);
    for (std::size_t t = 0; t < bands_.size(); t++) {
        const Band& band = bands_[t];
        const GroundLaw law = scaled(band.ground, settings);
        PointAt at;
        at.track = static_cast<int>(t);
        at.mu = law.mu;
        const double half = 0.5 * band.link;
        const double dx[4] = {half - band.pad_x, half + band.pad_x, half + band.pad_x, half - band.pad_x};
        const double dy[4] = {-band.pad_y, -band.pad_y, band.pad_y, band.pad_y};
        const bool plane = terrain_.isPlane();
        const Ceiling ceiling{top.height, top.slope_x, top.slope_y};

        for (int k = 0; k < band.count; k++, slot += 16) {
            at.shoe = k;
            at.body = band.first + k;
            const double* B = X + 12 * std::size_t(at.body);
            const bool away = ceiling.clears(B, half, band.pad_x, band.pad_y, band.pad_z);
            if (away && !anchors) continue;
            const double* VB = V ? V + 6 * std::size_t(at.body) : kNoVelocity;
            for (int c = 0; c < 4; c++) {
                const double* a = anchors ? anchors + slot + 4 * c : nullptr;
                const bool stuck = a && a[0] != 0;
                if (away && !stuck) continue;
                at.corner = c;
                Vector3d arm;
                for (int i = 0; i < 3; i++)
                    arm[std::size_t(i)] = B[3 * i] * dx[c] + B[3 * i + 1] * dy[c] + B[3 * i + 2] * band.pad_z;
                at.point = {B[9] + arm[0], B[10] + arm[1], B[11] + arm[2]};
                const Terrain::Sample ground = terrain_.at(at.point[0], at.point[1]);
                const bool touches = ground.height > at.point[2];
                if (!touches && !stuck) continue;
                at.u = linearOf(VB) + cross(angularOf(VB), arm);
                if (!a) {
                    at.force = groundForce(law, ground.height, ground.slope_x, ground.slope_y, at.point, at.u);
                    visit(at);
                    continue;
                }
                Anchor anchor;
                anchor.stuck = stuck;
                anchor.at = {a[1], a[2], a[3]};
                if (stuck) {
                    const Terrain::Sample under = plane ? ground : terrain_.at(a[1], a[2]);
                    const double steep = std::sqrt(1 + under.slope_x * under.slope_x + under.slope_y * under.slope_y);
                    anchor.normal = {-under.slope_x / steep, -under.slope_y / steep, 1 / steep};
                }
                at.force = groundForce(law, ground.height, ground.slope_x, ground.slope_y, at.point, at.u, &anchor);
                if (moved) {
                    double* m = moved + slot + 4 * c;
                    m[0] = anchor.stuck;
                    for (std::size_t i = 0; i < 3; i++) m[1 + i] = anchor.stuck ? anchor.at[i] : 0;
                }
                if (touches) visit(at);
                else released += at.force.released;
            }
        }
    }
    return released;
}

/// The pads that are not clear of the terrain: visit(band, law, body, dx, dy) with the corners' places in the shoe.
template <class Visitor>
void ContactModel::visitPads(const double* X, const ContactSettings& settings, Visitor&& visit) const {
    using namespace contact_walk;
    if (points_ == 0) return;
    const Terrain::Sample top = terrain_.ceiling(0, 0);
    const Ceiling ceiling{top.height, top.slope_x, top.slope_y};
    for (const Band& band : bands_) {
        const GroundLaw law = scaled(band.ground, settings);
        const double half = 0.5 * band.link;
        const double dx[4] = {half - band.pad_x, half + band.pad_x, half + band.pad_x, half - band.pad_x};
        const double dy[4] = {-band.pad_y, -band.pad_y, band.pad_y, band.pad_y};
        for (int k = 0; k < band.count; k++) {
            const int body = band.first + k;
            if (!ceiling.clears(X + 12 * std::size_t(body), half, band.pad_x, band.pad_y, band.pad_z))
                visit(band, law, body, dx, dy);
        }
    }
}

}  // namespace mw
