// What a track becomes: shoes, pins and a closure, closed to rounding wherever the root stands; counts and masses of a
// whole vehicle; the band carried along at the start.
#include "engine/track/expand.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "engine/dynamics/reference_kernel.h"
#include "engine/mech/patch.h"
#include "engine/model/layout.h"
#include "engine/model/loop_rows.h"
#include "engine/track/belt.h"
#include "tests/engine/track/bands.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

ReadResult read(const std::string& text) {
    ReadResult result = readMechanism(text);
    for (const Diagnostic& d : result.diagnostics)
        if (d.severity == Severity::error) UNSCOPED_INFO(formatDiagnostic(d, text, "text"));
    REQUIRE(result.ok());
    return result;
}

double openBy(const Model& model) {
    const std::vector<Placement> pose = startPose(model);
    double worst = 0;
    for (const Loop& loop : model.loops)
        for (const double e : loopError(loop, pose, model.liveValues())) worst = std::max(worst, std::abs(e));
    return worst;
}

std::string modelText(const std::string& name) {
    std::ifstream file(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

int times(const std::vector<Diagnostic>& diagnostics, const std::string& code) {
    return static_cast<int>(
        std::count_if(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& d) { return d.code == code; }));
}

}  // namespace

TEST_CASE("A track becomes an anchor, a chain of pins and one closure") {
    const ReadResult result = read(mw::test::bandText());
    const Model& model = result.model;
    REQUIRE(model.tracks.size() == 1);
    const Track& track = model.tracks[0];
    REQUIRE(track.first_shoe == 4);
    REQUIRE(model.bodies.size() == 4 + 24);
    const Body& anchor = model.bodies[4];
    CHECK(anchor.name == "band.shoe0");
    CHECK(anchor.joint.type == JointType::floating);
    CHECK(anchor.parent == kBase);
    for (int i = 1; i < 24; ++i) {
        const Body& shoe = model.bodies[static_cast<std::size_t>(4 + i)];
        CHECK(shoe.name == "band.shoe" + std::to_string(i));
        CHECK(shoe.parent == 4 + i - 1);
        CHECK(shoe.joint.type == JointType::revolute);
        CHECK(shoe.joint.axis == Vector3d{0, 1, 0});
        CHECK(shoe.at[0].value == track.link);
        CHECK(shoe.mass.value == 8);
        CHECK(shoe.cg[0].value == 0.1);
        CHECK(shoe.inertia[2].value == 0.06);
        CHECK(shoe.fext);
        CHECK(shoe.origin.index == i);
        CHECK(shoe.origin.range == track.origin.range);
        CHECK(shoePlaceOf(model, 4 + i).track == 0);
        CHECK(shoePlaceOf(model, 4 + i).index == i);
        CHECK(shoe.start[0].value > -3.15);
        CHECK(shoe.start[0].value < 1e-9);  // the walk turns left, about -y
    }
    CHECK(shoePlaceOf(model, 3).track == -1);
    REQUIRE(model.loops.size() == 1);
    CHECK(model.loops[0].name == "band.closure");
    CHECK(model.loops[0].type == LoopType::point_on_line);
    CHECK(model.loops[0].from.body == 4 + 23);
    CHECK(model.loops[0].from.at[0].value == track.link);
    CHECK(model.loops[0].to.body == 4);
    CHECK(track.closure == 0);
    REQUIRE(model.repeats.size() == 1);
    CHECK(model.repeats[0].first == 5);
    CHECK(model.repeats[0].count == 23);
    CHECK(track.link == Approx(track.perimeter / 24).epsilon(1e-15));
    CHECK(track.fade == Approx(track.link / 4));
    CHECK(track.guide.value == 1e6);
    CHECK(track.lateral == 0.5);
    CHECK(times(result.diagnostics, "track-laid") == 1);
    CHECK(times(result.diagnostics, "loop-open") == 0);
}

