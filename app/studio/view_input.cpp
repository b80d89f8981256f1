// Mouse, wheel and keys of the view. Instruments come first: what lies under a panel is the panel's.
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "app/studio/view_widget.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr double kStill = 4;  // px that a click may move

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

}  // namespace

scene::Vec2 ViewWidget::pixelOf(const QPointF& position) const {
    return {position.x() * devicePixelRatioF(), position.y() * devicePixelRatioF()};
}

// One table of habits: which button with which modifier moves the camera how.
ViewWidget::Drag ViewWidget::dragOf(Qt::MouseButton button, Qt::KeyboardModifiers held) const {
    const bool shift = held & Qt::ShiftModifier, ctrl = held & Qt::ControlModifier;
    if (button == Qt::LeftButton && ctrl) return Drag::push;
    if (preset_ == "MuJoCo") {
        if (button == Qt::LeftButton) return Drag::orbit;
        if (button == Qt::RightButton) return Drag::pan;
        return Drag::zoom;
    }
    if (preset_ == "CAD") {
        if (button == Qt::MiddleButton) return ctrl ? Drag::zoom : Drag::pan;
        return button == Qt::RightButton ? Drag::orbit : Drag::none;
    }
    if (preset_ == "Trackpad" && button == Qt::LeftButton) return shift ? Drag::pan : Drag::orbit;
    if (button == Qt::MiddleButton) return ctrl ? Drag::zoom : shift ? Drag::pan : Drag::orbit;
    return Drag::none;
}

void ViewWidget::drawNow() {
    if (!input_seen_ && isVisible()) repaint();
}

void ViewWidget::mousePressEvent(QMouseEvent* event) {
    setFocus();
    const scene::Vec2 pixel = pixelOf(event->position());
    input_.mouse_x = static_cast<float>(pixel.x());
    input_.mouse_y = static_cast<float>(pixel.y());
    input_seen_ = false;
    drawNow();  // the instruments must know where the pointer is before they are asked whose press it is
    pressed_at_ = last_at_ = event->position();
    moved_ = false;
    drag_button_ = event->button();
    if (imgui_ && imgui_->wantsMouse()) {
        drag_ = Drag::panel;
        (event->button() == Qt::LeftButton    ? input_.left
         : event->button() == Qt::RightButton ? input_.right
                                              : input_.middle) = true;
        input_seen_ = false;
        update();
        return;
    }
    drag_ = dragOf(event->button(), event->modifiers());
    if (drag_ == Drag::push && !beginPush(pixel)) drag_ = Drag::none;
    if (imgui_ && imgui_->wantsKeyboard()) {  // a click beside a field that is being typed in ends the typing
        input_.left = true;
        input_seen_ = false;
        drawNow();
        input_.left = false;
        update();
    }
}

void ViewWidget::mouseMoveEvent(QMouseEvent* event) {
    const scene::Vec2 pixel = pixelOf(event->position());
    input_.mouse_x = static_cast<float>(pixel.x());
    input_.mouse_y = static_cast<float>(pixel.y());
    input_seen_ = false;
    const scene::Vec2 by = pixel - pixelOf(last_at_);
    if (drag_button_ != Qt::NoButton && (event->position() - pressed_at_).manhattanLength() > kStill) moved_ = true;
    last_at_ = event->position();
    switch (drag_) {
        case Drag::orbit:
            if (moved_) camera_.orbit(by.x(), by.y());
            break;
        case Drag::pan:
            if (moved_) camera_.pan(by.x(), by.y(), viewport());
            break;
        case Drag::zoom: camera_.zoom(-by.y() / 40, pixelOf(pressed_at_), viewport()); break;
        case Drag::push: movePush(pixel); break;
        case Drag::panel: break;
        case Drag::none:
            if (drag_button_ == Qt::NoButton) hoverAt(pixel);
            break;
    }
    update();
}

void ViewWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != drag_button_) return;
    const Drag was = drag_;
    const scene::Vec2 pixel = pixelOf(event->position());
    if (was == Drag::panel) {
        drawNow();  // a press and its release are two frames for the instruments
        input_.left = input_.right = input_.middle = false;
        input_seen_ = false;
        update();
    } else if (was == Drag::push) {
        endPush();
        if (!moved_) clickAt(pixel, true);
    } else if (!moved_ && event->button() == Qt::LeftButton) {
        if (const auto direction = scene::axisWidgetHit(camera_, viewport(), ratio(), pixel)) {
            camera_.lookFrom(*direction, clock());
            update();
        } else {
            clickAt(pixel, event->modifiers() & Qt::ControlModifier);
        }
    } else if (!moved_ && event->button() == Qt::RightButton) {
        const auto hits = scene::pick(scene_, camera_, viewport(), pixel);
        emit contextMenu(hits.empty() ? Item{} : itemOf(hits.front()), mapToGlobal(event->position().toPoint()));
    }
    drag_ = Drag::none;
    drag_button_ = Qt::NoButton;
}

void ViewWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    if (imgui_ && imgui_->wantsMouse()) {
        mousePressEvent(event);
        return;
    }
    if (event->button() == Qt::LeftButton && !bench_.selected().kind.empty()) frameSelection();
}

