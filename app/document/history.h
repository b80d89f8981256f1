// Undo by value: every entry is a whole text and the name of what made it. Texts are small; equal ones are shared.
// A fixed number of bytes is kept: the oldest entries are forgotten first, never the present one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mw::app {

class History {
public:
    struct Entry {
        std::shared_ptr<const std::string> text;
        std::string name;
        std::uint64_t drag = 0;  ///< entries of one drag are one entry
    };
    explicit History(std::string text, std::string name = "Open", std::size_t byte_limit = std::size_t{64} << 20);

    const Entry& current() const { return entries_[at_]; }
    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t at() const { return at_; }
    /// A no-op edit makes no entry. `merge`: replaces the current entry's text instead of adding one, where the current
    /// entry has the same name and nothing was undone or saved since. A merged entry that leads back to the text before
    /// it goes away.
    void push(std::string text, std::string name, std::uint64_t drag = 0, bool merge = false);
    /// The next entry stands alone, whatever it is called (after a save, an undo, a release of the mouse).
    void seal() { sealed_ = true; }
    bool canUndo() const { return at_ > 0; }
    bool canRedo() const { return at_ + 1 < entries_.size(); }
    void undo() { jumpTo(at_ == 0 ? 0 : at_ - 1); }
    void redo() { jumpTo(at_ + 1); }
    void jumpTo(std::size_t entry);  ///< an entry beyond the end is the last one

    std::size_t bytes() const;                 ///< of all different texts that are kept
    bool dropped() const { return dropped_; }  ///< the oldest entries have been forgotten

private:
    void trim();
    std::vector<Entry> entries_;
    std::size_t at_ = 0;
    std::size_t byte_limit_;
    bool sealed_ = true;
    bool dropped_ = false;
};

}  // namespace mw::app
