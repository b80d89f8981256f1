// The models with tendons, limits and contacts against statics and motions by hand: each mechanism of models/ as it
// stands there, now and then with another number for a parameter.
#include <cmath>

#include "engine/dynamics/reference_kernel.h"
#include "tests/analytic/runs.h"
#include "tests/support/catch.h"

using namespace mw;
using namespace mw::test;

namespace {

constexpr double kG = 9.81, kPi = 3.141592653589793;

/// The text with other values of parameters.
std::string with(std::string text, const std::vector<std::pair<std::string, double>>& values) {
    for (const auto& [name, value] : values) {
        const std::string head = "param " + name + " ";
        const std::size_t at = text.find(head);
        if (at == std::string::npos) throw std::runtime_error("no parameter " + name);
        const std::size_t from = at + head.size();
        char number[40];
        std::snprintf(number, sizeof number, "%.17g", value);
        text.replace(from, text.find(' ', from) - from, number);
    }
    return text;
}

Simulation euler(const std::string& text, double dt) {
    const auto model = modelOf(text);
    REQUIRE(defaultIntegrator(*model) == Integrator::euler);
    return Simulation(model, makeReferenceKernel(*model), Integrator::euler, dt);
}

int tendonOf(const Model& model, const std::string& name) {
    for (std::size_t i = 0; i < model.tendons.size(); ++i)
        if (model.tendons[i].name == name) return static_cast<int>(i);
    throw std::runtime_error("no tendon " + name);
}

/// All forces of tendons on a body, base axes.
Vector3d forceOn(const Readings& readings, int body) {
    Vector3d sum{};
    for (const TendonReading& t : readings.tendons)
        for (std::size_t i = 0; i < t.route.points.size(); ++i)
            if (t.route.points[i].body == body)
                for (std::size_t k = 0; k < 3; ++k) sum[k] += t.point_forces[i][k];
    return sum;
}

}  // namespace

TEST_CASE("block and tackle: 2 kg hold 8 kg by four strands and by a branch that counts four times", "[tendons]") {
    Simulation run = euler(example("block_and_tackle"), 1e-3);
    runUntil(run, 1);
    for (const double q : run.state().q) CHECK(std::abs(q) < 1e-10);
    const Readings now = run.read();
    for (const TendonReading& t : now.tendons) CHECK(t.tension == Approx(2 * kG).epsilon(1e-9));
    for (const char* block : {"block", "block2"})
        CHECK(forceOn(now, run.model().findBody(block))[2] == Approx(8 * kG).epsilon(1e-9));
    CHECK(now.tendons[static_cast<std::size_t>(tendonOf(run.model(), "ideal"))].segment_tension[1] ==
          Approx(8 * kG).epsilon(1e-9));

    // More at the hand: it falls with a, the load rises with a/4, upright strands all the way.
    Simulation moved = euler(with(example("block_and_tackle"), {{"hand_mass", 2.2}}), 1e-3);
    runUntil(moved, 0.5);
    const double a = kG * (2.2 - 2) / (2.2 + 8.0 / 16);
    const std::vector<double>& v = moved.state().v;
    for (const int tackle : {0, 2}) {
        CHECK(v[static_cast<std::size_t>(tackle)] == Approx(a * 0.5 / 4).epsilon(1e-6));
        CHECK(v[static_cast<std::size_t>(tackle) + 1] == Approx(-a * 0.5).epsilon(1e-6));
    }
}

