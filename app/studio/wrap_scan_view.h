// The tab "Wrap scan": a tendon's length and moment arm over one joint's range, with the places where its route
// changes.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <array>
#include <memory>
#include <stop_token>
#include <vector>

#include "app/studio/dock.h"
#include "engine/sim/wrap_scan.h"

class QCPGraph;
class QCPItemStraightLine;
class QCPItemText;
class QComboBox;
class QCustomPlot;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mw::app {

struct Built;
class Workbench;

class WrapScanView : public QWidget {
    Q_OBJECT
public:
    explicit WrapScanView(Workbench& bench, QWidget* parent = nullptr);
    ~WrapScanView() override;
    /// What is shown; empty samples before the first scan and while the first of a mechanism is computed.
    const WrapScan& scan() const { return scan_; }
    /// Writes the scan: .csv as numbers, .svg as a picture of both plots. False when the file cannot be written.
    bool exportTo(const QString& path) const;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    /// A joint coordinate that a scan can move, and its range where nobody asks for another.
    struct Movable {
        int velocity = 0, q = 0;
        QString name;
        std::array<double, 2> range{};
    };
    void compute(std::shared_ptr<const Built> built, WrapScanRequest request);
    void take(WrapScan scan, const Built& built);
    void giveUp();
    void refuse(const QString& why);
    void replot();
    void learn();
    void wake();
    void refresh();
    void fillChoices();
    void takeRange();
    void suggestJoint();
    void draw();
    void followStyle();
    void showAt(int x);
    void askExport(const char* suffix);
    void say(const QString& text);
    void clearMarks();
    void addMark(double at, bool leap);
    QString whyEmpty() const;

    Workbench& bench_;
    ContentOrReason page_;
    QLabel* summary_;
    QString says_;  ///< of the whole scan; under the pointer the place there takes its place
    QComboBox *tendon_, *joint_;
    QLineEdit *from_, *to_, *count_;
    QPushButton *csv_, *svg_;
    QCustomPlot *length_, *arm_;
    QCPGraph *length_line_, *arm_line_, *difference_;
    std::vector<QCPItemText*> length_notes_, arm_notes_;
    std::vector<QCPItemStraightLine*> marks_;
    QCPItemStraightLine *now_length_, *now_arm_;
    std::shared_ptr<const Model> known_;  ///< the mechanism that layout_ and movable_ belong to
    Layout layout_;
    std::vector<Movable> movable_;
    WrapScan scan_;
    bool redraw_ = true;         ///< the curves are not those of scan_ in the present dress
    bool joint_chosen_ = false;  ///< by the user, in this document
    QString asked_;              ///< text, choices and range of the scan that is shown or computed
    std::vector<double> pose_;   ///< and the other joints, with the live parameters
    std::stop_source stop_;      ///< of the scan that is computed
    std::uint64_t ordered_ = 0;  ///< scans so far: only the last one counts
    bool pending_ = false;       ///< it is being computed
    QByteArray export_due_;      ///< asked for while it was: the kind of file
    QTimer later_;
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
