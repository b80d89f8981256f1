// Two plots over the joint's coordinate. A scan is made anew when the text, the choice, the range or, while nothing
// runs, the pose of the other joints changes: on another thread, where a newer one takes the place of the one before.
#include "app/studio/wrap_scan_view.h"

#include <QComboBox>
#include <QFile>
#include <QFutureWatcher>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSemaphore>
#include <QVBoxLayout>
#include <QtConcurrent>
#include <QtSvg/QSvgGenerator>
#include <algorithm>
#include <array>
#include <cmath>
#include <qcustomplot.h>
#include <tuple>
#include <utility>

#include "app/studio/ask_file.h"
#include "app/studio/dock.h"
#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/model/layout.h"

namespace mw::app {
namespace {

constexpr int kMostSamples = 5000;
constexpr int kAtOnce = 10;  // ms: what is done so soon replaces the curves without a moment of none

QString sixDigits(double value) { return QString::number(value, 'g', 6); }

}  // namespace

WrapScanView::WrapScanView(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench), page_(this) {
    setObjectName("wrapscan");
    auto* row = new QHBoxLayout(page_.content());
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);

    length_ = smallPlot("wrapscan.length", tr("Length over the joint"), page_.content());
    arm_ = smallPlot("wrapscan.arm", tr("Moment arm over the joint"), page_.content());
    length_notes_ = {axisNote(*length_, tr("length"), 0), axisNote(*length_, {}, 1)};
    arm_notes_ = {axisNote(*arm_, tr("moment arm"), 0), axisNote(*arm_, {}, 1)};
    length_line_ = length_->addGraph();
    arm_line_ = arm_->addGraph();
    difference_ = arm_->addGraph();
    now_length_ = new QCPItemStraightLine(length_);
    now_arm_ = new QCPItemStraightLine(arm_);
    for (QCustomPlot* plot : {length_, arm_}) {
        plot->setMouseTracking(true);
        plot->installEventFilter(this);
        connect(plot, &QCustomPlot::mouseMove, this,
                [this](QMouseEvent* e) { showAt(static_cast<int>(e->position().x())); });
    }
    arm_->setToolTip(
        tr("Line: dl/dq by the route's gradient. Points: central difference of the length. Upright lines: "
           "a guide is taken up or let go; solid where length or arm leaps."));
    row->addWidget(length_, 1);
    row->addWidget(arm_, 1);

