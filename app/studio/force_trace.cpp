// Collects from the snapshots as they come; an earlier instant computed anew takes the place of what came after it.
#include "app/studio/force_trace.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <qcustomplot.h>

#include "app/studio/plot_look.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {

constexpr std::size_t kMostSamples = 20000;

ForceTrace::ForceTrace(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("trace");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    plot_ = smallPlot("trace.plot", tr("Normal force over time"), this);
    plot_->addGraph();
    now_ = new QCPItemStraightLine(plot_);
    notes_ = {axisNote(*plot_, {}, 0)};
    column->addWidget(plot_, 1);
    close_ = new QToolButton(plot_);
    close_->setText("×");
    close_->setToolTip(tr("Close this plot"));
    close_->setObjectName("trace.close");
    connect(close_, &QToolButton::clicked, this, [this] {
        id_.clear();
        samples_.clear();
        hide();
    });
    connect(&bench_, &Workbench::snapshotChanged, this, &ForceTrace::collect);
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        id_.clear();
        hide();
    });
    connect(&Style::get(), &Style::changed, this, &ForceTrace::followStyle);
    followStyle();
}

void ForceTrace::watch(const std::string& id) {
    id_ = id;
    samples_.clear();
    top_ = 0;
    notes_[0]->setText(tr("%1: normal force, N, over s").arg(QString::fromStdString(id)));
    collect();
    draw();
}

void ForceTrace::collect() {
    const auto s = bench_.snapshot();
    if (id_.empty() || !s || !s->model) return;
    const double t = s->state.t;
    // A look at the past shows where in the line it is; what is computed anew replaces the rest of the line.
    const bool past = s->run == RunState::replaying;
    if (!past) {
        while (!samples_.empty() && samples_.back().t >= t) samples_.pop_back();
        double force = 0;
        for (const ContactReading& c : s->readings.contacts)
            if (c.id == id_) force = c.normal_force;
        if (s->readings.rows.valid)
            for (const ShapeContactReading& c : s->readings.rows.contacts)
                if (c.id == id_) force = c.normal_force;
        if (samples_.size() >= kMostSamples) samples_.erase(samples_.begin(), samples_.begin() + kMostSamples / 4);
        samples_.push_back({t, force});
    }
    if (!isVisible() || (s->run == RunState::running && drawn_at_.isValid() && drawn_at_.elapsed() < 100)) return;
    draw();
}

void ForceTrace::draw() {
    drawn_at_.start();
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(samples_.size()));
    double most = 1;
    for (const Sample& sample : samples_) {
        data.append(QCPGraphData(sample.t, sample.force));
        most = std::max(most, sample.force);
    }
    plot_->graph(0)->data()->set(data, true);
    top_ = steadyEnd(top_, most);
    plot_->yAxis->setRange(0, top_ * 1.05);
    const double begin = samples_.empty() ? 0 : samples_.front().t, end = samples_.empty() ? 1 : samples_.back().t;
    plot_->xAxis->setRange(begin, begin + std::max(1.0, calmEnd(end - begin)));
    if (const auto s = bench_.snapshot()) {
        now_->point1->setCoords(s->state.t, 0);
        now_->point2->setCoords(s->state.t, 1);
    }
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ForceTrace::followStyle() {
    dressPlot(*plot_, notes_);
    plot_->graph(0)->setPen(QPen(Style::get().quantity(scene::Quantity::normal), px(1.75)));
    now_->setPen(QPen(tokens().accent, px(1.5)));
    close_->setStyleSheet(QString("QToolButton { padding: 0 %1px; }").arg(px(5)));
    close_->setFixedSize(px(22), px(20));
    close_->move(px(340) - px(26), px(1));
    setFixedWidth(px(340));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace mw::app
