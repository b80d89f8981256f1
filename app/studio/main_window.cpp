// Puts the window together: docks with their places in each layout, the tool bar, and what follows the workbench.
#include "app/studio/main_window.h"

#include <QActionGroup>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/badge.h"
#include "app/studio/code_view.h"
#include "app/studio/contacts_table.h"
#include "app/studio/dock.h"
#include "app/studio/energy_plot.h"
#include "app/studio/history_view.h"
#include "app/studio/icons.h"
#include "app/studio/inspector.h"
#include "app/studio/jobs.h"
#include "app/studio/message_bar.h"
#include "app/studio/outline.h"
#include "app/studio/pair_view.h"
#include "app/studio/problems.h"
#include "app/studio/run_bar.h"
#include "app/studio/status_line.h"
#include "app/studio/style.h"
#include "app/studio/teach_page.h"
#include "app/studio/tension_plot.h"
#include "app/studio/text_editor.h"
#include "app/studio/view_widget.h"
#include "app/studio/workbench.h"
#include "app/studio/wrap_scan_view.h"

namespace mw::app {
namespace {
/// Room that would like a width and gives way when there is none.
class Space : public QWidget {
public:
    int wanted = 0;
    Space() { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred); }
    QSize sizeHint() const override { return {wanted, 1}; }
    QSize minimumSizeHint() const override { return {px(4), 1}; }
};

constexpr int kLayoutVersion = 5;  // of saved dock positions; a change of the docks makes old ones void
}  // namespace

MainWindow::MainWindow(const StartOptions& options) : options_(options), bench_(std::make_unique<Workbench>()) {
    setObjectName("window");
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowTabbedDocks | AllowNestedDocks | GroupedDragging);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setDocumentMode(true);

    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    view_ = new ViewWidget(*bench_, options.safe_graphics, centre);
    // Messages lie over the lower edge of the view, so that nothing moves when one comes.
    recovery_message_ = new MessageBar("message.recovery", view_);
    disk_message_ = new MessageBar("message.disk", view_);
    run_message_ = new MessageBar("message.run", view_);
    edit_message_ = new MessageBar("message.edit", view_);
    text_message_ = new MessageBar("message.text", view_);
    pose_message_ = new MessageBar("message.pose", view_);
    for (MessageBar* bar :
         {recovery_message_, disk_message_, run_message_, edit_message_, text_message_, pose_message_})
        connect(bar, &MessageBar::placeWanted, this, &MainWindow::placeMessages);
    connect(view_, &ViewWidget::poseDragged, this, &MainWindow::offerPose);
    connect(view_, &ViewWidget::resized, this, &MainWindow::placeMessages);
    connect(view_, &ViewWidget::outcome, this, &MainWindow::report);
    connect(view_, &ViewWidget::contextMenu, this, &MainWindow::showContextMenu);
    connect(
        view_, &ViewWidget::graphicsFailed, this,
        [this](const QString& why) {
            run_message_->say(
                tr("No picture: %1 Everything else works; the program mech draws without a display.").arg(why), "bad",
                {});
        },
        Qt::QueuedConnection);
    connect(view_, &ViewWidget::panelsChanged, this, &MainWindow::refreshActions);
    column->addWidget(view_, 1);
    setCentralWidget(centre);

    makeDocks();
    makeMenus();
    makeToolBar();
    status_ = new StatusLine(*bench_, this);
    setStatusBar(status_);
    connect(problems_, &Problems::countChanged, this, [this](int errors, int warnings, int infos) {
        status_->setProblems(errors, warnings, infos);
        docks_["problems"]->setWindowTitle(tr("Problems %1").arg(errors + warnings + infos));
    });
    connect(problems_, &Problems::assembleWanted, this, &MainWindow::assemble);
    connect(status_, &StatusLine::problemsClicked, this, [this] {
        docks_["problems"]->show();
        docks_["problems"]->raise();
    });
    connect(bench_.get(), &Workbench::documentChanged, this, [this] {
        refreshTitle();
        refreshActions();
        refreshStale();
    });
    connect(bench_.get(), &Workbench::selectionChanged, this, &MainWindow::refreshActions);
    connect(bench_.get(), &Workbench::snapshotChanged, this, &MainWindow::refreshSnapshot);
    connect(bench_.get(), &Workbench::progressChanged, this, &MainWindow::refreshStale);
    connect(&Style::get(), &Style::changed, this, &MainWindow::followStyle);
    message_clear_.setSingleShot(true);
    connect(&message_clear_, &QTimer::timeout, edit_message_, &QWidget::hide);

    QSettings settings;
    if (options.reset_layout) settings.remove("window");
    resize(options.size.isValid() ? options.size : QSize(1440, 900));
    const bool restored = options.layout.isEmpty() && !options.size.isValid() && options.screenshot.isEmpty() &&
                          restoreGeometry(settings.value("window/geometry").toByteArray()) &&
                          restoreState(settings.value("window/state").toByteArray(), kLayoutVersion);
    if (restored) {
        layout_name_ = settings.value("window/layout", "Inspect").toString();
        for (QAction* a : layout_group_->actions()) a->setChecked(a->data().toString() == layout_name_);
    } else {
        setLayoutName(options.layout.isEmpty() ? "Inspect" : options.layout);
    }
    followStyle();

    restartBackups();
    if (options.file.isEmpty() || !openFile(options.file)) newDocument();
    if (options.screenshot.isEmpty()) offerRecovery();
    slow_tick_.setInterval(2000);
    connect(&slow_tick_, &QTimer::timeout, this, [this] {
        // In the background a lost file is only noted, so that its text is backed up.
        if (isActiveWindow()) checkDisk();
        else bench_->document().checkDisk();
        backups_->tick(bench_->document());
    });
    slow_tick_.start();
    if (options.run) {
        // Running starts when the first mechanism is there.
        if (bench_->built()) bench_->runner().play();
        else
            connect(
                bench_.get(), &Workbench::builtChanged, this, [this] { bench_->runner().play(); },
                Qt::SingleShotConnection);
    }
    if (!options.screenshot.isEmpty()) scheduleScreenshot(options.screenshot);
}

