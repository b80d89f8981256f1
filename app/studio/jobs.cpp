// Rows are kept from refresh to refresh, so progress moves without flicker.
#include "app/studio/jobs.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <algorithm>

#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr int kAtMost = 100;

class BarPainter : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(p, option, index);
        const QVariant value = index.data(Qt::UserRole);
        if (!value.isValid()) return;
        p->save();
        p->setRenderHint(QPainter::Antialiasing);
        p->setPen(Qt::NoPen);
        QRectF bar(option.rect.left() + px(8), option.rect.center().y() - px(2), option.rect.width() - px(16), px(5));
        p->setBrush(tokens().border);
        p->drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
        bar.setWidth(bar.width() * std::clamp(value.toDouble(), 0.0, 1.0));
        p->setBrush(tokens().accent);
        p->drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
        p->restore();
    }
};

}  // namespace

Jobs::Jobs(Workbench& bench, QWidget* parent) : QTreeWidget(parent), bench_(bench) {
    setObjectName("jobs");
    setAccessibleName(tr("Background jobs"));
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFocusPolicy(Qt::TabFocus);
    setHeaderLabels({tr("Job"), tr("State"), tr("Progress"), tr("Time"), tr("Detail"), QString()});
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(4, QHeaderView::Stretch);
    setItemDelegateForColumn(2, new BarPainter(this));
    auto sizes = [this] {
        setColumnWidth(0, px(170));
        setColumnWidth(1, px(100));
        setColumnWidth(2, px(170));
        setColumnWidth(3, px(90));
        setColumnWidth(5, px(40));
    };
    sizes();
    connect(&Style::get(), &Style::changed, this, sizes);
    connect(&bench_, &Workbench::progressChanged, this, &Jobs::refresh);
    refresh();
}

void Jobs::refresh() {
    auto jobs = bench_.workshop().jobs();
    if (jobs.size() > kAtMost) jobs.resize(kAtMost);
    const int want = static_cast<int>(jobs.size());
    while (topLevelItemCount() > want) delete takeTopLevelItem(topLevelItemCount() - 1);
    while (topLevelItemCount() < want) new QTreeWidgetItem(this);
    const QString states[] = {tr("waiting"), tr("running"), tr("done"), tr("failed"), tr("cancelled")};
    const QColor colors[] = {tokens().secondary, tokens().accent, tokens().good, tokens().bad, tokens().secondary};
    int active = 0;
    for (int i = 0; i < want; ++i) {
        const Job& job = jobs[static_cast<std::size_t>(i)];
        auto* row = topLevelItem(i);
        const auto status = static_cast<std::size_t>(job.status);
        const bool open = job.status == Job::Status::running || job.status == Job::Status::waiting;
        active += open;
        row->setText(0, QString::fromUtf8(jobName(job.kind)));
        row->setText(1, states[status]);
        row->setForeground(1, colors[status]);
        row->setData(2, Qt::UserRole, job.status == Job::Status::done ? 1.0 : job.progress);
        row->setText(3, job.seconds < 1 ? tr("%1 ms").arg(job.seconds * 1e3, 0, 'f', 1)
                                        : tr("%1 s").arg(job.seconds, 0, 'f', 2));
        row->setTextAlignment(3, Qt::AlignRight | Qt::AlignVCenter);
        row->setFont(3, Style::get().monoFont());
        row->setText(4, QString::fromStdString(job.detail));
        row->setToolTip(4, QString::fromStdString(job.detail));
        row->setForeground(4, tokens().secondary);
        if (open && !itemWidget(row, 5)) {
            auto* cancel = new QToolButton(this);
            cancel->setIcon(icon("cancel"));
            cancel->setToolTip(tr("Stop this job"));
            cancel->setAccessibleName(tr("Stop job"));
            cancel->setProperty("job", job.id);
            connect(cancel, &QToolButton::clicked, this,
                    [this, cancel] { bench_.workshop().cancel(cancel->property("job").toInt()); });
            setItemWidget(row, 5, cancel);
        } else if (!open && itemWidget(row, 5)) {
            removeItemWidget(row, 5);
        } else if (open) {
            itemWidget(row, 5)->setProperty("job", job.id);
        }
    }
    emit activeChanged(active);
}

}  // namespace mw::app
