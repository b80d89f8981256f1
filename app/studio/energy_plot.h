// Energies over time: lines in the quantities' colours, values at the cursor, zoom and pan, a time cursor that scrubs.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <vector>

#include "app/scene/theme.h"

class QCPItemStraightLine;
class QCustomPlot;
class QLabel;
class QToolButton;
class QGridLayout;

namespace mw::app {

class Workbench;

class EnergyPlot : public QWidget {
    Q_OBJECT
public:
    explicit EnergyPlot(Workbench& bench, QWidget* parent = nullptr);
    void saveCsv();
    void savePicture();
    void showAll();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh(bool everything);
    void followStyle();
    void scrubTo(int x);
    void toggle(int line);

    Workbench& bench_;
    QCustomPlot* plot_;
    QCPItemStraightLine* cursor_;
    QLabel* empty_;
    QWidget* legend_ = nullptr;
    std::vector<QToolButton*> keys_;
    std::vector<QLabel*> values_;
    QLabel* at_;
    bool follows_ = true;  ///< the time axis follows the run
    bool scrubbing_ = false;
    double drawn_end_ = -1;
    double drawn_begin_ = -1;
    std::uint64_t drawn_serial_ = 0;
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
