// The list of findings about the text: severity, what, where; a click goes there, a button applies the fix.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mw::app {

class Workbench;

class Problems : public QWidget {
    Q_OBJECT
public:
    explicit Problems(Workbench& bench, QWidget* parent = nullptr);

signals:
    void assembleWanted();  ///< an open start pose is to be closed
    void countChanged(int errors, int warnings, int infos);

private:
    void refresh();
    void go(QTreeWidgetItem* row);
    void fix();
    Workbench& bench_;
    QTreeWidget* list_;
    QLabel* empty_;
    QLabel* remedy_;
    QPushButton* fix_;
};

}  // namespace mw::app
