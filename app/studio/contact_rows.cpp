// Columns of the contact table; the snapshot is kept, never copied.
#include "app/studio/contact_rows.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "app/studio/style.h"
#include "engine/model/vectors.h"

namespace mw::app {
namespace {

const char* kindName(ContactReading::Kind kind) {
    switch (kind) {
        case ContactReading::Kind::pin: return "pin";
        case ContactReading::Kind::face: return "face";
        case ContactReading::Kind::ground: return "ground";
    }
    return "";
}

scene::Quantity quantityOf(ContactState state) {
    switch (state) {
        case ContactState::stick: return scene::Quantity::contact_stick;
        case ContactState::slip: return scene::Quantity::contact_slip;
        case ContactState::open: break;
    }
    return scene::Quantity::contact_open;
}

/// What a column sorts by and copies, SI.
double number(const ContactRow& c, int column) {
    switch (column) {
        case ContactRows::x: return c.point[0];
        case ContactRows::y: return c.point[1];
        case ContactRows::z: return c.point[2];
        case ContactRows::depth: return c.depth;
        case ContactRows::normal: return c.normal_force;
        case ContactRows::tangential: return c.tangential;
        case ContactRows::slip: return c.slip;
        case ContactRows::kind: return (c.shapes ? 4 : 0) + (c.kind == "pin" ? 0 : c.kind == "face" ? 1 : 2);
        case ContactRows::state: return static_cast<double>(c.state);
        default: return 0;
    }
}

QString shown(const ContactRow& c, int column) {
    switch (column) {
        case ContactRows::pair: return QString::fromStdString(c.id);
        case ContactRows::kind: return QString::fromStdString(c.kind);
        case ContactRows::state: return contactStateName(c.state);
        case ContactRows::depth: return QString::number(c.depth * 1e3, 'f', 2);
        case ContactRows::normal:
        case ContactRows::tangential: {
            const double force = number(c, column);
            if (std::isnan(force)) return "not computed";
            return QString::number(force, 'f', std::abs(force) < 100 ? 3 : 0);
        }
        case ContactRows::slip:
            if (std::isnan(c.slip)) return "not computed";
            return c.slip > 0 && c.slip < 1e-3 ? QString::number(c.slip, 'e', 1) : QString::number(c.slip, 'f', 3);
        default: return QString::number(number(c, column), 'f', 3);
    }
}

struct Head {
    const char *name, *copied, *tip;
};
constexpr Head kHeads[] = {
    {"pair", "pair", "Shoe or shape and what touches it. The force is the one on the first named."},
    {"kind", "kind",
     "pin on an end roller, face under a road wheel, pad corner on the ground; two shapes, a shape on the ground"},
    {"x, m", "x [m, base]", "Where the force acts, base axes"},
    {"y, m", "y [m, base]", "Where the force acts, base axes"},
    {"z, m", "z [m, base]", "Where the force acts, base axes"},
    {"depth, mm", "depth [m]",
     "Positive inside. Teeth and guides reach out of the rim, and shapes are looked at before they touch: there it is "
     "negative."},
    {"normal, N", "normal force [N]",
     "Along the normal. Bands: spring and damping, at this instant; shapes: average over the last step"},
    {"tangential, N", "tangential force [N]", "Size of friction; of a sprocket what its teeth give around the rim"},
    {"slip, m/s", "slip speed [m/s]", "Of the shoe's material against the other's, along the surface"},
    {"state", "state",
     "stick: as slow as friction's own creep, or inside the cone; slip: faster, or on the cone; of a sprocket's pin: "
     "nearer to its pocket, or to the tip"}};
static_assert(std::size(kHeads) == ContactRows::columns);

}  // namespace

double weightOf(const Model& model, const std::vector<double>& param, double* gravity) {
    double mass = 0, g = 0;
    for (const Body& b : model.bodies) mass += b.mass.at(param);
    for (const Number& n : model.gravity) g += n.at(param) * n.at(param);
    if (gravity) *gravity = std::sqrt(g);
    return mass * std::sqrt(g);
}

GroundLoad groundLoad(const Snapshot& s) {
    GroundLoad load;
    if (!s.model) return load;
    double g = 0;
    load.weight = weightOf(*s.model, s.inputs.param, &g);
    Vector3d force = s.readings.contact_totals.ground_force;
    if (s.readings.rows.valid)
        for (const ShapeContactReading& c : s.readings.rows.contacts)
            for (std::size_t i = 0; i < 3 && c.record.shape_a < 0; ++i) force[i] += c.force[i];
    for (std::size_t i = 0; i < 3 && g > 0; ++i) load.force -= force[i] * s.model->gravity[i].at(s.inputs.param) / g;
    return load;
}

int ContactRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int ContactRows::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

std::vector<ContactRow> contactRows(const Snapshot& snapshot) {
    std::vector<ContactRow> all;
    const Readings& r = snapshot.readings;
    all.reserve(r.contacts.size() + r.rows.contacts.size());
    for (const ContactReading& c : r.contacts) {
        ContactRow row;
        row.id = c.id, row.kind = kindName(c.kind);
        row.a = c.a, row.b = c.b, row.track = c.track;
        row.ground = c.kind == ContactReading::Kind::ground;
        row.point = c.point, row.normal = c.normal;
        row.depth = c.depth, row.normal_force = c.normal_force;
        row.tangential = norm(c.friction), row.slip = norm(c.slip);
        row.state = c.state;
        all.push_back(std::move(row));
    }
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    for (const ShapeContactReading& c : r.rows.contacts) {
        ContactRow row;
        row.ground = c.record.shape_a < 0;
        row.id = c.id, row.kind = row.ground ? "shape, ground" : "shapes";
        row.a = c.record.a, row.b = c.record.b;
        row.shapes = true;
        row.point = c.record.point, row.normal = c.record.normal;
        row.depth = -c.record.gap;
        const bool known = r.rows.valid;
        row.normal_force = known ? c.normal_force : unknown;
        row.tangential = known ? norm(c.friction) : unknown;
        row.slip = known ? norm(c.slip) : unknown;
        row.state = known ? c.state : ContactState::open;
        all.push_back(std::move(row));
    }
    return all;
}

const ContactRow* ContactRows::at(int row) const {
    if (!snapshot_ || row < 0 || row >= rowCount()) return nullptr;
    return &all_[static_cast<std::size_t>(order_[static_cast<std::size_t>(row)])];
}

int ContactRows::rowOf(const std::string& id) const {
    for (int row = 0; row < rowCount(); ++row)
        if (at(row)->id == id) return row;
    return -1;
}

QVariant ContactRows::data(const QModelIndex& index, int role) const {
    const ContactRow* c = at(index.row());
    if (!c) return {};
    const int column = index.column();
    const bool words = column == pair || column == kind || column == state;
    switch (role) {
        case Qt::DisplayRole: return shown(*c, column);
        case Qt::TextAlignmentRole:
            return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::FontRole: return words ? QVariant() : QVariant(Style::get().monoFont());
        case Qt::ForegroundRole:
            if (column == normal) return Style::get().quantity(scene::Quantity::normal);
            if (column == tangential) return Style::get().quantity(scene::Quantity::friction);
            if (column == kind) return tokens().secondary;
            return {};
        case Qt::DecorationRole: {
            if (column != state) return {};
            // Shape beside colour: a disc sticks, a square slips, a ring is open.
            const int side = px(9);
            const double ratio = 2;
            QPixmap mark(static_cast<int>(side * ratio), static_cast<int>(side * ratio));
            mark.setDevicePixelRatio(ratio);
            mark.fill(Qt::transparent);
            QPainter p(&mark);
            p.setRenderHint(QPainter::Antialiasing);
            const QColor color = Style::get().quantity(quantityOf(c->state));
            const QRectF box(1, 1, side - 2, side - 2);
            p.setPen(QPen(color, 1.5));
            if (c->state != ContactState::open) p.setBrush(color);
            if (c->state == ContactState::slip) p.drawRect(box);
            else p.drawEllipse(box);
            return mark;
        }
        default: return {};
    }
}

QVariant ContactRows::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columns) return {};
    const bool words = section == pair || section == kind || section == state;
    if (role == Qt::DisplayRole) return tr(kHeads[section].name);
    if (role == Qt::ToolTipRole) return tr(kHeads[section].tip);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

