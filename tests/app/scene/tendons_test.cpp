// Tendons as pictures against geometry: tubes lie round the route and nowhere else, branches are not joined, colours
// follow tensions (along rope friction as e^(mu angle)), what is off or hidden is not there, clicks find statement and
// element, arrows are the readings.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/scene/picking.h"
#include "app/scene/scene_builder.h"
#include "app/scene/tendon_parts.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::scene;

namespace {

const Viewport kView{1280, 720};

struct Rig {
    std::shared_ptr<const Model> model;
    std::vector<double> param, X;
    std::vector<TendonReading> readings;
    explicit Rig(const std::string& text) {
        const ReadResult read = readMechanism(text);
        for (const Diagnostic& d : read.diagnostics) INFO(d.message);
        REQUIRE(read.ok());
        model = std::make_shared<const Model>(read.model);
        const Layout layout = layoutOf(*model);
        param = model->liveValues();
        const std::vector<double> q = startQ(*model, layout, param), v = startV(*model, layout, param);
        const Kernel kernel = makeReferenceKernel(*model);
        std::vector<double> work = makeWork(kernel), V(6 * model->bodies.size());
        X.resize(12 * model->bodies.size());
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
        Tendons tendons(*model, layout);
        tendons.setParameters(param);
        readings.resize(model->tendons.size());
        for (std::size_t i = 0; i < readings.size(); ++i) {
            tendons.route(static_cast<int>(i), q, X, nullptr, readings[i].route);
            readings[i].length = readings[i].route.length;
        }
    }
    SceneState state() const {
        SceneState s;
        s.X = X;
        s.param = param;
        return s;
    }
    SceneState solved() const {
        SceneState s = state();
        s.tendons = readings;
        s.solved = true;
        return s;
    }
};

/// Solids of a tendon that are no site or guide.
std::vector<const MeshInstance*> tubesOf(const Scene& scene, int tendon) {
    std::vector<const MeshInstance*> tubes;
    for (const MeshInstance& m : scene.meshes)
        if (m.id == ItemId{ItemKind::tendon, tendon} && m.element < 0) tubes.push_back(&m);
    return tubes;
}

const MeshInstance* elementOf(const Scene& scene, int tendon, int element) {
    for (const MeshInstance& m : scene.meshes)
        if (m.id == ItemId{ItemKind::tendon, tendon} && m.element == element) return &m;
    return nullptr;
}

std::vector<Vec3> verticesOf(const MeshInstance& m) {
    std::vector<Vec3> all;
    for (const auto& p : m.mesh->positions) all.push_back(m.place * p.cast<double>());
    return all;
}

double fromSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    return (p - (a + d * std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0))).norm();
}

const char* kPlain = R"(mech 1
body slider
  joint prismatic z
  at 0 0 0
  mass 1
  inertia 0.01 0.01 0.01 0 0 0
tendon rope
  width 0.01
  site base -1 0 1
  site slider 0 0 0.5
  site base 1 0 1
)";

const char* kWrapped = R"(mech 1
body drum
  joint revolute y
  at 0 0 0
  mass 1
  inertia 0.01 0.01 0.01 0 0 0
tendon rope
  width 0.01
  site base -0.6 -0.2 -0.5
  cylinder drum 0 0 0 axis y radius 0.25 side base 0 0 1 mu 0.3
  site base 0.6 0.3 -0.5
)";

const char* kBranches = R"(mech 1
body block
  joint prismatic z
  at 0 0 0
  mass 1
  inertia 0.01 0.01 0.01 0 0 0
tendon tackle
  width 0.01
  site base -1 0 1
  site block -0.5 0 0
  pulley 2
  site block 0.5 0 0
  site base 1 0 1
)";

}  // namespace

