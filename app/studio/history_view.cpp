// Shows Document::history(); the present entry is selected, later ones are faded.
#include "app/studio/history_view.h"

#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {

HistoryView::HistoryView(Workbench& bench, QWidget* parent) : QListWidget(parent), bench_(bench) {
    setObjectName("history");
    setAccessibleName(tr("History of edits"));
    setUniformItemSizes(true);
    connect(&bench_, &Workbench::documentChanged, this, &HistoryView::refresh);
    connect(&Style::get(), &Style::changed, this, &HistoryView::refresh);
    connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        bench_.document().jumpTo(static_cast<std::size_t>(row(item)));
        bench_.submit();
    });
    refresh();
}

void HistoryView::refresh() {
    const History& history = bench_.document().history();
    const auto& entries = history.entries();
    const int want = static_cast<int>(entries.size());
    while (count() > want) delete takeItem(count() - 1);
    while (count() < want) addItem(new QListWidgetItem);
    for (int i = 0; i < want; ++i) {
        item(i)->setText(QString::fromStdString(entries[static_cast<std::size_t>(i)].name));
        item(i)->setForeground(static_cast<std::size_t>(i) > history.at() ? tokens().secondary : tokens().text);
    }
    setCurrentRow(static_cast<int>(history.at()));
    scrollToItem(currentItem());
}

}  // namespace mw::app
