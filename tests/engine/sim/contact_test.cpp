// Runs with contacts, small: starts on slopes, brakes and driving, the books of all of it, tensions of a band,
// suggested steps, exact replay. The reference kernel runs track_min.
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/dynamics/inverse.h"
#include "engine/sim/recorder.h"
#include "engine/track/expand.h"
#include "tests/engine/sim/models.h"
#include "tests/support/catch.h"

using namespace mw;

namespace {

std::shared_ptr<const Model> mechanism(const std::string& text) {
    const ReadResult read = readMechanism(text);
    for (const Diagnostic& d : read.diagnostics)
        if (d.severity == Severity::error) throw std::runtime_error(formatDiagnostic(d, text, "test"));
    return std::make_shared<const Model>(read.model);
}

std::shared_ptr<const Model> example(const std::string& name) {
    std::ifstream in(std::string(MW_SOURCE_DIR) + "/models/" + name + ".mech");
    std::stringstream text;
    text << in.rdbuf();
    return mechanism(text.str());
}

Simulation onReference(const std::shared_ptr<const Model>& model, double dt,
                       ReferenceRoute route = ReferenceRoute::aba) {
    return Simulation(model, makeReferenceKernel(*model, route), Integrator::verlet, dt);
}

void steps(Simulation& run, int count) {
    for (int i = 0; i < count; ++i) REQUIRE_FALSE(run.step());
}

struct Poses {
    std::vector<double> X, V;
};
Poses posesOf(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
    const Kernel kernel = makeReferenceKernel(model);
    std::vector<double> work = makeWork(kernel);
    Poses poses{std::vector<double>(12 * model.bodies.size()), std::vector<double>(6 * model.bodies.size())};
    const std::vector<double> param = model.liveValues();
    kernel->kinematics(q.data(), v.data(), param.data(), work.data(), poses.X.data(), poses.V.data());
    return poses;
}

// Two equal rollers in a weightless row, pressed apart by a spring: a band in its simplest form.
std::string rowText(double push) {
    return fmt::format(R"(mech 1
gravity 0 0 0
body frame
  joint floating
  mass 200  inertia 10 10 10 0 0 0
body front
  parent frame
  joint revolute y
  at 0.6 0 0
  mass 10  inertia 0.2 0.2 0.2 0 0 0  fext
body slide
  parent frame
  joint prismatic x
  at -0.6 0 0
  mass 5  inertia 0.1 0.1 0.1 0 0 0
body rear
  parent slide
  joint revolute y
  mass 10  inertia 0.2 0.2 0.2 0 0 0  fext
poi hook on frame at 0 0 0
poi eye on slide at 0 0 0
tsda screw from hook to eye  k 0  c 4e3  l0 0.6  input
track band
  root frame
  plane xz
  shoes 24  pitch 0.15
  mass 2  cg 0.07 0 0  inertia 0.01 0.01 0.01 0 0 0
  fext
  roller front 0.2 end
  roller rear 0.2 end
  pad -0.03 0.15 0.2  thickness 0.03
  kn {}  zeta 1
)",
                       push);
}

}  // namespace

