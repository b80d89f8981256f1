// A QCustomPlot of the runner's decimated energy history; the legend at the right doubles as the table of values.
#include "app/studio/energy_plot.h"

#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <qcustomplot.h>

#include "app/studio/ask_file.h"
#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

struct LineSpec {
    const char* name;
    scene::Quantity quantity;
    Qt::PenStyle dash;
    double EnergySample::*value;
};

constexpr std::array<LineSpec, 16> kLines{
    {{"kinetic", scene::Quantity::kinetic, Qt::SolidLine, &EnergySample::kinetic},
     {"gravity", scene::Quantity::potential, Qt::SolidLine, &EnergySample::gravity},
     {"elastic", scene::Quantity::elastic, Qt::SolidLine, &EnergySample::elements},
     {"dissipated", scene::Quantity::dissipated, Qt::DashLine, &EnergySample::dissipated},
     {"drive work", scene::Quantity::drive_work, Qt::DashDotLine, &EnergySample::drives},
     {"residual", scene::Quantity::residual, Qt::DotLine, &EnergySample::residual},
     {"push work", scene::Quantity::hand, Qt::DotLine, &EnergySample::hand},
     {"loop error", scene::Quantity::joint, Qt::DashLine, &EnergySample::loops},
     {"contacts", scene::Quantity::elastic, Qt::DotLine, &EnergySample::contacts},
     {"by contacts", scene::Quantity::dissipated, Qt::DotLine, &EnergySample::contact_dissipated},
     {"by brakes", scene::Quantity::dissipated, Qt::DashDotLine, &EnergySample::brake_dissipated},
     {"tendons", scene::Quantity::tendon, Qt::SolidLine, &EnergySample::tendons},
     {"by tendons", scene::Quantity::tendon, Qt::DashLine, &EnergySample::tendon_dissipated},
     {"by rows", scene::Quantity::dissipated, Qt::DashDotDotLine, &EnergySample::row_dissipated},
     {"injected", scene::Quantity::drive, Qt::DashDotDotLine, &EnergySample::injected},
     {"numerical", scene::Quantity::inertia, Qt::DashLine, &EnergySample::numerical}}};

// Every line is told apart by its colour or its dash; of two grey ones nobody can say which is which.
constexpr bool toldApart() {
    for (std::size_t i = 0; i < kLines.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (kLines[i].quantity == kLines[k].quantity && kLines[i].dash == kLines[k].dash) return false;
    return true;
}
static_assert(toldApart());
constexpr std::size_t kElastic = 2, kDissipated = 3, kDrives = 4, kResidual = 5, kPush = 6, kLoops = 7, kContacts = 8,
                      kByContacts = 9, kByBrakes = 10, kTendons = 11, kByTendons = 12, kByRows = 13, kInjected = 14,
                      kNumerical = 15;
// px at scale 1: a key, a column of the table, and its margins with a scroll bar
constexpr int kKeyWidth = 24, kColumn = 216, kBeside = 34;
/// Parts stand below their whole.
constexpr std::array<std::size_t, kLines.size()> kOrder{0, 1, 2, 11, 8, 3, 9, 10, 12, 13, 4, 6, 14, 15, 5, 7};

const char* tipOf(std::size_t line) {
    switch (line) {
        case kContacts: return "Potentials of contacts and of the brakes' springs. A click shows or hides the line.";
        case kByContacts:
            return "Part of dissipated: damping and friction of contacts. A click shows or hides the line.";
        case kByBrakes: return "Part of dissipated: the dampers of parking brakes. A click shows or hides the line.";
        case kTendons:
            return "Stored in tendons' springs and muscles, and moving in their armatures. A click shows or hides it.";
        case kByTendons:
            return "Part of dissipated: dampers, dry friction and guides of tendons. A click shows or hides the line.";
        case kByRows:
            return "Part of dissipated: friction and impacts of shapes, joint friction. A click shows or hides it.";
        case kInjected:
            return "Given to the mechanism by position correction and compliant rows. A click shows or hides it.";
        case kNumerical:
            return "Lost by the implicit step of stiff springs: the scheme's loss, no law's. A click shows or hides "
                   "it.";
        default: return "Show or hide this line";
    }
}

/// The line's pen in small: its dashes fit the key, where those of the plot would look like no dashes at all.
QPen keyPen(const QColor& color, Qt::PenStyle dash) {
    QPen pen(color, px(2.5), Qt::SolidLine, dash == Qt::SolidLine ? Qt::RoundCap : Qt::FlatCap);
    // In widths of the pen; one key is nearly nine of them long.
    if (dash == Qt::DashLine) pen.setDashPattern({2.4, 0.8});
    if (dash == Qt::DotLine) pen.setDashPattern({1, 1});
    if (dash == Qt::DashDotLine) pen.setDashPattern({2.6, 0.8, 0.8, 0.8});
    if (dash == Qt::DashDotDotLine) pen.setDashPattern({2.4, 0.8, 0.8, 0.8, 0.8, 0.8});
    return pen;
}

QPixmap keyPicture(const QColor& color, Qt::PenStyle dash, double ratio) {
    QPixmap pixels(static_cast<int>(px(kKeyWidth) * ratio), static_cast<int>(px(12) * ratio));
    pixels.setDevicePixelRatio(ratio);
    pixels.fill(Qt::transparent);
    QPainter p(&pixels);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(keyPen(color, dash));
    p.drawLine(QPointF(px(1), px(6)), QPointF(px(kKeyWidth - 1), px(6)));
    return pixels;
}

QString joules(double value) {
    if (value != 0 && std::abs(value) < 1e-3) return QString::number(value, 'e', 1) + " J";
    if (std::abs(value) >= 1e5) return QString::number(value, 'g', 5) + " J";
    return QString::number(value, 'f', 3) + " J";
}

QString valueText(std::size_t line, double value) {
    // The largest of lengths and angles alike: its unit is the axis' "m or rad".
    return line == kLoops ? QString::number(value, 'e', 1) : joules(value);
}

}  // namespace

