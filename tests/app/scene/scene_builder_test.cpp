// From model and numbers to things to draw: every example shows something for every body, picking finds what projection
// shows, signs sit where the numbers say.
#include "app/scene/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/scene/label_layout.h"
#include "app/scene/picking.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::scene;

namespace {

const Viewport kView{1280, 720};

/// A mechanism at its start, ready to be shown.
struct Shown {
    std::shared_ptr<const Model> model;
    std::vector<double> q, v, param, X;
    explicit Shown(const std::string& text, const std::filesystem::path& folder = {}) {
        ReadResult read = readMechanism(text, folder);
        for (const auto& d : read.diagnostics) {
            INFO(d.message);
            REQUIRE(d.severity != Severity::error);
        }
        model = std::make_shared<const Model>(read.model);
        Layout layout = layoutOf(*model);
        param = model->liveValues();
        q = startQ(*model, layout, param);
        v = startV(*model, layout, param);
        pose();
    }
    void pose() {
        Kernel kernel = makeReferenceKernel(*model);
        X.assign(12 * model->bodies.size(), 0);
        std::vector<double> V(6 * model->bodies.size()), work = makeWork(kernel);
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
    }
    SceneState state() const {
        SceneState s;
        s.X = X;
        s.param = param;
        return s;
    }
};

std::vector<std::filesystem::path> examples() {
    std::vector<std::filesystem::path> files;
    for (const auto& e : std::filesystem::directory_iterator(std::filesystem::path(MW_SOURCE_DIR) / "models")) {
        if (e.path().extension() == ".mech") files.push_back(e.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}
std::string textOf(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

const char* kAllJoints = R"(mech 1
body a
  joint revolute y
  at 0 0 1
  mass 1  cg 0.2 0 0  inertia 0.01 0.01 0.01 0 0 0
body b
  parent a
  joint prismatic x
  at 0.4 0 0
  mass 1  cg 0.1 0 0  inertia 0.01 0.01 0.01 0 0 0
body c
  parent b
  joint cylindrical x
  at 0.2 0 0
  mass 1  inertia 0.01 0.02 0.02 0 0 0
body d
  joint screw z pitch 0.01
  at 1 0 1
  mass 1  inertia 0.01 0.01 0.01 0 0 0
body e
  joint universal x y
  at 2 0 1
  mass 1  cg 0 0 -0.3  inertia 0.01 0.01 0.01 0 0 0
body f
  joint planar z
  at 3 0 1
  mass 1  inertia 0.01 0.01 0.01 0 0 0
body g
  joint spherical
  at 4 0 1
  mass 1  cg 0 0 -0.3  inertia 0.01 0.01 0.01 0 0 0
body h
  joint floating
  mass 1  inertia 0.01 0.02 0.03 0 0 0
  start 1 0 0 0  5 0 1
body i
  parent g
  at 0 0 -0.5
  mass 1  inertia 0.01 0.01 0.01 0 0 0
)";

}  // namespace

TEST_CASE("every example shows something of every body, with and without its shapes") {
    for (const auto& file : examples()) {
        INFO(file.filename().string());
        Shown shown(textOf(file), file.parent_path());
        SceneBuilder builder(shown.model, file.parent_path());
        for (bool shapes : {true, false}) {
            SceneOptions options;
            options.shapes = shapes;
            Scene scene = builder.build(shown.state(), options);
            std::size_t triangles = 0;
            for (const MeshInstance& m : scene.meshes) {
                triangles += m.mesh->triangles();
                CHECK(m.place.matrix().allFinite());
            }
            CHECK(triangles > 100);
            CHECK(triangles < 60000);
            CHECK_FALSE(scene.bounds.empty());
            for (int b = 0; b < static_cast<int>(shown.model->bodies.size()); ++b) {
                INFO(shown.model->bodies[static_cast<std::size_t>(b)].name);
                CHECK(std::any_of(scene.meshes.begin(), scene.meshes.end(), [&](const MeshInstance& m) {
                    return (m.id.kind == ItemKind::body || m.id.kind == ItemKind::joint) && m.id.index == b;
                }));
            }
            for (std::size_t i = 0; i < shown.model->tsdas.size(); ++i) {
                CHECK(std::any_of(scene.meshes.begin(), scene.meshes.end(), [&](const MeshInstance& m) {
                    return m.id == ItemId{ItemKind::tsda, static_cast<int>(i)};
                }));
            }
        }
    }
}

TEST_CASE("each kind of joint has its picture, tied to the joint's item") {
    Shown shown(kAllJoints);
    SceneBuilder builder(shown.model);
    Scene scene = builder.build(shown.state(), {});
    for (int b = 0; b < static_cast<int>(shown.model->bodies.size()); ++b) {
        INFO(shown.model->bodies[static_cast<std::size_t>(b)].name);
        ItemId joint{ItemKind::joint, b};
        bool meshes =
            std::any_of(scene.meshes.begin(), scene.meshes.end(), [&](const MeshInstance& m) { return m.id == joint; });
        bool lines = std::any_of(scene.lines.begin(), scene.lines.end(), [&](const Line& l) { return l.id == joint; });
        CHECK((meshes || lines));
        CHECK((builder.anchorOf(shown.state(), joint) - Vec3(0, 0, 0)).allFinite());
        CHECK(builder.nameOf(joint) == shown.model->bodies[static_cast<std::size_t>(b)].name);
    }
}

TEST_CASE("solids move with their body: turning the whole picture turns every place") {
    Shown shown(kAllJoints);
    SceneBuilder builder(shown.model);
    Scene before = builder.build(shown.state(), {});
    shown.q[0] += 0.7;  // body a turns, and with it b and c
    shown.pose();
    Scene after = builder.build(shown.state(), {});
    scene::Placement turn = movedTo({0, 0, 1}) * Eigen::AngleAxisd(0.7, Vec3::UnitY()) * movedTo({0, 0, -1});
    REQUIRE(before.meshes.size() == after.meshes.size());
    int moved = 0;
    for (std::size_t i = 0; i < before.meshes.size(); ++i) {
        if (before.meshes[i].id.kind != ItemKind::body || before.meshes[i].id.index > 2) continue;
        CHECK(((turn * before.meshes[i].place).matrix() - after.meshes[i].place.matrix()).norm() < 1e-9);
        ++moved;
    }
    CHECK(moved > 0);
}

TEST_CASE("picking agrees with projection: the pixel of a body's middle finds the body") {
    int found = 0;
    for (const auto& file : examples()) {
        Shown shown(textOf(file), file.parent_path());
        SceneBuilder builder(shown.model, file.parent_path());
        SceneOptions options;
        options.joints = options.springs = options.points = false;
        Scene scene = builder.build(shown.state(), options);
        Camera camera;
        camera.setSmooth(false);
        camera.setUp(scene.up);
        camera.setBounds(scene.bounds);
        for (bool perspective : {true, false}) {
            camera.setPerspective(perspective);
            camera.frame(scene.bounds, kView, 0);
            for (const MeshInstance& m : scene.meshes) {
                if (m.mesh->planes.empty()) continue;
                // A point that is inside the solid for sure: the middle of a face, a little inwards.
                std::size_t f = m.mesh->triangles() / 2;
                Vec3 p = Vec3::Zero();
                for (std::size_t k = 0; k < 3; ++k)
                    p += m.mesh->positions[m.mesh->indices[3 * f + k]].cast<double>() / 3;
                auto pixel = camera.project(m.place * p, kView);
                REQUIRE(pixel);
                auto hits = pick(scene, camera, kView, pixel->pixel);
                INFO(file.filename().string() << ": " << builder.nameOf(m.id));
                CHECK(std::any_of(hits.begin(), hits.end(), [&](const Hit& h) { return h.id == m.id; }));
                for (std::size_t i = 1; i < hits.size(); ++i) CHECK(hits[i - 1].depth <= hits[i].depth);
                for (const Hit& h : hits) {
                    auto back = camera.project(h.point, kView);
                    REQUIRE(back);
                    // Thin tendons are met a few pixels beside them, too.
                    CHECK((back->pixel - pixel->pixel).norm() < (h.id.kind == ItemKind::tendon ? 7.0 : 0.5));
                }
                ++found;
            }
        }
        CHECK(pick(scene, camera, kView, {3, 3}).empty());
    }
    CHECK(found > 100);
}

TEST_CASE("a repeated click steps through what lies there and comes round") {
    PickCycle cycle;
    std::vector<Hit> hits(3);
    for (int i = 0; i < 3; ++i) hits[static_cast<std::size_t>(i)].id = {ItemKind::body, i};
    for (int i : {0, 1, 2, 0}) CHECK(cycle.click(hits, {100, 100})->id.index == i);
    CHECK(cycle.click(hits, {140, 100})->id.index == 0);
    CHECK_FALSE(cycle.click({}, {140, 100}));
    CHECK(cycle.click(hits, {140, 100})->id.index == 0);
}

TEST_CASE("arrows start at the point of action and have lengths in proportion; zero and bad ones are left out") {
    Shown shown(kAllJoints);
    SceneBuilder builder(shown.model);
    std::vector<ForceReading> forces(4);
    forces[0].point = {1, 2, 3};
    forces[0].vector = {0, 0, 100};
    forces[1].vector = {0, -50, 0};
    forces[2].vector = {0, 0, 0};
    forces[3].vector = {std::nan(""), 0, 0};
    SceneState state = shown.state();
    state.forces = forces;
    Scene scene = builder.build(state, {});
    REQUIRE(scene.arrows.size() == 2);
    CHECK(scene.arrows[0].origin == Vec3(1, 2, 3));
    CHECK(scene.arrows[0].vector.norm() == Approx(2 * scene.arrows[1].vector.norm()));
    CHECK(scene.legend.metres_per_newton * 100 == Approx(scene.arrows[0].vector.norm()));
    SceneOptions options;
    options.metres_per_newton = 0.01;
    scene = builder.build(state, options);
    CHECK(scene.arrows[0].vector.norm() == Approx(1.0));
}

TEST_CASE("a stretched spring's coil reaches from end to end") {
    Shown shown("mech 1\nbody a\n  joint prismatic x\n  mass 1\ntsda s from base -1 0 0 to a 0 0 0  k 10  l0 0.5\n");
    SceneBuilder builder(shown.model);
    for (double x : {-0.8, 0.0, 0.37, 2.0}) {
        shown.q[0] = x;
        shown.pose();
        Scene scene = builder.build(shown.state(), {});
        Box box;
        for (const MeshInstance& m : scene.meshes) {
            if (m.id.kind != ItemKind::tsda || m.mesh->triangles() < 600) continue;
            for (const auto& p : m.mesh->positions) box.add(m.place * p.cast<double>());
        }
        CHECK(box.low.x() == Approx(-1).margin(1e-6));
        CHECK(box.high.x() == Approx(x).margin(1e-6));
    }
}

TEST_CASE("up follows gravity, and the ground lies under what hangs") {
    Shown y("mech 1\ngravity 0 -9.81 0\nbody a\n  joint revolute z\n  mass 1  cg 0 -1 0\n");
    SceneBuilder b(y.model);
    Scene scene = b.build(y.state(), {});
    CHECK(scene.up == Vec3(0, 1, 0));
    CHECK(scene.ground.height < -0.99);
}

TEST_CASE("bad numbers draw nothing wrong and never crash") {
    Shown shown(kAllJoints);
    SceneBuilder builder(shown.model);
    std::fill(shown.X.begin(), shown.X.end(), std::nan(""));
    SceneOptions options;
    options.centres = options.frames = options.gravity = options.inertia = true;
    Scene scene = builder.build(shown.state(), options);
    for (const MeshInstance& m : scene.meshes) CHECK(m.place.matrix().allFinite());
    CHECK_FALSE(scene.bounds.empty());
    SceneState none;
    builder.build(none, options);
    CHECK(builder.nameOf({ItemKind::body, 999}).empty());
}

TEST_CASE("trails grow with time and are cut when time goes back") {
    Shown shown("mech 1\nbody a\n  joint prismatic x\n  mass 1\npoi tip on a at 0 0 0.1\n");
    SceneBuilder builder(shown.model);
    for (int i = 0; i < 50; ++i) {
        shown.q[0] = 0.05 * i;
        shown.pose();
        builder.trace(shown.state(), 0.01 * i);
    }
    Scene scene = builder.build(shown.state(), {});
    REQUIRE(scene.trails.size() == 1);
    CHECK(scene.trails[0].points.size() == 50);
    shown.q[0] = 0.5;
    shown.pose();
    builder.trace(shown.state(), 0.1);
    scene = builder.build(shown.state(), {});
    CHECK(scene.trails[0].points.size() == 11);
    CHECK(scene.trails[0].points.back().x() == Approx(0.5));
}

TEST_CASE("labels never cover each other or what is taken, and stay where they are when nothing moves") {
    LabelLayout layout;
    std::vector<LabelRequest> wanted;
    for (int i = 0; i < 24; ++i) {
        LabelRequest l;
        l.anchor = {400.0 + 37 * (i % 6), 300.0 + 15 * (i / 6)};
        l.size = {90, 21};
        l.priority = i % 3;
        l.key = static_cast<std::uint64_t>(i);
        wanted.push_back(l);
    }
    std::vector<Rect> taken{{380, 200, 200, 60}};
    auto placed = layout.place(wanted, 1280, 720, taken);
    int shown = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (!placed[i].shown) continue;
        ++shown;
        CHECK_FALSE(placed[i].box.overlaps(taken[0]));
        for (std::size_t j = i + 1; j < placed.size(); ++j)
            CHECK_FALSE((placed[j].shown && placed[i].box.overlaps(placed[j].box)));
    }
    CHECK(shown >= 12);
    for (LabelRequest& l : wanted) l.anchor += Vec2(1, 1);
    auto again = layout.place(wanted, 1280, 720, taken);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (placed[i].shown && again[i].shown) CHECK(std::abs(again[i].box.x - placed[i].box.x - 1) < 1e-9);
    }
}

