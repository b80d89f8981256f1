// Energies over time: lines in the quantities' colours, values at the cursor, zoom and pan, a time cursor that scrubs.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/scene/theme.h"

class QCPAxis;
class QCPItemStraightLine;
class QCPItemText;
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
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void refresh(bool everything);
    void followStyle();
    void scrubTo(int x);
    void toggle(int line);
    void arrange();
    void pointAt(double x);
    void showValues();

    Workbench& bench_;
    QCustomPlot* plot_;
    QCPAxis* loops_axis_;
    QCPItemStraightLine *cursor_, *pointer_;
    std::vector<QCPItemText*> notes_;
    QLabel* empty_;
    QWidget* legend_ = nullptr;
    QGridLayout* grid_ = nullptr;
    std::vector<std::size_t> arranged_;  ///< lines in the table
    int rows_ = 0;
    bool pushed_ = false, driven_ = false, braked_ = false;  ///< by hand, since the document was opened
    std::optional<double> pointed_;                          ///< instant under the pointer, s
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
