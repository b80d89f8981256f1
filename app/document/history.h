// Undo by value: every entry is a whole text and the name of what made it. Texts are small; equal ones are shared.
#pragma once

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
    explicit History(std::string text, std::string name = "Open");

    const Entry& current() const { return entries_[at_]; }
    const std::vector<Entry>& entries() const { return entries_; }
    std::size_t at() const { return at_; }
    /// A no-op edit makes no entry. `merge`: replaces the current entry's text instead of adding one.
    void push(std::string text, std::string name, std::uint64_t drag = 0, bool merge = false);
    bool canUndo() const { return at_ > 0; }
    bool canRedo() const { return at_ + 1 < entries_.size(); }
    void undo() { if (canUndo()) --at_; }
    void redo() { if (canRedo()) ++at_; }
    void jumpTo(std::size_t entry);

private:
    void trim();
    std::vector<Entry> entries_;
    std::size_t at_ = 0;
};

}  // namespace mw::app