    auto* side = new QWidget(page_.content());
    side->setProperty("role", "panel");
    auto* grid = new QGridLayout(side);
    grid->setContentsMargins(px(8), px(3), px(10), px(3));
    grid->setHorizontalSpacing(px(6));
    grid->setVerticalSpacing(px(3));
    const auto box = [&](const char* name, const QString& label, const QString& tip) {
        auto* combo = new QComboBox(side);
        combo->setObjectName(name);
        combo->setAccessibleName(label);
        combo->setToolTip(tip);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        return combo;
    };
    const auto field = [&](const char* name, const QString& accessible, const QString& tip) {
        auto* edit = new QLineEdit(side);
        edit->setObjectName(name);
        edit->setAccessibleName(accessible);
        edit->setToolTip(tip);
        connect(edit, &QLineEdit::editingFinished, this, [this] { refresh(); });
        return edit;
    };
    const auto press = [&](const char* name, const QString& text, const QString& tip) {
        auto* button = new QPushButton(text, side);
        button->setObjectName(name);
        button->setToolTip(tip);
        return button;
    };
    tendon_ = box("wrapscan.tendon", tr("Tendon"), tr("Tendon whose length is measured"));
    joint_ = box("wrapscan.joint", tr("Joint"), tr("Joint that is moved; all others stay, loops are kept closed"));
    from_ = field("wrapscan.from", tr("From"), tr("First value of the coordinate, rad or m"));
    to_ = field("wrapscan.to", tr("To"), tr("Last value of the coordinate, rad or m"));
    count_ = field("wrapscan.samples", tr("Samples"), tr("How many, 2 to 5000"));
    count_->setText("201");
    csv_ = press("wrapscan.csv", tr("CSV…"), tr("Save the numbers of this scan"));
    svg_ = press("wrapscan.svg", tr("SVG…"), tr("Save the two plots as a picture"));
    summary_ = roleLabel({}, "secondary", side);
    summary_->setObjectName("wrapscan.summary");
    summary_->setWordWrap(true);
    summary_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    grid->addWidget(tendon_, 0, 0, 1, 2);
    grid->addWidget(joint_, 0, 2, 1, 2);
    grid->addWidget(roleLabel(tr("from"), "secondary", side), 1, 0);
    grid->addWidget(from_, 1, 1);
    grid->addWidget(roleLabel(tr("to"), "secondary", side), 1, 2);
    grid->addWidget(to_, 1, 3);
    grid->addWidget(roleLabel(tr("samples"), "secondary", side), 2, 0);
    grid->addWidget(count_, 2, 1);
    auto* files = new QHBoxLayout;
    files->setSpacing(px(6));
    files->addWidget(csv_);
    files->addWidget(svg_);
    grid->addLayout(files, 2, 2, 1, 2);
    grid->addWidget(summary_, 3, 0, 1, 4);
    grid->setRowStretch(3, 1);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    // In a low window it scrolls rather than push the view away.
    auto* scroll = new QScrollArea(page_.content());
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(side);
    scroll->setFixedWidth(px(292));
    row->addWidget(scroll);

    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &WrapScanView::refresh);
    connect(tendon_, &QComboBox::textActivated, this, [this] {
        suggestJoint();
        refresh();
    });
    connect(joint_, &QComboBox::textActivated, this, [this] {
        joint_chosen_ = true;
        takeRange();
        refresh();
    });
    connect(csv_, &QPushButton::clicked, this, [this] { askExport("csv"); });
    connect(svg_, &QPushButton::clicked, this, [this] { askExport("svg"); });
    connect(&bench_, &Workbench::builtChanged, this, &WrapScanView::wake);
    connect(&bench_, &Workbench::snapshotChanged, this, &WrapScanView::wake);
    connect(&bench_, &Workbench::selectionChanged, this, [this] {
        const Item item = bench_.selected();
        const int at = item.kind == "tendon" ? tendon_->findText(QString::fromStdString(item.name)) : -1;
        if (at < 0 || at == tendon_->currentIndex()) return;
        tendon_->setCurrentIndex(at);
        suggestJoint();
        if (isVisible()) refresh();
    });
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        from_->clear();
        to_->clear();
        joint_chosen_ = false;
        giveUp();
        scan_ = {};
        redraw_ = true;
    });
    connect(&Style::get(), &Style::changed, this, &WrapScanView::followStyle);
    followStyle();
}

WrapScanView::~WrapScanView() { stop_.request_stop(); }

void WrapScanView::giveUp() {
    stop_.request_stop();
    ++ordered_;
    pending_ = false;
    export_due_.clear();
    asked_.clear();
}

// Curves of other choices or of another text go before those of these are there. While poses change they stay: the
// mechanism is the same.
void WrapScanView::compute(std::shared_ptr<const Built> built, WrapScanRequest request) {
    struct Outcome {
        WrapScan scan;
        QSemaphore done;
    };
    stop_.request_stop();
    stop_ = std::stop_source();
    const std::uint64_t number = ++ordered_;
    pending_ = true;
    const auto outcome = std::make_shared<Outcome>();
    auto* watcher = new QFutureWatcher<void>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, outcome, built, number] {
        watcher->deleteLater();
        if (pending_ && number == ordered_) take(std::move(outcome->scan), *built);
    });
    watcher->setFuture(
        QtConcurrent::run([outcome, built, layout = layout_, request = std::move(request), stop = stop_.get_token()] {
            outcome->scan = wrapScan(*built->model, layout, built->kernel, request, stop);
            outcome->done.release();
        }));
    if (outcome->done.tryAcquire(1, kAtOnce)) take(std::move(outcome->scan), *built);
}

