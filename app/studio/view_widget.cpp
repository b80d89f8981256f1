// Snapshot -> scene -> renderer, then the instruments on top; and what the instruments ask for.
#include "app/studio/view_widget.h"

#include <QApplication>
#include <QClipboard>
#include <QOpenGLContext>
#include <QPainter>
#include <algorithm>

#include "app/document/actions.h"
#include "app/panels/card.h"
#include "app/render/renderer.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {

ViewWidget::ViewWidget(Workbench& bench, bool safe_graphics, QWidget* parent)
    : QOpenGLWidget(parent), bench_(bench), safe_graphics_(safe_graphics) {
    setObjectName("view");
    setAccessibleName(tr("View of the mechanism"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(200, 160);
    time_.start();
    show_.trails = false;
    // Folded at first: the mechanism has the room, and the inspector shows the same numbers.
    panels_.sliders_open = panels_.body_open = false;
    connect(&bench_, &Workbench::snapshotChanged, this, &ViewWidget::followSnapshot);
    connect(&bench_, &Workbench::selectionChanged, this, [this] {
        scene_dirty_ = true;
        update();
    });
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        framed_ = false;
        follow_ = false;
        camera_.follow(std::nullopt);
        cancelDrag();
    });
    connect(&Style::get(), &Style::changed, this, [this] {
        scene_dirty_ = true;
        input_seen_ = false;
        update();
    });
}

ViewWidget::~ViewWidget() { cleanUp(); }

double ViewWidget::ratio() const { return devicePixelRatioF() * Style::get().scale(); }

scene::Viewport ViewWidget::viewport() const {
    const double r = devicePixelRatioF();
    return {std::max(1.0, width() * r), std::max(1.0, height() * r)};
}

scene::SceneState ViewWidget::sceneState() const {
    scene::SceneState state;
    state.X = snapshot_->readings.X;
    state.param = snapshot_->inputs.param;
    if (snapshot_->readings.push_force && snapshot_->readings.push_point && snapshot_->inputs.push) {
        const Vector3d &p = *snapshot_->readings.push_point, &t = snapshot_->inputs.push->target,
                       &f = *snapshot_->readings.push_force;
        state.push = scene::PushPicture{{p[0], p[1], p[2]}, {t[0], t[1], t[2]}, scene::Vec3(f[0], f[1], f[2]).norm()};
    }
    return state;
}

scene::ItemId ViewWidget::idOf(const Item& item) const {
    using scene::ItemKind;
    if (!snapshot_ || !snapshot_->model) return {};
    if (item.kind == "body" && item.name == "base") return {ItemKind::base, -1};
    const int i = modelIndex(*snapshot_->model, item);
    if (i < 0) return {};
    if (item.kind == "body") return {ItemKind::body, i};
    if (item.kind == "poi") return {ItemKind::point, i};
    if (item.kind == "tsda") return {ItemKind::tsda, i};
    if (item.kind == "rsda") return {ItemKind::rsda, i};
    if (item.kind == "drive") return {ItemKind::drive, i};
    if (item.kind == "shape") return {ItemKind::shape, i};
    return {};
}

Item ViewWidget::itemOf(const scene::Hit& hit) const {
    using scene::ItemKind;
    if (!snapshot_ || !snapshot_->model) return {};
    const Model& m = *snapshot_->model;
    const auto i = static_cast<std::size_t>(std::max(0, hit.id.index));
    auto body = [&](int b) { return Item{"body", b < 0 ? "base" : m.bodies[static_cast<std::size_t>(b)].name}; };
    switch (hit.id.kind) {
        case ItemKind::base: return {"body", "base"};
        case ItemKind::body:
        case ItemKind::joint: return body(hit.id.index);
        case ItemKind::shape: return body(m.shapes[i].body);
        case ItemKind::point: return {"poi", m.points[i].name};
        case ItemKind::tsda: return {"tsda", m.tsdas[i].name};
        case ItemKind::rsda: return {"rsda", m.rsdas[i].name};
        case ItemKind::drive: return {"drive", m.drives[i].name};
        default: return {};
    }
}

void ViewWidget::followSnapshot() {
    const auto next = bench_.snapshot();
    if (!next) return;
    const bool other = !snapshot_ || snapshot_->model != next->model;
    snapshot_ = next;
    if (other) {
        std::filesystem::path folder;
        if (bench_.document().path()) folder = bench_.document().path()->parent_path();
        builder_ = std::make_unique<scene::SceneBuilder>(snapshot_->model, folder);
        layout_ = layoutOf(*snapshot_->model);
        traced_ = -1;
        hover_ = {};
        cycle_.reset();
        camera_.setUp(builder_->up());
    }
    if (builder_ && snapshot_->state.t != traced_) {
        builder_->trace(sceneState(), snapshot_->state.t);
        traced_ = snapshot_->state.t;
    }
    scene_dirty_ = true;
    if (!framed_ && isVisible()) frameAll();
    update();
}

