// One dress for all small plots, so that they and the energy plot look alike.
#include "app/studio/plot_look.h"

#include <algorithm>
#include <cmath>
#include <qcustomplot.h>

#include "app/studio/style.h"

namespace mw::app {

int paceOf(std::initializer_list<const QCustomPlot*> plots, int least) {
    constexpr double kShare = 8;  // an eighth of the window's time
    double cost = 0;
    for (const QCustomPlot* plot : plots) cost += plot->replotTime(true);
    return std::max(least, static_cast<int>(std::min(1000.0, kShare * cost)));
}

QCustomPlot* smallPlot(const QString& name, const QString& accessible, QWidget* parent) {
    auto* plot = new QCustomPlot(parent);
    plot->setObjectName(name);
    plot->setAccessibleName(accessible);
    plot->setInteractions(QCP::Interactions());
    plot->setNoAntialiasingOnDrag(true);
    plot->setPlottingHint(QCP::phFastPolylines);
    return plot;
}

QCPItemText* axisNote(QCustomPlot& plot, const QString& text, double x) {
    auto* item = new QCPItemText(&plot);
    item->position->setType(QCPItemPosition::ptAxisRectRatio);
    item->position->setCoords(x, 0);
    item->setPositionAlignment((x <= 0 ? Qt::AlignLeft : x >= 1 ? Qt::AlignRight : Qt::AlignHCenter) | Qt::AlignBottom);
    item->setText(text);
    item->setSelectable(false);
    item->setClipToAxisRect(false);
    return item;
}

void dressPlot(QCustomPlot& plot, const std::vector<QCPItemText*>& notes) {
    const Tokens& t = tokens();
    plot.setBackground(QBrush(t.panel));
    plot.axisRect()->setMinimumMargins(QMargins(px(8), px(22), px(10), px(6)));
    for (QCPAxis* axis : plot.axisRect()->axes()) {
        axis->setBasePen(QPen(t.border));
        axis->setTickPen(QPen(t.border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(t.secondary);
        axis->setTickLabelFont(Style::get().interfaceFont(11));
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(px(3));
        axis->grid()->setPen(QPen(t.border, 1));
        axis->grid()->setZeroLinePen(QPen(t.border, 1));
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setVisible(axis == plot.yAxis);
        axis->ticker()->setTickCount(axis == plot.xAxis ? 5 : axis == plot.yAxis ? 4 : 3);
    }
    for (QCPItemText* note : notes) {
        note->setColor(t.secondary);
        note->setBrush(t.panel);
        note->setFont(Style::get().interfaceFont(11));
        note->setPadding(QMargins(px(4), px(1), px(4), px(1)));
    }
    plot.setMinimumSize(px(110), px(70));
}

double calmEnd(double value) {
    if (!(value > 0) || !std::isfinite(value)) return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (value <= step * power * (1 + 1e-9)) return step * power;
    return 10 * power;
}

double steadyEnd(double held, double value) { return value <= held && value > 0.4 * held ? held : calmEnd(value); }

}  // namespace mw::app
