// Two plots over the joint's coordinate. A scan is made anew when the text, the choice, the range or, while nothing
// runs, the pose of the other joints changes.
#include "app/studio/wrap_scan_view.h"

#include <QComboBox>
#include <QFile>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <QtSvg/QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <qcustomplot.h>

#include "app/studio/ask_file.h"
#include "app/studio/dock.h"
#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/model/layout.h"

namespace mw::app {
namespace {

constexpr int kMostSamples = 5000;

/// Joint coordinates that a scan can move: velocities that are the rate of one coordinate.
struct Movable {
    int velocity = 0;
    QString name;
    double from = -M_PI, to = M_PI;
    int q = 0;
};
std::vector<Movable> movables(const Model& model, const Layout& layout) {
    std::vector<Movable> found;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const JointType type = body.joint.type;
        if (type == JointType::fixed || type == JointType::spherical || type == JointType::floating) continue;
        for (int k = 0; k < jointNv(type); ++k) {
            Movable m;
            m.velocity = layout.v_of_body[b] + k;
            m.q = layout.q_of_body[b] + k;
            m.name = QString::fromStdString(layout.v_names[static_cast<std::size_t>(m.velocity)]);
            const bool length = type == JointType::prismatic || (type == JointType::cylindrical && k == 1) ||
                                (type == JointType::planar && k < 2);
            if (length) m.from = -1, m.to = 1;
            if (body.limits && std::isfinite(body.limits->lower.value) && std::isfinite(body.limits->upper.value))
                m.from = body.limits->lower.value, m.to = body.limits->upper.value;
            if (body.slider) m.from = (*body.slider)[0].value, m.to = (*body.slider)[1].value;
            found.push_back(m);
        }
    }
    return found;
}

QString shortNumber(double value) { return QString::number(value, 'g', 6); }

}  // namespace

WrapScanView::WrapScanView(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("wrapscan");
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    empty_ = roleLabel({}, "secondary", this);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    outer->addWidget(empty_, 1);
    content_ = new QWidget(this);
    outer->addWidget(content_, 1);
    auto* row = new QHBoxLayout(content_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);

    length_ = smallPlot("wrapscan.length", tr("Length over the joint"), content_);
    arm_ = smallPlot("wrapscan.arm", tr("Moment arm over the joint"), content_);
    length_notes_ = {axisNote(*length_, tr("length"), 0), axisNote(*length_, {}, 1)};
    arm_notes_ = {axisNote(*arm_, tr("moment arm"), 0), axisNote(*arm_, {}, 1)};
    length_line_ = length_->addGraph();
    arm_line_ = arm_->addGraph();
    difference_ = arm_->addGraph();
    now_length_ = new QCPItemStraightLine(length_);
    now_arm_ = new QCPItemStraightLine(arm_);
    for (QCustomPlot* plot : {length_, arm_}) {
        plot->setMouseTracking(true);
        connect(plot, &QCustomPlot::mouseMove, this,
                [this](QMouseEvent* e) { showAt(static_cast<int>(e->position().x())); });
    }
    arm_->setToolTip(
        tr("Line: dl/dq by the route's gradient. Points: central difference of the length. Upright lines: "
           "a guide is taken up or let go; solid where length or arm leaps."));
    row->addWidget(length_, 1);
    row->addWidget(arm_, 1);

    auto* side = new QWidget(content_);
    side->setProperty("role", "panel");
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(px(8), px(4), px(12), px(4));
    column->setSpacing(px(4));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(px(6));
    grid->setVerticalSpacing(px(3));
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    const auto box = [&](const char* name, const QString& label, const QString& tip, int at) {
        auto* combo = new QComboBox(side);
        combo->setObjectName(name);
        combo->setAccessibleName(label);
        combo->setToolTip(tip);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        grid->addWidget(roleLabel(label, "secondary", side), at, 0);
        grid->addWidget(combo, at, 1, 1, 2);
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
    tendon_ = box("wrapscan.tendon", tr("tendon"), tr("whose length is measured"), 0);
    joint_ = box("wrapscan.joint", tr("joint"), tr("that is moved; all others stay, loops are kept closed"), 1);
    from_ = field("wrapscan.from", tr("from"), tr("first value of the coordinate, rad or m"));
    to_ = field("wrapscan.to", tr("to"), tr("last value of the coordinate, rad or m"));
    count_ = field("wrapscan.samples", tr("samples"), tr("how many, 2 to 5000"));
    count_->setText("201");
    grid->addWidget(roleLabel(tr("range"), "secondary", side), 2, 0);
    grid->addWidget(from_, 2, 1);
    grid->addWidget(to_, 2, 2);
    grid->addWidget(roleLabel(tr("samples"), "secondary", side), 3, 0);
    grid->addWidget(count_, 3, 1);
    column->addLayout(grid);
    summary_ = roleLabel({}, "secondary", side);
    summary_->setObjectName("wrapscan.summary");
    summary_->setWordWrap(true);
    column->addWidget(summary_);
    at_ = roleLabel({}, "secondary", side);
    at_->setWordWrap(true);
    column->addWidget(at_);
    column->addStretch(1);
    auto* buttons = new QHBoxLayout;
    csv_ = new QPushButton(tr("CSV…"), side);
    svg_ = new QPushButton(tr("SVG…"), side);
    csv_->setObjectName("wrapscan.csv");
    svg_->setObjectName("wrapscan.svg");
    csv_->setToolTip(tr("Save the numbers of this scan"));
    svg_->setToolTip(tr("Save the two plots as a picture"));
    buttons->addWidget(csv_);
    buttons->addWidget(svg_);
    column->addLayout(buttons);
    side->setFixedWidth(px(250));
    row->addWidget(side);

    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &WrapScanView::refresh);
    connect(tendon_, &QComboBox::textActivated, this, [this] { refresh(); });
    connect(joint_, &QComboBox::textActivated, this, [this] {
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
        if (isVisible()) refresh();
    });
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        from_->clear();
        to_->clear();
    });
    connect(&Style::get(), &Style::changed, this, &WrapScanView::followStyle);
    followStyle();
}

