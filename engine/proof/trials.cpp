// Random states from a named seed, states near the closed poses of a mechanism with loops, and the bound that grows
// with the longest chain.
#include "engine/proof/trials.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <optional>

#include "engine/dynamics/drift.h"
#include "engine/dynamics/random_configuration.h"
#include "engine/model/start_pose.h"
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

// Laws with corners. A walk keeps springs near the lengths they have when built, and a bump stop's numbers would never
// be looked at: every fourth state is moved until one element is on a piece of its curves drawn at random.

namespace {

/// A place on a randomly chosen piece of a curve, the ends' continuations included.
double placeOn(const Curve& curve, std::span<const double> param, Draw& draw) {
    const int n = static_cast<int>(curve.x.size());
    const double first = curve.x[0].at(param), last = curve.x[n - 1].at(param), beyond = 0.2 * (last - first);
    const int piece = std::min(n, static_cast<int>(draw.between(0, n + 1)));
    const double lo = piece == 0 ? first - beyond : curve.x[piece - 1].at(param);
    const double hi = piece == n ? last + beyond : curve.x[piece].at(param);
    return draw.between(lo, hi);
}

bool bent(const Curve& curve) { return curve.x.size() >= 2; }

class Corners {
public:
    Corners(const Model& model, const Layout& layout) : model_(model), layout_(layout) {
        for (std::size_t e = 0; e < model.tsdas.size(); e++)
            if (bent(model.tsdas[e].curve) || bent(model.tsdas[e].damper_curve)) tsdas_.push_back(e);
        for (std::size_t e = 0; e < model.rsdas.size(); e++)
            if (bent(model.rsdas[e].curve) || bent(model.rsdas[e].damper_curve)) rsdas_.push_back(e);
    }
    std::size_t count() const { return tsdas_.size() + rsdas_.size(); }

    void move(Trial& t, std::size_t which, Draw& draw) const {
        if (which < tsdas_.size()) {
            const Tsda& e = model_.tsdas[tsdas_[which]];
            if (bent(e.curve)) stretch(t, e, e.l0.at(t.param) + placeOn(e.curve, t.param, draw));
            if (bent(e.damper_curve)) {
                const std::vector<double> g = slope(t, e);
                double rate = 0, square = 0;
                for (std::size_t i = 0; i < g.size(); i++) rate += g[i] * t.v[i], square += g[i] * g[i];
                const double more = placeOn(e.damper_curve, t.param, draw) - rate;
                // Lively enough for any damper, and not beyond all measure where a line barely changes its length.
                for (std::size_t i = 0; i < g.size() && square > 1e-3; i++) t.v[i] += more * g[i] / square;
            }
            return;
        }
        const Rsda& e = model_.rsdas[rsdas_[which - tsdas_.size()]];
        if (bent(e.curve)) t.q[layout_.q_of_body[e.body]] = e.q0.at(t.param) + placeOn(e.curve, t.param, draw);
        if (bent(e.damper_curve)) t.v[layout_.v_of_body[e.body]] = placeOn(e.damper_curve, t.param, draw);
    }

private:
    double length(const std::vector<double>& q, const std::vector<double>& param, const Tsda& e) const {
        return distance(bodyPlacements(model_, q, param), e.from, e.to, param);
    }
    /// dl/dt per velocity; all zero where nothing but the rounding of differences is left.
    std::vector<double> slope(const Trial& t, const Tsda& e) const {
        constexpr double h = 1e-5;
        std::vector<double> g(t.v.size()), unit(t.v.size(), 0.0);
        for (std::size_t i = 0; i < g.size(); i++) {
            std::vector<double> ahead = t.q, behind = t.q;
            unit[i] = 1;
            drift(model_, layout_, ahead, unit, h);
            drift(model_, layout_, behind, unit, -h);
            unit[i] = 0;
            g[i] = (length(ahead, t.param, e) - length(behind, t.param, e)) / (2 * h);
            if (std::abs(g[i]) < 1e-4) g[i] = 0;
        }
        return g;
    }
    void stretch(Trial& t, const Tsda& e, double wanted) const {
        for (int k = 0; k < 4; k++) {
            std::vector<double> g = slope(t, e);
            double square = 0;
            for (const double x : g) square += x * x;
            const double more = std::max(wanted, 0.01) - length(t.q, t.param, e);
            if (!(square > 0) || std::abs(more) < 1e-9) return;
            // No joint goes further than half a radian or metre at once: an element across its own line barely
            // stretches.
            double furthest = 0;
            for (const double x : g) furthest = std::max(furthest, std::abs(x * more / square));
            for (double& x : g) x *= more / square * std::min(1.0, 0.5 / furthest);
            drift(model_, layout_, t.q, g, 1);
        }
    }

