// Tendons and rows under run control: what a run keeps when their text or a live number changes, commands and switches,
// the integrator that is refused with a reason, and readings with their provenance against closed forms.
#include <algorithm>
#include <cmath>

#include "app/live/carry_over.h"
#include "app/live/headless.h"
#include "app/live/probes.h"
#include "app/live/workshop.h"
#include "engine/track/expand.h"
#include "tests/app/live/runner_bench.h"

using namespace mw;
using namespace mw::app;

namespace {

Model read(const std::string& text) {
    const ReadResult result = readMechanism(text);
    for (const Diagnostic& d : result.diagnostics) INFO(d.message);
    REQUIRE(result.ok());
    return result.model;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// A weight of 2 kg on a rope over a fixed cylinder to a second weight of 1 kg; the rope is a spring with a filter'd
/// actuator, and takes a command.
const char* kHoist = R"(mech 1
gravity 0 0 -9.81
param k 400  range 100 1000  live
body left
  joint prismatic z
  at -0.2 0 0
  mass 2
body right
  joint prismatic z
  at 0.2 0 0
  mass 1
tendon rope
  site left 0 0 0
  cylinder base 0 0 1 axis y radius 0.2 side base 0 0 2
  site right 0 0 0
  stiffness k  damping 3
tendon winch
  site base -0.2 0 1
  site left 0 0 0
  actuator input  tau 0.05
)";

const Probe* find(const std::vector<Probe>& probes, const std::string& name) {
    const auto it = std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == name; });
    return it == probes.end() ? nullptr : &*it;
}

double valueOf(const std::vector<Probe>& probes, const std::string& name) {
    const Probe* p = find(probes, name);
    INFO(name);
    REQUIRE(p);
    REQUIRE(p->state == Probe::State::value);
    REQUIRE(p->values.size() == 1);
    return p->values[0];
}

}  // namespace

TEST_CASE("a model with rows steps semi-implicitly, and Verlet is refused with the reason", "[tendons]") {
    Bench bench(read(kHoist));
    auto now = bench.now();
    CHECK(now->has_rows);
    CHECK(now->integrator == Integrator::euler);
    CHECK(now->verlet_refused.find("rope") != std::string::npos);
    bench.runner.setIntegrator(Integrator::verlet);
    now = bench.now();
    CHECK(now->problem == now->verlet_refused);
    CHECK(now->integrator == Integrator::euler);
    bench.runner.step(3);
    CHECK(bench.now()->state.step == 3);
    // Another mechanism has its own default, and keeps what is chosen there.
    const auto other = shared(test::springpend());
    bench.runner.setModel(other, makeReferenceKernel(*other), false);
    CHECK(bench.now()->integrator == Integrator::verlet);
    CHECK(bench.now()->verlet_refused.empty());
    bench.runner.setIntegrator(Integrator::euler);
    CHECK(bench.now()->integrator == Integrator::euler);
    bench.runner.setIntegrator(Integrator::verlet);
    CHECK(bench.now()->integrator == Integrator::verlet);
    bench.runner.setModel(bench.model, bench.kernel, false);
    CHECK(bench.now()->integrator == Integrator::euler);
    CHECK(bench.now()->problem.empty());
}

