// Two plots and a table of values; all of it from the snapshot and the runner's history, drawn at most ten times a
// second and only while somebody sees it.
#include "app/studio/tension_plot.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <qcustomplot.h>

#include "app/studio/contact_rows.h"
#include "app/studio/dock.h"
#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

enum OverTime { greatest, least, share, deepest, over_time };
/// Rows of the table below the bands; extremes share one.
enum TimeRow { extremes_row, share_row, depth_row, time_rows };

/// A band's curve: a part of the tension ramp that shows on the theme's ground, and a dash of its own.
QPen bandPen(std::size_t track) {
    const bool dark = Style::get().dark();
    const double places[] = {dark ? 0.95 : 0.05, dark ? 0.55 : 0.5};
    const Qt::PenStyle dashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const scene::Color c = scene::ramp(places[track % 2]);
    return {QColor::fromRgbF(c.r, c.g, c.b), px(1.75) * 1.0, dashes[track % 4]};
}

QPen timePen(OverTime line) {
    const auto color = [](scene::Quantity q) { return Style::get().quantity(q); };
    switch (line) {
        case greatest: return {bandPen(0).color(), px(1.75) * 1.0, Qt::SolidLine};
        case least: return {bandPen(0).color(), px(1.75) * 1.0, Qt::DotLine};
        case share: return {color(scene::Quantity::normal), px(1.75) * 1.0, Qt::DashLine};
        default: return {color(scene::Quantity::joint), px(1.75) * 1.0, Qt::DashDotLine};
    }
}

/// A line, or two halves of different ones.
QPixmap keyPicture(const QPen& pen, const QPen& other, double ratio) {
    QPixmap pixels(static_cast<int>(px(22) * ratio), static_cast<int>(px(12) * ratio));
    pixels.setDevicePixelRatio(ratio);
    pixels.fill(Qt::transparent);
    QPainter p(&pixels);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(pen);
    const bool two = other.style() != Qt::NoPen;
    p.drawLine(QPointF(0, px(two ? 3 : 6)), QPointF(px(22), px(two ? 3 : 6)));
    p.setPen(other);
    if (two) p.drawLine(QPointF(0, px(9)), QPointF(px(22), px(9)));
    return pixels;
}

QString kilo(double force) { return QString::number(force / 1e3, 'f', 2) + " kN"; }

}  // namespace

TensionPlot::TensionPlot(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench), page_(this) {
    setObjectName("bands");
    auto* row = new QHBoxLayout(page_.content());
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);

    around_ = smallPlot("bands.around", tr("Tension around the bands"), page_.content());
    around_notes_ = {axisNote(*around_, tr("tension, kN"), 0), axisNote(*around_, tr("from pin 0, m"), 1)};
    over_ = smallPlot("bands.time", tr("Tension, load and depth over time"), page_.content());
    over_->setToolTip(tr("Drag to scrub"));
    for (int i = 0; i < over_time; ++i) over_->addGraph()->setAdaptiveSampling(true);
    over_->yAxis2->setVisible(true);
    share_axis_ = over_->yAxis2;
    depth_axis_ = over_->axisRect()->addAxis(QCPAxis::atRight);
    over_->graph(share)->setValueAxis(share_axis_);
    over_->graph(deepest)->setValueAxis(depth_axis_);
    over_notes_ = {axisNote(*over_, tr("tension, kN"), 0), axisNote(*over_, tr("time, s"), 0.5),
                   axisNote(*over_, tr("ground / weight · depth, mm"), 1)};
    now_ = new QCPItemStraightLine(over_);
    row->addWidget(around_, 1);
    row->addWidget(over_, 1);

    auto* scroll = new QScrollArea(page_.content());
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* side = new QWidget;
    side->setProperty("role", "panel");
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 2, 12, 2);
    column->setSpacing(0);
    along_ = new QComboBox(side);
    along_->setObjectName("bands.along");
    along_->setAccessibleName(tr("Along the band"));
    along_->addItem(tr("by arc length"));
    along_->addItem(tr("by pin number"));
    along_->setProperty("flat", true);
    along_->setToolTip(
        tr("Tension along the link that leaves each pin, positive pulling. Pin 0 is the band's anchor; the walk goes "
           "forward at the bottom and back at the top."));
    auto* top_row = new QHBoxLayout;
    top_row->setContentsMargins(0, 0, 0, 0);
    at_ = roleLabel({}, "secondary", side);
    at_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    top_row->addWidget(along_);
    top_row->addWidget(at_, 1);
    column->addLayout(top_row);
    auto* table = new QWidget(side);
    grid_ = new QGridLayout(table);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setVerticalSpacing(0);
    grid_->setColumnStretch(1, 1);
    column->addWidget(table);
    column->addStretch(1);
    scroll->setWidget(side);
    legend_ = scroll;
    row->addWidget(scroll);

    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &TensionPlot::refresh);
    connect(along_, &QComboBox::currentIndexChanged, this, &TensionPlot::refresh);
    around_->setMouseTracking(true);
    connect(around_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* e) { pointAt(e->position().x()); });
    connect(around_, &QCustomPlot::mousePress, this, [this](QMouseEvent*) {
        const auto s = bench_.snapshot();
        // A click on a curve's pin selects its shoe: of the band that pulls most there.
        if (!s || !s->model || pointed_ < 0) return;
        std::size_t best = s->model->tracks.size();
        double most = 0;
        for (std::size_t t = 0; t < s->readings.tensions.size() && t < s->model->tracks.size(); ++t) {
            const auto& pins = s->readings.tensions[t].pins;
            if (static_cast<std::size_t>(pointed_) >= pins.size()) continue;
            const double pull = pins[static_cast<std::size_t>(pointed_)];
            if (best == s->model->tracks.size() || pull > most) best = t, most = pull;
        }
        if (best == s->model->tracks.size() || s->model->tracks[best].first_shoe < 0) return;
        const auto body = static_cast<std::size_t>(s->model->tracks[best].first_shoe + pointed_);
        bench_.select({"body", s->model->bodies[body].name});
    });
    connect(over_, &QCustomPlot::mousePress, this,
            [this](QMouseEvent* e) { scrubTo(static_cast<int>(e->position().x())); });
    connect(over_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* e) {
        if (e->buttons() & Qt::LeftButton) scrubTo(static_cast<int>(e->position().x()));
    });
    connect(&bench_, &Workbench::snapshotChanged, this, &TensionPlot::wake);
    connect(&bench_, &Workbench::builtChanged, this, &TensionPlot::wake);
    connect(&bench_, &Workbench::documentReplaced, this, [this] { top_ = time_top_ = depth_top_ = 0; });
    connect(&Style::get(), &Style::changed, this, &TensionPlot::followStyle);
    followStyle();
}

