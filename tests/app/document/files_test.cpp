// Files: whole or not at all. Failures are made for real: a limit on file sizes, a folder without permission, a full
// path.
#include "app/document/files.h"

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/app/document/temporary_folder.h"
#include "tests/support/catch.h"

using namespace mw::app;
namespace fs = std::filesystem;

namespace {

/// Runs in a process of its own, so that what it does to itself stays there; its result is whether `body` returned
/// true.
template <class Body>
bool inChild(Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        bool good = false;
        try {
            good = body();
        } catch (...) {
        }
        ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string messageOf(const fs::path& path, const std::string& text) {
    try {
        saveAtomically(path, text);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a file is saved and read back byte for byte", "[files]") {
    const TemporaryFolder folder;
    const std::string text = std::string("\xef\xbb\xbfmech 1\r\n\0x\xff", 14);
    saveAtomically(folder / "a.mech", text);
    CHECK(readFile(folder / "a.mech") == text);
    saveAtomically(folder / "a.mech", "");
    CHECK(readFile(folder / "a.mech").empty());
    CHECK(folder.count() == 1);
}

TEST_CASE("mode and link survive a save", "[files]") {
    const TemporaryFolder folder;
    writeTo(folder / "real.mech", "old");
    fs::permissions(folder / "real.mech", fs::perms(0640));
    fs::create_directory(folder / "sub");
    fs::create_symlink("../real.mech", folder / "sub" / fs::path("link.mech"));
    saveAtomically(folder / "sub" / fs::path("link.mech"), "new");
    CHECK(fs::is_symlink(folder / "sub" / fs::path("link.mech")));
    CHECK(contentOf(folder / "real.mech") == "new");
    CHECK((fs::status(folder / "real.mech").permissions() & fs::perms::mask) == fs::perms(0640));
}

TEST_CASE("a dangling link makes its target, a circle of links is an error", "[files]") {
    const TemporaryFolder folder;
    fs::create_symlink("later.mech", folder / "link.mech");
    saveAtomically(folder / "link.mech", "x");
    CHECK(contentOf(folder / "later.mech") == "x");
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    CHECK(contains(messageOf(folder / "a", "x"), "circle"));
}

TEST_CASE("a new file has the mode that the user's mask gives", "[files]") {
    const TemporaryFolder folder;
    REQUIRE(inChild([&] {
        ::umask(027);
        saveAtomically(folder / "a.mech", "x");
        return (fs::status(folder / "a.mech").permissions() & fs::perms::mask) == fs::perms(0640);
    }));
}

TEST_CASE("a write that fails half-way leaves the old file and nothing else", "[files]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", "the old text");
    REQUIRE(inChild([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100, 100};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        return !messageOf(folder / "a.mech", std::string(100'000, 'n')).empty();
    }));
    CHECK(contentOf(folder / "a.mech") == "the old text");
    CHECK(folder.count() == 1);
}

TEST_CASE("a folder without permission is said and leaves the file alone", "[files]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", "the old text");
    fs::permissions(folder / "a.mech", fs::perms(0666));
    fs::permissions(folder.path(), fs::perms(0555));
    REQUIRE(inChild([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
        return messageOf(folder / "a.mech", "new").find("permission denied") != std::string::npos;
    }));
    fs::permissions(folder.path(), fs::perms::owner_all);
    CHECK(contentOf(folder / "a.mech") == "the old text");
    CHECK(folder.count() == 1);
}

TEST_CASE("a write-protected file stays as it is", "[files]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", "the old text");
    fs::permissions(folder / "a.mech", fs::perms(0444));
    fs::permissions(folder.path(), fs::perms(0777));
    REQUIRE(inChild([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
        return messageOf(folder / "a.mech", "new").find("write-protected") != std::string::npos;
    }));
    CHECK(contentOf(folder / "a.mech") == "the old text");
}

TEST_CASE("what is no file is never replaced", "[files]") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "d");
    CHECK(contains(messageOf(folder / "d", "x"), "folder"));
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(contains(messageOf(folder / "pipe", "x"), "not an ordinary file"));
    CHECK(contains(messageOf(folder / "missing" / fs::path("a.mech"), "x"), "does not exist"));
    CHECK(contains(faultOf([&] { readFile(folder / "d"); }), "folder"));
    CHECK(contains(faultOf([&] { readFile(folder / "pipe"); }), "not an ordinary file"));
    CHECK(contains(faultOf([&] { readFile(folder / "nothing"); }), "no such file"));
    writeTo(folder / "large", std::string(1001, 'x'));
    CHECK(contains(faultOf([&] { readFile(folder / "large", 1000); }), "larger"));
    CHECK(readFile(folder / "large", 1001).size() == 1001);
}

TEST_CASE("recent files: newest first, once each, only those that exist", "[files]") {
    const TemporaryFolder folder;
    RecentFiles recent(folder / "data" / fs::path("recent"), 3);
    CHECK(recent.files().empty());
    for (const char* name : {"a", "b", "c", "d"}) {
        writeTo(folder / name, "x");
        recent.add(folder / name);
    }
    recent.add(folder / "b");
    CHECK(recent.files() == std::vector<fs::path>{folder / "b", folder / "d", folder / "c"});
    fs::remove(folder / "d");
    CHECK(RecentFiles(folder / "data" / fs::path("recent"), 3).files() ==
          std::vector<fs::path>{folder / "b", folder / "c"});
    recent.remove(folder / "b");
    CHECK(recent.files() == std::vector<fs::path>{folder / "c"});
    recent.clear();
    CHECK(recent.files().empty());
}