MainWindow::~MainWindow() = default;

// Keys of the find field: its own, not the window's.
bool MainWindow::eventFilter(QObject* object, QEvent* event) {
    if (object != find_ || (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride))
        return QMainWindow::eventFilter(object, event);
    auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (!enter && key->key() != Qt::Key_Escape) return QMainWindow::eventFilter(object, event);
    event->accept();
    if (event->type() == QEvent::ShortcutOverride) return true;
    if (enter) {
        editor_->find(find_->text(), !(key->modifiers() & Qt::ShiftModifier));
    } else {
        find_->hide();
        editor_->setFocus();
    }
    return true;
}

Dock* MainWindow::dock(const QString& name, const QString& title, QWidget* content, bool head,
                       Qt::DockWidgetArea area) {
    auto* d = new Dock("dock." + name, title, content, head, this);
    addDockWidget(area, d);
    docks_[name] = d;
    return d;
}

void MainWindow::makeDocks() {
    outline_ = new Outline(*bench_);
    editor_ = new TextEditor(*bench_);
    auto* text_page = new QWidget;
    auto* text_column = new QVBoxLayout(text_page);
    text_column->setContentsMargins(0, 0, 0, 0);
    text_column->setSpacing(0);
    find_ = new QLineEdit(text_page);
    find_->setObjectName("find");
    find_->setPlaceholderText(tr("Find: Enter next, Shift+Enter previous, Esc closes"));
    find_->setClearButtonEnabled(true);
    find_->hide();
    text_column->addWidget(find_);
    text_column->addWidget(editor_, 1);
    connect(find_, &QLineEdit::textEdited, this, [this](const QString& text) { editor_->find(text, true); });
    find_->installEventFilter(this);

    Dock* outline_dock = dock("outline", tr("Outline"), outline_, true, Qt::LeftDockWidgetArea);
    Dock* text_dock = dock("text", tr("Text"), text_page, true, Qt::LeftDockWidgetArea);
    auto* inspector = new Inspector(*bench_);
    Dock* inspector_dock = dock("inspector", tr("Inspector"), inspector, true, Qt::RightDockWidgetArea);
    auto* page = new TeachPage(*bench_);
    Dock* page_dock = dock("page", tr("Lesson"), page, true, Qt::RightDockWidgetArea);
    connect(page, &TeachPage::note, page_dock, &Dock::setNote);
    connect(outline_, &Outline::note, outline_dock, &Dock::setNote);
    connect(outline_, &Outline::frameRequested, this, [this] { view_->frameSelection(); });
    connect(editor_, &TextEditor::note, text_dock, &Dock::setNote);
    connect(inspector, &Inspector::note, inspector_dock, &Dock::setNote);
    connect(inspector, &Inspector::outcome, this, &MainWindow::report);

    // The run bar is a dock without a head that cannot leave its place: always between view and tabs.
    run_bar_ = new RunBar(*bench_);
    Dock* run_dock = dock("run", tr("Run"), run_bar_, false, Qt::BottomDockWidgetArea);
    run_dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
    run_dock->setAllowedAreas(Qt::BottomDockWidgetArea);
    connect(run_bar_, &RunBar::playPressed, this, &MainWindow::play);

    energy_ = new EnergyPlot(*bench_);
    problems_ = new Problems(*bench_);
    auto* jobs = new Jobs(*bench_);
    Dock* energy_dock = dock("energy", tr("Energy"), energy_, false, Qt::BottomDockWidgetArea);
    dock("problems", tr("Problems 0"), problems_, false, Qt::BottomDockWidgetArea);
    Dock* jobs_dock = dock("jobs", tr("Jobs"), jobs, false, Qt::BottomDockWidgetArea);
    auto* contacts = new ContactsTable(*bench_);
    dock("contacts", tr("Contacts"), contacts, false, Qt::BottomDockWidgetArea);
    dock("bands", tr("Bands"), new TensionPlot(*bench_), false, Qt::BottomDockWidgetArea);
    Dock* pair_dock = dock("pair", tr("Pair"), new PairView(*bench_), false, Qt::BottomDockWidgetArea);
    connect(contacts, &ContactsTable::pairWanted, this, [pair_dock] {
        pair_dock->show();
        pair_dock->raise();
    });
    dock("wrapscan", tr("Wrap scan"), new WrapScanView(*bench_), false, Qt::BottomDockWidgetArea);
    dock("code", tr("Code"), new CodeView(*bench_, "code"), false, Qt::BottomDockWidgetArea);
    dock("history", tr("History"), new HistoryView(*bench_), false, Qt::BottomDockWidgetArea);
    splitDockWidget(run_dock, energy_dock, Qt::Vertical);
    for (const char* name : {"contacts", "bands", "pair", "wrapscan", "problems", "jobs", "code", "history"})
        tabifyDockWidget(energy_dock, docks_[name]);
    connect(jobs, &Jobs::activeChanged, this, [this, jobs_dock](int running) {
        jobs_dock->setWindowTitle(running ? tr("Jobs %1").arg(running) : tr("Jobs"));
    });
}

