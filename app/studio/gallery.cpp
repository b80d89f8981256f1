// A list of cards: picture, name, and the sentence that the file opens with.
#include "app/studio/gallery.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/dock.h"
#include "app/studio/examples.h"
#include "app/studio/style.h"

namespace mw::app {
namespace {

constexpr int kPath = Qt::UserRole, kLine = Qt::UserRole + 1, kPicture = Qt::UserRole + 2;
constexpr int kWidth = 256, kPictureHeight = 150, kText = 78;

class CardPainter : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {px(kWidth), px(kPictureHeight + kText)};
    }
    void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Tokens& t = tokens();
        p->save();
        p->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
        const QRectF card = QRectF(option.rect).adjusted(px(6), px(6), -px(6), -px(6));
        QPainterPath outline;
        outline.addRoundedRect(card, px(6), px(6));
        p->fillPath(outline, t.raised);
        p->save();
        p->setClipPath(outline);
        const QRectF place(card.left(), card.top(), card.width(), px(kPictureHeight - 12));
        const auto picture = index.data(kPicture).value<QPixmap>();
        if (!picture.isNull()) {
            // The middle of the picture, filling its place.
            const double k = std::max(place.width() / picture.width(), place.height() / picture.height());
            const QSizeF part(place.width() / k, place.height() / k);
            p->drawPixmap(
                place, picture,
                QRectF(QPointF((picture.width() - part.width()) / 2, (picture.height() - part.height()) / 2), part));
        }
        p->restore();
        const bool selected = option.state & QStyle::State_Selected;
        const bool hover = option.state & QStyle::State_MouseOver;
        p->setPen(QPen(selected || hover ? t.accent : t.border, selected ? 2 : 1));
        p->drawPath(outline);
        QRectF text(card.left() + px(10), place.bottom() + px(5), card.width() - px(20), px(20));
        p->setFont(Style::get().interfaceFont(13, true));
        p->setPen(t.text);
        p->drawText(text, Qt::AlignVCenter, index.data(Qt::DisplayRole).toString());
        text = QRectF(text.left(), text.bottom(), text.width(), card.bottom() - text.bottom() - px(4));
        p->setFont(Style::get().interfaceFont(12));
        p->setPen(t.secondary);
        p->drawText(text, Qt::TextWordWrap | Qt::AlignTop, index.data(kLine).toString());
        p->restore();
    }
};

}  // namespace

Gallery::Gallery(QWidget* parent) : QDialog(parent) {
    setObjectName("gallery");
    setWindowTitle(tr("Examples"));
    auto* column = new QVBoxLayout(this);
    auto* list = new QListWidget(this);
    list->setObjectName("gallery.list");
    list->setAccessibleName(tr("Examples"));
    list->setViewMode(QListView::IconMode);
    list->setResizeMode(QListView::Adjust);
    list->setMovement(QListView::Static);
    list->setUniformItemSizes(true);
    list->setMouseTracking(true);
    list->setFrameShape(QFrame::NoFrame);
    list->setItemDelegate(new CardPainter(list));
    for (const Example& e : examples()) {
        auto* item = new QListWidgetItem(e.name, list);
        item->setData(kPath, QString::fromStdString(e.file.string()));
        item->setData(kLine, e.one_line);
        item->setData(kPicture, QPixmap(e.picture));
        item->setData(Qt::AccessibleTextRole, e.name + ": " + e.one_line);
    }
    if (list->count() > 0) list->setCurrentRow(0);
    auto* row = new QHBoxLayout;
    row->addWidget(roleLabel(list->count() ? tr("An example opens as a copy: nothing you do can spoil the original.")
                                           : tr("The folder of examples was not found beside the program."),
                             "secondary", this),
                   1);
    auto* close = new QPushButton(tr("Close"), this);
    auto* open = new QPushButton(tr("Open"), this);
    open->setObjectName("gallery.open");
    open->setDefault(true);
    open->setEnabled(list->count() > 0);
    row->addWidget(close);
    row->addWidget(open);
    column->setContentsMargins(px(10), px(10), px(10), px(10));
    column->addWidget(list, 1);
    column->addLayout(row);
    resize(px(kWidth * 4 + 48), px((kPictureHeight + kText) * 2 + 96));
    const auto take = [this, list] {
        const QListWidgetItem* item = list->currentItem();
        if (!item) return;
        const QString path = item->data(kPath).toString();
        accept();
        emit chosen(path);
    };
    connect(list, &QListWidget::itemActivated, this, take);
    connect(open, &QPushButton::clicked, this, take);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
}

}  // namespace mw::app
