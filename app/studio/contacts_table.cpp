// A table over the snapshot's readings: drawn at most ten times a second, and only while somebody sees it.
#include "app/studio/contacts_table.h"

#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/studio/contact_rows.h"
#include "app/studio/dock.h"
#include "app/studio/force_trace.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/model/meetings.h"

namespace mw::app {
namespace {

/// Some shape can meet another or the ground.
bool canTouch(const Model& model) {
    const Meetings meetings(model);
    const int count = static_cast<int>(model.shapes.size());
    for (int a = 0; a < count; ++a) {
        if (model.shapes[static_cast<std::size_t>(a)].material < 0) continue;
        if (meetings.ground(a)) return true;
        for (int b = a + 1; b < count; ++b)
            if (meetings.pair(a, b)) return true;
    }
    return false;
}

}  // namespace

ContactsTable::ContactsTable(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("contacts");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 12, 4);
    head->setSpacing(4);
    which_ = new QButtonGroup(this);
    const std::pair<QString, QString> kinds[] = {
        {tr("All"), tr("Bands, ground and shapes")},
        {tr("Bands"), tr("Shoes on rollers: pins and faces")},
        {tr("Ground"), tr("Corners of pads and shapes on the ground")},
        {tr("Shapes"), tr("Shapes that collide, with each other or the ground")}};
    for (int i = 0; i < 4; ++i) {
        auto* button = new QPushButton(kinds[i].first, this);
        button->setObjectName(QString("contacts.which.%1").arg(i));
        button->setProperty("segment", true);
        button->setCheckable(true);
        button->setChecked(i == 0);
        button->setToolTip(kinds[i].second);
        which_->addButton(button, i);
        head->addWidget(button);
    }
    state_ = new QComboBox(this);
    state_->setObjectName("contacts.state");
    state_->setAccessibleName(tr("State"));
    state_->setToolTip(tr("Only contacts in this state"));
    state_->addItem(tr("Any state"), -1);
    for (const ContactState s : {ContactState::stick, ContactState::slip, ContactState::open})
        state_->addItem(contactStateName(s), static_cast<int>(s));
    only_ = new QPushButton(tr("Only selection"), this);
    only_->setObjectName("contacts.only");
    only_->setProperty("segment", true);
    only_->setCheckable(true);
    only_->setToolTip(tr("Contacts of the selected shoe, roller, band or ground"));
    note_ = roleLabel({}, "secondary", this);
    note_->setObjectName("contacts.note");
    note_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    note_->setMinimumWidth(10);
    head->addSpacing(4);
    head->addWidget(state_);
    head->addSpacing(4);
    head->addWidget(only_);
    head->addWidget(note_, 1);
    column->addLayout(head);
    column->addWidget(thinLine(this));

    rows_ = new ContactRows(this);
    table_ = new QTableView(this);
    table_->setObjectName("contacts.table");
    table_->setAccessibleName(tr("Contacts"));
    table_->setModel(rows_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setSectionsMovable(true);
    table_->horizontalHeader()->setSortIndicator(ContactRows::pair, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    auto* body = new QHBoxLayout;
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addWidget(table_, 1);
    empty_ = roleLabel({}, "secondary", this);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    body->addWidget(empty_, 1);
    trace_ = new ForceTrace(bench_, this);
    trace_->hide();
    body->addWidget(trace_);
    column->addLayout(body, 1);

    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &ContactsTable::refresh);
    connect(which_, &QButtonGroup::idClicked, this, &ContactsTable::refresh);
    connect(state_, &QComboBox::currentIndexChanged, this, &ContactsTable::refresh);
    connect(only_, &QPushButton::toggled, this, &ContactsTable::refresh);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (!following_ && current.isValid()) choose(current.row());
            });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) { choose(index.row()); });
    connect(table_, &QTableView::doubleClicked, this, &ContactsTable::pairWanted);
    connect(table_, &QTableView::customContextMenuRequested, this, &ContactsTable::menuAt);
    auto* copies = new QShortcut(QKeySequence::Copy, table_, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(copies, &QShortcut::activated, this, [this] { copy(false); });
    connect(&bench_, &Workbench::snapshotChanged, this, &ContactsTable::wake);
    connect(&bench_, &Workbench::builtChanged, this, &ContactsTable::wake);
    connect(&bench_, &Workbench::selectionChanged, this, &ContactsTable::followSelection);
    connect(&Style::get(), &Style::changed, this, &ContactsTable::followStyle);
    followStyle();
}

void ContactsTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
    followSelection();
}

void ContactsTable::wake() {
    const auto s = bench_.snapshot();
    if (!isVisible() || !s || (s->serial == drawn_ && bench_.built())) return;
    if (later_.isActive()) return;
    const qint64 since = drawn_at_.isValid() ? drawn_at_.elapsed() : 1000;
    if (since >= 100) refresh();
    else later_.start(static_cast<int>(100 - since));
}

