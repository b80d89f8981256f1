// Generates the palette and the style sheet. Sizes are in pixels at scale 1 and pass through px(); colours come from
// the tokens.
#include "app/studio/style.h"

#include <QApplication>
#include <QHash>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace mw::app {
namespace {

QColor qt(const scene::Color& c) { return QColor::fromRgbF(c.r, c.g, c.b, c.a); }

QColor mix(const QColor& a, const QColor& b, double share_of_b) {
    auto channel = [&](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share_of_b)); };
    return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

/// Fusion without underlined letters in menus and without animations that redraw an idle window.
class QuietStyle : public QProxyStyle {
public:
    QuietStyle() : QProxyStyle(QStyleFactory::create("Fusion")) {}
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override {
        if (hint == SH_UnderlineShortcut || hint == SH_Widget_Animation_Duration) return 0;
        if (hint == SH_ToolTip_WakeUpDelay) return 500;
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
};

Tokens tokensOf(const scene::Theme& s) {
    using scene::Quantity;
    Tokens t;
    t.window = qt(s.window), t.panel = qt(s.panel), t.raised = qt(s.raised), t.border = qt(s.border);
    t.view_top = qt(s.view_top), t.view_bottom = qt(s.view_bottom);
    t.text = qt(s.text), t.secondary = qt(s.text_secondary), t.accent = qt(s.accent);
    t.good = qt(s.good), t.caution = qt(s.caution), t.bad = qt(s.bad), t.halo = qt(s.halo);
    t.hover = qt(s.hover), t.selected = qt(s.selected), t.on_accent = qt(s.on_accent);
    t.keyword = qt(s.syntax_keyword), t.number = qt(s.syntax_number), t.comment = qt(s.syntax_comment);
    t.string = qt(s.syntax_string), t.current_line = qt(s.current_line);
    return t;
}

}  // namespace

Style& Style::get() {
    static Style style;
    return style;
}

int Style::px(double at_scale_one) const { return static_cast<int>(std::lround(at_scale_one * scale_)); }

QFont Style::interfaceFont(double size, bool head) const {
    QFont font;
    font.setFamilies({QString::fromLatin1(scene::fontFamily(scene::Face::ui)), "DejaVu Sans"});
    font.setPixelSize(px(size));
    if (head) font.setWeight(QFont::DemiBold);
    return font;
}

QFont Style::monoFont(double size) const {
    QFont font;
    font.setFamilies({QString::fromLatin1(scene::fontFamily(scene::Face::mono)), "DejaVu Sans Mono"});
    font.setPixelSize(px(size));
    font.setStyleHint(QFont::Monospace);
    return font;
}

const scene::Theme& Style::theme() const {
    return scene::theme(dark_ ? scene::ThemeKind::dark : scene::ThemeKind::light);
}

QColor Style::quantity(scene::Quantity quantity) const { return qt(theme().quantity(quantity)); }

void Style::setDark(bool dark) {
    if (dark == dark_) return;
    dark_ = dark;
    apply();
}

void Style::setScale(double scale) {
    scale = std::clamp(scale, 0.75, 3.0);
    if (scale == scale_) return;
    scale_ = scale;
    apply();
}

void Style::install() {
    QApplication::setStyle(new QuietStyle);
    apply();
}

void Style::apply() {
    tokens_ = tokensOf(theme());
    const Tokens& t = tokens_;
    QPalette palette;
    palette.setColor(QPalette::Window, t.panel);
    palette.setColor(QPalette::WindowText, t.text);
    palette.setColor(QPalette::Base, t.panel);
    palette.setColor(QPalette::AlternateBase, t.raised);
    palette.setColor(QPalette::Text, t.text);
    palette.setColor(QPalette::Button, t.raised);
    palette.setColor(QPalette::ButtonText, t.text);
    palette.setColor(QPalette::BrightText, t.text);
    palette.setColor(QPalette::ToolTipBase, t.raised);
    palette.setColor(QPalette::ToolTipText, t.text);
    palette.setColor(QPalette::PlaceholderText, t.secondary);
    palette.setColor(QPalette::Link, t.accent);
    palette.setColor(QPalette::Highlight, t.selected);
    palette.setColor(QPalette::HighlightedText, t.text);
    palette.setColor(QPalette::Light, t.raised);
    palette.setColor(QPalette::Midlight, t.border);
    palette.setColor(QPalette::Mid, t.border);
    palette.setColor(QPalette::Dark, t.border);
    palette.setColor(QPalette::Shadow, t.window);
    const QColor faded = mix(t.secondary, t.panel, 0.35);
    for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faded);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
    QApplication::setFont(interfaceFont());
    QToolTip::setFont(interfaceFont(12));
    qApp->setStyleSheet(sheet());
    emit changed();
}

