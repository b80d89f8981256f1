// What completion offers at a marked place of a text.
#pragma once

#include <initializer_list>
#include <set>
#include <string>

#include "engine/mech/completion.h"

/// Words at the | of a text.
inline std::set<std::string> words(std::string text) {
    const std::size_t at = text.find('|');
    text.erase(at, 1);
    std::set<std::string> set;
    for (const mw::mech::Completion& c : mw::mech::completionsAt(mw::mech::parse(text), at).words) set.insert(c.word);
    return set;
}

inline bool offers(const std::set<std::string>& set, std::initializer_list<const char*> wanted) {
    for (const char* word : wanted)
        if (!set.count(word)) return false;
    return true;
}
