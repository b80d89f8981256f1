// Machine code on disk, by content hash: what was compiled once need not be compiled again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/hash.h"

namespace mw::gen {

/// The object stored under a key; nothing when absent or damaged (a damaged file is removed).
std::optional<std::string> readObject(const std::filesystem::path& folder, const Hash& key);
/// Stores an object; appears under its name only when complete. A failure to write is no failure of the compilation.
void writeObject(const std::filesystem::path& folder, const Hash& key, const std::string& object);

}  // namespace mw::gen
