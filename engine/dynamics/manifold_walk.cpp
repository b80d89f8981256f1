// A random walk over closed poses: where proofs of mechanisms with loops look (docs/proof.md). Fully random coordinates
// tear loops open by metres, where K M^-1 K^T is as ill-conditioned as one likes and an agreement of digits means
// nothing; near closed poses its condition is the mechanism's own.
#include <algorithm>
#include <cmath>

#include "engine/dynamics/closure_space.h"
#include "engine/dynamics/random_configuration.h"

namespace mw {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kPull = 0.15;      // part of the way back to the start pose, each step
constexpr double kSingular = 3e-3;  // directions weaker than this part of the strongest are as good as lost
constexpr int kTries = 6;

// The rotation vector, in body axes, that turns attitude `a` into `b` (quaternions w x y z).
Vector3 turnFrom(const double* a, const double* b) {
    const Vector3 u(a[1], a[2], a[3]), v(b[1], b[2], b[3]);
    double w = a[0] * b[0] + u.dot(v);
    Vector3 r = a[0] * v - b[0] * u - u.cross(v);
    if (w < 0) w = -w, r = -r;
    const double s = r.norm();
    return s > 0 ? Vector3(r * (2 * std::atan2(s, w) / s)) : Vector3(Vector3::Zero());
}

// The velocity that takes q to the other pose in unit time, to first order.
VectorXd way(const ClosureSpace& space, const std::vector<double>& q, const std::vector<double>& to) {
    VectorXd v(space.layout().nv);
    for (const TreeBody& b : space.topology.bodies()) {
        const double *here = q.data() + b.q, *there = to.data() + b.q;
        if (b.type == JointType::spherical || b.type == JointType::floating) v.segment<3>(b.v) = turnFrom(here, there);
        if (b.type == JointType::floating)
            v.segment<3>(b.v + 3) = rotationOfQuaternion(here).transpose() *
                                    Vector3(there[4] - here[4], there[5] - here[5], there[6] - here[6]);
        if (b.nq == b.nv)
            for (int k = 0; k < b.nv; ++k) v[b.v + k] = there[k] - here[k];
    }
    return v;
}

}  // namespace

struct ManifoldWalk::Inside {
    Inside(const Model& model, std::uint64_t s) : closure(model), space(model), seed(s) {}
    Closure closure;  // assembles and projects
    ClosureSpace space;
    std::uint64_t seed;
    int count = 0;
    bool started = false, sound = true;
    std::vector<double> start, q, last;
    int strength = -1;  // most directions that were strong at a pose so far

    Tangent tangentAt(const std::vector<double>& pose, std::span<const double> param) {
        space.place(pose, param);
        return Tangent(space, space.jacobian(), space.evenMetric(), {});
    }
    bool begin(std::span<const double> param);
    bool step(Draw& draw, std::span<const double> param);
};

bool ManifoldWalk::Inside::begin(std::span<const double> param) {
    Assembly a = closure.assemble(startQ(space.model(), space.layout(), param), param, {kTolerance, 200, {}});
    q = a.q;
    if (!a.closed) return false;
    if (!started) start = q;
    started = true;
    if (space.layout().nc > 0) strength = tangentAt(q, param).rank(kSingular);
    return true;
}

bool ManifoldWalk::Inside::step(Draw& draw, std::span<const double> param) {
    // Closed at these parameters first: they may have changed.
    if (!space.descend(q, param, {}, kTolerance, 60).closed) {
        const Assembly a = closure.assemble(last.empty() ? start : last, param, {kTolerance, 200, {}});
        if (!a.closed) return false;
        q = a.q;
    }
    const Tangent tangent = tangentAt(q, param);
    const VectorXd pull = kPull * tangent.project(way(space, q, start));
    std::vector<double> fallback = q;
    bool closed = false;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        VectorXd v(space.layout().nv);
        for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = draw.between(-1, 1) * space.unit[i];
        const double length = draw.between(0.05, 0.3) * std::pow(0.7, attempt);
        v = tangent.project(v);
        // What is left of a structure that cannot move is rounding.
        if (const double s = stepLength(space, v); s > 1e-9) v *= length / s;
        else v.setZero();
        v += pull;
        if (const double s = stepLength(space, v); s > 0.5) v *= 0.5 / s;
        std::vector<double> next = moved(space, q, v);
        if (!space.descend(next, param, {}, kTolerance, 60).closed) continue;
        fallback = next;
        closed = true;
        const int found = tangentAt(next, param).rank(kSingular);
        if (found < strength) continue;
        strength = found;
        break;
    }
    q = closed ? fallback : q;
    return true;
}

ManifoldWalk::ManifoldWalk(const Model& model, std::uint64_t seed) : inside_(std::make_unique<Inside>(model, seed)) {}
ManifoldWalk::~ManifoldWalk() = default;
ManifoldWalk::ManifoldWalk(ManifoldWalk&&) noexcept = default;
ManifoldWalk& ManifoldWalk::operator=(ManifoldWalk&&) noexcept = default;

ManifoldWalk::Pose ManifoldWalk::next(std::span<const double> param) {
    Inside& in = *inside_;
    const Layout& layout = in.space.layout();
    Draw draw(in.seed, in.count++);
    Pose pose;
    if (!in.started) {
        const std::vector<double> declared = in.space.model().liveValues();
        // The walk begins where the text says, at the declared parameters where it can.
        pose.sound = in.begin(declared) || in.begin(param);
    }
    if (pose.sound && layout.nc > 0) pose.sound = in.step(draw, param);
    if (pose.sound) {
        for (const TreeBody& b : in.space.topology.bodies()) {
            const std::size_t i = static_cast<std::size_t>(&b - in.space.topology.bodies().data());
            if (!in.space.on_loop[i]) randomConfiguration(draw, b.type, in.q.data() + b.q);
        }
        // Joints that carry whole loops along move points far away: the last digits are won back.
        if (layout.nc > 0) in.space.descend(in.q, param, {}, kTolerance, 20);
        in.last = in.q;
    }
    pose.q = in.last.empty() ? in.q : in.last;
    std::vector<double> v(layout.nv);
    for (double& x : v) x = draw.between(-2, 2);
    pose.v = in.closure.project(pose.q, v, param);
    return pose;
}

}  // namespace mw
