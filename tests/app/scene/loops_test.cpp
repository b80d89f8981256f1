// Loops in the picture: every closure shows something that can be picked, sits where its frames are, colours when it is
// torn, and carries its arrows.
#include <algorithm>
#include <cmath>

#include "app/scene/picking.h"
#include "app/scene/scene_builder.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/model/read.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::scene;

namespace {

std::string fourbar(const std::string& closure, const std::string& start = "start 0.5") {
    return "mech 1\n"
           "body crank\n  joint revolute y\n  mass 1  cg 0.05 0 0\n  inertia 0.001 0.002 0.002 0 0 0\n  " +
           start +
           "\nbody coupler\n  parent crank\n  joint revolute y\n  at 0.1 0 0\n  mass 1  cg 0.15 0 0\n"
           "  inertia 0.001 0.01 0.01 0 0 0\n"
           "body rocker\n  parent coupler\n  joint revolute y\n  at 0.3 0 0\n  mass 1  cg 0.125 0 0\n"
           "  inertia 0.001 0.006 0.006 0 0 0\n  start 1.4\n"
           "loop pin\n  from base 0.3 0.2 0\n  to rocker 0.25 0 0\n" +
           closure;
}

struct Shown {
    std::shared_ptr<const Model> model;
    std::vector<double> param, X, V;
    std::vector<LoopReading> loops;
    explicit Shown(const std::string& text) {
        const ReadResult read = readMechanism(text);
        for (const auto& d : read.diagnostics) {
            INFO(d.message);
            REQUIRE(d.severity != Severity::error);
        }
        model = std::make_shared<const Model>(read.model);
        const Layout layout = layoutOf(*model);
        param = model->liveValues();
        const std::vector<double> q = startQ(*model, layout, param), v = startV(*model, layout, param);
        const Kernel kernel = makeReferenceKernel(*model);
        X.assign(12 * model->bodies.size(), 0);
        V.assign(6 * model->bodies.size(), 0);
        std::vector<double> work = makeWork(kernel);
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
        loops = loopReadings(*model, layout, param, X, V, {});
    }
    SceneState state() const {
        SceneState s;
        s.X = X;
        s.param = param;
        s.loops = loops;
        return s;
    }
};

const ItemId kPin{ItemKind::loop, 0};

std::vector<MeshInstance> piecesOf(const Scene& scene) {
    std::vector<MeshInstance> pieces;
    for (const MeshInstance& m : scene.meshes)
        if (m.id == kPin) pieces.push_back(m);
    return pieces;
}

Box boxOf(const std::vector<MeshInstance>& pieces) {
    Box box;
    for (const MeshInstance& m : pieces)
        for (const Vec3& corner : {m.mesh->bounds.low, m.mesh->bounds.high}) box.add(m.place * corner);
    return box;
}

}  // namespace

TEST_CASE("every type of closure shows, can be picked, and stands at its frames", "[loops]") {
    for (const char* closure : {"  type revolute  axis y\n", "  type prismatic  axis x\n",
                                "  type cylindrical  axis y\n", "  type spherical\n", "  type point-on-line  axis y\n",
                                "  type point-on-line  axis x\n", "  type distance  length 0.2\n"}) {
        CAPTURE(closure);
        Shown shown(fourbar(closure));
        SceneBuilder builder(shown.model);
        const Scene scene = builder.build(shown.state(), {});
        const auto pieces = piecesOf(scene);
        REQUIRE(!pieces.empty());
        const Vec3 from(0.3, 0.2, 0);
        const scene::Placement rocker = SceneBuilder::placeOf(shown.X, 2);
        const Vec3 to = rocker * Vec3(0.25, 0, 0);
        const Box box = boxOf(pieces);
        const double s = builder.measures().joint;
        for (const Vec3& end : {from, to}) {
            CHECK((box.low.array() <= end.array() + 2 * s).all());
            CHECK((box.high.array() >= end.array() - 2 * s).all());
        }
        CHECK((builder.anchorOf(shown.state(), kPin) - (from + to) / 2).norm() < 1e-12);
        CHECK(builder.nameOf(kPin) == "pin");
        // A ray through one of its pieces meets it.
        Camera camera;
        camera.setBounds(scene.bounds);
        const Viewport view{1000, 800};
        camera.frame(scene.bounds, view, 0);
        bool met = false;
        for (const MeshInstance& m : pieces) {
            const auto seen = camera.project(m.place * m.mesh->centre, view);
            if (!seen) continue;
            for (const Hit& hit : pick(scene, camera, view, seen->pixel)) met = met || hit.id == kPin;
        }
        CHECK(met);
        // Without joints the closures go, too.
        SceneOptions bare;
        bare.joints = false;
        CHECK(piecesOf(builder.build(shown.state(), bare)).empty());
    }
}

