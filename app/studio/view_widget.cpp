// The workbench's side of the view: what it shows, and what becomes of the user's doings in it.
#include "app/studio/view_widget.h"

#include <QApplication>
#include <QClipboard>
#include <QOpenGLContext>
#include <algorithm>

#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr ViewCard kCards[] = {ViewCard::run, ViewCard::body, ViewCard::sliders, ViewCard::performance};

ViewPart partOf(ViewWidget::Show what) {
    using Show = ViewWidget::Show;
    switch (what) {
        case Show::grid: return ViewPart::grid;
        case Show::skeleton: return ViewPart::skeleton;
        case Show::joints: return ViewPart::joints;
        case Show::cg: return ViewPart::centres;
        case Show::ellipsoids: return ViewPart::inertia;
        case Show::frames: return ViewPart::frames;
        case Show::points: return ViewPart::points;
        case Show::trails: return ViewPart::trails;
        case Show::forces: return ViewPart::gravity;
        case Show::loop_forces: return ViewPart::loop_forces;
        case Show::loop_moments: return ViewPart::loop_moments;
        case Show::contact_points: return ViewPart::contact_points;
        case Show::contact_normals: return ViewPart::contact_normals;
        case Show::contact_forces: return ViewPart::contact_forces;
        case Show::contact_friction: return ViewPart::contact_friction;
        case Show::contact_states: return ViewPart::contact_states;
        case Show::only_selection: return ViewPart::only_selection;
        case Show::tension: return ViewPart::tension;
        case Show::logarithmic: return ViewPart::logarithmic;
        case Show::labels: return ViewPart::labels;
        case Show::smooth: return ViewPart::smooth_moves;
    }
    return ViewPart::grid;
}

/// Numbers of drags of path points begin here: other drags count from one.
constexpr Drag kPathDrags = Drag{1} << 40;

}  // namespace

