// The vehicles on shaker posts beside the published figures and beside geometry done by hand (wishbone.h): counts,
// masses, springs, travel, statics, steering, and loops that stay closed on moving posts.
#include <Eigen/Dense>
#include <cmath>
#include <cstdlib>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/elements.h"
#include "engine/dynamics/reference_kernel.h"
#include "engine/track/expand.h"
#include "tests/analytic/runs.h"
#include "tests/analytic/wishbone.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kGravity = 9.81;
constexpr double kTyre = 0.467;

int bodyOf(const Model& model, const std::string& name) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        if (model.bodies[b].name == name) return static_cast<int>(b);
    throw std::runtime_error("no body " + name);
}
int tsdaOf(const Model& model, const std::string& name) {
    for (std::size_t e = 0; e < model.tsdas.size(); ++e)
        if (model.tsdas[e].name == name) return static_cast<int>(e);
    throw std::runtime_error("no tsda " + name);
}
int loopOf(const Model& model, const std::string& name) {
    for (std::size_t l = 0; l < model.loops.size(); ++l)
        if (model.loops[l].name == name) return static_cast<int>(l);
    throw std::runtime_error("no loop " + name);
}
void setParameter(std::vector<double>& param, const Model& model, const std::string& name, double value) {
    for (const Parameter& p : model.parameters)
        if (p.name == name && p.live) {
            param.at(static_cast<std::size_t>(p.slot)) = value;
            return;
        }
    throw std::runtime_error("no live parameter " + name);
}
bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
bool isPost(const Body& body) { return endsWith(body.name, "post"); }
/// Everything but the rig.
double vehicleMass(const Model& model) {
    double mass = 0;
    for (const Body& body : model.bodies)
        if (!isPost(body)) mass += body.mass.value;
    return mass;
}

/// The model with what a kernel says of it at rest.
struct Standing {
    std::shared_ptr<const Model> model;
    Layout layout;
    Kernel kernel;
    std::vector<double> param, q, v, vdot, lambda, work;

    explicit Standing(const std::string& name)
        : model(modelOf(example(name))),
          layout(layoutOf(*model)),
          kernel(makeReferenceKernel(*model)),
          param(model->liveValues()),
          q(startQ(*model, layout, param)),
          v(static_cast<std::size_t>(layout.nv)),
          vdot(v),
          lambda(static_cast<std::size_t>(layout.nc)),
          work(makeWork(kernel)) {
        solve();
    }
    void solve() {
        kernel->fwd_dyn(q.data(), v.data(), nullptr, nullptr, nullptr, param.data(), work.data(), vdot.data(),
                        lambda.data());
    }
    double& coordinate(const std::string& body, int n = 0) {
        return q.at(static_cast<std::size_t>(layout.q_of_body[static_cast<std::size_t>(bodyOf(*model, body))] + n));
    }
    int velocity(const std::string& body) const {
        return layout.v_of_body[static_cast<std::size_t>(bodyOf(*model, body))];
    }
    double force(const std::string& loop) const {
        return lambda.at(static_cast<std::size_t>(layout.row_of_loop[static_cast<std::size_t>(loopOf(*model, loop))]));
    }
    double length(const std::string& tsda) {
        std::vector<double> obs(static_cast<std::size_t>(layout.nobs));
        kernel->observe(q.data(), v.data(), param.data(), work.data(), obs.data());
        return obs[static_cast<std::size_t>(layout.obs_of_tsda[static_cast<std::size_t>(tsdaOf(*model, tsda))])];
    }
    Placement placement(const std::string& body) const {
        return bodyPlacements(*model, q, param)[static_cast<std::size_t>(bodyOf(*model, body))];
    }
};

}  // namespace

TEST_CASE("vehicles: sizes and mobility", "[analytic][vehicles]") {
    struct Size {
        const char* name;
        int nq, nv, nc, loops, mobility;
    };
    for (const Size& size : {Size{"quartercar", 11, 10, 8, 4, 2}, Size{"halfcar", 22, 20, 16, 8, 4},
                             Size{"hmmwv", 48, 43, 32, 16, 11}, Size{"hmmwv_pitman", 49, 44, 33, 17, 11}}) {
        CAPTURE(size.name);
        const auto model = modelOf(example(size.name));
        const ReadResult read = readMechanism(example(size.name));
        CHECK(read.diagnostics.empty());
        const Layout layout = layoutOf(*model);
        CHECK(layout.nq == size.nq);
        CHECK(layout.nv == size.nv);
        CHECK(layout.nc == size.nc);
        CHECK(layout.nloop == size.loops);
        Closure closure(*model);
        const std::vector<double> param = model->liveValues(), q = startQ(*model, layout, param);
        const LoopHealth health = closure.health(q, param);
        CHECK(health.rank == size.nc);
        CHECK(health.mobility == size.mobility);
        for (const double e : closure.error(q, param)) CHECK(std::abs(e) < 1e-12);
    }
}