TEST_CASE(
    "The start pose closes to rounding and keeps shoes and rollers where the belt has them, wherever the root is") {
    for (const char* hull :
         {"joint floating", "joint floating  start 0.8 0.2 -0.3 0.4 12 -7 3", "joint fixed  at 1 2 3  rot 0.3 -0.9 2.5",
          "joint planar z  start 2 -3 0.7", "joint universal x z  at 0 0 1  start 0.4 -1.2",
          "joint screw 1 2 3 pitch 0.2  start 1.1", "joint spherical  start 0.5 0.5 -0.5 0.5"}) {
        INFO(hull);
        const Model model = read(mw::test::bandText("", 24, hull)).model;
        CHECK(openBy(model) < 1e-12);
        const std::vector<Placement> pose = startPose(model);
        const Track& track = model.tracks[0];
        const Placement& root = pose[0];
        double turned = 0;
        for (int i = 0; i < track.shoes; ++i) {
            const Placement& shoe = pose[static_cast<std::size_t>(track.first_shoe + i)];
            Vector3d pin = shoe.position;
            for (std::size_t k = 0; k < 3; ++k) pin[k] -= root.position[k];
            pin = rotateBack(root.rotation, pin);
            CHECK(pin[1] == Approx(0.5).margin(1e-12));
            // z of the shoe points to the rollers, y is the root's.
            const Vector3d inward = rotateBack(root.rotation, rotate(shoe.rotation, {0, 0, 1}));
            const Vector3d side = rotateBack(root.rotation, rotate(shoe.rotation, {0, 1, 0}));
            CHECK(side[1] == Approx(1).epsilon(1e-12));
            CHECK(pin[0] * inward[0] + pin[2] * inward[2] < 0);
            for (std::size_t k = 0; k < 3; ++k) {
                const double radius = model.tracks[0].rollers[k].radius;
                const double distance = std::hypot(pin[0] - track.axles[k][0], pin[2] - track.axles[k][1]);
                CHECK(distance >= radius);
                CHECK(distance < 3);
            }
            if (i > 0) turned += model.bodies[static_cast<std::size_t>(track.first_shoe + i)].start[0].value;
        }
        CHECK(turned < -5);  // all but the anchor's own turn of -2 pi
        CHECK(track.axles[0][0] == Approx(0.8).margin(1e-12));
        CHECK(track.axles[0][1] == Approx(0.1).margin(1e-12));
    }
}

TEST_CASE("Rollers that hang on arms are found where the start pose has them") {
    std::string text = mw::test::bandText();
    const std::string wheel = "parent hull  joint revolute y  at 0 0.5 -0.1";
    text.replace(text.find(wheel), wheel.size(), "parent arm  joint revolute y  at 0.3 0.1 0  start 1.3");
    text +=
        "body arm\n  parent hull  joint revolute y  at 0 0.4 0  start 0.5\n  mass 5  cg 0.1 0 0  inertia 1 1 1 0 0 0\n";
    const Model model = read(text).model;
    CHECK(model.tracks[0].axles[2][0] == Approx(0.3 * std::cos(0.5)).epsilon(1e-14));
    CHECK(model.tracks[0].axles[2][1] == Approx(-0.3 * std::sin(0.5)).epsilon(1e-14));
    CHECK(openBy(model) < 1e-12);
}

TEST_CASE("At the start the band is carried along like a part of its root") {
    for (const char* hull :
         {"joint floating  start 0.8 0.2 -0.3 0.4 12 -7 3  rate 0.3 -0.2 0.5 1 2 3",
          "joint planar y  start 1 2 0.3  rate 1 -2 0.7", "joint universal x z  at 0 0 1  start 0.4 -1.2  rate 0.5 1.5",
          "joint screw 0 0 1 pitch 0.2  start 1.1  rate 2", "joint cylindrical x  start 0.3 0.1  rate 1 2",
          "joint spherical  start 0.5 0.5 -0.5 0.5  rate 1 2 3"}) {
        INFO(hull);
        const Model model = read(mw::test::bandText("", 24, hull)).model;
        const Layout layout = layoutOf(model);
        const std::vector<double> param = model.liveValues();
        const Kernel kernel = makeReferenceKernel(model);
        std::vector<double> work = makeWork(kernel);
        std::vector<double> x(12 * model.bodies.size()), v(6 * model.bodies.size());
        kernel->kinematics(startQ(model, layout, param).data(), startV(model, layout, param).data(), param.data(),
                           work.data(), x.data(), v.data());
        // As a rigid body: w of the root, v of the root + w x r.
        double speed = 0;
        for (int i = 0; i < model.tracks[0].shoes; ++i) {
            const std::size_t b = static_cast<std::size_t>(model.tracks[0].first_shoe + i);
            Vector3d arm{};
            for (std::size_t k = 0; k < 3; ++k) arm[k] = x[12 * b + 9 + k] - x[9 + k];
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t m = (k + 1) % 3, n = (k + 2) % 3;
                CHECK(v[6 * b + k] == Approx(v[k]).margin(1e-11));
                CHECK(v[6 * b + 3 + k] == Approx(v[3 + k] + v[m] * arm[n] - v[n] * arm[m]).margin(1e-11));
                speed = std::max(speed, std::abs(v[6 * b + 3 + k]));
            }
        }
        CHECK(speed > 0.1);
    }
}

