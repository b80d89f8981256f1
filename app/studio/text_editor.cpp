// Keeps Scintilla's buffer and the document equal, marks findings, completes words, and follows the selection.
#include "app/studio/text_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/completion.h"
#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/mech_lexer.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

constexpr int kErrorIndicator = 8, kWarningIndicator = 9, kInfoIndicator = 10;
constexpr int kErrorMark = 1, kWarningMark = 2, kSelectedMark = 3;
constexpr int kNumberMargin = 0, kMarkMargin = 1;

}  // namespace

DiagnosticPopup::DiagnosticPopup(QWidget* parent) : QFrame(parent, Qt::ToolTip) {
    setObjectName("diagnostic");
    setProperty("role", "popup");
    setAttribute(Qt::WA_ShowWithoutActivating);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    message_ = roleLabel({}, "head", this);
    message_->setWordWrap(true);
    more_ = roleLabel({}, "secondary", this);
    more_->setWordWrap(true);
    code_ = roleLabel({}, "secondary", this);
    fix_ = new QPushButton(tr("Fix"), this);
    fix_->setObjectName("diagnostic.fix");
    fix_->setFocusPolicy(Qt::NoFocus);
    auto* row = new QHBoxLayout;
    row->addWidget(code_, 1);
    row->addWidget(fix_);
    column->addWidget(message_);
    column->addWidget(more_);
    column->addLayout(row);
    connect(fix_, &QPushButton::clicked, this, [this] {
        hide();
        emit fixRequested();
    });
}

void DiagnosticPopup::offer(const Diagnostic& d, const QPoint& at) {
    message_->setText(QString::fromStdString(d.message));
    QStringList more;
    if (!d.expected.empty()) more << tr("Expected: %1").arg(QString::fromStdString(d.expected));
    if (!d.remedy.empty()) more << QString::fromStdString(d.remedy);
    more_->setText(more.join("\n"));
    more_->setVisible(!more.isEmpty());
    code_->setText(QString::fromStdString(d.code));
    fix_->setVisible(!d.fix.empty());
    fix_->setToolTip(tr("Ctrl+. at the caret does the same."));
    setFixedWidth(px(360));
    adjustSize();
    move(at);
    show();
}

void DiagnosticPopup::leaveEvent(QEvent*) { hide(); }

TextEditor::TextEditor(Workbench& bench, QWidget* parent)
    : QsciScintilla(parent),
      bench_(bench),
      lexer_(new MechLexer(this)),
      completion_(new CompletionPopup(this)),
      hover_(new DiagnosticPopup(this)) {
    setObjectName("text");
    setAccessibleName(tr("Text of the mechanism"));
    setFrameShape(QFrame::NoFrame);
    setUtf8(true);
    SendScintilla(SCI_SETUNDOCOLLECTION, 0UL);  // one undo stack: the document's
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setLexer(lexer_);
    setTabWidth(2);
    setIndentationsUseTabs(false);
    setAutoIndent(true);
    setBackspaceUnindents(false);
    setCaretLineVisible(true);
    setMarginType(kNumberMargin, NumberMargin);
    setMarginType(kMarkMargin, SymbolMargin);
    setMarginSensitivity(kMarkMargin, true);
    setMarginMarkerMask(kMarkMargin, (1 << kErrorMark) | (1 << kWarningMark));
    setMarginWidth(2, 0);
    indicatorDefine(SquiggleIndicator, kErrorIndicator);
    indicatorDefine(SquiggleIndicator, kWarningIndicator);
    indicatorDefine(DotsIndicator, kInfoIndicator);
    for (int indicator : {kErrorIndicator, kWarningIndicator, kInfoIndicator}) setIndicatorDrawUnder(false, indicator);
    markerDefine(Background, kSelectedMark);
    SendScintilla(SCI_SETCARETPERIOD, 0UL);  // a blinking caret would redraw the window twice a second
    SendScintilla(SCI_SETMOUSEDWELLTIME, 350);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1UL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1UL);
    SendScintilla(SCI_SETEXTRAASCENT, 2UL);
    SendScintilla(SCI_SETEXTRADESCENT, 2UL);
    SendScintilla(SCI_SETENDATLASTLINE, 0UL);
    setEolVisibility(false);
    // Undo and redo belong to the window's actions.
    for (int key :
         {int('Z') + (SCMOD_CTRL << 16), int('Y') + (SCMOD_CTRL << 16), int('Z') + ((SCMOD_CTRL | SCMOD_SHIFT) << 16)})
        SendScintilla(SCI_CLEARCMDKEY, static_cast<unsigned long>(key));

    caret_pause_.setSingleShot(true);
    caret_pause_.setInterval(120);
    connect(&caret_pause_, &QTimer::timeout, this, [this] {
        // The caret selects the item it stands in, so outline and view follow the text.
        if (!hasFocus()) return;
        const auto at = static_cast<std::size_t>(SendScintilla(SCI_GETCURRENTPOS));
        if (const auto item = itemAt(bench_.document().tree(), at)) bench_.select(*item);
    });
    connect(this, &QsciScintilla::textChanged, this, &TextEditor::edited);
    connect(this, &QsciScintilla::cursorPositionChanged, this, &TextEditor::caretMoved);
    connect(this, &QsciScintillaBase::SCN_DWELLSTART, this,
            [this](int position, int x, int y) { hoverDiagnostic(position, viewport()->mapToGlobal(QPoint(x, y))); });
    connect(this, &QsciScintilla::marginClicked, this, [this](int, int line, Qt::KeyboardModifiers) {
        const auto begin = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
        const auto end = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line));
        for (long at = begin; at <= end; ++at)
            if (const Diagnostic* d = diagnosticAt(static_cast<std::size_t>(at))) {
                hoverDiagnostic(static_cast<int>(d->range.begin), QCursor::pos());
                break;
            }
    });
    connect(hover_, &DiagnosticPopup::fixRequested, this,
            [this] { bench_.apply(hovered_.fix, tr("Fix: %1").arg(QString::fromStdString(hovered_.code))); });
    connect(completion_, &CompletionPopup::chosen, this, &TextEditor::complete);
    connect(&bench_, &Workbench::documentChanged, this, [this] {
        followDocument();
        showDiagnostics();
        showSelection();
    });
    connect(&bench_, &Workbench::documentReplaced, this, [this] {
        followDocument();
        SendScintilla(SCI_GOTOPOS, 0UL);
        SendScintilla(SCI_SETFIRSTVISIBLELINE, 0UL);
    });
    connect(&bench_, &Workbench::selectionChanged, this, &TextEditor::showSelection);
    connect(&bench_, &Workbench::goTo, this, &TextEditor::showRange);
    connect(&Style::get(), &Style::changed, this, &TextEditor::followStyle);
    followStyle();
    followDocument();
}

