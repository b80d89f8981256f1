// The tab "Bands": tension around each band at the instant that is drawn, and over time its extremes, the ground's load
// as a share of the weight, and the greatest depth.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <array>
#include <vector>

#include "app/studio/dock.h"

class QCPAxis;
class QCPItemStraightLine;
class QCPItemText;
class QComboBox;
class QCustomPlot;
class QLabel;
class QGridLayout;

namespace mw::app {

class Workbench;

class TensionPlot : public QWidget {
    Q_OBJECT
public:
    explicit TensionPlot(Workbench& bench, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        QLabel *key, *name, *value;
    };
    void wake();
    void refresh();
    void drawAround();
    void drawOverTime();
    void showValues();
    void arrange();
    void followStyle();
    void pointAt(double x);
    void scrubTo(int x);
    QString whyEmpty() const;

    Workbench& bench_;
    ContentOrReason page_;
    QCustomPlot *around_, *over_;
    QCPAxis *share_axis_, *depth_axis_;
    QCPItemStraightLine* now_;
    std::vector<QCPItemText*> around_notes_, over_notes_;
    QComboBox* along_;
    QWidget* legend_;
    QGridLayout* grid_;
    std::vector<Row> rows_;
    QLabel* at_;
    std::vector<QString> arranged_;
    std::vector<QCPItemText*> wheel_names_;
    double top_ = 0, time_top_ = 0, depth_top_ = 0;
    int pointed_ = -1;  ///< pin under the pointer
    QTimer later_;
    QElapsedTimer drawn_at_;
    std::uint64_t drawn_ = 0;
};

}  // namespace mw::app