TEST_CASE("a straight tendon is a tube of its width from site to site", "[tendons]") {
    Rig rig(kPlain);
    SceneBuilder builder(rig.model);
    const Scene scene = builder.build(rig.state(), {});
    const auto tubes = tubesOf(scene, 0);
    REQUIRE(tubes.size() == 1);
    const Vec3 a(-1, 0, 1), b(0, 0, 0.5), c(1, 0, 1);
    Box box;
    for (const Vec3& p : verticesOf(*tubes[0])) {
        const double off = std::min(fromSegment(p, a, b), fromSegment(p, b, c));
        CHECK(off <= 0.01 + 1e-6);  // nothing beyond its width; caps lie inside
        box.add(p);
    }
    CHECK(box.low.x() == Approx(-1).margin(0.01));
    CHECK(box.high.x() == Approx(1).margin(0.01));
    CHECK(box.low.y() == Approx(-0.01).margin(1e-4));
    CHECK(box.low.z() <= 0.5);
    // Its own colour while nothing runs
    CHECK(tubes[0]->color.r == Approx(0.9));
    CHECK(scene.legend.ramps.empty());
}

TEST_CASE("over a cylinder the tube follows the helix on its surface", "[tendons]") {
    Rig rig(kWrapped);
    SceneBuilder builder(rig.model);
    const Scene scene = builder.build(rig.state(), {});
    const TendonLine line = Tendons(*rig.model, layoutOf(*rig.model)).line(0, rig.X, 0.1);
    const auto runs = runsOf(line);
    REQUIRE(runs.size() == 1);
    double length = 0, on_guide = 0;
    for (std::size_t k = 0; k + 1 < runs[0].points.size(); ++k) {
        const Vec3 a = runs[0].points[k], b = runs[0].points[k + 1];
        length += (b - a).norm();
        if (runs[0].element[k] != 1) continue;
        ++on_guide;
        for (const Vec3& p : {a, b}) CHECK(std::hypot(p.x(), p.z()) == Approx(0.25).epsilon(1e-9));
        // A helix climbs evenly: its slope against the planar way is that of the whole route.
        CHECK((b.y() - a.y()) / std::hypot(b.x() - a.x(), b.z() - a.z()) > 0);
    }
    CHECK(on_guide > 10);
    // Chords of 0.1 rad are shorter than their arcs by 1/24 of the angle's square at most.
    CHECK(length <= rig.readings[0].length * (1 + 1e-12));
    CHECK(length >= rig.readings[0].length * (1 - 0.01 / 24));
    for (const MeshInstance* tube : tubesOf(scene, 0))
        for (const Vec3& p : verticesOf(*tube)) {
            double off = 1e9;
            for (std::size_t k = 0; k + 1 < runs[0].points.size(); ++k)
                off = std::min(off, fromSegment(p, runs[0].points[k], runs[0].points[k + 1]));
            CHECK(off <= 0.01 * 1.01);
            CHECK(std::hypot(p.x(), p.z()) >= 0.25 * std::cos(0.05) - 0.0101);
        }
    // The guide is drawn as long as the rope lies on it, faintly; clearly when the tendon is selected.
    const MeshInstance* guide = elementOf(scene, 0, 1);
    REQUIRE(guide);
    CHECK(guide->color.a < 0.2f);
    Box box;
    for (const Vec3& p : verticesOf(*guide)) {
        CHECK(std::hypot(p.x(), p.z()) <= 0.25 * 1.004);
        box.add(p);
    }
    for (std::size_t k = 0; k < runs[0].element.size(); ++k)
        if (runs[0].element[k] == 1) {
            CHECK(runs[0].points[k].y() >= box.low.y());
            CHECK(runs[0].points[k].y() <= box.high.y());
        }
    SceneOptions chosen;
    chosen.selection = {{ItemKind::tendon, 0}};
    const Scene clear = builder.build(rig.state(), chosen);
    CHECK(elementOf(clear, 0, 1)->color.a > 0.3f);
    CHECK(std::any_of(clear.markers.begin(), clear.markers.end(),
                      [](const Marker& m) { return m.element == 1 && (m.position - Vec3(0, 0, 1)).norm() < 1e-9; }));
    CHECK(std::none_of(scene.markers.begin(), scene.markers.end(), [](const Marker& m) { return m.element == 1; }));
}