void TensionPlot::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followStyle();
    refresh();
}

void TensionPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (isVisible()) later_.start(0);
}

void TensionPlot::wake() {
    const auto s = bench_.snapshot();
    if (!isVisible() || !s || s->serial == drawn_ || later_.isActive()) return;
    const qint64 since = drawn_at_.isValid() ? drawn_at_.elapsed() : 1000;
    const int pace = paceOf({around_, over_}, 100);
    if (since >= pace) refresh();
    else later_.start(static_cast<int>(pace - since));
}

QString TensionPlot::whyEmpty() const {
    const auto s = bench_.snapshot();
    if (!s || !s->model) return tr("Not computed: there is no mechanism yet. It comes when the text has no errors.");
    if (s->model->tracks.empty()) return tr("Unavailable: this mechanism has no band. A track brings one.");
    bool any = false, numbers = true;
    for (const BandTension& band : s->readings.tensions) {
        any = any || !band.pins.empty();
        numbers = numbers && std::isfinite(band.least + band.greatest);
    }
    if (!any) return tr("Not computed: the tensions of this instant.");
    if (!numbers) return tr("Invalid: the tensions of this instant are not numbers. Step back to the last good one.");
    return {};
}

void TensionPlot::refresh() {
    if (!isVisible()) return;
    later_.stop();
    drawn_at_.start();
    const auto s = bench_.snapshot();
    drawn_ = s ? s->serial : 0;
    const QString why = whyEmpty();
    page_.because(why);
    if (!why.isEmpty()) return;
    arrange();
    drawAround();
    drawOverTime();
    showValues();
}