TEST_CASE("capstan: holds below the ratio e^(mu pi), slides above it as it should, on a turning drum too",
          "[tendons]") {
    const double r = std::exp(0.3 * kPi);
    Simulation held = euler(with(example("capstan"), {{"heavy", r * 0.995}}), 1e-3);
    runUntil(held, 2);
    CHECK(std::abs(held.state().q[2]) < 1e-8);
    CHECK(std::abs(held.state().v[2]) < 1e-6);

    Simulation barely = euler(with(example("capstan"), {{"heavy", r * 1.005}}), 1e-3);
    runUntil(barely, 1);
    CHECK(barely.state().v[2] < -0.01);

    // The drum turns against the load's way and rubs all the same.
    for (const double speed : {0.0, -3.0}) {
        Simulation slides = euler(with(example("capstan"), {{"heavy", 2.8}, {"drum_speed", speed}}), 1e-3);
        runUntil(slides, 0.5);
        const double a = kG * (2.8 - r) / (2.8 + r);
        CAPTURE(speed);
        CHECK(-slides.state().v[2] == Approx(a * 0.5).epsilon(5e-3));
        CHECK(slides.state().v[1] == Approx(a * 0.5).epsilon(5e-3));
        const Readings now = slides.read();
        const GuideReading& guide = now.tendons[0].route.guides[0];
        CHECK(guide.tension_after / guide.tension_before == Approx(r).epsilon(5e-3));
        // What it takes from the drum: (T2 - T1) radius about its axle.
        CHECK(std::abs(guide.moment[1]) == Approx((guide.tension_after - guide.tension_before) * 0.12).epsilon(1e-6));
    }
}

TEST_CASE("crossbow: the bolt's speed is what the cords' energy is worth, less the scheme's loss", "[tendons]") {
    const double mass = 0.108, k = 1200, energy = 0.5 * k * 0.3 * 0.3;
    const double best = std::sqrt(2 * energy / mass), omega = std::sqrt(k / mass);
    std::vector<double> lost;
    for (const double h : {4e-4, 2e-4, 1e-4, 1e-5}) {
        Simulation run = euler(example("crossbow"), h);
        run.setAccounts(false);
        runUntil(run, 0.04);
        const double speed = run.state().v[1];
        CAPTURE(h);
        CHECK(speed == Approx(best * (1 - kPi * h * omega / 4)).epsilon(2e-3));
        lost.push_back(1 - speed / best);
        CHECK(std::abs(run.state().v[0]) < 1e-9);  // the carriage stands at its stop
    }
    CHECK(lost[0] / lost[1] == Approx(2).margin(0.1));
    CHECK(lost[1] / lost[2] == Approx(2).margin(0.1));
    CHECK(lost[3] < 2e-3);
}

TEST_CASE("differential: an open one gives both wheels one torque, a clutched one turns them alike", "[tendons]") {
    // At rest of all transients: T = 3.7 (6 - 0.01 wp) - 0.02 wc, wp = 3.7 wc, wc the mean of the wheels.
    const double ice = 0.4, road = 4;
    {
        Simulation run = euler(example("differential"), 2e-3);
        run.setAccounts(false);
        runUntil(run, 60);
        const double per_torque = (0.5 / ice + 0.5 / road) / 2;
        const double torque = 3.7 * 6 / (1 + (3.7 * 3.7 * 0.01 + 0.02) * per_torque);
        const std::vector<double>& v = run.state().v;
        CHECK(v[2] == Approx(torque / 2 / ice).epsilon(1e-6));
        CHECK(v[3] == Approx(torque / 2 / road).epsilon(1e-6));
        CHECK(v[1] == Approx((v[2] + v[3]) / 2).epsilon(1e-7));
        CHECK(v[0] == Approx(3.7 * v[1]).epsilon(1e-7));
        const Readings now = run.read();
        const auto mean = static_cast<std::size_t>(tendonOf(run.model(), "mean_turn"));
        CHECK(-now.tendons[mean].tension == Approx(torque).epsilon(1e-6));
    }
    {
        Simulation run = euler(with(example("differential"), {{"clutch", 30}}), 2e-3);
        run.setAccounts(false);
        runUntil(run, 30);
        const std::vector<double>& v = run.state().v;
        CHECK(v[2] == Approx(v[3]).epsilon(1e-7));
        const double torque = 3.7 * 6 / (1 + (3.7 * 3.7 * 0.01 + 0.02) / (ice + road));
        CHECK(v[3] == Approx(torque / (ice + road)).epsilon(1e-6));
        // The clutch carries half of what the wheels differ in.
        const Readings now = run.read();
        const auto slip = static_cast<std::size_t>(tendonOf(run.model(), "slip"));
        CHECK(std::abs(now.tendons[slip].tension) == Approx((road - ice) * v[3] / 2).epsilon(1e-6));
    }
}

