// Where the mechanism stands in the view: in the part that the cards leave free, with room for what it can reach; kept
// there while it swings out, and followed where it is free to leave.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "app/panels/view_core.h"
#include "engine/dynamics/reference_kernel.h"

namespace mw::app {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kPoses = 160;         // that stand for all a mechanism can reach
constexpr double kRoom = 1.15;      // times the present size that the first look grants to it
constexpr double kMostGrown = 8;    // times the framed size that the view follows by itself
constexpr double kLeftCards = 240;  // interface px with their margins
constexpr double kOpenSliders = 324, kBodyCard = 312, kLegend = 42;

scene::Box widened(const scene::Box& box, double factor) {
    const scene::Vec3 centre = box.centre();
    const scene::Vec3 half = ((box.high - box.low) / 2).cwiseMax(scene::Vec3::Constant(0.12 * box.diagonal())) * factor;
    scene::Box wide;
    wide.add(scene::Vec3(centre - half));
    wide.add(scene::Vec3(centre + half));
    return wide;
}

// Puts joint coordinates anywhere in the range that the text gives, angles without one anywhere at all. A travel
// without a range stays as it is.
void anyPose(const Model& model, const Layout& layout, std::span<const double> param, std::mt19937& random,
             std::vector<double>& q) {
    std::uniform_real_distribution<double> unit(-1, 1);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        double* at = q.data() + layout.q_of_body[b];
        const auto within = [&](double lower, double upper) {
            return lower + (upper - lower) * (unit(random) + 1) / 2;
        };
        const auto scalar = [&](bool angle) {
            if (body.slider) return within((*body.slider)[0].at(param), (*body.slider)[1].at(param));
            return angle ? within(-kPi, kPi) : at[0];
        };
        switch (body.joint.type) {
            case JointType::revolute:
            case JointType::screw:
            case JointType::cylindrical: at[0] = scalar(true); break;
            case JointType::prismatic: at[0] = scalar(false); break;
            case JointType::universal: at[0] = scalar(true), at[1] = within(-kPi, kPi); break;
            case JointType::planar: at[2] = within(-kPi, kPi); break;
            case JointType::spherical: {
                std::normal_distribution<double> normal;
                double norm = 0;
                for (int i = 0; i < 4; ++i) at[i] = normal(random), norm += at[i] * at[i];
                for (int i = 0; i < 4; ++i) at[i] /= std::max(1e-12, std::sqrt(norm));
                break;
            }
            default: break;
        }
    }
}

scene::Vec3 centreOfMass(const Model& model, std::span<const double> param, std::span<const double> X, double& mass) {
    scene::Vec3 sum = scene::Vec3::Zero();
    mass = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const double m = body.mass.at(param);
        const scene::Vec3 cg(body.cg[0].at(param), body.cg[1].at(param), body.cg[2].at(param));
        sum += m * (scene::SceneBuilder::placeOf(X, static_cast<int>(b)) * cg);
        mass += m;
    }
    return mass > 0 ? scene::Vec3(sum / mass) : scene::Vec3::Zero();
}

bool leaves(const Model& model) {
    const bool falls =
        std::any_of(model.gravity.begin(), model.gravity.end(), [](const Number& g) { return g.value != 0; });
    return falls && std::any_of(model.bodies.begin(), model.bodies.end(),
                                [](const Body& b) { return b.joint.type == JointType::floating; });
}

}  // namespace

scene::Viewport ViewCore::viewport() const {
    return {std::max(1.0, static_cast<double>(frame_.width)), std::max(1.0, static_cast<double>(frame_.height)),
            shift_ * frame_.scale, free_ * frame_.scale};
}

// The picture itself stays where it is, so that only the next move of the camera brings the mechanism over.
void ViewCore::findFreePart(bool keep_picture) {
    const double k = std::max(0.1, frame_.scale), width = frame_.width / k, height = frame_.height / k;
    const bool sliders = panels_.show_sliders && panels_.sliders_open;
    double left = 0, right = 0;
    if (frame_.instruments) {
        left = sliders ? kOpenSliders : panels_.show_run || panels_.show_sliders ? kLeftCards : 0;
        if (panels_.show_body && panels_.body_open && !selection_.empty()) right = kBodyCard;
    }
    double below = show_.legend ? kLegend : 0;
    if (width - left - right < 0.42 * width) right = 0;
    if (width - left - right < 0.42 * width) left = 0;
    if (height - below < 200) below = 0;
    const scene::Vec2 shift((left - right) / 2, -below / 2);
    if (keep_picture) {
        const scene::Vec2 by = (shift_ - shift) * k;
        camera_.pan(by.x(), by.y(), viewport());
    }
    shift_ = shift;
    free_ = {width - left - right, height - below};
}