void TensionPlot::drawAround() {
    const auto s = bench_.snapshot();
    const auto& tracks = s->model->tracks;
    const bool by_pin = along_->currentIndex() == 1;
    around_notes_[1]->setText(by_pin ? tr("pin of the walk") : tr("from pin 0, m"));
    while (around_->graphCount() < static_cast<int>(tracks.size())) {
        auto* graph = around_->addGraph();
        graph->setLineStyle(QCPGraph::lsStepLeft);  // a link pulls alike from its pin to the next
    }
    while (around_->graphCount() > static_cast<int>(tracks.size())) around_->removeGraph(around_->graphCount() - 1);
    double end = 0, most = 1, low = 0;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
        QVector<QCPGraphData> data;
        const double step = by_pin ? 1 : tracks[t].link;
        const auto& pins = t < s->readings.tensions.size() ? s->readings.tensions[t].pins : std::vector<double>{};
        for (std::size_t i = 0; i < pins.size(); ++i) {
            data.append(QCPGraphData(static_cast<double>(i) * step, pins[i] / 1e3));
            most = std::max(most, pins[i] / 1e3);
            low = std::min(low, pins[i] / 1e3);
        }
        if (!pins.empty()) data.append(QCPGraphData(static_cast<double>(pins.size()) * step, pins.back() / 1e3));
        end = std::max(end, static_cast<double>(pins.size()) * step);
        auto* graph = around_->graph(static_cast<int>(t));
        graph->data()->set(data, true);
        graph->setPen(bandPen(t));
    }
    around_->xAxis->setRange(0, end > 0 ? end : 1);
    top_ = steadyEnd(top_, most * 1.05);
    around_->yAxis->setRange(low < 0 ? -std::max(calmEnd(-low), top_ / 10) : 0, top_);

    // Where the end rollers of the first band are at this instant.
    std::size_t used = 0;
    const Track& track = tracks.front();
    const auto& X = s->readings.X;
    for (const Track::Roller& roller : track.rollers) {
        if (!roller.end || track.first_shoe < 0 || roller.body < 0) continue;
        const double* a = &X[12 * static_cast<std::size_t>(roller.body) + 9];
        // The middle of its wrap, by the mean of angles of the pins on its rim: where pin 0 lies in it a plain mean of
        // their numbers would be on the other side.
        double c = 0, d = 0;
        for (int i = 0; i < track.shoes; ++i) {
            const double* p = &X[12 * static_cast<std::size_t>(track.first_shoe + i) + 9];
            const double off = std::hypot(p[0] - a[0], p[1] - a[1], p[2] - a[2]) - roller.radius;
            if (off > 0.2 * roller.radius) continue;
            const double angle = 2 * M_PI * i / track.shoes;
            c += std::cos(angle), d += std::sin(angle);
        }
        if (c == 0 && d == 0) continue;
        const double part = std::fmod(std::atan2(d, c) / (2 * M_PI) + 1, 1);
        if (used == wheel_names_.size()) {
            auto* item = new QCPItemText(around_);
            item->setSelectable(false);
            item->position->setTypeX(QCPItemPosition::ptPlotCoords);
            item->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
            wheel_names_.push_back(item);
        }
        QString name = QString::fromStdString(s->model->bodies[static_cast<std::size_t>(roller.body)].name);
        const QString prefix = QString::fromStdString(track.name) + "_";
        if (name.startsWith(prefix)) name.remove(0, prefix.size());
        QCPItemText* item = wheel_names_[used++];
        item->setVisible(true);
        item->setText(name);
        item->setFont(Style::get().interfaceFont(11));
        item->setColor(tokens().secondary);
        const Qt::Alignment side = part < 0.1 ? Qt::AlignLeft : part > 0.9 ? Qt::AlignRight : Qt::AlignHCenter;
        item->setPositionAlignment(side | Qt::AlignBottom);
        item->position->setCoords(part * end, 0.99);
    }
    for (; used < wheel_names_.size(); ++used) wheel_names_[used]->setVisible(false);
    around_->replot(QCustomPlot::rpQueuedReplot);
}

void TensionPlot::drawOverTime() {
    const auto s = bench_.snapshot();
    double span = std::max(60.0, s->history_end - s->history_begin);
    for (const double step : {60.0, 40.0, 20.0, 10.0, 5.0, 2.0})
        if (s->history_end - s->history_begin <= step) span = step;
    const double end = std::max(s->history_begin + span, s->history_end);
    over_->xAxis->setRange(end - span, end);
    const double weight = weightOf(*s->model, s->inputs.param);
    const auto samples =
        bench_.runner().energies(end - span, end, static_cast<std::size_t>(std::max(300, over_->width())));
    QVector<QCPGraphData> data[over_time];
    double most = 1, low = 0, load = 1.2, depth = 1;
    for (const EnergySample& sample : samples) {
        const double values[over_time] = {sample.tension / 1e3, sample.tension_least / 1e3,
                                          weight > 0 ? sample.ground / weight : 0, sample.depth * 1e3};
        for (int i = 0; i < over_time; ++i) data[i].append(QCPGraphData(sample.t, values[i]));
        most = std::max(most, values[greatest]);
        low = std::min(low, values[least]);
        load = std::max(load, values[share] * 1.05);
        depth = std::max(depth, values[deepest]);
    }
    for (int i = 0; i < over_time; ++i) over_->graph(i)->data()->set(data[i], true);
    time_top_ = steadyEnd(time_top_, most * 1.05);
    depth_top_ = steadyEnd(depth_top_, depth * 1.05);
    const double down = low < 0 ? std::max(-low * 1.1 / time_top_, 0.05) : 0;  // zero at one height on all three
    over_->yAxis->setRange(-down * time_top_, time_top_);
    share_axis_->setRange(-down * load, load);
    depth_axis_->setRange(-down * depth_top_, depth_top_);
    over_->graph(share)->setVisible(weight > 0 && s->model->ground.has_value());
    now_->point1->setCoords(s->state.t, 0);
    now_->point2->setCoords(s->state.t, 1);
    over_->replot(QCustomPlot::rpQueuedReplot);
}