TEST_CASE("vehicles: masses are the published totals", "[analytic][vehicles]") {
    // Chassis 2086.52, a corner 82.733, a tyre 37.6; rack 9.072, Pitman arm and centre link 5.286 kg.
    CHECK(vehicleMass(*modelOf(example("hmmwv"))) == Approx(2576.924).epsilon(1e-12));
    CHECK(vehicleMass(*modelOf(example("hmmwv_pitman"))) == Approx(2573.138).epsilon(1e-12));
    // The partial cars carry an axle's static share, about the wheel centres.
    const double front = 2086.52 * (0.056 + 1.652965) / (1.648965 + 1.652965);
    CHECK(vehicleMass(*modelOf(example("quartercar"))) == Approx(front / 2 + 82.733 + 37.6).epsilon(1e-12));
    CHECK(vehicleMass(*modelOf(example("halfcar"))) == Approx(2086.52 - front + 2 * (82.733 + 37.6)).epsilon(1e-12));
}

TEST_CASE("vehicles: the spindle's mass, centre and inertia are those of its four parts", "[analytic][vehicles]") {
    struct Part {
        double mass, y;
        std::array<double, 3> inertia;
    };
    const std::vector<Part> parts = {{14.705, 0, {0.04117, 0.07352, 0.04117}},
                                     {19.45, 0.751 - 0.910, {0.1656, 0.1934, 0.04367}},
                                     {18.8, 0, {0.4634, 0.6243, 0.4634}},
                                     {37.6, 0, {3.84, 6.69, 3.84}}};
    double mass = 0, moment = 0;
    for (const Part& p : parts) mass += p.mass, moment += p.mass * p.y;
    const double cg = moment / mass;
    std::array<double, 3> inertia{};
    for (const Part& p : parts)
        for (std::size_t i = 0; i < 3; ++i)
            inertia[i] += p.inertia[i] + (i == 1 ? 0 : p.mass * (p.y - cg) * (p.y - cg));
    const auto model = modelOf(example("hmmwv"));
    int seen = 0;
    for (const Body& body : model->bodies) {
        if (!endsWith(body.name, "_spindle")) continue;
        ++seen;
        CAPTURE(body.name);
        const double side = body.name.find("left") != std::string::npos ? 1 : -1;
        CHECK(body.mass.value == Approx(mass).epsilon(1e-13));
        CHECK(body.cg[1].value == Approx(side * cg).epsilon(1e-13));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(body.inertia[i].value == Approx(inertia[i]).epsilon(1e-13));
            CHECK(body.inertia[i + 3].value == 0);
        }
    }
    CHECK(seen == 4);
}

TEST_CASE("vehicles: the arms' inertias are the published ones, turned, the largest made possible",
          "[analytic][vehicles]") {
    // Attitudes of the arm frames, left, as upstream lists them (w x y z).
    struct Arm {
        const char* name;
        double i;
        std::array<double, 4> attitude;
    };
    const auto model = modelOf(example("hmmwv"));
    for (const Arm& arm : {Arm{"front_left_uca", 0.03, {0.990555, -0.044692, -0.105232, -0.075701}},
                           Arm{"front_left_lca", 0.4, {0.992745, -0.120235, 0, 0}},
                           Arm{"rear_left_uca", 0.03, {0.999867, -0.014555, -0.007352, -0.000107}},
                           Arm{"rear_left_lca", 0.4, {0.992745, -0.120235, 0, 0}}}) {
        CAPTURE(arm.name);
        const Eigen::Matrix3d R = Eigen::Quaterniond(arm.attitude[0], arm.attitude[1], arm.attitude[2], arm.attitude[3])
                                      .normalized()
                                      .toRotationMatrix();
        const Eigen::Matrix3d wanted =
            R * Eigen::Vector3d(arm.i, arm.i, 0.9999 * 2 * arm.i).asDiagonal() * R.transpose();
        std::string right = arm.name;
        right.replace(right.find("left"), 4, "right");
        for (const auto& [name, side] : {std::pair<std::string, double>{arm.name, 1.0}, {right, -1.0}}) {
            CAPTURE(name);
            const Body& body = model->bodies[static_cast<std::size_t>(bodyOf(*model, name))];
            const auto entry = [&](std::size_t i) { return body.inertia[i].value; };
            CHECK(std::abs(entry(0) - wanted(0, 0)) < 3e-6 * arm.i);
            CHECK(std::abs(entry(1) - wanted(1, 1)) < 3e-6 * arm.i);
            CHECK(std::abs(entry(2) - wanted(2, 2)) < 3e-6 * arm.i);
            CHECK(std::abs(entry(3) - side * wanted(0, 1)) < 3e-6 * arm.i);
            CHECK(std::abs(entry(4) - wanted(0, 2)) < 3e-6 * arm.i);
            CHECK(std::abs(entry(5) - side * wanted(1, 2)) < 3e-6 * arm.i);
        }
    }
}

