// Bands, terrain and contacts as pictures: every shoe lies where its body is and is found by a click, all shoes of a
// band share their meshes, wheels and teeth touch what they run on, a terrain's mesh lies on the terrain, arrows are
// the readings.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "app/scene/picking.h"
#include "app/scene/scene_builder.h"
#include "app/scene/terrain_patch.h"
#include "app/scene/track_parts.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/model/layout.h"
#include "engine/track/expand.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::scene;

namespace {

const Viewport kView{1280, 720};

struct Vehicle {
    std::shared_ptr<const Model> model;
    std::vector<double> q, v, param, X, V;
    explicit Vehicle(const std::string& name) {
        std::ifstream file(std::filesystem::path(MW_SOURCE_DIR) / "models" / (name + ".mech"));
        std::stringstream text;
        text << file.rdbuf();
        ReadResult read = readMechanism(text.str());
        REQUIRE(read.ok());
        model = std::make_shared<const Model>(read.model);
        const Layout layout = layoutOf(*model);
        param = model->liveValues();
        q = startQ(*model, layout, param);
        v = startV(*model, layout, param);
        const Kernel kernel = makeReferenceKernel(*model);
        std::vector<double> work = makeWork(kernel);
        X.resize(12 * model->bodies.size());
        V.resize(6 * model->bodies.size());
        kernel->kinematics(q.data(), v.data(), param.data(), work.data(), X.data(), V.data());
    }
    SceneState state() const {
        SceneState s;
        s.X = X;
        s.param = param;
        return s;
    }
};

ContactReading reading(const Track& track, int shoe, const Vec3& at, double newton) {
    ContactReading c;
    c.kind = ContactReading::Kind::ground;
    c.shoe = shoe;
    c.b = track.first_shoe + shoe;
    c.id = "band.shoe" + std::to_string(shoe) + "/ground0";
    c.point = {at.x(), at.y(), at.z()};
    c.normal = {0, 0, 1};
    c.normal_force = newton;
    c.friction = {0.25 * newton, 0, 0};
    c.force = {0.25 * newton, 0, newton};
    c.state = shoe % 2 ? ContactState::slip : ContactState::stick;
    return c;
}

}  // namespace

TEST_CASE("shoes of a band share their meshes and lie where their bodies are", "[tracks]") {
    Vehicle vehicle("track_min");
    SceneBuilder builder(vehicle.model);
    const Scene scene = builder.build(vehicle.state(), {});
    const Track& track = vehicle.model->tracks[0];
    std::set<std::uint64_t> meshes;
    std::set<int> bodies;
    std::size_t triangles = 0;
    for (const MeshInstance& m : scene.meshes) {
        if (m.track != 0) continue;
        meshes.insert(m.mesh->id);
        bodies.insert(m.id.index);
        if (m.id.index == track.first_shoe) triangles += m.mesh->triangles();
        CHECK(m.place.isApprox(SceneBuilder::placeOf(vehicle.X, m.id.index), 1e-12));
    }
    CHECK(meshes.size() == 2);  // steel and rubber
    CHECK(static_cast<int>(bodies.size()) == track.shoes);
    CHECK(*bodies.begin() == track.first_shoe);
    CHECK(triangles <= 140);
}

TEST_CASE("a shoe's pad ends at its ground side, its plate at its running face", "[tracks]") {
    Vehicle vehicle("track_demo");
    const Track& track = vehicle.model->tracks[0];
    const Box pad = shoePadMesh(track)->bounds, steel = shoeSteelMesh(track)->bounds;
    CHECK(pad.low.z() == Approx(track.pad_z));
    CHECK(pad.centre().x() == Approx(track.link / 2));
    CHECK(pad.size().y() <= track.pad_width);
    CHECK(steel.high.z() > track.pad_z + track.thickness);  // the horn
    CHECK(steel.size().y() < 1.1 * track.pad_width);
}

TEST_CASE("pins fit between teeth; tyres touch the face", "[tracks]") {
    const double radius = 0.25, pin = 0.02;
    const int teeth = 11;
    const MeshPtr sprocket = toothedMesh(radius, teeth, pin, 0.03);
    // Along a pocket the metal ends before the pin; along a tooth it goes beyond the pins' circle.
    const auto outline = [&](double angle) {
        const Vec3 to(std::cos(angle), std::sin(angle), 0);
        const auto t = intersectRay(*sprocket, 2 * radius * to, -to);
        REQUIRE(t);
        return 2 * radius - *t;
    };
    const double pitch = 2 * M_PI / teeth;
    for (int i = 0; i < teeth; ++i) {
        CHECK(outline(i * pitch + 1e-4) <= radius - pin);
        CHECK(outline((i + 0.5) * pitch + 1e-4) > radius);
    }
    CHECK(wheelTyreMesh(0.3, 0.1)->bounds.high.x() == Approx(0.3));
}