ViewWidget::ViewWidget(Workbench& bench, bool safe_graphics, QWidget* parent)
    : QOpenGLWidget(parent), bench_(bench), core_(safe_graphics) {
    setObjectName("view");
    setAccessibleName(tr("View of the mechanism"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(200, 160);
    time_.start();
    // Folded at first: the mechanism has the room.
    core_.panels().sliders_open = false;
    wire();
    connect(&bench_, &Workbench::snapshotChanged, this, &ViewWidget::followSnapshot);
    connect(&bench_, &Workbench::selectionChanged, this, [this] { core_.setSelection(bench_.selection().items()); });
    connect(&bench_, &Workbench::documentReplaced, this, [this] { core_.forgetView(); });
    connect(&Style::get(), &Style::changed, this, [this] { core_.invalidate(); });
}

ViewWidget::~ViewWidget() { cleanUp(); }

void ViewWidget::wire() {
    core_.get_clipboard = [] { return QApplication::clipboard()->text().toStdString(); };
    core_.set_clipboard = [](const std::string& text) {
        QApplication::clipboard()->setText(QString::fromStdString(text));
    };
    // Edits make a new model and selections move other panels: outside of painting and of the pointer's own event.
    const auto later = [this](auto job) { QMetaObject::invokeMethod(this, job, Qt::QueuedConnection); };
    ViewEvents& on = core_.events;
    on.frame = [this] { update(); };
    on.select = [this, later](const Item& item, bool add) {
        later([this, item, add] {
            if (add && !item.kind.empty()) bench_.toggleSelected(item);
            else bench_.select(item);
        });
    };
    on.context = [this, later](const Item& item, const scene::Vec2& pixel) {
        const QPointF at(pixel.x() / devicePixelRatioF(), pixel.y() / devicePixelRatioF());
        later([this, item, at] { emit contextMenu(item, mapToGlobal(at.toPoint())); });
    };
    on.driving = [this](const std::vector<double>& speeds) { bench_.runner().setDriving(speeds); };
    on.brake = [this](bool held) { bench_.runner().setBrake(held); };
    on.push = [this](const std::optional<Inputs::Push>& push) { bench_.runner().setPush(push); };
    on.pose = [this](const std::vector<double>& q, const std::vector<double>& v) {
        bench_.runner().setStartState(q, v);
    };
    // At the start a moved slider is an edit of the text; later it is a question of the run alone.
    on.pose_released = [this, later](const std::vector<double>& q, const std::vector<double>& v, bool at_start) {
        if (at_start) later([this, q, v] { emit outcome(writeStart(q, v)); });
    };
    on.use_as_initial = [this, later](const std::vector<double>& q, const std::vector<double>& v) {
        later([this, q, v] { emit outcome(useAsInitialPose(bench_.document(), q, v)); });
    };
    on.dragged = [this](const std::vector<double>& q) {
        bench_.runner().setPose(q,
                                std::vector<double>(static_cast<std::size_t>(layoutOf(*core_.snapshot()->model).nv)));
    };
    on.drag_ended = [this, later](const std::vector<double>& from, const std::vector<double>& to) {
        later([this, of = core_.snapshot()->model, from, to] { emit poseDragged(of, from, to); });
    };
    // Path elements show where they stand in the text; dragged ones patch it as they go.
    on.path_element = [this, later](const Item& tendon, int element) {
        later([this, tendon, element] {
            const Model* model = bench_.model();
            const int i = model ? modelIndex(*model, tendon) : -1;
            if (i < 0) return;
            const auto& path = model->tendons[static_cast<std::size_t>(i)].path;
            if (element >= 0 && static_cast<std::size_t>(element) < path.size())
                bench_.requestGoTo(path[static_cast<std::size_t>(element)].range);
        });
    };
    on.path_point = [this, later](const Item& tendon, int element, bool side, const Vector3d& at, std::uint64_t drag) {
        later([this, tendon, element, side, at, drag] {
            const Outcome done = movePathPoint(bench_.document(), tendon.name, static_cast<std::size_t>(element), side,
                                               at, kPathDrags + drag);
            if (done.done) bench_.submit();
            else emit outcome(done);
        });
    };
    on.tendon_command = [this](int tendon, double newton) { bench_.runner().setTendonCommand(tendon, newton); };
    on.tendon_off = [this](int tendon, bool off) { bench_.runner().setTendonOff(tendon, off); };
    on.parameter = [this](int slot, double value) { bench_.runner().setParameter(slot, value); };
    on.parameter_released = [this, later](int slot, double value, bool at_start) {
        const auto snapshot = core_.snapshot();
        if (!at_start || !snapshot) return;
        for (const Parameter& p : snapshot->model->parameters)
            if (p.live && p.slot == slot)
                later([this, name = p.name, value] { emit outcome(setParameter(bench_.document(), name, value)); });
    };
    on.cards = [this] { emit panelsChanged(); };
    on.no_graphics = [this](const std::string& why) { emit graphicsFailed(QString::fromStdString(why)); };
}

// One joint that was moved is an entry of the history with that joint's name.
Outcome ViewWidget::writeStart(const std::vector<double>& q, const std::vector<double>& v) {
    const auto snapshot = core_.snapshot();
    if (snapshot && snapshot->model) {
        const Model& model = *snapshot->model;
        const Layout layout = layoutOf(model);
        const std::vector<double> before = startQ(model, layout, snapshot->inputs.param);
        int moved = -1, count = 0;
        for (std::size_t b = 0; b < model.bodies.size() && before.size() == q.size(); ++b) {
            const auto first = q.begin() + layout.q_of_body[b];
            const int n = jointNq(model.bodies[b].joint.type);
            if (std::equal(first, first + n, before.begin() + layout.q_of_body[b])) continue;
            moved = static_cast<int>(b);
            ++count;
        }
        if (count == 1) {
            const auto b = static_cast<std::size_t>(moved);
            const auto first = q.begin() + layout.q_of_body[b];
            return setStart(bench_.document(), model.bodies[b].name,
                            {first, first + jointNq(model.bodies[b].joint.type)});
        }
    }
    return useAsInitialPose(bench_.document(), q, v);
}

double ViewWidget::ratio() const { return devicePixelRatioF() * Style::get().scale(); }

void ViewWidget::followSnapshot() {
    const auto next = bench_.snapshot();
    if (!next) return;
    std::filesystem::path folder;
    if (bench_.document().path()) folder = bench_.document().path()->parent_path();
    core_.setSnapshot(next, folder);
}

void ViewWidget::setShown(Show what, bool on) { core_.setShown(partOf(what), on); }
bool ViewWidget::shown(Show what) const { return core_.shown(partOf(what)); }

void ViewWidget::setMousePreset(const QString& name) {
    if (const auto preset = mousePresetFromName(name.toStdString())) core_.setMousePreset(*preset);
}

void ViewWidget::togglePanel(int panel) { core_.toggleCard(kCards[panel]); }
void ViewWidget::showBodyCard(bool shown) {
    if (core_.cardShown(ViewCard::body) != shown) core_.toggleCard(ViewCard::body);
}

bool ViewWidget::panelShown(int panel) const { return core_.cardShown(kCards[panel]); }

void ViewWidget::resizeEvent(QResizeEvent* event) {
    QOpenGLWidget::resizeEvent(event);
    emit resized();
}

void ViewWidget::initializeGL() {
    connect(context(), &QOpenGLContext::aboutToBeDestroyed, this, &ViewWidget::cleanUp, Qt::DirectConnection);
}

void ViewWidget::cleanUp() {
    if (!context()) return;
    makeCurrent();
    core_.releaseGraphics();
    doneCurrent();
}

void ViewWidget::paintGL() {
    ViewCore::Frame frame;
    frame.width = std::max(1, static_cast<int>(width() * devicePixelRatioF()));
    frame.height = std::max(1, static_cast<int>(height() * devicePixelRatioF()));
    frame.scale = ratio();
    frame.now = clock();
    frame.theme = Style::get().dark() ? scene::ThemeKind::dark : scene::ThemeKind::light;
    frame.instruments = !without_panels_;
    core_.frame(frame);
    if (core_.frames() == 1) emit firstFrame();
    if (core_.wantsFrame()) update();
}

QImage ViewWidget::picture() {
    without_panels_ = true;
    QImage image = grabFramebuffer();
    without_panels_ = false;
    update();
    return image;
}

}  // namespace mw::app
