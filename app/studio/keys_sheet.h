// F1: every key and mouse action on one sheet, made from the menus so that it cannot drift from them.
#pragma once

#include <QDialog>

class QMenuBar;

namespace mw::app {

class KeysSheet : public QDialog {
    Q_OBJECT
public:
    KeysSheet(const QMenuBar* menus, QWidget* parent);
};

}  // namespace mw::app