TEST_CASE("A whole vehicle has its counts and its mass") {
    const ReadResult result = read(modelText("m113"));
    const Layout layout = layoutOf(result.model);
    CHECK(layout.nbody == 153);
    CHECK(layout.nq == 171);
    CHECK(layout.nv == 168);
    CHECK(layout.nc == 4);
    CHECK(result.model.tsdas.size() + result.model.rsdas.size() == 18);
    double mass = 0;
    for (const Body& body : result.model.bodies) mass += body.mass.value;
    CHECK(mass == Approx(11324.84).epsilon(1e-12));
    CHECK(openBy(result.model) < 1e-12);
    // Both sides are laid alike.
    const Track& left = result.model.tracks[0];
    const Track& right = result.model.tracks[1];
    CHECK(left.link == right.link);
    CHECK(left.lateral == -right.lateral);
    for (int i = 1; i < left.shoes; ++i)
        CHECK(result.model.bodies[static_cast<std::size_t>(left.first_shoe + i)].start[0].value ==
              result.model.bodies[static_cast<std::size_t>(right.first_shoe + i)].start[0].value);
}

TEST_CASE("Live rates of the root stay live in the band") {
    const std::string text = mw::test::bandText("", 24, "joint floating  rate 0 0.5 0 v 0 (2*v)");
    const Model model = read("mech 1\nparam v 3 range 0 10 live\n" + text.substr(7)).model;
    const Layout layout = layoutOf(model);
    const Body& anchor = model.bodies[static_cast<std::size_t>(model.tracks[0].first_shoe)];
    CHECK(anchor.rate[3].isLive());
    CHECK_FALSE(anchor.rate[1].isLive());
    for (const double speed : {0.0, 3.0, 7.0}) {
        const std::vector<double> q = startQ(model, layout, std::vector<double>{speed});
        const std::vector<double> v = startV(model, layout, std::vector<double>{speed});
        const std::vector<Placement> pose = bodyPlacements(model, q, std::vector<double>{speed});
        const std::size_t first = static_cast<std::size_t>(layout.v_of_body[4]);
        const Vector3d linear = rotate(pose[4].rotation, {v[first + 3], v[first + 4], v[first + 5]});
        const Vector3d arm = {pose[4].position[0], pose[4].position[1], pose[4].position[2]};
        CHECK(linear[0] == Approx(speed + 0.5 * arm[2]).margin(1e-12));
        CHECK(linear[2] == Approx(2 * speed - 0.5 * arm[0]).margin(1e-12));
    }
}

TEST_CASE("Pockets of a driven roller lie where the pins are") {
    for (const char* start : {"", "start 0.3"}) {
        std::string text = mw::test::bandText();
        const std::string place = "at 0.8 0.5 0.1";
        text.insert(text.find(place) + place.size(), std::string("  ") + start);
        const Model model = read(text).model;
        const Track& track = model.tracks[0];
        const std::vector<Placement> pose = startPose(model);
        const Placement& sprocket = pose[1];
        double worst = 0;
        int pins = 0;
        for (int i = 0; i < track.shoes; ++i) {
            Vector3d pin = pose[static_cast<std::size_t>(track.first_shoe + i)].position;
            for (std::size_t k = 0; k < 3; ++k) pin[k] -= sprocket.position[k];
            pin = rotateBack(sprocket.rotation, pin);
            if (std::hypot(pin[0], pin[2]) > 0.25 + 0.02) continue;
            ++pins;
            const double pitch = 2 * 3.14159265358979323846 / 8;
            worst =
                std::max(worst, std::abs(std::remainder(std::atan2(-pin[0], -pin[2]) - track.rollers[0].phase, pitch)));
        }
        CHECK(pins >= 3);
        CHECK(worst < 0.06);  // rad: what the tooth pitch and the link differ by, over half the wrap
    }
}