void MainWindow::makeToolBar() {
    auto* bar = addToolBar(tr("Tools"));
    bar->setObjectName("toolbar");
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    // Buttons of their own, so that a narrow window can leave some out while the menus keep them.
    auto add = [&](const char* name, QList<QAction*>* leave_out = nullptr) {
        auto* button = new QToolButton;
        button->setDefaultAction(actions_[name]);
        button->setObjectName(QString("tool.") + name);
        button->setAccessibleName(QString(actions_[name]->text()).remove('&'));
        button->setFocusPolicy(Qt::TabFocus);
        button->setIconSize({px(18), px(18)});
        QAction* place = bar->addWidget(button);
        if (leave_out) leave_out->append(place);
    };
    add("open");
    add("save");
    bar->addSeparator();
    add("undo");
    add("redo");
    bar->addSeparator();
    add("frame-all");
    for (const char* name : {"skeleton", "cg", "frames", "trails"}) add(name, &left_out_second_);
    left_out_first_.append(bar->addSeparator());
    for (const char* name :
         {"create-revolute", "create-prismatic", "create-spherical", "create-tsda", "create-poi", "create-drive"})
        add(name, &left_out_first_);
    // The badge stands in the window's middle as long as there is room.
    left_space_ = new Space;
    bar->addWidget(left_space_);
    badge_ = new BadgeButton(*bench_);
    bar->addWidget(badge_);
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    auto* group = new QButtonGroup(this);
    for (QAction* a : layout_group_->actions()) {
        auto* button = new QPushButton(a->data().toString());
        button->setObjectName("layout." + a->data().toString());
        button->setProperty("segment", true);
        button->setCheckable(true);
        button->setChecked(a->isChecked());
        button->setToolTip(a->toolTip());
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        connect(button, &QPushButton::clicked, this, [this, a] { setLayoutName(a->data().toString()); });
        connect(a, &QAction::toggled, button, &QPushButton::setChecked);
        bar->addWidget(button);
    }
    title_ = roleLabel({}, "secondary", menuBar());
    title_->setAttribute(Qt::WA_TransparentForMouseEvents);
    title_->setAlignment(Qt::AlignCenter);
}

