// Assembling: closed forms of planar linkages, poses torn by practical amounts, closures that cannot be, and input that
// is no pose at all. K against the reference kernel's, projection against Gauss' principle.
#include <algorithm>
#include <limits>
#include <numbers>

#include "engine/dynamics/closure.h"
#include "engine/dynamics/drift.h"
#include "engine/dynamics/reference_kernel.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_calls.h"
#include "tests/support/loop_models.h"
#include "tests/support/random_loops.h"

using namespace mw;
using namespace mw::test;

namespace {

double worstOf(const Numbers& error) {
    double worst = 0;
    for (const double e : error) worst = std::isfinite(e) ? std::max(worst, std::abs(e)) : HUGE_VAL;
    return worst;
}

bool turns(JointType type, int k) {
    switch (type) {
        case JointType::prismatic: return false;
        case JointType::cylindrical: return k == 0;
        case JointType::planar: return k == 2;
        case JointType::floating: return k < 3;
        default: return true;
    }
}

/// Every joint moved by up to so much.
Numbers torn(const Model& model, const Layout& layout, Numbers q, Random& random, double length, double angle) {
    Numbers v(layout.nv);
    for (int i = 0; i < layout.nv; i++) {
        const int b = layout.body_of_v[i];
        const double size = turns(model.bodies[b].joint.type, i - layout.v_of_body[b]) ? angle : length;
        v[i] = random.between(-size, size);
    }
    drift(model, layout, q, v, 1);
    return q;
}

/// A random tree with loops of the given types, closed at q: every loop between two bodies that move apart.
Model closedTree(int seed, int loops, Numbers& q) {
    TreeOptions options;
    options.bodies = 6;
    Model model = randomTree(seed, options);
    const Layout layout = layoutOf(model);
    Random random(seed + 77);
    Numbers v;
    randomState(model, layout, random, q, v);
    for (int l = 0; l < loops; l++) {
        const int to = static_cast<int>(model.bodies.size()) - 1 - l;
        addRandomLoop(model, random, kLoopTypes[(seed + l) % 6], kBase, to, q, model.liveValues());
    }
    return model;
}

}  // namespace

TEST_CASE("a four-bar assembles to the angles of its circles' intersection", "[closure]") {
    const double a = 0.2, b = 0.5, c = 0.4, d = 0.5;
    const Model model = loopModel(fourBarText(a, b, c, d));
    Closure closure(model);
    const int crank = findSlot(model, closure.layout(), "v", "crank");
    for (int i = 0; i < 24; i++) {
        // Angles about +y turn x towards -z.
        const double t = i * std::numbers::pi / 12;
        const double x = a * std::cos(t) - d, z = -a * std::sin(t), apart = std::hypot(x, z);
        const double inner = std::acos((c * c + apart * apart - b * b) / (2 * c * apart));
        // The pin above the ground line.
        const double rocker = std::atan2(-z, x) - inner;
        const double px = d + c * std::cos(rocker), pz = -c * std::sin(rocker);
        const double coupler = std::atan2(-(pz - z), px - d - x) - t;
        Numbers start = {t, coupler + 0.3, rocker - 0.25};
        const Assembly done = closure.assemble(start, {}, {1e-12, 200, {crank}});
        CAPTURE(i, done.what);
        REQUIRE(done.closed);
        CHECK(done.kept);
        CHECK(done.q[0] == t);
        CHECK(std::abs(std::remainder(done.q[1] - coupler, 2 * std::numbers::pi)) < 1e-11);
        CHECK(std::abs(std::remainder(done.q[2] - rocker, 2 * std::numbers::pi)) < 1e-11);
        CHECK(worstOf(closure.error(done.q, {})) == done.worst);
        CHECK(done.worst < 1e-14);
    }
}

TEST_CASE("a slider follows its crank as the closed form says", "[closure]") {
    const double a = 0.2, l = 0.6;
    const Model model = loopModel(sliderCrankText(a, l, 0.5));
    Closure closure(model);
    for (int i = 0; i < 16; i++) {
        const double t = -1.5 + 0.2 * i;
        const Assembly done = closure.assemble({t, 0.9}, {}, {1e-12, 200, {0}});
        REQUIRE(done.closed);
        CHECK(done.q[1] == Approx(a * std::cos(t) + std::sqrt(l * l - std::pow(a * std::sin(t), 2))).epsilon(1e-12));
    }
}

