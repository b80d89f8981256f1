// Keys. Single keys act only while no text field has the focus; signs come as characters, so that they are where the
// user's keyboard has them.
#include <algorithm>
#include <iterator>

#include "app/player/player.h"

namespace mw::app {

void Player::keyPressed(const WindowKey& key) {
    using Name = WindowKey::Name;
    if (key.panel && view_->key(*key.panel, key.down, key.held, Window::now())) return;
    if (driveKey(key)) return;
    if (!key.down) return;
    const double now = Window::now();
    const int many = key.held.shift ? 10 : 1;
    // Function keys and those with Ctrl act in any case.
    switch (key.name) {
        case Name::f1:
            instruments_.keys = !instruments_.keys;
            view_->invalidate();
            return;
        case Name::f2: view_->toggleCard(ViewCard::run); return;
        case Name::f3: view_->toggleCard(ViewCard::performance); return;
        case Name::f4: view_->toggleCard(ViewCard::sliders); return;
        case Name::f5: reload(); return;
        case Name::f11:
            if (key.held.ctrl) view_->toggleFollow();
            else later_.full_screen = true;
            return;
        default: break;
    }
    if (key.held.ctrl) {
        const auto zoom = [&](double by) {
            zoom_ = std::clamp(zoom_ + by, 0.6, 2.5);
            view_->invalidate();
        };
        if (key.letter == 'q' || key.letter == 'w') window_->close();
        else if (key.letter == 'l') reload();
        else if (key.letter == 'r') runner_->play();
        else if (key.letter == 'g') {
            instruments_.gates = !instruments_.gates;
            view_->invalidate();
        } else if (key.letter == '=' || key.letter == '+' || key.name == Name::pad_add) zoom(0.1);
        else if (key.letter == '-' || key.name == Name::pad_subtract) zoom(-0.1);
        return;
    }
    if (view_->typing() || key.held.alt) return;
    switch (key.name) {
        case Name::space:
            if (!key.repeated) runner_->toggle();
            break;
        case Name::right: runner_->step(many); break;
        case Name::left: runner_->step(-many); break;
        case Name::backspace: runner_->reset(); break;
        case Name::home: view_->frameAll(now); break;
        case Name::page_up: selectParent(); break;
        case Name::escape: escape(); break;
        case Name::pad_1: view_->setStandardView(scene::StandardView::front, now); break;
        case Name::pad_3: view_->setStandardView(scene::StandardView::right, now); break;
        case Name::pad_7: view_->setStandardView(scene::StandardView::top, now); break;
        case Name::pad_5: view_->togglePerspective(); break;
        default: break;
    }
}

/// Driving takes its keys while it is on; a key that is let go is let go whatever else is held by then.
bool Player::driveKey(const WindowKey& key) {
    std::optional<DriveKey> drive;
    if (key.name == WindowKey::Name::up) drive = DriveKey::forward;
    else if (key.name == WindowKey::Name::down) drive = DriveKey::back;
    else drive = driveKeyOf(key.letter);
    if (!drive || (key.down && (key.held.ctrl || key.held.alt))) return false;
    if (key.repeated) return view_->driving();
    return view_->driveKey(*drive, key.down, key.held.shift, Window::now());
}

void Player::characterTyped(unsigned code_point) {
    if (view_->character(code_point)) return;
    switch (code_point) {
        case '.': runner_->step(1); break;
        case ',': runner_->step(-1); break;
        case '>': runner_->step(10); break;
        case '<': runner_->step(-10); break;
        case '-': stepSpeed(-1); break;
        case '=':
        case '+': stepSpeed(1); break;
        case 'f':
        case 'F': view_->frameSelection(Window::now()); break;
        default: break;
    }
}

void Player::stepSpeed(int direction) {
    const double wanted = snapshot_ ? snapshot_->wanted_speed : 1;
    const auto at = std::lower_bound(std::begin(kSpeeds), std::end(kSpeeds), wanted * 0.999) - std::begin(kSpeeds);
    const auto next = std::clamp<std::ptrdiff_t>(at + direction, 0, std::ssize(kSpeeds) - 1);
    runner_->setSpeed(kSpeeds[next]);
}

void Player::selectParent() {
    if (!snapshot_ || !snapshot_->model) return;
    const Model& model = *snapshot_->model;
    const int body = bodyOf(model, selection_.primary().value_or(Item{}));
    if (body < 0) return;
    const int parent = model.bodies[static_cast<std::size_t>(body)].parent;
    select({"body", parent < 0 ? "base" : model.bodies[static_cast<std::size_t>(parent)].name}, false);
}

// What is on top goes first: a drag, the menu, a sheet, then the selection.
void Player::escape() {
    if (view_->cancelDrag()) return;
    if (instruments_.menu_open) instruments_.close_menu = true;
    else if (instruments_.keys) instruments_.keys = false;
    else if (instruments_.gates) instruments_.gates = false;
    else select({}, false);
    view_->invalidate();
}

}  // namespace mw::app
