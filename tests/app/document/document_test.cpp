// The open document: dirty or not, on disk or changed there, undo across saves.
#include "app/document/document.h"

#include "tests/app/document/temporary_folder.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {
const std::string kPendulum =
    "mech 1\nbody rod\n  joint revolute y\n  mass 1  cg 0 0 -0.5\n  inertia 0.1 0.1 0.01 0 0 0  # thin\n";
}

TEST_CASE("opening and saving unchanged leaves the bytes", "[document]") {
    const TemporaryFolder folder;
    const std::string text = "\xef\xbb\xbf# odd\r\nmech 1\r\n\tbody\xff q\n\nlast line without an end";
    writeTo(folder / "a.mech", text);
    Document document = Document::open(folder / "a.mech");
    CHECK(document.text() == text);
    CHECK_FALSE(document.dirty());
    CHECK(document.displayName() == "a.mech");
    document.save();
    CHECK(contentOf(folder / "a.mech") == text);
}

TEST_CASE("dirty follows the text, not the clicks", "[document]") {
    const TemporaryFolder folder;
    Document document(kPendulum);
    CHECK(document.displayName() == "Untitled");
    CHECK_FALSE(document.dirty());
    CHECK(contains(faultOf([&] { document.save(); }), "no file yet"));
    document.setText(kPendulum + "# more\n", "Type");
    CHECK(document.dirty());
    document.saveAs(folder / "b.mech");
    CHECK_FALSE(document.dirty());
    document.undo();
    CHECK(document.dirty());
    document.redo();
    CHECK_FALSE(document.dirty());
}

TEST_CASE("the text is read after every change, and the owner told", "[document]") {
    Document document(kPendulum);
    int told = 0;
    document.on_change = [&] { ++told; };
    CHECK(document.read().ok());
    CHECK(document.read().model.bodies.size() == 1);
    const Hash before = document.textHash();
    document.setText(kPendulum + "body second\n  mass\n", "Type");
    CHECK_FALSE(document.read().ok());
    CHECK(document.textHash() != before);
    document.undo();
    CHECK(document.read().ok());
    CHECK(document.textHash() == before);
    CHECK(told == 2);
}

TEST_CASE("patches: all or nothing", "[document]") {
    Document document("0123456789");
    document.apply({{{8, 10}, "B"}, {{0, 1}, "A"}, {{4, 4}, "+"}, {{4, 4}, "-"}}, "patch");
    CHECK(document.text() == "A123+-4567B");
    CHECK_THROWS_AS(document.apply({{{0, 2}, ""}, {{1, 3}, ""}}, "overlap"), std::invalid_argument);
    CHECK_THROWS_AS(document.apply({{{11, 12}, ""}}, "outside"), std::invalid_argument);
    CHECK_THROWS_AS(document.apply({{{3, 2}, ""}}, "reversed"), std::invalid_argument);
    CHECK(document.text() == "A123+-4567B");
    document.undo();
    CHECK(document.text() == "0123456789");
}

TEST_CASE("a change on disk is noticed, a touch is not", "[document]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", kPendulum);
    Document document = Document::open(folder / "a.mech");
    CHECK(document.checkDisk() == Document::DiskChange::none);

    std::filesystem::last_write_time(folder / "a.mech", std::filesystem::file_time_type::clock::now());
    CHECK(document.checkDisk() == Document::DiskChange::none);

    writeTo(folder / "a.mech", kPendulum + "# by another program\n");
    CHECK(document.checkDisk() == Document::DiskChange::changed);
    document.reload();
    CHECK(document.text() == kPendulum + "# by another program\n");
    CHECK_FALSE(document.dirty());
    CHECK(document.checkDisk() == Document::DiskChange::none);
    CHECK(document.history().current().name == "Reload");
    document.undo();
    CHECK(document.text() == kPendulum);
    CHECK(document.dirty());

    std::filesystem::remove(folder / "a.mech");
    CHECK(document.checkDisk() == Document::DiskChange::gone);
    document.save();
    CHECK(document.checkDisk() == Document::DiskChange::none);
    CHECK(contentOf(folder / "a.mech") == kPendulum);
}

TEST_CASE("a document whose file is gone is unsaved work", "[document]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", kPendulum);
    Document document = Document::open(folder / "a.mech");
    CHECK_FALSE(document.dirty());
    std::filesystem::remove(folder / "a.mech");
    CHECK(document.checkDisk() == Document::DiskChange::gone);
    CHECK(document.dirty());

    SECTION("a save ends it") { document.save(); }
    SECTION("a save elsewhere ends it") { document.saveAs(folder / "b.mech"); }
    SECTION("the same text coming back ends it") { writeTo(folder / "a.mech", kPendulum); }
    CHECK(document.checkDisk() == (document.dirty() && !std::filesystem::exists(folder / "a.mech")
                                       ? Document::DiskChange::gone
                                       : Document::DiskChange::none));
    CHECK(document.dirty() == !std::filesystem::exists(*document.path()));
    CHECK(document.text() == kPendulum);
}

TEST_CASE("another text coming back in place of a gone file is taken up without a question", "[document]") {
    const TemporaryFolder folder;
    writeTo(folder / "a.mech", kPendulum);
    Document document = Document::open(folder / "a.mech");
    std::filesystem::remove(folder / "a.mech");
    CHECK(document.checkDisk() == Document::DiskChange::gone);
    writeTo(folder / "a.mech", kPendulum + "# newer\n");
    CHECK(document.checkDisk() == Document::DiskChange::changed);
    CHECK_FALSE(document.dirty());
}

TEST_CASE("a failed save keeps the document dirty", "[document]") {
    const TemporaryFolder folder;
    Document document(kPendulum);
    document.setText("mech 1\n", "Type");
    CHECK_THROWS(document.saveAs(folder / "missing" / std::filesystem::path("a.mech")));
    CHECK(document.dirty());
    CHECK_FALSE(document.path());
}