// Names in angle brackets are tokens, numbers with a trailing `u` pass through px().
QString Style::sheet() const {
    const Tokens& t = tokens_;
    static const char* kSheet = R"(
QMainWindow, QDialog, QMessageBox { background: <panel>; }
QWidget { color: <text>; }
QMainWindow::separator { background: <border>; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: <accent>; }
QDockWidget { border: none; }
QMenuBar { background: <window>; padding: 2u 6u; spacing: 2u; }
QMenuBar::item { background: transparent; padding: 4u 9u; border-radius: 6u; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: <raised>; }
QMenu { background: <raised>; border: 1px solid <border>; border-radius: 6u; padding: 4u; }
QMenu::item { padding: 5u 28u 5u 10u; border-radius: 4u; min-height: 16u; }
QMenu::icon { padding-left: 8u; }
QMenu::item:selected { background: <select>; }
QMenu::item:disabled { color: <faded>; }
QMenu::separator { height: 1px; background: <border>; margin: 4u 8u; }
QMenu::indicator { width: 14u; height: 14u; margin-left: 6u; }
QMenu::indicator:checked { image: url(:/icons/none); background: <accent>; border-radius: 3u; margin: 4u; width: 8u; height: 8u; }
QToolBar { background: <raised>; border: none; border-bottom: 1px solid <border>; spacing: 2u; padding: 5u 8u; }
QToolBar::separator { background: <border>; width: 1px; margin: 5u 6u; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6u; padding: 5u; }
QToolButton:hover { background: <hover>; }
QToolButton:pressed { background: <border>; }
QToolButton:checked { background: <selectsoft>; border-color: <border>; }
QToolButton:focus { border-color: <accent>; }
QToolButton::menu-indicator { image: none; }
QPushButton { background: <raised>; border: 1px solid <border>; border-radius: 6u; padding: 4u 12u; min-height: 16u; }
QPushButton:hover { border-color: <secondary>; }
QPushButton:pressed { background: <border>; }
QPushButton:focus { border-color: <accent>; }
QPushButton:default { border-color: <accent>; }
QPushButton:disabled { color: <faded>; }
QPushButton[segment="true"] { background: transparent; padding: 4u 8u; min-width: 56u; margin: 0 1u; }
QPushButton[segment="true"]:checked { background: <segment>; font-weight: 600; border-color: <secondary>; }
QPushButton[quiet="true"] { background: transparent; border-color: transparent; color: <accent>; padding: 2u 8u; }
QPushButton[quiet="true"]:hover { background: <hover>; }
QLineEdit, QComboBox, QDoubleSpinBox, QSpinBox { background: <window>; border: 1px solid <border>; border-radius: 6u; padding: 3u 7u; min-height: 16u; selection-background-color: <select>; }
QComboBox { background: <raised>; padding-right: 6u; }
QComboBox[flat="true"] { background: transparent; border-color: transparent; }
QComboBox[flat="true"]:hover { border-color: <border>; }
QLineEdit[flat="true"] { background: transparent; border-color: transparent; }
QLineEdit[flat="true"]:hover { border-color: <border>; }
QLineEdit:focus, QComboBox:focus, QDoubleSpinBox:focus, QSpinBox:focus, QLineEdit[flat="true"]:focus { border-color: <accent>; }
QLineEdit[wrong="true"] { border-color: <bad>; }
QComboBox::drop-down { border: none; width: 6u; }
QComboBox::down-arrow { image: none; }
QComboBox QAbstractItemView { background: <raised>; border: 1px solid <border>; padding: 4u; outline: 0; }
QCheckBox { spacing: 8u; }
QTreeView, QListView, QTableView, QTreeWidget, QListWidget, QTableWidget { background: <panel>; border: none; outline: 0; selection-background-color: <select>; selection-color: <text>; }
QTreeView::item, QListView::item, QTableView::item { min-height: 24u; padding: 0 4u; border: none; }
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover { background: <hover>; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: <select>; color: <text>; }
QHeaderView { background: <panel>; border: none; }
QHeaderView::section { background: <panel>; color: <secondary>; border: none; border-bottom: 1px solid <border>; padding: 3u 8u; font-weight: 400; }
QTableCornerButton::section { background: <panel>; border: none; }
QTabBar { background: <raised>; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: <secondary>; padding: 5u 10u 4u 10u; margin: 0 2u; border: none; border-bottom: 2u solid transparent; min-height: 16u; }
QTabBar::tab:first { margin-left: 8u; }
QTabBar::tab:hover { color: <text>; }
QTabBar::tab:selected { color: <text>; font-weight: 600; border-bottom-color: <accent>; }
QTabBar::tab:focus { color: <accent>; }
QScrollBar:vertical { background: transparent; width: 10u; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10u; margin: 0; }
QScrollBar::handle { background: <border>; border-radius: 3u; margin: 2u; min-height: 24u; min-width: 24u; }
QScrollBar::handle:hover { background: <secondary>; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { background: <raised>; color: <text>; border: 1px solid <border>; padding: 4u 6u; }
QStatusBar { background: <window>; border-top: 1px solid <border>; }
QStatusBar::item { border: none; }
QLabel { background: transparent; }
QLabel[role="secondary"] { color: <secondary>; }
QLabel[role="head"] { font-weight: 600; }
QLabel[role="title"] { font-size: 20u; font-weight: 600; }
QLabel[role="good"] { color: <good>; }
QLabel[role="bad"] { color: <bad>; }
QLabel[role="caution"] { color: <caution>; }
QWidget[role="dockhead"] { background: <raised>; border-bottom: 1px solid <border>; }
QWidget[role="runbar"] { background: <raised>; border-top: 1px solid <border>; border-bottom: 1px solid <border>; }
QWidget[role="panel"] { background: <panel>; }
QFrame[role="popup"] { background: <raised>; border: 1px solid <border>; border-radius: 6u; }
QFrame[role="line"] { background: <border>; border: none; max-height: 1px; min-height: 1px; }
QFrame[role="message"] { background: <raised>; border-bottom: 1px solid <border>; }
QFrame[role="message"][tone="bad"] { border-left: 3u solid <bad>; }
QFrame[role="message"][tone="caution"] { border-left: 3u solid <caution>; }
QFrame[role="message"][tone="info"] { border-left: 3u solid <accent>; }
QProgressBar { background: <window>; border: 1px solid <border>; border-radius: 4u; min-height: 6u; max-height: 6u; }
QProgressBar::chunk { background: <accent>; border-radius: 3u; }
QTextBrowser, QPlainTextEdit, QTextEdit { background: <panel>; border: none; selection-background-color: <select>; }
QSplitter::handle { background: <border>; }
QScrollArea { background: <panel>; border: none; }
QAbstractScrollArea::corner { background: <panel>; border: none; }
)";
    const QHash<QString, QColor> names{{"window", t.window},
                                       {"panel", t.panel},
                                       {"raised", t.raised},
                                       {"border", t.border},
                                       {"text", t.text},
                                       {"secondary", t.secondary},
                                       {"accent", t.accent},
                                       {"good", t.good},
                                       {"caution", t.caution},
                                       {"bad", t.bad},
                                       {"select", t.selected},
                                       {"selectsoft", mix(t.raised, t.accent, 0.16)},
                                       {"segment", mix(t.raised, t.text, dark_ ? 0.07 : 0.05)},
                                       {"hover", t.hover},
                                       {"faded", mix(t.secondary, t.panel, 0.35)}};
    const QString source = QString::fromLatin1(kSheet);
    QString out;
    out.reserve(source.size() * 2);
    for (qsizetype i = 0; i < source.size(); ++i) {
        const QChar c = source[i];
        if (c == '<') {
            const qsizetype end = source.indexOf('>', i);
            out += names.value(source.mid(i + 1, end - i - 1)).name();
            i = end;
        } else if (c.isDigit() && (i == 0 || !(source[i - 1].isLetterOrNumber() || source[i - 1] == '#'))) {
            qsizetype end = i;
            while (end < source.size() && source[end].isDigit()) ++end;
            const QString digits = source.mid(i, end - i);
            if (end < source.size() && source[end] == 'u') {
                out += QString::number(px(digits.toDouble())) + "px";
                i = end;
            } else {
                out += digits;
                i = end - 1;
            }
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace mw::app