TEST_CASE("branches are not joined", "[tendons]") {
    Rig rig(kBranches);
    SceneBuilder builder(rig.model);
    const Scene scene = builder.build(rig.state(), {});
    const auto runs = runsOf(Tendons(*rig.model, layoutOf(*rig.model)).line(0, rig.X));
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].branch != runs[1].branch);
    for (const MeshInstance* tube : tubesOf(scene, 0))
        for (std::size_t f = 0; f + 2 < tube->mesh->indices.size(); f += 3) {
            // No face spans the block, from x = -0.5 to 0.5.
            bool left = false, right = false;
            for (std::size_t k = 0; k < 3; ++k) {
                const double x = (tube->place * tube->mesh->positions[tube->mesh->indices[f + k]].cast<double>()).x();
                left = left || x < -0.4;
                right = right || x > 0.4;
            }
            CHECK_FALSE((left && right));
        }
}

TEST_CASE("colours are tensions; slack is thin, pale and dashed; what pushes is steel", "[tendons]") {
    Rig rig(kBranches);
    SceneBuilder builder(rig.model);
    rig.readings[0].tension = 80;
    Scene scene = builder.build(rig.solved(), {});
    REQUIRE(scene.legend.ramps.size() == 1);
    CHECK(scene.legend.ramps[0].high == "100.0 N");
    auto tubes = tubesOf(scene, 0);
    REQUIRE(tubes.size() == 2);  // the second branch has half of the tension
    const auto has = [&](const Color& c) {
        return std::any_of(tubes.begin(), tubes.end(), [&](const MeshInstance* m) { return m->color == c; });
    };
    CHECK(has(thinRamp(0.8)));
    CHECK(has(thinRamp(0.4)));

    SceneOptions plain;
    plain.tendon_tension = false;
    tubes = tubesOf(scene = builder.build(rig.solved(), plain), 0);
    REQUIRE(tubes.size() == 1);
    CHECK(tubes[0]->color.r == Approx(0.9));
    CHECK(scene.legend.ramps.empty());

    rig.readings[0].tension = 0;
    rig.readings[0].slack = true;
    scene = builder.build(rig.solved(), {});
    tubes = tubesOf(scene, 0);
    REQUIRE(tubes.size() == 1);
    CHECK_FALSE(has(thinRamp(0)));
    CHECK(std::any_of(scene.legend.entries.begin(), scene.legend.entries.end(),
                      [](const LegendEntry& e) { return e.name == "slack"; }));
    double thickest = 0;
    for (const Vec3& p : verticesOf(*tubes[0]))
        thickest = std::max(thickest,
                            std::min(fromSegment(p, {-1, 0, 1}, {-0.5, 0, 0}), fromSegment(p, {0.5, 0, 0}, {1, 0, 1})));
    CHECK(thickest < 0.0075);

    rig.readings[0].slack = false;
    rig.readings[0].tension = -30;
    tubes = tubesOf(scene = builder.build(rig.solved(), {}), 0);
    REQUIRE(tubes.size() == 1);
    CHECK(has(theme(ThemeKind::dark).shoe));
}

TEST_CASE("along rope friction the tension runs from the one to the other as e^(mu angle)", "[tendons]") {
    Rig rig(kWrapped);
    REQUIRE(rig.readings[0].route.guides.size() == 1);
    const double sweep = rig.readings[0].route.guides[0].contact.sweep, mu = 0.3;
    REQUIRE(sweep > 1);
    rig.readings[0].route.guides[0].tension_before = 10;
    rig.readings[0].route.guides[0].tension_after = 10 * std::exp(mu * sweep);
    const auto runs = runsOf(Tendons(*rig.model, layoutOf(*rig.model)).line(0, rig.X, 0.1));
    const std::vector<double> tensions = pieceTensions(rig.model->tendons[0], rig.readings[0], runs[0]);
    REQUIRE(tensions.size() == runs[0].element.size());
    CHECK(tensions.front() == Approx(10));
    CHECK(tensions.back() == Approx(10 * std::exp(mu * sweep)));
    // Of a piece on the drum: by the angle of its middle, measured on its own from the first contact point.
    const Vec3 first = runs[0].points[1];
    for (std::size_t k = 0; k < tensions.size(); ++k) {
        if (runs[0].element[k] != 1) continue;
        const Vec3 middle = (runs[0].points[k] + runs[0].points[k + 1]) / 2;
        const double angle =
            std::acos(std::clamp((first.x() * middle.x() + first.z() * middle.z()) / std::hypot(first.x(), first.z()) /
                                     std::hypot(middle.x(), middle.z()),
                                 -1.0, 1.0));
        CHECK(tensions[k] == Approx(10 * std::exp(mu * angle)).epsilon(1e-3));
    }
}

