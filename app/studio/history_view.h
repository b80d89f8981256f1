// The undo history as a list of readable names; a click goes to that state of the text.
#pragma once

#include <QListWidget>

namespace mw::app {

class Workbench;

class HistoryView : public QListWidget {
    Q_OBJECT
public:
    explicit HistoryView(Workbench& bench, QWidget* parent = nullptr);

private:
    void refresh();
    Workbench& bench_;
};

}  // namespace mw::app
