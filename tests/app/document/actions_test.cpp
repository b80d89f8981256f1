// Actions: each touches only what it must. The oracle is the text itself: what is outside the patch is compared byte by
// byte.
#include "app/document/actions.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "app/document/backup.h"
#include "engine/model/layout.h"
#include "tests/app/document/temporary_folder.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::app;

namespace {

const std::string kText = R"(mech 1   # a comment
title "Two links"
gravity 0 0 -9.81

param k 60  range 0 400  live   # stiffness
param unused_length 0.5
let half = unused_length/2

body upper
  joint revolute y
  at 0 0 1.1           # the pivot
  mass 1.5  cg 0 0 (-half)
  inertia 0.03 0.03 0.0026 0 0 0
  start (28*deg)
body lower   # carried
  parent upper
  joint revolute y
  at 0 0 -0.5
  mass   1.5  cg 0 0 -0.25
  inertia 0.03 0.03 0.0026 0 0 0

# eyes
poi eye on lower at 0 0 -0.4
poi wall on base at 1 0 1
tsda spring from eye to wall
  k k  c 0.4  l0 0.7
rsda hinge joint lower  k 2
drive motor joint upper  speed 1  gain 2
shape rod on lower  capsule 0.01 0.5  at 0 0 -0.25
)";

Document sound() {
    Document document(kText);
    REQUIRE(document.read().ok());
    return document;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::vector<std::filesystem::path> models() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(MW_SOURCE_DIR) / "models"))
        if (entry.path().extension() == ".mech") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("a value changes where it stands, and nothing else", "[actions]") {
    Document document = sound();
    REQUIRE(setProperty(document, {"body", "lower"}, "mass", {2}));
    CHECK(document.text() == replaced(kText, "mass   1.5", "mass   2"));
    CHECK(document.history().current().name == "lower mass 1.5 → 2");
    document.undo();
    CHECK(document.text() == kText);
}

TEST_CASE("an expression beside the changed number stays", "[actions]") {
    Document document = sound();
    REQUIRE(setProperty(document, {"body", "upper"}, "cg", {0.125, 0, -0.25}));
    CHECK(document.text() == replaced(kText, "cg 0 0 (-half)", "cg 0.125 0 (-half)"));
    REQUIRE(setProperty(document, {"body", "upper"}, "cg", {0.125, 0, -0.25}));
    CHECK(document.history().entries().size() == 2);
}

TEST_CASE("written values come with their text", "[actions]") {
    const Document document = sound();
    const auto cg = writtenValues(document, {"body", "upper"}, "cg");
    REQUIRE(cg.size() == 3);
    CHECK(cg[2].text == "(-half)");
    CHECK(cg[2].number == -0.25);
    CHECK(writtenValues(document, {"tsda", "spring"}, "k")[0].text == "k");
    CHECK(writtenValues(document, {"tsda", "spring"}, "k")[0].number == 60);
    CHECK(writtenValues(document, {"body", "upper"}, "rate").empty());
    CHECK(writtenValues(document, {"body", "nobody"}, "mass").empty());
    CHECK(hasProperty(document, {"body", "upper"}, "start"));
    CHECK_FALSE(hasProperty(document, {"body", "lower"}, "start"));
}

TEST_CASE("a drag is one entry with the last value", "[actions]") {
    Document document = sound();
    for (const double mass : {1.6, 1.7, 1.8}) REQUIRE(setProperty(document, {"body", "lower"}, "mass", {mass}, 5));
    CHECK(document.history().entries().size() == 2);
    CHECK(document.text() == replaced(kText, "mass   1.5", "mass   1.8"));
}

TEST_CASE("what would break the text is refused with the reader's words", "[actions]") {
    Document document = sound();
    const Outcome negative = setProperty(document, {"body", "lower"}, "mass", {-1});
    CHECK_FALSE(negative);
    CHECK_FALSE(negative.message.empty());
    CHECK_FALSE(setPropertyText(document, {"body", "lower"}, "mass", "unknown_name"));
    CHECK_FALSE(setPropertyText(document, {"body", "lower"}, "mass", "1 # hidden"));
    CHECK_FALSE(setPropertyText(document, {"body", "lower"}, "mass", "1\nbody x"));
    CHECK_FALSE(setPropertyText(document, {"body", "lower"}, "colour", "1"));
    CHECK_FALSE(setProperty(document, {"body", "ghost"}, "mass", {1}));
    CHECK_FALSE(setProperty(document, {"body", "lower"}, "mass", {NAN}));
    CHECK(document.text() == kText);
    CHECK_FALSE(document.canUndo());
}