TEST_CASE("vehicles: springs follow the published table and stops", "[analytic][vehicles]") {
    for (const char* name : {"quartercar", "halfcar", "hmmwv", "hmmwv_pitman"}) {
        const auto model = modelOf(example(name));
        int seen = 0;
        for (const Tsda& tsda : model->tsdas) {
            if (!endsWith(tsda.name, "spring")) continue;
            ++seen;
            CAPTURE(name, tsda.name);
            const bool front = std::string(name) == "quartercar" || tsda.name.find("front") == 0;
            const Wishbone& law = front ? frontWishbone() : rearWishbone();
            double worst = 0;
            for (double l = law.free_length - 0.33; l < law.free_length + 0.28; l += 1.37e-4)
                worst = std::max(worst, std::abs(tsdaTension(tsda, {}, l, 0) - law.tension(l)));
            CHECK(worst < 1e-8);
            // And the table's own rows, where no stop acts (f(-d) = -f(d), positive pushing apart).
            CHECK(tsdaTension(tsda, {}, law.free_length - 0.08, 0) == Approx(-law.table[4]).epsilon(1e-13));
        }
        CHECK(seen == (std::string(name) == "quartercar" ? 1 : std::string(name) == "halfcar" ? 2 : 4));
    }
}

TEST_CASE("vehicles: shocks are soft in compression and stiff in rebound", "[analytic][vehicles]") {
    const auto model = modelOf(example("hmmwv"));
    for (const auto& [axle, compression, rebound] :
         {std::tuple{"front", 12521.6, 22460.0}, std::tuple{"rear", 14535.5, 35025.4}})
        for (const char* side : {"left", "right"}) {
            const Tsda& shock =
                model->tsdas[static_cast<std::size_t>(tsdaOf(*model, std::string(axle) + "_" + side + "_shock"))];
            CHECK(tsdaTension(shock, {}, 0.4, -0.3) == Approx(-0.3 * compression).epsilon(1e-13));
            CHECK(tsdaTension(shock, {}, 0.4, 2.5) == Approx(2.5 * rebound).epsilon(1e-13));
        }
}

TEST_CASE("wishbones by hand: the published derived figures", "[analytic][vehicles]") {
    // Lengths in the design pose, motion ratios there and at rest, the arm's droop at rest.
    struct Figures {
        const Wishbone& arm;
        double length, force, ratio, droop, rest_length, rest_ratio;
    };
    for (const Figures& f : {Figures{frontWishbone(), 0.24632, 45123, 0.452, 12.4, 0.2943, 0.493},
                             Figures{rearWishbone(), 0.30584, 64405, 0.439, 13.2, 0.3564, 0.476}}) {
        const auto ratio = [&](double lower) {
            const double h = 1e-5;
            const Wishbone::Pose up = f.arm.at(lower + h), down = f.arm.at(lower - h);
            return (down.spring - up.spring) / (up.wheel[2] - down.wheel[2]);
        };
        CHECK(f.arm.at(0).spring == Approx(f.length).margin(5e-6));
        CHECK(-f.arm.tension(f.length) == Approx(f.force).epsilon(2e-4));
        CHECK(ratio(0) == Approx(f.ratio).margin(6e-4));
        const double rest = -f.droop * std::acos(-1.0) / 180;
        CHECK(f.arm.at(rest).spring == Approx(f.rest_length).margin(3e-4));
        CHECK(ratio(rest) == Approx(f.rest_ratio).margin(1e-3));
    }
}

