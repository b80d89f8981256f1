// Free motions, dragging, setting a coordinate, the walk over closed poses and start values as a patch, against closed
// forms and properties.
#include <limits>
#include <numbers>

#include "engine/dynamics/closure.h"
#include "engine/mech/patch.h"
#include "engine/model/start_pose.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/loop_models.h"

using namespace mw;
using namespace mw::test;

namespace {

double worstOf(const Numbers& numbers) {
    double worst = 0;
    for (const double e : numbers) worst = std::max(worst, std::abs(e));
    return worst;
}

double rateOf(Closure& closure, const Numbers& q, const Numbers& v, const Numbers& param = {}) {
    const Numbers K = closure.jacobian(q, param);
    double worst = 0;
    for (int r = 0; r < closure.layout().nc; r++) {
        double rate = 0;
        for (int j = 0; j < closure.layout().nv; j++) rate += K[r * closure.layout().nv + j] * v[j];
        worst = std::max(worst, std::abs(rate));
    }
    return worst;
}

Numbers closedStart(Closure& closure) { return closure.assemble(startQ(closure.model(), closure.layout(), {}), {}).q; }

Vector3d pointAt(const Model& model, const Numbers& q, int body, const Vector3d& at) {
    return transform(bodyPlacements(model, q, {})[body], at);
}

}  // namespace

TEST_CASE("the free motion of a slider-crank has the closed form's ratio", "[closure]") {
    const double a = 0.2, l = 0.6;
    const Model model = loopModel(sliderCrankText(a, l, 0.5));
    Closure closure(model);
    for (const double t : {0.3, 1.0, 2.2, -0.8}) {
        const double root = std::sqrt(l * l - std::pow(a * std::sin(t), 2));
        const Numbers q = {t, a * std::cos(t) + root};
        const std::vector<FreeMotion> free = closure.freeMotions(q, {});
        REQUIRE(free.size() == 1);
        CHECK(free[0].name == "crank");
        CHECK(free[0].v[0] == 1);
        CHECK(free[0].v[1] == Approx(-a * std::sin(t) - a * a * std::sin(t) * std::cos(t) / root).epsilon(1e-12));
    }
}

TEST_CASE("free motions are independent, keep loops closed and begin where people would move it", "[closure]") {
    for (const std::string& text : {fourBarText(0.2, 0.5, 0.4, 0.5), stewartText(), carText()}) {
        const Model model = loopModel(text);
        Closure closure(model);
        const Numbers q = closedStart(closure);
        const std::vector<FreeMotion> free = closure.freeMotions(q, {});
        CHECK(static_cast<int>(free.size()) == closure.health(q, {}).mobility);
        for (const FreeMotion& f : free) {
            CHECK(rateOf(closure, q, f.v) < 1e-12);
            for (const FreeMotion& other : free) CHECK(f.v[other.velocity] == (&f == &other ? 1.0 : 0.0));
        }
        if (model.bodies[0].name != "chassis") continue;
        std::vector<std::string> names;
        for (const FreeMotion& f : free) names.push_back(f.name);
        CHECK(names == std::vector<std::string>{"chassis.wx", "chassis.wy", "chassis.wz", "chassis.vx", "chassis.vy",
                                                "chassis.vz", "rack", "fl_post", "fr_post", "rl_post", "rr_post"});
    }
    // A drive leads, whatever comes first in the file.
    const Model driven = loopModel(fourBarText(0.2, 0.5, 0.4, 0.5) + "drive motor joint rocker\n  torque 1\n");
    Closure closure(driven);
    CHECK(closure.freeMotions(closedStart(closure), {})[0].name == "rocker");
}