TEST_CASE("flags, new properties and their removal", "[actions]") {
    Document document = sound();
    REQUIRE(setPropertyText(document, {"body", "lower"}, "fext", ""));
    CHECK(document.read().model.bodies[1].fext);
    REQUIRE(setPropertyText(document, {"body", "lower"}, "fext", ""));
    CHECK(document.history().entries().size() == 2);
    REQUIRE(removeProperty(document, {"body", "lower"}, "fext"));
    CHECK(document.text() == kText);
    REQUIRE(setPropertyText(document, {"body", "lower"}, "mass", "(1 + half)"));
    CHECK(document.read().model.bodies[1].mass.value == 1.25);
}

TEST_CASE("parameters, gravity and title", "[actions]") {
    Document document = sound();
    REQUIRE(setParameter(document, "k", 80));
    CHECK(document.text() == replaced(kText, "param k 60", "param k 80"));
    CHECK(document.history().current().name == "k 60 → 80");
    REQUIRE(setParameter(document, "k", 80));
    CHECK(document.history().entries().size() == 2);
    CHECK_FALSE(setParameter(document, "nothing", 1));
    REQUIRE(setGravity(document, {0, 0, -1.62}));
    CHECK(contains(document.text(), "gravity 0 0 -1.62\n"));
    REQUIRE(setTitle(document, "On the moon"));
    CHECK(document.read().model.title == "On the moon");
    CHECK_FALSE(setTitle(document, "a \" b"));

    Document bare("mech 1\nbody a\n  joint revolute y\n  mass 1  cg 1 0 0\n  inertia 1 1 1 0 0 0\n");
    REQUIRE(bare.read().ok());
    REQUIRE(setTitle(bare, "T"));
    REQUIRE(setGravity(bare, {0, -9.81, 0}));
    CHECK(bare.read().ok());
    CHECK(bare.read().model.gravity[1].value == -9.81);
    CHECK(bare.read().model.title == "T");
}

TEST_CASE("renaming reaches every reference and nothing else", "[actions]") {
    Document document = sound();
    const Outcome outcome = renameItem(document, {"body", "lower"}, "shin");
    REQUIRE(outcome);
    CHECK(outcome.item == Item{"body", "shin"});
    std::string expected = kText;
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"body lower", "body shin"},
                                   {"on lower at", "on shin at"},
                                   {"hinge joint lower", "hinge joint shin"},
                                   {"rod on lower", "rod on shin"}})
        expected = replaced(expected, from, to);
    CHECK(document.text() == expected);
    REQUIRE(renameItem(document, {"param", "k"}, "stiffness"));
    CHECK(contains(document.text(), "  k stiffness  c 0.4"));
    CHECK(document.read().ok());
    for (const char* name : {"upper", "", "2x", "a b", "base", "body", "x#", "sin"})
        CHECK_FALSE(renameItem(document, {"body", "shin"}, name));
    CHECK(renameItem(document, {"body", "shin"}, "shin"));
    document.jumpTo(0);
    CHECK(document.text() == kText);
}

TEST_CASE("deleting takes along what cannot stand alone", "[actions]") {
    Document document = sound();
    const auto needed = dependents(document, {{"body", "lower"}});
    CHECK(needed == std::vector<Item>{{"poi", "eye"}, {"tsda", "spring"}, {"rsda", "hinge"}, {"shape", "rod"}});
    CHECK_FALSE(deleteItems(document, {{"param", "k"}}));
    CHECK(document.text() == kText);
    REQUIRE(deleteItems(document, {{"body", "lower"}}));
    CHECK(document.read().ok());
    CHECK(document.read().model.bodies.size() == 1);
    CHECK(document.read().model.points.size() == 1);
    CHECK(contains(document.text(), "# eyes\n"));
    CHECK(document.history().current().name == "Delete body lower and 4 that need it");
    REQUIRE(deleteItems(document, {{"param", "k"}}));
    document.jumpTo(0);
    REQUIRE(deleteItems(document, {{"tsda", "spring"}, {"param", "k"}}));
    CHECK(document.read().ok());
    CHECK_FALSE(deleteItems(document, {{"tsda", "spring"}}));
}