    const Model& model_;
    const Layout& layout_;
    std::vector<std::size_t> tsdas_, rsdas_;
};

// Singular states: a row of weights u with K^T u = 0, found by Newton's method over coordinates and weights together,
// the smallest change each time.

class SingularSearch {
public:
    SingularSearch(const Model& model, const Layout& layout) : model_(model), layout_(layout), closure_(model) {}

    /// `among`: only these rows may depend on each other.
    bool from(std::vector<double>& q, const std::vector<double>& param, std::vector<int> among) {
        among_ = std::move(among);
        const int nc = static_cast<int>(among_.size()), nv = layout_.nv;
        Eigen::VectorXd u = weights(q, param);
        for (int k = 0; k < 40; k++) {
            const Eigen::MatrixXd Kt = rows(q, param).transpose();
            const Eigen::VectorXd F = Kt * u;
            if (!F.allFinite()) return false;
            if (F.norm() < 1e-14) break;
            Eigen::MatrixXd J(nv + 1, nv + nc);
            constexpr double h = 1e-6;
            std::vector<double> unit(nv, 0.0);
            for (int i = 0; i < nv; i++) {
                std::vector<double> ahead = q, behind = q;
                unit[i] = 1;
                drift(model_, layout_, ahead, unit, h);
                drift(model_, layout_, behind, unit, -h);
                unit[i] = 0;
                J.col(i).head(nv) = (rows(ahead, param) - rows(behind, param)).transpose() * u / (2 * h);
            }
            J.topRightCorner(nv, nc) = Kt;
            J.row(nv) << Eigen::RowVectorXd::Zero(nv), u.transpose();
            Eigen::VectorXd off(nv + 1);
            off << -F, 0;
            Eigen::MatrixXd square = J * J.transpose();
            square.diagonal().array() += 1e-14 * square.diagonal().maxCoeff();
            Eigen::VectorXd step = J.transpose() * square.ldlt().solve(off);
            if (!step.allFinite()) return false;
            const double size = step.lpNorm<Eigen::Infinity>();
            if (size > 0.3) step *= 0.3 / size;
            const std::vector<double> move(step.data(), step.data() + nv);
            drift(model_, layout_, q, move, 1);
            u = (u + step.tail(nc)).normalized();
            if (size < 1e-15) break;
        }
        // A row that vanishes by itself depends on no other, and no arithmetic can tell it from a small one.
        const Eigen::MatrixXd K = rows(q, param);
        for (int i = 0; i < nc; i++)
            if (K.row(i).norm() < 1e-3) return false;
        return (K.transpose() * u).norm() < 1e-11;
    }

private:
    Eigen::MatrixXd rows(const std::vector<double>& q, const std::vector<double>& param) {
        const std::vector<double> K = closure_.jacobian(q, param);
        Eigen::MatrixXd out(among_.size(), layout_.nv);
        for (std::size_t i = 0; i < among_.size(); i++)
            out.row(i) = Eigen::Map<const Eigen::RowVectorXd>(K.data() + among_[i] * layout_.nv, layout_.nv);
        return out;
    }
    /// Those that K^T makes least of.
    Eigen::VectorXd weights(const std::vector<double>& q, const std::vector<double>& param) {
        const Eigen::MatrixXd K = rows(q, param);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(K * K.transpose());
        return parts.eigenvectors().col(0);
    }

    const Model& model_;
    const Layout& layout_;
    Closure closure_;
    std::vector<int> among_;
};

}  // namespace

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
        if (const std::size_t laws = corners.count(); laws > 0 && number % 4 == 3)
            corners.move(t, number / 4 % laws, draw);
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
    const Corners corners{model, layout};
    std::mutex mutex;
    std::unique_ptr<ManifoldWalk> walk, closed_walk;
    std::deque<Trial> made, closed_made;
    std::optional<LoopHealth> health;
    std::optional<std::vector<Trial>> singular;
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

std::vector<Trial> TrialSource::singular() {
    constexpr int kWanted = 8, kTries = 20;
    Inside& in = *inside_;
    if (in.layout.nc == 0) return {};
    std::vector<Trial> starts;
    for (int i = 0; i < kTries; i++) starts.push_back(at(i));
    const std::lock_guard lock(in.mutex);
    if (!in.singular) {
        in.singular.emplace();
        SingularSearch search(in.model, in.layout);
        Draw draw(in.seed, 0);
        for (std::size_t i = 0; i < starts.size() && static_cast<int>(in.singular->size()) < kWanted; i++) {
            // All rows first, then fewer, so that not always the same one is the last.
            std::vector<int> among;
            for (int row = 0; row < in.layout.nc; row++)
                if (i % 4 == 0 || draw.unit() < 0.6) among.push_back(row);
            if (among.size() > 1 && search.from(starts[i].q, starts[i].param, among))
                in.singular->push_back(std::move(starts[i]));
        }
    }
    return *in.singular;
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