std::string TextEditor::bytes() const {
    const auto length = static_cast<std::size_t>(SendScintilla(SCI_GETLENGTH));
    std::string text(length + 1, '\0');
    SendScintilla(SCI_GETTEXT, length + 1, text.data());
    text.resize(length);
    return text;
}

void TextEditor::followStyle() {
    const Tokens& t = tokens();
    lexer_->refreshStyle();
    setLexer(lexer_);
    setCaretLineBackgroundColor(t.current_line);
    setCaretForegroundColor(t.text);
    setCaretWidth(std::max(1, px(2)));
    setMarginsBackgroundColor(t.panel);
    setMarginsForegroundColor(t.comment);
    QFont margin = Style::get().monoFont(11);
    margin.setPointSizeF(margin.pixelSize() * 72.0 / 96.0);
    setMarginsFont(margin);
    setMarginWidth(kNumberMargin, QString("00000"));
    setMarginWidth(kMarkMargin, px(14));
    SendScintilla(SCI_SETMARGINBACKN, static_cast<unsigned long>(kMarkMargin), t.panel);
    SendScintilla(SCI_SETMARGINTYPEN, static_cast<unsigned long>(kMarkMargin), static_cast<long>(SC_MARGIN_COLOUR));
    SendScintilla(SCI_SETMARGINBACKN, static_cast<unsigned long>(kMarkMargin), t.panel);
    setSelectionBackgroundColor(t.selected);
    resetSelectionForegroundColor();
    setIndicatorForegroundColor(t.bad, kErrorIndicator);
    setIndicatorForegroundColor(t.caution, kWarningIndicator);
    setIndicatorForegroundColor(t.secondary, kInfoIndicator);
    markerDefine(iconPixmap("error", t.bad, px(13), 1), kErrorMark);
    markerDefine(iconPixmap("warning", t.caution, px(13), 1), kWarningMark);
    QColor selected = t.accent;
    setMarkerBackgroundColor(selected, kSelectedMark);
    SendScintilla(SCI_SETEXTRAASCENT, static_cast<unsigned long>(px(2)));
    SendScintilla(SCI_SETEXTRADESCENT, static_cast<unsigned long>(px(2)));
    setPaper(t.panel);
}

