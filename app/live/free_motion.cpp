// Walks along a free motion in small steps: tangent by the loops' Jacobian with the leading coordinates given, then
// closed again with these held. The steps are kept; playing goes between them the same way.
#include "app/live/free_motion.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/largest.h"
#include "engine/dynamics/closure_cost.h"
#include "engine/dynamics/drift.h"
#include "engine/model/start_pose.h"

namespace mw::app {
namespace {

constexpr int kMostPoses = 40;          // each way
constexpr int kMostSteps = 30;          // of closing a pose again: from a step away a few do
constexpr int kTangentSteps = 2;        // of closing that the tangent costs
constexpr double kSeconds = 0.05;       // each way, about
constexpr double kFullTurn = 0.7;       // rad
constexpr double kPartOfSize = 6;       // the motion goes as far as the size over this
constexpr double kStepPart = 1.0 / 16;  // of the way, a step
constexpr double kRunaway = 40;         // the others must not be so much faster than they were

double turnBetween(const mw::Placement& a, const mw::Placement& b) {
    double trace = 0;
    for (std::size_t i = 0; i < 9; ++i) trace += a.rotation[i] * b.rotation[i];
    return std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0));
}

double largest(const std::vector<double>& v) {
    double most = 0;
    for (const double x : v) mw::raise(most, std::abs(x));
    return most;
}

}  // namespace

MotionPath::MotionPath(Closure& closure, std::vector<double> q, std::vector<double> param,
                       const std::vector<FreeMotion>& motions, std::size_t which, double size)
    : closure_(closure), param_(std::move(param)), start_(std::move(q)), which_(which) {
    for (const FreeMotion& motion : motions) leads_.push_back(motion.velocity);
    poses_ = {start_};
    if (which >= motions.size() || !(size > 0)) return;
    // A step that goes a small part of the way.
    const std::vector<double> v = direction(start_);
    if (v.empty()) return;
    const double trial = 1e-3;
    std::vector<double> moved = start_;
    drift(closure_.model(), closure_.layout(), moved, v, trial);
    const double rate = departure(moved, size) / trial;
    if (!(rate > 1e-9)) return;
    step_ = kStepPart / rate;
    const auto back = walk(start_, -1, size), on = walk(start_, 1, size);
    middle_ = static_cast<int>(back.size());
    poses_.assign(back.rbegin(), back.rend());
    poses_.push_back(start_);
    poses_.insert(poses_.end(), on.begin(), on.end());
}

// K v = 0 with the leading coordinates given: 1 for the one that is played, 0 for the others.
std::vector<double> MotionPath::direction(const std::vector<double>& q) {
    const int nv = closure_.layout().nv, nc = closure_.layout().nc;
    std::vector<double> v(static_cast<std::size_t>(nv), 0.0);
    const int lead = leads_[which_];
    v[static_cast<std::size_t>(lead)] = 1;
    if (nc == 0) return v;
    const std::vector<double> rows = closure_.jacobian(q, param_);
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> K(rows.data(), nc,
                                                                                                     nv);
    std::vector<int> others;
    for (int i = 0; i < nv; ++i)
        if (std::find(leads_.begin(), leads_.end(), i) == leads_.end()) others.push_back(i);
    Eigen::MatrixXd A(nc, static_cast<Eigen::Index>(others.size()));
    for (std::size_t i = 0; i < others.size(); ++i) A.col(static_cast<Eigen::Index>(i)) = K.col(others[i]);
    const Eigen::VectorXd follow = A.completeOrthogonalDecomposition().solve(-K.col(lead));
    if (!follow.allFinite()) return {};
    for (std::size_t i = 0; i < others.size(); ++i)
        v[static_cast<std::size_t>(others[i])] = follow[static_cast<Eigen::Index>(i)];
    return v;
}

