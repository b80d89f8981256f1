// Curves come from the laws themselves (engine/contact/pair_laws.h), so what is drawn is what acts.
#include "app/studio/pair_view.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <qcustomplot.h>

#include "app/studio/dock.h"
#include "app/studio/pair_drawing.h"
#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

enum Curve { whole, other, point };
constexpr int kSamples = 160;

QString force(double newton) {
    return std::abs(newton) >= 1e4 ? QString::number(newton / 1e3, 'f', 2) + " kN"
                                   : QString::number(newton, 'f', 0) + " N";
}

void setPoint(QCustomPlot& plot, double x, double y, bool there) {
    plot.graph(point)->data()->clear();
    if (there) plot.graph(point)->addData(x, y);
}

}  // namespace

PairView::PairView(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench), page_(this) {
    setObjectName("pair");
    auto* row = new QHBoxLayout(page_.content());
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);

    side_ = new QWidget(page_.content());
    auto* column = new QVBoxLayout(side_);
    column->setContentsMargins(8, 4, 4, 4);
    column->setSpacing(2);
    const auto box = [this](const char* name, const QString& said) {
        auto* b = new QComboBox(side_);
        b->setObjectName(QString("pair.") + name);
        b->setAccessibleName(said);
        b->setToolTip(said);
        b->setMinimumContentsLength(4);
        b->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        connect(b, &QComboBox::activated, this, &PairView::chosen);
        return b;
    };
    track_ = box("track", tr("Band"));
    shoe_ = box("shoe", tr("Shoe of the band"));
    other_ = box("other", tr("Roller, or a corner of the pad on the ground"));
    auto* boxes = new QHBoxLayout;
    boxes->setSpacing(4);
    boxes->addWidget(track_, 2);
    boxes->addWidget(shoe_, 2);
    boxes->addWidget(other_, 3);
    column->addLayout(boxes);
    auto* grid = new QGridLayout;
    grid->setContentsMargins(4, 2, 4, 0);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(1, 1);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        names_[i] = roleLabel({}, "secondary", side_);
        values_[i] = new QLabel(side_);
        values_[i]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (i >= 3) names_[i]->setIndent(px(10));
        // Two columns of three.
        const int at = static_cast<int>(i % 3), side = 2 * static_cast<int>(i / 3);
        grid->addWidget(names_[i], at, side);
        grid->addWidget(values_[i], at, side + 1);
    }
    grid->setColumnStretch(3, 1);
    grid->setHorizontalSpacing(8);
    grid->setColumnMinimumWidth(2, px(58));
    column->addLayout(grid);
    auto* foot = new QHBoxLayout;
    head_ = roleLabel({}, "secondary", side_);
    head_->setMinimumWidth(10);
    most_ = new QPushButton(tr("Most loaded"), side_);
    most_->setObjectName("pair.most");
    most_->setProperty("quiet", true);
    most_->setToolTip(tr("The shoe that presses hardest on this roller now; of a roller without load, of all"));
    connect(most_, &QPushButton::clicked, this, &PairView::mostLoaded);
    foot->addWidget(head_, 1);
    foot->addWidget(most_);
    column->addLayout(foot);
    column->addStretch(1);
    row->addWidget(side_);

    drawing_ = new PairDrawing(page_.content());
    row->addWidget(drawing_, 3);
    law_ = smallPlot("pair.law", tr("Force against depth"), page_.content());
    second_ = smallPlot("pair.second", tr("Law along the surface"), page_.content());
    for (QCustomPlot* plot : {law_, second_}) {
        for (int i = 0; i < 3; ++i) plot->addGraph();
        plot->graph(point)->setLineStyle(QCPGraph::lsNone);
        row->addWidget(plot, 4);
    }
    law_->setToolTip(tr("Solid: at rest. Dashed: at the present speed, with damping. The disc is this instant."));
    law_notes_ = {axisNote(*law_, tr("normal force, N"), 0), axisNote(*law_, tr("depth, mm"), 1)};
    second_notes_ = {axisNote(*second_, {}, 0), axisNote(*second_, {}, 1)};

    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &PairView::refresh);
    connect(&bench_, &Workbench::snapshotChanged, this, &PairView::wake);
    connect(&bench_, &Workbench::builtChanged, this, &PairView::wake);
    connect(&bench_, &Workbench::selectionChanged, this, &PairView::followSelection);
    connect(&Style::get(), &Style::changed, this, &PairView::followStyle);
    followStyle();
}

void PairView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followStyle();
    followSelection();
    refresh();
}

void PairView::wake() {
    const auto s = bench_.snapshot();
    if (!isVisible() || !s || s->serial == drawn_ || later_.isActive()) return;
    const qint64 since = drawn_at_.isValid() ? drawn_at_.elapsed() : 1000;
    const int pace = paceOf({law_, second_}, 50);  // a pin on its way is looked at: twenty a second
    if (since >= pace) refresh();
    else later_.start(static_cast<int>(pace - since));
}