EnergyPlot::EnergyPlot(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("energy");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    plot_ = new QCustomPlot(this);
    plot_->setObjectName("energy.plot");
    plot_->setAccessibleName(tr("Energy over time"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->axisRect()->setRangeDragAxes(plot_->xAxis, plot_->yAxis);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setPlottingHint(QCP::phFastPolylines);
    plot_->setToolTip(
        tr("Drag the time line to scrub; drag elsewhere to move, wheel to zoom, double click to see all."));
    for (const LineSpec& line : kLines) {
        auto* graph = plot_->addGraph();
        graph->setName(tr(line.name));
        graph->setAdaptiveSampling(true);
    }
    cursor_ = new QCPItemStraightLine(plot_);
    pointer_ = new QCPItemStraightLine(plot_);
    pointer_->setVisible(false);
    // The residual is many decades smaller than the rest: it has a scale of its own, at the right.
    plot_->yAxis2->setVisible(true);
    plot_->graph(kResidual)->setValueAxis(plot_->yAxis2);
    // And so have the loops, which are no energy at all.
    loops_axis_ = plot_->axisRect()->addAxis(QCPAxis::atRight);
    loops_axis_->setVisible(false);
    plot_->graph(kLoops)->setValueAxis(loops_axis_);
    const auto note = [this](const QString& text, double x, double y, Qt::Alignment side) {
        auto* item = new QCPItemText(plot_);
        item->position->setType(QCPItemPosition::ptAxisRectRatio);
        item->position->setCoords(x, y);
        item->setPositionAlignment(side);
        item->setText(text);
        item->setSelectable(false);
        item->setClipToAxisRect(false);
        notes_.push_back(item);
    };
    // Above the lines, where no curve runs.
    note(tr("energy, J"), 0, 0, Qt::AlignLeft | Qt::AlignBottom);
    note(tr("residual, J"), 1, 0, Qt::AlignRight | Qt::AlignBottom);
    note(tr("time, s"), 0.5, 0, Qt::AlignHCenter | Qt::AlignBottom);
    plot_->setMouseTracking(true);
    plot_->installEventFilter(this);
    plot_->xAxis->setRange(0, 2);
    plot_->yAxis->setRange(-1, 1);
    row->addWidget(plot_, 1);

    auto* side = new QWidget(this);
    side->setObjectName("energy.legend");
    auto* grid = new QGridLayout(side);
    grid->setContentsMargins(8, 6, 14, 6);
    grid->setVerticalSpacing(0);
    at_ = roleLabel({}, "secondary", side);
    at_->setAlignment(Qt::AlignRight);
    for (std::size_t i = 0; i < kLines.size(); ++i) {
        auto* key = new QToolButton(side);
        key->setObjectName(QString("energy.key.%1").arg(i));
        key->setText(tr(kLines[i].name));
        key->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        key->setToolTip(tr(tipOf(i)));
        key->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        connect(key, &QToolButton::clicked, this, [this, i] { toggle(static_cast<int>(i)); });
        auto* value = new QLabel(side);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        keys_.push_back(key);
        values_.push_back(value);
    }
    grid_ = grid;
    // In a low window the table scrolls rather than push the view away.
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    side->setProperty("role", "panel");
    scroll->setWidget(side);
    legend_ = scroll;
    row->addWidget(scroll);

    empty_ = roleLabel(tr("Press Space: the energies of the run appear here."), "secondary", plot_);
    empty_->setAttribute(Qt::WA_TransparentForMouseEvents);

    plot_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(plot_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        QMenu menu(this);
        menu.addAction(icon("frame"), tr("Show all"), this, &EnergyPlot::showAll);
        menu.addAction(icon("table"), tr("Export CSV…"), this, &EnergyPlot::saveCsv);
        menu.addAction(icon("picture"), tr("Save picture…"), this, &EnergyPlot::savePicture);
        menu.exec(plot_->mapToGlobal(at));
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &EnergyPlot::showAll);
    connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* e) {
        if (e->button() != Qt::LeftButton) return;
        const double x = plot_->xAxis->coordToPixel(cursor_->point1->coords().x());
        scrubbing_ = std::abs(x - e->position().x()) <= px(7);
        plot_->setInteraction(QCP::iRangeDrag, !scrubbing_);
    });
    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* e) {
        if (scrubbing_) scrubTo(static_cast<int>(e->position().x()));
        else if (e->buttons() & Qt::LeftButton) follows_ = false;
        else {
            const double x = plot_->xAxis->coordToPixel(cursor_->point1->coords().x());
            pointAt(e->position().x());
            plot_->setCursor(std::abs(x - e->position().x()) <= px(7) ? Qt::SplitHCursor : Qt::ArrowCursor);
        }
    });
    connect(plot_, &QCustomPlot::mouseRelease, this, [this] {
        scrubbing_ = false;
        plot_->setInteraction(QCP::iRangeDrag, true);
    });
    connect(plot_, &QCustomPlot::mouseWheel, this, [this] { follows_ = false; });
    connect(&bench_, &Workbench::snapshotChanged, this, [this] { refresh(false); });
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        pushed_ = driven_ = braked_ = false;
        showAll();
    });
    connect(&bench_, &Workbench::builtChanged, this, &EnergyPlot::arrange);
    connect(&Style::get(), &Style::changed, this, &EnergyPlot::followStyle);
    followStyle();
}

void EnergyPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followStyle();  // a label takes its font only once the style sheet has had its say
    refresh(true);
}

void EnergyPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

bool EnergyPlot::eventFilter(QObject* object, QEvent* event) {
    if (object == plot_ && event->type() == QEvent::Leave) pointAt(-1);
    return QWidget::eventFilter(object, event);
}

// What the mechanism cannot have has no line in the table; what does not fit under one another stands side by side.
void EnergyPlot::arrange() {
    bool wanted[kLines.size()];
    std::fill(std::begin(wanted), std::end(wanted), true);
    if (const auto built = bench_.built()) {
        const Model& m = *built->model;
        wanted[kElastic] = !m.tsdas.empty() || !m.rsdas.empty();
        wanted[kDissipated] =
            wanted[kElastic] || !m.drives.empty() || !m.tracks.empty() ||
            std::any_of(m.bodies.begin(), m.bodies.end(), [](const Body& b) { return !b.joint_damping.isZero(); });
        wanted[kDrives] = !m.drives.empty() || driven_;
        wanted[kContacts] = wanted[kByContacts] = !m.tracks.empty();
        const bool rows = hasRows(m), tendons = !m.tendons.empty();
        const bool frictional =
            std::any_of(m.bodies.begin(), m.bodies.end(), [](const Body& b) { return !b.joint_friction.isZero(); }) ||
            std::any_of(m.shapes.begin(), m.shapes.end(), [](const Shape& x) { return x.material >= 0; });
        wanted[kTendons] = wanted[kByTendons] = tendons;
        wanted[kByRows] = rows && frictional;
        wanted[kInjected] = wanted[kNumerical] = rows;
        wanted[kDissipated] = wanted[kDissipated] || tendons || wanted[kByRows];
        wanted[kDrives] = wanted[kDrives] || std::any_of(m.tendons.begin(), m.tendons.end(), [](const Tendon& t) {
                              return t.actuator || t.muscle || t.feed;
                          });
    }
    wanted[kPush] = pushed_;
    wanted[kByBrakes] = braked_;
    const auto now = bench_.built();
    wanted[kLoops] = now && !now->model->loops.empty();
    loops_axis_->setVisible(wanted[kLoops]);
    notes_[1]->setText(wanted[kLoops] ? tr("residual, J · loop error, m or rad") : tr("residual, J"));
    std::vector<std::size_t> lines;
    for (const std::size_t i : kOrder)
        if (wanted[i]) lines.push_back(i);
    const int fit = std::max(1, (height() - px(30)) / px(21));
    // The plot keeps half of the width: then the table scrolls.
    const int most = std::max(1, (width() / 2 - px(kBeside)) / px(kColumn));
    const int columns = std::min(most, (static_cast<int>(lines.size()) + fit - 1) / fit);
    const int rows = (static_cast<int>(lines.size()) + columns - 1) / columns;
    plot_->yAxis->ticker()->setTickCount(std::clamp((height() - px(44)) / px(16), 1, 4));
    if (lines == arranged_ && rows == rows_) return;
    arranged_ = lines;
    rows_ = rows;
    while (QLayoutItem* item = grid_->takeAt(0)) delete item;
    for (std::size_t i = 0; i < kLines.size(); ++i) {
        keys_[i]->setVisible(wanted[i]);
        plot_->graph(static_cast<int>(i))->setVisible(wanted[i] && !keys_[i]->font().strikeOut());
        values_[i]->setVisible(wanted[i]);
    }
    for (int r = 0; r < 16; ++r) grid_->setRowStretch(r, 0);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const int column = static_cast<int>(k) / rows, r = static_cast<int>(k) % rows;
        grid_->addWidget(keys_[lines[k]], r, 2 * column);
        grid_->addWidget(values_[lines[k]], r, 2 * column + 1);
    }
    grid_->addWidget(at_, rows, 0, 1, 2 * columns);
    grid_->setRowStretch(rows + 1, 1);
    legend_->setFixedWidth(px(kBeside + kColumn * columns));
}

