// Undo by value: which edits join the one before, and what is forgotten when the history grows too large.
#include "app/document/history.h"

#include <algorithm>
#include <set>

namespace mw::app {

History::History(std::string text, std::string name, std::size_t byte_limit) : byte_limit_(byte_limit) {
    entries_.push_back({std::make_shared<const std::string>(std::move(text)), std::move(name), 0});
}

void History::push(std::string text, std::string name, std::uint64_t drag, bool merge) {
    if (text == *current().text) {
        if (drag == 0 && !merge) sealed_ = true;
        return;
    }
    const bool of_this_drag = drag != 0 && current().drag == drag;
    const bool continues_typing = merge && drag == 0 && current().drag == 0 && current().name == name;
    const bool joins = at_ > 0 && !canRedo() && !sealed_ && (of_this_drag || continues_typing);

    if (joins) {
        // A drag that returns to where it began has changed nothing, and says so by leaving no entry.
        if (text == *entries_[at_ - 1].text) {
            entries_.pop_back();
            --at_;
            sealed_ = true;
            return;
        }
        entries_[at_] = {std::make_shared<const std::string>(std::move(text)), std::move(name), drag};
    } else {
        entries_.resize(at_ + 1);
        // Edits often go back and forth between two texts: an equal one of late is shared.
        std::shared_ptr<const std::string> value;
        for (std::size_t back = 0; back < std::min<std::size_t>(entries_.size(), 8) && !value; ++back) {
            const auto& earlier = entries_[entries_.size() - 1 - back].text;
            if (*earlier == text) value = earlier;
        }
        if (!value) value = std::make_shared<const std::string>(std::move(text));
        entries_.push_back({std::move(value), std::move(name), drag});
        ++at_;
    }
    sealed_ = false;
    trim();
}

void History::jumpTo(std::size_t entry) {
    at_ = std::min(entry, entries_.size() - 1);
    sealed_ = true;
}

std::size_t History::bytes() const {
    std::set<const std::string*> seen;
    std::size_t sum = 0;
    for (const Entry& entry : entries_) {
        if (seen.insert(entry.text.get()).second) sum += entry.text->size();
        sum += entry.name.size() + sizeof(Entry);
    }
    return sum;
}

void History::trim() {
    // The present entry and the one before it stay, however large: one undo is always possible.
    std::size_t sum = bytes();
    if (sum <= byte_limit_) return;
    while (at_ > 1 && sum > byte_limit_) {
        const Entry& oldest = entries_.front();
        if (oldest.text.use_count() == 1) sum -= oldest.text->size();
        sum -= oldest.name.size() + sizeof(Entry);
        entries_.erase(entries_.begin());
        --at_;
        dropped_ = true;
    }
}

}  // namespace mw::app