TEST_CASE("tensegrity: in its own stress without weight, on the floor with it", "[tendons]") {
    std::string weightless = with(example("tensegrity"), {{"drop", 1}});
    weightless.replace(weightless.find("gravity 0 0 -9.81"), 17, "gravity 0 0 0    ");
    Simulation floating = euler(weightless, 1e-3);
    for (const double a : floating.read().vdot) CHECK(std::abs(a) < 1e-9);

    Simulation run = euler(with(example("tensegrity"), {{"drop", 0}}), 1e-3);
    run.setAccounts(false);
    runUntil(run, 2);
    // The floor's impulse over half a second is the weight's and what the prism gained.
    double impulse = 0;
    const double before = run.read().momenta.linear[2];
    for (int i = 0; i < 500; ++i) {
        REQUIRE_FALSE(run.step());
        const Readings step = run.read(false);
        for (const ShapeContactReading& c : step.rows.contacts) impulse += c.force[2] * run.dt();
    }
    const Readings now = run.read();
    CHECK(impulse == Approx(1.2 * kG * 0.5 + now.momenta.linear[2] - before).epsilon(1e-6));
    for (const TendonReading& t : now.tendons) CHECK_FALSE(t.slack);
}

TEST_CASE("cable robot: stands with half its weight, goes where its winches say", "[tendons]") {
    Simulation run = euler(example("cable_robot"), 1e-3);
    run.setAccounts(false);
    runUntil(run, 1e-3);
    {
        const Readings now = run.read();
        CHECK(now.rows.contacts.size() == 8);
        double load = 0;
        for (const ShapeContactReading& c : now.rows.contacts) load += c.force[2];
        CHECK(load == Approx(6 * kG / 2).epsilon(1e-2));  // the winches have begun to lift
    }
    for (const double t : {1.0, 2.0}) {
        runUntil(run, t);
        const double s = std::sin(0.9 * t), s2 = std::sin(1.8 * t);
        const std::vector<double>& q = run.state().q;
        CHECK(q[4] == Approx(0.45 * s * s * s).margin(5e-3));
        CHECK(q[5] == Approx(0.3 * s2 * s2 * s2).margin(5e-3));
        CHECK(q[6] == Approx(0.14 + 0.55 * s * s).margin(5e-3));
        CHECK(std::abs(q[0]) == Approx(1).margin(1e-4));
        const Readings now = run.read();
        Vector3d sum{};
        for (const TendonReading& one : now.tendons) {
            CHECK_FALSE(one.slack);
            CHECK(one.length > 0.15);
            CHECK(one.length < 2.9);
        }
        sum = forceOn(now, 0);
        CHECK(sum[2] == Approx(6 * kG).margin(12));  // it is lifted with less than 2 m/s^2
    }
}

TEST_CASE("elbow: muscles hold the load where their moments balance its weight", "[tendons]") {
    Simulation run = euler(with(example("elbow_muscle"), {{"swing", 0}, {"effort", 0.3}}), 1e-3);
    run.setAccounts(false);
    runUntil(run, 12);
    CHECK(std::abs(run.state().v[0]) < 1e-6);
    const double q = run.state().q[0];
    CHECK(q > 0.1);
    CHECK(q < 2.4);
    const Readings now = run.read();
    double moment = 0;
    for (const TendonReading& t : now.tendons) moment -= t.tension * t.route.gradient[0];
    CHECK(moment == Approx((1.4 * 0.12 + 2.4 * 0.34) * kG * std::sin(q)).epsilon(1e-4));
    // The triceps lies on its cylinder, and its moment arm is the radius.
    const TendonReading& triceps = now.tendons[1];
    REQUIRE(triceps.route.guides[0].contact.state == GuideContact::State::wrapped);
    CHECK(triceps.route.gradient[0] == Approx(0.02).epsilon(1e-9));
}