// Rows of the table: one a band, then what is over time.
void TensionPlot::arrange() {
    const auto s = bench_.snapshot();
    std::vector<QString> names;
    for (const Track& track : s->model->tracks) names.push_back(QString::fromStdString(track.name));
    for (const QString& name : {tr("least, greatest"), tr("ground / weight"), tr("greatest depth")})
        names.push_back(name);
    if (names != arranged_) {
        arranged_ = names;
        for (const Row& row : rows_) delete row.key, delete row.name, delete row.value;
        rows_.clear();
        for (std::size_t i = 0; i < names.size(); ++i) {
            Row row{new QLabel(legend_), new QLabel(names[i], legend_), new QLabel(legend_)};
            row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid_->addWidget(row.key, static_cast<int>(i), 0);
            grid_->addWidget(row.name, static_cast<int>(i), 1);
            grid_->addWidget(row.value, static_cast<int>(i), 2);
            rows_.push_back(row);
        }
    }
    const std::size_t bands = names.size() - time_rows;
    const OverTime lines[time_rows] = {greatest, share, deepest};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const bool two = i == bands + extremes_row;
        rows_[i].key->setPixmap(keyPicture(i < bands ? bandPen(i) : timePen(lines[i - bands]),
                                           two ? timePen(least) : QPen(Qt::NoPen), devicePixelRatioF()));
        rows_[i].value->setFont(Style::get().monoFont());
    }
}

void TensionPlot::showValues() {
    const auto s = bench_.snapshot();
    if (!s || !s->model || rows_.size() != s->model->tracks.size() + time_rows) return;
    const Readings& r = s->readings;
    const std::size_t bands = s->model->tracks.size();
    double most = 0, low = 0;
    bool first = true;
    for (std::size_t t = 0; t < bands && t < r.tensions.size(); ++t) {
        const BandTension& band = r.tensions[t];
        const bool pin = pointed_ >= 0 && static_cast<std::size_t>(pointed_) < band.pins.size();
        rows_[t].value->setText(pin ? kilo(band.pins[static_cast<std::size_t>(pointed_)])
                                    : QString("%1 … %2").arg(kilo(band.least).chopped(3), kilo(band.greatest)));
        most = first ? band.greatest : std::max(most, band.greatest);
        low = first ? band.least : std::min(low, band.least);
        first = false;
    }
    const GroundLoad load = groundLoad(*s);
    rows_[bands + extremes_row].value->setText(QString("%1 … %2").arg(kilo(low).chopped(3), kilo(most)));
    rows_[bands + share_row].value->setText(!s->model->ground ? tr("no ground")
                                            : load.weight > 0 ? QString::number(load.force / load.weight, 'f', 3)
                                                              : tr("no weight"));
    rows_[bands + depth_row].value->setText(
        QString::number(std::max(r.contact_totals.deepest_pair, r.contact_totals.deepest_point) * 1e3, 'f', 2) + " mm");
    at_->setText(pointed_ >= 0 ? tr("at pin %1").arg(pointed_) : tr("t = %1 s").arg(s->state.t, 0, 'f', 3));
}

void TensionPlot::pointAt(double x) {
    const auto s = bench_.snapshot();
    const QRect area = around_->axisRect()->rect();
    int pin = -1;
    if (s && s->model && !s->model->tracks.empty() && x >= area.left() && x <= area.right()) {
        const double step = along_->currentIndex() == 1 ? 1 : s->model->tracks.front().link;
        if (step > 0) pin = static_cast<int>(std::floor(around_->xAxis->pixelToCoord(x) / step));
        pin = std::clamp(pin, 0, s->model->tracks.front().shoes - 1);
    }
    if (pin == pointed_) return;
    pointed_ = pin;
    showValues();
}

void TensionPlot::scrubTo(int x) {
    const auto s = bench_.snapshot();
    if (!s || s->history_end <= s->history_begin) return;
    bench_.runner().scrub(std::clamp(over_->xAxis->pixelToCoord(x), s->history_begin, s->history_end));
}

void TensionPlot::followStyle() {
    dressPlot(*around_, around_notes_);
    dressPlot(*over_, over_notes_);
    for (int i = 0; i < over_time; ++i) over_->graph(i)->setPen(timePen(static_cast<OverTime>(i)));
    share_axis_->setTickLabelColor(timePen(share).color());
    depth_axis_->setTickLabelColor(timePen(deepest).color());
    now_->setPen(QPen(tokens().accent, px(1.5)));
    at_->setFont(Style::get().interfaceFont(11));
    legend_->setFixedWidth(px(292));
    if (isVisible()) later_.start(0);
}

}  // namespace mw::app
