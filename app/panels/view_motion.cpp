// The paused mechanism moved by hand: a body dragged with the mouse, joint sliders with loops, free motions that play
// back and forth; and what the loops carry, as arrows. Kinematics only: joints hold, loops stay closed.
#include <algorithm>
#include <cmath>

#include "app/panels/view_core.h"
#include "engine/dynamics/closure_cost.h"
#include "engine/dynamics/loop_readings.h"
#include "engine/model/start_pose.h"

namespace mw::app {
namespace {

Vector3d plain(const scene::Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// As much as a hand may wait for: where loops let it go no further, looking for a way ends soon. One step on the way
/// costs as much as some of closing.
AssembleOptions handSteps(const Layout& layout) {
    constexpr double kSeconds = 0.1, kClosings = 10;
    AssembleOptions options;
    options.most_steps = std::min(options.most_steps, affordableSteps(layout, kSeconds / kClosings));
    return options;
}

}  // namespace

/// Of the mechanism shown; null when it cannot be had.
Closure* ViewCore::closure() {
    if (!snapshot_ || !snapshot_->model) return nullptr;
    if (closure_model_ != snapshot_->model) {
        closure_model_ = snapshot_->model;
        closure_.reset();
        path_.reset();
        motions_q_.clear();
        try {
            closure_ = std::make_unique<Closure>(*closure_model_);
        } catch (const std::exception&) {
            // A mechanism that has no kinematics is not moved by hand.
        }
    }
    return closure_.get();
}

// ---- a body dragged

bool ViewCore::beginPose(const scene::Vec2& pixel) {
    if (!snapshot_ || !builder_ || !closure()) return false;
    playMotion(-1);
    const auto hit = bodyAt(pixel);
    if (!hit) return false;
    Pose pose;
    pose.body = hit->id.index;
    pose.plane = pose.target = hit->point;
    pose.point = scene::SceneBuilder::placeOf(snapshot_->readings.X, pose.body).inverse(Eigen::Isometry) * hit->point;
    pose.before = pose.q = snapshot_->state.q;
    pose_ = std::move(pose);
    return true;
}

void ViewCore::movePose(const scene::Vec2& pixel) {
    if (!pose_ || !closure()) return;
    const auto target = onPlane(pixel, pose_->plane);
    if (!target) return;
    pose_->target = *target;
    const std::vector<double>& param = snapshot_->inputs.param;
    Assembly moved = closure()->drag(pose_->q, pose_->body, plain(pose_->point), plain(*target), param,
                                     handSteps(closure()->layout()));
    // What the loops do not let happen does not happen: the last closed pose stays.
    if (!moved.closed || moved.q == pose_->q) return;
    pose_->q = std::move(moved.q);
    pose_->moved = true;
    if (events.dragged) events.dragged(pose_->q);
}

/// The drag is over; given up, the mechanism goes back to where it stood.
bool ViewCore::endPose(bool keep) {
    if (!pose_) return false;
    const Pose pose = std::move(*pose_);
    pose_.reset();
    changed(true);
    if (!pose.moved) return true;
    if (!keep && events.dragged) events.dragged(pose.before);
    if (keep && events.drag_ended) events.drag_ended(pose.before, pose.q);
    return true;
}

// ---- joint sliders

/// The pose that a moved slider comes to: its coordinate as asked for, the loops closed; the last closed one where that
/// cannot be.
std::vector<double> ViewCore::followLoops(const PanelEvents& done) {
    const std::vector<double>& param = snapshot_->inputs.param;
    const std::vector<double> last = posed_q_.size() == snapshot_->state.q.size() ? posed_q_ : snapshot_->state.q;
    const int body = done.moved_body;
    if (!closure() || !done.pose || body < 0) return last;
    const auto b = static_cast<std::size_t>(body);
    Assembly reached;
    if (done.moved_velocity >= 0) {
        const int coordinate = done.moved_velocity - layout_.v_of_body[b];
        const double value = (*done.pose)[static_cast<std::size_t>(layout_.q_of_body[b] + coordinate)];
        reached = closure()->setCoordinate(last, done.moved_velocity, value, param, handSteps(closure()->layout()));
    } else {
        // Roll, pitch, yaw or place of a free body: the joint is held where it was put, the rest follows.
        AssembleOptions options = handSteps(closure()->layout());
        for (int i = 0; i < jointNv(snapshot_->model->bodies[b].joint.type); ++i)
            options.keep.push_back(layout_.v_of_body[b] + i);
        reached = closure()->assemble(*done.pose, param, options);
    }
    return reached.closed ? reached.q : last;
}

// ---- free motions

/// Of a vehicle on bands every shoe is a motion of its own: a list of them would say nothing, and take long.
std::string ViewCore::motionsNote() const {
    constexpr int kMost = 60;
    const int count = layout_.nv - layout_.nc;
    return count > kMost ? std::to_string(count) + " free motions: too many to list" : std::string();
}

const std::vector<FreeMotion>& ViewCore::freeMotions() {
    static const std::vector<FreeMotion> none;
    if (!snapshot_ || !snapshot_->model || snapshot_->model->loops.empty() || snapshot_->run == RunState::running ||
        !motionsNote().empty() || !closure())
        return none;
    // While one plays, and while a pose moves under the hand, the list stands still.
    const bool moving = playing_ >= 0 || pose_ || panels_.pose_moving;
    const bool same = motions_q_ == snapshot_->state.q && motions_param_ == snapshot_->inputs.param;
    if (!same && !(moving && !motions_q_.empty())) {
        motions_q_ = snapshot_->state.q;
        motions_param_ = snapshot_->inputs.param;
        motions_ = closure()->freeMotions(motions_q_, motions_param_);
    }
    return motions_;
}

void ViewCore::playMotion(int motion) {
    if (motion < 0 && playing_ < 0) return;
    playing_ = -1;
    path_.reset();
    preview_.reset();
    settling_ = 2;
    changed(true);
    if (motion < 0) return;
    const std::vector<FreeMotion>& all = freeMotions();
    if (static_cast<std::size_t>(motion) < all.size() && builder_) {
        const double size = builder_->bodyBounds(sceneState()).diagonal();
        path_ = std::make_unique<MotionPath>(*closure_, snapshot_->state.q, snapshot_->inputs.param, all,
                                             static_cast<std::size_t>(motion), size);
        if (path_->moves()) playing_ = motion;
        else path_.reset();
        played_since_ = -1;
    }
}

void ViewCore::advanceMotion(double now) {
    if (playing_ < 0 || !path_) return;
    if (played_since_ < 0) played_since_ = now;
    showPreview(path_->at(now - played_since_));
}

/// A pose that nothing runs in: places and errors of the loops are its own, what only a run has is left out.
void ViewCore::showPreview(std::vector<double> q) {
    auto preview = std::make_shared<Snapshot>(*snapshot_);
    const Model& model = *preview->model;
    const std::vector<double>& param = preview->inputs.param;
    Readings& r = preview->readings;
    const std::vector<mw::Placement> bodies = bodyPlacements(model, q, param);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        std::copy(bodies[b].rotation.begin(), bodies[b].rotation.end(),
                  r.X.begin() + static_cast<std::ptrdiff_t>(12 * b));
        std::copy(bodies[b].position.begin(), bodies[b].position.end(),
                  r.X.begin() + static_cast<std::ptrdiff_t>(12 * b + 9));
    }
    std::fill(r.V.begin(), r.V.end(), 0.0);
    r.vdot.clear();
    r.lambda.clear();
    r.drive_force.clear();
    r.drive_target.clear();
    r.elements = {};
    r.push_force.reset();
    r.contacts.clear();
    r.contact_totals = {};
    r.tensions.clear();
    r.tendons.clear();
    r.rows = {};
    preview->state.v.assign(preview->state.v.size(), 0.0);
    preview->state.q = std::move(q);
    r.loops = loopReadings(model, layout_, param, r.X, r.V, {});
    for (LoopReading& loop : r.loops) loop.lambda.clear();
    preview_ = std::move(preview);
    scene_dirty_ = true;
}

// ---- what the loops carry

/// Arrows at the `to` points, on the successors: with their switches, and always of a selected loop.
void ViewCore::gatherForces() {
    forces_.clear();
    const Snapshot& s = *shown();
    const Model& model = *s.model;
    for (std::size_t i = 0; i < model.loops.size() && i < s.readings.loops.size(); ++i) {
        const LoopReading& r = s.readings.loops[i];
        const Loop& loop = model.loops[i];
        const Item item{"loop", loop.name};
        const bool selected = std::find(selection_.begin(), selection_.end(), item) != selection_.end();
        if (r.lambda.empty() || !(loop_forces_ || loop_moments_ || selected)) continue;
        const auto name = [&](int body) {
            return body == kBase ? std::string("base") : model.bodies[static_cast<std::size_t>(body)].name;
        };
        scene::ForceReading force;
        force.acts_on = {scene::ItemKind::body, loop.to.body};
        force.made_by = {scene::ItemKind::loop, static_cast<int>(i)};
        force.name = name(loop.from.body) + " on " + name(loop.to.body);
        force.point = {r.to_point[0], r.to_point[1], r.to_point[2]};
        force.quantity = scene::Quantity::joint;
        force.kind = scene::ArrowKind::force;
        force.vector = {r.wrench[3], r.wrench[4], r.wrench[5]};
        if (loop_forces_ || selected) forces_.push_back(force);
        force.kind = scene::ArrowKind::moment;
        force.vector = {r.wrench[0], r.wrench[1], r.wrench[2]};
        // A moment that is rounding is none.
        const double scale =
            std::max(1e-9, scene::Vec3(r.wrench[3], r.wrench[4], r.wrench[5]).norm() * builder_->measures().link);
        if ((loop_moments_ || selected) && force.vector.norm() > 1e-9 * scale) forces_.push_back(force);
    }
}

}  // namespace mw::app