TEST_CASE("dashes cover their share of a path and end where it ends", "[tendons]") {
    const Path path{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 2, 0.5}};
    for (const double dash : {0.05, 0.2, 1.0}) {
        const auto dashes = dashesOf(path, dash, 0.75 * dash);
        REQUIRE(dashes.size() >= 2);
        CHECK(dashes.front().front().isApprox(path.front()));
        CHECK((dashes.back().back() - path.back()).norm() < 1e-9);
        double covered = 0;
        for (const Path& d : dashes)
            for (std::size_t i = 0; i + 1 < d.size(); ++i) covered += (d[i + 1] - d[i]).norm();
        const auto n = static_cast<double>(dashes.size());
        CHECK(covered == Approx(3.5 * n / (n + 0.75 * (n - 1))).epsilon(1e-9));
    }
    CHECK(dashesOf({{0, 0, 0}}, 1, 1).empty());
    CHECK(dashesOf({{0, 0, 0}, {0, 0, 0}}, 1, 1).empty());
}

TEST_CASE("no number that is none reaches the picture", "[tendons]") {
    Rig rig(kWrapped);
    const double nan = std::nan("");
    rig.readings[0].tension = nan;
    rig.readings[0].point_forces.assign(rig.readings[0].route.points.size(), {nan, 0, 0});
    rig.readings[0].route.guides[0].tension_before = nan;
    rig.readings[0].route.guides[0].contact.first = Vector3::Constant(nan);
    SceneBuilder builder(rig.model);
    SceneOptions options;
    options.selection = {{ItemKind::tendon, 0}};
    Scene scene = builder.build(rig.solved(), options);
    for (const MeshInstance& m : scene.meshes) {
        CHECK(m.place.matrix().allFinite());
        CHECK(std::isfinite(m.color.r));
        for (const auto& p : m.mesh->positions) CHECK(p.allFinite());
    }
    for (const Arrow& a : scene.arrows) CHECK(a.vector.allFinite());
    CHECK(tubesOf(scene, 0).size() >= 1);
    // A body that has flown off takes its tendon out of the picture.
    rig.X[9] = nan;
    scene = builder.build(rig.state(), options);
    for (const MeshInstance& m : scene.meshes) CHECK(m.place.matrix().allFinite());
    // A line with a hole is drawn on both sides of it.
    TendonLine line;
    line.points = {{0, 0, 0}, {1, 0, 0}, {nan, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    line.element = {-1, -1, -1, -1};
    line.branch = {0, 0, 0, 0};
    CHECK(runsOf(line).size() == 2);
}

TEST_CASE("what is off, or has no colour at all, is not drawn", "[tendons]") {
    std::string text = kPlain;
    Rig off(text + "  off\n");
    CHECK(tubesOf(SceneBuilder(off.model).build(off.state(), {}), 0).empty());
    Rig clear(text + "  color 1 0 0 0\n");
    CHECK(tubesOf(SceneBuilder(clear.model).build(clear.state(), {}), 0).empty());
    Rig by_hand(text);
    SceneState state = by_hand.state();
    const std::vector<char> hand{1};
    state.tendon_off = hand;
    const Scene scene = SceneBuilder(by_hand.model).build(state, {});
    CHECK(std::none_of(scene.meshes.begin(), scene.meshes.end(),
                       [](const MeshInstance& m) { return m.id.kind == ItemKind::tendon; }));
    SceneOptions none;
    none.tendons = false;
    CHECK(tubesOf(SceneBuilder(by_hand.model).build(by_hand.state(), none), 0).empty());
}

TEST_CASE("the route in the picture is the pose's alone", "[tendons]") {
    Rig rig(kWrapped);
    SceneBuilder one(rig.model), two(rig.model);
    const Scene alone = one.build(rig.state(), {});
    // Another pose in between changes nothing.
    Rig turned(kWrapped);
    turned.X[9] += 0.1;
    two.build(turned.state(), {});
    const Scene again = two.build(rig.state(), {});
    const auto a = tubesOf(alone, 0), b = tubesOf(again, 0);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(a[i]->mesh->positions.size() == b[i]->mesh->positions.size());
        for (std::size_t k = 0; k < a[i]->mesh->positions.size(); ++k)
            CHECK(a[i]->mesh->positions[k] == b[i]->mesh->positions[k]);
    }
}

TEST_CASE("a click on a tube finds the tendon, on a site or guide its element, and bodies before guides", "[tendons]") {
    Rig rig(std::string(kWrapped) + "shape core on drum  sphere 0.1\n");
    SceneBuilder builder(rig.model);
    const Scene scene = builder.build(rig.state(), {});
    Camera camera;
    camera.setSmooth(false);
    camera.setBounds(scene.bounds);
    camera.setView(StandardView::front, 0);
    camera.frame(scene.bounds, kView, 0);
    const auto at = [&](const Vec3& p) {
        const auto seen = camera.project(p, kView);
        REQUIRE(seen);
        return pick(scene, camera, kView, seen->pixel, 3);
    };
    const ItemId rope{ItemKind::tendon, 0};
    const TendonLine line = Tendons(*rig.model, layoutOf(*rig.model)).line(0, rig.X);
    const Vec3 a(line.points[0].data()), b(line.points[1].data());
    auto hits = at((a + b) / 2);
    REQUIRE_FALSE(hits.empty());
    CHECK(hits[0].id == rope);
    CHECK(hits[0].element == -1);
    hits = at({-0.6, -0.2, -0.5});
    REQUIRE_FALSE(hits.empty());
    CHECK(hits[0].id == rope);
    CHECK(hits[0].element == 0);
    hits = at({0.18, 0, 0.05});  // on the drum, beside the core
    REQUIRE_FALSE(hits.empty());
    CHECK(hits[0].id == rope);
    CHECK(hits[0].element == 1);
    hits = at({0, 0, 0});  // the core lies inside the guide
    REQUIRE(hits.size() >= 2);
    CHECK(hits[0].id.kind == ItemKind::body);
}

TEST_CASE("arrows of a selected tendon are its point forces", "[tendons]") {
    Rig rig(kPlain);
    rig.readings[0].tension = 50;
    const Vec3 u = Vec3(1, 0, -0.5).normalized(), w = Vec3(1, 0, 0.5).normalized();
    const std::vector<Vec3> forces{50 * u, 50 * (w - u), -50 * w};
    REQUIRE(rig.readings[0].route.points.size() == 3);
    for (const Vec3& f : forces) rig.readings[0].point_forces.push_back({f.x(), f.y(), f.z()});
    SceneBuilder builder(rig.model);
    CHECK(builder.build(rig.solved(), {}).arrows.empty());
    SceneOptions options;
    options.selection = {{ItemKind::tendon, 0}};
    const Scene scene = builder.build(rig.solved(), options);
    REQUIRE(scene.arrows.size() == 3);
    Vec3 sum = Vec3::Zero();
    const double scale = scene.arrows[0].vector.norm() / 50;
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK((scene.arrows[i].vector / scale - forces[i]).norm() < 1e-9 * 50);
        CHECK(scene.arrows[i].id == ItemId{ItemKind::tendon, 0});
        sum += scene.arrows[i].vector;
    }
    CHECK(sum.norm() < 1e-12);
    CHECK(scene.legend.metres_per_newton == Approx(scale));
    CHECK((scene.arrows[1].origin - Vec3(0, 0, 0.5)).norm() < 1e-12);
}