TEST_CASE("a start on a slope is the start on the flat, turned body by body", "[sim][contact]") {
    const double slope = 0.3;
    const auto check = [&](const std::shared_ptr<const Model>& model) {
        const Layout layout = layoutOf(*model);
        const std::vector<double> param = model->liveValues();
        std::vector<double> q = startQ(*model, layout, param);
        const std::vector<double> v = startV(*model, layout, param);
        const Poses flat = posesOf(*model, q, v);
        turnRoots(*model, layout, param, slope, q);
        const Poses turned = posesOf(*model, q, v);
        // Uphill towards +x: x goes to (cos, 0, sin).
        const double c = std::cos(slope), s = std::sin(slope);
        const auto turn = [&](double x, double y, double z) { return Vector3d{c * x - s * z, y, s * x + c * z}; };
        double worst = 0;
        for (std::size_t b = 0; b < model->bodies.size(); ++b) {
            const double *X = flat.X.data() + 12 * b, *Y = turned.X.data() + 12 * b;
            const Vector3d p = turn(X[9], X[10], X[11]);
            for (std::size_t k = 0; k < 3; ++k) {
                worst = std::max(worst, std::abs(p[k] - Y[9 + k]));
                const Vector3d column = turn(X[k], X[3 + k], X[6 + k]);
                for (std::size_t r = 0; r < 3; ++r) worst = std::max(worst, std::abs(column[r] - Y[3 * r + k]));
            }
            for (const std::size_t part : {0u, 3u}) {
                const double *u = flat.V.data() + 6 * b + part, *w = turned.V.data() + 6 * b + part;
                const Vector3d expected = turn(u[0], u[1], u[2]);
                for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::abs(expected[k] - w[k]));
            }
        }
        return worst;
    };
    CHECK(check(example("track_min")) < 1e-14);
    // A root whose joint frame is moved and turned (no text says so, a Model may), in motion.
    Model crane = *mechanism(R"(mech 1
body ship
  joint floating
  mass 1  inertia 1 1 1 0 0 0
  start 0.8 0.2 -0.4 0.4 0.3 -0.7 0.2  rate 1 2 3 -1 0.5 2
body crane
  parent ship
  joint revolute 1 2 3
  at 0.5 0 0.2
  mass 1  inertia 1 1 1 0 0 0
  start 0.7  rate 2
)");
    crane.bodies[0].at = {Number(1), Number(2), Number(3)};
    crane.bodies[0].rot = {Number(0.3), Number(-0.4), Number(0.5)};
    CHECK(check(std::make_shared<const Model>(crane)) < 1e-14);
}

TEST_CASE("a slope is refused where something hangs on the base, and named", "[sim][contact]") {
    const auto refused = [](const std::string& text) {
        const auto model = mechanism("mech 1\n" + text);
        Simulation run = onReference(model, 1e-3);
        std::string why;
        try {
            run.setContactSetup({Friction::regularized, 0.1, 0});
        } catch (const std::invalid_argument& e) {
            why = e.what();
        }
        CHECK(run.contactSetup().slope == 0);
        return why;
    };
    CHECK(refused("body post\n joint revolute y\n mass 1 inertia 1 1 1 0 0 0\n").find("'post'") != std::string::npos);
    const std::string free = "body ball\n joint floating\n mass 1 inertia 1 1 1 0 0 0\n";
    CHECK(refused(free + "poi a on ball at 0 0 0\npoi b on base at 0 0 1\ntsda cord from a to b k 1 l0 1\n")
              .find("'cord'") != std::string::npos);
    CHECK(refused(free + "loop tie\n type spherical\n from base 0 0 0\n to ball 0 0 0\n").find("'tie'") !=
          std::string::npos);
    Simulation run = onReference(mechanism("mech 1\n" + free), 1e-3);
    CHECK_NOTHROW(run.setContactSetup({Friction::regularized, 0.1, 0}));
}