TEST_CASE("a click on a shoe means that shoe, and a band selected is all of them", "[tracks]") {
    Vehicle vehicle("track_min");
    SceneBuilder builder(vehicle.model);
    SceneOptions options;
    options.selection = {{ItemKind::track, 0}};
    const Scene scene = builder.build(vehicle.state(), options);
    const Track& track = vehicle.model->tracks[0];
    Camera camera;
    camera.setSmooth(false);
    camera.setBounds(scene.bounds);
    camera.setView(StandardView::front, 0);
    camera.frame(scene.bounds, kView, 0);
    int met = 0, front = 0;
    for (int i = 0; i < track.shoes; ++i) {
        const scene::Placement place = SceneBuilder::placeOf(vehicle.X, track.first_shoe + i);
        const Vec3 middle = place * Vec3(track.link / 2, -track.pad_width / 2, track.pad_z + 0.6 * track.thickness);
        const auto seen = camera.project(middle, kView);
        REQUIRE(seen);
        const auto hits = pick(scene, camera, kView, seen->pixel);
        // Some stand behind the hull's plates: a second click finds them.
        met += std::any_of(hits.begin(), hits.end(), [&](const Hit& h) {
            return h.id == ItemId{ItemKind::body, track.first_shoe + i};
        });
        front += !hits.empty() && hits.front().id == ItemId{ItemKind::body, track.first_shoe + i};
    }
    CHECK(met == track.shoes);
    CHECK(front >= track.shoes / 2);
    int selected = 0;
    for (const MeshInstance& m : scene.meshes) selected += scene.isSelected(m);
    CHECK(selected == 2 * track.shoes);
    CHECK(builder.nameOf({ItemKind::body, track.first_shoe + 3}) == "band.shoe3");
    // The band's own frame, not that of the vehicle
    CHECK(builder.boundsOf(vehicle.state(), {ItemKind::track, 0}).size().x() ==
          Approx(2 * (2 * track.link + 0.2)).epsilon(0.1));
}

TEST_CASE("a band leaves the mechanism's measures alone", "[tracks]") {
    Vehicle vehicle("m113");
    const Measures m = measure(*vehicle.model, Evaluated{vehicle.param});
    CHECK(m.link > 0.3);  // not that of a shoe
    CHECK(m.reach < 12);
}

TEST_CASE("tension is a colour on its scale, and what pushes keeps the steel's", "[tracks]") {
    Vehicle vehicle("track_min");
    SceneBuilder builder(vehicle.model);
    const Track& track = vehicle.model->tracks[0];
    std::vector<double> pins(static_cast<std::size_t>(track.shoes), 5000);
    pins[1] = 17000;
    pins[2] = -40;
    SceneState state = vehicle.state();
    state.tensions = {pins};
    SceneOptions options;
    options.tension = true;
    const Scene scene = builder.build(state, options);
    REQUIRE(scene.legend.ramps.size() == 1);
    CHECK(scene.legend.ramps[0].high == "20.0 kN");
    for (const MeshInstance& m : scene.meshes) {
        if (m.track != 0 || m.finish != Finish::metal) continue;
        const int shoe = m.id.index - track.first_shoe;
        if (shoe == 0) CHECK(m.color == ramp(0.25));
        if (shoe == 1) CHECK(m.color == ramp(0.85));
        if (shoe == 2) CHECK(m.color == theme(ThemeKind::dark).shoe);
    }
}

TEST_CASE("a scale's top moves in round steps and stands still between them", "[tracks]") {
    SteadyTop top;
    CHECK(top.follow(17) == 20);
    CHECK(top.follow(6) == 20);
    CHECK(top.follow(20) == 20);
    CHECK(top.follow(21) == 50);
    CHECK(top.follow(4) == 5);
    CHECK(top.follow(NAN) == 5);
    CHECK(top.follow(0) == 5);
}

