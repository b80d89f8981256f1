// Pointer, wheel and keys of the view. Instruments come first: what lies under a panel is the panel's.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/panels/view_core.h"
#include "app/scene/axis_widget.h"

namespace mw::app {
namespace {

constexpr double kStill = 4;       // interface px that a click may move
constexpr double kFullTurn = 120;  // interface px of a drag that turns with the full couple

}  // namespace

const char* mousePresetName(MousePreset preset) {
    switch (preset) {
        case MousePreset::blender: return "Blender";
        case MousePreset::mujoco: return "MuJoCo";
        case MousePreset::cad: return "CAD";
        case MousePreset::trackpad: return "Trackpad";
    }
    return "";
}

std::optional<MousePreset> mousePresetFromName(const std::string& name) {
    for (const MousePreset preset : kMousePresets)
        if (name == mousePresetName(preset)) return preset;
    return std::nullopt;
}

ViewDrag dragOf(MousePreset preset, PointerButton button, const HeldKeys& held) {
    if (button == PointerButton::left && held.ctrl) return ViewDrag::push;
    if (button == PointerButton::right && held.ctrl) return ViewDrag::turn;
    switch (preset) {
        case MousePreset::mujoco:
            return button == PointerButton::left    ? ViewDrag::orbit
                   : button == PointerButton::right ? ViewDrag::pan
                                                    : ViewDrag::zoom;
        case MousePreset::cad:
            if (button == PointerButton::middle) return held.ctrl ? ViewDrag::zoom : ViewDrag::pan;
            return button == PointerButton::right ? ViewDrag::orbit : ViewDrag::none;
        case MousePreset::trackpad:
            if (button == PointerButton::left) return held.shift ? ViewDrag::pan : ViewDrag::orbit;
            break;
        case MousePreset::blender: break;
    }
    if (button == PointerButton::middle)
        return held.ctrl ? ViewDrag::zoom : held.shift ? ViewDrag::pan : ViewDrag::orbit;
    return ViewDrag::none;
}

PushSpring pushSpring(const Model& model, int body, std::span<const double> param, double size) {
    double all = 0;
    for (const Body& b : model.bodies) all += b.mass.at(param);
    // A body of next to no mass is carried by its neighbours.
    const double mean = all / std::max<double>(1, static_cast<double>(model.bodies.size()));
    const double mass = std::max(model.bodies[static_cast<std::size_t>(body)].mass.at(param), 0.1 * mean);
    const double swing = 4 * std::numbers::pi;
    const double omega = std::sqrt(std::max(swing * swing, size > 1e-6 ? 4 * 9.81 / size : 0.0));
    return {mass * omega * omega, 0.8 * mass * omega};
}

void ViewCore::point(const scene::Vec2& pixel) {
    input_.mouse_x = static_cast<float>(pixel.x());
    input_.mouse_y = static_cast<float>(pixel.y());
    input_seen_ = false;
}

// A frame that is only felt: the instruments must know where the pointer is before they are asked whose press it is,
// and a press and its release are two frames for them.
void ViewCore::feel(double now) {
    if (input_seen_ || !imgui_ || !frame_.instruments) return;
    input_.seconds = static_cast<float>(now - last_frame_);
    last_frame_ = now;
    if (!imgui_->beginUnseen(input_)) return;
    const PanelEvents done = drawInstruments();
    imgui_->endUnseen();
    actOn(done);
}

bool ViewCore::overInstrument(double now) {
    feel(now);
    return imgui_ && frame_.instruments && imgui_->wantsMouse();
}

void ViewCore::holdKeys(const HeldKeys& held) {
    input_.ctrl = held.ctrl;
    input_.shift = held.shift;
    input_.alt = held.alt;
}

void ViewCore::buttonInput(PointerButton button, bool down) {
    (button == PointerButton::left    ? input_.left
     : button == PointerButton::right ? input_.right
                                      : input_.middle) = down;
    input_seen_ = false;
}

std::vector<scene::Hit> ViewCore::hitsAt(const scene::Vec2& pixel) const {
    return scene::pick(scene_, camera_, viewport(), pixel, 5 * frame_.scale);
}

void ViewCore::pointerPressed(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now) {
    if (button_) return;  // one drag at a time
    point(pixel);
    holdKeys(held);
    const bool panel = overInstrument(now);
    pressed_at_ = last_at_ = pixel;
    moved_ = false;
    button_ = button;
    settling_ = 2;
    if (panel) {
        drag_ = ViewDrag::panel;
        buttonInput(button, true);
        changed(false);
        return;
    }
    drag_ = dragOf(preset_, button, held);
    if (drag_ == ViewDrag::push && snapshot_ && snapshot_->run != RunState::running)
        drag_ = beginPose(pixel) ? ViewDrag::pose : ViewDrag::none;
    if (button == PointerButton::left && !held.ctrl && !held.shift && beginPath(pixel)) drag_ = ViewDrag::path;
    if ((drag_ == ViewDrag::push || drag_ == ViewDrag::turn) && !beginPush(pixel, drag_ == ViewDrag::turn))
        drag_ = ViewDrag::none;
    // A press beside an open popup closes it, and one beside a field that is being typed in ends the typing.
    buttonInput(button, true);
    feel(now);
    buttonInput(button, false);
    changed(false);
}

void ViewCore::pointerMoved(const scene::Vec2& pixel, double) {
    point(pixel);
    const scene::Vec2 by = pixel - last_at_;
    if (button_ && (pixel - pressed_at_).cwiseAbs().sum() > kStill * frame_.scale) moved_ = true;
    last_at_ = pixel;
    // Angles an interface pixel, so that a drag turns as far on every screen.
    const double k = 1 / std::max(0.1, frame_.scale);
    switch (drag_) {
        case ViewDrag::orbit:
            if (moved_) camera_.orbit(by.x() * k, by.y() * k);
            break;
        case ViewDrag::pan:
            if (moved_) {
                camera_.pan(by.x(), by.y(), viewport());
                auto_frame_ = false;
            }
            break;
        case ViewDrag::zoom:
            if (moved_) {
                camera_.zoom(-by.y() * k / 40, pressed_at_, viewport());
                auto_frame_ = false;
            }
            break;
        case ViewDrag::push:
        case ViewDrag::turn: movePush(pixel); break;
        case ViewDrag::pose:
            if (moved_) movePose(pixel);
            break;
        case ViewDrag::path:
            if (moved_) movePath(pixel);
            break;
        case ViewDrag::panel: break;
        case ViewDrag::none:
            if (!button_) hoverAt(pixel);
            break;
    }
    changed(false);
}

void ViewCore::pointerReleased(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now) {
    if (button_ != button) return;
    const ViewDrag was = drag_;
    drag_ = ViewDrag::none;
    button_.reset();
    point(pixel);
    settling_ = 2;
    if (was == ViewDrag::panel) {
        feel(now);
        buttonInput(button, false);
        feel(now);  // where it was let go, not where the pointer is by the next frame
    } else if (was == ViewDrag::push || was == ViewDrag::turn) {
        endPush();
        if (!moved_ && was == ViewDrag::push) clickAt(pixel, true);
    } else if (was == ViewDrag::pose) {
        endPose(true);
        if (!moved_) clickAt(pixel, true);
    } else if (was == ViewDrag::path && moved_) {
        grip_.reset();
    } else if (!moved_ && button == PointerButton::left) {
        grip_.reset();
        if (const auto direction = scene::axisWidgetHit(camera_, viewport(), frame_.scale, pixel))
            camera_.lookFrom(*direction, now);
        else clickAt(pixel, held.ctrl);
    } else if (!moved_ && button == PointerButton::right) {
        const auto hits = hitsAt(pixel);
        if (events.context) events.context(hits.empty() ? Item{} : itemOf(hits.front().id), pixel);
    }
    changed(false);
}

void ViewCore::doubleClicked(const scene::Vec2& pixel, PointerButton button, const HeldKeys& held, double now) {
    point(pixel);
    if (overInstrument(now)) pointerPressed(pixel, button, held, now);
    else if (button == PointerButton::left && !selection_.empty()) frameSelection(now);
}

void ViewCore::pointerLeft() {
    point(scene::Vec2::Constant(-1e6));
    if (hover_) {
        hover_ = {};
        scene_dirty_ = true;
    }
    changed(false);
}

void ViewCore::wheel(const scene::Vec2& pixel, double steps, double now) {
    point(pixel);
    if (overInstrument(now)) {
        input_.wheel += static_cast<float>(steps);
        input_seen_ = false;
    } else {
        camera_.zoom(steps, pixel, viewport());
        auto_frame_ = false;
    }
    changed(false);
}

void ViewCore::hoverAt(const scene::Vec2& pixel) {
    scene::ItemId now;
    if (!(imgui_ && frame_.instruments && imgui_->wantsMouse())) {
        const auto hits = hitsAt(pixel);
        if (!hits.empty()) now = hits.front().id;
    }
    if (now == hover_) return;
    hover_ = now;
    scene_dirty_ = true;
}

void ViewCore::clickAt(const scene::Vec2& pixel, bool add) {
    if (!events.select) return;
    const auto hit = cycle_.click(hitsAt(pixel), pixel);
    if (!hit) {
        if (!add) events.select({}, false);
        return;
    }
    const Item item = itemOf(hit->id);
    if (item.kind.empty()) return;
    events.select(item, add);
    if (hit->element >= 0 && item.kind == "tendon" && events.path_element) events.path_element(item, hit->element);
}

std::optional<scene::Hit> ViewCore::bodyAt(const scene::Vec2& pixel) const {
    const Model& model = *snapshot_->model;
    for (scene::Hit hit : hitsAt(pixel)) {
        if (hit.id.kind == scene::ItemKind::shape)
            hit.id = {scene::ItemKind::body, model.shapes[static_cast<std::size_t>(hit.id.index)].body};
        // A closure is held by what it is fixed to.
        if (hit.id.kind == scene::ItemKind::loop) {
            const Loop& loop = model.loops[static_cast<std::size_t>(hit.id.index)];
            hit.id = {scene::ItemKind::body, loop.to.body >= 0 ? loop.to.body : loop.from.body};
        }
        if ((hit.id.kind == scene::ItemKind::body || hit.id.kind == scene::ItemKind::joint) && hit.id.index >= 0)
            return hit;
    }
    return std::nullopt;
}

bool ViewCore::beginPush(const scene::Vec2& pixel, bool turn) {
    if (!snapshot_ || !builder_) return false;
    const auto hit = bodyAt(pixel);
    if (!hit) return false;
    const Model& model = *snapshot_->model;
    const int body = hit->id.index;
    const double size = builder_->bounds(sceneState()).diagonal();
    const PushSpring spring = pushSpring(model, body, snapshot_->inputs.param, size);
    Push push;
    push.body = body;
    push.plane = hit->point;
    push.point = scene::SceneBuilder::placeOf(snapshot_->readings.X, body).inverse(Eigen::Isometry) * hit->point;
    push.stiffness = spring.stiffness;
    push.damping = spring.damping;
    // A full turn is as strong as a pull over a tenth of the mechanism at an arm of a tenth.
    if (turn) push.couple = std::max(1e-9, 0.01 * spring.stiffness * size * size);
    push_ = push;
    movePush(pixel);
    return true;
}

// Where the pointer's ray meets the plane through a point that faces the camera.
std::optional<scene::Vec3> ViewCore::onPlane(const scene::Vec2& pixel, const scene::Vec3& plane) const {
    const scene::Ray ray = camera_.ray(pixel, viewport());
    const scene::Vec3 normal = camera_.forward();
    const double along = ray.direction.dot(normal);
    if (std::abs(along) < 1e-9) return std::nullopt;
    return scene::Vec3(ray.origin + ray.direction * ((plane - ray.origin).dot(normal) / along));
}

// The cursor moves in the plane through the grabbed point that faces the camera.
void ViewCore::movePush(const scene::Vec2& pixel) {
    if (!push_) return;
    if (push_->couple > 0) {
        // To the right: about the picture's upright; down: about its horizontal, as one would turn a ball.
        const scene::Vec2 by = (pixel - pressed_at_) / (kFullTurn * std::max(0.1, frame_.scale));
        const scene::Vec3 couple = (camera_.cameraUp() * by.x() + camera_.right() * by.y()) * push_->couple;
        Inputs::Push push;
        push.body = push_->body;
        push.point = {push_->point.x(), push_->point.y(), push_->point.z()};
        push.target = {push_->plane.x(), push_->plane.y(), push_->plane.z()};
        push.torque = {couple.x(), couple.y(), couple.z()};
        if (events.push) events.push(push);
        return;
    }
    const auto target = onPlane(pixel, push_->plane);
    if (!target) return;
    Inputs::Push push;
    push.body = push_->body;
    push.point = {push_->point.x(), push_->point.y(), push_->point.z()};
    push.target = {target->x(), target->y(), target->z()};
    push.stiffness = push_->stiffness;
    push.damping = push_->damping;
    if (events.push) events.push(push);
}

void ViewCore::endPush() {
    if (!push_) return;
    push_.reset();
    if (events.push) events.push(std::nullopt);
}

bool ViewCore::cancelDrag() {
    if (playing_ >= 0) {
        playMotion(-1);
        return true;
    }
    if (drag_ == ViewDrag::none || drag_ == ViewDrag::panel) return false;
    endPush();
    endPose(false);
    if (grip_ && moved_ && events.path_point)
        events.path_point(grip_->tendon, grip_->element, grip_->side, grip_->before, grip_->number);
    grip_.reset();
    drag_ = ViewDrag::none;
    button_.reset();
    changed(false);
    return true;
}

bool ViewCore::typing() const { return imgui_ && imgui_->wantsKeyboard(); }

bool ViewCore::key(PanelKey key, bool down, const HeldKeys& held, double now) {
    holdKeys(held);
    if (!typing()) return false;
    // A press and its release are two frames for the instruments.
    const auto same = [&](const PanelInput::Key& k) { return k.key == key; };
    if (std::any_of(input_.keys.begin(), input_.keys.end(), same)) feel(now);
    input_.keys.push_back({key, down});
    input_seen_ = false;
    changed(false);
    return true;
}

bool ViewCore::character(unsigned code_point) {
    if (!typing()) return false;
    if (code_point >= 32 && code_point != 127) input_.characters.push_back(code_point);
    input_seen_ = false;
    changed(false);
    return true;
}

}  // namespace mw::app
