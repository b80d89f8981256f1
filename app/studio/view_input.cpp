// Qt's mouse, wheel and keys as the view takes them.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include "app/studio/view_widget.h"

namespace mw::app {
namespace {

std::optional<PanelKey> panelKey(int key) {
    switch (key) {
        case Qt::Key_Tab: return PanelKey::tab;
        case Qt::Key_Left: return PanelKey::left;
        case Qt::Key_Right: return PanelKey::right;
        case Qt::Key_Up: return PanelKey::up;
        case Qt::Key_Down: return PanelKey::down;
        case Qt::Key_Home: return PanelKey::home;
        case Qt::Key_End: return PanelKey::end;
        case Qt::Key_Delete: return PanelKey::remove;
        case Qt::Key_Backspace: return PanelKey::backspace;
        case Qt::Key_Return:
        case Qt::Key_Enter: return PanelKey::enter;
        case Qt::Key_Escape: return PanelKey::escape;
        case Qt::Key_A: return PanelKey::a;
        case Qt::Key_C: return PanelKey::c;
        case Qt::Key_V: return PanelKey::v;
        case Qt::Key_X: return PanelKey::x;
        case Qt::Key_Y: return PanelKey::y;
        case Qt::Key_Z: return PanelKey::z;
        default: return std::nullopt;
    }
}

std::optional<PointerButton> buttonOf(Qt::MouseButton button) {
    switch (button) {
        case Qt::LeftButton: return PointerButton::left;
        case Qt::RightButton: return PointerButton::right;
        case Qt::MiddleButton: return PointerButton::middle;
        default: return std::nullopt;
    }
}

HeldKeys heldKeys(Qt::KeyboardModifiers held) {
    return {(held & Qt::ShiftModifier) != 0, (held & Qt::ControlModifier) != 0, (held & Qt::AltModifier) != 0};
}

}  // namespace

scene::Vec2 ViewWidget::pixelOf(const QPointF& position) const {
    return {position.x() * devicePixelRatioF(), position.y() * devicePixelRatioF()};
}

void ViewWidget::mousePressEvent(QMouseEvent* event) {
    setFocus();
    if (const auto button = buttonOf(event->button()))
        core_.pointerPressed(pixelOf(event->position()), *button, heldKeys(event->modifiers()), clock());
}

void ViewWidget::mouseMoveEvent(QMouseEvent* event) { core_.pointerMoved(pixelOf(event->position()), clock()); }

void ViewWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (const auto button = buttonOf(event->button()))
        core_.pointerReleased(pixelOf(event->position()), *button, heldKeys(event->modifiers()), clock());
}

void ViewWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto button = buttonOf(event->button()))
        core_.doubleClicked(pixelOf(event->position()), *button, heldKeys(event->modifiers()), clock());
}

void ViewWidget::wheelEvent(QWheelEvent* event) {
    core_.wheel(pixelOf(event->position()), event->angleDelta().y() / 120.0, clock());
    event->accept();
}

void ViewWidget::leaveEvent(QEvent*) { core_.pointerLeft(); }

/// Keyboard driving takes its keys while it is on; a key that is let go is let go whatever is held by then.
bool ViewWidget::feedDriving(QKeyEvent* event, bool down) {
    const bool arrows = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    std::optional<DriveKey> key;
    if (arrows) key = event->key() == Qt::Key_Up ? DriveKey::forward : DriveKey::back;
    else if (event->key() >= Qt::Key_A && event->key() <= Qt::Key_Z)
        key = driveKeyOf(static_cast<char>('a' + (event->key() - Qt::Key_A)));
    const HeldKeys held = heldKeys(event->modifiers());
    if (!key || (down && (held.ctrl || held.alt))) return false;
    if (event->isAutoRepeat()) return core_.driving();
    return core_.driveKey(*key, down, held.shift, clock());
}

bool ViewWidget::feedKey(QKeyEvent* event, bool down) {
    const HeldKeys held = heldKeys(event->modifiers());
    if (!core_.typing()) return feedDriving(event, down);
    if (const auto key = panelKey(event->key())) core_.key(*key, down, held, clock());
    if (down && !held.ctrl)
        for (const char32_t c : event->text().toStdU32String()) core_.character(c);
    return true;
}

void ViewWidget::keyPressEvent(QKeyEvent* event) {
    if (!feedKey(event, true)) QOpenGLWidget::keyPressEvent(event);
}

void ViewWidget::focusOutEvent(QFocusEvent* event) {
    core_.releaseDriveKeys();
    QOpenGLWidget::focusOutEvent(event);
}

void ViewWidget::keyReleaseEvent(QKeyEvent* event) {
    if (!feedKey(event, false)) QOpenGLWidget::keyReleaseEvent(event);
}

bool ViewWidget::event(QEvent* event) {
    // While a value is typed in an instrument, letters and arrows are text and not shortcuts.
    if (event->type() == QEvent::ShortcutOverride && core_.typing()) {
        event->accept();
        return true;
    }
    return QOpenGLWidget::event(event);
}

}  // namespace mw::app
