// What works in the background: derive, compile, validate; progress, time, and a way to stop it.
#pragma once

#include <QTreeWidget>

namespace mw::app {

class Workbench;

class Jobs : public QTreeWidget {
    Q_OBJECT
public:
    explicit Jobs(Workbench& bench, QWidget* parent = nullptr);

signals:
    void activeChanged(int running);

private:
    void refresh();
    Workbench& bench_;
};

}  // namespace mw::app
