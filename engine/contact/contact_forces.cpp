#include "engine/contact/contact_walk.h"

namespace mw {

namespace contact_walk {

Scratch& scratch() {
    thread_local Scratch s;
    return s;
}

void testPins(const Scratch& s, int count, const double* roller, double reach, double* test) {
    const double px = roller[9], py = roller[10], pz = roller[11];
    const double ax = roller[1], ay = roller[4], az = roller[7];  // the axle: its y
    const double limit = reach * reach;
    const double *x = s.p[0].data(), *y = s.p[1].data(), *z = s.p[2].data();
    for (int k = 0; k < count; k++) {
        const double dx = x[k] - px, dy = y[k] - py, dz = z[k] - pz, along = dx * ax + dy * ay + dz * az;
        test[k] = dx * dx + dy * dy + dz * dz - along * along - limit;
    }
}

void testFaces(const Scratch& s, int count, const Vector3d& axle, double middle, double half, double above,
               double* test) {
    const double ax = axle[0], ay = axle[1], az = axle[2];
    const double *px = s.p[0].data(), *py = s.p[1].data(), *pz = s.p[2].data();
    const double *xx = s.x[0].data(), *xy = s.x[1].data(), *xz = s.x[2].data();
    const double *zx = s.z[0].data(), *zy = s.z[1].data(), *zz = s.z[2].data();
    for (int k = 0; k < count; k++) {
        const double dx = ax - px[k], dy = ay - py[k], dz = az - pz[k];
        const double along = std::abs(dx * xx[k] + dy * xy[k] + dz * xz[k] - middle) - half;
        const double up = dx * zx[k] + dy * zy[k] + dz * zz[k] - above;
        test[k] = along > up ? along : up;
    }
}

}  // namespace contact_walk

namespace {

using namespace contact_walk;

/// [moment about the base origin; force] on one body and its negation on the other.
struct Wrench {
    double w[6] = {0, 0, 0, 0, 0, 0};
    void add(const Vector3d& p, const Vector3d& f) {
        w[0] += p[1] * f[2] - p[2] * f[1];
        w[1] += p[2] * f[0] - p[0] * f[2];
        w[2] += p[0] * f[1] - p[1] * f[0];
        w[3] += f[0];
        w[4] += f[1];
        w[5] += f[2];
    }
    void apply(double* fext, int b, int a) const {
        double* on = fext + 6 * std::size_t(b);
        for (int i = 0; i < 6; i++) on[i] += w[i];
        if (a < 0) return;
        double* from = fext + 6 * std::size_t(a);
        for (int i = 0; i < 6; i++) from[i] -= w[i];
    }
};

}  // namespace

void ContactModel::addBandForces(std::span<const double> X, std::span<const double> V, const ContactSettings& settings,
                                 std::span<double> fext, std::span<double> dissipative, ContactTotals& totals) const {
    visitPairs(X.data(), V.data(), settings, [&](const PairAt& at) {
        const PairForce& f = at.force;
        if (f.depth > 0) {
            (at.pin ? totals.pins : totals.faces)++;
            totals.deepest_pair = std::max(totals.deepest_pair, f.depth);
        }
        totals.power += f.power;
        Wrench all;
        if (at.pin) {
            all.add(at.point, toBase(at.frame, f.total()));
        } else {
            all.add(at.axle, toBase(at.frame, f.total() - f.friction));
            all.add(at.point, toBase(at.frame, f.friction));
        }
        all.apply(fext.data(), at.b, at.a);
        if (dissipative.empty()) return;
        Wrench lost;
        if (at.pin) {
            lost.add(at.point, toBase(at.frame, f.dissipative));
        } else {
            lost.add(at.axle, toBase(at.frame, f.dissipative - f.friction));
            lost.add(at.point, toBase(at.frame, f.friction));
        }
        lost.apply(dissipative.data(), at.b, at.a);
    });
}

void ContactModel::addGroundForces(std::span<const double> X, std::span<const double> V,
                                   const ContactSettings& settings, std::span<double> anchors, std::span<double> fext,
                                   std::span<double> dissipative, ContactTotals& totals) const {
    const bool anchored = settings.friction == Friction::anchored && anchors.size() >= anchorSize();
    double* state = anchored ? anchors.data() : nullptr;
    Wrench ground;
    totals.released +=
        visitPoints(X.data(), V.data(), settings, state, settings.dt > 0 ? state : nullptr, [&](const PointAt& at) {
            const GroundForce& f = at.force;
            totals.points++;
            totals.deepest_point = std::max(totals.deepest_point, f.depth);
            totals.power += f.power;
            totals.released += f.released;
            Wrench all;
            all.add(at.point, f.elastic + f.dissipative);
            all.apply(fext.data(), at.body, kBase);
            for (int i = 0; i < 6; i++) ground.w[i] += all.w[i];
            if (dissipative.empty()) return;
            Wrench lost;
            lost.add(at.point, f.dissipative);
            lost.apply(dissipative.data(), at.body, kBase);
        });
    for (std::size_t i = 0; i < 3; i++) {
        totals.ground_moment[i] += ground.w[i];
        totals.ground_force[i] += ground.w[3 + i];
    }
}

ContactTotals ContactModel::addForces(std::span<const double> X, std::span<const double> V,
                                      const ContactSettings& settings, std::span<double> anchors,
                                      std::span<double> fext, std::span<double> dissipative) const {
    ContactTotals totals;
    addBandForces(X, V, settings, fext, dissipative, totals);
    addGroundForces(X, V, settings, anchors, fext, dissipative, totals);
    return totals;
}

ContactEnergy ContactModel::energy(std::span<const double> X, const ContactSettings& settings,
                                   std::span<const double> anchors) const {
    ContactEnergy energy;
    ContactSettings still = settings;
    still.dt = 0;
    const bool anchored = settings.friction == Friction::anchored && anchors.size() >= anchorSize();
    visitPairs(X.data(), nullptr, still, [&](const PairAt& at) { energy.bands += at.force.potential; });
    visitPoints(X.data(), nullptr, still, anchored ? anchors.data() : nullptr, nullptr, [&](const PointAt& at) {
        energy.ground += at.force.potential;
        energy.anchors += at.force.anchor_energy;
    });
    return energy;
}

}  // namespace mw