// The smallest middle stretch that differs is replaced, so caret, scroll position and folding of the rest stay.
void TextEditor::followDocument() {
    const std::string now = bytes();
    const std::string& want = bench_.document().text();
    if (now == want) return;
    std::size_t head = 0;
    const std::size_t common = std::min(now.size(), want.size());
    while (head < common && now[head] == want[head]) ++head;
    std::size_t tail = 0;
    while (tail < common - head && now[now.size() - 1 - tail] == want[want.size() - 1 - tail]) ++tail;
    // Whole characters only.
    auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    while (head > 0 && ((head < want.size() && inside(want[head])) || (head < now.size() && inside(now[head])))) --head;
    while (tail > 0 && inside(want[want.size() - tail])) --tail;
    from_document_ = true;
    SendScintilla(SCI_SETTARGETRANGE, head, static_cast<long>(now.size() - tail));
    SendScintilla(SCI_REPLACETARGET, want.size() - tail - head, want.data() + head);
    from_document_ = false;
    const bool crlf = want.find("\r\n") != std::string::npos;
    setEolMode(crlf ? EolWindows : EolUnix);
    if (hasFocus()) SendScintilla(SCI_GOTOPOS, want.size() - tail);
    completion_->hide();
}

void TextEditor::edited() {
    if (from_document_) return;
    typed_ = true;
    bench_.type(bytes());
    typed_ = false;
    if (hasFocus()) offerCompletion(false);
}

void TextEditor::showDiagnostics() {
    const auto length = static_cast<long>(bench_.document().text().size());
    for (int indicator : {kErrorIndicator, kWarningIndicator, kInfoIndicator}) {
        SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
        SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, length);
    }
    markerDeleteAll(kErrorMark);
    markerDeleteAll(kWarningMark);
    for (const Diagnostic& d : bench_.document().read().diagnostics) {
        std::size_t begin = std::min<std::size_t>(d.range.begin, static_cast<std::size_t>(length));
        std::size_t end = std::min<std::size_t>(d.range.end, static_cast<std::size_t>(length));
        if (end <= begin) {  // a place between two characters: the one before it shows the mark
            end = std::min<std::size_t>(begin + 1, static_cast<std::size_t>(length));
            if (begin == end && begin > 0) --begin;
        }
        const int indicator = d.severity == Severity::error     ? kErrorIndicator
                              : d.severity == Severity::warning ? kWarningIndicator
                                                                : kInfoIndicator;
        SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(indicator));
        SendScintilla(SCI_INDICATORFILLRANGE, begin, static_cast<long>(end - begin));
        if (d.severity != Severity::info) {
            const int line = static_cast<int>(SendScintilla(SCI_LINEFROMPOSITION, begin));
            markerAdd(line, d.severity == Severity::error ? kErrorMark : kWarningMark);
        }
    }
}

const Diagnostic* TextEditor::diagnosticAt(std::size_t offset) const {
    const Diagnostic* best = nullptr;
    for (const Diagnostic& d : bench_.document().read().diagnostics) {
        const bool in = d.range.begin <= offset && offset <= std::max(d.range.end, d.range.begin + 1);
        if (in && (!best || static_cast<int>(d.severity) > static_cast<int>(best->severity))) best = &d;
    }
    return best;
}

void TextEditor::hoverDiagnostic(int position, const QPoint& at) {
    if (position < 0 || completion_->isVisible()) return;
    const Diagnostic* d = diagnosticAt(static_cast<std::size_t>(position));
    if (!d) return;
    hovered_ = *d;
    hover_->offer(*d, at + QPoint(-px(8), px(10)));
}

bool TextEditor::applyFixAtCaret() {
    int line = 0, index = 0;
    getCursorPosition(&line, &index);
    const auto begin = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const auto end = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line));
    for (const Diagnostic& d : bench_.document().read().diagnostics) {
        if (d.fix.empty()) continue;
        const auto at = static_cast<long>(d.range.begin);
        if (at < begin || at > end) continue;
        bench_.apply(d.fix, tr("Fix: %1").arg(QString::fromStdString(d.code)));
        return true;
    }
    return false;
}

void TextEditor::caretMoved() {
    const auto at = static_cast<std::size_t>(SendScintilla(SCI_GETCURRENTPOS));
    const LineColumn place = lineColumn(bench_.document().text(), at);
    emit note(tr("line %1, column %2").arg(place.line).arg(place.column));
    if (!from_document_) caret_pause_.start();
}

void TextEditor::showRange(std::size_t offset, std::size_t length) {
    const auto line = SendScintilla(SCI_LINEFROMPOSITION, offset);
    ensureLineVisible(static_cast<int>(line));
    SendScintilla(SCI_SETSEL, offset, static_cast<long>(offset + length));
    SendScintilla(SCI_SETXOFFSET, 0UL);
    SendScintilla(SCI_SCROLLCARET);
    const auto rows = SendScintilla(SCI_LINESONSCREEN);
    const auto first = SendScintilla(SCI_GETFIRSTVISIBLELINE);
    if (line < first + 2 || line > first + rows - 3)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(std::max(0L, line - rows / 3)));
}