scene::Box ViewCore::reach() {
    if (reach_known_) return reach_;
    reach_known_ = true;
    reach_ = {};
    const Model& model = *snapshot_->model;
    if (model.bodies.empty() || model.bodies.size() > 60) return reach_;
    if (!model.loops.empty()) return reach_ = widened(builder_->bodyBounds(sceneState()), kRoom);
    const std::vector<double> param = model.liveValues();
    const Kernel kernel = makeReferenceKernel(model);
    std::vector<double> work = makeWork(kernel), X(12 * model.bodies.size() + 1), V(6 * model.bodies.size() + 1);
    const std::vector<double> start = startQ(model, layout_, param), v = startV(model, layout_, param);
    // Of what only gravity moves, the poses that are not above its energy.
    const bool free = model.tsdas.empty() && model.rsdas.empty() && model.drives.empty();
    const scene::Vec3 g(model.gravity[0].at(param), model.gravity[1].at(param), model.gravity[2].at(param));
    const auto potential = [&](const std::vector<double>& q) {
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
        double mass = 0;
        const scene::Vec3 cg = centreOfMass(model, param, X, mass);
        return -mass * g.dot(cg);
    };
    double most = potential(start);
    std::vector<double> M(v.size() * v.size() + 1);
    kernel->mass_matrix(start.data(), param.data(), work.data(), M.data());
    for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t j = 0; j < v.size(); ++j) most += 0.5 * v[i] * M[i * v.size() + j] * v[j];
    most += 1e-9 * std::abs(most);
    scene::SceneState state;
    state.X = {X.data(), 12 * model.bodies.size()};
    state.param = param;
    std::mt19937 random(1);
    std::vector<double> q = start;
    for (int i = 0; i < kPoses; ++i) {
        anyPose(model, layout_, param, random, q);
        const double energy = potential(q);
        if (free && !(energy <= most)) continue;
        const scene::Box box = builder_->bodyBounds(state);
        if (!box.empty() && std::isfinite(box.diagonal())) reach_.add(box);
    }
    return reach_;
}

void ViewCore::frameAll(double now) {
    if (!builder_ || !snapshot_) return;
    const scene::Box present = builder_->bounds(sceneState());
    scene::Box box = present;
    const scene::Box far = reach();
    if (!far.empty()) {
        const scene::Box room = widened(present, kRoom);
        scene::Box near;
        near.add(scene::Vec3(room.low.cwiseMax(far.low).cwiseMin(present.low)));
        near.add(scene::Vec3(room.high.cwiseMin(far.high).cwiseMax(present.high)));
        box.add(near);
    }
    camera_.setBounds(present);
    // The first look at a mechanism is there at once; later ones travel.
    if (!framed_) {
        camera_.setSmooth(false);
        camera_.setView(scene::StandardView::home, now);
        follow_whole_ = leaves(*snapshot_->model);
    }
    findFreePart(framed_);
    camera_.frame(box, viewport(), now);
    camera_.setSmooth(smooth_);
    framed_ = auto_frame_ = true;
    framed_box_ = box;
    framed_size_ = box.diagonal();
    changed(false);
}

void ViewCore::frameSelection(double now) {
    if (!builder_ || !snapshot_) return;
    scene::Box box;
    for (const Item& item : selection_)
        if (const auto id = idOf(item)) box.add(builder_->boundsOf(sceneState(), id));
    if (box.empty()) {
        frameAll(now);
        return;
    }
    findFreePart(true);
    camera_.frame(box, viewport(), now);
    auto_frame_ = false;
    changed(false);
}

// A running mechanism that swings out of the picture is brought back into it, as long as nobody has chosen another
// part.
void ViewCore::keepInView(double now) {
    if (!auto_frame_ || !snapshot_ || follow_ || follow_whole_) return;
    // Steps back and scrubbing leave the camera alone; a run moves it, and a state that was put there by hand.
    if (snapshot_->run != RunState::running && (snapshot_->state.step != 0 || panels_.pose_moving)) return;
    const scene::Box& box = scene_.bounds;
    if (camera_.moving() || box.empty() || !(box.diagonal() < kMostGrown * framed_size_)) return;
    bool outside = false;
    for (const scene::MeshInstance& m : scene_.meshes) {
        if (outside || m.mesh->bounds.empty()) continue;
        const auto seen = camera_.project(m.place * m.mesh->bounds.centre(), viewport());
        outside = !seen || seen->pixel.x() < 0 || seen->pixel.y() < 0 || seen->pixel.x() > frame_.width ||
                  seen->pixel.y() > frame_.height;
    }
    if (!outside) return;
    framed_box_.add(box);
    if (framed_box_.diagonal() > kMostGrown * framed_size_) return;
    camera_.frame(framed_box_, viewport(), now);
}

void ViewCore::followOn() {
    std::optional<scene::Vec3> to;
    int source = 0;
    if (builder_ && snapshot_ && follow_) {
        const auto id = selection_.empty() ? scene::ItemId{} : idOf(selection_.back());
        if (id) {
            to = builder_->anchorOf(sceneState(), id);
            source = 1 + static_cast<int>(id.kind) * 100000 + id.index;
        }
    } else if (builder_ && snapshot_ && follow_whole_) {
        double mass = 0;
        to = centreOfMass(*snapshot_->model, snapshot_->inputs.param, shown()->readings.X, mass);
        source = -1;
    }
    if (source != followed_) camera_.follow(std::nullopt);
    followed_ = source;
    if (to) camera_.follow(to);
}

void ViewCore::toggleFollow() {
    if (following()) {
        follow_ = follow_whole_ = false;
    } else {
        follow_ = !selection_.empty();
        follow_whole_ = selection_.empty();
    }
    if (events.cards) events.cards();
    changed(false);
}

}  // namespace mw::app