void ContactRows::sort(int column, Qt::SortOrder order) {
    sorted_ = column;
    direction_ = order;
    arrange();
}

void ContactRows::show(std::shared_ptr<const Snapshot> snapshot, const Filter& filter) {
    // Names of the rows that somebody holds on to are taken before the old snapshot goes.
    emit layoutAboutToBeChanged();
    const QModelIndexList from = persistentIndexList();
    std::vector<std::string> names;
    for (const QModelIndex& index : from) {
        const ContactRow* c = at(index.row());
        names.push_back(c ? c->id : std::string());
    }
    snapshot_ = std::move(snapshot);
    all_ = snapshot_ ? contactRows(*snapshot_) : std::vector<ContactRow>{};
    filter_ = filter;
    order_ = wanted();
    if (!from.isEmpty()) {
        std::unordered_map<std::string, int> rows;
        for (int row = 0; row < rowCount(); ++row) rows.emplace(at(row)->id, row);
        QModelIndexList to;
        for (qsizetype i = 0; i < from.size(); ++i) {
            const auto found = rows.find(names[static_cast<std::size_t>(i)]);
            to << (found == rows.end() ? QModelIndex() : createIndex(found->second, from[i].column()));
        }
        changePersistentIndexList(from, to);
    }
    emit layoutChanged();
}