TEST_CASE("added items are sound and named anew", "[actions]") {
    Document document = sound();
    const Outcome body = addBody(document, "lower");
    REQUIRE(body);
    CHECK(body.item == Item{"body", "body2"});  // 'body' is a word of the language
    REQUIRE(addBody(document, "base", "floating"));
    REQUIRE(addBody(document, "base", "prismatic x"));
    CHECK_FALSE(addBody(document, "upper", "floating"));
    CHECK_FALSE(addBody(document, "nobody"));
    CHECK_FALSE(addBody(document, "base", "hinge y"));
    const Outcome point = addPoint(document, "body2", {0.1, 0, 0});
    REQUIRE(point);
    for (const char* kind : {"box", "sphere", "capsule", "cylinder", "cone"})
        REQUIRE(addShape(document, "body2", kind));
    REQUIRE(addShape(document, "base", "box"));
    CHECK_FALSE(addShape(document, "body2", "teapot"));
    REQUIRE(addTsda(document, "wall", point.item->name));
    CHECK_FALSE(addTsda(document, "wall", "wall"));
    REQUIRE(addRsda(document, "body2"));
    CHECK_FALSE(addRsda(document, "base"));
    for (const char* kind : {"speed", "torque", "position"}) REQUIRE(addDrive(document, "body2", kind));
    REQUIRE(addParameter(document, "g0", 9.5));
    CHECK_FALSE(addParameter(document, "g0", 1));
    CHECK_FALSE(addParameter(document, "sin", 1));
    CHECK(document.read().ok());
    CHECK(document.read().model.bodies.size() == 5);
    CHECK(document.read().model.shapes.size() == 7);
    CHECK(document.read().model.drives.size() == 4);
    document.jumpTo(0);
    CHECK(document.text() == kText);
}

TEST_CASE("items can be added to an almost empty text", "[actions]") {
    Document document("mech 1");
    REQUIRE(addBody(document, "base"));
    REQUIRE(addShape(document, "body2"));
    REQUIRE(addPoint(document, "base"));
    CHECK(document.read().ok());
}

TEST_CASE("use as initial pose writes exactly the bodies that differ", "[actions]") {
    Document document = sound();
    REQUIRE(useAsInitialPose(document, {document.read().model.bodies[0].start[0].value, 0}, {0, 0}));
    CHECK(document.text() == kText);
    REQUIRE(useAsInitialPose(document, {document.read().model.bodies[0].start[0].value, 0.1}, {0, -0.5}));
    CHECK(contains(document.text(), "start (28*deg)"));
    CHECK(document.read().model.bodies[1].start[0].value == 0.1);
    CHECK(document.read().model.bodies[1].rate[0].value == -0.5);
    CHECK(document.history().entries().size() == 2);
    CHECK_FALSE(useAsInitialPose(document, {0}, {0, 0}));
    CHECK_FALSE(useAsInitialPose(document, {0, INFINITY}, {0, 0}));
}

TEST_CASE("any pose written to any model is read back to the last bit", "[actions]") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> u(-1, 1);
    for (const auto& file : models()) {
        CAPTURE(file.string());
        Document document = Document::open(file);
        REQUIRE(document.read().ok());
        const Layout layout = layoutOf(document.read().model);
        std::vector<double> q(static_cast<std::size_t>(layout.nq)), v(static_cast<std::size_t>(layout.nv));
        for (double& x : q) x = u(random);
        for (double& x : v) x = u(random);
        for (std::size_t b = 0; b < document.read().model.bodies.size(); ++b) {
            const JointType type = document.read().model.bodies[b].joint.type;
            if (type != JointType::spherical && type != JointType::floating) continue;
            double* w = q.data() + layout.q_of_body[b];
            const double n = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
            for (int k = 0; k < 4; ++k) w[k] /= n;
        }
        REQUIRE(useAsInitialPose(document, q, v));
        // (a linkage assembled from anywhere may be another one, with rows that depend on each other)
        for (const Diagnostic& d : document.read().diagnostics)
            REQUIRE((d.severity != Severity::error || d.code == "loop-redundant"));
        const Model& model = document.read().model;
        const auto back = startQ(model, layout, model.liveValues());
        // Shoes of bands stand after the written bodies; they are laid around the rollers, whatever they did in a run.
        std::size_t nq = q.size(), nv = v.size();
        for (const Track& track : model.tracks) {
            if (track.first_shoe < 0) continue;
            const auto shoe = static_cast<std::size_t>(track.first_shoe);
            nq = std::min(nq, static_cast<std::size_t>(layout.q_of_body[shoe]));
            nv = std::min(nv, static_cast<std::size_t>(layout.v_of_body[shoe]));
        }
        for (std::size_t i = 0; i < nq; ++i) CHECK(back[i] == Approx(q[i]).margin(1e-15));
        const auto rates = startV(model, layout, model.liveValues());
        CHECK(std::equal(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(nv), v.begin()));
        const std::string once = document.text();
        REQUIRE(useAsInitialPose(document, q, v));
        CHECK(document.text() == once);
        // Outside start and rate nothing has changed.
        CHECK(difference(contentOf(file), once).added <= 2 * layout.nbody);
        document.undo();
        CHECK(document.text() == contentOf(file));
    }
}

