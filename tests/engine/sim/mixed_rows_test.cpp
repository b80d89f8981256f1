// Tendons, contacts and limits in one solve: a scene with a solution on paper, what solving apart makes of it, books,
// replay, substeps.
#include <cmath>

#include "engine/sim/recorder.h"
#include "tests/engine/sim/rows.h"

using namespace mw;
using test::advance;
using test::stepping;

namespace {

// A block of 1.5 kg on a sled of 0.5 kg: it slides on the ground towards a limit, and a rope lifts it.
std::string sliding(bool tendon, bool contact, bool limit) {
    std::string text = R"(
material wood  mu 0.5
ground  plane 0 0 1 0  mu 0.5
body sled
  joint prismatic x
  mass 0.5  rate 1
)";
    if (limit) text += "  limits -inf 0.0005\n";
    text += R"(
body block
  parent sled  joint prismatic z  at 0 0 0.05
  mass 1.5
shape box on block  box 0.1 0.1 0.1 )";
    text += contact ? "collide wood\n" : "\n";
    if (tendon)
        text += R"(
tendon rope
  site block 0 0 0
  site base 0.3 0 0.45
  stiffness 2000  damping 5  spring -inf 0.495
)";
    return text;
}

}  // namespace

TEST_CASE("a rope lifts a sliding block against a limit: the solution on paper", "[rows]") {
    const double h = 1e-3, g = 9.81;
    Simulation s = stepping(sliding(true, true, true), h);
    advance(s, 1);
    // The limit is reached at the end of the step, half a millimetre on; the block stays on the ground.
    const double ux = 0.5, rate = -0.6 * ux;
    const double rope = -h * 2000 * 0.005 - h * (5 + h * 2000) * rate;  // lengthens: negative pulls
    const double normal = 1.5 * g * h + 0.8 * rope;                     // what the rope leaves of the weight
    const double limit = 2 * (ux - 1) + 0.6 * rope + 0.5 * normal;
    CHECK(s.state().v[0] == Approx(ux).margin(1e-9));
    CHECK(s.state().v[1] == Approx(0).margin(1e-9));
    const Readings r = s.read();
    CHECK(r.rows.report.status == SolveStatus::converged);
    CHECK(r.rows.report.residual <= 1e-8);
    CHECK(r.tendons[0].tension == Approx(-rope / h).epsilon(1e-6));
    double pressed = 0, dragged = 0;
    for (const ShapeContactReading& contact : r.rows.contacts) {
        pressed += contact.force[2], dragged += contact.force[0];
        CHECK(std::hypot(contact.friction[0], contact.friction[1]) <= contact.limit * (1 + 1e-12));
    }
    CHECK(pressed == Approx(normal / h).epsilon(1e-6));
    CHECK(dragged == Approx(-0.5 * normal / h).epsilon(1e-6));
    CHECK(r.rows.joints[0].upper.value() == Approx(limit / h).epsilon(1e-6));
    CHECK(r.rows.closure < 1e-12);

    // Each kind solved by itself from the same state, and their impulses added up, is another motion.
    const Simulation free = [&] {
        Simulation one = stepping(sliding(false, false, false), h);
        one.setIntegrator(Integrator::euler);
        advance(one, 1);
        return one;
    }();
    double vx = free.state().v[0], vz = free.state().v[1];
    for (int kind = 0; kind < 3; ++kind) {
        Simulation one = stepping(sliding(kind == 0, kind == 1, kind == 2), h);
        advance(one, 1);
        vx += one.state().v[0] - free.state().v[0];
        vz += one.state().v[1] - free.state().v[1];
    }
    CHECK(std::abs(vx - ux) > 1e-3);
    CHECK(std::abs(vz) > 1e-3);
}

TEST_CASE("the books of a run with every kind of row close with the step", "[rows]") {
    const auto residual = [](double h) {
        Simulation s = stepping(sliding(true, true, true), h);
        double worst = 0;
        for (int i = 0; i < static_cast<int>(std::llround(0.5 / h)); ++i) {
            advance(s, 1);
            if (i % 10 == 0) worst = std::max(worst, std::abs(s.read(false).residual));
        }
        const Ledger& ledger = s.ledger();
        CHECK(ledger.row_dissipated > 0);
        CHECK(ledger.tendon_dissipated > 0);
        CHECK(ledger.numerical > 0);
        return worst;
    };
    const double coarse = residual(1e-3), fine = residual(2.5e-4);
    CHECK(coarse < 0.03);
    CHECK(fine < 0.4 * coarse);
}

TEST_CASE("a run with rows replays bit for bit, forces included", "[rows]") {
    Simulation s = stepping(sliding(true, true, true), 1e-3);
    Recorder recorder(256u << 20, 20);
    std::vector<Hash> hashes;
    std::vector<double> tensions;
    for (int i = 0; i < 120; ++i) {
        if (i == 50) s.inputs().tau[0] = -20;
        if (i == 70) s.inputs().tendon_off = {1};
        if (i == 90) s.inputs().tendon_off.clear();
        recorder.before(s);
        hashes.push_back(stateHash(s.state()));
        tensions.push_back(i == 0 ? 0 : s.read().tendons[0].tension);
        advance(s, 1);
        recorder.after(s);
    }
    const Ledger end = s.ledger();
    for (int k = 1; k < 120; ++k) {
        const int step = k * 47 % 120;
        recorder.restore(s, step);
        CAPTURE(step);
        REQUIRE(stateHash(s.state()) == hashes[static_cast<std::size_t>(step)]);
        if (step == 0) continue;
        const Readings r = s.read();
        CHECK(r.rows.valid);
        CHECK(r.tendons[0].tension == tensions[static_cast<std::size_t>(step)]);
    }
    recorder.restore(s, 120);
    CHECK(s.ledger() == end);
}

TEST_CASE("substeps add their impulses up: a resting block weighs what it weighs", "[rows]") {
    for (const char* options :
         {"contact substeps 1\n", "contact substeps 4\n", "contact substeps 4 collide substep\n"}) {
        CAPTURE(options);
        Simulation s = stepping(std::string(options) + R"(
material wood  mu 0.5
ground  plane 0 0 1 0  mu 0.5
body block
  joint floating
  mass 2  inertia 0.01 0.02 0.03 0 0 0
  start 1 0 0 0 0 0 0.05
shape box on block  box 0.2 0.15 0.1  collide wood
)");
        advance(s, 200);
        const Readings r = s.read();
        double weight = 0;
        for (const ShapeContactReading& contact : r.rows.contacts) weight += contact.force[2];
        CHECK(r.rows.contacts.size() == 4);
        CHECK(weight == Approx(2 * 9.81).epsilon(1e-5));
        CHECK(std::abs(s.state().v[5]) < 1e-6);
        CHECK(r.rows.closure < 1e-9);
        CHECK(r.rows.t1 - r.rows.t0 == Approx(1e-3));
    }
}

TEST_CASE("a warm start is part of the state: from a copy of it the next step is the same to the last bit", "[rows]") {
    const std::string text = sliding(true, true, true);
    Simulation s = stepping(text);
    advance(s, 30);
    Simulation other = stepping(text);
    other.setState(s.state(), s.ledger());
    advance(s, 5), advance(other, 5);
    CHECK(stateHash(s.state()) == stateHash(other.state()));
    CHECK(s.state().findBlock("warm") != nullptr);
}