TEST_CASE("a command pulls by its filter, and a tendon switched off lets go", "[tendons]") {
    // One weight on one rope: v' = (a - m g)/m upwards with a = -command behind the filter 1 - exp(-t/tau).
    Bench bench(read(R"(mech 1
gravity 0 0 -10
body load
  joint prismatic z
  mass 2
tendon rope
  site base 0 0 1
  site load 0 0 0
  actuator input  tau 0.05
)"));
    bench.runner.setTendonCommand(0, -50);
    bench.runner.step(100);
    auto now = bench.now();
    const double h = 1e-3;
    double a = 0, v = 0;
    for (int i = 0; i < 100; ++i) {
        a = -50 + (a + 50) * std::exp(-h / 0.05);
        v += h * (-a / 2 - 10);
    }
    CHECK(now->state.v[0] == Approx(v).epsilon(1e-9));
    CHECK(now->readings.tendons.at(0).tension == Approx(-a).epsilon(1e-9));
    const Hash there = stateHash(now->state);
    bench.runner.setTendonOff(0, true);
    bench.runner.step(50);
    now = bench.now();
    CHECK(now->state.v[0] == Approx(v - 0.5).epsilon(1e-9));
    CHECK(now->readings.tendons[0].off);
    // The past has the commands that it had, and is the same again.
    const Hash end = stateHash(now->state);
    bench.runner.step(-50);
    CHECK(bench.hash() == there);
    bench.runner.step(50);
    CHECK(bench.hash() == end);
    bench.runner.setTendonOff(0, false);
    bench.runner.step(1);
    CHECK_FALSE(bench.now()->readings.tendons[0].off);
    // What does not exist is not commanded.
    bench.runner.setTendonCommand(7, 1);
    bench.runner.setTendonOff(-1, true);
    bench.runner.setTendonCommand(0, std::nan(""));
    CHECK(bench.now()->inputs.tendon_command == std::vector<double>{-50});
}

TEST_CASE("stiffness, drive and limits in the text change while it runs: the state goes on, the kernel stays",
          "[tendons]") {
    Bench bench(read(kHoist));
    bench.runner.setTendonCommand(1, -5);
    bench.runner.step(200);
    const auto before = bench.now();
    const std::string text = kHoist;
    for (const std::string& edited :
         {replaced(text, "stiffness k  damping 3", "stiffness 900  damping 7"),
          replaced(text, "damping 3", "damping 3  limits -inf 2.4"), replaced(text, "tau 0.05", "tau 0.02  kp 3"),
          replaced(text, "tendon winch",
                   "tendon third\n  site base 0 0 0\n  site right 0 0 0\n  actuator (-1)  tau 0.1\n"
                   "tendon winch")}) {
        const auto model = shared(read(edited));
        CHECK(dynamicsHash(*model) == dynamicsHash(*bench.model));
        CHECK(motionHash(*model) != motionHash(*bench.model));
        bench.runner.setModel(model, bench.kernel, true);
        const auto now = bench.now();
        CHECK(now->problem.empty());
        CHECK(now->state.q == before->state.q);
        CHECK(now->state.v == before->state.v);
        CHECK(now->state.t == before->state.t);
        CHECK(now->state.step == before->state.step);
        // What the winch's filter holds and the hand commands go over by name.
        const auto winch = static_cast<std::size_t>(model->tendons.size() - 1);
        CHECK(now->inputs.tendon_command.at(winch) == -5);
        CHECK(now->readings.tendons.at(winch).activation == Approx(before->readings.tendons[1].activation));
        CHECK(now->readings.tendons.at(winch).activation < -4);
        bench.runner.setModel(bench.model, bench.kernel, true);
        CHECK(bench.now()->state.q == before->state.q);
    }
    // A comment or a title changes nothing: the past is kept, too.
    bench.runner.step(20);
    const Hash then = bench.hash();
    Model titled = *bench.model;
    titled.title = "other";
    titled.tendons[0].width = 0.02;
    bench.runner.setModel(shared(titled), bench.kernel, true);
    CHECK(bench.hash() == then);
    bench.runner.step(-20);
    CHECK(bench.now()->state.step == 200);
}

TEST_CASE("a live number of a tendon moves while it runs, without a reset", "[tendons]") {
    Bench bench(read(kHoist));
    bench.runner.step(300);
    const Hash then = bench.hash();
    bench.runner.setParameter(0, 800);
    CHECK(bench.hash() == then);
    bench.runner.step(100);
    auto now = bench.now();
    CHECK(now->state.step == 400);
    const TendonReading& r = now->readings.tendons[0];
    // The spring of the last step: -k (e + h l') with the stretch at its start, which is e - h l' now.
    CHECK(*r.forces.spring == Approx(-800 * (r.length - r.reference)).epsilon(1e-6));
    bench.runner.step(-100);
    CHECK(bench.hash() == then);
}

TEST_CASE("an edit of tendons asks for no new code", "[tendons]") {
    int derived = 0, compiled = 0;
    Workshop::Options options;
    options.cache.clear();
    options.optimise = false;
    options.validate = false;
    options.outside = false;
    options.tools.derive = [&](const Model&, const std::string& name, const gen::Progress&) {
        ++derived;
        auto program = std::make_shared<gen::Program>();
        program->model_name = name;
        return program;
    };
    options.tools.write_c = [](const gen::Program&, const Model&, std::vector<int>* lines) {
        lines->assign(1, kBase);
        return std::string("/* code */\n");
    };
    options.tools.interpret = [](std::shared_ptr<const gen::Program>, const Model& m) {
        return makeReferenceKernel(m);
    };
    options.tools.compile = [&](std::shared_ptr<const gen::Program>, const Model& m, gen::Tier, const gen::Progress&) {
        ++compiled;
        return makeReferenceKernel(m);
    };
    Workshop workshop(options);
    const std::string text = kHoist;
    std::uint64_t id = 0;
    for (const std::string& version :
         {text, replaced(text, "damping 3", "damping 5"), replaced(text, "side base 0 0 2", "side base 0 0 3"),
          replaced(text, "damping 3", "damping 3  limits 1 2  friction 1"), text}) {
        workshop.submit(readMechanism(version), Hasher().add(static_cast<double>(++id)).finish(), "hoist");
        workshop.waitIdle();
        CHECK(derived == 1);
        CHECK(compiled == 1);
    }
    CHECK(workshop.built()->model->tendons.size() == 2);
}

TEST_CASE("readings of a tendon add up, and say where they come from", "[probes][tendons]") {
    Bench bench(read(replaced(kHoist, "stiffness k  damping 3", "stiffness k  damping 3  friction 0.4  armature 0.1")));
    // Before the first step what only a step defines is not computed, never zero.
    auto probes = tendonProbes(*bench.now(), 0);
    for (const char* name : {"friction", "armature"}) {
        const Probe* p = find(probes, name);
        REQUIRE(p);
        CHECK(p->state == Probe::State::not_computed);
        CHECK(p->values.empty());
    }
    CHECK(valueOf(probes, "length") == Approx(2 + M_PI * 0.2).epsilon(1e-12));
    CHECK(find(probes, "tension")->when == "at t = 0 s");

    bench.runner.step(250);
    const auto now = bench.now();
    probes = tendonProbes(*now, 0);
    const double sum = valueOf(probes, "spring") + valueOf(probes, "damper") + valueOf(probes, "friction") +
                       valueOf(probes, "armature");
    CHECK(valueOf(probes, "tension") == Approx(-sum).epsilon(1e-12));
    const Probe* tension = find(probes, "tension");
    CHECK(tension->unit == "N");
    CHECK(tension->pass == "step with rows");
    CHECK(tension->when == "average over [0.249, 0.25] s");
    CHECK(tension->trust.find("converged") != std::string::npos);
    CHECK(valueOf(probes, "numerical damping") == Approx(400 * 1e-3));
    // Both strands shorten as their weights rise: the moment arm is -1.
    CHECK(valueOf(probes, "moment arm left") == Approx(-1).epsilon(1e-9));
    CHECK(valueOf(probes, "moment arm right") == Approx(-1).epsilon(1e-9));
    CHECK(find(probes, "moment arm left")->unit == "1");
    CHECK(valueOf(probes, "force on left") == Approx(valueOf(probes, "tension")).epsilon(1e-9));
    CHECK(valueOf(probes, "cylinder 2, sweep") == Approx(M_PI).epsilon(1e-9));
    // The pulls at all points of a route balance.
    std::array<double, 3> total{};
    int forces = 0;
    for (const Probe& p : probes) {
        CAPTURE(p.name);
        CHECK_FALSE(p.unit.empty());
        CHECK_FALSE(p.by.empty());
        if (p.state == Probe::State::value) {
            CHECK((p.values.empty() != p.word.empty()));
            CHECK_FALSE(p.axes.empty());
            CHECK_FALSE(p.pass.empty());
            CHECK_FALSE(p.when.empty());
            CHECK_FALSE(p.trust.empty());
        } else {
            CHECK_FALSE(p.note.empty());
        }
        if (p.name.size() > 7 && p.name.substr(p.name.size() - 7) == ", force" &&
            p.name.find("cylinder 2, force") != 0) {
            ++forces;
            CHECK_FALSE(p.acts_on.empty());
            CHECK_FALSE(p.about.empty());
            for (std::size_t k = 0; k < 3; ++k) total[k] += p.values.at(k);
        }
    }
    CHECK(forces == 4);
    for (const double x : total) CHECK(std::abs(x) < 1e-9);
    // On the pulley twice the tension, straight down.
    const Probe* guide = find(probes, "cylinder 2, force");
    REQUIRE(guide);
    CHECK(guide->values.at(2) == Approx(-2 * valueOf(probes, "tension")).epsilon(1e-9));
    CHECK(guide->acts_on == "base");

    // Off: no force, the route is read still.
    bench.runner.setTendonOff(0, true);
    bench.runner.step(1);
    probes = tendonProbes(*bench.now(), 0);
    CHECK(find(probes, "tension")->state == Probe::State::unavailable);
    CHECK(find(probes, "state")->word == "off");
    CHECK(valueOf(probes, "length") > 0);
    CHECK(tendonProbes(*bench.now(), 5).empty());
    CHECK(tendonProbes(Snapshot{}, 0).empty());
}

TEST_CASE("the solve reads its status, sweeps and residual with units", "[probes][tendons]") {
    Bench bench(read(kHoist));
    auto probes = solverProbes(*bench.now());
    REQUIRE(probes.size() == 1);
    CHECK(probes[0].state == Probe::State::not_computed);
    bench.runner.step(10);
    probes = solverProbes(*bench.now());
    CHECK(find(probes, "status")->word == "converged");
    CHECK(valueOf(probes, "rows") >= 2);
    CHECK(valueOf(probes, "sweeps") >= 1);
    CHECK(valueOf(probes, "residual") <= 1e-8);
    CHECK(find(probes, "residual")->unit == "N s");
    CHECK(valueOf(probes, "momentum closure") < 1e-9);
    const auto plain = shared(test::springpend());
    bench.runner.setModel(plain, makeReferenceKernel(*plain), false);
    CHECK(solverProbes(*bench.now()).empty());
}

TEST_CASE("limits, dry friction and prescribed drives react as statics and d'Alembert say", "[probes][tendons]") {
    Bench bench(read(R"(mech 1
gravity 0 0 -10
body table
  joint prismatic z
  mass 3
  limits -0.1 1
  start -0.1
body sledge
  joint prismatic x
  at 2 0 0
  mass 2
  joint-friction 4
body crank
  joint prismatic z
  at 4 0 0
  mass 5
drive lift joint crank  prescribed (0.5*t^2)
)"));
    bench.runner.setTau(1, 3);
    auto probes = bodyProbes(*bench.now(), 0);
    REQUIRE(find(probes, "lower limit table"));
    CHECK(find(probes, "lower limit table")->state == Probe::State::not_computed);
    bench.runner.step(200);
    const auto now = bench.now();
    probes = bodyProbes(*now, 0);
    CHECK(valueOf(probes, "lower limit table") == Approx(30).epsilon(1e-6));
    CHECK(find(probes, "lower limit table")->unit == "N");
    CHECK(find(probes, "lower limit table")->when == "average over [0.199, 0.2] s");
    probes = bodyProbes(*now, 1);
    CHECK(valueOf(probes, "joint friction sledge") == Approx(-3).epsilon(1e-6));
    CHECK(now->state.v[1] == Approx(0).margin(1e-12));
    probes = bodyProbes(*now, 2);
    CHECK(valueOf(probes, "drive lift, reaction crank") == Approx(5 * (10 + 1)).epsilon(1e-6));
    CHECK(find(probes, "drive lift") == nullptr);
}

TEST_CASE("a contact of shapes reads as the weight that it carries", "[probes][tendons]") {
    Bench bench(read(R"(mech 1
gravity 0 0 -10
ground
  plane 0 0 1 0
material rubber
  mu 0.5
body ball
  joint floating
  mass 2
  inertia 0.02 0.02 0.02 0 0 0
  start 1 0 0 0  0 0 0.1
shape hull on ball  sphere 0.1  collide rubber
)"));
    bench.runner.step(400);
    const auto now = bench.now();
    const auto& contacts = now->readings.rows.contacts;
    REQUIRE(contacts.size() == 1);
    const auto probes = shapeContactProbes(*now, contacts[0].id);
    CHECK(valueOf(probes, "normal force") == Approx(20).epsilon(1e-4));
    CHECK(find(probes, "force")->acts_on == "body ball");
    CHECK(find(probes, "force")->acts_from == "ground");
    CHECK(find(probes, "force")->values.at(2) == Approx(20).epsilon(1e-4));
    CHECK(valueOf(probes, "friction's limit") == Approx(10).epsilon(1e-4));
    for (const Probe& p : probes) {
        CAPTURE(p.name);
        CHECK_FALSE(p.unit.empty());
        CHECK_FALSE(p.by.empty());
    }
    CHECK(shapeContactProbes(*now, "nobody").empty());
}
