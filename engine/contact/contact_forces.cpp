// One sweep over all pairs and pad corners: wrenches on the bodies, totals, energies.
#include "engine/contact/contact_walk.h"

namespace mw {

namespace contact_walk {

Scratch& scratch() {
    thread_local Scratch s;
    return s;
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
    Wrench ground;
    if (settings.friction == Friction::anchored && anchors.size() >= anchorSize()) {
        double* state = anchors.data();
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
    } else {
        Pad pad;
        visitPads(X.data(), settings,
                  [&](const Band& band, const GroundLaw& law, int body, const double* dx, const double* dy) {
                      placePad(X.data() + 12 * std::size_t(body), V.data() + 6 * std::size_t(body), dx, dy, band.pad_z,
                               pad);
                      bool touches = false;
                      for (int c = 0; c < 4; c++) {
                          const Terrain::Sample s = terrain_.at(pad.x[c], pad.y[c]);
                          pad.height[c] = s.height;
                          pad.slope_x[c] = s.slope_x;
                          pad.slope_y[c] = s.slope_y;
                          touches = touches || s.height > pad.z[c];
                      }
                      if (!touches) return;
                      padForces(law, pad);
                      Wrench all;
                      for (int c = 0; c < 4; c++) {
                          totals.points += pad.gap[c] > 0;
                          totals.deepest_point = std::max(totals.deepest_point, pad.gap[c]);
                          totals.power += pad.power[c];
                          all.add({pad.x[c], pad.y[c], pad.z[c]}, {pad.fx[c], pad.fy[c], pad.fz[c]});
                      }
                      all.apply(fext.data(), body, kBase);
                      for (int i = 0; i < 6; i++) ground.w[i] += all.w[i];
                      if (dissipative.empty()) return;
                      Wrench lost;
                      for (int c = 0; c < 4; c++)
                          lost.add({pad.x[c], pad.y[c], pad.z[c]}, {pad.lost_x[c], pad.lost_y[c], pad.lost_z[c]});
                      lost.apply(dissipative.data(), body, kBase);
                  });
    }
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
    if (anchored) {
        visitPoints(X.data(), nullptr, still, anchors.data(), nullptr, [&](const PointAt& at) {
            energy.ground += at.force.potential;
            energy.anchors += at.force.anchor_energy;
        });
    } else {
        Pad pad;
        visitPads(X.data(), still,
                  [&](const Band& band, const GroundLaw& law, int body, const double* dx, const double* dy) {
                      placePad(X.data() + 12 * std::size_t(body), kNoVelocity, dx, dy, band.pad_z, pad);
                      for (int c = 0; c < 4; c++) {
                          const double gap = std::max(terrain_.height(pad.x[c], pad.y[c]) - pad.z[c], 0.0);
                          energy.ground += 0.5 * law.kn * gap * gap;
                      }
                  });
    }
    return energy;
}

}  // namespace mw
