// The open document: its text is the mechanism. One undo stack, by value, for typing and visual edits; files on disk;
// backups. No Qt, no OpenGL: menu, shortcut, drag and test all call the same functions (actions.h has one per user
// intent).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/document/files.h"
#include "app/document/history.h"
#include "engine/base/hash.h"
#include "engine/dynamics/closure.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/read.h"

namespace mw::app {

class Document {
public:
    /// An untitled document with the given text (New: the running pendulum).
    explicit Document(std::string text);
    /// Reads a file; throws std::runtime_error with a sentence for people.
    static Document open(const std::filesystem::path& path);
    /// The text of a backup, in the name of the file it belongs to (none: untitled): unsaved, and one undo leads to the
    /// saved file.
    static Document recovered(std::string text, const std::optional<std::filesystem::path>& path);

    const std::string& text() const { return *history_.current().text; }
    const mech::SyntaxTree& tree() const { return tree_; }
    /// Of the present text. Findings about the geometry of loops are among them, after typing only once `checkLoops`
    /// was called.
    const ReadResult& read() const { return read_; }
    /// Judges the loops of the present text, if that has not been done: a pause in typing is the time for it. True when
    /// there are new findings. Those of large mechanisms, and where no closed pose is found soon, are left to the
    /// proof, and a finding says so: nothing here takes more than about a tenth of a second.
    bool checkLoops();
    /// Rows, rank and mobility of the present text, as far as its loops were judged. Of a text with errors, and of
    /// loops that are left to the proof: nothing.
    struct Mobility {
        int loops = 0, nv = 0, nc = 0, rank = 0;
        int mobility() const { return nv - rank; }
    };
    std::optional<Mobility> mobility() const;
    Hash textHash() const { return hash_; }
    const std::optional<std::filesystem::path>& path() const { return path_; }
    std::string displayName() const;  ///< "elbow.mech" or "Untitled"
    /// Differs from the file, or has none any more: the text is then all there is.
    bool dirty() const { return hash_ != saved_ || gone_; }

    /// Typing: the whole new text. With `merge_with_last` it joins the entry before where that has the same name
    /// ("Type"); the caller withholds the flag after a pause, a newline or a jump of the caret.
    void setText(std::string text, const std::string& name, bool merge_with_last = false);
    /// A visual edit: a minimal patch with a readable name ("crank mass 1.2 -> 1.5"). Edits of one drag carry the same
    /// `drag` number and make one entry. Edits that overlap or lie outside the text throw std::invalid_argument and
    /// change nothing.
    void apply(const std::vector<TextEdit>& edits, const std::string& name, std::uint64_t drag = 0);

    bool canUndo() const { return history_.canUndo(); }
    bool canRedo() const { return history_.canRedo(); }
    void undo();
    void redo();
    const History& history() const { return history_; }
    void jumpTo(std::size_t entry);   ///< any entry of the history
    void seal() { history_.seal(); }  ///< the next edit starts an entry of its own (mouse released, focus lost)

    /// Atomic: a new file beside it, fsync, rename; mode and symbolic link kept. Throws std::runtime_error.
    void save();
    void saveAs(const std::filesystem::path& path);
    enum class DiskChange { none, changed, gone };
    DiskChange checkDisk() const;  ///< a file found gone makes the document dirty until it is saved or is back
    void reload();                 ///< the file's text becomes an undoable entry "Reload" and the saved state

    /// Called after every change of the text, and after a save.
    std::function<void()> on_change;

private:
    void refresh(bool typing = false);
    void changed(bool typing = false);
    History history_;
    mech::SyntaxTree tree_;
    ReadResult read_;
    std::optional<std::filesystem::path> path_;
    Hash hash_;               // of the present text
    bool loops_due_ = false;  // the loops of the present text have not been judged
    /// Mechanisms whose loops were judged; nothing where that was left to the proof. Newest first.
    std::deque<std::pair<Hash, std::optional<LoopHealth>>> judged_;
    std::optional<LoopHealth> health_;        // of the present text, if judged
    bool unjudged_ = false;                   // its loops are left to the proof
    Hash saved_;                              // of the text on disk, or that an untitled document began with
    mutable std::optional<FileStamp> stamp_;  // a file that was only touched gets its new stamp noted
    mutable bool gone_ = false;               // as checkDisk found it last
};

}  // namespace mw::app
