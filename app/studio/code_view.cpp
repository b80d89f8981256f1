// Shows Built::c_code; lines of the selected body have the selection's ground, and a click on a line selects its body.
#include "app/studio/code_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <Qsci/qscilexercpp.h>
#include <Qsci/qsciscintilla.h>
#include <algorithm>

#include "app/studio/ask_file.h"
#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {
constexpr int kBodyMark = 4;
}

CodeView::CodeView(Workbench& bench, const QString& name, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName(name);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 3, 8, 3);
    note_ = roleLabel({}, "secondary", this);
    copy_ = new QPushButton(tr("Copy"), this);
    copy_->setProperty("quiet", true);
    save_ = new QPushButton(tr("Save as…"), this);
    save_->setProperty("quiet", true);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(note_, 1);
    row->addWidget(copy_);
    row->addWidget(save_);
    text_ = new QsciScintilla(this);
    text_->setObjectName(name + ".text");
    text_->setAccessibleName(tr("Generated C code"));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setUtf8(true);
    text_->setReadOnly(true);
    text_->SendScintilla(QsciScintilla::SCI_SETCARETPERIOD, 0UL);
    text_->setMarginType(0, QsciScintilla::NumberMargin);
    text_->setMarginWidth(1, 0);
    text_->markerDefine(QsciScintilla::Background, kBodyMark);
    text_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1UL);
    text_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1UL);
    auto* lexer = new QsciLexerCPP(text_);
    text_->setLexer(lexer);
    // Every line keeps its colours, also behind conditions that do not hold here.
    text_->SendScintilla(QsciScintilla::SCI_SETPROPERTY, "lexer.cpp.track.preprocessor", "0");
    column->addLayout(row);
    column->addWidget(text_, 1);
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text_->text()); });
    connect(save_, &QPushButton::clicked, this, &CodeView::save);
    connect(text_, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) { caretMoved(line); });
    connect(&bench_, &Workbench::builtChanged, this, &CodeView::refresh);
    connect(&bench_, &Workbench::selectionChanged, this, &CodeView::showSelection);
    connect(&Style::get(), &Style::changed, this, &CodeView::followStyle);
    followStyle();
    refresh();
}

void CodeView::followStyle() {
    const Tokens& t = tokens();
    QFont font = Style::get().monoFont();
    font.setPointSizeF(font.pixelSize() * 72.0 / 96.0);
    auto* lexer = text_->lexer();
    lexer->setDefaultFont(font);
    lexer->setDefaultPaper(t.panel);
    lexer->setDefaultColor(t.text);
    for (int style = 0; style < 40; ++style) {
        lexer->setPaper(t.panel, style);
        lexer->setFont(font, style);
        lexer->setColor(t.text, style);
    }
    for (int style : {QsciLexerCPP::Comment, QsciLexerCPP::CommentLine, QsciLexerCPP::CommentDoc})
        lexer->setColor(t.comment, style);
    lexer->setColor(t.keyword, QsciLexerCPP::Keyword);
    lexer->setColor(t.keyword, QsciLexerCPP::PreProcessor);
    lexer->setColor(t.number, QsciLexerCPP::Number);
    lexer->setColor(t.string, QsciLexerCPP::DoubleQuotedString);
    lexer->setColor(t.secondary, QsciLexerCPP::Operator);
    text_->setMarginsBackgroundColor(t.panel);
    text_->setMarginsForegroundColor(t.comment);
    text_->setMarginWidth(0, QString("000000"));
    text_->setMarkerBackgroundColor(t.current_line, kBodyMark);
    text_->setCaretForegroundColor(t.text);
    text_->setSelectionBackgroundColor(t.selected);
    text_->resetSelectionForegroundColor();
    text_->setPaper(t.panel);
}

void CodeView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void CodeView::refresh() {
    if (!isVisible()) return;
    const auto built = bench_.built();
    const bool there = built && !built->c_code.empty();
    copy_->setEnabled(there);
    save_->setEnabled(there);
    if (!there) {
        note_->setText(tr("Not there yet: the code appears as soon as the equations are derived."));
        if (!shown_.empty()) text_->setText({});
        shown_.clear();
        return;
    }
    QString note = tr("%1 lines").arg(built->c_lines.size());
    if (built->program) {
        note += " · " + QString::fromStdString(built->program->choice);
    }
    note_->setText(note);
    note_->setToolTip(note);
    if (built->c_code == shown_) return;
    shown_ = built->c_code;
    quiet_ = true;
    const int first = text_->firstVisibleLine();
    text_->setText(QString::fromStdString(shown_));
    text_->setFirstVisibleLine(first);
    quiet_ = false;
    showSelection();
}

void CodeView::showSelection() {
    if (!isVisible()) return;
    text_->markerDeleteAll(kBodyMark);
    const auto built = bench_.built();
    if (!built || shown_.empty()) return;
    const int body = bodyOf(*built->model, bench_.selected());
    if (body < 0) return;
    int first = -1, count = 0;
    for (std::size_t line = 0; line < built->c_lines.size(); ++line) {
        if (built->c_lines[line] != body) continue;
        text_->markerAdd(static_cast<int>(line), kBodyMark);
        if (first < 0) first = static_cast<int>(line);
        ++count;
    }
    note_->setText(tr("%1 of %2 lines belong to %3")
                       .arg(count)
                       .arg(built->c_lines.size())
                       .arg(QString::fromStdString(built->model->bodies[static_cast<std::size_t>(body)].name)));
    if (first >= 0 && !text_->hasFocus()) text_->setFirstVisibleLine(std::max(0, first - 3));
}

void CodeView::caretMoved(int line) {
    const auto built = bench_.built();
    if (quiet_ || !text_->hasFocus() || !built || line < 0 || line >= static_cast<int>(built->c_lines.size())) return;
    const int body = built->c_lines[static_cast<std::size_t>(line)];
    if (body >= 0) bench_.select({"body", built->model->bodies[static_cast<std::size_t>(body)].name});
}

void CodeView::save() {
    const QString path = askWhereToSave(this, tr("Save generated code"), {}, tr("C files (*.c)"), "c");
    if (path.isEmpty()) return;
    try {
        saveAtomically(path.toStdString(), shown_);
    } catch (const std::exception& fault) {
        QMessageBox::warning(this, tr("Not saved"), QString::fromUtf8(fault.what()));
    }
}

}  // namespace mw::app