TEST_CASE("sizes of brakes and of driving: two contact periods, critical, what the ground can take", "[sim][contact]") {
    const auto model = example("m113");
    const Layout layout = layoutOf(*model);
    const auto rollers = drivenRollers(*model, layout, model->liveValues());
    REQUIRE(rollers.size() == 2);
    const double period = 2 * M_PI * std::sqrt(18.02 / 2.5e6);
    for (const DrivenRoller& d : rollers) {
        CHECK(2 * M_PI * std::sqrt(d.inertia / d.stiffness) == Approx(2 * period).epsilon(1e-12));
        CHECK(d.stiffness == Approx(3.06e4).epsilon(2e-3));
        CHECK(d.damping == Approx(2 * std::sqrt(d.stiffness * d.inertia)).epsilon(1e-12));
        CHECK(d.limit == Approx(0.8 * 11324.84 * 9.81 * 0.245 / 2).epsilon(1e-9));
        CHECK(d.q == layout.q_of_body[static_cast<std::size_t>(d.body)]);
    }
    CHECK(rollers[0].body != rollers[1].body);
    // However stiff and however long the step: a damper brings the roller to the wanted speed and never past it.
    DrivenRoller d = rollers[0];
    for (const double scale : {1.0, 1e2, 1e4})
        for (const double dt : {1e-5, 1e-3, 1e-1, 10.0}) {
            d.damping = scale * rollers[0].damping, d.gain = scale * rollers[0].gain, d.limit = 1e30;
            const double wanted = 3, speed = -5;
            const RollerTorques t = rollerTorques(d, {1, 0.2}, &wanted, 0.2, speed, dt);
            const double braked = speed + dt * t.damper / d.inertia, driven = speed + dt * t.drive / d.inertia;
            CHECK(braked < 0);
            CHECK(braked >= speed);
            CHECK(driven <= wanted);
            CHECK(driven > speed);
        }
}

TEST_CASE("suggested steps with contacts are ninety samples of the stiffest contact", "[sim][contact]") {
    const struct {
        const char* name;
        double dt;
    } known[] = {{"m113", 1.87e-4}, {"track_min", 1.06e-4}, {"track_demo", 8.34e-5}};
    for (const auto& [name, dt] : known) {
        const auto model = example(name);
        const Layout layout = layoutOf(*model);
        State start;
        start.q = startQ(*model, layout, model->liveValues());
        start.v = startV(*model, layout, model->liveValues());
        std::string why;
        const double suggested =
            suggestedStep(*model, layout, makeReferenceKernel(*model), start, model->liveValues(), &why);
        CAPTURE(name, why);
        CHECK(suggested == Approx(dt).epsilon(0.01));
        CHECK(suggested == Approx(ContactModel(*model).accuracyStep()).epsilon(0.006));
        CHECK(why.find("90 samples of the contact period") != std::string::npos);
        CHECK(why.find(name == std::string("m113") ? "band left" : "band band") != std::string::npos);
    }
    // A fast spring between bodies is resolved no worse than the contacts.
    auto text = rowText(1e5);
    text.replace(text.find("k 0  c 4e3"), 10, "k 9e6 c 0 ");
    const auto model = mechanism(text);
    const Layout layout = layoutOf(*model);
    State start;
    start.q = startQ(*model, layout, {});
    start.v = startV(*model, layout, {});
    std::string why;
    const Kernel kernel = makeReferenceKernel(*model);
    const double dt = suggestedStep(*model, layout, kernel, start, {}, &why);
    CHECK(dt == Approx(2 * M_PI / 90 / largestRate(*model, layout, kernel, start, {})).epsilon(0.006));
    CHECK(why.find("stiffness") != std::string::npos);
}

TEST_CASE("contact models take the velocity as it is, others predict it", "[sim][contact]") {
    CHECK_FALSE(onReference(example("track_min"), 1e-4).predictsVelocity());
    CHECK(test::simulate(test::model(test::kCrossed), Integrator::verlet, 1e-3).predictsVelocity());
}

