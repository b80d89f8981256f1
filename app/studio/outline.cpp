// Builds the tree from the model of the present text (or the last good one) and keeps the selection in step.
#include "app/studio/outline.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr int kKindRole = Qt::UserRole;
constexpr int kNameRole = Qt::UserRole + 1;
constexpr int kTextRole = Qt::UserRole + 2;
constexpr int kFaultRole = Qt::UserRole + 3;  // 0 none, 1 warning, 2 error
constexpr int kIconRole = Qt::UserRole + 4;
constexpr int kShortRole = Qt::UserRole + 5;  // the kind where there is little room

QString axisText(const Vector3d& a) {
    const char* names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        Vector3d unit{};
        unit[static_cast<std::size_t>(i)] = 1;
        if (a == unit) return names[i];
        unit[static_cast<std::size_t>(i)] = -1;
        if (a == unit) return QString("-") + names[i];
    }
    return QString("%1 %2 %3").arg(a[0], 0, 'g', 3).arg(a[1], 0, 'g', 3).arg(a[2], 0, 'g', 3);
}

QString jointText(const Joint& joint) {
    const QString type = QString::fromLatin1(jointTypeName(joint.type));
    switch (joint.type) {
        case JointType::fixed:
        case JointType::spherical:
        case JointType::floating: return type;
        case JointType::universal: return type + " " + axisText(joint.axis) + " " + axisText(joint.axis2);
        default: return type + " " + axisText(joint.axis);
    }
}

QString jointShort(const Joint& joint) {
    const char* words[] = {"fixed", "rev", "pris", "cyl", "screw", "univ", "plane", "ball", "free"};
    QString text = jointText(joint);
    const QString type = QString::fromLatin1(jointTypeName(joint.type));
    const char* names[] = {"fixed",     "revolute", "prismatic", "cylindrical", "screw",
                           "universal", "planar",   "spherical", "floating"};
    for (int i = 0; i < 9; ++i)
        if (type == names[i]) text.replace(0, type.size(), words[i]);
    return text;
}

/// One row: icon, name, and the kind at the right end in the secondary colour; a rounded ground where selected.
class RowPainter : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {px(80), px(25)}; }
    void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Tokens& t = tokens();
        p->save();
        p->setRenderHint(QPainter::Antialiasing);
        const QWidget* view = option.widget;
        const int right = view ? static_cast<const QAbstractItemView*>(view)->viewport()->width() : option.rect.right();
        const QRect whole(px(6), option.rect.top(), right - px(12), option.rect.height());
        const bool selected = option.state & QStyle::State_Selected;
        if (selected || option.state & QStyle::State_MouseOver) {
            QColor ground = selected ? t.selected : t.hover;
            p->setPen(Qt::NoPen);
            p->setBrush(ground);
            p->drawRoundedRect(whole.adjusted(0, 1, 0, -1), px(4), px(4));
        }
        const int side = px(16);
        int x = option.rect.left() + px(12);
        const QString icon_name = index.data(kIconRole).toString();
        const int fault = index.data(kFaultRole).toInt();
        QColor tint = selected ? t.accent : t.secondary;
        if (fault) tint = fault == 2 ? t.bad : t.caution;
        const double ratio = p->device()->devicePixelRatioF();
        p->drawPixmap(x, option.rect.top() + (option.rect.height() - side) / 2,
                      iconPixmap(fault ? (fault == 2 ? "error" : "warning") : icon_name, tint, side, ratio));
        x += side + px(8);
        QString kind = index.data(kTextRole).toString();
        const QFont name_font = Style::get().interfaceFont(), kind_font = Style::get().interfaceFont(12);
        // Name and kind both stay legible: the kind in full, else in short; then the name gives way in its middle.
        const int name_width = QFontMetrics(name_font).horizontalAdvance(index.data(Qt::DisplayRole).toString());
        const int room = right - px(14) - px(6) - x;
        const QFontMetrics kind_metrics(kind_font);
        const QString brief = index.data(kShortRole).toString();
        if (name_width + kind_metrics.horizontalAdvance(kind) + px(6) > room && !brief.isEmpty()) kind = brief;
        const int kind_width = std::min(kind_metrics.horizontalAdvance(kind) + 2, std::max(0, room - px(48)));
        const QRect kind_box(right - px(14) - kind_width, option.rect.top(), kind_width, option.rect.height());
        p->setFont(name_font);
        p->setPen(fault == 2 ? t.secondary : t.text);  // a body whose text is broken is grey here as in the view
        const QRect name_box(x, option.rect.top(), kind_box.left() - x - px(6), option.rect.height());
        p->drawText(name_box, Qt::AlignVCenter,
                    QFontMetrics(name_font).elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle,
                                                       name_box.width()));
        p->setFont(kind_font);
        p->setPen(t.secondary);
        p->drawText(kind_box, Qt::AlignVCenter | Qt::AlignRight,
                    QFontMetrics(kind_font).elidedText(kind, Qt::ElideLeft, kind_box.width()));
        p->restore();
    }
};

}  // namespace