void TextEditor::showSelection() {
    if (hasFocus() || typed_) return;
    const Item item = bench_.selected();
    if (item.kind.empty()) return;
    if (const auto range = nameRange(bench_.document().tree(), item)) {
        from_document_ = true;
        showRange(range->begin, 0);
        from_document_ = false;
    }
}

void TextEditor::find(const QString& text, bool forward) {
    if (text.isEmpty()) return;
    int line = -1, index = -1;
    if (!forward) {
        int to_line = 0, to_index = 0;
        getSelection(&line, &index, &to_line, &to_index);
    }
    findFirst(text, false, false, false, true, forward, line, index);
    SendScintilla(SCI_SETXOFFSET, 0UL);
    SendScintilla(SCI_SCROLLCARET);
}

void TextEditor::offerCompletion(bool asked) {
    const auto at = static_cast<std::size_t>(SendScintilla(SCI_GETCURRENTPOS));
    std::string prefix;
    auto list = proposalsAt(bench_.document().tree(), at, prefix);
    if (!asked && prefix.size() < 2) list.clear();
    if (!asked && !list.empty() && list.front().word == prefix) list.clear();
    const auto word = static_cast<long>(at - prefix.size());
    const auto x = SendScintilla(SCI_POINTXFROMPOSITION, 0UL, word),
               y = SendScintilla(SCI_POINTYFROMPOSITION, 0UL, word);
    const int line_height = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0UL));
    completion_->offer(
        std::move(list),
        viewport()->mapToGlobal(QPoint(static_cast<int>(x) - px(12), static_cast<int>(y) + line_height + 2)),
        line_height);
}

void TextEditor::complete(const QString& word) {
    const auto at = static_cast<std::size_t>(SendScintilla(SCI_GETCURRENTPOS));
    std::string prefix;
    proposalsAt(bench_.document().tree(), at, prefix);
    const QByteArray bytes = word.toUtf8();
    SendScintilla(SCI_SETTARGETRANGE, at - prefix.size(), static_cast<long>(at));
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(bytes.size()), bytes.constData());
    SendScintilla(SCI_GOTOPOS, at - prefix.size() + static_cast<std::size_t>(bytes.size()));
    completion_->hide();
}

bool TextEditor::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // Typing keys are text here, not shortcuts of the window.
        auto* key = static_cast<QKeyEvent*>(event);
        const auto held = key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
        const bool text_key = key->key() < Qt::Key_Escape || key->key() == Qt::Key_Backspace ||
                              key->key() == Qt::Key_Delete || key->key() == Qt::Key_Left ||
                              key->key() == Qt::Key_Right || key->key() == Qt::Key_Home || key->key() == Qt::Key_End ||
                              key->key() == Qt::Key_PageUp || key->key() == Qt::Key_PageDown ||
                              key->key() == Qt::Key_Up || key->key() == Qt::Key_Down || key->key() == Qt::Key_Tab ||
                              key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (text_key && !held) {
            event->accept();
            return true;
        }
        if (key->key() == Qt::Key_Escape && completion_->isVisible()) {
            event->accept();
            return true;
        }
        event->ignore();
        // Editing chords of the text field itself.
        if (held == Qt::ControlModifier &&
            (key->key() == Qt::Key_C || key->key() == Qt::Key_V || key->key() == Qt::Key_X || key->key() == Qt::Key_A ||
             key->key() == Qt::Key_Space || key->key() == Qt::Key_Left || key->key() == Qt::Key_Right ||
             key->key() == Qt::Key_Home || key->key() == Qt::Key_End || key->key() == Qt::Key_Period)) {
            event->accept();
            return true;
        }
        return false;
    }
    return QsciScintilla::event(event);
}

void TextEditor::keyPressEvent(QKeyEvent* event) {
    hover_->hide();
    if (completion_->handleKey(event->key())) return;
    if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Space) {
        offerCompletion(true);
        return;
    }
    if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Period) {
        applyFixAtCaret();
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        parentWidget()->setFocus();
        return;
    }
    QsciScintilla::keyPressEvent(event);
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) completion_->hide();
}

void TextEditor::focusOutEvent(QFocusEvent* event) {
    completion_->hide();
    bench_.document().seal();
    QsciScintilla::focusOutEvent(event);
}

}  // namespace mw::app
