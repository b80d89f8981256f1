// Normal force of one contact from the moment when it was asked for: a small plot beside the table, which fills while
// the run goes on.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <string>
#include <vector>

class QCPItemStraightLine;
class QCPItemText;
class QCustomPlot;
class QToolButton;

namespace mw::app {

class Workbench;

class ForceTrace : public QWidget {
    Q_OBJECT
public:
    explicit ForceTrace(Workbench& bench, QWidget* parent = nullptr);
    void watch(const std::string& id);

private:
    void collect();
    void draw();
    void followStyle();
    struct Sample {
        double t, force;
    };
    Workbench& bench_;
    QCustomPlot* plot_;
    QToolButton* close_;
    QCPItemStraightLine* now_;
    std::vector<QCPItemText*> notes_;
    std::string id_;
    std::vector<Sample> samples_;
    double top_ = 0;
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
