// Every action of the window: one entry, one shortcut, one function. The sheet of keys is made from these menus.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDesktopServices>
#include <QDoubleSpinBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <cmath>

#include "app/studio/badge.h"
#include "app/studio/dock.h"
#include "app/studio/energy_plot.h"
#include "app/studio/icons.h"
#include "app/studio/keys_sheet.h"
#include "app/studio/main_window.h"
#include "app/studio/message_bar.h"
#include "app/studio/run_bar.h"
#include "app/studio/style.h"
#include "app/studio/text_editor.h"
#include "app/studio/view_widget.h"
#include "app/studio/workbench.h"

namespace mw::app {

QAction* MainWindow::act(QMenu* menu, const char* name, const QString& text, const QString& icon_name,
                         const QList<QKeySequence>& keys, std::function<void()> run) {
    auto* action = icon_name.isEmpty() ? new QAction(text, this) : new QAction(icon(icon_name), text, this);
    action->setObjectName(QString("action.") + name);
    action->setShortcuts(keys);
    QString tip = QString(text).remove('&').remove("…").section('\t', 0, 0);
    if (!keys.isEmpty()) tip += " (" + keys.first().toString(QKeySequence::NativeText) + ")";
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    menu->addAction(action);
    addAction(action);  // shortcuts work when the menu bar is hidden, too
    actions_[name] = action;
    return action;
}

void MainWindow::makeMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    act(file, "new", tr("&New pendulum"), "new", {QKeySequence("Ctrl+N")}, [this] {
        if (mayReplace()) newDocument();
    });
    act(file, "open", tr("&Open…"), "open", {QKeySequence("Ctrl+O")}, [this] { openDialog(); });
    recent_menu_ = file->addMenu(icon("history"), tr("Open &recent"));
    connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    examples_menu_ = file->addMenu(icon("spherical"), tr("&Examples"));
    examples_menu_->setToolTipsVisible(true);
    connect(examples_menu_, &QMenu::aboutToShow, this, &MainWindow::fillExamples);
    act(file, "gallery", tr("Examples with &pictures…"), "picture", {QKeySequence("Ctrl+Shift+O")},
        [this] { showGallery(); });
    file->addSeparator();
    act(file, "save", tr("&Save"), "save", {QKeySequence("Ctrl+S")}, [this] { save(); });
    act(file, "save-as", tr("Save &as…"), {}, {QKeySequence("Ctrl+Shift+S")}, [this] { saveAs(); });
    act(file, "reload", tr("Re&load from disk"), {}, {QKeySequence("F5"), QKeySequence("Ctrl+L")}, [this] {
        if (!bench_->document().path()) return;
        try {
            bench_->document().reload();
            bench_->submit();
        } catch (const std::exception& fault) {
            QMessageBox::warning(this, tr("Not reloaded"), QString::fromUtf8(fault.what()));
        }
    });
    file->addSeparator();
    act(file, "picture", tr("Save &picture…"), "picture", {}, [this] { savePicture(); });
    act(file, "csv", tr("Export energies as CSV…"), "table", {}, [this] { energy_->saveCsv(); });
    file->addSeparator();
    act(file, "close", tr("&Close"), {}, {QKeySequence("Ctrl+W")}, [this] {
        if (mayReplace()) newDocument();
    });
    act(file, "quit", tr("&Quit"), {}, {QKeySequence("Ctrl+Q")}, [this] { close(); });

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    act(edit, "undo", tr("&Undo"), "undo", {QKeySequence("Ctrl+Z")}, [this] {
        bench_->document().undo();
        bench_->submit();
    });
    act(edit, "redo", tr("&Redo"), "redo", {QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")}, [this] {
        bench_->document().redo();
        bench_->submit();
    });
    edit->addSeparator();
    act(edit, "delete", tr("&Delete selection"), "cancel", {QKeySequence("Delete")}, [this] {
        const std::vector<Item> items = bench_->selection().items();
        if (items.empty()) return;
        report(deleteItems(bench_->document(), items));
        bench_->select({});
    });
    act(edit, "parent", tr("Select &parent"), "up", {QKeySequence("PgUp")}, [this] {
        const Model* model = bench_->model();
        if (!model) return;
        const Item selected = bench_->selected();
        // A shoe belongs to its band, a band hangs on its root.
        if (const Item written = writtenItem(selected); written != selected) return bench_->select(written);
        const int body = bodyOf(*model, selected);
        if (selected.kind == "track" && body >= kBase)
            return bench_->select({"body", body < 0 ? "base" : model->bodies[static_cast<std::size_t>(body)].name});
        if (body < 0) return;
        const int parent = model->bodies[static_cast<std::size_t>(body)].parent;
        bench_->select({"body", parent < 0 ? "base" : model->bodies[static_cast<std::size_t>(parent)].name});
    });
    act(edit, "clear", tr("&Clear selection"), {}, {QKeySequence("Escape")}, [this] {
        if (!view_->cancelDrag()) bench_->select({});
    });
    act(edit, "assemble", tr("&Assemble start pose"), "loop", {QKeySequence("Ctrl+Shift+A")}, [this] { assemble(); });
    edit->addSeparator();
    act(edit, "find", tr("&Find…"), "search", {QKeySequence("Ctrl+F")}, [this] { toggleFind(); });
    act(edit, "format", tr("F&ormat text"), "edit", {QKeySequence("Ctrl+Shift+I")},
        [this] { report(formatDocument(bench_->document())); });
    act(edit, "complete", tr("&Complete word\tCtrl+Space"), {}, {}, [this] { editor_->offerCompletion(true); });
    act(edit, "fix", tr("Apply the fi&x of this line\tCtrl+."), "fix", {}, [this] { editor_->applyFixAtCaret(); });
    act(edit, "text", tr("Go to &text"), "code", {QKeySequence("Ctrl+E")}, [this] {
        docks_["text"]->show();
        docks_["text"]->raise();
        editor_->setFocus();
    });

