// Files as a person expects them: whole or not at all, link and mode kept, changes by others noticed; and the list of
// recent ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mw::app {

constexpr std::size_t kFileLimit = std::size_t{16} << 20;  ///< largest text that is opened, bytes

/// The whole file. Throws std::runtime_error with a sentence for people ("Cannot open 'a.mech': it is a folder.").
std::string readFile(const std::filesystem::path& path, std::size_t limit = kFileLimit);

/// Atomic: a new file beside the old one, fsync, rename. Mode, owner (where permitted) and symbolic link are kept; on
/// any failure the old file is untouched and nothing is left behind. Throws std::runtime_error with a sentence for
/// people.
void saveAtomically(const std::filesystem::path& path, std::string_view text);

/// What tells one version of a file from the next without reading it.
struct FileStamp {
    std::int64_t seconds = 0, nanoseconds = 0;  ///< time of the last change
    std::uint64_t size = 0, inode = 0, device = 0;
    bool operator==(const FileStamp&) const = default;
};
std::optional<FileStamp> stampOf(const std::filesystem::path& path);  ///< nothing where there is no such file

/// $XDG_DATA_HOME/mechwright or ~/.local/share/mechwright; not created.
std::filesystem::path dataFolder();

/// Files opened of late, newest first, one absolute path a line. Kept on disk; several instances may write it.
class RecentFiles {
public:
    explicit RecentFiles(std::filesystem::path list = dataFolder() / "recent", std::size_t at_most = 12);
    std::vector<std::filesystem::path> files() const;  ///< those that still exist
    void add(const std::filesystem::path& file);       ///< failures are ignored: it is a convenience
    void remove(const std::filesystem::path& file);
    void clear();

private:
    std::vector<std::string> lines() const;
    void write(const std::vector<std::string>& lines) const;
    std::filesystem::path list_;
    std::size_t at_most_;
};

}  // namespace mw::app
