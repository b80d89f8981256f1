// What the smaller plots have in common: the theme's colours and fonts, notes over the axes, and the line of the
// present instant.
#pragma once

#include <QString>
#include <initializer_list>
#include <vector>

class QCPItemText;
class QCustomPlot;
class QWidget;

namespace mw::app {

/// A plot that cannot be dragged or zoomed unless the owner allows it.
QCustomPlot* smallPlot(const QString& name, const QString& accessible, QWidget* parent);
/// Colours, fonts and margins of the present theme and scale.
void dressPlot(QCustomPlot& plot, const std::vector<QCPItemText*>& notes);
/// A note over the axes: 0 at the left, 1 at the right end, in between in the middle.
QCPItemText* axisNote(QCustomPlot& plot, const QString& text, double x);
/// Milliseconds from one picture of these plots to the next while a run goes on: `least`, or more where drawing them
/// takes so long that the view would go short.
int paceOf(std::initializer_list<const QCustomPlot*> plots, int least);
/// Smallest of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below `value`: a calm end of an axis.
double calmEnd(double value);
/// The same held as long as it fits and is not much too large.
double steadyEnd(double held, double value);

}  // namespace mw::app