void WrapScanView::take(WrapScan scan, const Built& built) {
    pending_ = false;
    // Of a text that is no longer shown: the next one is asked for as soon as it is looked at.
    const auto now = bench_.built();
    if (!now || now->model != built.model) {
        giveUp();
        later_.start(0);
        return;
    }
    scan_ = std::move(scan);
    draw();
    redraw_ = false;
    replot();
    if (export_due_.isEmpty()) return;
    const QByteArray suffix = std::exchange(export_due_, {});
    QTimer::singleShot(0, this, [this, suffix] { askExport(suffix.constData()); });
}

void WrapScanView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followStyle();
    refresh();
}

bool WrapScanView::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::Leave && !says_.isEmpty()) summary_->setText(says_);
    return QWidget::eventFilter(object, event);
}

void WrapScanView::say(const QString& text) {
    says_ = text;
    if (!length_->underMouse() && !arm_->underMouse()) summary_->setText(text);
}

void WrapScanView::wake() {
    if (!isVisible() || later_.isActive()) return;
    const qint64 since = drawn_at_.isValid() ? drawn_at_.elapsed() : 1000;
    const int pace = paceOf({length_, arm_}, 200);
    if (since >= pace) refresh();
    else later_.start(static_cast<int>(pace - since));
}

QString WrapScanView::whyEmpty() const {
    const auto built = bench_.built();
    if (!built || !built->model || !built->kernel)
        return tr("Not computed: there is no mechanism yet. It comes when the text has no errors.");
    if (built->model->tendons.empty()) return tr("Unavailable: this mechanism has no tendon.");
    if (movable_.empty()) return tr("Unavailable: no joint of this mechanism has a coordinate that could be swept.");
    return {};
}

/// Layout and joint coordinates of the mechanism that there is now.
void WrapScanView::learn() {
    const auto built = bench_.built();
    const auto model = built ? built->model : nullptr;
    if (model == known_) return;
    // Nothing of the mechanism before is shown any more.
    giveUp();
    scan_ = {};
    redraw_ = true;
    known_ = model;
    movable_.clear();
    if (!model) return;
    layout_ = layoutOf(*model);
    const std::vector<double> param = model->liveValues();
    for (int v = 0; v < layout_.nv; ++v) {
        const auto range = scanRange(*model, layout_, v, param);
        if (!range) continue;
        const auto b = static_cast<std::size_t>(layout_.body_of_v[static_cast<std::size_t>(v)]);
        movable_.push_back({v, layout_.q_of_body[b] + v - layout_.v_of_body[b],
                            QString::fromStdString(layout_.v_names[static_cast<std::size_t>(v)]), *range});
    }
}

// The choices that this mechanism offers; what was chosen stays where it can.
void WrapScanView::fillChoices() {
    const Model& model = *bench_.built()->model;
    QStringList tendons, joints;
    for (const Tendon& t : model.tendons) tendons << QString::fromStdString(t.name);
    for (const Movable& m : movable_) joints << m.name;
    const auto fill = [](QComboBox* box, const QStringList& names) {
        QStringList present;
        for (int i = 0; i < box->count(); ++i) present << box->itemText(i);
        if (present == names) return false;
        const QString was = box->currentText();
        const QSignalBlocker quiet(box);
        box->clear();
        box->addItems(names);
        box->setCurrentIndex(std::max(0, static_cast<int>(names.indexOf(was))));
        return box->currentText() != was;
    };
    if (fill(tendon_, tendons)) {
        // A tendon that is selected already is the one that is meant.
        const Item item = bench_.selected();
        const int at = item.kind == "tendon" ? tendon_->findText(QString::fromStdString(item.name)) : -1;
        if (at >= 0) tendon_->setCurrentIndex(at);
    }
    if (!fill(joint_, joints) && !from_->text().isEmpty() && !to_->text().isEmpty()) return;
    suggestJoint();
    takeRange();
}