void MainWindow::setLayoutName(const QString& name) {
    layout_name_ = name;
    for (QAction* a : layout_group_->actions())
        a->setChecked(a->data().toString().compare(name, Qt::CaseInsensitive) == 0);
    applyLayout(name.toLower());
}

// Author gives view and inspector the room, Run the view and plots, Inspect view, reading and tables, Teach a page
// beside the view.
void MainWindow::applyLayout(const QString& name) {
    for (Dock* d : docks_) {
        d->setFloating(false);
        if (d != docks_["run"]) removeDockWidget(d);
    }
    const bool author = name == "author", run = name == "run", teach = name == "teach";
    addDockWidget(Qt::BottomDockWidgetArea, docks_["run"]);
    docks_["run"]->show();
    if (!run) {
        addDockWidget(Qt::LeftDockWidgetArea, docks_["outline"]);
        splitDockWidget(docks_["outline"], docks_["text"], Qt::Vertical);
        docks_["outline"]->show();
        docks_["text"]->show();
        addDockWidget(Qt::RightDockWidgetArea, docks_[teach ? "page" : "inspector"]);
        docks_[teach ? "page" : "inspector"]->show();
    } else {
        addDockWidget(Qt::LeftDockWidgetArea, docks_["outline"]);
        docks_["outline"]->show();
    }
    QList<Dock*> tabs;
    for (const char* tab : {"energy", "contacts", "bands", "pair", "wrapscan", "problems", "jobs", "code", "history"})
        tabs << docks_[tab];
    splitDockWidget(docks_["run"], tabs.first(), Qt::Vertical);
    tabs.first()->show();
    for (qsizetype i = 1; i < tabs.size(); ++i) {
        tabifyDockWidget(tabs.first(), tabs[i]);
        tabs[i]->show();
    }
    docks_[author ? "problems" : "energy"]->raise();
    // Where the inspector is not, the card in the view shows the same.
    view_->showBodyCard(run);
    const int w = width(), h = height();
    const int left = std::clamp(w / 5, px(220), px(author ? 360 : 300));
    resizeDocks({docks_["outline"]}, {run ? px(220) : left}, Qt::Horizontal);
    if (!run) {
        resizeDocks({docks_[teach ? "page" : "inspector"]},
                    {teach ? std::clamp(w * 36 / 100, px(380), px(620)) : std::clamp(w * 22 / 100, px(260), px(340))},
                    Qt::Horizontal);
        resizeDocks({docks_["outline"], docks_["text"]}, {author ? h / 5 : h / 4, author ? h / 2 : h * 2 / 5},
                    Qt::Vertical);
    }
    resizeDocks({docks_["run"], tabs.first()},
                {px(44), author || teach ? h / 8
                         : run           ? h / 4
                                         : h * 21 / 100},
                Qt::Vertical);
}