TEST_CASE("the books close with ramp, slope, brake, driving, anchors and changes on the way", "[sim][contact]") {
    const auto model = example("track_min");
    const auto residual = [&](double dt) {
        Simulation run = onReference(model, dt);
        run.setContactSetup({Friction::anchored, 0.15, 0.02});
        CHECK(run.read().contact_energy.total() == 0);  // the gains rise from nothing
        run.inputs().brake = true;
        const auto until = [&](double t) {
            while (run.state().t + dt / 2 < t) REQUIRE_FALSE(run.step());
        };
        until(0.15);
        Readings now = run.read();
        CHECK(now.contact_energy.anchors > 0);
        CHECK(now.brake_energy > 0);
        CHECK(now.ledger.ramp > 0);
        CHECK(now.ledger.contact_dissipated > 0);
        CHECK(now.ledger.brake_dissipated > 0);
        CHECK(now.ledger.dissipated ==
              Approx(now.ledger.contact_dissipated + now.ledger.brake_dissipated).epsilon(1e-12));
        CHECK(now.total_energy == Approx(now.energy.total() + now.contact_energy.total() + now.brake_energy));
        const Simulation::EnergyNow energy = run.energyNow();
        CHECK(energy.total == Approx(now.total_energy).epsilon(1e-13));
        CHECK(energy.kinetic == Approx(now.energy.kinetic).epsilon(1e-13));
        run.inputs().brake = false;
        run.inputs().driving = {4};
        until(0.3);
        CHECK(std::abs(run.ledger().drives) > 1);
        CHECK(run.read().brake_energy == 0);
        run.setContactSetup({Friction::regularized, 0.15, 0.02});
        CHECK(run.read().contact_energy.anchors == 0);
        run.inputs().param[0] = 0.5;
        until(0.4);
        now = run.read();
        CAPTURE(dt, now.residual, now.ledger.absolute);
        CHECK(now.ledger.absolute > now.ledger.dissipated);
        CHECK(std::abs(now.residual) < 1e-3 * now.ledger.absolute);
        return std::abs(now.residual) / now.ledger.absolute;
    };
    const double coarse = residual(1e-4), fine = residual(2.5e-5);
    std::printf(
        "books of track_min, everything at once: residual %.2e of the integral of |power| at 1e-4 s, %.2e at "
        "2.5e-5 s\n",
        coarse, fine);
    CHECK(fine < 0.5 * coarse);
    CHECK(fine < 1e-4);
}

TEST_CASE("without books a run is the same, and the ledger stands still", "[sim][contact]") {
    const auto model = example("track_min");
    Simulation with = onReference(model, 1e-4), without = onReference(model, 1e-4);
    without.setAccounts(false);
    for (Simulation* run : {&with, &without}) {
        run->setContactSetup({Friction::anchored, 0.1, 0.02});
        run->inputs().brake = true;
        steps(*run, 400);
    }
    CHECK(stateHash(with.state()) == stateHash(without.state()));
    CHECK(without.ledger().dissipated == 0);
    CHECK(with.ledger().dissipated > 0);
}

TEST_CASE("looking moves nothing: anchors and brakes are where the step left them", "[sim][contact]") {
    const auto model = example("track_min");
    Simulation looked = onReference(model, 1e-4), alone = onReference(model, 1e-4);
    for (Simulation* run : {&looked, &alone}) {
        run->setContactSetup({Friction::anchored, 0.2, 0.02});
        run->inputs().brake = true;
    }
    for (int i = 0; i < 300; ++i) {
        REQUIRE_FALSE(looked.step());
        REQUIRE_FALSE(alone.step());
        if (i % 7 == 0) {
            looked.read();
            looked.energyNow();
        }
    }
    CHECK(stateHash(looked.state()) == stateHash(alone.state()));
    CHECK(looked.ledger() == alone.ledger());
}