Outline::Outline(Workbench& bench, QWidget* parent) : QTreeWidget(parent), bench_(bench) {
    setObjectName("outline");
    setAccessibleName(tr("Outline of the mechanism"));
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setExpandsOnDoubleClick(false);
    setMouseTracking(true);
    setItemDelegate(new RowPainter(this));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto sizes = [this] {
        setIndentation(px(indent_));
        doItemsLayout();
    };
    connect(&Style::get(), &Style::changed, this, sizes);
    setIndentation(px(indent_));
    connect(&bench_, &Workbench::documentChanged, this, &Outline::rebuild);
    connect(&bench_, &Workbench::builtChanged, this, &Outline::rebuild);
    connect(&bench_, &Workbench::selectionChanged, this, &Outline::showSelection);
    connect(this, &QTreeWidget::itemSelectionChanged, this, [this] {
        if (quiet_) return;
        const auto rows = selectedItems();
        if (rows.isEmpty()) return;
        const Item item{rows.last()->data(0, kKindRole).toString().toStdString(),
                        rows.last()->data(0, kNameRole).toString().toStdString()};
        quiet_ = true;
        bench_.select(item);
        quiet_ = false;
    });
    connect(this, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* row) {
        const Item item{row->data(0, kKindRole).toString().toStdString(),
                        row->data(0, kNameRole).toString().toStdString()};
        if (const auto range = nameRange(bench_.document().tree(), item)) bench_.requestGoTo(*range);
    });
    connect(this, &QTreeWidget::itemDoubleClicked, this, [this] { emit frameRequested(); });
    rebuild();
}

QTreeWidgetItem* Outline::add(QTreeWidgetItem* parent, const Item& item, const QString& icon_name,
                              const QString& kind) {
    auto* row = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(this);
    row->setText(0, QString::fromStdString(item.name));
    row->setData(0, kKindRole, QString::fromStdString(item.kind));
    row->setData(0, kNameRole, QString::fromStdString(item.name));
    row->setData(0, kTextRole, kind);
    row->setData(0, kIconRole, icon_name);
    row->setData(0, Qt::AccessibleTextRole, QString::fromStdString(item.name) + ", " + kind);
    return row;
}