TEST_CASE("a label goes beside what is drawn where it can, and says that a line should lead to it") {
    LabelLayout layout;
    LabelRequest l;
    l.anchor = {400, 300};
    l.size = {90, 21};
    l.key = 1;
    const Rect drawn{360, 240, 80, 120};  // a small mechanism about the anchor
    const auto hides = [&](const Rect& box) {
        const double w = std::min(box.x + box.width, drawn.x + drawn.width) - std::max(box.x, drawn.x),
                     h = std::min(box.y + box.height, drawn.y + drawn.height) - std::max(box.y, drawn.y);
        return w > 0 && h > 0 ? w * h / (box.width * box.height) : 0.0;
    };
    const PlacedLabel close = LabelLayout().place({l}, 1280, 720, {})[0];
    REQUIRE(close.shown);
    CHECK(hides(close.box) > 0.4);
    const PlacedLabel beside = layout.place({l}, 1280, 720, {}, 4, hides)[0];
    REQUIRE(beside.shown);
    CHECK(hides(beside.box) < 0.2);
    CHECK(beside.leader);
    // It stays there while the thing moves a little.
    l.anchor += Vec2(1, 0);
    CHECK(layout.place({l}, 1280, 720, {}, 4, hides)[0].box.x == Approx(beside.box.x + 1));
    // Where everything is covered it stands next to its point.
    CHECK_FALSE(LabelLayout().place({l}, 1280, 720, {}, 4, [](const Rect&) { return 1.0; })[0].leader);
}
