// Backups: three files a session, ID.lock (held while the session lives), ID.mech (the text) and ID.info (where it
// belongs).
#include "app/document/backup.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mw::app {
namespace fs = std::filesystem;
namespace {

/// A path as one line: a path may hold any byte but zero.
std::string escaped(const std::string& text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 32 || c == '%') {
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        } else {
            out += c;
        }
    }
    return out;
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(value);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// The lock of an ended session, held while its files are looked at or moved.
class EndedSession {
public:
    explicit EndedSession(const fs::path& lock) : lock_(lock), fd_(::open(lock.c_str(), O_RDWR | O_CLOEXEC)) {
        if (fd_ < 0) return;
        struct stat held {
        }, named{};
        ended_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd_, &held) == 0 &&
                 ::stat(lock.c_str(), &named) == 0 &&
                 held.st_ino == named.st_ino;  // else someone has cleared it away since
    }
    ~EndedSession() {
        if (fd_ >= 0) ::close(fd_);
    }
    EndedSession(const EndedSession&) = delete;
    EndedSession& operator=(const EndedSession&) = delete;
    explicit operator bool() const { return ended_; }

    void clear() const {
        std::error_code ignored;
        for (const char* ending : {".mech", ".info", ".lock"})
            fs::remove(fs::path(lock_).replace_extension(ending), ignored);
    }

private:
    fs::path lock_;
    int fd_;
    bool ended_ = false;
};

Backup readInfo(const fs::path& file) {
    Backup backup;
    backup.file = file;
    std::string info;
    try {
        info = readFile(fs::path(file).replace_extension(".info"), 1 << 16);
    } catch (const std::runtime_error&) {
        // The text alone is worth keeping: it then counts as never saved.
    }
    for (std::size_t begin = 0; begin < info.size();) {
        const std::size_t end = std::min(info.find('\n', begin), info.size());
        const std::string_view line = std::string_view(info).substr(begin, end - begin);
        begin = end + 1;
        const std::size_t gap = std::min(line.find(' '), line.size());
        const std::string_view key = line.substr(0, gap), value = line.substr(std::min(gap + 1, line.size()));
        if (key == "path" && !value.empty()) backup.original = unescaped(value);
        if (key == "pid") std::from_chars(value.data(), value.data() + value.size(), backup.pid);
    }
    if (const auto stamp = stampOf(file))
        backup.time =
            std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
                std::chrono::seconds(stamp->seconds) + std::chrono::nanoseconds(stamp->nanoseconds)));
    return backup;
}

std::vector<std::string_view> linesOf(const std::string& text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// Length of the longest common subsequence of two ranges of lines.
std::size_t commonLines(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const auto& line : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = line == b[j] ? diagonal + 1 : std::max(row[j], above);
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

std::string Backup::name() const { return original ? original->filename().string() : "Untitled"; }

Difference difference(const std::string& older, const std::string& newer) {
    std::vector<std::string_view> a = linesOf(older), b = linesOf(newer);
    std::size_t front = 0;
    while (front < a.size() && front < b.size() && a[front] == b[front]) ++front;
    while (a.size() > front && b.size() > front && a.back() == b.back()) {
        a.pop_back();
        b.pop_back();
    }
    a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(front));
    b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(front));
    Difference result;
    if (a.empty() && b.empty()) {
        // Only a final newline can still differ.
        if (older != newer) return {1, 1, static_cast<int>(std::max<std::size_t>(front, 1))};
        return result;
    }
    // Two long and wholly different middles are counted as replaced: nobody reads the exact figure then.
    const std::size_t common = a.size() * b.size() <= 25'000'000 ? commonLines(a, b) : 0;
    result.added = static_cast<int>(b.size() - common);
    result.removed = static_cast<int>(a.size() - common);
    result.first_line = static_cast<int>(front + 1);
    return result;
}