void ViewWidget::wheelEvent(QWheelEvent* event) {
    const scene::Vec2 pixel = pixelOf(event->position());
    input_.mouse_x = static_cast<float>(pixel.x());
    input_.mouse_y = static_cast<float>(pixel.y());
    input_seen_ = false;
    drawNow();
    const double steps = event->angleDelta().y() / 120.0;
    if (imgui_ && imgui_->wantsMouse()) {
        input_.wheel += static_cast<float>(steps);
        input_seen_ = false;
    } else {
        camera_.zoom(steps, pixel, viewport());
    }
    update();
    event->accept();
}

void ViewWidget::leaveEvent(QEvent*) {
    input_.mouse_x = input_.mouse_y = -1e6f;
    input_seen_ = false;
    if (hover_) {
        hover_ = {};
        scene_dirty_ = true;
    }
    update();
}

void ViewWidget::hoverAt(const scene::Vec2& pixel) {
    scene::ItemId now;
    if (!(imgui_ && imgui_->wantsMouse())) {
        const auto hits = scene::pick(scene_, camera_, viewport(), pixel);
        if (!hits.empty()) now = hits.front().id;
    }
    if (now == hover_) return;
    hover_ = now;
    scene_dirty_ = true;
}

void ViewWidget::clickAt(const scene::Vec2& pixel, bool add) {
    const auto hit = cycle_.click(scene::pick(scene_, camera_, viewport(), pixel), pixel);
    if (!hit) {
        if (!add) bench_.select({});
        return;
    }
    const Item item = itemOf(*hit);
    if (item.kind.empty()) return;
    if (add) bench_.toggleSelected(item);
    else bench_.select(item);
}

// A spring from the grabbed point to the cursor: about two swings a second for the body's own mass, lightly damped.
bool ViewWidget::beginPush(const scene::Vec2& pixel) {
    if (!snapshot_ || !builder_) return false;
    for (const scene::Hit& hit : scene::pick(scene_, camera_, viewport(), pixel)) {
        if (hit.id.kind != scene::ItemKind::body && hit.id.kind != scene::ItemKind::joint &&
            hit.id.kind != scene::ItemKind::shape)
            continue;
        const Model& model = *snapshot_->model;
        int body = hit.id.index;
        if (hit.id.kind == scene::ItemKind::shape) body = model.shapes[static_cast<std::size_t>(body)].body;
        if (body < 0) continue;
        double mass = model.bodies[static_cast<std::size_t>(body)].mass.value, all = 0;
        for (const Body& b : model.bodies) all += b.mass.value;
        mass = std::max(mass, 0.1 * all / static_cast<double>(model.bodies.size()));
        const double omega = 4 * M_PI;
        Push push;
        push.body = body;
        push.plane = hit.point;
        push.point = scene::SceneBuilder::placeOf(snapshot_->readings.X, body).inverse(Eigen::Isometry) * hit.point;
        push.stiffness = mass * omega * omega;
        push.damping = 0.8 * mass * omega;
        push_ = push;
        movePush(pixel);
        return true;
    }
    return false;
}

void ViewWidget::movePush(const scene::Vec2& pixel) {
    if (!push_) return;
    const scene::Ray ray = camera_.ray(pixel, viewport());
    const scene::Vec3 normal = camera_.forward();
    const double along = ray.direction.dot(normal);
    if (std::abs(along) < 1e-9) return;
    const scene::Vec3 target = ray.origin + ray.direction * ((push_->plane - ray.origin).dot(normal) / along);
    Inputs::Push push;
    push.body = push_->body;
    push.point = {push_->point.x(), push_->point.y(), push_->point.z()};
    push.target = {target.x(), target.y(), target.z()};
    push.stiffness = push_->stiffness;
    push.damping = push_->damping;
    bench_.runner().setPush(push);
}

void ViewWidget::endPush() {
    if (!push_) return;
    push_.reset();
    bench_.runner().setPush(std::nullopt);
}

bool ViewWidget::cancelDrag() {
    if (drag_ == Drag::none || drag_ == Drag::panel) return false;
    endPush();
    drag_ = Drag::none;
    drag_button_ = Qt::NoButton;
    return true;
}

bool ViewWidget::feedKey(QKeyEvent* event, bool down) {
    input_.ctrl = event->modifiers() & Qt::ControlModifier;
    input_.shift = event->modifiers() & Qt::ShiftModifier;
    if (!imgui_ || !imgui_->wantsKeyboard()) return false;
    if (const auto key = panelKey(event->key())) input_.keys.push_back({*key, down});
    if (down && !(event->modifiers() & Qt::ControlModifier))
        for (const char32_t c : event->text().toStdU32String())
            if (c >= 32) input_.characters.push_back(c);
    input_seen_ = false;
    update();
    return true;
}

void ViewWidget::keyPressEvent(QKeyEvent* event) {
    if (!feedKey(event, true)) QOpenGLWidget::keyPressEvent(event);
}

void ViewWidget::keyReleaseEvent(QKeyEvent* event) {
    if (!feedKey(event, false)) QOpenGLWidget::keyReleaseEvent(event);
}

bool ViewWidget::event(QEvent* event) {
    // While a value is typed in an instrument, letters and arrows are text and not shortcuts.
    if (event->type() == QEvent::ShortcutOverride && imgui_ && imgui_->wantsKeyboard()) {
        event->accept();
        return true;
    }
    return QOpenGLWidget::event(event);
}

}  // namespace mw::app