    makeCreateMenu(menuBar()->addMenu(tr("&Create")));
    makeViewMenu(menuBar()->addMenu(tr("&View")));
    makeRunMenu(menuBar()->addMenu(tr("&Run")));

    QMenu* inspect = menuBar()->addMenu(tr("&Inspect"));
    act(inspect, "gates", tr("&Gates of the proof"), "check", {QKeySequence("Ctrl+G")},
        [this] { findChild<BadgeButton*>("badge")->click(); });
    QAction* outside = act(inspect, "outside", tr("Ask for the &outside opinion"), {}, {}, [] {});
    outside->setToolTip(
        tr("After a proof Simbody and MuJoCo, where they were built in, rebuild the mechanism in the "
           "background and say whether they agree."));
    outside->setCheckable(true);
    outside->setChecked(QSettings().value("proof/outside", true).toBool());
    bench_->workshop().setOutside(outside->isChecked());
    connect(outside, &QAction::toggled, this, [this](bool on) {
        bench_->workshop().setOutside(on);
        QSettings().setValue("proof/outside", on);
    });
    act(inspect, "run-info", tr("&Run information"), "info", {QKeySequence("F2")}, [this] {
        view_->togglePanel(0);
    })->setCheckable(true);
    act(inspect, "body-card", tr("Selected &body in the view"), "body", {}, [this] {
        view_->togglePanel(1);
    })->setCheckable(true);
    act(inspect, "sliders", tr("&Joint sliders"), "param", {QKeySequence("F4")}, [this] {
        view_->togglePanel(2);
    })->setCheckable(true);
    act(inspect, "performance", tr("&Performance"), "energy", {QKeySequence("F3")}, [this] {
        view_->togglePanel(3);
    })->setCheckable(true);
    inspect->addSeparator();
    const std::pair<const char*, const char*> panels[] = {
        {"energy", "energy"}, {"problems", "warning"}, {"jobs", "work"}, {"code", "code"}, {"history", "history"}};
    for (const auto& [name, icon_name] : panels) {
        Dock* d = docks_[name];
        act(inspect, (std::string("show-") + name).c_str(), QString(d->windowTitle()).remove(" 0"), icon_name, {}, [d] {
            d->show();
            d->raise();
        });
    }

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    act(help, "keys", tr("&Keys and mouse"), {}, {QKeySequence("F1")}, [this] { showKeys(); });
    help->addAction(actions_["gallery"]);
    help->addMenu(examples_menu_);
    act(help, "about", tr("&About Mechwright"), "info", {}, [this] { showAbout(); });
    refreshActions();
}