void Outline::rebuild() {
    const Model* model = bench_.model();
    const auto& diagnostics = bench_.document().read().diagnostics;
    const auto& tree = bench_.document().tree();

    // Rebuilding only when something that is shown changed keeps scroll position and hover calm while typing.
    QString signature;
    if (model) {
        for (const Body& b : model->bodies)
            signature += QString::fromStdString(b.name) + ":" + QString::number(b.parent) + jointText(b.joint) + "|";
        for (const auto& e : model->loops)
            signature += "l" + QString::fromStdString(e.name) + QString::number(int(e.type));
        for (const auto& e : model->tsdas) signature += "t" + QString::fromStdString(e.name);
        for (const auto& e : model->rsdas) signature += "r" + QString::fromStdString(e.name) + QString::number(e.body);
        for (const auto& e : model->drives)
            signature += "d" + QString::fromStdString(e.name) + QString::number(int(e.kind));
        for (const auto& e : model->points) signature += "p" + QString::fromStdString(e.name);
        for (const auto& e : model->shapes) signature += "s" + QString::fromStdString(e.name) + QString::number(e.body);
        for (const auto& e : model->parameters)
            signature += "m" + QString::fromStdString(e.name) + QString::number(e.value) + (e.live ? "l" : "");
    }
    std::vector<std::pair<Item, int>> faults;
    for (const Diagnostic& d : diagnostics) {
        if (d.severity == Severity::info) continue;
        if (const auto item = app::itemAt(tree, d.range.begin)) {
            faults.emplace_back(*item, d.severity == Severity::error ? 2 : 1);
            signature += "!" + QString::fromStdString(item->name) + QString::number(faults.back().second);
        }
    }
    if (const auto m = bench_.document().mobility()) signature += "=" + QString::number(m->mobility());
    if (signature == signature_ && topLevelItemCount() > 0) return;
    signature_ = signature;
    quiet_ = true;
    clear();
    if (model) {
        add(nullptr, {"body", "base"}, "base", tr("world"));
        std::vector<QTreeWidgetItem*> rows(model->bodies.size(), nullptr);
        int deepest = 0;
        for (const int i : model->order()) {
            const Body& b = model->bodies[static_cast<std::size_t>(i)];
            QTreeWidgetItem* parent = b.parent == kBase ? topLevelItem(0) : rows[static_cast<std::size_t>(b.parent)];
            rows[static_cast<std::size_t>(i)] =
                add(parent, {"body", b.name}, jointIcon(b.joint.type), jointText(b.joint));
            rows[static_cast<std::size_t>(i)]->setData(0, kShortRole, jointShort(b.joint));
            int depth = 1;
            for (int up = b.parent; up != kBase && depth < 99; up = model->bodies[static_cast<std::size_t>(up)].parent)
                ++depth;
            deepest = std::max(deepest, depth);
        }
        for (const auto& e : model->loops)
            add(nullptr, {"loop", e.name}, "loop", QString("%1 %2").arg(loopTypeName(e.type)).arg(loopRows(e.type)));
        for (const auto& e : model->tsdas)
            add(nullptr, {"tsda", e.name}, "tsda", e.input ? tr("spring, input") : tr("spring"));
        for (const auto& e : model->rsdas)
            add(nullptr, {"rsda", e.name}, "rsda",
                tr("on %1").arg(QString::fromStdString(model->bodies[static_cast<std::size_t>(e.body)].name)));
        const QString kinds[] = {tr("torque"), tr("speed"), tr("position"), tr("prescribed")};
        for (const auto& d : model->drives) add(nullptr, {"drive", d.name}, "drive", kinds[static_cast<int>(d.kind)]);
        auto bodyName = [&](int body) {
            return body == kBase ? std::string("base") : model->bodies[static_cast<std::size_t>(body)].name;
        };
        for (const auto& p : model->points)
            add(nullptr, {"poi", p.name}, "poi", tr("on %1").arg(QString::fromStdString(bodyName(p.point.body))));
        for (const auto& p : model->parameters)
            add(nullptr, {"param", p.name}, "param",
                QString::number(p.value, 'g', 5) + (p.unit.empty() ? "" : " " + QString::fromStdString(p.unit)) +
                    (p.live ? tr(", live") : ""));
        for (const auto& s : model->shapes) {
            QTreeWidgetItem* parent = s.body == kBase ? topLevelItem(0) : rows[static_cast<std::size_t>(s.body)];
            auto* row = add(parent, {"shape", s.name}, "shape", tr("shape"));
            row->setHidden(true);  // bodies read better without them; shown when selected
        }
        for (QTreeWidgetItemIterator it(this); *it; ++it)
            for (const auto& [item, fault] : faults)
                if ((*it)->data(0, kKindRole).toString().toStdString() == item.kind &&
                    (*it)->data(0, kNameRole).toString().toStdString() == item.name)
                    (*it)->setData(0, kFaultRole, std::max(fault, (*it)->data(0, kFaultRole).toInt()));
        expandAll();
        // Long chains step in less, so that their names keep their room.
        indent_ = std::clamp(80 / std::max(1, deepest), 4, 16);
        setIndentation(px(indent_));
        const auto n = model->bodies.size();
        QString text = n == 1 ? tr("1 body") : tr("%1 bodies").arg(n);
        if (const auto m = bench_.document().mobility()) text += " · " + tr("mobility %1").arg(m->mobility());
        emit note(text);
    } else {
        emit note(tr("nothing yet"));
    }
    quiet_ = false;
    showSelection();
}

void Outline::showSelection() {
    if (quiet_) return;
    quiet_ = true;
    clearSelection();
    for (QTreeWidgetItemIterator it(this); *it; ++it) {
        const Item item{(*it)->data(0, kKindRole).toString().toStdString(),
                        (*it)->data(0, kNameRole).toString().toStdString()};
        const bool selected = bench_.selection().contains(item);
        if (item.kind == "shape") (*it)->setHidden(!selected);
        if (!selected) continue;
        (*it)->setSelected(true);
        scrollToItem(*it);
    }
    quiet_ = false;
}

}  // namespace mw::app
