// The outline: the tree of bodies with everything that sits on them, in step with text and view.
#pragma once

#include <QTreeWidget>
#include <optional>

#include "app/document/selection.h"

namespace mw::app {

class Workbench;

class Outline : public QTreeWidget {
    Q_OBJECT
public:
    explicit Outline(Workbench& bench, QWidget* parent = nullptr);

signals:
    void note(const QString& text);  ///< "6 bodies · mobility 1", "27 bodies · 153 with shoes · mobility 164"
    void frameRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void drawBranches(QPainter*, const QRect&, const QModelIndex&) const override {}  // the rows have their own arrows

private:
    void rebuild();
    void addTracks(const Model& model);
    void makeShoes(QTreeWidgetItem* row);
    void showSelection();
    std::optional<int> mobility() const;
    QTreeWidgetItem* add(QTreeWidgetItem* parent, const Item& item, const QString& icon, const QString& kind);
    Workbench& bench_;
    QString signature_;
    bool quiet_ = false;
    int indent_ = 16;  ///< interface px a level
};

}  // namespace mw::app