TEST_CASE("marionette: the cross moves as prescribed, strings keep their length, feet stay on the stage", "[tendons]") {
    Simulation run = euler(example("marionette"), 1e-3);
    run.setAccounts(false);
    const Model& model = run.model();
    const double beat = parameter(model, "beat"), rock = parameter(model, "rock"), nod = parameter(model, "nod");
    bool pulled = false;
    for (int i = 0; i < 2000; ++i) {
        REQUIRE_FALSE(run.step());
        if (i % 50 != 49) continue;
        const double t = run.state().t;
        CHECK(run.state().q[1] == Approx(rock * std::sin(2 * kPi * beat * t) * (1 - std::exp(-2 * t))).margin(1e-12));
        CHECK(run.state().q[2] == Approx(nod * (1 - std::cos(kPi * beat * t))).margin(1e-12));
        const Readings now = run.read();
        for (std::size_t k = 0; k < model.tendons.size(); ++k) {
            CHECK(now.tendons[k].length < model.tendons[k].upper.value + 1e-3);
            CHECK(now.tendons[k].tension >= -1e-9);
            pulled = pulled || now.tendons[k].tension > 1;
        }
        for (const ShapeContactReading& c : now.rows.contacts) CHECK(c.record.gap > -2e-3);
    }
    CHECK(pulled);
}

TEST_CASE("finger: the table carries both blocks and what the tip presses", "[tendons]") {
    Simulation run = euler(with(example("finger"), {{"rhythm", 0}, {"pull", 50}}), 1e-3);
    run.setAccounts(false);
    runUntil(run, 3);
    const Readings now = run.read();
    const Model& model = run.model();
    const int lower = model.findBody("lower_block"), upper = model.findBody("upper_block");
    double table = 0, between = 0, tip = 0;
    int contacts = 0;
    for (const ShapeContactReading& c : now.rows.contacts) {
        const auto pair = [&](int a, int b) {
            return (c.record.a == a && c.record.b == b) || (c.record.a == b && c.record.b == a);
        };
        ++contacts;
        const double up = std::abs(c.force[2]);
        if (pair(kBase, lower)) table += up;
        else if (pair(lower, upper)) between += up;
        else tip += up;
    }
    CHECK(contacts >= 9);
    CHECK(tip > 0.1);
    CHECK(between == Approx(0.12 * kG + tip).epsilon(1e-4));
    CHECK(table == Approx(0.24 * kG + tip).epsilon(1e-4));
    // The flexor pulls with a tenth of `pull`.
    CHECK(now.tendons[0].tension == Approx(5).epsilon(1e-4));
}

TEST_CASE("arm26: lengths and moment arms of MuJoCo's sample at one pose", "[tendons]") {
    Simulation run = euler(example("arm26"), 1e-3);
    // By MuJoCo 2.2.2 at shoulder 30, elbow 45 degrees.
    const double length[] = {0.287996327307193, 0.392716082426853, 0.152015891193838,
                             0.27924007852018,  0.675137632995206, 0.915071383241072};
    const double arms[][2] = {{-0.1, 0},  {0.1, 0}, {0, -0.0911700270439759}, {0, 0.08}, {-0.1, -0.111119029659725},
                              {0.1, 0.08}};
    const Readings now = run.read();
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(now.tendons[i].length == Approx(length[i]).margin(1e-12));
        for (std::size_t k = 0; k < 2; ++k) CHECK(now.tendons[i].route.gradient[k] == Approx(arms[i][k]).margin(1e-12));
    }
}