std::vector<double> MotionPath::step(const std::vector<double>& q, double by) {
    const std::vector<double> v = direction(q);
    if (v.empty()) return {};
    std::vector<double> next = q;
    drift(closure_.model(), closure_.layout(), next, v, by);
    if (closure_.layout().nc == 0) return next;
    AssembleOptions options;
    options.keep = leads_;
    options.most_steps = std::clamp(affordableSteps(closure_.layout(), kSeconds) / 3, 4, kMostSteps);
    Assembly closed = closure_.assemble(std::move(next), param_, options);
    taken_ += kTangentSteps + closed.steps;
    // Where the leading coordinate had to give way the motion ends: a pose beyond is of another branch.
    if (!closed.closed || !closed.kept) return {};
    return std::move(closed.q);
}

std::vector<std::vector<double>> MotionPath::walk(const std::vector<double>& q, double sign, double size) {
    std::vector<std::vector<double>> poses;
    const double at_first = std::max(1.0, largest(direction(q)));
    std::vector<double> now = q;
    taken_ = 0;
    const int affordable = affordableSteps(closure_.layout(), kSeconds);
    for (int i = 0; i < kMostPoses && taken_ < affordable; ++i) {
        std::vector<double> next = step(now, sign * step_);
        // Near a dead point the leading coordinate hardly moves while others race.
        if (next.empty() || !within(next) || largest(direction(next)) > kRunaway * at_first) break;
        const double gone = departure(next, size);
        if (!(gone <= 1 + kStepPart) || gone < departure(now, size)) break;
        poses.push_back(next);
        if (gone >= 1) break;
        now = std::move(next);
    }
    return poses;
}

// How far the bodies have moved and turned, as a part of what is sensible.
double MotionPath::departure(const std::vector<double>& q, double size) const {
    const Model& model = closure_.model();
    const std::vector<mw::Placement> a = bodyPlacements(model, start_, param_), b = bodyPlacements(model, q, param_);
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Number3& cg = model.bodies[i].cg;
        const Vector3d centre{cg[0].at(param_), cg[1].at(param_), cg[2].at(param_)};
        for (const Vector3d& point : {Vector3d{}, centre}) {
            const Vector3d pa = transform(a[i], point), pb = transform(b[i], point);
            const double moved = std::hypot(pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]);
            raise(most, moved * kPartOfSize / size);
        }
        raise(most, turnBetween(a[i], b[i]) / kFullTurn);
    }
    return most;
}

// Sliders and limits that hold at the start hold on the way.
bool MotionPath::within(const std::vector<double>& q) const {
    const Model& model = closure_.model();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        if (jointNq(body.joint.type) != 1) continue;
        const auto i = static_cast<std::size_t>(closure_.layout().q_of_body[b]);
        const auto holds = [&](double lower, double upper) {
            const bool before = start_[i] >= lower && start_[i] <= upper;
            return !before || (q[i] >= lower && q[i] <= upper);
        };
        if (body.slider && !holds((*body.slider)[0].at(param_), (*body.slider)[1].at(param_))) return false;
        if (body.limits && !holds(body.limits->lower.at(param_), body.limits->upper.at(param_))) return false;
    }
    return true;
}

std::vector<double> MotionPath::at(double seconds) {
    if (!moves()) return start_;
    // One sine over the whole way, entered where the start pose lies.
    const double last = static_cast<double>(poses_.size()) - 1, half = last / 2;
    const double phase = std::asin(std::clamp((middle_ - half) / half, -1.0, 1.0));
    const double u = half + half * std::sin(phase + 2 * std::numbers::pi * seconds / kPeriod);
    const auto nearest = static_cast<std::size_t>(std::clamp(std::lround(u), 0L, static_cast<long>(last)));
    const double rest = (u - static_cast<double>(nearest)) * step_;
    if (std::abs(rest) < 1e-12) return poses_[nearest];
    std::vector<double> between = step(poses_[nearest], rest);
    return between.empty() ? poses_[nearest] : between;
}

}  // namespace mw::app