QString PairView::whyEmpty() const {
    const auto s = bench_.snapshot();
    if (!s || !s->model) return tr("Not computed: there is no mechanism yet. It comes when the text has no errors.");
    if (s->model->tracks.empty())
        return tr("Unavailable: there are no contact laws in this mechanism. A track brings its pairs.");
    if (s->readings.X.size() < 12 * s->model->bodies.size()) return tr("Not computed: the poses of this instant.");
    for (const double x : s->readings.X)
        if (!std::isfinite(x)) return tr("Invalid: the poses of this instant are not numbers.");
    return {};
}

void PairView::refresh() {
    if (!isVisible()) return;
    later_.stop();
    drawn_at_.start();
    const auto s = bench_.snapshot();
    drawn_ = s ? s->serial : 0;
    const QString why = whyEmpty();
    page_.because(why);
    if (!why.isEmpty()) return;
    if (model_ != s->model || slope_ != s->contact.slope || !contact_) {
        // Another mechanism, maybe with less of everything.
        model_ = s->model;
        slope_ = s->contact.slope;
        contact_ = std::make_unique<ContactModel>(*model_, slope_);
        const auto& tracks = model_->tracks;
        const bool fits = pair_.track < static_cast<int>(tracks.size()) &&
                          pair_.shoe < tracks[static_cast<std::size_t>(pair_.track)].shoes &&
                          pair_.roller < static_cast<int>(tracks[static_cast<std::size_t>(pair_.track)].rollers.size());
        if (!fits) pair_ = {}, found_ = false;
        depth_end_ = force_end_ = second_end_ = slip_end_ = 0;
        followSelection();
    }
    contact_->setParameters(s->inputs.param);
    if (!found_ && !s->readings.contacts.empty()) {
        const auto most = std::max_element(s->readings.contacts.begin(), s->readings.contacts.end(),
                                           [](const auto& a, const auto& b) {
                                               const auto size = [](const ContactReading& c) {
                                                   return c.kind == ContactReading::Kind::ground ? -1 : c.normal_force;
                                               };
                                               return size(a) < size(b);
                                           });
        if (const auto pair = pairOf(*model_, most->id)) pair_ = *pair, found_ = true;
    }
    showBoxes();
    const PairState pair = pairState(*s, *contact_, pair_);
    drawing_->show(pair);
    drawLaw(pair);
    drawSecond(pair);
    showValues(pair);
}

void PairView::fillBoxes() {
    const auto& tracks = model_->tracks;
    if (boxes_of_ != model_) {
        track_->clear();
        for (const Track& track : tracks) track_->addItem(QString::fromStdString(track.name));
        boxes_track_ = -1;
        boxes_of_ = model_;
    }
    if (boxes_track_ == pair_.track) return;
    boxes_track_ = pair_.track;
    const Track& track = tracks[static_cast<std::size_t>(pair_.track)];
    shoe_->clear();
    for (int i = 0; i < track.shoes; ++i) shoe_->addItem(tr("shoe %1").arg(i));
    other_->clear();
    for (std::size_t r = 0; r < track.rollers.size(); ++r)
        other_->addItem(QString::fromStdString(model_->bodies[static_cast<std::size_t>(track.rollers[r].body)].name),
                        static_cast<int>(r));
    if (model_->ground)
        for (int c = 0; c < 4; ++c) other_->addItem(tr("ground %1").arg(c), -1 - c);
}

void PairView::showBoxes() {
    const QSignalBlocker a(track_), b(shoe_), c(other_);
    fillBoxes();
    const int other = pair_.roller >= 0 ? pair_.roller : -1 - pair_.corner;
    if (track_->currentIndex() != pair_.track) track_->setCurrentIndex(pair_.track);
    if (shoe_->currentIndex() != pair_.shoe) shoe_->setCurrentIndex(pair_.shoe);
    if (other_->currentData().toInt() != other || other_->currentIndex() < 0)
        other_->setCurrentIndex(other_->findData(other));
}

// A box was changed by hand: the pair is selected everywhere.
void PairView::chosen() {
    if (!model_) return;
    PairId pair = pair_;
    pair.track = std::max(0, track_->currentIndex());
    if (pair.track != pair_.track) {
        // The other band's pair at the same place.
        const Track& track = model_->tracks[static_cast<std::size_t>(pair.track)];
        pair.shoe = std::min(pair.shoe, track.shoes - 1);
        pair.roller = std::min(pair.roller, static_cast<int>(track.rollers.size()) - 1);
    } else {
        pair.shoe = std::max(0, shoe_->currentIndex());
        const int other = other_->currentData().toInt();
        pair.roller = other >= 0 ? other : -1;
        if (other < 0) pair.corner = -1 - other;
    }
    pair_ = pair;
    found_ = true;
    depth_end_ = force_end_ = second_end_ = slip_end_ = 0;
    bench_.select({"contact", contactName(*model_, pair_)});
    refresh();
}

