// The open document: its text is the mechanism. One undo stack, by value, for typing and visual edits; files on disk; backups.
// No Qt, no OpenGL: menu, shortcut, drag and test all call the same functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/document/history.h"
#include "engine/mech/syntax_tree.h"
#include "engine/model/read.h"

namespace mw::app {

class Document {
public:
    /// An untitled document with the given text (New: the running pendulum).
    explicit Document(std::string text);
    /// Reads a file; throws std::runtime_error with a sentence for people.
    static Document open(const std::filesystem::path& path);

    const std::string& text() const;
    const mech::SyntaxTree& tree() const { return tree_; }
    const ReadResult& read() const { return read_; }  ///< of the present text
    Hash textHash() const;
    const std::optional<std::filesystem::path>& path() const { return path_; }
    std::string displayName() const;  ///< "elbow.mech" or "Untitled"
    bool dirty() const;               ///< differs from the file

    /// Typing: the whole new text. Entries that follow within `merge` join the one before ("Type"); others get the name given.
    void setText(std::string text, const std::string& name, bool merge_with_last = false);
    /// A visual edit: a minimal patch with a readable name ("crank mass 1.2 -> 1.5"). Edits of one drag carry the same `drag` number and make one entry.
    void apply(const std::vector<TextEdit>& edits, const std::string& name, std::uint64_t drag = 0);

    bool canUndo() const;
    bool canRedo() const;
    void undo();
    void redo();
    const History& history() const { return history_; }
    void jumpTo(std::size_t entry);  ///< any entry of the history

    /// Atomic: a new file beside it, fsync, rename; mode and symbolic link kept. Throws std::runtime_error.
    void save();
    void saveAs(const std::filesystem::path& path);
    enum class DiskChange { none, changed, gone };
    DiskChange checkDisk() const;
    void reload();  ///< the file's text becomes an undoable entry "Reload" and the saved state

    /// Called after every change of the text.
    std::function<void()> on_change;

private:
    void refresh();
    History history_;
    mech::SyntaxTree tree_;
    ReadResult read_;
    std::optional<std::filesystem::path> path_;
    Hash saved_;
    struct Stamp { std::filesystem::file_time_type time; std::uintmax_t size = 0; };
    std::optional<Stamp> stamp_;
};

}  // namespace mw::app