TEST_CASE("replay with contacts is exact: setups, anchors, brakes, driving, another kernel", "[sim][contact]") {
    const auto model = example("track_min");
    Simulation run = onReference(model, 1e-4);
    Recorder recorder(256u << 20, 37);
    std::map<std::int64_t, Hash> hashes;
    const auto go = [&](int count) {
        for (int i = 0; i < count; ++i) {
            recorder.before(run);
            hashes[run.state().step] = stateHash(run.state());
            REQUIRE_FALSE(run.step());
            recorder.after(run);
        }
        hashes[run.state().step] = stateHash(run.state());
    };
    go(20);
    run.setContactSetup({Friction::anchored, 0.1, 0.02});  // another slope, another run
    hashes.clear();
    run.inputs().brake = true;
    go(150);
    CHECK(recorder.firstStep() == 0);
    CHECK(recorder.lastStep() == 150);
    run.setKernel(makeReferenceKernel(*model, ReferenceRoute::crba));
    go(60);
    run.inputs().brake = false;
    run.inputs().driving = {3};
    go(50);
    run.setContactSetup({Friction::regularized, 0.1, 0.02});
    go(45);
    run.setContactSetup({Friction::anchored, 0.1, 0.02});
    run.inputs().driving.clear();
    run.inputs().brake = true;
    go(40);
    run.setPredictsVelocity(true);
    go(20);
    run.setPredictsVelocity(false);
    go(33);
    const Ledger end = run.ledger();
    const std::int64_t last = recorder.lastStep();
    for (std::int64_t k = 0; k <= last; ++k) {
        const std::int64_t step = (k * 89) % (last + 1);
        recorder.restore(run, step);
        CAPTURE(step);
        REQUIRE(run.state().step == step);
        REQUIRE(stateHash(run.state()) == hashes[step]);
    }
    recorder.restore(run, last);
    CHECK(run.ledger() == end);
    CHECK(run.contactSetup().friction == Friction::anchored);
}

TEST_CASE("driving takes the place of written drives on its joints alone", "[sim][contact]") {
    const auto model = example("track_min");
    std::ifstream in(std::string(MW_SOURCE_DIR) + "/models/track_min.mech");
    std::stringstream text;
    text << in.rdbuf() << "\ndrive motor joint sprocket  torque 100\ndrive other joint wheel  torque 7\n";
    Simulation run = onReference(mechanism(text.str()), 1e-4);
    CHECK(run.read().drive_force == std::vector<double>{100, 7});
    run.inputs().driving = {1};
    const Readings now = run.read();
    CHECK(now.drive_force == std::vector<double>{0, 7});
    REQUIRE(now.rollers.size() == 1);
    CHECK(now.rollers[0].drive > 0);
}

TEST_CASE("the tension of a band at rest is half of what presses its rollers apart", "[sim][contact]") {
    const double push = 8000;
    Simulation run = onReference(mechanism(rowText(2e6)), 1e-4);
    run.inputs().act = {-push};  // a positive act pulls
    run.setContactSetup({Friction::regularized, 0, 0.02});
    steps(run, 15000);
    const Readings now = run.read();
    REQUIRE(now.tensions.size() == 1);
    const BandTension& tension = now.tensions[0];
    REQUIRE(tension.pins.size() == 24);
    // In the straight runs, upper and lower, at the middle between the rollers.
    double worst = 0;
    int straight = 0;
    for (std::size_t k = 0; k < 24; ++k) {
        const double* X = now.X.data() + 12 * (static_cast<std::size_t>(run.model().tracks[0].first_shoe) + k);
        const double* frame = now.X.data();
        if (std::abs(X[9] - frame[9]) > 0.4) continue;
        ++straight;
        worst = std::max(worst, std::abs(tension.pins[k] / (push / 2) - 1));
    }
    std::printf(
        "static band: %d links of the straight runs within %.1e of half the push; least %.0f N, greatest %.0f "
        "N; kinetic energy %.1e J\n",
        straight, worst, tension.least, tension.greatest, now.energy.kinetic);
    CHECK(straight >= 10);
    CHECK(worst < 0.01);
    CHECK(tension.least > 0);
}

