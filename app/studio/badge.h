// The proof badge: a round pill that always says how far the mechanism is trusted, and the list of gates behind it.
#pragma once

#include <QAbstractButton>
#include <QFrame>
#include <QTimer>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace mw {
struct Gate;
}

namespace mw::app {

class Workbench;

class BadgeButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit BadgeButton(Workbench& bench, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    void openGates();
    Workbench& bench_;
    QString text_, detail_, outside_, icon_;
    QString opinion_;  ///< the words of an outside opinion that says something
    QColor color_;
    double progress_ = -1;
};

/// The gates with value, bound and verdict, then the checks of the outside opinion; a row with a worst state opens it
/// in the view.
class GatesPopup : public QFrame {
    Q_OBJECT
public:
    explicit GatesPopup(Workbench& bench, QWidget* parent = nullptr);
    void refresh();

private:
    void addRow(const Gate& gate, bool counts);
    void openWorst();
    Workbench& bench_;
    QLabel* head_;
    QLabel* outside_;
    QLabel* note_;
    QTreeWidget* list_;
    QPushButton* open_;
};

}  // namespace mw::app