TEST_CASE("of a tendon's many forces the largest few carry a label, and the same ones while they tremble",
          "[tendons]") {
    std::string text(kPlain);
    for (int i = 0; i < 8; ++i)
        text += "  site base " + std::to_string(2 + i) + " 0 " + std::to_string(i % 2 == 0 ? 0.4 : 1.0) + "\n";
    Rig rig(text);
    const std::size_t n = rig.readings[0].route.points.size();
    REQUIRE(n == 11);
    SceneOptions options;
    options.selection = {{ItemKind::tendon, 0}};
    SceneBuilder builder(rig.model);
    const auto labelled = [&](std::vector<double> sizes) {
        rig.readings[0].tension = 50;
        rig.readings[0].point_forces.clear();
        for (const double size : sizes) rig.readings[0].point_forces.push_back({0, 0, -size});
        const Scene scene = builder.build(rig.solved(), options);
        CHECK(scene.arrows.size() == n);
        std::vector<std::string> values;
        for (const Label& l : scene.labels)
            if (l.id == ItemId{ItemKind::tendon, 0}) values.push_back(l.value);
        return values;
    };
    std::vector<double> rising(n), same(n, 40.0);
    for (std::size_t i = 0; i < n; ++i) rising[i] = 10.0 + static_cast<double>(i);
    CHECK(labelled(rising) ==
          std::vector<std::string>{formatQuantity(18, "N"), formatQuantity(19, "N"), formatQuantity(20, "N")});
    // As large as each other: still only so many, by their order along the path.
    CHECK(labelled(same).size() == 3);
    std::vector<double> trembling = same;
    for (std::size_t i = 3; i < n; ++i) trembling[i] += 1e-9;
    trembling[0] = 40 + 1e-6;
    CHECK(labelled(trembling).size() == 3);
    trembling = same;
    trembling[9] += 1e-10;  // rounding: the first ones keep it
    CHECK(labelled(trembling).size() == 3);
    const Scene scene = builder.build(rig.solved(), options);
    Vec3 last = Vec3::Constant(-1e9);
    for (const Label& l : scene.labels) {
        if (!(l.id == ItemId{ItemKind::tendon, 0})) continue;
        CHECK(l.anchor.x() > last.x());
        last = l.anchor;
    }
    CHECK(last.x() < 1.5);
}

