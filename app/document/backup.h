// Work survives a crash: a backup of the unsaved text about once a minute and before each run, and the list of what a
// session that ended badly has left behind.
//
// Each open document holds one BackupSession. A session is alive as long as its lock file is locked, which the system
// releases whatever happens to the process: no guess by process numbers, and two instances never take each other's
// backups.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/document/document.h"

namespace mw::app {

/// What an ended session has left.
struct Backup {
    std::filesystem::path file;                     ///< the text itself, an ordinary .mech
    std::optional<std::filesystem::path> original;  ///< the file it belongs to; none: never saved
    std::chrono::system_clock::time_point time;
    long pid = 0;
    std::string name() const;  ///< "elbow.mech" or "Untitled"
};

/// How one text differs from another, by lines.
struct Difference {
    int added = 0, removed = 0;
    int first_line = 0;  ///< in the newer text, from 1; 0: no difference
    bool none() const { return added == 0 && removed == 0; }
};
Difference difference(const std::string& older, const std::string& newer);
/// "2 lines added, 1 removed, from line 14; the file has changed since"
std::string differenceToFile(const Backup& backup);

class BackupSession {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kInterval{60};

    explicit BackupSession(std::filesystem::path folder = dataFolder() / "backups");
    /// Ends the session. A backup that was not discarded stays, and is offered at the next start.
    ~BackupSession();
    BackupSession(const BackupSession&) = delete;
    BackupSession& operator=(const BackupSession&) = delete;

    /// Call every few seconds: writes when the document has been unsaved for a minute since the last backup, and takes
    /// the backup back when the document is saved. True when something was written.
    bool tick(const Document& document, Clock::time_point now = Clock::now());
    /// At once, if unsaved and changed since the last backup (before each run, and when the program is told to end).
    bool write(const Document& document);
    /// The document was saved or closed on purpose: nothing to recover.
    void discard();

    /// Backups of sessions that ended without discarding them, newest first. Those equal to their file are cleared
    /// away.
    std::vector<Backup> recoverable();
    /// Takes a backup over: it is now this session's own, and the document is unsaved. Throws std::runtime_error.
    Document recover(const Backup& backup);
    /// The user does not want it.
    void drop(const Backup& backup);

    const std::string& problem() const {
        return problem_;
    }  ///< why the last backup could not be written; empty: all is well

private:
    bool begin();
    std::filesystem::path fileOf(const char* ending) const;

    std::filesystem::path folder_;
    std::string id_;
    int lock_ = -1;
    bool has_backup_ = false;
    Hash written_;
    std::optional<Clock::time_point> due_;
    std::string problem_;
};

}  // namespace mw::app