void MainWindow::keepLayout() {
    if (!options_.screenshot.isEmpty()) return;
    QSettings settings;
    settings.setValue("window/geometry", saveGeometry());
    settings.setValue("window/state", saveState(kLayoutVersion));
    settings.setValue("window/layout", layout_name_);
}

void MainWindow::followStyle() {
    for (auto* bar : findChildren<QToolBar*>()) {
        bar->setIconSize({px(18), px(18)});
        for (auto* button : bar->findChildren<QToolButton*>()) button->setIconSize({px(18), px(18)});
    }
    if (title_) title_->setFont(Style::get().interfaceFont());
    QTimer::singleShot(0, this, &MainWindow::centreBadge);
    refreshTitle();
}

void MainWindow::centreBadge() {
    if (!badge_) return;
    const int middle = (width() - badge_->sizeHint().width()) / 2 - left_space_->x();
    for (QAction* a : left_out_first_) a->setVisible(width() >= px(1160));
    for (QAction* a : left_out_second_) a->setVisible(width() >= px(900));
    auto* space = static_cast<Space*>(left_space_);
    if (space->wanted == std::max(px(8), middle)) return;
    space->wanted = std::max(px(8), middle);
    space->updateGeometry();
}

void MainWindow::refreshTitle() {
    const Document& document = bench_->document();
    const QString name = QString::fromStdString(document.displayName());
    setWindowTitle(name + "[*] · Mechwright");
    setWindowModified(document.dirty());
    if (!title_) return;
    title_->setText(name + (document.dirty() ? " •" : "") + "  ·  Mechwright");
    title_->adjustSize();
    const int x = (menuBar()->width() - title_->width()) / 2;
    int menus_end = 0;
    for (QAction* a : menuBar()->actions()) menus_end = std::max(menus_end, menuBar()->actionGeometry(a).right());
    title_->move(x, (menuBar()->height() - title_->height()) / 2);
    title_->setVisible(x > menus_end + px(12));
}

void MainWindow::refreshSnapshot() {
    const auto s = bench_->snapshot();
    if (!s) return;
    if (QAction* play = actions_.value("play")) {
        const bool running = s->run == RunState::running;
        if (play->text() != (running ? tr("Pause") : tr("Play"))) {
            play->setText(running ? tr("Pause") : tr("Play"));
            play->setIcon(icon(running ? "pause" : "play"));
        }
    }
    // A pose made by hand is old news once the run goes on, or has gone back to its start.
    if (!pose_message_->isHidden() && (s->run == RunState::running || s->atStart())) pose_message_->hide();
    if (s->blow_up) {
        const BlowUp& b = *s->blow_up;
        const QString said = QString::fromStdString(b.what) + QString::number(b.step);
        if (said == blow_up_said_) return;
        blow_up_said_ = said;
        run_message_->say(tr("Stopped at t = %1 s, step %2: %3. The last good state is shown.")
                              .arg(b.t, 0, 'g', 6)
                              .arg(b.step)
                              .arg(QString::fromStdString(b.what)),
                          "bad",
                          {{tr("Step back"), [this] { bench_->runner().step(-1); }},
                           {tr("Reset"), [this] { bench_->runner().reset(); }}});
        if (b.body >= 0 && s->model) bench_->select({"body", s->model->bodies[static_cast<std::size_t>(b.body)].name});
    } else if (!blow_up_said_.isEmpty()) {
        blow_up_said_.clear();
        run_message_->hide();
    }
}

