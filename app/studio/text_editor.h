// The text of the mechanism: QScintilla without an undo of its own, in step with the document byte for byte.
#pragma once

#include <QFrame>
#include <QTimer>
#include <Qsci/qsciscintilla.h>

#include "engine/base/diagnostic.h"

class QLabel;
class QPushButton;

namespace mw::app {

class CompletionPopup;
class MechLexer;
class Workbench;

/// What a squiggle has to say, with the fix where there is one.
class DiagnosticPopup : public QFrame {
    Q_OBJECT
public:
    explicit DiagnosticPopup(QWidget* parent);
    void offer(const Diagnostic& diagnostic, const QPoint& at);

signals:
    void fixRequested();

protected:
    void leaveEvent(QEvent* event) override;

private:
    QLabel *message_, *more_, *code_;
    QPushButton* fix_;
};

class TextEditor : public QsciScintilla {
    Q_OBJECT
public:
    explicit TextEditor(Workbench& bench, QWidget* parent = nullptr);

    std::string bytes() const;
    void showRange(std::size_t offset, std::size_t length);  ///< selects it and scrolls there
    bool applyFixAtCaret();
    void offerCompletion(bool asked);
    void find(const QString& text, bool forward);

signals:
    void note(const QString& text);  ///< "line 14, column 8"

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void followDocument();
    void showDiagnostics();
    void followStyle();
    void caretMoved();
    void edited();
    void complete(const QString& word);
    void hoverDiagnostic(int position, const QPoint& at);
    const Diagnostic* diagnosticAt(std::size_t offset) const;
    void showSelection();

    Workbench& bench_;
    MechLexer* lexer_;
    CompletionPopup* completion_;
    DiagnosticPopup* hover_;
    Diagnostic hovered_;
    QTimer caret_pause_;
    bool from_document_ = false;
    bool typed_ = false;
};

}  // namespace mw::app