TEST_CASE("contacts of shapes are drawn as those of bands, behind them in the list of items", "[tendons]") {
    Rig rig(kPlain);
    std::vector<ShapeContactReading> contacts(2);
    contacts[0].record.point = {0.1, 0, 0};
    contacts[0].record.normal = {0, 0, 1};
    contacts[0].record.shape_a = -1;
    contacts[0].record.b = 0;
    contacts[0].normal_force = 20;
    contacts[0].friction = {5, 0, 0};
    contacts[0].force = {5, 0, 20};
    contacts[0].state = ContactState::slip;
    contacts[1] = contacts[0];
    contacts[1].record.point = {0.2, 0, 0};
    contacts[1].state = ContactState::open;
    contacts[1].normal_force = 0;
    contacts[1].friction = contacts[1].force = {};
    SceneState state = rig.solved();
    state.shape_contacts = contacts;
    SceneBuilder builder(rig.model);
    SceneOptions options;
    options.contact = {true, false, true, true, true, false, 4};
    Scene scene = builder.build(state, options);
    REQUIRE(scene.arrows.size() == 2);
    CHECK(scene.arrows[0].vector.norm() / scene.arrows[1].vector.norm() == Approx(4));
    CHECK(scene.arrows[0].id == ItemId{ItemKind::contact, 0});
    std::vector<Marker> points;
    for (const Marker& m : scene.markers)
        if (m.id.kind == ItemKind::contact) points.push_back(m);
    REQUIRE(points.size() == 2);
    CHECK(points[0].kind == MarkerKind::square);
    CHECK(points[1].kind == MarkerKind::point);
    CHECK(builder.anchorOf(state, {ItemKind::contact, 1}).isApprox(Vec3(0.2, 0, 0)));
    CHECK(std::any_of(scene.labels.begin(), scene.labels.end(),
                      [](const Label& l) { return l.text == "ground on slider" && l.value == "20.0 N"; }));
    // Before a step nothing is known of their forces.
    state.solved = false;
    scene = builder.build(state, options);
    CHECK(scene.arrows.empty());
}

TEST_CASE("a joint that a limit holds has a mark", "[tendons]") {
    Rig rig(kPlain);
    std::vector<JointRowReading> joints(1);
    joints[0].slot = 0;
    joints[0].lower = 0.0;
    SceneState state = rig.solved();
    state.joint_rows = joints;
    SceneBuilder builder(rig.model);
    const auto marks = [&] {
        const Scene scene = builder.build(state, {});
        return std::count_if(scene.markers.begin(), scene.markers.end(), [](const Marker& m) {
            return m.id == ItemId{ItemKind::joint, 0} && m.kind == MarkerKind::square;
        });
    };
    CHECK(marks() == 0);
    joints[0].lower = 3.0;
    CHECK(marks() == 1);
    state.solved = false;
    CHECK(marks() == 0);
}