TEST_CASE("quarter car: it travels as the wishbones do by hand", "[analytic][vehicles]") {
    Standing car("quartercar");
    Closure closure(*car.model);
    const Wishbone& arm = frontWishbone();
    const int lower = car.velocity("lca");
    std::vector<double> q = car.q;
    for (const double angle : {-0.3, -0.216, -0.1, 0.0, 0.12, 0.25}) {
        CAPTURE(angle);
        const Assembly moved = closure.setCoordinate(q, lower, angle, car.param);
        REQUIRE(moved.closed);
        q = car.q = moved.q;
        const Wishbone::Pose pose = arm.at(angle);
        CHECK(std::abs(car.coordinate("uca") - pose.upper) < 1e-10);
        CHECK(std::abs(car.length("spring") - pose.spring) < 1e-11);
        const Placement chassis = car.placement("chassis"), spindle = car.placement("spindle");
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(std::abs(spindle.position[i] - chassis.position[i] - pose.wheel[i]) < 1e-11);
            CHECK(std::abs(spindle.rotation[3 * i] - pose.heading[i]) < 1e-10);
        }
    }
}

TEST_CASE("quarter car at rest: spring deflection and wheel load by virtual work", "[analytic][vehicles]") {
    Standing car("quartercar");
    const Wishbone& arm = frontWishbone();
    const Body& post = car.model->bodies[static_cast<std::size_t>(bodyOf(*car.model, "post"))];
    const double sprung = 2086.52 * (0.056 + 1.652965) / (1.648965 + 1.652965) / 2;
    const double wheel_parts = 14.705 + 18.8 + 37.6, upright = 19.45, lca = 23.965, uca = 5.813;
    // The tyre's rod holds the wheel centre at a height above the pad; the chassis stands above it.
    const auto tilt = [&](const Wishbone::Pose& p) {
        return Point{p.wheel[0] - post.at[0].value, p.wheel[1] - post.at[1].value, 0};
    };
    const auto energy = [&](double lower) {
        const Wishbone::Pose p = arm.at(lower);
        const double height = std::sqrt(kTyre * kTyre - dot(tilt(p), tilt(p)));
        const double chassis = height - p.wheel[2];
        return kGravity * (sprung * chassis + wheel_parts * height + upright * (chassis + p.upright[2]) +
                           lca * (chassis + p.lca_cg[2]) + uca * (chassis + p.uca_cg[2])) +
               arm.energy(p.spring);
    };
    const auto slope = [&](double lower) {
        const double h = 2e-4;  // fourth order: the error is far below rounding's
        return (8 * (energy(lower + h) - energy(lower - h)) - (energy(lower + 2 * h) - energy(lower - 2 * h))) /
               (12 * h);
    };
    const double rest = zeroNear(slope, -0.2, 0.005, 0.2);
    const Wishbone::Pose pose = arm.at(rest);
    CAPTURE(rest, pose.spring);
    CHECK(std::abs(car.coordinate("lca") - rest) < 1e-7);
    CHECK(std::abs(car.length("spring") - pose.spring) < 1e-7);
    CHECK(car.length("spring") - arm.free_length == Approx(-0.0447).margin(2e-4));  // as published
    // The rod carries everything above the pad, along itself.
    const double load = kGravity * (sprung + wheel_parts + upright + lca + uca);
    const double lean = std::sqrt(1 - dot(tilt(pose), tilt(pose)) / (kTyre * kTyre));
    CHECK(car.force("tyre_rod") == Approx(load / lean).epsilon(1e-9));
    // And the start pose is that of rest, without a drive's help.
    for (const double a : car.vdot) CHECK(std::abs(a) < 1e-5);
}