// Until somebody chooses: the joint about which the tendon has its greatest moment arm.
void WrapScanView::suggestJoint() {
    learn();
    const auto built = bench_.built();
    const auto s = bench_.snapshot();
    const int tendon = tendon_->currentIndex();
    if (joint_chosen_ || !built || !s || tendon < 0 || tendon >= static_cast<int>(s->readings.tendons.size())) return;
    const std::vector<double>& arm = s->readings.tendons[static_cast<std::size_t>(tendon)].route.gradient;
    const auto& all = movable_;
    int best = -1;
    double most = 0;
    for (int i = 0; i < std::min(joint_->count(), static_cast<int>(all.size())); ++i) {
        const auto v = static_cast<std::size_t>(all[static_cast<std::size_t>(i)].velocity);
        if (v < arm.size() && std::abs(arm[v]) > most) most = std::abs(arm[v]), best = i;
    }
    if (best < 0 || best == joint_->currentIndex()) return;
    joint_->setCurrentIndex(best);
    takeRange();
}

void WrapScanView::takeRange() {
    const auto& all = movable_;
    const int i = joint_->currentIndex();
    if (i < 0 || i >= static_cast<int>(all.size())) return;
    from_->setText(sixDigits(all[static_cast<std::size_t>(i)].range[0]));
    to_->setText(sixDigits(all[static_cast<std::size_t>(i)].range[1]));
    from_->home(false);  // its first digits are seen
    to_->home(false);
}

void WrapScanView::refresh() {
    if (!isVisible()) return;
    later_.stop();
    drawn_at_.start();
    learn();
    const QString why = whyEmpty();
    page_.because(why);
    if (!why.isEmpty()) return;
    fillChoices();

    const auto built = bench_.built();
    const Model& model = *built->model;
    const Layout& layout = layout_;
    const auto joint = static_cast<std::size_t>(std::max(0, joint_->currentIndex()));
    const Movable& moved = movable_[std::min(joint, movable_.size() - 1)];
    WrapScanRequest request;
    request.tendon = std::max(0, tendon_->currentIndex());
    request.velocity = moved.velocity;
    bool from_ok = false, to_ok = false, count_ok = false;
    request.from = from_->text().toDouble(&from_ok);
    request.to = to_->text().toDouble(&to_ok);
    request.samples = count_->text().toInt(&count_ok);
    if (!from_ok || !to_ok || !(request.from < request.to) || !std::isfinite(request.to - request.from)) {
        refuse(tr("The range wants two numbers, the smaller one first."));
        return;
    }
    if (!count_ok || request.samples < 2 || request.samples > kMostSamples) {
        refuse(tr("How many samples: a whole number from 2 to %1.").arg(kMostSamples));
        return;
    }
    // The pose of the other joints is the one that is seen; while it moves, that of the last scan.
    const auto s = bench_.snapshot();
    const QString asked = QString("%1 %2 %3 %4 %5 %6")
                              .arg(QString::number(built->text.low, 16))
                              .arg(request.tendon)
                              .arg(request.velocity)
                              .arg(from_->text(), to_->text(), count_->text());
    std::vector<double> pose;
    const bool fits = s && s->model && s->model->bodies.size() == model.bodies.size() &&
                      static_cast<int>(s->state.q.size()) == layout.nq;
    const auto own = static_cast<std::size_t>(moved.q);
    if (fits) {
        request.q = s->state.q;
        if (s->inputs.param.size() == static_cast<std::size_t>(layout.nparam)) request.param = s->inputs.param;
        pose = request.q;
        pose[own] = 0;
        pose.insert(pose.end(), request.param.begin(), request.param.end());
        for (QCPItemStraightLine* line : {now_length_, now_arm_}) {
            line->point1->setCoords(request.q[own], 0);
            line->point2->setCoords(request.q[own], 1);
        }
    }
    const bool moving = fits && s->run == RunState::running;
    if (asked != asked_ || (!moving && pose != pose_)) {
        const bool other = asked != asked_;
        asked_ = asked;
        pose_ = std::move(pose);
        compute(built, std::move(request));
        if (pending_ && other) scan_ = {}, redraw_ = true;
    }
    if (redraw_) draw();
    redraw_ = false;
    replot();
}

void WrapScanView::refuse(const QString& why) {
    giveUp();
    draw();
    replot();
    redraw_ = true;  // with its own words again
    say(why);
}

void WrapScanView::replot() {
    length_->replot(QCustomPlot::rpQueuedReplot);
    arm_->replot(QCustomPlot::rpQueuedReplot);
}