// A broken text greys the view, says why over it, and offers the way out.
void MainWindow::refreshStale() {
    const Badge badge = bench_->workshop().badge();
    const bool stale = badge.state == Badge::State::last_good;
    view_->setStale(stale, stale ? faultyBodies() : std::vector<int>());
    if (actions_.contains("validate")) actions_["validate"]->setEnabled(bench_->built() != nullptr);
    // Between two keys nothing moves, unless nothing good has been there yet.
    if (badge.state == Badge::State::editing && bench_->built()) return;
    const auto& all = bench_->document().read().diagnostics;
    // A word that is wrong explains more than the property that is missing for it.
    auto first = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) {
        return d.severity == Severity::error && d.code != "missing-property";
    });
    if (first == all.end())
        first = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (first == all.end()) {
        text_message_->hide();
        text_message_said_.clear();
        return;
    }
    const Diagnostic fault = *first;
    const LineColumn place = lineColumn(bench_->document().text(), fault.range.begin);
    QString text = tr("Line %1: %2").arg(place.line).arg(QString::fromStdString(fault.message));
    if (!fault.remedy.empty()) text += ": " + QString::fromStdString(fault.remedy);
    if (!text.endsWith('.') && !text.endsWith('?')) text += '.';
    if (stale) text += tr(" The last good mechanism is shown.");
    if (text == text_message_said_ && text_message_->isVisible()) return;
    text_message_said_ = text;
    std::vector<MessageBar::Choice> choices{{tr("Go there"), [this, fault] {
                                                 bench_->requestGoTo(fault.range);
                                                 editor_->setFocus();
                                             }}};
    if (!fault.fix.empty())
        choices.emplace_back(tr("Fix"), [this, fault] { report(applyFix(bench_->document(), fault)); });
    text_message_->say(text, "bad", std::move(choices));
}

// Bodies of the shown mechanism whose statements have errors, and what sits on them.
std::vector<int> MainWindow::faultyBodies() const {
    std::vector<int> bodies;
    const auto built = bench_->built();
    if (!built) return bodies;
    for (const Diagnostic& d : bench_->document().read().diagnostics) {
        if (d.severity != Severity::error) continue;
        const auto item = itemAt(bench_->document().tree(), d.range.begin);
        const int body = item ? bodyOf(*built->model, *item) : -1;
        if (body >= 0 && std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
    }
    return bodies;
}

void MainWindow::placeMessages() {
    if (placing_messages_) return;
    placing_messages_ = true;
    int bottom = view_->height() - px(12);
    for (MessageBar* bar :
         {text_message_, edit_message_, pose_message_, run_message_, disk_message_, recovery_message_}) {
        if (bar->isHidden()) continue;
        bar->setFixedWidth(std::max(px(160), std::min(view_->width() - px(24), px(720))));
        bar->adjustSize();
        bottom -= bar->height();
        bar->move((view_->width() - bar->width()) / 2, bottom);
        bar->raise();
        bottom -= px(8);
    }
    placing_messages_ = false;
}

void MainWindow::showContextMenu(const Item& item, const QPoint& at) {
    QMenu menu(this);
    menu.setObjectName("view.menu");
    if (!item.kind.empty()) {
        bench_->select(item);
        menu.addSection(QString::fromStdString(item.name));
        menu.addAction(actions_["frame"]);
        menu.addAction(actions_["follow"]);
        menu.addAction(actions_["parent"]);
        menu.addAction(icon("code"), tr("Show in the text"), this, [this, item] {
            if (const auto range = nameRange(bench_->document().tree(), item)) bench_->requestGoTo(*range);
            docks_["text"]->show();
            docks_["text"]->raise();
        });
        menu.addAction(icon("code"), tr("Show its generated code"), this, [this] {
            docks_["code"]->show();
            docks_["code"]->raise();
        });
        menu.addSeparator();
        menu.addAction(actions_["delete"]);
        menu.addSeparator();
    }
    for (const char* name : {"frame-all", "front", "side", "top", "perspective"}) menu.addAction(actions_[name]);
    menu.addSeparator();
    menu.addAction(actions_["initial-pose"]);
    menu.addAction(actions_["picture"]);
    menu.exec(at);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    refreshTitle();
    centreBadge();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    refreshTitle();
    if (shown_) return;
    shown_ = true;
    // Sizes of docks are honoured only once the window has its own.
    QTimer::singleShot(0, this, [this] {
        centreBadge();
        if (QSettings().value("window/state").isNull() || !options_.layout.isEmpty() || options_.size.isValid())
            applyLayout(layout_name_.toLower());
    });
}

}  // namespace mw::app