void WrapScanView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followStyle();
    refresh();
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
    if (movables(*built->model, layoutOf(*built->model)).empty())
        return tr("Unavailable: no joint of this mechanism has a coordinate that could be swept.");
    return {};
}

// The choices that this mechanism offers; what was chosen stays where it can.
void WrapScanView::fillChoices() {
    const Model& model = *bench_.built()->model;
    QStringList tendons, joints;
    for (const Tendon& t : model.tendons) tendons << QString::fromStdString(t.name);
    for (const Movable& m : movables(model, layoutOf(model))) joints << m.name;
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
    if (fill(joint_, joints) || from_->text().isEmpty() || to_->text().isEmpty()) takeRange();
}

void WrapScanView::takeRange() {
    const auto built = bench_.built();
    if (!built || !built->model) return;
    const auto all = movables(*built->model, layoutOf(*built->model));
    const int i = joint_->currentIndex();
    if (i < 0 || i >= static_cast<int>(all.size())) return;
    from_->setText(shortNumber(all[static_cast<std::size_t>(i)].from));
    to_->setText(shortNumber(all[static_cast<std::size_t>(i)].to));
}

void WrapScanView::refresh() {
    if (!isVisible()) return;
    later_.stop();
    drawn_at_.start();
    const QString why = whyEmpty();
    empty_->setText(why);
    empty_->setVisible(!why.isEmpty());
    content_->setVisible(why.isEmpty());
    if (!why.isEmpty()) return;
    fillChoices();

    const auto built = bench_.built();
    const Model& model = *built->model;
    const Layout layout = layoutOf(model);
    const auto all = movables(model, layout);
    const auto joint = static_cast<std::size_t>(std::max(0, joint_->currentIndex()));
    WrapScanRequest request;
    request.tendon = std::max(0, tendon_->currentIndex());
    request.velocity = all[std::min(joint, all.size() - 1)].velocity;
    bool from_ok = false, to_ok = false, count_ok = false;
    request.from = from_->text().toDouble(&from_ok);
    request.to = to_->text().toDouble(&to_ok);
    request.samples = count_->text().toInt(&count_ok);
    if (!from_ok || !to_ok || !(request.from < request.to) || !std::isfinite(request.to - request.from)) {
        summary_->setText(tr("The range wants two numbers, the smaller one first."));
        return;
    }
    if (!count_ok || request.samples < 2 || request.samples > kMostSamples) {
        summary_->setText(tr("How many samples: a whole number from 2 to %1.").arg(kMostSamples));
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
    const auto own = static_cast<std::size_t>(all[std::min(joint, all.size() - 1)].q);
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
        asked_ = asked;
        pose_ = std::move(pose);
        scan_ = wrapScan(model, layout, built->kernel, request);
    }
    draw();
}

void WrapScanView::clearMarks() {
    for (QCPItemStraightLine* mark : marks_) mark->parentPlot()->removeItem(mark);
    marks_.clear();
}