void WrapScanView::clearMarks() {
    for (QCPItemStraightLine* mark : marks_) mark->parentPlot()->removeItem(mark);
    marks_.clear();
}

void WrapScanView::addMark(double at, bool leap) {
    for (QCustomPlot* plot : {length_, arm_}) {
        auto* mark = new QCPItemStraightLine(plot);
        mark->point1->setCoords(at, 0);
        mark->point2->setCoords(at, 1);
        mark->setSelectable(false);
        mark->setPen(
            QPen(leap ? tokens().caution : tokens().secondary, px(1) * 1.0, leap ? Qt::SolidLine : Qt::DashLine));
        marks_.push_back(mark);
    }
}

void WrapScanView::draw() {
    QVector<QCPGraphData> length, arm, difference;
    double low = INFINITY, high = -INFINITY, arm_low = 0, arm_high = 0;
    clearMarks();
    std::size_t event = 0;
    for (std::size_t i = 0; i < scan_.samples.size(); ++i) {
        const WrapScan::Sample& sample = scan_.samples[i];
        // A leap is a gap in the line: nothing lies between its two sides.
        for (; event < scan_.events.size() && scan_.events[event].sample <= static_cast<int>(i); ++event) {
            const WrapScan::Event& e = scan_.events[event];
            if (!e.leaps) continue;
            for (const auto& [line, before, after] :
                 {std::tuple(&length, e.length_before, e.length_after), std::tuple(&arm, e.arm_before, e.arm_after)}) {
                line->append(QCPGraphData(e.q, before));
                line->append(QCPGraphData(e.q, NAN));
                line->append(QCPGraphData(e.q, after));
            }
        }
        length.append(QCPGraphData(sample.q, sample.length));
        arm.append(QCPGraphData(sample.q, sample.moment_arm));
        difference.append(QCPGraphData(sample.q, sample.difference));
        low = std::fmin(low, sample.length), high = std::fmax(high, sample.length);
        arm_low = std::fmin(arm_low, sample.moment_arm), arm_high = std::fmax(arm_high, sample.moment_arm);
    }
    const auto leaps = std::count_if(scan_.events.begin(), scan_.events.end(), [](const auto& e) { return e.leaps; });
    const auto changes = std::count_if(scan_.events.begin(), scan_.events.end(),
                                       [](const auto& e) { return e.kind != WrapScan::Event::Kind::jump; });
    for (const WrapScan::Event& e : scan_.events)
        if (marks_.size() < 200) addMark(e.q, e.leaps);
    length_line_->data()->set(length, true);
    arm_line_->data()->set(arm, true);
    difference_->data()->set(difference, true);
    csv_->setEnabled(pending_ || !scan_.samples.empty());
    svg_->setEnabled(pending_ || !scan_.samples.empty());
    if (scan_.samples.empty() && scan_.problem.empty()) {
        summary_->setToolTip({});
        say(pending_ ? tr("Computing…") : QString());
        return;
    }
    const QString q_axis = QString::fromStdString(scan_.joint + ", " + scan_.unit_q);
    const QString unit = QString::fromStdString(scan_.unit_length);
    length_notes_[0]->setText(tr("length, %1").arg(unit));
    length_notes_[1]->setText(q_axis);
    arm_notes_[0]->setText(tr("moment arm, %1").arg(QString::fromStdString(scan_.unit_arm)));
    arm_notes_[1]->setText(q_axis);
    if (!scan_.samples.empty() && std::isfinite(low)) {
        const double pad = std::max(0.05 * (high - low), 1e-9 + 1e-6 * std::abs(high));
        const double arm_pad = std::max(0.08 * (arm_high - arm_low), 1e-9);
        for (QCustomPlot* plot : {length_, arm_})
            plot->xAxis->setRange(scan_.samples.front().q, scan_.samples.back().q);
        length_->yAxis->setRange(low - pad, high + pad);
        arm_->yAxis->setRange(arm_low - arm_pad, arm_high + arm_pad);
    }
    QString says;
    if (!scan_.problem.empty()) says = QString::fromStdString(scan_.problem);
    else
        says = tr("%1 to %2 %3 · changes %4 · leaps %5\ngradient − difference: %6 at most")
                   .arg(QString::number(low, 'g', 4), QString::number(high, 'g', 4), unit)
                   .arg(changes)
                   .arg(leaps)
                   .arg(QString::number(scan_.worst, 'e', 1));
    if (scan_.problem.empty() && !scan_.closed) says += "\n" + tr("Loops stay open where there is no line.");
    say(says);
    summary_->setToolTip(scan_.problem.empty() ? tr("Changes: a guide is taken up or let go. Leaps: length or moment "
                                                    "arm are not continuous there.")
                                               : QString());
}