void PairView::mostLoaded() {
    const auto s = bench_.snapshot();
    if (!s || !s->model) return;
    const ContactReading* best = nullptr;
    for (const bool anywhere : {false, true}) {
        if (best) break;
        for (const ContactReading& c : s->readings.contacts) {
            if (!anywhere && (c.track != pair_.track || c.roller != pair_.roller)) continue;
            if (!best || c.normal_force > best->normal_force) best = &c;
        }
    }
    if (best) bench_.select({"contact", best->id});
}

// A contact brings its pair, a shoe or a roller the part of the pair that it is.
void PairView::followSelection() {
    const Item item = bench_.selected();
    const auto s = bench_.snapshot();
    if (!s || !s->model || s->model->tracks.empty()) return;
    PairId pair = pair_;
    if (item.kind == "contact") {
        if (const auto named = pairOf(*s->model, item.name)) pair = *named;
    } else if (item.kind == "body" || item.kind == "track") {
        const int body = modelIndex(*s->model, item);
        for (std::size_t t = 0; t < s->model->tracks.size(); ++t) {
            const Track& track = s->model->tracks[t];
            const int in = static_cast<int>(t);
            if (item.kind == "track") {
                if (track.name == item.name) pair.track = in, pair.shoe = std::min(pair.shoe, track.shoes - 1);
                continue;
            }
            if (track.first_shoe >= 0 && body >= track.first_shoe && body < track.first_shoe + track.shoes)
                pair.track = in, pair.shoe = body - track.first_shoe;
            for (std::size_t r = 0; r < track.rollers.size(); ++r)
                if (track.rollers[r].body == body) {
                    pair.track = in, pair.roller = static_cast<int>(r);
                    pair.shoe = std::min(pair.shoe, track.shoes - 1);
                }
        }
        const auto rollers = s->model->tracks[static_cast<std::size_t>(pair.track)].rollers.size();
        pair.roller = std::min(pair.roller, static_cast<int>(rollers) - 1);
    }
    if (pair == pair_) return;
    pair_ = pair;
    found_ = true;
    depth_end_ = force_end_ = second_end_ = slip_end_ = 0;
    refresh();
}

void PairView::drawLaw(const PairState& p) {
    depth_end_ = steadyEnd(depth_end_, std::max(5e-3, 1.3 * p.depth));
    const double from = -0.25 * depth_end_;
    double most = 1;
    for (const int curve : {whole, other}) {
        QVector<QCPGraphData> data;
        for (int i = 0; i <= kSamples; ++i) {
            const double depth = from + (depth_end_ - from) * i / kSamples;
            const double f = forceAtDepth(p, depth, curve == other).normal;
            data.append(QCPGraphData(depth * 1e3, f));
            if (curve == whole) most = std::max(most, f);
        }
        law_->graph(curve)->data()->set(data, true);
    }
    force_end_ = steadyEnd(force_end_, std::max(most, p.normal) * 1.02);
    law_->xAxis->setRange(from * 1e3, depth_end_ * 1e3);
    law_->yAxis->setRange(-0.04 * force_end_, force_end_);
    setPoint(*law_, p.depth * 1e3, p.normal, p.depth > from);
    law_->replot(QCustomPlot::rpQueuedReplot);
}

