// Fills the list from the document's diagnostics; ranges become lines and columns only here.
#include "app/studio/problems.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {

Problems::Problems(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("problems");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    list_ = new QTreeWidget(this);
    list_->setObjectName("problems.list");
    list_->setAccessibleName(tr("Problems"));
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setHeaderLabels({tr("Problem"), tr("Item"), tr("Place"), tr("Code")});
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    empty_ = roleLabel(tr("No problems. Errors, warnings and hints about the text appear here as you type."),
                       "secondary", this);
    empty_->setAlignment(Qt::AlignCenter);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 4, 12, 6);
    remedy_ = roleLabel({}, "secondary", this);
    remedy_->setWordWrap(true);
    fix_ = new QPushButton(icon("fix"), tr("Apply fix"), this);
    fix_->setObjectName("problems.fix");
    row->addWidget(remedy_, 1);
    row->addWidget(fix_);
    column->addWidget(empty_, 1);
    column->addWidget(list_, 1);
    column->addLayout(row);
    connect(list_, &QTreeWidget::itemClicked, this, &Problems::go);
    connect(list_, &QTreeWidget::itemActivated, this, &Problems::go);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* current) {
        const int i = current ? current->data(0, Qt::UserRole).toInt() : -1;
        const auto& all = bench_.document().read().diagnostics;
        if (i < 0 || i >= static_cast<int>(all.size())) {
            remedy_->clear();
            fix_->setVisible(false);
            return;
        }
        const Diagnostic& d = all[static_cast<std::size_t>(i)];
        QStringList text;
        if (!d.expected.empty()) text << tr("Expected: %1").arg(QString::fromStdString(d.expected));
        if (!d.remedy.empty()) text << QString::fromStdString(d.remedy);
        remedy_->setText(text.join(" · "));
        fix_->setText(d.code == "loop-open" ? tr("Assemble") : tr("Apply fix"));
        fix_->setVisible(!d.fix.empty() || d.code == "loop-open");
    });
    connect(fix_, &QPushButton::clicked, this, &Problems::fix);
    connect(&bench_, &Workbench::documentChanged, this, &Problems::refresh);
    connect(&Style::get(), &Style::changed, this, &Problems::refresh);
    refresh();
}

void Problems::refresh() {
    const auto& all = bench_.document().read().diagnostics;
    const std::string& text = bench_.document().text();
    const int selected = list_->indexOfTopLevelItem(list_->currentItem());
    list_->clear();
    int counts[3] = {0, 0, 0};
    const char* icons[] = {"info", "warning", "error"};
    const QColor colors[] = {tokens().secondary, tokens().caution, tokens().bad};
    const QString words[] = {tr("hint"), tr("warning"), tr("error")};
    for (int severity = 2; severity >= 0; --severity)
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Diagnostic& d = all[i];
            if (static_cast<int>(d.severity) != severity) continue;
            ++counts[severity];
            auto* row = new QTreeWidgetItem(list_);
            row->setIcon(0, iconPixmap(icons[severity], colors[severity], px(15), devicePixelRatioF()));
            row->setText(0, QString::fromStdString(d.message));
            row->setToolTip(0, words[severity] + ": " + QString::fromStdString(d.message));
            if (const auto item = itemAt(bench_.document().tree(), d.range.begin))
                row->setText(1, QString::fromStdString(item->name));
            const LineColumn place = lineColumn(text, d.range.begin);
            row->setText(2, tr("line %1, column %2").arg(place.line).arg(place.column));
            row->setText(3, QString::fromStdString(d.code));
            row->setForeground(1, tokens().secondary);
            row->setForeground(2, tokens().secondary);
            row->setForeground(3, tokens().secondary);
            row->setData(0, Qt::UserRole, static_cast<int>(i));
        }
    for (int c = 1; c < 4; ++c) list_->resizeColumnToContents(c);
    const bool none = all.empty();
    list_->setVisible(!none);
    empty_->setVisible(none);
    if (none) {
        remedy_->clear();
        fix_->setVisible(false);
    } else {
        list_->setCurrentItem(list_->topLevelItem(std::clamp(selected, 0, list_->topLevelItemCount() - 1)));
    }
    emit countChanged(counts[2], counts[1], counts[0]);
}

void Problems::go(QTreeWidgetItem* row) {
    const int i = row ? row->data(0, Qt::UserRole).toInt() : -1;
    const auto& all = bench_.document().read().diagnostics;
    if (i < 0 || i >= static_cast<int>(all.size())) return;
    const TextRange range = all[static_cast<std::size_t>(i)].range;
    if (const auto item = itemAt(bench_.document().tree(), range.begin)) bench_.select(*item);
    bench_.requestGoTo(range);
}

void Problems::fix() {
    const auto* row = list_->currentItem();
    const int i = row ? row->data(0, Qt::UserRole).toInt() : -1;
    const auto& all = bench_.document().read().diagnostics;
    if (i < 0 || i >= static_cast<int>(all.size())) return;
    if (all[static_cast<std::size_t>(i)].code == "loop-open") {
        emit assembleWanted();
        return;
    }
    if (all[static_cast<std::size_t>(i)].fix.empty()) return;
    const Diagnostic d = all[static_cast<std::size_t>(i)];
    bench_.apply(d.fix, tr("Fix: %1").arg(QString::fromStdString(d.code)));
}

}  // namespace mw::app
