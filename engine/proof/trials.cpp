// Random states from a named seed, and the bound that grows with the longest chain.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/proof/gates.h"

namespace mw {

namespace {

/// Counter-based, so that a trial does not depend on the ones before it (the mixing function of splitmix64).
class Draw {
public:
    Draw(std::uint64_t seed, int trial) : state_(mixed(seed) ^ mixed(~static_cast<std::uint64_t>(trial))) {}
    double unit() {
        state_ += kGolden;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-53;
    }
    double between(double lo, double hi) { return lo + (hi - lo) * unit(); }

private:
    static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;
    static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    std::uint64_t state_;
};

double angle(Draw& draw) { return draw.between(-std::numbers::pi, std::numbers::pi); }
double length(Draw& draw) { return draw.between(-1, 1); }

/// Uniform on the sphere of unit quaternions: rejection in the ball, then scaled.
void quaternion(Draw& draw, double* q) {
    double norm;
    do {
        norm = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = draw.between(-1, 1);
            norm += q[k] * q[k];
        }
    } while (norm > 1 || norm < 1e-3);
    norm = std::sqrt(norm);
    for (int k = 0; k < 4; k++) q[k] /= norm;
}

void configuration(Draw& draw, JointType type, double* q) {
    switch (type) {
        case JointType::fixed: break;
        case JointType::revolute:
        case JointType::screw: q[0] = angle(draw); break;
        case JointType::prismatic: q[0] = length(draw); break;
        case JointType::cylindrical:
            q[0] = angle(draw);
            q[1] = length(draw);
            break;
        case JointType::universal:
            q[0] = angle(draw);
            q[1] = angle(draw);
            break;
        case JointType::planar:
            q[0] = length(draw);
            q[1] = length(draw);
            q[2] = angle(draw);
            break;
        case JointType::spherical: quaternion(draw, q); break;
        case JointType::floating:
            quaternion(draw, q);
            for (int k = 4; k < 7; k++) q[k] = length(draw);
            break;
    }
}

}  // namespace

Trial randomTrial(const Model& model, const Layout& layout, std::uint64_t seed, int trial) {
    Draw draw(seed, trial);
    Trial t;
    t.q.resize(layout.nq);
    t.v.resize(layout.nv);
    t.tau.resize(layout.nv);
    t.fext.resize(6 * static_cast<std::size_t>(layout.nbody));
    t.act.resize(layout.nact);
    t.param = model.liveValues();
    for (std::size_t i = 0; i < model.bodies.size(); i++)
        configuration(draw, model.bodies[i].joint.type, t.q.data() + layout.q_of_body[i]);
    for (double& x : t.v) x = draw.between(-2, 2);
    for (std::vector<double>* inputs : {&t.tau, &t.fext, &t.act})
        for (double& x : *inputs) x = draw.between(-10, 10);
    for (const Parameter& p : model.parameters) {
        if (!p.live) continue;
        // Without a range: about the declared value.
        const double lo = p.range ? (*p.range)[0] : 0.5 * p.value, hi = p.range ? (*p.range)[1] : 1.5 * p.value;
        t.param[p.slot] = draw.between(lo, hi);
    }
    return t;
}

int depth(const Model& model) {
    std::vector<int> of(model.bodies.size(), 0);
    int deepest = 0;
    for (const int i : model.order()) {
        const int parent = model.bodies[i].parent;
        of[i] = parent == kBase ? 1 : of[parent] + 1;
        deepest = std::max(deepest, of[i]);
    }
    return deepest;
}

double agreementBound(const Model& model) { return 1e-9 * std::max(1.0, std::pow(depth(model) / 40.0, 4)); }

}  // namespace mw