TEST_CASE("vehicles at rest: the tyres' rods carry the weight, springs as published", "[analytic][vehicles]") {
    for (const char* name : {"halfcar", "hmmwv", "hmmwv_pitman"}) {
        CAPTURE(name);
        Standing car(name);
        double carried = 0;
        const std::vector<Placement> pose = bodyPlacements(*car.model, car.q, car.param);
        for (const Loop& loop : car.model->loops) {
            if (!endsWith(loop.name, "tyre_rod")) continue;
            const Placement from = framePlacement(loop.from, pose, car.param);
            const Placement to = framePlacement(loop.to, pose, car.param);
            carried += car.force(loop.name) * (to.position[2] - from.position[2]) / kTyre;
        }
        // A kernel knows no drives, and the nitrogen springs alone hold the posts to a part in a thousand of the load.
        CHECK(carried == Approx(kGravity * vehicleMass(*car.model)).epsilon(3e-5));
        for (const Tsda& tsda : car.model->tsdas) {
            if (!endsWith(tsda.name, "spring")) continue;
            CAPTURE(tsda.name);
            CHECK(car.length(tsda.name) == Approx(tsda.name.find("front") == 0 ? 0.2943 : 0.3564).margin(1e-4));
        }
    }
}

TEST_CASE("vehicles: the start is the pose of rest on standing posts", "[analytic][vehicles]") {
    for (const char* name : {"quartercar", "halfcar", "hmmwv"}) {
        CAPTURE(name);
        Simulation run = runOf(example(name), 2e-4);
        for (const Parameter& p : run.model().parameters)
            if (endsWith(p.name, "amplitude")) setParameter(run.inputs().param, run.model(), p.name, 0);
        run.reset();
        const std::vector<double> start = run.state().q;
        runUntil(run, 2);
        double moved = 0;
        for (std::size_t i = 0; i < start.size(); ++i) moved = std::max(moved, std::abs(run.state().q[i] - start[i]));
        CHECK(moved < 2e-5);
        for (const double v : run.state().v) CHECK(std::abs(v) < 1e-4);
        // Now the drives hold what is left of the load: the rods carry the weight, and no more.
        double carried = 0;
        const Readings now = run.read();
        for (std::size_t l = 0; l < now.loops.size(); ++l)
            if (endsWith(run.model().loops[l].name, "tyre_rod")) carried += now.loops[l].wrench[5];
        CHECK(carried == Approx(kGravity * vehicleMass(run.model())).epsilon(1e-5));
    }
}

namespace {

/// Headings of the front wheels, degrees, left positive, with the suspension held in the design pose.
std::array<double, 2> steered(const std::string& name, const std::string& steering, double value) {
    Standing car(name);
    Closure closure(*car.model);
    const double height = 0.3 + kTyre + 0.026;
    for (int i = 0; i < 7; ++i) car.coordinate("chassis", i) = i == 0 ? 1 : i == 6 ? height : 0;
    AssembleOptions hold;
    for (int i = 0; i < 6; ++i) hold.keep.push_back(car.velocity("chassis") + i);
    for (const char* axle : {"front", "rear"})
        for (const char* side : {"left", "right"}) {
            const std::string corner = std::string(axle) + "_" + side + "_";
            const double x = std::string(axle) == "front" ? 1.648965 : -1.652965;
            const double y = std::string(side) == "left" ? 0.91 : -0.91;
            const std::array<double, 7> design = {1, 0, 0, 0, x, y, height - 0.026};
            for (int i = 0; i < 7; ++i) car.coordinate(corner + "spindle", i) = design[static_cast<std::size_t>(i)];
            car.coordinate(corner + "uca") = car.coordinate(corner + "lca") = 0;
            hold.keep.push_back(car.velocity(corner + "lca"));
        }
    hold.keep.push_back(car.velocity(steering));
    for (int i = 1; i <= 10; ++i) {
        car.coordinate(steering) = value * i / 10;
        const Assembly pose = closure.assemble(car.q, car.param, hold);
        INFO(pose.what);
        REQUIRE(pose.closed);
        car.q = pose.q;
    }
    CHECK(car.coordinate(steering) == value);
    std::array<double, 2> heading{};
    for (std::size_t i = 0; i < 2; ++i) {
        const Placement wheel = car.placement(i == 0 ? "front_left_spindle" : "front_right_spindle");
        // Where the wheel's plane meets the ground: square to the spin axis, the spindle's y.
        heading[i] = std::atan2(-wheel.rotation[1], wheel.rotation[4]) * 180 / std::acos(-1.0);
    }
    return heading;
}

}  // namespace

