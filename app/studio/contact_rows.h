// The contacts of a snapshot as rows of a table: filtered, sorted by any column, nothing computed anew. Rows are
// known by the contact's name, so that a selection stays on its contact while rows come and go.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "app/document/selection.h"
#include "app/live/runner.h"

namespace mw::app {

/// One row: a contact of a band or the ground by the penalty laws, or one of two shapes by the rows of the last step.
struct ContactRow {
    std::string id, kind;
    int a = kBase, b = kBase, track = -1;
    bool ground = false, shapes = false;
    Vector3d point{}, normal{};
    double depth = 0;         ///< m, positive inside
    double normal_force = 0;  ///< N; not a number: not computed
    double tangential = 0, slip = 0;
    ContactState state = ContactState::open;
};
/// All of a snapshot: bands and ground first, then shapes, whose forces are those of the last step.
std::vector<ContactRow> contactRows(const Snapshot& snapshot);

class ContactRows : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { pair, kind, x, y, z, depth, normal, tangential, slip, state, columns };
    enum class Which { all, bands, ground, shapes };
    struct Filter {
        Which which = Which::all;
        int state = -1;               ///< a ContactState; -1: any
        bool only_selection = false;  ///< contacts of `selected`
        std::vector<Item> selected;
    };

    using QAbstractTableModel::QAbstractTableModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

    void show(std::shared_ptr<const Snapshot> snapshot, const Filter& filter);
    const ContactRow* at(int row) const;
    int rowOf(const std::string& id) const;  ///< -1: not shown
    /// Lines for the clipboard: a head with units and every digit, cells apart by tabs.
    QString text(const std::vector<int>& rows) const;

private:
    void arrange();
    std::vector<int> wanted() const;
    std::shared_ptr<const Snapshot> snapshot_;
    Filter filter_;
    std::vector<ContactRow> all_;
    std::vector<int> order_;  ///< of all_
    int sorted_ = pair;
    Qt::SortOrder direction_ = Qt::AscendingOrder;
};

/// Share of the ground in carrying the mechanism.
struct GroundLoad {
    double force = 0;   ///< N, against gravity
    double weight = 0;  ///< N; 0 without gravity
};
GroundLoad groundLoad(const Snapshot& snapshot);
double weightOf(const Model& model, const std::vector<double>& param, double* gravity = nullptr);

}  // namespace mw::app