TEST_CASE("a dragged point goes where it can, and the loops stay closed", "[closure]") {
    const double a = 0.2;
    const Model model = loopModel(fourBarText(a, 0.5, 0.4, 0.5));
    Closure closure(model);
    Numbers q = closedStart(closure);
    SECTION("reachable: the crank's end on its circle") {
        for (int i = 0; i < 20; i++) {
            const double t = q[0] + 0.15;
            const Assembly out = closure.drag(q, 0, {a, 0, 0}, {a * std::cos(t), 0, -a * std::sin(t)}, {});
            CHECK(out.closed);
            CHECK(out.what == "at the target");
            CHECK(out.q[0] == Approx(t).epsilon(1e-7));
            CHECK(worstOf(closure.error(out.q, {})) < 1e-12);
            q = out.q;
        }
    }
    SECTION("out of reach: the nearest place, which for a circle lies on the ray") {
        const double t = q[0] + 0.3;
        const Assembly out = closure.drag(q, 0, {a, 0, 0}, {5 * std::cos(t), 0, -5 * std::sin(t)}, {});
        CHECK(out.closed);
        CHECK(out.q[0] == Approx(t).margin(0.02));
        CHECK(worstOf(closure.error(out.q, {})) < 1e-12);
        CHECK(out.what.find("from the target") != std::string::npos);
    }
    SECTION("across the plane nothing moves") {
        const Vector3d here = pointAt(model, q, 1, {0.25, 0, 0});
        const Assembly out = closure.drag(q, 1, {0.25, 0, 0}, {here[0], here[1] + 0.1, here[2]}, {});
        CHECK(worstOf({out.q[0] - q[0], out.q[1] - q[1], out.q[2] - q[2]}) < 1e-9);
    }
    SECTION("the base, no body, no numbers: unchanged") {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        CHECK(closure.drag(q, kBase, {0, 0, 0}, {1, 0, 0}, {}).q == q);
        CHECK(closure.drag(q, 7, {0, 0, 0}, {1, 0, 0}, {}).q == q);
        CHECK(closure.drag(q, 0, {0, 0, 0}, {nan, 0, 0}, {}).q == q);
    }
    SECTION("what is held stays") {
        const Vector3d here = pointAt(model, q, 1, {0.25, 0, 0});
        const Assembly out =
            closure.drag(q, 1, {0.25, 0, 0}, {here[0] + 0.1, 0, here[2]}, {}, AssembleOptions{1e-12, 200, {0}});
        CHECK(out.q[0] == q[0]);
    }
}

TEST_CASE("a car is dragged by its chassis without bending anything", "[closure]") {
    const Model model = loopModel(carText());
    Closure closure(model);
    Numbers q = closedStart(closure);
    const Vector3d from = pointAt(model, q, 0, {1, 0.3, 0});
    const Vector3d to = {from[0] + 0.05, from[1] - 0.03, from[2] + 0.04};
    const Assembly out = closure.drag(q, 0, {1, 0.3, 0}, to, {});
    CHECK(out.closed);
    CHECK(out.what == "at the target");
    const Vector3d now = pointAt(model, out.q, 0, {1, 0.3, 0});
    for (int k = 0; k < 3; k++) CHECK(now[k] == Approx(to[k]).margin(1e-8));
    CHECK(worstOf(closure.error(out.q, {})) < 1e-12);
}

TEST_CASE("a coordinate is set as far as the mechanism goes", "[closure]") {
    const double a = 0.2, l = 0.6;
    const Model model = loopModel(sliderCrankText(a, l, 0.5));
    Closure closure(model);
    const Numbers q = startQ(model, closure.layout(), {});
    const Assembly turned = closure.setCoordinate(q, 0, 2.5, {});
    CHECK(turned.closed);
    CHECK(turned.q[0] == Approx(2.5).epsilon(1e-14));
    CHECK(turned.q[1] == Approx(a * std::cos(2.5) + std::sqrt(l * l - std::pow(a * std::sin(2.5), 2))).epsilon(1e-12));
    CHECK(worstOf(closure.error(turned.q, {})) < 1e-12);

    // The slider reaches the two dead centres, l - a and l + a.
    const Assembly in = closure.setCoordinate(q, 1, 0.1, {}), out = closure.setCoordinate(q, 1, 3, {});
    CHECK(in.closed);
    CHECK(in.q[1] == Approx(l - a).epsilon(1e-5));
    CHECK(out.q[1] == Approx(l + a).epsilon(1e-5));
    CHECK(out.what.find("not to 3") != std::string::npos);

    const Model car = loopModel(carText());
    Closure vehicle(car);
    const Numbers start = closedStart(vehicle);
    const Assembly rate = vehicle.setCoordinate(start, 0, 0.2, {});
    CHECK(rate.q == start);
    CHECK(rate.what.find("rate only") != std::string::npos);
    const int rack = findSlot(car, vehicle.layout(), "v", "rack");
    const Assembly steered = vehicle.setCoordinate(start, rack, 0.04, {});
    CHECK(steered.closed);
    CHECK(steered.q[findSlot(car, vehicle.layout(), "q", "rack")] == Approx(0.04).epsilon(1e-14));
    CHECK(worstOf(vehicle.error(steered.q, {})) < 1e-12);
}

