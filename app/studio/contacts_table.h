// The tab "Contacts": what touches at the instant that is drawn, with filters, totals, and one contact's force over the
// coming time.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QButtonGroup;
class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace mw::app {

class ContactRows;
class ForceTrace;
class Workbench;

class ContactsTable : public QWidget {
    Q_OBJECT
public:
    explicit ContactsTable(Workbench& bench, QWidget* parent = nullptr);

signals:
    void pairWanted();  ///< the view of the selected pair is to be shown

protected:
    void showEvent(QShowEvent* event) override;

private:
    void wake();
    void refresh();
    void followSelection();
    void followStyle();
    void choose(int row);
    void menuAt(const QPoint& at);
    void copy(bool all);
    QString whyEmpty() const;

    Workbench& bench_;
    ContactRows* rows_;
    QTableView* table_;
    QButtonGroup* which_;
    QComboBox* state_;
    QPushButton* only_;
    QLabel *note_, *empty_;
    ForceTrace* trace_;
    QTimer later_;
    QElapsedTimer drawn_at_;
    bool following_ = false;  ///< rows and selection move by the program, not by hand
    std::uint64_t drawn_ = 0;
};

}  // namespace mw::app
