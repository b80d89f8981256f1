// Newton's law around a band.
//
// With a_i the acceleration of a shoe's centre of mass and F_i the force on shoe i by the one before it (at shoe i's
// own pin), m a_i = m g + f_i + F_i - F_(i+1). The force that the closure puts on the anchor shoe is F_0, so the walk
// goes from the last shoe back to the first, and the anchor's own balance is left over as a check.
#include "engine/sim/band_tension.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/loop_readings.h"
#include "engine/dynamics/topology.h"

namespace mw {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

}  // namespace

std::vector<BandTension> bandTensions(const Model& model, const Layout& layout, std::span<const double> param,
                                      std::span<const double> v, std::span<const double> X, std::span<const double> V,
                                      std::span<const double> fext, std::span<const double> vdot,
                                      std::span<const double> lambda) {
    std::vector<BandTension> tensions(model.tracks.size());
    if (model.tracks.empty()) return tensions;
    const std::vector<LoopReading> loops = loopReadings(model, layout, param, X, V, lambda);
    const Vector3 gravity = vectorAt(model.gravity, param);
    for (std::size_t t = 0; t < model.tracks.size(); ++t) {
        const Track& track = model.tracks[t];
        if (track.first_shoe < 0 || track.closure < 0) continue;
        const auto count = static_cast<std::size_t>(track.shoes);
        // Accelerations, outwards along the chain: what a shoe needs beyond its own motion.
        std::vector<Vector3> net(count);  // m (a - g) - f of each shoe
        Vector3 a = Vector3::Zero(), alpha = Vector3::Zero();
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t body = static_cast<std::size_t>(track.first_shoe) + k;
            const Body& shoe = model.bodies[body];
            const Eigen::Map<const RowMajor> R(X.data() + 12 * body);
            const Vector3 w(V[6 * body], V[6 * body + 1], V[6 * body + 2]);
            const double* d = vdot.data() + layout.v_of_body[body];
            const double* u = v.data() + layout.v_of_body[body];
            if (k == 0) {
                // Components in turning axes: the origin accelerates by their derivative and w x v.
                const Vector3 velocity(V[6 * body + 3], V[6 * body + 4], V[6 * body + 5]);
                alpha = R * Vector3(d[0], d[1], d[2]);
                a = R * Vector3(d[3], d[4], d[5]) + w.cross(velocity);
            } else {
                const Eigen::Map<const RowMajor> R_before(X.data() + 12 * (body - 1));
                const Vector3 w_before(V[6 * body - 6], V[6 * body - 5], V[6 * body - 4]);
                const Vector3 arm = R_before * vectorAt(shoe.at, param);
                a += alpha.cross(arm) + w_before.cross(w_before.cross(arm));
                const Vector3 axis = R * Vector3(shoe.joint.axis[0], shoe.joint.axis[1], shoe.joint.axis[2]);
                alpha += axis * d[0] + w_before.cross(axis) * u[0];
            }
            const Vector3 arm = R * vectorAt(shoe.cg, param);
            const Vector3 centre = a + alpha.cross(arm) + w.cross(w.cross(arm));
            net[k] = shoe.mass.at(param) * (centre - gravity);
            if (shoe.fext && !fext.empty())
                net[k] -= Vector3(fext[6 * body + 3], fext[6 * body + 4], fext[6 * body + 5]);
        }
        // Forces at the pins, inwards. The closure's wrench acts on its successor; which of the two is the anchor is
        // asked and not assumed.
        const LoopReading& closure = loops[static_cast<std::size_t>(track.closure)];
        const double sign = model.loops[static_cast<std::size_t>(track.closure)].to.body == track.first_shoe ? 1 : -1;
        const Vector3 ring = sign * Vector3(closure.wrench[3], closure.wrench[4], closure.wrench[5]);
        BandTension& tension = tensions[t];
        tension.pins.resize(count);
        Vector3 next = ring;
        for (std::size_t k = count; k-- > 0;) {
            const Vector3 force = k > 0 ? Vector3(net[k] + next) : ring;
            if (k == 0) tension.open = (net[0] + next - ring).norm();
            const double* R = X.data() + 12 * (static_cast<std::size_t>(track.first_shoe) + k);
            tension.pins[k] = -(force[0] * R[0] + force[1] * R[3] + force[2] * R[6]);
            next = force;
        }
        const auto [least, greatest] = std::minmax_element(tension.pins.begin(), tension.pins.end());
        tension.least = *least;
        tension.greatest = *greatest;
    }
    return tensions;
}

}  // namespace mw