TEST_CASE("an angle that is a round number of degrees is written as one", "[actions]") {
    const double degree = 3.14159265358979323846 / 180;
    Document document(
        "mech 1\nbody a\n  joint revolute y\n  mass 1  cg 0.1 0 0\n  start (-50*deg)  # bent\n"
        "body b\n  parent a\n  joint revolute y\n  at 0.2 0 0\n  mass 1  cg 0.1 0 0\n  start 0.4\n"
        "body c\n  parent b\n  joint prismatic x\n  mass 1\n  start 0.1\n");
    REQUIRE(document.read().ok());
    REQUIRE(useAsInitialPose(document, {-37.5 * degree, 20.1 * degree, 0.123}, {0, 0, 0}));
    CHECK(document.text().find("start (-37.5*deg)  # bent") != std::string::npos);
    CHECK(document.text().find("start (20.1*deg)") != std::string::npos);
    CHECK(document.text().find("start 0.123") != std::string::npos);
    CHECK(document.read().model.bodies[0].start[0].value == -37.5 * degree);
    CHECK(document.read().model.bodies[1].start[0].value == 20.1 * degree);
    REQUIRE(useAsInitialPose(document, {0.5, 0, 1.0 / 3}, {0, 0, 0}));
    CHECK(document.text().find("start 0.5  # bent") != std::string::npos);
}

TEST_CASE("one body's start", "[actions]") {
    Document document = sound();
    REQUIRE(setStart(document, "upper", {0.25}, 9));
    REQUIRE(setStart(document, "upper", {0.5}, 9));
    CHECK(document.text() == replaced(kText, "start (28*deg)", "start 0.5"));
    CHECK(document.history().entries().size() == 2);
    CHECK_FALSE(setStart(document, "upper", {0.5, 1}));
    CHECK_FALSE(setStart(document, "ghost", {0.5}));
}

TEST_CASE("a finding's fix is applied once, and not to another text", "[actions]") {
    Document document(replaced(kText, "joint lower  k 2", "joint lowr  k 2"));
    const auto& found = document.read().diagnostics;
    const auto fixable = std::find_if(found.begin(), found.end(), [](const Diagnostic& d) { return !d.fix.empty(); });
    REQUIRE(fixable != found.end());
    const Diagnostic diagnostic = *fixable;
    REQUIRE(applyFix(document, diagnostic));
    CHECK(document.text() == kText);
    CHECK_FALSE(applyFix(document, diagnostic));
    Diagnostic without = diagnostic;
    without.fix.clear();
    CHECK_FALSE(applyFix(document, without));
}

TEST_CASE("formatting is one entry and keeps the meaning", "[actions]") {
    Document document = sound();
    const Hash before = modelHash(document.read().model);
    REQUIRE(formatDocument(document));
    CHECK(modelHash(document.read().model) == before);
    const std::size_t entries = document.history().entries().size();
    REQUIRE(formatDocument(document));
    CHECK(document.history().entries().size() == entries);
    document.undo();
    CHECK(document.text() == kText);
}

TEST_CASE("random actions on every model: always sound, and undone to the first byte", "[actions]") {
    std::mt19937 random(GENERATE(1u, 2u));
    for (const auto& file : models()) {
        CAPTURE(file.string());
        Document document = Document::open(file);
        const std::string first = document.text();
        for (int i = 0; i < 25; ++i) {
            const auto items = itemsOf(document.tree());
            if (items.empty()) break;
            const Item item = items[random() % items.size()];
            switch (random() % 9) {
                case 0: renameItem(document, item, "renamed" + std::to_string(i)); break;
                case 1: deleteItems(document, {item}); break;
                case 2:
                    addBody(document, item.kind == "body" ? item.name : "base", i % 2 ? "spherical" : "revolute y");
                    break;
                case 3: addShape(document, item.name, "cone"); break;
                case 4: addPoint(document, item.name, {1, 2, 3}); break;
                case 5: addRsda(document, item.name); break;
                case 6: addDrive(document, item.name, "position"); break;
                case 7: setProperty(document, item, "mass", {static_cast<double>(random() % 100)}); break;
                default: setParameter(document, item.name, 0.25 * static_cast<double>(random() % 100)); break;
            }
            REQUIRE(document.read().ok());
        }
        while (document.canUndo()) document.undo();
        REQUIRE(document.text() == first);
    }
}
