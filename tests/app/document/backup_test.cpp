// Backups across a real crash: a process that is killed with unsaved work, and what the next one finds.
#include "app/document/backup.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/app/document/temporary_folder.h"
#include "tests/support/catch.h"

using namespace mw::app;

namespace {

/// A process that gets as far as `work`, says so, and is then killed.
template <class Work>
void crashAfter(Work&& work) {
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(pipe[0]);
        work([&] {
            (void)!::write(pipe[1], "x", 1);
            for (;;) ::pause();
        });
        ::_exit(1);
    }
    ::close(pipe[1]);
    char said = 0;
    const ssize_t n = ::read(pipe[0], &said, 1);
    ::close(pipe[0]);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(n == 1);
}

}  // namespace

TEST_CASE("unsaved work survives kill -9 and is offered once", "[backup]") {
    const TemporaryFolder folder;
    const auto file = folder / "a%b\n.mech";  // an ugly name, on purpose
    writeTo(file, "mech 1\n# saved\n");
    crashAfter([&](auto&& die) {
        Document document = Document::open(file);
        document.setText("mech 1\n# saved\n# typed\n# more\n", "Type");
        BackupSession session(folder / "backups");
        session.write(document);
        die();
    });

    BackupSession session(folder / "backups");
    const auto found = session.recoverable();
    REQUIRE(found.size() == 1);
    CHECK(found[0].original == file);
    CHECK(found[0].pid > 0);
    CHECK(differenceToFile(found[0]) == "2 lines added, from line 3");

    Document document = session.recover(found[0]);
    CHECK(document.text() == "mech 1\n# saved\n# typed\n# more\n");
    CHECK(document.path() == file);
    CHECK(document.dirty());
    document.undo();
    CHECK(document.text() == "mech 1\n# saved\n");
    document.redo();

    // The old backup is this session's now: another instance is not offered it, and cannot take it.
    BackupSession other(folder / "backups");
    CHECK(other.recoverable().empty());
    CHECK(contains(faultOf([&] { other.recover(found[0]); }), "another window"));
    document.save();
    session.tick(document);
    CHECK(contentOf(file) == "mech 1\n# saved\n# typed\n# more\n");
}

TEST_CASE("a recovered document is itself protected", "[backup]") {
    const TemporaryFolder folder;
    const auto crash = [&](const std::string& text) {
        crashAfter([&](auto&& die) {
            BackupSession session(folder / "backups");
            const auto found = session.recoverable();
            if (found.empty()) {
                Document document("mech 1\n");
                document.setText(text, "Type");
                session.write(document);
                die();
            } else {
                Document document = session.recover(found[0]);
                die();
            }
        });
    };
    crash("mech 1\n# never saved\n");
    crash("");
    BackupSession session(folder / "backups");
    const auto found = session.recoverable();
    REQUIRE(found.size() == 1);
    CHECK_FALSE(found[0].original);
    CHECK(found[0].name() == "Untitled");
    CHECK(contentOf(found[0].file) == "mech 1\n# never saved\n");
    session.drop(found[0]);
    CHECK(session.recoverable().empty());
}

TEST_CASE("two living instances do not see each other's backups", "[backup]") {
    const TemporaryFolder folder;
    Document a("a"), b("b");
    a.setText("a1", "Type");
    b.setText("b1", "Type");
    BackupSession first(folder / "backups"), second(folder / "backups");
    CHECK(first.write(a));
    CHECK(second.write(b));
    CHECK(first.recoverable().empty());
    CHECK(second.recoverable().empty());
}

TEST_CASE("a session that ends with unsaved work leaves it; one that discarded leaves nothing", "[backup]") {
    const TemporaryFolder folder;
    Document document("a");
    document.setText("b", "Type");
    {
        BackupSession session(folder / "backups");
        session.write(document);
    }
    {
        BackupSession session(folder / "backups");
        const auto found = session.recoverable();
        REQUIRE(found.size() == 1);
        Document again = session.recover(found[0]);
        CHECK(again.text() == "b");
        session.discard();
    }
    CHECK(BackupSession(folder / "backups").recoverable().empty());
    CHECK(std::filesystem::is_empty(folder / "backups"));
}

TEST_CASE("a backup within a minute of the first unsaved change, then only when the text moved", "[backup]") {
    const TemporaryFolder folder;
    BackupSession session(folder / "backups");
    Document document("a");
    auto now = BackupSession::Clock::now();
    CHECK_FALSE(session.tick(document, now));
    document.setText("b", "Type");
    CHECK_FALSE(session.tick(document, now));
    CHECK_FALSE(session.tick(document, now + std::chrono::seconds(59)));
    CHECK(session.tick(document, now + std::chrono::seconds(60)));
    now += std::chrono::minutes(10);
    CHECK_FALSE(session.tick(document, now));
    document.setText("c", "Type");
    CHECK_FALSE(session.tick(document, now));
    CHECK(session.tick(document, now + std::chrono::seconds(61)));
    CHECK_FALSE(session.write(document));  // before a run: nothing new since
    // Undone to what is saved: there is nothing left to lose.
    document.jumpTo(0);
    session.tick(document, now);
    std::size_t left = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "backups"))
        if (entry.path().extension() == ".mech") ++left;
    CHECK(left == 0);
}

TEST_CASE("a backup equal to its file is cleared away", "[backup]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", "old");
    {
        Document document = Document::open(folder / "a.mech");
        document.setText("new", "Type");
        BackupSession session(folder / "backups");
        session.write(document);
        document.save();  // and the crash comes before the next tick
    }
    BackupSession session(folder / "backups");
    CHECK(session.recoverable().empty());
    CHECK(std::filesystem::is_empty(folder / "backups"));
}

TEST_CASE("a backup whose file is gone keeps its name", "[backup]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", "old");
    {
        Document document = Document::open(folder / "a.mech");
        document.setText("new\ntext", "Type");
        BackupSession session(folder / "backups");
        session.write(document);
    }
    std::filesystem::remove(folder / "a.mech");
    BackupSession session(folder / "backups");
    const auto found = session.recoverable();
    REQUIRE(found.size() == 1);
    CHECK(differenceToFile(found[0]) == "the file is no longer there; 2 lines in all");
    const Document document = session.recover(found[0]);
    CHECK(document.path() == folder / "a.mech");
    CHECK(document.dirty());
}

TEST_CASE("a folder that cannot be written is said, not thrown", "[backup]") {
    const TemporaryFolder folder;
    writeTo(folder / "file", "");
    BackupSession session(folder / "file" / std::filesystem::path("backups"));
    Document document("a");
    document.setText("b", "Type");
    CHECK_FALSE(session.write(document));
    CHECK(contains(session.problem(), "backups"));
    CHECK(session.recoverable().empty());
}

TEST_CASE("differences are counted by lines", "[backup]") {
    CHECK(difference("a\nb\nc\n", "a\nb\nc\n").none());
    const Difference d = difference("a\nb\nc\nd\n", "a\nx\nc\ny\nd\n");
    CHECK(d.added == 2);
    CHECK(d.removed == 1);
    CHECK(d.first_line == 2);
    CHECK(difference("", "a\n").added == 1);
    CHECK(difference("a\n", "").removed == 1);
    CHECK_FALSE(difference("a\n", "a").none());
}