TEST_CASE("the walk: closed poses, allowed velocities, the same for the same seed", "[closure]") {
    for (const std::string& text :
         {fourBarText(0.2, 0.5, 0.4, 0.5), fourBarText(0.2, 0.5, 0.4, 0.5, "revolute"), stewartText(), carText()}) {
        const Model model = loopModel(text);
        Closure closure(model);
        ManifoldWalk walk(model, 11), again(model, 11), other(model, 12);
        Numbers first;
        double spread = 0;
        for (int i = 0; i < 60; i++) {
            const ManifoldWalk::Pose pose = walk.next({});
            REQUIRE(pose.sound);
            CHECK(worstOf(closure.error(pose.q, {})) < 1e-12);
            CHECK(rateOf(closure, pose.q, pose.v) < 1e-12);
            CHECK(worstOf(pose.v) > 1e-3);
            const ManifoldWalk::Pose same = again.next({});
            CHECK(same.q == pose.q);
            CHECK(same.v == pose.v);
            CHECK(other.next({}).q != pose.q);
            if (first.empty()) first = pose.q;
            for (std::size_t k = 0; k < first.size(); k++) spread = std::max(spread, std::abs(pose.q[k] - first[k]));
        }
        CHECK(spread > 0.1);
    }
}

TEST_CASE("the walk keeps a suspension on the side where it was built", "[closure]") {
    const Model model = loopModel(carText());
    ManifoldWalk walk(model, 1);
    const Layout layout = layoutOf(model);
    for (int i = 0; i < 300; i++) {
        const ManifoldWalk::Pose pose = walk.next({});
        for (const char* name : {"fl_upper", "fr_lower", "rl_upper", "rr_lower"})
            CHECK(std::abs(pose.q[findSlot(model, layout, "q", name)]) < std::numbers::pi / 2);
    }
}

TEST_CASE("the walk follows live parameters, and says when they cannot be met", "[closure]") {
    std::string text = "param reach 0.6 range 0.5 0.8 live\n" + sliderCrankText(0.2, 0.6, 0.5);
    text.replace(text.find("length 0.6"), 10, "length reach");
    const Model model = loopModel(text);
    Closure closure(model);
    ManifoldWalk walk(model, 4);
    for (int i = 0; i < 50; i++) {
        const Numbers param = {0.5 + 0.006 * i};
        const ManifoldWalk::Pose pose = walk.next(param);
        REQUIRE(pose.sound);
        CHECK(worstOf(closure.error(pose.q, param)) < 1e-12);
        CHECK(rateOf(closure, pose.q, pose.v, param) < 1e-12);
    }
    // No pose of this one is 5 m long; the last closed one comes again.
    const Model stuck = loopModel(
        "param reach 0.6 range 0.5 0.8 live\nbody arm\n  joint revolute y\n  mass 1  cg 0.1 0 0  inertia 1 1 1 0 0 0\n"
        "body tip\n  parent arm  joint revolute y  at 0.5 0 0\n  mass 1  cg 0.1 0 0  inertia 1 1 1 0 0 0\n  start 1\n"
        "loop rod\n  type distance\n  from base 0 0 0.2\n  to tip 0.3 0 0\n  length reach\n");
    ManifoldWalk open(stuck, 4);
    const ManifoldWalk::Pose good = open.next(Numbers{0.6});
    REQUIRE(good.sound);
    const ManifoldWalk::Pose bad = open.next(Numbers{5.0});
    CHECK_FALSE(bad.sound);
    CHECK(bad.q == good.q);
    CHECK(open.next(Numbers{0.6}).sound);
}