TEST_CASE("Two bands of one text stand one behind the other, in file order") {
    std::string text = mw::test::bandText();
    const std::string track = text.substr(text.find("track band"));
    std::string second = track;
    second.replace(second.find("band"), 4, "spare");
    second.replace(second.find("shoes 24"), 8, "shoes 30");
    const Model model = read(text + second).model;
    REQUIRE(model.bodies.size() == 4 + 24 + 30);
    CHECK(model.tracks[1].first_shoe == 28);
    CHECK(model.tracks[1].closure == 1);
    CHECK(model.bodies[28].name == "spare.shoe0");
    CHECK(model.repeats[1].first == 29);
    CHECK(shoePlaceOf(model, 57).track == 1);
    CHECK(shoePlaceOf(model, 57).index == 29);
    CHECK(openBy(model) < 1e-12);
}

TEST_CASE("A conveyor runs around rollers of the world") {
    const ReadResult result = read(R"(mech 1
body drum
  joint revolute y  at 1 0 0.5  mass 10  inertia 0.1 0.2 0.1 0 0 0  fext
body tail
  joint revolute y  at -1 0 0.5  mass 10  inertia 0.1 0.2 0.1 0 0 0  fext
track belt
  root base
  shoes 40
  mass 2  cg 0.06 0 0  inertia 0.01 0.01 0.01 0 0 0
  fext
  roller drum 0.2 end
  roller tail 0.2 end
  pad 0 0.1 0.4
  kn 1e5
)");
    CHECK(openBy(result.model) < 1e-12);
    CHECK(result.model.tracks[0].link == Approx((4 + 2 * 3.14159265358979323846 * 0.2) / 40).epsilon(1e-14));
}

TEST_CASE("A symmetric layout gives a symmetric belt") {
    // Mirrored in x, the pins of one walk are those of the other, walked from the other end of the top run.
    const std::vector<BeltCircle> one = {{-1, 0.1, 0.3}, {1.2, -0.05, 0.2}, {0.1, -0.3, 0.25}};
    std::vector<BeltCircle> other = one;
    for (BeltCircle& circle : other) circle.x = -circle.x;
    const Belt a = hullOf(one), b = hullOf(other);
    CHECK(a.perimeter == Approx(b.perimeter).epsilon(1e-14));
    CHECK(layPins(one, 30).clearance == Approx(layPins(other, 30).clearance).epsilon(0.05));
}

TEST_CASE("The longest band is laid, and the text stays what it was") {
    const std::string text = mw::test::bandText("", 10'000);
    const mech::SyntaxTree tree = mech::parse(text);
    const ReadResult result = readMechanism(tree);
    CHECK(result.model.bodies.size() == 10'004);
    CHECK(openBy(result.model) < 1e-9);
    CHECK(tree.text == text);
}

TEST_CASE("Hashes see the bands, the ground and their laws") {
    const std::string text = mw::test::bandText() + "ground\n  plane 0 0 1 0\n";
    const Model model = read(text).model;
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string other = text;
        other.replace(other.find(from), from.size(), to);
        return read(other).model;
    };
    CHECK(modelHash(read(text).model) == modelHash(model));
    CHECK(dynamicsHash(changed("shoes 24", "shoes 25")) != dynamicsHash(model));
    CHECK(dynamicsHash(changed("mass 8", "mass 9")) != dynamicsHash(model));
    for (const auto& [from, to] : {std::pair{"kn 1e6", "kn 2e6"},
                                   {"pad -0.03 0.18", "pad -0.03 0.17"},
                                   {"0 0 1 0\n", "0 0 1 1\n"},
                                   {"0 0 1 0\n", "0 0 1 0\n  friction anchored\n"},
                                   {"0 0 1 0\n", "0 0 1 0\n  mu 0.5\n"},
                                   {"0 0 1 0\n", "0 0 1 0\n  bump 1 0 1 1\n"},
                                   {"teeth 8", "teeth 9"}}) {
        INFO(from << " -> " << to);
        CHECK(modelHash(changed(from, to)) != modelHash(model));
        CHECK(dynamicsHash(changed(from, to)) == dynamicsHash(model));
    }
    CHECK(modelHash(changed("band", "bond")) != modelHash(model));
}

TEST_CASE("A Model without its text can be expanded too, once") {
    ReadResult result = readModel(mw::test::bandText());
    REQUIRE(result.ok());
    CHECK(result.model.tracks[0].first_shoe == -1);
    std::vector<Diagnostic> diagnostics;
    expandTracks(result.model, diagnostics);
    CHECK(times(diagnostics, "track-laid") == 1);
    CHECK(modelHash(result.model) == modelHash(read(mw::test::bandText()).model));
    expandTracks(result.model, diagnostics);
    CHECK(result.model.bodies.size() == 28);
}