TEST_CASE("mechanisms torn by 0.3 m and 0.5 rad come together again", "[closure]") {
    for (const std::string& text : {fourBarText(0.2, 0.5, 0.4, 0.5), stewartText(), carText()}) {
        const Model model = loopModel(text);
        Closure closure(model);
        const Numbers q = closure.assemble(startQ(model, closure.layout(), {}), {}).q;
        REQUIRE(worstOf(closure.error(q, {})) < 1e-12);
        Random random(5);
        int closed = 0;
        for (int i = 0; i < 40; i++) {
            const Assembly done = closure.assemble(torn(model, closure.layout(), q, random, 0.3, 0.5), {});
            CAPTURE(model.bodies[0].name, i, done.what);
            CHECK(done.steps <= AssembleOptions{}.most_steps);
            CHECK(worstOf(closure.error(done.q, {})) == done.worst);
            if (done.closed) CHECK(done.worst < 1e-12);
            closed += done.closed;
        }
        // A wheel that turned over its tie rod may stay there: 0.3 m is twice the car's steering arms.
        CHECK(closed >= (model.bodies[0].name == "chassis" ? 36 : 40));
    }
}

TEST_CASE("loops of every type on trees of every joint close from torn poses", "[closure]") {
    int closed = 0, all = 0;
    for (int seed = 1; seed <= 120; seed++) {
        Numbers q;
        const Model model = closedTree(seed, 1 + seed % 2, q);
        Closure closure(model);
        const Numbers param = model.liveValues();
        CAPTURE(seed);
        CHECK(worstOf(closure.error(q, param)) < 1e-12);
        CHECK(closure.assemble(q, param).q == q);  // closed: nothing to do
        Random random(seed);
        const Assembly done = closure.assemble(torn(model, closure.layout(), q, random, 0.1, 0.2), param);
        all++;
        closed += done.closed;
        CHECK(worstOf(done.q) < 1e3);
        CHECK(worstOf(closure.error(done.q, param)) == Approx(done.worst).margin(1e-15));
        if (!done.closed) CHECK(done.what.find("stays open by") != std::string::npos);
    }
    // Structures without a free motion may snap into another pose or none; nearly all come back.
    CHECK(closed >= all - all / 20);
}

TEST_CASE("K is the reference kernel's, torn or not", "[closure]") {
    for (int seed = 1; seed <= 60; seed++) {
        Numbers q;
        const Model model = closedTree(seed, 2, q);
        Closure closure(model);
        Caller kernel(makeReferenceKernel(model));
        Random random(seed);
        CAPTURE(seed);
        CHECK(scaledError(closure.jacobian(q, model.liveValues()), kernel.loopJacobian(q, model.liveValues())) < 1e-13);
        q = torn(model, closure.layout(), q, random, 0.3, 0.5);
        CHECK(scaledError(closure.jacobian(q, model.liveValues()), kernel.loopJacobian(q, model.liveValues())) < 1e-13);
    }
}

TEST_CASE("projected velocities keep loops closed and differ least in the sense of the mass matrix", "[closure]") {
    for (int seed = 1; seed <= 40; seed++) {
        Numbers q;
        const Model model = closedTree(seed, 1, q);
        Closure closure(model);
        const int nv = closure.layout().nv, nc = closure.layout().nc;
        const Numbers param = model.liveValues();
        Random random(seed);
        Numbers v(nv);
        for (double& x : v) x = random.between(-2, 2);
        const Numbers out = closure.project(q, v, param);
        const Numbers K = closure.jacobian(q, param);
        Numbers rate(nc, 0.0);
        double size = 0;
        for (int r = 0; r < nc; r++)
            for (int j = 0; j < nv; j++) {
                rate[r] += K[r * nv + j] * out[j];
                size = std::max(size, std::abs(out[j]));
            }
        CAPTURE(seed);
        CHECK(worstOf(rate) < 1e-12 * std::max(1.0, size));
        // Gauss: M (out - v) is a force of the loops, so that no allowed velocity feels it.
        Caller kernel(makeReferenceKernel(model));
        const Numbers M = kernel.massMatrix(q, param);
        Numbers w(nv);
        for (double& x : w) x = random.between(-2, 2);
        w = closure.project(q, w, param);
        double power = 0, scale = 0;
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++) {
                power += w[i] * M[i * nv + j] * (out[j] - v[j]);
                scale += std::abs(w[i] * M[i * nv + j] * (out[j] - v[j]));
            }
        CHECK(std::abs(power) <= 1e-11 * scale + 1e-13);
    }
}