TEST_CASE("tensions in motion are the joint forces of inverse dynamics", "[sim][contact]") {
    const auto model = example("track_min");
    Simulation run = onReference(model, 1e-4);
    run.setContactSetup({Friction::regularized, 0.05, 0.02});
    run.inputs().driving = {5};
    steps(run, 1500);
    const Readings now = run.read();
    // The second way: recursive Newton-Euler in body coordinates, with contacts by the same call that the step makes
    // and the closure's wrench as one more force at both of its ends.
    const Layout layout = layoutOf(*model);
    const std::vector<double> param = model->liveValues();
    const auto nbody = model->bodies.size();
    ContactModel contact(*model, 0.05);
    contact.setParameters(param);
    std::vector<double> fext(6 * nbody, 0);
    ContactSettings settings;
    settings.dt = run.dt();
    contact.addForces(now.X, now.V, settings, {}, fext);
    const Track& track = model->tracks[0];
    const LoopReading& closure = now.loops[static_cast<std::size_t>(track.closure)];
    std::vector<Vector6> force(nbody);
    for (std::size_t b = 0; b < nbody; ++b)
        for (int k = 0; k < 6; ++k) force[b][k] = fext[6 * b + static_cast<std::size_t>(k)];
    const Vector3 at(closure.to_point[0], closure.to_point[1], closure.to_point[2]);
    const Vector3 f(closure.wrench[3], closure.wrench[4], closure.wrench[5]);
    const Vector3 moment = at.cross(f) + Vector3(closure.wrench[0], closure.wrench[1], closure.wrench[2]);
    const Loop& loop = model->loops[static_cast<std::size_t>(track.closure)];
    force[static_cast<std::size_t>(loop.to.body)].head<3>() += moment;
    force[static_cast<std::size_t>(loop.to.body)].tail<3>() += f;
    force[static_cast<std::size_t>(loop.from.body)].head<3>() -= moment;
    force[static_cast<std::size_t>(loop.from.body)].tail<3>() -= f;
    const Topology topology(*model);
    std::vector<BodyNumbers> numbers;
    for (std::size_t b = 0; b < nbody; ++b) numbers.push_back(topology.numbersOf(static_cast<int>(b), param));
    std::vector<BodyKinematics> bodies(nbody);
    updateKinematics(topology, numbers.data(), run.state().q.data(), run.state().v.data(), bodies.data());
    std::vector<InverseWork> work(nbody);
    std::vector<double> tau(static_cast<std::size_t>(layout.nv));
    inverseDynamics(topology, numbers.data(), bodies.data(), topology.gravity(param), now.vdot.data(), force.data(),
                    work.data(), tau.data());
    double largest = 0, worst = 0, turning = 0;
    for (std::size_t k = 1; k < static_cast<std::size_t>(track.shoes); ++k) {
        const std::size_t body = static_cast<std::size_t>(track.first_shoe) + k;
        // Force on the shoe by the one before, along the shoe's own x: pulled back is tension.
        const double tension = -work[body].f[3];
        largest = std::max(largest, std::abs(tension));
        worst = std::max(worst, std::abs(tension - now.tensions[0].pins[k]));
        turning = std::max(turning, std::abs(tau[static_cast<std::size_t>(layout.v_of_body[body])]));
    }
    std::printf(
        "tensions in motion: up to %.0f N, differ from inverse dynamics by %.1e N; pins turn freely within "
        "%.1e N m; the walk closes within %.1e N\n",
        largest, worst, turning, now.tensions[0].open);
    CHECK(largest > 100);
    CHECK(worst < 1e-8 * largest);
    CHECK(turning < 1e-8 * largest);
    CHECK(now.tensions[0].open < 1e-8 * largest);
}

TEST_CASE("what contacts give in a step is what changes the momentum", "[sim][contact]") {
    const auto model = example("track_min");
    Simulation run = onReference(model, 1e-4);
    run.setContactSetup({Friction::regularized, 0, 0.02});
    double impulse = 0, scale = 0, mass = 0;
    for (const Body& body : model->bodies) mass += body.mass.at(model->liveValues());
    for (int i = 0; i < 3000; ++i) {
        REQUIRE_FALSE(run.step());
        impulse += run.dt() * (run.appliedContact().ground_force[2] - 9.81 * mass);
        scale += run.dt() * (run.appliedContact().ground_force[2] + 9.81 * mass);
    }
    CHECK(std::abs(run.read().momenta.linear[2] - impulse) < 2e-5 * scale);
}