// Values of the instant under the pointer; those of the present one when it leaves.
void EnergyPlot::pointAt(double x) {
    const QRect area = plot_->axisRect()->rect();
    const bool inside = x >= area.left() && x <= area.right() && plot_->graph(0)->dataCount() > 1;
    pointed_ = inside ? std::optional(plot_->xAxis->pixelToCoord(x)) : std::nullopt;
    pointer_->setVisible(inside);
    if (pointed_) {
        pointer_->point1->setCoords(*pointed_, 0);
        pointer_->point2->setCoords(*pointed_, 1);
    }
    showValues();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void EnergyPlot::showValues() {
    const auto s = bench_.snapshot();
    if (!s) return;
    if (pointed_) {
        double t = *pointed_;
        for (std::size_t i = 0; i < kLines.size(); ++i) {
            const auto data = plot_->graph(static_cast<int>(i))->data();
            auto it = data->findBegin(t);
            if (it == data->constEnd()) continue;
            const auto next = it + 1;
            if (next != data->constEnd() && std::abs(next->key - t) < std::abs(it->key - t)) it = next;
            values_[i]->setText(valueText(i, it->value));
            if (i == 0) at_->setText(tr("at %1 s, under the pointer").arg(it->key, 0, 'f', 3));
        }
        return;
    }
    const Readings& r = s->readings;
    double loops = 0;
    for (const LoopReading& loop : r.loops) loops = std::max(loops, loop.worst());
    const double now[] = {r.energy.kinetic,
                          r.energy.gravity,
                          r.energy.elements(),
                          r.ledger.dissipated,
                          r.ledger.drives,
                          r.residual,
                          r.ledger.hand,
                          loops,
                          r.contact_energy.total() + r.brake_energy,
                          r.ledger.contact_dissipated,
                          r.ledger.brake_dissipated,
                          r.tendon_energy,
                          r.ledger.tendon_dissipated,
                          r.ledger.row_dissipated,
                          r.ledger.injected,
                          r.ledger.numerical};
    for (std::size_t i = 0; i < kLines.size(); ++i) values_[i]->setText(valueText(i, now[i]));
    at_->setText(tr("at %1 s").arg(s->state.t, 0, 'f', 3));
}

void EnergyPlot::followStyle() {
    const Tokens& t = tokens();
    plot_->setBackground(QBrush(t.panel));
    plot_->axisRect()->setMinimumMargins(QMargins(px(8), px(22), px(14), px(6)));
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis, plot_->yAxis2, loops_axis_}) {
        axis->setBasePen(QPen(t.border));
        axis->setTickPen(QPen(t.border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(t.secondary);
        axis->setLabelColor(t.secondary);
        axis->setTickLabelFont(Style::get().interfaceFont(11));
        axis->setLabelFont(Style::get().interfaceFont(11));
        axis->setLabelPadding(px(2));
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(px(3));
        axis->grid()->setPen(QPen(t.border, 1));
        axis->grid()->setZeroLinePen(QPen(t.border, 1));
        axis->grid()->setSubGridVisible(false);
    }
    plot_->xAxis->grid()->setVisible(false);
    plot_->yAxis2->grid()->setVisible(false);
    loops_axis_->grid()->setVisible(false);
    loops_axis_->ticker()->setTickCount(3);
    loops_axis_->setTickLabelColor(Style::get().quantity(scene::Quantity::joint));
    plot_->yAxis2->ticker()->setTickCount(3);
    for (QCPItemText* note : notes_) {
        note->setColor(t.secondary);
        note->setBrush(t.panel);
        note->setFont(Style::get().interfaceFont(11));
        note->setPadding(QMargins(px(4), px(1), px(4), px(1)));
    }
    pointer_->setPen(QPen(t.secondary, 1, Qt::DashLine));
    cursor_->setPen(QPen(t.accent, px(1.5)));
    for (std::size_t i = 0; i < kLines.size(); ++i) {
        const QColor color = Style::get().quantity(kLines[i].quantity);
        plot_->graph(static_cast<int>(i))->setPen(QPen(color, px(1.75), kLines[i].dash));
        keys_[i]->setIcon(keyPicture(color, kLines[i].dash, devicePixelRatioF()));
        keys_[i]->setIconSize({px(kKeyWidth), px(12)});
        keys_[i]->setFixedHeight(px(21));
        keys_[i]->setStyleSheet(QString("QToolButton { padding: 0 %1px; }").arg(px(3)));
        values_[i]->setFont(Style::get().monoFont());
        values_[i]->setMinimumWidth(px(92));
    }
    at_->setFont(Style::get().interfaceFont(11));
    rows_ = 0;
    arrange();
    plot_->setMinimumSize(px(120), px(70));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void EnergyPlot::toggle(int line) {
    auto* graph = plot_->graph(line);
    graph->setVisible(!graph->visible());
    QFont font = keys_[static_cast<std::size_t>(line)]->font();
    font.setStrikeOut(!graph->visible());
    keys_[static_cast<std::size_t>(line)]->setFont(font);
    drawn_serial_ = 0;
    refresh(true);
}

void EnergyPlot::refresh(bool everything) {
    const auto s = bench_.snapshot();
    if (!s || !isVisible()) return;
    if (!everything && s->serial == drawn_serial_) return;
    // Ten times a second is enough for an eye that follows numbers, and leaves the cores to the view and the run.
    if (!everything && s->run == RunState::running && drawn_at_.isValid() && drawn_at_.elapsed() < paceOf({plot_}, 100))
        return;
    drawn_at_.start();
    drawn_serial_ = s->serial;
    // The history is asked for again only when it grew or another stretch is shown; scrubbing only moves the cursor.
    if (follows_) {
        // A few calm steps of the axis, so that a short run does not fill a corner of it.
        double span = 60;
        for (const double step : {40.0, 20.0, 10.0, 5.0, 2.0})
            if (s->history_end <= step) span = step;
        const double end = std::max(span, s->history_end * 1.0);
        plot_->xAxis->setRange(end - span, end);
    }
    const QCPRange shown = plot_->xAxis->range();
    if (everything || s->history_end != drawn_end_ || shown.lower != drawn_begin_ || s->run == RunState::running) {
        drawn_end_ = s->history_end;
        drawn_begin_ = shown.lower;
        const auto samples =
            bench_.runner().energies(shown.lower, shown.upper, static_cast<std::size_t>(std::max(400, plot_->width())));
        double low = 0, high = 0, residual = 0, least = 0, loops = 0;
        for (std::size_t i = 0; i < kLines.size(); ++i) {
            QVector<QCPGraphData> data;
            data.reserve(static_cast<qsizetype>(samples.size()));
            for (const EnergySample& sample : samples) {
                const double y = sample.*kLines[i].value;
                data.append(QCPGraphData(sample.t, y));
                if (i == kLoops && std::isfinite(y)) {
                    loops = std::max(loops, y);
                } else if (i == kResidual && std::isfinite(y)) {
                    residual = std::max(residual, std::abs(y));
                    least = std::min(least, y);
                } else if (plot_->graph(static_cast<int>(i))->visible() && std::isfinite(y)) {
                    low = std::min(low, y);
                    high = std::max(high, y);
                }
            }
            plot_->graph(static_cast<int>(i))->data()->set(data, true);
        }
        if (follows_) {
            const double room = std::max(1e-9, high - low) * 0.08;
            plot_->yAxis->setRange(low - room, high + room);
            // Zero at the same height on both sides where that shows all of it; a residual of round-off alone stays a
            // flat line.
            const double up = high + room, down = low - room;
            const double kl = std::max(loops, 1e-15) * 1.2 / std::max(up, 1e-300);
            loops_axis_->setRange(down * kl, up * kl);
            const double k = std::max(residual, 1e-9) * 1.4 / std::max(up, 1e-300);
            if (least >= down * k) plot_->yAxis2->setRange(down * k, up * k);
            else plot_->yAxis2->setRange(-1.3 * residual, 1.3 * residual);  // below zero too: its own middle
        }
        empty_->setVisible(samples.size() < 2);
        if (samples.size() < 2) {
            empty_->adjustSize();
            const QRect area = plot_->axisRect()->rect();
            empty_->move(area.center().x() - empty_->width() / 2, area.center().y() - empty_->height() / 2);
        }
    }
    const double t = s->state.t;
    cursor_->point1->setCoords(t, 0);
    cursor_->point2->setCoords(t, 1);
    // Lines of what a hand does come once it has done it.
    const Ledger& ledger = s->readings.ledger;
    const bool seen[] = {pushed_, driven_, braked_};
    pushed_ = pushed_ || ledger.hand != 0;
    driven_ = driven_ || ledger.drives != 0;
    braked_ = braked_ || ledger.brake_dissipated != 0;
    if (pushed_ != seen[0] || driven_ != seen[1] || braked_ != seen[2]) arrange();
    showValues();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void EnergyPlot::scrubTo(int x) {
    const auto s = bench_.snapshot();
    if (!s) return;
    bench_.runner().scrub(std::clamp(plot_->xAxis->pixelToCoord(x), s->history_begin, s->history_end));
}

void EnergyPlot::showAll() {
    follows_ = true;
    refresh(true);
}

void EnergyPlot::saveCsv() {
    const auto s = bench_.snapshot();
    if (!s) return;
    const QString path = askWhereToSave(this, tr("Export energies"), "energy.csv", tr("CSV (*.csv)"), "csv");
    if (path.isEmpty()) return;
    QByteArray out = "# energies of " + QByteArray::fromStdString(bench_.document().displayName()) +
                     "; gravity is zero at the base origin\nt [s]";
    for (const LineSpec& line : kLines)
        out += "," + QByteArray(line.name) + (line.quantity == scene::Quantity::joint ? " [m, rad]" : " [J]");
    out += "\n";
    for (const EnergySample& sample : bench_.runner().energies(s->history_begin, s->history_end, 1u << 20)) {
        out += QByteArray::number(sample.t, 'g', 17);
        for (const LineSpec& line : kLines) out += "," + QByteArray::number(sample.*line.value, 'g', 17);
        out += "\n";
    }
    try {
        saveAtomically(path.toStdString(), std::string_view(out.constData(), static_cast<std::size_t>(out.size())));
    } catch (const std::exception& fault) {
        QMessageBox::warning(this, tr("Not saved"), QString::fromUtf8(fault.what()));
    }
}

void EnergyPlot::savePicture() {
    const QString path = askWhereToSave(this, tr("Save plot"), "energy.png", tr("PNG (*.png);;PDF (*.pdf)"), "png");
    if (path.isEmpty()) return;
    const bool ok =
        path.endsWith(".pdf") ? plot_->savePdf(path) : plot_->savePng(path, plot_->width(), plot_->height(), 2);
    if (!ok) QMessageBox::warning(this, tr("Not saved"), tr("Cannot write '%1'.").arg(path));
}

}  // namespace mw::app