void ViewWidget::rebuildScene() {
    if (!scene_dirty_) return;
    scene_dirty_ = false;
    show_.theme = Style::get().dark() ? scene::ThemeKind::dark : scene::ThemeKind::light;
    show_.hover = hover_;
    show_.selection.clear();
    for (const Item& item : bench_.selection().items())
        if (const auto id = idOf(item)) show_.selection.push_back(id);
    show_.fade = stale_ ? 0.6f : 0.0f;
    if (builder_ && snapshot_) {
        scene_ = builder_->build(sceneState(), show_);
        camera_.setBounds(scene_.bounds);
    } else {
        scene_ = {};
    }
}

void ViewWidget::frameAll() {
    if (!builder_ || !snapshot_) return;
    const scene::Box box = builder_->bounds(sceneState());
    camera_.setBounds(box);
    // The first look at a mechanism is there at once; later ones travel.
    if (!framed_) {
        camera_.setSmooth(false);
        camera_.setView(scene::StandardView::home, clock());
    }
    camera_.frame(box, viewport(), clock());
    camera_.setSmooth(smooth_);
    framed_ = true;
    update();
}

void ViewWidget::frameSelection() {
    if (!builder_ || !snapshot_) return;
    scene::Box box;
    for (const Item& item : bench_.selection().items())
        if (const auto id = idOf(item)) box.add(builder_->boundsOf(sceneState(), id));
    if (box.empty()) frameAll();
    else camera_.frame(box, viewport(), clock());
    update();
}

void ViewWidget::setStandardView(scene::StandardView view) {
    camera_.setView(view, clock());
    update();
}

void ViewWidget::togglePerspective() {
    camera_.setPerspective(!camera_.perspective());
    update();
}

void ViewWidget::toggleFollow() {
    follow_ = !follow_;
    if (!follow_) camera_.follow(std::nullopt);
    update();
}

void ViewWidget::setShown(Show what, bool on) {
    switch (what) {
        case Show::grid: show_.ground = on; break;
        case Show::skeleton:
            show_.skeleton = on;
            show_.shapes = !on;
            break;
        case Show::joints: show_.joints = on; break;
        case Show::cg: show_.centres = on; break;
        case Show::ellipsoids: show_.inertia = on; break;
        case Show::frames: show_.frames = on; break;
        case Show::points: show_.points = on; break;
        case Show::trails: show_.trails = on; break;
        case Show::forces: show_.gravity = on; break;
        case Show::labels: show_.labels = on ? scene::LabelMode::bodies : scene::LabelMode::hover; break;
        case Show::smooth:
            smooth_ = on;
            camera_.setSmooth(on);
            break;
    }
    scene_dirty_ = true;
    update();
}

bool ViewWidget::shown(Show what) const {
    switch (what) {
        case Show::grid: return show_.ground;
        case Show::skeleton: return show_.skeleton;
        case Show::joints: return show_.joints;
        case Show::cg: return show_.centres;
        case Show::ellipsoids: return show_.inertia;
        case Show::frames: return show_.frames;
        case Show::points: return show_.points;
        case Show::trails: return show_.trails;
        case Show::forces: return show_.gravity;
        case Show::labels: return show_.labels == scene::LabelMode::bodies;
        case Show::smooth: return smooth_;
    }
    return false;
}

void ViewWidget::setMousePreset(const QString& name) { preset_ = name; }

void ViewWidget::togglePanel(int panel) {
    bool* which[] = {&panels_.show_run, &panels_.show_body, &panels_.show_sliders, &performance_};
    *which[panel] = !*which[panel];
    input_seen_ = false;
    emit panelsChanged();
    update();
}

bool ViewWidget::panelShown(int panel) const {
    const bool which[] = {panels_.show_run, panels_.show_body, panels_.show_sliders, performance_};
    return which[panel];
}

void ViewWidget::setStale(bool stale) {
    if (stale == stale_) return;
    stale_ = stale;
    scene_dirty_ = true;
    update();
}

void ViewWidget::resizeEvent(QResizeEvent* event) {
    QOpenGLWidget::resizeEvent(event);
    input_seen_ = false;
    emit resized();
}

void ViewWidget::paintGL() {
    const double began = clock();
    if (!framed_ && snapshot_ && builder_) frameAll();
    const bool rebuilt = scene_dirty_;
    rebuildScene();
    if (follow_ && builder_ && snapshot_) {
        const auto id = idOf(bench_.selected());
        if (id) camera_.follow(builder_->anchorOf(sceneState(), id));
    }
    const bool moving = camera_.update(began);
    const bool changed = rebuilt || moving || !(drawn_camera_ == camera_);
    drawn_camera_ = camera_;
    drawScene(changed);
    if (!without_panels_) drawInstruments();
    frame_ms_ = (clock() - began) * 1e3;
    ++frames_;
    if (frames_ == 1) emit firstFrame();
    more_frames_ = moving || wantsRefinement() || (imgui_ && imgui_->wantsFrame());
    if (more_frames_) update();
}