void WrapScanView::showAt(int x) {
    if (scan_.samples.empty()) return;
    const double q = length_->xAxis->pixelToCoord(x);
    const auto near = std::min_element(scan_.samples.begin(), scan_.samples.end(), [&](const auto& a, const auto& b) {
        return std::abs(a.q - q) < std::abs(b.q - q);
    });
    QString guides;
    for (std::size_t g = 0; g < scan_.guides.size() && g < near->touched.size(); ++g)
        guides += (guides.isEmpty() ? "" : " · ") + QString::fromStdString(scan_.guides[g]) + " " +
                  (near->touched[g] ? tr("%1°").arg(near->sweep[g] * 180 / M_PI, 0, 'f', 1) : tr("free"));
    summary_->setText(tr("at %1: length %2, arm %3%4")
                          .arg(sixDigits(near->q), sixDigits(near->length), sixDigits(near->moment_arm),
                               guides.isEmpty() ? QString() : "\n" + guides));
}

bool WrapScanView::exportTo(const QString& path) const {
    if (path.endsWith(".svg", Qt::CaseInsensitive)) {
        const QSize size(900, 640);
        QSvgGenerator generator;
        generator.setFileName(path);
        generator.setSize(size);
        generator.setViewBox(QRect(QPoint(0, 0), size));
        generator.setTitle(QString::fromStdString(scan_.tendon + " over " + scan_.joint));
        QCPPainter painter;
        if (!painter.begin(&generator)) return false;
        painter.setMode(QCPPainter::pmVectorized);
        const QSize half(size.width(), size.height() / 2);
        length_->toPainter(&painter, half.width(), half.height());
        painter.translate(0, half.height());
        arm_->toPainter(&painter, half.width(), half.height());
        return painter.end();
    }
    QFile file(path);
    const QByteArray text = QByteArray::fromStdString(wrapScanCsv(scan_));
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

void WrapScanView::askExport(const char* suffix) {
    // What is saved belongs to what is chosen now: a scan under way is waited for, without the window standing still.
    refresh();
    if (pending_) export_due_ = suffix;
    if (pending_ || scan_.samples.empty()) return;
    const QString name = QString::fromStdString(scan_.tendon + "_" + scan_.joint + "." + suffix);
    const QString filter = QString(suffix) == "svg" ? tr("Picture (*.svg)") : tr("Numbers (*.csv)");
    const QString path = askWhereToSave(this, tr("Save the wrap scan"), name, filter, suffix);
    if (path.isEmpty()) return;
    summary_->setText(exportTo(path) ? tr("Saved %1").arg(path)
                                     : tr("%1 cannot be written: look at the folder's permissions.").arg(path));
}

void WrapScanView::followStyle() {
    redraw_ = true;
    dressPlot(*length_, length_notes_);
    dressPlot(*arm_, arm_notes_);
    const QColor line = Style::get().quantity(scene::Quantity::elastic);
    length_line_->setPen(QPen(line, px(1.75)));
    arm_line_->setPen(QPen(line, px(1.75)));
    difference_->setLineStyle(QCPGraph::lsNone);
    difference_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, tokens().secondary, px(3)));
    difference_->setScatterSkip(3);
    for (QCPItemStraightLine* now : {now_length_, now_arm_}) now->setPen(QPen(tokens().accent, px(1.5)));
    summary_->setFont(Style::get().interfaceFont(11));
    if (isVisible()) later_.start(0);
}

}  // namespace mw::app