void ContactRows::arrange() { show(std::shared_ptr(snapshot_), Filter(filter_)); }

std::vector<int> ContactRows::wanted() const {
    std::vector<int> order;
    if (!snapshot_ || !snapshot_->model) return order;
    const std::vector<ContactRow>& all = all_;
    std::set<int> bodies, tracks;
    std::set<std::string> names;
    bool ground = false;
    for (const Item& item : filter_.selected) {
        if (item.kind == "contact") names.insert(item.name);
        else if (item.kind == "track") tracks.insert(modelIndex(*snapshot_->model, item));
        else if (item.kind == "ground") ground = true;
        else if (const int body = bodyOf(*snapshot_->model, item); body >= 0) bodies.insert(body);
    }
    order.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const ContactRow& c = all[i];
        const bool on_ground = c.ground;
        if (filter_.which == Which::bands && (on_ground || c.shapes)) continue;
        if (filter_.which == Which::ground && !on_ground) continue;
        if (filter_.which == Which::shapes && !c.shapes) continue;
        if (filter_.state >= 0 && static_cast<int>(c.state) != filter_.state) continue;
        if (filter_.only_selection && !names.count(c.id) && !(c.track >= 0 && tracks.count(c.track)) &&
            !bodies.count(c.b) && !(c.a >= 0 && bodies.count(c.a)) && !(ground && on_ground))
            continue;
        order.push_back(static_cast<int>(i));
    }
    const bool down = direction_ == Qt::DescendingOrder;
    if (sorted_ == pair) {
        if (down) std::reverse(order.begin(), order.end());
    } else {
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            const double left = number(all[static_cast<std::size_t>(a)], sorted_);
            const double right = number(all[static_cast<std::size_t>(b)], sorted_);
            return down ? left > right : left < right;
        });
    }
    return order;
}

QString ContactRows::text(const std::vector<int>& rows) const {
    QStringList lines, cells;
    for (const Head& head : kHeads) cells << head.copied;
    lines << cells.join('\t');
    for (const int row : rows) {
        const ContactRow* c = at(row);
        if (!c) continue;
        cells.clear();
        for (int column = 0; column < columns; ++column)
            cells << (column == pair || column == kind || column == state
                          ? shown(*c, column)
                          : QString::number(number(*c, column), 'g', 10));
        lines << cells.join('\t');
    }
    return lines.join('\n') + '\n';
}

}  // namespace mw::app
