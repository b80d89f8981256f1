// The status line: problems, what the generated code costs, units, saved or not.
#pragma once

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
    void refreshSaved();
    void followStyle();
    Workbench& bench_;
    QPushButton* problems_;
    QLabel *cost_, *mobility_, *units_, *saved_;
    const void* timed_ = nullptr;
};

}  // namespace mw::app