void ViewWidget::drawInstruments() {
    if (!imgui_) {
        imgui_ = std::make_unique<ImGuiHost>();
        imgui_->get_clipboard = [] { return QApplication::clipboard()->text().toStdString(); };
        imgui_->set_clipboard = [](const std::string& text) {
            QApplication::clipboard()->setText(QString::fromStdString(text));
        };
    }
    const scene::Viewport size = viewport();
    const double now = clock();
    input_.width = static_cast<float>(size.width);
    input_.height = static_cast<float>(size.height);
    input_.scale = static_cast<float>(ratio());
    input_.seconds = static_cast<float>(now - last_frame_);
    last_frame_ = now;
    const scene::ThemeKind kind = Style::get().dark() ? scene::ThemeKind::dark : scene::ThemeKind::light;
    imgui_->begin(input_, kind);
    PanelView view;
    view.snapshot = snapshot_.get();
    view.layout = &layout_;
    if (snapshot_ && snapshot_->model) view.selected_body = bodyOf(*snapshot_->model, bench_.selected());
    view.width = input_.width;
    view.height = input_.height;
    view.scale = input_.scale;
    const PanelEvents events = drawPanels(view, panels_, kind);
    if (performance_) drawPerformance();
    imgui_->end();
    input_seen_ = true;
    input_.wheel = 0;
    input_.keys.clear();
    input_.characters.clear();
    actOn(events);
}

void ViewWidget::drawPerformance() {
    const float s = input_.scale;
    bool open = true;
    if (beginCard("##performance", "Performance", 12 * s, input_.height - 190 * s, 220 * s, 150 * s, open)) {
        row("frame", QString("%1 ms").arg(frame_ms_, 0, 'f', 1).toStdString());
        row("frames drawn", std::to_string(frames_));
        row("meshes", std::to_string(scene_.meshes.size()));
        if (snapshot_) {
            row("kernel", snapshot_->kernel);
            row("can run at", QString("%1 ×").arg(snapshot_->possible_speed, 0, 'g', 3).toStdString());
        }
    }
    endCard();
}

void ViewWidget::actOn(const PanelEvents& events) {
    if (!snapshot_ || !snapshot_->model) return;
    const Model& model = *snapshot_->model;
    Runner& runner = bench_.runner();
    if (events.pose) runner.setStartState(*events.pose, std::vector<double>(snapshot_->state.v.size(), 0.0));
    // At the start a moved slider is an edit of the text; later it is a question of the run alone.
    const bool at_start = snapshot_->state.step == 0 && snapshot_->run != RunState::running;
    if (events.pose_released && at_start) {
        const std::vector<double> q = events.pose ? *events.pose : snapshot_->state.q;
        const std::vector<double> v = startV(model, layout_, snapshot_->inputs.param);
        // Outside of painting: the edit makes a new model.
        QMetaObject::invokeMethod(
            this, [this, q, v] { emit outcome(useAsInitialPose(bench_.document(), q, v)); }, Qt::QueuedConnection);
    }
    if (events.use_as_initial) {
        const auto s = snapshot_;
        QMetaObject::invokeMethod(
            this, [this, s] { emit outcome(useAsInitialPose(bench_.document(), s->state.q, s->state.v)); },
            Qt::QueuedConnection);
    }
    if (events.parameter) runner.setParameter(events.parameter->first, events.parameter->second);
    if (events.parameter_released && at_start) {
        for (const Parameter& p : model.parameters) {
            if (!p.live || p.slot != events.parameter_released->first) continue;
            const std::string name = p.name;
            const double value = events.parameter_released->second;
            QMetaObject::invokeMethod(
                this, [this, name, value] { emit outcome(setParameter(bench_.document(), name, value)); },
                Qt::QueuedConnection);
        }
    }
    auto bodyItem = [&](int body) {
        return Item{"body", body < 0 ? "base" : model.bodies[static_cast<std::size_t>(body)].name};
    };
    if (events.select_body) {
        const Item item = bodyItem(*events.select_body);
        QMetaObject::invokeMethod(
            this, [this, item] { bench_.select(item); }, Qt::QueuedConnection);
    }
    if (imgui_->wantsMouse()) {
        const scene::ItemId now =
            events.hovered_body ? scene::ItemId{scene::ItemKind::body, *events.hovered_body} : scene::ItemId{};
        if (now != hover_) {
            hover_ = now;
            scene_dirty_ = true;
            update();
        }
    }
}

QImage ViewWidget::picture() {
    without_panels_ = true;
    QImage image = grabFramebuffer();
    without_panels_ = false;
    update();
    return image;
}

bool ViewWidget::settled() const { return frames_ > 2 && !more_frames_; }

}  // namespace mw::app