TEST_CASE("steering: the wheels turn as published", "[analytic][vehicles]") {
    const double degree = std::acos(-1.0) / 180;
    // Left turns: the rack goes right, the Pitman arm turns clockwise.
    const auto far = steered("hmmwv", "rack", -50 * degree * 0.1);
    CHECK(far[0] == Approx(36.0).margin(0.06));
    CHECK(far[1] == Approx(38.6).margin(0.06));
    const auto near = steered("hmmwv", "rack", -30 * degree * 0.1);
    CHECK(near[0] == Approx(21.2).margin(0.06));
    CHECK(near[1] == Approx(22.3).margin(0.06));
    const auto right = steered("hmmwv", "rack", 30 * degree * 0.1);
    CHECK(right[0] == Approx(-near[1]).epsilon(1e-9));
    CHECK(right[1] == Approx(-near[0]).epsilon(1e-9));
    const auto pitman = steered("hmmwv_pitman", "pitman_arm", -30 * degree);
    CHECK(pitman[0] == Approx(28.1).margin(0.06));
    CHECK(pitman[1] == Approx(24.9).margin(0.06));
}

TEST_CASE("steering: the parameter drives the rack and the wheels follow", "[analytic][vehicles]") {
    Simulation run = runOf(example("hmmwv"), 2e-4);
    setParameter(run.inputs().param, run.model(), "steer", 0.04);
    runUntil(run, 1.5);
    const Layout& layout = run.layout();
    const std::size_t rack =
        static_cast<std::size_t>(layout.q_of_body[static_cast<std::size_t>(bodyOf(run.model(), "rack"))]);
    CHECK(run.state().q[rack] == Approx(-0.04).margin(2e-3));
    const std::vector<Placement> pose = bodyPlacements(run.model(), run.state().q, run.inputs().param);
    for (const char* wheel : {"front_left_spindle", "front_right_spindle"}) {
        const Placement& p = pose[static_cast<std::size_t>(bodyOf(run.model(), wheel))];
        CHECK(std::atan2(p.rotation[3], p.rotation[0]) > 0.2);
    }
}

TEST_CASE("hmmwv: loops stay closed on moving posts", "[analytic][vehicles]") {
    const char* wish = std::getenv("MW_LONG");
    const double until = wish && std::string(wish) == "1" ? 60 : 5;
    for (const char* name : {"hmmwv", "hmmwv_pitman"}) {
        CAPTURE(name);
        Simulation run = runOf(example(name), 2e-4);
        setParameter(run.inputs().param, run.model(), "frequency", 1.5);
        double worst = 0, travelled = 0;
        for (double t = 0.05; t < until; t += 0.05) {
            setParameter(run.inputs().param, run.model(), "steer", 0.05 * std::sin(0.7 * t));
            runUntil(run, t);
            const Readings r = run.read();
            for (const LoopReading& loop : r.loops) worst = std::max(worst, loop.worst());
            travelled = std::max(travelled, std::abs(run.state().v[5]));
        }
        CAPTURE(worst, travelled);
        CHECK(worst < 1e-4);
        CHECK(travelled > 0.02);  // it was shaken indeed: heave speed of the chassis, m/s
    }
}

TEST_CASE("hmmwv: without its straps it falls over, with them a shove dies away", "[analytic][vehicles]") {
    const std::string text = example("hmmwv");
    std::string bare;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (line.find("_strap from") == std::string::npos) bare += line + "\n";
        at = end + 1;
    }
    for (const bool strapped : {false, true}) {
        CAPTURE(strapped);
        Simulation run = runOf(strapped ? text : bare, 2e-4);
        for (const Parameter& p : run.model().parameters)
            if (endsWith(p.name, "amplitude")) setParameter(run.inputs().param, run.model(), p.name, 0);
        State state = run.state();
        const double shove = 0.1;  // m/s to the side, of everything that stands on the posts
        for (std::size_t b = 0; b < run.model().bodies.size(); ++b)
            if (run.model().bodies[b].joint.type == JointType::floating)
                state.v[static_cast<std::size_t>(run.layout().v_of_body[b]) + 4] = shove;
        Closure closure(run.model());
        state.v = closure.project(state.q, state.v, run.inputs().param);
        run.setState(state, run.ledger());
        double aside = 0;
        bool fell = false;
        while (run.state().t < 3 && !fell) {
            fell = run.step().has_value();
            aside = std::abs(run.state().q[5]);
            fell = fell || aside > 0.3;
        }
        CHECK(fell != strapped);
        if (strapped) CHECK(aside < 0.003);
    }
}