void MainWindow::makeCreateMenu(QMenu* menu) {
    auto onBody = [this]() -> std::string {
        const Model* model = bench_->model();
        const int body = model ? bodyOf(*model, bench_->selected()) : -1;
        return body < 0 ? "base" : model->bodies[static_cast<std::size_t>(body)].name;
    };
    const std::pair<const char*, const char*> joints[] = {
        {"revolute", "revolute y"},      {"prismatic", "prismatic x"},   {"cylindrical", "cylindrical z"},
        {"screw", "screw z pitch 0.01"}, {"universal", "universal x y"}, {"planar", "planar z"},
        {"spherical", "spherical"},      {"floating", "floating"},       {"fixed", "fixed"}};
    menu->addSection(tr("Body on the selected one"));
    for (const auto& [kind, joint] : joints)
        act(menu, (std::string("create-") + kind).c_str(), tr("Body, %1").arg(kind), kind, {},
            [this, onBody, k = std::string(kind), j = std::string(joint)] {
                report(addBody(bench_->document(), k == "floating" ? "base" : onBody(), j));
            });
    menu->addSeparator();
    const std::pair<const char*, const char*> shapes[] = {{"box", "shape"},
                                                          {"sphere", "floating"},
                                                          {"capsule", "body"},
                                                          {"cylinder", "cylindrical"},
                                                          {"cone", "gravity"}};
    QMenu* shape_menu = menu->addMenu(icon("shape"), tr("Shape"));
    for (const auto& [kind, icon_name] : shapes)
        act(shape_menu, (std::string("create-") + kind).c_str(), tr("Shape, %1").arg(kind), icon_name, {},
            [this, onBody, k = std::string(kind)] { report(addShape(bench_->document(), onBody(), k)); });
    act(menu, "create-poi", tr("Point of interest"), "poi", {},
        [this, onBody] { report(addPoint(bench_->document(), onBody())); });
    act(menu, "create-tsda", tr("Spring between two selected points"), "tsda", {}, [this] {
        std::vector<std::string> points;
        for (const Item& item : bench_->selection().items())
            if (item.kind == "poi") points.push_back(item.name);
        if (points.size() == 2) report(addTsda(bench_->document(), points[0], points[1]));
        else
            report({false,
                    tr("A spring goes between two points: select two points of interest (Ctrl adds), then create the "
                       "spring.")
                        .toStdString(),
                    {}});
    });
    act(menu, "create-rsda", tr("Spring on the selected joint"), "rsda", {},
        [this, onBody] { report(addRsda(bench_->document(), onBody())); });
    QMenu* drives = menu->addMenu(icon("drive"), tr("Drive of the selected joint"));
    for (const char* kind : {"speed", "torque", "position"})
        act(drives, (std::string("create-drive-") + kind).c_str(), tr("Drive, %1").arg(kind), "drive", {},
            [this, onBody, k = std::string(kind)] { report(addDrive(bench_->document(), onBody(), k)); });
    auto* drive = new QAction(icon("drive"), tr("Drive of the selected joint"), this);
    drive->setToolTip(tr("Speed drive on the selected joint"));
    connect(drive, &QAction::triggered, this, [this, onBody] { report(addDrive(bench_->document(), onBody())); });
    actions_["create-drive"] = drive;
    menu->addSeparator();
    act(menu, "create-tendon", tr("Tendon through the selected points"), "tendon", {},
        [this] { report(addTendon(bench_->document(), bench_->selection().items())); });
    act(menu, "create-fixed-tendon", tr("Fixed tendon of the selected joints"), "tendon", {}, [this] {
        std::vector<std::string> bodies;
        for (const Item& item : bench_->selection().items())
            if (item.kind == "body" && item.name != "base") bodies.push_back(item.name);
        report(addFixedTendon(bench_->document(), bodies));
    });
    act(menu, "create-coupling", tr("Coupling of the selected tendons"), "coupling", {}, [this] {
        std::vector<std::string> tendons;
        for (const Item& item : bench_->selection().items())
            if (item.kind == "tendon") tendons.push_back(item.name);
        tendons.resize(2);
        report(addCoupling(bench_->document(), tendons[0], tendons[1]));
    });
    act(menu, "create-material", tr("Material"), "material", {}, [this] { report(addMaterial(bench_->document())); });
    menu->addSeparator();
    QAction* track = act(menu, "create-track", tr("Track band"), "track", {}, [this, onBody] {
        // Several bodies that turn: around these. Else one with rollers of its own.
        std::vector<std::string> bodies;
        for (const Item& item : bench_->selection().items())
            if (item.kind == "body" && item.name != "base") bodies.push_back(item.name);
        report(addTrack(bench_->document(), bodies.size() > 1 ? bodies : std::vector<std::string>{onBody()}));
    });
    track->setToolTip(
        tr("Around the selected bodies that turn; with one or none selected, with two rollers of its own"));
    act(menu, "create-ground", tr("Ground"), "ground", {}, [this] { report(addGround(bench_->document())); });
    menu->addSeparator();
    menu->setToolTipsVisible(true);
    act(menu, "create-param", tr("Parameter"), "param", {},
        [this] { report(addParameter(bench_->document(), "p", 1)); });
}

