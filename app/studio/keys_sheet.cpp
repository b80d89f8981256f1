// Collects the shortcuts of all menu entries, and adds what the mouse does.
#include "app/studio/keys_sheet.h"

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QScrollArea>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

#include "app/panels/view_core.h"
#include "app/studio/dock.h"
#include "app/studio/style.h"

namespace mw::app {
namespace {

QString cap(const QString& key) {
    return QString("<span style='background:%1; font-family:\"JetBrains Mono\"'>&nbsp;%2&nbsp;</span>")
        .arg(tokens().border.name(), key.toHtmlEscaped());
}

struct Column {
    QGridLayout* grid;
    int row = 0;
    void head(const QString& text, QWidget* parent) {
        auto* label = roleLabel(text, "head", parent);
        label->setContentsMargins(0, row == 0 ? 0 : px(12), 0, px(2));
        grid->addWidget(label, row++, 0, 1, 2);
    }
    void line(const QString& what, const QString& keys, QWidget* parent) {
        grid->addWidget(roleLabel(what, "secondary", parent), row, 0);
        auto* label = new QLabel(keys, parent);
        label->setTextFormat(Qt::RichText);
        grid->addWidget(label, row++, 1);
    }
};

}  // namespace

KeysSheet::KeysSheet(const QMenuBar* menus, QWidget* parent) : QDialog(parent) {
    setObjectName("keys");
    setWindowTitle(tr("Keys and mouse"));
    auto* outer = new QVBoxLayout(this);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    auto* page = new QWidget;
    auto* columns = new QHBoxLayout(page);
    columns->setContentsMargins(px(20), px(16), px(20), px(16));
    columns->setSpacing(px(28));
    std::vector<Column> grids;
    for (int i = 0; i < 3; ++i) {
        auto* side = new QVBoxLayout;
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(px(18));
        grid->setVerticalSpacing(px(4));
        side->addLayout(grid);
        side->addStretch(1);
        columns->addLayout(side);
        grids.push_back({grid});
    }
    std::size_t at = 0;
    for (const QAction* menu : menus->actions()) {
        if (!menu->menu()) continue;
        QList<const QAction*> with_keys;
        QList<const QMenu*> open{menu->menu()};
        while (!open.isEmpty())
            for (const QAction* a : open.takeFirst()->actions()) {
                if (a->menu()) open.append(a->menu());
                if (!a->shortcuts().isEmpty()) with_keys.append(a);
            }
        if (with_keys.isEmpty()) continue;
        // The shortest column takes the next menu.
        at = 0;
        for (std::size_t i = 1; i < grids.size(); ++i)
            if (grids[i].row < grids[at].row) at = i;
        grids[at].head(QString(menu->text()).remove('&'), page);
        for (const QAction* a : with_keys) {
            QStringList keys;
            for (const QKeySequence& k : a->shortcuts()) keys << cap(k.toString(QKeySequence::NativeText));
            grids[at].line(QString(a->text()).remove('&').remove("…"), keys.join(" "), page);
        }
    }
    const auto shortest = [&]() -> Column& {
        return *std::min_element(grids.begin(), grids.end(),
                                 [](const Column& a, const Column& b) { return a.row < b.row; });
    };
    Column& driving = shortest();
    driving.head(tr("Driving a vehicle on bands, in the view"), page);
    driving.line(tr("begin, end"), cap("K"), page);
    driving.line(tr("forward"), cap("W") + " " + cap(tr("Up")), page);
    driving.line(tr("back"), cap("S") + " " + cap(tr("Down")), page);
    driving.line(tr("turn left, right"), cap("A") + " " + cap("D"), page);
    driving.line(tr("faster"), cap(tr("Shift")), page);
    driving.line(tr("parking brake"), cap("B"), page);
    Column& mouse = shortest();
    // As the chosen habits have it.
    const QString habits = QSettings().value("view/mouse", "Blender").toString();
    const MousePreset preset = mousePresetFromName(habits.toStdString()).value_or(MousePreset::blender);
    mouse.head(tr("Mouse in the view, like %1").arg(habits), page);
    const std::pair<ViewDrag, QString> drags[] = {
        {ViewDrag::orbit, tr("orbit")}, {ViewDrag::pan, tr("pan")}, {ViewDrag::zoom, tr("zoom")}};
    const std::pair<PointerButton, QString> buttons[] = {{PointerButton::left, tr("left drag")},
                                                         {PointerButton::middle, tr("middle drag")},
                                                         {PointerButton::right, tr("right drag")}};
    for (const auto& [drag, what] : drags)
        for (const auto& [button, name] : buttons) {
            if (dragOf(preset, button, {}) == drag) {
                mouse.line(what, cap(name), page);
                break;
            }
            if (dragOf(preset, button, {true, false, false}) == drag) {
                mouse.line(what, cap(tr("Shift")) + " " + cap(name), page);
                break;
            }
        }
    mouse.line(tr("zoom towards the cursor"), cap(tr("wheel")), page);
    mouse.line(tr("look along an axis"), cap(tr("click its ball")), page);
    mouse.line(tr("select; again: what lies behind"), cap(tr("left click")), page);
    mouse.line(tr("add to the selection"), cap(tr("Ctrl")) + " " + cap(tr("left click")), page);
    mouse.line(tr("push a running body"), cap(tr("Ctrl")) + " " + cap(tr("left drag")), page);
    mouse.line(tr("turn a running body"), cap(tr("Ctrl")) + " " + cap(tr("right drag")), page);
    mouse.line(tr("move a site of the selected tendon"), cap(tr("left drag")), page);
    mouse.line(tr("menu"), cap(tr("right click")), page);
    Column& plot = shortest();
    plot.head(tr("Energy plot"), page);
    plot.line(tr("scrub the run"), cap(tr("drag the time line")), page);
    plot.line(tr("zoom, move, all"), cap(tr("wheel")) + " " + cap(tr("drag")) + " " + cap(tr("double click")), page);
    plot.line(tr("hide a line"), cap(tr("click its name")), page);
    Column& text = shortest();
    text.head(tr("Text"), page);
    text.line(tr("complete a word"), cap("Ctrl+Space"), page);
    text.line(tr("apply the fix of this line"), cap("Ctrl+."), page);
    scroll->setWidget(page);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    // As wide as its columns, as far as the window's screen allows.
    const int most = parent ? parent->width() - px(40) : px(1200);
    resize(std::clamp(page->sizeHint().width() + px(24), px(640), std::max(px(640), most)), px(660));
}

}  // namespace mw::app
