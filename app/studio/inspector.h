// What is known of the selected item: how it was written, and its pose, velocity and forces at the instant shown.
#pragma once

#include <QElapsedTimer>
#include <QScrollArea>
#include <functional>
#include <vector>

class QFormLayout;
class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace mw::app {

class Workbench;
struct Item;

class Inspector : public QScrollArea {
    Q_OBJECT
public:
    explicit Inspector(Workbench& bench, QWidget* parent = nullptr);

signals:
    void note(const QString& text);

private:
    /// A row of the card; live rows are filled anew with every snapshot.
    struct Row {
        QLabel* name;
        QLabel* value;
        std::function<QString()> live;
    };
    void rebuild();
    void refresh();
    void section(const QString& title);
    void row(const QString& name, const QString& value, const QString& tip = {});
    void liveRow(const QString& name, std::function<QString()> value, const QString& tip = {});
    void showBody(const Item& item);
    void showElement(const Item& item);
    void showNothing();

    Workbench& bench_;
    QWidget* page_ = nullptr;
    QGridLayout* grid_ = nullptr;
    int next_ = 0;
    std::vector<Row> live_;
    QString signature_;
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
