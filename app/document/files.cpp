// Reading, atomic saving and the list of recent files, on POSIX calls: the standard library has no fsync and no rename
// flags.
#include "app/document/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace mw::app {
namespace fs = std::filesystem;
namespace {

/// Closes on every way out.
struct Descriptor {
    int fd = -1;
    explicit Descriptor(int f) : fd(f) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

std::string reason(int error) {
    switch (error) {
        case ENOENT: return "there is no such file or folder";
        case EACCES:
        case EPERM: return "permission denied";
        case ENOSPC: return "the disk is full";
        case EDQUOT: return "the disk quota is used up";
        case EROFS: return "the file system is read-only";
        case ENOTDIR: return "a part of the path is not a folder";
        case EISDIR: return "it is a folder";
        case ELOOP: return "its symbolic links go in a circle";
        case ENAMETOOLONG: return "the name is too long";
        case EFBIG: return "the file would be larger than allowed";
        default: return std::generic_category().message(error);
    }
}

[[noreturn]] void fail(const char* what, const fs::path& path, const std::string& why) {
    throw std::runtime_error(std::string("Cannot ") + what + " '" + path.string() + "': " + why + ".");
}

/// Follows symbolic links by hand, so that a link whose target does not exist yet names the file to make.
fs::path linkTarget(const fs::path& path) {
    fs::path target = path;
    std::error_code error;
    for (int hop = 0; fs::is_symlink(fs::symlink_status(target, error)); ++hop) {
        if (hop == 40) fail("save", path, reason(ELOOP));
        const fs::path next = fs::read_symlink(target, error);
        if (error) fail("save", path, reason(error.value()));
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target;
}

mode_t newFileMode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return static_cast<mode_t>(0666 & ~mask);
}

void writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            throw std::system_error(errno, std::generic_category());
        }
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace

std::string readFile(const fs::path& path, std::size_t limit) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.fd < 0) fail("open", path, reason(errno));
    struct stat info {};
    if (::fstat(file.fd, &info) != 0) fail("open", path, reason(errno));
    if (S_ISDIR(info.st_mode)) fail("open", path, reason(EISDIR));
    if (!S_ISREG(info.st_mode)) fail("open", path, "it is not an ordinary file");
    std::string text;
    text.reserve(std::min(limit, static_cast<std::size_t>(std::max<off_t>(info.st_size, 0))) + 1);
    char buffer[1 << 16];
    for (;;) {
        const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("read", path, reason(errno));
        if (n == 0) return text;
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > limit)
            fail("open", path,
                 "it is larger than " + std::to_string(limit >> 20) + " MB, the most a mechanism may have");
    }
}

void saveAtomically(const fs::path& path, std::string_view text) {
    if (path.filename().empty()) fail("save", path, "it has no file name");
    const fs::path target = linkTarget(path);
    const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();

    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) fail("save", path, reason(EISDIR));
    if (exists && !S_ISREG(old.st_mode)) fail("save", path, "it is not an ordinary file");
    // A rename would go round the file's own write protection, which its owner put there on purpose.
    if (exists && ::access(target.c_str(), W_OK) != 0) fail("save", path, "the file is write-protected");

    std::string pattern = (folder / ".").string();
    pattern.append(target.filename().string(), 0, 200).append(".XXXXXX");
    const Descriptor file(::mkostemp(pattern.data(), O_CLOEXEC));
    if (file.fd < 0)
        fail("save", path, errno == ENOENT ? "the folder does not exist" : "in its folder, " + reason(errno));
    try {
        if (exists && (old.st_uid != ::geteuid() || old.st_gid != ::getegid())) {
            // Only a privileged user may give files away; for others the new owner is who saved it.
            if (::fchown(file.fd, old.st_uid, old.st_gid) != 0)
                (void)!::fchown(file.fd, static_cast<uid_t>(-1), old.st_gid);
        }
        if (::fchmod(file.fd, exists ? (old.st_mode & 07777) : newFileMode()) != 0)
            throw std::system_error(errno, std::generic_category());
        writeAll(file.fd, text);
        if (::fsync(file.fd) != 0) throw std::system_error(errno, std::generic_category());
        if (::rename(pattern.c_str(), target.c_str()) != 0) throw std::system_error(errno, std::generic_category());
    } catch (const std::system_error& error) {
        ::unlink(pattern.c_str());
        fail("save", path, reason(error.code().value()));
    }
    // The rename itself reaches the disk with the folder; a file system that cannot do that has still renamed.
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.fd >= 0) ::fsync(directory.fd);
}

std::optional<FileStamp> stampOf(const fs::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    FileStamp stamp;
    stamp.seconds = info.st_mtim.tv_sec;
    stamp.nanoseconds = info.st_mtim.tv_nsec;
    stamp.size = static_cast<std::uint64_t>(info.st_size);
    stamp.inode = info.st_ino;
    stamp.device = info.st_dev;
    return stamp;
}

fs::path dataFolder() {
    if (const char* home = std::getenv("XDG_DATA_HOME"); home && home[0] == '/') return fs::path(home) / "mechwright";
    if (const char* home = std::getenv("HOME"); home && home[0] == '/')
        return fs::path(home) / ".local/share/mechwright";
    return fs::temp_directory_path() / ("mechwright-" + std::to_string(::getuid()));
}

RecentFiles::RecentFiles(fs::path list, std::size_t at_most) : list_(std::move(list)), at_most_(at_most) {}

std::vector<std::string> RecentFiles::lines() const {
    std::vector<std::string> result;
    std::string text;
    try {
        text = readFile(list_, std::size_t{1} << 20);
    } catch (const std::runtime_error&) {
        return result;
    }
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) result.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

void RecentFiles::write(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    std::error_code ignored;
    fs::create_directories(list_.parent_path(), ignored);
    try {
        saveAtomically(list_, text);
    } catch (const std::runtime_error&) {
    }
}

std::vector<fs::path> RecentFiles::files() const {
    std::vector<fs::path> result;
    std::error_code ignored;
    for (const std::string& line : lines())
        if (fs::is_regular_file(line, ignored)) result.emplace_back(line);
    return result;
}

void RecentFiles::add(const fs::path& file) {
    std::error_code error;
    const std::string name = fs::absolute(file, error).lexically_normal().string();
    if (error || name.find('\n') != std::string::npos) return;
    std::vector<std::string> all = lines();
    std::erase(all, name);
    all.insert(all.begin(), name);
    if (all.size() > at_most_) all.resize(at_most_);
    write(all);
}

void RecentFiles::remove(const fs::path& file) {
    std::error_code error;
    std::vector<std::string> all = lines();
    std::erase(all, fs::absolute(file, error).lexically_normal().string());
    write(all);
}

void RecentFiles::clear() { write({}); }

}  // namespace mw::app