TEST_CASE("arrows of contacts are the readings, with switches apart", "[tracks]") {
    Vehicle vehicle("track_min");
    SceneBuilder builder(vehicle.model);
    const Track& track = vehicle.model->tracks[0];
    std::vector<ContactReading> contacts;
    for (int i = 0; i < 6; ++i) contacts.push_back(reading(track, i, {0.1 * i, 0, 0}, 1000.0 * (i + 1)));
    SceneState state = vehicle.state();
    state.contacts = contacts;
    SceneOptions options;
    CHECK(builder.build(state, options).arrows.empty());
    SECTION("normal forces and friction in proportion, at the points of action") {
        options.contact.normal_forces = options.contact.friction = true;
        const Scene scene = builder.build(state, options);
        REQUIRE(scene.arrows.size() == 12);
        const double scale = scene.legend.metres_per_newton;
        REQUIRE(scale > 0);
        for (std::size_t i = 0; i < 6; ++i) {
            const Arrow &normal = scene.arrows[2 * i], &friction = scene.arrows[2 * i + 1];
            CHECK(normal.vector.z() == Approx(scale * contacts[i].normal_force));
            CHECK(friction.vector.x() == Approx(scale * contacts[i].friction[0]));
            CHECK(normal.origin.x() == Approx(0.1 * static_cast<double>(i)));
            CHECK(normal.id == ItemId{ItemKind::contact, static_cast<int>(i)});
            CHECK(normal.color == theme(ThemeKind::dark).quantity(Quantity::normal));
            CHECK(friction.color == theme(ThemeKind::dark).quantity(Quantity::friction));
        }
        // Only the largest carry labels.
        CHECK(static_cast<int>(scene.labels.size()) == options.contact.labels);
        CHECK(scene.labels[0].text == "ground on band.shoe2");
        options.force_scale = 2;
        CHECK(builder.build(state, options).legend.metres_per_newton == Approx(2 * scale));
    }
    SECTION("only the selection") {
        options.contact.normal_forces = options.contact.only_selection = true;
        options.selection = {{ItemKind::body, track.first_shoe + 4}};
        const Scene scene = builder.build(state, options);
        for (const Arrow& a : scene.arrows) CHECK(a.id.index == 4);
        CHECK(!scene.arrows.empty());
    }
    SECTION("a selected contact shows itself whatever is switched off") {
        options.selection = {{ItemKind::contact, 2}};
        const Scene scene = builder.build(state, options);
        CHECK(scene.arrows.size() == 2);
        CHECK(scene.markers.size() >= 1);
    }
    SECTION("states have a colour and a shape") {
        options.contact.points = true;
        const Scene scene = builder.build(state, options);
        int squares = 0, discs = 0;
        for (const Marker& m : scene.markers) {
            if (m.id.kind != ItemKind::contact) continue;
            (m.kind == MarkerKind::square ? squares : discs) += 1;
            CHECK(m.color ==
                  theme(ThemeKind::dark)
                      .quantity(m.kind == MarkerKind::square ? Quantity::contact_slip : Quantity::contact_stick));
        }
        CHECK(squares == 3);
        CHECK(discs == 3);
    }
}

TEST_CASE("a terrain's mesh lies on the terrain, without steps where its levels meet", "[terrain]") {
    mw::Ground ground;
    ground.waves.push_back({0.2, 3, 0.4});
    ground.bumps.push_back({1, 0.5, 0.4, 1.5});
    TerrainPatch patch{Terrain(ground)};
    patch.around(0.3, -0.2, 6);
    const Mesh& mesh = *patch.mesh();
    REQUIRE(mesh.triangles() > 1000);
    REQUIRE(mesh.triangles() < 25000);
    const Terrain& terrain = patch.terrain();
    double worst = 0;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const Vec3 p = patch.centre() + mesh.positions[i].cast<double>();
        const Terrain::Sample s = terrain.at(p.x(), p.y());
        // Corners on the seams lie on the coarser side's edges.
        worst = std::max(worst, std::abs(p.z() - s.height));
    }
    CHECK(worst < 0.03);
    // Straight down anywhere: one surface, near the height.
    for (double x = -9; x < 9; x += 0.637)
        for (double y = -9; y < 9; y += 0.711) {
            const auto t = intersectRay(mesh, {x, y, 10}, {0, 0, -1});
            REQUIRE(t);
            CHECK(std::abs(patch.centre().z() + 10 - *t -
                           terrain.height(patch.centre().x() + x, patch.centre().y() + y)) < 0.07);
        }
    // It stays until its place has moved on by some cells.
    const MeshPtr before = patch.mesh();
    patch.around(0.32, -0.21, 6.1);
    CHECK(patch.mesh() == before);
    patch.around(5, -0.2, 6);
    CHECK(patch.mesh() != before);
}

TEST_CASE("a plane keeps the grid, tilted with the slope; other ground is drawn as it is", "[terrain]") {
    Vehicle flat("track_min");
    SceneBuilder builder(flat.model);
    SceneState state = flat.state();
    const Scene level = builder.build(state, {});
    CHECK(!level.ground.terrain);
    CHECK(level.ground.normal.isApprox(Vec3::UnitZ(), 1e-12));
    CHECK(level.ground.height == Approx(0).margin(1e-12));
    state.slope = 0.2;
    const Scene tilted = builder.build(state, {});
    CHECK(!tilted.ground.terrain);
    CHECK(tilted.ground.normal.x() == Approx(-std::sin(0.2)));
    CHECK(tilted.ground.normal.z() == Approx(std::cos(0.2)));
    Vehicle bumpy("m113_bumps");
    SceneBuilder other(bumpy.model);
    const Scene course = other.build(bumpy.state(), {});
    CHECK(course.ground.terrain);
    CHECK(course.ground.radius > 8);
}