TEST_CASE("a point on a line that cannot slide is drawn as a pin", "[loops]") {
    const auto longest = [](const char* closure) {
        Shown shown(fourbar(closure));
        SceneBuilder builder(shown.model);
        const Vec3 size = boxOf(piecesOf(builder.build(shown.state(), {}))).size();
        return size.maxCoeff() / builder.measures().link;
    };
    // A wire is about a link's length; across the plane nothing moves along y.
    CHECK(longest("  type point-on-line  axis x\n") > 0.8);
    const Shown flat(fourbar("  type point-on-line  axis y\n"));
    const Evaluated value{flat.param};
    CHECK(!loopSetting(*flat.model, 0, value, 0.3).slides);
    const Shown across(fourbar("  type point-on-line  axis x\n"));
    CHECK(loopSetting(*across.model, 0, value, 0.3).slides);
}

TEST_CASE("a torn closure is coloured, and says by how much", "[loops]") {
    Shown shown(fourbar("  type spherical\n"));
    SceneBuilder builder(shown.model);
    REQUIRE(shown.loops[0].worst() > 0.01);
    SceneOptions options;
    const Theme& th = theme(options.theme);
    CHECK(builder.loopOpen(shown.state(), 0));
    const Scene torn = builder.build(shown.state(), options);
    const auto label =
        std::find_if(torn.labels.begin(), torn.labels.end(), [](const Label& l) { return l.text == "pin open"; });
    REQUIRE(label != torn.labels.end());
    CHECK(label->value == formatQuantity(shown.loops[0].worst(), "m"));
    CHECK(std::any_of(torn.lines.begin(), torn.lines.end(),
                      [](const Line& l) { return l.id == kPin && l.dash > 0 && l.on_top; }));
    for (LoopReading& loop : shown.loops) std::fill(loop.error.begin(), loop.error.end(), 1e-6);
    const Scene closed = builder.build(shown.state(), options);
    CHECK(!builder.loopOpen(shown.state(), 0));
    CHECK(closed.lines.size() < torn.lines.size());
    const auto redness = [&](const Scene& scene) {
        float most = 0;
        for (const MeshInstance& m : piecesOf(scene)) most = std::max(most, m.color.r - m.color.b);
        return most;
    };
    CHECK(redness(torn) > redness(closed) + 0.15f);
    CHECK(th.bad.r > th.bad.b);
}

TEST_CASE("arrows of a loop are the loop's own: a click on one selects it", "[loops]") {
    Shown shown(fourbar("  type spherical\n"));
    SceneBuilder builder(shown.model);
    std::vector<ForceReading> forces(1);
    forces[0].acts_on = {ItemKind::body, 2};
    forces[0].made_by = kPin;
    forces[0].name = "base on rocker";
    forces[0].point = {0.3, 0.2, 0};
    forces[0].vector = {0, 0, 20};
    SceneState state = shown.state();
    state.forces = forces;
    const Scene scene = builder.build(state, {});
    REQUIRE(scene.arrows.size() == 1);
    CHECK(scene.arrows[0].id == kPin);
    CHECK(scene.arrows[0].color == theme(ThemeKind::dark).quantity(Quantity::joint));
    CHECK((scene.arrows[0].origin - forces[0].point).norm() < 1e-12);
}