std::string differenceToFile(const Backup& backup) {
    std::string text, saved;
    try {
        text = readFile(backup.file);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    const auto count = [](int n, const char* what) {
        return std::to_string(n) + (n == 1 ? " line " : " lines ") + what;
    };
    const auto whole = [&] { return count(static_cast<int>(linesOf(text).size()), "in all"); };
    if (!backup.original) return count(static_cast<int>(linesOf(text).size()), "never saved");
    try {
        saved = readFile(*backup.original);
    } catch (const std::runtime_error&) {
        std::string sentence = "the file is no longer there; ";
        return sentence.append(whole());
    }
    const Difference d = difference(saved, text);
    if (d.none()) return "same as the file";
    std::string sentence;
    if (d.added > 0) sentence = count(d.added, "added");
    if (d.removed > 0)
        sentence += sentence.empty() ? count(d.removed, "removed") : ", " + std::to_string(d.removed) + " removed";
    sentence += ", from line " + std::to_string(d.first_line);
    const auto stamp = stampOf(*backup.original);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(backup.time.time_since_epoch()).count();
    if (stamp && stamp->seconds > seconds) sentence += "; the file is newer than the backup";
    return sentence;
}

BackupSession::BackupSession(fs::path folder) : folder_(std::move(folder)) {}

BackupSession::~BackupSession() {
    if (lock_ < 0) return;
    std::error_code ignored;
    if (!has_backup_) fs::remove(fileOf(".lock"), ignored);
    ::close(lock_);
}

fs::path BackupSession::fileOf(const char* ending) const { return folder_ / (id_ + ending); }

bool BackupSession::begin() {
    if (lock_ >= 0) return true;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        problem_ = "Cannot make the folder for backups, '" + folder_.string() + "': " + error.message() + ".";
        return false;
    }
    fs::permissions(folder_, fs::perms::owner_all, error);  // unsaved work is nobody else's business
    static std::atomic<int> number{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    id_ = std::to_string(now) + "-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    // Locked under a name that nobody looks for, then renamed: the session is never seen unlocked.
    const fs::path hidden = folder_ / ("." + id_ + ".new");
    lock_ = ::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0 || ::rename(hidden.c_str(), fileOf(".lock").c_str()) != 0) {
        problem_ = "Cannot write in the folder for backups, '" + folder_.string() +
                   "': " + std::generic_category().message(errno) + ".";
        if (lock_ >= 0) ::close(lock_);
        lock_ = -1;
        fs::remove(hidden, error);
        return false;
    }
    return true;
}

bool BackupSession::tick(const Document& document, Clock::time_point now) {
    if (!document.dirty()) {
        discard();
        return false;
    }
    if (has_backup_ && written_ == document.textHash()) {
        due_.reset();
        return false;
    }
    if (!due_) due_ = now + kInterval;
    if (now < *due_) return false;
    due_ = now + kInterval;  // a full disk is not tried again at every tick
    return write(document);
}

bool BackupSession::write(const Document& document) {
    if (!document.dirty() || (has_backup_ && written_ == document.textHash())) return false;
    if (!begin()) return false;
    std::string info = "mechwright-backup 1\n";
    if (document.path()) info.append("path ").append(escaped(document.path()->string())).append("\n");
    info.append("pid ").append(std::to_string(::getpid())).append("\n");
    try {
        saveAtomically(fileOf(".info"), info);
        saveAtomically(fileOf(".mech"), document.text());
    } catch (const std::runtime_error& error) {
        problem_ = error.what();
        return false;
    }
    problem_.clear();
    has_backup_ = true;
    written_ = document.textHash();
    due_.reset();
    return true;
}

void BackupSession::discard() {
    due_.reset();
    if (!has_backup_) return;
    std::error_code ignored;
    fs::remove(fileOf(".mech"), ignored);
    fs::remove(fileOf(".info"), ignored);
    has_backup_ = false;
}

std::vector<Backup> BackupSession::recoverable() {
    std::vector<Backup> result;
    std::error_code error;
    std::vector<fs::path> locks;
    for (auto it = fs::directory_iterator(folder_, error); !error && it != fs::directory_iterator();
         it.increment(error))
        if (it->path().extension() == ".lock" && it->path().stem() != id_) locks.push_back(it->path());
    for (const fs::path& lock : locks) {
        const EndedSession ended(lock);
        if (!ended) continue;
        const fs::path file = fs::path(lock).replace_extension(".mech");
        if (!stampOf(file)) {
            ended.clear();
            continue;
        }
        Backup backup = readInfo(file);
        bool same = false;
        try {
            same = backup.original && readFile(*backup.original) == readFile(file);
        } catch (const std::runtime_error&) {
            // The file is gone or unreadable: then the backup is all there is.
        }
        if (same) {
            ended.clear();
        } else {
            result.push_back(std::move(backup));
        }
    }
    std::sort(result.begin(), result.end(), [](const Backup& a, const Backup& b) { return a.time > b.time; });
    return result;
}

Document BackupSession::recover(const Backup& backup) {
    const EndedSession ended(fs::path(backup.file).replace_extension(".lock"));
    if (!ended)
        throw std::runtime_error("Cannot recover '" + backup.name() + "': another window has already taken it over.");
    Document document = Document::recovered(readFile(backup.file), backup.original);
    // Only when the text is safe in this session's name does the old backup go.
    if (!document.dirty() || write(document)) ended.clear();
    return document;
}

void BackupSession::drop(const Backup& backup) {
    const EndedSession ended(fs::path(backup.file).replace_extension(".lock"));
    if (ended) ended.clear();
}

}  // namespace mw::app
