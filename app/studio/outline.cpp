// Builds the tree from the model of the present text (or the last good one) and keeps the selection in step.
#include "app/studio/outline.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/track/expand.h"

namespace mw::app {
namespace {

constexpr int kKindRole = Qt::UserRole;
constexpr int kNameRole = Qt::UserRole + 1;
constexpr int kTextRole = Qt::UserRole + 2;
constexpr int kFaultRole = Qt::UserRole + 3;  // 0 none, 1 warning, 2 error
constexpr int kIconRole = Qt::UserRole + 4;
constexpr int kShortRole = Qt::UserRole + 5;  // the kind where there is little room
constexpr int kAgainRole = Qt::UserRole + 6;  // shows an item that has another row of its own
constexpr int kFoldRole = Qt::UserRole + 8;   // has rows under it that fold
constexpr int kShoesRole = Qt::UserRole + 7;  // the row whose children are a band's shoes, made when first unfolded

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

QString groundText(const Ground& ground) {
    QStringList parts;
    const auto several = [&](std::size_t n, const QString& one, const QString& many) {
        if (n) parts << (n == 1 ? one : QString("%1 %2").arg(n).arg(many));
    };
    if (ground.grid || !ground.grid_file.empty()) parts << QObject::tr("grid");
    several(ground.waves.size(), QObject::tr("wave"), QObject::tr("waves"));
    several(ground.steps.size(), QObject::tr("step"), QObject::tr("steps"));
    several(ground.bumps.size(), QObject::tr("bump"), QObject::tr("bumps"));
    return parts.isEmpty() ? QObject::tr("plane") : parts.join(", ");
}

/// Written bodies: those that are no shoes.
std::size_t writtenBodies(const Model& model) {
    std::size_t shoes = 0;
    for (const Track& t : model.tracks)
        if (t.first_shoe >= 0) shoes += static_cast<std::size_t>(t.shoes);
    return model.bodies.size() - shoes;
}

bool isClosure(const Model& model, std::size_t loop) {
    return std::any_of(model.tracks.begin(), model.tracks.end(),
                       [&](const Track& t) { return t.closure == static_cast<int>(loop); });
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
        int x = option.rect.left() + px(15);
        if (index.data(kFoldRole).toBool()) {
            const bool open = option.state & QStyle::State_Open;
            const double size = px(3), cx = x - px(6.5), cy = option.rect.center().y() + 0.5;
            p->setPen(QPen(t.secondary, px(1) * 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            p->setBrush(Qt::NoBrush);
            if (open)
                p->drawPolyline(
                    QPolygonF({{cx - size, cy - size / 2}, {cx, cy + size / 2}, {cx + size, cy - size / 2}}));
            else
                p->drawPolyline(
                    QPolygonF({{cx - size / 2, cy - size}, {cx + size / 2, cy}, {cx - size / 2, cy + size}}));
        }
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

/// What a tendon is, in a word or two.
QString tendonText(const Tendon& tendon) {
    if (tendon.off) return QObject::tr("off");
    if (tendon.fixed) return QObject::tr("fixed, %1 joints").arg(tendon.terms.size());
    const auto guides = std::count_if(tendon.path.begin(), tendon.path.end(),
                                      [](const PathElement& element) { return element.isGuide(); });
    const QString kind = tendon.muscle ? QObject::tr("muscle") : QObject::tr("tendon");
    return guides == 0   ? kind
           : guides == 1 ? QObject::tr("%1, 1 guide").arg(kind)
                         : QObject::tr("%1, %2 guides").arg(kind).arg(guides);
}

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
        // A row that stood for something of its own (a band for its shoe) is chosen itself by a click.
        if (row->isSelected() && selectedItems().size() == 1 && bench_.selected() != item) {
            quiet_ = true;
            bench_.select(item);
            quiet_ = false;
        }
        if (const auto range = nameRange(bench_.document().tree(), item)) bench_.requestGoTo(*range);
    });
    connect(this, &QTreeWidget::itemDoubleClicked, this, [this] { emit frameRequested(); });
    connect(this, &QTreeWidget::itemExpanded, this, [this](QTreeWidgetItem* row) {
        makeShoes(row);
        if (quiet_ || row->childCount() == 0) return;
        // What has come out is seen, the row itself above all; once the tree has laid it out.
        QMetaObject::invokeMethod(
            this,
            [this, row = QPersistentModelIndex(indexFromItem(row))] {
                if (!row.isValid()) return;
                scrollTo(model()->index(model()->rowCount(row) - 1, 0, row));
                scrollTo(row);
            },
            Qt::QueuedConnection);
    });
    rebuild();
}

/// Enter folds and unfolds: the arrow keys step the run, here as everywhere.
void Outline::keyPressEvent(QKeyEvent* event) {
    QTreeWidgetItem* row = currentItem();
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && row && row->data(0, kFoldRole).toBool())
        return row->setExpanded(!row->isExpanded());
    QTreeWidget::keyPressEvent(event);
}

/// The arrow before a row folds and unfolds; anywhere else a press selects.
void Outline::mousePressEvent(QMouseEvent* event) {
    QTreeWidgetItem* row = itemAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && row && row->data(0, kFoldRole).toBool()) {
        const int from = visualItemRect(row).left();
        const double x = event->position().x();
        if (x >= from - px(4) && x < from + px(16)) {
            row->setExpanded(!row->isExpanded());
            return;
        }
    }
    QTreeWidget::mousePressEvent(event);
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

/// Of the present text; where its loops are left to the proof, of the mechanism that was built from it.
std::optional<int> Outline::mobility() const {
    if (const auto m = bench_.document().mobility()) return m->mobility();
    const auto built = bench_.built();
    const auto& read = bench_.document().read();
    if (!built || !read.ok() || built->model->bodies.size() != read.model.bodies.size()) return std::nullopt;
    const Layout layout = layoutOf(read.model);
    // What was built has loops whose rows are independent, else it would not have been.
    return dynamicsHash(*built->model) == dynamicsHash(read.model) ? std::optional(layout.nv - layout.nc)
                                                                   : std::nullopt;
}

/// A row a band: its rollers, its shoes (made when they are asked for), and what closes it; the ground behind them.
void Outline::addTracks(const Model& model) {
    for (const Track& track : model.tracks) {
        const Item item{"track", track.name};
        QTreeWidgetItem* row = add(nullptr, item, "track", tr("%1 shoes").arg(track.shoes));
        for (const Track::Roller& roller : track.rollers) {
            if (roller.body < 0 || static_cast<std::size_t>(roller.body) >= model.bodies.size()) continue;
            const QString kind = roller.driven ? tr("sprocket, %1 teeth").arg(roller.teeth)
                                 : roller.end  ? tr("end roller")
                                               : tr("road wheel");
            QTreeWidgetItem* child = add(row, {"body", model.bodies[static_cast<std::size_t>(roller.body)].name},
                                         roller.driven ? "gear" : "revolute", kind);
            if (roller.driven) child->setData(0, kShortRole, tr("sprocket"));
            child->setData(0, kAgainRole, true);
        }
        if (track.first_shoe < 0) continue;
        QTreeWidgetItem* shoes = add(row, item, "body", QString::number(track.shoes));
        shoes->setText(0, tr("shoes"));
        shoes->setData(0, kAgainRole, true);
        shoes->setData(0, kShoesRole, true);
        shoes->setData(0, Qt::AccessibleTextRole, tr("%1 shoes of %2").arg(track.shoes).arg(row->text(0)));
        shoes->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
        if (track.closure < 0) continue;
        const Loop& loop = model.loops[static_cast<std::size_t>(track.closure)];
        QTreeWidgetItem* closure = add(row, {"loop", loop.name}, "loop",
                                       QString("%1 %2").arg(loopTypeName(loop.type)).arg(loopRows(loop.type)));
        closure->setText(0, tr("closure"));
    }
    if (model.ground) add(nullptr, {"ground", "ground"}, "ground", groundText(*model.ground));
}

void Outline::makeShoes(QTreeWidgetItem* row) {
    const Model* model = bench_.model();
    if (!row->data(0, kShoesRole).toBool() || row->childCount() > 0 || !model) return;
    const int index = modelIndex(*model, {"track", row->data(0, kNameRole).toString().toStdString()});
    if (index < 0) return;
    const Track& track = model->tracks[static_cast<std::size_t>(index)];
    for (int i = 0; i < track.shoes && track.first_shoe >= 0; ++i) {
        const Body& shoe = model->bodies[static_cast<std::size_t>(track.first_shoe + i)];
        add(row, {"body", shoe.name}, jointIcon(shoe.joint.type), jointText(shoe.joint))
            ->setText(0, tr("shoe %1").arg(i));
    }
    if (!quiet_) showSelection();
}

void Outline::rebuild() {
    const Model* model = bench_.model();
    const auto& diagnostics = bench_.document().read().diagnostics;
    const auto& tree = bench_.document().tree();

    // Rebuilding only when something that is shown changed keeps scroll position and hover calm while typing.
    QString signature;
    if (model) {
        for (std::size_t i = 0; i < model->bodies.size(); ++i) {
            const Body& b = model->bodies[i];
            if (shoePlaceOf(*model, static_cast<int>(i)).track >= 0) continue;
            signature += QString::fromStdString(b.name) + ":" + QString::number(b.parent) + jointText(b.joint) + "|";
        }
        for (const auto& e : model->tracks) {
            signature +=
                "k" + QString::fromStdString(e.name) + QString::number(e.shoes) + "@" + QString::number(e.first_shoe);
            for (const auto& r : e.rollers)
                signature += "," + QString::number(r.body) + (r.driven ? "d" : "") + (r.end ? "e" : "") +
                             QString::number(r.radius);
        }
        if (model->ground) signature += "g" + groundText(*model->ground);
        for (const auto& e : model->loops)
            signature += "l" + QString::fromStdString(e.name) + QString::number(int(e.type));
        for (const auto& e : model->tsdas) signature += "t" + QString::fromStdString(e.name);
        for (const auto& e : model->rsdas) signature += "r" + QString::fromStdString(e.name) + QString::number(e.body);
        for (const auto& e : model->drives)
            signature += "d" + QString::fromStdString(e.name) + QString::number(int(e.kind));
        for (const auto& e : model->tendons) signature += "n" + QString::fromStdString(e.name) + tendonText(e);
        for (const auto& e : model->couplings) signature += "c" + QString::fromStdString(e.name) + (e.off ? "o" : "");
        for (const auto& e : model->materials) signature += "a" + QString::fromStdString(e.name);
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
    if (const auto m = mobility()) signature += "=" + QString::number(*m);
    if (signature == signature_ && topLevelItemCount() > 0) return;
    signature_ = signature;
    quiet_ = true;
    QStringList unfolded;
    for (QTreeWidgetItemIterator it(this); *it; ++it)
        if ((*it)->isExpanded() && (*it)->data(0, kKindRole).toString() == "track")
            unfolded << (*it)->data(0, kNameRole).toString() + ((*it)->data(0, kShoesRole).toBool() ? "/shoes" : "");
    clear();
    if (model) {
        add(nullptr, {"body", "base"}, "base", tr("world"));
        std::vector<QTreeWidgetItem*> rows(model->bodies.size(), nullptr);
        int deepest = 0;
        for (const int i : model->order()) {
            if (shoePlaceOf(*model, i).track >= 0) continue;  // their track stands for them
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
        addTracks(*model);
        for (std::size_t i = 0; i < model->loops.size(); ++i) {
            const Loop& e = model->loops[i];
            if (!isClosure(*model, i))
                add(nullptr, {"loop", e.name}, "loop",
                    QString("%1 %2").arg(loopTypeName(e.type)).arg(loopRows(e.type)));
        }
        for (const auto& e : model->tsdas)
            add(nullptr, {"tsda", e.name}, "tsda", e.input ? tr("spring, input") : tr("spring"));
        for (const auto& e : model->rsdas)
            add(nullptr, {"rsda", e.name}, "rsda",
                tr("on %1").arg(QString::fromStdString(model->bodies[static_cast<std::size_t>(e.body)].name)));
        const QString kinds[] = {tr("torque"), tr("speed"), tr("position"), tr("prescribed")};
        for (const auto& d : model->drives) add(nullptr, {"drive", d.name}, "drive", kinds[static_cast<int>(d.kind)]);
        for (const auto& e : model->tendons) add(nullptr, {"tendon", e.name}, "tendon", tendonText(e));
        for (const auto& e : model->couplings) {
            const auto name = [&](int i) {
                return QString::fromStdString(model->tendons[static_cast<std::size_t>(i)].name);
            };
            if (e.first < 0) continue;
            add(nullptr, {"coupling", e.name}, "coupling",
                e.off          ? tr("off")
                : e.second < 0 ? tr("holds %1").arg(name(e.first))
                               : tr("%1 by %2").arg(name(e.first), name(e.second)));
        }
        for (const auto& e : model->materials)
            add(nullptr, {"material", e.name}, "material", tr("μ %1").arg(QString::number(e.values.mu.value, 'g', 3)));
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
        // Unfolded but for bands, whose rows are many; those that were unfolded stay so.
        for (QTreeWidgetItemIterator it(this); *it; ++it) {
            const QString kind = (*it)->data(0, kKindRole).toString();
            const bool band = kind == "track", shoes = (*it)->data(0, kShoesRole).toBool();
            const QString name = (*it)->data(0, kNameRole).toString() + (shoes ? "/shoes" : "");
            if (!band || unfolded.contains(name)) (*it)->setExpanded(true);
            // Shapes are seen only when selected; the base has no arrow, for it carries all.
            bool folds = shoes;
            for (int i = 0; i < (*it)->childCount() && kind != "shape"; ++i)
                folds = folds || (*it)->child(i)->data(0, kKindRole).toString() != "shape";
            (*it)->setData(0, kFoldRole, folds && (*it)->data(0, kNameRole).toString() != "base");
        }
        // Long chains step in less, so that their names keep their room.
        indent_ = std::clamp(80 / std::max(1, deepest), 4, 16);
        setIndentation(px(indent_));
        const auto n = writtenBodies(*model);
        QString text = n == 1 ? tr("1 body") : tr("%1 bodies").arg(n);
        if (n < model->bodies.size()) text += " · " + tr("%1 with shoes").arg(model->bodies.size());
        if (const auto m = mobility()) text += " · " + tr("mobility %1").arg(*m);
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
    const auto itemOfRow = [](const QTreeWidgetItem* row) {
        return Item{row->data(0, kKindRole).toString().toStdString(), row->data(0, kNameRole).toString().toStdString()};
    };
    const auto inSight = [](const QTreeWidgetItem* row) {
        for (row = row->parent(); row; row = row->parent())
            if (!row->isExpanded()) return false;
        return true;
    };
    std::vector<Item> found;
    for (QTreeWidgetItemIterator it(this); *it; ++it) {
        const Item item = itemOfRow(*it);
        const bool selected = bench_.selection().contains(item) && !(*it)->data(0, kAgainRole).toBool();
        if (item.kind == "shape") (*it)->setHidden(!selected);
        // A shoe of a folded band: its track stands for it.
        if (!selected || (writtenItem(item) != item && !inSight(*it))) continue;
        found.push_back(item);
        (*it)->setSelected(true);
        scrollToItem(*it);
    }
    for (const Item& item : bench_.selection().items()) {
        const Item written = writtenItem(item);
        if (written == item || std::find(found.begin(), found.end(), item) != found.end()) continue;
        for (QTreeWidgetItemIterator it(this); *it; ++it) {
            if (itemOfRow(*it) != written || (*it)->data(0, kAgainRole).toBool()) continue;
            (*it)->setSelected(true);
            scrollToItem(*it);
        }
    }
    quiet_ = false;
}

}  // namespace mw::app