// Of a driven roller the tooth's potential over the angle, of a wheel the weights of two shoes over x, else friction
// over the slip.
void PairView::drawSecond(const PairState& p) {
    QVector<QCPGraphData> one, two;
    const auto note = [this](const QString& left, const QString& right) {
        second_notes_[0]->setText(left);
        second_notes_[1]->setText(right);
    };
    if (p.kind == PairState::Kind::pin && p.pin.teeth > 0) {
        note(tr("tooth potential, J"), tr("angle from the pocket, °"));
        second_->setToolTip(
            tr("Solid: engaged whole. Dashed: as far as the pin is in. The disc is this instant; beyond "
               "a tip it falls into the next pocket."));
        const double pitch = 2 * M_PI / p.pin.teeth, end = 0.75 * pitch;
        const double g = engagementOf(p.depth, p.pin.gate).g;
        for (int i = -kSamples; i <= kSamples; ++i) {
            const double angle = end * i / kSamples;
            one.append(QCPGraphData(angle * 180 / M_PI, toothPotential(p, angle, 1)));
            two.append(QCPGraphData(angle * 180 / M_PI, toothPotential(p, angle, g)));
        }
        second_->xAxis->setRange(-end * 180 / M_PI, end * 180 / M_PI);
        const double top = std::max(1e-9, 2 * p.pin.fskip * p.pin.radius / p.pin.teeth);
        second_->yAxis->setRange(-0.04 * top, 1.08 * top);
        setPoint(*second_, p.tooth_angle * 180 / M_PI, toothPotential(p, p.tooth_angle, g), g > 0);
    } else if (p.kind == PairState::Kind::face) {
        note(tr("weight of this shoe, dashed the next"), tr("x, mm"));
        second_->setToolTip(tr("How much of a wheel at x this shoe carries, and the next one: together always all."));
        const double from = -1.5 * p.face.fade, end = p.face.link + 1.5 * p.face.fade;
        for (int i = 0; i <= 2 * kSamples; ++i) {
            const double x = from + (end - from) * i / (2 * kSamples);
            one.append(QCPGraphData(x * 1e3, faceWeight(x, p.face.link, p.face.fade).w));
            two.append(QCPGraphData(x * 1e3, faceWeight(x - p.face.link, p.face.link, p.face.fade).w));
        }
        second_->xAxis->setRange(from * 1e3, end * 1e3);
        second_->yAxis->setRange(-0.05, 1.08);
        setPoint(*second_, p.at[0] * 1e3, faceWeight(p.at[0], p.face.link, p.face.fade).w,
                 p.at[0] > from && p.at[0] < end);
    } else {
        note(tr("friction, N"), tr("slip, m/s"));
        second_->setToolTip(tr("Regularised friction against the slip under the present normal force."));
        const double veps = p.kind == PairState::Kind::pin ? p.pin.veps : p.ground.veps;
        slip_end_ = steadyEnd(slip_end_, std::max(4 * veps, 1.3 * p.slip));
        for (int i = 0; i <= kSamples; ++i) {
            const double slip = slip_end_ * i / kSamples;
            one.append(QCPGraphData(slip, frictionAtSlip(p, slip)));
        }
        second_end_ = steadyEnd(second_end_, std::max({1.0, frictionAtSlip(p, slip_end_), p.tangential}) * 1.02);
        second_->xAxis->setRange(0, slip_end_);
        second_->yAxis->setRange(-0.04 * second_end_, second_end_);
        setPoint(*second_, p.slip, p.tangential, p.normal > 0);
    }
    second_->graph(whole)->data()->set(one, true);
    second_->graph(other)->data()->set(two, true);
    const QColor color = p.kind == PairState::Kind::face ? Style::get().quantity(scene::Quantity::normal)
                                                         : Style::get().quantity(scene::Quantity::friction);
    second_->graph(whole)->setPen(QPen(color, px(1.75)));
    second_->graph(other)->setPen(QPen(color, px(1.5), Qt::DashLine));
    second_->replot(QCustomPlot::rpQueuedReplot);
}

void PairView::showValues(const PairState& p) {
    const char* kinds[] = {"pin on an end roller", "face under a wheel", "pad on the ground"};
    const auto s = bench_.snapshot();
    head_->setText(tr("%1 · t = %2 s").arg(tr(kinds[static_cast<int>(p.kind)])).arg(s->state.t, 0, 'f', 3));
    const QString texts[][2] = {
        {tr("depth"), std::abs(p.depth) < 1 ? QString::number(p.depth * 1e3, 'f', 2) + " mm"
                                            : QString::number(p.depth, 'f', 2) + " m"},
        {tr("normal"), force(p.normal)},
        {p.kind == PairState::Kind::pin && p.pin.teeth > 0 ? tr("teeth") : tr("friction"), force(p.tangential)},
        {tr("state"), p.loaded ? QString(contactStateName(p.state)) : tr("apart")},
        {tr("slip"), p.loaded ? QString::number(p.slip, 'g', 2) + " m/s" : QString("–")},
        {tr("stores"), QString::number(p.potential, 'g', 3) + " J"}};
    for (std::size_t i = 0; i < values_.size(); ++i) {
        if (names_[i]->text() != texts[i][0]) names_[i]->setText(texts[i][0]);
        values_[i]->setText(texts[i][1]);
    }
}

void PairView::followStyle() {
    dressPlot(*law_, law_notes_);
    dressPlot(*second_, second_notes_);
    const QColor normal = Style::get().quantity(scene::Quantity::normal);
    law_->graph(whole)->setPen(QPen(normal, px(1.75)));
    law_->graph(other)->setPen(QPen(normal, px(1.5), Qt::DashLine));
    for (QCustomPlot* plot : {law_, second_}) {
        plot->graph(point)->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(tokens().halo, px(1.5)), QBrush(tokens().accent), px(10)));
        plot->graph(point)->setPen(QPen(tokens().accent));
    }
    for (QLabel* value : values_) value->setFont(Style::get().monoFont());
    head_->setFont(Style::get().interfaceFont(11));
    side_->setFixedWidth(px(326));
    if (isVisible()) later_.start(0);
}

}  // namespace mw::app