void WrapScanView::draw() {
    QVector<QCPGraphData> length, arm, difference;
    double low = INFINITY, high = -INFINITY, arm_low = 0, arm_high = 0;
    int changes = 0, jumps = 0;
    clearMarks();
    for (std::size_t i = 0; i < scan_.samples.size(); ++i) {
        const WrapScan::Sample& sample = scan_.samples[i];
        // A leap is a gap in the line: nothing lies between its two sides.
        if (sample.jump && i > 0) {
            const double middle = 0.5 * (sample.q + scan_.samples[i - 1].q);
            length.append(QCPGraphData(middle, NAN));
            arm.append(QCPGraphData(middle, NAN));
        }
        length.append(QCPGraphData(sample.q, sample.length));
        arm.append(QCPGraphData(sample.q, sample.moment_arm));
        difference.append(QCPGraphData(sample.q, sample.difference));
        low = std::min(low, sample.length), high = std::max(high, sample.length);
        arm_low = std::min(arm_low, sample.moment_arm), arm_high = std::max(arm_high, sample.moment_arm);
        jumps += sample.jump ? 1 : 0;
        changes += sample.change ? 1 : 0;
        if ((sample.jump || sample.change) && i > 0 && marks_.size() < 200)
            for (QCustomPlot* plot : {length_, arm_}) {
                auto* mark = new QCPItemStraightLine(plot);
                const double at = 0.5 * (sample.q + scan_.samples[i - 1].q);
                mark->point1->setCoords(at, 0);
                mark->point2->setCoords(at, 1);
                mark->setSelectable(false);
                mark->setPen(QPen(sample.jump ? tokens().caution : tokens().secondary, px(1) * 1.0,
                                  sample.jump ? Qt::SolidLine : Qt::DashLine));
                marks_.push_back(mark);
            }
    }
    length_line_->data()->set(length, true);
    arm_line_->data()->set(arm, true);
    difference_->data()->set(difference, true);
    const QString q_axis = QString::fromStdString(scan_.joint + ", " + scan_.unit_q);
    const QString unit = QString::fromStdString(scan_.unit_length);
    length_notes_[0]->setText(tr("length, %1").arg(unit));
    length_notes_[1]->setText(q_axis);
    arm_notes_[0]->setText(tr("moment arm, %1 per %2").arg(unit, QString::fromStdString(scan_.unit_q)));
    arm_notes_[1]->setText(q_axis);
    if (!scan_.samples.empty()) {
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
        says = tr("%1 to %2 %3\nguides taken up or let go: %4 · leaps: %5\ngradient against difference: %6 at most")
                   .arg(shortNumber(low), shortNumber(high), unit)
                   .arg(changes)
                   .arg(jumps)
                   .arg(QString::number(scan_.worst, 'e', 1));
    if (scan_.problem.empty() && !scan_.closed) says += "\n" + tr("Loops could not be closed everywhere.");
    summary_->setText(says);
    csv_->setEnabled(!scan_.samples.empty());
    svg_->setEnabled(!scan_.samples.empty());
    length_->replot(QCustomPlot::rpQueuedReplot);
    arm_->replot(QCustomPlot::rpQueuedReplot);
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
    at_->setText(tr("at %1: length %2, arm %3%4")
                     .arg(shortNumber(near->q), shortNumber(near->length), shortNumber(near->moment_arm),
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
    const QString name = QString::fromStdString(scan_.tendon + "_" + scan_.joint + "." + suffix);
    const QString filter = QString(suffix) == "svg" ? tr("Picture (*.svg)") : tr("Numbers (*.csv)");
    const QString path = askWhereToSave(this, tr("Save the wrap scan"), name, filter, suffix);
    if (path.isEmpty()) return;
    at_->setText(exportTo(path) ? tr("Saved %1").arg(path)
                                : tr("%1 cannot be written: look at the folder's permissions.").arg(path));
}

void WrapScanView::followStyle() {
    dressPlot(*length_, length_notes_);
    dressPlot(*arm_, arm_notes_);
    const QColor line = Style::get().quantity(scene::Quantity::elastic);
    length_line_->setPen(QPen(line, px(1.75)));
    arm_line_->setPen(QPen(line, px(1.75)));
    difference_->setLineStyle(QCPGraph::lsNone);
    difference_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, tokens().secondary, px(3)));
    difference_->setScatterSkip(3);
    for (QCPItemStraightLine* now : {now_length_, now_arm_}) now->setPen(QPen(tokens().accent, px(1.5)));
    if (isVisible()) later_.start(0);
}

}  // namespace mw::app
