// The status line: problems, what the generated code costs, how the rows were solved, units, saved or not.
#pragma once

#include <QElapsedTimer>
#include <QStatusBar>

class QLabel;
class QPushButton;

namespace mw::app {

class Workbench;

class StatusLine : public QStatusBar {
    Q_OBJECT
public:
    explicit StatusLine(Workbench& bench, QWidget* parent = nullptr);
    void setProblems(int errors, int warnings, int infos);

signals:
    void problemsClicked();

private:
    void refreshCost();
    void sayCost(const QString& text);
    void refreshSaved();
    void refreshSolve();
    void followStyle();
    Workbench& bench_;
    QPushButton* problems_;
    QLabel *cost_, *solve_, *mobility_, *units_, *saved_;
    const void* timed_ = nullptr;
    QElapsedTimer solve_said_;
};

}  // namespace mw::app
