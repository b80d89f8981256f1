// What every part of the window shares: the document, the background workshop, the run, and what is selected.
// Worker threads only wake it; everything here lives on the window's thread.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <string>

#include "app/document/document.h"
#include "app/document/selection.h"
#include "app/live/runner.h"
#include "app/live/workshop.h"

namespace mw::app {

class Workbench : public QObject {
    Q_OBJECT
public:
    explicit Workbench(QObject* parent = nullptr);
    ~Workbench() override;

    Document& document() { return *document_; }
    const Document& document() const { return *document_; }
    Workshop& workshop() { return *workshop_; }
    Runner& runner() { return *runner_; }
    std::shared_ptr<const Built> built() const { return built_; }
    std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
    /// The model of the present text when it has no errors, else the last good one; null before the first.
    const Model* model() const;
    const Selection& selection() const { return selection_; }
    /// The one the inspector shows; nothing selected: empty kind.
    Item selected() const { return selection_.primary().value_or(Item{}); }

    /// Another document in place of the open one; the run starts anew.
    void setDocument(Document document);
    /// Typing: derives after a short pause.
    void type(std::string text);
    /// A visual edit: one undo entry a drag, derived at once.
    void apply(const std::vector<TextEdit>& edits, const QString& name, std::uint64_t drag = 0);
    void select(const Item& item);  ///< an item of empty kind clears
    void toggleSelected(const Item& item);
    /// Derives the present text now instead of after the pause.
    void submit();

signals:
    void documentChanged();   ///< text, file name, history or saved state
    void documentReplaced();  ///< another document is open
    void builtChanged();
    void progressChanged();  ///< badge, jobs
    void snapshotChanged();
    void selectionChanged();
    void goTo(std::size_t offset, std::size_t length);  ///< show this place of the text

public:
    void requestGoTo(TextRange range) { emit goTo(range.begin, range.end - range.begin); }

private:
    void wire();
    void wakeWorkshop();
    void wakeRunner();

    std::unique_ptr<Document> document_;
    std::unique_ptr<Workshop> workshop_;
    std::unique_ptr<Runner> runner_;
    std::shared_ptr<const Built> built_;
    std::shared_ptr<const Snapshot> snapshot_;
    Selection selection_;
    QTimer pause_;
    std::atomic<bool> workshop_pending_{false}, runner_pending_{false};
    bool fresh_ = true;  ///< the next mechanism belongs to a newly opened document
};

}  // namespace mw::app