// Which of the four it is when there are no rows: a value, not computed, unavailable, invalid. Empty: there are rows.
QString ContactsTable::whyEmpty() const {
    const auto s = bench_.snapshot();
    if (!s || !s->model) return tr("Not computed: there is no mechanism yet. It comes when the text has no errors.");
    if (s->model->tracks.empty() && !canTouch(*s->model))
        return s->model->ground
                   ? tr("Unavailable: nothing of this mechanism touches the ground. A track would, or a shape with "
                        "`collide MATERIAL`.")
                   : tr("Unavailable: nothing of this mechanism can touch. Tracks on rollers and ground do, and shapes "
                        "with `collide MATERIAL`.");
    const Vector3d& total = s->readings.contact_totals.ground_force;
    if (!std::isfinite(total[0] + total[1] + total[2]))
        return tr("Invalid: the forces of this instant are not numbers. Step back to the last good one.");
    const std::size_t count = s->readings.contacts.size() + s->readings.rows.contacts.size();
    if (count == 0) return tr("Nothing touches at t = %1 s: no force, which is a value.").arg(s->state.t, 0, 'f', 3);
    if (rows_->rowCount() > 0) return {};
    if (only_->isChecked() && bench_.selection().empty())
        return tr("Nothing is selected. Click a shoe, a roller or a band in the view or the outline.");
    return tr("None of the %1 contacts passes the filters.").arg(count);
}

void ContactsTable::refresh() {
    if (!isVisible()) return;
    later_.stop();
    drawn_at_.start();
    const auto s = bench_.snapshot();
    drawn_ = s ? s->serial : 0;
    ContactRows::Filter filter;
    filter.which = static_cast<ContactRows::Which>(std::max(0, which_->checkedId()));
    filter.state = state_->currentData().toInt();
    filter.only_selection = only_->isChecked();
    if (filter.only_selection) filter.selected = bench_.selection().items();
    following_ = true;
    rows_->show(s, filter);
    following_ = false;
    const QString why = whyEmpty();
    empty_->setText(why);
    empty_->setVisible(!why.isEmpty());
    table_->setVisible(why.isEmpty());
    if (!s || !s->model || (s->model->tracks.empty() && !canTouch(*s->model))) {
        note_->clear();
        return;
    }
    const auto all = s->readings.contacts.size() + s->readings.rows.contacts.size();
    const auto shown = static_cast<std::size_t>(rows_->rowCount());
    QStringList words;
    words << (shown == all ? tr("%1 contacts").arg(all) : tr("%1 of %2 contacts").arg(shown).arg(all));
    const GroundLoad load = groundLoad(*s);
    if (s->model->ground) {
        words << (load.weight > 1000 ? tr("ground %1 kN").arg(load.force / 1e3, 0, 'f', 1)
                                     : tr("ground %1 N").arg(load.force, 0, 'f', 2));
        if (load.weight > 0) words << tr("%1 of the weight").arg(load.force / load.weight, 0, 'f', 3);
    }
    words << tr("t = %1 s").arg(s->state.t, 0, 'f', 3);
    note_->setText(words.join(" · "));
    // A contact that was away and is back is the selected one again.
    const Item item = bench_.selected();
    if (item.kind != "contact") return;
    const int row = rows_->rowOf(item.name);
    if (row < 0 || table_->selectionModel()->isRowSelected(row, {})) return;
    following_ = true;
    table_->selectionModel()->setCurrentIndex(rows_->index(row, 0),
                                              QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    following_ = false;
}

void ContactsTable::followSelection() {
    if (!isVisible() || following_) return;
    if (only_->isChecked()) refresh();
    const Item item = bench_.selected();
    const int row = item.kind == "contact" ? rows_->rowOf(item.name) : -1;
    following_ = true;
    if (row < 0) {
        table_->clearSelection();
        table_->setCurrentIndex({});
    } else if (!table_->selectionModel()->isRowSelected(row, {})) {
        table_->selectionModel()->setCurrentIndex(rows_->index(row, 0),
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        table_->scrollTo(rows_->index(row, 0));
    }
    following_ = false;
}

void ContactsTable::choose(int row) {
    const ContactRow* c = rows_->at(row);
    if (!c) return;
    const Item item{"contact", c->id};
    if (bench_.selected() == item) return;
    following_ = true;  // the row is selected already, perhaps with others
    bench_.select(item);
    following_ = false;
    // Of what the filter leaves, the chosen one alone would stay: the next look is at the new selection.
    if (only_->isChecked()) later_.start(0);
}

void ContactsTable::copy(bool all) {
    std::set<int> rows;
    if (all)
        for (int row = 0; row < rows_->rowCount(); ++row) rows.insert(row);
    else
        for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.insert(index.row());
    if (rows.empty()) return;
    QApplication::clipboard()->setText(rows_->text({rows.begin(), rows.end()}));
}

void ContactsTable::menuAt(const QPoint& at) {
    QMenu menu(this);
    menu.setObjectName("contacts.menu");
    const QModelIndex index = table_->indexAt(at);
    const ContactRow* c = rows_->at(index.row());
    if (c) {
        const std::string id = c->id;
        menu.addAction(tr("Plot its normal force from now on"), this, [this, id] {
            trace_->watch(id);
            trace_->show();
        });
        menu.addAction(tr("Show the pair"), this, &ContactsTable::pairWanted);
        menu.addSeparator();
        menu.addAction(tr("Copy"), QKeySequence::Copy, this, [this] { copy(false); });
    }
    menu.addAction(icon("table"), tr("Copy all rows"), this, [this] { copy(true); });
    menu.exec(table_->viewport()->mapToGlobal(at));
}

void ContactsTable::followStyle() {
    table_->verticalHeader()->setDefaultSectionSize(px(24));
    table_->verticalHeader()->setMinimumSectionSize(px(20));
    const int widths[] = {200, 64, 70, 70, 70, 88, 88, 104, 84, 76};
    for (int c = 0; c < ContactRows::columns; ++c) table_->setColumnWidth(c, px(widths[c]));
    table_->horizontalHeader()->setStretchLastSection(true);
    if (isVisible()) refresh();
}

}  // namespace mw::app
