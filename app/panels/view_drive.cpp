// Keyboard driving: keys become wanted speeds of the vehicle, smoothly, and these become speeds of its driven rollers.
#include <algorithm>
#include <cmath>

#include "app/panels/view_core.h"

namespace mw::app {
namespace {

constexpr double kGather = 1.5;   // s from standing to the most
constexpr double kRollOut = 2.5;  // s from the most to standing, when no key is held
constexpr double kStop = 0.7;     // s from the most to standing against the way it goes
constexpr double kTurnIn = 0.35;  // s
constexpr double kFast = 2;       // times as fast with Shift
constexpr double kSayEvery = 1.0 / 30;

double approach(double value, double target, double by) {
    return value < target ? std::min(target, value + by) : std::max(target, value - by);
}

/// +1 where the joint turns about the root's +y, the way that drives along its +x; -1 about -y.
double senseOf(const Snapshot& s, const DrivenRoller& roller) {
    const int root = s.model->tracks[static_cast<std::size_t>(roller.track)].root;
    const scene::Placement body = scene::SceneBuilder::placeOf(s.readings.X, roller.body),
                           frame = scene::SceneBuilder::placeOf(s.readings.X, root);
    const Vector3d& a = s.model->bodies[static_cast<std::size_t>(roller.body)].joint.axis;
    return (body.linear() * scene::Vec3(a[0], a[1], a[2])).dot(frame.linear().col(1)) < 0 ? -1.0 : 1.0;
}

}  // namespace

std::optional<DriveKey> driveKeyOf(char letter) {
    switch (letter) {
        case 'w': return DriveKey::forward;
        case 's': return DriveKey::back;
        case 'a': return DriveKey::left;
        case 'd': return DriveKey::right;
        case 'b': return DriveKey::brake;
        case 'k': return DriveKey::toggle;
        default: return std::nullopt;
    }
}

bool ViewCore::canDrive() const { return snapshot_ && snapshot_->model && !snapshot_->driven.empty(); }

void ViewCore::setDriving(bool on) {
    on = on && canDrive();
    if (on == drive_on_) return;
    drive_on_ = on;
    drive_speed_ = drive_turn_ = 0;
    driven_at_ = -1;
    drive_due_ = true;
    std::fill(std::begin(drive_held_), std::end(drive_held_), false);
    settling_ = 2;
    if (events.cards) events.cards();
    changed(false);
}

bool ViewCore::driveKey(DriveKey key, bool down, bool fast, double) {
    if (!canDrive() || typing()) return false;
    if (key == DriveKey::toggle) {
        if (down) setDriving(!drive_on_);
        return true;
    }
    if (!drive_on_) return false;
    if (key == DriveKey::brake) {
        if (down && events.brake) events.brake(!snapshot_->inputs.brake);
        return true;
    }
    drive_held_[static_cast<int>(key)] = down;
    drive_fast_ = fast && down;
    settling_ = std::max(settling_, 2);
    changed(false);
    return true;
}

void ViewCore::releaseDriveKeys() { std::fill(std::begin(drive_held_), std::end(drive_held_), false); }

/// What suits the vehicle's size (Froude's number 0.2 or so): a carrier walks at 3 m/s, a model at less.
double ViewCore::mostSpeed() const {
    double perimeter = 0;
    for (const DrivenRoller& r : snapshot_->driven)
        perimeter = std::max(perimeter, snapshot_->model->tracks[static_cast<std::size_t>(r.track)].perimeter);
    return 0.45 * std::sqrt(9.81 * std::max(0.45 * perimeter, 1e-3));
}

double ViewCore::forwardSpeed() const {
    const int root = snapshot_->model->tracks[static_cast<std::size_t>(snapshot_->driven.front().track)].root;
    const Readings& r = snapshot_->readings;
    const auto x = static_cast<std::size_t>(12 * std::max(root, 0)),
               v = static_cast<std::size_t>(6 * std::max(root, 0));
    if (root < 0 || r.X.size() < x + 12 || r.V.size() < v + 6) return 0;
    return r.X[x] * r.V[v + 3] + r.X[x + 3] * r.V[v + 4] + r.X[x + 6] * r.V[v + 5];
}

/// Moves the wanted speeds on by the time that has passed while it runs.
void ViewCore::drive(double now) {
    if (!drive_on_ || !canDrive()) return;
    const double passed = driven_at_ < 0 ? 0 : std::clamp(now - driven_at_, 0.0, 0.1);
    driven_at_ = now;
    if (snapshot_->run != RunState::running || passed <= 0) return;
    double half = 0;  // of the distance between the bands
    for (const DrivenRoller& r : snapshot_->driven)
        half = std::max(half, std::abs(snapshot_->model->tracks[static_cast<std::size_t>(r.track)].lateral));
    const double most = mostSpeed() * (drive_fast_ ? kFast : 1);
    const double wanted = most * ((drive_held_[0] ? 1 : 0) - (drive_held_[1] ? 1 : 0));
    const bool against = wanted * drive_speed_ < 0;
    const double time = wanted == 0 ? kRollOut : against ? kStop : kGather;
    drive_speed_ = approach(drive_speed_, wanted, mostSpeed() * passed / time);
    const double full = half > 0 ? 0.3 * mostSpeed() / half : 0;
    const double turn = full * ((drive_held_[2] ? 1 : 0) - (drive_held_[3] ? 1 : 0));
    drive_turn_ = approach(drive_turn_, turn, full * passed / kTurnIn);
    drive_due_ = true;
}

/// A roller's speed is that of its band over the ground where the band runs, over the radius of its pins.
void ViewCore::sayDriving(double now) {
    if (!drive_due_ || !events.driving) return;
    if (!drive_on_ || !canDrive()) {
        drive_due_ = false;
        if (!drive_said_.empty()) events.driving({});
        drive_said_.clear();
        return;
    }
    std::vector<double> speeds;
    for (const DrivenRoller& r : snapshot_->driven) {
        const double lateral = snapshot_->model->tracks[static_cast<std::size_t>(r.track)].lateral;
        speeds.push_back(senseOf(*snapshot_, r) * (drive_speed_ - drive_turn_ * lateral) / std::max(r.radius, 1e-9));
    }
    // Each change is recorded: not more often than can be felt.
    if (speeds == drive_said_) {
        drive_due_ = false;
        return;
    }
    if (!drive_said_.empty() && now - said_at_ < kSayEvery && now >= said_at_) return;
    drive_due_ = false;
    said_at_ = now;
    drive_said_ = speeds;
    events.driving(speeds);
}

DriveView ViewCore::driveView() const {
    DriveView view;
    view.possible = canDrive();
    if (!view.possible) return view;
    view.on = drive_on_;
    view.running = snapshot_->run == RunState::running;
    view.brake = snapshot_->inputs.brake;
    std::copy(std::begin(drive_held_), std::end(drive_held_), std::begin(view.held));
    view.wanted = drive_speed_;
    view.turn = drive_turn_;
    view.actual = forwardSpeed();
    view.most = mostSpeed();
    return view;
}

}  // namespace mw::app