void MainWindow::makeViewMenu(QMenu* menu) {
    QSettings settings;
    act(menu, "frame", tr("&Frame selection"), "frame", {QKeySequence("F")}, [this] { view_->frameSelection(); });
    act(menu, "frame-all", tr("Frame &all"), "frame", {QKeySequence("Home")}, [this] { view_->frameAll(); });
    act(menu, "front", tr("F&ront"), "front", {QKeySequence(Qt::KeypadModifier | Qt::Key_1)},
        [this] { view_->setStandardView(scene::StandardView::front); });
    act(menu, "side", tr("&Side"), {}, {QKeySequence(Qt::KeypadModifier | Qt::Key_3)},
        [this] { view_->setStandardView(scene::StandardView::right); });
    act(menu, "top", tr("&Top"), {}, {QKeySequence(Qt::KeypadModifier | Qt::Key_7)},
        [this] { view_->setStandardView(scene::StandardView::top); });
    act(menu, "perspective", tr("Perspective or &orthographic"), {}, {QKeySequence(Qt::KeypadModifier | Qt::Key_5)},
        [this] { view_->togglePerspective(); });
    QAction* follow = act(menu, "follow", tr("Follow the selection or the w&hole"), "follow",
                          {QKeySequence("Ctrl+F11")}, [this] { view_->toggleFollow(); });
    follow->setCheckable(true);
    menu->addSeparator();
    auto show = [&](const char* name, const QString& text, const char* icon_name, ViewWidget::Show what) {
        QAction* a = act(menu, name, text, icon_name, {}, [] {});
        a->setCheckable(true);
        a->setChecked(settings.value(QString("view/") + name, view_->shown(what)).toBool());
        view_->setShown(what, a->isChecked());
        connect(a, &QAction::toggled, this, [this, what, name = QString(name)](bool on) {
            view_->setShown(what, on);
            QSettings().setValue("view/" + name, on);
        });
        view_parts_.emplace_back(a, [this, what] { return view_->shown(what); });
    };
    show("grid", tr("&Grid"), "grid", ViewWidget::Show::grid);
    show("skeleton", tr("S&keleton instead of shapes"), "skeleton", ViewWidget::Show::skeleton);
    show("joints", tr("&Joints"), "revolute", ViewWidget::Show::joints);
    show("cg", tr("&Centres of mass"), "mass", ViewWidget::Show::cg);
    show("ellipsoids", tr("&Inertia ellipsoids"), "ellipsoid", ViewWidget::Show::ellipsoids);
    show("frames", tr("Fra&mes"), "axes", ViewWidget::Show::frames);
    show("points", tr("&Points"), "poi", ViewWidget::Show::points);
    show("trails", tr("Trai&ls of points"), "trail", ViewWidget::Show::trails);
    show("forces", tr("Force &arrows"), "gravity", ViewWidget::Show::forces);
    {
        QMenu* view_menu = menu;
        menu = view_menu->addMenu(tr("L&oops"));
        show("loop-forces", tr("&Forces"), "loop", ViewWidget::Show::loop_forces);
        show("loop-moments", tr("&Moments"), "loop", ViewWidget::Show::loop_moments);
        menu = view_menu->addMenu(tr("Contacts and ba&nds"));
        show("contact-points", tr("&Points of contact"), "poi", ViewWidget::Show::contact_points);
        show("contact-states", tr("&States as colour and shape"), "", ViewWidget::Show::contact_states);
        show("contact-normals", tr("&Normals"), "", ViewWidget::Show::contact_normals);
        show("contact-forces", tr("Normal &forces"), "gravity", ViewWidget::Show::contact_forces);
        show("contact-friction", tr("F&riction, teeth, guides"), "", ViewWidget::Show::contact_friction);
        show("only-selection", tr("&Only of the selection"), "", ViewWidget::Show::only_selection);
        show("logarithmic", tr("&Logarithmic arrows"), "", ViewWidget::Show::logarithmic);
        show("band-tension", tr("Band &tension as colour"), "", ViewWidget::Show::tension);
        menu = view_menu;
    }
    show("labels", tr("La&bels"), "info", ViewWidget::Show::labels);
    show("smooth", tr("Smooth camera moves"), "", ViewWidget::Show::smooth);
    menu->addSeparator();
    QMenu* preset = menu->addMenu(tr("&Mouse like"));
    auto* presets = new QActionGroup(this);
    for (const char* name : {"Blender", "MuJoCo", "CAD", "Trackpad"}) {
        QAction* a = preset->addAction(tr(name));
        a->setCheckable(true);
        presets->addAction(a);
        a->setChecked(settings.value("view/mouse", "Blender").toString() == name);
        if (a->isChecked()) view_->setMousePreset(name);
        connect(a, &QAction::triggered, this, [this, n = QString(name)] {
            view_->setMousePreset(n);
            QSettings().setValue("view/mouse", n);
        });
    }
    QMenu* theme = menu->addMenu(icon("light"), tr("T&heme"));
    auto* themes = new QActionGroup(this);
    for (const bool dark : {true, false}) {
        QAction* a = theme->addAction(dark ? tr("Dark") : tr("Light"));
        a->setObjectName(dark ? "action.theme-dark" : "action.theme-light");
        a->setCheckable(true);
        a->setChecked(Style::get().dark() == dark);
        themes->addAction(a);
        connect(a, &QAction::triggered, this, [dark] {
            Style::get().setDark(dark);
            QSettings().setValue("theme", dark ? "dark" : "light");
        });
    }
    auto rescale = [](double factor) {
        Style::get().setScale(factor == 0 ? 1 : Style::get().scale() * factor);
        QSettings().setValue("scale", Style::get().scale());
    };
    QMenu* sizes = menu->addMenu(tr("Text si&ze"));
    act(sizes, "larger", tr("Larger text"), "plus", {QKeySequence("Ctrl+="), QKeySequence("Ctrl++")},
        [rescale] { rescale(1.1); });
    act(sizes, "smaller", tr("Smaller text"), {}, {QKeySequence("Ctrl+-")}, [rescale] { rescale(1 / 1.1); });
    act(sizes, "scale-reset", tr("Normal text"), {}, {QKeySequence("Ctrl+0")}, [rescale] { rescale(0); });
    menu->addSeparator();
    QMenu* layouts = menu->addMenu(tr("La&yout"));
    layout_group_ = new QActionGroup(this);
    const QString tips[] = {tr("Room for view and text"), tr("Room for view and plots"), tr("View, reading and tables"),
                            tr("A page beside the view")};
    int i = 0;
    for (const QString& name : layoutNames()) {
        QAction* a = act(layouts, ("layout-" + name.toLower()).toUtf8().constData(), tr("Layout %1").arg(name), {}, {},
                         [this, name] { setLayoutName(name); });
        a->setData(name);
        a->setCheckable(true);
        a->setToolTip(tips[i++]);
        layout_group_->addAction(a);
    }
    act(layouts, "reset-layout", tr("Reset this layout"), {}, {}, [this] { setLayoutName(layout_name_); });
    QMenu* panels = menu->addMenu(tr("Panels"));
    for (auto it = docks_.begin(); it != docks_.end(); ++it)
        if (it.key() != "run") panels->addAction(it.value()->toggleViewAction());
    act(menu, "full", tr("Full screen"), {}, {QKeySequence("F11")},
        [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::makeRunMenu(QMenu* menu) {
    act(menu, "play", tr("Play"), "play", {QKeySequence("Space")}, [this] { play(); });
    act(menu, "step", tr("One &step"), "step", {QKeySequence("Right"), QKeySequence(".")},
        [this] { bench_->runner().step(1); });
    act(menu, "back", tr("One step &back"), "step-back", {QKeySequence("Left"), QKeySequence(",")},
        [this] { bench_->runner().step(-1); });
    act(menu, "step-ten", tr("Ten steps"), {}, {QKeySequence("Shift+Right")}, [this] { bench_->runner().step(10); });
    act(menu, "back-ten", tr("Ten steps back"), {}, {QKeySequence("Shift+Left")},
        [this] { bench_->runner().step(-10); });
    act(menu, "reset", tr("&Reset to the start"), "reset", {QKeySequence("Backspace")},
        [this] { bench_->runner().reset(); });
    act(menu, "slower", tr("Slower"), {}, {QKeySequence("-")}, [this] { run_bar_->slower(); });
    act(menu, "faster", tr("Faster"), {}, {QKeySequence("=")}, [this] { run_bar_->faster(); });
    menu->addSeparator();
    // Driving's keys belong to the view, which alone knows when they are let go.
    QAction* drive = act(menu, "drive", tr("&Drive with the keyboard\tK"), "gear", {}, [this] {
        view_->toggleDriving();
        if (view_->driving()) view_->setFocus();
    });
    drive->setCheckable(true);
    drive->setToolTip(tr("W S A D or the arrows steer; in the view K begins and ends"));
    QAction* brake = act(menu, "brake", tr("Parking bra&ke\tB"), "", {}, [this] {
        if (const auto s = bench_->snapshot()) bench_->runner().setBrake(!s->inputs.brake);
    });
    brake->setCheckable(true);
    brake->setToolTip(tr("Holds every driven roller where it stands; in the view B while driving"));
    QMenu* friction = menu->addMenu(icon("contact"), tr("&Friction on the ground"));
    friction->setObjectName("menu.friction");
    friction->setToolTipsVisible(true);
    auto* laws = new QActionGroup(this);
    const std::pair<Friction, QString> kinds[] = {
        {Friction::regularized, tr("A function of the slip's speed: always creeps a little on a slope")},
        {Friction::anchored, tr("A spring from where the pad stuck: holds on a slope, and slides on the cone")}};
    for (const auto& [law, tip] : kinds) {
        const std::string name = std::string("friction-") + frictionName(law);
        QAction* a = act(friction, name.c_str(), law == Friction::regularized ? tr("&Regularized") : tr("&Anchored"),
                         "", {}, [this, law = law] {
                             if (const auto s = bench_->snapshot())
                                 bench_->runner().setContactSetup(law, s->contact.slope);
                         });
        a->setCheckable(true);
        a->setToolTip(tip);
        laws->addAction(a);
    }
    connect(menu, &QMenu::aboutToShow, this, &MainWindow::refreshRunActions);
    act(menu, "slope", tr("S&lope of the ground…"), "ground", {}, [this] { askSlope(); });
    menu->addSeparator();
    act(menu, "initial-pose", tr("Use as &initial pose"), "edit", {}, [this] {
        if (const auto s = bench_->snapshot()) report(useAsInitialPose(bench_->document(), s->state.q, s->state.v));
    });
    act(menu, "keep-tendons", tr("Keep reference lengths and activations"), "tendon", {}, [this] {
        const auto s = bench_->snapshot();
        if (!s || !s->model || s->readings.tendons.size() != s->model->tendons.size()) return;
        std::vector<TendonKept> kept;
        for (std::size_t i = 0; i < s->readings.tendons.size(); ++i) {
            const TendonReading& r = s->readings.tendons[i];
            kept.push_back({s->model->tendons[i].name, r.reference, r.activation});
        }
        report(keepTendons(bench_->document(), kept));
    })->setToolTip(tr("Writes them as they are now: a reload goes on from there"));
    menu->addSeparator();
    act(menu, "run", tr("Generate and r&un"), {}, {QKeySequence("Ctrl+R")}, [this] {
        bench_->submit();
        bench_->runner().play();
    });
    act(menu, "generate", tr("&Generate code"), "code", {QKeySequence("Ctrl+B")}, [this] {
        bench_->submit();
        docks_["code"]->show();
        docks_["code"]->raise();
    });
    act(menu, "validate", tr("Generate and &validate"), "check", {QKeySequence("Ctrl+Shift+B")}, [this] {
        bench_->submit();
        bench_->workshop().revalidate();
        docks_["jobs"]->show();
        docks_["jobs"]->raise();
    });
}

/// What of the menu Run hangs on the instant shown: there are mechanisms with nothing to drive, and without ground.
void MainWindow::refreshRunActions() {
    if (!actions_.contains("slope")) return;
    const auto s = bench_->snapshot();
    const bool driven = s && !s->driven.empty(), ground = s && s->model && s->model->ground;
    actions_["drive"]->setEnabled(driven);
    actions_["drive"]->setChecked(driven && view_->driving());
    actions_["brake"]->setEnabled(driven);
    actions_["brake"]->setChecked(driven && s->inputs.brake);
    for (const Friction law : {Friction::regularized, Friction::anchored}) {
        QAction* a = actions_[QString("friction-") + frictionName(law)];
        a->setEnabled(ground);
        a->setChecked(ground && s->contact.friction == law);
    }
    actions_["keep-tendons"]->setEnabled(s && s->model && !s->model->tendons.empty());
    const bool sloped = ground && s->contact.slope != 0;
    actions_["slope"]->setEnabled(ground);
    actions_["slope"]->setText(sloped ? tr("S&lope of the ground, %1°…").arg(s->contact.slope * 180 / M_PI, 0, 'g', 3)
                                      : tr("S&lope of the ground…"));
}

void MainWindow::askSlope() {
    const auto s = bench_->snapshot();
    if (!s) return;
    QInputDialog box(this);
    box.setObjectName("slope");
    box.setInputMode(QInputDialog::DoubleInput);
    box.setWindowTitle(tr("Slope of the ground"));
    box.setLabelText(
        tr("Degrees, uphill towards +x. The whole start is turned\nwith its ground, and the run begins anew."));
    box.setDoubleRange(-60, 60);
    box.setDoubleDecimals(1);
    box.setDoubleStep(5);
    box.setDoubleValue(s->contact.slope * 180 / M_PI);
    auto* field = box.findChild<QDoubleSpinBox*>();
    if (field) {
        field->setSuffix("°");
        field->setButtonSymbols(QAbstractSpinBox::NoButtons);
        field->selectAll();
    }
    for (QPushButton* button : box.findChildren<QPushButton*>()) button->setIcon({});
    if (box.exec() != QDialog::Accepted) return;
    if (const std::string why = s->model ? whyNotTurned(*s->model) : std::string(); !why.empty()) {
        report({false, why, {}});
        return;
    }
    bench_->runner().setContactSetup(s->contact.friction, box.doubleValue() * M_PI / 180);
}

void MainWindow::refreshActions() {
    const Document& document = bench_->document();
    if (!actions_.contains("undo")) return;
    actions_["undo"]->setEnabled(document.canUndo());
    actions_["redo"]->setEnabled(document.canRedo());
    const History& history = document.history();
    actions_["undo"]->setText(document.canUndo() ? tr("&Undo %1").arg(QString::fromStdString(history.current().name))
                                                 : tr("&Undo"));
    actions_["redo"]->setText(document.canRedo()
                                  ? tr("&Redo %1").arg(QString::fromStdString(history.entries()[history.at() + 1].name))
                                  : tr("&Redo"));
    if (actions_.contains("reload")) actions_["reload"]->setEnabled(document.path().has_value());
    const std::pair<const char*, int> cards[] = {{"run-info", 0}, {"body-card", 1}, {"sliders", 2}, {"performance", 3}};
    for (const auto& [name, panel] : cards)
        if (actions_.contains(name)) actions_[name]->setChecked(view_->panelShown(panel));
    // The card in the view has the same switches.
    for (const auto& [action, shown] : view_parts_) action->setChecked(shown());
    refreshRunActions();
    const Model* model = bench_->model();
    if (actions_.contains("create-ground")) actions_["create-ground"]->setEnabled(!model || !model->ground);
    if (actions_.contains("assemble")) actions_["assemble"]->setEnabled(model && !model->loops.empty());
    const bool some = !bench_->selection().empty();
    if (actions_.contains("follow")) actions_["follow"]->setChecked(view_->following());
    for (const char* name : {"delete", "parent", "frame"})
        if (actions_.contains(name)) actions_[name]->setEnabled(some);
}

void MainWindow::report(const Outcome& outcome) {
    if (!outcome.done) {
        edit_message_->say(QString::fromStdString(outcome.message), "caution", {});
        message_clear_.start(8000);
        return;
    }
    edit_message_->hide();
    bench_->submit();
    if (outcome.item) {
        bench_->select(*outcome.item);
        if (const auto range = nameRange(bench_->document().tree(), *outcome.item)) bench_->requestGoTo(*range);
    }
}

void MainWindow::assemble() {
    const Outcome outcome = assembleStart(bench_->document());
    report(outcome);
    if (!outcome.done) return;
    // Seen at once, whatever the run was doing: it begins at the pose that was asked for.
    if (const auto s = bench_->snapshot(); s && s->run != RunState::running) bench_->runner().reset();
    edit_message_->say(QString::fromStdString(outcome.message), "info", {});
    message_clear_.start(6000);
}

// The text is the user's: a pose that the mouse made goes there only when asked.
void MainWindow::offerPose(const std::shared_ptr<const Model>& of, const std::vector<double>& from,
                           const std::vector<double>& to) {
    // Coordinates mean something for that mechanism alone, not for any other that has as many.
    const auto same = [mechanism = dynamicsHash(*of)](const Model& model) { return dynamicsHash(model) == mechanism; };
    pose_message_->say(
        tr("Moved by hand. The start pose in the text stays as it is."), "info",
        {{tr("Keep as start pose"),
          [this, same, to] {
              const Outcome outcome =
                  same(bench_->document().read().model)
                      ? keepAsStart(bench_->document(), to)
                      : Outcome{false, tr("The pose belongs to another version of the mechanism.").toStdString(), {}};
              report(outcome);
              if (outcome.done) pose_message_->hide();
          }},
         {tr("Put back"), [this, same, from] {
              const auto s = bench_->snapshot();
              if (s && s->model && same(*s->model))
                  bench_->runner().setPose(from, std::vector<double>(velocities(), 0.0));
              pose_message_->hide();
          }}});
}

std::size_t MainWindow::velocities() const {
    const auto s = bench_->snapshot();
    return s ? s->state.v.size() : 0;
}

void MainWindow::play() {
    const auto s = bench_->snapshot();
    if (s && s->run != RunState::running) backups_->write(bench_->document());
    bench_->runner().toggle();
}

void MainWindow::toggleFind() {
    docks_["text"]->show();
    docks_["text"]->raise();
    find_->show();
    find_->setFocus();
    find_->selectAll();
}

void MainWindow::showKeys() {
    auto* sheet = new KeysSheet(menuBar(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
}

void MainWindow::showAbout() {
    QMessageBox box(this);
    box.setObjectName("about");
    box.setWindowTitle(tr("About Mechwright"));
    box.setText(
        tr("<b>Mechwright %1</b><br>A studio for mechanisms: write them, run them, and know what every number means.")
            .arg(QApplication::applicationVersion()));
    box.setInformativeText(tr("Engine and generator: Apache-2.0. Studio, viewer and command line: GPL-3.0-or-later. "
                              "Code that it generates belongs to you.\n\nBuilt on Qt %1, QScintilla, QCustomPlot, Dear "
                              "ImGui, Eigen and LLVM.")
                               .arg(qVersion()));
    box.exec();
}

}  // namespace mw::app
