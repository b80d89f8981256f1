// Random states from a named seed, states near the closed poses of a mechanism with loops, and the bound that grows
// with the longest chain.
#include "engine/proof/trials.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <optional>

#include "engine/dynamics/drift.h"
#include "engine/dynamics/random_configuration.h"
#include "engine/proof/gates.h"

namespace mw {

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
        randomConfiguration(draw, model.bodies[i].joint.type, t.q.data() + layout.q_of_body[i]);
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

// A mechanism with loops: a walk along the closed poses, and from each a tear. Fully random coordinates would tear the
// loops open by metres, where A = K M^-1 K^T may be as ill-conditioned as it likes and says nothing about a kernel. At
// exactly closed states, on the other hand, the stabilising terms vanish, and with them every mistake in them.

namespace {

constexpr double kTear = 1e-3;       ///< m, rad: each coordinate is drifted by up to this
constexpr double kSlip = 1e-2;       ///< m/s, rad/s: and each velocity changed
constexpr int kMostHalvings = 6;     ///< towards the declared parameters, then these themselves
constexpr std::uint64_t kOther = 1;  ///< the tear's own stream of numbers

}  // namespace

struct TrialSource::Inside {
    Inside(const Model& m, std::uint64_t s) : model(m), layout(layoutOf(m)), seed(s) {}

    Trial torn(int number) {
        Trial t = randomTrial(model, layout, seed, number);
        if (!walk) walk = std::make_unique<ManifoldWalk>(model, seed);
        const std::vector<double> declared = model.liveValues();
        ManifoldWalk::Pose pose = walk->next(t.param);
        while (!pose.sound && t.param != declared) {
            if (++t.halvings > kMostHalvings) t.param = declared;
            for (std::size_t i = 0; i < declared.size(); i++) t.param[i] = 0.5 * (t.param[i] + declared[i]);
            pose = walk->next(t.param);
        }
        t.closes = pose.sound;
        t.closed_q = t.q = std::move(pose.q);
        t.closed_v = t.v = std::move(pose.v);
        Draw draw(seed + kOther, number);
        std::vector<double> apart(t.v.size());
        for (double& x : apart) x = draw.between(-kTear, kTear);
        drift(model, layout, t.q, apart, 1);
        for (double& x : t.v) x += draw.between(-kSlip, kSlip);
        return t;
    }

    Trial standing(int number) {
        Trial t = randomTrial(model, layout, seed, number);
        t.param = model.liveValues();
        if (!closed_walk) closed_walk = std::make_unique<ManifoldWalk>(model, seed);
        ManifoldWalk::Pose pose = closed_walk->next(t.param);
        t.closes = pose.sound;
        t.closed_q = t.q = std::move(pose.q);
        t.closed_v = t.v = std::move(pose.v);
        return t;
    }

    const Model& model;
    const Layout layout;
    const std::uint64_t seed;
    std::mutex mutex;
    std::unique_ptr<ManifoldWalk> walk, closed_walk;
    std::deque<Trial> made, closed_made;
    std::optional<LoopHealth> health;
};

TrialSource::TrialSource(const Model& model, std::uint64_t seed) : inside_(std::make_unique<Inside>(model, seed)) {}
TrialSource::~TrialSource() = default;

Trial TrialSource::at(int trial) {
    Inside& in = *inside_;
    if (in.layout.nc == 0) return randomTrial(in.model, in.layout, in.seed, trial);
    const std::lock_guard lock(in.mutex);
    while (static_cast<int>(in.made.size()) <= trial) in.made.push_back(in.torn(static_cast<int>(in.made.size())));
    return in.made[static_cast<std::size_t>(trial)];
}

LoopHealth TrialSource::health() {
    const std::lock_guard lock(inside_->mutex);
    if (!inside_->health) inside_->health = Closure(inside_->model).generalHealth(inside_->model.liveValues());
    return *inside_->health;
}

Trial TrialSource::closed(int trial) {
    Inside& in = *inside_;
    if (in.layout.nc == 0) {
        Trial t = randomTrial(in.model, in.layout, in.seed, trial);
        t.param = in.model.liveValues();
        return t;
    }
    const std::lock_guard lock(in.mutex);
    while (static_cast<int>(in.closed_made.size()) <= trial)
        in.closed_made.push_back(in.standing(static_cast<int>(in.closed_made.size())));
    return in.closed_made[static_cast<std::size_t>(trial)];
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