TEST_CASE("joints on no loop are drawn as in trees", "[closure]") {
    const Model model =
        loopModel(fourBarText(0.2, 0.5, 0.4, 0.5) +
                  "body flag\n  parent coupler  joint revolute y  at 0.1 0 0\n  mass 1  inertia 1 1 1 0 0 0\n");
    ManifoldWalk walk(model, 2);
    double least = 9, most = -9;
    for (int i = 0; i < 200; i++) {
        const double q = walk.next({}).q[3];
        least = std::min(least, q);
        most = std::max(most, q);
    }
    CHECK(least < -2.8);
    CHECK(most > 2.8);
    CHECK(worstOf({least, most}) <= std::numbers::pi);
}

TEST_CASE("an assembled pose becomes the start values of the bodies that moved", "[closure]") {
    const std::string text = "mech 1\n" +
                             fourBarText(0.2, 0.5, 0.4, 0.5, "point-on-line", "start (30*deg)  # by hand") +
                             "body other\n  joint revolute y\n  mass 1  inertia 1 1 1 0 0 0\n  start (1+1)\n";
    const mech::SyntaxTree tree = mech::parse(text);
    const Model model = readModel(tree).model;
    Closure closure(model);
    const Numbers start = startQ(model, closure.layout(), {});
    CHECK(startPatch(model, closure.layout(), tree, start).empty());
    const Assembly done = closure.assemble(start, {}, {1e-12, 200, {0}});
    REQUIRE(done.closed);
    const std::string after = mech::applyEdits(text, startPatch(model, closure.layout(), tree, done.q));
    const ReadResult read = readModel(after);
    REQUIRE(read.ok());
    CHECK(startQ(read.model, closure.layout(), {}) == done.q);
    CHECK(after.find("start (30*deg)  # by hand") != std::string::npos);  // held, so as it was written
    CHECK(after.find("start (1+1)") != std::string::npos);
    for (const Diagnostic& d : read.diagnostics) CHECK(d.code != "loop-open");
}

TEST_CASE("a tree is dragged, posed and moved like any mechanism: nothing holds it but its joints", "[closure]") {
    const std::string body = "  mass 1  inertia 1 1 1 0 0 0\n";
    const std::string trees[] = {
        "body a\n  joint revolute y\n" + body + "body b\n  parent a\n  joint revolute y\n  at 1 0 0\n" + body,
        "body b\n  joint floating\n" + body,
        "body c\n  joint planar z\n" + body + "body b\n  parent c\n  joint spherical\n  at 0 0 1\n" + body};
    for (const std::string& text : trees) {
        const Model model = loopModel(text);
        INFO(text);
        Closure closure(model);
        const Numbers q = startQ(model, closure.layout(), {});
        const int b = model.findBody("b");
        const Vector3d at{0.5, 0, 0}, from = pointAt(model, q, b, at);
        const Vector3d target{from[0] - 0.1, from[1], from[2] + (text.find("planar") == std::string::npos ? 0.2 : 0.0)};
        const Assembly dragged = closure.drag(q, b, at, target, {});
        CHECK(dragged.closed);
        const Vector3d reached = pointAt(model, dragged.q, b, at);
        CHECK(std::hypot(reached[0] - target[0], reached[1] - target[1], reached[2] - target[2]) < 1e-6);
        CHECK(closure.freeMotions(q, {}).size() == static_cast<std::size_t>(closure.layout().nv));
        CHECK(closure.assemble(q, {}).closed);
        Numbers v(static_cast<std::size_t>(closure.layout().nv), 0.3);
        CHECK(closure.project(q, v, {}) == v);
    }
    // Nothing moves at all.
    const Model fixed = loopModel("body b\n" + body);
    Closure closure(fixed);
    CHECK(closure.drag({}, 0, {0, 0, 0}, {1, 0, 0}, {}).q.empty());
    CHECK(closure.freeMotions({}, {}).empty());
}