TEST_CASE("an impossible closure says by how much, where, and what to try", "[closure]") {
    // Crank 0.2 and rod 0.1 reach 0.3; the rocker of 0.4 at 1.5 comes no nearer than 1.1: 0.8 are missing.
    const Model model = loopModel(fourBarText(0.2, 0.1, 0.4, 1.5));
    Closure closure(model);
    const Assembly out = closure.assemble(startQ(model, closure.layout(), {}), {});
    CHECK_FALSE(out.closed);
    CHECK(out.loop == 0);
    CHECK(out.worst == Approx(0.8).margin(2e-3));
    CHECK(worstOf(out.q) < 100);
    CHECK(out.steps <= AssembleOptions{}.most_steps);
    INFO(out.what);
    CHECK(out.what.find("loop 'pin' stays open by 0.8 m (moving along x)") == 0);
    CHECK(out.what.find("change") != std::string::npos);

    const Model rod = loopModel(
        "body arm\n  joint revolute y\n  mass 1  cg 0.1 0 0  inertia 1 1 1 0 0 0\n"
        "loop rod\n  type distance\n  from base 0 0 1\n  to arm 0.5 0 0\n  length 2\n");
    Closure short_of(rod);
    const Assembly missing = short_of.assemble({0.3}, {});
    CHECK_FALSE(missing.closed);
    CHECK(missing.worst == Approx(0.5).margin(1e-6));  // it can be 1.5 away at most
    CHECK(missing.what.find("(distance)") != std::string::npos);
    CHECK(missing.what.find("length") != std::string::npos);
}

TEST_CASE("what should stay stays, and where that cannot be it is said", "[closure]") {
    const Model model = loopModel(fourBarText(0.2, 0.5, 0.4, 0.5));
    Closure closure(model);
    // The rocker cannot lie there, whatever the others do: its pin would be 0.9 from a crank of 0.2 with a rod of 0.5.
    const Assembly out = closure.assemble({0.3, 0.1, 0.0}, {}, {1e-12, 200, {2}});
    CHECK(out.closed);
    CHECK_FALSE(out.kept);
    CHECK(out.q[2] != 0.0);
    CHECK(out.what.find("not with rocker held") != std::string::npos);
    // As near as can be: crank and rod in line, 0.7 from pin to ground, by the law of cosines.
    const double limit = std::acos((0.4 * 0.4 + 0.5 * 0.5 - 0.7 * 0.7) / (2 * 0.4 * 0.5)) - std::numbers::pi;
    CHECK(std::abs(out.q[2]) >= std::abs(limit) - 1e-9);
    CHECK(std::abs(out.q[2]) < std::abs(limit) + 0.2);
}

TEST_CASE("what is no pose is replaced, never passed on", "[closure]") {
    const Model model = loopModel(stewartText());
    Closure closure(model);
    const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    for (const Numbers& bad : {Numbers(25, nan), Numbers(25, inf), Numbers(25, 1e300), Numbers(25, 0.0), Numbers{}}) {
        const Assembly out = closure.assemble(bad, {});
        CHECK(out.q.size() == 25);
        CHECK(std::isfinite(worstOf(out.q)));
        CHECK(out.what.find("start pose") != std::string::npos);
    }
    // Far away and huge turns: finite, bounded.
    const Assembly far = closure.assemble(Numbers(25, 1e6), {});
    CHECK(std::isfinite(worstOf(far.q)));
}

TEST_CASE("without loops there is nothing to close", "[closure]") {
    const Model model = loopModel("body a\n  joint revolute y\n  mass 1\n  inertia 1 1 1 0 0 0\n");
    Closure closure(model);
    CHECK(closure.assemble({0.3}, {}).closed);
    CHECK(closure.error(Numbers{0.3}, {}).empty());
    CHECK(closure.project(Numbers{0.3}, Numbers{2.0}, {}) == Numbers{2.0});
    CHECK(closure.health(Numbers{0.3}, {}).mobility == 1);
    CHECK(closure.freeMotions(Numbers{0.3}, {}).size() == 1);
}
