// The tab "Pair": one shoe and one roller (or the ground), drawn in the frame of their law, with the law's curves and
// where on them the present instant is.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <array>
#include <memory>
#include <vector>

#include "app/studio/dock.h"
#include "app/studio/pair_state.h"

class QCPGraph;
class QCPItemText;
class QCustomPlot;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace mw::app {

class PairDrawing;
class Workbench;

class PairView : public QWidget {
    Q_OBJECT
public:
    explicit PairView(Workbench& bench, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void wake();
    void refresh();
    void fillBoxes();
    void showBoxes();
    void followSelection();
    void chosen();
    void mostLoaded();
    void drawLaw(const PairState& pair);
    void drawSecond(const PairState& pair);
    void showValues(const PairState& pair);
    void followStyle();
    QString whyEmpty() const;

    Workbench& bench_;
    ContentOrReason page_;
    QComboBox *track_, *shoe_, *other_;
    QPushButton* most_;
    PairDrawing* drawing_;
    QCustomPlot *law_, *second_;
    std::vector<QCPItemText*> law_notes_, second_notes_;
    QLabel* head_;
    QWidget* side_;
    std::array<QLabel*, 6> names_{}, values_{};
    PairId pair_;
    bool found_ = false;  ///< the pair was chosen, by hand or as the most loaded one
    std::shared_ptr<const Model> model_;
    std::shared_ptr<const Model> boxes_of_;
    int boxes_track_ = -1;
    double slope_ = 0;
    std::unique_ptr<ContactModel> contact_;
    double depth_end_ = 0, force_end_ = 0, second_end_ = 0, slip_end_ = 0;
    QTimer later_;
    QElapsedTimer drawn_at_;
    std::uint64_t drawn_ = 0;
};

}  // namespace mw::app
